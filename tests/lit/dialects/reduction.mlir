// RUN: jit-opt %s | jit-opt | FileCheck %s
// Every op of the family prints what it parses.

// CHECK-LABEL: @reduce
func.func @reduce(%x: tensor<8x?x4xf32>, %p: tensor<4xi1>) {
  // CHECK: kiln.reduce sum %{{.*}} axes [-1] keepdims : tensor<8x?x4xf32> -> tensor<8x?x1xf32>
  %0 = kiln.reduce sum %x axes [-1] keepdims : tensor<8x?x4xf32> -> tensor<8x?x1xf32>
  // CHECK: kiln.reduce log_sum_exp %{{.*}} axes [0, 2] : tensor<8x?x4xf32> -> tensor<?xf32>
  %1 = kiln.reduce log_sum_exp %x axes [0, 2] : tensor<8x?x4xf32> -> tensor<?xf32>
  // CHECK: kiln.reduce any %{{.*}} axes [0] : tensor<4xi1> -> tensor<i1>
  %2 = kiln.reduce any %p axes [0] : tensor<4xi1> -> tensor<i1>
  // No axes: nothing is dropped.
  // CHECK: kiln.reduce l1 %{{.*}} axes [] : tensor<8x?x4xf32> -> tensor<8x?x4xf32>
  %3 = kiln.reduce l1 %x axes [] : tensor<8x?x4xf32> -> tensor<8x?x4xf32>
  return
}

// CHECK-LABEL: @arg_reduce
func.func @arg_reduce(%x: tensor<8x?x4xf32>) {
  // CHECK: kiln.arg_reduce min %{{.*}} axis 0 keepdims select_last : tensor<8x?x4xf32> -> tensor<1x?x4xi64>
  %0 = kiln.arg_reduce min %x axis 0 keepdims select_last : tensor<8x?x4xf32> -> tensor<1x?x4xi64>
  return
}

// CHECK-LABEL: @cumulative
func.func @cumulative(%x: tensor<8x?x4xui16>) {
  // CHECK: kiln.cumulative prod %{{.*}} axis 1 exclusive reverse : tensor<8x?x4xui16>
  %0 = kiln.cumulative prod %x axis 1 exclusive reverse : tensor<8x?x4xui16>
  return
}
