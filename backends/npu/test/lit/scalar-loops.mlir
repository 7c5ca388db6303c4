// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-npu-scalar-loops))" --split-input-file | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
// Rows are apart, columns are summed in a value that starts from the output.
// CHECK-LABEL: @sum
// CHECK: scf.parallel (%[[I:.+]]) =
// CHECK:   %[[BEFORE:.+]] = memref.load %arg1[%[[I]]]
// CHECK:   %[[SUM:.+]] = scf.for %[[J:.+]] = {{.*}} iter_args(%[[CARRIED:.+]] = %[[BEFORE]])
// CHECK:     %[[X:.+]] = memref.load %arg0[%[[I]], %[[J]]]
// CHECK:     %[[NEXT:.+]] = arith.addf %[[CARRIED]], %[[X]]
// CHECK:     scf.yield %[[NEXT]]
// CHECK:   memref.store %[[SUM]], %arg1[%[[I]]]
func.func @sum(%x: memref<8x64xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x64xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %s, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Sums that start from a number need not have it written first.
// CHECK-LABEL: @filled
// CHECK-SAME: %[[ZERO:[a-z0-9]+]]: f32
// CHECK-NOT: scf.parallel
// CHECK: scf.parallel
// CHECK-NOT: memref.load %arg1
// CHECK:   scf.for {{.*}} iter_args(%{{.+}} = %[[ZERO]])
// CHECK-NOT: scf.parallel
func.func @filled(%x: memref<8x64xf32>, %y: memref<8xf32>, %zero: f32) {
  linalg.fill ins(%zero : f32) outs(%y : memref<8xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x64xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %0 = arith.addf %s, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The same where the number became part of the op that writes it.
// CHECK-LABEL: @filled_with_a_constant
// CHECK: %[[ZERO:.+]] = arith.constant 0 : i32
// CHECK-NOT: scf.parallel
// CHECK: scf.parallel
// CHECK:   scf.for {{.*}} iter_args(%{{.+}} = %[[ZERO]])
// CHECK-NOT: scf.parallel
func.func @filled_with_a_constant(%x: memref<8x64xi32>, %y: memref<8xi32>) {
  %zero = arith.constant 0 : i32
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<8xi32>) {
  ^bb0(%before: i32):
    linalg.yield %zero : i32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x64xi32>) outs(%y : memref<8xi32>) {
  ^bb0(%a: i32, %s: i32):
    %0 = arith.addi %s, %a : i32
    linalg.yield %0 : i32
  }
  return
}

// -----

// An output that the body does not read is not read.
// CHECK-LABEL: @copy
// CHECK: scf.parallel
// CHECK-NOT: memref.load %arg1
// CHECK: memref.store %{{.+}}, %arg1
func.func @copy(%x: memref<8xf32>, %y: memref<8xf32>) {
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  return
}

// -----

// A map has no argument for its output.
// CHECK-LABEL: @mapped
// CHECK: scf.parallel (%[[I:.+]]) =
// CHECK:   %[[X:.+]] = memref.load %arg0[%[[I]]]
// CHECK:   %[[Y:.+]] = arith.negf %[[X]]
// CHECK:   memref.store %[[Y]], %arg1[%[[I]]]
func.func @mapped(%x: memref<64xf32>, %y: memref<64xf32>) {
  linalg.map ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) (%a: f32) {
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  }
  return
}
