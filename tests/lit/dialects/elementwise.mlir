// RUN: jit-opt %s | jit-opt | FileCheck %s
// Every op of the family prints what it parses.

// CHECK-LABEL: @math
func.func @math(%x: tensor<4x?xf32>) {
  // CHECK: kiln.exp %{{.*}} : tensor<4x?xf32>
  %0 = kiln.exp %x : tensor<4x?xf32>
  // CHECK: kiln.expm1 %{{.*}} : tensor<4x?xf32>
  %1 = kiln.expm1 %x : tensor<4x?xf32>
  // CHECK: kiln.log %{{.*}} : tensor<4x?xf32>
  %2 = kiln.log %x : tensor<4x?xf32>
  // CHECK: kiln.log1p %{{.*}} : tensor<4x?xf32>
  %3 = kiln.log1p %x : tensor<4x?xf32>
  // CHECK: kiln.sqrt %{{.*}} : tensor<4x?xf32>
  %4 = kiln.sqrt %x : tensor<4x?xf32>
  // CHECK: kiln.rsqrt %{{.*}} : tensor<4x?xf32>
  %5 = kiln.rsqrt %x : tensor<4x?xf32>
  // CHECK: kiln.sin %{{.*}} : tensor<4x?xf32>
  %6 = kiln.sin %x : tensor<4x?xf32>
  // CHECK: kiln.cos %{{.*}} : tensor<4x?xf32>
  %7 = kiln.cos %x : tensor<4x?xf32>
  // CHECK: kiln.tan %{{.*}} : tensor<4x?xf32>
  %8 = kiln.tan %x : tensor<4x?xf32>
  // CHECK: kiln.asin %{{.*}} : tensor<4x?xf32>
  %9 = kiln.asin %x : tensor<4x?xf32>
  // CHECK: kiln.acos %{{.*}} : tensor<4x?xf32>
  %10 = kiln.acos %x : tensor<4x?xf32>
  // CHECK: kiln.atan %{{.*}} : tensor<4x?xf32>
  %11 = kiln.atan %x : tensor<4x?xf32>
  // CHECK: kiln.sinh %{{.*}} : tensor<4x?xf32>
  %12 = kiln.sinh %x : tensor<4x?xf32>
  // CHECK: kiln.cosh %{{.*}} : tensor<4x?xf32>
  %13 = kiln.cosh %x : tensor<4x?xf32>
  // CHECK: kiln.tanh %{{.*}} : tensor<4x?xf32>
  %14 = kiln.tanh %x : tensor<4x?xf32>
  // CHECK: kiln.asinh %{{.*}} : tensor<4x?xf32>
  %15 = kiln.asinh %x : tensor<4x?xf32>
  // CHECK: kiln.acosh %{{.*}} : tensor<4x?xf32>
  %16 = kiln.acosh %x : tensor<4x?xf32>
  // CHECK: kiln.atanh %{{.*}} : tensor<4x?xf32>
  %17 = kiln.atanh %x : tensor<4x?xf32>
  // CHECK: kiln.erf %{{.*}} : tensor<4x?xf32>
  %18 = kiln.erf %x : tensor<4x?xf32>
  // CHECK: kiln.ceil %{{.*}} : tensor<4x?xf32>
  %19 = kiln.ceil %x : tensor<4x?xf32>
  // CHECK: kiln.floor %{{.*}} : tensor<4x?xf32>
  %20 = kiln.floor %x : tensor<4x?xf32>
  // CHECK: kiln.round %{{.*}} : tensor<4x?xf32>
  %21 = kiln.round %x : tensor<4x?xf32>
  // CHECK: kiln.reciprocal %{{.*}} : tensor<4x?xf32>
  %22 = kiln.reciprocal %x : tensor<4x?xf32>
  // CHECK: kiln.neg %{{.*}} : tensor<4x?xf32>
  %23 = kiln.neg %x : tensor<4x?xf32>
  // CHECK: kiln.abs %{{.*}} : tensor<4x?xf32>
  %24 = kiln.abs %x : tensor<4x?xf32>
  // CHECK: kiln.sign %{{.*}} : tensor<4x?xf32>
  %25 = kiln.sign %x : tensor<4x?xf32>
  return
}

