// select.mlir: comparisons, choices and tests of floats.

func.func @compare_eq(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -3 3", "N uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare eq %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_int_eq(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [i8, i16, i32, i64],
    inputs = ["MxN uniform -3 3", "N uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare eq %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_uint_eq(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 3", "N uniform 0 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare eq %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_ne(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -3 3", "N uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare ne %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_int_ne(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [i8, i16, i32, i64],
    inputs = ["MxN uniform -3 3", "N uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare ne %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_uint_ne(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 3", "N uniform 0 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare ne %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_lt(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -3 3", "N uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare lt %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_int_lt(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [i8, i16, i32, i64],
    inputs = ["MxN uniform -3 3", "N uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare lt %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_uint_lt(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 3", "N uniform 0 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare lt %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_le(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -3 3", "N uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare le %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_int_le(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [i8, i16, i32, i64],
    inputs = ["MxN uniform -3 3", "N uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare le %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_uint_le(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 3", "N uniform 0 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare le %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_gt(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -3 3", "N uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare gt %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_int_gt(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [i8, i16, i32, i64],
    inputs = ["MxN uniform -3 3", "N uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare gt %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_uint_gt(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 3", "N uniform 0 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare gt %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_ge(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -3 3", "N uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare ge %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_int_ge(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [i8, i16, i32, i64],
    inputs = ["MxN uniform -3 3", "N uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare ge %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @compare_uint_ge(%a: tensor<?x?xi32>, %b: tensor<?xi32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 3", "N uniform 0 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.compare ge %a, %b : tensor<?x?xi32>, tensor<?xi32> -> tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @select(%a: tensor<?x?xf32>, %b: tensor<?xf32>, %c: tensor<?x?xi1>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "N bits", "MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=5", "M=17 N=64"]}} {
  %y = kiln.select %c, %a, %b : tensor<?x?xi1>, tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @is_nan(%x: tensor<?x?xf32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN"],
    cases = ["M=5 N=67 specials", "M=1 N=1", "M=0 N=2"]}} {
  %y = kiln.is_nan %x : tensor<?x?xf32>
  return %y : tensor<?x?xi1>
}

func.func @is_inf(%x: tensor<?x?xf32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN"],
    cases = ["M=5 N=67 specials", "M=1 N=1", "M=0 N=2"]}} {
  %y = kiln.is_inf %x : tensor<?x?xf32>
  return %y : tensor<?x?xi1>
}
