// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-npu-lower-kernels,canonicalize,cse)" | FileCheck %s
// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-npu-lower-kernels,canonicalize,cse,func.func(kiln-multi-buffer,kiln-plan-memory,kiln-insert-sync,kiln-verify-sync))"

// Each operand is a loop of its own.
// CHECK-LABEL: func.func @concat
// CHECK: scf.for
// CHECK: npu.load ins(%{{.*}} : memref<?x200xf32, strided<[200, 1]
// CHECK: npu.store {{.*}} outs(%{{.*}} : memref<?x200xf32, strided<[280, 1]
// CHECK: scf.for
// CHECK: npu.load ins(%{{.*}} : memref<?x80xf32, strided<[80, 1]
// CHECK: npu.store {{.*}} outs(%{{.*}} : memref<?x80xf32, strided<[280, 1]
kiln.kernel @concat(%x: tensor<300x5x40xf32>, %y: tensor<300x2x40xf32>) -> tensor<300x7x40xf32> {
  %0 = kiln.concat %x, %y axis 1 : tensor<300x5x40xf32>, tensor<300x2x40xf32> -> tensor<300x7x40xf32>
  kiln.yield %0 : tensor<300x7x40xf32>
}
