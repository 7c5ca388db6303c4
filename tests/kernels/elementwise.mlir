// elementwise.mlir: broadcasting, special values and integer corner cases, against literals and identities.

// sin^2 + cos^2 = 1, over a length that is no multiple of any vector.
func.func @pythagoras() {
  %i = kiln.iota axis 0 [1003] : tensor<1003xf32>
  %c = kiln.constant dense<0.37> : tensor<f32>
  %x0 = kiln.mul %i, %c : tensor<1003xf32>, tensor<f32> -> tensor<1003xf32>
  %x = kiln.optimization_barrier %x0 : tensor<1003xf32>
  %s = kiln.sin %x : tensor<1003xf32>
  %t = kiln.cos %x : tensor<1003xf32>
  %ss = kiln.mul %s, %s : tensor<1003xf32>, tensor<1003xf32> -> tensor<1003xf32>
  %tt = kiln.mul %t, %t : tensor<1003xf32>, tensor<1003xf32> -> tensor<1003xf32>
  %got = kiln.add %ss, %tt : tensor<1003xf32>, tensor<1003xf32> -> tensor<1003xf32>
  %one = kiln.constant dense<1.0> : tensor<1003xf32>
  kiln.check_close %got, %one atol 1.0e-6 rtol 0.0 : tensor<1003xf32>
  return
}

// log(exp(x)) = x and tanh(x) = 2 sigmoid(2x) - 1.
func.func @inverse_functions() {
  %i = kiln.iota axis 0 [161] : tensor<161xf32>
  %c = kiln.constant dense<0.125> : tensor<f32>
  %o = kiln.constant dense<10.0> : tensor<f32>
  %x1 = kiln.mul %i, %c : tensor<161xf32>, tensor<f32> -> tensor<161xf32>
  %x0 = kiln.sub %x1, %o : tensor<161xf32>, tensor<f32> -> tensor<161xf32>
  %x = kiln.optimization_barrier %x0 : tensor<161xf32>
  %e = kiln.exp %x : tensor<161xf32>
  %l = kiln.log %e : tensor<161xf32>
  kiln.check_close %l, %x atol 2.0e-6 rtol 1.0e-6 : tensor<161xf32>
  %t = kiln.tanh %x : tensor<161xf32>
  %two = kiln.constant dense<2.0> : tensor<f32>
  %one = kiln.constant dense<1.0> : tensor<f32>
  %x2 = kiln.mul %x, %two : tensor<161xf32>, tensor<f32> -> tensor<161xf32>
  %g = kiln.sigmoid %x2 : tensor<161xf32>
  %g2 = kiln.mul %g, %two : tensor<161xf32>, tensor<f32> -> tensor<161xf32>
  %w = kiln.sub %g2, %one : tensor<161xf32>, tensor<f32> -> tensor<161xf32>
  kiln.check_close %t, %w atol 1.0e-6 rtol 1.0e-6 : tensor<161xf32>
  return
}

// numpy broadcasting from both sides, and of a scalar.
func.func @broadcasting() {
  %a0 = kiln.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %a = kiln.optimization_barrier %a0 : tensor<3x1xf32>
  %b0 = kiln.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %b = kiln.optimization_barrier %b0 : tensor<2xf32>
  %got = kiln.add %a, %b : tensor<3x1xf32>, tensor<2xf32> -> tensor<3x2xf32>
  %want = kiln.constant dense<[[11.0, 21.0], [12.0, 22.0], [13.0, 23.0]]> : tensor<3x2xf32>
  kiln.check_equal %got, %want : tensor<3x2xf32>
  return
}

