// conv-transpose.mlir: transposed convolutions: one to three axes, strides, pads, dilations, groups, output padding, integers.

func.func @plane(%x: tensor<?x?x?x?xf32>, %w: tensor<3x4x3x3xf32>) -> tensor<?x4x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["Nx3xHxW", "3x4x3x3"],
    cases = ["N=1 H=5 W=7", "N=2 H=1 W=1", "N=1 H=9 W=16"]}} {
  %y = kiln.conv_transpose %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] output_padding [0, 0]
    : tensor<?x?x?x?xf32>, tensor<3x4x3x3xf32> -> tensor<?x4x?x?xf32>
  return %y : tensor<?x4x?x?xf32>
}

func.func @strides(%x: tensor<?x?x?x?xf32>, %w: tensor<3x4x3x3xf32>, %b: tensor<4xf32>) -> tensor<?x4x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["Nx3xHxW", "3x4x3x3", "4"],
    cases = ["N=1 H=5 W=7", "N=2 H=1 W=3", "N=1 H=8 W=16"]}} {
  %y = kiln.conv_transpose %x, %w bias %b strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] output_padding [1, 1]
    : tensor<?x?x?x?xf32>, tensor<3x4x3x3xf32>, tensor<4xf32> -> tensor<?x4x?x?xf32>
  return %y : tensor<?x4x?x?xf32>
}

// A window as large as the stride: no two overlap.
func.func @upsampling(%x: tensor<?x?x?x?xf32>, %w: tensor<4x2x2x2xf32>) -> tensor<?x2x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["Nx4xHxW", "4x2x2x2"],
    cases = ["N=1 H=5 W=7", "N=2 H=3 W=33"]}} {
  %y = kiln.conv_transpose %x, %w strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] output_padding [0, 0]
    : tensor<?x?x?x?xf32>, tensor<4x2x2x2xf32> -> tensor<?x2x?x?xf32>
  return %y : tensor<?x2x?x?xf32>
}

// A stride beyond the window: between them is the bias alone.
func.func @gaps(%x: tensor<?x?x?x?xf32>, %w: tensor<2x3x2x2xf32>, %b: tensor<3xf32>) -> tensor<?x3x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["Nx2xHxW", "2x3x2x2", "3"],
    cases = ["N=1 H=3 W=4", "N=1 H=1 W=9"]}} {
  %y = kiln.conv_transpose %x, %w bias %b strides [3, 4] pads [0, 0, 0, 0] dilations [1, 1] output_padding [0, 0]
    : tensor<?x?x?x?xf32>, tensor<2x3x2x2xf32>, tensor<3xf32> -> tensor<?x3x?x?xf32>
  return %y : tensor<?x3x?x?xf32>
}

func.func @groups(%x: tensor<?x?x?x?xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<?x6x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["Nx4xHxW", "4x3x3x3"],
    cases = ["N=1 H=5 W=7", "N=2 H=4 W=5"]}} {
  %y = kiln.conv_transpose %x, %w strides [2, 1] pads [1, 0, 0, 2] dilations [1, 1] output_padding [0, 0] groups 2
    : tensor<?x?x?x?xf32>, tensor<4x3x3x3xf32> -> tensor<?x6x?x?xf32>
  return %y : tensor<?x6x?x?xf32>
}

func.func @depthwise(%x: tensor<?x?x?x?xf32>, %w: tensor<5x1x3x3xf32>) -> tensor<?x5x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["Nx5xHxW", "5x1x3x3"],
    cases = ["N=1 H=5 W=7", "N=2 H=4 W=5"]}} {
  %y = kiln.conv_transpose %x, %w strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] output_padding [1, 0] groups 5
    : tensor<?x?x?x?xf32>, tensor<5x1x3x3xf32> -> tensor<?x5x?x?xf32>
  return %y : tensor<?x5x?x?xf32>
}

func.func @dilated(%x: tensor<?x?x?x?xf32>, %w: tensor<2x3x3x2xf32>) -> tensor<?x3x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["Nx2xHxW", "2x3x3x2"],
    cases = ["N=1 H=5 W=7", "N=1 H=4 W=9"]}} {
  %y = kiln.conv_transpose %x, %w strides [1, 2] pads [2, 1, 2, 1] dilations [2, 3] output_padding [0, 1]
    : tensor<?x?x?x?xf32>, tensor<2x3x3x2xf32> -> tensor<?x3x?x?xf32>
  return %y : tensor<?x3x?x?xf32>
}

