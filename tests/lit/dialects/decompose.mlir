// RUN: jit-opt %s --kiln-decompose --split-input-file | FileCheck %s

// f32: maximum, difference, exponential, sum, its reciprocal, product, and nothing else.
// CHECK-LABEL: @softmax
//  CHECK-SAME: %[[X:.+]]: tensor<8x?xf32>
//   CHECK-DAG: %[[ONE:.+]] = kiln.constant dense<1.0
//   CHECK-DAG: %[[M:.+]] = kiln.reduce max %[[X]] axes [1] keepdims : tensor<8x?xf32> -> tensor<8x1xf32>
//  CHECK-NEXT: %[[D:.+]] = kiln.sub %[[X]], %[[M]]
//  CHECK-NEXT: %[[E:.+]] = kiln.exp %[[D]]
//   CHECK-DAG: %[[S:.+]] = kiln.reduce sum %[[E]] axes [1] keepdims
//       CHECK: %[[I:.+]] = kiln.div %[[ONE]], %[[S]] : tensor<f32>, tensor<8x1xf32>
//  CHECK-NEXT: %[[Y:.+]] = kiln.mul %[[E]], %[[I]]
//  CHECK-NEXT: return %[[Y]]
func.func @softmax(%x: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %y = kiln.softmax %x axis -1 : tensor<8x?xf32>
  return %y : tensor<8x?xf32>
}

// -----

// f16: one conversion in, one out; everything between is f32.
// CHECK-LABEL: @softmax_half
//       CHECK: kiln.convert %{{.+}} : tensor<8x4xf16> to tensor<8x4xf32>
//   CHECK-NOT: kiln.convert
//       CHECK: kiln.mul {{.*}} -> tensor<8x4xf32>
//       CHECK: kiln.convert %{{.+}} : tensor<8x4xf32> to tensor<8x4xf16>
func.func @softmax_half(%x: tensor<8x4xf16>) -> tensor<8x4xf16> {
  %y = kiln.softmax %x axis 0 : tensor<8x4xf16>
  return %y : tensor<8x4xf16>
}

// -----

// The shift is 0 where the maximum is infinite; without keepdims the reduced axes leave at the end.
// CHECK-LABEL: @log_sum_exp
//       CHECK: %[[M:.+]] = kiln.reduce max %{{.+}} axes [0, 2] keepdims
//       CHECK: %[[I:.+]] = kiln.is_inf %[[M]]
//       CHECK: %[[SHIFT:.+]] = kiln.select %[[I]], %{{.+}}, %[[M]]
//       CHECK: kiln.reduce log_sum
//       CHECK: kiln.add %{{.+}}, %[[SHIFT]]
//       CHECK: kiln.reshape %{{.+}} [4] : tensor<1x4x1xf32> -> tensor<4xf32>
func.func @log_sum_exp(%x: tensor<2x4x3xf32>) -> tensor<4xf32> {
  %y = kiln.reduce log_sum_exp %x axes [0, -1] : tensor<2x4x3xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Other reductions stay.
// CHECK-LABEL: @sum
//  CHECK-NEXT: kiln.reduce sum
//  CHECK-NEXT: return
func.func @sum(%x: tensor<2x4xf32>) -> tensor<2xf32> {
  %y = kiln.reduce sum %x axes [1] : tensor<2x4xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// The mean is taken off before squares are summed; absent scale and bias cost nothing.
// CHECK-LABEL: @layer_norm
//       CHECK: %[[MEAN:.+]] = kiln.reduce mean %{{.+}} axes [1, 2] keepdims
//       CHECK: %[[C:.+]] = kiln.sub %{{.+}}, %[[MEAN]]
//       CHECK: %[[SQ:.+]] = kiln.mul %[[C]], %[[C]]
//       CHECK: kiln.reduce mean %[[SQ]] axes [1, 2] keepdims
//       CHECK: %[[R:.+]] = kiln.rsqrt
//  CHECK-NEXT: %[[Y:.+]] = kiln.mul %[[C]], %[[R]]
//  CHECK-NEXT: return %[[Y]]
func.func @layer_norm(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %y = kiln.layer_norm %x axis 1 epsilon 1.0e-5 : tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// -----

// Groups become an axis for the statistics; scale lines up with the channels.
// CHECK-LABEL: @group_norm
//       CHECK: kiln.reshape %{{.+}} [2, 4, 2, 5] : tensor<2x8x5xf32> -> tensor<2x4x2x5xf32>
//       CHECK: kiln.reduce mean %{{.+}} axes [2, 3] keepdims
//       CHECK: kiln.reshape %{{.+}} [2, 8, 5]
//       CHECK: kiln.reshape %{{.+}} [8, 1] : tensor<8xf32> -> tensor<8x1xf32>
func.func @group_norm(%x: tensor<2x8x5xf32>, %s: tensor<8xf32>) -> tensor<2x8x5xf32> {
  %y = kiln.group_norm %x scale(%s : tensor<8xf32>) groups 4 epsilon 1.0e-5 : tensor<2x8x5xf32>
  return %y : tensor<2x8x5xf32>
}

// -----

// What depends on the parameters only has their shape, so that it can run once.
// CHECK-LABEL: @batch_norm
//       CHECK: %[[F:.+]] = kiln.mul %{{.+}}, %{{.+}} : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
//       CHECK: %[[S:.+]] = kiln.sub %{{.+}} : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
//       CHECK: kiln.mul %{{.+}} : tensor<2x8x5xf32>, tensor<8x1xf32> -> tensor<2x8x5xf32>
//       CHECK: kiln.add %{{.+}} : tensor<2x8x5xf32>, tensor<8x1xf32> -> tensor<2x8x5xf32>
func.func @batch_norm(%x: tensor<2x8x5xf32>, %c: tensor<8xf32>) -> tensor<2x8x5xf32> {
  %y = kiln.batch_norm %x, %c, %c, %c, %c epsilon 1.0e-5
    : tensor<2x8x5xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return %y : tensor<2x8x5xf32>
}
