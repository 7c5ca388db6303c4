// scalar.mlir: kernels that run on the scalar units: types that the vector unit lacks, ops that move and order elements.

func.func @wide_integers(%x: tensor<?xi64>, %y: tensor<?xi64>) -> tensor<?xi64> attributes {kiln.test = {
    types = [i64, ui64, ui32, i16, ui16, ui8], inputs = ["N bits", "N bits"], cases = ["N=70", "N=1000"]}} {
  %0 = kiln.mul %x, %y : tensor<?xi64>, tensor<?xi64> -> tensor<?xi64>
  %1 = kiln.max %0, %y : tensor<?xi64>, tensor<?xi64> -> tensor<?xi64>
  %2 = kiln.div %1, %x : tensor<?xi64>, tensor<?xi64> -> tensor<?xi64>
  return %2 : tensor<?xi64>
}

// Blocks meet between the sum and what uses it.
func.func @integer_rows(%x: tensor<?x?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i32, i64], inputs = ["MxN"], cases = ["M=3 N=200", "M=64 N=7"]}} {
  %0 = kiln.reduce sum %x axes [-1] keepdims : tensor<?x?xi32> -> tensor<?x1xi32>
  %1 = kiln.sub %x, %0 : tensor<?x?xi32>, tensor<?x1xi32> -> tensor<?x?xi32>
  return %1 : tensor<?x?xi32>
}

func.func @sine(%x: tensor<?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f16, bf16], inputs = ["N uniform -9 9"], cases = ["N=100"], atol = 1.0e-5}} {
  %0 = kiln.sin %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Angles from 64-bit integers: turns of any size, exactly.
func.func @far_angles(%x: tensor<300xi64>) -> (tensor<300xf32>, tensor<300xf32>, tensor<300xf32>) attributes {kiln.test = {
    inputs = ["300 bits"]}} {
  %0 = kiln.convert %x : tensor<300xi64> to tensor<300xf32>
  %1 = kiln.sin %0 : tensor<300xf32>
  %2 = kiln.cos %0 : tensor<300xf32>
  %3 = kiln.tan %0 : tensor<300xf32>
  return %1, %2, %3 : tensor<300xf32>, tensor<300xf32>, tensor<300xf32>
}
