// RUN: jit-opt %s | jit-opt | FileCheck %s
// RUN: jit-opt %s --kiln-to-linalg | FileCheck %s --check-prefix=LINALG
// Every op of the family prints what it parses, and is one elementwise linalg.generic: ten rounds of two products.

// CHECK-LABEL: @bits
// LINALG-LABEL: @bits
func.func @bits(%i: tensor<?xi64>, %s: tensor<i64>) -> tensor<?xui32> {
  // CHECK: kiln.random_bits %{{.*}}, %{{.*}} : tensor<?xi64>, tensor<i64> -> tensor<?xui32>
  // LINALG: linalg.generic
  // LINALG-COUNT-20: arith.muli
  // LINALG-NOT: arith.muli
  // LINALG: arith.trunci %{{.*}} : i64 to i32
  %0 = kiln.random_bits %i, %s : tensor<?xi64>, tensor<i64> -> tensor<?xui32>
  return %0 : tensor<?xui32>
}

// CHECK-LABEL: @floats
func.func @floats(%i: tensor<2x3xi64>, %s: tensor<i64>) {
  // CHECK: kiln.random_uniform %{{.*}}, %{{.*}} : tensor<2x3xi64>, tensor<i64> -> tensor<2x3xbf16>
  %0 = kiln.random_uniform %i, %s : tensor<2x3xi64>, tensor<i64> -> tensor<2x3xbf16>
  // CHECK: kiln.random_normal %{{.*}}, %{{.*}} : tensor<2x3xi64>, tensor<i64> -> tensor<2x3xf64>
  %1 = kiln.random_normal %i, %s : tensor<2x3xi64>, tensor<i64> -> tensor<2x3xf64>
  return
}
