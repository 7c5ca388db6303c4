// reduce.mlir: reductions over inner, outer and several axes, arg-reductions and cumulative sums.

// 0 + 1 + ... + 999, over the inner axis, the outer axis and both.
func.func @sums() {
  %i = kiln.iota axis 1 [37, 1000] : tensor<37x1000xf32>
  %x = kiln.optimization_barrier %i : tensor<37x1000xf32>
  %inner = kiln.reduce sum %x axes [1] : tensor<37x1000xf32> -> tensor<37xf32>
  %winner = kiln.constant dense<499500.0> : tensor<37xf32>
  kiln.check_close %inner, %winner atol 0.0 rtol 1.0e-6 : tensor<37xf32>
  %outer = kiln.reduce sum %x axes [0] : tensor<37x1000xf32> -> tensor<1000xf32>
  %n = kiln.iota axis 0 [1000] : tensor<1000xf32>
  %c = kiln.constant dense<37.0> : tensor<f32>
  %wouter = kiln.mul %n, %c : tensor<1000xf32>, tensor<f32> -> tensor<1000xf32>
  kiln.check_equal %outer, %wouter : tensor<1000xf32>
  %both = kiln.reduce mean %x axes [0, 1] : tensor<37x1000xf32> -> tensor<f32>
  %wboth = kiln.constant dense<499.5> : tensor<f32>
  kiln.check_close %both, %wboth atol 0.0 rtol 1.0e-5 : tensor<f32>
  return
}

// A middle axis, kept.
func.func @middle_axis() {
  %i = kiln.iota axis 1 [3, 5, 9] : tensor<3x5x9xf32>
  %x = kiln.optimization_barrier %i : tensor<3x5x9xf32>
  %max = kiln.reduce max %x axes [1] keepdims : tensor<3x5x9xf32> -> tensor<3x1x9xf32>
  %wmax = kiln.constant dense<4.0> : tensor<3x1x9xf32>
  kiln.check_equal %max, %wmax : tensor<3x1x9xf32>
  %outer = kiln.reduce sum %x axes [0, 2] : tensor<3x5x9xf32> -> tensor<5xf32>
  %wouter = kiln.constant dense<[0.0, 27.0, 54.0, 81.0, 108.0]> : tensor<5xf32>
  kiln.check_equal %outer, %wouter : tensor<5xf32>
  return
}

// NaN reaches the result; the empty product is 1.
func.func @specials() {
  %x0 = kiln.constant dense<[[1.0, 0x7FC00000, 3.0], [2.0, 4.0, 8.0]]> : tensor<2x3xf32>
  %x = kiln.optimization_barrier %x0 : tensor<2x3xf32>
  %max = kiln.reduce max %x axes [1] : tensor<2x3xf32> -> tensor<2xf32>
  %wmax = kiln.constant dense<[0x7FC00000, 8.0]> : tensor<2xf32>
  kiln.check_equal %max, %wmax : tensor<2xf32>
  %prod = kiln.reduce prod %x axes [1] : tensor<2x3xf32> -> tensor<2xf32>
  %wprod = kiln.constant dense<[0x7FC00000, 64.0]> : tensor<2xf32>
  kiln.check_equal %prod, %wprod : tensor<2xf32>
  return
}

// log(sum(exp)) equals log_sum_exp; l2 is the root of sum_square.
func.func @composite_kinds() {
  %i = kiln.iota axis 1 [4, 21] : tensor<4x21xf32>
  %c = kiln.constant dense<0.125> : tensor<f32>
  %x0 = kiln.mul %i, %c : tensor<4x21xf32>, tensor<f32> -> tensor<4x21xf32>
  %x = kiln.optimization_barrier %x0 : tensor<4x21xf32>
  %got = kiln.reduce log_sum_exp %x axes [1] : tensor<4x21xf32> -> tensor<4xf32>
  %e = kiln.exp %x : tensor<4x21xf32>
  %s = kiln.reduce sum %e axes [1] : tensor<4x21xf32> -> tensor<4xf32>
  %want = kiln.log %s : tensor<4xf32>
  kiln.check_close %got, %want atol 1.0e-6 rtol 1.0e-6 : tensor<4xf32>
  %l2 = kiln.reduce l2 %x axes [1] : tensor<4x21xf32> -> tensor<4xf32>
  %q = kiln.reduce sum_square %x axes [1] : tensor<4x21xf32> -> tensor<4xf32>
  %root = kiln.sqrt %q : tensor<4xf32>
  kiln.check_close %l2, %root atol 0.0 rtol 1.0e-6 : tensor<4xf32>
  return
}

// The first of equal elements wins, or the last where asked.
func.func @arg_reduce() {
  %x0 = kiln.constant dense<[[3.0, 9.0, 1.0, 9.0], [1.0, 1.0, 0.0, 0.0]]> : tensor<2x4xf32>
  %x = kiln.optimization_barrier %x0 : tensor<2x4xf32>
  %max = kiln.arg_reduce max %x axis 1 : tensor<2x4xf32> -> tensor<2xi64>
  %wmax = kiln.constant dense<[1, 0]> : tensor<2xi64>
  kiln.check_equal %max, %wmax : tensor<2xi64>
  %last = kiln.arg_reduce min %x axis 1 select_last : tensor<2x4xf32> -> tensor<2xi64>
  %wlast = kiln.constant dense<[2, 3]> : tensor<2xi64>
  kiln.check_equal %last, %wlast : tensor<2xi64>
  return
}

// 1, 3, 6, 10 ...; exclusive starts with 0; reverse comes from the end.
func.func @cumulative() {
  %x0 = kiln.constant dense<[[1, 2, 3, 4]]> : tensor<1x4xi32>
  %x = kiln.optimization_barrier %x0 : tensor<1x4xi32>
  %sum = kiln.cumulative sum %x axis 1 : tensor<1x4xi32>
  %wsum = kiln.constant dense<[[1, 3, 6, 10]]> : tensor<1x4xi32>
  kiln.check_equal %sum, %wsum : tensor<1x4xi32>
  %exclusive = kiln.cumulative sum %x axis 1 exclusive : tensor<1x4xi32>
  %wexclusive = kiln.constant dense<[[0, 1, 3, 6]]> : tensor<1x4xi32>
  kiln.check_equal %exclusive, %wexclusive : tensor<1x4xi32>
  %reverse = kiln.cumulative sum %x axis 1 reverse : tensor<1x4xi32>
  %wreverse = kiln.constant dense<[[10, 9, 7, 4]]> : tensor<1x4xi32>
  kiln.check_equal %reverse, %wreverse : tensor<1x4xi32>
  return
}
