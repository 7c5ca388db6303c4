// RUN: jit-opt %s --split-input-file --verify-diagnostics

func.func @reduce_c1_axis_out_of_range(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'axes' in [-2, 2), got 2}}
  %0 = kiln.reduce sum %x axes [2] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c1_axis_twice(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects distinct 'axes', got axis 1 twice}}
  %0 = kiln.reduce sum %x axes [1, -1] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c2_any_of_floats(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects elements that 'any' takes, got 'f32'}}
  %0 = kiln.reduce any %x axes [1] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c2_l2_of_integers(%x: tensor<2x3xi32>) {
  // expected-error@+1 {{expects elements that 'l2' takes, got 'i32'}}
  %0 = kiln.reduce l2 %x axes [1] : tensor<2x3xi32> -> tensor<2xi32>
  return
}

// -----

func.func @reduce_c2_sum_of_booleans(%x: tensor<2x3xi1>) {
  // expected-error@+1 {{expects elements that 'sum' takes, got 'i1'}}
  %0 = kiln.reduce sum %x axes [1] : tensor<2x3xi1> -> tensor<2xi1>
  return
}

// -----

func.func @arg_reduce_c1_axis(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'axis' in [-2, 2), got -3}}
  %0 = kiln.arg_reduce max %x axis -3 : tensor<2x3xf32> -> tensor<2xi64>
  return
}

// -----

func.func @arg_reduce_c2_empty(%x: tensor<2x0xf32>) {
  // expected-error@+1 {{expects elements along 'axis', got 'tensor<2x0xf32>'}}
  %0 = kiln.arg_reduce max %x axis 1 : tensor<2x0xf32> -> tensor<2xi64>
  return
}

// -----

func.func @cumulative_c1_axis(%x: tensor<f32>) {
  // expected-error@+1 {{expects 'axis' in [0, 0), got 0}}
  %0 = kiln.cumulative sum %x axis 0 : tensor<f32>
  return
}
