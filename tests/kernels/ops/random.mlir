// random.mlir: random numbers at any index and seed, to the bit where they are bits.

func.func @random_bits(%i: tensor<?x?xi64>, %s: tensor<i64>) -> tensor<?x?xui32> attributes {kiln.test = {
    inputs = ["MxN bits", "scalar bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=3", "M=17 N=64 seed=1"]}} {
  %y = kiln.random_bits %i, %s : tensor<?x?xi64>, tensor<i64> -> tensor<?x?xui32>
  return %y : tensor<?x?xui32>
}

// Several seeds at the indices that an importer asks for.
func.func @random_bits_counted(%i: tensor<?xi64>, %s: tensor<?x1xi64>) -> tensor<?x?xui32> attributes {kiln.test = {
    inputs = ["N iota", "Mx1"],
    cases = ["M=1 N=1", "M=3 N=1000", "M=4 N=7"]}} {
  %y = kiln.random_bits %i, %s : tensor<?xi64>, tensor<?x1xi64> -> tensor<?x?xui32>
  return %y : tensor<?x?xui32>
}

func.func @random_uniform_f16(%i: tensor<?x?xi64>, %s: tensor<i64>) -> tensor<?x?xf16> attributes {kiln.test = {
    inputs = ["MxN bits", "scalar bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.random_uniform %i, %s : tensor<?x?xi64>, tensor<i64> -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

func.func @random_normal_f16(%i: tensor<?x?xi64>, %s: tensor<i64>) -> tensor<?x?xf16> attributes {kiln.test = {
    inputs = ["MxN uniform 0 1000000", "scalar bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=30 N=100", "M=0 N=3"]}} {
  %y = kiln.random_normal %i, %s : tensor<?x?xi64>, tensor<i64> -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

func.func @random_uniform_bf16(%i: tensor<?x?xi64>, %s: tensor<i64>) -> tensor<?x?xbf16> attributes {kiln.test = {
    inputs = ["MxN bits", "scalar bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.random_uniform %i, %s : tensor<?x?xi64>, tensor<i64> -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

func.func @random_normal_bf16(%i: tensor<?x?xi64>, %s: tensor<i64>) -> tensor<?x?xbf16> attributes {kiln.test = {
    inputs = ["MxN uniform 0 1000000", "scalar bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=30 N=100", "M=0 N=3"]}} {
  %y = kiln.random_normal %i, %s : tensor<?x?xi64>, tensor<i64> -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

func.func @random_uniform_f32(%i: tensor<?x?xi64>, %s: tensor<i64>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN bits", "scalar bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.random_uniform %i, %s : tensor<?x?xi64>, tensor<i64> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @random_normal_f32(%i: tensor<?x?xi64>, %s: tensor<i64>) -> tensor<?x?xf32> attributes {kiln.test = {
    inputs = ["MxN uniform 0 1000000", "scalar bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=30 N=100", "M=0 N=3"]}} {
  %y = kiln.random_normal %i, %s : tensor<?x?xi64>, tensor<i64> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @random_uniform_f64(%i: tensor<?x?xi64>, %s: tensor<i64>) -> tensor<?x?xf64> attributes {kiln.test = {
    inputs = ["MxN bits", "scalar bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=0 N=3"]}} {
  %y = kiln.random_uniform %i, %s : tensor<?x?xi64>, tensor<i64> -> tensor<?x?xf64>
  return %y : tensor<?x?xf64>
}

func.func @random_normal_f64(%i: tensor<?x?xi64>, %s: tensor<i64>) -> tensor<?x?xf64> attributes {kiln.test = {
    inputs = ["MxN uniform 0 1000000", "scalar bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=30 N=100", "M=0 N=3"]}} {
  %y = kiln.random_normal %i, %s : tensor<?x?xi64>, tensor<i64> -> tensor<?x?xf64>
  return %y : tensor<?x?xf64>
}
