// contraction.mlir: matrix products and convolutions over every shape that takes a path of its own.

func.func @matmul(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxK", "KxN"],
    cases = ["M=1 K=1 N=1", "M=5 K=7 N=3", "M=16 K=64 N=48", "M=33 K=17 N=65", "M=4 K=0 N=3", "M=0 K=3 N=4"]}} {
  %y = kiln.matmul %a, %b : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @matmul_transposed_b(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxK", "NxK"],
    cases = ["M=1 K=1 N=1", "M=5 K=7 N=3", "M=16 K=64 N=48", "M=33 K=17 N=65", "M=4 K=0 N=3", "M=0 K=3 N=4"]}} {
  %y = kiln.matmul %a, %b transB : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @matmul_transposed_a(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["KxM", "KxN"],
    cases = ["M=1 K=1 N=1", "M=5 K=7 N=3", "M=16 K=64 N=48", "M=33 K=17 N=65", "M=4 K=0 N=3", "M=0 K=3 N=4"]}} {
  %y = kiln.matmul %a, %b transA : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @matmul_both(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["KxM", "NxK"],
    cases = ["M=1 K=1 N=1", "M=5 K=7 N=3", "M=16 K=64 N=48", "M=33 K=17 N=65", "M=4 K=0 N=3", "M=0 K=3 N=4"]}} {
  %y = kiln.matmul %a, %b transA transB : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @matmul_int(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i32, i64, ui32, ui64],
    inputs = ["MxK", "KxN"],
    cases = ["M=1 K=1 N=1", "M=5 K=7 N=3", "M=16 K=64 N=48", "M=33 K=17 N=65", "M=4 K=0 N=3", "M=0 K=3 N=4"]}} {
  %y = kiln.matmul %a, %b : tensor<?x?xi32>, tensor<?x?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @matmul_i8(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> attributes {kiln.test = {
    inputs = ["MxK bits", "KxN bits"],
    cases = ["M=1 K=1 N=1", "M=5 K=7 N=3", "M=16 K=64 N=48", "M=33 K=17 N=65", "M=4 K=0 N=3", "M=0 K=3 N=4"]}} {
  %y = kiln.matmul %a, %b : tensor<?x?xi8>, tensor<?x?xi8> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @matmul_u8_i8(%a: tensor<?x?xui8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> attributes {kiln.test = {
    inputs = ["MxK bits", "KxN bits"],
    cases = ["M=1 K=1 N=1", "M=5 K=7 N=3", "M=16 K=64 N=48", "M=33 K=17 N=65", "M=4 K=0 N=3", "M=0 K=3 N=4"]}} {
  %y = kiln.matmul %a, %b : tensor<?x?xui8>, tensor<?x?xi8> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @row_times_matrix(%a: tensor<?xf32>, %b: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["K", "KxN"],
    cases = ["K=1 N=1", "K=7 N=33", "K=300 N=5"]}} {
  %y = kiln.matmul %a, %b : tensor<?xf32>, tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @matrix_times_column(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxK", "K"],
    cases = ["M=1 K=1", "M=33 K=7", "M=5 K=300"]}} {
  %y = kiln.matmul %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @batched(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["BxMxK", "BxKxN"],
    cases = ["B=1 M=2 K=3 N=4", "B=3 M=5 K=17 N=9", "B=2 M=0 K=3 N=2"]}} {
  %y = kiln.matmul %a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @batch_broadcast(%a: tensor<?x1x?x?xf32>, %b: tensor<?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["Bx1xMxK", "CxKxN"],
    cases = ["B=2 C=3 M=4 K=5 N=6", "B=1 C=1 M=1 K=1 N=1"]}} {
  %y = kiln.matmul %a, %b : tensor<?x1x?x?xf32>, tensor<?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// Beyond one block of any tile.
func.func @matmul_large(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32, bf16],
    inputs = ["MxK", "KxN"],
    cases = ["M=65 K=300 N=130", "M=128 K=128 N=128 full", "M=257 K=513 N=129 full"]}} {
  %y = kiln.matmul %a, %b : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// NaN and infinities go through.
func.func @matmul_specials(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["MxK", "KxN"],
    cases = ["M=3 K=2 N=5 specials", "M=2 K=9 N=2 specials"]}} {
  %y = kiln.matmul %a, %b : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @conv_3x3(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x3x3xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["BxCxHxW", "OxCx3x3"],
    cases = ["B=1 C=1 O=1 H=1 W=1", "B=2 C=3 O=5 H=7 W=11", "B=1 C=16 O=17 H=9 W=16"]}} {
  %y = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<?x?x?x?xf32>, tensor<?x?x3x3xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @conv_bias_stride(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x3x3xf32>, %b: tensor<?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, f32, f64],
    inputs = ["BxCxHxW", "OxCx3x3", "O"],
    cases = ["B=1 C=2 O=3 H=9 W=8", "B=2 C=4 O=8 H=17 W=33"]}} {
  %y = kiln.conv %x, %w bias %b strides [2, 2] pads [1, 0, 0, 1] dilations [1, 1] : tensor<?x?x?x?xf32>, tensor<?x?x3x3xf32>, tensor<?xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @conv_dilated(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x3x3xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["BxCxHxW", "OxCx3x3"],
    cases = ["B=1 C=3 O=4 H=9 W=10"]}} {
  %y = kiln.conv %x, %w strides [1, 1] pads [2, 2, 2, 2] dilations [2, 2] : tensor<?x?x?x?xf32>, tensor<?x?x3x3xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @conv_1x1(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x1x1xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32],
    inputs = ["BxCxHxW", "OxCx1x1"],
    cases = ["B=1 C=5 O=9 H=6 W=7", "B=2 C=32 O=33 H=8 W=8"]}} {
  %y = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<?x?x?x?xf32>, tensor<?x?x1x1xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @conv_grouped(%x: tensor<?x6x?x?xf32>, %w: tensor<9x2x3x3xf32>) -> tensor<?x9x?x?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["Bx6xHxW", "9x2x3x3"],
    cases = ["B=1 H=5 W=6", "B=2 H=9 W=17"]}} {
  %y = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 3 : tensor<?x6x?x?xf32>, tensor<9x2x3x3xf32> -> tensor<?x9x?x?xf32>
  return %y : tensor<?x9x?x?xf32>
}

