// normalize.mlir: softmax and the norms by the properties that define them, and at special values.

// Rows sum to one, and equal the formula written out.
func.func @softmax_rows() {
  %i = kiln.iota axis 1 [5, 67] : tensor<5x67xf32>
  %c = kiln.constant dense<0.25> : tensor<f32>
  %x0 = kiln.mul %i, %c : tensor<5x67xf32>, tensor<f32> -> tensor<5x67xf32>
  %x = kiln.optimization_barrier %x0 : tensor<5x67xf32>
  %p = kiln.softmax %x axis -1 : tensor<5x67xf32>
  %sum = kiln.reduce sum %p axes [1] : tensor<5x67xf32> -> tensor<5xf32>
  %one = kiln.constant dense<1.0> : tensor<5xf32>
  kiln.check_close %sum, %one atol 1.0e-6 rtol 0.0 : tensor<5xf32>
  %m = kiln.reduce max %x axes [1] keepdims : tensor<5x67xf32> -> tensor<5x1xf32>
  %d = kiln.sub %x, %m : tensor<5x67xf32>, tensor<5x1xf32> -> tensor<5x67xf32>
  %e = kiln.exp %d : tensor<5x67xf32>
  %s = kiln.reduce sum %e axes [1] keepdims : tensor<5x67xf32> -> tensor<5x1xf32>
  %want = kiln.div %e, %s : tensor<5x67xf32>, tensor<5x1xf32> -> tensor<5x67xf32>
  kiln.check_close %p, %want atol 1.0e-8 rtol 1.0e-5 : tensor<5x67xf32>
  return
}

// Along the first axis the elements of a slice are not neighbours.
func.func @softmax_first_axis() {
  %x0 = kiln.constant dense<3.0> : tensor<4x33xf32>
  %x = kiln.optimization_barrier %x0 : tensor<4x33xf32>
  %p = kiln.softmax %x axis 0 : tensor<4x33xf32>
  %want = kiln.constant dense<0.25> : tensor<4x33xf32>
  kiln.check_close %p, %want atol 1.0e-7 rtol 0.0 : tensor<4x33xf32>
  return
}

// Large arguments do not overflow; -inf has no weight; NaN or only -inf makes the slice NaN.
func.func @softmax_specials() {
  %x0 = kiln.constant dense<[[1.0e30, 1.0e30], [0xFF800000, 5.0], [0x7FC00000, 1.0], [0xFF800000, 0xFF800000]]> : tensor<4x2xf32>
  %x = kiln.optimization_barrier %x0 : tensor<4x2xf32>
  %p = kiln.softmax %x axis 1 : tensor<4x2xf32>
  %want = kiln.constant dense<[[0.5, 0.5], [0.0, 1.0], [0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7FC00000]]> : tensor<4x2xf32>
  kiln.check_equal %p, %want : tensor<4x2xf32>
  return
}

// log_softmax is the logarithm of softmax.
func.func @log_softmax() {
  %i = kiln.iota axis 1 [3, 19] : tensor<3x19xf32>
  %c = kiln.constant dense<0.5> : tensor<f32>
  %x0 = kiln.mul %i, %c : tensor<3x19xf32>, tensor<f32> -> tensor<3x19xf32>
  %x = kiln.optimization_barrier %x0 : tensor<3x19xf32>
  %got = kiln.log_softmax %x axis 1 : tensor<3x19xf32>
  %p = kiln.softmax %x axis 1 : tensor<3x19xf32>
  %want = kiln.log %p : tensor<3x19xf32>
  kiln.check_close %got, %want atol 1.0e-5 rtol 1.0e-5 : tensor<3x19xf32>
  return
}

// Normalised rows have mean 0 and variance 1.
func.func @layer_norm_moments() {
  %i = kiln.iota axis 1 [4, 50] : tensor<4x50xf32>
  %x = kiln.optimization_barrier %i : tensor<4x50xf32>
  %y = kiln.layer_norm %x axis -1 epsilon 0.0 : tensor<4x50xf32>
  %mean = kiln.reduce mean %y axes [1] : tensor<4x50xf32> -> tensor<4xf32>
  %zero = kiln.constant dense<0.0> : tensor<4xf32>
  kiln.check_close %mean, %zero atol 1.0e-6 rtol 0.0 : tensor<4xf32>
  %square = kiln.mul %y, %y : tensor<4x50xf32>, tensor<4x50xf32> -> tensor<4x50xf32>
  %variance = kiln.reduce mean %square axes [1] : tensor<4x50xf32> -> tensor<4xf32>
  %one = kiln.constant dense<1.0> : tensor<4xf32>
  kiln.check_close %variance, %one atol 1.0e-5 rtol 0.0 : tensor<4xf32>
  return
}

