// RUN: jit-opt %s --split-input-file --verify-diagnostics

func.func @resize_c1_sizes(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'sizes' with 2 entries, got 1}}
  %0 = kiln.resize %x [4] mode linear coordinates half_pixel : tensor<2x3xf32> -> tensor<4xf32>
  return
}

// -----

func.func @resize_c2_scales(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // expected-error@+1 {{expects 'scales' of type 'tensor<2xf32>', got 'tensor<3xf32>'}}
  %0 = kiln.resize %x [4, 6] scales %s : tensor<3xf32> mode linear coordinates half_pixel : tensor<2x3xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @resize_c2_roi(%x: tensor<2x3xf32>, %r: tensor<2xf32>) {
  // expected-error@+1 {{expects 'roi' of type 'tensor<4xf32>', got 'tensor<2xf32>'}}
  %0 = kiln.resize %x [4, 6] roi %r : tensor<2xf32> mode linear coordinates tf_crop_and_resize : tensor<2x3xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @resize_c3_no_roi(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'roi' if and only if 'coordinates' is tf_crop_and_resize, got tf_crop_and_resize and none}}
  %0 = kiln.resize %x [4, 6] mode linear coordinates tf_crop_and_resize : tensor<2x3xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @resize_c3_roi(%x: tensor<2x3xf32>, %r: tensor<4xf32>) {
  // expected-error@+1 {{got half_pixel and one}}
  %0 = kiln.resize %x [4, 6] roi %r : tensor<4xf32> mode linear coordinates half_pixel : tensor<2x3xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @resize_c4_antialias(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'antialias' with a mode other than nearest}}
  %0 = kiln.resize %x [4, 6] mode nearest coordinates half_pixel antialias : tensor<2x3xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @resize_c5_empty(%x: tensor<2x0xf32>) {
  // expected-error@+1 {{expects axes of extent 0 to keep it, got 6}}
  %0 = kiln.resize %x [4, 6] mode linear coordinates half_pixel : tensor<2x0xf32> -> tensor<4x6xf32>
  return
}
