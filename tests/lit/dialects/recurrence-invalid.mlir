// RUN: jit-opt %s --split-input-file --verify-diagnostics

func.func @lstm_c1_element_types(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %e: tensor<1x2x4xf64>) {
  // expected-error@+1 {{expects floats of one element type, got 'tensor<5x2x3xf32>' and 'tensor<1x2x4xf64>'}}
  %0:3 = kiln.lstm forward %x, %w, %r initial_h %e activations ["sigmoid", "tanh", "tanh"]
    : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x2x4xf64>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @lstm_c2_rank(%x: tensor<5x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>) {
  // expected-error@+1 {{expects 'x' and 'r' of rank 3, got 'tensor<5x3xf32>'}}
  %0:3 = kiln.lstm forward %x, %w, %r activations ["sigmoid", "tanh", "tanh"]
    : (tensor<5x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @lstm_c2_weights(%x: tensor<5x2x3xf32>, %w: tensor<1x16x7xf32>, %r: tensor<1x16x4xf32>) {
  // expected-error@+1 {{expects 'w' of shape [1, 16, 3], got 'tensor<1x16x7xf32>'}}
  %0:3 = kiln.lstm forward %x, %w, %r activations ["sigmoid", "tanh", "tanh"]
    : (tensor<5x2x3xf32>, tensor<1x16x7xf32>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @lstm_c2_lengths(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %e: tensor<3xi32>) {
  // expected-error@+1 {{expects 'lengths' of shape [2], got 'tensor<3xi32>'}}
  %0:3 = kiln.lstm forward %x, %w, %r lengths %e activations ["sigmoid", "tanh", "tanh"]
    : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<3xi32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @lstm_c3_activations(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>) {
  // expected-error@+1 {{expects 3 of the activations sigmoid, tanh, relu}}
  %0:3 = kiln.lstm forward %x, %w, %r activations ["sigmoid", "tan", "tan"]
    : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @lstm_c4_alpha(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>) {
  // expected-error@+1 {{expects 'alpha' with 3 entries, got 4}}
  %0:3 = kiln.lstm forward %x, %w, %r activations ["sigmoid", "tanh", "tanh"] alpha [1.0, 1.0, 1.0, 1.0]
    : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @lstm_c5_clip(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>) {
  // expected-error@+1 {{expects 'clip' finite and > 0, got}}
  %0:3 = kiln.lstm forward %x, %w, %r activations ["sigmoid", "tanh", "tanh"] clip -1.0
    : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @gru_c1_element_types(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %e: tensor<1x2x4xf64>) {
  // expected-error@+1 {{expects floats of one element type, got 'tensor<5x2x3xf32>' and 'tensor<1x2x4xf64>'}}
  %0:2 = kiln.gru forward %x, %w, %r initial_h %e activations ["sigmoid", "tanh"]
    : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<1x2x4xf64>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @gru_c2_rank(%x: tensor<5x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error@+1 {{expects 'x' and 'r' of rank 3, got 'tensor<5x3xf32>'}}
  %0:2 = kiln.gru forward %x, %w, %r activations ["sigmoid", "tanh"]
    : (tensor<5x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @gru_c2_weights(%x: tensor<5x2x3xf32>, %w: tensor<1x12x7xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error@+1 {{expects 'w' of shape [1, 12, 3], got 'tensor<1x12x7xf32>'}}
  %0:2 = kiln.gru forward %x, %w, %r activations ["sigmoid", "tanh"]
    : (tensor<5x2x3xf32>, tensor<1x12x7xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @gru_c2_lengths(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %e: tensor<3xi32>) {
  // expected-error@+1 {{expects 'lengths' of shape [2], got 'tensor<3xi32>'}}
  %0:2 = kiln.gru forward %x, %w, %r lengths %e activations ["sigmoid", "tanh"]
    : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, tensor<3xi32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @gru_c3_activations(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error@+1 {{expects 2 of the activations sigmoid, tanh, relu}}
  %0:2 = kiln.gru forward %x, %w, %r activations ["sigmoid", "tan"]
    : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @gru_c4_alpha(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error@+1 {{expects 'alpha' with 2 entries, got 3}}
  %0:2 = kiln.gru forward %x, %w, %r activations ["sigmoid", "tanh"] alpha [1.0, 1.0, 1.0]
    : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @gru_c5_clip(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error@+1 {{expects 'clip' finite and > 0, got}}
  %0:2 = kiln.gru forward %x, %w, %r activations ["sigmoid", "tanh"] clip -1.0
    : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c1_element_types(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %e: tensor<1x2x4xf64>) {
  // expected-error@+1 {{expects floats of one element type, got 'tensor<5x2x3xf32>' and 'tensor<1x2x4xf64>'}}
  %0:2 = kiln.rnn forward %x, %w, %r initial_h %e activations ["tanh"]
    : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x2x4xf64>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c2_rank(%x: tensor<5x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error@+1 {{expects 'x' and 'r' of rank 3, got 'tensor<5x3xf32>'}}
  %0:2 = kiln.rnn forward %x, %w, %r activations ["tanh"]
    : (tensor<5x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c2_weights(%x: tensor<5x2x3xf32>, %w: tensor<1x4x7xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error@+1 {{expects 'w' of shape [1, 4, 3], got 'tensor<1x4x7xf32>'}}
  %0:2 = kiln.rnn forward %x, %w, %r activations ["tanh"]
    : (tensor<5x2x3xf32>, tensor<1x4x7xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c2_lengths(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %e: tensor<3xi32>) {
  // expected-error@+1 {{expects 'lengths' of shape [2], got 'tensor<3xi32>'}}
  %0:2 = kiln.rnn forward %x, %w, %r lengths %e activations ["tanh"]
    : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<3xi32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c3_activations(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error@+1 {{expects 1 of the activations sigmoid, tanh, relu}}
  %0:2 = kiln.rnn forward %x, %w, %r activations ["tan"]
    : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c4_alpha(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error@+1 {{expects 'alpha' with 1 entries, got 2}}
  %0:2 = kiln.rnn forward %x, %w, %r activations ["tanh"] alpha [1.0, 1.0]
    : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rnn_c5_clip(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error@+1 {{expects 'clip' finite and > 0, got}}
  %0:2 = kiln.rnn forward %x, %w, %r activations ["tanh"] clip -1.0
    : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @lstm_c2_peephole(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %e: tensor<1x16xf32>) {
  // expected-error@+1 {{expects 'peephole' of shape [1, 12], got 'tensor<1x16xf32>'}}
  %0:3 = kiln.lstm forward %x, %w, %r peephole %e activations ["sigmoid", "tanh", "tanh"]
    : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x16xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @lstm_c2_initial_c(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %e: tensor<1x2x5xf32>) {
  // expected-error@+1 {{expects 'initial_c' of shape [1, 2, 4], got 'tensor<1x2x5xf32>'}}
  %0:3 = kiln.lstm forward %x, %w, %r initial_c %e activations ["sigmoid", "tanh", "tanh"]
    : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x2x5xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @lstm_c6_no_scale(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xi8>, %r: tensor<1x16x4xf32>) {
  // expected-error@+1 {{expects a scale for 'w' if it is of integers, and only then}}
  %0:3 = kiln.lstm forward %x, %w, %r activations ["sigmoid", "tanh", "tanh"]
    : (tensor<5x2x3xf32>, tensor<1x16x3xi8>, tensor<1x16x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @lstm_c6_scale_shape(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xi8>, %r: tensor<1x16x4xf32>, %s: tensor<1x4xf32>) {
  // expected-error@+1 {{expects scale and zero of 'w' by direction or row, got 'tensor<1x4xf32>' for 'tensor<1x16x3xi8>'}}
  %0:3 = kiln.lstm forward %x, %w, %r w_scale %s activations ["sigmoid", "tanh", "tanh"]
    : (tensor<5x2x3xf32>, tensor<1x16x3xi8>, tensor<1x16x4xf32>, tensor<1x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}
