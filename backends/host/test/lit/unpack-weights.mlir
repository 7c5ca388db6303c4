// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-host-unpack-weights))" --split-input-file | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#from = affine_map<(k, p, n) -> (p, k, n)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// Positive: the product reads the panels; its columns are two loops.
// CHECK-DAG: #[[A:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
// CHECK-DAG: #[[B:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
// CHECK-DAG: #[[C:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: @panels
//       CHECK: %[[I:.+]] = tensor.expand_shape {{.+}} {{\[\[}}0], [1, 2]] {{.*}} into tensor<8x6x16xf32>
//       CHECK: %[[R:.+]] = linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]]
//  CHECK-SAME:   ins(%arg0, %arg1 : tensor<8x32xf32>, tensor<6x32x16xf32>) outs(%[[I]] : tensor<8x6x16xf32>)
//       CHECK: tensor.collapse_shape %[[R]] {{\[\[}}0], [1, 2]]
func.func @panels(%x: tensor<8x32xf32>, %w: tensor<6x32x16xf32>, %i: tensor<8x96xf32>) -> tensor<8x96xf32> {
  %e = tensor.empty() : tensor<32x6x16xf32>
  %t = linalg.generic {indexing_maps = [#from, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<6x32x16xf32>) outs(%e : tensor<32x6x16xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<32x6x16xf32>
  %m = tensor.collapse_shape %t [[0], [1, 2]] : tensor<32x6x16xf32> into tensor<32x96xf32>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %m : tensor<8x32xf32>, tensor<32x96xf32>) outs(%i : tensor<8x96xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<8x96xf32>
  return %y : tensor<8x96xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#from = affine_map<(k, p, n) -> (p, k, n)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// Negative: the panels are along the sum.
// CHECK-LABEL: @along_the_sum
//       CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
func.func @along_the_sum(%x: tensor<8x96xf32>, %w: tensor<6x32x16xf32>, %i: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %e = tensor.empty() : tensor<32x6x16xf32>
  %t = linalg.generic {indexing_maps = [#from, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<6x32x16xf32>) outs(%e : tensor<32x6x16xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<32x6x16xf32>
  %m = tensor.collapse_shape %t [[0], [1, 2]] : tensor<32x6x16xf32> into tensor<32x96xf32>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %m : tensor<8x96xf32>, tensor<32x96xf32>) outs(%i : tensor<8x32xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#from = affine_map<(k, h, p, n) -> (p, k, n, h)>
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// Positive: panels of pairs cut the sum as well; the other factor is viewed as pairs.
// CHECK-DAG: #[[A:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[B:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d2, d4)>
// CHECK-DAG: #[[C:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-LABEL: @pairs
//       CHECK: %[[X:.+]] = tensor.expand_shape {{.+}} {{\[\[}}0], [1, 2]] {{.*}} : tensor<8x32xi8> into tensor<8x16x2xi8>
//       CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
//  CHECK-SAME:   ins(%[[X]], %arg1 : tensor<8x16x2xi8>, tensor<6x16x16x2xi8>)
func.func @pairs(%x: tensor<8x32xi8>, %w: tensor<6x16x16x2xi8>, %i: tensor<8x96xi32>) -> tensor<8x96xi32> {
  %e = tensor.empty() : tensor<16x2x6x16xi8>
  %t = linalg.generic {indexing_maps = [#from, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<6x16x16x2xi8>) outs(%e : tensor<16x2x6x16xi8>) {
  ^bb0(%v: i8, %o: i8):
    linalg.yield %v : i8
  } -> tensor<16x2x6x16xi8>
  %m = tensor.collapse_shape %t [[0, 1], [2, 3]] : tensor<16x2x6x16xi8> into tensor<32x96xi8>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %m : tensor<8x32xi8>, tensor<32x96xi8>) outs(%i : tensor<8x96xi32>) {
  ^bb0(%l: i8, %r: i8, %o: i32):
    %u = arith.extui %l : i8 to i32
    %v = arith.extsi %r : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<8x96xi32>
  return %y : tensor<8x96xi32>
}

// -----

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
#from = affine_map<(b, k, p, n) -> (b, p, k, n)>
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// Positive: panels of several matrices.
// CHECK: #[[B:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4, d3)>
// CHECK-LABEL: @several
//       CHECK: linalg.generic {indexing_maps = [#{{.+}}, #[[B]], #{{.+}}]{{.*}} ins(%arg0, %arg1 : tensor<2x8x32xf32>, tensor<2x6x32x16xf32>)
func.func @several(%x: tensor<2x8x32xf32>, %w: tensor<2x6x32x16xf32>, %i: tensor<2x8x96xf32>) -> tensor<2x8x96xf32> {
  %e = tensor.empty() : tensor<2x32x6x16xf32>
  %t = linalg.generic {indexing_maps = [#from, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<2x6x32x16xf32>) outs(%e : tensor<2x32x6x16xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<2x32x6x16xf32>
  %m = tensor.collapse_shape %t [[0], [1], [2, 3]] : tensor<2x32x6x16xf32> into tensor<2x32x96xf32>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %m : tensor<2x8x32xf32>, tensor<2x32x96xf32>) outs(%i : tensor<2x8x96xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x8x96xf32>
  return %y : tensor<2x8x96xf32>
}
