// quantization.mlir: kiln.quantize and kiln.dequantize undo each other; quantized products are those of the integers.

// Every ui8 survives the way to real numbers and back, by channel.
func.func @round_trip_by_channel() {
  %n = kiln.iota axis 1 [3, 256] : tensor<3x256xi32>
  %c = kiln.convert %n : tensor<3x256xi32> to tensor<3x256xui8>
  %q = kiln.optimization_barrier %c : tensor<3x256xui8>
  %s = kiln.constant dense<[[0.5], [0.0371], [117.0]]> : tensor<3x1xf32>
  %z = kiln.constant dense<[[0], [128], [255]]> : tensor<3x1xui8>
  %x = kiln.dequantize %q scale %s zero_point %z : tensor<3x256xui8>, tensor<3x1xf32>, tensor<3x1xui8> -> tensor<3x256xf32>
  %r = kiln.quantize %x scale %s zero_point %z : tensor<3x256xf32>, tensor<3x1xf32>, tensor<3x1xui8> -> tensor<3x256xui8>
  kiln.check_equal %r, %q : tensor<3x256xui8>
  return
}

// Halves go to the even neighbour; what is beyond the range stays at its end.
func.func @rounds_and_saturates() {
  %c = kiln.constant dense<[0.5, 1.5, 2.5, -0.5, -1.5, 126.4, 127.6, 1.0e9, -128.5, -129.0, -1.0e30]> : tensor<11xf32>
  %x = kiln.optimization_barrier %c : tensor<11xf32>
  %s = kiln.constant dense<1.0> : tensor<f32>
  %q = kiln.quantize %x scale %s : tensor<11xf32>, tensor<f32> -> tensor<11xi8>
  %want = kiln.constant dense<[0, 2, 2, 0, -2, 126, 127, 127, -128, -128, -128]> : tensor<11xi8>
  kiln.check_equal %q, %want : tensor<11xi8>
  return
}

// Blocks are an axis of their own.
func.func @blocks() {
  %n = kiln.iota axis 0 [64] : tensor<64xf32>
  %b = kiln.optimization_barrier %n : tensor<64xf32>
  %x = kiln.reshape %b [2, 4, 8] : tensor<64xf32> -> tensor<2x4x8xf32>
  %k = kiln.constant dense<[[[1.0], [2.0], [4.0], [8.0]], [[16.0], [0.5], [0.25], [3.0]]]> : tensor<2x4x1xf32>
  %s = kiln.optimization_barrier %k : tensor<2x4x1xf32>
  %q = kiln.quantize %x scale %s : tensor<2x4x8xf32>, tensor<2x4x1xf32> -> tensor<2x4x8xi16>
  %d = kiln.div %x, %s : tensor<2x4x8xf32>, tensor<2x4x1xf32> -> tensor<2x4x8xf32>
  %r = kiln.round %d : tensor<2x4x8xf32>
  %want = kiln.convert %r : tensor<2x4x8xf32> to tensor<2x4x8xi16>
  kiln.check_equal %q, %want : tensor<2x4x8xi16>
  return
}

// Products of 8-bit integers less their zero points: as i16 they are exact.
func.func @centered_product() {
  %n = kiln.iota axis 0 [1581] : tensor<1581xi32>
  %u = kiln.convert %n : tensor<1581xi32> to tensor<1581xui8>
  %a8 = kiln.reshape %u [17, 93] : tensor<1581xui8> -> tensor<17x93xui8>
  %a = kiln.optimization_barrier %a8 : tensor<17x93xui8>
  %m = kiln.iota axis 1 [93, 21] : tensor<93x21xi32>
  %b = kiln.convert %m : tensor<93x21xi32> to tensor<93x21xi8>
  %z = kiln.constant dense<131> : tensor<i16>
  %aw = kiln.convert %a : tensor<17x93xui8> to tensor<17x93xi16>
  %ac = kiln.sub %aw, %z : tensor<17x93xi16>, tensor<i16> -> tensor<17x93xi16>
  %bw = kiln.convert %b : tensor<93x21xi8> to tensor<93x21xi16>
  %got = kiln.matmul %ac, %bw : tensor<17x93xi16>, tensor<93x21xi16> -> tensor<17x21xi32>
  %af = kiln.convert %ac : tensor<17x93xi16> to tensor<17x93xf64>
  %bf = kiln.convert %bw : tensor<93x21xi16> to tensor<93x21xf64>
  %p = kiln.matmul %af, %bf : tensor<17x93xf64>, tensor<93x21xf64> -> tensor<17x21xf64>
  %want = kiln.convert %p : tensor<17x21xf64> to tensor<17x21xi32>
  kiln.check_equal %got, %want : tensor<17x21xi32>
  return
}

// 4-bit integers cross kernels two a byte, also an odd number of them.
func.func @four_bits() {
  %n = kiln.iota axis 0 [7, 9] : tensor<7x9xi32>
  %m = kiln.iota axis 1 [7, 9] : tensor<7x9xi32>
  %s = kiln.add %n, %m : tensor<7x9xi32>, tensor<7x9xi32> -> tensor<7x9xi32>
  %x = kiln.optimization_barrier %s : tensor<7x9xi32>
  %c = kiln.convert %x : tensor<7x9xi32> to tensor<7x9xui4>
  %u = kiln.optimization_barrier %c : tensor<7x9xui4>
  %t = kiln.transpose %u perm [1, 0] : tensor<7x9xui4> -> tensor<9x7xui4>
  %b = kiln.optimization_barrier %t : tensor<9x7xui4>
  %got = kiln.convert %b : tensor<9x7xui4> to tensor<9x7xi32>
  %k = kiln.constant dense<15> : tensor<i32>
  %l = kiln.and %x, %k : tensor<7x9xi32>, tensor<i32> -> tensor<7x9xi32>
  %want = kiln.transpose %l perm [1, 0] : tensor<7x9xi32> -> tensor<9x7xi32>
  kiln.check_equal %got, %want : tensor<9x7xi32>
  return
}
