// heldout.mlir: kernels of other extents than those for which tiles and model were looked at.
func.func @heldout_gemm_square(%a: tensor<3072x3072xf16>, %b: tensor<3072x3072xf16>) -> tensor<3072x3072xf16> {
  %0 = kiln.matmul %a, %b : tensor<3072x3072xf16>, tensor<3072x3072xf16> -> tensor<3072x3072xf16>
  return %0 : tensor<3072x3072xf16>
}

func.func @heldout_gemm_ragged(%a: tensor<1500x2200xf16>, %b: tensor<2200x1900xf16>) -> tensor<1500x1900xf16> {
  %0 = kiln.matmul %a, %b : tensor<1500x2200xf16>, tensor<2200x1900xf16> -> tensor<1500x1900xf16>
  return %0 : tensor<1500x1900xf16>
}

func.func @heldout_attention(%q: tensor<2x16x1024x64xf16>, %k: tensor<2x16x1024x64xf16>, %v: tensor<2x16x1024x64xf16>) -> tensor<2x16x1024x64xf16> {
  %0 = kiln.attention %q, %k, %v scale 0.125 : (tensor<2x16x1024x64xf16>, tensor<2x16x1024x64xf16>, tensor<2x16x1024x64xf16>) -> tensor<2x16x1024x64xf16>
  return %0 : tensor<2x16x1024x64xf16>
}

func.func @heldout_conv_wide(%x: tensor<8x192x40x40xf16>, %w: tensor<192x192x3x3xf16>) -> tensor<8x192x40x40xf16> {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<8x192x40x40xf16>, tensor<192x192x3x3xf16> -> tensor<8x192x40x40xf16>
  return %0 : tensor<8x192x40x40xf16>
}

func.func @heldout_conv_deep(%x: tensor<8x320x10x10xf16>, %w: tensor<320x320x3x3xf16>) -> tensor<8x320x10x10xf16> {
  %0 = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<8x320x10x10xf16>, tensor<320x320x3x3xf16> -> tensor<8x320x10x10xf16>
  return %0 : tensor<8x320x10x10xf16>
}

func.func @heldout_softmax(%x: tensor<3000x1000xf32>) -> tensor<3000x1000xf32> {
  %0 = kiln.softmax %x axis 1 : tensor<3000x1000xf32>
  return %0 : tensor<3000x1000xf32>
}

func.func @heldout_layer_norm(%x: tensor<6000x1024xf32>) -> tensor<6000x1024xf32> {
  %0 = kiln.layer_norm %x axis 1 epsilon 1.0e-5 : tensor<6000x1024xf32>
  return %0 : tensor<6000x1024xf32>
}
