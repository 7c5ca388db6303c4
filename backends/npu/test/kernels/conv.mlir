// conv.mlir: convolutions on the cube: every kind of window, tails of channels, rows and columns, types, groups.
func.func @three_by_three(%x: tensor<?x5x?x?xf32>, %w: tensor<20x5x3x3xf32>, %b: tensor<20xf32>) -> tensor<?x20x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32], inputs = ["Bx5xHxW uniform -2 2", "20x5x3x3 uniform -2 2", "20 uniform -2 2"],
    cases = ["B=1 H=1 W=1", "B=2 H=9 W=7"]}} {
  %0 = kiln.conv %x, %w bias %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<?x5x?x?xf32>, tensor<20x5x3x3xf32>, tensor<20xf32> -> tensor<?x20x?x?xf32>
  %1 = kiln.relu %0 : tensor<?x20x?x?xf32>
  return %1 : tensor<?x20x?x?xf32>
}

// Rows that are longer than a tile.
func.func @wide(%x: tensor<1x5x?x?xf32>, %w: tensor<20x5x3x3xf32>) -> tensor<1x20x?x?xf32> attributes {kiln.test = {
    types = [f32], inputs = ["1x5xHxW uniform -2 2", "20x5x3x3 uniform -2 2"], cases = ["H=6 W=300"]}} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x5x?x?xf32>, tensor<20x5x3x3xf32> -> tensor<1x20x?x?xf32>
  return %0 : tensor<1x20x?x?xf32>
}

// Static extents: bands of whole rows, several steps of channels and of filters.
func.func @bands(%x: tensor<2x40x14x14xf16>, %w: tensor<72x40x3x3xf16>) -> tensor<2x72x14x14xf16> attributes {kiln.test = {
    types = [f16, f32], inputs = ["2x40x14x14 uniform -2 2", "72x40x3x3 uniform -2 2"], cases = [""]}} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<2x40x14x14xf16>, tensor<72x40x3x3xf16> -> tensor<2x72x14x14xf16>
  return %0 : tensor<2x72x14x14xf16>
}

func.func @strided(%x: tensor<1x16x15x18xf32>, %w: tensor<10x16x5x3xf32>) -> tensor<1x10x7x8xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["1x16x15x18 uniform -2 2", "10x16x5x3 uniform -2 2"], cases = [""]}} {
  %0 = kiln.conv %x, %w strides [2, 2] pads [2, 0, 1, 0] dilations [1, 1] : tensor<1x16x15x18xf32>, tensor<10x16x5x3xf32> -> tensor<1x10x7x8xf32>
  return %0 : tensor<1x10x7x8xf32>
}

func.func @dilated(%x: tensor<1x7x20x9xf32>, %w: tensor<3x7x3x2xf32>) -> tensor<1x3x16x8xf32> attributes {kiln.test = {
    types = [f32], inputs = ["1x7x20x9 uniform -2 2", "3x7x3x2 uniform -2 2"], cases = [""]}} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [3, 3] : tensor<1x7x20x9xf32>, tensor<3x7x3x2xf32> -> tensor<1x3x16x8xf32>
  return %0 : tensor<1x3x16x8xf32>
}

func.func @pointwise(%x: tensor<2x24x6x7xf32>, %w: tensor<40x24x1x1xf32>, %b: tensor<40xf32>) -> tensor<2x40x6x7xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["2x24x6x7 uniform -2 2", "40x24x1x1 uniform -2 2", "40 uniform -2 2"], cases = [""]}} {
  %0 = kiln.conv %x, %w bias %b strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<2x24x6x7xf32>, tensor<40x24x1x1xf32>, tensor<40xf32> -> tensor<2x40x6x7xf32>
  return %0 : tensor<2x40x6x7xf32>
}

func.func @pointwise_strided(%x: tensor<1x24x9x7xf16>, %w: tensor<40x24x1x1xf16>) -> tensor<1x40x5x4xf16> attributes {kiln.test = {
    types = [f16], inputs = ["1x24x9x7 uniform -2 2", "40x24x1x1 uniform -2 2"], cases = [""]}} {
  %0 = kiln.conv %x, %w strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x24x9x7xf16>, tensor<40x24x1x1xf16> -> tensor<1x40x5x4xf16>
  return %0 : tensor<1x40x5x4xf16>
}

// Groups that are joined to fill a block of channels, and such that fill blocks themselves.
func.func @small_groups(%x: tensor<1x24x9x8xf32>, %w: tensor<48x2x5x5xf32>, %b: tensor<48xf32>) -> tensor<1x48x5x4xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["1x24x9x8 uniform -2 2", "48x2x5x5 uniform -2 2", "48 uniform -2 2"], cases = [""]}} {
  %0 = kiln.conv %x, %w bias %b strides [2, 2] pads [2, 2, 2, 2] dilations [1, 1] groups 12 : tensor<1x24x9x8xf32>, tensor<48x2x5x5xf32>, tensor<48xf32> -> tensor<1x48x5x4xf32>
  return %0 : tensor<1x48x5x4xf32>
}

