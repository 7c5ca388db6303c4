// conv-transpose.mlir: kiln.conv_transpose against a convolution of the input with zeros between its elements; integers,
// so that sums are exact.

// Windows that do not overlap: as in segmentation heads.
func.func @upsample_2x2() {
  %xn = kiln.iota axis 0 [570] : tensor<570xf32>
  %xm = kiln.constant dense<11.0> : tensor<f32>
  %xr = kiln.mod %xn, %xm : tensor<570xf32>, tensor<f32> -> tensor<570xf32>
  %xs = kiln.reshape %xr [1, 5, 6, 19] : tensor<570xf32> -> tensor<1x5x6x19xf32>
  %x = kiln.optimization_barrier %xs : tensor<1x5x6x19xf32>
  %wn = kiln.iota axis 0 [60] : tensor<60xf32>
  %wm = kiln.constant dense<7.0> : tensor<f32>
  %wr = kiln.mod %wn, %wm : tensor<60xf32>, tensor<f32> -> tensor<60xf32>
  %ws = kiln.reshape %wr [5, 3, 2, 2] : tensor<60xf32> -> tensor<5x3x2x2xf32>
  %w = kiln.optimization_barrier %ws : tensor<5x3x2x2xf32>
  %bn = kiln.iota axis 0 [3] : tensor<3xf32>
  %bm = kiln.constant dense<5.0> : tensor<f32>
  %br = kiln.mod %bn, %bm : tensor<3xf32>, tensor<f32> -> tensor<3xf32>
  %bs = kiln.reshape %br [3] : tensor<3xf32> -> tensor<3xf32>
  %b = kiln.optimization_barrier %bs : tensor<3xf32>
  %got = kiln.conv_transpose %x, %w bias %b strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] output_padding [0, 0]
    : tensor<1x5x6x19xf32>, tensor<5x3x2x2xf32>, tensor<3xf32> -> tensor<1x3x12x38xf32>
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %t1 = kiln.reshape %x [1, 5, 6, 1, 19, 1] : tensor<1x5x6x19xf32> -> tensor<1x5x6x1x19x1xf32>
  %t2 = kiln.pad %t1 low [0, 0, 0, 0, 0, 0] high [0, 0, 0, 1, 0, 1] mode constant value %zero : tensor<1x5x6x1x19x1xf32>, tensor<f32> -> tensor<1x5x6x2x19x2xf32>
  %t3 = kiln.reshape %t2 [1, 5, 12, 38] : tensor<1x5x6x2x19x2xf32> -> tensor<1x5x12x38xf32>
  %t4 = kiln.slice %t3 offsets [0, 0, 0, 0] sizes [1, 5, 11, 37] strides [1, 1, 1, 1] : tensor<1x5x12x38xf32> -> tensor<1x5x11x37xf32>
  %t5 = kiln.pad %t4 low [0, 0, 1, 1] high [0, 0, 1, 1] mode constant value %zero : tensor<1x5x11x37xf32>, tensor<f32> -> tensor<1x5x13x39xf32>
  %w1 = kiln.reshape %w [1, 5, 3, 2, 2] : tensor<5x3x2x2xf32> -> tensor<1x5x3x2x2xf32>
  %w2 = kiln.transpose %w1 perm [0, 2, 1, 3, 4] : tensor<1x5x3x2x2xf32> -> tensor<1x3x5x2x2xf32>
  %w3 = kiln.reshape %w2 [3, 5, 2, 2] : tensor<1x3x5x2x2xf32> -> tensor<3x5x2x2xf32>
  %w4 = kiln.reverse %w3 axes [2, 3] : tensor<3x5x2x2xf32>
  %y = kiln.conv %t5, %w4 bias %b strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1]
    : tensor<1x5x13x39xf32>, tensor<3x5x2x2xf32>, tensor<3xf32> -> tensor<1x3x12x38xf32>
  %want = kiln.slice %y offsets [0, 0, 0, 0] sizes [1, 3, 12, 38] strides [1, 1, 1, 1] : tensor<1x3x12x38xf32> -> tensor<1x3x12x38xf32>
  kiln.check_equal %got, %want : tensor<1x3x12x38xf32>
  return
}

