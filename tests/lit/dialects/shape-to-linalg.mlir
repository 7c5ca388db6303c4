// RUN: jit-opt %s --kiln-to-linalg --split-input-file | FileCheck %s

// A reshape that merges or splits axes is one op; any other goes through one axis.
// CHECK-LABEL: @reshape
//  CHECK-SAME: %[[X:.+]]: tensor<2x3x4xf32>, %[[N:.+]]: index
//       CHECK: tensor.collapse_shape %[[X]] {{\[}}[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
//       CHECK: tensor.expand_shape %[[X]] {{\[}}[0], [1], [2, 3]] output_shape [2, 3, 1, 4]
//       CHECK: %[[L:.+]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1, 2]] : tensor<2x3x4xf32> into tensor<24xf32>
//       CHECK: tensor.expand_shape %[[L]] {{\[}}[0, 1, 2]] output_shape [4, 3, 2] : tensor<24xf32> into tensor<4x3x2xf32>
func.func @reshape(%x: tensor<2x3x4xf32>, %n: index) -> (tensor<6x4xf32>, tensor<2x3x1x4xf32>, tensor<4x3x2xf32>) {
  %0 = kiln.reshape %x [6, 4] : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %1 = kiln.reshape %x [2, 3, 1, 4] : tensor<2x3x4xf32> -> tensor<2x3x1x4xf32>
  %2 = kiln.reshape %x [4, 3, 2] : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
  return %0, %1, %2 : tensor<6x4xf32>, tensor<2x3x1x4xf32>, tensor<4x3x2xf32>
}

// -----

