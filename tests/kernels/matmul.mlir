// matmul.mlir: kiln.matmul against the sum of products, written with other ops; integers so that sums are exact.

// A row of M, a column of N, K beside them: tails in every direction of a register tile.
func.func @odd_sizes() {
  %a0 = kiln.iota axis 0 [7, 13] : tensor<7x13xf32>
  %a1 = kiln.iota axis 1 [7, 13] : tensor<7x13xf32>
  %a2 = kiln.sub %a0, %a1 : tensor<7x13xf32>, tensor<7x13xf32> -> tensor<7x13xf32>
  %a = kiln.optimization_barrier %a2 : tensor<7x13xf32>
  %b0 = kiln.iota axis 0 [13, 19] : tensor<13x19xf32>
  %b1 = kiln.iota axis 1 [13, 19] : tensor<13x19xf32>
  %b2 = kiln.mul %b0, %b1 : tensor<13x19xf32>, tensor<13x19xf32> -> tensor<13x19xf32>
  %b = kiln.optimization_barrier %b2 : tensor<13x19xf32>
  %got = kiln.matmul %a, %b : tensor<7x13xf32>, tensor<13x19xf32> -> tensor<7x19xf32>
  %ar = kiln.reshape %a [7, 13, 1] : tensor<7x13xf32> -> tensor<7x13x1xf32>
  %p = kiln.mul %ar, %b : tensor<7x13x1xf32>, tensor<13x19xf32> -> tensor<7x13x19xf32>
  %want = kiln.reduce sum %p axes [1] : tensor<7x13x19xf32> -> tensor<7x19xf32>
  kiln.check_equal %got, %want : tensor<7x19xf32>
  return
}

// Several register tiles and a K beyond one cache block.
func.func @large() {
  %a0 = kiln.iota axis 1 [96, 600] : tensor<96x600xf32>
  %c7 = kiln.constant dense<7.0> : tensor<f32>
  %a1 = kiln.mod %a0, %c7 : tensor<96x600xf32>, tensor<f32> -> tensor<96x600xf32>
  %a = kiln.optimization_barrier %a1 : tensor<96x600xf32>
  %b0 = kiln.iota axis 1 [600, 80] : tensor<600x80xf32>
  %c5 = kiln.constant dense<5.0> : tensor<f32>
  %b1 = kiln.mod %b0, %c5 : tensor<600x80xf32>, tensor<f32> -> tensor<600x80xf32>
  %b = kiln.optimization_barrier %b1 : tensor<600x80xf32>
  %got = kiln.matmul %a, %b : tensor<96x600xf32>, tensor<600x80xf32> -> tensor<96x80xf32>
  %rows = kiln.reduce sum %a axes [1] keepdims : tensor<96x600xf32> -> tensor<96x1xf32>
  %row = kiln.slice %b offsets [0, 0] sizes [1, 80] strides [1, 1] : tensor<600x80xf32> -> tensor<1x80xf32>
  %want = kiln.mul %rows, %row : tensor<96x1xf32>, tensor<1x80xf32> -> tensor<96x80xf32>
  kiln.check_equal %got, %want : tensor<96x80xf32>
  return
}

// One row, as in decoding; one column; one element.
func.func @vectors() {
  %a0 = kiln.iota axis 1 [1, 37] : tensor<1x37xf32>
  %a = kiln.optimization_barrier %a0 : tensor<1x37xf32>
  %b0 = kiln.constant dense<2.0> : tensor<37x21xf32>
  %b = kiln.optimization_barrier %b0 : tensor<37x21xf32>
  %row = kiln.matmul %a, %b : tensor<1x37xf32>, tensor<37x21xf32> -> tensor<1x21xf32>
  %w0 = kiln.constant dense<1332.0> : tensor<1x21xf32>
  kiln.check_equal %row, %w0 : tensor<1x21xf32>
  %column = kiln.matmul %b, %a transA transB : tensor<37x21xf32>, tensor<1x37xf32> -> tensor<21x1xf32>
  %w1 = kiln.constant dense<1332.0> : tensor<21x1xf32>
  kiln.check_equal %column, %w1 : tensor<21x1xf32>
  %dot = kiln.matmul %a, %a transB : tensor<1x37xf32>, tensor<1x37xf32> -> tensor<1x1xf32>
  %w2 = kiln.constant dense<16206.0> : tensor<1x1xf32>
  kiln.check_equal %dot, %w2 : tensor<1x1xf32>
  return
}

