// resnet50.mlir: the convolutions of ResNet-50, batch 16, f16, as kernels on channels-last tensors; `times` says how often each occurs.

func.func @conv_3_64_7_2_224(%x: tensor<16x3x224x224xf16>, %w: tensor<64x3x7x7xf16>) -> tensor<16x64x112x112xf16> attributes {times = 1} {
  %0 = kiln.conv %x, %w strides [2, 2] pads [3, 3, 2, 2] dilations [1, 1] : tensor<16x3x224x224xf16>, tensor<64x3x7x7xf16> -> tensor<16x64x112x112xf16>
  return %0 : tensor<16x64x112x112xf16>
}

func.func @conv_64_64_1_1_56(%x: tensor<16x64x56x56xf16>, %w: tensor<64x64x1x1xf16>) -> tensor<16x64x56x56xf16> attributes {times = 1} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x64x56x56xf16>, tensor<64x64x1x1xf16> -> tensor<16x64x56x56xf16>
  return %0 : tensor<16x64x56x56xf16>
}

func.func @conv_64_64_3_1_56(%x: tensor<16x64x56x56xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<16x64x56x56xf16> attributes {times = 3} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<16x64x56x56xf16>, tensor<64x64x3x3xf16> -> tensor<16x64x56x56xf16>
  return %0 : tensor<16x64x56x56xf16>
}

func.func @conv_64_256_1_1_56(%x: tensor<16x64x56x56xf16>, %w: tensor<256x64x1x1xf16>) -> tensor<16x256x56x56xf16> attributes {times = 4} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x64x56x56xf16>, tensor<256x64x1x1xf16> -> tensor<16x256x56x56xf16>
  return %0 : tensor<16x256x56x56xf16>
}

func.func @conv_256_64_1_1_56(%x: tensor<16x256x56x56xf16>, %w: tensor<64x256x1x1xf16>) -> tensor<16x64x56x56xf16> attributes {times = 2} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x256x56x56xf16>, tensor<64x256x1x1xf16> -> tensor<16x64x56x56xf16>
  return %0 : tensor<16x64x56x56xf16>
}

func.func @conv_256_128_1_1_56(%x: tensor<16x256x56x56xf16>, %w: tensor<128x256x1x1xf16>) -> tensor<16x128x56x56xf16> attributes {times = 1} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x256x56x56xf16>, tensor<128x256x1x1xf16> -> tensor<16x128x56x56xf16>
  return %0 : tensor<16x128x56x56xf16>
}

func.func @conv_128_128_3_2_56(%x: tensor<16x128x56x56xf16>, %w: tensor<128x128x3x3xf16>) -> tensor<16x128x28x28xf16> attributes {times = 1} {
  %0 = kiln.conv %x, %w strides [2, 2] pads [1, 1, 0, 0] dilations [1, 1] : tensor<16x128x56x56xf16>, tensor<128x128x3x3xf16> -> tensor<16x128x28x28xf16>
  return %0 : tensor<16x128x28x28xf16>
}

func.func @conv_128_512_1_1_28(%x: tensor<16x128x28x28xf16>, %w: tensor<512x128x1x1xf16>) -> tensor<16x512x28x28xf16> attributes {times = 4} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x128x28x28xf16>, tensor<512x128x1x1xf16> -> tensor<16x512x28x28xf16>
  return %0 : tensor<16x512x28x28xf16>
}

func.func @conv_256_512_1_2_56(%x: tensor<16x256x56x56xf16>, %w: tensor<512x256x1x1xf16>) -> tensor<16x512x28x28xf16> attributes {times = 1} {
  %0 = kiln.conv %x, %w strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x256x56x56xf16>, tensor<512x256x1x1xf16> -> tensor<16x512x28x28xf16>
  return %0 : tensor<16x512x28x28xf16>
}

func.func @conv_512_128_1_1_28(%x: tensor<16x512x28x28xf16>, %w: tensor<128x512x1x1xf16>) -> tensor<16x128x28x28xf16> attributes {times = 3} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x512x28x28xf16>, tensor<128x512x1x1xf16> -> tensor<16x128x28x28xf16>
  return %0 : tensor<16x128x28x28xf16>
}

func.func @conv_128_128_3_1_28(%x: tensor<16x128x28x28xf16>, %w: tensor<128x128x3x3xf16>) -> tensor<16x128x28x28xf16> attributes {times = 3} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<16x128x28x28xf16>, tensor<128x128x3x3xf16> -> tensor<16x128x28x28xf16>
  return %0 : tensor<16x128x28x28xf16>
}

func.func @conv_512_256_1_1_28(%x: tensor<16x512x28x28xf16>, %w: tensor<256x512x1x1xf16>) -> tensor<16x256x28x28xf16> attributes {times = 1} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x512x28x28xf16>, tensor<256x512x1x1xf16> -> tensor<16x256x28x28xf16>
  return %0 : tensor<16x256x28x28xf16>
}

