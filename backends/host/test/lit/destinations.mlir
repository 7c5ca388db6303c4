// RUN: jit-opt %s --kiln-host-destinations --split-input-file | FileCheck %s

// Positive: buffers for arguments and results; bindings are described.
// CHECK-LABEL: func.func @k
//  CHECK-SAME: (%[[X:.+]]: memref<4xf32>, %[[N:.+]]: index, %[[OUT:.+]]: memref<4xf32>)
//  CHECK-SAME: kiln.element_types = [f32, f32], kiln.inputs = 1 : i64
//       CHECK: %[[T:.+]] = bufferization.to_tensor %[[X]] restrict
//       CHECK: bufferization.materialize_in_destination %{{.+}} in restrict writable %[[OUT]]
func.func @k(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> attributes {kiln.kernel} {
  %y = math.absf %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Positive: a reshape in front of the return views the result's buffer.
// CHECK-LABEL: func.func @reshaped
//       CHECK: memref.collapse_shape %{{.+}} {{\[}}[0, 1]] : memref<2x3xf32> into memref<6xf32>
//       CHECK: bufferization.materialize_in_destination {{.*}} (tensor<6xf32>, memref<6xf32>)
func.func @reshaped(%x: tensor<6xf32>) -> tensor<2x3xf32> attributes {kiln.kernel} {
  %y = math.absf %x : tensor<6xf32>
  %r = tensor.expand_shape %y [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// Positive: each part of a concatenation is written where it belongs.
// CHECK-LABEL: func.func @concatenated
//       CHECK: %[[A:.+]] = memref.subview %{{.+}}[0] [4] [1]
//       CHECK: bufferization.materialize_in_destination {{.*}} %[[A]]
//       CHECK: %[[B:.+]] = memref.subview %{{.+}}[4] [6] [1]
//       CHECK: bufferization.materialize_in_destination {{.*}} %[[B]]
func.func @concatenated(%a: tensor<4xf32>, %b: tensor<6xf32>) -> tensor<10xf32> attributes {kiln.kernel} {
  %e = tensor.empty() : tensor<10xf32>
  %p = tensor.insert_slice %a into %e[0] [4] [1] : tensor<4xf32> into tensor<10xf32>
  %q = tensor.insert_slice %b into %p[4] [6] [1] : tensor<6xf32> into tensor<10xf32>
  return %q : tensor<10xf32>
}

// -----

// Positive: so is a part without the axis of extent 1 that the result has.
// CHECK-LABEL: func.func @concatenated_rows
//  CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<1x10xf32>)
//       CHECK: memref.subview %[[OUT]][0, 0] [1, 4] [1, 1] : memref<1x10xf32> to memref<4xf32, strided<[1]>>
//       CHECK: memref.subview %[[OUT]][0, 4] [1, 6] [1, 1] : memref<1x10xf32> to memref<6xf32, strided<[1], offset: 4>>
//   CHECK-NOT: tensor.insert_slice
func.func @concatenated_rows(%a: tensor<4xf32>, %b: tensor<6xf32>) -> tensor<1x10xf32> attributes {kiln.kernel} {
  %e = tensor.empty() : tensor<1x10xf32>
  %p = tensor.insert_slice %a into %e[0, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<1x10xf32>
  %q = tensor.insert_slice %b into %p[0, 4] [1, 6] [1, 1] : tensor<6xf32> into tensor<1x10xf32>
  return %q : tensor<1x10xf32>
}

// -----

// Does not apply: a function that is no kernel.
// CHECK-LABEL: func.func @other
//  CHECK-SAME: (%{{.+}}: tensor<4xf32>) -> tensor<4xf32>
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
