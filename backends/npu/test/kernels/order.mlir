// order.mlir: sort and top_k of rows of known extents, arg-reductions and running sums along and across any, on vector cores.
func.func @sort(%x: tensor<?x200xf32>) -> (tensor<?x200xf32>, tensor<?x200xi64>) attributes {kiln.test = {
    types = [f16, bf16, f32, i8, ui8, i16, ui16, i32, ui32], inputs = ["Mx200 uniform -9 9"], cases = ["M=3", "M=60 specials"]}} {
  %v, %i = kiln.sort %x axis 1 : tensor<?x200xf32> -> tensor<?x200xf32>, tensor<?x200xi64>
  return %v, %i : tensor<?x200xf32>, tensor<?x200xi64>
}

func.func @sort_descending(%x: tensor<?x77xf32>) -> (tensor<?x77xf32>, tensor<?x77xi64>) attributes {kiln.test = {
    types = [f16, bf16, f32, i8, ui8, i16, ui16, i32], inputs = ["Mx77 uniform -9 9"], cases = ["M=3", "M=60 specials"]}} {
  %v, %i = kiln.sort %x axis 1 descending : tensor<?x77xf32> -> tensor<?x77xf32>, tensor<?x77xi64>
  return %v, %i : tensor<?x77xf32>, tensor<?x77xi64>
}

func.func @sort_bits(%x: tensor<2x4096xf32>, %y: tensor<33x1xf32>) -> (tensor<2x4096xf32>, tensor<2x4096xi64>, tensor<33x1xi64>) attributes {kiln.test = {
    types = [f32, i32, ui32], inputs = ["2x4096 bits", "33x1 bits"]}} {
  %v, %i = kiln.sort %x axis 1 : tensor<2x4096xf32> -> tensor<2x4096xf32>, tensor<2x4096xi64>
  %w, %j = kiln.sort %y axis 0 : tensor<33x1xf32> -> tensor<33x1xf32>, tensor<33x1xi64>
  return %v, %i, %j : tensor<2x4096xf32>, tensor<2x4096xi64>, tensor<33x1xi64>
}

func.func @top_k(%x: tensor<?x1000xf32>) -> (tensor<?x5xf32>, tensor<?x5xi64>) attributes {kiln.test = {
    types = [f16, bf16, f32, i8, ui16, i32], inputs = ["Mx1000 uniform -9 9"], cases = ["M=3", "M=1 specials"]}} {
  %v, %i = kiln.top_k %x k [5] axis 1 : tensor<?x1000xf32> -> tensor<?x5xf32>, tensor<?x5xi64>
  return %v, %i : tensor<?x5xf32>, tensor<?x5xi64>
}

func.func @top_k_smallest(%x: tensor<?x1000xf32>) -> (tensor<?x40xf32>, tensor<?x40xi64>) attributes {kiln.test = {
    types = [f16, f32, i32], inputs = ["Mx1000 uniform -9 9"], cases = ["M=3", "M=1 specials"]}} {
  %v, %i = kiln.top_k %x k [40] axis 1 smallest : tensor<?x1000xf32> -> tensor<?x40xf32>, tensor<?x40xi64>
  return %v, %i : tensor<?x40xf32>, tensor<?x40xi64>
}

func.func @arg_rows(%x: tensor<?x300xf32>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?x1xi64>) attributes {kiln.test = {
    types = [f16, bf16, f32, i8, ui8, i16, ui16, i32, ui32], inputs = ["Mx300 uniform -9 9"], cases = ["M=3", "M=1 specials", "M=700 specials"]}} {
  %0 = kiln.arg_reduce max %x axis 1 : tensor<?x300xf32> -> tensor<?xi64>
  %1 = kiln.arg_reduce min %x axis 1 : tensor<?x300xf32> -> tensor<?xi64>
  %2 = kiln.arg_reduce max %x axis 1 select_last : tensor<?x300xf32> -> tensor<?xi64>
  %3 = kiln.arg_reduce min %x axis 1 keepdims select_last : tensor<?x300xf32> -> tensor<?x1xi64>
  return %0, %1, %2, %3 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?x1xi64>
}

func.func @arg_across(%x: tensor<?x?x?xf32>, %y: tensor<7x9x30xf32>) -> (tensor<?x?xi64>, tensor<?x?xi64>, tensor<7x30xi64>, tensor<7x30xi64>) attributes {kiln.test = {
    types = [f16, bf16, f32, i8, ui8, i16, ui16, i32, ui32], inputs = ["BxMxN uniform -9 9", "7x9x30 uniform -3 3"],
    cases = ["B=2 M=9 N=67", "B=1 M=33 N=5000 specials"]}} {
  %0 = kiln.arg_reduce max %x axis 1 : tensor<?x?x?xf32> -> tensor<?x?xi64>
  %1 = kiln.arg_reduce min %x axis 1 select_last : tensor<?x?x?xf32> -> tensor<?x?xi64>
  %2 = kiln.arg_reduce min %y axis 1 : tensor<7x9x30xf32> -> tensor<7x30xi64>
  %3 = kiln.arg_reduce max %y axis 1 select_last : tensor<7x9x30xf32> -> tensor<7x30xi64>
  return %0, %1, %2, %3 : tensor<?x?xi64>, tensor<?x?xi64>, tensor<7x30xi64>, tensor<7x30xi64>
}

