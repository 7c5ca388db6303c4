// RUN: jit-opt %s --split-input-file --verify-diagnostics

func.func @gather_c1_axis(%x: tensor<2x3xf32>, %i: tensor<4xi64>) {
  // expected-error@+1 {{expects 'axis' in [-2, 2), got 2}}
  %0 = kiln.gather %x, %i axis 2 : tensor<2x3xf32>, tensor<4xi64> -> tensor<2x4xf32>
  return
}

// -----

func.func @gather_c2_batch_dims(%x: tensor<2x3xf32>, %i: tensor<2x3xi64>) {
  // expected-error@+1 {{expects 'batch_dims' in [0, 1], got 2}}
  %0 = kiln.gather %x, %i axis 1 {batch_dims = 2} : tensor<2x3xf32>, tensor<2x3xi64> -> tensor<2xf32>
  return
}

// -----

func.func @gather_c2_shared_extents(%x: tensor<2x3xf32>, %i: tensor<3x3xi64>) {
  // expected-error@+1 {{expects 'x' and 'indices' to agree on batch axis 0}}
  %0 = kiln.gather %x, %i axis 1 {batch_dims = 1} : tensor<2x3xf32>, tensor<3x3xi64> -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_c3_empty_axis(%x: tensor<0x3xf32>, %i: tensor<4xi64>) {
  // expected-error@+1 {{expects elements along the indexed axis 0, got 'tensor<0x3xf32>'}}
  %0 = kiln.gather %x, %i axis 0 : tensor<0x3xf32>, tensor<4xi64> -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_elements_c1_rank(%x: tensor<2x3xf32>, %i: tensor<4xi64>) {
  // expected-error@+1 {{expects 'indices' of rank 2, got 'tensor<4xi64>'}}
  %0 = kiln.gather_elements %x, %i axis 0 : tensor<2x3xf32>, tensor<4xi64> -> tensor<4xf32>
  return
}

// -----

func.func @gather_elements_c2_axis(%x: tensor<2x3xf32>, %i: tensor<2x3xi64>) {
  // expected-error@+1 {{expects 'axis' in [-2, 2), got -3}}
  %0 = kiln.gather_elements %x, %i axis -3 : tensor<2x3xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_elements_c3_outside(%x: tensor<2x3xf32>, %i: tensor<4x3xi64>) {
  // expected-error@+1 {{expects 'indices' of at most the extents of 'x' beside axis 1}}
  %0 = kiln.gather_elements %x, %i axis 1 : tensor<2x3xf32>, tensor<4x3xi64> -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_elements_c4_empty_axis(%x: tensor<2x0xf32>, %i: tensor<2x3xi64>) {
  // expected-error@+1 {{expects elements along the indexed axis 1}}
  %0 = kiln.gather_elements %x, %i axis 1 : tensor<2x0xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_nd_c1_tuples(%x: tensor<2x3xf32>, %i: tensor<4x?xi64>) {
  // expected-error@+1 {{expects 'indices' with a last axis of static extent, got 'tensor<4x?xi64>'}}
  %0 = kiln.gather_nd %x, %i : tensor<2x3xf32>, tensor<4x?xi64> -> tensor<4xf32>
  return
}

// -----

func.func @gather_nd_c2_batch_dims(%x: tensor<2x3xf32>, %i: tensor<2x1xi64>) {
  // expected-error@+1 {{expects 'batch_dims' in [0, 2), got 2}}
  %0 = kiln.gather_nd %x, %i {batch_dims = 2} : tensor<2x3xf32>, tensor<2x1xi64> -> tensor<2xf32>
  return
}

// -----

func.func @gather_nd_c3_too_many(%x: tensor<2x3xf32>, %i: tensor<4x3xi64>) {
  // expected-error@+1 {{expects at most 2 indices for 'tensor<2x3xf32>', got 3}}
  %0 = kiln.gather_nd %x, %i : tensor<2x3xf32>, tensor<4x3xi64> -> tensor<4xf32>
  return
}

// -----

func.func @gather_nd_c4_empty_axis(%x: tensor<2x0xf32>, %i: tensor<4x2xi64>) {
  // expected-error@+1 {{expects elements along the indexed axis 1}}
  %0 = kiln.gather_nd %x, %i : tensor<2x0xf32>, tensor<4x2xi64> -> tensor<4xf32>
  return
}

// -----

func.func @one_hot_c1_axis(%i: tensor<4xi64>, %a: tensor<f32>) {
  // expected-error@+1 {{expects 'axis' in [-2, 2), got 2}}
  %0 = kiln.one_hot %i depth [3] axis 2 on %a off %a : tensor<4xi64>, tensor<f32> -> tensor<4x3xf32>
  return
}

// -----

func.func @one_hot_c2_depth(%i: tensor<4xi64>, %a: tensor<f32>) {
  // expected-error@+1 {{expects 'depth' with 1 entries, got 2}}
  %0 = kiln.one_hot %i depth [3, 4] axis 1 on %a off %a : tensor<4xi64>, tensor<f32> -> tensor<4x3xf32>
  return
}

// -----

func.func @one_hot_c3_values(%i: tensor<4xi64>, %a: tensor<2xf32>) {
  // expected-error@+1 {{expects 'on' and 'off' of rank 0, got 'tensor<2xf32>'}}
  %0 = kiln.one_hot %i depth [3] axis 1 on %a off %a : tensor<4xi64>, tensor<2xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_elements_c1_shapes(%x: tensor<2x3xf32>, %i: tensor<2x3xi64>, %u: tensor<2x2xf32>) {
  // expected-error@+1 {{expects 'indices' and 'updates' of rank 2 and one shape}}
  %0 = kiln.scatter_elements add %x, %i, %u axis 0 : tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x2xf32>
  return
}

// -----

func.func @scatter_elements_c2_axis(%x: tensor<2x3xf32>, %i: tensor<2x3xi64>) {
  // expected-error@+1 {{expects 'axis' in [-2, 2), got 2}}
  %0 = kiln.scatter_elements add %x, %i, %x axis 2 : tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>
  return
}

// -----

func.func @scatter_elements_c3_outside(%x: tensor<2x3xf32>, %i: tensor<2x4xi64>, %u: tensor<2x4xf32>) {
  // expected-error@+1 {{expects 'indices' of at most the extents of 'x' beside axis 0}}
  %0 = kiln.scatter_elements add %x, %i, %u axis 0 : tensor<2x3xf32>, tensor<2x4xi64>, tensor<2x4xf32>
  return
}

// -----

func.func @scatter_elements_c4_element(%x: tensor<2x3xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf64>) {
  // expected-error@+1 {{expects 'updates' of 'f32', got 'tensor<2x3xf64>'}}
  %0 = kiln.scatter_elements add %x, %i, %u axis 0 : tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf64>
  return
}

// -----

func.func @scatter_elements_c4_boolean(%x: tensor<2x3xi1>, %i: tensor<2x3xi64>) {
  // expected-error@+1 {{expects 'replace' for elements of i1, got 'add'}}
  %0 = kiln.scatter_elements add %x, %i, %x axis 0 : tensor<2x3xi1>, tensor<2x3xi64>, tensor<2x3xi1>
  return
}

// -----

func.func @scatter_nd_c1_tuples(%x: tensor<2x3xf32>, %i: tensor<4x3xi64>, %u: tensor<4xf32>) {
  // expected-error@+1 {{expects at most 2 indices for 'tensor<2x3xf32>', got 3}}
  %0 = kiln.scatter_nd replace %x, %i, %u : tensor<2x3xf32>, tensor<4x3xi64>, tensor<4xf32>
  return
}

// -----

func.func @scatter_nd_c2_updates(%x: tensor<2x3xf32>, %i: tensor<4x1xi64>, %u: tensor<4x2xf32>) {
  // expected-error@+1 {{expects 'updates' of shape 'tensor<4x3xf32>', got 'tensor<4x2xf32>'}}
  %0 = kiln.scatter_nd replace %x, %i, %u : tensor<2x3xf32>, tensor<4x1xi64>, tensor<4x2xf32>
  return
}

// -----

func.func @scatter_nd_c3_element(%x: tensor<2x3xf32>, %i: tensor<4x1xi64>, %u: tensor<4x3xi32>) {
  // expected-error@+1 {{expects 'updates' of 'f32', got 'tensor<4x3xi32>'}}
  %0 = kiln.scatter_nd replace %x, %i, %u : tensor<2x3xf32>, tensor<4x1xi64>, tensor<4x3xi32>
  return
}

// -----

func.func @top_k_c1_axis(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'axis' in [-2, 2), got 2}}
  %0:2 = kiln.top_k %x k [1] axis 2 : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2x3xi64>
  return
}

// -----

func.func @top_k_c2_k(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'k' of at most 3, the extent along 'axis', got 4}}
  %0:2 = kiln.top_k %x k [4] axis 1 : tensor<2x3xf32> -> tensor<2x4xf32>, tensor<2x4xi64>
  return
}

// -----

func.func @sort_c1_axis(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'axis' in [-2, 2), got 2}}
  %0:2 = kiln.sort %x axis 2 : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2x3xi64>
  return
}

