// random.mlir: random numbers against the generator's published vector, its definition and the moments of its
// distributions.

// The vector of Salmon et al. for counter 0 and key 0.
func.func @published_vector() {
  %i0 = kiln.iota axis 0 [4] : tensor<4xi64>
  %i = kiln.optimization_barrier %i0 : tensor<4xi64>
  %seed = kiln.constant dense<0> : tensor<i64>
  %got = kiln.random_bits %i, %seed : tensor<4xi64>, tensor<i64> -> tensor<4xui32>
  %want = kiln.constant dense<[0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]> : tensor<4xui32>
  kiln.check_equal %got, %want : tensor<4xui32>
  return
}

// Both halves of seed and counter count. Computed by a program of a few lines that gives the three published vectors.
func.func @both_halves() {
  %i0 = kiln.constant dense<[0, 1, 2, 3, 4, 1000003, 1099511627781]> : tensor<7xi64>
  %i = kiln.optimization_barrier %i0 : tensor<7xi64>
  %seed = kiln.constant dense<1311768467463790320> : tensor<i64>
  %got = kiln.random_bits %i, %seed : tensor<7xi64>, tensor<i64> -> tensor<7xui32>
  %want = kiln.constant dense<[153918276, 2016955328, 3388702910, 725345501, 949852570, 63641426, 2272371425]> : tensor<7xui32>
  kiln.check_equal %got, %want : tensor<7xui32>
  return
}

// A uniform number is the upper 24 bits.
func.func @uniform_bits() {
  %i0 = kiln.iota axis 0 [1003] : tensor<1003xi64>
  %i = kiln.optimization_barrier %i0 : tensor<1003xi64>
  %seed = kiln.constant dense<42> : tensor<i64>
  %got = kiln.random_uniform %i, %seed : tensor<1003xi64>, tensor<i64> -> tensor<1003xf32>
  %bits = kiln.random_bits %i, %seed : tensor<1003xi64>, tensor<i64> -> tensor<1003xui32>
  %step = kiln.constant dense<256> : tensor<ui32>
  %upper = kiln.div %bits, %step : tensor<1003xui32>, tensor<ui32> -> tensor<1003xui32>
  %number = kiln.convert %upper : tensor<1003xui32> to tensor<1003xf32>
  %unit = kiln.constant dense<5.9604644775390625e-8> : tensor<f32>
  %want = kiln.mul %number, %unit : tensor<1003xf32>, tensor<f32> -> tensor<1003xf32>
  kiln.check_equal %got, %want : tensor<1003xf32>
  return
}

// 100,000 uniform numbers: all in [0, 1), mean 1/2 and mean square 1/3 within five standard errors.
func.func @uniform_moments() {
  %i0 = kiln.iota axis 0 [100000] : tensor<100000xi64>
  %i = kiln.optimization_barrier %i0 : tensor<100000xi64>
  %seed = kiln.constant dense<7> : tensor<i64>
  %u = kiln.random_uniform %i, %seed : tensor<100000xi64>, tensor<i64> -> tensor<100000xf32>
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %one = kiln.constant dense<1.0> : tensor<f32>
  %above = kiln.compare ge %u, %zero : tensor<100000xf32>, tensor<f32> -> tensor<100000xi1>
  %below = kiln.compare lt %u, %one : tensor<100000xf32>, tensor<f32> -> tensor<100000xi1>
  %in = kiln.and %above, %below : tensor<100000xi1>, tensor<100000xi1> -> tensor<100000xi1>
  %all = kiln.reduce all %in axes [0] : tensor<100000xi1> -> tensor<i1>
  %true = kiln.constant dense<true> : tensor<i1>
  kiln.check_equal %all, %true : tensor<i1>
  %mean = kiln.reduce mean %u axes [0] : tensor<100000xf32> -> tensor<f32>
  %half = kiln.constant dense<0.5> : tensor<f32>
  kiln.check_close %mean, %half atol 4.6e-3 rtol 0.0 : tensor<f32>
  %square = kiln.mul %u, %u : tensor<100000xf32>, tensor<100000xf32> -> tensor<100000xf32>
  %power = kiln.reduce mean %square axes [0] : tensor<100000xf32> -> tensor<f32>
  %third = kiln.constant dense<0.33333334> : tensor<f32>
  kiln.check_close %power, %third atol 4.8e-3 rtol 0.0 : tensor<f32>
  return
}

