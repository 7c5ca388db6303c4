// pooling.mlir: windows with and without padding, rounding up, dilated.

// Large windows that overlap, axis by axis.
func.func @max_pool_large(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, ui8],
    inputs = ["NxCxHxW"],
    cases = ["N=1 C=2 H=9 W=20", "N=2 C=1 H=5 W=5 specials", "N=1 C=1 H=13 W=3", "N=0 C=1 H=8 W=8"]}} {
  %y = kiln.max_pool %x kernel [5, 7] strides [1, 1] pads [2, 3, 2, 3] dilations [1, 1] : tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @max_pool_large_ceil(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f32, i8],
    inputs = ["NxCxHxW"],
    cases = ["N=1 C=2 H=17 W=20", "N=2 C=1 H=16 W=15 specials"]}} {
  %y = kiln.max_pool %x kernel [7, 7] strides [1, 2] pads [1, 3, 2, 3] dilations [2, 1] ceil_mode : tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @max_pool(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["BxCxHxW"],
    cases = ["B=1 C=1 H=3 W=3", "B=2 C=3 H=9 W=17", "B=1 C=8 H=8 W=33"]}} {
  %y = kiln.max_pool %x kernel [3, 2] strides [2, 1] pads [1, 0, 1, 1] dilations [1, 1] : tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @max_pool_ceil(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["BxCxHxW"],
    cases = ["B=1 C=1 H=3 W=3", "B=2 C=3 H=9 W=17", "B=1 C=8 H=8 W=33"]}} {
  %y = kiln.max_pool %x kernel [3, 3] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] ceil_mode : tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @max_pool_dilated(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["BxCxHxW"],
    cases = ["B=1 C=1 H=3 W=3", "B=2 C=3 H=9 W=17", "B=1 C=8 H=8 W=33"]}} {
  %y = kiln.max_pool %x kernel [2, 2] strides [1, 1] pads [0, 0, 0, 0] dilations [2, 2] : tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @max_pool_specials(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["BxCxHxW"],
    cases = ["B=1 C=2 H=9 W=17 specials"]}} {
  %y = kiln.max_pool %x kernel [3, 2] strides [2, 1] pads [1, 0, 1, 1] dilations [1, 1] : tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @avg_pool(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["BxCxHxW"],
    cases = ["B=1 C=1 H=3 W=3", "B=2 C=3 H=9 W=17", "B=1 C=8 H=8 W=33"]}} {
  %y = kiln.avg_pool %x kernel [3, 2] strides [2, 1] pads [1, 0, 1, 1] dilations [1, 1] : tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @avg_pool_with_pads(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["BxCxHxW"],
    cases = ["B=1 C=1 H=3 W=3", "B=2 C=3 H=9 W=17", "B=1 C=8 H=8 W=33"]}} {
  %y = kiln.avg_pool %x kernel [3, 2] strides [2, 1] pads [1, 0, 1, 1] dilations [1, 1] count_include_pad : tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @avg_pool_ceil(%x: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["BxCxHxW"],
    cases = ["B=1 C=1 H=3 W=3", "B=2 C=3 H=9 W=17", "B=1 C=8 H=8 W=33"]}} {
  %y = kiln.avg_pool %x kernel [3, 3] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] ceil_mode : tensor<?x?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// The last window would begin in the high pad: it is left out, though the windows are whole.
func.func @max_pool_ceil_in_pads(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f32, i8],
    inputs = ["BxCxW"],
    cases = ["B=2 C=3 W=7", "B=1 C=1 W=16", "B=1 C=2 W=17 specials"]}} {
  %y = kiln.max_pool %x kernel [3] strides [3] pads [2, 3] dilations [1] ceil_mode : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
