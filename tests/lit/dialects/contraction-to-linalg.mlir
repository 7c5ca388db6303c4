// RUN: jit-opt %s --kiln-to-linalg --split-input-file | FileCheck %s

// Bytes of both signs: each is widened by its own sign, sums are i32, and b's transpose is an indexing map.
//   CHECK-DAG: #[[B:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: @bytes
//  CHECK-SAME: tensor<4x8xi8>, %{{.+}}: tensor<3x8xi8>
//       CHECK: linalg.fill ins(%{{.+}} : i32)
//       CHECK: linalg.generic {indexing_maps = [#{{.+}}, #[[B]], #{{.+}}], iterator_types = ["parallel", "parallel", "reduction"]}
//       CHECK: arith.extui
//       CHECK: arith.extsi
//       CHECK: arith.muli
//       CHECK: arith.addi
func.func @bytes(%a: tensor<4x8xui8>, %b: tensor<3x8xi8>) -> tensor<4x3xi32> {
  %y = kiln.matmul %a, %b transB : tensor<4x8xui8>, tensor<3x8xi8> -> tensor<4x3xi32>
  return %y : tensor<4x3xi32>
}

// -----

// A batch extent of 1 broadcasts as a constant 0; f16 adds up in f32 and is rounded once, in an op of its own.
//   CHECK-DAG: #[[A:.+]] = affine_map<(d0, d1, d2, d3) -> (0, d1, d3)>
// CHECK-LABEL: @half
//       CHECK: linalg.fill ins(%{{.+}} : f32)
//       CHECK: linalg.generic {indexing_maps = [#[[A]],
//       CHECK: arith.addf %{{.+}}, %{{.+}} : f32
//       CHECK: linalg.generic
//       CHECK: arith.truncf
func.func @half(%a: tensor<1x4x8xf16>, %b: tensor<5x8x3xf16>) -> tensor<5x4x3xf16> {
  %y = kiln.matmul %a, %b : tensor<1x4x8xf16>, tensor<5x8x3xf16> -> tensor<5x4x3xf16>
  return %y : tensor<5x4x3xf16>
}

// -----

// Two vectors give a scalar: one loop, which is a reduction.
// CHECK-LABEL: @dot
//       CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]
func.func @dot(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<f32> {
  %y = kiln.matmul %a, %b : tensor<?xf32>, tensor<?xf32> -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// A depthwise convolution has no loop over input channels; the pad stands next to it.
//   CHECK-DAG: #[[X:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 * 2 + d3)>
//   CHECK-DAG: #[[W:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, 0, d3)>
// CHECK-LABEL: @depthwise
//       CHECK: tensor.pad %{{.+}} low[0, 0, 1] high[0, 0, 1]
//       CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]],
func.func @depthwise(%x: tensor<1x8x9xf32>, %w: tensor<8x1x3xf32>) -> tensor<1x8x5xf32> {
  %y = kiln.conv %x, %w strides [2] pads [1, 1] dilations [1] groups 8 : tensor<1x8x9xf32>, tensor<8x1x3xf32> -> tensor<1x8x5xf32>
  return %y : tensor<1x8x5xf32>
}

// -----

// Groups become an axis of input, filters and result; the input is split before it is padded.
// CHECK-LABEL: @grouped
//       CHECK: tensor.expand_shape %{{.+}} {{\[\[}}0], [1, 2], [3]] output_shape [1, 2, 4, 9]
//       CHECK: tensor.pad {{.*}} low[0, 0, 0, 1]
//       CHECK: tensor.collapse_shape %{{.+}} {{\[\[}}0], [1, 2], [3]]
func.func @grouped(%x: tensor<1x8x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<1x6x9xf32> {
  %y = kiln.conv %x, %w strides [1] pads [1, 1] dilations [1] groups 2 : tensor<1x8x9xf32>, tensor<6x4x3xf32> -> tensor<1x6x9xf32>
  return %y : tensor<1x6x9xf32>
}

// -----

// max_pool pads with the lowest value; ceil_mode pads what its last window reads beyond the given pad.
// CHECK-LABEL: @max_pool
//       CHECK: arith.constant -128 : i8
//       CHECK: tensor.pad %{{.+}} low[0, 0, 0] high[0, 0, 1]
//       CHECK: arith.maxsi
func.func @max_pool(%x: tensor<1x8x8xi8>) -> tensor<1x8x4xi8> {
  %y = kiln.max_pool %x kernel [3] strides [2] pads [0, 0] dilations [1] ceil_mode : tensor<1x8x8xi8> -> tensor<1x8x4xi8>
  return %y : tensor<1x8x4xi8>
}

// -----

// Windows that overlap and are apart fold their columns first, then the rows of what those give; the last column of the
// padded input, which no window reads, is not made.
// CHECK-LABEL: @max_pool_columns_first
//       CHECK: tensor.pad %{{.+}} low[0, 0, 1, 1] high[0, 0, 0, 0]
//       CHECK: linalg.generic {{.*}} ins(%{{.+}} : tensor<1x8x17x17xf32>, tensor<3x1xf32>) outs(%{{.+}} : tensor<1x8x8x17xf32>)
//       CHECK: linalg.generic {{.*}} ins(%{{.+}} : tensor<1x8x8x17xf32>, tensor<1x3xf32>) outs(%{{.+}} : tensor<1x8x8x8xf32>)
func.func @max_pool_columns_first(%x: tensor<1x8x16x16xf32>) -> tensor<1x8x8x8xf32> {
  %y = kiln.max_pool %x kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x8x16x16xf32> -> tensor<1x8x8x8xf32>
  return %y : tensor<1x8x8x8xf32>
}

// -----

// Windows that are whole everywhere are divided by a constant, others by what they hold.
// CHECK-LABEL: @avg_pool_whole
//       CHECK: %[[N:.+]] = arith.constant 2.000000e+00 : f32
//       CHECK: arith.divf %{{.+}}, %[[N]]
func.func @avg_pool_whole(%x: tensor<1x8x8xf32>) -> tensor<1x8x4xf32> {
  %y = kiln.avg_pool %x kernel [2] strides [2] pads [0, 0] dilations [1] : tensor<1x8x8xf32> -> tensor<1x8x4xf32>
  return %y : tensor<1x8x4xf32>
}

// -----

// CHECK-LABEL: @avg_pool_ragged
//       CHECK: linalg.index 2
//       CHECK: arith.sitofp
//       CHECK: arith.divf
func.func @avg_pool_ragged(%x: tensor<1x8x8xf32>) -> tensor<1x8x5xf32> {
  %y = kiln.avg_pool %x kernel [2] strides [2] pads [1, 1] dilations [1] : tensor<1x8x8xf32> -> tensor<1x8x5xf32>
  return %y : tensor<1x8x5xf32>
}
