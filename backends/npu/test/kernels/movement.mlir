// movement.mlir: transposes, slices, reversals and broadcasts on vector cores, alone and in front of elementwise ops.
func.func @transpose(%x: tensor<70x45xf32>) -> tensor<45x70xf32> attributes {kiln.test = {
    types = [f16, f32, bf16], inputs = ["70x45 uniform -4 4"]}} {
  %0 = kiln.transpose %x perm [1, 0] : tensor<70x45xf32> -> tensor<45x70xf32>
  return %0 : tensor<45x70xf32>
}

func.func @transpose_bytes(%x: tensor<33x65xi8>) -> tensor<65x33xi8> attributes {kiln.test = {
    inputs = ["33x65 uniform -100 100"]}} {
  %0 = kiln.transpose %x perm [1, 0] : tensor<33x65xi8> -> tensor<65x33xi8>
  return %0 : tensor<65x33xi8>
}

func.func @transpose_wide(%x: tensor<20x3000xf32>) -> tensor<3000x20xf32> attributes {kiln.test = {
    inputs = ["20x3000 uniform -4 4"]}} {
  %0 = kiln.transpose %x perm [1, 0] : tensor<20x3000xf32> -> tensor<3000x20xf32>
  return %0 : tensor<3000x20xf32>
}

func.func @transpose_tall(%x: tensor<5000x24xf16>) -> tensor<24x5000xf16> attributes {kiln.test = {
    inputs = ["5000x24 uniform -4 4"]}} {
  %0 = kiln.transpose %x perm [1, 0] : tensor<5000x24xf16> -> tensor<24x5000xf16>
  return %0 : tensor<24x5000xf16>
}

func.func @transpose_dynamic(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN uniform -4 4"], cases = ["M=3 N=5", "M=300 N=70", "M=40 N=600"]}} {
  %0 = kiln.transpose %x perm [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @heads(%x: tensor<2x12x4x32xf32>) -> tensor<2x4x12x32xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["2x12x4x32 uniform -4 4"]}} {
  %0 = kiln.transpose %x perm [0, 2, 1, 3] : tensor<2x12x4x32xf32> -> tensor<2x4x12x32xf32>
  return %0 : tensor<2x4x12x32xf32>
}

func.func @keys(%x: tensor<2x12x4x32xf32>) -> tensor<2x4x32x12xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["2x12x4x32 uniform -4 4"]}} {
  %0 = kiln.transpose %x perm [0, 2, 3, 1] : tensor<2x12x4x32xf32> -> tensor<2x4x32x12xf32>
  return %0 : tensor<2x4x32x12xf32>
}

func.func @reverse_axes(%x: tensor<6x10x40xf32>) -> tensor<40x10x6xf32> attributes {kiln.test = {
    inputs = ["6x10x40 uniform -4 4"]}} {
  %0 = kiln.transpose %x perm [2, 1, 0] : tensor<6x10x40xf32> -> tensor<40x10x6xf32>
  return %0 : tensor<40x10x6xf32>
}

func.func @channels_last(%x: tensor<2x3x20x30xf32>) -> tensor<2x20x30x3xf32> attributes {kiln.test = {
    inputs = ["2x3x20x30 uniform -4 4"]}} {
  %0 = kiln.transpose %x perm [0, 2, 3, 1] : tensor<2x3x20x30xf32> -> tensor<2x20x30x3xf32>
  return %0 : tensor<2x20x30x3xf32>
}

func.func @transposed_sum(%x: tensor<70x45xf32>, %y: tensor<45x70xf32>, %z: tensor<70xf32>) -> tensor<45x70xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["70x45 uniform -4 4", "45x70 uniform -4 4", "70 uniform -4 4"]}} {
  %0 = kiln.transpose %x perm [1, 0] : tensor<70x45xf32> -> tensor<45x70xf32>
  %1 = kiln.add %0, %y : tensor<45x70xf32>, tensor<45x70xf32> -> tensor<45x70xf32>
  %2 = kiln.mul %1, %z : tensor<45x70xf32>, tensor<70xf32> -> tensor<45x70xf32>
  return %2 : tensor<45x70xf32>
}

func.func @part(%x: tensor<9x50x33xf32>) -> tensor<4x20x33xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["9x50x33 uniform -4 4"]}} {
  %0 = kiln.slice %x offsets [1, 5, 0] sizes [4, 20, 33] strides [2, 1, 1] : tensor<9x50x33xf32> -> tensor<4x20x33xf32>
  return %0 : tensor<4x20x33xf32>
}

func.func @columns(%x: tensor<9x50xi64>) -> tensor<9x7xi64> attributes {kiln.test = {
    inputs = ["9x50 uniform -9000000000 9000000000"]}} {
  %0 = kiln.slice %x offsets [0, 11] sizes [9, 7] strides [1, 1] : tensor<9x50xi64> -> tensor<9x7xi64>
  return %0 : tensor<9x7xi64>
}

func.func @every_third(%x: tensor<9x50xf32>) -> tensor<9x16xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["9x50 uniform -4 4"]}} {
  %0 = kiln.slice %x offsets [0, 2] sizes [9, 16] strides [1, 3] : tensor<9x50xf32> -> tensor<9x16xf32>
  return %0 : tensor<9x16xf32>
}

func.func @one_column(%x: tensor<90x50xf32>) -> tensor<90x1xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["90x50 uniform -4 4"]}} {
  %0 = kiln.slice %x offsets [0, 7] sizes [90, 1] strides [1, 1] : tensor<90x50xf32> -> tensor<90x1xf32>
  return %0 : tensor<90x1xf32>
}

func.func @rows_reversed(%x: tensor<7x50xf32>) -> tensor<7x50xf32> attributes {kiln.test = {
    inputs = ["7x50 uniform -4 4"]}} {
  %0 = kiln.reverse %x axes [0] : tensor<7x50xf32>
  return %0 : tensor<7x50xf32>
}

func.func @spread(%x: tensor<7x1x50xf32>) -> tensor<7x9x50xf32> attributes {kiln.test = {
    types = [f16, f32, i8, i32], inputs = ["7x1x50 uniform -4 4"]}} {
  %0 = kiln.broadcast %x [7, 9, 50] : tensor<7x1x50xf32> -> tensor<7x9x50xf32>
  return %0 : tensor<7x9x50xf32>
}

func.func @strided_column(%x: tensor<4x30x9xf32>, %c: tensor<4x30x9xf32>) -> tensor<4x30x9xf32> attributes {kiln.test = {
    inputs = ["4x30x9 uniform -4 4", "4x30x9 uniform -4 4"]}} {
  %0 = kiln.slice %c offsets [0, 0, 3] sizes [4, 30, 1] strides [1, 1, 1] : tensor<4x30x9xf32> -> tensor<4x30x1xf32>
  %1 = kiln.mul %x, %0 : tensor<4x30x9xf32>, tensor<4x30x1xf32> -> tensor<4x30x9xf32>
  return %1 : tensor<4x30x9xf32>
}

func.func @byte_scalar(%x: tensor<40x30xf32>, %s: tensor<1xi8>) -> tensor<40x30xf32> attributes {kiln.test = {
    inputs = ["40x30 uniform -4 4", "1 uniform -100 100"]}} {
  %0 = kiln.convert %s : tensor<1xi8> to tensor<1xf32>
  %1 = kiln.mul %x, %0 : tensor<40x30xf32>, tensor<1xf32> -> tensor<40x30xf32>
  return %1 : tensor<40x30xf32>
}