// Batches broadcast as numpy's; every transposition gives the same product.
func.func @batches_and_transposes() {
  %a0 = kiln.iota axis 2 [3, 5, 9] : tensor<3x5x9xf32>
  %a = kiln.optimization_barrier %a0 : tensor<3x5x9xf32>
  %b0 = kiln.iota axis 1 [9, 17] : tensor<9x17xf32>
  %b = kiln.optimization_barrier %b0 : tensor<9x17xf32>
  %want = kiln.matmul %a, %b : tensor<3x5x9xf32>, tensor<9x17xf32> -> tensor<3x5x17xf32>
  %at = kiln.transpose %a perm [0, 2, 1] : tensor<3x5x9xf32> -> tensor<3x9x5xf32>
  %atb = kiln.optimization_barrier %at : tensor<3x9x5xf32>
  %bt = kiln.transpose %b perm [1, 0] : tensor<9x17xf32> -> tensor<17x9xf32>
  %btb = kiln.optimization_barrier %bt : tensor<17x9xf32>
  %ta = kiln.matmul %atb, %b transA : tensor<3x9x5xf32>, tensor<9x17xf32> -> tensor<3x5x17xf32>
  kiln.check_equal %ta, %want : tensor<3x5x17xf32>
  %tb = kiln.matmul %a, %btb transB : tensor<3x5x9xf32>, tensor<17x9xf32> -> tensor<3x5x17xf32>
  kiln.check_equal %tb, %want : tensor<3x5x17xf32>
  %tab = kiln.matmul %atb, %btb transA transB : tensor<3x9x5xf32>, tensor<17x9xf32> -> tensor<3x5x17xf32>
  kiln.check_equal %tab, %want : tensor<3x5x17xf32>
  %sum = kiln.constant dense<36.0> : tensor<1xf32>
  %row = kiln.iota axis 2 [3, 5, 17] : tensor<3x5x17xf32>
  %known = kiln.mul %row, %sum : tensor<3x5x17xf32>, tensor<1xf32> -> tensor<3x5x17xf32>
  kiln.check_equal %want, %known : tensor<3x5x17xf32>
  return
}

// The epilogue runs in the same kernel.
func.func @fused_epilogue() {
  %a0 = kiln.iota axis 0 [33, 20] : tensor<33x20xf32>
  %c16 = kiln.constant dense<16.0> : tensor<f32>
  %a1 = kiln.sub %a0, %c16 : tensor<33x20xf32>, tensor<f32> -> tensor<33x20xf32>
  %a = kiln.optimization_barrier %a1 : tensor<33x20xf32>
  %b0 = kiln.constant dense<1.0> : tensor<20x40xf32>
  %b = kiln.optimization_barrier %b0 : tensor<20x40xf32>
  %bias0 = kiln.iota axis 0 [40] : tensor<40xf32>
  %bias = kiln.optimization_barrier %bias0 : tensor<40xf32>
  %m = kiln.matmul %a, %b : tensor<33x20xf32>, tensor<20x40xf32> -> tensor<33x40xf32>
  %s = kiln.add %m, %bias : tensor<33x40xf32>, tensor<40xf32> -> tensor<33x40xf32>
  %got = kiln.relu %s : tensor<33x40xf32>
  %rows = kiln.iota axis 0 [33, 40] : tensor<33x40xf32>
  %columns = kiln.iota axis 1 [33, 40] : tensor<33x40xf32>
  %c20 = kiln.constant dense<20.0> : tensor<f32>
  %w0 = kiln.sub %rows, %c16 : tensor<33x40xf32>, tensor<f32> -> tensor<33x40xf32>
  %w1 = kiln.mul %w0, %c20 : tensor<33x40xf32>, tensor<f32> -> tensor<33x40xf32>
  %w2 = kiln.add %w1, %columns : tensor<33x40xf32>, tensor<33x40xf32> -> tensor<33x40xf32>
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %want = kiln.max %w2, %zero : tensor<33x40xf32>, tensor<f32> -> tensor<33x40xf32>
  kiln.check_equal %got, %want : tensor<33x40xf32>
  return
}