// Stride 2 with windows of 3: phases with one and two taps.
func.func @overlapping_3x3() {
  %xn = kiln.iota axis 0 [680] : tensor<680xf32>
  %xm = kiln.constant dense<11.0> : tensor<f32>
  %xr = kiln.mod %xn, %xm : tensor<680xf32>, tensor<f32> -> tensor<680xf32>
  %xs = kiln.reshape %xr [2, 4, 5, 17] : tensor<680xf32> -> tensor<2x4x5x17xf32>
  %x = kiln.optimization_barrier %xs : tensor<2x4x5x17xf32>
  %wn = kiln.iota axis 0 [108] : tensor<108xf32>
  %wm = kiln.constant dense<7.0> : tensor<f32>
  %wr = kiln.mod %wn, %wm : tensor<108xf32>, tensor<f32> -> tensor<108xf32>
  %ws = kiln.reshape %wr [4, 3, 3, 3] : tensor<108xf32> -> tensor<4x3x3x3xf32>
  %w = kiln.optimization_barrier %ws : tensor<4x3x3x3xf32>
  %got = kiln.conv_transpose %x, %w strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] output_padding [1, 1]
    : tensor<2x4x5x17xf32>, tensor<4x3x3x3xf32> -> tensor<2x3x10x34xf32>
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %t1 = kiln.reshape %x [2, 4, 5, 1, 17, 1] : tensor<2x4x5x17xf32> -> tensor<2x4x5x1x17x1xf32>
  %t2 = kiln.pad %t1 low [0, 0, 0, 0, 0, 0] high [0, 0, 0, 1, 0, 1] mode constant value %zero : tensor<2x4x5x1x17x1xf32>, tensor<f32> -> tensor<2x4x5x2x17x2xf32>
  %t3 = kiln.reshape %t2 [2, 4, 10, 34] : tensor<2x4x5x2x17x2xf32> -> tensor<2x4x10x34xf32>
  %t4 = kiln.slice %t3 offsets [0, 0, 0, 0] sizes [2, 4, 9, 33] strides [1, 1, 1, 1] : tensor<2x4x10x34xf32> -> tensor<2x4x9x33xf32>
  %t5 = kiln.pad %t4 low [0, 0, 2, 2] high [0, 0, 3, 3] mode constant value %zero : tensor<2x4x9x33xf32>, tensor<f32> -> tensor<2x4x14x38xf32>
  %w1 = kiln.reshape %w [1, 4, 3, 3, 3] : tensor<4x3x3x3xf32> -> tensor<1x4x3x3x3xf32>
  %w2 = kiln.transpose %w1 perm [0, 2, 1, 3, 4] : tensor<1x4x3x3x3xf32> -> tensor<1x3x4x3x3xf32>
  %w3 = kiln.reshape %w2 [3, 4, 3, 3] : tensor<1x3x4x3x3xf32> -> tensor<3x4x3x3xf32>
  %w4 = kiln.reverse %w3 axes [2, 3] : tensor<3x4x3x3xf32>
  %y = kiln.conv %t5, %w4 strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1]
    : tensor<2x4x14x38xf32>, tensor<3x4x3x3xf32> -> tensor<2x3x12x36xf32>
  %want = kiln.slice %y offsets [0, 0, 1, 1] sizes [2, 3, 10, 34] strides [1, 1, 1, 1] : tensor<2x3x12x36xf32> -> tensor<2x3x10x34xf32>
  kiln.check_equal %got, %want : tensor<2x3x10x34xf32>
  return
}

