// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-npu-keep-attention),kiln-expand-composites)" | FileCheck %s
// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-npu-keep-attention{chip=910a}),kiln-expand-composites)" | FileCheck %s --check-prefix=FUSED

// Whole tiles of f16: one kernel. The 910A class has no vector cores beside its cube cores.
// CHECK-LABEL: @kept
// CHECK: kiln.attention {{.*}} {kiln.whole}
// FUSED-LABEL: @kept
// FUSED-NOT: kiln.attention
func.func @kept(%q: tensor<1x4x128x64xf16>, %k: tensor<1x2x256x64xf16>, %v: tensor<1x2x256x32xf16>) -> tensor<1x4x128x32xf16> {
  %y = kiln.attention %q, %k, %v scale 0.125 : (tensor<1x4x128x64xf16>, tensor<1x2x256x64xf16>, tensor<1x2x256x32xf16>) -> tensor<1x4x128x32xf16>
  return %y : tensor<1x4x128x32xf16>
}

// What masks needs kernels of its own.
// CHECK-LABEL: @causal
// CHECK-NOT: kiln.attention
// CHECK: kiln.softmax
func.func @causal(%q: tensor<1x4x128x64xf16>) -> tensor<1x4x128x64xf16> {
  %y = kiln.attention %q, %q, %q scale 0.125 causal : (tensor<1x4x128x64xf16>, tensor<1x4x128x64xf16>, tensor<1x4x128x64xf16>) -> tensor<1x4x128x64xf16>
  return %y : tensor<1x4x128x64xf16>
}

// Rows that end within a tile, and f32.
// CHECK-LABEL: @ragged
// CHECK-NOT: kiln.attention
// CHECK: return
func.func @ragged(%q: tensor<1x4x100x64xf16>, %f: tensor<1x4x128x64xf32>) -> (tensor<1x4x100x64xf16>, tensor<1x4x128x64xf32>) {
  %y = kiln.attention %q, %q, %q scale 0.125 : (tensor<1x4x100x64xf16>, tensor<1x4x100x64xf16>, tensor<1x4x100x64xf16>) -> tensor<1x4x100x64xf16>
  %z = kiln.attention %f, %f, %f scale 0.125 : (tensor<1x4x128x64xf32>, tensor<1x4x128x64xf32>, tensor<1x4x128x64xf32>) -> tensor<1x4x128x64xf32>
  return %y, %z : tensor<1x4x100x64xf16>, tensor<1x4x128x64xf32>
}
