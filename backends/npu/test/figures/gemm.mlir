// gemm.mlir: products whose cycles figures.py keeps.
func.func @gemm_4096(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %0 = kiln.matmul %a, %b : tensor<4096x4096xf16>, tensor<4096x4096xf16> -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}

func.func @gemm_1024(%a: tensor<1024x1024xf16>, %b: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %0 = kiln.matmul %a, %b : tensor<1024x1024xf16>, tensor<1024x1024xf16> -> tensor<1024x1024xf16>
  return %0 : tensor<1024x1024xf16>
}

func.func @gemm_2048(%a: tensor<2048x2048xf16>, %b: tensor<2048x2048xf16>) -> tensor<2048x2048xf16> {
  %0 = kiln.matmul %a, %b : tensor<2048x2048xf16>, tensor<2048x2048xf16> -> tensor<2048x2048xf16>
  return %0 : tensor<2048x2048xf16>
}

// BERT-base, batch 32, 128 tokens.
func.func @bert_attention_out(%a: tensor<4096x768xf16>, %b: tensor<768x768xf16>) -> tensor<4096x768xf16> {
  %0 = kiln.matmul %a, %b : tensor<4096x768xf16>, tensor<768x768xf16> -> tensor<4096x768xf16>
  return %0 : tensor<4096x768xf16>
}

func.func @bert_up(%a: tensor<4096x768xf16>, %b: tensor<768x3072xf16>) -> tensor<4096x3072xf16> {
  %0 = kiln.matmul %a, %b : tensor<4096x768xf16>, tensor<768x3072xf16> -> tensor<4096x3072xf16>
  return %0 : tensor<4096x3072xf16>
}

func.func @bert_down(%a: tensor<4096x3072xf16>, %b: tensor<3072x768xf16>) -> tensor<4096x768xf16> {
  %0 = kiln.matmul %a, %b : tensor<4096x3072xf16>, tensor<3072x768xf16> -> tensor<4096x768xf16>
  return %0 : tensor<4096x768xf16>
}

// One attention head each: 384 of them.
func.func @bert_scores(%a: tensor<384x128x64xf16>, %b: tensor<384x128x64xf16>) -> tensor<384x128x128xf16> {
  %0 = kiln.matmul %a, %b transB : tensor<384x128x64xf16>, tensor<384x128x64xf16> -> tensor<384x128x128xf16>
  return %0 : tensor<384x128x128xf16>
}

func.func @bert_context(%a: tensor<384x128x128xf16>, %b: tensor<384x128x64xf16>) -> tensor<384x128x64xf16> {
  %0 = kiln.matmul %a, %b : tensor<384x128x128xf16>, tensor<384x128x64xf16> -> tensor<384x128x64xf16>
  return %0 : tensor<384x128x64xf16>
}
