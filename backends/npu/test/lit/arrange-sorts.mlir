// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-npu-arrange-sorts))" | FileCheck %s

// Only results that are read come back.
// CHECK-LABEL: @columns
// CHECK: %[[X:.+]] = kiln.transpose %{{.*}} perm [2, 1, 0] : tensor<50x8x3xf32> -> tensor<3x8x50xf32>
// CHECK: %{{.*}}, %[[I:.+]] = kiln.sort %[[X]] axis 2 descending : tensor<3x8x50xf32>
// CHECK: %[[Y:.+]] = kiln.transpose %[[I]] perm [2, 1, 0] : tensor<3x8x50xi64> -> tensor<50x8x3xi64>
// CHECK-NEXT: return %[[Y]]
func.func @columns(%x: tensor<50x8x3xf32>) -> tensor<50x8x3xi64> {
  %0, %1 = kiln.sort %x axis 0 descending : tensor<50x8x3xf32> -> tensor<50x8x3xf32>, tensor<50x8x3xi64>
  return %1 : tensor<50x8x3xi64>
}

// CHECK-LABEL: @best
// CHECK: kiln.top_k %{{.*}} k [4] axis 1 : tensor<?x50xi8> -> tensor<?x4xi8>, tensor<?x4xi64>
func.func @best(%x: tensor<50x?xi8>) -> (tensor<4x?xi8>, tensor<4x?xi64>) {
  %0, %1 = kiln.top_k %x k [4] axis -2 : tensor<50x?xi8> -> tensor<4x?xi8>, tensor<4x?xi64>
  return %0, %1 : tensor<4x?xi8>, tensor<4x?xi64>
}

// Columns of any length and elements.
// CHECK-LABEL: @long
// CHECK: kiln.sort %{{.*}} axis 1 : tensor<8x?xi64> -> tensor<8x?xi64>, tensor<8x?xi64>
func.func @long(%x: tensor<?x8xi64>) -> tensor<?x8xi64> {
  %0, %1 = kiln.sort %x axis 0 : tensor<?x8xi64> -> tensor<?x8xi64>, tensor<?x8xi64>
  return %0 : tensor<?x8xi64>
}

// Rows, rows one behind the other, elements that nothing sorts.
// CHECK-LABEL: @left
// CHECK-NOT: kiln.transpose
// CHECK: return
func.func @left(%x: tensor<8x50xf32>, %y: tensor<50x1xf32>, %z: tensor<50x8xf64>) -> (tensor<8x50xf32>, tensor<50x1xf32>, tensor<50x8xf64>) {
  %0, %1 = kiln.sort %x axis 1 : tensor<8x50xf32> -> tensor<8x50xf32>, tensor<8x50xi64>
  %2, %3 = kiln.sort %y axis 0 : tensor<50x1xf32> -> tensor<50x1xf32>, tensor<50x1xi64>
  %4, %5 = kiln.sort %z axis 0 : tensor<50x8xf64> -> tensor<50x8xf64>, tensor<50x8xi64>
  return %0, %2, %4 : tensor<8x50xf32>, tensor<50x1xf32>, tensor<50x8xf64>
}
