// RUN: jit-opt %s --kiln-host-describe --mlir-print-debuginfo | FileCheck %s

// Positive: what is read at computed indices must not be empty.
// CHECK-LABEL: kiln.kernel @gather
//  CHECK-SAME: kiln.indexed = array<i64: 0>
kiln.kernel @gather(%x: tensor<?xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %y = kiln.gather %x, %i axis 0 : tensor<?xf32>, tensor<4xi64> -> tensor<4xf32>
  kiln.yield %y : tensor<4xf32>
}

// Positive: element types keep their signedness, arguments count as inputs, ops are numbered in order.
// CHECK-LABEL: kiln.kernel @k
//  CHECK-SAME: kiln.element_types = [ui8, f32, ui8], kiln.inputs = 2 : i64
//       CHECK: kiln.add {{.*}} loc(#[[ADD:.+]])
//       CHECK: kiln.yield {{.*}} loc(#[[YIELD:.+]])
//   CHECK-DAG: #[[ONE:.+]] = loc("op":1:0)
//   CHECK-DAG: #[[TWO:.+]] = loc("op":2:0)
//   CHECK-DAG: #[[ADD]] = loc(fused[#[[ONE]],
//   CHECK-DAG: #[[YIELD]] = loc(fused[#[[TWO]],
kiln.kernel @k(%x: tensor<4xui8>, %n: index, %y: tensor<2xf32>) -> tensor<4xui8> {
  %z = kiln.add %x, %x : tensor<4xui8>, tensor<4xui8> -> tensor<4xui8>
  kiln.yield %z : tensor<4xui8>
}
