// reduction.mlir: reductions, arg-reductions and running sums, along rows, columns and all axes.

func.func @sum(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce sum %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @sum_columns(%x: tensor<?x?xf32>) -> tensor<1x?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce sum %x axes [0] keepdims : tensor<?x?xf32> -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

func.func @sum_all(%x: tensor<?x?xf32>) -> tensor<f32> attributes {kiln.test = {
    types = [f32],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce sum %x axes [0, -1] : tensor<?x?xf32> -> tensor<f32>
  return %y : tensor<f32>
}

func.func @sum_int(%x: tensor<?x?xi32>) -> tensor<?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce sum %x axes [1] : tensor<?x?xi32> -> tensor<?xi32>
  return %y : tensor<?xi32>
}

func.func @prod(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 0.9 1.1"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce prod %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @prod_columns(%x: tensor<?x?xf32>) -> tensor<1x?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN uniform 0.9 1.1"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce prod %x axes [0] keepdims : tensor<?x?xf32> -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

func.func @prod_all(%x: tensor<?x?xf32>) -> tensor<f32> attributes {kiln.test = {
    types = [f32],
    inputs = ["MxN uniform 0.9 1.1"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce prod %x axes [0, -1] : tensor<?x?xf32> -> tensor<f32>
  return %y : tensor<f32>
}

func.func @prod_int(%x: tensor<?x?xi32>) -> tensor<?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 1 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce prod %x axes [1] : tensor<?x?xi32> -> tensor<?xi32>
  return %y : tensor<?xi32>
}

func.func @max(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce max %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @max_columns(%x: tensor<?x?xf32>) -> tensor<1x?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce max %x axes [0] keepdims : tensor<?x?xf32> -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

func.func @max_all(%x: tensor<?x?xf32>) -> tensor<f32> attributes {kiln.test = {
    types = [f32],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce max %x axes [0, -1] : tensor<?x?xf32> -> tensor<f32>
  return %y : tensor<f32>
}

func.func @max_int(%x: tensor<?x?xi32>) -> tensor<?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce max %x axes [1] : tensor<?x?xi32> -> tensor<?xi32>
  return %y : tensor<?xi32>
}

func.func @min(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce min %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @min_columns(%x: tensor<?x?xf32>) -> tensor<1x?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce min %x axes [0] keepdims : tensor<?x?xf32> -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

func.func @min_all(%x: tensor<?x?xf32>) -> tensor<f32> attributes {kiln.test = {
    types = [f32],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce min %x axes [0, -1] : tensor<?x?xf32> -> tensor<f32>
  return %y : tensor<f32>
}

func.func @min_int(%x: tensor<?x?xi32>) -> tensor<?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce min %x axes [1] : tensor<?x?xi32> -> tensor<?xi32>
  return %y : tensor<?xi32>
}

func.func @mean(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce mean %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @mean_columns(%x: tensor<?x?xf32>) -> tensor<1x?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce mean %x axes [0] keepdims : tensor<?x?xf32> -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

func.func @mean_all(%x: tensor<?x?xf32>) -> tensor<f32> attributes {kiln.test = {
    types = [f32],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce mean %x axes [0, -1] : tensor<?x?xf32> -> tensor<f32>
  return %y : tensor<f32>
}

func.func @mean_int(%x: tensor<?x?xi32>) -> tensor<?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce mean %x axes [1] : tensor<?x?xi32> -> tensor<?xi32>
  return %y : tensor<?xi32>
}

func.func @sum_square(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce sum_square %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @sum_square_columns(%x: tensor<?x?xf32>) -> tensor<1x?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce sum_square %x axes [0] keepdims : tensor<?x?xf32> -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

func.func @sum_square_all(%x: tensor<?x?xf32>) -> tensor<f32> attributes {kiln.test = {
    types = [f32],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce sum_square %x axes [0, -1] : tensor<?x?xf32> -> tensor<f32>
  return %y : tensor<f32>
}

func.func @sum_square_int(%x: tensor<?x?xi32>) -> tensor<?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce sum_square %x axes [1] : tensor<?x?xi32> -> tensor<?xi32>
  return %y : tensor<?xi32>
}

func.func @l1(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce l1 %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @l1_columns(%x: tensor<?x?xf32>) -> tensor<1x?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce l1 %x axes [0] keepdims : tensor<?x?xf32> -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

func.func @l1_all(%x: tensor<?x?xf32>) -> tensor<f32> attributes {kiln.test = {
    types = [f32],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce l1 %x axes [0, -1] : tensor<?x?xf32> -> tensor<f32>
  return %y : tensor<f32>
}

func.func @l1_int(%x: tensor<?x?xi32>) -> tensor<?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce l1 %x axes [1] : tensor<?x?xi32> -> tensor<?xi32>
  return %y : tensor<?xi32>
}

func.func @l2(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce l2 %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @l2_columns(%x: tensor<?x?xf32>) -> tensor<1x?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce l2 %x axes [0] keepdims : tensor<?x?xf32> -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

func.func @l2_all(%x: tensor<?x?xf32>) -> tensor<f32> attributes {kiln.test = {
    types = [f32],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce l2 %x axes [0, -1] : tensor<?x?xf32> -> tensor<f32>
  return %y : tensor<f32>
}

func.func @log_sum(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 0.1 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce log_sum %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @log_sum_columns(%x: tensor<?x?xf32>) -> tensor<1x?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN uniform 0.1 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce log_sum %x axes [0] keepdims : tensor<?x?xf32> -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

func.func @log_sum_all(%x: tensor<?x?xf32>) -> tensor<f32> attributes {kiln.test = {
    types = [f32],
    inputs = ["MxN uniform 0.1 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce log_sum %x axes [0, -1] : tensor<?x?xf32> -> tensor<f32>
  return %y : tensor<f32>
}

func.func @log_sum_exp(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce log_sum_exp %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @log_sum_exp_columns(%x: tensor<?x?xf32>) -> tensor<1x?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce log_sum_exp %x axes [0] keepdims : tensor<?x?xf32> -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

func.func @log_sum_exp_all(%x: tensor<?x?xf32>) -> tensor<f32> attributes {kiln.test = {
    types = [f32],
    inputs = ["MxN uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce log_sum_exp %x axes [0, -1] : tensor<?x?xf32> -> tensor<f32>
  return %y : tensor<f32>
}

func.func @any(%x: tensor<?x?xi1>) -> tensor<?xi1> attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce any %x axes [1] : tensor<?x?xi1> -> tensor<?xi1>
  return %y : tensor<?xi1>
}

func.func @any_columns(%x: tensor<?x?xi1>) -> tensor<?xi1> attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce any %x axes [0] : tensor<?x?xi1> -> tensor<?xi1>
  return %y : tensor<?xi1>
}

func.func @all(%x: tensor<?x?xi1>) -> tensor<?xi1> attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce all %x axes [1] : tensor<?x?xi1> -> tensor<?xi1>
  return %y : tensor<?xi1>
}

func.func @all_columns(%x: tensor<?x?xi1>) -> tensor<?xi1> attributes {kiln.test = {
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=65 N=5", "M=4 N=1000"]}} {
  %y = kiln.reduce all %x axes [0] : tensor<?x?xi1> -> tensor<?xi1>
  return %y : tensor<?xi1>
}

func.func @sum_empty(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["MxN"],
    cases = ["M=3 N=0", "M=0 N=3"]}} {
  %y = kiln.reduce sum %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @prod_empty(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["MxN"],
    cases = ["M=3 N=0", "M=0 N=3"]}} {
  %y = kiln.reduce prod %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @max_empty(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["MxN"],
    cases = ["M=3 N=0", "M=0 N=3"]}} {
  %y = kiln.reduce max %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @min_empty(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["MxN"],
    cases = ["M=3 N=0", "M=0 N=3"]}} {
  %y = kiln.reduce min %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @mean_empty(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["MxN"],
    cases = ["M=3 N=0", "M=0 N=3"]}} {
  %y = kiln.reduce mean %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @log_sum_exp_empty(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["MxN"],
    cases = ["M=3 N=0", "M=0 N=3"]}} {
  %y = kiln.reduce log_sum_exp %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @sum_specials(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN"],
    cases = ["M=9 N=5 specials", "M=3 N=67 specials"]}} {
  %y = kiln.reduce sum %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @max_specials(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN"],
    cases = ["M=9 N=5 specials", "M=3 N=67 specials"]}} {
  %y = kiln.reduce max %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @min_specials(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN"],
    cases = ["M=9 N=5 specials", "M=3 N=67 specials"]}} {
  %y = kiln.reduce min %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @mean_specials(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN"],
    cases = ["M=9 N=5 specials", "M=3 N=67 specials"]}} {
  %y = kiln.reduce mean %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @l2_specials(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN"],
    cases = ["M=9 N=5 specials", "M=3 N=67 specials"]}} {
  %y = kiln.reduce l2 %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @log_sum_exp_specials(%x: tensor<?x?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN"],
    cases = ["M=9 N=5 specials", "M=3 N=67 specials"]}} {
  %y = kiln.reduce log_sum_exp %x axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @sum_middle(%x: tensor<?x?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["KxMxN"],
    cases = ["K=3 M=17 N=5", "K=1 M=1 N=1", "K=2 M=300 N=33"]}} {
  %y = kiln.reduce sum %x axes [1] : tensor<?x?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @arg_max(%x: tensor<?x?xf32>) -> tensor<?xi64> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials"]}} {
  %y = kiln.arg_reduce max %x axis -1 : tensor<?x?xf32> -> tensor<?xi64>
  return %y : tensor<?xi64>
}

func.func @arg_max_last(%x: tensor<?x?xf32>) -> tensor<?xi64> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i32, ui8],
    inputs = ["MxN uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials"]}} {
  %y = kiln.arg_reduce max %x axis -1 select_last : tensor<?x?xf32> -> tensor<?xi64>
  return %y : tensor<?xi64>
}

func.func @arg_max_keep(%x: tensor<?x?xf32>) -> tensor<?x1xi64> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i32, ui8],
    inputs = ["MxN uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials"]}} {
  %y = kiln.arg_reduce max %x axis -1 keepdims : tensor<?x?xf32> -> tensor<?x1xi64>
  return %y : tensor<?x1xi64>
}

// A known extent, whose places are counted in 32 bits.
func.func @arg_max_known(%x: tensor<?x67xf32>) -> tensor<?xi64> attributes {kiln.test = {
    types = [f16, f32, f64, i8, i64, ui32],
    inputs = ["Mx67"],
    cases = ["M=3", "M=5 specials", "M=0"]}} {
  %y = kiln.arg_reduce max %x axis -1 : tensor<?x67xf32> -> tensor<?xi64>
  return %y : tensor<?xi64>
}

func.func @arg_max_columns(%x: tensor<?x?xf32>) -> tensor<?xi64> attributes {kiln.test = {
    types = [f32, i16],
    inputs = ["MxN"],
    cases = ["M=17 N=5", "M=3 N=64"]}} {
  %y = kiln.arg_reduce max %x axis 0 : tensor<?x?xf32> -> tensor<?xi64>
  return %y : tensor<?xi64>
}

func.func @arg_min(%x: tensor<?x?xf32>) -> tensor<?xi64> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials"]}} {
  %y = kiln.arg_reduce min %x axis -1 : tensor<?x?xf32> -> tensor<?xi64>
  return %y : tensor<?xi64>
}

func.func @arg_min_last(%x: tensor<?x?xf32>) -> tensor<?xi64> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i32, ui8],
    inputs = ["MxN uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials"]}} {
  %y = kiln.arg_reduce min %x axis -1 select_last : tensor<?x?xf32> -> tensor<?xi64>
  return %y : tensor<?xi64>
}

func.func @arg_min_keep(%x: tensor<?x?xf32>) -> tensor<?x1xi64> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i32, ui8],
    inputs = ["MxN uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials"]}} {
  %y = kiln.arg_reduce min %x axis -1 keepdims : tensor<?x?xf32> -> tensor<?x1xi64>
  return %y : tensor<?x1xi64>
}

