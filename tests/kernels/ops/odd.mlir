// odd.mlir: kernels as nobody writes them: long chains of mixed types, big ranks, several axes, limits of integers and f16.

// Ten conversions and what lies between.
func.func @chain_of_types(%x: tensor<?x?xf32>, %z: tensor<?xui8>) -> tensor<?x?xf16> attributes {kiln.test = {
    inputs = ["MxN uniform -300 300", "N bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=0 N=3", "M=9 N=16 specials"]}} {
  %0 = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xi16>
  %1 = kiln.convert %z : tensor<?xui8> to tensor<?xi16>
  %2 = kiln.add %0, %1 : tensor<?x?xi16>, tensor<?xi16> -> tensor<?x?xi16>
  %3 = kiln.convert %2 : tensor<?x?xi16> to tensor<?x?xui8>
  %4 = kiln.convert %3 : tensor<?x?xui8> to tensor<?x?xf64>
  %5 = kiln.sqrt %4 : tensor<?x?xf64>
  %6 = kiln.convert %5 : tensor<?x?xf64> to tensor<?x?xi4>
  %7 = kiln.convert %6 : tensor<?x?xi4> to tensor<?x?xf32>
  %8 = kiln.abs %7 : tensor<?x?xf32>
  %9 = kiln.convert %8 : tensor<?x?xf32> to tensor<?x?xi1>
  %10 = kiln.convert %9 : tensor<?x?xi1> to tensor<?x?xf16>
  %11 = kiln.convert %4 : tensor<?x?xf64> to tensor<?x?xf16>
  %y = kiln.sub %11, %10 : tensor<?x?xf16>, tensor<?x?xf16> -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

func.func @chain_of_booleans(%a: tensor<?x?xi1>, %b: tensor<?xi1>, %x: tensor<?x1xf32>) -> (tensor<?x?xi1>, tensor<?xi64>) attributes {kiln.test = {
    inputs = ["MxN bits", "N bits", "Mx1"],
    cases = ["M=3 N=67", "M=1 N=1", "M=0 N=3", "M=8 N=16 specials", "M=4 N=0"]}} {
  %0 = kiln.and %a, %b : tensor<?x?xi1>, tensor<?xi1> -> tensor<?x?xi1>
  %1 = kiln.xor %0, %a : tensor<?x?xi1>, tensor<?x?xi1> -> tensor<?x?xi1>
  %2 = kiln.not %1 : tensor<?x?xi1>
  %3 = kiln.is_nan %x : tensor<?x1xf32>
  %4 = kiln.or %2, %3 : tensor<?x?xi1>, tensor<?x1xi1> -> tensor<?x?xi1>
  %5 = kiln.compare gt %4, %a : tensor<?x?xi1>, tensor<?x?xi1> -> tensor<?x?xi1>
  %6 = kiln.select %5, %4, %b : tensor<?x?xi1>, tensor<?x?xi1>, tensor<?xi1> -> tensor<?x?xi1>
  %7 = kiln.convert %6 : tensor<?x?xi1> to tensor<?x?xi64>
  %8 = kiln.reduce sum %7 axes [1] : tensor<?x?xi64> -> tensor<?xi64>
  return %6, %8 : tensor<?x?xi1>, tensor<?xi64>
}

func.func @rank_8_elementwise(%a: tensor<?x?x?x?x?x?x?x?xf32>, %b: tensor<?x1x?x1xf32>) -> tensor<?x?x?x?x?x?x?x?xf32> attributes {kiln.test = {
    types = [f32, f16, f64],
    inputs = ["AxBxCxDxExFxGxH", "Ex1xGx1"],
    cases = ["A=2 B=1 C=3 D=2 E=2 F=3 G=2 H=5", "A=1 B=2 C=1 D=1 E=3 F=1 G=4 H=17", "A=1 B=1 C=1 D=1 E=1 F=1 G=1 H=1", "A=2 B=2 C=2 D=0 E=2 F=2 G=2 H=2"]}} {
  %0 = kiln.mul %a, %b : tensor<?x?x?x?x?x?x?x?xf32>, tensor<?x1x?x1xf32> -> tensor<?x?x?x?x?x?x?x?xf32>
  %y = kiln.tanh %0 : tensor<?x?x?x?x?x?x?x?xf32>
  return %y : tensor<?x?x?x?x?x?x?x?xf32>
}

func.func @rank_8_transpose(%a: tensor<?x?x?x?x?x?x?x?xf32>) -> tensor<?x?x?x?x?x?x?x?xf32> attributes {kiln.test = {
    types = [f32, i8, f16],
    inputs = ["AxBxCxDxExFxGxH bits"],
    cases = ["A=2 B=1 C=3 D=2 E=2 F=3 G=2 H=5", "A=3 B=2 C=2 D=2 E=2 F=2 G=2 H=3"]}} {
  %0 = kiln.transpose %a perm [7, 2, 5, 0, 3, 6, 1, 4] : tensor<?x?x?x?x?x?x?x?xf32> -> tensor<?x?x?x?x?x?x?x?xf32>
  %y = kiln.abs %0 : tensor<?x?x?x?x?x?x?x?xf32>
  return %y : tensor<?x?x?x?x?x?x?x?xf32>
}

func.func @rank_8_reduce(%a: tensor<?x?x?x?x?x?x?x?xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f32, f64, f16],
    inputs = ["AxBxCxDxExFxGxH"],
    cases = ["A=2 B=1 C=3 D=2 E=2 F=3 G=2 H=5", "A=3 B=2 C=2 D=2 E=2 F=2 G=2 H=3", "A=1 B=2 C=0 D=2 E=2 F=2 G=2 H=3"]}} {
  %0 = kiln.exp %a : tensor<?x?x?x?x?x?x?x?xf32>
  %y = kiln.reduce sum %0 axes [0, 2, 3, 5, 7] : tensor<?x?x?x?x?x?x?x?xf32> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// Not neighbours, with producers.
func.func @reduce_outer_and_inner(%x: tensor<?x?x?xf32>, %b: tensor<?x1xf32>) -> tensor<1x?x1xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["BxMxN", "Mx1"],
    cases = ["B=2 M=3 N=17", "B=1 M=1 N=1", "B=5 M=4 N=64", "B=3 M=7 N=2"]}} {
  %0 = kiln.add %x, %b : tensor<?x?x?xf32>, tensor<?x1xf32> -> tensor<?x?x?xf32>
  %1 = kiln.mul %0, %0 : tensor<?x?x?xf32>, tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  %y = kiln.reduce mean %1 axes [0, 2] keepdims : tensor<?x?x?xf32> -> tensor<1x?x1xf32>
  return %y : tensor<1x?x1xf32>
}

