// recurrence.mlir: recurrent layers against their equations written out, and by what their options mean.

// Two steps of an lstm by hand: every gate from its own slices, with peepholes and bias.
func.func @lstm_two_steps() {
  %xi = kiln.iota axis 0 [24] : tensor<24xf32>
  %tenth = kiln.constant dense<0.1> : tensor<f32>
  %xs = kiln.mul %xi, %tenth : tensor<24xf32>, tensor<f32> -> tensor<24xf32>
  %xsin = kiln.sin %xs : tensor<24xf32>
  %x0 = kiln.reshape %xsin [2, 4, 3] : tensor<24xf32> -> tensor<2x4x3xf32>
  %x = kiln.optimization_barrier %x0 : tensor<2x4x3xf32>
  %wi = kiln.iota axis 0 [60] : tensor<60xf32>
  %ws = kiln.cos %wi : tensor<60xf32>
  %w0 = kiln.reshape %ws [1, 20, 3] : tensor<60xf32> -> tensor<1x20x3xf32>
  %w = kiln.optimization_barrier %w0 : tensor<1x20x3xf32>
  %ri = kiln.iota axis 0 [100] : tensor<100xf32>
  %rs = kiln.sin %ri : tensor<100xf32>
  %r0 = kiln.reshape %rs [1, 20, 5] : tensor<100xf32> -> tensor<1x20x5xf32>
  %r = kiln.optimization_barrier %r0 : tensor<1x20x5xf32>
  %bi = kiln.iota axis 1 [1, 40] : tensor<1x40xf32>
  %bs = kiln.mul %bi, %tenth : tensor<1x40xf32>, tensor<f32> -> tensor<1x40xf32>
  %b0 = kiln.sin %bs : tensor<1x40xf32>
  %b = kiln.optimization_barrier %b0 : tensor<1x40xf32>
  %p0 = kiln.slice %b offsets [0, 3] sizes [1, 15] strides [1, 1] : tensor<1x40xf32> -> tensor<1x15xf32>
  %y, %h, %c = kiln.lstm forward %x, %w, %r bias %b peephole %p0 activations ["sigmoid", "tanh", "tanh"]
    : (tensor<2x4x3xf32>, tensor<1x20x3xf32>, tensor<1x20x5xf32>, tensor<1x40xf32>, tensor<1x15xf32>)
    -> (tensor<2x1x4x5xf32>, tensor<1x4x5xf32>, tensor<1x4x5xf32>)

  %wt = kiln.reshape %w [20, 3] : tensor<1x20x3xf32> -> tensor<20x3xf32>
  %rt = kiln.reshape %r [20, 5] : tensor<1x20x5xf32> -> tensor<20x5xf32>
  %bw = kiln.slice %b offsets [0, 0] sizes [1, 20] strides [1, 1] : tensor<1x40xf32> -> tensor<1x20xf32>
  %br = kiln.slice %b offsets [0, 20] sizes [1, 20] strides [1, 1] : tensor<1x40xf32> -> tensor<1x20xf32>
  %bias = kiln.add %bw, %br : tensor<1x20xf32>, tensor<1x20xf32> -> tensor<1x20xf32>
  %pi = kiln.slice %p0 offsets [0, 0] sizes [1, 5] strides [1, 1] : tensor<1x15xf32> -> tensor<1x5xf32>
  %po = kiln.slice %p0 offsets [0, 5] sizes [1, 5] strides [1, 1] : tensor<1x15xf32> -> tensor<1x5xf32>
  %pf = kiln.slice %p0 offsets [0, 10] sizes [1, 5] strides [1, 1] : tensor<1x15xf32> -> tensor<1x5xf32>

  // Step 0, from states of 0.
  %x_0 = kiln.slice %x offsets [0, 0, 0] sizes [1, 4, 3] strides [1, 1, 1] : tensor<2x4x3xf32> -> tensor<1x4x3xf32>
  %x0m = kiln.reshape %x_0 [4, 3] : tensor<1x4x3xf32> -> tensor<4x3xf32>
  %s00 = kiln.matmul %x0m, %wt transB : tensor<4x3xf32>, tensor<20x3xf32> -> tensor<4x20xf32>
  %s0 = kiln.add %s00, %bias : tensor<4x20xf32>, tensor<1x20xf32> -> tensor<4x20xf32>
  %i0s = kiln.slice %s0 offsets [0, 0] sizes [4, 5] strides [1, 1] : tensor<4x20xf32> -> tensor<4x5xf32>
  %o0s = kiln.slice %s0 offsets [0, 5] sizes [4, 5] strides [1, 1] : tensor<4x20xf32> -> tensor<4x5xf32>
  %g0s = kiln.slice %s0 offsets [0, 15] sizes [4, 5] strides [1, 1] : tensor<4x20xf32> -> tensor<4x5xf32>
  %i0 = kiln.sigmoid %i0s : tensor<4x5xf32>
  %g0 = kiln.tanh %g0s : tensor<4x5xf32>
  %c0 = kiln.mul %i0, %g0 : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
  %o0p = kiln.mul %po, %c0 : tensor<1x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
  %o0a = kiln.add %o0s, %o0p : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
  %o0 = kiln.sigmoid %o0a : tensor<4x5xf32>
  %t0 = kiln.tanh %c0 : tensor<4x5xf32>
  %h0 = kiln.mul %o0, %t0 : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>

  // Step 1.
  %x_1 = kiln.slice %x offsets [1, 0, 0] sizes [1, 4, 3] strides [1, 1, 1] : tensor<2x4x3xf32> -> tensor<1x4x3xf32>
  %x1m = kiln.reshape %x_1 [4, 3] : tensor<1x4x3xf32> -> tensor<4x3xf32>
  %s10 = kiln.matmul %x1m, %wt transB : tensor<4x3xf32>, tensor<20x3xf32> -> tensor<4x20xf32>
  %s11 = kiln.matmul %h0, %rt transB : tensor<4x5xf32>, tensor<20x5xf32> -> tensor<4x20xf32>
  %s12 = kiln.add %s10, %s11 : tensor<4x20xf32>, tensor<4x20xf32> -> tensor<4x20xf32>
  %s1 = kiln.add %s12, %bias : tensor<4x20xf32>, tensor<1x20xf32> -> tensor<4x20xf32>
  %i1s = kiln.slice %s1 offsets [0, 0] sizes [4, 5] strides [1, 1] : tensor<4x20xf32> -> tensor<4x5xf32>
  %o1s = kiln.slice %s1 offsets [0, 5] sizes [4, 5] strides [1, 1] : tensor<4x20xf32> -> tensor<4x5xf32>
  %f1s = kiln.slice %s1 offsets [0, 10] sizes [4, 5] strides [1, 1] : tensor<4x20xf32> -> tensor<4x5xf32>
  %g1s = kiln.slice %s1 offsets [0, 15] sizes [4, 5] strides [1, 1] : tensor<4x20xf32> -> tensor<4x5xf32>
  %i1p = kiln.mul %pi, %c0 : tensor<1x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
  %i1a = kiln.add %i1s, %i1p : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
  %i1 = kiln.sigmoid %i1a : tensor<4x5xf32>
  %f1p = kiln.mul %pf, %c0 : tensor<1x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
  %f1a = kiln.add %f1s, %f1p : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
  %f1 = kiln.sigmoid %f1a : tensor<4x5xf32>
  %g1 = kiln.tanh %g1s : tensor<4x5xf32>
  %k1 = kiln.mul %f1, %c0 : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
  %n1 = kiln.mul %i1, %g1 : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
  %c1 = kiln.add %k1, %n1 : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
  %o1p = kiln.mul %po, %c1 : tensor<1x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
  %o1a = kiln.add %o1s, %o1p : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
  %o1 = kiln.sigmoid %o1a : tensor<4x5xf32>
  %t1 = kiln.tanh %c1 : tensor<4x5xf32>
  %h1 = kiln.mul %o1, %t1 : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>

  %lastH = kiln.reshape %h [4, 5] : tensor<1x4x5xf32> -> tensor<4x5xf32>
  kiln.check_close %lastH, %h1 atol 2.0e-6 rtol 1.0e-5 : tensor<4x5xf32>
  %lastC = kiln.reshape %c [4, 5] : tensor<1x4x5xf32> -> tensor<4x5xf32>
  kiln.check_close %lastC, %c1 atol 2.0e-6 rtol 1.0e-5 : tensor<4x5xf32>
  %y0s = kiln.slice %y offsets [0, 0, 0, 0] sizes [1, 1, 4, 5] strides [1, 1, 1, 1] : tensor<2x1x4x5xf32> -> tensor<1x1x4x5xf32>
  %y0 = kiln.reshape %y0s [4, 5] : tensor<1x1x4x5xf32> -> tensor<4x5xf32>
  kiln.check_close %y0, %h0 atol 2.0e-6 rtol 1.0e-5 : tensor<4x5xf32>
  return
}

