// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-host-temporaries{stack-bytes=4096}))" --split-input-file | FileCheck %s

// Positive: a small buffer of a tile is one stack slot, at the entry.
// CHECK-LABEL: @small
//       CHECK: memref.alloca() {alignment = 64 : i64} : memref<256xf32>
//       CHECK: scf.forall
//   CHECK-NOT: memref.alloc
func.func @small(%out: memref<8xf32>) attributes {kiln.kernel} {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (8) {
    %t = memref.alloc() : memref<256xf32>
    %v = memref.load %t[%c0] : memref<256xf32>
    memref.store %v, %out[%i] : memref<8xf32>
  }
  return
}

// -----

// Positive: a large one is a region of the workspace, one a tile: 8 x 8192 bytes.
// CHECK-LABEL: @large
//  CHECK-SAME: (%{{.+}}: memref<8xf32>, %[[W:.+]]: memref<?xi8>)
//  CHECK-SAME: kiln.workspace = array<i64: 0, 4, 0, 2048, 4, 0, 0, 64, 6, 0, 0, 64, 4, 0, 0, 1, 0, 8, 4, 0, 4, 0>
//       CHECK: scf.forall
//       CHECK: memref.view %[[W]][%{{.+}}][] : memref<?xi8> to memref<2048xf32>
func.func @large(%out: memref<8xf32>) attributes {kiln.kernel} {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (8) {
    %t = memref.alloc() : memref<2048xf32>
    %v = memref.load %t[%c0] : memref<2048xf32>
    memref.store %v, %out[%i] : memref<8xf32>
  }
  return
}
