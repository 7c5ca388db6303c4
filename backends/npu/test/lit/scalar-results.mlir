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

// Two results are made of one tensor: its buffer cannot be either's, which the other would overwrite.
// CHECK-LABEL: func.func @made_of_one
// CHECK: %[[EMPTY:.+]] = tensor.empty() : tensor<1xi64>
// CHECK: %[[FILLED:.+]] = linalg.fill {{.*}} outs(%[[EMPTY]] : tensor<1xi64>)
// CHECK: tensor.insert {{.*}} into %[[FILLED]]
// CHECK: tensor.insert {{.*}} into %[[FILLED]]
// CHECK: %[[OWN:.+]] = bufferization.to_tensor %{{.+}} restrict writable
// CHECK: tensor.insert {{.*}} into %[[OWN]]
func.func @made_of_one(%n: i64) -> (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) attributes {kiln.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %empty = tensor.empty() : tensor<1xi64>
  %filled = linalg.fill ins(%zero : i64) outs(%empty : tensor<1xi64>) -> tensor<1xi64>
  %a = tensor.insert %n into %filled[%c0] : tensor<1xi64>
  %b = tensor.insert %one into %filled[%c0] : tensor<1xi64>
  %other = tensor.empty() : tensor<1xi64>
  %c = tensor.insert %n into %other[%c0] : tensor<1xi64>
  return %a, %b, %c : tensor<1xi64>, tensor<1xi64>, tensor<1xi64>
}
