// convert.mlir: element types from every type to every other.

func.func @float_to_f16(%x: tensor<?x?xf32>) -> tensor<?x?xf16> attributes {kiln.test = {
    types = [bf16, f32, f64],
    inputs = ["MxN uniform -300 300"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

func.func @int_to_f16(%x: tensor<?x?xi8>) -> tensor<?x?xf16> attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xi8> to tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

func.func @float_to_bf16(%x: tensor<?x?xf32>) -> tensor<?x?xbf16> attributes {kiln.test = {
    types = [f16, f32, f64],
    inputs = ["MxN uniform -300 300"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

func.func @int_to_bf16(%x: tensor<?x?xi8>) -> tensor<?x?xbf16> attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xi8> to tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

func.func @float_to_f32(%x: tensor<?x?xf64>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f64],
    inputs = ["MxN uniform -300 300"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xf64> to tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @int_to_f32(%x: tensor<?x?xi8>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xi8> to tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @float_to_f64(%x: tensor<?x?xf32>) -> tensor<?x?xf64> attributes {kiln.test = {
    types = [f16, bf16, f32],
    inputs = ["MxN uniform -300 300"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xf64>
  return %y : tensor<?x?xf64>
}

func.func @int_to_f64(%x: tensor<?x?xi8>) -> tensor<?x?xf64> attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xi8> to tensor<?x?xf64>
  return %y : tensor<?x?xf64>
}

func.func @float_to_i1(%x: tensor<?x?xf32>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -300 300"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @int_to_i1(%x: tensor<?x?xi8>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xi8> to tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @float_to_i8(%x: tensor<?x?xf32>) -> tensor<?x?xi8> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -300 300"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xi8>
  return %y : tensor<?x?xi8>
}

func.func @int_to_i8(%x: tensor<?x?xi16>) -> tensor<?x?xi8> attributes {kiln.test = {
    types = [i1, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xi16> to tensor<?x?xi8>
  return %y : tensor<?x?xi8>
}

func.func @float_to_i16(%x: tensor<?x?xf32>) -> tensor<?x?xi16> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -300 300"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xi16>
  return %y : tensor<?x?xi16>
}

func.func @int_to_i16(%x: tensor<?x?xi8>) -> tensor<?x?xi16> attributes {kiln.test = {
    types = [i1, i8, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xi8> to tensor<?x?xi16>
  return %y : tensor<?x?xi16>
}

func.func @float_to_i32(%x: tensor<?x?xf32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -300 300"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @int_to_i32(%x: tensor<?x?xi8>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i1, i8, i16, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xi8> to tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @float_to_i64(%x: tensor<?x?xf32>) -> tensor<?x?xi64> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -300 300"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xi64>
  return %y : tensor<?x?xi64>
}

func.func @int_to_i64(%x: tensor<?x?xi8>) -> tensor<?x?xi64> attributes {kiln.test = {
    types = [i1, i8, i16, i32, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xi8> to tensor<?x?xi64>
  return %y : tensor<?x?xi64>
}

func.func @float_to_ui8(%x: tensor<?x?xf32>) -> tensor<?x?xui8> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -300 300"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xui8>
  return %y : tensor<?x?xui8>
}

func.func @int_to_ui8(%x: tensor<?x?xi8>) -> tensor<?x?xui8> attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xi8> to tensor<?x?xui8>
  return %y : tensor<?x?xui8>
}

func.func @float_to_ui16(%x: tensor<?x?xf32>) -> tensor<?x?xui16> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -300 300"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xui16>
  return %y : tensor<?x?xui16>
}

func.func @int_to_ui16(%x: tensor<?x?xi8>) -> tensor<?x?xui16> attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui8, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xi8> to tensor<?x?xui16>
  return %y : tensor<?x?xui16>
}

func.func @float_to_ui32(%x: tensor<?x?xf32>) -> tensor<?x?xui32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -300 300"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xui32>
  return %y : tensor<?x?xui32>
}

func.func @int_to_ui32(%x: tensor<?x?xi8>) -> tensor<?x?xui32> attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui8, ui16, ui64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xi8> to tensor<?x?xui32>
  return %y : tensor<?x?xui32>
}

func.func @float_to_ui64(%x: tensor<?x?xf32>) -> tensor<?x?xui64> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -300 300"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xui64>
  return %y : tensor<?x?xui64>
}

func.func @int_to_ui64(%x: tensor<?x?xi8>) -> tensor<?x?xui64> attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui8, ui16, ui32],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=4"]}} {
  %y = kiln.convert %x : tensor<?x?xi8> to tensor<?x?xui64>
  return %y : tensor<?x?xui64>
}