// Stride 1: a convolution with reversed filters.
func.func @stride_one() {
  %xn = kiln.iota axis 0 [162] : tensor<162xf32>
  %xm = kiln.constant dense<11.0> : tensor<f32>
  %xr = kiln.mod %xn, %xm : tensor<162xf32>, tensor<f32> -> tensor<162xf32>
  %xs = kiln.reshape %xr [1, 3, 6, 9] : tensor<162xf32> -> tensor<1x3x6x9xf32>
  %x = kiln.optimization_barrier %xs : tensor<1x3x6x9xf32>
  %wn = kiln.iota axis 0 [72] : tensor<72xf32>
  %wm = kiln.constant dense<7.0> : tensor<f32>
  %wr = kiln.mod %wn, %wm : tensor<72xf32>, tensor<f32> -> tensor<72xf32>
  %ws = kiln.reshape %wr [3, 4, 3, 2] : tensor<72xf32> -> tensor<3x4x3x2xf32>
  %w = kiln.optimization_barrier %ws : tensor<3x4x3x2xf32>
  %got = kiln.conv_transpose %x, %w strides [1, 1] pads [1, 0, 0, 1] dilations [1, 1] output_padding [0, 0]
    : tensor<1x3x6x9xf32>, tensor<3x4x3x2xf32> -> tensor<1x4x7x9xf32>
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %t1 = kiln.reshape %x [1, 3, 6, 1, 9, 1] : tensor<1x3x6x9xf32> -> tensor<1x3x6x1x9x1xf32>
  %t2 = kiln.pad %t1 low [0, 0, 0, 0, 0, 0] high [0, 0, 0, 0, 0, 0] mode constant value %zero : tensor<1x3x6x1x9x1xf32>, tensor<f32> -> tensor<1x3x6x1x9x1xf32>
  %t3 = kiln.reshape %t2 [1, 3, 6, 9] : tensor<1x3x6x1x9x1xf32> -> tensor<1x3x6x9xf32>
  %t4 = kiln.slice %t3 offsets [0, 0, 0, 0] sizes [1, 3, 6, 9] strides [1, 1, 1, 1] : tensor<1x3x6x9xf32> -> tensor<1x3x6x9xf32>
  %t5 = kiln.pad %t4 low [0, 0, 2, 1] high [0, 0, 2, 1] mode constant value %zero : tensor<1x3x6x9xf32>, tensor<f32> -> tensor<1x3x10x11xf32>
  %w1 = kiln.reshape %w [1, 3, 4, 3, 2] : tensor<3x4x3x2xf32> -> tensor<1x3x4x3x2xf32>
  %w2 = kiln.transpose %w1 perm [0, 2, 1, 3, 4] : tensor<1x3x4x3x2xf32> -> tensor<1x4x3x3x2xf32>
  %w3 = kiln.reshape %w2 [4, 3, 3, 2] : tensor<1x4x3x3x2xf32> -> tensor<4x3x3x2xf32>
  %w4 = kiln.reverse %w3 axes [2, 3] : tensor<4x3x3x2xf32>
  %y = kiln.conv %t5, %w4 strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1]
    : tensor<1x3x10x11xf32>, tensor<4x3x3x2xf32> -> tensor<1x4x8x10xf32>
  %want = kiln.slice %y offsets [0, 0, 1, 0] sizes [1, 4, 7, 9] strides [1, 1, 1, 1] : tensor<1x4x8x10xf32> -> tensor<1x4x7x9xf32>
  kiln.check_equal %got, %want : tensor<1x4x7x9xf32>
  return
}

// Dilated taps, one phase.
func.func @dilated_stride_one() {
  %xn = kiln.iota axis 0 [60] : tensor<60xf32>
  %xm = kiln.constant dense<11.0> : tensor<f32>
  %xr = kiln.mod %xn, %xm : tensor<60xf32>, tensor<f32> -> tensor<60xf32>
  %xs = kiln.reshape %xr [1, 2, 5, 6] : tensor<60xf32> -> tensor<1x2x5x6xf32>
  %x = kiln.optimization_barrier %xs : tensor<1x2x5x6xf32>
  %wn = kiln.iota axis 0 [36] : tensor<36xf32>
  %wm = kiln.constant dense<7.0> : tensor<f32>
  %wr = kiln.mod %wn, %wm : tensor<36xf32>, tensor<f32> -> tensor<36xf32>
  %ws = kiln.reshape %wr [2, 3, 3, 2] : tensor<36xf32> -> tensor<2x3x3x2xf32>
  %w = kiln.optimization_barrier %ws : tensor<2x3x3x2xf32>
  %got = kiln.conv_transpose %x, %w strides [1, 1] pads [2, 0, 1, 1] dilations [2, 3] output_padding [0, 0]
    : tensor<1x2x5x6xf32>, tensor<2x3x3x2xf32> -> tensor<1x3x6x8xf32>
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %t1 = kiln.reshape %x [1, 2, 5, 1, 6, 1] : tensor<1x2x5x6xf32> -> tensor<1x2x5x1x6x1xf32>
  %t2 = kiln.pad %t1 low [0, 0, 0, 0, 0, 0] high [0, 0, 0, 0, 0, 0] mode constant value %zero : tensor<1x2x5x1x6x1xf32>, tensor<f32> -> tensor<1x2x5x1x6x1xf32>
  %t3 = kiln.reshape %t2 [1, 2, 5, 6] : tensor<1x2x5x1x6x1xf32> -> tensor<1x2x5x6xf32>
  %t4 = kiln.slice %t3 offsets [0, 0, 0, 0] sizes [1, 2, 5, 6] strides [1, 1, 1, 1] : tensor<1x2x5x6xf32> -> tensor<1x2x5x6xf32>
  %t5 = kiln.pad %t4 low [0, 0, 4, 3] high [0, 0, 4, 3] mode constant value %zero : tensor<1x2x5x6xf32>, tensor<f32> -> tensor<1x2x13x12xf32>
  %w1 = kiln.reshape %w [1, 2, 3, 3, 2] : tensor<2x3x3x2xf32> -> tensor<1x2x3x3x2xf32>
  %w2 = kiln.transpose %w1 perm [0, 2, 1, 3, 4] : tensor<1x2x3x3x2xf32> -> tensor<1x3x2x3x2xf32>
  %w3 = kiln.reshape %w2 [3, 2, 3, 2] : tensor<1x3x2x3x2xf32> -> tensor<3x2x3x2xf32>
  %w4 = kiln.reverse %w3 axes [2, 3] : tensor<3x2x3x2xf32>
  %y = kiln.conv %t5, %w4 strides [1, 1] pads [0, 0, 0, 0] dilations [2, 3]
    : tensor<1x2x13x12xf32>, tensor<3x2x3x2xf32> -> tensor<1x3x9x9xf32>
  %want = kiln.slice %y offsets [0, 0, 2, 0] sizes [1, 3, 6, 8] strides [1, 1, 1, 1] : tensor<1x3x9x9xf32> -> tensor<1x3x6x8xf32>
  kiln.check_equal %got, %want : tensor<1x3x6x8xf32>
  return
}

