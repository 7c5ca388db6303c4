// lists.mlir: lists that grow, and extents as data.

func.func @append(%l: tensor<?x?xf32>, %e: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f8E4M3FN, f8E5M2],
    inputs = ["MxN bits", "N bits"],
    cases = ["M=3 N=5", "M=1 N=67", "M=0 N=4"]}} {
  %y = kiln.append %l, %e : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @append_scalars(%l: tensor<?xf32>, %e: tensor<f32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, i8, f64],
    inputs = ["N", "scalar"],
    cases = ["N=3", "N=0"]}} {
  %a = kiln.append %l, %e : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %y = kiln.append %a, %e : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Its entries have no extents yet.
func.func @append_to_an_empty_list(%l: tensor<0x?x?xf32>, %e: tensor<?x?xf32>) -> tensor<1x?x?xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["0xKxL", "MxN"],
    cases = ["K=0 L=3 M=2 N=5", "K=1 L=1 M=4 N=4"]}} {
  %y = kiln.append %l, %e : tensor<0x?x?xf32>, tensor<?x?xf32> -> tensor<1x?x?xf32>
  return %y : tensor<1x?x?xf32>
}

func.func @from_elements_i1(%x: tensor<?x?xi8>) -> (tensor<3xi1>, tensor<i1>) attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=3 N=5", "M=40 N=300", "M=0 N=2"]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %n = tensor.dim %x, %c1 : tensor<?x?xi8>
  %p = arith.muli %m, %n : index
  %y = kiln.from_elements [%m, %n, %p] : tensor<3xi1>
  %z = kiln.from_elements [%p] scalar : tensor<i1>
  return %y, %z : tensor<3xi1>, tensor<i1>
}

func.func @from_elements_i8(%x: tensor<?x?xi8>) -> (tensor<3xi8>, tensor<i8>) attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=3 N=5", "M=40 N=300", "M=0 N=2"]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %n = tensor.dim %x, %c1 : tensor<?x?xi8>
  %p = arith.muli %m, %n : index
  %y = kiln.from_elements [%m, %n, %p] : tensor<3xi8>
  %z = kiln.from_elements [%p] scalar : tensor<i8>
  return %y, %z : tensor<3xi8>, tensor<i8>
}

func.func @from_elements_i16(%x: tensor<?x?xi8>) -> (tensor<3xi16>, tensor<i16>) attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=3 N=5", "M=40 N=300", "M=0 N=2"]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %n = tensor.dim %x, %c1 : tensor<?x?xi8>
  %p = arith.muli %m, %n : index
  %y = kiln.from_elements [%m, %n, %p] : tensor<3xi16>
  %z = kiln.from_elements [%p] scalar : tensor<i16>
  return %y, %z : tensor<3xi16>, tensor<i16>
}

func.func @from_elements_i32(%x: tensor<?x?xi8>) -> (tensor<3xi32>, tensor<i32>) attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=3 N=5", "M=40 N=300", "M=0 N=2"]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %n = tensor.dim %x, %c1 : tensor<?x?xi8>
  %p = arith.muli %m, %n : index
  %y = kiln.from_elements [%m, %n, %p] : tensor<3xi32>
  %z = kiln.from_elements [%p] scalar : tensor<i32>
  return %y, %z : tensor<3xi32>, tensor<i32>
}

func.func @from_elements_i64(%x: tensor<?x?xi8>) -> (tensor<3xi64>, tensor<i64>) attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=3 N=5", "M=40 N=300", "M=0 N=2"]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %n = tensor.dim %x, %c1 : tensor<?x?xi8>
  %p = arith.muli %m, %n : index
  %y = kiln.from_elements [%m, %n, %p] : tensor<3xi64>
  %z = kiln.from_elements [%p] scalar : tensor<i64>
  return %y, %z : tensor<3xi64>, tensor<i64>
}

func.func @from_elements_ui8(%x: tensor<?x?xi8>) -> (tensor<3xui8>, tensor<ui8>) attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=3 N=5", "M=40 N=300", "M=0 N=2"]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %n = tensor.dim %x, %c1 : tensor<?x?xi8>
  %p = arith.muli %m, %n : index
  %y = kiln.from_elements [%m, %n, %p] : tensor<3xui8>
  %z = kiln.from_elements [%p] scalar : tensor<ui8>
  return %y, %z : tensor<3xui8>, tensor<ui8>
}

func.func @from_elements_ui16(%x: tensor<?x?xi8>) -> (tensor<3xui16>, tensor<ui16>) attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=3 N=5", "M=40 N=300", "M=0 N=2"]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %n = tensor.dim %x, %c1 : tensor<?x?xi8>
  %p = arith.muli %m, %n : index
  %y = kiln.from_elements [%m, %n, %p] : tensor<3xui16>
  %z = kiln.from_elements [%p] scalar : tensor<ui16>
  return %y, %z : tensor<3xui16>, tensor<ui16>
}

func.func @from_elements_ui32(%x: tensor<?x?xi8>) -> (tensor<3xui32>, tensor<ui32>) attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=3 N=5", "M=40 N=300", "M=0 N=2"]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %n = tensor.dim %x, %c1 : tensor<?x?xi8>
  %p = arith.muli %m, %n : index
  %y = kiln.from_elements [%m, %n, %p] : tensor<3xui32>
  %z = kiln.from_elements [%p] scalar : tensor<ui32>
  return %y, %z : tensor<3xui32>, tensor<ui32>
}

func.func @from_elements_ui64(%x: tensor<?x?xi8>) -> (tensor<3xui64>, tensor<ui64>) attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=3 N=5", "M=40 N=300", "M=0 N=2"]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %n = tensor.dim %x, %c1 : tensor<?x?xi8>
  %p = arith.muli %m, %n : index
  %y = kiln.from_elements [%m, %n, %p] : tensor<3xui64>
  %z = kiln.from_elements [%p] scalar : tensor<ui64>
  return %y, %z : tensor<3xui64>, tensor<ui64>
}

// Entries of whole bytes.
func.func @append_bytes(%l: tensor<?x4xi4>, %e: tensor<4xi4>) -> tensor<?x4xi4> attributes {kiln.test = {
    types = [i4, ui4],
    inputs = ["Mx4 bits", "4 bits"],
    cases = ["M=3", "M=0"]}} {
  %y = kiln.append %l, %e : tensor<?x4xi4>, tensor<4xi4> -> tensor<?x4xi4>
  return %y : tensor<?x4xi4>
}
