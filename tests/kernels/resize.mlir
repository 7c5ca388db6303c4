// resize.mlir: kiln.resize against what its definition makes of simple tensors.

// Nearest, twice as large: each element four times.
func.func @repeats() {
  %n = kiln.iota axis 0 [60] : tensor<60xf32>
  %r = kiln.reshape %n [1, 3, 4, 5] : tensor<60xf32> -> tensor<1x3x4x5xf32>
  %x = kiln.optimization_barrier %r : tensor<1x3x4x5xf32>
  %got = kiln.resize %x [1, 3, 8, 10] mode nearest coordinates asymmetric rounding floor : tensor<1x3x4x5xf32> -> tensor<1x3x8x10xf32>
  %a = kiln.reshape %x [1, 3, 4, 1, 5, 1] : tensor<1x3x4x5xf32> -> tensor<1x3x4x1x5x1xf32>
  %o = kiln.constant dense<0.0> : tensor<1x3x4x2x5x2xf32>
  %b = kiln.add %a, %o : tensor<1x3x4x1x5x1xf32>, tensor<1x3x4x2x5x2xf32> -> tensor<1x3x4x2x5x2xf32>
  %want = kiln.reshape %b [1, 3, 8, 10] : tensor<1x3x4x2x5x2xf32> -> tensor<1x3x8x10xf32>
  kiln.check_equal %got, %want : tensor<1x3x8x10xf32>
  return
}

// A ramp stays one between aligned corners, in every mode but nearest, along both axes.
func.func @ramp() {
  %i = kiln.iota axis 0 [7, 5] : tensor<7x5xf32>
  %j = kiln.iota axis 1 [7, 5] : tensor<7x5xf32>
  %s = kiln.add %i, %j : tensor<7x5xf32>, tensor<7x5xf32> -> tensor<7x5xf32>
  %x = kiln.optimization_barrier %s : tensor<7x5xf32>
  %got = kiln.resize %x [13, 17] mode linear coordinates align_corners : tensor<7x5xf32> -> tensor<13x17xf32>
  %p = kiln.iota axis 0 [13, 17] : tensor<13x17xf32>
  %q = kiln.iota axis 1 [13, 17] : tensor<13x17xf32>
  %ph = kiln.constant dense<0.5> : tensor<f32>
  %qh = kiln.constant dense<0.25> : tensor<f32>
  %ps = kiln.mul %p, %ph : tensor<13x17xf32>, tensor<f32> -> tensor<13x17xf32>
  %qs = kiln.mul %q, %qh : tensor<13x17xf32>, tensor<f32> -> tensor<13x17xf32>
  %want = kiln.add %ps, %qs : tensor<13x17xf32>, tensor<13x17xf32> -> tensor<13x17xf32>
  kiln.check_close %got, %want atol 1.0e-5 rtol 0.0 : tensor<13x17xf32>
  return
}

// Spread over the elements in front of it, a mean of threes.
func.func @antialias_is_a_mean() {
  %n = kiln.iota axis 1 [2, 9] : tensor<2x9xf32>
  %x = kiln.optimization_barrier %n : tensor<2x9xf32>
  %got = kiln.resize %x [2, 3] mode linear coordinates half_pixel antialias : tensor<2x9xf32> -> tensor<2x3xf32>
  // Inside: centred on elements 1, 4 and 7; at the ends the edge counts for what is outside.
  %mid = kiln.slice %got offsets [0, 1] sizes [2, 1] strides [1, 1] : tensor<2x3xf32> -> tensor<2x1xf32>
  %four = kiln.constant dense<4.0> : tensor<2x1xf32>
  kiln.check_close %mid, %four atol 1.0e-5 rtol 0.0 : tensor<2x1xf32>
  return
}

// Constants stay constant in every mode; f16 and integers are rounded once.
func.func @constants_stay() {
  %c = kiln.constant dense<7> : tensor<3x4xui8>
  %x = kiln.optimization_barrier %c : tensor<3x4xui8>
  %got = kiln.resize %x [5, 9] mode cubic coordinates half_pixel : tensor<3x4xui8> -> tensor<5x9xui8>
  %want = kiln.constant dense<7> : tensor<5x9xui8>
  kiln.check_equal %got, %want : tensor<5x9xui8>
  %h = kiln.constant dense<0.3> : tensor<6x5xf16>
  %y = kiln.optimization_barrier %h : tensor<6x5xf16>
  %small = kiln.resize %y [2, 3] mode cubic coordinates pytorch_half_pixel antialias exclude_outside : tensor<6x5xf16> -> tensor<2x3xf16>
  %same = kiln.constant dense<0.3> : tensor<2x3xf16>
  kiln.check_close %small, %same atol 1.0e-3 rtol 0.0 : tensor<2x3xf16>
  return
}

// What is cropped from outside is filled.
func.func @crop() {
  %n = kiln.iota axis 0 [5] : tensor<5xf32>
  %x = kiln.optimization_barrier %n : tensor<5xf32>
  %roi = kiln.constant dense<[0.0, 2.0]> : tensor<2xf32>
  %got = kiln.resize %x [9] roi %roi : tensor<2xf32> mode linear coordinates tf_crop_and_resize {extrapolation = -1.0} : tensor<5xf32> -> tensor<9xf32>
  %want = kiln.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, -1.0, -1.0, -1.0, -1.0]> : tensor<9xf32>
  kiln.check_close %got, %want atol 1.0e-5 rtol 0.0 : tensor<9xf32>
  return
}
