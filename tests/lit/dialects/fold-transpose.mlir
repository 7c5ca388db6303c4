// RUN: jit-opt %s --kiln-fold-transpose --split-input-file | FileCheck %s
// RUN: jit-opt %s --kiln-fold-transpose=fold-shared --split-input-file | FileCheck %s --check-prefix=SHARED

// Positive: the transpose disappears into the flag.
// CHECK-LABEL: @transposed_a
//  CHECK-SAME: %[[A:.+]]: tensor<8x4xf32>, %[[B:.+]]: tensor<8x16xf32>
//   CHECK-NOT: kiln.transpose
//       CHECK: kiln.matmul %[[A]], %[[B]] transA :
func.func @transposed_a(%a: tensor<8x4xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %t = kiln.transpose %a perm [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %y = kiln.matmul %t, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

// Positive: a second transpose takes the flag away again; batch axes that stay do not hinder.
// CHECK-LABEL: @transposed_twice
//  CHECK-SAME: %[[A:.+]]: tensor<2x4x8xf32>, %[[B:.+]]: tensor<2x8x16xf32>
//   CHECK-NOT: kiln.transpose
//       CHECK: kiln.matmul %[[A]], %[[B]] : tensor<2x4x8xf32>
func.func @transposed_twice(%a: tensor<2x4x8xf32>, %b: tensor<2x8x16xf32>) -> tensor<2x4x16xf32> {
  %t = kiln.transpose %b perm [0, 2, 1] : tensor<2x8x16xf32> -> tensor<2x16x8xf32>
  %y = kiln.matmul %a, %t transB : tensor<2x4x8xf32>, tensor<2x16x8xf32> -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// Negative: the permutation moves a batch axis; folding would be wrong.
// CHECK-LABEL: @batch_moves
//       CHECK: %[[T:.+]] = kiln.transpose
//       CHECK: kiln.matmul %[[T]], %{{.+}} : tensor<4x2x8xf32>
func.func @batch_moves(%a: tensor<2x8x4xf32>, %b: tensor<8x16xf32>) -> tensor<4x2x16xf32> {
  %t = kiln.transpose %a perm [2, 0, 1] : tensor<2x8x4xf32> -> tensor<4x2x8xf32>
  %y = kiln.matmul %t, %b : tensor<4x2x8xf32>, tensor<8x16xf32> -> tensor<4x2x16xf32>
  return %y : tensor<4x2x16xf32>
}

// -----

// Does not apply: the transpose has another use, and is made anyway; with fold-shared it folds all the same.
//  CHECK-LABEL: @shared
//    CHECK-NOT: transA
//        CHECK: return
// SHARED-LABEL: @shared
//       SHARED: kiln.matmul %{{.+}}, %{{.+}} transA
func.func @shared(%a: tensor<8x4xf32>, %b: tensor<8x16xf32>) -> (tensor<4x16xf32>, tensor<4x8xf32>) {
  %t = kiln.transpose %a perm [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %y = kiln.matmul %t, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return %y, %t : tensor<4x16xf32>, tensor<4x8xf32>
}
