// RUN: jit-opt %s --kiln-to-linalg --split-input-file | FileCheck %s

// The mean adds up in f32, divides by the number of elements and puts the reduced axis back.
// CHECK-LABEL: @mean
//       CHECK: linalg.fill ins(%{{.+}} : f32)
//       CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
//       CHECK: arith.extf
//       CHECK: arith.addf
//       CHECK: arith.divf
//       CHECK: arith.truncf
//       CHECK: tensor.expand_shape %{{.+}} {{\[\[}}0, 1]] output_shape [8, 1]
func.func @mean(%x: tensor<8x?xbf16>) -> tensor<8x1xbf16> {
  %y = kiln.reduce mean %x axes [1] keepdims : tensor<8x?xbf16> -> tensor<8x1xbf16>
  return %y : tensor<8x1xbf16>
}

// -----

// Unsigned bytes: the largest of them starts at 0 and compares unsigned.
// CHECK-LABEL: @unsigned_max
//       CHECK: arith.constant 0 : i8
//       CHECK: arith.maxui
func.func @unsigned_max(%x: tensor<8x4xui8>) -> tensor<4xui8> {
  %y = kiln.reduce max %x axes [0] : tensor<8x4xui8> -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// -----

// NaN propagates through max.
// CHECK-LABEL: @max
//       CHECK: arith.constant 0xFF800000 : f32
//       CHECK: arith.maximumf
func.func @max(%x: tensor<8x4xf32>) -> tensor<f32> {
  %y = kiln.reduce max %x axes [0, 1] : tensor<8x4xf32> -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// Two results by one loop: the extreme so far and its index; the first NaN wins.
// CHECK-LABEL: @arg_max
//       CHECK: linalg.generic
//   CHECK-DAG: arith.cmpf ogt
//   CHECK-DAG: arith.cmpf uno
//       CHECK: linalg.index 1
//       CHECK: linalg.yield %{{.+}}, %{{.+}} : f32, i64
func.func @arg_max(%x: tensor<8x4xf32>) -> tensor<8xi64> {
  %y = kiln.arg_reduce max %x axis 1 : tensor<8x4xf32> -> tensor<8xi64>
  return %y : tensor<8xi64>
}

// -----

// An exclusive sum is written before the running total moves on, which it then does in place.
// CHECK-LABEL: @exclusive
//       CHECK: scf.for
//       CHECK: tensor.extract_slice
//       CHECK: tensor.insert_slice
//       CHECK: linalg.generic
//       CHECK: scf.yield
func.func @exclusive(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = kiln.cumulative sum %x axis 1 exclusive : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
