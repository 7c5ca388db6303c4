// RUN: jit-opt %s --pass-pipeline='builtin.module(func.func(kiln-refine-shapes))' --split-input-file --verify-diagnostics | FileCheck %s

// A static argument makes everything behind it static, shape arithmetic included.
// CHECK-LABEL: @static_argument
//  CHECK-SAME: -> tensor<4x4xf32>
//   CHECK-NOT: tensor.dim
//       CHECK: kiln.relu %arg0 : tensor<2x8xf32>
//       CHECK: kiln.reshape %{{.+}} [4, 4] : tensor<2x8xf32> -> tensor<4x4xf32>
func.func @static_argument(%arg: tensor<2x8xf32>) -> tensor<?x4xf32> {
  %x = tensor.cast %arg : tensor<2x8xf32> to tensor<?x8xf32>
  %0 = kiln.relu %x : tensor<?x8xf32>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %0, %c0 : tensor<?x8xf32>
  %m = arith.muli %n, %c2 : index
  %1 = kiln.reshape %0 [%m, 4] : tensor<?x8xf32> -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// -----

// What is not known stays: nothing changes.
// CHECK-LABEL: @dynamic_argument
//       CHECK: kiln.relu %arg0 : tensor<?x8xf32>
func.func @dynamic_argument(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = kiln.relu %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// Extents that turn out to contradict each other are the op's own error.
func.func @contradiction(%arg0: tensor<4xf32>, %arg1: tensor<5xf32>) -> tensor<?xf32> {
  %x = tensor.cast %arg0 : tensor<4xf32> to tensor<?xf32>
  %y = tensor.cast %arg1 : tensor<5xf32> to tensor<?xf32>
  // expected-error @+2 {{do not broadcast to one shape}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = kiln.add %x, %y : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
