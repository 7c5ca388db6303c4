// RUN: jit-opt %s | jit-opt | FileCheck %s
// The op prints what it parses, with the attributes that are set and no others.

// CHECK-LABEL: @resize
func.func @resize(%x: tensor<1x3x?x112xf32>, %h: index, %s: tensor<4xf32>, %r: tensor<8xf32>) {
  // CHECK: kiln.resize %{{.*}} [1, 3, %{{.*}}, 224] mode linear coordinates half_pixel : tensor<1x3x?x112xf32> -> tensor<1x3x?x224xf32>
  %0 = kiln.resize %x [1, 3, %h, 224] mode linear coordinates half_pixel : tensor<1x3x?x112xf32> -> tensor<1x3x?x224xf32>
  // CHECK: kiln.resize %{{.*}} [1, 3, %{{.*}}, 224] scales %{{.*}} : tensor<4xf32> mode nearest coordinates asymmetric rounding floor
  %1 = kiln.resize %x [1, 3, %h, 224] scales %s : tensor<4xf32> mode nearest coordinates asymmetric rounding floor
    : tensor<1x3x?x112xf32> -> tensor<1x3x?x224xf32>
  // CHECK: kiln.resize %{{.*}} roi %{{.*}} : tensor<8xf32> mode cubic coordinates tf_crop_and_resize antialias exclude_outside {cubic_coefficient = -5.000000e-01 : f64, extrapolation = 1.000000e+01 : f64}
  %2 = kiln.resize %x [1, 3, %h, 60] roi %r : tensor<8xf32> mode cubic coordinates tf_crop_and_resize antialias exclude_outside
    {cubic_coefficient = -0.5, extrapolation = 10.0} : tensor<1x3x?x112xf32> -> tensor<1x3x?x60xf32>
  return
}
