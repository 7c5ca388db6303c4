// constants.mlir: kernels that no tensor goes into (the functions have one for its type), and results that are constants or as they came.
func.func @concat(%x: tensor<2xf32>) -> tensor<4x3xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, i8, ui8, i16, ui16, i32, ui32, i64, ui64], inputs = ["2 uniform -1 1"], cases = [""]}} {
  %a = kiln.constant dense<1.0> : tensor<2x3xf32>
  %b = kiln.constant dense<2.0> : tensor<2x3xf32>
  %0 = kiln.concat %a, %b axis 0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @splat(%x: tensor<2xf32>) -> (tensor<40x300xf32>, tensor<f32>, tensor<300xi1>) attributes {kiln.test = {
    types = [f16, bf16, f32, i8, ui16, i32, i64], inputs = ["2 uniform -1 1"], cases = [""]}} {
  %a = kiln.constant dense<1.0> : tensor<40x300xf32>
  %b = kiln.constant dense<2.0> : tensor<f32>
  %c = kiln.constant dense<true> : tensor<300xi1>
  return %a, %b, %c : tensor<40x300xf32>, tensor<f32>, tensor<300xi1>
}

func.func @list(%x: tensor<2xf32>) -> (tensor<3xf32>, tensor<3xf32>) attributes {kiln.test = {
    types = [f16, f32, ui8, i32, i64], inputs = ["2 uniform -1 1"], cases = [""]}} {
  %a = kiln.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = kiln.add %a, %a : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %a, %0 : tensor<3xf32>, tensor<3xf32>
}

func.func @computed(%x: tensor<2xf32>) -> (tensor<3xf32>, tensor<2x3xf32>, tensor<3x1xf32>, tensor<2xf32>, tensor<1x3xf32>) attributes {kiln.test = {
    types = [f16, bf16, f32, i8, ui16, i32, i64], inputs = ["2 uniform -1 1"], cases = [""]}} {
  %a = kiln.constant dense<3.0> : tensor<3xf32>
  %b = kiln.constant dense<1.0> : tensor<2x3xf32>
  %0 = kiln.add %a, %a : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %1 = kiln.broadcast %a [2, 3] : tensor<3xf32> -> tensor<2x3xf32>
  %2 = kiln.reshape %a [3, 1] : tensor<3xf32> -> tensor<3x1xf32>
  %3 = kiln.reduce sum %b axes [1] : tensor<2x3xf32> -> tensor<2xf32>
  %4 = kiln.slice %b offsets [1, 0] sizes [1, 3] strides [1, 1] : tensor<2x3xf32> -> tensor<1x3xf32>
  return %0, %1, %2, %3, %4 : tensor<3xf32>, tensor<2x3xf32>, tensor<3x1xf32>, tensor<2xf32>, tensor<1x3xf32>
}

// Beside what is computed: of the same axes, and of others.
func.func @beside(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<5xf32>, tensor<2x3xf32>) attributes {kiln.test = {
    types = [f16, f32, i8, i32, i64], inputs = ["2x3 uniform -2 2"], cases = [""]}} {
  %a = kiln.constant dense<1.0> : tensor<2x3xf32>
  %b = kiln.constant dense<1.0> : tensor<5xf32>
  %0 = kiln.add %x, %a : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return %0, %a, %b, %x : tensor<2x3xf32>, tensor<2x3xf32>, tensor<5xf32>, tensor<2x3xf32>
}

func.func @empty(%x: tensor<2xf32>) -> (tensor<0x3xf32>, tensor<2x0xf32>, tensor<0xf32>) attributes {kiln.test = {
    types = [f16, f32, i8, i64], inputs = ["2 uniform -1 1"], cases = [""]}} {
  %a = kiln.constant dense<> : tensor<0x3xf32>
  %0 = kiln.reshape %a [2, 0] : tensor<0x3xf32> -> tensor<2x0xf32>
  %1 = kiln.reduce max %0 axes [0] : tensor<2x0xf32> -> tensor<0xf32>
  return %a, %0, %1 : tensor<0x3xf32>, tensor<2x0xf32>, tensor<0xf32>
}

// Filters of one number, of which padding makes a tensor of two.
func.func @filters(%x: tensor<1x3x20x20xf32>) -> tensor<1x64x10x10xf32> attributes {kiln.test = {
    inputs = ["1x3x20x20 uniform -1 1"], cases = [""]}} {
  %w = kiln.constant dense<0.02> : tensor<64x3x7x7xf32>
  %0 = kiln.conv %x, %w strides [2, 2] pads [3, 3, 3, 3] dilations [1, 1]
    : tensor<1x3x20x20xf32>, tensor<64x3x7x7xf32> -> tensor<1x64x10x10xf32>
  return %0 : tensor<1x64x10x10xf32>
}

// More numbers than code can hold where they differ.
func.func @many_equal(%x: tensor<2xf32>) -> tensor<40x301xi64> attributes {kiln.test = {
    inputs = ["2 uniform -1 1"], cases = [""]}} {
  %a = kiln.constant dense<-7> : tensor<40x300xi64>
  %b = kiln.constant dense<3> : tensor<i64>
  %0 = kiln.pad %a low [0, 1] high [0, 0] mode constant value %b : tensor<40x300xi64>, tensor<i64> -> tensor<40x301xi64>
  return %0 : tensor<40x301xi64>
}
