// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-expand-floats{f16c=true}))" | FileCheck %s
// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-expand-floats))" | FileCheck %s --check-prefix=SOFT

// Positive: bf16 is the upper half of f32.
// CHECK-LABEL: @bf16
//   CHECK-NOT: arith.extf
//       CHECK: arith.shli {{.*}} vector<8xi32>
//   CHECK-NOT: arith.truncf
func.func @bf16(%x: vector<8xbf16>) -> vector<8xbf16> {
  %w = arith.extf %x : vector<8xbf16> to vector<8xf32>
  %d = arith.addf %w, %w : vector<8xf32>
  %n = arith.truncf %d : vector<8xf32> to vector<8xbf16>
  return %n : vector<8xbf16>
}

// f16 is left to F16C, or becomes integers without it.
// CHECK-LABEL: @f16
//       CHECK: arith.extf {{.*}} vector<8xf16> to vector<8xf32>
//  SOFT-LABEL: @f16
//    SOFT-NOT: arith.extf
func.func @f16(%x: vector<8xf16>) -> vector<8xf32> {
  %w = arith.extf %x : vector<8xf16> to vector<8xf32>
  return %w : vector<8xf32>
}

// Positive: arithmetic on 16 bits is done in f32.
// CHECK-LABEL: @maximum
//       CHECK: arith.maximumf {{.*}} vector<8xf32>
func.func @maximum(%x: vector<8xbf16>, %y: vector<8xbf16>) -> vector<8xbf16> {
  %m = arith.maximumf %x, %y : vector<8xbf16>
  return %m : vector<8xbf16>
}
