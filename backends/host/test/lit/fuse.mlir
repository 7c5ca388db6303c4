// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-host-fuse))" --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Positive: the exponentials are summed where they are computed.
// CHECK-LABEL: @into_reduction
//       CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
//       CHECK: math.exp
//       CHECK: arith.addf
//   CHECK-NOT: math.exp
func.func @into_reduction(%x: tensor<8x64xf32>, %init: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<8x64xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %o, %a : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
#line = affine_map<(d0) -> (d0)>

// Negative: the exponentials of a row would be computed again for each of 1000 rows.
// CHECK-LABEL: @not_recomputed
//       CHECK: math.exp
//       CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
//   CHECK-NOT: math.exp
func.func @not_recomputed(%x: tensor<1000x64xf32>, %y: tensor<64xf32>) -> tensor<1000x64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %p = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]}
      ins(%y : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  %f = tensor.empty() : tensor<1000x64xf32>
  %s = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %p : tensor<1000x64xf32>, tensor<64xf32>) outs(%f : tensor<1000x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<1000x64xf32>
  return %s : tensor<1000x64xf32>
}

// -----

#line = affine_map<(d0) -> (d0)>

// Negative: a rounding that was asked for stays, without its mark.
// CHECK-LABEL: @rounding_asked_for
//       CHECK: arith.truncf %{{.+}} : f32 to bf16
//       CHECK: arith.extf
//       CHECK: arith.addf
func.func @rounding_asked_for(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %q = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.truncf %a to_nearest_even : f32 to bf16
    %w = arith.extf %n : bf16 to f32
    %v = arith.addf %w, %w : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  return %q : tensor<64xf32>
}

// -----

#line = affine_map<(d0) -> (d0)>

// Positive: between two fused ops a bf16 result is not rounded.
// CHECK-LABEL: @no_rounding
//       CHECK: arith.extf
//       CHECK: arith.mulf
//   CHECK-NOT: arith.extf
//       CHECK: arith.addf
//       CHECK: arith.truncf
//   CHECK-NOT: arith.truncf
func.func @no_rounding(%x: tensor<64xbf16>) -> tensor<64xbf16> {
  %e = tensor.empty() : tensor<64xbf16>
  %p = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]}
      ins(%x : tensor<64xbf16>) outs(%e : tensor<64xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %w = arith.extf %a : bf16 to f32
    %v = arith.mulf %w, %w : f32
    %n = arith.truncf %v : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<64xbf16>
  %q = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]}
      ins(%p : tensor<64xbf16>) outs(%e : tensor<64xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %w = arith.extf %a : bf16 to f32
    %v = arith.addf %w, %w : f32
    %n = arith.truncf %v : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<64xbf16>
  return %q : tensor<64xbf16>
}

// -----

// Positive: a collapse behind an expand of several unknown extents leaves one expand, with its sizes.
// CHECK-LABEL: @collapse_of_expand
//  CHECK-SAME: %[[X:.+]]: tensor<?xf32>, %[[B:.+]]: index, %[[K:.+]]: index
//       CHECK: %[[E:.+]] = tensor.expand_shape %[[X]] {{\[\[}}0, 1]] output_shape [%[[B]], %[[K]]]
//  CHECK-SAME: tensor<?xf32> into tensor<?x?xf32>
//   CHECK-NOT: tensor.collapse_shape
func.func @collapse_of_expand(%x: tensor<?xf32>, %b: index, %k: index) -> tensor<?x?xf32> {
  %e = tensor.expand_shape %x [[0, 1, 2, 3]] output_shape [%b, 1, 1, %k] : tensor<?xf32> into tensor<?x1x1x?xf32>
  %c = tensor.collapse_shape %e [[0, 1, 2], [3]] : tensor<?x1x1x?xf32> into tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// -----

#line = affine_map<(d0) -> (d0)>

// Positive: an op that is read twice is computed once, however long the chain.
// CHECK-LABEL: @doubled
//       CHECK: linalg.generic
// CHECK-COUNT-3: arith.addf
//   CHECK-NOT: arith.addf
func.func @doubled(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %p = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%x, %x : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  %q = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%p, %p : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#line, #line, #line], iterator_types = ["parallel"]}
      ins(%q, %q : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// Positive: an extent of an expand is the one that it states, also where a group has several unknown ones.
// CHECK-LABEL: @dim_of_expand
//  CHECK-SAME: %{{.+}}: tensor<?xf32>, %[[B:.+]]: index, %[[S:.+]]: index
//   CHECK-NOT: floordiv
//       CHECK: return %[[B]], %[[S]] : index, index
func.func @dim_of_expand(%x: tensor<?xf32>, %b: index, %s: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.expand_shape %x [[0, 1]] output_shape [%b, %s] : tensor<?xf32> into tensor<?x?xf32>
  %d0 = tensor.dim %e, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %e, %c1 : tensor<?x?xf32>
  return %d0, %d1 : index, index
}

// -----

// Positive: a product that is 0 whatever it starts from still starts from 1: there may be nothing to multiply.
// CHECK-LABEL: @product_of_zeros
//       CHECK: %[[ONES:.+]] = linalg.generic {{.*}}["parallel"]
//       CHECK: linalg.generic {{.*}}"reduction"]{{.*}} outs(%[[ONES]] : tensor<7xi16>)
//   CHECK-NOT: builtin.unrealized_conversion_cast
//       CHECK: return
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
