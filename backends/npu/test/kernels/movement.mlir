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

// Rows lie further apart than 16 bits of bytes.
func.func @transpose_far(%x: tensor<3x40000xf16>) -> tensor<40000x3xf16> attributes {kiln.test = {
    inputs = ["3x40000 uniform -4 4"]}} {
  %0 = kiln.transpose %x perm [1, 0] : tensor<3x40000xf16> -> tensor<40000x3xf16>
  return %0 : tensor<40000x3xf16>
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

func.func @concat_rows(%x: tensor<3x5x40xf32>, %y: tensor<3x2x40xf32>, %z: tensor<3x1x40xf32>) -> tensor<3x8x40xf32> attributes {kiln.test = {
    types = [f16, f32, i8], inputs = ["3x5x40 uniform -4 4", "3x2x40 uniform -4 4", "3x1x40 uniform -4 4"]}} {
  %0 = kiln.concat %x, %y, %z axis 1 : tensor<3x5x40xf32>, tensor<3x2x40xf32>, tensor<3x1x40xf32> -> tensor<3x8x40xf32>
  return %0 : tensor<3x8x40xf32>
}

func.func @concat_columns(%x: tensor<?x?xf32>, %y: tensor<?x7xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32, i32, i64], inputs = ["MxN uniform -4 4", "Mx7 uniform -4 4"], cases = ["M=3 N=5", "M=100 N=40"]}} {
  %0 = kiln.concat %x, %y axis 1 : tensor<?x?xf32>, tensor<?x7xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @pad_zero(%x: tensor<2x3x20x30xf32>) -> tensor<2x3x23x35xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["2x3x20x30 uniform -4 4"]}} {
  %c = kiln.constant dense<1.5> : tensor<f32>
  %0 = kiln.pad %x low [0, 0, 1, 3] high [0, 0, 2, 2] mode constant value %c : tensor<2x3x20x30xf32>, tensor<f32> -> tensor<2x3x23x35xf32>
  return %0 : tensor<2x3x23x35xf32>
}

func.func @pad_bytes(%x: tensor<20x30xi8>) -> tensor<23x35xi8> attributes {kiln.test = {
    inputs = ["20x30 uniform -100 100"]}} {
  %c = kiln.constant dense<-7> : tensor<i8>
  %0 = kiln.pad %x low [1, 3] high [2, 2] mode constant value %c : tensor<20x30xi8>, tensor<i8> -> tensor<23x35xi8>
  return %0 : tensor<23x35xi8>
}

func.func @pad_reflect(%x: tensor<1x20x300xf32>) -> tensor<1x23x320xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["1x20x300 uniform -4 4"]}} {
  %0 = kiln.pad %x low [0, 1, 10] high [0, 2, 10] mode reflect : tensor<1x20x300xf32> -> tensor<1x23x320xf32>
  return %0 : tensor<1x23x320xf32>
}

func.func @pad_edge(%x: tensor<20x30xf32>) -> tensor<23x36xf32> attributes {kiln.test = {
    inputs = ["20x30 uniform -4 4"]}} {
  %0 = kiln.pad %x low [1, 3] high [2, 3] mode edge : tensor<20x30xf32> -> tensor<23x36xf32>
  return %0 : tensor<23x36xf32>
}

func.func @pad_wrap(%x: tensor<20x30xf32>) -> tensor<20x36xf32> attributes {kiln.test = {
    inputs = ["20x30 uniform -4 4"]}} {
  %0 = kiln.pad %x low [0, 3] high [0, 3] mode wrap : tensor<20x30xf32> -> tensor<20x36xf32>
  return %0 : tensor<20x36xf32>
}

func.func @embeddings(%x: tensor<50x64xf32>, %i: tensor<2x9xi64>, %y: tensor<9x64xf32>) -> tensor<2x9x64xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["50x64 uniform -4 4", "2x9 uniform -60 60", "9x64 uniform -4 4"]}} {
  %0 = kiln.gather %x, %i axis 0 : tensor<50x64xf32>, tensor<2x9xi64> -> tensor<2x9x64xf32>
  %1 = kiln.add %0, %y : tensor<2x9x64xf32>, tensor<9x64xf32> -> tensor<2x9x64xf32>
  return %1 : tensor<2x9x64xf32>
}

func.func @rows_of_bytes(%x: tensor<50x64xui8>, %i: tensor<18xi32>) -> tensor<18x64xui8> attributes {kiln.test = {
    inputs = ["50x64 uniform 0 200", "18 uniform -60 60"]}} {
  %0 = kiln.gather %x, %i axis 0 : tensor<50x64xui8>, tensor<18xi32> -> tensor<18x64xui8>
  return %0 : tensor<18x64xui8>
}

func.func @middle_rows(%x: tensor<3x20x2x64xf32>, %i: tensor<5xi64>) -> tensor<3x5x2x64xf32> attributes {kiln.test = {
    inputs = ["3x20x2x64 uniform -4 4", "5 uniform 0 19"]}} {
  %0 = kiln.gather %x, %i axis 1 : tensor<3x20x2x64xf32>, tensor<5xi64> -> tensor<3x5x2x64xf32>
  return %0 : tensor<3x5x2x64xf32>
}