// -----

func.func @nonzero_c1_count(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'count' with 1 entries, got 2}}
  %0 = kiln.nonzero %x count [1, 2] : tensor<2x3xf32> -> tensor<2x1xi64>
  return
}

// -----

func.func @unique_c1_axis(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'axis' in [-2, 2), got 2}}
  %0:4 = kiln.unique %x axis 2 : tensor<2x3xf32> -> tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<i64>
  return
}

// -----

func.func @nms_c1_shapes(%b: tensor<1x5x4xf32>, %s: tensor<1x2x6xf32>, %t: tensor<f32>) {
  // expected-error@+1 {{expects boxes of [batches, n, 4] and scores of [batches, classes, n]}}
  %0:2 = kiln.nms %b, %s limit [3] iou %t : tensor<1x5x4xf32>, tensor<1x2x6xf32> -> tensor<1x2x3xi64>, tensor<1x2xi64>
  return
}

// -----

func.func @nms_c2_limit(%b: tensor<1x5x4xf32>, %s: tensor<1x2x5xf32>, %t: tensor<f32>) {
  // expected-error@+1 {{expects 'limit' with 1 entries, got 2}}
  %0:2 = kiln.nms %b, %s limit [3, 3] iou %t : tensor<1x5x4xf32>, tensor<1x2x5xf32> -> tensor<1x2x3xi64>, tensor<1x2xi64>
  return
}
