// storage.mlir: bitcasts, and types that are only stored: fp8 and 4-bit integers moved, converted and returned.

func.func @bitcast_f32_to_i32(%x: tensor<?x?xf32>) -> tensor<?x?xi32> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xf32> to tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @bitcast_f32_to_ui32(%x: tensor<?x?xf32>) -> tensor<?x?xui32> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xf32> to tensor<?x?xui32>
  return %y : tensor<?x?xui32>
}

func.func @bitcast_f16_to_i16(%x: tensor<?x?xf16>) -> tensor<?x?xi16> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xf16> to tensor<?x?xi16>
  return %y : tensor<?x?xi16>
}

func.func @bitcast_f16_to_bf16(%x: tensor<?x?xf16>) -> tensor<?x?xbf16> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0"]}} {
  %y = kiln.bitcast %x : tensor<?x?xf16> to tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

func.func @bitcast_f16_to_ui16(%x: tensor<?x?xf16>) -> tensor<?x?xui16> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xf16> to tensor<?x?xui16>
  return %y : tensor<?x?xui16>
}

func.func @bitcast_bf16_to_ui16(%x: tensor<?x?xbf16>) -> tensor<?x?xui16> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xbf16> to tensor<?x?xui16>
  return %y : tensor<?x?xui16>
}

func.func @bitcast_bf16_to_i16(%x: tensor<?x?xbf16>) -> tensor<?x?xi16> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xbf16> to tensor<?x?xi16>
  return %y : tensor<?x?xi16>
}

func.func @bitcast_f64_to_i64(%x: tensor<?x?xf64>) -> tensor<?x?xi64> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xf64> to tensor<?x?xi64>
  return %y : tensor<?x?xi64>
}

func.func @bitcast_f64_to_ui64(%x: tensor<?x?xf64>) -> tensor<?x?xui64> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xf64> to tensor<?x?xui64>
  return %y : tensor<?x?xui64>
}

func.func @bitcast_i8_to_ui8(%x: tensor<?x?xi8>) -> tensor<?x?xui8> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xi8> to tensor<?x?xui8>
  return %y : tensor<?x?xui8>
}

func.func @bitcast_i8_to_f8e4m3fn(%x: tensor<?x?xi8>) -> tensor<?x?xf8E4M3FN> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0"]}} {
  %y = kiln.bitcast %x : tensor<?x?xi8> to tensor<?x?xf8E4M3FN>
  return %y : tensor<?x?xf8E4M3FN>
}

func.func @bitcast_ui8_to_f8e5m2(%x: tensor<?x?xui8>) -> tensor<?x?xf8E5M2> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0"]}} {
  %y = kiln.bitcast %x : tensor<?x?xui8> to tensor<?x?xf8E5M2>
  return %y : tensor<?x?xf8E5M2>
}

func.func @bitcast_f8e4m3fn_to_ui8(%x: tensor<?x?xf8E4M3FN>) -> tensor<?x?xui8> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xf8E4M3FN> to tensor<?x?xui8>
  return %y : tensor<?x?xui8>
}

func.func @bitcast_f8e5m2_to_i8(%x: tensor<?x?xf8E5M2>) -> tensor<?x?xi8> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xf8E5M2> to tensor<?x?xi8>
  return %y : tensor<?x?xi8>
}

func.func @bitcast_f8e5m2_to_f8e4m3fn(%x: tensor<?x?xf8E5M2>) -> tensor<?x?xf8E4M3FN> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0"]}} {
  %y = kiln.bitcast %x : tensor<?x?xf8E5M2> to tensor<?x?xf8E4M3FN>
  return %y : tensor<?x?xf8E4M3FN>
}

func.func @bitcast_i4_to_ui4(%x: tensor<?x?xi4>) -> tensor<?x?xui4> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xi4> to tensor<?x?xui4>
  return %y : tensor<?x?xui4>
}

func.func @bitcast_ui4_to_i4(%x: tensor<?x?xui4>) -> tensor<?x?xi4> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xui4> to tensor<?x?xi4>
  return %y : tensor<?x?xi4>
}

func.func @bitcast_i32_to_f32(%x: tensor<?x?xi32>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0"]}} {
  %y = kiln.bitcast %x : tensor<?x?xi32> to tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @bitcast_ui16_to_bf16(%x: tensor<?x?xui16>) -> tensor<?x?xbf16> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0"]}} {
  %y = kiln.bitcast %x : tensor<?x?xui16> to tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

func.func @bitcast_i16_to_f16(%x: tensor<?x?xi16>) -> tensor<?x?xf16> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0"]}} {
  %y = kiln.bitcast %x : tensor<?x?xi16> to tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

func.func @bitcast_ui64_to_f64(%x: tensor<?x?xui64>) -> tensor<?x?xf64> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0"]}} {
  %y = kiln.bitcast %x : tensor<?x?xui64> to tensor<?x?xf64>
  return %y : tensor<?x?xf64>
}

func.func @bitcast_i32_to_ui32(%x: tensor<?x?xi32>) -> tensor<?x?xui32> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xi32> to tensor<?x?xui32>
  return %y : tensor<?x?xui32>
}

