// attention.mlir: attention of 2048 queries and keys, heads of 128, whose cycles figures.py keeps.
func.func @flash_attention(%q: tensor<1x24x2048x128xf16>, %k: tensor<1x24x2048x128xf16>, %v: tensor<1x24x2048x128xf16>) -> tensor<1x24x2048x128xf16> {
  %0 = kiln.attention %q, %k, %v scale 0.0883883476 : (tensor<1x24x2048x128xf16>, tensor<1x24x2048x128xf16>, tensor<1x24x2048x128xf16>) -> tensor<1x24x2048x128xf16>
  return %0 : tensor<1x24x2048x128xf16>
}