func.func @conv_depthwise(%x: tensor<?x8x?x?xf32>, %w: tensor<8x1x3x3xf32>) -> tensor<?x8x?x?xf32> attributes {kiln.test = {
    types = [f16, f32],
    inputs = ["Bx8xHxW", "8x1x3x3"],
    cases = ["B=1 H=5 W=6", "B=2 H=9 W=33"]}} {
  %y = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 8 : tensor<?x8x?x?xf32>, tensor<8x1x3x3xf32> -> tensor<?x8x?x?xf32>
  return %y : tensor<?x8x?x?xf32>
}

func.func @conv_depthwise_stride(%x: tensor<?x8x?x?xf32>, %w: tensor<8x1x5x5xf32>) -> tensor<?x8x?x?xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["Bx8xHxW", "8x1x5x5"],
    cases = ["B=1 H=11 W=34"]}} {
  %y = kiln.conv %x, %w strides [2, 2] pads [2, 2, 2, 2] dilations [1, 1] groups 8 : tensor<?x8x?x?xf32>, tensor<8x1x5x5xf32> -> tensor<?x8x?x?xf32>
  return %y : tensor<?x8x?x?xf32>
}

func.func @conv_1d(%x: tensor<?x?x?xf32>, %w: tensor<?x?x5xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["BxCxL", "OxCx5"],
    cases = ["B=1 C=3 O=4 L=17", "B=2 C=1 O=1 L=5"]}} {
  %y = kiln.conv %x, %w strides [2] pads [2, 2] dilations [1] : tensor<?x?x?xf32>, tensor<?x?x5xf32> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @conv_3d(%x: tensor<?x?x?x?x?xf32>, %w: tensor<?x?x2x3x2xf32>) -> tensor<?x?x?x?x?xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["BxCxDxHxW", "OxCx2x3x2"],
    cases = ["B=1 C=2 O=3 D=4 H=5 W=6"]}} {
  %y = kiln.conv %x, %w strides [1, 2, 1] pads [0, 1, 0, 1, 1, 0] dilations [1, 1, 1] : tensor<?x?x?x?x?xf32>, tensor<?x?x2x3x2xf32> -> tensor<?x?x?x?x?xf32>
  return %y : tensor<?x?x?x?x?xf32>
}

