// fusion.mlir: ops that become one kernel: what fusion must not change.

// An epilogue of a contraction.
func.func @matmul_bias_relu(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxK", "KxN", "N"],
    cases = ["M=5 K=17 N=33", "M=1 K=64 N=1", "M=16 K=9 N=48"]}} {
  %0 = kiln.matmul %a, %b : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %1 = kiln.add %0, %c : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  %y = kiln.relu %1 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Both readers of one value.
func.func @elementwise_chain(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN", "N"],
    cases = ["M=3 N=67", "M=1 N=1"]}} {
  %0 = kiln.mul %a, %b : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  %1 = kiln.sigmoid %0 : tensor<?x?xf32>
  %y = kiln.mul %0, %1 : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @producer_of_a_sum(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["MxN"],
    cases = ["M=3 N=67", "M=9 N=1000"]}} {
  %0 = kiln.exp %x : tensor<?x?xf32>
  %y = kiln.reduce sum %0 axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @transposed_producer(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, f32, i8, i64],
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=64 N=64"]}} {
  %0 = kiln.transpose %x perm [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  %y = kiln.neg %0 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @sliced_producer(%x: tensor<?x9xf32>) -> tensor<?x4xf32> attributes {kiln.test = {
    types = [f32, i32],
    inputs = ["Mx9"],
    cases = ["M=5", "M=1"]}} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x9xf32>
  %0 = kiln.slice %x offsets [0, 1] sizes [%m, 4] strides [1, 2] : tensor<?x9xf32> -> tensor<?x4xf32>
  %y = kiln.abs %0 : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

func.func @mean_of_squares(%x: tensor<?x?xf32>) -> tensor<?x1xf32> attributes {kiln.test = {
    types = [f16, f32],
    inputs = ["MxN"],
    cases = ["M=3 N=67"]}} {
  %0 = kiln.mul %x, %x : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %y = kiln.reduce mean %0 axes [1] keepdims : tensor<?x?xf32> -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// A conversion rounds, also where what reads it is computed in a wider type.
func.func @bf16_on_the_way_to_f16(%x: tensor<?x?xf32>) -> tensor<?x?xf16> attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=3 N=67", "M=5 N=9 specials"]}} {
  %0 = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xbf16>
  %y = kiln.convert %0 : tensor<?x?xbf16> to tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

func.func @bf16_and_back(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=3 N=67", "M=5 N=9 specials"]}} {
  %0 = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xbf16>
  %1 = kiln.convert %0 : tensor<?x?xbf16> to tensor<?x?xf32>
  %y = kiln.sub %x, %1 : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @f16_and_back(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=3 N=67", "M=5 N=9 specials"]}} {
  %0 = kiln.convert %x : tensor<?x?xf32> to tensor<?x?xf16>
  %1 = kiln.convert %0 : tensor<?x?xf16> to tensor<?x?xf32>
  %y = kiln.sub %x, %1 : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Down to results that are no normal numbers, behind arithmetic in integers.
func.func @exp_of_integers(%a: tensor<?x?xi64>, %b: tensor<i64>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN uniform -104 90", "scalar uniform 1 1"],
    cases = ["M=3 N=67", "M=1 N=1"]}} {
  %0 = kiln.mul %a, %b : tensor<?x?xi64>, tensor<i64> -> tensor<?x?xi64>
  %1 = kiln.convert %0 : tensor<?x?xi64> to tensor<?x?xf32>
  %y = kiln.exp %1 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Another sign on the way: the number changes with it.
func.func @signs_on_the_way(%x: tensor<?x?xi8>) -> tensor<?x?xi32> attributes {kiln.test = {
    inputs = ["MxN bits"],
    cases = ["M=3 N=67", "M=5 N=9 specials"]}} {
  %0 = kiln.convert %x : tensor<?x?xi8> to tensor<?x?xui16>
  %y = kiln.convert %0 : tensor<?x?xui16> to tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
