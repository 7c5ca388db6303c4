// attention.mlir: attention against softmax written out, and by what masks mean.

// Grouped queries, a softcap and a mask of floats against the formula, each query head beside the head it reads.
func.func @formula() {
  %qi = kiln.iota axis 0 [240] : tensor<240xf32>
  %qs = kiln.sin %qi : tensor<240xf32>
  %q0 = kiln.reshape %qs [1, 6, 5, 8] : tensor<240xf32> -> tensor<1x6x5x8xf32>
  %q = kiln.optimization_barrier %q0 : tensor<1x6x5x8xf32>
  %ki = kiln.iota axis 0 [112] : tensor<112xf32>
  %ks = kiln.cos %ki : tensor<112xf32>
  %k0 = kiln.reshape %ks [1, 2, 7, 8] : tensor<112xf32> -> tensor<1x2x7x8xf32>
  %k = kiln.optimization_barrier %k0 : tensor<1x2x7x8xf32>
  %vi = kiln.iota axis 0 [42] : tensor<42xf32>
  %vs = kiln.sin %vi : tensor<42xf32>
  %v0 = kiln.reshape %vs [1, 2, 7, 3] : tensor<42xf32> -> tensor<1x2x7x3xf32>
  %v = kiln.optimization_barrier %v0 : tensor<1x2x7x3xf32>
  %mi = kiln.iota axis 0 [35] : tensor<35xf32>
  %ms = kiln.cos %mi : tensor<35xf32>
  %m = kiln.reshape %ms [5, 7] : tensor<35xf32> -> tensor<5x7xf32>
  %y = kiln.attention %q, %k, %v mask %m scale 0.35 softcap 1.5
    : (tensor<1x6x5x8xf32>, tensor<1x2x7x8xf32>, tensor<1x2x7x3xf32>, tensor<5x7xf32>) -> tensor<1x6x5x3xf32>

  %ke = kiln.reshape %k [1, 2, 1, 7, 8] : tensor<1x2x7x8xf32> -> tensor<1x2x1x7x8xf32>
  %kb = kiln.broadcast %ke [1, 2, 3, 7, 8] : tensor<1x2x1x7x8xf32> -> tensor<1x2x3x7x8xf32>
  %kr = kiln.reshape %kb [1, 6, 7, 8] : tensor<1x2x3x7x8xf32> -> tensor<1x6x7x8xf32>
  %ve = kiln.reshape %v [1, 2, 1, 7, 3] : tensor<1x2x7x3xf32> -> tensor<1x2x1x7x3xf32>
  %vb = kiln.broadcast %ve [1, 2, 3, 7, 3] : tensor<1x2x1x7x3xf32> -> tensor<1x2x3x7x3xf32>
  %vr = kiln.reshape %vb [1, 6, 7, 3] : tensor<1x2x3x7x3xf32> -> tensor<1x6x7x3xf32>
  %s0 = kiln.matmul %q, %kr transB : tensor<1x6x5x8xf32>, tensor<1x6x7x8xf32> -> tensor<1x6x5x7xf32>
  %scale = kiln.constant dense<0.35> : tensor<f32>
  %cap = kiln.constant dense<1.5> : tensor<f32>
  %s1 = kiln.mul %s0, %scale : tensor<1x6x5x7xf32>, tensor<f32> -> tensor<1x6x5x7xf32>
  %s2 = kiln.div %s1, %cap : tensor<1x6x5x7xf32>, tensor<f32> -> tensor<1x6x5x7xf32>
  %s3 = kiln.tanh %s2 : tensor<1x6x5x7xf32>
  %s4 = kiln.mul %s3, %cap : tensor<1x6x5x7xf32>, tensor<f32> -> tensor<1x6x5x7xf32>
  %s5 = kiln.add %s4, %m : tensor<1x6x5x7xf32>, tensor<5x7xf32> -> tensor<1x6x5x7xf32>
  %p = kiln.softmax %s5 axis 3 : tensor<1x6x5x7xf32>
  %want = kiln.matmul %p, %vr : tensor<1x6x5x7xf32>, tensor<1x6x7x3xf32> -> tensor<1x6x5x3xf32>
  kiln.check_close %y, %want atol 1.0e-6 rtol 1.0e-5 : tensor<1x6x5x3xf32>
  return
}

