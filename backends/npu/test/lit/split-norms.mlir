// RUN: jit-opt %s --pass-pipeline='builtin.module(func.func(kiln-npu-split-norms))' | FileCheck %s

// CHECK-LABEL: func.func @group_norm
func.func @group_norm(%x: tensor<2x16x9xf32>, %s: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<2x16x9xf32> {
  // CHECK: %[[APART:.*]] = kiln.reshape %{{.*}} [2, 4, 4, 9]
  // CHECK: %[[NORM:.*]] = kiln.layer_norm %[[APART]] axis 2 epsilon 1.000000e-05 : tensor<2x4x4x9xf32>
  // CHECK: %[[BACK:.*]] = kiln.reshape %[[NORM]] [2, 16, 9]
  // CHECK: %[[SCALE:.*]] = kiln.reshape %{{.*}} [16, 1]
  // CHECK: kiln.mul %[[BACK]], %[[SCALE]]
  // CHECK: kiln.add
  %y = kiln.group_norm %x scale(%s : tensor<16xf32>) bias(%b : tensor<16xf32>) groups 4 epsilon 1.0e-5 : tensor<2x16x9xf32>
  return %y : tensor<2x16x9xf32>
}

// A batch and an extent that are not known; no scale. Rounded once.
// CHECK-LABEL: func.func @of_any_size
func.func @of_any_size(%x: tensor<?x8x?xf16>) -> tensor<?x8x?xf16> {
  // CHECK: %[[WIDE:.*]] = kiln.convert %{{.*}} : tensor<?x2x4x?xf16> to tensor<?x2x4x?xf32>
  // CHECK: kiln.layer_norm %[[WIDE]] axis 2 {{.*}} : tensor<?x2x4x?xf32>
  // CHECK-NOT: kiln.mul
  // CHECK: kiln.convert %{{.*}} : tensor<?x8x?xf32> to tensor<?x8x?xf16>
  %y = kiln.group_norm %x groups 2 epsilon 1.0e-5 : tensor<?x8x?xf16>
  return %y : tensor<?x8x?xf16>
}

// Channels that are not known, and f64, stay as they are.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<2x?x9xf32>, %z: tensor<2x8x9xf64>) -> (tensor<2x?x9xf32>, tensor<2x8x9xf64>) {
  // CHECK-COUNT-2: kiln.group_norm
  %y = kiln.group_norm %x groups 2 epsilon 1.0e-5 : tensor<2x?x9xf32>
  %w = kiln.group_norm %z groups 2 epsilon 1.0e-5 : tensor<2x8x9xf64>
  return %y, %w : tensor<2x?x9xf32>, tensor<2x8x9xf64>
}