func.func @groups(%x: tensor<1x54x5x6xf32>, %w: tensor<60x18x3x3xf32>) -> tensor<1x60x3x4xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["1x54x5x6 uniform -2 2", "60x18x3x3 uniform -2 2"], cases = [""]}} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] groups 3 : tensor<1x54x5x6xf32>, tensor<60x18x3x3xf32> -> tensor<1x60x3x4xf32>
  return %0 : tensor<1x60x3x4xf32>
}

func.func @bytes(%x: tensor<1x33x6x7xi8>, %w: tensor<20x33x3x3xi8>) -> tensor<1x20x6x7xi32> attributes {kiln.test = {
    types = [i8], inputs = ["1x33x6x7", "20x33x3x3"], cases = [""]}} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x33x6x7xi8>, tensor<20x33x3x3xi8> -> tensor<1x20x6x7xi32>
  return %0 : tensor<1x20x6x7xi32>
}

// One axis: im2col, and windows longer and steps wider than its registers hold.
func.func @line(%x: tensor<?x9x?xf32>, %w: tensor<12x9x5xf32>) -> tensor<?x12x?xf32> attributes {kiln.test = {
    types = [f32], inputs = ["Bx9xL uniform -2 2", "12x9x5 uniform -2 2"], cases = ["B=1 L=17", "B=2 L=700"]}} {
  %0 = kiln.conv %x, %w strides [1] pads [2, 2] dilations [1] : tensor<?x9x?xf32>, tensor<12x9x5xf32> -> tensor<?x12x?xf32>
  return %0 : tensor<?x12x?xf32>
}

func.func @frames(%x: tensor<1x1x640xf32>, %w: tensor<34x1x256xf32>) -> tensor<1x34x4xf32> attributes {kiln.test = {
    types = [f32], inputs = ["1x1x640 uniform -2 2", "34x1x256 uniform -2 2"], cases = [""]}} {
  %0 = kiln.conv %x, %w strides [128] pads [0, 0] dilations [1] : tensor<1x1x640xf32>, tensor<34x1x256xf32> -> tensor<1x34x4xf32>
  return %0 : tensor<1x34x4xf32>
}

// What is between convolutions computes on channels-last tensors, too.
func.func @chain(%x: tensor<1x8x6x6xf32>, %v: tensor<16x8x3x3xf32>, %w: tensor<16x16x3x3xf32>, %s: tensor<16x1x1xf32>) -> tensor<1x16x6x6xf32> attributes {kiln.test = {
    types = [f32], inputs = ["1x8x6x6 uniform -2 2", "16x8x3x3 uniform -1 1", "16x16x3x3 uniform -1 1", "16x1x1 uniform -1 1"], cases = [""]}} {
  %0 = kiln.conv %x, %v strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x8x6x6xf32>, tensor<16x8x3x3xf32> -> tensor<1x16x6x6xf32>
  %1 = kiln.mul %0, %s : tensor<1x16x6x6xf32>, tensor<16x1x1xf32> -> tensor<1x16x6x6xf32>
  %2 = kiln.conv %1, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x16x6x6xf32>, tensor<16x16x3x3xf32> -> tensor<1x16x6x6xf32>
  %3 = kiln.add %2, %1 : tensor<1x16x6x6xf32>, tensor<1x16x6x6xf32> -> tensor<1x16x6x6xf32>
  return %3 : tensor<1x16x6x6xf32>
}

func.func @constant_bias(%x: tensor<1x8x20x30xf32>, %w: tensor<1x8x5x5xf32>) -> tensor<1x1x20x30xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["1x8x20x30 uniform -1 1", "1x8x5x5 uniform -1 1"]}} {
  %b = kiln.constant dense<-0.39> : tensor<1xf32>
  %0 = kiln.conv %x, %w bias %b strides [1, 1] pads [2, 2, 2, 2] dilations [1, 1] : tensor<1x8x20x30xf32>, tensor<1x8x5x5xf32>, tensor<1xf32> -> tensor<1x1x20x30xf32>
  return %0 : tensor<1x1x20x30xf32>
}

func.func @long_filter(%x: tensor<1x1x1x900xf32>, %w: tensor<1x1x1x256xf32>) -> tensor<1x1x1x333xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["1x1x1x900 uniform -1 1", "1x1x1x256 uniform -1 1"]}} {
  %0 = kiln.conv %x, %w strides [1, 2] pads [0, 10, 0, 11] dilations [1, 1] : tensor<1x1x1x900xf32>, tensor<1x1x1x256xf32> -> tensor<1x1x1x333xf32>
  return %0 : tensor<1x1x1x333xf32>
}

