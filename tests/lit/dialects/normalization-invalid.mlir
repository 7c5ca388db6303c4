// RUN: jit-opt %s --split-input-file --verify-diagnostics

func.func @softmax_c1_axis_out_of_range(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'axis' in [-2, 2), got 2}}
  %0 = kiln.softmax %x axis 2 : tensor<2x3xf32>
  return
}

// -----

func.func @log_softmax_c1_axis_out_of_range(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'axis' in [-2, 2), got -3}}
  %0 = kiln.log_softmax %x axis -3 : tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_c1_axis(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'axis' in [-2, 2), got 2}}
  %0 = kiln.layer_norm %x axis 2 epsilon 1.0e-5 : tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_c2_bias(%x: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'bias' to broadcast to the extents of 'x' from 'axis' on, got 'tensor<2x3xf32>' for 'tensor<2x3xf32>'}}
  %0 = kiln.layer_norm %x bias(%b : tensor<2x3xf32>) axis 1 epsilon 1.0e-5 : tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_c3_epsilon(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'epsilon' finite and >= 0, got -1.000000e+00}}
  %0 = kiln.layer_norm %x axis 1 epsilon -1.0 : tensor<2x3xf32>
  return
}

// -----

func.func @rms_norm_c1_axis(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'axis' in [-2, 2), got 2}}
  %0 = kiln.rms_norm %x axis 2 epsilon 1.0e-5 : tensor<2x3xf32>
  return
}

// -----

func.func @rms_norm_c2_scale(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error@+1 {{expects 'scale' to broadcast to the extents of 'x' from 'axis' on}}
  %0 = kiln.rms_norm %x scale(%s : tensor<2xf32>) axis 1 epsilon 1.0e-5 : tensor<2x3xf32>
  return
}

// -----

func.func @rms_norm_c3_epsilon(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{expects 'epsilon' finite and >= 0}}
  %0 = kiln.rms_norm %x axis 1 epsilon 0x7FF0000000000000 : tensor<2x3xf32>
  return
}

// -----

func.func @group_norm_c1_rank(%x: tensor<2xf32>) {
  // expected-error@+1 {{expects 'x' of rank 2 or more, got 'tensor<2xf32>'}}
  %0 = kiln.group_norm %x groups 1 epsilon 1.0e-5 : tensor<2xf32>
  return
}

// -----

func.func @group_norm_c2_groups(%x: tensor<2x8x4xf32>) {
  // expected-error@+1 {{expects 'groups' >= 1 that divides the channels, got 3 groups for 8 channels}}
  %0 = kiln.group_norm %x groups 3 epsilon 1.0e-5 : tensor<2x8x4xf32>
  return
}

// -----

func.func @group_norm_c3_scale(%x: tensor<2x8x4xf32>, %s: tensor<4xf32>) {
  // expected-error@+1 {{expects 'scale' of shape [8], got 'tensor<4xf32>'}}
  %0 = kiln.group_norm %x scale(%s : tensor<4xf32>) groups 2 epsilon 1.0e-5 : tensor<2x8x4xf32>
  return
}

// -----

func.func @group_norm_c4_epsilon(%x: tensor<2x8x4xf32>) {
  // expected-error@+1 {{expects 'epsilon' finite and >= 0, got -1.000000e-05}}
  %0 = kiln.group_norm %x groups 2 epsilon -1.0e-5 : tensor<2x8x4xf32>
  return
}

// -----

func.func @instance_norm_c1_rank(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{expects 'x' of rank 3 or more, got 'tensor<2x8xf32>'}}
  %0 = kiln.instance_norm %x epsilon 1.0e-5 : tensor<2x8xf32>
  return
}

// -----

func.func @instance_norm_c2_bias(%x: tensor<2x8x4xf32>, %b: tensor<1x8xf32>) {
  // expected-error@+1 {{expects 'bias' of shape [8], got 'tensor<1x8xf32>'}}
  %0 = kiln.instance_norm %x bias(%b : tensor<1x8xf32>) epsilon 1.0e-5 : tensor<2x8x4xf32>
  return
}

// -----

func.func @instance_norm_c3_epsilon(%x: tensor<2x8x4xf32>) {
  // expected-error@+1 {{expects 'epsilon' finite and >= 0}}
  %0 = kiln.instance_norm %x epsilon -1.0 : tensor<2x8x4xf32>
  return
}

// -----

func.func @batch_norm_c1_rank(%x: tensor<8xf32>, %c: tensor<8xf32>) {
  // expected-error@+1 {{expects 'x' of rank 2 or more, got 'tensor<8xf32>'}}
  %0 = kiln.batch_norm %x, %c, %c, %c, %c epsilon 1.0e-5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @batch_norm_c2_var(%x: tensor<1x8xf32>, %c: tensor<8xf32>, %v: tensor<1xf32>) {
  // expected-error@+1 {{expects 'var' of shape [8], got 'tensor<1xf32>'}}
  %0 = kiln.batch_norm %x, %c, %c, %c, %v epsilon 1.0e-5 : tensor<1x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1xf32>
  return
}

// -----

func.func @batch_norm_c3_epsilon(%x: tensor<1x8xf32>, %c: tensor<8xf32>) {
  // expected-error@+1 {{expects 'epsilon' finite and >= 0}}
  %0 = kiln.batch_norm %x, %c, %c, %c, %c epsilon -1.0 : tensor<1x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}