// Dilations that share a factor with the strides, and that do not.
func.func @dilated_strided() {
  %xn = kiln.iota axis 0 [60] : tensor<60xf32>
  %xm = kiln.constant dense<11.0> : tensor<f32>
  %xr = kiln.mod %xn, %xm : tensor<60xf32>, tensor<f32> -> tensor<60xf32>
  %xs = kiln.reshape %xr [1, 2, 5, 6] : tensor<60xf32> -> tensor<1x2x5x6xf32>
  %x = kiln.optimization_barrier %xs : tensor<1x2x5x6xf32>
  %wn = kiln.iota axis 0 [54] : tensor<54xf32>
  %wm = kiln.constant dense<7.0> : tensor<f32>
  %wr = kiln.mod %wn, %wm : tensor<54xf32>, tensor<f32> -> tensor<54xf32>
  %ws = kiln.reshape %wr [2, 3, 3, 3] : tensor<54xf32> -> tensor<2x3x3x3xf32>
  %w = kiln.optimization_barrier %ws : tensor<2x3x3x3xf32>
  %got = kiln.conv_transpose %x, %w strides [2, 4] pads [1, 2, 0, 3] dilations [3, 2] output_padding [1, 0]
    : tensor<1x2x5x6xf32>, tensor<2x3x3x3xf32> -> tensor<1x3x15x20xf32>
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %t1 = kiln.reshape %x [1, 2, 5, 1, 6, 1] : tensor<1x2x5x6xf32> -> tensor<1x2x5x1x6x1xf32>
  %t2 = kiln.pad %t1 low [0, 0, 0, 0, 0, 0] high [0, 0, 0, 1, 0, 3] mode constant value %zero : tensor<1x2x5x1x6x1xf32>, tensor<f32> -> tensor<1x2x5x2x6x4xf32>
  %t3 = kiln.reshape %t2 [1, 2, 10, 24] : tensor<1x2x5x2x6x4xf32> -> tensor<1x2x10x24xf32>
  %t4 = kiln.slice %t3 offsets [0, 0, 0, 0] sizes [1, 2, 9, 21] strides [1, 1, 1, 1] : tensor<1x2x10x24xf32> -> tensor<1x2x9x21xf32>
  %t5 = kiln.pad %t4 low [0, 0, 6, 4] high [0, 0, 7, 4] mode constant value %zero : tensor<1x2x9x21xf32>, tensor<f32> -> tensor<1x2x22x29xf32>
  %w1 = kiln.reshape %w [1, 2, 3, 3, 3] : tensor<2x3x3x3xf32> -> tensor<1x2x3x3x3xf32>
  %w2 = kiln.transpose %w1 perm [0, 2, 1, 3, 4] : tensor<1x2x3x3x3xf32> -> tensor<1x3x2x3x3xf32>
  %w3 = kiln.reshape %w2 [3, 2, 3, 3] : tensor<1x3x2x3x3xf32> -> tensor<3x2x3x3xf32>
  %w4 = kiln.reverse %w3 axes [2, 3] : tensor<3x2x3x3xf32>
  %y = kiln.conv %t5, %w4 strides [1, 1] pads [0, 0, 0, 0] dilations [3, 2]
    : tensor<1x2x22x29xf32>, tensor<3x2x3x3xf32> -> tensor<1x3x16x25xf32>
  %want = kiln.slice %y offsets [0, 0, 1, 2] sizes [1, 3, 15, 20] strides [1, 1, 1, 1] : tensor<1x3x16x25xf32> -> tensor<1x3x15x20xf32>
  kiln.check_equal %got, %want : tensor<1x3x15x20xf32>
  return
}

