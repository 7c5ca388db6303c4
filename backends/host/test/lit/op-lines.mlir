// RUN: jit-opt %s --kiln-host-op-lines --mlir-print-debuginfo | FileCheck %s

// Positive: an op's number is its line; code of no op has line 0.
// CHECK-LABEL: llvm.func @k
//       CHECK: llvm.fadd {{.*}} loc(#[[ADD:.+]])
//       CHECK: llvm.return {{.*}}loc(#[[NONE:.+]])
//   CHECK-DAG: #[[ADD]] = loc("kernel":7:1)
//   CHECK-DAG: #[[NONE]] = loc("kernel":0:1)
//   CHECK-DAG: #llvm.di_subprogram<
llvm.func @k(%x: f32) -> f32 {
  %y = llvm.fadd %x, %x : f32 loc(fused["op":7:0, "model.mlir":3:5])
  llvm.return %y : f32
}
