// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-npu-lower-kernels,canonicalize,cse)" --split-input-file | FileCheck %s
// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-npu-lower-kernels,canonicalize,cse,func.func(kiln-npu-split-l0,kiln-multi-buffer,kiln-plan-memory,kiln-insert-sync,kiln-verify-sync{each-is-needed}))" --split-input-file 2>&1 | FileCheck %s --check-prefix=SYNC

// Bands of whole rows: one transfer of channels-last pixels, the im2col matrix on the way to L0A.
// CHECK-LABEL: func.func @conv
// CHECK-SAME: npu.core = "aic"
// CHECK: npu.nd2nz {{.*}} pitch
// CHECK: npu.nd2nz
// CHECK: npu.load3d {{.*}} kernel [3, 3] strides [1, 1] dilations [1, 1]
// CHECK: npu.load2d {{.*}}l0b
// CHECK-NOT: transpose
// CHECK: npu.mmad
// CHECK: npu.fixpipe {{.*}} quant F322F16 relu
// SYNC: flags and barriers is needed
kiln.kernel @conv(%x: tensor<1x8x8x16xf16>, %w: tensor<32x144xf16>) -> tensor<1x6x6x32xf16> {
  %0 = kiln.transpose %x perm [0, 3, 1, 2] {kiln.layout} : tensor<1x8x8x16xf16> -> tensor<1x16x8x8xf16>
  %1 = kiln.reshape %w [32, 1, 3, 3, 16] {kiln.layout} : tensor<32x144xf16> -> tensor<32x1x3x3x16xf16>
  %2 = kiln.transpose %1 perm [0, 1, 4, 2, 3] {kiln.layout} : tensor<32x1x3x3x16xf16> -> tensor<32x1x16x3x3xf16>
  %3 = kiln.reshape %2 [32, 16, 3, 3] {kiln.layout} : tensor<32x1x16x3x3xf16> -> tensor<32x16x3x3xf16>
  %4 = kiln.conv %0, %3 strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x16x8x8xf16>, tensor<32x16x3x3xf16> -> tensor<1x32x6x6xf16>
  %5 = kiln.relu %4 : tensor<1x32x6x6xf16>
  %6 = kiln.transpose %5 perm [0, 2, 3, 1] {kiln.layout} : tensor<1x32x6x6xf16> -> tensor<1x6x6x32xf16>
  kiln.yield %6 : tensor<1x6x6x32xf16>
}

// -----

// Frames of one row that overlap are the rows of a plain product.
// CHECK-LABEL: func.func @frames
// CHECK: memref.reinterpret_cast %{{.+}} to offset: {{.+}}, strides: [128, 1]
// CHECK: npu.nd2nz
// CHECK-NOT: npu.load3d
// CHECK: npu.load2d
// SYNC: flags and barriers is needed
kiln.kernel @frames(%x: tensor<1x1x640x1xf32>, %w: tensor<34x256xf32>) -> tensor<1x1x4x34xf32> {
  %0 = kiln.transpose %x perm [0, 3, 1, 2] {kiln.layout} : tensor<1x1x640x1xf32> -> tensor<1x1x1x640xf32>
  %1 = kiln.reshape %w [34, 1, 256, 1] {kiln.layout} : tensor<34x256xf32> -> tensor<34x1x256x1xf32>
  %2 = kiln.transpose %1 perm [0, 3, 1, 2] {kiln.layout} : tensor<34x1x256x1xf32> -> tensor<34x1x1x256xf32>
  %3 = kiln.conv %0, %2 strides [1, 128] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x1x1x640xf32>, tensor<34x1x1x256xf32> -> tensor<1x34x1x4xf32>
  %4 = kiln.transpose %3 perm [0, 2, 3, 1] {kiln.layout} : tensor<1x34x1x4xf32> -> tensor<1x1x4x34xf32>
  kiln.yield %4 : tensor<1x1x4x34xf32>
}

// -----

// Small images: one product of the rows of several. The second begins at row 1 of a fractal, of which 49 is row 48:
// six pixels of the row above it are left out.
// CHECK-LABEL: func.func @joined_images
// CHECK: npu.load3d {{.*}} outs(%{{.+}} : memref<4x{{.*}}strided<{{.*}} first %{{.+}} from
// CHECK: npu.load3d {{.*}} outs(%{{.+}} : memref<4x
// CHECK: npu.mmad
// CHECK: npu.fixpipe
// CHECK-NOT: npu.fixpipe
// SYNC: flags and barriers is needed
kiln.kernel @joined_images(%x: tensor<16x7x7x512xf16>, %w: tensor<512x4608xf16>) -> tensor<16x7x7x512xf16> {
  %0 = kiln.transpose %x perm [0, 3, 1, 2] {kiln.layout} : tensor<16x7x7x512xf16> -> tensor<16x512x7x7xf16>
  %1 = kiln.reshape %w [512, 32, 3, 3, 16] {kiln.layout} : tensor<512x4608xf16> -> tensor<512x32x3x3x16xf16>
  %2 = kiln.transpose %1 perm [0, 1, 4, 2, 3] {kiln.layout} : tensor<512x32x3x3x16xf16> -> tensor<512x32x16x3x3xf16>
  %3 = kiln.reshape %2 [512, 512, 3, 3] {kiln.layout} : tensor<512x32x16x3x3xf16> -> tensor<512x512x3x3xf16>
  %4 = kiln.conv %0, %3 strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<16x512x7x7xf16>, tensor<512x512x3x3xf16> -> tensor<16x512x7x7xf16>
  %5 = kiln.transpose %4 perm [0, 2, 3, 1] {kiln.layout} : tensor<16x512x7x7xf16> -> tensor<16x7x7x512xf16>
  kiln.yield %5 : tensor<16x7x7x512xf16>
}

// -----

// A window of one element in steps: the columns between are not loaded.
// CHECK-LABEL: func.func @stepped_columns
// CHECK: strided<[64, 1], offset: ?>
// CHECK: npu.load3d {{.*}} kernel [1, 1] strides [2, 1]
// SYNC: flags and barriers is needed
kiln.kernel @stepped_columns(%x: tensor<2x8x8x32xf16>, %w: tensor<64x32xf16>) -> tensor<2x4x4x64xf16> {
  %0 = kiln.transpose %x perm [0, 3, 1, 2] {kiln.layout} : tensor<2x8x8x32xf16> -> tensor<2x32x8x8xf16>
  %1 = kiln.reshape %w [64, 2, 1, 1, 16] {kiln.layout} : tensor<64x32xf16> -> tensor<64x2x1x1x16xf16>
  %2 = kiln.transpose %1 perm [0, 1, 4, 2, 3] {kiln.layout} : tensor<64x2x1x1x16xf16> -> tensor<64x2x16x1x1xf16>
  %3 = kiln.reshape %2 [64, 32, 1, 1] {kiln.layout} : tensor<64x2x16x1x1xf16> -> tensor<64x32x1x1xf16>
  %4 = kiln.conv %0, %3 strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] : tensor<2x32x8x8xf16>, tensor<64x32x1x1xf16> -> tensor<2x64x4x4xf16>
  %5 = kiln.transpose %4 perm [0, 2, 3, 1] {kiln.layout} : tensor<2x64x4x4xf16> -> tensor<2x4x4x64xf16>
  kiln.yield %5 : tensor<2x4x4x64xf16>
}
