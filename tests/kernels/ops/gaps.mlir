// gaps.mlir: what a device may still refuse by name; run with --allow-refusals. A wrong result is a failure here too.

func.func @cumulative_sum_narrow(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16],
    inputs = ["MxN uniform 0.5 1.5"],
    cases = ["M=1 N=1", "M=3 N=67", "M=2 N=0"]}} {
  %y = kiln.cumulative sum %x axis 1 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @cumulative_prod_narrow(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16],
    inputs = ["MxN uniform 0.5 1.5"],
    cases = ["M=1 N=1", "M=3 N=67", "M=2 N=0"]}} {
  %y = kiln.cumulative prod %x axis 1 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Batches of unknown number and extents, in a type that is widened.
func.func @batched_narrow(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16],
    inputs = ["BxMxK", "BxKxN"],
    cases = ["B=1 M=2 K=3 N=4", "B=3 M=5 K=17 N=9", "B=2 M=0 K=3 N=2"]}} {
  %y = kiln.matmul %a, %b : tensor<?x?x?xf32>, tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
