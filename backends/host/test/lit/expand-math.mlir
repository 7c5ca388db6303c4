// RUN: jit-opt %s --kiln-host-expand-math --split-input-file | FileCheck %s
// RUN: jit-opt %s --kiln-host-expand-math=scalef --split-input-file | FileCheck %s --check-prefix=SCALEF

// Positive: exp is arithmetic on the same vectors.
// CHECK-LABEL: @exponential
//   CHECK-NOT: math.exp
//       CHECK: math.fma {{.*}} vector<8xf32>
//   CHECK-NOT: llvm.call_intrinsic
//       CHECK: return
// AVX-512 multiplies by the power of two at once.
// SCALEF-LABEL: @exponential
//       SCALEF: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.256"
func.func @exponential(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp %x : vector<8xf32>
  return %y : vector<8xf32>
}

// -----

// Positive: sine looks up digits of 2/pi behind a branch that only large arguments take.
//       CHECK: memref.global "private" constant @kiln_two_over_pi
// CHECK-LABEL: @sine
//       CHECK: scf.if
//   CHECK-NOT: math.sin
//       CHECK: return
func.func @sine(%x: f64) -> f64 {
  %y = math.sin %x : f64
  return %y : f64
}

// -----

// Does not apply: what the CPU has stays.
// CHECK-LABEL: @hardware
//       CHECK: math.sqrt
//       CHECK: math.floor
func.func @hardware(%x: vector<8xf32>) -> vector<8xf32> {
  %s = math.sqrt %x : vector<8xf32>
  %y = math.floor %s : vector<8xf32>
  return %y : vector<8xf32>
}
