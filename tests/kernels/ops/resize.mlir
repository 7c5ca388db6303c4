// resize.mlir: resize: every mode, coordinate rule and rounding, scales given and derived, up and down.

func.func @nearest_half_pixel_round_prefer_floor(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates half_pixel rounding round_prefer_floor : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_half_pixel_round_prefer_ceil(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates half_pixel rounding round_prefer_ceil : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_half_pixel_floor(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates half_pixel rounding floor : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_half_pixel_ceil(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates half_pixel rounding ceil : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @linear_half_pixel(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14"]}} {
  %y = kiln.resize %x [2, 9, 14] mode linear coordinates half_pixel : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @cubic_half_pixel(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14"]}} {
  %y = kiln.resize %x [2, 9, 14] mode cubic coordinates half_pixel : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_half_pixel_symmetric_round_prefer_floor(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates half_pixel_symmetric rounding round_prefer_floor : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_half_pixel_symmetric_round_prefer_ceil(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates half_pixel_symmetric rounding round_prefer_ceil : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_half_pixel_symmetric_floor(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates half_pixel_symmetric rounding floor : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_half_pixel_symmetric_ceil(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates half_pixel_symmetric rounding ceil : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @linear_half_pixel_symmetric(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14"]}} {
  %y = kiln.resize %x [2, 9, 14] mode linear coordinates half_pixel_symmetric : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @cubic_half_pixel_symmetric(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14"]}} {
  %y = kiln.resize %x [2, 9, 14] mode cubic coordinates half_pixel_symmetric : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_pytorch_half_pixel_round_prefer_floor(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates pytorch_half_pixel rounding round_prefer_floor : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_pytorch_half_pixel_round_prefer_ceil(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates pytorch_half_pixel rounding round_prefer_ceil : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_pytorch_half_pixel_floor(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates pytorch_half_pixel rounding floor : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_pytorch_half_pixel_ceil(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates pytorch_half_pixel rounding ceil : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @linear_pytorch_half_pixel(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14"]}} {
  %y = kiln.resize %x [2, 9, 14] mode linear coordinates pytorch_half_pixel : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @cubic_pytorch_half_pixel(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14"]}} {
  %y = kiln.resize %x [2, 9, 14] mode cubic coordinates pytorch_half_pixel : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_align_corners_round_prefer_floor(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates align_corners rounding round_prefer_floor : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_align_corners_round_prefer_ceil(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates align_corners rounding round_prefer_ceil : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_align_corners_floor(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates align_corners rounding floor : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_align_corners_ceil(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates align_corners rounding ceil : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @linear_align_corners(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14"]}} {
  %y = kiln.resize %x [2, 9, 14] mode linear coordinates align_corners : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @cubic_align_corners(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14"]}} {
  %y = kiln.resize %x [2, 9, 14] mode cubic coordinates align_corners : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_asymmetric_round_prefer_floor(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates asymmetric rounding round_prefer_floor : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_asymmetric_round_prefer_ceil(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates asymmetric rounding round_prefer_ceil : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_asymmetric_floor(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates asymmetric rounding floor : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_asymmetric_ceil(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates asymmetric rounding ceil : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @linear_asymmetric(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14"]}} {
  %y = kiln.resize %x [2, 9, 14] mode linear coordinates asymmetric : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @cubic_asymmetric(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14"]}} {
  %y = kiln.resize %x [2, 9, 14] mode cubic coordinates asymmetric : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_tf_half_pixel_for_nn_round_prefer_floor(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates tf_half_pixel_for_nn rounding round_prefer_floor : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_tf_half_pixel_for_nn_round_prefer_ceil(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates tf_half_pixel_for_nn rounding round_prefer_ceil : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_tf_half_pixel_for_nn_floor(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates tf_half_pixel_for_nn rounding floor : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_tf_half_pixel_for_nn_ceil(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14", "M=18 N=28"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates tf_half_pixel_for_nn rounding ceil : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @linear_tf_half_pixel_for_nn(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14"]}} {
  %y = kiln.resize %x [2, 9, 14] mode linear coordinates tf_half_pixel_for_nn : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @cubic_tf_half_pixel_for_nn(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=1 N=1", "M=9 N=14"]}} {
  %y = kiln.resize %x [2, 9, 14] mode cubic coordinates tf_half_pixel_for_nn : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_types(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33 specials"]}} {
  %y = kiln.resize %x [2, 9, 14] mode nearest coordinates half_pixel : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @linear_types(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33"]}} {
  %y = kiln.resize %x [2, 9, 14] mode linear coordinates half_pixel : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @cubic_types(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33"]}} {
  %y = kiln.resize %x [2, 9, 14] mode cubic coordinates align_corners : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @cubic_coefficient(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33"]}} {
  %y = kiln.resize %x [2, 9, 14] mode cubic coordinates half_pixel {cubic_coefficient = -0.5 : f64} : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @linear_exclude_outside(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=2 N=2"]}} {
  %y = kiln.resize %x [2, 9, 14] mode linear coordinates half_pixel exclude_outside : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @linear_antialias(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=20 N=33", "M=9 N=50"]}} {
  %y = kiln.resize %x [2, 9, 14] mode linear coordinates half_pixel antialias : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @linear_antialias_exclude_outside(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=20 N=33"]}} {
  %y = kiln.resize %x [2, 9, 14] mode linear coordinates half_pixel antialias exclude_outside : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @linear_crop(%x: tensor<2x?x?xf32>, %r: tensor<6xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN", "6 uniform 0.2 1.3"],
    cases = ["M=5 N=7", "M=9 N=33 seed=1", "M=4 N=4 seed=2"]}} {
  %y = kiln.resize %x [2, 9, 14] roi %r : tensor<6xf32> mode linear coordinates tf_crop_and_resize {extrapolation = 7.5 : f64} : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @linear_integers_saturate(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [i8, ui8, i16, ui16, i32, ui32, i64, ui64],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7 specials", "M=3 N=9 specials"]}} {
  %y = kiln.resize %x [2, 9, 14] mode linear coordinates half_pixel : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @cubic_exclude_outside(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=3 N=33", "M=2 N=2"]}} {
  %y = kiln.resize %x [2, 9, 14] mode cubic coordinates half_pixel exclude_outside : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @cubic_antialias(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=20 N=33", "M=9 N=50"]}} {
  %y = kiln.resize %x [2, 9, 14] mode cubic coordinates half_pixel antialias : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @cubic_antialias_exclude_outside(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7", "M=20 N=33"]}} {
  %y = kiln.resize %x [2, 9, 14] mode cubic coordinates half_pixel antialias exclude_outside : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @cubic_crop(%x: tensor<2x?x?xf32>, %r: tensor<6xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN", "6 uniform 0.2 1.3"],
    cases = ["M=5 N=7", "M=9 N=33 seed=1", "M=4 N=4 seed=2"]}} {
  %y = kiln.resize %x [2, 9, 14] roi %r : tensor<6xf32> mode cubic coordinates tf_crop_and_resize {extrapolation = 7.5 : f64} : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @cubic_integers_saturate(%x: tensor<2x?x?xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [i8, ui8, i16, ui16, i32, ui32, i64, ui64],
    inputs = ["2xMxN"],
    cases = ["M=5 N=7 specials", "M=3 N=9 specials"]}} {
  %y = kiln.resize %x [2, 9, 14] mode cubic coordinates half_pixel : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_crop(%x: tensor<2x?x?xf32>, %r: tensor<6xf32>) -> tensor<2x9x14xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN", "6 uniform -0.2 1.1"],
    cases = ["M=5 N=7", "M=9 N=33 seed=1"]}} {
  %y = kiln.resize %x [2, 9, 14] roi %r : tensor<6xf32> mode nearest coordinates tf_crop_and_resize {extrapolation = -2.0 : f64} : tensor<2x?x?xf32> -> tensor<2x9x14xf32>
  return %y : tensor<2x9x14xf32>
}

func.func @nearest_scales_half_pixel(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode nearest coordinates half_pixel : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @nearest_scales_half_pixel_symmetric(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode nearest coordinates half_pixel_symmetric : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @nearest_scales_pytorch_half_pixel(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode nearest coordinates pytorch_half_pixel : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @nearest_scales_align_corners(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode nearest coordinates align_corners : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @nearest_scales_asymmetric(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode nearest coordinates asymmetric : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @nearest_scales_tf_half_pixel_for_nn(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode nearest coordinates tf_half_pixel_for_nn : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @linear_scales_half_pixel(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode linear coordinates half_pixel : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @linear_scales_half_pixel_symmetric(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode linear coordinates half_pixel_symmetric : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @linear_scales_pytorch_half_pixel(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode linear coordinates pytorch_half_pixel : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @linear_scales_align_corners(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode linear coordinates align_corners : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @linear_scales_asymmetric(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode linear coordinates asymmetric : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @cubic_scales_half_pixel(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode cubic coordinates half_pixel : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @cubic_scales_half_pixel_symmetric(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode cubic coordinates half_pixel_symmetric : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @cubic_scales_pytorch_half_pixel(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode cubic coordinates pytorch_half_pixel : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @cubic_scales_align_corners(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode cubic coordinates align_corners : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

func.func @cubic_scales_asymmetric(%x: tensor<2x7x7xf32>) -> tensor<2x4x18xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2x7x7"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 0.6, 2.7]> : tensor<3xf32>
  %y = kiln.resize %x [2, 4, 18] scales %s : tensor<3xf32> mode cubic coordinates asymmetric : tensor<2x7x7xf32> -> tensor<2x4x18xf32>
  return %y : tensor<2x4x18xf32>
}

// Whole repetitions.
func.func @doubled(%x: tensor<1x3x5x9xf16>) -> tensor<1x3x10x18xf16> attributes {kiln.test = {
    types = [f16, i8, ui64],
    inputs = ["1x3x5x9"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>
  %y = kiln.resize %x [1, 3, 10, 18] scales %s : tensor<4xf32> mode nearest coordinates asymmetric rounding floor : tensor<1x3x5x9xf16> -> tensor<1x3x10x18xf16>
  return %y : tensor<1x3x10x18xf16>
}

func.func @doubled_linear(%x: tensor<1x3x5x9xbf16>) -> tensor<1x3x10x18xbf16> attributes {kiln.test = {
    types = [bf16, ui8],
    inputs = ["1x3x5x9"],
    cases = [""]}} {
  %s = kiln.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>
  %y = kiln.resize %x [1, 3, 10, 18] scales %s : tensor<4xf32> mode linear coordinates pytorch_half_pixel : tensor<1x3x5x9xbf16> -> tensor<1x3x10x18xbf16>
  return %y : tensor<1x3x10x18xbf16>
}

func.func @scales_from_data(%x: tensor<2x?x?xf32>, %s: tensor<3xf32>) -> tensor<2x10x7xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["2xMxN", "3 uniform 1 1"],
    cases = ["M=10 N=7", "M=12 N=9"]}} {
  %y = kiln.resize %x [2, 10, 7] scales %s : tensor<3xf32> mode linear coordinates half_pixel : tensor<2x?x?xf32> -> tensor<2x10x7xf32>
  return %y : tensor<2x10x7xf32>
}

func.func @extents_from_a_tensor(%x: tensor<?x?xf32>, %o: tensor<?x?xi8>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32, f16, f64],
    inputs = ["MxN", "HxW"],
    cases = ["M=3 N=5 H=6 W=4", "M=4 N=4 H=1 W=9", "M=3 N=2 H=0 W=5"]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = tensor.dim %o, %c0 : tensor<?x?xi8>
  %w = tensor.dim %o, %c1 : tensor<?x?xi8>
  %y = kiln.resize %x [%h, %w] mode linear coordinates align_corners : tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