// Groups, and other strides than windows.
func.func @grouped() {
  %xn = kiln.iota axis 0 [336] : tensor<336xf32>
  %xm = kiln.constant dense<11.0> : tensor<f32>
  %xr = kiln.mod %xn, %xm : tensor<336xf32>, tensor<f32> -> tensor<336xf32>
  %xs = kiln.reshape %xr [2, 6, 4, 7] : tensor<336xf32> -> tensor<2x6x4x7xf32>
  %x = kiln.optimization_barrier %xs : tensor<2x6x4x7xf32>
  %wn = kiln.iota axis 0 [144] : tensor<144xf32>
  %wm = kiln.constant dense<7.0> : tensor<f32>
  %wr = kiln.mod %wn, %wm : tensor<144xf32>, tensor<f32> -> tensor<144xf32>
  %ws = kiln.reshape %wr [6, 2, 4, 3] : tensor<144xf32> -> tensor<6x2x4x3xf32>
  %w = kiln.optimization_barrier %ws : tensor<6x2x4x3xf32>
  %bn = kiln.iota axis 0 [6] : tensor<6xf32>
  %bm = kiln.constant dense<5.0> : tensor<f32>
  %br = kiln.mod %bn, %bm : tensor<6xf32>, tensor<f32> -> tensor<6xf32>
  %bs = kiln.reshape %br [6] : tensor<6xf32> -> tensor<6xf32>
  %b = kiln.optimization_barrier %bs : tensor<6xf32>
  %got = kiln.conv_transpose %x, %w bias %b strides [3, 1] pads [1, 1, 2, 0] dilations [1, 1] output_padding [2, 0] groups 3
    : tensor<2x6x4x7xf32>, tensor<6x2x4x3xf32>, tensor<6xf32> -> tensor<2x6x12x8xf32>
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %t1 = kiln.reshape %x [2, 6, 4, 1, 7, 1] : tensor<2x6x4x7xf32> -> tensor<2x6x4x1x7x1xf32>
  %t2 = kiln.pad %t1 low [0, 0, 0, 0, 0, 0] high [0, 0, 0, 2, 0, 0] mode constant value %zero : tensor<2x6x4x1x7x1xf32>, tensor<f32> -> tensor<2x6x4x3x7x1xf32>
  %t3 = kiln.reshape %t2 [2, 6, 12, 7] : tensor<2x6x4x3x7x1xf32> -> tensor<2x6x12x7xf32>
  %t4 = kiln.slice %t3 offsets [0, 0, 0, 0] sizes [2, 6, 10, 7] strides [1, 1, 1, 1] : tensor<2x6x12x7xf32> -> tensor<2x6x10x7xf32>
  %t5 = kiln.pad %t4 low [0, 0, 3, 2] high [0, 0, 5, 2] mode constant value %zero : tensor<2x6x10x7xf32>, tensor<f32> -> tensor<2x6x18x11xf32>
  %w1 = kiln.reshape %w [3, 2, 2, 4, 3] : tensor<6x2x4x3xf32> -> tensor<3x2x2x4x3xf32>
  %w2 = kiln.transpose %w1 perm [0, 2, 1, 3, 4] : tensor<3x2x2x4x3xf32> -> tensor<3x2x2x4x3xf32>
  %w3 = kiln.reshape %w2 [6, 2, 4, 3] : tensor<3x2x2x4x3xf32> -> tensor<6x2x4x3xf32>
  %w4 = kiln.reverse %w3 axes [2, 3] : tensor<6x2x4x3xf32>
  %y = kiln.conv %t5, %w4 bias %b strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 3
    : tensor<2x6x18x11xf32>, tensor<6x2x4x3xf32>, tensor<6xf32> -> tensor<2x6x15x9xf32>
  %want = kiln.slice %y offsets [0, 0, 1, 1] sizes [2, 6, 12, 8] strides [1, 1, 1, 1] : tensor<2x6x15x9xf32> -> tensor<2x6x12x8xf32>
  kiln.check_equal %got, %want : tensor<2x6x12x8xf32>
  return
}

