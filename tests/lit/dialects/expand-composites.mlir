// RUN: jit-opt %s --kiln-expand-composites --split-input-file | FileCheck %s

// One product for the inputs of all steps, then a loop with one product a step; the weights are transposed ahead of it.
// CHECK-LABEL: @rnn
//  CHECK-SAME: %[[X:.+]]: tensor<9x2x3xf32>, %[[W:.+]]: tensor<1x4x3xf32>, %[[R:.+]]: tensor<1x4x4xf32>
//       CHECK: %[[WT:.+]] = kiln.transpose %[[W]] perm [0, 2, 1]
//       CHECK: %[[ALL:.+]] = kiln.matmul %{{.+}}, %[[WT]] : tensor<1x18x3xf32>, tensor<1x3x4xf32> -> tensor<1x18x4xf32>
//       CHECK: kiln.transpose %{{.+}} perm [0, 2, 1] : tensor<1x4x4xf32>
//       CHECK: scf.for %[[T:.+]] = {{.*}} iter_args(%[[H:.+]] = %{{.+}}, %[[Y:.+]] = %{{.+}}) -> (tensor<1x1x2x4xf32>, tensor<9x1x2x4xf32>)
//   CHECK-NOT:   kiln.transpose
//       CHECK:   kiln.slice %{{.+}} offsets [0, %[[T]], 0, 0] sizes [1, 1, 2, 4]
//       CHECK:   kiln.matmul %[[H]], %{{.+}} : tensor<1x1x2x4xf32>, tensor<1x1x4x4xf32> -> tensor<1x1x2x4xf32>
//       CHECK:   %[[NEXT:.+]] = kiln.tanh
//       CHECK:   tensor.insert_slice %{{.+}} into %[[Y]][%[[T]], 0, 0, 0] [1, 1, 2, 4] [1, 1, 1, 1]
//       CHECK:   scf.yield %[[NEXT]]
func.func @rnn(%x: tensor<9x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> (tensor<9x1x2x4xf32>, tensor<1x2x4xf32>) {
  %y, %h = kiln.rnn forward %x, %w, %r activations ["tanh"]
    : (tensor<9x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<9x1x2x4xf32>, tensor<1x2x4xf32>)
  return %y, %h : tensor<9x1x2x4xf32>, tensor<1x2x4xf32>
}

// -----

// One step needs no loop; outputs that nobody reads are not collected.
// CHECK-LABEL: @one_step
//   CHECK-NOT: scf.for
//   CHECK-NOT: tensor.insert_slice
//       CHECK: return
func.func @one_step(%x: tensor<1x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>) -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %y, %h, %c = kiln.lstm forward %x, %w, %r activations ["sigmoid", "tanh", "tanh"]
    : (tensor<1x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<1x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %h, %c : tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

// -----

// Both directions take a step in one product; the outputs of the second are turned round at the end.
// CHECK-LABEL: @bidirectional
//       CHECK: kiln.reverse %{{.+}} axes [0] : tensor<9x2x3xf32>
//       CHECK: scf.for
//       CHECK:   kiln.matmul %{{.+}}, %{{.+}} : tensor<2x1x2x4xf32>, tensor<2x1x4x12xf32> -> tensor<2x1x2x12xf32>
//       CHECK: kiln.reverse %{{.+}} axes [0] : tensor<9x1x2x4xf32>
//       CHECK: kiln.concat
func.func @bidirectional(%x: tensor<9x2x3xf32>, %w: tensor<2x12x3xf32>, %r: tensor<2x12x4xf32>) -> tensor<9x2x2x4xf32> {
  %y, %h = kiln.gru bidirectional %x, %w, %r activations ["sigmoid", "tanh"] linear_before_reset
    : (tensor<9x2x3xf32>, tensor<2x12x3xf32>, tensor<2x12x4xf32>) -> (tensor<9x2x2x4xf32>, tensor<2x2x4xf32>)
  return %y : tensor<9x2x2x4xf32>
}

// -----

// A dynamic number of hidden units stays: the gates' extents are not known.
// CHECK-LABEL: @unknown_hidden
//       CHECK: kiln.rnn
func.func @unknown_hidden(%x: tensor<9x2x3xf32>, %w: tensor<1x?x3xf32>, %r: tensor<1x?x?xf32>) -> tensor<1x2x?xf32> {
  %y, %h = kiln.rnn forward %x, %w, %r activations ["tanh"]
    : (tensor<9x2x3xf32>, tensor<1x?x3xf32>, tensor<1x?x?xf32>) -> (tensor<9x1x2x?xf32>, tensor<1x2x?xf32>)
  return %h : tensor<1x2x?xf32>
}

// -----

// Without a mask: two products and a softmax; heads that share one of k are rows of one product.
// CHECK-LABEL: @attention
//       CHECK: kiln.reshape %{{.+}} [2, 2, 10, 8]
//       CHECK: kiln.matmul %{{.+}}, %{{.+}} transB : tensor<2x2x10x8xf32>, tensor<2x2x6x8xf32> -> tensor<2x2x10x6xf32>
//       CHECK: kiln.softmax %{{.+}} axis 3 : tensor<2x4x5x6xf32>
//   CHECK-NOT: kiln.select
//       CHECK: kiln.matmul %{{.+}}, %{{.+}} : tensor<2x2x10x6xf32>, tensor<2x2x6x3xf32> -> tensor<2x2x10x3xf32>
func.func @attention(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x3xf32>) -> tensor<2x4x5x3xf32> {
  %y = kiln.attention %q, %k, %v scale 0.5
    : (tensor<2x4x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x3xf32>) -> tensor<2x4x5x3xf32>
  return %y : tensor<2x4x5x3xf32>
}

// -----

// What masks is one bias, in as few axes as it needs; rows that see no key become 0 behind the softmax.
// CHECK-LABEL: @causal
//       CHECK: %[[BIAS:.+]] = kiln.select {{.*}} -> tensor<5x6xf32>
//       CHECK: kiln.add %{{.+}}, %[[BIAS]]
//       CHECK: kiln.softmax
//       CHECK: kiln.reduce max %[[BIAS]] axes [1] keepdims
//       CHECK: kiln.select
func.func @causal(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x3xf32>) -> tensor<2x4x5x3xf32> {
  %y = kiln.attention %q, %k, %v scale 0.5 causal
    : (tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x3xf32>) -> tensor<2x4x5x3xf32>
  return %y : tensor<2x4x5x3xf32>
}

// -----

// No steps: the states are the initial ones.
// CHECK-LABEL: @no_steps
//  CHECK-SAME: %[[S:[^:]+]]: tensor<1x2x4xf32>)
//   CHECK-NOT: scf.for
//       CHECK: %[[H:.+]] = kiln.reshape %[[S]] [1, 1, 2, 4]
//       CHECK: kiln.reshape %[[H]] [1, 2, 4]
func.func @no_steps(%x: tensor<0x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %s: tensor<1x2x4xf32>) -> (tensor<0x1x2x4xf32>, tensor<1x2x4xf32>) {
  %y, %h = kiln.rnn forward %x, %w, %r initial_h %s activations ["tanh"]
    : (tensor<0x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x2x4xf32>) -> (tensor<0x1x2x4xf32>, tensor<1x2x4xf32>)
  return %y, %h : tensor<0x1x2x4xf32>, tensor<1x2x4xf32>
}