// CHECK-LABEL: @activations
func.func @activations(%x: tensor<?xbf16>) {
  // CHECK: kiln.relu %{{.*}} : tensor<?xbf16>
  %0 = kiln.relu %x : tensor<?xbf16>
  // CHECK: kiln.sigmoid %{{.*}} : tensor<?xbf16>
  %1 = kiln.sigmoid %x : tensor<?xbf16>
  // CHECK: kiln.softplus %{{.*}} : tensor<?xbf16>
  %2 = kiln.softplus %x : tensor<?xbf16>
  // CHECK: kiln.gelu %{{.*}} : tensor<?xbf16>
  %3 = kiln.gelu %x : tensor<?xbf16>
  // CHECK: kiln.silu %{{.*}} : tensor<?xbf16>
  %4 = kiln.silu %x : tensor<?xbf16>
  // CHECK: kiln.mish %{{.*}} : tensor<?xbf16>
  %5 = kiln.mish %x : tensor<?xbf16>
  // CHECK: kiln.hard_swish %{{.*}} : tensor<?xbf16>
  %6 = kiln.hard_swish %x : tensor<?xbf16>
  // CHECK: kiln.gelu %{{.*}} approximate tanh : tensor<?xbf16>
  %7 = kiln.gelu %x approximate tanh : tensor<?xbf16>
  // CHECK: kiln.gelu %{{.*}} : tensor<?xbf16>
  %8 = kiln.gelu %x approximate none : tensor<?xbf16>
  // CHECK: kiln.leaky_relu %{{.*}} alpha 1.000000e-02 : tensor<?xbf16>
  %9 = kiln.leaky_relu %x alpha 0.01 : tensor<?xbf16>
  // CHECK: kiln.elu %{{.*}} alpha 1.000000e+00 : tensor<?xbf16>
  %10 = kiln.elu %x alpha 1.0 : tensor<?xbf16>
  // CHECK: kiln.selu %{{.*}} alpha 1.500000e+00 gamma 1.000000e+00 : tensor<?xbf16>
  %11 = kiln.selu %x alpha 1.5 gamma 1.0 : tensor<?xbf16>
  // CHECK: kiln.celu %{{.*}} alpha -2.000000e+00 : tensor<?xbf16>
  %12 = kiln.celu %x alpha -2.0 : tensor<?xbf16>
  // CHECK: kiln.hard_sigmoid %{{.*}} alpha 5.000000e-01 beta 5.000000e-01 : tensor<?xbf16>
  %13 = kiln.hard_sigmoid %x alpha 0.5 beta 0.5 : tensor<?xbf16>
  // CHECK: kiln.thresholded_relu %{{.*}} alpha 1.000000e+00 : tensor<?xbf16>
  %14 = kiln.thresholded_relu %x alpha 1.0 : tensor<?xbf16>
  // CHECK: kiln.shrink %{{.*}} bias 0.000000e+00 lambd 5.000000e-01 : tensor<?xbf16>
  %15 = kiln.shrink %x bias 0.0 lambd 0.5 : tensor<?xbf16>
  return
}

// CHECK-LABEL: @integers
func.func @integers(%x: tensor<4xi64>, %y: tensor<4xui8>, %p: tensor<4xi1>) {
  // CHECK: kiln.neg %{{.*}} : tensor<4xi64>
  %0 = kiln.neg %x : tensor<4xi64>
  // CHECK: kiln.abs %{{.*}} : tensor<4xui8>
  %1 = kiln.abs %y : tensor<4xui8>
  // CHECK: kiln.relu %{{.*}} : tensor<4xui8>
  %2 = kiln.relu %y : tensor<4xui8>
  // CHECK: kiln.not %{{.*}} : tensor<4xi64>
  %3 = kiln.not %x : tensor<4xi64>
  // CHECK: kiln.not %{{.*}} : tensor<4xi1>
  %4 = kiln.not %p : tensor<4xi1>
  return
}

// CHECK-LABEL: @binary
func.func @binary(%a: tensor<?x8xf32>, %b: tensor<8xf32>) {
  // CHECK: kiln.add %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %0 = kiln.add %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  // CHECK: kiln.sub %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %1 = kiln.sub %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  // CHECK: kiln.mul %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %2 = kiln.mul %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  // CHECK: kiln.div %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %3 = kiln.div %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  // CHECK: kiln.mod %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %4 = kiln.mod %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  // CHECK: kiln.rem %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %5 = kiln.rem %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  // CHECK: kiln.pow %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %6 = kiln.pow %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  // CHECK: kiln.max %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %7 = kiln.max %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  // CHECK: kiln.min %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %8 = kiln.min %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  // CHECK: kiln.atan2 %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %9 = kiln.atan2 %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  return
}

