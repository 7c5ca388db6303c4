// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-host-contract))" | FileCheck %s

// Positive: sums and products may be fused; Negative: a division is what it was.
// CHECK-LABEL: @madd
//       CHECK: arith.mulf %{{.+}}, %{{.+}} fastmath<contract> : f32
//       CHECK: arith.addf %{{.+}}, %{{.+}} fastmath<contract> : f32
//       CHECK: arith.divf %{{.+}}, %{{.+}} : f32
func.func @madd(%a: f32, %b: f32, %c: f32) -> f32 {
  %p = arith.mulf %a, %b : f32
  %s = arith.addf %p, %c : f32
  %q = arith.divf %s, %b : f32
  return %q : f32
}

// Negative: the product of a dequantization is rounded before anything is added to it.
// CHECK-LABEL: @dequantized
//       CHECK: arith.mulf %{{.+}}, %{{.+}} {kiln.rounded} : f32
//       CHECK: arith.addf %{{.+}}, %{{.+}} fastmath<contract> : f32
func.func @dequantized(%a: f32, %b: f32, %c: f32) -> f32 {
  %p = arith.mulf %a, %b {kiln.rounded} : f32
  %s = arith.addf %p, %c : f32
  return %s : f32
}
