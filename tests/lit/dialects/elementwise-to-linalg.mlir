// RUN: jit-opt %s --kiln-to-linalg --split-input-file | FileCheck %s

// One generic an op; f16 is computed in f32 and rounded once.
// CHECK-DAG: #[[ID:.+]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: @sigmoid_f16
//  CHECK-SAME: %[[X:.+]]: tensor<4xf16>
//       CHECK: %[[E:.+]] = tensor.empty() : tensor<4xf16>
//       CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ID]]], iterator_types = ["parallel"]} ins(%[[X]] {{.*}} outs(%[[E]]
//       CHECK: %[[W:.+]] = arith.extf %{{.*}} : f16 to f32
//       CHECK: arith.negf %[[W]] : f32
//       CHECK: math.exp
//       CHECK: arith.addf
//       CHECK: %[[Q:.+]] = arith.divf
//       CHECK: %[[N:.+]] = arith.truncf %[[Q]] : f32 to f16
//       CHECK: linalg.yield %[[N]] : f16
func.func @sigmoid_f16(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = kiln.sigmoid %x : tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// Axes along which an operand is repeated are dropped before the loop: every map is a projected permutation.
// CHECK-DAG: #[[Z:.+]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-DAG: #[[ID:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: @broadcast
//  CHECK-SAME: %[[X:.+]]: tensor<?x4x8xf32>, %[[Z_:.+]]: tensor<4x1xf32>
//       CHECK: %[[N:.+]] = tensor.dim %[[X]]
//       CHECK: %[[C:.+]] = tensor.collapse_shape %[[Z_]] {{\[}}[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
//       CHECK: %[[E:.+]] = tensor.empty(%[[N]]) : tensor<?x4x8xf32>
//       CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[Z]], #[[ID]]]
//  CHECK-SAME: ins(%[[X]], %[[C]] : tensor<?x4x8xf32>, tensor<4xf32>) outs(%[[E]]
func.func @broadcast(%x: tensor<?x4x8xf32>, %z: tensor<4x1xf32>) -> tensor<?x4x8xf32> {
  %0 = kiln.mul %x, %z : tensor<?x4x8xf32>, tensor<4x1xf32> -> tensor<?x4x8xf32>
  return %0 : tensor<?x4x8xf32>
}

// -----

// An axis of extent 1 that stays one is not dropped.
// CHECK-LABEL: @unit_axis_stays
//   CHECK-NOT: collapse_shape
//       CHECK: linalg.generic
func.func @unit_axis_stays(%a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = kiln.add %a, %b : tensor<1x4xf32>, tensor<1x4xf32> -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// -----

// Dynamic extents that meet are taken to be equal; a static one that meets them is the result's.
// CHECK-LABEL: @dynamic_extents
//  CHECK-SAME: %[[A:.+]]: tensor<?x?xf32>, %[[B:.+]]: tensor<?x7xf32>
//       CHECK: %[[N:.+]] = tensor.dim %[[A]], %c0
//       CHECK: tensor.empty(%[[N]]) : tensor<?x7xf32>
func.func @dynamic_extents(%a: tensor<?x?xf32>, %b: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %0 = kiln.add %a, %b : tensor<?x?xf32>, tensor<?x7xf32> -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}

// -----

// A splat constant becomes a scalar in the body, not an input.
// CHECK-LABEL: @splat
//       CHECK: linalg.generic {{.*}} ins(%{{[a-z0-9]+}} : tensor<4xf32>)
//       CHECK: %[[C:.+]] = arith.constant 2.000000e+00 : f32
//       CHECK: arith.mulf %{{.*}}, %[[C]]
func.func @splat(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = kiln.constant dense<2.0> : tensor<4xf32>
  %0 = kiln.mul %x, %c : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Signedness is in the ops, no longer in the types.
// CHECK-LABEL: @unsigned
//  CHECK-SAME: (%{{.*}}: tensor<4xi8>, %{{.*}}: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi1>, tensor<4xf32>)
//       CHECK: arith.divui
//       CHECK: arith.cmpi ult
//       CHECK: arith.uitofp
func.func @unsigned(%a: tensor<4xui8>, %b: tensor<4xui8>) -> (tensor<4xui8>, tensor<4xi1>, tensor<4xf32>) {
  %0 = kiln.div %a, %b : tensor<4xui8>, tensor<4xui8> -> tensor<4xui8>
  %1 = kiln.compare lt %a, %b : tensor<4xui8>, tensor<4xui8> -> tensor<4xi1>
  %2 = kiln.convert %a : tensor<4xui8> to tensor<4xf32>
  return %0, %1, %2 : tensor<4xui8>, tensor<4xi1>, tensor<4xf32>
}

// -----

// fp8 is bits and integer arithmetic: no op that a backend would have to know.
// CHECK-LABEL: @fp8
//   CHECK-NOT: arith.{{extf|truncf}} {{.*}} f8
//       CHECK: arith.bitcast %{{.*}} : f8E4M3FN to i8
//       CHECK: arith.bitcast %{{.*}} : i8 to f8E5M2
//   CHECK-NOT: arith.{{extf|truncf}} {{.*}} f8
//       CHECK: return
func.func @fp8(%x: tensor<4xf8E4M3FN>) -> tensor<4xf8E5M2> {
  %0 = kiln.convert %x : tensor<4xf8E4M3FN> to tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}
