// pooling.mlir: the pools against maxima and sums of shifted slices.

// Padding never wins.
func.func @max_pool() {
  %xn = kiln.iota axis 0 [567] : tensor<567xf32>
  %xm = kiln.constant dense<11.0> : tensor<f32>
  %xr = kiln.mod %xn, %xm : tensor<567xf32>, tensor<f32> -> tensor<567xf32>
  %xs = kiln.reshape %xr [1, 3, 9, 21] : tensor<567xf32> -> tensor<1x3x9x21xf32>
  %x = kiln.optimization_barrier %xs : tensor<1x3x9x21xf32>
  %got = kiln.max_pool %x kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x3x9x21xf32> -> tensor<1x3x5x11xf32>
  %z = kiln.constant dense<0xFF800000> : tensor<f32>
  %xp = kiln.pad %x low [0, 0, 1, 1] high [0, 0, 1, 1] mode constant value %z : tensor<1x3x9x21xf32>, tensor<f32> -> tensor<1x3x11x23xf32>
  %xs1 = kiln.slice %xp offsets [0, 0, 0, 0] sizes [1, 3, 5, 11] strides [1, 1, 2, 2] : tensor<1x3x11x23xf32> -> tensor<1x3x5x11xf32>
  %xs2 = kiln.slice %xp offsets [0, 0, 0, 1] sizes [1, 3, 5, 11] strides [1, 1, 2, 2] : tensor<1x3x11x23xf32> -> tensor<1x3x5x11xf32>
  %xt2 = kiln.max %xs1, %xs2 : tensor<1x3x5x11xf32>, tensor<1x3x5x11xf32> -> tensor<1x3x5x11xf32>
  %xs3 = kiln.slice %xp offsets [0, 0, 0, 2] sizes [1, 3, 5, 11] strides [1, 1, 2, 2] : tensor<1x3x11x23xf32> -> tensor<1x3x5x11xf32>
  %xt3 = kiln.max %xt2, %xs3 : tensor<1x3x5x11xf32>, tensor<1x3x5x11xf32> -> tensor<1x3x5x11xf32>
  %xs4 = kiln.slice %xp offsets [0, 0, 1, 0] sizes [1, 3, 5, 11] strides [1, 1, 2, 2] : tensor<1x3x11x23xf32> -> tensor<1x3x5x11xf32>
  %xt4 = kiln.max %xt3, %xs4 : tensor<1x3x5x11xf32>, tensor<1x3x5x11xf32> -> tensor<1x3x5x11xf32>
  %xs5 = kiln.slice %xp offsets [0, 0, 1, 1] sizes [1, 3, 5, 11] strides [1, 1, 2, 2] : tensor<1x3x11x23xf32> -> tensor<1x3x5x11xf32>
  %xt5 = kiln.max %xt4, %xs5 : tensor<1x3x5x11xf32>, tensor<1x3x5x11xf32> -> tensor<1x3x5x11xf32>
  %xs6 = kiln.slice %xp offsets [0, 0, 1, 2] sizes [1, 3, 5, 11] strides [1, 1, 2, 2] : tensor<1x3x11x23xf32> -> tensor<1x3x5x11xf32>
  %xt6 = kiln.max %xt5, %xs6 : tensor<1x3x5x11xf32>, tensor<1x3x5x11xf32> -> tensor<1x3x5x11xf32>
  %xs7 = kiln.slice %xp offsets [0, 0, 2, 0] sizes [1, 3, 5, 11] strides [1, 1, 2, 2] : tensor<1x3x11x23xf32> -> tensor<1x3x5x11xf32>
  %xt7 = kiln.max %xt6, %xs7 : tensor<1x3x5x11xf32>, tensor<1x3x5x11xf32> -> tensor<1x3x5x11xf32>
  %xs8 = kiln.slice %xp offsets [0, 0, 2, 1] sizes [1, 3, 5, 11] strides [1, 1, 2, 2] : tensor<1x3x11x23xf32> -> tensor<1x3x5x11xf32>
  %xt8 = kiln.max %xt7, %xs8 : tensor<1x3x5x11xf32>, tensor<1x3x5x11xf32> -> tensor<1x3x5x11xf32>
  %xs9 = kiln.slice %xp offsets [0, 0, 2, 2] sizes [1, 3, 5, 11] strides [1, 1, 2, 2] : tensor<1x3x11x23xf32> -> tensor<1x3x5x11xf32>
  %xt9 = kiln.max %xt8, %xs9 : tensor<1x3x5x11xf32>, tensor<1x3x5x11xf32> -> tensor<1x3x5x11xf32>
  kiln.check_equal %got, %xt9 : tensor<1x3x5x11xf32>
  return
}