func.func @sums_along(%x: tensor<?x100xf32>, %y: tensor<3000xf32>) -> (tensor<?x100xf32>, tensor<?x100xf32>, tensor<?x100xf32>, tensor<?x100xf32>, tensor<3000xf32>) attributes {kiln.test = {
    types = [f16, bf16, f32, i8, ui8, i16, ui16, i32, ui32], inputs = ["Mx100 uniform 1 3", "3000 uniform -1 1"], cases = ["M=3", "M=200"]}} {
  %0 = kiln.cumulative sum %x axis 1 : tensor<?x100xf32>
  %1 = kiln.cumulative sum %x axis 1 exclusive : tensor<?x100xf32>
  %2 = kiln.cumulative sum %x axis 1 reverse : tensor<?x100xf32>
  %3 = kiln.cumulative sum %x axis 1 exclusive reverse : tensor<?x100xf32>
  %4 = kiln.cumulative sum %y axis 0 : tensor<3000xf32>
  return %0, %1, %2, %3, %4 : tensor<?x100xf32>, tensor<?x100xf32>, tensor<?x100xf32>, tensor<?x100xf32>, tensor<3000xf32>
}

func.func @products_along(%x: tensor<?x30xf32>) -> (tensor<?x30xf32>, tensor<?x30xf32>) attributes {kiln.test = {
    types = [f16, f32, i8, ui16, i32], inputs = ["Mx30 uniform 0.5 1.5"], cases = ["M=3", "M=200"]}} {
  %0 = kiln.cumulative prod %x axis 1 exclusive : tensor<?x30xf32>
  %1 = kiln.cumulative prod %x axis 1 reverse : tensor<?x30xf32>
  return %0, %1 : tensor<?x30xf32>, tensor<?x30xf32>
}

func.func @sums_across(%x: tensor<?x?x?xf32>, %y: tensor<7x9x30xf32>) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<7x9x30xf32>, tensor<7x9x30xf32>) attributes {kiln.test = {
    types = [f16, bf16, f32, ui8, i16, i32, ui32], inputs = ["BxMxN uniform 0.5 1.5", "7x9x30 uniform 1 2"],
    cases = ["B=2 M=9 N=67", "B=1 M=5 N=5000"]}} {
  %0 = kiln.cumulative sum %x axis 1 : tensor<?x?x?xf32>
  %1 = kiln.cumulative prod %x axis 1 exclusive reverse : tensor<?x?x?xf32>
  %2 = kiln.cumulative sum %y axis 1 exclusive : tensor<7x9x30xf32>
  %3 = kiln.cumulative prod %y axis 1 reverse : tensor<7x9x30xf32>
  return %0, %1, %2, %3 : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<7x9x30xf32>, tensor<7x9x30xf32>
}

// Rows of unknown length, and rows that no tile holds, go in parts.
func.func @arg_parts(%x: tensor<?x?xf32>, %y: tensor<3x9001xf32>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<3xi64>, tensor<3x1xi64>) attributes {kiln.test = {
    types = [f16, bf16, f32, i8, ui16, i32, ui32], inputs = ["MxN uniform -9 9", "3x9001 bits"],
    cases = ["M=3 N=1", "M=60 N=512 specials", "M=5 N=1500 specials", "M=1 N=513"]}} {
  %0 = kiln.arg_reduce max %x axis 1 : tensor<?x?xf32> -> tensor<?xi64>
  %1 = kiln.arg_reduce min %x axis 1 : tensor<?x?xf32> -> tensor<?xi64>
  %2 = kiln.arg_reduce max %x axis 1 select_last : tensor<?x?xf32> -> tensor<?xi64>
  %3 = kiln.arg_reduce max %y axis 1 : tensor<3x9001xf32> -> tensor<3xi64>
  %4 = kiln.arg_reduce min %y axis 1 keepdims select_last : tensor<3x9001xf32> -> tensor<3x1xi64>
  return %0, %1, %2, %3, %4 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<3xi64>, tensor<3x1xi64>
}

func.func @sum_parts(%x: tensor<?x?xf32>, %y: tensor<2x5001xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<2x5001xf32>, tensor<2x5001xf32>) attributes {kiln.test = {
    types = [f16, f32, i8, ui16, i32, ui32], inputs = ["MxN uniform 0 1", "2x5001 uniform -0.01 0.01"],
    cases = ["M=3 N=1", "M=20 N=512", "M=5 N=1500", "M=1 N=513"]}} {
  %0 = kiln.cumulative sum %x axis 1 : tensor<?x?xf32>
  %1 = kiln.cumulative sum %x axis 1 exclusive reverse : tensor<?x?xf32>
  %2 = kiln.cumulative prod %x axis 1 exclusive : tensor<?x?xf32>
  %3 = kiln.cumulative sum %y axis 1 reverse : tensor<2x5001xf32>
  %4 = kiln.cumulative sum %y axis 1 exclusive : tensor<2x5001xf32>
  return %0, %1, %2, %3, %4 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<2x5001xf32>, tensor<2x5001xf32>
}