func.func @arg_min_columns(%x: tensor<?x?xf32>) -> tensor<?xi64> attributes {kiln.test = {
    types = [f32, i16],
    inputs = ["MxN"],
    cases = ["M=17 N=5", "M=3 N=64"]}} {
  %y = kiln.arg_reduce min %x axis 0 : tensor<?x?xf32> -> tensor<?xi64>
  return %y : tensor<?xi64>
}

func.func @cumulative_sum(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 0.5 1.5"],
    cases = ["M=1 N=1", "M=3 N=67", "M=2 N=0"]}} {
  %y = kiln.cumulative sum %x axis 1 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @cumulative_sum_exclusive(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 0.5 1.5"],
    cases = ["M=1 N=1", "M=3 N=67", "M=2 N=0"]}} {
  %y = kiln.cumulative sum %x axis 1 exclusive : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @cumulative_sum_reverse(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 0.5 1.5"],
    cases = ["M=1 N=1", "M=3 N=67", "M=2 N=0"]}} {
  %y = kiln.cumulative sum %x axis 1 reverse : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @cumulative_sum_exclusive_reverse(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 0.5 1.5"],
    cases = ["M=1 N=1", "M=3 N=67", "M=2 N=0"]}} {
  %y = kiln.cumulative sum %x axis 1 exclusive reverse : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @cumulative_sum_columns_int(%x: tensor<?x?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 3"],
    cases = ["M=5 N=33", "M=1 N=1"]}} {
  %y = kiln.cumulative sum %x axis 0 : tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

// A known extent of 0 beside unknown ones, along the axis and across it.
func.func @cumulative_sum_of_no_lines(%x: tensor<0x?xf32>) -> tensor<0x?xf32> attributes {kiln.test = {
    types = [f16, f32, i32],
    inputs = ["0xN uniform 0 3"],
    cases = ["N=5", "N=0"]}} {
  %y = kiln.cumulative sum %x axis 1 : tensor<0x?xf32>
  return %y : tensor<0x?xf32>
}

func.func @cumulative_prod_of_no_elements(%x: tensor<?x0x?xf32>) -> tensor<?x0x?xf32> attributes {kiln.test = {
    types = [f16, f32, i32],
    inputs = ["Mx0xN uniform 0 3"],
    cases = ["M=2 N=5", "M=1 N=0"]}} {
  %y = kiln.cumulative prod %x axis 1 exclusive : tensor<?x0x?xf32>
  return %y : tensor<?x0x?xf32>
}

// Rows, and columns too narrow for rows, between axes on both sides.
func.func @cumulative_sum_rows(%x: tensor<?x?x19xf32>) -> tensor<?x?x19xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, ui16, i64],
    inputs = ["MxNx19 uniform 0 3"],
    cases = ["M=3 N=7", "M=1 N=1", "M=2 N=0"]}} {
  %y = kiln.cumulative sum %x axis 1 exclusive reverse : tensor<?x?x19xf32>
  return %y : tensor<?x?x19xf32>
}

