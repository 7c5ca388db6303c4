// RUN: jit-opt %s --kiln-form-kernels --split-input-file | FileCheck %s

// A contraction takes its epilogue, two readers of one value included.
// CHECK-LABEL: func.func @main
//       CHECK: kiln.launch @matmul_add_sigmoid_mul_4x16xf32(%{{.+}}, %{{.+}}, %{{.+}})
//   CHECK-NOT: kiln.launch
//       CHECK: kiln.kernel @matmul_add_sigmoid_mul_4x16xf32
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = kiln.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %1 = kiln.add %0, %b : tensor<4x16xf32>, tensor<16xf32> -> tensor<4x16xf32>
  %2 = kiln.sigmoid %1 : tensor<4x16xf32>
  %3 = kiln.mul %1, %2 : tensor<4x16xf32>, tensor<4x16xf32> -> tensor<4x16xf32>
  return %3 : tensor<4x16xf32>
}

// -----

// A value that is used elsewhere too leaves its kernel there: the epilogue stops before a second result.
// CHECK-LABEL: func.func @main
//       CHECK: %[[SUM:.+]] = kiln.launch @matmul_add_4x8xf32
//       CHECK: %[[RELU:.+]] = kiln.launch @relu_4x8xf32(%[[SUM]])
//       CHECK: return %[[SUM]], %[[RELU]]
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %r: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = kiln.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = kiln.add %0, %r : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = kiln.relu %1 : tensor<4x8xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A larger reader would compute the reduction again for each element: it stays apart.
// CHECK-LABEL: func.func @main
//       CHECK: %[[MAX:.+]] = kiln.launch @exp_reduce_log_4x1xf32
//       CHECK: kiln.launch @sub_4x8xf32(%{{.+}}, %[[MAX]])
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = kiln.exp %x : tensor<4x8xf32>
  %1 = kiln.reduce sum %0 axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = kiln.log %1 : tensor<4x1xf32>
  %3 = kiln.sub %x, %2 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// Equal kernels are one symbol, whatever they are applied to.
// CHECK-LABEL: func.func @main
//       CHECK: kiln.launch @exp_4xf32(%arg0)
//       CHECK: kiln.launch @exp_4xf32(%arg1)
//       CHECK: kiln.kernel @exp_4xf32
//   CHECK-NOT: kiln.kernel
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = kiln.exp %x : tensor<4xf32>
  %1 = kiln.exp %y : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What weights alone decide is a kernel of its own, which the prologue runs; splats enter kernels, weights do not.
// CHECK-LABEL: func.func @main
//       CHECK: %[[W:.+]] = kiln.weight
//       CHECK: %[[F:.+]] = kiln.launch @convert_Dxf32(%[[W]])
//       CHECK: kiln.launch @add_mul_8xf32(%arg0, %[[F]])
//       CHECK: kiln.kernel @add_mul_8xf32
//       CHECK: kiln.constant dense<2.000000e+00>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %w = kiln.weight "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" : tensor<8xf16>
  %two = kiln.constant dense<2.0> : tensor<8xf32>
  %0 = kiln.convert %w : tensor<8xf16> to tensor<8xf32>
  %1 = kiln.add %x, %0 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %2 = kiln.mul %1, %two : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// A reshape stays an alias between kernels.
