// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-host-sink-pads))" --split-input-file | FileCheck %s

// Positive: the tile reads at most what is inside and pads that; the pad's extents stay those of the tile.
// CHECK-LABEL: @tile
//  CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x30xf32>
//   CHECK-NOT: tensor.pad
//       CHECK: scf.forall
//       CHECK: %[[S:.+]] = tensor.extract_slice %[[X]]
//       CHECK: tensor.pad %[[S]] {{.*}}
//       CHECK: to tensor<8x12xf32>
func.func @tile(%x: tensor<8x30xf32>, %out: tensor<8x30xf32>) -> tensor<8x30xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x30xf32> to tensor<8x32xf32>
  %r = scf.forall (%t) in (3) shared_outs(%o = %out) -> (tensor<8x30xf32>) {
    %at = affine.apply affine_map<(d0) -> (d0 * 10)>(%t)
    %window = tensor.extract_slice %p[0, %at] [8, 12] [1, 1] : tensor<8x32xf32> to tensor<8x12xf32>
    %inner = tensor.extract_slice %window[0, 1] [8, 10] [1, 1] : tensor<8x12xf32> to tensor<8x10xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %inner into %o[0, %at] [8, 10] [1, 1] : tensor<8x10xf32> into tensor<8x30xf32>
    }
  }
  return %r : tensor<8x30xf32>
}

// -----

// A shorter last tile: the pad has the extents of a whole one, and the slice that counts is taken from it.
// CHECK-LABEL: @short_tile
//       CHECK: scf.forall
//       CHECK: %[[P:.+]] = tensor.pad
//       CHECK: to tensor<8x12xf32>
//       CHECK: tensor.extract_slice %[[P]][0, 0] [8, %{{.+}}] [1, 1]
func.func @short_tile(%x: tensor<8x25xf32>, %out: tensor<8x25xf32>) -> tensor<8x25xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x25xf32> to tensor<8x27xf32>
  %r = scf.forall (%t) in (3) shared_outs(%o = %out) -> (tensor<8x25xf32>) {
    %at = affine.apply affine_map<(d0) -> (d0 * 10)>(%t)
    %size = affine.min affine_map<(d0) -> (10, d0 * -10 + 25)>(%t)
    %reads = affine.apply affine_map<(d0) -> (d0 + 2)>(%size)
    %window = tensor.extract_slice %p[0, %at] [8, %reads] [1, 1] : tensor<8x27xf32> to tensor<8x?xf32>
    %inner = tensor.extract_slice %window[0, 1] [8, %size] [1, 1] : tensor<8x?xf32> to tensor<8x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %inner into %o[0, %at] [8, %size] [1, 1] : tensor<8x?xf32> into tensor<8x25xf32>
    }
  }
  return %r : tensor<8x25xf32>
}

// -----

// Does not apply: outside of tiles a slice of a pad is left to others.
// CHECK-LABEL: @no_tile
//       CHECK: tensor.pad
//       CHECK: tensor.extract_slice
func.func @no_tile(%x: tensor<8x30xf32>) -> tensor<8x12xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x30xf32> to tensor<8x32xf32>
  %window = tensor.extract_slice %p[0, 5] [8, 12] [1, 1] : tensor<8x32xf32> to tensor<8x12xf32>
  return %window : tensor<8x12xf32>
}