// batch_norm is one affine map a channel.
func.func @batch_norm() {
  %i = kiln.iota axis 2 [2, 3, 11] : tensor<2x3x11xf32>
  %x = kiln.optimization_barrier %i : tensor<2x3x11xf32>
  %scale0 = kiln.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %scale = kiln.optimization_barrier %scale0 : tensor<3xf32>
  %bias = kiln.constant dense<[0.0, 1.0, -1.0]> : tensor<3xf32>
  %mean = kiln.constant dense<[5.0, 5.0, 5.0]> : tensor<3xf32>
  %var = kiln.constant dense<[0.25, 4.0, 16.0]> : tensor<3xf32>
  %y = kiln.batch_norm %x, %scale, %bias, %mean, %var epsilon 0.0
       : tensor<2x3x11xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  %k = kiln.constant dense<[[[2.0], [1.0], [1.0]]]> : tensor<1x3x1xf32>
  %b = kiln.constant dense<[[[-10.0], [-4.0], [-6.0]]]> : tensor<1x3x1xf32>
  %m = kiln.mul %x, %k : tensor<2x3x11xf32>, tensor<1x3x1xf32> -> tensor<2x3x11xf32>
  %want = kiln.add %m, %b : tensor<2x3x11xf32>, tensor<1x3x1xf32> -> tensor<2x3x11xf32>
  kiln.check_close %y, %want atol 1.0e-5 rtol 1.0e-6 : tensor<2x3x11xf32>
  return
}

// Layer norm and softmax written out, one kernel each, equal the ops.
func.func @written_out_over_rows() {
  %i = kiln.iota axis 1 [3, 8, 67] : tensor<3x8x67xf32>
  %j = kiln.iota axis 0 [3, 8, 67] : tensor<3x8x67xf32>
  %k = kiln.sin %i : tensor<3x8x67xf32>
  %x0 = kiln.add %j, %k : tensor<3x8x67xf32>, tensor<3x8x67xf32> -> tensor<3x8x67xf32>
  %l = kiln.iota axis 2 [3, 8, 67] : tensor<3x8x67xf32>
  %x1 = kiln.mul %x0, %l : tensor<3x8x67xf32>, tensor<3x8x67xf32> -> tensor<3x8x67xf32>
  %x = kiln.optimization_barrier %x1 : tensor<3x8x67xf32>
  %eps = kiln.constant dense<1.0e-5> : tensor<f32>
  %m = kiln.reduce mean %x axes [-1] keepdims : tensor<3x8x67xf32> -> tensor<3x8x1xf32>
  %d = kiln.sub %x, %m : tensor<3x8x67xf32>, tensor<3x8x1xf32> -> tensor<3x8x67xf32>
  %q = kiln.mul %d, %d : tensor<3x8x67xf32>, tensor<3x8x67xf32> -> tensor<3x8x67xf32>
  %v = kiln.reduce mean %q axes [-1] keepdims : tensor<3x8x67xf32> -> tensor<3x8x1xf32>
  %ve = kiln.add %v, %eps : tensor<3x8x1xf32>, tensor<f32> -> tensor<3x8x1xf32>
  %s = kiln.sqrt %ve : tensor<3x8x1xf32>
  %n = kiln.div %d, %s : tensor<3x8x67xf32>, tensor<3x8x1xf32> -> tensor<3x8x67xf32>
  %norm = kiln.layer_norm %x axis -1 epsilon 1.0e-5 : tensor<3x8x67xf32>
  kiln.check_close %n, %norm atol 1.0e-5 rtol 1.0e-5 : tensor<3x8x67xf32>
  %top = kiln.reduce max %x axes [-1] keepdims : tensor<3x8x67xf32> -> tensor<3x8x1xf32>
  %t = kiln.sub %x, %top : tensor<3x8x67xf32>, tensor<3x8x1xf32> -> tensor<3x8x67xf32>
  %e = kiln.exp %t : tensor<3x8x67xf32>
  %z = kiln.reduce sum %e axes [-1] keepdims : tensor<3x8x67xf32> -> tensor<3x8x1xf32>
  %p = kiln.div %e, %z : tensor<3x8x67xf32>, tensor<3x8x1xf32> -> tensor<3x8x67xf32>
  %soft = kiln.softmax %x axis -1 : tensor<3x8x67xf32>
  kiln.check_close %p, %soft atol 1.0e-7 rtol 1.0e-5 : tensor<3x8x67xf32>
  return
}