func.func @reduce_of_a_transpose(%x: tensor<?x?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f16, i32],
    inputs = ["BxMxN"],
    cases = ["B=2 M=3 N=17", "B=9 M=4 N=5", "B=2 M=0 N=3"]}} {
  %0 = kiln.transpose %x perm [2, 0, 1] : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  %1 = kiln.abs %0 : tensor<?x?x?xf32>
  %y = kiln.reduce max %1 axes [0, 2] : tensor<?x?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @softmax_of_a_transpose(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN"],
    cases = ["M=3 N=17", "M=33 N=1", "M=1 N=9", "M=16 N=16"]}} {
  %0 = kiln.transpose %x perm [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  %1 = kiln.softmax %0 axis -1 : tensor<?x?xf32>
  %y = kiln.transpose %1 perm [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @matmul_of_transposes(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["KxM", "NxK", "M"],
    cases = ["M=5 K=17 N=33", "M=1 K=1 N=1", "M=7 K=0 N=2"]}} {
  %at = kiln.transpose %a perm [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  %bt = kiln.transpose %b perm [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  %0 = kiln.matmul %at, %bt : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %1 = kiln.transpose %0 perm [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  %y = kiln.add %1, %c : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @conv_of_a_chain(%x: tensor<?x3x?x?xf32>, %w: tensor<4x3x3x3xf32>, %m: tensor<3x1x1xf32>) -> tensor<?x4x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["Nx3xHxW", "4x3x3x3", "3x1x1"],
    cases = ["N=1 H=5 W=7", "N=2 H=1 W=1", "N=1 H=9 W=33"]}} {
  %0 = kiln.sub %x, %m : tensor<?x3x?x?xf32>, tensor<3x1x1xf32> -> tensor<?x3x?x?xf32>
  %1 = kiln.relu %0 : tensor<?x3x?x?xf32>
  %2 = kiln.conv %1, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<?x3x?x?xf32>, tensor<4x3x3x3xf32> -> tensor<?x4x?x?xf32>
  %3 = kiln.sigmoid %2 : tensor<?x4x?x?xf32>
  %y = kiln.mul %2, %3 : tensor<?x4x?x?xf32>, tensor<?x4x?x?xf32> -> tensor<?x4x?x?xf32>
  return %y : tensor<?x4x?x?xf32>
}

func.func @pad_reverse_slice(%x: tensor<?x?xf32>, %v: tensor<f32>) -> tensor<?x5xf32> attributes {kiln.test = {
    types = [f32, f16, i32],
    inputs = ["MxN", "scalar"],
    cases = ["M=3 N=7", "M=1 N=0", "M=4 N=2"]}} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %0 = kiln.pad %x low [0, 3] high [0, 4] mode constant value %v : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf32>
  %1 = kiln.reverse %0 axes [1] : tensor<?x?xf32>
  %2 = kiln.slice %1 offsets [0, 1] sizes [%m, 5] strides [1, 1] : tensor<?x?xf32> -> tensor<?x5xf32>
  %y = kiln.neg %2 : tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

func.func @concat_of_producers(%x: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN", "MxK"],
    cases = ["M=3 N=5 K=9", "M=1 N=1 K=0", "M=2 N=0 K=0", "M=0 N=3 K=2"]}} {
  %0 = kiln.exp %x : tensor<?x?xf32>
  %1 = kiln.neg %z : tensor<?x?xf32>
  %2 = kiln.concat %0, %z, %1, %x axis 1 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %y = kiln.relu %2 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Rows that are not those of the input.
func.func @reshape_between(%x: tensor<?x?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["BxMxN"],
    cases = ["B=2 M=3 N=5", "B=1 M=1 N=1", "B=3 M=4 N=16"]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %n = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %bm = arith.muli %b, %m : index
  %0 = kiln.abs %x : tensor<?x?x?xf32>
  %1 = kiln.reshape %0 [%n, %bm] : tensor<?x?x?xf32> -> tensor<?x?xf32>
  %2 = kiln.softmax %1 axis 1 : tensor<?x?xf32>
  %3 = kiln.reshape %2 [%bm, %n] : tensor<?x?xf32> -> tensor<?x?xf32>
  %y = kiln.reduce sum %3 axes [0] keepdims : tensor<?x?xf32> -> tensor<1x?xf32>
  %z = kiln.add %3, %y : tensor<?x?xf32>, tensor<1x?xf32> -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

func.func @integer_limits(%x: tensor<?xui64>, %z: tensor<?xui64>) -> (tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>) attributes {kiln.test = {
    types = [ui64, i64, ui32, i32, ui16, i16, ui8, i8],
    inputs = ["N bits", "N bits"],
    cases = ["N=67", "N=40 specials", "N=33 specials seed=1"]}} {
  %a = kiln.add %x, %z : tensor<?xui64>, tensor<?xui64> -> tensor<?xui64>
  %b = kiln.mul %x, %z : tensor<?xui64>, tensor<?xui64> -> tensor<?xui64>
  %c = kiln.div %x, %z : tensor<?xui64>, tensor<?xui64> -> tensor<?xui64>
  %d = kiln.mod %x, %z : tensor<?xui64>, tensor<?xui64> -> tensor<?xui64>
  %e = kiln.max %a, %b : tensor<?xui64>, tensor<?xui64> -> tensor<?xui64>
  return %a, %b, %c, %d, %e : tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>
}

func.func @integer_shifts_and_powers(%x: tensor<?xui64>, %z: tensor<?xui64>) -> (tensor<?xui64>, tensor<?xui64>, tensor<?xui64>) attributes {kiln.test = {
    types = [ui64, i64, ui32, i16, ui8],
    inputs = ["N bits", "N uniform 0 70"],
    cases = ["N=67", "N=40 specials"]}} {
  %a = kiln.shl %x, %z : tensor<?xui64>, tensor<?xui64> -> tensor<?xui64>
  %b = kiln.shr %x, %z : tensor<?xui64>, tensor<?xui64> -> tensor<?xui64>
  %c = kiln.pow %x, %z : tensor<?xui64>, tensor<?xui64> -> tensor<?xui64>
  return %a, %b, %c : tensor<?xui64>, tensor<?xui64>, tensor<?xui64>
}

func.func @integers_to_floats_and_back(%x: tensor<?xui64>) -> (tensor<?xui64>, tensor<?xui64>) attributes {kiln.test = {
    types = [ui64, i64, ui32, i32],
    inputs = ["N bits"],
    cases = ["N=67", "N=40 specials"]}} {
  %0 = kiln.convert %x : tensor<?xui64> to tensor<?xf32>
  %1 = kiln.convert %0 : tensor<?xf32> to tensor<?xui64>
  %2 = kiln.convert %x : tensor<?xui64> to tensor<?xf64>
  %3 = kiln.convert %2 : tensor<?xf64> to tensor<?xui64>
  return %1, %3 : tensor<?xui64>, tensor<?xui64>
}

// Infinity minus itself is NaN, in one kernel or in two.
func.func @f16_overflows(%x: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?x?xf16>, tensor<?xf16>) attributes {kiln.test = {
    inputs = ["MxN uniform -3 3"],
    cases = ["M=3 N=67", "M=2 N=5 specials"]}} {
  %c = kiln.constant dense<40000.0> : tensor<f16>
  %0 = kiln.mul %x, %c : tensor<?x?xf16>, tensor<f16> -> tensor<?x?xf16>
  %1 = kiln.exp %0 : tensor<?x?xf16>
  %2 = kiln.sub %0, %0 : tensor<?x?xf16>, tensor<?x?xf16> -> tensor<?x?xf16>
  %3 = kiln.reduce sum %0 axes [1] : tensor<?x?xf16> -> tensor<?xf16>
  return %1, %2, %3 : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?xf16>
}

func.func @f16_denormals(%x: tensor<?xf16>) -> (tensor<?xf16>, tensor<?xf16>) attributes {kiln.test = {
    inputs = ["N uniform -9 9"],
    cases = ["N=67", "N=20 specials"]}} {
  %c = kiln.constant dense<6.0e-8> : tensor<f16>
  %0 = kiln.mul %x, %c : tensor<?xf16>, tensor<f16> -> tensor<?xf16>
  %1 = kiln.div %0, %c : tensor<?xf16>, tensor<f16> -> tensor<?xf16>
  return %0, %1 : tensor<?xf16>, tensor<?xf16>
}

func.func @storage_round_trip(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN uniform -30 30"],
    cases = ["M=3 N=67", "M=5 N=9 specials"]}} {
  %0 = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xf8E4M3FN>
  %1 = kiln.convert %0 : tensor<?x?xf8E4M3FN> to tensor<?x?xbf16>
  %2 = kiln.mul %1, %1 : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xbf16>
  %3 = kiln.convert %2 : tensor<?x?xbf16> to tensor<?x?xf8E5M2>
  %y = kiln.convert %3 : tensor<?x?xf8E5M2> to tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// One input, five ways through it.
func.func @many_results(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xi64>, tensor<?x?xf32>, tensor<?x?xi1>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN"],
    cases = ["M=3 N=17", "M=1 N=1", "M=33 N=64"]}} {
  %0 = kiln.exp %x : tensor<?x?xf32>
  %1 = kiln.reduce sum %0 axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  %2 = kiln.reduce max %x axes [0] : tensor<?x?xf32> -> tensor<?xf32>
  %3 = kiln.arg_reduce max %x axis 1 : tensor<?x?xf32> -> tensor<?xi64>
  %4 = kiln.transpose %0 perm [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  %5 = kiln.compare gt %0, %x : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xi1>
  return %1, %2, %3, %4, %5 : tensor<?xf32>, tensor<?xf32>, tensor<?xi64>, tensor<?x?xf32>, tensor<?x?xi1>
}

// An input as it came, and one value twice.
func.func @input_returned(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) attributes {kiln.test = {
    types = [f32, i8, i64],
    inputs = ["MxN"],
    cases = ["M=3 N=5", "M=0 N=2"]}} {
  %y = kiln.neg %x : tensor<?x?xf32>
  return %x, %y, %y : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @empty_reductions(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN"],
    cases = ["M=3 N=0", "M=0 N=0", "M=2 N=1"]}} {
  %0 = kiln.reduce sum %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  %1 = kiln.reduce max %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  %2 = kiln.reduce mean %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  %3 = kiln.reduce log_sum_exp %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @scalars_all_the_way(%x: tensor<f32>, %z: tensor<f32>) -> tensor<f32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["scalar", "scalar"],
    cases = [""]}} {
  %0 = kiln.add %x, %z : tensor<f32>, tensor<f32> -> tensor<f32>
  %1 = kiln.reduce sum %0 axes [] : tensor<f32> -> tensor<f32>
  %2 = kiln.reshape %1 [1, 1] : tensor<f32> -> tensor<1x1xf32>
  %3 = kiln.softmax %2 axis 0 : tensor<1x1xf32>
  %4 = kiln.reshape %3 [] : tensor<1x1xf32> -> tensor<f32>
  %y = kiln.mul %4, %0 : tensor<f32>, tensor<f32> -> tensor<f32>
  return %y : tensor<f32>
}

// 4-bit integers that are returned and read again.
func.func @packed_twice(%x: tensor<1x?x?xf32>, %s: tensor<f32>, %z: tensor<1x?x?xf32>) -> (tensor<1x?x?xi1>, tensor<1x?x?xi4>) attributes {kiln.test = {
    inputs = ["1xAxB", "scalar uniform 0.1 0.3", "1xAxB"],
    cases = ["A=33 B=17", "A=16 B=1", "A=3 B=3 specials"]}} {
  %0 = kiln.tanh %x : tensor<1x?x?xf32>
  %1 = kiln.quantize %0 scale %s : tensor<1x?x?xf32>, tensor<f32> -> tensor<1x?x?xi4>
  %2 = kiln.dequantize %1 scale %s : tensor<1x?x?xi4>, tensor<f32> -> tensor<1x?x?xf32>
  %3 = kiln.compare le %2, %z : tensor<1x?x?xf32>, tensor<1x?x?xf32> -> tensor<1x?x?xi1>
  return %3, %1 : tensor<1x?x?xi1>, tensor<1x?x?xi4>
}

// An extent of 0 beside extents that are not known.
func.func @sort_nothing(%x: tensor<?x?x?x?xui8>, %w: tensor<?x?xui8>) -> (tensor<?x?x?x?xi64>, tensor<?x?x?x?xi32>) attributes {kiln.test = {
    inputs = ["CxBxBxA", "AxB"],
    cases = ["A=33 B=5 C=1", "A=4 B=7 C=0", "A=2 B=8 C=17"]}} {
  %0 = kiln.transpose %x perm [0, 1, 2, 3] : tensor<?x?x?x?xui8> -> tensor<?x?x?x?xui8>
  %v, %i = kiln.sort %0 axis 3 descending : tensor<?x?x?x?xui8> -> tensor<?x?x?x?xui8>, tensor<?x?x?x?xi64>
  %1 = kiln.matmul %v, %w : tensor<?x?x?x?xui8>, tensor<?x?xui8> -> tensor<?x?x?x?xi32>
  %2 = kiln.reverse %i axes [0, 1, 3] : tensor<?x?x?x?xi64>
  return %2, %1 : tensor<?x?x?x?xi64>, tensor<?x?x?x?xi32>
}
