// RUN: jit-opt %s | jit-opt | FileCheck %s
// The op prints what it parses; absent operands leave no trace.

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<1x4x?x8xf16>, %k: tensor<1x2x?x8xf16>, %v: tensor<1x2x?x3xf16>, %m: tensor<?x?xi1>,
                     %n: tensor<1xi32>, %o: tensor<1xi64>) {
  // CHECK: kiln.attention %{{.*}}, %{{.*}}, %{{.*}} scale 1.250000e-01 : (tensor<1x4x?x8xf16>
  %0 = kiln.attention %q, %k, %v scale 0.125
    : (tensor<1x4x?x8xf16>, tensor<1x2x?x8xf16>, tensor<1x2x?x3xf16>) -> tensor<1x4x?x3xf16>
  // CHECK: kiln.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} lengths %{{.*}} offset %{{.*}} scale 1.000000e+00 causal left_window 4 right_window 0 softcap 5.000000e+01 shows biased : (
  %1:2 = kiln.attention %q, %k, %v mask %m lengths %n offset %o scale 1.0 causal left_window 4 right_window 0
    softcap 50.0 shows biased
    : (tensor<1x4x?x8xf16>, tensor<1x2x?x8xf16>, tensor<1x2x?x3xf16>, tensor<?x?xi1>, tensor<1xi32>, tensor<1xi64>)
    -> (tensor<1x4x?x3xf16>, tensor<1x4x?x?xf16>)
  return
}
