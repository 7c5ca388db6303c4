// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-npu-split-volumes))" | FileCheck %s

// The slices that a window meets are channels, behind each other within a group.
// CHECK-LABEL: @volume
// CHECK: kiln.pad %{{.*}} low [0, 1, 0, 0, 0] high [0, 0, 0, 0, 0]
// CHECK: kiln.slice %{{.*}} offsets [0, 0, 0, 0, 0] sizes [2, 3, 8, 6, 7] strides [1, 2, 1, 1, 1]
// CHECK: kiln.slice %{{.*}} offsets [0, 1, 0, 0, 0]
// CHECK: kiln.concat {{.*}} axis 3 {{.*}} -> tensor<2x3x2x8x6x7xf32>
// CHECK: kiln.conv {{.*}} pads [1, 0, 1, 0] dilations [1, 1] groups 2 : tensor<6x16x6x7xf32>, tensor<4x8x3x3xf32>, tensor<4xf32> -> tensor<6x4x6x5xf32>
// CHECK: kiln.transpose {{.*}} -> tensor<2x4x3x6x5xf32>
func.func @volume(%x: tensor<2x8x5x6x7xf32>, %w: tensor<4x4x2x3x3xf32>, %b: tensor<4xf32>) -> tensor<2x4x3x6x5xf32> {
  %0 = kiln.conv %x, %w bias %b strides [2, 1, 1] pads [1, 1, 0, 0, 1, 0] dilations [1, 1, 1] groups 2 : tensor<2x8x5x6x7xf32>, tensor<4x4x2x3x3xf32>, tensor<4xf32> -> tensor<2x4x3x6x5xf32>
  return %0 : tensor<2x4x3x6x5xf32>
}

// Means of means, in f32.
// CHECK-LABEL: @mean
// CHECK: kiln.convert {{.*}} to tensor<1x4x5x6x7xf32>
// CHECK: kiln.avg_pool {{.*}} kernel [3, 3] {{.*}} tensor<1x20x6x7xf32> -> tensor<1x20x4x5xf32>
// CHECK: kiln.avg_pool {{.*}} kernel [2, 1] {{.*}} tensor<1x4x5x20xf32> -> tensor<1x4x4x20xf32>
// CHECK: kiln.convert {{.*}} to tensor<1x4x4x4x5xf16>
func.func @mean(%x: tensor<1x4x5x6x7xf16>) -> tensor<1x4x4x4x5xf16> {
  %0 = kiln.avg_pool %x kernel [2, 3, 3] strides [1, 1, 1] pads [0, 0, 0, 0, 0, 0] dilations [1, 1, 1] : tensor<1x4x5x6x7xf16> -> tensor<1x4x4x4x5xf16>
  return %0 : tensor<1x4x4x4x5xf16>
}

// A depth that is not known stays, and so do windows over two axes.
// CHECK-LABEL: @left
// CHECK-NOT: kiln.slice
// CHECK: return
func.func @left(%x: tensor<1x4x?x6x7xf32>, %w: tensor<4x4x2x3x3xf32>, %y: tensor<1x4x6x7xf32>) -> (tensor<1x4x?x4x5xf32>, tensor<1x4x4x5xf32>) {
  %0 = kiln.conv %x, %w strides [1, 1, 1] pads [0, 0, 0, 0, 0, 0] dilations [1, 1, 1] : tensor<1x4x?x6x7xf32>, tensor<4x4x2x3x3xf32> -> tensor<1x4x?x4x5xf32>
  %1 = kiln.max_pool %y kernel [3, 3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x4x6x7xf32> -> tensor<1x4x4x5xf32>
  return %0, %1 : tensor<1x4x?x4x5xf32>, tensor<1x4x4x5xf32>
}
