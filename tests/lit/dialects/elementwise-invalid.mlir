// RUN: jit-opt %s --split-input-file --verify-diagnostics

func.func @add_c1_shapes_do_not_broadcast(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'kiln.add' op expects operands that broadcast to one shape, got 'tensor<2x3xf32>', 'tensor<2x4xf32>'}}
  %0 = kiln.add %a, %b : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @sub_c1_shapes_do_not_broadcast(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'kiln.sub' op expects operands that broadcast to one shape, got 'tensor<2x3xf32>', 'tensor<2x4xf32>'}}
  %0 = kiln.sub %a, %b : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @mul_c1_shapes_do_not_broadcast(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'kiln.mul' op expects operands that broadcast to one shape, got 'tensor<2x3xf32>', 'tensor<2x4xf32>'}}
  %0 = kiln.mul %a, %b : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @div_c1_shapes_do_not_broadcast(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'kiln.div' op expects operands that broadcast to one shape, got 'tensor<2x3xf32>', 'tensor<2x4xf32>'}}
  %0 = kiln.div %a, %b : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @mod_c1_shapes_do_not_broadcast(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'kiln.mod' op expects operands that broadcast to one shape, got 'tensor<2x3xf32>', 'tensor<2x4xf32>'}}
  %0 = kiln.mod %a, %b : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @rem_c1_shapes_do_not_broadcast(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'kiln.rem' op expects operands that broadcast to one shape, got 'tensor<2x3xf32>', 'tensor<2x4xf32>'}}
  %0 = kiln.rem %a, %b : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @pow_c1_shapes_do_not_broadcast(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'kiln.pow' op expects operands that broadcast to one shape, got 'tensor<2x3xf32>', 'tensor<2x4xf32>'}}
  %0 = kiln.pow %a, %b : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @max_c1_shapes_do_not_broadcast(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'kiln.max' op expects operands that broadcast to one shape, got 'tensor<2x3xf32>', 'tensor<2x4xf32>'}}
  %0 = kiln.max %a, %b : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @min_c1_shapes_do_not_broadcast(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'kiln.min' op expects operands that broadcast to one shape, got 'tensor<2x3xf32>', 'tensor<2x4xf32>'}}
  %0 = kiln.min %a, %b : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @atan2_c1_shapes_do_not_broadcast(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'kiln.atan2' op expects operands that broadcast to one shape, got 'tensor<2x3xf32>', 'tensor<2x4xf32>'}}
  %0 = kiln.atan2 %a, %b : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @and_c1_shapes_do_not_broadcast(%a: tensor<2x3xi32>, %b: tensor<2x4xi32>) {
  // expected-error@+1 {{'kiln.and' op expects operands that broadcast to one shape, got 'tensor<2x3xi32>', 'tensor<2x4xi32>'}}
  %0 = kiln.and %a, %b : tensor<2x3xi32>, tensor<2x4xi32> -> tensor<2x4xi32>
  return
}

// -----

func.func @or_c1_shapes_do_not_broadcast(%a: tensor<2x3xi32>, %b: tensor<2x4xi32>) {
  // expected-error@+1 {{'kiln.or' op expects operands that broadcast to one shape, got 'tensor<2x3xi32>', 'tensor<2x4xi32>'}}
  %0 = kiln.or %a, %b : tensor<2x3xi32>, tensor<2x4xi32> -> tensor<2x4xi32>
  return
}

// -----

func.func @xor_c1_shapes_do_not_broadcast(%a: tensor<2x3xi32>, %b: tensor<2x4xi32>) {
  // expected-error@+1 {{'kiln.xor' op expects operands that broadcast to one shape, got 'tensor<2x3xi32>', 'tensor<2x4xi32>'}}
  %0 = kiln.xor %a, %b : tensor<2x3xi32>, tensor<2x4xi32> -> tensor<2x4xi32>
  return
}

// -----

func.func @shl_c1_shapes_do_not_broadcast(%a: tensor<2x3xi32>, %b: tensor<2x4xi32>) {
  // expected-error@+1 {{'kiln.shl' op expects operands that broadcast to one shape, got 'tensor<2x3xi32>', 'tensor<2x4xi32>'}}
  %0 = kiln.shl %a, %b : tensor<2x3xi32>, tensor<2x4xi32> -> tensor<2x4xi32>
  return
}

// -----

func.func @shr_c1_shapes_do_not_broadcast(%a: tensor<2x3xi32>, %b: tensor<2x4xi32>) {
  // expected-error@+1 {{'kiln.shr' op expects operands that broadcast to one shape, got 'tensor<2x3xi32>', 'tensor<2x4xi32>'}}
  %0 = kiln.shr %a, %b : tensor<2x3xi32>, tensor<2x4xi32> -> tensor<2x4xi32>
  return
}

