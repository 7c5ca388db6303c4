// windows.mlir: pooling and depthwise convolution on vector cores: strides, dilations, pads, tails, what follows them.
func.func @max_pool(%x: tensor<2x30x25x20xf32>) -> tensor<2x30x12x10xf32> attributes {kiln.test = {
    types = [f16, f32, bf16, i8, ui8, i32], inputs = ["2x30x25x20 uniform -4 4"]}} {
  %0 = kiln.max_pool %x kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] : tensor<2x30x25x20xf32> -> tensor<2x30x12x10xf32>
  return %0 : tensor<2x30x12x10xf32>
}

func.func @max_pool_padded(%x: tensor<1x96x57x31xf32>) -> tensor<1x96x29x16xf32> attributes {kiln.test = {
    types = [f16, f32, i8], inputs = ["1x96x57x31 uniform -4 4"]}} {
  %0 = kiln.max_pool %x kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x96x57x31xf32> -> tensor<1x96x29x16xf32>
  return %0 : tensor<1x96x29x16xf32>
}

func.func @max_pool_dilated(%x: tensor<1x5x30x31xf32>) -> tensor<1x5x13x10xf32> attributes {kiln.test = {
    inputs = ["1x5x30x31 uniform -4 4"]}} {
  %0 = kiln.max_pool %x kernel [3, 3] strides [2, 3] pads [0, 0, 1, 1] dilations [3, 2] : tensor<1x5x30x31xf32> -> tensor<1x5x13x10xf32>
  return %0 : tensor<1x5x13x10xf32>
}

func.func @max_pool_line(%x: tensor<3x4x500xf32>) -> tensor<3x4x167xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["3x4x500 uniform -4 4"]}} {
  %0 = kiln.max_pool %x kernel [3] strides [3] pads [1, 0] dilations [1] : tensor<3x4x500xf32> -> tensor<3x4x167xf32>
  return %0 : tensor<3x4x167xf32>
}

func.func @max_pool_large(%x: tensor<1x2x200x160xf32>) -> tensor<1x2x100x80xf32> attributes {kiln.test = {
    inputs = ["1x2x200x160 uniform -4 4"]}} {
  %0 = kiln.max_pool %x kernel [3, 3] strides [2, 2] pads [1, 1, 0, 0] dilations [1, 1] : tensor<1x2x200x160xf32> -> tensor<1x2x100x80xf32>
  return %0 : tensor<1x2x100x80xf32>
}

func.func @avg_pool(%x: tensor<1x480x3x80xf32>) -> tensor<1x480x1x40xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["1x480x3x80 uniform -4 4"]}} {
  %0 = kiln.avg_pool %x kernel [3, 2] strides [3, 2] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x480x3x80xf32> -> tensor<1x480x1x40xf32>
  return %0 : tensor<1x480x1x40xf32>
}

func.func @avg_pool_with_pads(%x: tensor<1x48x13x18xf32>) -> tensor<1x48x13x18xf32> attributes {kiln.test = {
    inputs = ["1x48x13x18 uniform -4 4"]}} {
  %0 = kiln.avg_pool %x kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] count_include_pad : tensor<1x48x13x18xf32> -> tensor<1x48x13x18xf32>
  return %0 : tensor<1x48x13x18xf32>
}

func.func @depthwise(%x: tensor<2x16x24x40xf32>, %w: tensor<16x1x3x3xf32>, %b: tensor<16xf32>) -> tensor<2x16x24x40xf32> attributes {kiln.test = {
    types = [f16, f32, bf16], inputs = ["2x16x24x40 uniform -1 1", "16x1x3x3 uniform -1 1", "16 uniform -1 1"]}} {
  %0 = kiln.conv %x, %w bias %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 16 : tensor<2x16x24x40xf32>, tensor<16x1x3x3xf32>, tensor<16xf32> -> tensor<2x16x24x40xf32>
  return %0 : tensor<2x16x24x40xf32>
}

func.func @depthwise_strided(%x: tensor<1x6x75x101xf32>, %w: tensor<6x1x5x5xf32>) -> tensor<1x6x38x51xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["1x6x75x101 uniform -1 1", "6x1x5x5 uniform -1 1"]}} {
  %0 = kiln.conv %x, %w strides [2, 2] pads [2, 2, 2, 2] dilations [1, 1] groups 6 : tensor<1x6x75x101xf32>, tensor<6x1x5x5xf32> -> tensor<1x6x38x51xf32>
  return %0 : tensor<1x6x38x51xf32>
}

