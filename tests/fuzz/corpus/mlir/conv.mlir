func.func @main(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<?x4x?x?xf32> attributes {kiln.test = {types = [f16, f32], inputs = ["1x3x8x8"], cases = [""]}} {
  %y = kiln.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<?x4x?x?xf32>
  %z = kiln.reduce mean %y axes [2, 3] keepdims : tensor<?x4x?x?xf32> -> tensor<?x4x1x1xf32>
  kiln.check_close %z, %z atol 0.0 rtol 1.0e-3 : tensor<?x4x1x1xf32>
  return %y : tensor<?x4x?x?xf32>
}