// Even windows without padding.
func.func @max_pool_two() {
  %xn = kiln.iota axis 0 [1152] : tensor<1152xf32>
  %xm = kiln.constant dense<11.0> : tensor<f32>
  %xr = kiln.mod %xn, %xm : tensor<1152xf32>, tensor<f32> -> tensor<1152xf32>
  %xs = kiln.reshape %xr [2, 2, 8, 36] : tensor<1152xf32> -> tensor<2x2x8x36xf32>
  %x = kiln.optimization_barrier %xs : tensor<2x2x8x36xf32>
  %got = kiln.max_pool %x kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] : tensor<2x2x8x36xf32> -> tensor<2x2x4x18xf32>
  %z = kiln.constant dense<0xFF800000> : tensor<f32>
  %xp = kiln.pad %x low [0, 0, 0, 0] high [0, 0, 0, 0] mode constant value %z : tensor<2x2x8x36xf32>, tensor<f32> -> tensor<2x2x8x36xf32>
  %xs1 = kiln.slice %xp offsets [0, 0, 0, 0] sizes [2, 2, 4, 18] strides [1, 1, 2, 2] : tensor<2x2x8x36xf32> -> tensor<2x2x4x18xf32>
  %xs2 = kiln.slice %xp offsets [0, 0, 0, 1] sizes [2, 2, 4, 18] strides [1, 1, 2, 2] : tensor<2x2x8x36xf32> -> tensor<2x2x4x18xf32>
  %xt2 = kiln.max %xs1, %xs2 : tensor<2x2x4x18xf32>, tensor<2x2x4x18xf32> -> tensor<2x2x4x18xf32>
  %xs3 = kiln.slice %xp offsets [0, 0, 1, 0] sizes [2, 2, 4, 18] strides [1, 1, 2, 2] : tensor<2x2x8x36xf32> -> tensor<2x2x4x18xf32>
  %xt3 = kiln.max %xt2, %xs3 : tensor<2x2x4x18xf32>, tensor<2x2x4x18xf32> -> tensor<2x2x4x18xf32>
  %xs4 = kiln.slice %xp offsets [0, 0, 1, 1] sizes [2, 2, 4, 18] strides [1, 1, 2, 2] : tensor<2x2x8x36xf32> -> tensor<2x2x4x18xf32>
  %xt4 = kiln.max %xt3, %xs4 : tensor<2x2x4x18xf32>, tensor<2x2x4x18xf32> -> tensor<2x2x4x18xf32>
  kiln.check_equal %got, %xt4 : tensor<2x2x4x18xf32>
  return
}

