// binary.mlir: operations of two operands, broadcast along rows, in every type.

func.func @add(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -9 9", "N uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.add %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @add_int(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "N bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.add %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @sub(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -9 9", "N uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.sub %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @sub_int(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "N bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.sub %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @mul(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -9 9", "N uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.mul %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @mul_int(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "N bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.mul %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @div(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -9 9", "N uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.div %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @div_int(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "N bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.div %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @mod(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -9 9", "N uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.mod %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @mod_int(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "N bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.mod %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @rem(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -9 9", "N uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.rem %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @rem_int(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "N bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.rem %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @max(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN bits", "N bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.max %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @max_int(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "N bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.max %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @min(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN bits", "N bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.min %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @min_int(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "N bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.min %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @pow(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 0.1 4", "N uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.pow %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @pow_int(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64],
    inputs = ["MxN uniform -5 5", "N uniform -5 5"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.pow %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @pow_uint(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 9", "N uniform 0 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.pow %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @atan2(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -4 4", "N uniform -4 4"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.atan2 %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @and(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "N bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.and %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @or(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "N bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.or %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @xor(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "N bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.xor %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @shl(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "N uniform 0 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.shl %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @shr(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "N uniform 0 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.shr %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

// numpy's broadcasting from both sides.
func.func @broadcast_both(%a: tensor<?x1x?xf32>, %b: tensor<?x1xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i64, ui16],
    inputs = ["Kx1xN", "Mx1"],
    cases = ["K=2 M=3 N=5", "K=1 M=1 N=1", "K=4 M=9 N=33", "K=3 M=0 N=2"]}} {
  %y = kiln.add %a, %b : tensor<?x1x?xf32>, tensor<?x1xf32> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @scalar_operand(%a: tensor<?xf32>, %s: tensor<f32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i32, ui64],
    inputs = ["N", "scalar"],
    cases = ["N=1", "N=5", "N=1003", "N=0"]}} {
  %y = kiln.mul %a, %s : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
