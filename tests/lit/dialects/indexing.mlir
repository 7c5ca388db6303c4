// RUN: jit-opt %s | jit-opt | FileCheck %s
// RUN: jit-opt %s --mlir-print-op-generic | jit-opt | FileCheck %s

// CHECK-LABEL: @gathers
//       CHECK: kiln.gather %{{.+}}, %{{.+}} axis 0 : tensor<1000x64xf32>, tensor<2x?xi64> -> tensor<2x?x64xf32>
//       CHECK: kiln.gather %{{.+}}, %{{.+}} axis 1 {batch_dims = 1 : i64} : tensor<8x100xf32>, tensor<8x5xi32> -> tensor<8x5xf32>
//       CHECK: kiln.gather_elements %{{.+}}, %{{.+}} axis -1 : tensor<8x100xf32>, tensor<8x5xi32> -> tensor<8x5xf32>
//       CHECK: kiln.gather_nd %{{.+}}, %{{.+}} : tensor<1000x64xf32>, tensor<?x1xi64> -> tensor<?x64xf32>
func.func @gathers(%x: tensor<1000x64xf32>, %i: tensor<2x?xi64>, %y: tensor<8x100xf32>, %j: tensor<8x5xi32>,
                   %t: tensor<?x1xi64>) {
  %0 = kiln.gather %x, %i axis 0 : tensor<1000x64xf32>, tensor<2x?xi64> -> tensor<2x?x64xf32>
  %1 = kiln.gather %y, %j axis 1 {batch_dims = 1} : tensor<8x100xf32>, tensor<8x5xi32> -> tensor<8x5xf32>
  %2 = kiln.gather_elements %y, %j axis -1 : tensor<8x100xf32>, tensor<8x5xi32> -> tensor<8x5xf32>
  %3 = kiln.gather_nd %x, %t : tensor<1000x64xf32>, tensor<?x1xi64> -> tensor<?x64xf32>
  return
}

// CHECK-LABEL: @scatters
//       CHECK: kiln.scatter_elements add %{{.+}}, %{{.+}}, %{{.+}} axis 0 : tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>
//       CHECK: kiln.scatter_nd replace %{{.+}}, %{{.+}}, %{{.+}} : tensor<8x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>
func.func @scatters(%x: tensor<8x4xf32>, %i: tensor<2x4xi64>, %u: tensor<2x4xf32>, %t: tensor<2x1xi64>) {
  %0 = kiln.scatter_elements add %x, %i, %u axis 0 : tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>
  %1 = kiln.scatter_nd replace %x, %t, %u : tensor<8x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>
  return
}

// CHECK-LABEL: @one_hot
//       CHECK: kiln.one_hot %{{.+}} depth [%{{.+}}] axis 0 on %{{.+}} off %{{.+}} : tensor<?xi64>, tensor<f32> -> tensor<?x?xf32>
func.func @one_hot(%i: tensor<?xi64>, %n: index, %a: tensor<f32>, %b: tensor<f32>) {
  %0 = kiln.one_hot %i depth [%n] axis 0 on %a off %b : tensor<?xi64>, tensor<f32> -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: @orders
//       CHECK: kiln.top_k %{{.+}} k [5] axis -1 : tensor<8x1000xf32> -> tensor<8x5xf32>, tensor<8x5xi64>
//       CHECK: kiln.top_k %{{.+}} k [%{{.+}}] axis 0 smallest : tensor<8x1000xf32> -> tensor<?x1000xf32>, tensor<?x1000xi64>
//       CHECK: kiln.sort %{{.+}} axis 1 descending : tensor<8x1000xf32> -> tensor<8x1000xf32>, tensor<8x1000xi64>
func.func @orders(%x: tensor<8x1000xf32>, %n: index) {
  %0:2 = kiln.top_k %x k [5] axis -1 : tensor<8x1000xf32> -> tensor<8x5xf32>, tensor<8x5xi64>
  %1:2 = kiln.top_k %x k [%n] axis 0 smallest : tensor<8x1000xf32> -> tensor<?x1000xf32>, tensor<?x1000xi64>
  %2:2 = kiln.sort %x axis 1 descending : tensor<8x1000xf32> -> tensor<8x1000xf32>, tensor<8x1000xi64>
  return
}

// CHECK-LABEL: @selects
//       CHECK: kiln.nonzero %{{.+}} count [%{{.+}}] : tensor<4x?xf32> -> tensor<2x?xi64>
//       CHECK: kiln.unique %{{.+}} axis 1 sorted : tensor<4x?xf32> -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
//       CHECK: kiln.nms %{{.+}}, %{{.+}} limit [7] iou %{{.+}} : tensor<1x?x4xf32>, tensor<1x3x?xf32> -> tensor<1x3x7xi64>, tensor<1x3xi64>
//       CHECK: kiln.nms %{{.+}}, %{{.+}} limit [%{{.+}}] iou %{{.+}} score %{{.+}} center_point_box :
func.func @selects(%x: tensor<4x?xf32>, %n: index, %b: tensor<1x?x4xf32>, %s: tensor<1x3x?xf32>, %t: tensor<f32>) {
  %0 = kiln.nonzero %x count [%n] : tensor<4x?xf32> -> tensor<2x?xi64>
  %1:4 = kiln.unique %x axis 1 sorted : tensor<4x?xf32> -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
  %2:2 = kiln.nms %b, %s limit [7] iou %t : tensor<1x?x4xf32>, tensor<1x3x?xf32> -> tensor<1x3x7xi64>, tensor<1x3xi64>
  %3:2 = kiln.nms %b, %s limit [%n] iou %t score %t center_point_box
      : tensor<1x?x4xf32>, tensor<1x3x?xf32> -> tensor<1x3x?xi64>, tensor<1x3xi64>
  return
}
