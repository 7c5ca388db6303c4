// recurrence.mlir: lstm, gru and rnn: directions, lengths, states, every activation, integer weights.

func.func @lstm(%x: tensor<?x?x?xf32>, %w: tensor<1x20x?xf32>, %r: tensor<1x20x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["TxBxI", "1x20xI uniform -0.5 0.5", "1x20x5 uniform -0.5 0.5"],
    cases = ["T=4 B=2 I=3", "T=7 B=1 I=9", "T=1 B=3 I=1", "T=0 B=2 I=2"]}} {
  %y, %h, %c = kiln.lstm forward %x, %w, %r activations ["sigmoid", "tanh", "tanh"]
    : (tensor<?x?x?xf32>, tensor<1x20x?xf32>, tensor<1x20x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h, %c : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @lstm_reverse(%x: tensor<?x?x?xf32>, %w: tensor<1x20x?xf32>, %r: tensor<1x20x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["TxBxI", "1x20xI uniform -0.5 0.5", "1x20x5 uniform -0.5 0.5"],
    cases = ["T=4 B=2 I=3", "T=7 B=1 I=9"]}} {
  %y, %h, %c = kiln.lstm reverse %x, %w, %r activations ["sigmoid", "tanh", "tanh"]
    : (tensor<?x?x?xf32>, tensor<1x20x?xf32>, tensor<1x20x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h, %c : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>
}

// Everything at once: a bias, lengths of the sequences, initial states.
func.func @lstm_bidirectional(%x: tensor<?x?x?xf32>, %w: tensor<2x20x?xf32>, %r: tensor<2x20x5xf32>, %b: tensor<2x40xf32>, %l: tensor<?xi32>, %h0: tensor<2x?x5xf32>, %c0: tensor<2x?x5xf32>, %p: tensor<2x15xf32>) -> (tensor<?x2x?x5xf32>, tensor<2x?x5xf32>, tensor<2x?x5xf32>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["TxBxI", "2x20xI uniform -0.5 0.5", "2x20x5 uniform -0.5 0.5", "2x40", "B uniform 0 5", "2xBx5 uniform -1 1", "2xBx5", "2x15"],
    cases = ["T=4 B=3 I=3", "T=5 B=1 I=8", "T=6 B=4 I=2 seed=1"]}} {
  %y, %h, %c = kiln.lstm bidirectional %x, %w, %r bias %b lengths %l initial_h %h0 initial_c %c0 peephole %p activations ["sigmoid", "tanh", "tanh"]
    : (tensor<?x?x?xf32>, tensor<2x20x?xf32>, tensor<2x20x5xf32>, tensor<2x40xf32>, tensor<?xi32>, tensor<2x?x5xf32>, tensor<2x?x5xf32>, tensor<2x15xf32>) -> (tensor<?x2x?x5xf32>, tensor<2x?x5xf32>, tensor<2x?x5xf32>)
  return %y, %h, %c : tensor<?x2x?x5xf32>, tensor<2x?x5xf32>, tensor<2x?x5xf32>
}

func.func @gru(%x: tensor<?x?x?xf32>, %w: tensor<1x15x?xf32>, %r: tensor<1x15x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["TxBxI", "1x15xI uniform -0.5 0.5", "1x15x5 uniform -0.5 0.5"],
    cases = ["T=4 B=2 I=3", "T=7 B=1 I=9", "T=1 B=3 I=1", "T=0 B=2 I=2"]}} {
  %y, %h = kiln.gru forward %x, %w, %r activations ["sigmoid", "tanh"]
    : (tensor<?x?x?xf32>, tensor<1x15x?xf32>, tensor<1x15x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @gru_reverse(%x: tensor<?x?x?xf32>, %w: tensor<1x15x?xf32>, %r: tensor<1x15x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["TxBxI", "1x15xI uniform -0.5 0.5", "1x15x5 uniform -0.5 0.5"],
    cases = ["T=4 B=2 I=3", "T=7 B=1 I=9"]}} {
  %y, %h = kiln.gru reverse %x, %w, %r activations ["sigmoid", "tanh"]
    : (tensor<?x?x?xf32>, tensor<1x15x?xf32>, tensor<1x15x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

// Everything at once: a bias, lengths of the sequences, initial states.
func.func @gru_bidirectional(%x: tensor<?x?x?xf32>, %w: tensor<2x15x?xf32>, %r: tensor<2x15x5xf32>, %b: tensor<2x30xf32>, %l: tensor<?xi32>, %h0: tensor<2x?x5xf32>) -> (tensor<?x2x?x5xf32>, tensor<2x?x5xf32>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["TxBxI", "2x15xI uniform -0.5 0.5", "2x15x5 uniform -0.5 0.5", "2x30", "B uniform 0 5", "2xBx5 uniform -1 1"],
    cases = ["T=4 B=3 I=3", "T=5 B=1 I=8", "T=6 B=4 I=2 seed=1"]}} {
  %y, %h = kiln.gru bidirectional %x, %w, %r bias %b lengths %l initial_h %h0 activations ["sigmoid", "tanh"]
    : (tensor<?x?x?xf32>, tensor<2x15x?xf32>, tensor<2x15x5xf32>, tensor<2x30xf32>, tensor<?xi32>, tensor<2x?x5xf32>) -> (tensor<?x2x?x5xf32>, tensor<2x?x5xf32>)
  return %y, %h : tensor<?x2x?x5xf32>, tensor<2x?x5xf32>
}

func.func @rnn(%x: tensor<?x?x?xf32>, %w: tensor<1x5x?xf32>, %r: tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["TxBxI", "1x5xI uniform -0.5 0.5", "1x5x5 uniform -0.5 0.5"],
    cases = ["T=4 B=2 I=3", "T=7 B=1 I=9", "T=1 B=3 I=1", "T=0 B=2 I=2"]}} {
  %y, %h = kiln.rnn forward %x, %w, %r activations ["tanh"]
    : (tensor<?x?x?xf32>, tensor<1x5x?xf32>, tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @rnn_reverse(%x: tensor<?x?x?xf32>, %w: tensor<1x5x?xf32>, %r: tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["TxBxI", "1x5xI uniform -0.5 0.5", "1x5x5 uniform -0.5 0.5"],
    cases = ["T=4 B=2 I=3", "T=7 B=1 I=9"]}} {
  %y, %h = kiln.rnn reverse %x, %w, %r activations ["tanh"]
    : (tensor<?x?x?xf32>, tensor<1x5x?xf32>, tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

// Everything at once: a bias, lengths of the sequences, initial states.
func.func @rnn_bidirectional(%x: tensor<?x?x?xf32>, %w: tensor<2x5x?xf32>, %r: tensor<2x5x5xf32>, %b: tensor<2x10xf32>, %l: tensor<?xi32>, %h0: tensor<2x?x5xf32>) -> (tensor<?x2x?x5xf32>, tensor<2x?x5xf32>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["TxBxI", "2x5xI uniform -0.5 0.5", "2x5x5 uniform -0.5 0.5", "2x10", "B uniform 0 5", "2xBx5 uniform -1 1"],
    cases = ["T=4 B=3 I=3", "T=5 B=1 I=8", "T=6 B=4 I=2 seed=1"]}} {
  %y, %h = kiln.rnn bidirectional %x, %w, %r bias %b lengths %l initial_h %h0 activations ["tanh"]
    : (tensor<?x?x?xf32>, tensor<2x5x?xf32>, tensor<2x5x5xf32>, tensor<2x10xf32>, tensor<?xi32>, tensor<2x?x5xf32>) -> (tensor<?x2x?x5xf32>, tensor<2x?x5xf32>)
  return %y, %h : tensor<?x2x?x5xf32>, tensor<2x?x5xf32>
}

func.func @lstm_input_forget(%x: tensor<?x?x?xf32>, %w: tensor<1x20x?xf32>, %r: tensor<1x20x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32],
    inputs = ["TxBxI", "1x20xI uniform -0.5 0.5", "1x20x5 uniform -0.5 0.5"],
    cases = ["T=4 B=2 I=3", "T=7 B=1 I=9"]}} {
  %y, %h, %c = kiln.lstm forward %x, %w, %r activations ["sigmoid", "tanh", "tanh"] clip 0.75 input_forget
    : (tensor<?x?x?xf32>, tensor<1x20x?xf32>, tensor<1x20x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h, %c : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @gru_linear_before_reset(%x: tensor<?x?x?xf32>, %w: tensor<1x15x?xf32>, %r: tensor<1x15x5xf32>, %b: tensor<1x30xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f16, bf16, f32, f64],
    inputs = ["TxBxI", "1x15xI uniform -0.5 0.5", "1x15x5 uniform -0.5 0.5", "1x30"],
    cases = ["T=4 B=2 I=3", "T=7 B=1 I=9"]}} {
  %y, %h = kiln.gru forward %x, %w, %r bias %b activations ["sigmoid", "tanh"] linear_before_reset
    : (tensor<?x?x?xf32>, tensor<1x15x?xf32>, tensor<1x15x5xf32>, tensor<1x30xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @rnn_clip(%x: tensor<?x?x?xf32>, %w: tensor<1x5x?xf32>, %r: tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32],
    inputs = ["TxBxI", "1x5xI uniform -0.5 0.5", "1x5x5 uniform -0.5 0.5"],
    cases = ["T=4 B=2 I=3", "T=7 B=1 I=9"]}} {
  %y, %h = kiln.rnn forward %x, %w, %r activations ["relu"] clip 0.5
    : (tensor<?x?x?xf32>, tensor<1x5x?xf32>, tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @rnn_relu(%x: tensor<?x?x?xf32>, %w: tensor<1x5x?xf32>, %r: tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["TxBxI", "1x5xI uniform -0.5 0.5", "1x5x5 uniform -0.5 0.5"],
    cases = ["T=3 B=2 I=4", "T=5 B=1 I=7"]}} {
  %y, %h = kiln.rnn forward %x, %w, %r activations ["relu"]
    : (tensor<?x?x?xf32>, tensor<1x5x?xf32>, tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @rnn_affine(%x: tensor<?x?x?xf32>, %w: tensor<1x5x?xf32>, %r: tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["TxBxI", "1x5xI uniform -0.5 0.5", "1x5x5 uniform -0.5 0.5"],
    cases = ["T=3 B=2 I=4", "T=5 B=1 I=7"]}} {
  %y, %h = kiln.rnn forward %x, %w, %r activations ["affine"] alpha [0.75] beta [0.125]
    : (tensor<?x?x?xf32>, tensor<1x5x?xf32>, tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @rnn_leaky_relu(%x: tensor<?x?x?xf32>, %w: tensor<1x5x?xf32>, %r: tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["TxBxI", "1x5xI uniform -0.5 0.5", "1x5x5 uniform -0.5 0.5"],
    cases = ["T=3 B=2 I=4", "T=5 B=1 I=7"]}} {
  %y, %h = kiln.rnn forward %x, %w, %r activations ["leaky_relu"] alpha [0.25] beta [0.0]
    : (tensor<?x?x?xf32>, tensor<1x5x?xf32>, tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @rnn_thresholded_relu(%x: tensor<?x?x?xf32>, %w: tensor<1x5x?xf32>, %r: tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["TxBxI", "1x5xI uniform -0.5 0.5", "1x5x5 uniform -0.5 0.5"],
    cases = ["T=3 B=2 I=4", "T=5 B=1 I=7"]}} {
  %y, %h = kiln.rnn forward %x, %w, %r activations ["thresholded_relu"] alpha [0.3] beta [0.0]
    : (tensor<?x?x?xf32>, tensor<1x5x?xf32>, tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @rnn_scaled_tanh(%x: tensor<?x?x?xf32>, %w: tensor<1x5x?xf32>, %r: tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["TxBxI", "1x5xI uniform -0.5 0.5", "1x5x5 uniform -0.5 0.5"],
    cases = ["T=3 B=2 I=4", "T=5 B=1 I=7"]}} {
  %y, %h = kiln.rnn forward %x, %w, %r activations ["scaled_tanh"] alpha [0.5] beta [1.5]
    : (tensor<?x?x?xf32>, tensor<1x5x?xf32>, tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @rnn_hard_sigmoid(%x: tensor<?x?x?xf32>, %w: tensor<1x5x?xf32>, %r: tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["TxBxI", "1x5xI uniform -0.5 0.5", "1x5x5 uniform -0.5 0.5"],
    cases = ["T=3 B=2 I=4", "T=5 B=1 I=7"]}} {
  %y, %h = kiln.rnn forward %x, %w, %r activations ["hard_sigmoid"] alpha [0.2] beta [0.5]
    : (tensor<?x?x?xf32>, tensor<1x5x?xf32>, tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @rnn_elu(%x: tensor<?x?x?xf32>, %w: tensor<1x5x?xf32>, %r: tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["TxBxI", "1x5xI uniform -0.5 0.5", "1x5x5 uniform -0.5 0.5"],
    cases = ["T=3 B=2 I=4", "T=5 B=1 I=7"]}} {
  %y, %h = kiln.rnn forward %x, %w, %r activations ["elu"] alpha [0.75] beta [0.0]
    : (tensor<?x?x?xf32>, tensor<1x5x?xf32>, tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @rnn_softsign(%x: tensor<?x?x?xf32>, %w: tensor<1x5x?xf32>, %r: tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["TxBxI", "1x5xI uniform -0.5 0.5", "1x5x5 uniform -0.5 0.5"],
    cases = ["T=3 B=2 I=4", "T=5 B=1 I=7"]}} {
  %y, %h = kiln.rnn forward %x, %w, %r activations ["softsign"]
    : (tensor<?x?x?xf32>, tensor<1x5x?xf32>, tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @rnn_softplus(%x: tensor<?x?x?xf32>, %w: tensor<1x5x?xf32>, %r: tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["TxBxI", "1x5xI uniform -0.5 0.5", "1x5x5 uniform -0.5 0.5"],
    cases = ["T=3 B=2 I=4", "T=5 B=1 I=7"]}} {
  %y, %h = kiln.rnn forward %x, %w, %r activations ["softplus"]
    : (tensor<?x?x?xf32>, tensor<1x5x?xf32>, tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @rnn_sigmoid(%x: tensor<?x?x?xf32>, %w: tensor<1x5x?xf32>, %r: tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32, f16],
    inputs = ["TxBxI", "1x5xI uniform -0.5 0.5", "1x5x5 uniform -0.5 0.5"],
    cases = ["T=3 B=2 I=4", "T=5 B=1 I=7"]}} {
  %y, %h = kiln.rnn forward %x, %w, %r activations ["sigmoid"]
    : (tensor<?x?x?xf32>, tensor<1x5x?xf32>, tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

// Weights of 8 bits, one scale a direction.
func.func @lstm_i8(%x: tensor<?x?x?xf32>, %w: tensor<1x20x?xi8>, %r: tensor<1x20x5xi8>, %ws: tensor<1xf32>, %rs: tensor<1xf32>, %wz: tensor<1xi8>, %rz: tensor<1xi8>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32],
    inputs = ["TxBxI", "1x20xI bits", "1x20x5 bits", "1 uniform 0.002 0.006", "1 uniform 0.002 0.006", "1 uniform -3 3", "1 uniform -3 3"],
    cases = ["T=4 B=2 I=3", "T=6 B=1 I=9", "T=1 B=3 I=1"]}} {
  %y, %h, %c = kiln.lstm forward %x, %w, %r w_scale %ws w_zero %wz r_scale %rs r_zero %rz activations ["sigmoid", "tanh", "tanh"]
    : (tensor<?x?x?xf32>, tensor<1x20x?xi8>, tensor<1x20x5xi8>, tensor<1xf32>, tensor<1xi8>, tensor<1xf32>, tensor<1xi8>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h, %c : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>
}

// One scale and zero a row.
func.func @lstm_ui8_by_row(%x: tensor<?x?x?xf32>, %w: tensor<1x20x?xui8>, %r: tensor<1x20x5xui8>, %ws: tensor<1x20xf32>, %rs: tensor<1x20xf32>, %wz: tensor<1x20xui8>, %rz: tensor<1x20xui8>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [f32],
    inputs = ["TxBxI", "1x20xI bits", "1x20x5 bits", "1x20 uniform 0.002 0.006", "1x20 uniform 0.002 0.006", "1x20 uniform 120 134", "1x20 uniform 120 134"],
    cases = ["T=4 B=2 I=3", "T=6 B=1 I=9", "T=1 B=3 I=1"]}} {
  %y, %h, %c = kiln.lstm forward %x, %w, %r w_scale %ws w_zero %wz r_scale %rs r_zero %rz activations ["sigmoid", "tanh", "tanh"]
    : (tensor<?x?x?xf32>, tensor<1x20x?xui8>, tensor<1x20x5xui8>, tensor<1x20xf32>, tensor<1x20xui8>, tensor<1x20xf32>, tensor<1x20xui8>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h, %c : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>
}

// No zeros, both directions.
func.func @lstm_i8_both_ways(%x: tensor<?x?x?xf32>, %w: tensor<2x20x?xi8>, %r: tensor<2x20x5xi8>, %ws: tensor<2x20xf32>, %rs: tensor<2x20xf32>) -> (tensor<?x2x?x5xf32>, tensor<2x?x5xf32>, tensor<2x?x5xf32>) attributes {kiln.test = {
    types = [f32],
    inputs = ["TxBxI", "2x20xI bits", "2x20x5 bits", "2x20 uniform 0.002 0.006", "2x20 uniform 0.002 0.006"],
    cases = ["T=4 B=2 I=3", "T=6 B=1 I=9", "T=1 B=3 I=1"]}} {
  %y, %h, %c = kiln.lstm bidirectional %x, %w, %r w_scale %ws r_scale %rs activations ["sigmoid", "tanh", "tanh"]
    : (tensor<?x?x?xf32>, tensor<2x20x?xi8>, tensor<2x20x5xi8>, tensor<2x20xf32>, tensor<2x20xf32>) -> (tensor<?x2x?x5xf32>, tensor<2x?x5xf32>, tensor<2x?x5xf32>)
  return %y, %h, %c : tensor<?x2x?x5xf32>, tensor<2x?x5xf32>, tensor<2x?x5xf32>
}

func.func @lstm_lengths_of_any_type(%l: tensor<?xi8>, %x: tensor<?x?x?xf32>, %w: tensor<1x20x?xf32>, %r: tensor<1x20x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["B uniform 0 4", "TxBxI", "1x20xI uniform -0.5 0.5", "1x20x5 uniform -0.5 0.5"],
    cases = ["B=3 T=4 I=2"]}} {
  %y, %h, %c = kiln.lstm forward %x, %w, %r lengths %l activations ["sigmoid", "tanh", "tanh"]
    : (tensor<?x?x?xf32>, tensor<1x20x?xf32>, tensor<1x20x5xf32>, tensor<?xi8>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h, %c : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @gru_lengths_of_any_type(%l: tensor<?xi8>, %x: tensor<?x?x?xf32>, %w: tensor<1x15x?xf32>, %r: tensor<1x15x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["B uniform 0 4", "TxBxI", "1x15xI uniform -0.5 0.5", "1x15x5 uniform -0.5 0.5"],
    cases = ["B=3 T=4 I=2"]}} {
  %y, %h = kiln.gru forward %x, %w, %r lengths %l activations ["sigmoid", "tanh"]
    : (tensor<?x?x?xf32>, tensor<1x15x?xf32>, tensor<1x15x5xf32>, tensor<?xi8>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}

func.func @rnn_lengths_of_any_type(%l: tensor<?xi8>, %x: tensor<?x?x?xf32>, %w: tensor<1x5x?xf32>, %r: tensor<1x5x5xf32>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>) attributes {kiln.test = {
    types = [i8, i16, i32, i64, ui8, ui16, ui32, ui64],
    inputs = ["B uniform 0 4", "TxBxI", "1x5xI uniform -0.5 0.5", "1x5x5 uniform -0.5 0.5"],
    cases = ["B=3 T=4 I=2"]}} {
  %y, %h = kiln.rnn forward %x, %w, %r lengths %l activations ["tanh"]
    : (tensor<?x?x?xf32>, tensor<1x5x?xf32>, tensor<1x5x5xf32>, tensor<?xi8>) -> (tensor<?x1x?x5xf32>, tensor<1x?x5xf32>)
  return %y, %h : tensor<?x1x?x5xf32>, tensor<1x?x5xf32>
}
