// RUN: jit-opt %s | jit-opt | FileCheck %s
// Every layer prints what it parses; absent operands and default attributes leave no trace.

// CHECK-LABEL: @lstm
func.func @lstm(%x: tensor<?x2x3xf32>, %w: tensor<2x16x3xf32>, %r: tensor<2x16x4xf32>, %b: tensor<2x32xf32>,
                %n: tensor<2xi32>, %s: tensor<2x2x4xf32>, %p: tensor<2x12xf32>) {
  // CHECK: kiln.lstm bidirectional %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} lengths %{{.*}} initial_h %{{.*}} initial_c %{{.*}} peephole %{{.*}} activations ["sigmoid", "tanh", "scaled_tanh"] alpha [0.000000e+00, 0.000000e+00, 2.000000e+00] beta [0.000000e+00, 0.000000e+00, 5.000000e-01] clip 3.000000e+00 input_forget :
  %y, %h, %c = kiln.lstm bidirectional %x, %w, %r bias %b lengths %n initial_h %s initial_c %s peephole %p
    activations ["sigmoid", "tanh", "scaled_tanh"] alpha [0.0, 0.0, 2.0] beta [0.0, 0.0, 0.5] clip 3.0 input_forget
    : (tensor<?x2x3xf32>, tensor<2x16x3xf32>, tensor<2x16x4xf32>, tensor<2x32xf32>, tensor<2xi32>, tensor<2x2x4xf32>,
       tensor<2x2x4xf32>, tensor<2x12xf32>) -> (tensor<?x2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>)
  return
}

// CHECK-LABEL: @gru_and_rnn
func.func @gru_and_rnn(%x: tensor<5x2x3xf16>, %w: tensor<1x12x3xf16>, %r: tensor<1x12x4xf16>, %v: tensor<1x4x3xf16>,
                       %u: tensor<1x4x4xf16>) {
  // CHECK: kiln.gru reverse %{{.*}}, %{{.*}}, %{{.*}} activations ["sigmoid", "tanh"] linear_before_reset : (
  %0:2 = kiln.gru reverse %x, %w, %r activations ["sigmoid", "tanh"] linear_before_reset
    : (tensor<5x2x3xf16>, tensor<1x12x3xf16>, tensor<1x12x4xf16>) -> (tensor<5x1x2x4xf16>, tensor<1x2x4xf16>)
  // CHECK: kiln.rnn forward %{{.*}}, %{{.*}}, %{{.*}} activations ["relu"] : (
  %1:2 = kiln.rnn forward %x, %v, %u activations ["relu"]
    : (tensor<5x2x3xf16>, tensor<1x4x3xf16>, tensor<1x4x4xf16>) -> (tensor<5x1x2x4xf16>, tensor<1x2x4xf16>)
  return
}
