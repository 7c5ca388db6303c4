// RUN: jit-opt %s --kiln-to-linalg --split-input-file --verify-diagnostics | FileCheck %s
// The pass around the families' patterns: kernels, types, constants.

// A kernel becomes a function that says what it was; its attributes stay.
// CHECK-LABEL: func.func @scale
//  CHECK-SAME: (%{{.*}}: index, %{{.*}}: tensor<?xi8> {kiln.name = "x"}) -> tensor<?xi8> attributes {kiln.kernel, kiln.note = "n"}
//       CHECK: return %{{.*}} : tensor<?xi8>
kiln.kernel @scale(%n: index, %x: tensor<?xui8> {kiln.name = "x"}) -> tensor<?xui8> attributes {kiln.note = "n"} {
  %0 = kiln.add %x, %x : tensor<?xui8>, tensor<?xui8> -> tensor<?xui8>
  kiln.yield %0 : tensor<?xui8>
}

// -----

// Constants lose their signedness, not their bits.
// CHECK-LABEL: func.func @constants
//       CHECK: arith.constant dense<[-1, 1]> : tensor<2xi8>
//       CHECK: arith.constant dense<[true, false]> : tensor<2xi1>
func.func @constants() -> (tensor<2xui8>, tensor<2xi1>) {
  %0 = kiln.constant dense<[255, 1]> : tensor<2xui8>
  %1 = kiln.constant dense<[true, false]> : tensor<2xi1>
  return %0, %1 : tensor<2xui8>, tensor<2xi1>
}

// -----

// Other dialects' ops on unsigned tensors follow, also through regions.
// CHECK-LABEL: func.func @others
//       CHECK: tensor.dim %{{.*}} : tensor<?xi16>
//       CHECK: scf.if %{{.*}} -> (tensor<?xi16>)
//       CHECK: tensor.cast %{{.*}} : tensor<?xi16> to tensor<4xi16>
func.func @others(%x: tensor<?xui16>, %p: i1) -> (index, tensor<4xui16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xui16>
  %0 = scf.if %p -> tensor<?xui16> {
    %1 = kiln.add %x, %x : tensor<?xui16>, tensor<?xui16> -> tensor<?xui16>
    scf.yield %1 : tensor<?xui16>
  } else {
    scf.yield %x : tensor<?xui16>
  }
  %2 = tensor.cast %0 : tensor<?xui16> to tensor<4xui16>
  return %n, %2 : index, tensor<4xui16>
}

// -----

// Composites are decomposed first.
// CHECK-LABEL: func.func @composite
//   CHECK-NOT: kiln.
//       CHECK: math.exp
func.func @composite(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = kiln.softmax %x axis 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// What is no computation has no lowering: weights are bindings of launches.
func.func @weight() -> tensor<2xf32> {
  // expected-error@+1 {{failed to legalize operation 'kiln.weight'}}
  %0 = kiln.weight "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" : tensor<2xf32>
  return %0 : tensor<2xf32>
}
