// scatter.mlir: updates at indices: every kind and type; indices negative, repeated and beyond the axis.

func.func @scatter_elements_replace(%x: tensor<?x?xf32>, %u: tensor<?x?xf32>, %i: tensor<?x?xi64>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN", "KxN", "KxN uniform -8 8"],
    cases = ["M=5 N=3 K=9", "M=7 N=33 K=4 specials", "M=3 N=4 K=0"]}} {
  %y = kiln.scatter_elements replace %x, %i, %u axis 0 : tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @scatter_nd_replace(%x: tensor<?x?xf32>, %u: tensor<?x?xf32>, %i: tensor<?x1xi32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN", "KxN", "Kx1 uniform -6 6"],
    cases = ["M=5 N=3 K=9", "M=4 N=40 K=6 specials", "M=2 N=0 K=3"]}} {
  %y = kiln.scatter_nd replace %x, %i, %u : tensor<?x?xf32>, tensor<?x1xi32>, tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @scatter_elements_add(%x: tensor<?x?xf32>, %u: tensor<?x?xf32>, %i: tensor<?x?xi64>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN", "KxN", "KxN uniform -8 8"],
    cases = ["M=5 N=3 K=9", "M=7 N=33 K=4 specials", "M=3 N=4 K=0"]}} {
  %y = kiln.scatter_elements add %x, %i, %u axis 0 : tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @scatter_nd_add(%x: tensor<?x?xf32>, %u: tensor<?x?xf32>, %i: tensor<?x1xi32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN", "KxN", "Kx1 uniform -6 6"],
    cases = ["M=5 N=3 K=9", "M=4 N=40 K=6 specials", "M=2 N=0 K=3"]}} {
  %y = kiln.scatter_nd add %x, %i, %u : tensor<?x?xf32>, tensor<?x1xi32>, tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @scatter_elements_mul(%x: tensor<?x?xf32>, %u: tensor<?x?xf32>, %i: tensor<?x?xi64>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN", "KxN", "KxN uniform -8 8"],
    cases = ["M=5 N=3 K=9", "M=7 N=33 K=4 specials", "M=3 N=4 K=0"]}} {
  %y = kiln.scatter_elements mul %x, %i, %u axis 0 : tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @scatter_nd_mul(%x: tensor<?x?xf32>, %u: tensor<?x?xf32>, %i: tensor<?x1xi32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN", "KxN", "Kx1 uniform -6 6"],
    cases = ["M=5 N=3 K=9", "M=4 N=40 K=6 specials", "M=2 N=0 K=3"]}} {
  %y = kiln.scatter_nd mul %x, %i, %u : tensor<?x?xf32>, tensor<?x1xi32>, tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @scatter_elements_min(%x: tensor<?x?xf32>, %u: tensor<?x?xf32>, %i: tensor<?x?xi64>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN", "KxN", "KxN uniform -8 8"],
    cases = ["M=5 N=3 K=9", "M=7 N=33 K=4 specials", "M=3 N=4 K=0"]}} {
  %y = kiln.scatter_elements min %x, %i, %u axis 0 : tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @scatter_nd_min(%x: tensor<?x?xf32>, %u: tensor<?x?xf32>, %i: tensor<?x1xi32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN", "KxN", "Kx1 uniform -6 6"],
    cases = ["M=5 N=3 K=9", "M=4 N=40 K=6 specials", "M=2 N=0 K=3"]}} {
  %y = kiln.scatter_nd min %x, %i, %u : tensor<?x?xf32>, tensor<?x1xi32>, tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @scatter_elements_max(%x: tensor<?x?xf32>, %u: tensor<?x?xf32>, %i: tensor<?x?xi64>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN", "KxN", "KxN uniform -8 8"],
    cases = ["M=5 N=3 K=9", "M=7 N=33 K=4 specials", "M=3 N=4 K=0"]}} {
  %y = kiln.scatter_elements max %x, %i, %u axis 0 : tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @scatter_nd_max(%x: tensor<?x?xf32>, %u: tensor<?x?xf32>, %i: tensor<?x1xi32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN", "KxN", "Kx1 uniform -6 6"],
    cases = ["M=5 N=3 K=9", "M=4 N=40 K=6 specials", "M=2 N=0 K=3"]}} {
  %y = kiln.scatter_nd max %x, %i, %u : tensor<?x?xf32>, tensor<?x1xi32>, tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Indices for fewer rows than there are.
func.func @scatter_elements_rows(%x: tensor<?x?xf32>, %u: tensor<?x?xf32>, %i: tensor<?x?xi32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32, f16, i8],
    inputs = ["MxN", "LxK", "LxK uniform -9 9"],
    cases = ["M=4 N=9 L=3 K=5", "M=3 N=67 L=3 K=2"]}} {
  %y = kiln.scatter_elements replace %x, %i, %u axis -1 : tensor<?x?xf32>, tensor<?x?xi32>, tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @scatter_nd_elements(%x: tensor<?x?x?xf32>, %u: tensor<?x?xf32>, %i: tensor<?x?x3xi64>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f32, f64, i32, ui8],
    inputs = ["BxMxN", "KxL", "KxLx3 uniform -3 3"],
    cases = ["B=2 M=3 N=3 K=4 L=5", "B=3 M=1 N=2 K=1 L=1"]}} {
  %y = kiln.scatter_nd add %x, %i, %u : tensor<?x?x?xf32>, tensor<?x?x3xi64>, tensor<?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// Tuples of no index name the whole tensor.
func.func @scatter_nd_no_tuple(%x: tensor<?x?xf32>, %u: tensor<?x?x?xf32>, %i: tensor<?x0xi64>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["MxN", "KxMxN", "Kx0"],
    cases = ["M=3 N=5 K=2", "M=2 N=9 K=0"]}} {
  %y = kiln.scatter_nd max %x, %i, %u : tensor<?x?xf32>, tensor<?x0xi64>, tensor<?x?x?xf32>
  return %y : tensor<?x?xf32>
}
