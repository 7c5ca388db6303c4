// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-npu-lower-kernels,kiln-npu-lower-scalar)" --split-input-file --verify-diagnostics | FileCheck %s

// Sums of 64 bits have no vector form: a piece of the rows for each block, sums in registers.
// CHECK-LABEL: func.func @sum
// CHECK-SAME: kiln.template = "scalar", npu.blocks = 48 : i64, npu.core = "aiv", npu.scalar_reason = "npu: elements of type
// CHECK-DAG: %[[X:.+]] = npu.address %arg0
// CHECK-DAG: %[[Y:.+]] = npu.address %arg1
// CHECK: npu.block_idx
// CHECK: scf.for
// CHECK:   scf.for {{.*}} iter_args(%[[SUM:.+]] =
// CHECK:     %[[E:.+]] = npu.lds <gm>
// CHECK:     arith.addi %[[SUM]], %[[E]] : i64
// CHECK:   npu.sts %{{.+}}, <gm>
kiln.kernel @sum(%x: tensor<64x200xi64>) -> tensor<64xi64> {
  %0 = kiln.reduce sum %x axes [1] : tensor<64x200xi64> -> tensor<64xi64>
  kiln.yield %0 : tensor<64xi64>
}

// -----

// What the vector unit computes is none of it.
// CHECK-LABEL: func.func @vector
// CHECK-SAME: kiln.template = "elementwise"
// CHECK-NOT: npu.lds
kiln.kernel @vector(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = kiln.exp %x : tensor<64xf32>
  kiln.yield %0 : tensor<64xf32>
}

// -----

// f64 has no arithmetic on any unit.
kiln.kernel @f64(%x: tensor<8xf64>) -> tensor<8xf64> {
  // expected-error @+1 {{npu: 'kiln.exp' on elements of type 'f64': no unit of the chip computes them}}
  %0 = kiln.exp %x : tensor<8xf64>
  kiln.yield %0 : tensor<8xf64>
}

// -----

// A tensor without elements needs no tiles.
// CHECK-LABEL: func.func @nothing
// CHECK-SAME: npu.scalar_reason = "npu: a tensor without elements"
kiln.kernel @nothing(%x: tensor<0x8xf32>) -> tensor<0x8xf32> {
  %0 = kiln.exp %x : tensor<0x8xf32>
  kiln.yield %0 : tensor<0x8xf32>
}
