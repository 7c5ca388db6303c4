// Passes.td: the npu's own passes, in the order of the stages that run them.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_PASSES_TD
#define KILN_BACKENDS_NPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LayOutConvsPass : Pass<"kiln-npu-lay-out-convs", "mlir::func::FuncOp"> {
  let summary = "give convolutions channels-last tensors and filters as matrices";
  let description = [{
    Runs first in stage `form`. The im2col unit reads blocks of channels, pixel by pixel: each `kiln.conv` of a type that the cube
    multiplies gets its input as [n, h, w, c] and leaves its result so; elementwise ops between convolutions compute in that layout, so
    that transposes stand only where other ops begin. Filters become the matrix [c / C0, kh, kw, C0, o] ([kh, kw, c, o] where channels end within a block), or [o, kw, c] where rows of the
    input hold windows one behind the other; groups that are too small for a block are joined, with zeros between them. What weights
    decide runs once, in the program's prologue. In the kernel, ops with the attribute `kiln.layout` say what the layouts mean; they
    compute nothing. Convolutions of one axis become such of one row; filters must have static extents.
    Counts: lay-out-convs.convs, lay-out-convs.moved.

    ```mlir
    %y = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x16x8x8xf16>, tensor<32x16x3x3xf16> -> tensor<1x32x6x6xf16>
    // becomes
    %t = kiln.transpose %x perm [0, 2, 3, 1] : tensor<1x16x8x8xf16> -> tensor<1x8x8x16xf16>
    %f = ... : tensor<144x32xf16>
    %0 = kiln.transpose %t perm [0, 3, 1, 2] {kiln.layout} : tensor<1x8x8x16xf16> -> tensor<1x16x8x8xf16>
    %1 = kiln.reshape %f [1, 3, 3, 16, 32] {kiln.layout} : tensor<144x32xf16> -> tensor<1x3x3x16x32xf16>
    %2 = kiln.transpose %1 perm [4, 0, 3, 1, 2] {kiln.layout} : tensor<1x3x3x16x32xf16> -> tensor<32x1x16x3x3xf16>
    %3 = kiln.reshape %2 [32, 16, 3, 3] {kiln.layout} : tensor<32x1x16x3x3xf16> -> tensor<32x16x3x3xf16>
    %4 = kiln.conv %0, %3 strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x16x8x8xf16>, tensor<32x16x3x3xf16> -> tensor<1x32x6x6xf16>
    %5 = kiln.transpose %4 perm [0, 2, 3, 1] {kiln.layout} : tensor<1x32x6x6xf16> -> tensor<1x6x6x32xf16>
    %y = kiln.transpose %5 perm [0, 3, 1, 2] : tensor<1x6x6x32xf16> -> tensor<1x32x6x6xf16>
    ```
  }];
  let options = [Option<"chip", "chip", "std::string", /*default=*/"\"910b\"", "910b or 910a">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def BoundEpiloguesPass : Pass<"kiln-npu-bound-epilogues", "mlir::func::FuncOp"> {
  let summary = "keep behind a matmul only what the cube's output path computes";
  let description = [{
    Runs in stage `form`, after kiln-npu-lay-out-convs. On the 910B class a product reaches a vector core only through global memory: an addition of one number
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

def SplitL0Pass : Pass<"kiln-npu-split-l0", "mlir::func::FuncOp"> {
  let summary = "cut products of what L1 holds into steps of what L0 holds";
  let description = [{
    Runs first in stage `buffer`: what L1 holds is what HIVM's `mmadL1` takes, whose library makes these steps itself.

    ```mlir
    npu.load2d ins(%a : ...) outs(%l : memref<8x16x16x16xf16, #npu.memory<l0a>>) rows %m depth %c256
    npu.load2d ins(%b : ...) outs(%r : memref<16x8x16x16xf16, #npu.memory<l0b>>) rows %n depth %c256 {transpose}
    npu.mmad ins(%l, %r : ...) outs(%c : ...) m %m n %n k %c256 init %true step 64
    // becomes
    scf.for %k = %c0 to %c256 step %c64 {
      npu.load2d ins(%a : ...) outs(%l1 : memref<8x4x16x16xf16, #npu.memory<l0a>>) rows %m depth %c64 from %k
      npu.load2d ins(%b : ...) outs(%r1 : memref<4x8x16x16xf16, #npu.memory<l0b>>) rows %n depth %c64 from %k {transpose}
      npu.mmad ins(%l1, %r1 : ...) outs(%c : ...) m %m n %n k %c64 init %first
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def SinkScalarsPass : Pass<"kiln-npu-sink-scalars", "mlir::func::FuncOp"> {
  let summary = "compute index arithmetic again in inner loops, where a cube core has too few registers";
  let description = [{
    Runs last in stage `lower`. If more values wait in registers around a loop of a cube kernel than there is room for, each block gets
    copies of what it reads of outer blocks, up to the loops' own values. Cube cores have no memory in which registers could be saved.

    ```mlir
    %s = arith.minsi %a, %c128 : index
    scf.for %k = %c0 to %n step %c64 { npu.load2d ... rows %s depth %c64 }
    // becomes
    scf.for %k = %c0 to %n step %c64 {
      %s = arith.minsi %a, %c128 : index
      npu.load2d ... rows %s depth %c64
    }
    ```
  }];
}

#endif // KILN_BACKENDS_NPU_TRANSFORMS_PASSES_TD
