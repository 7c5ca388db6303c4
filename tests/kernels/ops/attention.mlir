// attention.mlir: attention with every kind of mask, grouped queries, decoding, and each stage shown.

// All heads of their own, shared by groups, and one for all.
func.func @plain(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["BxHxQxD", "BxGxKxD", "BxGxKxE"],
    cases = ["B=1 H=2 G=2 Q=5 K=7 D=8 E=8", "B=2 H=4 G=2 Q=3 K=33 D=16 E=5", "B=1 H=6 G=1 Q=1 K=1 D=1 E=1", "B=1 H=2 G=1 Q=0 K=3 D=4 E=4"]}} {
  %y = kiln.attention %q, %k, %v scale 0.25
    : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @causal(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["BxHxQxD", "BxGxKxD", "BxGxKxE"],
    cases = ["B=1 H=2 G=1 Q=9 K=9 D=4 E=4", "B=2 H=3 G=3 Q=5 K=17 D=8 E=3", "B=1 H=1 G=1 Q=7 K=3 D=2 E=2"]}} {
  %y = kiln.attention %q, %k, %v scale 0.5 causal
    : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// The last case has queries that see no key: they give 0.
func.func @mask_bool(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>, %m: tensor<?x?xi1>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["BxHxQxD", "BxGxKxD", "BxGxKxE", "QxK uniform 0 1"],
    cases = ["B=1 H=2 G=1 Q=9 K=9 D=4 E=4", "B=2 H=2 G=2 Q=3 K=17 D=8 E=3 seed=3", "B=1 H=1 G=1 Q=8 K=1 D=2 E=2"]}} {
  %y = kiln.attention %q, %k, %v mask %m scale 0.3
    : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?xi1>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @mask_float(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>, %m: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["BxHxQxD", "BxGxKxD", "BxGxKxE", "BxHxQxK uniform -3 3"],
    cases = ["B=1 H=2 G=1 Q=9 K=9 D=4 E=4", "B=2 H=2 G=2 Q=3 K=17 D=8 E=3"]}} {
  %y = kiln.attention %q, %k, %v mask %m scale 0.3
    : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @mask_of_keys(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>, %m: tensor<?x1x1x?xi1>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["BxHxQxD", "BxGxKxD", "BxGxKxE", "Bx1x1xK uniform 0 1"],
    cases = ["B=2 H=2 G=1 Q=4 K=9 D=4 E=4", "B=3 H=1 G=1 Q=3 K=16 D=8 E=3 seed=1"]}} {
  %y = kiln.attention %q, %k, %v mask %m scale 1.0
    : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x1x1x?xi1>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// A few queries behind a past of their own length each.
func.func @decode(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>, %l: tensor<?xi32>, %o: tensor<?xi64>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["BxHxQxD", "BxGxKxD", "BxGxKxE", "B uniform 3 9", "B uniform 2 8"],
    cases = ["B=2 H=4 G=2 Q=1 K=9 D=16 E=16", "B=3 H=2 G=2 Q=2 K=12 D=8 E=8", "B=1 H=1 G=1 Q=1 K=9 D=4 E=4"]}} {
  %y = kiln.attention %q, %k, %v lengths %l offset %o scale 0.25 causal
    : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?xi32>, tensor<?xi64>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @window(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>, %o: tensor<1xi64>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["BxHxQxD", "BxGxKxD", "BxGxKxE", "1 uniform 1 1"],
    cases = ["B=2 H=2 G=2 Q=5 K=9 D=4 E=4", "B=1 H=2 G=1 Q=9 K=9 D=8 E=3"]}} {
  %y = kiln.attention %q, %k, %v offset %o scale 0.25 left_window 2 right_window 1
    : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<1xi64>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @softcap(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["BxHxQxD", "BxGxKxD", "BxGxKxE"],
    cases = ["B=1 H=2 G=2 Q=5 K=7 D=8 E=8", "B=2 H=4 G=2 Q=3 K=33 D=16 E=5"]}} {
  %y = kiln.attention %q, %k, %v scale 1.0 softcap 1.5
    : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @shows_scores(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>, %m: tensor<?x?xi1>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["BxHxQxD", "BxGxKxD", "BxGxKxE", "QxK uniform 0 1"],
    cases = ["B=1 H=2 G=1 Q=5 K=7 D=8 E=8 seed=2", "B=2 H=2 G=2 Q=3 K=16 D=4 E=4"]}} {
  %y, %s = kiln.attention %q, %k, %v mask %m scale 0.5 softcap 2.0 shows scores
    : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?xi1>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
  return %y, %s : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>
}

func.func @shows_capped(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>, %m: tensor<?x?xi1>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["BxHxQxD", "BxGxKxD", "BxGxKxE", "QxK uniform 0 1"],
    cases = ["B=1 H=2 G=1 Q=5 K=7 D=8 E=8 seed=2", "B=2 H=2 G=2 Q=3 K=16 D=4 E=4"]}} {
  %y, %s = kiln.attention %q, %k, %v mask %m scale 0.5 softcap 2.0 shows capped
    : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?xi1>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
  return %y, %s : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>
}

func.func @shows_biased(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>, %m: tensor<?x?xi1>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["BxHxQxD", "BxGxKxD", "BxGxKxE", "QxK uniform 0 1"],
    cases = ["B=1 H=2 G=1 Q=5 K=7 D=8 E=8 seed=2", "B=2 H=2 G=2 Q=3 K=16 D=4 E=4"]}} {
  %y, %s = kiln.attention %q, %k, %v mask %m scale 0.5 softcap 2.0 shows biased
    : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?xi1>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
  return %y, %s : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>
}

func.func @shows_weights(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>, %m: tensor<?x?xi1>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["BxHxQxD", "BxGxKxD", "BxGxKxE", "QxK uniform 0 1"],
    cases = ["B=1 H=2 G=1 Q=5 K=7 D=8 E=8 seed=2", "B=2 H=2 G=2 Q=3 K=16 D=4 E=4"]}} {
  %y, %s = kiln.attention %q, %k, %v mask %m scale 0.5 softcap 2.0 shows weights
    : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?xi1>) -> (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
  return %y, %s : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>
}

func.func @everything(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>, %m: tensor<?x1x?xf32>, %l: tensor<1xi64>, %o: tensor<?xi32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["BxHxQxD", "BxGxKxD", "BxGxKxE", "Hx1xK uniform -1 1", "1 uniform 7 7", "B uniform 0 4"],
    cases = ["B=2 H=4 G=2 Q=4 K=9 D=8 E=8", "B=1 H=2 G=1 Q=3 K=17 D=5 E=3"]}} {
  %y = kiln.attention %q, %k, %v mask %m lengths %l offset %o scale 0.5 causal left_window 5 softcap 4.0
    : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x1x?xf32>, tensor<1xi64>, tensor<?xi32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

func.func @lengths_of_any_type(%l: tensor<?xi8>, %o: tensor<1xi8>, %q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["B uniform 1 9", "1 uniform 0 6", "BxHxQxD", "BxGxKxD", "BxGxKxE"],
    cases = ["B=2 H=2 G=1 Q=3 K=9 D=4 E=4"]}} {
  %y = kiln.attention %q, %k, %v lengths %l offset %o scale 0.25 causal
    : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?xi8>, tensor<1xi8>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}
