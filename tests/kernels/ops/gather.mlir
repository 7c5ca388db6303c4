// gather.mlir: elements and slices at indices: every type, negative indices, indices beyond the axis.

func.func @gather_rows(%x: tensor<?x?xf32>, %i: tensor<?xi64>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "K uniform -9 9"],
    cases = ["M=7 N=17 K=5", "M=9 N=67 K=33", "M=1 N=1 K=4", "M=4 N=3 K=0", "M=5 N=0 K=3"]}} {
  %y = kiln.gather %x, %i axis 0 : tensor<?x?xf32>, tensor<?xi64> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @gather_columns(%x: tensor<?x?xf32>, %i: tensor<?x?xi32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f32, f16, i8, i64, i1],
    inputs = ["MxN", "KxL uniform -40 40"],
    cases = ["M=3 N=33 K=2 L=5", "M=2 N=67 K=3 L=17", "M=0 N=4 K=2 L=2"]}} {
  %y = kiln.gather %x, %i axis -1 : tensor<?x?xf32>, tensor<?x?xi32> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @gather_middle(%x: tensor<?x?x?xf32>, %i: tensor<?xi64>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f32, bf16, ui8, ui64],
    inputs = ["BxMxN", "K uniform -3 2"],
    cases = ["B=2 M=3 N=5 K=4", "B=3 M=4 N=16 K=9 specials"]}} {
  %y = kiln.gather %x, %i axis 1 : tensor<?x?x?xf32>, tensor<?xi64> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @gather_scalar_index(%x: tensor<?x?xf32>, %i: tensor<i64>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, i16],
    inputs = ["MxN", "scalar uniform -3 3"],
    cases = ["M=4 N=9", "M=3 N=40 seed=1", "M=3 N=40 seed=2"]}} {
  %y = kiln.gather %x, %i axis 0 : tensor<?x?xf32>, tensor<i64> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @gather_batched(%x: tensor<?x?x?xf32>, %i: tensor<?x?xi64>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["BxMxN", "BxK uniform -8 7"],
    cases = ["B=2 M=8 N=5 K=3", "B=4 M=9 N=1 K=17", "B=0 M=3 N=2 K=2"]}} {
  %y = kiln.gather %x, %i axis 1 {batch_dims = 1} : tensor<?x?x?xf32>, tensor<?x?xi64> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @gather_batched_axis_behind(%x: tensor<?x?x?xf32>, %i: tensor<?x?xi64>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f32, i32],
    inputs = ["BxMxN", "BxK uniform -8 7"],
    cases = ["B=2 M=3 N=8 K=3", "B=3 M=5 N=33 K=4"]}} {
  %y = kiln.gather %x, %i axis 2 {batch_dims = 1} : tensor<?x?x?xf32>, tensor<?x?xi64> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// Computed data at computed indices, read by more arithmetic.
func.func @gather_of_a_producer(%x: tensor<?x?xf32>, %i: tensor<?xi64>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32, f16, i32],
    inputs = ["MxN", "K uniform -3 2"],
    cases = ["M=4 N=5 K=3", "M=3 N=67 K=8"]}} {
  %0 = kiln.abs %x : tensor<?x?xf32>
  %c = kiln.constant dense<1> : tensor<i64>
  %j = kiln.add %i, %c : tensor<?xi64>, tensor<i64> -> tensor<?xi64>
  %1 = kiln.gather %0, %j axis 0 : tensor<?x?xf32>, tensor<?xi64> -> tensor<?x?xf32>
  %y = kiln.add %1, %1 : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @gather_elements(%x: tensor<?x?xf32>, %i: tensor<?x?xi64>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits", "MxK uniform -12 12"],
    cases = ["M=3 N=9 K=5", "M=5 N=67 K=70", "M=1 N=1 K=1", "M=3 N=4 K=0"]}} {
  %y = kiln.gather_elements %x, %i axis 1 : tensor<?x?xf32>, tensor<?x?xi64> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Indices for fewer columns than there are.
func.func @gather_elements_columns(%x: tensor<?x?xf32>, %i: tensor<?x?xi32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32, f64, i8, ui16],
    inputs = ["MxN", "KxL uniform -6 6"],
    cases = ["M=5 N=9 K=3 L=7", "M=6 N=67 K=9 L=65"]}} {
  %y = kiln.gather_elements %x, %i axis 0 : tensor<?x?xf32>, tensor<?x?xi32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @gather_nd_slices(%x: tensor<?x?x?xf32>, %i: tensor<?x2xi64>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["BxMxN bits", "Kx2 uniform -5 5"],
    cases = ["B=3 M=5 N=7 K=4", "B=4 M=3 N=33 K=9", "B=1 M=1 N=1 K=0"]}} {
  %y = kiln.gather_nd %x, %i : tensor<?x?x?xf32>, tensor<?x2xi64> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @gather_nd_elements(%x: tensor<?x?xf32>, %i: tensor<?x?x2xi32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32, f16, i64],
    inputs = ["MxN", "KxLx2 uniform -9 9"],
    cases = ["M=4 N=6 K=3 L=5", "M=9 N=9 K=2 L=40"]}} {
  %y = kiln.gather_nd %x, %i : tensor<?x?xf32>, tensor<?x?x2xi32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @gather_nd_batched(%x: tensor<?x?x?xf32>, %i: tensor<?x?x1xi64>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f32, bf16, i16, ui32],
    inputs = ["BxMxN", "BxKx1 uniform -5 4"],
    cases = ["B=3 M=5 N=7 K=4", "B=2 M=5 N=1 K=1"]}} {
  %y = kiln.gather_nd %x, %i {batch_dims = 1} : tensor<?x?x?xf32>, tensor<?x?x1xi64> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @one_hot(%on: tensor<f32>, %off: tensor<f32>, %i: tensor<?x?xi64>) -> tensor<?x?x7xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["scalar", "scalar", "MxN uniform -9 9"],
    cases = ["M=2 N=3", "M=3 N=33", "M=0 N=2"]}} {
  %y = kiln.one_hot %i depth [7] axis -1 on %on off %off : tensor<?x?xi64>, tensor<f32> -> tensor<?x?x7xf32>
  return %y : tensor<?x?x7xf32>
}