// NaN wins in max and min; comparisons with it are false; 1/0 is infinite.
func.func @special_floats() {
  %x0 = kiln.constant dense<[0x7FC00000, 1.0, 0x7F800000, 0xFF800000, 0.0]> : tensor<5xf32>
  %x = kiln.optimization_barrier %x0 : tensor<5xf32>
  %y = kiln.constant dense<2.0> : tensor<f32>
  %max = kiln.max %x, %y : tensor<5xf32>, tensor<f32> -> tensor<5xf32>
  %wmax = kiln.constant dense<[0x7FC00000, 2.0, 0x7F800000, 2.0, 2.0]> : tensor<5xf32>
  kiln.check_equal %max, %wmax : tensor<5xf32>
  %min = kiln.min %x, %y : tensor<5xf32>, tensor<f32> -> tensor<5xf32>
  %wmin = kiln.constant dense<[0x7FC00000, 1.0, 2.0, 0xFF800000, 0.0]> : tensor<5xf32>
  kiln.check_equal %min, %wmin : tensor<5xf32>
  %lt = kiln.compare lt %x, %y : tensor<5xf32>, tensor<f32> -> tensor<5xi1>
  %wlt = kiln.constant dense<[false, true, false, true, true]> : tensor<5xi1>
  kiln.check_equal %lt, %wlt : tensor<5xi1>
  %nan = kiln.is_nan %x : tensor<5xf32>
  %wnan = kiln.constant dense<[true, false, false, false, false]> : tensor<5xi1>
  kiln.check_equal %nan, %wnan : tensor<5xi1>
  %r = kiln.reciprocal %x : tensor<5xf32>
  %wr = kiln.constant dense<[0x7FC00000, 1.0, 0.0, -0.0, 0x7F800000]> : tensor<5xf32>
  kiln.check_equal %r, %wr : tensor<5xf32>
  return
}

// Division by zero gives 0, the least number over -1 wraps, mod has the divisor's sign, rem the dividend's.
func.func @integer_division() {
  %a0 = kiln.constant dense<[7, -7, 7, -7, 5, -2147483648]> : tensor<6xi32>
  %a = kiln.optimization_barrier %a0 : tensor<6xi32>
  %b0 = kiln.constant dense<[3, 3, -3, -3, 0, -1]> : tensor<6xi32>
  %b = kiln.optimization_barrier %b0 : tensor<6xi32>
  %d = kiln.div %a, %b : tensor<6xi32>, tensor<6xi32> -> tensor<6xi32>
  %wd = kiln.constant dense<[2, -2, -2, 2, 0, -2147483648]> : tensor<6xi32>
  kiln.check_equal %d, %wd : tensor<6xi32>
  %m = kiln.mod %a, %b : tensor<6xi32>, tensor<6xi32> -> tensor<6xi32>
  %m4 = kiln.slice %m offsets [0] sizes [4] strides [1] : tensor<6xi32> -> tensor<4xi32>
  %wm = kiln.constant dense<[1, 2, -2, -1]> : tensor<4xi32>
  kiln.check_equal %m4, %wm : tensor<4xi32>
  %r = kiln.rem %a, %b : tensor<6xi32>, tensor<6xi32> -> tensor<6xi32>
  %r4 = kiln.slice %r offsets [0] sizes [4] strides [1] : tensor<6xi32> -> tensor<4xi32>
  %wr = kiln.constant dense<[1, -1, 1, -1]> : tensor<4xi32>
  kiln.check_equal %r4, %wr : tensor<4xi32>
  return
}

// Unsigned types order and divide as unsigned.
func.func @unsigned() {
  %a0 = kiln.constant dense<[200, 3]> : tensor<2xui8>
  %a = kiln.optimization_barrier %a0 : tensor<2xui8>
  %b = kiln.constant dense<[100, 5]> : tensor<2xui8>
  %max = kiln.max %a, %b : tensor<2xui8>, tensor<2xui8> -> tensor<2xui8>
  %wmax = kiln.constant dense<[200, 5]> : tensor<2xui8>
  kiln.check_equal %max, %wmax : tensor<2xui8>
  %d = kiln.div %a, %b : tensor<2xui8>, tensor<2xui8> -> tensor<2xui8>
  %wd = kiln.constant dense<[2, 0]> : tensor<2xui8>
  kiln.check_equal %d, %wd : tensor<2xui8>
  return
}

