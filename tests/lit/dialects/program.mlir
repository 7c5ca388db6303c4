// RUN: jit-opt %s | jit-opt | FileCheck %s
// Every op of the family prints what it parses.

// CHECK-LABEL: kiln.kernel @scale(
//  CHECK-SAME: %{{.*}}: index, %{{.*}}: tensor<?xf32> {kiln.name = "x"}) -> tensor<?xf32> attributes {kiln.note = 1 : i64} {
//       CHECK: kiln.yield %{{.*}} : tensor<?xf32>
kiln.kernel @scale(%n: index, %x: tensor<?xf32> {kiln.name = "x"}) -> tensor<?xf32> attributes {kiln.note = 1 : i64} {
  kiln.yield %x : tensor<?xf32>
}

// A kernel may have no results, and then no values to yield.
// CHECK-LABEL: kiln.kernel @nothing() {
//  CHECK-NEXT: kiln.yield
kiln.kernel @nothing() {
  kiln.yield
}

// CHECK-LABEL: func.func @main
func.func @main(%n: index, %x: tensor<8xf32>, %list: tensor<?x8xf32>) {
  // A launch may know more than the kernel.
  // CHECK: kiln.launch @scale(%{{.*}}, %{{.*}}) {label = "first"} : (index, tensor<8xf32>) -> tensor<8xf32>
  %0 = kiln.launch @scale(%n, %x) {label = "first"} : (index, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: kiln.constant dense<[1, 255]> : tensor<2xui8>
  %1 = kiln.constant dense<[1, 255]> : tensor<2xui8>
  // CHECK: kiln.weight "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" {label = "w"} : tensor<2x3xf16>
  %2 = kiln.weight "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" {label = "w"} : tensor<2x3xf16>
  // CHECK: kiln.append %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %l = kiln.append %list, %0 : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  // CHECK: kiln.optimization_barrier %{{.*}} : tensor<8xf32>
  %3 = kiln.optimization_barrier %0 : tensor<8xf32>
  // CHECK: kiln.check_close %{{.*}}, %{{.*}} atol 1.000000e-05 rtol 1.000000e-04 : tensor<8xf32>
  kiln.check_close %3, %x atol 1.0e-5 rtol 1.0e-4 : tensor<8xf32>
  // CHECK: kiln.check_equal %{{.*}}, %{{.*}} : tensor<2xui8>
  kiln.check_equal %1, %1 : tensor<2xui8>
  return
}
