// RUN: jit-opt %s --kiln-to-linalg --split-input-file | FileCheck %s

// Neighbouring axes are one loop; an index counts from the end if it is negative, and is kept inside.
// CHECK-LABEL: @gather
//  CHECK-SAME: (%[[X:.+]]: tensor<4x?x8xf32>
//       CHECK: %[[I:.+]] = tensor.collapse_shape %{{.+}} {{\[\[}}0, 1]] : tensor<2x3xi32> into tensor<6xi32>
//       CHECK: linalg.generic {{.*}} ins(%[[I]] : tensor<6xi32>) outs(%{{.+}} : tensor<4x6x8xf32>)
//       CHECK: arith.cmpi slt
//       CHECK: arith.select
//       CHECK: arith.minsi
//       CHECK: %[[AT:.+]] = arith.maxsi
//       CHECK: tensor.extract %[[X]][%{{.+}}, %[[AT]], %{{.+}}] : tensor<4x?x8xf32>
//       CHECK: tensor.expand_shape {{.*}} output_shape [4, 2, 3, 8]
func.func @gather(%x: tensor<4x?x8xf32>, %i: tensor<2x3xi32>) -> tensor<4x2x3x8xf32> {
  %0 = kiln.gather %x, %i axis 1 : tensor<4x?x8xf32>, tensor<2x3xi32> -> tensor<4x2x3x8xf32>
  return %0 : tensor<4x2x3x8xf32>
}

// -----

// One loop a tuple, the elements of an index tuple read in the body.
// CHECK-LABEL: @gather_nd
//       CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<5x16xf32>)
// CHECK-COUNT-2: tensor.extract %arg1[%{{.+}}, %{{.+}}] : tensor<5x2xi64>
//       CHECK: tensor.extract %arg0[%{{.+}}, %{{.+}}, %{{.+}}] : tensor<4x8x16xf32>
func.func @gather_nd(%x: tensor<4x8x16xf32>, %i: tensor<5x2xi64>) -> tensor<5x16xf32> {
  %0 = kiln.gather_nd %x, %i : tensor<4x8x16xf32>, tensor<5x2xi64> -> tensor<5x16xf32>
  return %0 : tensor<5x16xf32>
}

// -----