// The divisor counts real elements.
func.func @avg_pool_excludes_padding() {
  %xn = kiln.iota axis 0 [252] : tensor<252xf32>
  %xm = kiln.constant dense<11.0> : tensor<f32>
  %xr = kiln.mod %xn, %xm : tensor<252xf32>, tensor<f32> -> tensor<252xf32>
  %xs = kiln.reshape %xr [1, 2, 7, 18] : tensor<252xf32> -> tensor<1x2x7x18xf32>
  %x = kiln.optimization_barrier %xs : tensor<1x2x7x18xf32>
  %got = kiln.avg_pool %x kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %z = kiln.constant dense<0.0> : tensor<f32>
  %xp = kiln.pad %x low [0, 0, 1, 1] high [0, 0, 1, 1] mode constant value %z : tensor<1x2x7x18xf32>, tensor<f32> -> tensor<1x2x9x20xf32>
  %ones = kiln.constant dense<1.0> : tensor<1x2x7x18xf32>
  %op = kiln.pad %ones low [0, 0, 1, 1] high [0, 0, 1, 1] mode constant value %z : tensor<1x2x7x18xf32>, tensor<f32> -> tensor<1x2x9x20xf32>
  %xs1 = kiln.slice %xp offsets [0, 0, 0, 0] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %xs2 = kiln.slice %xp offsets [0, 0, 0, 1] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %xt2 = kiln.add %xs1, %xs2 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %xs3 = kiln.slice %xp offsets [0, 0, 0, 2] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %xt3 = kiln.add %xt2, %xs3 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %xs4 = kiln.slice %xp offsets [0, 0, 1, 0] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %xt4 = kiln.add %xt3, %xs4 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %xs5 = kiln.slice %xp offsets [0, 0, 1, 1] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %xt5 = kiln.add %xt4, %xs5 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %xs6 = kiln.slice %xp offsets [0, 0, 1, 2] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %xt6 = kiln.add %xt5, %xs6 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %xs7 = kiln.slice %xp offsets [0, 0, 2, 0] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %xt7 = kiln.add %xt6, %xs7 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %xs8 = kiln.slice %xp offsets [0, 0, 2, 1] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %xt8 = kiln.add %xt7, %xs8 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %xs9 = kiln.slice %xp offsets [0, 0, 2, 2] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %xt9 = kiln.add %xt8, %xs9 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %os1 = kiln.slice %op offsets [0, 0, 0, 0] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %os2 = kiln.slice %op offsets [0, 0, 0, 1] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %ot2 = kiln.add %os1, %os2 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %os3 = kiln.slice %op offsets [0, 0, 0, 2] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %ot3 = kiln.add %ot2, %os3 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %os4 = kiln.slice %op offsets [0, 0, 1, 0] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %ot4 = kiln.add %ot3, %os4 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %os5 = kiln.slice %op offsets [0, 0, 1, 1] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %ot5 = kiln.add %ot4, %os5 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %os6 = kiln.slice %op offsets [0, 0, 1, 2] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %ot6 = kiln.add %ot5, %os6 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %os7 = kiln.slice %op offsets [0, 0, 2, 0] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %ot7 = kiln.add %ot6, %os7 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %os8 = kiln.slice %op offsets [0, 0, 2, 1] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %ot8 = kiln.add %ot7, %os8 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %os9 = kiln.slice %op offsets [0, 0, 2, 2] sizes [1, 2, 7, 18] strides [1, 1, 1, 1] : tensor<1x2x9x20xf32> -> tensor<1x2x7x18xf32>
  %ot9 = kiln.add %ot8, %os9 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  %want = kiln.div %xt9, %ot9 : tensor<1x2x7x18xf32>, tensor<1x2x7x18xf32> -> tensor<1x2x7x18xf32>
  kiln.check_close %got, %want atol 0.0 rtol 1.0e-6 : tensor<1x2x7x18xf32>
  return
}

