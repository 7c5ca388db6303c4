// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-host-storage))" --split-input-file | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// Positive: the tensor of booleans is one of bytes; the body sees a boolean and writes a byte.
// CHECK-LABEL: @invert
//  CHECK-SAME: (%{{.+}}: tensor<8xi8>) -> tensor<8xi8>
//       CHECK: ^bb0(%[[IN:.+]]: i8, %{{.+}}: i8):
//       CHECK: %[[BIT:.+]] = arith.trunci %[[IN]] : i8 to i1
//       CHECK: %[[NOT:.+]] = arith.xori %[[BIT]]
//       CHECK: %[[BYTE:.+]] = arith.extui %[[NOT]] : i1 to i8
//       CHECK: linalg.yield %[[BYTE]] : i8
func.func @invert(%x: tensor<8xi1>) -> tensor<8xi1> {
  %true = arith.constant true
  %e = tensor.empty() : tensor<8xi1>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xi1>) outs(%e : tensor<8xi1>) {
  ^bb0(%a: i1, %o: i1):
    %n = arith.xori %a, %true : i1
    linalg.yield %n : i1
  } -> tensor<8xi1>
  return %r : tensor<8xi1>
}

// -----

// Positive: constants and fills hold 0 and 1 as bytes.
// CHECK-LABEL: @constants
//   CHECK-DAG: arith.constant dense<[1, 0]> : tensor<2xi8>
//       CHECK: linalg.fill ins(%{{.+}} : i8) outs(%{{.+}} : tensor<2xi8>)
func.func @constants() -> (tensor<2xi1>, tensor<2xi1>) {
  %c = arith.constant dense<[true, false]> : tensor<2xi1>
  %true = arith.constant true
  %e = tensor.empty() : tensor<2xi1>
  %f = linalg.fill ins(%true : i1) outs(%e : tensor<2xi1>) -> tensor<2xi1>
  return %c, %f : tensor<2xi1>, tensor<2xi1>
}

// -----

// Does not apply: other integers stay as they are.
// CHECK-LABEL: @bytes
//   CHECK-NOT: arith.trunci
//       CHECK: return %{{.+}} : tensor<2xi8>
func.func @bytes(%x: tensor<2xi8>) -> tensor<2xi8> {
  return %x : tensor<2xi8>
}
