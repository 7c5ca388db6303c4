// RUN: jit-opt %s --split-input-file --verify-diagnostics

func.func @reshape_c1_negative_size(%x: tensor<6xf32>) {
  // expected-error@+1 {{'kiln.reshape' op expects 'sizes' >= 0, got -1}}
  %0 = kiln.reshape %x [-1, 3] : tensor<6xf32> -> tensor<?x3xf32>
  return
}

// -----

func.func @reshape_c1_value_missing(%x: tensor<6xf32>) {
  // expected-error@+1 {{'kiln.reshape' op expects 'sizes' with 1 values, got 0}}
  %0 = "kiln.reshape"(%x) {static_sizes = array<i64: -9223372036854775808, 3>} : (tensor<6xf32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @reshape_c2_other_number_of_elements(%x: tensor<6xf32>) {
  // expected-error@+1 {{'kiln.reshape' op expects sizes with the number of elements of 'tensor<6xf32>', got 'tensor<2x4xf32>'}}
  %0 = kiln.reshape %x [2, 4] : tensor<6xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @reshape_c2_static_sizes_do_not_divide(%x: tensor<6xf32>, %n: index) {
  // expected-error@+1 {{'kiln.reshape' op expects sizes with the number of elements of 'tensor<6xf32>', got 'tensor<4x?xf32>'}}
  %0 = kiln.reshape %x [4, %n] : tensor<6xf32> -> tensor<4x?xf32>
  return
}

// -----

func.func @transpose_c1_too_short(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kiln.transpose' op expects 'perm' to be a permutation of 2 axes, got [0]}}
  %0 = kiln.transpose %x perm [0] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @transpose_c1_axis_twice(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kiln.transpose' op expects 'perm' to be a permutation of 2 axes, got [1, 1]}}
  %0 = kiln.transpose %x perm [1, 1] : tensor<2x3xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @transpose_c1_axis_beyond(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kiln.transpose' op expects 'perm' to be a permutation of 2 axes, got [1, 2]}}
  %0 = kiln.transpose %x perm [1, 2] : tensor<2x3xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @broadcast_c1_negative_size(%x: tensor<1xf32>) {
  // expected-error@+1 {{'kiln.broadcast' op expects 'sizes' >= 0, got -4}}
  %0 = kiln.broadcast %x [-4] : tensor<1xf32> -> tensor<?xf32>
  return
}

// -----

func.func @broadcast_c2_extent_is_not_one(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kiln.broadcast' op expects sizes that 'tensor<2x3xf32>' broadcasts to, got 'tensor<4x3xf32>'}}
  %0 = kiln.broadcast %x [4, 3] : tensor<2x3xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @broadcast_c2_fewer_axes(%x: tensor<1x3xf32>) {
  // expected-error@+1 {{'kiln.broadcast' op expects sizes that 'tensor<1x3xf32>' broadcasts to, got 'tensor<3xf32>'}}
  %0 = kiln.broadcast %x [3] : tensor<1x3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @reverse_c1_axis_out_of_range(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kiln.reverse' op expects 'axes' in [-2, 2), got 2}}
  %0 = kiln.reverse %x axes [2] : tensor<2x3xf32>
  return
}

// -----

func.func @reverse_c1_axis_twice(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kiln.reverse' op expects distinct 'axes', got axis 1 twice}}
  %0 = kiln.reverse %x axes [1, -1] : tensor<2x3xf32>
  return
}

// -----

func.func @slice_c1_entry_missing(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'kiln.slice' op expects 'offsets' with 2 entries, got 1}}
  %0 = kiln.slice %x offsets [0] sizes [4, 8] strides [1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_c2_negative_offset(%x: tensor<8xf32>) {
  // expected-error@+1 {{'kiln.slice' op expects 'offsets' >= 0, got -1}}
  %0 = kiln.slice %x offsets [-1] sizes [4] strides [1] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @slice_c2_stride_zero(%x: tensor<8xf32>) {
  // expected-error@+1 {{'kiln.slice' op expects 'strides' >= 1, got 0}}
  %0 = kiln.slice %x offsets [0] sizes [4] strides [0] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @slice_c3_end_outside(%x: tensor<8xf32>) {
  // expected-error@+1 {{'kiln.slice' op expects the last element of axis 0 in 'tensor<8xf32>', got offset 2, size 4, stride 2}}
  %0 = kiln.slice %x offsets [2] sizes [4] strides [2] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @slice_c3_end_overflows(%x: tensor<8xf32>) {
  // expected-error@+1 {{'kiln.slice' op expects the last element of axis 0 in 'tensor<8xf32>', got offset 1, size 3, stride 4611686018427387904}}
  %0 = kiln.slice %x offsets [1] sizes [3] strides [4611686018427387904] : tensor<8xf32> -> tensor<3xf32>
  return
}

// -----

func.func @concat_c1_no_input() {
  // expected-error@+1 {{'kiln.concat' op expects an input, got none}}
  %0 = "kiln.concat"() {axis = 0 : i64} : () -> tensor<0xf32>
  return
}

// -----

func.func @concat_c1_ranks_differ(%a: tensor<2xf32>, %b: tensor<2x1xf32>) {
  // expected-error@+1 {{'kiln.concat' op expects inputs of one rank and element type, got 'tensor<2xf32>' and 'tensor<2x1xf32>'}}
  %0 = kiln.concat %a, %b axis 0 : tensor<2xf32>, tensor<2x1xf32> -> tensor<4xf32>
  return
}

// -----

func.func @concat_c1_element_types_differ(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error@+1 {{'kiln.concat' op expects inputs of one rank and element type, got 'tensor<2xf32>' and 'tensor<2xi32>'}}
  %0 = kiln.concat %a, %b axis 0 : tensor<2xf32>, tensor<2xi32> -> tensor<4xf32>
  return
}

// -----

func.func @concat_c2_axis_out_of_range(%a: tensor<2xf32>) {
  // expected-error@+1 {{'kiln.concat' op expects 'axis' in [-1, 1), got 1}}
  %0 = kiln.concat %a axis 1 : tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @concat_c3_other_extents_differ(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'kiln.concat' op expects inputs that agree along axis 1, got extents 3 and 4}}
  %0 = kiln.concat %a, %b axis 0 : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @pad_c1_negative_amount(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'kiln.pad' op expects 'low' >= 0, got -1}}
  %0 = kiln.pad %x low [-1] high [0] mode constant value %v : tensor<4xf32>, tensor<f32> -> tensor<3xf32>
  return
}

// -----

func.func @pad_c1_entry_missing(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{'kiln.pad' op expects 'high' with 2 entries, got 1}}
  %0 = kiln.pad %x low [0, 0] high [0] mode edge : tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @pad_c2_value_missing(%x: tensor<4xf32>) {
  // expected-error@+1 {{'kiln.pad' op expects a 'value' if and only if 'mode' is constant, got mode constant and none}}
  %0 = kiln.pad %x low [1] high [1] mode constant : tensor<4xf32> -> tensor<6xf32>
  return
}

// -----

func.func @pad_c2_value_of_edge(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{'kiln.pad' op expects a 'value' if and only if 'mode' is constant, got mode edge and a value}}
  %0 = kiln.pad %x low [1] high [1] mode edge value %v : tensor<4xf32>, tensor<f32> -> tensor<6xf32>
  return
}

// -----

func.func @pad_c2_value_of_other_type(%x: tensor<4xf32>, %v: tensor<1xf32>) {
  // expected-error@+1 {{'kiln.pad' op expects a 'value' of type 'tensor<f32>', got 'tensor<1xf32>'}}
  %0 = kiln.pad %x low [1] high [1] mode constant value %v : tensor<4xf32>, tensor<1xf32> -> tensor<6xf32>
  return
}

// -----

func.func @pad_c3_reflects_too_far(%x: tensor<4xf32>) {
  // expected-error@+1 {{'kiln.pad' op expects amounts that mode reflect can take from 'tensor<4xf32>', got 4 along axis 0}}
  %0 = kiln.pad %x low [4] high [0] mode reflect : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @pad_c3_edge_of_nothing(%x: tensor<0xf32>) {
  // expected-error@+1 {{'kiln.pad' op expects amounts that mode edge can take from 'tensor<0xf32>', got 1 along axis 0}}
  %0 = kiln.pad %x low [0] high [1] mode edge : tensor<0xf32> -> tensor<1xf32>
  return
}

// -----

func.func @iota_c1_negative_size() {
  // expected-error@+1 {{'kiln.iota' op expects 'sizes' >= 0, got -4}}
  %0 = kiln.iota axis 0 [-4] : tensor<?xi64>
  return
}

// -----

func.func @iota_c2_axis_out_of_range() {
  // expected-error@+1 {{'kiln.iota' op expects 'axis' in [-1, 1), got 1}}
  %0 = kiln.iota axis 1 [4] : tensor<4xi64>
  return
}

// -----

func.func @iota_c3_boolean() {
  // expected-error@+1 {{'kiln.iota' op expects an element type of floats or integers of 8 to 64 bits, got 'i1'}}
  %0 = kiln.iota axis 0 [4] : tensor<4xi1>
  return
}

// -----

func.func @from_elements_c1_scalar(%n: index) {
  // expected-error@+1 {{'kiln.from_elements' op expects one element, got 2}}
  %0 = kiln.from_elements [%n, %n] scalar : tensor<i64>
  return
}

// -----

func.func @from_elements_c2_float(%n: index) {
  // expected-error@+1 {{'kiln.from_elements' op expects an element type of i1 or integers of 8 to 64 bits, got 'f32'}}
  %0 = kiln.from_elements [%n] : tensor<1xf32>
  return
}
