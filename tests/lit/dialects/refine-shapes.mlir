// RUN: jit-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(kiln-refine-shapes),kiln.kernel(kiln-refine-shapes))' | FileCheck %s

// A static argument makes everything behind it static, shape arithmetic included; the function's type follows.
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

// Kernels too; a launch takes a kernel with sharper types.
// CHECK-LABEL: kiln.kernel @kernel
//  CHECK-SAME: -> tensor<4xf32>
//       CHECK: kiln.yield %{{.*}} : tensor<4xf32>
kiln.kernel @kernel(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<?xf32> {
  %0 = kiln.mul %x, %s : tensor<4xf32>, tensor<f32> -> tensor<?xf32>
  kiln.yield %0 : tensor<?xf32>
}

// -----

// What a region hands on is as precise as both sides.
// CHECK-LABEL: func.func @others
//       CHECK: %[[M:.+]] = kiln.mul {{.*}} -> tensor<4xf32>
//       CHECK: %[[R:.+]] = scf.if {{.*}} -> (tensor<4xf32>)
//       CHECK:   %[[S:.+]] = kiln.add %[[M]], %{{.*}} -> tensor<4xf32>
//       CHECK:   scf.yield %[[S]] : tensor<4xf32>
//       CHECK:   scf.yield %[[M]] : tensor<4xf32>
//       CHECK: return %[[R]] : tensor<4xf32>
func.func @others(%x: tensor<4xf32>, %s: tensor<f32>, %p: i1) -> tensor<?xf32> {
  %0 = kiln.mul %x, %s : tensor<4xf32>, tensor<f32> -> tensor<?xf32>
  %1 = scf.if %p -> tensor<?xf32> {
    %2 = kiln.add %0, %s : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
    scf.yield %2 : tensor<?xf32>
  } else {
    scf.yield %0 : tensor<?xf32>
  }
  return %1 : tensor<?xf32>
}

// -----

// A private function has callers, which name its types: they stay.
// CHECK-LABEL: func.func private @callee
//  CHECK-SAME: -> tensor<?xf32>
//       CHECK: %[[C:.+]] = tensor.cast %{{.*}} : tensor<4xf32> to tensor<?xf32>
//       CHECK: return %[[C]]
func.func private @callee(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<?xf32> {
  %0 = kiln.mul %x, %s : tensor<4xf32>, tensor<f32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Extents that turn out to contradict each other are the op's own error.
func.func @contradiction(%arg0: tensor<4xf32>, %arg1: tensor<5xf32>) -> tensor<?xf32> {
  %x = tensor.cast %arg0 : tensor<4xf32> to tensor<?xf32>
  %y = tensor.cast %arg1 : tensor<5xf32> to tensor<?xf32>
  // expected-error@+1 {{'kiln.add' op expects operands that broadcast to one shape, got 'tensor<4xf32>', 'tensor<5xf32>'}}
  %0 = kiln.add %x, %y : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// So are sizes.
func.func @wrong_size(%x: tensor<6xf32>) -> tensor<?xf32> {
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{'kiln.reshape' op expects sizes with the number of elements of 'tensor<6xf32>', got 'tensor<4xf32>'}}
  %0 = kiln.reshape %x [%c4] : tensor<6xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// What a loop starts from says nothing about what its rounds make of it.
// CHECK-LABEL: @a_loop_changes_extents
//       CHECK: scf.for {{.*}} -> (tensor<?xf32>)
//       CHECK:   kiln.concat
//       CHECK: kiln.exp %{{.*}} : tensor<?xf32>
func.func @a_loop_changes_extents(%x: tensor<2xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %start) -> (tensor<?xf32>) {
    %b = kiln.concat %a, %a axis 0 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  %e = kiln.exp %r : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Both sides know more than the branch says.
// CHECK-LABEL: @a_branch
//       CHECK: scf.if {{.*}} -> (tensor<2x4xf32>)
//       CHECK: kiln.exp %{{.*}} : tensor<2x4xf32>
func.func @a_branch(%c: i1, %x: tensor<2x4xf32>) -> tensor<?x?xf32> {
  %r = scf.if %c -> (tensor<?x?xf32>) {
    %n = kiln.neg %x : tensor<2x4xf32>
    %d = tensor.cast %n : tensor<2x4xf32> to tensor<?x?xf32>
    scf.yield %d : tensor<?x?xf32>
  } else {
    %a = kiln.abs %x : tensor<2x4xf32>
    %d = tensor.cast %a : tensor<2x4xf32> to tensor<?x?xf32>
    scf.yield %d : tensor<?x?xf32>
  }
  %e = kiln.exp %r : tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

// What every round keeps is what the first one starts with; only the second axis grows.
// CHECK-LABEL: @a_loop_keeps_an_extent
//       CHECK: scf.for {{.*}} -> (tensor<2x?xf32>, tensor<2xf32>)
//       CHECK:   kiln.concat
//  CHECK-SAME:     -> tensor<2x?xf32>
//       CHECK:   kiln.exp %{{.*}} : tensor<2xf32>
func.func @a_loop_keeps_an_extent(%x: tensor<2x1xf32>, %v: tensor<2xf32>, %n: index) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tensor.cast %x : tensor<2x1xf32> to tensor<?x?xf32>
  %w = tensor.cast %v : tensor<2xf32> to tensor<?xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %start, %b = %w) -> (tensor<?x?xf32>, tensor<?xf32>) {
    %y = kiln.concat %a, %x axis 1 : tensor<?x?xf32>, tensor<2x1xf32> -> tensor<?x?xf32>
    %z = kiln.exp %b : tensor<?xf32>
    scf.yield %y, %z : tensor<?x?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?xf32>
}
