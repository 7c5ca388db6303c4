// RUN: jit-opt %s | jit-opt | FileCheck %s
// Every op of the family prints what it parses, with the attributes that are set and no others.

// CHECK-LABEL: @matmul
func.func @matmul(%a: tensor<8x4x?xf32>, %b: tensor<16x?xf32>, %q: tensor<4x8xui8>, %r: tensor<8x3xi8>, %v: tensor<?xf32>) {
  // CHECK: kiln.matmul %{{.*}}, %{{.*}} transB : tensor<8x4x?xf32>, tensor<16x?xf32> -> tensor<8x4x16xf32>
  %0 = kiln.matmul %a, %b transB : tensor<8x4x?xf32>, tensor<16x?xf32> -> tensor<8x4x16xf32>
  // Narrow integers of both signs give i32.
  // CHECK: kiln.matmul %{{.*}}, %{{.*}} : tensor<4x8xui8>, tensor<8x3xi8> -> tensor<4x3xi32>
  %1 = kiln.matmul %q, %r : tensor<4x8xui8>, tensor<8x3xi8> -> tensor<4x3xi32>
  // A vector on the right drops the last axis; two vectors give a scalar.
  // CHECK: kiln.matmul %{{.*}}, %{{.*}} : tensor<8x4x?xf32>, tensor<?xf32> -> tensor<8x4xf32>
  %2 = kiln.matmul %a, %v : tensor<8x4x?xf32>, tensor<?xf32> -> tensor<8x4xf32>
  // CHECK: kiln.matmul %{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?xf32> -> tensor<f32>
  %3 = kiln.matmul %v, %v : tensor<?xf32>, tensor<?xf32> -> tensor<f32>
  return
}

// CHECK-LABEL: @conv
func.func @conv(%x: tensor<1x4x9x?xf16>, %w: tensor<6x2x3x3xf16>, %b: tensor<6xf16>) {
  // CHECK: kiln.conv %{{.*}}, %{{.*}} bias %{{.*}} strides [2, 1] pads [1, 1, 1, 1] dilations [1, 2] groups 2
  // CHECK-SAME: -> tensor<1x6x5x?xf16>
  %0 = kiln.conv %x, %w bias %b strides [2, 1] pads [1, 1, 1, 1] dilations [1, 2] groups 2
    : tensor<1x4x9x?xf16>, tensor<6x2x3x3xf16>, tensor<6xf16> -> tensor<1x6x5x?xf16>
  return
}

// CHECK-LABEL: @conv_transpose
func.func @conv_transpose(%x: tensor<1x4x?x9xf32>, %w: tensor<4x3x3x2xf32>, %b: tensor<6xf32>) {
  // CHECK: kiln.conv_transpose %{{.*}}, %{{.*}} bias %{{.*}} strides [2, 3] pads [1, 0, 1, 2] dilations [1, 2] output_padding [1, 0] groups 2
  // CHECK-SAME: -> tensor<1x6x?x25xf32>
  %0 = kiln.conv_transpose %x, %w bias %b strides [2, 3] pads [1, 0, 1, 2] dilations [1, 2] output_padding [1, 0] groups 2
    : tensor<1x4x?x9xf32>, tensor<4x3x3x2xf32>, tensor<6xf32> -> tensor<1x6x?x25xf32>
  // CHECK: kiln.conv_transpose {{.*}} output_padding [0, 0] : tensor<1x4x?x9xf32>, tensor<4x3x3x2xf32> -> tensor<1x3x?x10xf32>
  %1 = kiln.conv_transpose %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] output_padding [0, 0]
    : tensor<1x4x?x9xf32>, tensor<4x3x3x2xf32> -> tensor<1x3x?x10xf32>
  return
}

// CHECK-LABEL: @pools
func.func @pools(%x: tensor<1x4x8x8xf32>) {
  // ceil_mode adds the window that starts inside the input: 4 instead of 3.
  // CHECK: kiln.max_pool %{{.*}} kernel [3, 3] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] ceil_mode
  // CHECK-SAME: -> tensor<1x4x4x4xf32>
  %0 = kiln.max_pool %x kernel [3, 3] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] ceil_mode
    : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  // CHECK: kiln.avg_pool {{.*}} dilations [1, 1] count_include_pad : tensor<1x4x8x8xf32> -> tensor<1x4x5x5xf32>
  %1 = kiln.avg_pool %x kernel [2, 2] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] count_include_pad
    : tensor<1x4x8x8xf32> -> tensor<1x4x5x5xf32>
  return
}
