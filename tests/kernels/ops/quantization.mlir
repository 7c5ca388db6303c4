// quantization.mlir: quantize and dequantize, to the bit: halves, saturation, zero points; by tensor, channel and block.

func.func @quantize_i4(%x: tensor<?x?xf32>, %s: tensor<f32>, %z: tensor<i4>) -> tensor<?x?xi4> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -1.05 1.05", "scalar uniform 0.06 0.14", "scalar bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=7 N=33 specials", "M=0 N=4", "M=3 N=9 seed=5"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?xf32>, tensor<f32>, tensor<i4> -> tensor<?x?xi4>
  return %y : tensor<?x?xi4>
}

func.func @quantize_by_channel_i4(%x: tensor<?x?x?xf32>, %s: tensor<?x1xf32>, %z: tensor<?x1xi4>) -> tensor<?x?x?xi4> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["BxCxN uniform -4.5 4.5", "Cx1 uniform 0.1 1", "Cx1 bits"],
    cases = ["B=2 C=3 N=17", "B=1 C=5 N=40"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?x?xf32>, tensor<?x1xf32>, tensor<?x1xi4> -> tensor<?x?x?xi4>
  return %y : tensor<?x?x?xi4>
}

// Every half from -200 to 200, without a zero point.
func.func @quantize_halves_i4(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<?xi4> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["N iota", "scalar uniform 1 1"],
    cases = ["N=800", "N=3"]}} {
  %h = kiln.constant dense<0.5> : tensor<f32>
  %c = kiln.constant dense<400.0> : tensor<f32>
  %0 = kiln.sub %x, %c : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %1 = kiln.mul %0, %h : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %y = kiln.quantize %1 scale %s : tensor<?xf32>, tensor<f32> -> tensor<?xi4>
  return %y : tensor<?xi4>
}