// 100,000 normal numbers: mean 0, variance 1, fourth moment 3; neighbours, which share a pair, do not correlate.
func.func @normal_moments() {
  %i0 = kiln.iota axis 0 [100000] : tensor<100000xi64>
  %i = kiln.optimization_barrier %i0 : tensor<100000xi64>
  %seed = kiln.constant dense<7> : tensor<i64>
  %n = kiln.random_normal %i, %seed : tensor<100000xi64>, tensor<i64> -> tensor<100000xf32>
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %mean = kiln.reduce mean %n axes [0] : tensor<100000xf32> -> tensor<f32>
  kiln.check_close %mean, %zero atol 1.6e-2 rtol 0.0 : tensor<f32>
  %square = kiln.mul %n, %n : tensor<100000xf32>, tensor<100000xf32> -> tensor<100000xf32>
  %variance = kiln.reduce mean %square axes [0] : tensor<100000xf32> -> tensor<f32>
  %one = kiln.constant dense<1.0> : tensor<f32>
  kiln.check_close %variance, %one atol 2.3e-2 rtol 0.0 : tensor<f32>
  %fourth = kiln.mul %square, %square : tensor<100000xf32>, tensor<100000xf32> -> tensor<100000xf32>
  %kurtosis = kiln.reduce mean %fourth axes [0] : tensor<100000xf32> -> tensor<f32>
  %three = kiln.constant dense<3.0> : tensor<f32>
  kiln.check_close %kurtosis, %three atol 1.6e-1 rtol 0.0 : tensor<f32>
  %even = kiln.slice %n offsets [0] sizes [50000] strides [2] : tensor<100000xf32> -> tensor<50000xf32>
  %odd = kiln.slice %n offsets [1] sizes [50000] strides [2] : tensor<100000xf32> -> tensor<50000xf32>
  %product = kiln.mul %even, %odd : tensor<50000xf32>, tensor<50000xf32> -> tensor<50000xf32>
  %correlation = kiln.reduce mean %product axes [0] : tensor<50000xf32> -> tensor<f32>
  kiln.check_close %correlation, %zero atol 2.3e-2 rtol 0.0 : tensor<f32>
  return
}

// f64 has its own pairs of words; f16 and bf16 are rounded from f32.
func.func @other_floats() {
  %i0 = kiln.iota axis 0 [20001] : tensor<20001xi64>
  %i = kiln.optimization_barrier %i0 : tensor<20001xi64>
  %seed = kiln.constant dense<3> : tensor<i64>
  %u = kiln.random_uniform %i, %seed : tensor<20001xi64>, tensor<i64> -> tensor<20001xf64>
  %mean = kiln.reduce mean %u axes [0] : tensor<20001xf64> -> tensor<f64>
  %half = kiln.constant dense<0.5> : tensor<f64>
  kiln.check_close %mean, %half atol 1.1e-2 rtol 0.0 : tensor<f64>
  %n = kiln.random_normal %i, %seed : tensor<20001xi64>, tensor<i64> -> tensor<20001xf64>
  %square = kiln.mul %n, %n : tensor<20001xf64>, tensor<20001xf64> -> tensor<20001xf64>
  %variance = kiln.reduce mean %square axes [0] : tensor<20001xf64> -> tensor<f64>
  %one = kiln.constant dense<1.0> : tensor<f64>
  kiln.check_close %variance, %one atol 5.1e-2 rtol 0.0 : tensor<f64>
  %wide = kiln.random_normal %i, %seed : tensor<20001xi64>, tensor<i64> -> tensor<20001xf32>
  %want = kiln.convert %wide : tensor<20001xf32> to tensor<20001xf16>
  %got = kiln.random_normal %i, %seed : tensor<20001xi64>, tensor<i64> -> tensor<20001xf16>
  kiln.check_close %got, %want atol 1.0e-3 rtol 1.0e-3 : tensor<20001xf16>
  return
}
