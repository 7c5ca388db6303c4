// RUN: jit-opt %s --split-input-file --verify-diagnostics

func.func @matmul_c1_element_types(%a: tensor<2x3xf32>, %b: tensor<3x4xf16>) {
  // expected-error@+1 {{expects 'a' and 'b' of one element type or of 8-bit integers, got 'f32' and 'f16'}}
  %0 = kiln.matmul %a, %b : tensor<2x3xf32>, tensor<3x4xf16> -> tensor<2x4xf32>
  return
}

// -----

func.func @matmul_c2_scalar(%a: tensor<f32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{expects 'a' of rank 1 or more, got rank 0}}
  %0 = kiln.matmul %a, %b : tensor<f32>, tensor<3x4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @matmul_c2_transposed_vector(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{expects 'b' of rank 2 or more, got rank 1}}
  %0 = kiln.matmul %a, %b transB : tensor<2x3xf32>, tensor<3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @matmul_c3_contracted_extents(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{expects equal contracted extents, got 3 and 4}}
  %0 = kiln.matmul %a, %b transB : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul_c4_batch(%a: tensor<5x2x3xf32>, %b: tensor<6x3x4xf32>) {
  // expected-error@+1 {{expects batch extents that broadcast, got 'tensor<5x2x3xf32>' and 'tensor<6x3x4xf32>'}}
  %0 = kiln.matmul %a, %b : tensor<5x2x3xf32>, tensor<6x3x4xf32> -> tensor<5x2x4xf32>
  return
}

// -----

func.func @conv_c1_rank(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{expects 'x' of rank 3 or more and 'w' of the same rank}}
  %0 = kiln.conv %x, %w strides [1] pads [0, 0] dilations [1] : tensor<1x3x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6xf32>
  return
}

// -----

func.func @conv_c2_element_types(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf64>) {
  // expected-error@+1 {{expects 'x' and 'w' of one element type or of 8-bit integers, got 'f32' and 'f64'}}
  %0 = kiln.conv %x, %w strides [1] pads [0, 0] dilations [1] : tensor<1x3x8xf32>, tensor<4x3x3xf64> -> tensor<1x4x6xf32>
  return
}

// -----

func.func @conv_c2_bias_type(%x: tensor<1x3x8xi8>, %w: tensor<4x3x3xi8>, %b: tensor<4xi8>) {
  // expected-error@+1 {{expects 'bias' of element type 'i32', got 'tensor<4xi8>'}}
  %0 = kiln.conv %x, %w bias %b strides [1] pads [0, 0] dilations [1] : tensor<1x3x8xi8>, tensor<4x3x3xi8>, tensor<4xi8> -> tensor<1x4x6xi32>
  return
}

// -----

func.func @conv_c3_pads_length(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error@+1 {{expects 'pads' of length 2, got 1}}
  %0 = kiln.conv %x, %w strides [1] pads [0] dilations [1] : tensor<1x3x8xf32>, tensor<4x3x3xf32> -> tensor<1x4x6xf32>
  return
}

// -----

func.func @conv_c3_stride_zero(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error@+1 {{expects every entry of 'strides' to be >= 1, got 0}}
  %0 = kiln.conv %x, %w strides [0] pads [0, 0] dilations [1] : tensor<1x3x8xf32>, tensor<4x3x3xf32> -> tensor<1x4x6xf32>
  return
}

// -----

func.func @conv_c4_groups_zero(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error@+1 {{expects 'groups' >= 1, got 0}}
  %0 = kiln.conv %x, %w strides [1] pads [0, 0] dilations [1] groups 0 : tensor<1x3x8xf32>, tensor<4x3x3xf32> -> tensor<1x4x6xf32>
  return
}

// -----

func.func @conv_c4_groups_divide(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error@+1 {{expects 'groups' to divide the channels, got 2 groups, 3 input and 4 output channels}}
  %0 = kiln.conv %x, %w strides [1] pads [0, 0] dilations [1] groups 2 : tensor<1x3x8xf32>, tensor<4x3x3xf32> -> tensor<1x4x6xf32>
  return
}

// -----

func.func @conv_c4_filter_channels(%x: tensor<1x4x8xf32>, %w: tensor<4x4x3xf32>) {
  // expected-error@+1 {{expects the second extent of 'w' to be 2, got 4}}
  %0 = kiln.conv %x, %w strides [1] pads [0, 0] dilations [1] groups 2 : tensor<1x4x8xf32>, tensor<4x4x3xf32> -> tensor<1x4x6xf32>
  return
}