func.func @conv_256_256_3_2_28(%x: tensor<16x256x28x28xf16>, %w: tensor<256x256x3x3xf16>) -> tensor<16x256x14x14xf16> attributes {times = 1} {
  %0 = kiln.conv %x, %w strides [2, 2] pads [1, 1, 0, 0] dilations [1, 1] : tensor<16x256x28x28xf16>, tensor<256x256x3x3xf16> -> tensor<16x256x14x14xf16>
  return %0 : tensor<16x256x14x14xf16>
}

func.func @conv_256_1024_1_1_14(%x: tensor<16x256x14x14xf16>, %w: tensor<1024x256x1x1xf16>) -> tensor<16x1024x14x14xf16> attributes {times = 6} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x256x14x14xf16>, tensor<1024x256x1x1xf16> -> tensor<16x1024x14x14xf16>
  return %0 : tensor<16x1024x14x14xf16>
}

func.func @conv_512_1024_1_2_28(%x: tensor<16x512x28x28xf16>, %w: tensor<1024x512x1x1xf16>) -> tensor<16x1024x14x14xf16> attributes {times = 1} {
  %0 = kiln.conv %x, %w strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x512x28x28xf16>, tensor<1024x512x1x1xf16> -> tensor<16x1024x14x14xf16>
  return %0 : tensor<16x1024x14x14xf16>
}

func.func @conv_1024_256_1_1_14(%x: tensor<16x1024x14x14xf16>, %w: tensor<256x1024x1x1xf16>) -> tensor<16x256x14x14xf16> attributes {times = 5} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x1024x14x14xf16>, tensor<256x1024x1x1xf16> -> tensor<16x256x14x14xf16>
  return %0 : tensor<16x256x14x14xf16>
}

func.func @conv_256_256_3_1_14(%x: tensor<16x256x14x14xf16>, %w: tensor<256x256x3x3xf16>) -> tensor<16x256x14x14xf16> attributes {times = 5} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<16x256x14x14xf16>, tensor<256x256x3x3xf16> -> tensor<16x256x14x14xf16>
  return %0 : tensor<16x256x14x14xf16>
}

func.func @conv_1024_512_1_1_14(%x: tensor<16x1024x14x14xf16>, %w: tensor<512x1024x1x1xf16>) -> tensor<16x512x14x14xf16> attributes {times = 1} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x1024x14x14xf16>, tensor<512x1024x1x1xf16> -> tensor<16x512x14x14xf16>
  return %0 : tensor<16x512x14x14xf16>
}

func.func @conv_512_512_3_2_14(%x: tensor<16x512x14x14xf16>, %w: tensor<512x512x3x3xf16>) -> tensor<16x512x7x7xf16> attributes {times = 1} {
  %0 = kiln.conv %x, %w strides [2, 2] pads [1, 1, 0, 0] dilations [1, 1] : tensor<16x512x14x14xf16>, tensor<512x512x3x3xf16> -> tensor<16x512x7x7xf16>
  return %0 : tensor<16x512x7x7xf16>
}

func.func @conv_512_2048_1_1_7(%x: tensor<16x512x7x7xf16>, %w: tensor<2048x512x1x1xf16>) -> tensor<16x2048x7x7xf16> attributes {times = 3} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x512x7x7xf16>, tensor<2048x512x1x1xf16> -> tensor<16x2048x7x7xf16>
  return %0 : tensor<16x2048x7x7xf16>
}

func.func @conv_1024_2048_1_2_14(%x: tensor<16x1024x14x14xf16>, %w: tensor<2048x1024x1x1xf16>) -> tensor<16x2048x7x7xf16> attributes {times = 1} {
  %0 = kiln.conv %x, %w strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x1024x14x14xf16>, tensor<2048x1024x1x1xf16> -> tensor<16x2048x7x7xf16>
  return %0 : tensor<16x2048x7x7xf16>
}

func.func @conv_2048_512_1_1_7(%x: tensor<16x2048x7x7xf16>, %w: tensor<512x2048x1x1xf16>) -> tensor<16x512x7x7xf16> attributes {times = 2} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<16x2048x7x7xf16>, tensor<512x2048x1x1xf16> -> tensor<16x512x7x7xf16>
  return %0 : tensor<16x512x7x7xf16>
}

func.func @conv_512_512_3_1_7(%x: tensor<16x512x7x7xf16>, %w: tensor<512x512x3x3xf16>) -> tensor<16x512x7x7xf16> attributes {times = 2} {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<16x512x7x7xf16>, tensor<512x512x3x3xf16> -> tensor<16x512x7x7xf16>
  return %0 : tensor<16x512x7x7xf16>
}
