// Passes.td: the npu's own passes, in the order of the stages that run them.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_PASSES_TD
#define KILN_BACKENDS_NPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def BoundEpiloguesPass : Pass<"kiln-npu-bound-epilogues", "mlir::func::FuncOp"> {
  let summary = "keep behind a matmul only what the cube's output path computes";
  let description = [{
    Runs first in stage `form`. On the 910B class a product reaches a vector core only through global memory: an addition of one number
    a column and relu are free on the way out of L0C, all else becomes a kernel of its own. A
    `kiln.optimization_barrier` ends what fusion may take.
    Counts: bound-epilogues.bounded.

    ```mlir
    %0 = kiln.matmul %a, %b : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
    %1 = kiln.exp %0 : tensor<8x16xf32>
    // becomes
    %0 = kiln.matmul %a, %b : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
    %b = kiln.optimization_barrier %0 : tensor<8x16xf32>
    %1 = kiln.exp %b : tensor<8x16xf32>
    ```
  }];
}

def LowerKernelsPass : Pass<"kiln-npu-lower-kernels", "mlir::ModuleOp"> {
  let summary = "turn kernels of kiln ops into loops of npu ops on tiles";
  let description = [{
    A kernel with a matmul becomes a function for cube cores, any other one for vector cores. Blocks take tiles in turn; tile
    sizes come from the chip's memories and its number of cores. Vector kernels: axes that all values share are
    merged; rows go whole into UB if a reduction or a broadcast needs that, else lines of one row. Tails are shorter views; dynamic
    extents are `memref.dim` of the arguments. What no form fits is refused by name.

    ```mlir
    kiln.kernel @k(%x: tensor<64x512xf32>) -> tensor<64x512xf32> { ... kiln.exp ... }
    // becomes
    func.func @k(%x: memref<64x512xf32, #npu.memory<gm>>, %out: memref<64x512xf32, #npu.memory<gm>>) attributes {kiln.kernel, npu.core = "aiv", npu.blocks = 48 : i64} {
      scf.for %u = %first to %units step %blocks { ... npu.load ... npu.vunary <vexp> ... npu.store ... }
    }
    ```
  }];
  let options = [Option<"chip", "chip", "std::string", /*default=*/"\"910b\"", "910b or 910a">];
  let dependentDialects = ["::kiln::npu::ir::NpuDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def PrintHivmPass : Pass<"kiln-npu-print-hivm", "mlir::ModuleOp"> {
  let summary = "print kernels on tiles as HIVM text, to standard output";
  let description = [{
    What `--emit=hivm` prints of a kernel, for a module after stage `tile`. Changes nothing.

    ```mlir
    npu.vbinary <vadd> ins(%x, %y : memref<64xf32, #npu.memory<ub>>, memref<64xf32, #npu.memory<ub>>) outs(%z : memref<64xf32, #npu.memory<ub>>)
    // is printed as
    hivm.hir.vadd ins(%x, %y : memref<64xf32, #hivm.address_space<ub>>, memref<64xf32, #hivm.address_space<ub>>) outs(%z : memref<64xf32, #hivm.address_space<ub>>)
    ```
  }];
  let dependentDialects = ["::kiln::npu::ir::NpuDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // KILN_BACKENDS_NPU_TRANSFORMS_PASSES_TD
