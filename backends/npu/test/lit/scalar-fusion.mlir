// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-npu-scalar-fusion))" | FileCheck %s

#line = affine_map<(d0) -> (d0)>
#square = affine_map<(d0, d1) -> (d0, d1)>
#box = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// Across a reshape.
// CHECK-LABEL: func.func @one_unknown
// CHECK: tensor.expand_shape %{{.+}} {{\[\[}}0, 1]] output_shape [4, %{{.+}}]
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: arith.negf
// CHECK-NOT: linalg.generic
func.func @one_unknown(%x: tensor<?xf32>, %n: index, %all: index) -> tensor<4x?xf32> {
  %empty = tensor.empty(%all) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  } -> tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [4, %n] : tensor<?xf32> into tensor<4x?xf32>
  %square = tensor.empty(%n) : tensor<4x?xf32>
  %2 = linalg.generic {indexing_maps = [#square, #square], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x?xf32>) outs(%square : tensor<4x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.negf %in : f32
    linalg.yield %m : f32
  } -> tensor<4x?xf32>
  return %2 : tensor<4x?xf32>
}

// Of several unknown extents none is inferred; a dimension is what the reshape says.
// CHECK-LABEL: func.func @several_unknown
// CHECK-SAME: (%{{.+}}: tensor<?xf32>, %[[A:.+]]: index, %[[B:.+]]: index, %{{.+}}: index)
// CHECK-NOT: floordiv
// CHECK: linalg.generic
// CHECK: tensor.expand_shape %{{.+}} {{\[\[}}0, 1, 2]] output_shape [4, %[[A]], %[[B]]]
// CHECK: tensor.empty(%[[A]], %[[B]])
// CHECK: linalg.generic
func.func @several_unknown(%x: tensor<?xf32>, %a: index, %b: index, %all: index) -> tensor<4x?x?xf32> {
  %empty = tensor.empty(%all) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  } -> tensor<?xf32>
  %1 = tensor.expand_shape %0 [[0, 1, 2]] output_shape [4, %a, %b] : tensor<?xf32> into tensor<4x?x?xf32>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %1, %c1 : tensor<4x?x?xf32>
  %n = tensor.dim %1, %c2 : tensor<4x?x?xf32>
  %box = tensor.empty(%m, %n) : tensor<4x?x?xf32>
  %2 = linalg.generic {indexing_maps = [#box, #box], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<4x?x?xf32>) outs(%box : tensor<4x?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m1 = arith.negf %in : f32
    linalg.yield %m1 : f32
  } -> tensor<4x?x?xf32>
  return %2 : tensor<4x?x?xf32>
}

// A product that is 0 whatever it starts from still starts from 1: there may be nothing to multiply.
// CHECK-LABEL: func.func @product_of_zeros
// CHECK: %[[ONES:.+]] = linalg.fill
// CHECK: linalg.generic {{.*}} outs(%[[ONES]] : tensor<7xi16>)
// CHECK-NOT: builtin.unrealized_conversion_cast
// CHECK: return
func.func @product_of_zeros(%x: tensor<?x7xi16>) -> tensor<7xi16> {
  %zero = arith.constant 0 : i16
  %one = arith.constant 1 : i16
  %empty = tensor.empty() : tensor<7xi16>
  %ones = linalg.fill ins(%one : i16) outs(%empty : tensor<7xi16>) -> tensor<7xi16>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x7xi16>) outs(%ones : tensor<7xi16>) {
  ^bb0(%in: i16, %out: i16):
    %1 = arith.muli %out, %zero : i16
    linalg.yield %1 : i16
  } -> tensor<7xi16>
  return %0 : tensor<7xi16>
}
