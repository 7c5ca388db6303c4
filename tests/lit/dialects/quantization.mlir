// RUN: jit-opt %s | jit-opt | FileCheck %s
// Every op of the family prints what it parses, with the attributes that are set and no others.

// CHECK-LABEL: @quantize
func.func @quantize(%x: tensor<1x8x4x?xf32>, %i: tensor<4xi32>, %s: tensor<8x1x1xf32>, %z: tensor<8x1x1xui8>, %t: tensor<f16>) {
  // By channel, with a zero point.
  // CHECK: kiln.quantize %{{.*}} scale %{{.*}} zero_point %{{.*}} : tensor<1x8x4x?xf32>, tensor<8x1x1xf32>, tensor<8x1x1xui8> -> tensor<1x8x4x?xui8>
  %0 = kiln.quantize %x scale %s zero_point %z : tensor<1x8x4x?xf32>, tensor<8x1x1xf32>, tensor<8x1x1xui8> -> tensor<1x8x4x?xui8>
  // CHECK: kiln.quantize %{{.*}} scale %{{.*}} : tensor<4xi32>, tensor<f16> -> tensor<4xi4>
  %1 = kiln.quantize %i scale %t : tensor<4xi32>, tensor<f16> -> tensor<4xi4>
  // CHECK: kiln.quantize %{{.*}} scale %{{.*}} unsaturated : tensor<1x8x4x?xf32>, tensor<8x1x1xf32> -> tensor<1x8x4x?xf8E5M2>
  %2 = kiln.quantize %x scale %s unsaturated : tensor<1x8x4x?xf32>, tensor<8x1x1xf32> -> tensor<1x8x4x?xf8E5M2>
  return
}

// CHECK-LABEL: @dequantize
func.func @dequantize(%x: tensor<?x64xui8>, %s: tensor<64xf32>, %z: tensor<64xui8>, %f: tensor<4xf8E4M3FN>, %t: tensor<bf16>) {
  // CHECK: kiln.dequantize %{{.*}} scale %{{.*}} zero_point %{{.*}} : tensor<?x64xui8>, tensor<64xf32>, tensor<64xui8> -> tensor<?x64xf16>
  %0 = kiln.dequantize %x scale %s zero_point %z : tensor<?x64xui8>, tensor<64xf32>, tensor<64xui8> -> tensor<?x64xf16>
  // CHECK: kiln.dequantize %{{.*}} scale %{{.*}} : tensor<4xf8E4M3FN>, tensor<bf16> -> tensor<4xbf16>
  %1 = kiln.dequantize %f scale %t : tensor<4xf8E4M3FN>, tensor<bf16> -> tensor<4xbf16>
  return
}
