// RUN: jit-opt %s --kiln-to-linalg --split-input-file | FileCheck %s

// The bounds are moved by the zero point before the conversion, so that it fits; the zero point is added in integers.
// CHECK-LABEL: @quantize
//       CHECK: linalg.generic
//       CHECK: %[[Q:.+]] = arith.divf
//       CHECK: %[[R:.+]] = math.roundeven %[[Q]]
//       CHECK: %[[Z:.+]] = arith.extui %{{.+}} : i8 to i32
//       CHECK: %[[F:.+]] = arith.sitofp %[[Z]]
//       CHECK: arith.subf %{{.+}}, %[[F]]
//       CHECK: arith.cmpf ogt
//       CHECK: %[[I:.+]] = arith.fptosi
//       CHECK: %[[S:.+]] = arith.addi %[[I]], %[[Z]]
//       CHECK: arith.trunci %[[S]] : i32 to i8
func.func @quantize(%x: tensor<4x?xf32>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<4x?xui8> {
  %q = kiln.quantize %x scale %s zero_point %z : tensor<4x?xf32>, tensor<f32>, tensor<ui8> -> tensor<4x?xui8>
  return %q : tensor<4x?xui8>
}

// -----

// The quotient of halves is rounded to a half.
// CHECK-LABEL: @quantize_half
//       CHECK: arith.divf %{{.+}} : f32
//  CHECK-NEXT: arith.truncf %{{.+}} to_nearest_even : f32 to f16
//   CHECK-NOT: arith.addi
func.func @quantize_half(%x: tensor<4xf16>, %s: tensor<f16>) -> tensor<4xi8> {
  %q = kiln.quantize %x scale %s : tensor<4xf16>, tensor<f16> -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// -----

// One difference in integers, one product.
// CHECK-LABEL: @dequantize
//       CHECK: linalg.generic
//       CHECK: arith.extsi %{{.+}} : i8 to i32
//       CHECK: %[[D:.+]] = arith.subi
//       CHECK: %[[F:.+]] = arith.sitofp %[[D]] : i32 to f32
//       CHECK: %[[P:.+]] = arith.mulf %[[F]]
//       CHECK: arith.truncf %[[P]] to_nearest_even : f32 to f16
func.func @dequantize(%x: tensor<8x4xi8>, %s: tensor<8x1xf32>, %z: tensor<8x1xi8>) -> tensor<8x4xf16> {
  %r = kiln.dequantize %x scale %s zero_point %z : tensor<8x4xi8>, tensor<8x1xf32>, tensor<8x1xi8> -> tensor<8x4xf16>
  return %r : tensor<8x4xf16>
}