func.func @line(%x: tensor<?x?x?xf32>, %w: tensor<3x2x5xf32>, %b: tensor<2xf32>) -> tensor<?x2x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["Nx3xL", "3x2x5", "2"],
    cases = ["N=1 L=7", "N=3 L=40", "N=2 L=1"]}} {
  %y = kiln.conv_transpose %x, %w bias %b strides [3] pads [2, 1] dilations [1] output_padding [2]
    : tensor<?x?x?xf32>, tensor<3x2x5xf32>, tensor<2xf32> -> tensor<?x2x?xf32>
  return %y : tensor<?x2x?xf32>
}

func.func @space(%x: tensor<?x?x?x?x?xf32>, %w: tensor<2x3x2x2x3xf32>) -> tensor<?x3x?x?x?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["Nx2xDxHxW", "2x3x2x2x3"],
    cases = ["N=1 D=3 H=4 W=5", "N=1 D=2 H=3 W=9"]}} {
  %y = kiln.conv_transpose %x, %w strides [1, 2, 1] pads [0, 1, 1, 0, 0, 1] dilations [1, 1, 1] output_padding [0, 0, 0]
    : tensor<?x?x?x?x?xf32>, tensor<2x3x2x2x3xf32> -> tensor<?x3x?x?x?xf32>
  return %y : tensor<?x3x?x?x?xf32>
}

func.func @integers_i8_i8(%x: tensor<?x3x?x?xi8>, %w: tensor<3x4x3x3xi8>, %b: tensor<4xi32>) -> tensor<?x4x?x?xi32> attributes {kiln.test = {
    inputs = ["Nx3xHxW bits", "3x4x3x3 bits", "4 bits"],
    cases = ["N=1 H=5 W=7", "N=2 H=4 W=9"]}} {
  %y = kiln.conv_transpose %x, %w bias %b strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] output_padding [0, 1]
    : tensor<?x3x?x?xi8>, tensor<3x4x3x3xi8>, tensor<4xi32> -> tensor<?x4x?x?xi32>
  return %y : tensor<?x4x?x?xi32>
}

func.func @integers_ui8_i8(%x: tensor<?x3x?x?xui8>, %w: tensor<3x4x3x3xi8>, %b: tensor<4xi32>) -> tensor<?x4x?x?xi32> attributes {kiln.test = {
    inputs = ["Nx3xHxW bits", "3x4x3x3 bits", "4 bits"],
    cases = ["N=1 H=5 W=7", "N=2 H=4 W=9"]}} {
  %y = kiln.conv_transpose %x, %w bias %b strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] output_padding [0, 1]
    : tensor<?x3x?x?xui8>, tensor<3x4x3x3xi8>, tensor<4xi32> -> tensor<?x4x?x?xi32>
  return %y : tensor<?x4x?x?xi32>
}

func.func @integers_ui8_ui8(%x: tensor<?x3x?x?xui8>, %w: tensor<3x4x3x3xui8>, %b: tensor<4xi32>) -> tensor<?x4x?x?xi32> attributes {kiln.test = {
    inputs = ["Nx3xHxW bits", "3x4x3x3 bits", "4 bits"],
    cases = ["N=1 H=5 W=7", "N=2 H=4 W=9"]}} {
  %y = kiln.conv_transpose %x, %w bias %b strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] output_padding [0, 1]
    : tensor<?x3x?x?xui8>, tensor<3x4x3x3xui8>, tensor<4xi32> -> tensor<?x4x?x?xi32>
  return %y : tensor<?x4x?x?xi32>
}

// They wrap.
func.func @integers_wide(%x: tensor<?x2x?xi32>, %w: tensor<2x3x3xi32>) -> tensor<?x3x?xi32> attributes {kiln.test = {
    types = [i32, i64, ui32, ui64],
    inputs = ["Nx2xL bits", "2x3x3 bits"],
    cases = ["N=1 L=7", "N=2 L=20"]}} {
  %y = kiln.conv_transpose %x, %w strides [2] pads [1, 0] dilations [1] output_padding [0] : tensor<?x2x?xi32>, tensor<2x3x3xi32> -> tensor<?x3x?xi32>
  return %y : tensor<?x3x?xi32>
}

func.func @integers_16(%x: tensor<?x2x?xi16>, %w: tensor<2x3x3xi16>) -> tensor<?x3x?xi32> attributes {kiln.test = {
    types = [i16, ui16],
    inputs = ["Nx2xL bits", "2x3x3 bits"],
    cases = ["N=1 L=7", "N=2 L=20"]}} {
  %y = kiln.conv_transpose %x, %w strides [2] pads [1, 0] dilations [1] output_padding [0] : tensor<?x2x?xi16>, tensor<2x3x3xi16> -> tensor<?x3x?xi32>
  return %y : tensor<?x3x?xi32>
}
