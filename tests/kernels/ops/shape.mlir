// shape.mlir: ops that move elements, in every type.

// Whole squares, and what is left of them, of every width of element.
func.func @transpose_squares(%x: tensor<70x83xf32>) -> tensor<83x70xf32> attributes {kiln.test = {
    types = [f16, f32, f64, i1, i8, ui16, i64],
    inputs = ["70x83 bits"]}} {
  %y = kiln.transpose %x perm [1, 0] : tensor<70x83xf32> -> tensor<83x70xf32>
  return %y : tensor<83x70xf32>
}

func.func @transpose_inner(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["KxMxN bits"],
    cases = ["K=1 M=1 N=1", "K=2 M=3 N=5", "K=4 M=17 N=33", "K=3 M=0 N=2"]}} {
  %y = kiln.transpose %x perm [0, 2, 1] : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// Planes to pairs of neighbours.
func.func @transpose_to_pairs(%x: tensor<?x2x?xf32>) -> tensor<?x?x2xf32> attributes {kiln.test = {
    types = [f16, f32, f64, i8, i64],
    inputs = ["Mx2xN bits"],
    cases = ["M=2 N=67", "M=1 N=16", "M=3 N=5"]}} {
  %y = kiln.transpose %x perm [0, 2, 1] : tensor<?x2x?xf32> -> tensor<?x?x2xf32>
  return %y : tensor<?x?x2xf32>
}

// Planes to triples of neighbours.
func.func @transpose_to_triples(%x: tensor<?x3x?xf32>) -> tensor<?x?x3xf32> attributes {kiln.test = {
    types = [f16, f32, f64, i8, i64],
    inputs = ["Mx3xN bits"],
    cases = ["M=2 N=67", "M=1 N=16", "M=3 N=5"]}} {
  %y = kiln.transpose %x perm [0, 2, 1] : tensor<?x3x?xf32> -> tensor<?x?x3xf32>
  return %y : tensor<?x?x3xf32>
}

// Planes to quads of neighbours.
func.func @transpose_to_quads(%x: tensor<?x4x?xf32>) -> tensor<?x?x4xf32> attributes {kiln.test = {
    types = [f16, f32, f64, i8, i64],
    inputs = ["Mx4xN bits"],
    cases = ["M=2 N=67", "M=1 N=16", "M=3 N=5"]}} {
  %y = kiln.transpose %x perm [0, 2, 1] : tensor<?x4x?xf32> -> tensor<?x?x4xf32>
  return %y : tensor<?x?x4xf32>
}

func.func @transpose_all(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f16, f32, f64, i1, i8, ui16, i64],
    inputs = ["KxMxN bits"],
    cases = ["K=1 M=1 N=1", "K=2 M=3 N=5", "K=4 M=17 N=33", "K=3 M=0 N=2"]}} {
  %y = kiln.transpose %x perm [2, 1, 0] : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @transpose_outer(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f16, f32, f64, i1, i8, ui16, i64],
    inputs = ["KxMxN bits"],
    cases = ["K=1 M=1 N=1", "K=2 M=3 N=5", "K=4 M=17 N=33", "K=3 M=0 N=2"]}} {
  %y = kiln.transpose %x perm [1, 0, 2] : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @transpose_rotate(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f16, f32, f64, i1, i8, ui16, i64],
    inputs = ["KxMxN bits"],
    cases = ["K=1 M=1 N=1", "K=2 M=3 N=5", "K=4 M=17 N=33", "K=3 M=0 N=2"]}} {
  %y = kiln.transpose %x perm [1, 2, 0] : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @reverse_rows(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["KxMxN bits"],
    cases = ["K=1 M=1 N=1", "K=2 M=3 N=5", "K=4 M=17 N=33", "K=3 M=0 N=2"]}} {
  %y = kiln.reverse %x axes [-1] : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @reverse_two(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f16, f32, f64, i1, i8, ui16, i64],
    inputs = ["KxMxN bits"],
    cases = ["K=1 M=1 N=1", "K=2 M=3 N=5", "K=4 M=17 N=33", "K=3 M=0 N=2"]}} {
  %y = kiln.reverse %x axes [0, 2] : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @reshape_flat(%x: tensor<?x?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, f32, f64, i1, i8, ui16, i64],
    inputs = ["KxMxN bits"],
    cases = ["K=1 M=1 N=1", "K=2 M=3 N=5", "K=4 M=17 N=33", "K=3 M=0 N=2"]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %n = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %km = arith.muli %k, %m : index
  %kmn = arith.muli %km, %n : index
  %y = kiln.reshape %x [%kmn] : tensor<?x?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @broadcast_rows(%x: tensor<?x1xf32>) -> tensor<3x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["Mx1 bits"],
    cases = ["M=1", "M=7", "M=0"]}} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1xf32>
  %y = kiln.broadcast %x [3, %m, 5] : tensor<?x1xf32> -> tensor<3x?x?xf32>
  return %y : tensor<3x?x?xf32>
}

