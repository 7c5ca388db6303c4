// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-npu-scalar-results)" | FileCheck %s

// CHECK: func.func @kernel(%[[X:.+]]: memref<4xf32>, %[[Y:.+]]: memref<4xf32>)
// CHECK: %[[T:.+]] = bufferization.to_tensor %[[X]] restrict
// CHECK: bufferization.materialize_in_destination %[[T]] in restrict writable %[[Y]]
// CHECK: return{{$}}
func.func @kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kiln.kernel} {
  return %x : tensor<4xf32>
}

// Not a kernel.
// CHECK: func.func @other(%{{.+}}: tensor<4xf32>) -> tensor<4xf32>
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