func.func @depthwise_behind(%x: tensor<1x6x20x30xf32>, %w: tensor<6x1x3x3xf32>, %b: tensor<6xf32>, %r: tensor<1x6x20x30xf32>, %s: tensor<6x1x1xf32>) -> tensor<1x6x20x30xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["1x6x20x30 uniform -1 1", "6x1x3x3 uniform -1 1", "6 uniform -1 1", "1x6x20x30 uniform -1 1", "6x1x1 uniform -1 1"]}} {
  %0 = kiln.conv %x, %w bias %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 6 : tensor<1x6x20x30xf32>, tensor<6x1x3x3xf32>, tensor<6xf32> -> tensor<1x6x20x30xf32>
  %1 = kiln.hard_swish %0 : tensor<1x6x20x30xf32>
  %2 = kiln.mul %1, %s : tensor<1x6x20x30xf32>, tensor<6x1x1xf32> -> tensor<1x6x20x30xf32>
  %3 = kiln.add %2, %r : tensor<1x6x20x30xf32>, tensor<1x6x20x30xf32> -> tensor<1x6x20x30xf32>
  return %3 : tensor<1x6x20x30xf32>
}

func.func @depthwise_bytes(%x: tensor<1x6x20x30xi8>, %w: tensor<6x1x3x3xi8>) -> tensor<1x6x20x30xi32> attributes {kiln.test = {
    inputs = ["1x6x20x30 uniform -128 127", "6x1x3x3 uniform -128 127"]}} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 6 : tensor<1x6x20x30xi8>, tensor<6x1x3x3xi8> -> tensor<1x6x20x30xi32>
  return %0 : tensor<1x6x20x30xi32>
}

func.func @constant_window(%x: tensor<1x6x20x30xf32>) -> tensor<1x6x18x28xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["1x6x20x30 uniform -1 1"]}} {
  %w = kiln.constant dense<0.125> : tensor<6x1x3x3xf32>
  %b = kiln.constant dense<0.5> : tensor<6xf32>
  %0 = kiln.conv %x, %w bias %b strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 6 : tensor<1x6x20x30xf32>, tensor<6x1x3x3xf32>, tensor<6xf32> -> tensor<1x6x18x28xf32>
  return %0 : tensor<1x6x18x28xf32>
}

// Windows that hold pads count what lies in the input.
func.func @counts(%x: tensor<2x5x9x70xf32>, %y: tensor<2x3x50xf32>) -> (tensor<2x5x9x70xf32>, tensor<2x5x5x36xf32>, tensor<2x3x17xf32>) attributes {kiln.test = {
    types = [f16, bf16, f32], inputs = ["2x5x9x70 uniform -2 2", "2x3x50 uniform -2 2"], cases = [""]}} {
  %0 = kiln.avg_pool %x kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<2x5x9x70xf32> -> tensor<2x5x9x70xf32>
  %1 = kiln.avg_pool %x kernel [3, 2] strides [2, 2] pads [1, 1, 0, 1] dilations [1, 1] ceil_mode : tensor<2x5x9x70xf32> -> tensor<2x5x5x36xf32>
  %2 = kiln.avg_pool %y kernel [4] strides [3] pads [2, 0] dilations [1] : tensor<2x3x50xf32> -> tensor<2x3x17xf32>
  return %0, %1, %2 : tensor<2x5x9x70xf32>, tensor<2x5x5x36xf32>, tensor<2x3x17xf32>
}

