// RUN: jit-opt %s | jit-opt | FileCheck %s
// Every op of the family prints what it parses; absent parameters leave no trace.

// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<8x?xf16>) {
  // CHECK: kiln.softmax %{{.*}} axis -1 : tensor<8x?xf16>
  %0 = kiln.softmax %x axis -1 : tensor<8x?xf16>
  // CHECK: kiln.log_softmax %{{.*}} axis 0 : tensor<8x?xf16>
  %1 = kiln.log_softmax %x axis 0 : tensor<8x?xf16>
  return
}

// CHECK-LABEL: @layer_and_rms
func.func @layer_and_rms(%x: tensor<1x?x16xf16>, %s: tensor<16xf32>) {
  // CHECK: kiln.layer_norm %{{.*}} scale(%{{.*}} : tensor<16xf32>) axis -1 epsilon 1.000000e-05 : tensor<1x?x16xf16>
  %0 = kiln.layer_norm %x scale(%s : tensor<16xf32>) axis -1 epsilon 1.0e-5 : tensor<1x?x16xf16>
  // CHECK: kiln.layer_norm %{{.*}} bias(%{{.*}} : tensor<16xf32>) axis 1 epsilon
  %1 = kiln.layer_norm %x bias(%s : tensor<16xf32>) axis 1 epsilon 1.0e-5 : tensor<1x?x16xf16>
  // CHECK: kiln.rms_norm %{{.*}} axis 2 epsilon 0.000000e+00 : tensor<1x?x16xf16>
  %2 = kiln.rms_norm %x axis 2 epsilon 0.0 : tensor<1x?x16xf16>
  return
}

// CHECK-LABEL: @channels
func.func @channels(%x: tensor<2x8x4x?xf32>, %c: tensor<8xf32>) {
  // CHECK: kiln.group_norm %{{.*}} scale({{.*}}) bias({{.*}}) groups 4 epsilon
  %0 = kiln.group_norm %x scale(%c : tensor<8xf32>) bias(%c : tensor<8xf32>) groups 4 epsilon 1.0e-5 : tensor<2x8x4x?xf32>
  // CHECK: kiln.instance_norm %{{.*}} epsilon 1.000000e-05 : tensor<2x8x4x?xf32>
  %1 = kiln.instance_norm %x epsilon 1.0e-5 : tensor<2x8x4x?xf32>
  // CHECK: kiln.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} epsilon
  %2 = kiln.batch_norm %x, %c, %c, %c, %c epsilon 1.0e-5
    : tensor<2x8x4x?xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}
