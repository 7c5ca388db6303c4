// cube.mlir: kernels for cube cores: ragged extents, transposed operands, what the fixpipe adds.
func.func @matmul(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32], inputs = ["MxK uniform -2 2", "KxN uniform -2 2"],
    cases = ["M=1 K=1 N=1", "M=6 K=64 N=1", "M=3 K=0 N=5", "M=17 K=33 N=40", "M=150 K=300 N=200"]}} {
  %0 = kiln.matmul %a, %b : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @transposed(%a: tensor<?x?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["BxMxK uniform -2 2", "NxK uniform -2 2"], cases = ["B=1 M=3 K=5 N=7", "B=3 M=33 K=130 N=65"]}} {
  %0 = kiln.matmul %a, %b transB : tensor<?x?x?xf32>, tensor<?x?xf32> -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

func.func @bias_relu(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32], inputs = ["MxK uniform -2 2", "KxN uniform -2 2", "N uniform -2 2"], cases = ["M=6 K=4 N=64", "M=70 K=96 N=300"]}} {
  %0 = kiln.matmul %a, %b : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %1 = kiln.add %0, %c : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  %2 = kiln.relu %1 : tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