func.func @slice_steps(%x: tensor<9x?xf32>) -> tensor<4x5xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["9xN bits"],
    cases = ["N=15", "N=16", "N=40"]}} {
  %y = kiln.slice %x offsets [1, 2] sizes [4, 5] strides [2, 3] : tensor<9x?xf32> -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

func.func @slice_rows(%x: tensor<?x?xf32>) -> tensor<2x?xf32> attributes {kiln.test = {
    types = [f16, f32, f64, i1, i8, ui16, i64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=1", "M=4 N=67"]}} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = kiln.slice %x offsets [1, 0] sizes [2, %n] strides [1, 1] : tensor<?x?xf32> -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

func.func @concat_columns(%x: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "MxP bits"],
    cases = ["M=1 N=1 P=1", "M=3 N=17 P=5", "M=2 N=0 P=3", "M=4 N=8 P=0"]}} {
  %y = kiln.concat %x, %z, %x axis 1 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @concat_rows(%x: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, f32, f64, i1, i8, ui16, i64],
    inputs = ["MxN bits", "PxN bits"],
    cases = ["M=1 N=1 P=1", "M=3 N=17 P=5"]}} {
  %y = kiln.concat %x, %z axis 0 : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @pad_constant(%x: tensor<?x?xf32>, %v: tensor<f32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "scalar"],
    cases = ["M=1 N=1", "M=5 N=33", "M=0 N=3"]}} {
  %y = kiln.pad %x low [1, 2] high [0, 3] mode constant value %v : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @pad_edge(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, f32, f64, i1, i8, ui16, i64],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=5 N=33"]}} {
  %y = kiln.pad %x low [1, 2] high [1, 3] mode edge : tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @pad_reflect(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, f32, f64, i1, i8, ui16, i64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=4", "M=5 N=33"]}} {
  %y = kiln.pad %x low [1, 2] high [1, 3] mode reflect : tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @pad_wrap(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, f32, f64, i1, i8, ui16, i64],
    inputs = ["MxN bits"],
    cases = ["M=2 N=3", "M=5 N=33"]}} {
  %y = kiln.pad %x low [1, 2] high [1, 3] mode wrap : tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @iota(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=300", "M=0 N=2"]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = kiln.iota axis 1 [%m, %n] : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @iota_rows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32, i64, ui8],
    inputs = ["MxN"],
    cases = ["M=300 N=3", "M=5 N=17"]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = kiln.iota axis 0 [%m, %n] : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @reshape_any(%x: tensor<?x6xf32>) -> tensor<?x2x3xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["Mx6 bits"],
    cases = ["M=3", "M=1", "M=0"]}} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x6xf32>
  %y = kiln.reshape %x [%m, 2, 3] : tensor<?x6xf32> -> tensor<?x2x3xf32>
  return %y : tensor<?x2x3xf32>
}