// A layer that copies: with identity weights, relu and no recurrence the outputs are the inputs, in every direction;
// the last state is the last step seen.
func.func @rnn_copies() {
  %i = kiln.iota axis 0 [6, 2, 3] : tensor<6x2x3xf32>
  %one = kiln.constant dense<1.0> : tensor<f32>
  %x0 = kiln.add %i, %one : tensor<6x2x3xf32>, tensor<f32> -> tensor<6x2x3xf32>
  %x = kiln.optimization_barrier %x0 : tensor<6x2x3xf32>
  %w = kiln.constant dense<[[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]]> : tensor<2x3x3xf32>
  %r = kiln.constant dense<0.0> : tensor<2x3x3xf32>
  %y, %h = kiln.rnn bidirectional %x, %w, %r activations ["relu"]
    : (tensor<6x2x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> (tensor<6x2x2x3xf32>, tensor<2x2x3xf32>)
  %xe = kiln.reshape %x [6, 1, 2, 3] : tensor<6x2x3xf32> -> tensor<6x1x2x3xf32>
  %want = kiln.concat %xe, %xe axis 1 : tensor<6x1x2x3xf32>, tensor<6x1x2x3xf32> -> tensor<6x2x2x3xf32>
  kiln.check_equal %y, %want : tensor<6x2x2x3xf32>
  %last = kiln.constant dense<[[[6.0, 6.0, 6.0], [6.0, 6.0, 6.0]], [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]]> : tensor<2x2x3xf32>
  kiln.check_equal %h, %last : tensor<2x2x3xf32>
  return
}

// Sums: with unit weights, an identity activation counts steps; lengths stop the count, zero what follows, and the
// backward direction starts at each length.
func.func @rnn_counts_lengths() {
  %x0 = kiln.constant dense<1.0> : tensor<5x3x1xf32>
  %x = kiln.optimization_barrier %x0 : tensor<5x3x1xf32>
  %w = kiln.constant dense<1.0> : tensor<2x1x1xf32>
  %n = kiln.constant dense<[5, 2, 0]> : tensor<3xi32>
  %y, %h = kiln.rnn bidirectional %x, %w, %w lengths %n activations ["affine"] alpha [1.0]
    : (tensor<5x3x1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>, tensor<3xi32>) -> (tensor<5x2x3x1xf32>, tensor<2x3x1xf32>)
  %want = kiln.constant dense<[[[1.0, 1.0, 0.0], [5.0, 2.0, 0.0]], [[2.0, 2.0, 0.0], [4.0, 1.0, 0.0]], [[3.0, 0.0, 0.0], [3.0, 0.0, 0.0]],
                               [[4.0, 0.0, 0.0], [2.0, 0.0, 0.0]], [[5.0, 0.0, 0.0], [1.0, 0.0, 0.0]]]> : tensor<5x2x3xf32>
  %got = kiln.reshape %y [5, 2, 3] : tensor<5x2x3x1xf32> -> tensor<5x2x3xf32>
  kiln.check_equal %got, %want : tensor<5x2x3xf32>
  %last = kiln.constant dense<[[[5.0], [2.0], [0.0]], [[5.0], [2.0], [0.0]]]> : tensor<2x3x1xf32>
  kiln.check_equal %h, %last : tensor<2x3x1xf32>
  return
}

// Where reset is 1 (a large bias), both forms of gru are the same; where z is 1 the state never moves.
func.func @gru_forms() {
  %i = kiln.iota axis 0 [5, 2, 3] : tensor<5x2x3xf32>
  %x0 = kiln.sin %i : tensor<5x2x3xf32>
  %x = kiln.optimization_barrier %x0 : tensor<5x2x3xf32>
  %wi = kiln.iota axis 0 [36] : tensor<36xf32>
  %ws = kiln.sin %wi : tensor<36xf32>
  %w0 = kiln.reshape %ws [1, 12, 3] : tensor<36xf32> -> tensor<1x12x3xf32>
  %w = kiln.optimization_barrier %w0 : tensor<1x12x3xf32>
  %ri = kiln.iota axis 0 [48] : tensor<48xf32>
  %rs = kiln.cos %ri : tensor<48xf32>
  %r0 = kiln.reshape %rs [1, 12, 4] : tensor<48xf32> -> tensor<1x12x4xf32>
  %r = kiln.optimization_barrier %r0 : tensor<1x12x4xf32>
  %b = kiln.constant dense<[[0.0, 0.0, 0.0, 0.0, 60.0, 60.0, 60.0, 60.0, 0.5, 0.5, 0.5, 0.5,
                             0.0, 0.0, 0.0, 0.0, 60.0, 60.0, 60.0, 60.0, 0.25, 0.25, 0.25, 0.25]]> : tensor<1x24xf32>
  %y, %h = kiln.gru forward %x, %w, %r bias %b activations ["sigmoid", "tanh"]
    : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  %y2, %h2 = kiln.gru forward %x, %w, %r bias %b activations ["sigmoid", "tanh"] linear_before_reset
    : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  kiln.check_close %y, %y2 atol 1.0e-6 rtol 1.0e-5 : tensor<5x1x2x4xf32>
  %s0 = kiln.constant dense<[[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]]> : tensor<1x2x4xf32>
  %stay = kiln.constant dense<[[80.0, 80.0, 80.0, 80.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                                80.0, 80.0, 80.0, 80.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<1x24xf32>
  %y3, %h3 = kiln.gru reverse %x, %w, %r bias %stay initial_h %s0 activations ["sigmoid", "tanh"]
    : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x24xf32>, tensor<1x2x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  kiln.check_close %h3, %s0 atol 1.0e-6 rtol 1.0e-6 : tensor<1x2x4xf32>
  return
}

// f16 computes in f32 and rounds the outputs once.
func.func @lstm_half() {
  %i = kiln.iota axis 0 [4, 2, 3] : tensor<4x2x3xf32>
  %x0 = kiln.sin %i : tensor<4x2x3xf32>
  %x = kiln.optimization_barrier %x0 : tensor<4x2x3xf32>
  %wi = kiln.iota axis 0 [48] : tensor<48xf32>
  %ws = kiln.sin %wi : tensor<48xf32>
  %w = kiln.reshape %ws [1, 16, 3] : tensor<48xf32> -> tensor<1x16x3xf32>
  %ri = kiln.iota axis 0 [64] : tensor<64xf32>
  %rs = kiln.cos %ri : tensor<64xf32>
  %r = kiln.reshape %rs [1, 16, 4] : tensor<64xf32> -> tensor<1x16x4xf32>
  %xh = kiln.convert %x : tensor<4x2x3xf32> to tensor<4x2x3xf16>
  %wh = kiln.convert %w : tensor<1x16x3xf32> to tensor<1x16x3xf16>
  %rh = kiln.convert %r : tensor<1x16x4xf32> to tensor<1x16x4xf16>
  %xf = kiln.convert %xh : tensor<4x2x3xf16> to tensor<4x2x3xf32>
  %wf = kiln.convert %wh : tensor<1x16x3xf16> to tensor<1x16x3xf32>
  %rf = kiln.convert %rh : tensor<1x16x4xf16> to tensor<1x16x4xf32>
  %y:3 = kiln.lstm forward %xf, %wf, %rf activations ["sigmoid", "tanh", "tanh"]
    : (tensor<4x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<4x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  %z:3 = kiln.lstm forward %xh, %wh, %rh activations ["sigmoid", "tanh", "tanh"]
    : (tensor<4x2x3xf16>, tensor<1x16x3xf16>, tensor<1x16x4xf16>) -> (tensor<4x1x2x4xf16>, tensor<1x2x4xf16>, tensor<1x2x4xf16>)
  %want = kiln.convert %y#0 : tensor<4x1x2x4xf32> to tensor<4x1x2x4xf16>
  kiln.check_close %z#0, %want atol 1.0e-3 rtol 1.0e-3 : tensor<4x1x2x4xf16>
  return
}

// Every activation: one step from state 0 with unit weights is the function itself.
func.func @activations() {
  %x0 = kiln.constant dense<[[[-3.0], [-0.5], [0.0], [0.25], [2.0]]]> : tensor<1x5x1xf32>
  %x = kiln.optimization_barrier %x0 : tensor<1x5x1xf32>
  %w = kiln.constant dense<1.0> : tensor<1x1x1xf32>
  %r = kiln.constant dense<0.0> : tensor<1x1x1xf32>
  %a:2 = kiln.rnn forward %x, %w, %r activations ["affine"] alpha [2.0] beta [0.5] : (tensor<1x5x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x5x1xf32>, tensor<1x5x1xf32>)
  %wa = kiln.constant dense<[[[-5.5], [-0.5], [0.5], [1.0], [4.5]]]> : tensor<1x5x1xf32>
  kiln.check_close %a#1, %wa atol 1.0e-6 rtol 1.0e-6 : tensor<1x5x1xf32>
  %b:2 = kiln.rnn forward %x, %w, %r activations ["leaky_relu"] alpha [0.5] : (tensor<1x5x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x5x1xf32>, tensor<1x5x1xf32>)
  %wb = kiln.constant dense<[[[-1.5], [-0.25], [0.0], [0.25], [2.0]]]> : tensor<1x5x1xf32>
  kiln.check_close %b#1, %wb atol 1.0e-6 rtol 1.0e-6 : tensor<1x5x1xf32>
  %c:2 = kiln.rnn forward %x, %w, %r activations ["thresholded_relu"] alpha [0.3] : (tensor<1x5x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x5x1xf32>, tensor<1x5x1xf32>)
  %wc = kiln.constant dense<[[[0.0], [0.0], [0.0], [0.0], [2.0]]]> : tensor<1x5x1xf32>
  kiln.check_close %c#1, %wc atol 1.0e-6 rtol 1.0e-6 : tensor<1x5x1xf32>
  %d:2 = kiln.rnn forward %x, %w, %r activations ["scaled_tanh"] alpha [2.0] beta [0.5] : (tensor<1x5x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x5x1xf32>, tensor<1x5x1xf32>)
  %wd = kiln.constant dense<[[[-1.8102965], [-0.4898373], [0.0], [0.248707], [1.5231884]]]> : tensor<1x5x1xf32>
  kiln.check_close %d#1, %wd atol 1.0e-5 rtol 1.0e-5 : tensor<1x5x1xf32>
  %e:2 = kiln.rnn forward %x, %w, %r activations ["hard_sigmoid"] alpha [0.2] beta [0.5] : (tensor<1x5x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x5x1xf32>, tensor<1x5x1xf32>)
  %we = kiln.constant dense<[[[0.0], [0.4], [0.5], [0.55], [0.9]]]> : tensor<1x5x1xf32>
  kiln.check_close %e#1, %we atol 1.0e-6 rtol 1.0e-6 : tensor<1x5x1xf32>
  %f:2 = kiln.rnn forward %x, %w, %r activations ["elu"] alpha [1.0] : (tensor<1x5x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x5x1xf32>, tensor<1x5x1xf32>)
  %wf = kiln.constant dense<[[[-0.95021293], [-0.39346934], [0.0], [0.25], [2.0]]]> : tensor<1x5x1xf32>
  kiln.check_close %f#1, %wf atol 1.0e-6 rtol 1.0e-5 : tensor<1x5x1xf32>
  %g:2 = kiln.rnn forward %x, %w, %r activations ["softsign"] : (tensor<1x5x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x5x1xf32>, tensor<1x5x1xf32>)
  %wg = kiln.constant dense<[[[-0.75], [-0.33333334], [0.0], [0.2], [0.6666667]]]> : tensor<1x5x1xf32>
  kiln.check_close %g#1, %wg atol 1.0e-6 rtol 1.0e-5 : tensor<1x5x1xf32>
  %h:2 = kiln.rnn forward %x, %w, %r activations ["softplus"] : (tensor<1x5x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x5x1xf32>, tensor<1x5x1xf32>)
  %wh = kiln.constant dense<[[[0.04858735], [0.474077], [0.6931472], [0.8259394], [2.126928]]]> : tensor<1x5x1xf32>
  kiln.check_close %h#1, %wh atol 1.0e-5 rtol 1.0e-5 : tensor<1x5x1xf32>
  // clip bounds what the activation sees.
  %k:2 = kiln.rnn forward %x, %w, %r activations ["affine"] alpha [1.0] clip 0.4 : (tensor<1x5x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x5x1xf32>, tensor<1x5x1xf32>)
  %wk = kiln.constant dense<[[[-0.4], [-0.4], [0.0], [0.25], [0.4]]]> : tensor<1x5x1xf32>
  kiln.check_close %k#1, %wk atol 1.0e-6 rtol 1.0e-6 : tensor<1x5x1xf32>
  return
}
