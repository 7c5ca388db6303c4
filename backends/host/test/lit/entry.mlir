// RUN: jit-opt %s --kiln-host-entry --split-input-file | FileCheck %s
// RUN: jit-opt %s --kiln-host-entry --kiln-host-to-llvm --kiln-host-op-lines --split-input-file | FileCheck %s --check-prefix=LLVM

// Positive: the body takes bare pointers and runs its part of the tiles; the entry has the host's ABI.
// CHECK-LABEL: llvm.func internal @k_tiles
//  CHECK-SAME: (%{{.+}}: !llvm.ptr {llvm.noalias}, %{{.+}}: !llvm.ptr {llvm.noalias}, %{{.+}}: i64, %{{.+}}: i64, %{{.+}}: i64, %{{.+}}: i64)
//       CHECK: arith.maxsi
//       CHECK: scf.for
// CHECK-LABEL: llvm.func @k(%{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr, %{{.+}}: i64, %{{.+}}: i64)
//  CHECK-SAME: kiln.constants = 2 : i64
//  CHECK-SAME: kiln.grid = array<i64: 0, 1, 1, 0, 4, 0>
//       CHECK: llvm.call @k_tiles
//  LLVM-LABEL: llvm.func internal @k_tiles
//    LLVM-NOT: {{scf|memref|arith}}.
//        LLVM: llvm.store
func.func @k(%x: memref<?xf32>, %out: memref<?xf32>) attributes {kiln.kernel} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.forall (%i) in (%n) {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  return
}

// -----

// Positive: independent loops are ranges of one grid.
// CHECK-LABEL: llvm.func @two
//  CHECK-SAME: kiln.grid = array<i64: 0, 1, 0, 4, 4, 0, 0, 1, 0, 8, 4, 0, 2, 0>
func.func @two(%x: memref<4xf32>, %a: memref<4xf32>, %b: memref<8xf32>) attributes {kiln.kernel} {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (4) {
    %v = memref.load %x[%i] : memref<4xf32>
    memref.store %v, %a[%i] : memref<4xf32>
  }
  scf.forall (%i) in (8) {
    %v = memref.load %x[%c0] : memref<4xf32>
    memref.store %v, %b[%i] : memref<8xf32>
  }
  return
}

// -----

// Negative: the second loop reads what the first one writes, so all of it is one tile.
// CHECK-LABEL: llvm.func @dependent
//  CHECK-SAME: kiln.grid = array<i64: 0, 1>
func.func @dependent(%x: memref<4xf32>, %a: memref<4xf32>, %b: memref<4xf32>) attributes {kiln.kernel} {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (4) {
    %v = memref.load %x[%i] : memref<4xf32>
    memref.store %v, %a[%i] : memref<4xf32>
  }
  scf.forall (%i) in (4) {
    %v = memref.load %a[%c0] : memref<4xf32>
    memref.store %v, %b[%i] : memref<4xf32>
  }
  return
}