// With equal scores a query gives the mean of the values that it sees: the positions themselves tell which.
func.func @causal_with_offset() {
  %z = kiln.constant dense<0.0> : tensor<1x1x3x4xf32>
  %q = kiln.optimization_barrier %z : tensor<1x1x3x4xf32>
  %k = kiln.constant dense<0.0> : tensor<1x1x5x4xf32>
  %v = kiln.iota axis 2 [1, 1, 5, 1] : tensor<1x1x5x1xf32>
  %o = kiln.constant dense<2> : tensor<1xi64>
  // Query i sees keys 0 to i + 2.
  %y = kiln.attention %q, %k, %v offset %o scale 1.0 causal
    : (tensor<1x1x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x1xf32>, tensor<1xi64>) -> tensor<1x1x3x1xf32>
  %want = kiln.constant dense<[[[[1.0], [1.5], [2.0]]]]> : tensor<1x1x3x1xf32>
  kiln.check_close %y, %want atol 1.0e-6 rtol 1.0e-6 : tensor<1x1x3x1xf32>
  // A window of one key on each side.
  %w = kiln.attention %q, %k, %v offset %o scale 1.0 left_window 1 right_window 1
    : (tensor<1x1x3x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x1xf32>, tensor<1xi64>) -> tensor<1x1x3x1xf32>
  %wantW = kiln.constant dense<[[[[2.0], [3.0], [3.5]]]]> : tensor<1x1x3x1xf32>
  kiln.check_close %w, %wantW atol 1.0e-6 rtol 1.0e-6 : tensor<1x1x3x1xf32>
  return
}

// Lengths differ by batch element; one without keys gives 0, not NaN.
func.func @lengths() {
  %z = kiln.constant dense<0.0> : tensor<3x2x1x4xf32>
  %q = kiln.optimization_barrier %z : tensor<3x2x1x4xf32>
  %k = kiln.constant dense<0.0> : tensor<3x2x5x4xf32>
  %v = kiln.iota axis 2 [3, 2, 5, 1] : tensor<3x2x5x1xf32>
  %n = kiln.constant dense<[5, 3, 0]> : tensor<3xi32>
  %y = kiln.attention %q, %k, %v lengths %n scale 1.0
    : (tensor<3x2x1x4xf32>, tensor<3x2x5x4xf32>, tensor<3x2x5x1xf32>, tensor<3xi32>) -> tensor<3x2x1x1xf32>
  %want = kiln.constant dense<[[[[2.0]], [[2.0]]], [[[1.0]], [[1.0]]], [[[0.0]], [[0.0]]]]> : tensor<3x2x1x1xf32>
  kiln.check_close %y, %want atol 1.0e-6 rtol 1.0e-6 : tensor<3x2x1x1xf32>
  return
}

// A mask of booleans; a row that sees nothing gives 0; the weights are shown.
func.func @boolean_mask() {
  %z = kiln.constant dense<0.0> : tensor<1x1x2x4xf32>
  %q = kiln.optimization_barrier %z : tensor<1x1x2x4xf32>
  %k = kiln.constant dense<0.0> : tensor<1x1x3x4xf32>
  %v = kiln.iota axis 2 [1, 1, 3, 1] : tensor<1x1x3x1xf32>
  %m = kiln.constant dense<[[true, false, true], [false, false, false]]> : tensor<2x3xi1>
  %y:2 = kiln.attention %q, %k, %v mask %m scale 1.0 shows weights
    : (tensor<1x1x2x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x1xf32>, tensor<2x3xi1>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2x3xf32>)
  %want = kiln.constant dense<[[[[1.0], [0.0]]]]> : tensor<1x1x2x1xf32>
  kiln.check_close %y#0, %want atol 1.0e-6 rtol 1.0e-6 : tensor<1x1x2x1xf32>
  %weights = kiln.constant dense<[[[[0.5, 0.0, 0.5], [0.0, 0.0, 0.0]]]]> : tensor<1x1x2x3xf32>
  kiln.check_close %y#1, %weights atol 1.0e-6 rtol 1.0e-6 : tensor<1x1x2x3xf32>
  return
}

// f16: the softmax is computed in f32.
func.func @half() {
  %qi = kiln.iota axis 0 [96] : tensor<96xf32>
  %qs = kiln.sin %qi : tensor<96xf32>
  %q0 = kiln.reshape %qs [1, 2, 6, 8] : tensor<96xf32> -> tensor<1x2x6x8xf32>
  %q = kiln.optimization_barrier %q0 : tensor<1x2x6x8xf32>
  %h = kiln.convert %q : tensor<1x2x6x8xf32> to tensor<1x2x6x8xf16>
  %y = kiln.attention %h, %h, %h scale 0.5 causal
    : (tensor<1x2x6x8xf16>, tensor<1x2x6x8xf16>, tensor<1x2x6x8xf16>) -> tensor<1x2x6x8xf16>
  %r = kiln.convert %h : tensor<1x2x6x8xf16> to tensor<1x2x6x8xf32>
  %z = kiln.attention %r, %r, %r scale 0.5 causal
    : (tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>) -> tensor<1x2x6x8xf32>
  %want = kiln.convert %z : tensor<1x2x6x8xf32> to tensor<1x2x6x8xf16>
  kiln.check_close %y, %want atol 2.0e-3 rtol 2.0e-3 : tensor<1x2x6x8xf16>
  return
}
