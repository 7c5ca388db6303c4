// reference.mlir: the kernels whose plan and flags are compared with the vendor's; every core has several tiles.

func.func @add_f16(%x: tensor<2048x1024xf16>, %y: tensor<2048x1024xf16>) -> tensor<2048x1024xf16> {
  %z = kiln.add %x, %y : tensor<2048x1024xf16>, tensor<2048x1024xf16> -> tensor<2048x1024xf16>
  return %z : tensor<2048x1024xf16>
}

func.func @gelu_f32(%x: tensor<2048x1024xf32>) -> tensor<2048x1024xf32> {
  %y = kiln.gelu %x : tensor<2048x1024xf32>
  return %y : tensor<2048x1024xf32>
}

func.func @softmax_f32(%x: tensor<4096x512xf32>) -> tensor<4096x512xf32> {
  %y = kiln.softmax %x axis 1 : tensor<4096x512xf32>
  return %y : tensor<4096x512xf32>
}

func.func @row_sum_f32(%x: tensor<8192x512xf32>) -> tensor<8192xf32> {
  %y = kiln.reduce sum %x axes [1] : tensor<8192x512xf32> -> tensor<8192xf32>
  return %y : tensor<8192xf32>
}

func.func @layer_norm_f32(%x: tensor<4096x768xf32>, %g: tensor<768xf32>, %b: tensor<768xf32>) -> tensor<4096x768xf32> {
  %y = kiln.layer_norm %x scale(%g : tensor<768xf32>) bias(%b : tensor<768xf32>) axis -1 epsilon 1.0e-5 : tensor<4096x768xf32>
  return %y : tensor<4096x768xf32>
}

func.func @matmul_f16(%a: tensor<2048x256xf16>, %b: tensor<256x2048xf16>) -> tensor<2048x2048xf16> {
  %c = kiln.matmul %a, %b : tensor<2048x256xf16>, tensor<256x2048xf16> -> tensor<2048x2048xf16>
  return %c : tensor<2048x2048xf16>
}

func.func @matmul_bias_relu_f32(%a: tensor<1536x256xf32>, %b: tensor<256x2048xf32>, %c: tensor<2048xf32>) -> tensor<1536x2048xf32> {
  %p = kiln.matmul %a, %b : tensor<1536x256xf32>, tensor<256x2048xf32> -> tensor<1536x2048xf32>
  %s = kiln.add %p, %c : tensor<1536x2048xf32>, tensor<2048xf32> -> tensor<1536x2048xf32>
  %r = kiln.relu %s : tensor<1536x2048xf32>
  return %r : tensor<1536x2048xf32>
}
