// math.mlir: functions of one float, in every type, on ordinary and on special values.

func.func @exp(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -10 10"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.exp %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @expm1(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.expm1 %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @log(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 0.01 50"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.log %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @log1p(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -0.9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.log1p %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @sqrt(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 0 50"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.sqrt %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @rsqrt(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 0.01 50"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.rsqrt %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @sin(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -20 20"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.sin %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @cos(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -20 20"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.cos %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @tan(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -1.5 1.5"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.tan %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @asin(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -1 1"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.asin %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @acos(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -1 1"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.acos %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @atan(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.atan %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @sinh(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -8 8"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.sinh %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @cosh(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -8 8"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.cosh %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @tanh(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -4 4"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.tanh %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @asinh(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -30 30"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.asinh %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @acosh(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 1 30"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.acosh %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @atanh(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -0.99 0.99"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.atanh %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @erf(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.erf %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @ceil(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.ceil %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @floor(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.floor %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @round(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.round %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @reciprocal(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.reciprocal %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @neg(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.neg %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @neg_int(%x: tensor<?x?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.neg %x : tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @abs(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.abs %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @abs_int(%x: tensor<?x?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.abs %x : tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @sign(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.sign %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @sign_int(%x: tensor<?x?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.sign %x : tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @not(%x: tensor<?x?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.not %x : tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

// Arguments of any size: reduced by as many bits of pi as it takes.
func.func @sin_of_anything(%x: tensor<?xf64>) -> tensor<?xf64> attributes {kiln.test = {
    types = [f64, f32, bf16],
    inputs = ["N bits"],
    cases = ["N=700", "N=33 specials", "N=100 specials seed=1", "N=5000 full"]}} {
  %y = kiln.sin %x : tensor<?xf64>
  return %y : tensor<?xf64>
}

func.func @cos_of_anything(%x: tensor<?xf64>) -> tensor<?xf64> attributes {kiln.test = {
    types = [f64, f32, bf16],
    inputs = ["N bits"],
    cases = ["N=700", "N=33 specials", "N=100 specials seed=1", "N=5000 full"]}} {
  %y = kiln.cos %x : tensor<?xf64>
  return %y : tensor<?xf64>
}

func.func @tan_of_anything(%x: tensor<?xf64>) -> tensor<?xf64> attributes {kiln.test = {
    types = [f64, f32, bf16],
    inputs = ["N bits"],
    cases = ["N=700", "N=33 specials", "N=100 specials seed=1", "N=5000 full"]}} {
  %y = kiln.tan %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