func.func @conv_i8(%x: tensor<?x?x?x?xi8>, %w: tensor<?x?x3x3xi8>) -> tensor<?x?x?x?xi32> attributes {kiln.test = {
    inputs = ["BxCxHxW bits", "OxCx3x3 bits"],
    cases = ["B=1 C=3 O=4 H=5 W=7", "B=2 C=8 O=16 H=8 W=8"]}} {
  %y = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<?x?x?x?xi8>, tensor<?x?x3x3xi8> -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// Sums that wrap in i32.
func.func @matmul_16(%a: tensor<?x?xi16>, %b: tensor<?x?xi16>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i16, ui16],
    inputs = ["MxK bits", "KxN bits"],
    cases = ["M=5 K=17 N=33", "M=1 K=1 N=1", "M=16 K=64 N=48", "M=3 K=0 N=4"]}} {
  %y = kiln.matmul %a, %b : tensor<?x?xi16>, tensor<?x?xi16> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @matmul_bytes_wrap(%a: tensor<?x?xui8>, %b: tensor<?x?xui8>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [ui8, i8],
    inputs = ["MxK bits", "NxK bits"],
    cases = ["M=5 K=17 N=33", "M=2 K=3000 N=3"]}} {
  %y = kiln.matmul %a, %b transB : tensor<?x?xui8>, tensor<?x?xui8> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @conv_int(%x: tensor<?x?x?x?xi32>, %w: tensor<?x?x3x3xi32>, %b: tensor<?xi32>) -> tensor<?x?x?x?xi32> attributes {kiln.test = {
    types = [i32, i64, ui32, ui64],
    inputs = ["NxCxHxW bits", "OxCx3x3 bits", "O bits"],
    cases = ["N=1 C=2 H=5 W=9 O=3", "N=2 C=1 H=3 W=3 O=1"]}} {
  %y = kiln.conv %x, %w bias %b strides [1, 2] pads [1, 0, 1, 1] dilations [1, 1] : tensor<?x?x?x?xi32>, tensor<?x?x3x3xi32>, tensor<?xi32> -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

func.func @conv_16(%x: tensor<?x?x?x?xi16>, %w: tensor<?x?x3x3xi16>) -> tensor<?x?x?x?xi32> attributes {kiln.test = {
    types = [i16, ui16],
    inputs = ["NxCxHxW bits", "OxCx3x3 bits"],
    cases = ["N=1 C=2 H=5 W=9 O=3", "N=2 C=3 H=4 W=17 O=4"]}} {
  %y = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<?x?x?x?xi16>, tensor<?x?x3x3xi16> -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

func.func @conv_u8_i8(%x: tensor<?x?x?x?xui8>, %w: tensor<?x?x3x3xi8>) -> tensor<?x?x?x?xi32> attributes {kiln.test = {
    inputs = ["NxCxHxW bits", "OxCx3x3 bits"],
    cases = ["N=1 C=2 H=5 W=9 O=3", "N=2 C=3 H=4 W=17 O=4"]}} {
  %y = kiln.conv %x, %w strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] : tensor<?x?x?x?xui8>, tensor<?x?x3x3xi8> -> tensor<?x?x?x?xi32>
  return %y : tensor<?x?x?x?xi32>
}

// Batches of unknown number and extents, in a type that is widened.
func.func @batched_narrow(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16],
    inputs = ["BxMxK", "BxKxN"],
    cases = ["B=1 M=2 K=3 N=4", "B=3 M=5 K=17 N=9", "B=2 M=0 K=3 N=2"]}} {
  %y = kiln.matmul %a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