func.func @bitcast_ui32_to_f32(%x: tensor<?x?xui32>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0"]}} {
  %y = kiln.bitcast %x : tensor<?x?xui32> to tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @bitcast_ui64_to_i64(%x: tensor<?x?xui64>) -> tensor<?x?xi64> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xui64> to tensor<?x?xi64>
  return %y : tensor<?x?xi64>
}

func.func @bitcast_ui8_to_i8(%x: tensor<?x?xui8>) -> tensor<?x?xi8> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xui8> to tensor<?x?xi8>
  return %y : tensor<?x?xi8>
}

func.func @bitcast_ui16_to_f16(%x: tensor<?x?xui16>) -> tensor<?x?xf16> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0"]}} {
  %y = kiln.bitcast %x : tensor<?x?xui16> to tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

func.func @bitcast_ui32_to_i32(%x: tensor<?x?xui32>) -> tensor<?x?xi32> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xui32> to tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @bitcast_i64_to_f64(%x: tensor<?x?xi64>) -> tensor<?x?xf64> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0"]}} {
  %y = kiln.bitcast %x : tensor<?x?xi64> to tensor<?x?xf64>
  return %y : tensor<?x?xf64>
}

func.func @bitcast_i16_to_ui16(%x: tensor<?x?xi16>) -> tensor<?x?xui16> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xi16> to tensor<?x?xui16>
  return %y : tensor<?x?xui16>
}

func.func @bitcast_i1_to_i1(%x: tensor<?x?xi1>) -> tensor<?x?xi1> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=2 N=0", "M=5 N=9 specials"]}} {
  %y = kiln.bitcast %x : tensor<?x?xi1> to tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @move_transpose(%x: tensor<?x?xi4>) -> tensor<?x?xi4> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["MxN bits"],
    cases = ["M=3 N=5", "M=7 N=33", "M=1 N=1"]}} {
  %y = kiln.transpose %x perm [1, 0] : tensor<?x?xi4> -> tensor<?x?xi4>
  return %y : tensor<?x?xi4>
}

func.func @move_reshape(%x: tensor<?x3xi4>) -> tensor<?xi4> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["Mx3 bits"],
    cases = ["M=5", "M=1", "M=8"]}} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %m = tensor.dim %x, %c0 : tensor<?x3xi4>
  %n = arith.muli %m, %c3 : index
  %y = kiln.reshape %x [%n] : tensor<?x3xi4> -> tensor<?xi4>
  return %y : tensor<?xi4>
}

func.func @move_slice(%x: tensor<?x9xi4>) -> tensor<?x4xi4> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["Mx9 bits"],
    cases = ["M=5", "M=1"]}} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x9xi4>
  %y = kiln.slice %x offsets [0, 1] sizes [%m, 4] strides [1, 2] : tensor<?x9xi4> -> tensor<?x4xi4>
  return %y : tensor<?x4xi4>
}

func.func @move_concat(%x: tensor<?x3xi4>, %z: tensor<?x4xi4>) -> tensor<?x7xi4> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["Mx3 bits", "Mx4 bits"],
    cases = ["M=5", "M=1"]}} {
  %y = kiln.concat %x, %z axis 1 : tensor<?x3xi4>, tensor<?x4xi4> -> tensor<?x7xi4>
  return %y : tensor<?x7xi4>
}

func.func @move_broadcast(%x: tensor<?x1xi4>) -> tensor<?x5xi4> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["Mx1 bits"],
    cases = ["M=5", "M=2"]}} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1xi4>
  %y = kiln.broadcast %x [%m, 5] : tensor<?x1xi4> -> tensor<?x5xi4>
  return %y : tensor<?x5xi4>
}

func.func @move_pad(%x: tensor<?x5xi4>, %v: tensor<i4>) -> tensor<?x9xi4> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["Mx5 bits", "scalar bits"],
    cases = ["M=3", "M=2"]}} {
  %y = kiln.pad %x low [0, 1] high [0, 3] mode constant value %v : tensor<?x5xi4>, tensor<i4> -> tensor<?x9xi4>
  return %y : tensor<?x9xi4>
}

func.func @move_reverse(%x: tensor<?x5xi4>) -> tensor<?x5xi4> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["Mx5 bits"],
    cases = ["M=3", "M=2"]}} {
  %y = kiln.reverse %x axes [0, 1] : tensor<?x5xi4>
  return %y : tensor<?x5xi4>
}

func.func @widen_to_f16(%x: tensor<?x?xi4>) -> tensor<?x?xf16> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.convert %x : tensor<?x?xi4> to tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

func.func @widen_to_bf16(%x: tensor<?x?xi4>) -> tensor<?x?xbf16> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.convert %x : tensor<?x?xi4> to tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

func.func @widen_to_f32(%x: tensor<?x?xi4>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.convert %x : tensor<?x?xi4> to tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @widen_to_f64(%x: tensor<?x?xi4>) -> tensor<?x?xf64> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.convert %x : tensor<?x?xi4> to tensor<?x?xf64>
  return %y : tensor<?x?xf64>
}