// One filter a channel.
func.func @depthwise() {
  %xn = kiln.iota axis 0 [224] : tensor<224xf32>
  %xm = kiln.constant dense<11.0> : tensor<f32>
  %xr = kiln.mod %xn, %xm : tensor<224xf32>, tensor<f32> -> tensor<224xf32>
  %xs = kiln.reshape %xr [1, 4, 7, 8] : tensor<224xf32> -> tensor<1x4x7x8xf32>
  %x = kiln.optimization_barrier %xs : tensor<1x4x7x8xf32>
  %wn = kiln.iota axis 0 [64] : tensor<64xf32>
  %wm = kiln.constant dense<7.0> : tensor<f32>
  %wr = kiln.mod %wn, %wm : tensor<64xf32>, tensor<f32> -> tensor<64xf32>
  %ws = kiln.reshape %wr [4, 1, 4, 4] : tensor<64xf32> -> tensor<4x1x4x4xf32>
  %w = kiln.optimization_barrier %ws : tensor<4x1x4x4xf32>
  %got = kiln.conv_transpose %x, %w strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] output_padding [0, 0] groups 4
    : tensor<1x4x7x8xf32>, tensor<4x1x4x4xf32> -> tensor<1x4x14x16xf32>
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %t1 = kiln.reshape %x [1, 4, 7, 1, 8, 1] : tensor<1x4x7x8xf32> -> tensor<1x4x7x1x8x1xf32>
  %t2 = kiln.pad %t1 low [0, 0, 0, 0, 0, 0] high [0, 0, 0, 1, 0, 1] mode constant value %zero : tensor<1x4x7x1x8x1xf32>, tensor<f32> -> tensor<1x4x7x2x8x2xf32>
  %t3 = kiln.reshape %t2 [1, 4, 14, 16] : tensor<1x4x7x2x8x2xf32> -> tensor<1x4x14x16xf32>
  %t4 = kiln.slice %t3 offsets [0, 0, 0, 0] sizes [1, 4, 13, 15] strides [1, 1, 1, 1] : tensor<1x4x14x16xf32> -> tensor<1x4x13x15xf32>
  %t5 = kiln.pad %t4 low [0, 0, 3, 3] high [0, 0, 3, 3] mode constant value %zero : tensor<1x4x13x15xf32>, tensor<f32> -> tensor<1x4x19x21xf32>
  %w1 = kiln.reshape %w [4, 1, 1, 4, 4] : tensor<4x1x4x4xf32> -> tensor<4x1x1x4x4xf32>
  %w2 = kiln.transpose %w1 perm [0, 2, 1, 3, 4] : tensor<4x1x1x4x4xf32> -> tensor<4x1x1x4x4xf32>
  %w3 = kiln.reshape %w2 [4, 1, 4, 4] : tensor<4x1x1x4x4xf32> -> tensor<4x1x4x4xf32>
  %w4 = kiln.reverse %w3 axes [2, 3] : tensor<4x1x4x4xf32>
  %y = kiln.conv %t5, %w4 strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 4
    : tensor<1x4x19x21xf32>, tensor<4x1x4x4xf32> -> tensor<1x4x16x18xf32>
  %want = kiln.slice %y offsets [0, 0, 1, 1] sizes [1, 4, 14, 16] strides [1, 1, 1, 1] : tensor<1x4x16x18xf32> -> tensor<1x4x14x16xf32>
  kiln.check_equal %got, %want : tensor<1x4x14x16xf32>
  return
}

