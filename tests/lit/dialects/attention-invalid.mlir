// RUN: jit-opt %s --split-input-file --verify-diagnostics

func.func @attention_c1_rank(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x6x3xf32>) {
  // expected-error@+1 {{expects 'q', 'k' and 'v' of rank 4 and one element type}}
  %0 = kiln.attention %q, %k, %v scale 0.5 : (tensor<2x4x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x6x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @attention_c1_element_types(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x6x8xf16>, %v: tensor<2x2x6x3xf32>) {
  // expected-error@+1 {{expects 'q', 'k' and 'v' of rank 4 and one element type}}
  %0 = kiln.attention %q, %k, %v scale 0.5 : (tensor<2x4x5x8xf32>, tensor<2x2x6x8xf16>, tensor<2x2x6x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @attention_c2_size(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x6x7xf32>, %v: tensor<2x2x6x3xf32>) {
  // expected-error@+1 {{expects one batch, one size of 'q' and 'k'}}
  %0 = kiln.attention %q, %k, %v scale 0.5 : (tensor<2x4x5x8xf32>, tensor<2x2x6x7xf32>, tensor<2x2x6x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @attention_c2_heads(%q: tensor<2x4x5x8xf32>, %k: tensor<2x3x6x8xf32>, %v: tensor<2x3x6x3xf32>) {
  // expected-error@+1 {{expects heads of 'k' that divide those of 'q', got 3 for 4}}
  %0 = kiln.attention %q, %k, %v scale 0.5 : (tensor<2x4x5x8xf32>, tensor<2x3x6x8xf32>, tensor<2x3x6x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @attention_c3_mask(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x3xf32>, %e: tensor<5x7xi1>) {
  // expected-error@+1 {{expects 'mask' to broadcast to batch, heads, queries and keys}}
  %0 = kiln.attention %q, %k, %v mask %e scale 0.5 : (tensor<2x4x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x3xf32>, tensor<5x7xi1>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @attention_c4_lengths(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x3xf32>, %e: tensor<3xi64>) {
  // expected-error@+1 {{expects 'lengths' with one element, or one a batch element}}
  %0 = kiln.attention %q, %k, %v lengths %e scale 0.5 : (tensor<2x4x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x3xf32>, tensor<3xi64>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @attention_c4_offset(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x3xf32>, %e: tensor<2x1xi64>) {
  // expected-error@+1 {{expects 'offset' with one element, or one a batch element}}
  %0 = kiln.attention %q, %k, %v offset %e scale 0.5 : (tensor<2x4x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x3xf32>, tensor<2x1xi64>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @attention_c5_softcap(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x3xf32>) {
  // expected-error@+1 {{expects a finite 'scale', and 'softcap' finite and > 0}}
  %0 = kiln.attention %q, %k, %v scale 0.5 softcap 0.0 : (tensor<2x4x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x3xf32>) -> tensor<2x4x5x3xf32>
  return
}

// -----

func.func @attention_c5_window(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x3xf32>) {
  // expected-error@+1 {{expects windows >= 0, got -1}}
  %0 = kiln.attention %q, %k, %v scale 0.5 left_window -1 : (tensor<2x4x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x3xf32>) -> tensor<2x4x5x3xf32>
  return
}