// The divisor is the window.
func.func @avg_pool_includes_padding() {
  %xn = kiln.iota axis 0 [252] : tensor<252xf32>
  %xm = kiln.constant dense<11.0> : tensor<f32>
  %xr = kiln.mod %xn, %xm : tensor<252xf32>, tensor<f32> -> tensor<252xf32>
  %xs = kiln.reshape %xr [1, 2, 7, 18] : tensor<252xf32> -> tensor<1x2x7x18xf32>
  %x = kiln.optimization_barrier %xs : tensor<1x2x7x18xf32>
  %got = kiln.avg_pool %x kernel [3, 2] strides [3, 2] pads [1, 0, 1, 1] dilations [1, 1] count_include_pad : tensor<1x2x7x18xf32> -> tensor<1x2x3x9xf32>
  %z = kiln.constant dense<0.0> : tensor<f32>
  %xp = kiln.pad %x low [0, 0, 1, 0] high [0, 0, 1, 1] mode constant value %z : tensor<1x2x7x18xf32>, tensor<f32> -> tensor<1x2x9x19xf32>
  %ones = kiln.constant dense<1.0> : tensor<1x2x7x18xf32>
  %op = kiln.pad %ones low [0, 0, 1, 0] high [0, 0, 1, 1] mode constant value %z : tensor<1x2x7x18xf32>, tensor<f32> -> tensor<1x2x9x19xf32>
  %xs1 = kiln.slice %xp offsets [0, 0, 0, 0] sizes [1, 2, 3, 9] strides [1, 1, 3, 2] : tensor<1x2x9x19xf32> -> tensor<1x2x3x9xf32>
  %xs2 = kiln.slice %xp offsets [0, 0, 0, 1] sizes [1, 2, 3, 9] strides [1, 1, 3, 2] : tensor<1x2x9x19xf32> -> tensor<1x2x3x9xf32>
  %xt2 = kiln.add %xs1, %xs2 : tensor<1x2x3x9xf32>, tensor<1x2x3x9xf32> -> tensor<1x2x3x9xf32>
  %xs3 = kiln.slice %xp offsets [0, 0, 1, 0] sizes [1, 2, 3, 9] strides [1, 1, 3, 2] : tensor<1x2x9x19xf32> -> tensor<1x2x3x9xf32>
  %xt3 = kiln.add %xt2, %xs3 : tensor<1x2x3x9xf32>, tensor<1x2x3x9xf32> -> tensor<1x2x3x9xf32>
  %xs4 = kiln.slice %xp offsets [0, 0, 1, 1] sizes [1, 2, 3, 9] strides [1, 1, 3, 2] : tensor<1x2x9x19xf32> -> tensor<1x2x3x9xf32>
  %xt4 = kiln.add %xt3, %xs4 : tensor<1x2x3x9xf32>, tensor<1x2x3x9xf32> -> tensor<1x2x3x9xf32>
  %xs5 = kiln.slice %xp offsets [0, 0, 2, 0] sizes [1, 2, 3, 9] strides [1, 1, 3, 2] : tensor<1x2x9x19xf32> -> tensor<1x2x3x9xf32>
  %xt5 = kiln.add %xt4, %xs5 : tensor<1x2x3x9xf32>, tensor<1x2x3x9xf32> -> tensor<1x2x3x9xf32>
  %xs6 = kiln.slice %xp offsets [0, 0, 2, 1] sizes [1, 2, 3, 9] strides [1, 1, 3, 2] : tensor<1x2x9x19xf32> -> tensor<1x2x3x9xf32>
  %xt6 = kiln.add %xt5, %xs6 : tensor<1x2x3x9xf32>, tensor<1x2x3x9xf32> -> tensor<1x2x3x9xf32>
  %n = kiln.constant dense<6.0> : tensor<1x2x3x9xf32>
  %want = kiln.div %xt6, %n : tensor<1x2x3x9xf32>, tensor<1x2x3x9xf32> -> tensor<1x2x3x9xf32>
  kiln.check_close %got, %want atol 0.0 rtol 1.0e-6 : tensor<1x2x3x9xf32>
  return
}

// One window along an axis that is longer than it: the last column is not read.
func.func @one_window_of_a_longer_axis() {
  %n = kiln.iota axis 0 [36] : tensor<36xf32>
  %r = kiln.reshape %n [1, 2, 6, 3] : tensor<36xf32> -> tensor<1x2x6x3xf32>
  %x = kiln.optimization_barrier %r : tensor<1x2x6x3xf32>
  %got = kiln.max_pool %x kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x2x6x3xf32> -> tensor<1x2x3x1xf32>
  %want = kiln.slice %x offsets [0, 0, 1, 1] sizes [1, 2, 3, 1] strides [1, 1, 2, 1] : tensor<1x2x6x3xf32> -> tensor<1x2x3x1xf32>
  kiln.check_equal %got, %want : tensor<1x2x3x1xf32>
  return
}