// CHECK-LABEL: func.func @main
//       CHECK: %[[A:.+]] = kiln.launch @exp_4x2xf32
//       CHECK: %[[B:.+]] = kiln.reshape %[[A]]
//       CHECK: kiln.launch @log_8xf32(%[[B]])
func.func @main(%x: tensor<4x2xf32>) -> tensor<8xf32> {
  %0 = kiln.exp %x : tensor<4x2xf32>
  %1 = kiln.reshape %0 [8] : tensor<4x2xf32> -> tensor<8xf32>
  %2 = kiln.log %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// Dynamic extents of results are arithmetic on the arguments' extents, through the kernels.
// CHECK-LABEL: func.func @main
//       CHECK: %[[N:.+]] = tensor.dim %arg0
//       CHECK: kiln.launch @transpose_8xDxf32(%arg0) extents(%[[N]])
func.func @main(%x: tensor<?x8xf32>) -> tensor<8x?xf32> {
  %0 = kiln.transpose %x perm [1, 0] : tensor<?x8xf32> -> tensor<8x?xf32>
  return %0 : tensor<8x?xf32>
}

// -----

// Blocks of control flow form kernels of their own.
// CHECK-LABEL: func.func @main
//       CHECK: scf.if
//       CHECK:   kiln.launch @exp_4xf32
//       CHECK: } else {
//       CHECK:   kiln.launch @log_4xf32
func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %p = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %p -> tensor<4xf32> {
    %1 = kiln.exp %x : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    %1 = kiln.log %x : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Reductions of the same rows, and what is computed with them on these rows, are one kernel: layer norm as
// exporters write it.
// CHECK-LABEL: func.func @main
//       CHECK: kiln.launch @reduce_sub_mul_reduce_add_and_4_16x32xf32
//   CHECK-NOT: kiln.launch
//       CHECK: kiln.kernel
func.func @main(%x: tensor<16x32xf32>, %g: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<16x32xf32> {
  %eps = kiln.constant dense<1.0e-5> : tensor<f32>
  %m = kiln.reduce mean %x axes [-1] keepdims : tensor<16x32xf32> -> tensor<16x1xf32>
  %d = kiln.sub %x, %m : tensor<16x32xf32>, tensor<16x1xf32> -> tensor<16x32xf32>
  %q = kiln.mul %d, %d : tensor<16x32xf32>, tensor<16x32xf32> -> tensor<16x32xf32>
  %v = kiln.reduce mean %q axes [-1] keepdims : tensor<16x32xf32> -> tensor<16x1xf32>
  %e = kiln.add %v, %eps : tensor<16x1xf32>, tensor<f32> -> tensor<16x1xf32>
  %s = kiln.sqrt %e : tensor<16x1xf32>
  %n = kiln.div %d, %s : tensor<16x32xf32>, tensor<16x1xf32> -> tensor<16x32xf32>
  %h = kiln.mul %n, %g : tensor<16x32xf32>, tensor<32xf32> -> tensor<16x32xf32>
  %y = kiln.add %h, %b : tensor<16x32xf32>, tensor<32xf32> -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}

// -----

// Few rows would leave threads without work, and a reduction along another axis needs the whole tensor.
// CHECK-LABEL: func.func @main
//       CHECK: kiln.launch @reduce_2x1xf32
//       CHECK: kiln.launch @sub_2x4096xf32
//       CHECK: kiln.launch @reduce_1x4096xf32
//       CHECK: kiln.launch @sub_2x4096xf32
func.func @main(%x: tensor<2x4096xf32>) -> tensor<2x4096xf32> {
  %m = kiln.reduce max %x axes [-1] keepdims : tensor<2x4096xf32> -> tensor<2x1xf32>
  %d = kiln.sub %x, %m : tensor<2x4096xf32>, tensor<2x1xf32> -> tensor<2x4096xf32>
  %n = kiln.reduce max %d axes [0] keepdims : tensor<2x4096xf32> -> tensor<1x4096xf32>
  %e = kiln.sub %d, %n : tensor<2x4096xf32>, tensor<1x4096xf32> -> tensor<2x4096xf32>
  return %e : tensor<2x4096xf32>
}

// -----

// A gather joins what reads its result, and what makes its indices joins it.
// CHECK-LABEL: func.func @main
//       CHECK: kiln.launch @sub_gather_add_5x8xf32(%{{.+}}, %{{.+}}, %{{.+}})
//   CHECK-NOT: kiln.launch
func.func @main(%x: tensor<9x8xf32>, %i: tensor<5xi64>, %b: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %one = kiln.constant dense<1> : tensor<i64>
  %0 = kiln.sub %i, %one : tensor<5xi64>, tensor<i64> -> tensor<5xi64>
  %1 = kiln.gather %x, %0 axis 0 : tensor<9x8xf32>, tensor<5xi64> -> tensor<5x8xf32>
  %2 = kiln.add %1, %b : tensor<5x8xf32>, tensor<5x8xf32> -> tensor<5x8xf32>
  return %2 : tensor<5x8xf32>
}

// -----

// What a gather reads from stays apart, though another op of the kernel reads it too: each tile may read all of it.
// CHECK-LABEL: func.func @main
//       CHECK: %[[X:.+]] = kiln.launch @relu_5x8xf32
//       CHECK: kiln.launch @gather_add_5x8xf32(%{{.+}}, %{{.+}})
func.func @main(%x: tensor<5x8xf32>, %i: tensor<5xi64>) -> tensor<5x8xf32> {
  %0 = kiln.relu %x : tensor<5x8xf32>
  %1 = kiln.gather %0, %i axis 0 : tensor<5x8xf32>, tensor<5xi64> -> tensor<5x8xf32>
  %2 = kiln.add %1, %0 : tensor<5x8xf32>, tensor<5x8xf32> -> tensor<5x8xf32>
  return %2 : tensor<5x8xf32>
}

// -----

// A barrier parts kernels; the extents behind it are those before it.
// CHECK-LABEL: func.func @main
//       CHECK: kiln.launch @exp_Dx8xf32(%{{.+}}) extents(%[[N:[a-z0-9_]+]])
//       CHECK: kiln.optimization_barrier
//       CHECK: kiln.launch @relu_Dx8xf32(%{{.+}}) extents(%[[N]])
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = kiln.exp %x : tensor<?x8xf32>
  %1 = kiln.optimization_barrier %0 : tensor<?x8xf32>
  %2 = kiln.relu %1 : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}