// Several dynamic extents: the sizes say which.
// CHECK-LABEL: @reshape_dynamic
//  CHECK-SAME: %[[X:.+]]: tensor<?x?xf32>, %[[N:.+]]: index, %[[M:.+]]: index
//       CHECK: %[[L:.+]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
//       CHECK: tensor.expand_shape %[[L]] {{\[}}[0, 1]] output_shape [%[[N]], %[[M]]] : tensor<?xf32> into tensor<?x?xf32>
func.func @reshape_dynamic(%x: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %0 = kiln.reshape %x [%n, %m] : tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Where one side knows more, a cast says so.
// CHECK-LABEL: @reshape_to_static
//       CHECK: %[[L:.+]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1]] : tensor<?x8xf32> into tensor<?xf32>
//       CHECK: %[[C:.+]] = tensor.cast %[[L]] : tensor<?xf32> to tensor<64xf32>
//       CHECK: tensor.expand_shape %[[C]] {{\[}}[0, 1, 2]] output_shape [2, 4, 8] : tensor<64xf32> into tensor<2x4x8xf32>
func.func @reshape_to_static(%x: tensor<?x8xf32>) -> tensor<2x4x8xf32> {
  %0 = kiln.reshape %x [2, 4, 8] : tensor<?x8xf32> -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// -----

// From and to one element without axes.
// CHECK-LABEL: @reshape_scalar
//       CHECK: tensor.collapse_shape %{{.*}} [] : tensor<1x1xf32> into tensor<f32>
//       CHECK: tensor.expand_shape %{{.*}} [] output_shape [1] : tensor<f32> into tensor<1xf32>
func.func @reshape_scalar(%x: tensor<1x1xf32>) -> (tensor<f32>, tensor<1xf32>) {
  %0 = kiln.reshape %x [] : tensor<1x1xf32> -> tensor<f32>
  %1 = kiln.reshape %0 [1] : tensor<f32> -> tensor<1xf32>
  return %0, %1 : tensor<f32>, tensor<1xf32>
}

// -----

// Axis i of the result is axis perm[i] of x: with perm [2, 0, 1], result[i, j, k] = x[j, k, i].
// CHECK-DAG: #[[X_:.+]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
// CHECK-DAG: #[[ID:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: @transpose
//       CHECK: linalg.generic {indexing_maps = [#[[X_]], #[[ID]]]
func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = kiln.transpose %x perm [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// -----

// CHECK-DAG: #[[X_:.+]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-LABEL: @broadcast
//       CHECK: tensor.collapse_shape %{{.*}} : tensor<1x8xf32> into tensor<8xf32>
//       CHECK: linalg.generic {indexing_maps = [#[[X_]],
func.func @broadcast(%x: tensor<1x8xf32>, %n: index) -> tensor<4x?x8xf32> {
  %0 = kiln.broadcast %x [4, %n, 8] : tensor<1x8xf32> -> tensor<4x?x8xf32>
  return %0 : tensor<4x?x8xf32>
}

// -----

// CHECK-LABEL: @slice
//  CHECK-SAME: %[[X:.+]]: tensor<8x?xi8>, %[[O:.+]]: index
//       CHECK: tensor.extract_slice %[[X]][1, %[[O]]] [4, 2] [2, 1] : tensor<8x?xi8> to tensor<4x2xi8>
func.func @slice(%x: tensor<8x?xui8>, %o: index) -> tensor<4x2xui8> {
  %0 = kiln.slice %x offsets [1, %o] sizes [4, 2] strides [2, 1] : tensor<8x?xui8> -> tensor<4x2xui8>
  return %0 : tensor<4x2xui8>
}

// -----

// One input knows an extent that the other leaves open.
// CHECK-LABEL: @concat_extent_known_to_one
//       CHECK: %[[B:.+]] = tensor.cast %{{.*}} : tensor<1x?xf32> to tensor<1x3xf32>
//       CHECK: tensor.insert_slice %[[B]] into %{{.*}}[1, 0] [1, 3] [1, 1]
func.func @concat_extent_known_to_one(%a: tensor<1x3xf32>, %b: tensor<1x?xf32>) -> tensor<2x3xf32> {
  %0 = kiln.concat %a, %b axis 0 : tensor<1x3xf32>, tensor<1x?xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Each input goes after the extents before it.
// CHECK-LABEL: @concat
//  CHECK-SAME: %[[A:.+]]: tensor<4x2xf32>, %[[B:.+]]: tensor<4x?xf32>
//       CHECK: %[[N:.+]] = tensor.dim %[[B]]
//       CHECK: %[[S:.+]] = arith.addi %c2{{.*}}, %[[N]]
//       CHECK: %[[E:.+]] = tensor.empty(%{{.*}}) : tensor<4x?xf32>
//       CHECK: %[[I:.+]] = tensor.insert_slice %[[A]] into %[[E]][0, 0] [4, 2] [1, 1]
//       CHECK: %[[J:.+]] = tensor.insert_slice %[[B]] into %[[I]][0, 2] [4, %{{.*}}] [1, 1]
//       CHECK: tensor.insert_slice %[[A]] into %[[J]][0, %[[S]]] [4, 2] [1, 1]
func.func @concat(%a: tensor<4x2xf32>, %b: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %0 = kiln.concat %a, %b, %a axis 1 : tensor<4x2xf32>, tensor<4x?xf32>, tensor<4x2xf32> -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

// CHECK-LABEL: @pad_constant
//       CHECK: %[[V:.+]] = tensor.extract %{{.*}}[] : tensor<f32>
//       CHECK: tensor.pad %{{.*}} low[0, 1] high[2, %{{.*}}]
//       CHECK: tensor.yield %[[V]] : f32
func.func @pad_constant(%x: tensor<4x8xf32>, %v: tensor<f32>, %n: index) -> tensor<6x?xf32> {
  %0 = kiln.pad %x low [0, 1] high [2, %n] mode constant value %v : tensor<4x8xf32>, tensor<f32> -> tensor<6x?xf32>
  return %0 : tensor<6x?xf32>
}

// -----

// The other modes pick elements by index, in front of the rows of x and behind them.
// CHECK-LABEL: @pad_edge
//       CHECK: linalg.generic
//       CHECK: %[[I:.+]] = arith.subi
//       CHECK: %[[L:.+]] = arith.maxsi %[[I]]
//       CHECK: %[[S:.+]] = arith.minsi %[[L]]
//       CHECK: tensor.extract %{{.*}}[%[[S]]]
//       CHECK: tensor.insert_slice {{.*}}[0] [1] [1]
//       CHECK: linalg.generic
//       CHECK: %[[OWN:.+]] = linalg.index 0
//       CHECK: tensor.extract %{{.*}}[%[[OWN]]]
//       CHECK: tensor.insert_slice {{.*}}[1] [4] [1]
//       CHECK: tensor.insert_slice {{.*}}[5] [2] [1]
func.func @pad_edge(%x: tensor<4xf32>) -> tensor<7xf32> {
  %0 = kiln.pad %x low [1] high [2] mode edge : tensor<4xf32> -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

// CHECK-LABEL: @reverse
//       CHECK: linalg.generic
//       CHECK: %[[I:.+]] = linalg.index 0
//       CHECK: %[[J:.+]] = linalg.index 1
//       CHECK: %[[R:.+]] = arith.subi %{{.*}}, %[[J]]
//       CHECK: tensor.extract %{{.*}}[%[[I]], %[[R]]]
func.func @reverse(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = kiln.reverse %x axes [-1] : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @iota
//       CHECK: %[[I:.+]] = linalg.index 1
//       CHECK: arith.index_cast %[[I]] : index to i8
//       CHECK: arith.sitofp %{{.*}} : i64 to f32
//       CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @iota(%n: index) -> (tensor<4x?xui8>, tensor<?xf16>) {
  %0 = kiln.iota axis 1 [4, %n] : tensor<4x?xui8>
  %1 = kiln.iota axis 0 [%n] : tensor<?xf16>
  return %0, %1 : tensor<4x?xui8>, tensor<?xf16>
}

// -----

// CHECK-LABEL: @from_elements
//  CHECK-SAME: (%[[N:.+]]: index, %[[M:.+]]: index)
//       CHECK: linalg.generic
//       CHECK:   %[[I:.+]] = linalg.index 0
//       CHECK:   %[[FIRST:.+]] = arith.cmpi eq, %[[I]], %{{.*}}
//       CHECK:   %[[E:.+]] = arith.select %[[FIRST]], %[[N]], %[[M]]
//       CHECK:   arith.index_cast %[[E]] : index to i32
//       CHECK: linalg.generic
//       CHECK:   arith.cmpi ne, %[[N]], %{{.*}}
func.func @from_elements(%n: index, %m: index) -> (tensor<2xi32>, tensor<i1>) {
  %0 = kiln.from_elements [%n, %m] : tensor<2xi32>
  %1 = kiln.from_elements [%n] scalar : tensor<i1>
  return %0, %1 : tensor<2xi32>, tensor<i1>
}