func.func @columns_far(%x: tensor<4x40000xf32>) -> tensor<4x600xf32> attributes {kiln.test = {
    inputs = ["4x40000 uniform -4 4"]}} {
  %0 = kiln.slice %x offsets [0, 38000] sizes [4, 600] strides [1, 1] : tensor<4x40000xf32> -> tensor<4x600xf32>
  return %0 : tensor<4x600xf32>
}

func.func @picked_columns(%x: tensor<3x20x50xf32>, %i: tensor<33xi64>, %y: tensor<33xf32>) -> tensor<3x20x33xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["3x20x50 uniform -4 4", "33 uniform -50 49", "33 uniform -1 1"]}} {
  %0 = kiln.gather %x, %i axis 2 : tensor<3x20x50xf32>, tensor<33xi64> -> tensor<3x20x33xf32>
  %1 = kiln.add %0, %y : tensor<3x20x33xf32>, tensor<33xf32> -> tensor<3x20x33xf32>
  return %1 : tensor<3x20x33xf32>
}

func.func @interpolated(%x: tensor<2x3x32xf32>, %i: tensor<64x2xi32>, %w: tensor<64x2xf32>) -> tensor<2x3x64xf32> attributes {kiln.test = {
    inputs = ["2x3x32 uniform -4 4", "64x2 uniform 0 31", "64x2 uniform 0 1"]}} {
  %0 = kiln.gather %x, %i axis 2 : tensor<2x3x32xf32>, tensor<64x2xi32> -> tensor<2x3x64x2xf32>
  %1 = kiln.mul %0, %w : tensor<2x3x64x2xf32>, tensor<64x2xf32> -> tensor<2x3x64x2xf32>
  %2 = kiln.reduce sum %1 axes [3] : tensor<2x3x64x2xf32> -> tensor<2x3x64xf32>
  return %2 : tensor<2x3x64xf32>
}

func.func @long_gather(%x: tensor<500xf32>, %i: tensor<?xi64>) -> tensor<?xf32> attributes {kiln.test = {
    inputs = ["500 uniform -4 4", "N uniform 0 499"], cases = ["N=3", "N=9000"]}} {
  %0 = kiln.gather %x, %i axis 0 : tensor<500xf32>, tensor<?xi64> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @columns_reversed(%x: tensor<7x50xf32>) -> tensor<7x50xf32> attributes {kiln.test = {
    types = [f16, f32, i32, i16], inputs = ["7x50 uniform -4 4"]}} {
  %0 = kiln.reverse %x axes [1] : tensor<7x50xf32>
  return %0 : tensor<7x50xf32>
}

func.func @all_reversed(%x: tensor<3000xf32>, %y: tensor<3000xf32>) -> tensor<3000xf32> attributes {kiln.test = {
    inputs = ["3000 uniform -4 4", "3000 uniform -4 4"]}} {
  %0 = kiln.reverse %x axes [0] : tensor<3000xf32>
  %1 = kiln.mul %0, %y : tensor<3000xf32>, tensor<3000xf32> -> tensor<3000xf32>
  return %1 : tensor<3000xf32>
}

func.func @even_columns(%x: tensor<9x50xf32>) -> tensor<9x24xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["9x50 uniform -4 4"]}} {
  %0 = kiln.slice %x offsets [0, 1] sizes [9, 24] strides [1, 2] : tensor<9x50xf32> -> tensor<9x24xf32>
  %1 = kiln.exp %0 : tensor<9x24xf32>
  return %1 : tensor<9x24xf32>
}

// One column of each row, and one element, at an index that the kernel reads.
func.func @gather_column(%x: tensor<?x5xf32>, %i: tensor<1xi32>) -> tensor<?x1xf32> attributes {kiln.test = {
    types = [f32, f16, i16, ui8], inputs = ["Mx5", "1"], cases = ["M=1", "M=2", "M=7", "M=40"]}} {
  %0 = kiln.gather %x, %i axis 1 : tensor<?x5xf32>, tensor<1xi32> -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

// Elements of eight bytes that do not lie side by side: pairs of words.
func.func @words(%x: tensor<?x13x?xi64>, %i: tensor<4xi64>) -> (tensor<?x?x13xi64>, tensor<13x?x?xi64>, tensor<?x13x?xi64>, tensor<?x4x?xi64>) attributes {kiln.test = {
    inputs = ["Mx13xN bits", "4 uniform -13 12"], cases = ["M=1 N=1", "M=3 N=40", "M=70 N=5"]}} {
  %0 = kiln.transpose %x perm [0, 2, 1] : tensor<?x13x?xi64> -> tensor<?x?x13xi64>
  %1 = kiln.transpose %x perm [1, 2, 0] : tensor<?x13x?xi64> -> tensor<13x?x?xi64>
  %2 = kiln.reverse %x axes [1] : tensor<?x13x?xi64>
  %3 = kiln.gather %x, %i axis 1 : tensor<?x13x?xi64>, tensor<4xi64> -> tensor<?x4x?xi64>
  return %0, %1, %2, %3 : tensor<?x?x13xi64>, tensor<13x?x?xi64>, tensor<?x13x?xi64>, tensor<?x4x?xi64>
}
