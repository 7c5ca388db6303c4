// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-host-vectorize{vector-bits=512 registers=32 mask-words=true}))" --split-input-file | FileCheck %s
// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-host-vectorize{vector-bits=128}))" --split-input-file | FileCheck %s --check-prefix=SSE

#id = affine_map<(d0) -> (d0)>

// Positive: four vectors at once, one at a time, and a masked rest; without masks the rest is smaller steps.
// CHECK-LABEL: @tails
//       CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{.+}} {
// CHECK-COUNT-4: vector.store {{.*}} vector<16xf32>
//       CHECK: vector.maskedload {{.*}} vector<16xf32>
//       CHECK: vector.maskedstore
//   SSE-LABEL: @tails
//     SSE-NOT: masked
//         SSE: memref.store
func.func @tails(%x: memref<141xf32>, %y: memref<141xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<141xf32>) outs(%y : memref<141xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %a, %a : f32
    linalg.yield %v : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Positive: a row's sum is kept in vectors and added up once.
// CHECK-LABEL: @row_sums
//       CHECK: scf.for {{.*}} iter_args
//       CHECK: vector.reduction <add>
//       CHECK: memref.store
func.func @row_sums(%x: memref<8x512xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x512xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %o, %a : f32
    linalg.yield %v : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// Positive: a transpose reads and writes whole vectors, shuffled in between.
// CHECK-LABEL: @transpose
// CHECK-COUNT-16: vector.load {{.*}} vector<16xf32>
//       CHECK: vector.shuffle
// CHECK-COUNT-16: vector.store {{.*}} vector<16xf32>
func.func @transpose(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// Channels side by side: rows of two of them are shuffled together and stored whole.
// CHECK-LABEL: @interleaved
//   CHECK-DAG: %[[A:.+]] = vector.load %{{.+}}[%c0{{.*}}, %{{.+}}] : memref<2x64xf32>, vector<16xf32>
//   CHECK-DAG: %[[B:.+]] = vector.load %{{.+}}[%c1{{.*}}, %{{.+}}] : memref<2x64xf32>, vector<16xf32>
//       CHECK: %[[LOW:.+]] = vector.shuffle %[[A]], %[[B]] [0, 16, 1, 17
//       CHECK: %[[HIGH:.+]] = vector.shuffle %[[A]], %[[B]] [8, 24, 9, 25
//       CHECK: vector.store %[[LOW]]
//       CHECK: vector.store %[[HIGH]]
func.func @interleaved(%x: memref<2x64xf32>, %y: memref<64x2xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<2x64xf32>) outs(%y : memref<64x2xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Positive: elements at indices from memory are gathered, the rest under a mask.
// CHECK-LABEL: @gather
//       CHECK: %[[I:.+]] = vector.load %{{.+}} : memref<70xindex>, vector<16xindex>
//       CHECK: vector.gather %{{.+}}[%{{.+}}] [%[[I]]], %{{.+}}, %{{.+}} : memref<64xf32>, vector<16xindex>
//       CHECK: %[[M:.+]] = arith.constant dense<[true, true, true, true, true, true, false
//       CHECK: vector.gather %{{.+}}[%{{.+}}] [%{{.+}}], %[[M]]
func.func @gather(%x: memref<64xf32>, %i: memref<70xindex>, %y: memref<70xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%i : memref<70xindex>) outs(%y : memref<70xf32>) {
  ^bb0(%a: index, %o: f32):
    %v = memref.load %x[%a] : memref<64xf32>
    linalg.yield %v : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Positive: rows at indices from memory are copied by contiguous vectors, an index a row.
// CHECK-LABEL: @rows
//       CHECK: %[[ROW:.+]] = memref.load %{{.+}} : memref<?xindex>
//   CHECK-NOT: vector.gather
//       CHECK: vector.load %{{.+}}[%[[ROW]], %{{.+}}] : memref<64x128xf32>, vector<16xf32>
//       CHECK: vector.store
func.func @rows(%x: memref<64x128xf32>, %i: memref<?xindex>, %y: memref<?x128xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%i : memref<?xindex>) outs(%y : memref<?x128xf32>) {
  ^bb0(%a: index, %o: f32):
    %j = linalg.index 1 : index
    %v = memref.load %x[%a, %j] : memref<64x128xf32>
    linalg.yield %v : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Positive: an index that falls by one is a contiguous vector turned round.
// CHECK-LABEL: @reversed
//       CHECK: %[[V:.+]] = vector.load {{.*}} vector<16xf32>
//       CHECK: vector.shuffle %[[V]], %[[V]] [15, 14, 13
func.func @reversed(%x: memref<64xf32>, %y: memref<64xf32>) {
  %last = arith.constant 63 : index
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%y : memref<64xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = arith.subi %last, %i : index
    %v = memref.load %x[%j] : memref<64xf32>
    linalg.yield %v : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Negative: a load that only some lanes make has no vector form here.
// CHECK-LABEL: @guarded
//   CHECK-NOT: vector<
//       CHECK: memref.store
func.func @guarded(%x: memref<64xf32>, %i: memref<64xindex>, %y: memref<64xf32>) {
  %end = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%i : memref<64xindex>) outs(%y : memref<64xf32>) {
  ^bb0(%a: index, %o: f32):
    %inside = arith.cmpi ult, %a, %end : index
    %v = scf.if %inside -> f32 {
      %e = memref.load %x[%a] : memref<64xf32>
      scf.yield %e : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %v : f32
  }
  return
}

// -----

#a = affine_map<(m, n, k, h) -> (m, k, h)>
#b = affine_map<(m, n, k, h) -> (k, n, h)>
#c = affine_map<(m, n, k, h) -> (m, n)>

// Positive: a product in pairs along the sum multiplies and adds two of them a lane; without byte masks AVX-512 has no
// such vectors of 512 bits.
// CHECK-LABEL: @pairs
//       CHECK: vector.bitcast %{{.+}} : vector<2xi16> to vector<1xi32>
//       CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"({{.+}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
//   SSE-LABEL: @pairs
//         SSE: arith.extsi %{{.+}} : vector<8xi8> to vector<8xi16>
//         SSE: llvm.call_intrinsic "llvm.x86.sse2.pmadd.wd"
func.func @pairs(%a: memref<4x8x2xi16>, %b: memref<8x32x2xi8>, %c: memref<4x32xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<4x8x2xi16>, memref<8x32x2xi8>) outs(%c : memref<4x32xi32>) {
  ^bb0(%x: i16, %y: i8, %o: i32):
    %u = arith.extsi %x : i16 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  }
  return
}
