// cube.mlir: kernels for cube cores: ragged extents, transposed operands, what the fixpipe adds.
func.func @matmul(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32], inputs = ["MxK uniform -2 2", "KxN uniform -2 2"],
    cases = ["M=1 K=1 N=1", "M=6 K=64 N=1", "M=3 K=0 N=5", "M=17 K=33 N=40", "M=150 K=300 N=200"]}} {
  %0 = kiln.matmul %a, %b : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @transposed(%a: tensor<?x?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?x?xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["BxMxK uniform -2 2", "NxK uniform -2 2"], cases = ["B=1 M=3 K=5 N=7", "B=3 M=33 K=130 N=65"]}} {
  %0 = kiln.matmul %a, %b transB : tensor<?x?x?xf32>, tensor<?x?xf32> -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

func.func @bias_relu(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32], inputs = ["MxK uniform -2 2", "KxN uniform -2 2", "N uniform -2 2"], cases = ["M=6 K=4 N=64", "M=70 K=96 N=300"]}} {
  %0 = kiln.matmul %a, %b : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %1 = kiln.add %0, %c : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  %2 = kiln.relu %1 : tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// Every way that an operand may lie in memory; extents that are no multiples of a square.
func.func @turned(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, bf16, f32], inputs = ["KxM uniform -2 2", "KxN uniform -2 2"],
    cases = ["M=1 K=1 N=1", "M=40 K=20 N=24", "M=17 K=33 N=40", "M=150 K=300 N=200"]}} {
  %0 = kiln.matmul %a, %b transA : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @both_turned(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["KxM uniform -2 2", "NxK uniform -2 2"], cases = ["M=5 K=9 N=17", "M=33 K=44 N=65"]}} {
  %0 = kiln.matmul %a, %b transA transB : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @bytes(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8], inputs = ["MxK", "KxN"], cases = ["M=1 K=1 N=1", "M=6 K=64 N=10", "M=17 K=33 N=40", "M=150 K=700 N=200"]}} {
  %0 = kiln.matmul %a, %b : tensor<?x?xi8>, tensor<?x?xi8> -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

func.func @bytes_turned(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> attributes {kiln.test = {
    types = [i8], inputs = ["KxM", "NxK"], cases = ["M=1 K=1 N=1", "M=17 K=33 N=40", "M=50 K=70 N=20"]}} {
  %0 = kiln.matmul %a, %b transA transB : tensor<?x?xi8>, tensor<?x?xi8> -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

func.func @row(%a: tensor<?xf32>, %b: tensor<?x?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["K uniform -2 2", "BxKxN uniform -2 2"], cases = ["B=1 K=5 N=7", "B=3 K=130 N=65"]}} {
  %0 = kiln.matmul %a, %b : tensor<?xf32>, tensor<?x?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @column(%a: tensor<?x?x?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f32], inputs = ["BxMxK uniform -2 2", "K uniform -2 2", "M uniform -2 2"], cases = ["B=1 K=5 M=7", "B=3 K=130 M=65"]}} {
  %0 = kiln.matmul %a, %b : tensor<?x?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  %1 = kiln.add %0, %c : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @dot(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<f32> attributes {kiln.test = {
    types = [f32], inputs = ["K uniform -2 2", "K uniform -2 2"], cases = ["K=1", "K=130"]}} {
  %0 = kiln.matmul %a, %b : tensor<?xf32>, tensor<?xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// Batches that broadcast both ways; operands of different ranks.
func.func @batches(%a: tensor<?x1x?x?xf32>, %b: tensor<?x?x?xf32>) -> tensor<?x?x?x?xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["Bx1xMxK uniform -2 2", "CxKxN uniform -2 2"], cases = ["B=2 C=3 M=4 K=5 N=6", "B=3 C=2 M=33 K=20 N=17"]}} {
  %0 = kiln.matmul %a, %b : tensor<?x1x?x?xf32>, tensor<?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}

func.func @nothing(%a: tensor<3x0xf32>, %b: tensor<0x5xf32>) -> tensor<3x5xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["3x0", "0x5"], cases = [""]}} {
  %0 = kiln.matmul %a, %b : tensor<3x0xf32>, tensor<0x5xf32> -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// Rows of A stay in L1 from tile to tile, and steps of B are shorter; the last rows, columns and depths are fewer.
func.func @kept_rows(%a: tensor<1000x600xf16>, %b: tensor<600x700xf16>) -> tensor<1000x700xf16> attributes {kiln.test = {
    types = [f16], inputs = ["1000x600 uniform -1 1", "600x700 uniform -1 1"]}} {
  %0 = kiln.matmul %a, %b : tensor<1000x600xf16>, tensor<600x700xf16> -> tensor<1000x700xf16>
  return %0 : tensor<1000x700xf16>
}

func.func @kept_columns_of_a(%a: tensor<512x768xf16>, %b: tensor<1024x512xf16>) -> tensor<768x1024xf16> attributes {kiln.test = {
    inputs = ["512x768 uniform -1 1", "1024x512 uniform -1 1"]}} {
  %0 = kiln.matmul %a, %b transA transB : tensor<512x768xf16>, tensor<1024x512xf16> -> tensor<768x1024xf16>
  return %0 : tensor<768x1024xf16>
}
