// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-npu-sink-scalars))" | FileCheck %s

// Fourteen sums would wait in registers while the inner loop runs: it computes them itself.
// CHECK-LABEL: func.func @crowded
// CHECK: scf.for %[[I:.+]] =
// CHECK-NOT: arith.addi
// CHECK: scf.for
// CHECK-COUNT-14: arith.addi %[[I]]
func.func @crowded(%n: index, %out: memref<?xindex>) attributes {kiln.kernel, npu.core = "aic"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k0 = arith.constant 100 : index
  %k1 = arith.constant 101 : index
  %k2 = arith.constant 102 : index
  %k3 = arith.constant 103 : index
  %k4 = arith.constant 104 : index
  %k5 = arith.constant 105 : index
  %k6 = arith.constant 106 : index
  %k7 = arith.constant 107 : index
  %k8 = arith.constant 108 : index
  %k9 = arith.constant 109 : index
  %k10 = arith.constant 110 : index
  %k11 = arith.constant 111 : index
  %k12 = arith.constant 112 : index
  %k13 = arith.constant 113 : index
  scf.for %i = %c0 to %n step %c1 {
    %s0 = arith.addi %i, %k0 : index
    %s1 = arith.addi %i, %k1 : index
    %s2 = arith.addi %i, %k2 : index
    %s3 = arith.addi %i, %k3 : index
    %s4 = arith.addi %i, %k4 : index
    %s5 = arith.addi %i, %k5 : index
    %s6 = arith.addi %i, %k6 : index
    %s7 = arith.addi %i, %k7 : index
    %s8 = arith.addi %i, %k8 : index
    %s9 = arith.addi %i, %k9 : index
    %s10 = arith.addi %i, %k10 : index
    %s11 = arith.addi %i, %k11 : index
    %s12 = arith.addi %i, %k12 : index
    %s13 = arith.addi %i, %k13 : index
    scf.for %j = %c0 to %n step %c1 {
      memref.store %s0, %out[%j] : memref<?xindex>
      memref.store %s1, %out[%j] : memref<?xindex>
      memref.store %s2, %out[%j] : memref<?xindex>
      memref.store %s3, %out[%j] : memref<?xindex>
      memref.store %s4, %out[%j] : memref<?xindex>
      memref.store %s5, %out[%j] : memref<?xindex>
      memref.store %s6, %out[%j] : memref<?xindex>
      memref.store %s7, %out[%j] : memref<?xindex>
      memref.store %s8, %out[%j] : memref<?xindex>
      memref.store %s9, %out[%j] : memref<?xindex>
      memref.store %s10, %out[%j] : memref<?xindex>
      memref.store %s11, %out[%j] : memref<?xindex>
      memref.store %s12, %out[%j] : memref<?xindex>
      memref.store %s13, %out[%j] : memref<?xindex>
    }
  }
  return
}

// One sum finds a register and stays.
// CHECK-LABEL: func.func @roomy
// CHECK: arith.addi
// CHECK-NEXT: scf.for
func.func @roomy(%n: index, %out: memref<?xindex>) attributes {kiln.kernel, npu.core = "aic"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.addi %i, %n : index
    scf.for %j = %c0 to %n step %c1 {
      memref.store %s, %out[%j] : memref<?xindex>
    }
  }
  return
}
