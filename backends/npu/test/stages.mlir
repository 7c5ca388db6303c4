// stages.mlir: the kernels of docs/npu-stages.md.
func.func @softmax(%x: tensor<1536x256xf32>) -> tensor<1536x256xf32> {
  %y = kiln.softmax %x axis 1 : tensor<1536x256xf32>
  return %y : tensor<1536x256xf32>
}

func.func @product(%a: tensor<512x256xf16>, %b: tensor<256x512xf16>) -> tensor<512x512xf16> {
  %p = kiln.matmul %a, %b : tensor<512x256xf16>, tensor<256x512xf16> -> tensor<512x512xf16>
  %r = kiln.relu %p : tensor<512x512xf16>
  return %r : tensor<512x512xf16>
}