// Small images, several of which are one tile: rows of fractals for each.
func.func @small_images(%x: tensor<48x32x7x7xf16>, %w: tensor<64x32x3x3xf16>, %b: tensor<64xf16>) -> tensor<48x64x7x7xf16> attributes {kiln.test = {
    types = [f16, f32], inputs = ["48x32x7x7 uniform -2 2", "64x32x3x3 uniform -1 1", "64 uniform -1 1"], cases = [""]}} {
  %0 = kiln.conv %x, %w bias %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<48x32x7x7xf16>, tensor<64x32x3x3xf16>, tensor<64xf16> -> tensor<48x64x7x7xf16>
  return %0 : tensor<48x64x7x7xf16>
}
func.func @small_strided(%x: tensor<48x32x14x10xf16>, %w: tensor<64x32x3x3xf16>) -> tensor<48x64x7x5xf16> attributes {kiln.test = {
    inputs = ["48x32x14x10 uniform -2 2", "64x32x3x3 uniform -1 1"], cases = [""]}} {
  %0 = kiln.conv %x, %w strides [2, 2] pads [0, 0, 1, 1] dilations [1, 1] : tensor<48x32x14x10xf16>, tensor<64x32x3x3xf16> -> tensor<48x64x7x5xf16>
  return %0 : tensor<48x64x7x5xf16>
}

// Steps of a window of one element: rows of several images are one tile; where columns end with a step, those between are left out.
func.func @pointwise_steps(%x: tensor<5x24x14x9xf16>, %w: tensor<40x24x1x1xf16>) -> tensor<5x40x5x5xf16> attributes {kiln.test = {
    types = [f16, f32], inputs = ["5x24x14x9 uniform -2 2", "40x24x1x1 uniform -1 1"], cases = [""]}} {
  %0 = kiln.conv %x, %w strides [3, 2] pads [0, 0, 0, 0] dilations [1, 1] : tensor<5x24x14x9xf16>, tensor<40x24x1x1xf16> -> tensor<5x40x5x5xf16>
  return %0 : tensor<5x40x5x5xf16>
}
func.func @pointwise_halves(%x: tensor<5x24x14x10xf16>, %w: tensor<40x24x1x1xf16>, %b: tensor<40xf16>) -> tensor<5x40x7x5xf16> attributes {kiln.test = {
    types = [f16, f32], inputs = ["5x24x14x10 uniform -2 2", "40x24x1x1 uniform -1 1", "40 uniform -1 1"], cases = [""]}} {
  %0 = kiln.conv %x, %w bias %b strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] : tensor<5x24x14x10xf16>, tensor<40x24x1x1xf16>, tensor<40xf16> -> tensor<5x40x7x5xf16>
  return %0 : tensor<5x40x7x5xf16>
}

// Filters of a part of the channels stay in L1 from tile to tile; parts of 4 and of 3 fractals.
func.func @kept_filters(%x: tensor<6x32x14x14xf16>, %w: tensor<176x32x3x3xf16>, %b: tensor<176xf16>) -> tensor<6x176x14x14xf16> attributes {kiln.test = {
    types = [f16, f32], inputs = ["6x32x14x14 uniform -1 1", "176x32x3x3 uniform -1 1", "176 uniform -1 1"]}} {
  %0 = kiln.conv %x, %w bias %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<6x32x14x14xf16>, tensor<176x32x3x3xf16>, tensor<176xf16> -> tensor<6x176x14x14xf16>
  return %0 : tensor<6x176x14x14xf16>
}

// Units of one part's filters follow each other on a core.
func.func @runs_of_kept_filters(%x: tensor<10x64x14x14xf16>, %w: tensor<256x64x3x3xf16>) -> tensor<10x256x14x14xf16> attributes {kiln.test = {
    types = [f16], inputs = ["10x64x14x14 uniform -1 1", "256x64x3x3 uniform -1 1"]}} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<10x64x14x14xf16>, tensor<256x64x3x3xf16> -> tensor<10x256x14x14xf16>
  return %0 : tensor<10x256x14x14xf16>
}

// Parts of 4, 4 and 3 fractals, which cores take in turn.
func.func @turned_parts(%x: tensor<13x64x14x14xf16>, %w: tensor<352x32x3x3xf16>) -> tensor<13x352x14x14xf16> attributes {kiln.test = {
    types = [f16], inputs = ["13x64x14x14 uniform -1 1", "352x32x3x3 uniform -1 1"]}} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 2 : tensor<13x64x14x14xf16>, tensor<352x32x3x3xf16> -> tensor<13x352x14x14xf16>
  return %0 : tensor<13x352x14x14xf16>
}