// CHECK-LABEL: @one_hot
//       CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?xi64>, tensor<f32>, tensor<f32>)
//       CHECK: linalg.index 1
//       CHECK: arith.cmpi eq
//       CHECK: arith.select %{{.+}}, %{{.+}}, %{{.+}} : f32
func.func @one_hot(%i: tensor<?xi64>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<?x10xf32> {
  %0 = kiln.one_hot %i depth [10] axis 1 on %a off %b : tensor<?xi64>, tensor<f32> -> tensor<?x10xf32>
  return %0 : tensor<?x10xf32>
}

// -----

// Rows side by side: copied, then updated in place, f16 in f32.
// CHECK-LABEL: @scatter_elements
//       CHECK: scf.forall (%{{.+}}) in (8) shared_outs
//       CHECK: %[[C:.+]] = bufferization.materialize_in_destination
//       CHECK: scf.for {{.*}} iter_args(%[[T:.+]] = %[[C]])
//       CHECK: %[[IN:.+]] = arith.cmpi ult
//       CHECK: scf.if %[[IN]]
//       CHECK: %[[M:.+]] = arith.maximumf %{{.+}}, %{{.+}} : f32
//       CHECK: %[[N:.+]] = arith.truncf %[[M]] : f32 to f16
//       CHECK: tensor.insert %[[N]] into %[[T]]
//       CHECK: tensor.parallel_insert_slice
func.func @scatter_elements(%x: tensor<8x4xf16>, %i: tensor<2x4xi64>, %u: tensor<2x4xf16>) -> tensor<8x4xf16> {
  %0 = kiln.scatter_elements max %x, %i, %u axis 1 : tensor<8x4xf16>, tensor<2x4xi64>, tensor<2x4xf16>
  return %0 : tensor<8x4xf16>
}

// -----

// Whole rows are written at once; a combined one is a structured op.
// CHECK-LABEL: @scatter_nd
//       CHECK: scf.for
//       CHECK: scf.if
//       CHECK: %[[OLD:.+]] = tensor.extract_slice %{{.+}}[%{{.+}}, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
//       CHECK: %[[NEW:.+]] = linalg.generic {{.*}} outs(%[[OLD]] : tensor<4xf32>)
//       CHECK: arith.addf
//       CHECK: tensor.insert_slice %[[NEW]] into
func.func @scatter_nd(%x: tensor<8x4xf32>, %i: tensor<2x1xi64>, %u: tensor<2x4xf32>) -> tensor<8x4xf32> {
  %0 = kiln.scatter_nd add %x, %i, %u : tensor<8x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// A heap of the k best in the results: its root is compared with every other element of the line.
// CHECK-LABEL: @top_k
//       CHECK: scf.forall (%{{.+}}) in (8) shared_outs(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) -> (tensor<8x5xf32>, tensor<8x5xi64>)
//       CHECK: %[[LINE:.+]] = tensor.extract_slice %arg0[%{{.+}}, 0] [1, 100] [1, 1] : tensor<8x100xf32> to tensor<100xf32>
//       CHECK: scf.while
//       CHECK: scf.for
//       CHECK: arith.cmpf ugt
//       CHECK: arith.cmpf ord
//       CHECK: scf.while
func.func @top_k(%x: tensor<8x100xf32>) -> (tensor<8x5xf32>, tensor<8x5xi64>) {
  %0:2 = kiln.top_k %x k [5] axis 1 : tensor<8x100xf32> -> tensor<8x5xf32>, tensor<8x5xi64>
  return %0#0, %0#1 : tensor<8x5xf32>, tensor<8x5xi64>
}

// -----

// Unsigned bytes compare unsigned; a line of its own has no loop around it.
// CHECK-LABEL: @sort
//   CHECK-NOT: scf.forall
//       CHECK: arith.cmpi ult, %{{.+}}, %{{.+}} : i8
func.func @sort(%x: tensor<100xui8>) -> (tensor<100xui8>, tensor<100xi64>) {
  %0:2 = kiln.sort %x axis 0 : tensor<100xui8> -> tensor<100xui8>, tensor<100xi64>
  return %0#0, %0#1 : tensor<100xui8>, tensor<100xi64>
}

// -----

// Zeros, then the index of each element that is not zero; never more than there is room for.
// CHECK-LABEL: @nonzero
//       CHECK: linalg.fill
//       CHECK: arith.cmpf une
//       CHECK: arith.cmpi slt, %{{.+}}, %arg1
// CHECK-COUNT-2: tensor.insert
func.func @nonzero(%x: tensor<4x?xf32>, %n: index) -> tensor<2x?xi64> {
  %0 = kiln.nonzero %x count [%n] : tensor<4x?xf32> -> tensor<2x?xi64>
  return %0 : tensor<2x?xi64>
}

// -----

// Batches and classes side by side; boxes are compared with those selected.
// CHECK-LABEL: @nms
//       CHECK: scf.forall (%{{.+}}, %{{.+}}) in (1, 3)
//       CHECK: scf.while
//       CHECK: arith.divf
//       CHECK: arith.cmpf ogt
//       CHECK: tensor.parallel_insert_slice
//       CHECK: tensor.parallel_insert_slice
func.func @nms(%b: tensor<1x9x4xf32>, %s: tensor<1x3x9xf32>, %t: tensor<f32>) -> (tensor<1x3x5xi64>, tensor<1x3xi64>) {
  %0:2 = kiln.nms %b, %s limit [5] iou %t : tensor<1x9x4xf32>, tensor<1x3x9xf32> -> tensor<1x3x5xi64>, tensor<1x3xi64>
  return %0#0, %0#1 : tensor<1x3x5xi64>, tensor<1x3xi64>
}
