// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-npu-lay-out-convs))" | FileCheck %s

// The elementwise op between two convolutions computes on channels-last tensors: one transpose in, one out. Ops that
// say how arguments lie in memory stand in the kernel.
// CHECK-LABEL: @main
// CHECK: %[[X:.+]] = kiln.transpose %arg0 perm [0, 2, 3, 1] : tensor<1x16x8x8xf16> -> tensor<1x8x8x16xf16>
// CHECK: kiln.transpose %[[X]] perm [0, 3, 1, 2] {kiln.layout}
// CHECK: kiln.transpose %{{.+}} perm [0, 1, 4, 2, 3] {kiln.layout}
// CHECK: kiln.conv
// CHECK-NEXT: kiln.relu
// CHECK-NEXT: %[[Y:.+]] = kiln.transpose %{{.+}} perm [0, 2, 3, 1] {kiln.layout}
// CHECK: %[[T:.+]] = kiln.tanh %[[Y]] : tensor<1x6x6x32xf16>
// CHECK: kiln.transpose %[[T]] perm [0, 3, 1, 2] {kiln.layout}
// CHECK: kiln.conv
// CHECK: kiln.transpose %{{.+}} perm [0, 2, 3, 1] {kiln.layout} : tensor<1x32x4x4xf16> -> tensor<1x4x4x32xf16>
// CHECK-NEXT: %[[R:.+]] = kiln.transpose %{{.+}} perm [0, 3, 1, 2] : tensor<1x4x4x32xf16> -> tensor<1x32x4x4xf16>
// CHECK-NEXT: return %[[R]]

func.func @main(%x: tensor<1x16x8x8xf16>, %v: tensor<32x16x3x3xf16>, %w: tensor<32x32x3x3xf16>) -> tensor<1x32x4x4xf16> {
  %0 = kiln.conv %x, %v strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x16x8x8xf16>, tensor<32x16x3x3xf16> -> tensor<1x32x6x6xf16>
  %1 = kiln.relu %0 : tensor<1x32x6x6xf16>
  %2 = kiln.tanh %1 : tensor<1x32x6x6xf16>
  %3 = kiln.conv %2, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x32x6x6xf16>, tensor<32x32x3x3xf16> -> tensor<1x32x4x4xf16>
  return %3 : tensor<1x32x4x4xf16>
}
