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
//       CHECK: linalg.index 0
//       CHECK: linalg.yield %{{.+}}, %{{.+}} : f32, i64
func.func @arg_max(%x: tensor<8x4xf32>) -> tensor<4xi64> {
  %y = kiln.arg_reduce max %x axis 0 : tensor<8x4xf32> -> tensor<4xi64>
  return %y : tensor<4xi64>
}

// -----

// Along rows two reductions, each of one value: the extreme, then the first place that holds it.
// CHECK-LABEL: @arg_min_rows
//       CHECK: linalg.generic
//       CHECK: arith.minimumf
//       CHECK: linalg.generic
//       CHECK: arith.cmpf oeq
//       CHECK: linalg.index 1
//       CHECK: arith.minsi %{{.+}}, %{{.+}} : i32
//       CHECK: arith.extsi %{{.+}} : i32 to i64
func.func @arg_min_rows(%x: tensor<8x4xf32>) -> tensor<8xi64> {
  %y = kiln.arg_reduce min %x axis 1 : tensor<8x4xf32> -> tensor<8xi64>
  return %y : tensor<8xi64>
}

// -----

// The last of equal places; an unknown number of them is counted in 64 bits.
// CHECK-LABEL: @arg_max_last
//       CHECK: arith.maximumf
//       CHECK: arith.maxsi %{{.+}}, %{{.+}} : i64
func.func @arg_max_last(%x: tensor<8x?xf32>) -> tensor<8xi64> {
  %y = kiln.arg_reduce max %x axis 1 select_last : tensor<8x?xf32> -> tensor<8xi64>
  return %y : tensor<8xi64>
}

// -----

// Along a line the total stays in a register; lines are independent of each other.
// CHECK-LABEL: @exclusive
//       CHECK: scf.forall
//       CHECK: scf.for {{.*}} iter_args(%[[TOTAL:.+]] = %{{.+}}, %[[LINE:.+]] = %{{.+}}) -> (f32, tensor<4xf32>)
//       CHECK: %[[NEXT:.+]] = arith.addf %[[TOTAL]]
//       CHECK: %[[WRITTEN:.+]] = tensor.insert %[[TOTAL]] into %[[LINE]]
//       CHECK: scf.yield %[[NEXT]], %[[WRITTEN]]
func.func @exclusive(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = kiln.cumulative sum %x axis 1 exclusive : tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// Rows are added as vectors: a row of totals is carried, and what is written leaves the same loop.
// CHECK-LABEL: @rows
//   CHECK-NOT: scf.forall
//       CHECK: scf.for
//       CHECK: linalg.generic {{.*}} outs(%{{.+}}, %{{.+}} : tensor<16xf32>, tensor<16xf32>)
//       CHECK: linalg.yield %{{.+}}, %{{.+}} : f32, f32
func.func @rows(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = kiln.cumulative sum %x axis 0 : tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

// Nothing is computed for results without elements.
// CHECK-LABEL: @nothing
//   CHECK-NOT: scf.for
//       CHECK: tensor.empty(%{{.+}}) : tensor<0x?xf32>
func.func @nothing(%x: tensor<0x?xf32>) -> tensor<0x?xf32> {
  %y = kiln.cumulative sum %x axis 1 : tensor<0x?xf32>
  return %y : tensor<0x?xf32>
}