func.func @widen_to_i8(%x: tensor<?x?xi4>) -> tensor<?x?xi8> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.convert %x : tensor<?x?xi4> to tensor<?x?xi8>
  return %y : tensor<?x?xi8>
}

func.func @widen_to_ui8(%x: tensor<?x?xi4>) -> tensor<?x?xui8> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.convert %x : tensor<?x?xi4> to tensor<?x?xui8>
  return %y : tensor<?x?xui8>
}

func.func @widen_to_i32(%x: tensor<?x?xi4>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.convert %x : tensor<?x?xi4> to tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @widen_to_i64(%x: tensor<?x?xi4>) -> tensor<?x?xi64> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.convert %x : tensor<?x?xi4> to tensor<?x?xi64>
  return %y : tensor<?x?xi64>
}

func.func @widen_to_ui64(%x: tensor<?x?xi4>) -> tensor<?x?xui64> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.convert %x : tensor<?x?xi4> to tensor<?x?xui64>
  return %y : tensor<?x?xui64>
}

func.func @widen_to_i1(%x: tensor<?x?xi4>) -> tensor<?x?xi1> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.convert %x : tensor<?x?xi4> to tensor<?x?xi1>
  return %y : tensor<?x?xi1>
}

func.func @narrow_to_f8e4m3fn(%x: tensor<?x?xf32>) -> tensor<?x?xf8E4M3FN> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1],
    inputs = ["MxN uniform -500 500"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xf8E4M3FN>
  return %y : tensor<?x?xf8E4M3FN>
}

func.func @narrow_unsaturated_to_f8e4m3fn(%x: tensor<?x?xf32>) -> tensor<?x?xf8E4M3FN> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i32],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials"]}} {
  %y = kiln.convert %x unsaturated : tensor<?x?xf32> to tensor<?x?xf8E4M3FN>
  return %y : tensor<?x?xf8E4M3FN>
}

func.func @narrow_bits_to_f8e4m3fn(%x: tensor<?x?xf32>) -> tensor<?x?xf8E4M3FN> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xf8E4M3FN>
  return %y : tensor<?x?xf8E4M3FN>
}

func.func @narrow_to_f8e5m2(%x: tensor<?x?xf32>) -> tensor<?x?xf8E5M2> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1],
    inputs = ["MxN uniform -500 500"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xf8E5M2>
  return %y : tensor<?x?xf8E5M2>
}

func.func @narrow_unsaturated_to_f8e5m2(%x: tensor<?x?xf32>) -> tensor<?x?xf8E5M2> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i32],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials"]}} {
  %y = kiln.convert %x unsaturated : tensor<?x?xf32> to tensor<?x?xf8E5M2>
  return %y : tensor<?x?xf8E5M2>
}

func.func @narrow_bits_to_f8e5m2(%x: tensor<?x?xf32>) -> tensor<?x?xf8E5M2> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xf8E5M2>
  return %y : tensor<?x?xf8E5M2>
}

func.func @narrow_to_i4(%x: tensor<?x?xf32>) -> tensor<?x?xi4> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1],
    inputs = ["MxN uniform -500 500"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xi4>
  return %y : tensor<?x?xi4>
}

func.func @narrow_to_ui4(%x: tensor<?x?xf32>) -> tensor<?x?xui4> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1],
    inputs = ["MxN uniform -500 500"],
    cases = ["M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xui4>
  return %y : tensor<?x?xui4>
}

func.func @fp8_to_fp8(%x: tensor<?xf8E4M3FN>) -> tensor<?xf8E5M2> attributes {kiln.test = {
    inputs = ["N bits"],
    cases = ["N=67", "N=31 specials"]}} {
  %y = kiln.convert %x : tensor<?xf8E4M3FN> to tensor<?xf8E5M2>
  return %y : tensor<?xf8E5M2>
}

func.func @fp8_from_fp8(%x: tensor<?xf8E5M2>) -> tensor<?xf8E4M3FN> attributes {kiln.test = {
    inputs = ["N bits"],
    cases = ["N=67", "N=31 specials"]}} {
  %y = kiln.convert %x : tensor<?xf8E5M2> to tensor<?xf8E4M3FN>
  return %y : tensor<?xf8E4M3FN>
}

// Stored narrow, computed in f32, stored narrow again.
func.func @arithmetic_between(%x: tensor<?x?xi4>, %z: tensor<?x?xi4>) -> tensor<?x?xi4> attributes {kiln.test = {
    types = [f8E4M3FN, f8E5M2, i4, ui4],
    inputs = ["MxN bits", "MxN bits"],
    cases = ["M=3 N=5", "M=7 N=33", "M=1 N=1"]}} {
  %a = kiln.convert %x : tensor<?x?xi4> to tensor<?x?xf32>
  %b = kiln.convert %z : tensor<?x?xi4> to tensor<?x?xf32>
  %s = kiln.add %a, %b : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %y = kiln.convert %s : tensor<?x?xf32> to tensor<?x?xi4>
  return %y : tensor<?x?xi4>
}