// -----

func.func @conv_c4_bias_shape(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{expects 'bias' of shape [4], got 'tensor<3xf32>'}}
  %0 = kiln.conv %x, %w bias %b strides [1] pads [0, 0] dilations [1] : tensor<1x3x8xf32>, tensor<4x3x3xf32>, tensor<3xf32> -> tensor<1x4x6xf32>
  return
}

// -----

func.func @conv_c5_window(%x: tensor<1x3x4xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error@+1 {{expects the window to fit: spatial axis 0 has 4 padded elements, the window spans 5}}
  %0 = kiln.conv %x, %w strides [1] pads [0, 0] dilations [2] : tensor<1x3x4xf32>, tensor<4x3x3xf32> -> tensor<1x4x1xf32>
  return
}

// -----

func.func @max_pool_c1_rank(%x: tensor<3x8xf32>) {
  // expected-error@+1 {{expects 'x' of rank 3 or more, got 'tensor<3x8xf32>'}}
  %0 = kiln.max_pool %x kernel [] strides [] pads [] dilations [] : tensor<3x8xf32> -> tensor<3x8xf32>
  return
}

// -----

func.func @max_pool_c2_kernel(%x: tensor<1x3x8xf32>) {
  // expected-error@+1 {{expects 'kernel' of length 1, got 2}}
  %0 = kiln.max_pool %x kernel [2, 2] strides [1] pads [0, 0] dilations [1] : tensor<1x3x8xf32> -> tensor<1x3x7xf32>
  return
}

// -----

func.func @max_pool_c3_window(%x: tensor<1x3x2xf32>) {
  // expected-error@+1 {{expects the window to fit: spatial axis 0 has 2 padded elements, the window spans 3}}
  %0 = kiln.max_pool %x kernel [3] strides [1] pads [0, 0] dilations [1] : tensor<1x3x2xf32> -> tensor<1x3x1xf32>
  return
}

// -----

func.func @avg_pool_c1_rank(%x: tensor<3x8xf32>) {
  // expected-error@+1 {{expects 'x' of rank 3 or more, got 'tensor<3x8xf32>'}}
  %0 = kiln.avg_pool %x kernel [] strides [] pads [] dilations [] : tensor<3x8xf32> -> tensor<3x8xf32>
  return
}

// -----

func.func @avg_pool_c2_negative_pad(%x: tensor<1x3x8xf32>) {
  // expected-error@+1 {{expects every entry of 'pads' to be >= 0, got -1}}
  %0 = kiln.avg_pool %x kernel [2] strides [1] pads [0, -1] dilations [1] : tensor<1x3x8xf32> -> tensor<1x3x7xf32>
  return
}

// -----

func.func @avg_pool_c3_window(%x: tensor<1x3x2xf32>) {
  // expected-error@+1 {{expects the window to fit: spatial axis 0 has 2 padded elements, the window spans 3}}
  %0 = kiln.avg_pool %x kernel [3] strides [1] pads [0, 0] dilations [1] : tensor<1x3x2xf32> -> tensor<1x3x1xf32>
  return
}

// -----

