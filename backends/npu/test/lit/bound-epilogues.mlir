// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-npu-bound-epilogues))" | FileCheck %s

// Bias and relu stay with the product; exp does not.
// CHECK-LABEL: @bounded
// CHECK: kiln.matmul
// CHECK-NEXT: kiln.add
// CHECK-NEXT: %[[R:.+]] = kiln.relu
// CHECK-NEXT: %[[B:.+]] = kiln.optimization_barrier %[[R]]
// CHECK-NEXT: kiln.exp %[[B]]
func.func @bounded(%a: tensor<8x4xf32>, %b: tensor<4x16xf32>, %c: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = kiln.matmul %a, %b : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %1 = kiln.add %0, %c : tensor<8x16xf32>, tensor<16xf32> -> tensor<8x16xf32>
  %2 = kiln.relu %1 : tensor<8x16xf32>
  %3 = kiln.exp %2 : tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

// Nothing follows: nothing to bound.
// CHECK-LABEL: @free
// CHECK-NOT: kiln.optimization_barrier
func.func @free(%a: tensor<8x4xf32>, %b: tensor<4x16xf32>, %c: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = kiln.matmul %a, %b : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %1 = kiln.add %0, %c : tensor<8x16xf32>, tensor<16xf32> -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// A residual of all rows is not a bias.
// CHECK-LABEL: @residual
// CHECK: kiln.matmul
// CHECK-NEXT: kiln.optimization_barrier
func.func @residual(%a: tensor<8x4xf32>, %b: tensor<4x16xf32>, %c: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = kiln.matmul %a, %b : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %1 = kiln.add %0, %c : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// bf16 biases are rounded before they are added: not what the bias table does.
// CHECK-LABEL: @narrow
// CHECK: kiln.matmul
// CHECK-NEXT: kiln.optimization_barrier
func.func @narrow(%a: tensor<8x4xbf16>, %b: tensor<4x16xbf16>, %c: tensor<16xbf16>) -> tensor<8x16xbf16> {
  %0 = kiln.matmul %a, %b : tensor<8x4xbf16>, tensor<4x16xbf16> -> tensor<8x16xbf16>
  %1 = kiln.add %0, %c : tensor<8x16xbf16>, tensor<16xbf16> -> tensor<8x16xbf16>
  return %1 : tensor<8x16xbf16>
}