// Signals; a window shorter than the stride leaves gaps.
func.func @one_axis() {
  %xn = kiln.iota axis 0 [60] : tensor<60xf32>
  %xm = kiln.constant dense<11.0> : tensor<f32>
  %xr = kiln.mod %xn, %xm : tensor<60xf32>, tensor<f32> -> tensor<60xf32>
  %xs = kiln.reshape %xr [2, 3, 10] : tensor<60xf32> -> tensor<2x3x10xf32>
  %x = kiln.optimization_barrier %xs : tensor<2x3x10xf32>
  %wn = kiln.iota axis 0 [24] : tensor<24xf32>
  %wm = kiln.constant dense<7.0> : tensor<f32>
  %wr = kiln.mod %wn, %wm : tensor<24xf32>, tensor<f32> -> tensor<24xf32>
  %ws = kiln.reshape %wr [3, 4, 2] : tensor<24xf32> -> tensor<3x4x2xf32>
  %w = kiln.optimization_barrier %ws : tensor<3x4x2xf32>
  %bn = kiln.iota axis 0 [4] : tensor<4xf32>
  %bm = kiln.constant dense<5.0> : tensor<f32>
  %br = kiln.mod %bn, %bm : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %bs = kiln.reshape %br [4] : tensor<4xf32> -> tensor<4xf32>
  %b = kiln.optimization_barrier %bs : tensor<4xf32>
  %got = kiln.conv_transpose %x, %w bias %b strides [5] pads [0, 0] dilations [1] output_padding [3]
    : tensor<2x3x10xf32>, tensor<3x4x2xf32>, tensor<4xf32> -> tensor<2x4x50xf32>
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %t1 = kiln.reshape %x [2, 3, 10, 1] : tensor<2x3x10xf32> -> tensor<2x3x10x1xf32>
  %t2 = kiln.pad %t1 low [0, 0, 0, 0] high [0, 0, 0, 4] mode constant value %zero : tensor<2x3x10x1xf32>, tensor<f32> -> tensor<2x3x10x5xf32>
  %t3 = kiln.reshape %t2 [2, 3, 50] : tensor<2x3x10x5xf32> -> tensor<2x3x50xf32>
  %t4 = kiln.slice %t3 offsets [0, 0, 0] sizes [2, 3, 46] strides [1, 1, 1] : tensor<2x3x50xf32> -> tensor<2x3x46xf32>
  %t5 = kiln.pad %t4 low [0, 0, 1] high [0, 0, 4] mode constant value %zero : tensor<2x3x46xf32>, tensor<f32> -> tensor<2x3x51xf32>
  %w1 = kiln.reshape %w [1, 3, 4, 2] : tensor<3x4x2xf32> -> tensor<1x3x4x2xf32>
  %w2 = kiln.transpose %w1 perm [0, 2, 1, 3] : tensor<1x3x4x2xf32> -> tensor<1x4x3x2xf32>
  %w3 = kiln.reshape %w2 [4, 3, 2] : tensor<1x4x3x2xf32> -> tensor<4x3x2xf32>
  %w4 = kiln.reverse %w3 axes [2] : tensor<4x3x2xf32>
  %y = kiln.conv %t5, %w4 bias %b strides [1] pads [0, 0] dilations [1]
    : tensor<2x3x51xf32>, tensor<4x3x2xf32>, tensor<4xf32> -> tensor<2x4x50xf32>
  %want = kiln.slice %y offsets [0, 0, 0] sizes [2, 4, 50] strides [1, 1, 1] : tensor<2x4x50xf32> -> tensor<2x4x50xf32>
  kiln.check_equal %got, %want : tensor<2x4x50xf32>
  return
}

// Volumes.
func.func @three_axes() {
  %xn = kiln.iota axis 0 [120] : tensor<120xf32>
  %xm = kiln.constant dense<11.0> : tensor<f32>
  %xr = kiln.mod %xn, %xm : tensor<120xf32>, tensor<f32> -> tensor<120xf32>
  %xs = kiln.reshape %xr [1, 2, 3, 4, 5] : tensor<120xf32> -> tensor<1x2x3x4x5xf32>
  %x = kiln.optimization_barrier %xs : tensor<1x2x3x4x5xf32>
  %wn = kiln.iota axis 0 [72] : tensor<72xf32>
  %wm = kiln.constant dense<7.0> : tensor<f32>
  %wr = kiln.mod %wn, %wm : tensor<72xf32>, tensor<f32> -> tensor<72xf32>
  %ws = kiln.reshape %wr [2, 3, 2, 3, 2] : tensor<72xf32> -> tensor<2x3x2x3x2xf32>
  %w = kiln.optimization_barrier %ws : tensor<2x3x2x3x2xf32>
  %got = kiln.conv_transpose %x, %w strides [2, 1, 3] pads [0, 1, 1, 0, 1, 0] dilations [1, 1, 1] output_padding [1, 0, 0]
    : tensor<1x2x3x4x5xf32>, tensor<2x3x2x3x2xf32> -> tensor<1x3x7x4x13xf32>
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %t1 = kiln.reshape %x [1, 2, 3, 1, 4, 1, 5, 1] : tensor<1x2x3x4x5xf32> -> tensor<1x2x3x1x4x1x5x1xf32>
  %t2 = kiln.pad %t1 low [0, 0, 0, 0, 0, 0, 0, 0] high [0, 0, 0, 1, 0, 0, 0, 2] mode constant value %zero : tensor<1x2x3x1x4x1x5x1xf32>, tensor<f32> -> tensor<1x2x3x2x4x1x5x3xf32>
  %t3 = kiln.reshape %t2 [1, 2, 6, 4, 15] : tensor<1x2x3x2x4x1x5x3xf32> -> tensor<1x2x6x4x15xf32>
  %t4 = kiln.slice %t3 offsets [0, 0, 0, 0, 0] sizes [1, 2, 5, 4, 13] strides [1, 1, 1, 1, 1] : tensor<1x2x6x4x15xf32> -> tensor<1x2x5x4x13xf32>
  %t5 = kiln.pad %t4 low [0, 0, 1, 2, 1] high [0, 0, 2, 2, 1] mode constant value %zero : tensor<1x2x5x4x13xf32>, tensor<f32> -> tensor<1x2x8x8x15xf32>
  %w1 = kiln.reshape %w [1, 2, 3, 2, 3, 2] : tensor<2x3x2x3x2xf32> -> tensor<1x2x3x2x3x2xf32>
  %w2 = kiln.transpose %w1 perm [0, 2, 1, 3, 4, 5] : tensor<1x2x3x2x3x2xf32> -> tensor<1x3x2x2x3x2xf32>
  %w3 = kiln.reshape %w2 [3, 2, 2, 3, 2] : tensor<1x3x2x2x3x2xf32> -> tensor<3x2x2x3x2xf32>
  %w4 = kiln.reverse %w3 axes [2, 3, 4] : tensor<3x2x2x3x2xf32>
  %y = kiln.conv %t5, %w4 strides [1, 1, 1] pads [0, 0, 0, 0, 0, 0] dilations [1, 1, 1]
    : tensor<1x2x8x8x15xf32>, tensor<3x2x2x3x2xf32> -> tensor<1x3x7x6x14xf32>
  %want = kiln.slice %y offsets [0, 0, 0, 1, 1] sizes [1, 3, 7, 4, 13] strides [1, 1, 1, 1, 1] : tensor<1x3x7x6x14xf32> -> tensor<1x3x7x4x13xf32>
  kiln.check_equal %got, %want : tensor<1x3x7x4x13xf32>
  return
}

