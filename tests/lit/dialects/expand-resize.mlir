// RUN: jit-opt %s --kiln-expand-composites --split-input-file | FileCheck %s

// Whole repetitions are a broadcast: no index is computed.
// CHECK-LABEL: @repetition
//  CHECK-NEXT: kiln.reshape %{{.+}} [1, 3, 4, 1, 5, 1]
//  CHECK-NEXT: kiln.broadcast %{{.+}} [1, 3, 4, 2, 5, 2]
//  CHECK-NEXT: kiln.reshape %{{.+}} [1, 3, 8, 10]
//  CHECK-NEXT: return
func.func @repetition(%x: tensor<1x3x4x5xf32>) -> tensor<1x3x8x10xf32> {
  %y = kiln.resize %x [1, 3, 8, 10] mode nearest coordinates half_pixel : tensor<1x3x4x5xf32> -> tensor<1x3x8x10xf32>
  return %y : tensor<1x3x8x10xf32>
}

// -----

// With ceil the last repetition is that of the next element: indices.
// CHECK-LABEL: @not_a_repetition
//   CHECK-NOT: kiln.broadcast
//       CHECK: kiln.gather %{{.+}}, %{{.+}} axis 1 : tensor<3x4xf32>, tensor<8xi64> -> tensor<3x8xf32>
func.func @not_a_repetition(%x: tensor<3x4xf32>) -> tensor<3x8xf32> {
  %y = kiln.resize %x [3, 8] mode nearest coordinates asymmetric rounding ceil : tensor<3x4xf32> -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// -----

// Axis by axis, the one that shrinks first; two elements and their weights for each of the result.
// CHECK-LABEL: @linear
//       CHECK: kiln.gather %{{.+}}, %{{.+}} axis 1 : tensor<4x9xf32>, tensor<3x2xi64> -> tensor<4x3x2xf32>
//       CHECK: kiln.mul %{{.+}}, %{{.+}} : tensor<4x3x2xf32>, tensor<3x2xf32> -> tensor<4x3x2xf32>
//       CHECK: kiln.reduce sum %{{.+}} axes [2]
//       CHECK: kiln.gather %{{.+}}, %{{.+}} axis 0 : tensor<4x3xf32>, tensor<7x2xi64> -> tensor<7x2x3xf32>
//       CHECK: kiln.reduce sum %{{.+}} axes [1]
func.func @linear(%x: tensor<4x9xf32>) -> tensor<7x3xf32> {
  %y = kiln.resize %x [7, 3] mode linear coordinates align_corners : tensor<4x9xf32> -> tensor<7x3xf32>
  return %y : tensor<7x3xf32>
}

// -----

// Spread over three times as many elements, and made to add up to one.
// CHECK-LABEL: @antialias
//       CHECK: kiln.gather %{{.+}}, %{{.+}} axis 0 : tensor<9xf32>, tensor<3x6xi64> -> tensor<3x6xf32>
func.func @antialias(%x: tensor<9xf32>) -> tensor<3xf32> {
  %y = kiln.resize %x [3] mode linear coordinates half_pixel antialias : tensor<9xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}
