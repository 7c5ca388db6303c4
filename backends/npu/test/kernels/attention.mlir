// attention.mlir: attention as one kernel of cube and vector cores, and attentions that are several kernels.
func.func @attention(%q: tensor<1x3x256x64xf16>, %k: tensor<1x3x384x64xf16>, %v: tensor<1x3x384x32xf16>) -> tensor<1x3x256x32xf16> attributes {kiln.test = {
    types = [f16, bf16], inputs = ["1x3x256x64 uniform -2 2", "1x3x384x64 uniform -2 2", "1x3x384x32 uniform -2 2"]}} {
  %0 = kiln.attention %q, %k, %v scale 0.125 : (tensor<1x3x256x64xf16>, tensor<1x3x384x64xf16>, tensor<1x3x384x32xf16>) -> tensor<1x3x256x32xf16>
  return %0 : tensor<1x3x256x32xf16>
}

// Two heads of queries read one of keys; a chunk of keys alone.
func.func @grouped(%q: tensor<2x4x128x128xf16>, %k: tensor<2x2x128x128xf16>, %v: tensor<2x2x128x128xf16>) -> tensor<2x4x128x128xf16> attributes {kiln.test = {
    inputs = ["2x4x128x128 uniform -3 3", "2x2x128x128 uniform -3 3", "2x2x128x128 uniform -3 3"]}} {
  %0 = kiln.attention %q, %k, %v scale 0.0883883476 : (tensor<2x4x128x128xf16>, tensor<2x2x128x128xf16>, tensor<2x2x128x128xf16>) -> tensor<2x4x128x128xf16>
  return %0 : tensor<2x4x128x128xf16>
}

// More units than cores: places in the workspace are used again.
func.func @many_units(%q: tensor<1x26x256x16xf16>, %k: tensor<1x26x128x16xf16>, %v: tensor<1x26x128x16xf16>) -> tensor<1x26x256x16xf16> attributes {kiln.test = {
    inputs = ["1x26x256x16 uniform -3 3", "1x26x128x16 uniform -3 3", "1x26x128x16 uniform -3 3"]}} {
  %0 = kiln.attention %q, %k, %v scale 1.0 : (tensor<1x26x256x16xf16>, tensor<1x26x128x16xf16>, tensor<1x26x128x16xf16>) -> tensor<1x26x256x16xf16>
  return %0 : tensor<1x26x256x16xf16>
}

// One tensor is queries, keys and values.
func.func @itself(%x: tensor<1x2x128x32xf16>) -> tensor<1x2x128x32xf16> attributes {kiln.test = {
    inputs = ["1x2x128x32 uniform -2 2"]}} {
  %0 = kiln.attention %x, %x, %x scale 0.25 : (tensor<1x2x128x32xf16>, tensor<1x2x128x32xf16>, tensor<1x2x128x32xf16>) -> tensor<1x2x128x32xf16>
  return %0 : tensor<1x2x128x32xf16>
}

// Rows that end within a tile: several kernels.
func.func @ragged(%q: tensor<1x2x40x32xf16>, %k: tensor<1x2x72x32xf16>, %v: tensor<1x2x72x32xf16>) -> tensor<1x2x40x32xf16> attributes {kiln.test = {
    inputs = ["1x2x40x32 uniform -2 2", "1x2x72x32 uniform -2 2", "1x2x72x32 uniform -2 2"]}} {
  %0 = kiln.attention %q, %k, %v scale 0.25 : (tensor<1x2x40x32xf16>, tensor<1x2x72x32xf16>, tensor<1x2x72x32xf16>) -> tensor<1x2x40x32xf16>
  return %0 : tensor<1x2x40x32xf16>
}
