// activation.mlir: activation functions, each parameter away from its default too.

func.func @relu(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.relu %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @relu_int(%x: tensor<?x?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.relu %x : tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @sigmoid(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -10 10"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.sigmoid %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @softplus(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -10 10"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.softplus %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @silu(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -10 10"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.silu %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// e^-x overflows where the result is still a normal number.
func.func @silu_far(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -90 -85"],
    cases = ["M=3 N=67"]}} {
  %y = kiln.silu %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @mish(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -10 10"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.mish %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @gelu(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -4 4"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.gelu %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @gelu_tanh(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -4 4"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.gelu %x approximate tanh : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @hard_swish(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -6 6"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.hard_swish %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @leaky_relu(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -6 6"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.leaky_relu %x alpha 0.25 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @elu(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -4 4"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.elu %x alpha 1.5 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @selu(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -4 4"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.selu %x alpha 1.67326324 gamma 1.05070102 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @celu(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -4 4"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.celu %x alpha 2.0 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @hard_sigmoid(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -6 6"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.hard_sigmoid %x alpha 0.25 beta 0.5 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @thresholded_relu(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.thresholded_relu %x alpha 1.0 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @shrink(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -3 3"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.shrink %x bias 0.25 lambd 0.5 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @clamp(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -6 6"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.clamp %x min -1.5 max 2.5 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @clamp_above(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -6 6"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.clamp %x max 0.5 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @clamp_int(%x: tensor<?x?xi32>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["MxN bits"],
    cases = ["M=1 N=1", "M=3 N=67", "M=5 N=7 specials", "M=0 N=5", "M=33 N=64"]}} {
  %y = kiln.clamp %x min 3 max 100 : tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
