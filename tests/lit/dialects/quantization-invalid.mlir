// RUN: jit-opt %s --split-input-file --verify-diagnostics

func.func @quantize_c1_shapes(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error@+1 {{expects operands that broadcast to one shape}}
  %0 = kiln.quantize %x scale %s : tensor<2x3xf32>, tensor<2xf32> -> tensor<2x3xui8>
  return
}

// -----

func.func @quantize_c2_zero_point(%x: tensor<2x3xf32>, %s: tensor<f32>, %z: tensor<i8>) {
  // expected-error@+1 {{expects a 'zero_point' of the element type of the result, an integer, got 'tensor<i8>' and 'ui8'}}
  %0 = kiln.quantize %x scale %s zero_point %z : tensor<2x3xf32>, tensor<f32>, tensor<i8> -> tensor<2x3xui8>
  return
}

// -----

func.func @quantize_c2_zero_point_of_floats(%x: tensor<2x3xf32>, %s: tensor<f32>, %z: tensor<f8E5M2>) {
  // expected-error@+1 {{expects a 'zero_point' of the element type of the result, an integer, got 'tensor<f8E5M2>' and 'f8E5M2'}}
  %0 = kiln.quantize %x scale %s zero_point %z : tensor<2x3xf32>, tensor<f32>, tensor<f8E5M2> -> tensor<2x3xf8E5M2>
  return
}

// -----

func.func @quantize_c3_unsaturated(%x: tensor<2x3xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{expects 'unsaturated' with a result of fp8, got 'ui8'}}
  %0 = kiln.quantize %x scale %s unsaturated : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xui8>
  return
}

// -----

func.func @dequantize_c1_shapes(%x: tensor<2x3xi8>, %s: tensor<2xf32>) {
  // expected-error@+1 {{expects operands that broadcast to one shape}}
  %0 = kiln.dequantize %x scale %s : tensor<2x3xi8>, tensor<2xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @dequantize_c2_zero_point(%x: tensor<2x3xi8>, %s: tensor<f32>, %z: tensor<i32>) {
  // expected-error@+1 {{expects a 'zero_point' of the element type of 'x', an integer, got 'tensor<i32>' and 'i8'}}
  %0 = kiln.dequantize %x scale %s zero_point %z : tensor<2x3xi8>, tensor<f32>, tensor<i32> -> tensor<2x3xf32>
  return
}

// -----

func.func @dequantize_c3_result(%x: tensor<2x3xi8>, %s: tensor<f32>) {
  // expected-error@+1 {{expects a result of floats of 16 bits or more, got 'f8E5M2'}}
  %0 = "kiln.dequantize"(%x, %s) {to = f8E5M2} : (tensor<2x3xi8>, tensor<f32>) -> tensor<2x3xf32>
  return
}
