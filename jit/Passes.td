// Passes.td: jit's own passes: stages graph and form where a backend brings none of its own.
#ifndef KILN_JIT_PASSES_TD
#define KILN_JIT_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormKernelsPass : Pass<"kiln-form-kernels", "mlir::ModuleOp"> {
  let summary = "fuse the ops of @main into kiln.kernel symbols and launch them";
  let description = [{
    Greedy and deterministic. A contraction, pooling, reduction or normalisation takes the elementwise ops behind it that
    have its result's shape, as long as one value leaves the group; other elementwise ops take their producers if nobody
    else uses them. Weights and constants stay outside, except splats. What weights alone decide
    is never mixed with the rest: the program's prologue computes it once, by kernels with dynamic extents where they
    are elementwise, so that few serve all layers. `kiln.reshape` stays an alias. Kernels that are equal become one
    symbol. Runs in stage `form`, after shapes are known.
    Counts: form-kernels.kernels, form-kernels.launches, form-kernels.shared.

    ```mlir
    %0 = kiln.mul %x, %w : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %1 = kiln.relu %0 : tensor<4xf32>
    // becomes
    kiln.kernel @mul_relu_4xf32(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> { ... }
    %1 = kiln.launch @mul_relu_4xf32(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let constructor = "kiln::jit::createFormKernelsPass()";
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"];
}

#endif // KILN_JIT_PASSES_TD
