// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-npu-exact-products))" | FileCheck %s

// Unsigned bytes less a zero point, by bytes: 255 * 128 * 64 is below 2^24.
// CHECK-LABEL: @zero_point
// CHECK: %[[A:.+]] = kiln.convert {{.*}} tensor<4x64xi16> to tensor<4x64xf32>
// CHECK: %[[B:.+]] = kiln.convert {{.*}} tensor<64x8xi16> to tensor<64x8xf32>
// CHECK: %[[Y:.+]] = kiln.matmul %[[A]], %[[B]]
// CHECK: kiln.convert %[[Y]] : tensor<4x8xf32> to tensor<4x8xi32>
func.func @zero_point(%x: tensor<4x64xui8>, %z: tensor<ui8>, %w: tensor<64x8xi8>) -> tensor<4x8xi32> {
  %0 = kiln.convert %x : tensor<4x64xui8> to tensor<4x64xi16>
  %1 = kiln.convert %z : tensor<ui8> to tensor<i16>
  %2 = kiln.sub %0, %1 : tensor<4x64xi16>, tensor<i16> -> tensor<4x64xi16>
  %3 = kiln.convert %w : tensor<64x8xi8> to tensor<64x8xi16>
  %4 = kiln.matmul %2, %3 : tensor<4x64xi16>, tensor<64x8xi16> -> tensor<4x8xi32>
  return %4 : tensor<4x8xi32>
}

// A depth of 700 is two pieces of 512 and 188.
// CHECK-LABEL: @deep
// CHECK: kiln.slice {{.*}} offsets [0, 0] sizes [4, 512]
// CHECK: kiln.slice {{.*}} offsets [0, 0] sizes [8, 512]
// CHECK: kiln.matmul {{.*}} transB
// CHECK: kiln.slice {{.*}} offsets [0, 512] sizes [4, 188]
// CHECK: kiln.slice {{.*}} offsets [0, 512] sizes [8, 188]
// CHECK: kiln.matmul {{.*}} transB
// CHECK: kiln.add {{.*}} tensor<4x8xi32>
func.func @deep(%x: tensor<4x700xui8>, %w: tensor<8x700xi8>) -> tensor<4x8xi32> {
  %0 = kiln.convert %x : tensor<4x700xui8> to tensor<4x700xi16>
  %1 = kiln.convert %w : tensor<8x700xi8> to tensor<8x700xi16>
  %2 = kiln.matmul %0, %1 transB : tensor<4x700xi16>, tensor<8x700xi16> -> tensor<4x8xi32>
  return %2 : tensor<4x8xi32>
}

// What a clamp of rounded floats bounds is as good as a type.
// CHECK-LABEL: @clamped
// CHECK: kiln.matmul {{.*}} tensor<4x64xf32>
func.func @clamped(%x: tensor<4x64xf32>, %w: tensor<64x8xi8>) -> tensor<4x8xi32> {
  %l = kiln.constant dense<-255.0> : tensor<f32>
  %h = kiln.constant dense<255.0> : tensor<f32>
  %0 = kiln.round %x : tensor<4x64xf32>
  %1 = kiln.max %0, %l : tensor<4x64xf32>, tensor<f32> -> tensor<4x64xf32>
  %2 = kiln.min %1, %h : tensor<4x64xf32>, tensor<f32> -> tensor<4x64xf32>
  %3 = kiln.convert %2 : tensor<4x64xf32> to tensor<4x64xi16>
  %4 = kiln.convert %w : tensor<64x8xi8> to tensor<64x8xi16>
  %5 = kiln.matmul %3, %4 : tensor<4x64xi16>, tensor<64x8xi16> -> tensor<4x8xi32>
  return %5 : tensor<4x8xi32>
}

// A window of 64 x 9 products of bytes is three pieces of 28 channels or fewer; the bias is added as an integer.
// CHECK-LABEL: @window
// CHECK: kiln.slice {{.*}} sizes [1, 28, 8, 8]
// CHECK: kiln.conv {{.*}} tensor<1x28x8x8xf32>, tensor<4x28x3x3xf32> -> tensor<1x4x6x6xf32>
// CHECK: kiln.conv
// CHECK: kiln.conv {{.*}} tensor<1x8x8x8xf32>
// CHECK: kiln.add {{.*}} tensor<1x4x6x6xi32>
// CHECK: %[[B:.+]] = kiln.reshape %{{.*}} [4, 1, 1]
// CHECK: kiln.add %{{.*}}, %[[B]]
func.func @window(%x: tensor<1x64x8x8xui8>, %w: tensor<4x64x3x3xui8>, %b: tensor<4xi32>) -> tensor<1x4x6x6xi32> {
  %0 = kiln.conv %x, %w bias %b strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x64x8x8xui8>, tensor<4x64x3x3xui8>, tensor<4xi32> -> tensor<1x4x6x6xi32>
  return %0 : tensor<1x4x6x6xi32>
}

// Groups whose windows fit stay groups.
// CHECK-LABEL: @grouped
// CHECK: kiln.conv {{.*}} groups 4 : tensor<1x8x9xf32>, tensor<4x2x3xf32> -> tensor<1x4x7xf32>
func.func @grouped(%x: tensor<1x8x9xui8>, %w: tensor<4x2x3xi8>) -> tensor<1x4x7xi32> {
  %0 = kiln.conv %x, %w strides [1] pads [0, 0] dilations [1] groups 4 : tensor<1x8x9xui8>, tensor<4x2x3xi8> -> tensor<1x4x7xi32>
  return %0 : tensor<1x4x7xi32>
}

// Nothing bounds these; signed bytes are the cube's own; and the sum of two i16 may wrap.
// CHECK-LABEL: @left
// CHECK-NOT: f32
// CHECK: return
func.func @left(%x: tensor<4x64xi16>, %w: tensor<64x8xi16>, %a: tensor<4x64xi8>, %b: tensor<64x8xi8>) -> (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) {
  %0 = kiln.matmul %x, %w : tensor<4x64xi16>, tensor<64x8xi16> -> tensor<4x8xi32>
  %1 = kiln.matmul %a, %b : tensor<4x64xi8>, tensor<64x8xi8> -> tensor<4x8xi32>
  %2 = kiln.add %x, %x : tensor<4x64xi16>, tensor<4x64xi16> -> tensor<4x64xi16>
  %3 = kiln.matmul %2, %w : tensor<4x64xi16>, tensor<64x8xi16> -> tensor<4x8xi32>
  return %0, %1, %3 : tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>
}