// Sums of products, scaled back.
func.func @quantize_i32_to_i4(%x: tensor<?x?xi32>, %s: tensor<f32>, %z: tensor<i4>) -> tensor<?x?xi4> attributes {kiln.test = {
    inputs = ["MxN uniform -105 105", "scalar uniform 9 9", "scalar bits"],
    cases = ["M=3 N=67", "M=7 N=9 specials"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?xi32>, tensor<f32>, tensor<i4> -> tensor<?x?xi4>
  return %y : tensor<?x?xi4>
}

func.func @dequantize_i4(%q: tensor<?x?xi4>, %s: tensor<f32>, %z: tensor<i4>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN bits", "scalar uniform 0.01 3", "scalar bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=0 N=4", "M=5 N=9 specials"]}} {
  %y = kiln.dequantize %q scale %s zero_point %z : tensor<?x?xi4>, tensor<f32>, tensor<i4> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @quantize_ui4(%x: tensor<?x?xf32>, %s: tensor<f32>, %z: tensor<ui4>) -> tensor<?x?xui4> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -1.05 1.05", "scalar uniform 0.06 0.14", "scalar bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=7 N=33 specials", "M=0 N=4", "M=3 N=9 seed=5"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?xf32>, tensor<f32>, tensor<ui4> -> tensor<?x?xui4>
  return %y : tensor<?x?xui4>
}

func.func @quantize_by_channel_ui4(%x: tensor<?x?x?xf32>, %s: tensor<?x1xf32>, %z: tensor<?x1xui4>) -> tensor<?x?x?xui4> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["BxCxN uniform -4.5 4.5", "Cx1 uniform 0.1 1", "Cx1 bits"],
    cases = ["B=2 C=3 N=17", "B=1 C=5 N=40"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?x?xf32>, tensor<?x1xf32>, tensor<?x1xui4> -> tensor<?x?x?xui4>
  return %y : tensor<?x?x?xui4>
}

// Every half from -200 to 200, without a zero point.
func.func @quantize_halves_ui4(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<?xui4> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["N iota", "scalar uniform 1 1"],
    cases = ["N=800", "N=3"]}} {
  %h = kiln.constant dense<0.5> : tensor<f32>
  %c = kiln.constant dense<400.0> : tensor<f32>
  %0 = kiln.sub %x, %c : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %1 = kiln.mul %0, %h : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %y = kiln.quantize %1 scale %s : tensor<?xf32>, tensor<f32> -> tensor<?xui4>
  return %y : tensor<?xui4>
}

// Sums of products, scaled back.
func.func @quantize_i32_to_ui4(%x: tensor<?x?xi32>, %s: tensor<f32>, %z: tensor<ui4>) -> tensor<?x?xui4> attributes {kiln.test = {
    inputs = ["MxN uniform -105 105", "scalar uniform 9 9", "scalar bits"],
    cases = ["M=3 N=67", "M=7 N=9 specials"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?xi32>, tensor<f32>, tensor<ui4> -> tensor<?x?xui4>
  return %y : tensor<?x?xui4>
}

func.func @dequantize_ui4(%q: tensor<?x?xui4>, %s: tensor<f32>, %z: tensor<ui4>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN bits", "scalar uniform 0.01 3", "scalar bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=0 N=4", "M=5 N=9 specials"]}} {
  %y = kiln.dequantize %q scale %s zero_point %z : tensor<?x?xui4>, tensor<f32>, tensor<ui4> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @quantize_i8(%x: tensor<?x?xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<?x?xi8> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -17.85 17.85", "scalar uniform 0.06 0.14", "scalar bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=7 N=33 specials", "M=0 N=4", "M=3 N=9 seed=5"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?xf32>, tensor<f32>, tensor<i8> -> tensor<?x?xi8>
  return %y : tensor<?x?xi8>
}

func.func @quantize_by_channel_i8(%x: tensor<?x?x?xf32>, %s: tensor<?x1xf32>, %z: tensor<?x1xi8>) -> tensor<?x?x?xi8> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["BxCxN uniform -76.5 76.5", "Cx1 uniform 0.1 1", "Cx1 bits"],
    cases = ["B=2 C=3 N=17", "B=1 C=5 N=40"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?x?xf32>, tensor<?x1xf32>, tensor<?x1xi8> -> tensor<?x?x?xi8>
  return %y : tensor<?x?x?xi8>
}

// Every half from -200 to 200, without a zero point.
func.func @quantize_halves_i8(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<?xi8> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["N iota", "scalar uniform 1 1"],
    cases = ["N=800", "N=3"]}} {
  %h = kiln.constant dense<0.5> : tensor<f32>
  %c = kiln.constant dense<400.0> : tensor<f32>
  %0 = kiln.sub %x, %c : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %1 = kiln.mul %0, %h : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %y = kiln.quantize %1 scale %s : tensor<?xf32>, tensor<f32> -> tensor<?xi8>
  return %y : tensor<?xi8>
}

// Sums of products, scaled back.
func.func @quantize_i32_to_i8(%x: tensor<?x?xi32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<?x?xi8> attributes {kiln.test = {
    inputs = ["MxN uniform -1785 1785", "scalar uniform 9 9", "scalar bits"],
    cases = ["M=3 N=67", "M=7 N=9 specials"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?xi32>, tensor<f32>, tensor<i8> -> tensor<?x?xi8>
  return %y : tensor<?x?xi8>
}

func.func @dequantize_i8(%q: tensor<?x?xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN bits", "scalar uniform 0.01 3", "scalar bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=0 N=4", "M=5 N=9 specials"]}} {
  %y = kiln.dequantize %q scale %s zero_point %z : tensor<?x?xi8>, tensor<f32>, tensor<i8> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @quantize_ui8(%x: tensor<?x?xf32>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<?x?xui8> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -17.85 17.85", "scalar uniform 0.06 0.14", "scalar bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=7 N=33 specials", "M=0 N=4", "M=3 N=9 seed=5"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?xf32>, tensor<f32>, tensor<ui8> -> tensor<?x?xui8>
  return %y : tensor<?x?xui8>
}

func.func @quantize_by_channel_ui8(%x: tensor<?x?x?xf32>, %s: tensor<?x1xf32>, %z: tensor<?x1xui8>) -> tensor<?x?x?xui8> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["BxCxN uniform -76.5 76.5", "Cx1 uniform 0.1 1", "Cx1 bits"],
    cases = ["B=2 C=3 N=17", "B=1 C=5 N=40"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?x?xf32>, tensor<?x1xf32>, tensor<?x1xui8> -> tensor<?x?x?xui8>
  return %y : tensor<?x?x?xui8>
}

// Every half from -200 to 200, without a zero point.
func.func @quantize_halves_ui8(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<?xui8> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["N iota", "scalar uniform 1 1"],
    cases = ["N=800", "N=3"]}} {
  %h = kiln.constant dense<0.5> : tensor<f32>
  %c = kiln.constant dense<400.0> : tensor<f32>
  %0 = kiln.sub %x, %c : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %1 = kiln.mul %0, %h : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %y = kiln.quantize %1 scale %s : tensor<?xf32>, tensor<f32> -> tensor<?xui8>
  return %y : tensor<?xui8>
}

// Sums of products, scaled back.
func.func @quantize_i32_to_ui8(%x: tensor<?x?xi32>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<?x?xui8> attributes {kiln.test = {
    inputs = ["MxN uniform -1785 1785", "scalar uniform 9 9", "scalar bits"],
    cases = ["M=3 N=67", "M=7 N=9 specials"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?xi32>, tensor<f32>, tensor<ui8> -> tensor<?x?xui8>
  return %y : tensor<?x?xui8>
}

func.func @dequantize_ui8(%q: tensor<?x?xui8>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN bits", "scalar uniform 0.01 3", "scalar bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=0 N=4", "M=5 N=9 specials"]}} {
  %y = kiln.dequantize %q scale %s zero_point %z : tensor<?x?xui8>, tensor<f32>, tensor<ui8> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @quantize_i16(%x: tensor<?x?xf32>, %s: tensor<f32>, %z: tensor<i16>) -> tensor<?x?xi16> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -420 420", "scalar uniform 0.06 0.14", "scalar bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=7 N=33 specials", "M=0 N=4", "M=3 N=9 seed=5"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?xf32>, tensor<f32>, tensor<i16> -> tensor<?x?xi16>
  return %y : tensor<?x?xi16>
}

func.func @quantize_by_channel_i16(%x: tensor<?x?x?xf32>, %s: tensor<?x1xf32>, %z: tensor<?x1xi16>) -> tensor<?x?x?xi16> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["BxCxN uniform -1800 1800", "Cx1 uniform 0.1 1", "Cx1 bits"],
    cases = ["B=2 C=3 N=17", "B=1 C=5 N=40"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?x?xf32>, tensor<?x1xf32>, tensor<?x1xi16> -> tensor<?x?x?xi16>
  return %y : tensor<?x?x?xi16>
}

// Every half from -200 to 200, without a zero point.
func.func @quantize_halves_i16(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<?xi16> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["N iota", "scalar uniform 1 1"],
    cases = ["N=800", "N=3"]}} {
  %h = kiln.constant dense<0.5> : tensor<f32>
  %c = kiln.constant dense<400.0> : tensor<f32>
  %0 = kiln.sub %x, %c : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %1 = kiln.mul %0, %h : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %y = kiln.quantize %1 scale %s : tensor<?xf32>, tensor<f32> -> tensor<?xi16>
  return %y : tensor<?xi16>
}

// Sums of products, scaled back.
func.func @quantize_i32_to_i16(%x: tensor<?x?xi32>, %s: tensor<f32>, %z: tensor<i16>) -> tensor<?x?xi16> attributes {kiln.test = {
    inputs = ["MxN uniform -42000 42000", "scalar uniform 9 9", "scalar bits"],
    cases = ["M=3 N=67", "M=7 N=9 specials"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?xi32>, tensor<f32>, tensor<i16> -> tensor<?x?xi16>
  return %y : tensor<?x?xi16>
}

func.func @dequantize_i16(%q: tensor<?x?xi16>, %s: tensor<f32>, %z: tensor<i16>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN bits", "scalar uniform 0.01 3", "scalar bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=0 N=4", "M=5 N=9 specials"]}} {
  %y = kiln.dequantize %q scale %s zero_point %z : tensor<?x?xi16>, tensor<f32>, tensor<i16> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @quantize_ui16(%x: tensor<?x?xf32>, %s: tensor<f32>, %z: tensor<ui16>) -> tensor<?x?xui16> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -420 420", "scalar uniform 0.06 0.14", "scalar bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=7 N=33 specials", "M=0 N=4", "M=3 N=9 seed=5"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?xf32>, tensor<f32>, tensor<ui16> -> tensor<?x?xui16>
  return %y : tensor<?x?xui16>
}

func.func @quantize_by_channel_ui16(%x: tensor<?x?x?xf32>, %s: tensor<?x1xf32>, %z: tensor<?x1xui16>) -> tensor<?x?x?xui16> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["BxCxN uniform -1800 1800", "Cx1 uniform 0.1 1", "Cx1 bits"],
    cases = ["B=2 C=3 N=17", "B=1 C=5 N=40"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?x?xf32>, tensor<?x1xf32>, tensor<?x1xui16> -> tensor<?x?x?xui16>
  return %y : tensor<?x?x?xui16>
}

// Every half from -200 to 200, without a zero point.
func.func @quantize_halves_ui16(%x: tensor<?xf32>, %s: tensor<f32>) -> tensor<?xui16> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["N iota", "scalar uniform 1 1"],
    cases = ["N=800", "N=3"]}} {
  %h = kiln.constant dense<0.5> : tensor<f32>
  %c = kiln.constant dense<400.0> : tensor<f32>
  %0 = kiln.sub %x, %c : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %1 = kiln.mul %0, %h : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %y = kiln.quantize %1 scale %s : tensor<?xf32>, tensor<f32> -> tensor<?xui16>
  return %y : tensor<?xui16>
}

// Sums of products, scaled back.
func.func @quantize_i32_to_ui16(%x: tensor<?x?xi32>, %s: tensor<f32>, %z: tensor<ui16>) -> tensor<?x?xui16> attributes {kiln.test = {
    inputs = ["MxN uniform -42000 42000", "scalar uniform 9 9", "scalar bits"],
    cases = ["M=3 N=67", "M=7 N=9 specials"]}} {
  %y = kiln.quantize %x scale %s zero_point %z : tensor<?x?xi32>, tensor<f32>, tensor<ui16> -> tensor<?x?xui16>
  return %y : tensor<?x?xui16>
}

func.func @dequantize_ui16(%q: tensor<?x?xui16>, %s: tensor<f32>, %z: tensor<ui16>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN bits", "scalar uniform 0.01 3", "scalar bits"],
    cases = ["M=3 N=67", "M=1 N=1", "M=0 N=4", "M=5 N=9 specials"]}} {
  %y = kiln.dequantize %q scale %s zero_point %z : tensor<?x?xui16>, tensor<f32>, tensor<ui16> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @dequantize_to_f16(%q: tensor<?x?xi8>, %s: tensor<f16>, %z: tensor<i8>) -> tensor<?x?xf16> attributes {kiln.test = {
    types = [i8, ui8, i16, ui16],
    inputs = ["MxN bits", "scalar uniform 0.01 3", "scalar bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials"]}} {
  %y = kiln.dequantize %q scale %s zero_point %z : tensor<?x?xi8>, tensor<f16>, tensor<i8> -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

func.func @dequantize_to_bf16(%q: tensor<?x?xi8>, %s: tensor<bf16>, %z: tensor<i8>) -> tensor<?x?xbf16> attributes {kiln.test = {
    types = [i8, ui8, i16, ui16],
    inputs = ["MxN bits", "scalar uniform 0.01 3", "scalar bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials"]}} {
  %y = kiln.dequantize %q scale %s zero_point %z : tensor<?x?xi8>, tensor<bf16>, tensor<i8> -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

func.func @dequantize_to_f64(%q: tensor<?x?xi8>, %s: tensor<f64>, %z: tensor<i8>) -> tensor<?x?xf64> attributes {kiln.test = {
    types = [i8, ui8, i16, ui16],
    inputs = ["MxN bits", "scalar uniform 0.01 3", "scalar bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials"]}} {
  %y = kiln.dequantize %q scale %s zero_point %z : tensor<?x?xi8>, tensor<f64>, tensor<i8> -> tensor<?x?xf64>
  return %y : tensor<?x?xf64>
}

// A scale of f32, a result of f16: rounded once more, by column.
func.func @dequantize_mixed(%q: tensor<?x?xi8>, %s: tensor<?xf32>, %z: tensor<?xi8>) -> tensor<?x?xf16> attributes {kiln.test = {
    types = [i8, ui8],
    inputs = ["MxN bits", "N uniform 0.01 3", "N bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials"]}} {
  %y = kiln.dequantize %q scale %s zero_point %z : tensor<?x?xi8>, tensor<?xf32>, tensor<?xi8> -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

func.func @dequantize_i32(%q: tensor<?x?xi32>, %s: tensor<?x1xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN bits", "Mx1 uniform 0.001 1"],
    cases = ["M=3 N=67", "M=5 N=9 specials"]}} {
  %y = kiln.dequantize %q scale %s : tensor<?x?xi32>, tensor<?x1xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @dequantize_i32_wraps(%q: tensor<?xi32>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<?xf32> attributes {kiln.test = {
    inputs = ["N bits", "scalar uniform 0.5 0.5", "scalar bits"],
    cases = ["N=67", "N=9 specials seed=1"]}} {
  %y = kiln.dequantize %q scale %s zero_point %z : tensor<?xi32>, tensor<f32>, tensor<i32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Blocks of 16 along the last axis, 4 bits an element, there and back.
func.func @blocks(%x: tensor<?x?x16xf32>, %s: tensor<?x?x1xf32>, %z: tensor<?x?x1xui4>) -> (tensor<?x?x16xui4>, tensor<?x?x16xf32>) attributes {kiln.test = {
    types = [f32, f16, bf16],
    inputs = ["MxKx16", "MxKx1 uniform 0.1 0.4", "MxKx1 bits"],
    cases = ["M=3 K=4", "M=1 K=1", "M=2 K=9 specials"]}} {
  %q = kiln.quantize %x scale %s zero_point %z : tensor<?x?x16xf32>, tensor<?x?x1xf32>, tensor<?x?x1xui4> -> tensor<?x?x16xui4>
  %y = kiln.dequantize %q scale %s zero_point %z : tensor<?x?x16xui4>, tensor<?x?x1xf32>, tensor<?x?x1xui4> -> tensor<?x?x16xf32>
  return %q, %y : tensor<?x?x16xui4>, tensor<?x?x16xf32>
}

func.func @quantize_f8e4m3fn(%x: tensor<?x?xf32>, %s: tensor<f32>) -> tensor<?x?xf8E4M3FN> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -300 300", "scalar uniform 0.1 0.9"],
    cases = ["M=3 N=67", "M=7 N=33 specials", "M=2 N=9 seed=4"]}} {
  %y = kiln.quantize %x scale %s : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf8E4M3FN>
  return %y : tensor<?x?xf8E4M3FN>
}

func.func @quantize_f8e4m3fn_unsaturated(%x: tensor<?x?xf32>, %s: tensor<f32>) -> tensor<?x?xf8E4M3FN> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -300 300", "scalar uniform 0.1 0.9"],
    cases = ["M=3 N=67", "M=7 N=33 specials", "M=2 N=9 seed=4"]}} {
  %y = kiln.quantize %x scale %s unsaturated : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf8E4M3FN>
  return %y : tensor<?x?xf8E4M3FN>
}

func.func @dequantize_f8e4m3fn(%q: tensor<?x?xf8E4M3FN>, %s: tensor<f32>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN bits", "scalar uniform 0.01 3"],
    cases = ["M=3 N=67", "M=7 N=33 specials"]}} {
  %y = kiln.dequantize %q scale %s : tensor<?x?xf8E4M3FN>, tensor<f32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @quantize_f8e5m2(%x: tensor<?x?xf32>, %s: tensor<f32>) -> tensor<?x?xf8E5M2> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -300 300", "scalar uniform 0.1 0.9"],
    cases = ["M=3 N=67", "M=7 N=33 specials", "M=2 N=9 seed=4"]}} {
  %y = kiln.quantize %x scale %s : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf8E5M2>
  return %y : tensor<?x?xf8E5M2>
}

func.func @quantize_f8e5m2_unsaturated(%x: tensor<?x?xf32>, %s: tensor<f32>) -> tensor<?x?xf8E5M2> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -300 300", "scalar uniform 0.1 0.9"],
    cases = ["M=3 N=67", "M=7 N=33 specials", "M=2 N=9 seed=4"]}} {
  %y = kiln.quantize %x scale %s unsaturated : tensor<?x?xf32>, tensor<f32> -> tensor<?x?xf8E5M2>
  return %y : tensor<?x?xf8E5M2>
}

func.func @dequantize_f8e5m2(%q: tensor<?x?xf8E5M2>, %s: tensor<f32>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN bits", "scalar uniform 0.01 3"],
    cases = ["M=3 N=67", "M=7 N=33 specials"]}} {
  %y = kiln.dequantize %q scale %s : tensor<?x?xf8E5M2>, tensor<f32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Scale and zero from the data: ONNX DynamicQuantizeLinear.
func.func @dynamic(%x: tensor<?x?xf32>) -> (tensor<?x?xui8>, tensor<f32>, tensor<ui8>) attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=3 N=67", "M=1 N=2", "M=9 N=40 seed=1"]}} {
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %levels = kiln.constant dense<255.0> : tensor<f32>
  %0 = kiln.reduce min %x axes [0, 1] : tensor<?x?xf32> -> tensor<f32>
  %lo = kiln.min %0, %zero : tensor<f32>, tensor<f32> -> tensor<f32>
  %1 = kiln.reduce max %x axes [0, 1] : tensor<?x?xf32> -> tensor<f32>
  %hi = kiln.max %1, %zero : tensor<f32>, tensor<f32> -> tensor<f32>
  %range = kiln.sub %hi, %lo : tensor<f32>, tensor<f32> -> tensor<f32>
  %s = kiln.div %range, %levels : tensor<f32>, tensor<f32> -> tensor<f32>
  %n = kiln.neg %lo : tensor<f32>
  %z = kiln.quantize %n scale %s : tensor<f32>, tensor<f32> -> tensor<ui8>
  %q = kiln.quantize %x scale %s zero_point %z : tensor<?x?xf32>, tensor<f32>, tensor<ui8> -> tensor<?x?xui8>
  return %q, %s, %z : tensor<?x?xui8>, tensor<f32>, tensor<ui8>
}

// QLinearMatMul, zero points and scales by column.
func.func @qlinear_matmul(%a: tensor<?x?xui8>, %b: tensor<?x?xi8>, %az: tensor<ui8>, %bz: tensor<?xi8>, %s: tensor<?xf32>, %z: tensor<ui8>) -> tensor<?x?xui8> attributes {kiln.test = {
    inputs = ["MxK bits", "KxN bits", "scalar bits", "N bits", "N uniform 200 900", "scalar bits"],
    cases = ["M=5 K=17 N=33", "M=1 K=1 N=1", "M=16 K=64 N=48", "M=3 K=300 N=7"]}} {
  %aw = kiln.convert %a : tensor<?x?xui8> to tensor<?x?xi16>
  %azw = kiln.convert %az : tensor<ui8> to tensor<i16>
  %ac = kiln.sub %aw, %azw : tensor<?x?xi16>, tensor<i16> -> tensor<?x?xi16>
  %bw = kiln.convert %b : tensor<?x?xi8> to tensor<?x?xi16>
  %bzw = kiln.convert %bz : tensor<?xi8> to tensor<?xi16>
  %bc = kiln.sub %bw, %bzw : tensor<?x?xi16>, tensor<?xi16> -> tensor<?x?xi16>
  %p = kiln.matmul %ac, %bc : tensor<?x?xi16>, tensor<?x?xi16> -> tensor<?x?xi32>
  %y = kiln.quantize %p scale %s zero_point %z : tensor<?x?xi32>, tensor<?xf32>, tensor<ui8> -> tensor<?x?xui8>
  return %y : tensor<?x?xui8>
}

// QLinearConv with a bias, scales by channel.
func.func @qlinear_conv(%x: tensor<1x?x?x?xui8>, %w: tensor<4x?x3x3xi8>, %xz: tensor<ui8>, %b: tensor<4xi32>, %s: tensor<4x1x1xf32>, %z: tensor<ui8>) -> tensor<1x4x?x?xui8> attributes {kiln.test = {
    inputs = ["1xCxHxW bits", "4xCx3x3 bits", "scalar bits", "4 uniform -5000 5000", "4x1x1 uniform 200 900", "scalar bits"],
    cases = ["C=3 H=5 W=9", "C=1 H=3 W=3", "C=8 H=9 W=17"]}} {
  %xw = kiln.convert %x : tensor<1x?x?x?xui8> to tensor<1x?x?x?xi16>
  %xzw = kiln.convert %xz : tensor<ui8> to tensor<i16>
  %xc = kiln.sub %xw, %xzw : tensor<1x?x?x?xi16>, tensor<i16> -> tensor<1x?x?x?xi16>
  %ww = kiln.convert %w : tensor<4x?x3x3xi8> to tensor<4x?x3x3xi16>
  %p = kiln.conv %xc, %ww bias %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x?x?x?xi16>, tensor<4x?x3x3xi16>, tensor<4xi32> -> tensor<1x4x?x?xi32>
  %y = kiln.quantize %p scale %s zero_point %z : tensor<1x4x?x?xi32>, tensor<4x1x1xf32>, tensor<ui8> -> tensor<1x4x?x?xui8>
  return %y : tensor<1x4x?x?xui8>
}