// Few channels: pixels side by side become one, and so do outputs.
func.func @packed_columns(%x: tensor<2x3x24x32xf16>, %w: tensor<24x3x7x7xf16>, %b: tensor<24xf16>) -> tensor<2x24x12x16xf16> attributes {kiln.test = {
    types = [f16, f32], inputs = ["2x3x24x32 uniform -1 1", "24x3x7x7 uniform -1 1", "24 uniform -1 1"]}} {
  %0 = kiln.conv %x, %w bias %b strides [2, 2] pads [3, 3, 2, 2] dilations [1, 1] : tensor<2x3x24x32xf16>, tensor<24x3x7x7xf16>, tensor<24xf16> -> tensor<2x24x12x16xf16>
  return %0 : tensor<2x24x12x16xf16>
}

// Images of 5 x 5 close together: each begins within a fractal.
func.func @images_close_together(%x: tensor<96x16x5x5xf16>, %w: tensor<32x16x3x3xf16>) -> tensor<96x32x5x5xf16> attributes {kiln.test = {
    types = [f16, f32], inputs = ["96x16x5x5 uniform -1 1", "32x16x3x3 uniform -1 1"]}} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<96x16x5x5xf16>, tensor<32x16x3x3xf16> -> tensor<96x32x5x5xf16>
  return %0 : tensor<96x32x5x5xf16>
}

// Bytes of which one is unsigned, with zero points, as integers: pieces of the channels in f32.
func.func @zero_points(%x: tensor<2x70x6x7xui8>, %w: tensor<20x70x3x3xi8>, %b: tensor<20xi32>) -> tensor<2x20x6x7xi32> attributes {kiln.test = {
    inputs = ["2x70x6x7 bits", "20x70x3x3 bits", "20 bits"], cases = [""]}} {
  %z = kiln.constant dense<7> : tensor<i16>
  %0 = kiln.convert %x : tensor<2x70x6x7xui8> to tensor<2x70x6x7xi16>
  %1 = kiln.sub %0, %z : tensor<2x70x6x7xi16>, tensor<i16> -> tensor<2x70x6x7xi16>
  %2 = kiln.convert %w : tensor<20x70x3x3xi8> to tensor<20x70x3x3xi16>
  %3 = kiln.conv %1, %2 bias %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<2x70x6x7xi16>, tensor<20x70x3x3xi16>, tensor<20xi32> -> tensor<2x20x6x7xi32>
  return %3 : tensor<2x20x6x7xi32>
}

func.func @volume(%x: tensor<2x8x5x6x7xf32>, %w: tensor<4x4x2x3x3xf32>, %b: tensor<4xf32>) -> tensor<2x4x3x6x5xf32> attributes {kiln.test = {
    types = [f16, bf16, f32], inputs = ["2x8x5x6x7 uniform -2 2", "4x4x2x3x3 uniform -2 2", "4 uniform -2 2"], cases = [""]}} {
  %0 = kiln.conv %x, %w bias %b strides [2, 1, 1] pads [1, 1, 0, 0, 1, 0] dilations [1, 1, 1] groups 2 : tensor<2x8x5x6x7xf32>, tensor<4x4x2x3x3xf32>, tensor<4xf32> -> tensor<2x4x3x6x5xf32>
  return %0 : tensor<2x4x3x6x5xf32>
}

// Tiles of pixels that go on from image to image, whose fractals two images may share.
func.func @pixels_of_several_images(%x: tensor<16x64x14x14xf16>, %w: tensor<256x64x3x3xf16>, %b: tensor<256xf16>) -> tensor<16x256x14x14xf16> attributes {kiln.test = {
    types = [f16, f32], inputs = ["16x64x14x14 uniform -1 1", "256x64x3x3 uniform -1 1", "256 uniform -1 1"]}} {
  %0 = kiln.conv %x, %w bias %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<16x64x14x14xf16>, tensor<256x64x3x3xf16>, tensor<256xf16> -> tensor<16x256x14x14xf16>
  return %0 : tensor<16x256x14x14xf16>
}
func.func @pixels_of_strided_images(%x: tensor<13x48x21x10xf16>, %w: tensor<64x48x3x3xf16>) -> tensor<13x64x11x5xf16> attributes {kiln.test = {
    types = [f16, f32], inputs = ["13x48x21x10 uniform -1 1", "64x48x3x3 uniform -1 1"]}} {
  %0 = kiln.conv %x, %w strides [2, 2] pads [1, 1, 1, 0] dilations [1, 1] : tensor<13x48x21x10xf16>, tensor<64x48x3x3xf16> -> tensor<13x64x11x5xf16>
  return %0 : tensor<13x64x11x5xf16>
}
