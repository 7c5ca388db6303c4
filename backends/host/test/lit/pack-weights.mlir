// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-form-kernels,kiln-host-pack-weights{vector-bits=256 registers=16})" --split-input-file | FileCheck %s

// Positive: columns are cut into panels of 16 by a launch that depends on the weight alone; the kernel says the matrix.
// CHECK-LABEL: func.func @main
//       CHECK: %[[W:.+]] = kiln.weight
//       CHECK: %[[S:.+]] = kiln.reshape %[[W]] [128, 6, 16]
//       CHECK: %[[P:.+]] = kiln.launch @[[PACK:.+]](%[[S]])
//  CHECK-SAME: (tensor<128x6x16xf32>) -> tensor<6x128x16xf32>
//       CHECK: kiln.launch @matmul_relu_24x96xf32(%arg0, %[[P]])
//       CHECK: kiln.kernel @matmul_relu_24x96xf32(%{{.+}}: tensor<24x128xf32>, %[[A:.+]]: tensor<6x128x16xf32>)
//       CHECK:   %[[T:.+]] = kiln.transpose %[[A]] perm [1, 0, 2] {kiln.layout}
//       CHECK:   %[[M:.+]] = kiln.reshape %[[T]] [128, 96] {kiln.layout}
//       CHECK:   kiln.matmul %{{.+}}, %[[M]] :
//       CHECK: kiln.kernel @[[PACK]](
//       CHECK:   kiln.transpose %{{.+}} perm [1, 0, 2]
func.func @main(%x: tensor<24x128xf32>) -> tensor<24x96xf32> {
  %w = kiln.weight "0000000000000000000000000000000000000000000000000000000000000000" : tensor<128x96xf32>
  %m = kiln.matmul %x, %w : tensor<24x128xf32>, tensor<128x96xf32> -> tensor<24x96xf32>
  %y = kiln.relu %m : tensor<24x96xf32>
  return %y : tensor<24x96xf32>
}

// -----

// Positive: a transposed weight loses its transposition; batches and unknown rows are rows.
// CHECK-LABEL: func.func @main
//       CHECK: kiln.reshape %{{.+}} [6, 16, 128]
//       CHECK: kiln.kernel @matmul_DxDx96xf32
//       CHECK:   kiln.matmul %{{.+}}, %{{.+}} : tensor<?x?x128xf32>, tensor<128x96xf32>
//       CHECK: kiln.transpose %{{.+}} perm [0, 2, 1] : tensor<6x16x128xf32> -> tensor<6x128x16xf32>
func.func @main(%x: tensor<?x?x128xf32>) -> tensor<?x?x96xf32> {
  %w = kiln.weight "0000000000000000000000000000000000000000000000000000000000000000" : tensor<96x128xf32>
  %m = kiln.matmul %x, %w transB : tensor<?x?x128xf32>, tensor<96x128xf32> -> tensor<?x?x96xf32>
  return %m : tensor<?x?x96xf32>
}

// -----

// Negative: one row, columns that panels do not divide, a small matrix, and one that is no weight stay as they are.
// CHECK-LABEL: func.func @main
//   CHECK-NOT: kiln.layout
func.func @main(%a: tensor<1x128xf32>, %b: tensor<24x128xf32>, %c: tensor<24x16xf32>, %w: tensor<128x96xf32>)
    -> (tensor<1x96xf32>, tensor<24x100xf32>, tensor<24x96xf32>, tensor<24x96xf32>) {
  %w0 = kiln.weight "0000000000000000000000000000000000000000000000000000000000000000" : tensor<128x96xf32>
  %w1 = kiln.weight "1111111111111111111111111111111111111111111111111111111111111111" : tensor<128x100xf32>
  %w2 = kiln.weight "2222222222222222222222222222222222222222222222222222222222222222" : tensor<16x96xf32>
  %0 = kiln.matmul %a, %w0 : tensor<1x128xf32>, tensor<128x96xf32> -> tensor<1x96xf32>
  %1 = kiln.matmul %b, %w1 : tensor<24x128xf32>, tensor<128x100xf32> -> tensor<24x100xf32>
  %2 = kiln.matmul %c, %w2 : tensor<24x16xf32>, tensor<16x96xf32> -> tensor<24x96xf32>
  %3 = kiln.matmul %b, %w : tensor<24x128xf32>, tensor<128x96xf32> -> tensor<24x96xf32>
  return %0, %1, %2, %3 : tensor<1x96xf32>, tensor<24x100xf32>, tensor<24x96xf32>, tensor<24x96xf32>
}

// -----

// Positive: bytes are packed in pairs along the sum, for one row too; 63 rows have none.
// CHECK-LABEL: func.func @main
//       CHECK: kiln.reshape %{{.+}} [64, 2, 6, 16]
//       CHECK: kiln.launch {{.+}} (tensor<64x2x6x16xi8>) -> tensor<6x64x16x2xi8>
//   CHECK-NOT: kiln.reshape
//       CHECK: kiln.kernel {{.+}} %[[A:.+]]: tensor<6x64x16x2xi8>)
//       CHECK:   %[[T:.+]] = kiln.transpose %[[A]] perm [1, 3, 0, 2] {kiln.layout}
//       CHECK:   kiln.reshape %[[T]] [128, 96] {kiln.layout}
//       CHECK: kiln.transpose %{{.+}} perm [2, 0, 3, 1]
func.func @main(%a: tensor<1x128xui8>, %b: tensor<1x127xui8>) -> (tensor<1x96xi32>, tensor<1x96xi32>) {
  %w0 = kiln.weight "0000000000000000000000000000000000000000000000000000000000000000" : tensor<128x96xi8>
  %w1 = kiln.weight "1111111111111111111111111111111111111111111111111111111111111111" : tensor<127x96xi8>
  %0 = kiln.matmul %a, %w0 : tensor<1x128xui8>, tensor<128x96xi8> -> tensor<1x96xi32>
  %1 = kiln.matmul %b, %w1 : tensor<1x127xui8>, tensor<127x96xi8> -> tensor<1x96xi32>
  return %0, %1 : tensor<1x96xi32>, tensor<1x96xi32>
}

// -----

// Positive: each of several matrices is cut into panels. Negative: one that the other side's matrices share is not.
// CHECK-LABEL: func.func @main
//       CHECK: kiln.reshape %{{.+}} [2, 128, 6, 16]
//       CHECK: kiln.launch {{.+}} (tensor<2x128x6x16xf32>) -> tensor<2x6x128x16xf32>
//   CHECK-NOT: kiln.reshape
//       CHECK: kiln.transpose %{{.+}} perm [0, 2, 1, 3] {kiln.layout}
//       CHECK: kiln.reshape %{{.+}} [2, 128, 96] {kiln.layout}
func.func @main(%a: tensor<2x24x128xf32>, %b: tensor<3x24x128xf32>) -> (tensor<2x24x96xf32>, tensor<3x24x96xf32>) {
  %w0 = kiln.weight "0000000000000000000000000000000000000000000000000000000000000000" : tensor<2x128x96xf32>
  %w1 = kiln.weight "1111111111111111111111111111111111111111111111111111111111111111" : tensor<1x128x96xf32>
  %0 = kiln.matmul %a, %w0 : tensor<2x24x128xf32>, tensor<2x128x96xf32> -> tensor<2x24x96xf32>
  %1 = kiln.matmul %b, %w1 : tensor<3x24x128xf32>, tensor<1x128x96xf32> -> tensor<3x24x96xf32>
  return %0, %1 : tensor<2x24x96xf32>, tensor<3x24x96xf32>
}
