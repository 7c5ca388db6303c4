// RUN: jit-opt %s --split-input-file --verify-diagnostics

func.func @random_bits_c1_broadcast(%i: tensor<4xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{broadcast}}
  %0 = kiln.random_bits %i, %s : tensor<4xi64>, tensor<3xi64> -> tensor<4xui32>
  return
}

// -----

func.func @random_uniform_c1_broadcast(%i: tensor<4xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{broadcast}}
  %0 = kiln.random_uniform %i, %s : tensor<4xi64>, tensor<3xi64> -> tensor<4xf32>
  return
}

// -----

func.func @random_normal_c1_broadcast(%i: tensor<4xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{broadcast}}
  %0 = kiln.random_normal %i, %s : tensor<4xi64>, tensor<3xi64> -> tensor<4xf32>
  return
}
