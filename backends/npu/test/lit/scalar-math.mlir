// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-npu-scalar-math))" | FileCheck %s

// Half the dividend by signed division, then one more where the rest holds the divisor again.
// CHECK-LABEL: @unsigned
// CHECK-NOT: arith.divui
// CHECK: arith.divsi
// CHECK: arith.cmpi uge
func.func @unsigned(%a: i64, %b: i64) -> i64 {
  %0 = arith.divui %a, %b : i64
  return %0 : i64
}

// Narrower ones are signed numbers of 64 bits: they stay.
// CHECK-LABEL: @narrow
// CHECK: arith.divui %{{.+}} : i32
func.func @narrow(%a: i32, %b: i32) -> i32 {
  %0 = arith.divui %a, %b : i32
  return %0 : i32
}

// CHECK-LABEL: @functions
// CHECK-NOT: math.{{(exp|sqrt|rsqrt|fma)}}
// CHECK: return
func.func @functions(%a: f32, %b: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = math.sqrt %0 : f32
  %2 = math.rsqrt %b : f32
  %3 = math.fma %0, %1, %2 : f32
  return %3 : f32
}
