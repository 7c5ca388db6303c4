// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-host-collapse))" --split-input-file | FileCheck %s

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0)>

// Positive: the loops that the row lacks together become one.
// CHECK-LABEL: @plane
//       CHECK: tensor.collapse_shape %{{.+}} {{\[}}[0], [1, 2]]
//       CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%{{.+}}, %{{.+}} : tensor<8x512xf32>, tensor<8xf32>)
func.func @plane(%x: tensor<8x16x32xf32>, %y: tensor<8xf32>) -> tensor<8x16x32xf32> {
  %e = tensor.empty() : tensor<8x16x32xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %y : tensor<8x16x32xf32>, tensor<8xf32>) outs(%e : tensor<8x16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8x16x32xf32>
  return %r : tensor<8x16x32xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// Negative: a transpose keeps both loops.
// CHECK-LABEL: @transpose
//   CHECK-NOT: tensor.collapse_shape
//       CHECK: iterator_types = ["parallel", "parallel"]
func.func @transpose(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Negative: a slice is not dense, its rows are apart.
// CHECK-LABEL: @slice
//       CHECK: iterator_types = ["parallel", "parallel"]
func.func @slice(%x: tensor<8x64xf32>) -> tensor<8x32xf32> {
  %s = tensor.extract_slice %x[0, 8] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
  %e = tensor.empty() : tensor<8x32xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = math.absf %a : f32
    linalg.yield %v : f32
  } -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}
