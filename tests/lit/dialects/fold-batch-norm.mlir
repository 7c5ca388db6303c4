// RUN: jit-opt %s --kiln-fold-batch-norm --split-input-file | FileCheck %s

// Positive: the convolution keeps its geometry; filters are scaled and the rest is a bias, from weights only.
// CHECK-LABEL: @folded
//  CHECK-SAME: %[[X:.+]]: tensor<1x4x9xf32>
//       CHECK: %[[ROOT:.+]] = kiln.rsqrt
//       CHECK: %[[FACTOR:.+]] = kiln.mul %{{.+}}, %[[ROOT]]
//       CHECK: %[[SHIFT:.+]] = kiln.add
//       CHECK: %[[COLUMN:.+]] = kiln.reshape %[[FACTOR]] [8, 1, 1]
//       CHECK: %[[W:.+]] = kiln.mul %{{.+}}, %[[COLUMN]]
//       CHECK: %[[Y:.+]] = kiln.conv %[[X]], %[[W]] bias %[[SHIFT]] strides [1] pads [1, 1] dilations [1] groups 2
//   CHECK-NOT: kiln.batch_norm
//       CHECK: return %[[Y]]
func.func @folded(%x: tensor<1x4x9xf32>) -> tensor<1x8x9xf32> {
  %w = kiln.weight "0000000000000000000000000000000000000000000000000000000000000000" : tensor<8x2x3xf32>
  %p = kiln.weight "1111111111111111111111111111111111111111111111111111111111111111" : tensor<8xf32>
  %c = kiln.conv %x, %w bias %p strides [1] pads [1, 1] dilations [1] groups 2
    : tensor<1x4x9xf32>, tensor<8x2x3xf32>, tensor<8xf32> -> tensor<1x8x9xf32>
  %y = kiln.batch_norm %c, %p, %p, %p, %p epsilon 1.0e-5
    : tensor<1x8x9xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return %y : tensor<1x8x9xf32>
}

// -----

// Negative: the filters are an argument, so scaling them would be work in every run.
// CHECK-LABEL: @filters_vary
//       CHECK: kiln.batch_norm
func.func @filters_vary(%x: tensor<1x4x9xf32>, %w: tensor<8x4x3xf32>) -> tensor<1x8x9xf32> {
  %p = kiln.weight "1111111111111111111111111111111111111111111111111111111111111111" : tensor<8xf32>
  %c = kiln.conv %x, %w strides [1] pads [1, 1] dilations [1] : tensor<1x4x9xf32>, tensor<8x4x3xf32> -> tensor<1x8x9xf32>
  %y = kiln.batch_norm %c, %p, %p, %p, %p epsilon 1.0e-5
    : tensor<1x8x9xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return %y : tensor<1x8x9xf32>
}

// -----

// Negative: the convolution's own result is needed too.
// CHECK-LABEL: @shared
//       CHECK: kiln.batch_norm
func.func @shared(%x: tensor<1x4x9xf32>) -> (tensor<1x8x9xf32>, tensor<1x8x9xf32>) {
  %w = kiln.weight "0000000000000000000000000000000000000000000000000000000000000000" : tensor<8x4x3xf32>
  %p = kiln.weight "1111111111111111111111111111111111111111111111111111111111111111" : tensor<8xf32>
  %c = kiln.conv %x, %w strides [1] pads [1, 1] dilations [1] : tensor<1x4x9xf32>, tensor<8x4x3xf32> -> tensor<1x8x9xf32>
  %y = kiln.batch_norm %c, %p, %p, %p, %p epsilon 1.0e-5
    : tensor<1x8x9xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return %y, %c : tensor<1x8x9xf32>, tensor<1x8x9xf32>
}

// -----

// Does not apply: scaled f16 filters would be rounded once more than the convolution's result is.
// CHECK-LABEL: @half
//       CHECK: kiln.batch_norm
func.func @half(%x: tensor<1x4x9xf16>) -> tensor<1x8x9xf16> {
  %w = kiln.weight "0000000000000000000000000000000000000000000000000000000000000000" : tensor<8x4x3xf16>
  %p = kiln.weight "1111111111111111111111111111111111111111111111111111111111111111" : tensor<8xf16>
  %c = kiln.conv %x, %w strides [1] pads [1, 1] dilations [1] : tensor<1x4x9xf16>, tensor<8x4x3xf16> -> tensor<1x8x9xf16>
  %y = kiln.batch_norm %c, %p, %p, %p, %p epsilon 1.0e-5
    : tensor<1x8x9xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf16>
  return %y : tensor<1x8x9xf16>
}