// Pads that cut off whole windows.
func.func @pads_beyond_the_window() {
  %xn = kiln.iota axis 0 [18] : tensor<18xf32>
  %xm = kiln.constant dense<11.0> : tensor<f32>
  %xr = kiln.mod %xn, %xm : tensor<18xf32>, tensor<f32> -> tensor<18xf32>
  %xs = kiln.reshape %xr [1, 2, 9] : tensor<18xf32> -> tensor<1x2x9xf32>
  %x = kiln.optimization_barrier %xs : tensor<1x2x9xf32>
  %wn = kiln.iota axis 0 [8] : tensor<8xf32>
  %wm = kiln.constant dense<7.0> : tensor<f32>
  %wr = kiln.mod %wn, %wm : tensor<8xf32>, tensor<f32> -> tensor<8xf32>
  %ws = kiln.reshape %wr [2, 2, 2] : tensor<8xf32> -> tensor<2x2x2xf32>
  %w = kiln.optimization_barrier %ws : tensor<2x2x2xf32>
  %got = kiln.conv_transpose %x, %w strides [2] pads [5, 4] dilations [1] output_padding [0]
    : tensor<1x2x9xf32>, tensor<2x2x2xf32> -> tensor<1x2x9xf32>
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %t1 = kiln.reshape %x [1, 2, 9, 1] : tensor<1x2x9xf32> -> tensor<1x2x9x1xf32>
  %t2 = kiln.pad %t1 low [0, 0, 0, 0] high [0, 0, 0, 1] mode constant value %zero : tensor<1x2x9x1xf32>, tensor<f32> -> tensor<1x2x9x2xf32>
  %t3 = kiln.reshape %t2 [1, 2, 18] : tensor<1x2x9x2xf32> -> tensor<1x2x18xf32>
  %t4 = kiln.slice %t3 offsets [0, 0, 0] sizes [1, 2, 17] strides [1, 1, 1] : tensor<1x2x18xf32> -> tensor<1x2x17xf32>
  %t5 = kiln.pad %t4 low [0, 0, 1] high [0, 0, 1] mode constant value %zero : tensor<1x2x17xf32>, tensor<f32> -> tensor<1x2x19xf32>
  %w1 = kiln.reshape %w [1, 2, 2, 2] : tensor<2x2x2xf32> -> tensor<1x2x2x2xf32>
  %w2 = kiln.transpose %w1 perm [0, 2, 1, 3] : tensor<1x2x2x2xf32> -> tensor<1x2x2x2xf32>
  %w3 = kiln.reshape %w2 [2, 2, 2] : tensor<1x2x2x2xf32> -> tensor<2x2x2xf32>
  %w4 = kiln.reverse %w3 axes [2] : tensor<2x2x2xf32>
  %y = kiln.conv %t5, %w4 strides [1] pads [0, 0] dilations [1]
    : tensor<1x2x19xf32>, tensor<2x2x2xf32> -> tensor<1x2x18xf32>
  %want = kiln.slice %y offsets [0, 0, 5] sizes [1, 2, 9] strides [1, 1, 1] : tensor<1x2x18xf32> -> tensor<1x2x9xf32>
  kiln.check_equal %got, %want : tensor<1x2x9xf32>
  return
}
