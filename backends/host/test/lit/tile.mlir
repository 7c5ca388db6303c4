// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-host-destinations,func.func(kiln-host-tile{vector-bits=256}))" --split-input-file | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// Positive: a long elementwise op is cut into tiles, which write the result's buffer.
// CHECK-LABEL: @elementwise
//  CHECK-SAME: kiln.flops = array<i64: 0, 1, 0, 1048576, 4, 0>
//  CHECK-SAME: kiln.template = "elementwise"
//       CHECK: scf.forall (%[[I:.+]]) in (64) shared_outs(%[[O:.+]] =
//       CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<16384xf32>)
//       CHECK: tensor.parallel_insert_slice {{.*}} into %[[O]]
func.func @elementwise(%x: tensor<1048576xf32>) -> tensor<1048576xf32> attributes {kiln.kernel} {
  %e = tensor.empty() : tensor<1048576xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<1048576xf32>) outs(%e : tensor<1048576xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %a : f32
    linalg.yield %v : f32
  } -> tensor<1048576xf32>
  return %r : tensor<1048576xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Positive: the sums of a tile's rows are computed in the tile; the rows themselves are not cut.
// CHECK-LABEL: @rows
//  CHECK-SAME: kiln.template = "rows"
//       CHECK: scf.forall
//       CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.+}} : tensor<{{[0-9]+}}x512xf32>)
//       CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
//       CHECK: tensor.parallel_insert_slice
func.func @rows(%x: tensor<64x512xf32>) -> tensor<64x512xf32> attributes {kiln.kernel} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x512xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %o, %a : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  %e = tensor.empty() : tensor<64x512xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<64x512xf32>, tensor<64xf32>) outs(%e : tensor<64x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.divf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<64x512xf32>
  return %r : tensor<64x512xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0, d1) -> ()>

// Negative: a sum over everything would be computed again in every tile, so there is one.
// CHECK-LABEL: @whole
//       CHECK: scf.forall (%{{.+}}) in (1)
func.func @whole(%x: tensor<64x512xf32>) -> tensor<64x512xf32> attributes {kiln.kernel} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<64x512xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %o, %a : f32
    linalg.yield %v : f32
  } -> tensor<f32>
  %e = tensor.empty() : tensor<64x512xf32>
  %r = linalg.generic {indexing_maps = [#id, #all, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<64x512xf32>, tensor<f32>) outs(%e : tensor<64x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.divf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<64x512xf32>
  return %r : tensor<64x512xf32>
}

// -----

// Positive: a transpose over three loops is cut to squares of the two whose elements are neighbours; the one between them gets the rest.
// CHECK-LABEL: @channels_first
//  CHECK-SAME: kiln.template = "transpose"
//       CHECK: scf.forall
//       CHECK: linalg.generic {{.*}} ins(%{{.+}} : tensor<4x64x64xf32>) outs(%{{.+}} : tensor<64x4x64xf32>)
func.func @channels_first(%x: tensor<128x128x64xf32>) -> tensor<64x128x128xf32> attributes {kiln.kernel} {
  %e = tensor.empty() : tensor<64x128x128xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<128x128x64xf32>) outs(%e : tensor<64x128x128xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<64x128x128xf32>
  return %r : tensor<64x128x128xf32>
}
