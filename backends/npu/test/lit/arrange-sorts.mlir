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

// The first three of 10,000: of two parts of 4096 and of the rest, then of what those gave.
// CHECK-LABEL: @long
// CHECK: kiln.reshape {{.*}} -> tensor<7x2x4096xf32>
// CHECK: kiln.top_k {{.*}} -> tensor<7x2x3xf32>, tensor<7x2x3xi64>
// CHECK: kiln.top_k {{.*}} : tensor<7x1808xf32> -> tensor<7x3xf32>, tensor<7x3xi64>
// CHECK: kiln.top_k {{.*}} : tensor<7x9xf32>
// CHECK: kiln.gather {{.*}} tensor<7x9xi64>, tensor<7x3xi64> -> tensor<7x3xi64>
func.func @long(%x: tensor<7x10000xf32>) -> (tensor<7x3xf32>, tensor<7x3xi64>) {
  %0, %1 = kiln.top_k %x k [3] axis 1 : tensor<7x10000xf32> -> tensor<7x3xf32>, tensor<7x3xi64>
  return %0, %1 : tensor<7x3xf32>, tensor<7x3xi64>
}

// Rows, rows one behind the other, columns that no tile holds or of elements that nothing sorts.
// CHECK-LABEL: @left
// CHECK-NOT: kiln.transpose
// CHECK: return
func.func @left(%x: tensor<8x50xf32>, %y: tensor<50x1xf32>, %z: tensor<5000x8xf32>, %w: tensor<50x8xi64>) -> (tensor<8x50xf32>, tensor<50x1xf32>, tensor<5000x8xf32>, tensor<50x8xi64>) {
  %0, %1 = kiln.sort %x axis 1 : tensor<8x50xf32> -> tensor<8x50xf32>, tensor<8x50xi64>
  %2, %3 = kiln.sort %y axis 0 : tensor<50x1xf32> -> tensor<50x1xf32>, tensor<50x1xi64>
  %4, %5 = kiln.sort %z axis 0 : tensor<5000x8xf32> -> tensor<5000x8xf32>, tensor<5000x8xi64>
  %6, %7 = kiln.sort %w axis 0 : tensor<50x8xi64> -> tensor<50x8xi64>, tensor<50x8xi64>
  return %0, %2, %4, %6 : tensor<8x50xf32>, tensor<50x1xf32>, tensor<5000x8xf32>, tensor<50x8xi64>
}
