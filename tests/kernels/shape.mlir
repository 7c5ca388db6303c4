// shape.mlir: ops that move elements, against literals and round trips.

func.func @transpose() {
  %x0 = kiln.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %x = kiln.optimization_barrier %x0 : tensor<2x3xi32>
  %t = kiln.transpose %x perm [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  %w = kiln.constant dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  kiln.check_equal %t, %w : tensor<3x2xi32>
  return
}

// Large and ragged: there and back.
func.func @transpose_round_trip() {
  %n = kiln.iota axis 0 [9620] : tensor<9620xf32>
  %r = kiln.reshape %n [4, 37, 65] : tensor<9620xf32> -> tensor<4x37x65xf32>
  %x = kiln.optimization_barrier %r : tensor<4x37x65xf32>
  %t = kiln.transpose %x perm [2, 0, 1] : tensor<4x37x65xf32> -> tensor<65x4x37xf32>
  %b = kiln.optimization_barrier %t : tensor<65x4x37xf32>
  %back = kiln.transpose %b perm [1, 2, 0] : tensor<65x4x37xf32> -> tensor<4x37x65xf32>
  kiln.check_equal %back, %x : tensor<4x37x65xf32>
  return
}

func.func @slice_and_reverse() {
  %n = kiln.iota axis 0 [10] : tensor<10xi64>
  %x = kiln.optimization_barrier %n : tensor<10xi64>
  %s = kiln.slice %x offsets [1] sizes [4] strides [2] : tensor<10xi64> -> tensor<4xi64>
  %ws = kiln.constant dense<[1, 3, 5, 7]> : tensor<4xi64>
  kiln.check_equal %s, %ws : tensor<4xi64>
  %r = kiln.reverse %s axes [0] : tensor<4xi64>
  %wr = kiln.constant dense<[7, 5, 3, 1]> : tensor<4xi64>
  kiln.check_equal %r, %wr : tensor<4xi64>
  return
}

func.func @concat() {
  %a0 = kiln.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %a = kiln.optimization_barrier %a0 : tensor<2x1xi32>
  %b0 = kiln.constant dense<[[3, 4], [5, 6]]> : tensor<2x2xi32>
  %b = kiln.optimization_barrier %b0 : tensor<2x2xi32>
  %c = kiln.concat %a, %b, %a axis 1 : tensor<2x1xi32>, tensor<2x2xi32>, tensor<2x1xi32> -> tensor<2x4xi32>
  %w = kiln.constant dense<[[1, 3, 4, 1], [2, 5, 6, 2]]> : tensor<2x4xi32>
  kiln.check_equal %c, %w : tensor<2x4xi32>
  return
}

func.func @pad_modes() {
  %x0 = kiln.constant dense<[1, 2, 3]> : tensor<3xi32>
  %x = kiln.optimization_barrier %x0 : tensor<3xi32>
  %v = kiln.constant dense<9> : tensor<i32>
  %c = kiln.pad %x low [2] high [1] mode constant value %v : tensor<3xi32>, tensor<i32> -> tensor<6xi32>
  %wc = kiln.constant dense<[9, 9, 1, 2, 3, 9]> : tensor<6xi32>
  kiln.check_equal %c, %wc : tensor<6xi32>
  %e = kiln.pad %x low [2] high [1] mode edge : tensor<3xi32> -> tensor<6xi32>
  %we = kiln.constant dense<[1, 1, 1, 2, 3, 3]> : tensor<6xi32>
  kiln.check_equal %e, %we : tensor<6xi32>
  %r = kiln.pad %x low [2] high [1] mode reflect : tensor<3xi32> -> tensor<6xi32>
  %wr = kiln.constant dense<[3, 2, 1, 2, 3, 2]> : tensor<6xi32>
  kiln.check_equal %r, %wr : tensor<6xi32>
  %p = kiln.pad %x low [2] high [1] mode wrap : tensor<3xi32> -> tensor<6xi32>
  %wp = kiln.constant dense<[2, 3, 1, 2, 3, 1]> : tensor<6xi32>
  kiln.check_equal %p, %wp : tensor<6xi32>
  return
}

func.func @broadcast() {
  %x0 = kiln.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %x = kiln.optimization_barrier %x0 : tensor<2x1xi32>
  %b = kiln.broadcast %x [2, 2, 3] : tensor<2x1xi32> -> tensor<2x2x3xi32>
  %w = kiln.constant dense<[[[1, 1, 1], [2, 2, 2]], [[1, 1, 1], [2, 2, 2]]]> : tensor<2x2x3xi32>
  kiln.check_equal %b, %w : tensor<2x2x3xi32>
  return
}