// -----

func.func @compare_c1_shapes_do_not_broadcast(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{'kiln.compare' op expects operands that broadcast to one shape, got 'tensor<2x3xf32>', 'tensor<2xf32>'}}
  %0 = kiln.compare lt %a, %b : tensor<2x3xf32>, tensor<2xf32> -> tensor<2x3xi1>
  return
}

// -----

func.func @select_c1_shapes_do_not_broadcast(%c: tensor<5xi1>, %a: tensor<2x3xf32>) {
  // expected-error@+1 {{'kiln.select' op expects operands that broadcast to one shape, got 'tensor<5xi1>', 'tensor<2x3xf32>', 'tensor<2x3xf32>'}}
  %0 = kiln.select %c, %a, %a : tensor<5xi1>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// The result's type is checked against the inferred one, too.
func.func @add_c1_result_is_not_the_broadcast_shape(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+2 {{'kiln.add' op has result type 'tensor<2x4xf32>'; expected 'tensor<2x3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = kiln.add %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @celu_c1_alpha_is_zero(%x: tensor<4xf32>) {
  // expected-error@+1 {{'kiln.celu' op expects an 'alpha' other than 0}}
  %0 = kiln.celu %x alpha 0.0 : tensor<4xf32>
  return
}

// -----

func.func @clamp_c1_float_bound_of_integers(%x: tensor<4xi32>) {
  // expected-error@+1 {{'kiln.clamp' op expects bounds like the element type 'i32', got 0.000000e+00 : f64}}
  %0 = kiln.clamp %x min 0.0 : tensor<4xi32>
  return
}

// -----

func.func @clamp_c1_integer_bound_of_floats(%x: tensor<4xf32>) {
  // expected-error@+1 {{'kiln.clamp' op expects bounds like the element type 'f32', got 6 : i64}}
  %0 = kiln.clamp %x max 6 : tensor<4xf32>
  return
}

// -----

func.func @clamp_c2_infinite_bound(%x: tensor<4xf32>) {
  // expected-error@+1 {{'kiln.clamp' op expects finite bounds, got 0x7FF0000000000000 : f64}}
  %0 = "kiln.clamp"(%x) {max = 0x7FF0000000000000 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @clamp_c3_bound_above_the_type(%x: tensor<4xui8>) {
  // expected-error@+1 {{'kiln.clamp' op expects bounds that 'ui8' can hold, got 256 : i64}}
  %0 = kiln.clamp %x max 256 : tensor<4xui8>
  return
}

// -----

func.func @clamp_c3_negative_bound_of_unsigned(%x: tensor<4xui64>) {
  // expected-error@+1 {{'kiln.clamp' op expects bounds that 'ui64' can hold, got -1 : i64}}
  %0 = kiln.clamp %x min -1 : tensor<4xui64>
  return
}

// -----

func.func @convert_c1_element_type_differs(%x: tensor<4xf32>) {
  // expected-error@+2 {{'kiln.convert' op has result type 'tensor<4xi16>'; expected 'tensor<4xi8>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "kiln.convert"(%x) {to = i8} : (tensor<4xf32>) -> tensor<4xi16>
  return
}

// -----

// What ODS checks is tested once a kind: element types ...
func.func @exp_of_integers(%x: tensor<4xi32>) {
  // expected-error@+1 {{'kiln.exp' op operand #0 must be tensor of floats}}
  %0 = kiln.exp %x : tensor<4xi32>
  return
}

// -----

// ... one element type ...
func.func @add_of_two_element_types(%a: tensor<4xf32>, %b: tensor<4xf16>) {
  // expected-error@+1 {{'kiln.add' op requires the same element type for all operands and results}}
  %0 = kiln.add %a, %b : tensor<4xf32>, tensor<4xf16> -> tensor<4xf32>
  return
}

// -----

// ... and ranked tensors.
func.func @exp_of_an_unranked_tensor(%x: tensor<*xf32>) {
  // expected-error@+1 {{invalid kind of type specified}}
  %0 = kiln.exp %x : tensor<*xf32>
  return
}

// -----

func.func @bitcast_c1_widths(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects element types of as many bits, got 'f32' and 'i16'}}
  %0 = kiln.bitcast %x : tensor<4xf32> to tensor<4xi16>
  return
}

// -----

func.func @convert_c2_unsaturated(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects 'unsaturated' with a result of fp8, got 'f16'}}
  %0 = kiln.convert %x unsaturated : tensor<4xf32> to tensor<4xf16>
  return
}