// A depth that is known when it runs, on a new first axis.
func.func @one_hot_front(%d: tensor<?xf32>, %on: tensor<f32>, %off: tensor<f32>, %i: tensor<?xi32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32, i8, i1],
    inputs = ["D", "scalar", "scalar", "N uniform -9 9"],
    cases = ["D=4 N=5", "D=17 N=40", "D=0 N=3", "D=1 N=1"]}} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %d, %c0 : tensor<?xf32>
  %y = kiln.one_hot %i depth [%n] axis 0 on %on off %off : tensor<?xi32>, tensor<f32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Several unknown extents that are one loop to the gather and apart for what reads it.
func.func @gather_last_and_compare(%x: tensor<1x?x1x?x?x4xf32>, %indices: tensor<1xi32>, %y: tensor<1x1x1x1x1x1xf32>) -> tensor<1x?x1x?x?x1xi1> attributes {kiln.test = {
    types = [f16, f32],
    inputs = ["1xAx1xBxCx4", "1 uniform 0 3", "1x1x1x1x1x1"],
    cases = ["A=7 B=4 C=5", "A=2 B=1 C=33"]}} {
  %0 = kiln.gather %x, %indices axis 5 : tensor<1x?x1x?x?x4xf32>, tensor<1xi32> -> tensor<1x?x1x?x?x1xf32>
  %1 = kiln.compare gt %0, %y : tensor<1x?x1x?x?x1xf32>, tensor<1x1x1x1x1x1xf32> -> tensor<1x?x1x?x?x1xi1>
  return %1 : tensor<1x?x1x?x?x1xi1>
}

// Few indices of eight bytes in rows that are as long as bytes need them.
func.func @gather_to_bytes(%x: tensor<?xbf16>, %indices: tensor<3xi64>, %scale: tensor<f32>) -> tensor<3xui8> attributes {kiln.test = {
    inputs = ["N uniform 0 200", "3 uniform -1 0", "scalar uniform 1 2"],
    cases = ["N=1", "N=2", "N=40"]}} {
  %0 = kiln.gather %x, %indices axis 0 : tensor<?xbf16>, tensor<3xi64> -> tensor<3xbf16>
  %y = kiln.quantize %0 scale %scale : tensor<3xbf16>, tensor<f32> -> tensor<3xui8>
  return %y : tensor<3xui8>
}