// A declared result that inference contradicts is reported against what was inferred.
func.func @conv_result_type(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error@+2 {{has result type 'tensor<1x4x7xf32>'; expected 'tensor<1x4x6xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = kiln.conv %x, %w strides [1] pads [0, 0] dilations [1] : tensor<1x3x8xf32>, tensor<4x3x3xf32> -> tensor<1x4x7xf32>
  return
}

// -----

func.func @conv_transpose_c1_rank(%x: tensor<1x3x8xf32>, %w: tensor<3x4x3x3xf32>) {
  // expected-error@+1 {{expects 'x' of rank 3 or more and 'w' of the same rank}}
  %0 = kiln.conv_transpose %x, %w strides [1] pads [0, 0] dilations [1] output_padding [0] : tensor<1x3x8xf32>, tensor<3x4x3x3xf32> -> tensor<1x4x10xf32>
  return
}

// -----

func.func @conv_transpose_c1_dynamic_window(%x: tensor<1x3x8xf32>, %w: tensor<3x4x?xf32>) {
  // expected-error@+1 {{expects a window of known extents, got 'tensor<3x4x?xf32>'}}
  %0 = kiln.conv_transpose %x, %w strides [1] pads [0, 0] dilations [1] output_padding [0] : tensor<1x3x8xf32>, tensor<3x4x?xf32> -> tensor<1x4x?xf32>
  return
}

// -----

func.func @conv_transpose_c2_element_types(%x: tensor<1x3x8xf32>, %w: tensor<3x4x3xf64>) {
  // expected-error@+1 {{expects 'x' and 'w' of one element type or of 8-bit integers, got 'f32' and 'f64'}}
  %0 = kiln.conv_transpose %x, %w strides [1] pads [0, 0] dilations [1] output_padding [0] : tensor<1x3x8xf32>, tensor<3x4x3xf64> -> tensor<1x4x10xf32>
  return
}

// -----

func.func @conv_transpose_c2_bias_type(%x: tensor<1x3x8xf32>, %w: tensor<3x4x3xf32>, %b: tensor<4xf16>) {
  // expected-error@+1 {{expects 'bias' of element type 'f32', got 'tensor<4xf16>'}}
  %0 = kiln.conv_transpose %x, %w bias %b strides [1] pads [0, 0] dilations [1] output_padding [0] : tensor<1x3x8xf32>, tensor<3x4x3xf32>, tensor<4xf16> -> tensor<1x4x10xf32>
  return
}

// -----

func.func @conv_transpose_c3_strides(%x: tensor<1x3x8xf32>, %w: tensor<3x4x3xf32>) {
  // expected-error@+1 {{expects every entry of 'strides' to be >= 1, got 0}}
  %0 = kiln.conv_transpose %x, %w strides [0] pads [0, 0] dilations [1] output_padding [0] : tensor<1x3x8xf32>, tensor<3x4x3xf32> -> tensor<1x4x10xf32>
  return
}

// -----

func.func @conv_transpose_c3_output_padding(%x: tensor<1x3x8xf32>, %w: tensor<3x4x3xf32>) {
  // expected-error@+1 {{expects 'output_padding' with 1 entries, got 2}}
  %0 = kiln.conv_transpose %x, %w strides [1] pads [0, 0] dilations [1] output_padding [0, 0] : tensor<1x3x8xf32>, tensor<3x4x3xf32> -> tensor<1x4x10xf32>
  return
}

// -----

func.func @conv_transpose_c3_negative_output_padding(%x: tensor<1x3x8xf32>, %w: tensor<3x4x3xf32>) {
  // expected-error@+1 {{expects 'output_padding' >= 0, got -1}}
  %0 = kiln.conv_transpose %x, %w strides [1] pads [0, 0] dilations [1] output_padding [-1] : tensor<1x3x8xf32>, tensor<3x4x3xf32> -> tensor<1x4x10xf32>
  return
}

// -----

func.func @conv_transpose_c4_channels(%x: tensor<1x3x8xf32>, %w: tensor<5x4x3xf32>) {
  // expected-error@+1 {{expects the first extent of 'w' to be that of the channels, 3, got 5}}
  %0 = kiln.conv_transpose %x, %w strides [1] pads [0, 0] dilations [1] output_padding [0] : tensor<1x3x8xf32>, tensor<5x4x3xf32> -> tensor<1x4x10xf32>
  return
}

// -----

func.func @conv_transpose_c4_groups(%x: tensor<1x3x8xf32>, %w: tensor<3x4x3xf32>) {
  // expected-error@+1 {{expects 'groups' to divide the channels, got 2 groups, 3 channels}}
  %0 = kiln.conv_transpose %x, %w strides [1] pads [0, 0] dilations [1] output_padding [0] groups 2 : tensor<1x3x8xf32>, tensor<3x4x3xf32> -> tensor<1x8x10xf32>
  return
}

// -----

func.func @conv_transpose_c4_bias(%x: tensor<1x4x8xf32>, %w: tensor<4x3x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{expects 'bias' of shape [6], got 'tensor<3xf32>'}}
  %0 = kiln.conv_transpose %x, %w bias %b strides [1] pads [0, 0] dilations [1] output_padding [0] groups 2 : tensor<1x4x8xf32>, tensor<4x3x3xf32>, tensor<3xf32> -> tensor<1x6x10xf32>
  return
}

// -----

func.func @conv_transpose_c5_pads(%x: tensor<1x3x2xf32>, %w: tensor<3x4x3xf32>) {
  // expected-error@+1 {{expects pads that leave something of the result, got 0 elements along spatial axis 0}}
  %0 = kiln.conv_transpose %x, %w strides [1] pads [2, 2] dilations [1] output_padding [0] : tensor<1x3x2xf32>, tensor<3x4x3xf32> -> tensor<1x4x0xf32>
  return
}