// Conversions truncate and saturate; NaN becomes 0; anything but 0 is true.
func.func @conversions() {
  %x0 = kiln.constant dense<[1.9, -1.9, 300.0, -300.0, 0x7FC00000]> : tensor<5xf32>
  %x = kiln.optimization_barrier %x0 : tensor<5xf32>
  %s = kiln.convert %x : tensor<5xf32> to tensor<5xi8>
  %ws = kiln.constant dense<[1, -1, 127, -128, 0]> : tensor<5xi8>
  kiln.check_equal %s, %ws : tensor<5xi8>
  %u = kiln.convert %x : tensor<5xf32> to tensor<5xui8>
  %wu = kiln.constant dense<[1, 0, 255, 0, 0]> : tensor<5xui8>
  kiln.check_equal %u, %wu : tensor<5xui8>
  %b = kiln.convert %x : tensor<5xf32> to tensor<5xi1>
  %wb = kiln.constant dense<true> : tensor<5xi1>
  kiln.check_equal %b, %wb : tensor<5xi1>
  %back = kiln.convert %ws : tensor<5xi8> to tensor<5xf64>
  %wback = kiln.constant dense<[1.0, -1.0, 127.0, -128.0, 0.0]> : tensor<5xf64>
  kiln.check_equal %back, %wback : tensor<5xf64>
  return
}

// Half precision is stored rounded to nearest even and computed wider.
func.func @half_precision() {
  %x0 = kiln.constant dense<[1.0, 1.00048828125, 65504.0, 6.0e-8]> : tensor<4xf32>
  %x = kiln.optimization_barrier %x0 : tensor<4xf32>
  %h = kiln.convert %x : tensor<4xf32> to tensor<4xf16>
  %s = kiln.add %h, %h : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  %w = kiln.constant dense<[2.0, 2.0, 0x7C00, 1.1920929e-07]> : tensor<4xf16>
  kiln.check_equal %s, %w : tensor<4xf16>
  %b = kiln.convert %x : tensor<4xf32> to tensor<4xbf16>
  %b32 = kiln.convert %b : tensor<4xbf16> to tensor<4xf32>
  kiln.check_close %b32, %x atol 0.0 rtol 0.00390625 : tensor<4xf32>
  return
}

// Nothing, of which one extent is not known when the kernel is compiled: its loops are not merged.
func.func @no_elements_and_a_dynamic_extent() {
  %x0 = kiln.constant dense<> : tensor<3x2x0x8xf32>
  %x1 = kiln.optimization_barrier %x0 : tensor<3x2x0x8xf32>
  %x = tensor.cast %x1 : tensor<3x2x0x8xf32> to tensor<?x2x0x8xf32>
  %y = kiln.exp %x : tensor<?x2x0x8xf32>
  %r = tensor.cast %y : tensor<?x2x0x8xf32> to tensor<3x2x0x8xf32>
  kiln.check_equal %r, %x0 : tensor<3x2x0x8xf32>
  return
}

// Each value is read twice by the next: its code must stand there once.
func.func @doubled_thirty_times() {
  %x = kiln.constant dense<[1.0, -2.0, 0.0, 0.5]> : tensor<4xf32>
  %v0 = kiln.optimization_barrier %x : tensor<4xf32>
  %v1 = kiln.add %v0, %v0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v2 = kiln.add %v1, %v1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v3 = kiln.add %v2, %v2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v4 = kiln.add %v3, %v3 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v5 = kiln.add %v4, %v4 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v6 = kiln.add %v5, %v5 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v7 = kiln.add %v6, %v6 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v8 = kiln.add %v7, %v7 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v9 = kiln.add %v8, %v8 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v10 = kiln.add %v9, %v9 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v11 = kiln.add %v10, %v10 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v12 = kiln.add %v11, %v11 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v13 = kiln.add %v12, %v12 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v14 = kiln.add %v13, %v13 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v15 = kiln.add %v14, %v14 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v16 = kiln.add %v15, %v15 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v17 = kiln.add %v16, %v16 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v18 = kiln.add %v17, %v17 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v19 = kiln.add %v18, %v18 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v20 = kiln.add %v19, %v19 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v21 = kiln.add %v20, %v20 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v22 = kiln.add %v21, %v21 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v23 = kiln.add %v22, %v22 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v24 = kiln.add %v23, %v23 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v25 = kiln.add %v24, %v24 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v26 = kiln.add %v25, %v25 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v27 = kiln.add %v26, %v26 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v28 = kiln.add %v27, %v27 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v29 = kiln.add %v28, %v28 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %v30 = kiln.add %v29, %v29 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %w = kiln.constant dense<[1073741824.0, -2147483648.0, 0.0, 536870912.0]> : tensor<4xf32>
  kiln.check_equal %v30, %w : tensor<4xf32>
  return
}