// CHECK-LABEL: @binary_integers
func.func @binary_integers(%a: tensor<4x1xui16>, %b: tensor<1x8xui16>) {
  // CHECK: kiln.add %{{.*}}, %{{.*}} : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  %0 = kiln.add %a, %b : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  // CHECK: kiln.sub %{{.*}}, %{{.*}} : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  %1 = kiln.sub %a, %b : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  // CHECK: kiln.mul %{{.*}}, %{{.*}} : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  %2 = kiln.mul %a, %b : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  // CHECK: kiln.div %{{.*}}, %{{.*}} : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  %3 = kiln.div %a, %b : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  // CHECK: kiln.mod %{{.*}}, %{{.*}} : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  %4 = kiln.mod %a, %b : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  // CHECK: kiln.rem %{{.*}}, %{{.*}} : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  %5 = kiln.rem %a, %b : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  // CHECK: kiln.pow %{{.*}}, %{{.*}} : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  %6 = kiln.pow %a, %b : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  // CHECK: kiln.max %{{.*}}, %{{.*}} : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  %7 = kiln.max %a, %b : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  // CHECK: kiln.min %{{.*}}, %{{.*}} : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  %8 = kiln.min %a, %b : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  // CHECK: kiln.and %{{.*}}, %{{.*}} : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  %9 = kiln.and %a, %b : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  // CHECK: kiln.or %{{.*}}, %{{.*}} : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  %10 = kiln.or %a, %b : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  // CHECK: kiln.xor %{{.*}}, %{{.*}} : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  %11 = kiln.xor %a, %b : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  // CHECK: kiln.shl %{{.*}}, %{{.*}} : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  %12 = kiln.shl %a, %b : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  // CHECK: kiln.shr %{{.*}}, %{{.*}} : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  %13 = kiln.shr %a, %b : tensor<4x1xui16>, tensor<1x8xui16> -> tensor<4x8xui16>
  return
}

// CHECK-LABEL: @binary_booleans
func.func @binary_booleans(%a: tensor<4xi1>, %b: tensor<i1>) {
  // CHECK: kiln.and %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
  %0 = kiln.and %a, %b : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
  // CHECK: kiln.or %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
  %1 = kiln.or %a, %b : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
  // CHECK: kiln.xor %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
  %2 = kiln.xor %a, %b : tensor<4xi1>, tensor<i1> -> tensor<4xi1>
  return
}

// An extent that only one operand knows is the result's.
// CHECK-LABEL: @compare
func.func @compare(%a: tensor<4xf32>, %b: tensor<?xf32>) {
  // CHECK: kiln.compare eq %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<?xf32> -> tensor<4xi1>
  %0 = kiln.compare eq %a, %b : tensor<4xf32>, tensor<?xf32> -> tensor<4xi1>
  // CHECK: kiln.compare ne %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<?xf32> -> tensor<4xi1>
  %1 = kiln.compare ne %a, %b : tensor<4xf32>, tensor<?xf32> -> tensor<4xi1>
  // CHECK: kiln.compare lt %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<?xf32> -> tensor<4xi1>
  %2 = kiln.compare lt %a, %b : tensor<4xf32>, tensor<?xf32> -> tensor<4xi1>
  // CHECK: kiln.compare le %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<?xf32> -> tensor<4xi1>
  %3 = kiln.compare le %a, %b : tensor<4xf32>, tensor<?xf32> -> tensor<4xi1>
  // CHECK: kiln.compare gt %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<?xf32> -> tensor<4xi1>
  %4 = kiln.compare gt %a, %b : tensor<4xf32>, tensor<?xf32> -> tensor<4xi1>
  // CHECK: kiln.compare ge %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<?xf32> -> tensor<4xi1>
  %5 = kiln.compare ge %a, %b : tensor<4xf32>, tensor<?xf32> -> tensor<4xi1>
  return
}

// CHECK-LABEL: @select
func.func @select(%c: tensor<4x1xi1>, %a: tensor<8xi8>, %b: tensor<i8>) {
  // CHECK: kiln.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x1xi1>, tensor<8xi8>, tensor<i8> -> tensor<4x8xi8>
  %0 = kiln.select %c, %a, %b : tensor<4x1xi1>, tensor<8xi8>, tensor<i8> -> tensor<4x8xi8>
  return
}

