// RUN: jit-opt %s --kiln-expand-composites --split-input-file | FileCheck %s

// Windows that do not overlap: a product of channels for each of the four phases, and their interleaving.
// CHECK-LABEL: @conv_transpose
//  CHECK-SAME: %[[X:.+]]: tensor<1x8x?x5xf32>, %[[W:.+]]: tensor<8x4x2x2xf32>, %[[B:.+]]: tensor<4xf32>
//   CHECK-DAG: kiln.broadcast %{{.+}} [4, 4] : tensor<4x1xf32> -> tensor<4x4xf32>
//   CHECK-NOT: kiln.pad
//       CHECK: %[[C:.+]] = kiln.conv %[[X]], %{{.+}} bias %{{.+}} strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1]
//  CHECK-SAME: tensor<16x8x1x1xf32>, tensor<16xf32> -> tensor<1x16x?x5xf32>
//       CHECK: kiln.transpose %{{.+}} perm [0, 1, 4, 2, 5, 3]
//       CHECK: kiln.reshape %{{.+}} [1, 4, %{{.+}}, 10]
//   CHECK-NOT: kiln.slice
func.func @conv_transpose(%x: tensor<1x8x?x5xf32>, %w: tensor<8x4x2x2xf32>, %b: tensor<4xf32>) -> tensor<1x4x?x10xf32> {
  %y = kiln.conv_transpose %x, %w bias %b strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] output_padding [0, 0]
    : tensor<1x8x?x5xf32>, tensor<8x4x2x2xf32>, tensor<4xf32> -> tensor<1x4x?x10xf32>
  return %y : tensor<1x4x?x10xf32>
}

// -----

// Windows of 3 at stride 2: two taps a phase, of which one is a zero; what the pads cut off is a slice.
// CHECK-LABEL: @overlapping
//       CHECK: kiln.pad %{{.+}} low [0, 0, 0] high [0, 0, 1] mode constant
//       CHECK: kiln.reverse
//       CHECK: kiln.conv %{{.+}}, %{{.+}} strides [1] pads [1, 0] dilations [1]
//  CHECK-SAME: tensor<8x4x2xf32> -> tensor<2x8x10xf32>
//       CHECK: kiln.slice %{{.+}} offsets [0, 0, 1] sizes [2, 4, 19] strides [1, 1, 1]
func.func @overlapping(%x: tensor<2x4x10xf32>, %w: tensor<4x4x3xf32>) -> tensor<2x4x19xf32> {
  %y = kiln.conv_transpose %x, %w strides [2] pads [1, 1] dilations [1] output_padding [0]
    : tensor<2x4x10xf32>, tensor<4x4x3xf32> -> tensor<2x4x19xf32>
  return %y : tensor<2x4x19xf32>
}

// -----

// Stride 1 keeps its dilation and moves nothing afterwards.
// CHECK-LABEL: @stride_one
//       CHECK: kiln.conv %{{.+}}, %{{.+}} strides [1] pads [3, 3] dilations [2]
//  CHECK-NEXT: return
func.func @stride_one(%x: tensor<2x4x10xf32>, %w: tensor<4x4x3xf32>) -> tensor<2x4x12xf32> {
  %y = kiln.conv_transpose %x, %w strides [1] pads [1, 1] dilations [2] output_padding [0]
    : tensor<2x4x10xf32>, tensor<4x4x3xf32> -> tensor<2x4x12xf32>
  return %y : tensor<2x4x12xf32>
}

// -----

// Other ops stay.
// CHECK-LABEL: @other
//  CHECK-NEXT: kiln.conv
//  CHECK-NEXT: return
func.func @other(%x: tensor<2x4x10xf32>, %w: tensor<4x4x3xf32>) -> tensor<2x4x8xf32> {
  %y = kiln.conv %x, %w strides [1] pads [0, 0] dilations [1] : tensor<2x4x10xf32>, tensor<4x4x3xf32> -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}