func.func @cumulative_sum_columns(%x: tensor<?x?x3xf32>) -> tensor<?x?x3xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, ui16, i64],
    inputs = ["MxNx3 uniform 0 3"],
    cases = ["M=3 N=7", "M=1 N=1", "M=2 N=0"]}} {
  %y = kiln.cumulative sum %x axis 1 reverse : tensor<?x?x3xf32>
  return %y : tensor<?x?x3xf32>
}

func.func @cumulative_prod(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 0.5 1.5"],
    cases = ["M=1 N=1", "M=3 N=67", "M=2 N=0"]}} {
  %y = kiln.cumulative prod %x axis 1 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @cumulative_prod_exclusive(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 0.5 1.5"],
    cases = ["M=1 N=1", "M=3 N=67", "M=2 N=0"]}} {
  %y = kiln.cumulative prod %x axis 1 exclusive : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @cumulative_prod_reverse(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 0.5 1.5"],
    cases = ["M=1 N=1", "M=3 N=67", "M=2 N=0"]}} {
  %y = kiln.cumulative prod %x axis 1 reverse : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @cumulative_prod_exclusive_reverse(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform 0.5 1.5"],
    cases = ["M=1 N=1", "M=3 N=67", "M=2 N=0"]}} {
  %y = kiln.cumulative prod %x axis 1 exclusive reverse : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @cumulative_prod_columns_int(%x: tensor<?x?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN uniform 0 3"],
    cases = ["M=5 N=33", "M=1 N=1"]}} {
  %y = kiln.cumulative prod %x axis 0 : tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

// What a product by 0 starts from is its result where there is nothing to multiply.
func.func @product_of_nothing(%x: tensor<?x?x7xi16>) -> tensor<7xi16> attributes {kiln.test = {
    inputs = ["AxBx7 bits"], cases = ["A=3 B=2", "A=0 B=3", "A=2 B=0"]}} {
  %0 = kiln.xor %x, %x : tensor<?x?x7xi16>, tensor<?x?x7xi16> -> tensor<?x?x7xi16>
  %1 = kiln.reduce prod %0 axes [0, 1] : tensor<?x?x7xi16> -> tensor<7xi16>
  return %1 : tensor<7xi16>
}
