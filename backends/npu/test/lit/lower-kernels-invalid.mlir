// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-npu-lower-kernels{refuse=true})" --split-input-file --verify-diagnostics

kiln.kernel @op(%x: tensor<4x8xf64>) -> (tensor<4x8xf64>, tensor<4x8xi64>) {
  // expected-error @+1 {{npu: kiln.sort of 'f64' is not lowered yet}}
  %0, %1 = kiln.sort %x axis 1 : tensor<4x8xf64> -> tensor<4x8xf64>, tensor<4x8xi64>
  kiln.yield %0, %1 : tensor<4x8xf64>, tensor<4x8xi64>
}

// -----

kiln.kernel @arg(%x: tensor<4x?xi64>) -> tensor<4xi64> {
  // expected-error @+1 {{npu: kiln.arg_reduce of 'i64' is not lowered yet}}
  %0 = kiln.arg_reduce max %x axis 1 : tensor<4x?xi64> -> tensor<4xi64>
  kiln.yield %0 : tensor<4xi64>
}

// -----

kiln.kernel @sum(%x: tensor<4x8xui64>) -> tensor<4x8xui64> {
  // expected-error @+1 {{npu: kiln.cumulative of 'ui64' is not lowered yet}}
  %0 = kiln.cumulative sum %x axis 1 : tensor<4x8xui64>
  kiln.yield %0 : tensor<4x8xui64>
}

// -----

// The vector unit picks elements of 16 and 32 bits.
// expected-error @+1 {{npu: this reversal of the innermost axis is not lowered yet}}
kiln.kernel @reversed(%x: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %0 = kiln.reverse %x axes [1] : tensor<4x8xi8>
  kiln.yield %0 : tensor<4x8xi8>
}

// -----

kiln.kernel @long_product(%x: tensor<8x5000xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{npu: kiln.reduce prod on 'f32' along a row that is not whole in a tile is not lowered yet}}
  %0 = kiln.reduce prod %x axes [1] : tensor<8x5000xf32> -> tensor<8xf32>
  kiln.yield %0 : tensor<8xf32>
}

// -----

kiln.kernel @mean_of_integers(%x: tensor<8x50xi32>) -> tensor<8xi32> {
  // expected-error @+1 {{npu: kiln.reduce mean on 'i32' is not lowered yet}}
  %0 = kiln.reduce mean %x axes [1] : tensor<8x50xi32> -> tensor<8xi32>
  kiln.yield %0 : tensor<8xi32>
}

// -----

kiln.kernel @function(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{npu: 'arith.remf' on 'f32' is not lowered yet}}
  %0 = kiln.rem %x, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  kiln.yield %0 : tensor<8xf32>
}

// -----

// expected-error @+1 {{npu: elements of type 'f64' are not lowered yet}}
kiln.kernel @f64(%x: tensor<8xf64>) -> tensor<8xf64> {
  %0 = kiln.exp %x : tensor<8xf64>
  kiln.yield %0 : tensor<8xf64>
}

// -----

kiln.kernel @epilogue(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = kiln.matmul %a, %b : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  // expected-error @+1 {{npu: kiln.exp beside a product is not lowered yet}}
  %1 = kiln.exp %0 : tensor<16x16xf32>
  kiln.yield %1 : tensor<16x16xf32>
}

// -----

kiln.kernel @two(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = kiln.matmul %a, %b : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  // expected-error @-2 {{npu: more than one product in a kernel is not lowered yet}}
  %1 = kiln.matmul %0, %b : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  kiln.yield %1 : tensor<16x16xf32>
}

// -----

kiln.kernel @integers(%a: tensor<16x16xi16>, %b: tensor<16x16xi16>) -> tensor<16x16xi32> {
  // expected-error @+1 {{npu: kiln.matmul of 'i16' and 'i16' is not lowered yet on the 910b}}
  %0 = kiln.matmul %a, %b : tensor<16x16xi16>, tensor<16x16xi16> -> tensor<16x16xi32>
  kiln.yield %0 : tensor<16x16xi32>
}

// -----

// expected-error @+1 {{npu: a gather along the innermost axis is not lowered yet}}
kiln.kernel @single_elements(%x: tensor<50xi8>, %i: tensor<9xi64>) -> tensor<9xi8> {
  %0 = kiln.gather %x, %i axis 0 : tensor<50xi8>, tensor<9xi64> -> tensor<9xi8>
  kiln.yield %0 : tensor<9xi8>
}

// -----

kiln.kernel @three_axes(%x: tensor<1x8x9x9x9xf32>) -> tensor<1x8x7x7x7xf32> {
  // expected-error @+1 {{npu: kiln.max_pool of more than two axes is not lowered yet}}
  %0 = kiln.max_pool %x kernel [3, 3, 3] strides [1, 1, 1] pads [0, 0, 0, 0, 0, 0] dilations [1, 1, 1] : tensor<1x8x9x9x9xf32> -> tensor<1x8x7x7x7xf32>
  kiln.yield %0 : tensor<1x8x7x7x7xf32>
}

// -----

kiln.kernel @wrapped_around(%x: tensor<4xf32>) -> tensor<14xf32> {
  // expected-error @+1 {{npu: kiln.pad wrap by more than the extent is not lowered yet}}
  %0 = kiln.pad %x low [5] high [5] mode wrap : tensor<4xf32> -> tensor<14xf32>
  kiln.yield %0 : tensor<14xf32>
}

// -----

// In the layout that kiln-npu-lay-out-convs gives alone.
kiln.kernel @channels_first(%x: tensor<1x16x8x8xf16>, %w: tensor<32x16x3x3xf16>) -> tensor<1x32x6x6xf16> {
  // expected-error @+1 {{npu: kiln.conv of 'tensor<1x16x8x8xf16>' by 'tensor<32x16x3x3xf16>' is not lowered yet}}
  %0 = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x16x8x8xf16>, tensor<32x16x3x3xf16> -> tensor<1x32x6x6xf16>
  kiln.yield %0 : tensor<1x32x6x6xf16>
}