// CHECK-LABEL: @clamp
func.func @clamp(%x: tensor<4xf16>, %y: tensor<4xi32>) {
  // CHECK: kiln.clamp %{{.*}} min -1.500000e+00 max 6.000000e+00 : tensor<4xf16>
  %0 = kiln.clamp %x min -1.5 max 6.0 : tensor<4xf16>
  // CHECK: kiln.clamp %{{.*}} min 0.000000e+00 : tensor<4xf16>
  %1 = kiln.clamp %x min 0.0 : tensor<4xf16>
  // CHECK: kiln.clamp %{{.*}} min -3 max 7 : tensor<4xi32>
  %2 = kiln.clamp %y min -3 max 7 : tensor<4xi32>
  // CHECK: kiln.clamp %{{.*}} max -1 {note = "x"} : tensor<4xi32>
  %3 = kiln.clamp %y max -1 {note = "x"} : tensor<4xi32>
  return
}

// CHECK-LABEL: @convert
func.func @convert(%x: tensor<4x?xf32>) {
  // CHECK: kiln.convert %{{.*}} unsaturated : tensor<4x?xf32> to tensor<4x?xf8E5M2>
  %u = kiln.convert %x unsaturated : tensor<4x?xf32> to tensor<4x?xf8E5M2>
  // CHECK: kiln.bitcast %{{.*}} : tensor<4x?xf32> to tensor<4x?xui32>
  %b = kiln.bitcast %x : tensor<4x?xf32> to tensor<4x?xui32>
  // CHECK: kiln.convert %{{.*}} : tensor<4x?xf32> to tensor<4x?xf16>
  %0 = kiln.convert %x : tensor<4x?xf32> to tensor<4x?xf16>
  // CHECK: kiln.convert %{{.*}} : tensor<4x?xf32> to tensor<4x?xbf16>
  %1 = kiln.convert %x : tensor<4x?xf32> to tensor<4x?xbf16>
  // CHECK: kiln.convert %{{.*}} : tensor<4x?xf32> to tensor<4x?xf32>
  %2 = kiln.convert %x : tensor<4x?xf32> to tensor<4x?xf32>
  // CHECK: kiln.convert %{{.*}} : tensor<4x?xf32> to tensor<4x?xf64>
  %3 = kiln.convert %x : tensor<4x?xf32> to tensor<4x?xf64>
  // CHECK: kiln.convert %{{.*}} : tensor<4x?xf32> to tensor<4x?xf8E4M3FN>
  %4 = kiln.convert %x : tensor<4x?xf32> to tensor<4x?xf8E4M3FN>
  // CHECK: kiln.convert %{{.*}} : tensor<4x?xf32> to tensor<4x?xf8E5M2>
  %5 = kiln.convert %x : tensor<4x?xf32> to tensor<4x?xf8E5M2>
  // CHECK: kiln.convert %{{.*}} : tensor<4x?xf32> to tensor<4x?xi1>
  %6 = kiln.convert %x : tensor<4x?xf32> to tensor<4x?xi1>
  // CHECK: kiln.convert %{{.*}} : tensor<4x?xf32> to tensor<4x?xi8>
  %7 = kiln.convert %x : tensor<4x?xf32> to tensor<4x?xi8>
  // CHECK: kiln.convert %{{.*}} : tensor<4x?xf32> to tensor<4x?xui8>
  %8 = kiln.convert %x : tensor<4x?xf32> to tensor<4x?xui8>
  // CHECK: kiln.convert %{{.*}} : tensor<4x?xf32> to tensor<4x?xi64>
  %9 = kiln.convert %x : tensor<4x?xf32> to tensor<4x?xi64>
  // CHECK: kiln.convert %{{.*}} : tensor<4x?xf32> to tensor<4x?xui64>
  %10 = kiln.convert %x : tensor<4x?xf32> to tensor<4x?xui64>
  // CHECK: kiln.convert %{{.*}} : tensor<4x?xf32> to tensor<4x?xi4>
  %11 = kiln.convert %x : tensor<4x?xf32> to tensor<4x?xi4>
  // CHECK: kiln.convert %{{.*}} : tensor<4x?xf32> to tensor<4x?xui4>
  %12 = kiln.convert %x : tensor<4x?xf32> to tensor<4x?xui4>
  return
}

// CHECK-LABEL: @tests_of_floats
func.func @tests_of_floats(%x: tensor<4xf64>) {
  // CHECK: kiln.is_nan %{{.*}} : tensor<4xf64>
  %0 = kiln.is_nan %x : tensor<4xf64>
  // CHECK: kiln.is_inf %{{.*}} : tensor<4xf64>
  %1 = kiln.is_inf %x : tensor<4xf64>
  // CHECK: kiln.is_inf %{{.*}} {detect_negative = false} : tensor<4xf64>
  %2 = kiln.is_inf %x {detect_negative = false} : tensor<4xf64>
  return
}
