// vector.mlir: kernels for vector cores, in the checked mode of the device: lines, rows, columns, reductions, tails.
func.func @chain(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["MxN uniform -4 4", "MxN uniform -4 4"],
    cases = ["M=2 N=1", "M=3 N=67", "M=64 N=1000"]}} {
  %0 = kiln.mul %x, %y : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %1 = kiln.add %0, %x : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %2 = kiln.relu %1 : tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

func.func @broadcast(%x: tensor<?x?xf32>, %r: tensor<?xf32>, %c: tensor<?x1xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32], inputs = ["MxN uniform -4 4", "N uniform -4 4", "Mx1 uniform -4 4"],
    cases = ["M=3 N=8", "M=40 N=67", "M=65 N=67", "M=500 N=256"]}} {
  %0 = kiln.sub %x, %r : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  %1 = kiln.mul %0, %c : tensor<?x?xf32>, tensor<?x1xf32> -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @exp(%x: tensor<?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32], inputs = ["N uniform -9 9"], cases = ["N=2", "N=100", "N=70000"]}} {
  %0 = kiln.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @max(%x: tensor<?x67xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32], inputs = ["Mx67 uniform -9 9"], cases = ["M=2", "M=3", "M=300"]}} {
  %0 = kiln.reduce max %x axes [1] : tensor<?x67xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @sum(%x: tensor<?x512xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32], inputs = ["Mx512 uniform -9 9"], cases = ["M=2", "M=13", "M=300"]}} {
  %0 = kiln.reduce sum %x axes [1] : tensor<?x512xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @wide_sum(%x: tensor<?x2500xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f32], inputs = ["Mx2500 uniform -9 9"], cases = ["M=2", "M=13"]}} {
  %0 = kiln.reduce sum %x axes [1] : tensor<?x2500xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @softmax(%x: tensor<?x67xf32>) -> tensor<?x67xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["Mx67 uniform -9 9"], cases = ["M=2", "M=13", "M=300"]}} {
  %0 = kiln.softmax %x axis -1 : tensor<?x67xf32>
  return %0 : tensor<?x67xf32>
}

func.func @larger(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["N uniform -4 4", "N uniform -4 4"], cases = ["N=3", "N=28", "N=70000"]}} {
  %0 = kiln.compare gt %x, %y : tensor<?xf32>, tensor<?xf32> -> tensor<?xi1>
  %1 = kiln.select %0, %x, %y : tensor<?xi1>, tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

func.func @integers_in_order(%x: tensor<?xi32>, %y: tensor<?xi32>) -> (tensor<?xi1>, tensor<?xi1>, tensor<?xi1>, tensor<?xi1>) attributes {kiln.test = {
    inputs = ["N uniform -3 3", "N uniform -3 3"], cases = ["N=2", "N=67"]}} {
  %0 = kiln.compare lt %x, %y : tensor<?xi32>, tensor<?xi32> -> tensor<?xi1>
  %1 = kiln.compare le %x, %y : tensor<?xi32>, tensor<?xi32> -> tensor<?xi1>
  %2 = kiln.compare gt %x, %y : tensor<?xi32>, tensor<?xi32> -> tensor<?xi1>
  %3 = kiln.compare ge %x, %y : tensor<?xi32>, tensor<?xi32> -> tensor<?xi1>
  return %0, %1, %2, %3 : tensor<?xi1>, tensor<?xi1>, tensor<?xi1>, tensor<?xi1>
}
