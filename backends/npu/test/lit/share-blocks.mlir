// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-npu-share-blocks,canonicalize))" --split-input-file | FileCheck %s

// A piece for each block; 24 whole blocks of 32 bytes are the least that 48 of them need.
// CHECK-LABEL: @pieces
// CHECK-SAME: npu.blocks = 48
// CHECK: %[[B:.+]] = npu.block_idx
// CHECK: %[[FIRST:.+]] = arith.muli %[[B]], %c24
// CHECK: scf.for %{{.+}} = %[[FIRST]] to
// CHECK-NOT: npu.meet
func.func @pieces(%x: memref<1000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %s = arith.constant 2.0 : f32
  scf.parallel (%i) = (%c0) to (%c1000) step (%c1) {
    memref.store %s, %x[%i] : memref<1000xf32>
  }
  return
}

// -----

// Blocks meet where one reads what others wrote; what cannot be cut is the first block's.
// CHECK-LABEL: @meets
// CHECK: memref.alloc() {npu.shared}
// CHECK: scf.for
// CHECK: npu.meet
// CHECK: %[[IS_FIRST:.+]] = arith.cmpi eq
// CHECK: scf.if %[[IS_FIRST]]
// CHECK:   scf.while
func.func @meets(%y: memref<1000xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %s = arith.constant 2 : i32
  %t = memref.alloc() : memref<1000xi32>
  scf.parallel (%i) = (%c0) to (%c1000) step (%c1) {
    memref.store %s, %t[%i] : memref<1000xi32>
  }
  scf.while (%i = %c0) : (index) -> index {
    %v = memref.load %t[%i] : memref<1000xi32>
    memref.store %v, %y[%i] : memref<1000xi32>
    %more = arith.cmpi eq, %v, %s : i32
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

// -----

// A loop around independent ones is run by all blocks, which meet in each round.
// CHECK-LABEL: @rounds
// CHECK: scf.for
// CHECK:   scf.for
// CHECK:   npu.meet
// CHECK-NEXT: }
func.func @rounds(%x: memref<1000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c1000 = arith.constant 1000 : index
  scf.for %t = %c0 to %c10 step %c1 {
    scf.parallel (%i) = (%c0) to (%c1000) step (%c1) {
      %v = memref.load %x[%i] : memref<1000xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<1000xf32>
    }
  }
  return
}

// -----

// A value that one block computes and all use: one block.
// CHECK-LABEL: @single
// CHECK-SAME: npu.blocks = 1
// CHECK-NOT: npu.block_idx
func.func @single(%x: memref<1000xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = arith.constant 2.0 : f32
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> index {
    memref.store %s, %x[%i] : memref<1000xf32>
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  scf.parallel (%i) = (%c0) to (%count) step (%c1) {
    memref.store %s, %x[%i] : memref<1000xf32>
  }
  return
}
