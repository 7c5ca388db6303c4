// RUN: jit-opt %s --pass-pipeline='builtin.module(func.func(kiln-check-extents,cse,canonicalize))' --split-input-file | FileCheck %s

// Dynamic extents that meet are compared; one that is known to be 1 is repeated.
// CHECK-LABEL: @elementwise
//  CHECK-SAME: %[[A:.+]]: tensor<?x4xf32>, %[[B:.+]]: tensor<?x1xf32>
//   CHECK-DAG: %[[N:.+]] = tensor.dim %[[A]], %c0
//   CHECK-DAG: %[[M:.+]] = tensor.dim %[[B]], %c0
//       CHECK: %[[OK:.+]] = arith.cmpi eq, %[[M]], %[[N]]
//       CHECK: cf.assert %[[OK]], "expects operands of one extent along axis 0" {kiln.shows_operands}
//   CHECK-NOT: cf.assert
func.func @elementwise(%a: tensor<?x4xf32>, %b: tensor<?x1xf32>) -> tensor<?x4xf32> {
  %y = kiln.add %a, %b : tensor<?x4xf32>, tensor<?x1xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// What is static is the verifier's.
// CHECK-LABEL: @static
//   CHECK-NOT: cf.assert
func.func @static(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %y = kiln.matmul %a, %b : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// -----

// Nothing is asserted of a value and itself.
// CHECK-LABEL: @same
//   CHECK-NOT: cf.assert
func.func @same(%a: tensor<?xf32>) -> tensor<?xf32> {
  %y = kiln.mul %a, %a : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// CHECK-LABEL: @matmul
//       CHECK: cf.assert %{{.+}}, "expects equal contracted extents"
//       CHECK: cf.assert %{{.+}}, "expects batch extents that are equal"
func.func @matmul(%a: tensor<?x3x?xf32>, %b: tensor<?x?x5xf32>) -> tensor<?x3x5xf32> {
  %y = kiln.matmul %a, %b : tensor<?x3x?xf32>, tensor<?x?x5xf32> -> tensor<?x3x5xf32>
  return %y : tensor<?x3x5xf32>
}

// -----

// A window reaches over (3 - 1) * 2 + 1 elements, of which two may be padding.
// CHECK-LABEL: @pool
//       CHECK: %[[PADDED:.+]] = arith.addi %{{.+}}, %c2
//       CHECK: %[[OK:.+]] = arith.cmpi sge, %[[PADDED]], %c5
//       CHECK: cf.assert %[[OK]], "expects a window that spans at most the padded input along spatial axis 0"
func.func @pool(%x: tensor<1x8x?xf32>) -> tensor<1x8x?xf32> {
  %y = kiln.max_pool %x kernel [3] strides [1] pads [1, 1] dilations [2] : tensor<1x8x?xf32> -> tensor<1x8x?xf32>
  return %y : tensor<1x8x?xf32>
}

// -----

// CHECK-LABEL: @shapes
//       CHECK: cf.assert %{{.+}}, "expects a shape with as many elements as 'x'"
//       CHECK: cf.assert %{{.+}}, "expects an offset >= 0 along axis 0"
//       CHECK: cf.assert %{{.+}}, "expects a slice that ends inside of 'x' along axis 0"
//       CHECK: cf.assert %{{.+}}, "expects inputs of one extent along axis 1"
//       CHECK: cf.assert %{{.+}}, "expects amounts below the extent along axis 0"
func.func @shapes(%x: tensor<?xf32>, %z: tensor<2x?xf32>, %n: index, %o: index) -> tensor<?x?xf32> {
  %r = kiln.reshape %x [2, %n] : tensor<?xf32> -> tensor<2x?xf32>
  %s = kiln.slice %x offsets [%o] sizes [2] strides [1] : tensor<?xf32> -> tensor<2xf32>
  %c = kiln.concat %r, %z axis 0 : tensor<2x?xf32>, tensor<2x?xf32> -> tensor<4x?xf32>
  %p = kiln.pad %x low [3] high [0] mode reflect : tensor<?xf32> -> tensor<?xf32>
  %w = kiln.matmul %s, %z : tensor<2xf32>, tensor<2x?xf32> -> tensor<?xf32>
  %q = kiln.add %w, %p : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %y = kiln.add %c, %q : tensor<4x?xf32>, tensor<?xf32> -> tensor<4x?xf32>
  %d = tensor.cast %y : tensor<4x?xf32> to tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

// Nothing is read of an axis without elements if the result has none.
// CHECK-LABEL: @indices
//       CHECK: cf.assert %{{.+}}, "expects elements along the indexed axis"
//       CHECK: cf.assert %{{.+}}, "expects 'k' of at most the extent along 'axis'"
func.func @indices(%x: tensor<?x4xf32>, %i: tensor<?xi64>) -> (tensor<?x4xf32>, tensor<3x4xf32>, tensor<3x4xi64>) {
  %g = kiln.gather %x, %i axis 0 : tensor<?x4xf32>, tensor<?xi64> -> tensor<?x4xf32>
  %v, %j = kiln.top_k %x k [3] axis 0 : tensor<?x4xf32> -> tensor<3x4xf32>, tensor<3x4xi64>
  return %g, %v, %j : tensor<?x4xf32>, tensor<3x4xf32>, tensor<3x4xi64>
}
