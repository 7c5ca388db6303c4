// normalization.mlir: softmax and the norms over rows of every length.

func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=9 N=256", "M=0 N=4"]}} {
  %y = kiln.softmax %x axis -1 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @softmax_columns(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN uniform -9 9"],
    cases = ["M=17 N=5", "M=3 N=64"]}} {
  %y = kiln.softmax %x axis 0 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @softmax_specials(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32, f64],
    inputs = ["MxN"],
    cases = ["M=9 N=5 specials"]}} {
  %y = kiln.softmax %x axis 1 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @softmax_far_apart(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["MxN uniform -80 80"],
    cases = ["M=3 N=33"]}} {
  %y = kiln.softmax %x axis 1 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @log_softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN uniform -9 9"],
    cases = ["M=1 N=1", "M=3 N=67", "M=9 N=256", "M=0 N=4"]}} {
  %y = kiln.log_softmax %x axis -1 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @log_softmax_columns(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["MxN uniform -9 9"],
    cases = ["M=17 N=5"]}} {
  %y = kiln.log_softmax %x axis 0 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @layer_norm(%x: tensor<?x?xf32>, %s: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN", "N uniform 0.5 2", "N"],
    cases = ["M=1 N=1", "M=3 N=67", "M=9 N=256", "M=0 N=4"]}} {
  %y = kiln.layer_norm %x scale(%s : tensor<?xf32>) bias(%b : tensor<?xf32>) axis -1 epsilon 1.0e-5 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @layer_norm_plain(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["MxN uniform 3 9"],
    cases = ["M=3 N=67"]}} {
  %y = kiln.layer_norm %x axis 1 epsilon 1.0e-3 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @layer_norm_two_axes(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f32],
    inputs = ["BxMxN"],
    cases = ["B=2 M=3 N=17"]}} {
  %y = kiln.layer_norm %x axis 1 epsilon 1.0e-5 : tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

func.func @rms_norm(%x: tensor<?x?xf32>, %s: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["MxN", "N uniform 0.5 2"],
    cases = ["M=1 N=1", "M=3 N=67", "M=9 N=256", "M=0 N=4"]}} {
  %y = kiln.rms_norm %x scale(%s : tensor<?xf32>) axis -1 epsilon 1.0e-6 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @group_norm(%x: tensor<?x6x?xf32>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<?x6x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["Bx6xL", "6 uniform 0.5 2", "6"],
    cases = ["B=1 L=5", "B=2 L=33"]}} {
  %y = kiln.group_norm %x scale(%s : tensor<6xf32>) bias(%b : tensor<6xf32>) groups 3 epsilon 1.0e-5 : tensor<?x6x?xf32>
  return %y : tensor<?x6x?xf32>
}

func.func @instance_norm(%x: tensor<?x6x?xf32>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<?x6x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["Bx6xL", "6 uniform 0.5 2", "6"],
    cases = ["B=1 L=5", "B=2 L=33"]}} {
  %y = kiln.instance_norm %x scale(%s : tensor<6xf32>) bias(%b : tensor<6xf32>) epsilon 1.0e-5 : tensor<?x6x?xf32>
  return %y : tensor<?x6x?xf32>
}

func.func @batch_norm(%x: tensor<?x6x?xf32>, %s: tensor<6xf32>, %b: tensor<6xf32>, %m: tensor<6xf32>, %v: tensor<6xf32>) -> tensor<?x6x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["Bx6xL", "6 uniform 0.5 2", "6", "6", "6 uniform 0.5 2"],
    cases = ["B=1 L=1", "B=2 L=33", "B=0 L=3"]}} {
  %y = kiln.batch_norm %x, %s, %b, %m, %v epsilon 1.0e-5 : tensor<?x6x?xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
  return %y : tensor<?x6x?xf32>
}