func.func @other_axes(%x: tensor<50x?x7xf32>) -> (tensor<50x?x7xf32>, tensor<50x?x7xi64>, tensor<3x?x7xf32>, tensor<3x?x7xi64>) attributes {kiln.test = {
    types = [f16, bf16, f32, i8, ui16, i32, ui32], inputs = ["50xMx7 uniform -9 9"], cases = ["M=1", "M=6 specials"]}} {
  %0, %1 = kiln.sort %x axis 0 : tensor<50x?x7xf32> -> tensor<50x?x7xf32>, tensor<50x?x7xi64>
  %2, %3 = kiln.top_k %x k [3] axis 0 : tensor<50x?x7xf32> -> tensor<3x?x7xf32>, tensor<3x?x7xi64>
  return %0, %1, %2, %3 : tensor<50x?x7xf32>, tensor<50x?x7xi64>, tensor<3x?x7xf32>, tensor<3x?x7xi64>
}

func.func @top_k_long(%x: tensor<?x9000xf32>, %y: tensor<10000x3x1xf32>) -> (tensor<?x5xf32>, tensor<?x5xi64>, tensor<40x3x1xf32>, tensor<40x3x1xi64>) attributes {kiln.test = {
    types = [f16, f32, i8, ui32], inputs = ["Mx9000 uniform -9 9", "10000x3x1 bits"], cases = ["M=1", "M=3 specials"]}} {
  %0, %1 = kiln.top_k %x k [5] axis 1 : tensor<?x9000xf32> -> tensor<?x5xf32>, tensor<?x5xi64>
  %2, %3 = kiln.top_k %y k [40] axis 0 smallest : tensor<10000x3x1xf32> -> tensor<40x3x1xf32>, tensor<40x3x1xi64>
  return %0, %1, %2, %3 : tensor<?x5xf32>, tensor<?x5xi64>, tensor<40x3x1xf32>, tensor<40x3x1xi64>
}

func.func @sort_any_length(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>, tensor<?x?xi64>) attributes {kiln.test = {
    types = [f16, f32, i8, ui32, i64], inputs = ["MxN bits"], cases = ["M=3 N=17", "M=1 N=5000 specials", "M=2 N=0"]}} {
  %0, %1 = kiln.sort %x axis 1 : tensor<?x?xf32> -> tensor<?x?xf32>, tensor<?x?xi64>
  %2, %3 = kiln.sort %x axis 0 descending : tensor<?x?xf32> -> tensor<?x?xf32>, tensor<?x?xi64>
  return %0, %1, %2, %3 : tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>, tensor<?x?xi64>
}

// Equal elements stay in order over many runs.
func.func @sort_long(%x: tensor<8192xf32>) -> (tensor<8192xf32>, tensor<8192xi64>) attributes {kiln.test = {
    types = [f32, ui64], inputs = ["8192 uniform -3 3"], cases = [""]}} {
  %0, %1 = kiln.sort %x axis 0 descending : tensor<8192xf32> -> tensor<8192xf32>, tensor<8192xi64>
  return %0, %1 : tensor<8192xf32>, tensor<8192xi64>
}

func.func @top_k_counted(%x: tensor<?x?xf32>, %k: tensor<?xi8>) -> (tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>) attributes {kiln.test = {
    types = [f32, i32], inputs = ["MxN", "K"], cases = ["M=2 N=3000 K=2", "M=1 N=5000 K=3000", "M=5 N=2 K=0"]}} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %k, %c0 : tensor<?xi8>
  %0, %1 = kiln.top_k %x k [%n] axis 1 : tensor<?x?xf32> -> tensor<?x?xf32>, tensor<?x?xi64>
  %2, %3 = kiln.top_k %x k [%n] axis 1 smallest : tensor<?x?xf32> -> tensor<?x?xf32>, tensor<?x?xi64>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>
}

// The count is known where the kernel is made, but not in its type.
func.func @top_k_of_extent(%x: tensor<1x?x1x?xf32>, %k: tensor<?x5xi8>) -> (tensor<1x?x1x?xf32>, tensor<1x?x1x?xi64>) attributes {kiln.test = {
    types = [f32, i32, ui32, i64], inputs = ["1xMx1xN", "Kx5"], cases = ["M=8 N=4 K=3", "M=8 N=4 K=4", "M=1 N=4 K=2", "M=2 N=5000 K=70"]}} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %k, %c0 : tensor<?x5xi8>
  %0, %1 = kiln.top_k %x k [%n] axis 3 smallest : tensor<1x?x1x?xf32> -> tensor<1x?x1x?xf32>, tensor<1x?x1x?xi64>
  return %0, %1 : tensor<1x?x1x?xf32>, tensor<1x?x1x?xi64>
}
