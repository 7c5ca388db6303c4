// selection.mlir: nonzero, unique and nms.

// More and fewer than there is room for.
func.func @nonzero(%x: tensor<?x?xf32>) -> tensor<2x20xi64> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -0.6 0.6"],
    cases = ["M=3 N=5", "M=7 N=33 specials", "M=0 N=4", "M=1 N=1"]}} {
  %y = kiln.nonzero %x count [20] : tensor<?x?xf32> -> tensor<2x20xi64>
  return %y : tensor<2x20xi64>
}

func.func @nonzero_int(%x: tensor<?x?xi8>) -> tensor<2x20xi64> attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 1"],
    cases = ["M=3 N=5", "M=7 N=33", "M=0 N=4"]}} {
  %y = kiln.nonzero %x count [20] : tensor<?x?xi8> -> tensor<2x20xi64>
  return %y : tensor<2x20xi64>
}

// Counted first, as an importer has it.
func.func @nonzero_counted(%x: tensor<?x?x?xi8>) -> tensor<3x?xi64> attributes {kiln.test = {
    types = [i8, f32],
    inputs = ["BxMxN uniform 0 1"],
    cases = ["B=2 M=3 N=5", "B=3 M=4 N=17 seed=1", "B=1 M=1 N=1"]}} {
  %z = kiln.constant dense<0> : tensor<i8>
  %is = kiln.compare ne %x, %z : tensor<?x?x?xi8>, tensor<i8> -> tensor<?x?x?xi1>
  %one = kiln.convert %is : tensor<?x?x?xi1> to tensor<?x?x?xi64>
  %sum = kiln.reduce sum %one axes [0, 1, 2] : tensor<?x?x?xi64> -> tensor<i64>
  %n0 = tensor.extract %sum[] : tensor<i64>
  %n = arith.index_cast %n0 : i64 to index
  %y = kiln.nonzero %x count [%n] : tensor<?x?x?xi8> -> tensor<3x?xi64>
  return %y : tensor<3x?xi64>
}

func.func @nonzero_scalar(%x: tensor<f32>) -> tensor<0x1xi64> attributes {kiln.test = {
    types = [f32],
    inputs = ["scalar"],
    cases = [""]}} {
  %y = kiln.nonzero %x count [1] : tensor<f32> -> tensor<0x1xi64>
  return %y : tensor<0x1xi64>
}

func.func @unique(%x: tensor<?x?xi8>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 1"],
    cases = ["M=9 N=2", "M=33 N=3", "M=1 N=5", "M=0 N=2"]}} {
  %f, %i, %c, %n = kiln.unique %x axis 0 : tensor<?x?xi8> -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
  return %f, %i, %c, %n : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
}

// Whole numbers, so that some are equal; NaN equals NaN.
func.func @unique_float(%x: tensor<?x?xf32>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -1 1"],
    cases = ["M=2 N=17", "M=1 N=40 specials", "M=3 N=1"]}} {
  %r = kiln.round %x : tensor<?x?xf32>
  %f, %i, %c, %n = kiln.unique %r axis 1 : tensor<?x?xf32> -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
  return %f, %i, %c, %n : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
}

func.func @unique_sorted(%x: tensor<?x?xi8>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) attributes {kiln.test = {
    types = [i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 1"],
    cases = ["M=9 N=2", "M=33 N=3", "M=1 N=5", "M=0 N=2"]}} {
  %f, %i, %c, %n = kiln.unique %x axis 0 sorted : tensor<?x?xi8> -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
  return %f, %i, %c, %n : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
}

// Whole numbers, so that some are equal; NaN equals NaN.
func.func @unique_sorted_float(%x: tensor<?x?xf32>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -1 1"],
    cases = ["M=2 N=17", "M=1 N=40 specials", "M=3 N=1"]}} {
  %r = kiln.round %x : tensor<?x?xf32>
  %f, %i, %c, %n = kiln.unique %r axis 1 sorted : tensor<?x?xf32> -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
  return %f, %i, %c, %n : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
}

func.func @nms(%b: tensor<?x?x4xf32>, %s: tensor<?x?x?xf32>, %t: tensor<f32>, %u: tensor<f32>) -> (tensor<?x?x5xi64>, tensor<?x?xi64>) attributes {kiln.test = {
    inputs = ["BxNx4 uniform 0 1", "BxCxN uniform 0 1", "scalar uniform 0.2 0.2", "scalar uniform 0.3 0.3"],
    cases = ["B=1 N=9 C=2", "B=2 N=33 C=3", "B=1 N=1 C=1", "B=1 N=0 C=2"]}} {
  %i, %n = kiln.nms %b, %s limit [5] iou %t score %u
    : tensor<?x?x4xf32>, tensor<?x?x?xf32> -> tensor<?x?x5xi64>, tensor<?x?xi64>
  return %i, %n : tensor<?x?x5xi64>, tensor<?x?xi64>
}

func.func @nms_centers(%b: tensor<?x?x4xf32>, %s: tensor<?x?x?xf32>, %t: tensor<f32>, %u: tensor<f32>) -> (tensor<?x?x5xi64>, tensor<?x?xi64>) attributes {kiln.test = {
    inputs = ["BxNx4 uniform 0 1", "BxCxN uniform 0 1", "scalar uniform 0.2 0.2", "scalar uniform 0.3 0.3"],
    cases = ["B=1 N=9 C=2", "B=2 N=33 C=3", "B=1 N=1 C=1", "B=1 N=0 C=2"]}} {
  %i, %n = kiln.nms %b, %s limit [5] iou %t score %u center_point_box
    : tensor<?x?x4xf32>, tensor<?x?x?xf32> -> tensor<?x?x5xi64>, tensor<?x?xi64>
  return %i, %n : tensor<?x?x5xi64>, tensor<?x?xi64>
}

// Any score, and a limit that is known when it runs.
func.func @nms_all_scores(%b: tensor<?x?x4xf32>, %s: tensor<?x?x?xf32>, %t: tensor<f32>, %l: tensor<?xi8>) -> (tensor<?x?x?xi64>, tensor<?x?xi64>) attributes {kiln.test = {
    inputs = ["BxNx4 uniform -3 3", "BxCxN uniform -1 1", "scalar uniform 0.1 0.1", "L"],
    cases = ["B=1 N=12 C=2 L=12", "B=2 N=7 C=1 L=3", "B=1 N=4 C=1 L=0"]}} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %l, %c0 : tensor<?xi8>
  %i, %n = kiln.nms %b, %s limit [%m] iou %t
    : tensor<?x?x4xf32>, tensor<?x?x?xf32> -> tensor<?x?x?xi64>, tensor<?x?xi64>
  return %i, %n : tensor<?x?x?xi64>, tensor<?x?xi64>
}
