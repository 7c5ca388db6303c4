// order.mlir: sort and top_k: ties, NaN and infinities, both orders, every axis.

func.func @sort(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xi64>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform -5 5"],
    cases = ["M=3 N=17", "M=2 N=100 specials", "M=3 N=1", "M=2 N=0"]}} {
  %v, %i = kiln.sort %x axis 1 : tensor<?x?xf32> -> tensor<?x?xf32>, tensor<?x?xi64>
  return %v, %i : tensor<?x?xf32>, tensor<?x?xi64>
}

func.func @sort_descending(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xi64>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform -5 5"],
    cases = ["M=3 N=17", "M=2 N=100 specials", "M=3 N=1", "M=2 N=0"]}} {
  %v, %i = kiln.sort %x axis 1 descending : tensor<?x?xf32> -> tensor<?x?xf32>, tensor<?x?xi64>
  return %v, %i : tensor<?x?xf32>, tensor<?x?xi64>
}

// Three values: most are equal, and the lower index is first.
func.func @sort_of_ties(%x: tensor<?x?xi8>) -> (tensor<?x?xi8>, tensor<?x?xi64>) attributes {kiln.test = {
    types = [i8, f32, ui64],
    inputs = ["MxN uniform -1 1"],
    cases = ["M=40 N=3", "M=300 N=5", "M=1 N=7"]}} {
  %v, %i = kiln.sort %x axis 0 : tensor<?x?xi8> -> tensor<?x?xi8>, tensor<?x?xi64>
  return %v, %i : tensor<?x?xi8>, tensor<?x?xi64>
}

func.func @sort_bits(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi64>) attributes {kiln.test = {
    types = [f32, i64, ui64, f64],
    inputs = ["N bits"],
    cases = ["N=1000", "N=257", "N=31 specials", "N=4096 full"]}} {
  %v, %i = kiln.sort %x axis -1 : tensor<?xf32> -> tensor<?xf32>, tensor<?xi64>
  return %v, %i : tensor<?xf32>, tensor<?xi64>
}

func.func @sort_middle(%x: tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?x?x?xi64>) attributes {kiln.test = {
    types = [f32, i16],
    inputs = ["BxMxN"],
    cases = ["B=2 M=9 N=3", "B=1 M=33 N=2"]}} {
  %v, %i = kiln.sort %x axis 1 descending : tensor<?x?x?xf32> -> tensor<?x?x?xf32>, tensor<?x?x?xi64>
  return %v, %i : tensor<?x?x?xf32>, tensor<?x?x?xi64>
}

func.func @top_k(%x: tensor<?x?xf32>) -> (tensor<?x4xf32>, tensor<?x4xi64>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform -5 5"],
    cases = ["M=3 N=17", "M=2 N=100 specials", "M=3 N=4", "M=0 N=9"]}} {
  %v, %i = kiln.top_k %x k [4] axis 1 : tensor<?x?xf32> -> tensor<?x4xf32>, tensor<?x4xi64>
  return %v, %i : tensor<?x4xf32>, tensor<?x4xi64>
}

func.func @top_k_smallest(%x: tensor<?x?xf32>) -> (tensor<?x4xf32>, tensor<?x4xi64>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform -5 5"],
    cases = ["M=3 N=17", "M=2 N=100 specials", "M=3 N=4", "M=0 N=9"]}} {
  %v, %i = kiln.top_k %x k [4] axis 1 smallest : tensor<?x?xf32> -> tensor<?x4xf32>, tensor<?x4xi64>
  return %v, %i : tensor<?x4xf32>, tensor<?x4xi64>
}

// As many as are asked for when it runs: none, some, all.
func.func @top_k_counted(%x: tensor<?x?xf32>, %k: tensor<?xi8>) -> (tensor<?x?xf32>, tensor<?x?xi64>) attributes {kiln.test = {
    types = [f32, i32, ui8],
    inputs = ["MxN", "K"],
    cases = ["M=9 N=3 K=2", "M=33 N=17 K=33", "M=5 N=2 K=0", "M=1 N=1 K=1"]}} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %k, %c0 : tensor<?xi8>
  %v, %i = kiln.top_k %x k [%n] axis 0 : tensor<?x?xf32> -> tensor<?x?xf32>, tensor<?x?xi64>
  return %v, %i : tensor<?x?xf32>, tensor<?x?xi64>
}
