// vector.mlir: vector kernels whose cycles figures.py keeps.

func.func @add_4mi(%a: tensor<4194304xf16>, %b: tensor<4194304xf16>) -> tensor<4194304xf16> {
  %0 = kiln.add %a, %b : tensor<4194304xf16>, tensor<4194304xf16> -> tensor<4194304xf16>
  return %0 : tensor<4194304xf16>
}

func.func @softmax(%x: tensor<4096x512xf32>) -> tensor<4096x512xf32> {
  %0 = kiln.softmax %x axis 1 : tensor<4096x512xf32>
  return %0 : tensor<4096x512xf32>
}

func.func @layer_norm(%x: tensor<4096x768xf32>) -> tensor<4096x768xf32> {
  %0 = kiln.layer_norm %x axis 1 epsilon 1.0e-5 : tensor<4096x768xf32>
  return %0 : tensor<4096x768xf32>
}

func.func @transpose(%x: tensor<2048x2048xf16>) -> tensor<2048x2048xf16> {
  %0 = kiln.transpose %x perm [1, 0] : tensor<2048x2048xf16> -> tensor<2048x2048xf16>
  return %0 : tensor<2048x2048xf16>
}

func.func @column_sum(%x: tensor<4096x3000xf32>) -> tensor<3000xf32> {
  %0 = kiln.reduce sum %x axes [0] : tensor<4096x3000xf32> -> tensor<3000xf32>
  return %0 : tensor<3000xf32>
}