// Extents that only run time knows: parts of planes.
func.func @unknown_max_far_pads(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f32, f16, i8], inputs = ["NxCxHxW"], cases = ["N=1 C=2 H=9 W=20", "N=2 C=1 H=5 W=5 specials", "N=1 C=1 H=13 W=300", "N=3 C=2 H=70 W=140", "N=1 C=1 H=1 W=1"]}} {
  %y = kiln.max_pool %x kernel [2, 2] strides [2, 1] pads [3, 3, 3, 3] dilations [1, 1] : tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @unknown_avg_ceil(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f32, bf16], inputs = ["NxCxHxW"], cases = ["N=1 C=2 H=9 W=20", "N=2 C=1 H=5 W=6", "N=1 C=1 H=13 W=301", "N=3 C=2 H=70 W=140", "N=1 C=1 H=2 W=2"]}} {
  %y = kiln.avg_pool %x kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] ceil_mode count_include_pad : tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @unknown_avg_plain(%x: tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32> attributes {kiln.test = {
    types = [f32], inputs = ["Nx3xHxW"], cases = ["N=1 H=9 W=20", "N=2 H=5 W=6", "N=1 H=13 W=301", "N=3 H=70 W=140"]}} {
  %y = kiln.avg_pool %x kernel [3, 2] strides [2, 3] pads [1, 0, 1, 1] dilations [1, 1] ceil_mode : tensor<?x3x?x?xf32> -> tensor<?x3x?x?xf32>
  %z = kiln.relu %y : tensor<?x3x?x?xf32>
  return %z : tensor<?x3x?x?xf32>
}

func.func @unknown_depthwise(%x: tensor<?x6x?x?xf32>, %w: tensor<6x1x3x5xf32>, %b: tensor<6xf32>, %s: tensor<6x1x1xf32>) -> tensor<?x6x?x?xf32> attributes {kiln.test = {
    types = [f32, f16], inputs = ["Nx6xHxW"], cases = ["N=1 H=9 W=20", "N=2 H=5 W=6", "N=1 H=13 W=301", "N=3 H=70 W=140"]}} {
  %y = kiln.conv %x, %w bias %b strides [1, 2] pads [1, 2, 1, 2] dilations [1, 1] groups 6 : tensor<?x6x?x?xf32>, tensor<6x1x3x5xf32>, tensor<6xf32> -> tensor<?x6x?x?xf32>
  %z = kiln.mul %y, %s : tensor<?x6x?x?xf32>, tensor<6x1x1xf32> -> tensor<?x6x?x?xf32>
  return %z : tensor<?x6x?x?xf32>
}

func.func @counts_behind_pads(%x: tensor<2x3x16x16xf32>, %l: tensor<1x2x5x5000xf32>) -> (tensor<2x3x9x9xf32>, tensor<1x2x3x2501xf32>) attributes {kiln.test = {
    types = [f32], cases = [""], inputs=["2x3x16x16", "1x2x5x5000"]}} {
  %y = kiln.avg_pool %x kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] ceil_mode count_include_pad : tensor<2x3x16x16xf32> -> tensor<2x3x9x9xf32>
  %z = kiln.avg_pool %l kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] ceil_mode count_include_pad : tensor<1x2x5x5000xf32> -> tensor<1x2x3x2501xf32>
  return %y, %z : tensor<2x3x9x9xf32>, tensor<1x2x3x2501xf32>
}

func.func @volumes(%x: tensor<?x2x?x?x?xf32>) -> (tensor<?x2x?x?x?xf32>, tensor<?x2x?x?x?xf32>, tensor<?x2x?x?x?xf32>) attributes {kiln.test = {
    types = [f32, f16], inputs = ["Nx2xDxHxW"], cases = ["N=1 D=4 H=9 W=20", "N=2 D=5 H=5 W=6", "N=1 D=3 H=13 W=31", "N=3 D=7 H=7 W=7"]}} {
  %y = kiln.max_pool %x kernel [2, 3, 2] strides [2, 1, 2] pads [0, 1, 0, 1, 1, 0] dilations [1, 1, 1] ceil_mode : tensor<?x2x?x?x?xf32> -> tensor<?x2x?x?x?xf32>
  %z = kiln.avg_pool %x kernel [2, 3, 2] strides [2, 2, 2] pads [1, 1, 0, 1, 1, 0] dilations [1, 1, 1] ceil_mode count_include_pad : tensor<?x2x?x?x?xf32> -> tensor<?x2x?x?x?xf32>
  %u = kiln.avg_pool %x kernel [2, 3, 2] strides [2, 2, 2] pads [1, 1, 0, 1, 1, 0] dilations [1, 1, 1] ceil_mode : tensor<?x2x?x?x?xf32> -> tensor<?x2x?x?x?xf32>
  return %y, %z, %u : tensor<?x2x?x?x?xf32>, tensor<?x2x?x?x?xf32>, tensor<?x2x?x?x?xf32>
}
