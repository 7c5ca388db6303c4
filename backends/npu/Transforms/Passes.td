// Passes.td: the npu's own passes, in the order of the stages that run them.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_PASSES_TD
#define KILN_BACKENDS_NPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExactProductsPass : Pass<"kiln-npu-exact-products", "mlir::func::FuncOp"> {
  let summary = "multiply small integers in f32, where that is exact";
  let description = [{
    Runs first in stage `form`. The cube multiplies signed bytes, but no differences of bytes, no unsigned ones and no i16, which is
    what quantized products with zero points are. Where intervals, followed through the ops before (constants, conversions, zero
    points, clamps), say that every sum is below 2^24, f32 gives the same integers. Longer depths are cut, and the pieces added as
    integers. The depth of a convolution is its window's channels and taps, cut along the channels.
    Counts: exact-products.rewritten.

    ```mlir
    %1 = kiln.convert %0 : tensor<4x64xui8> to tensor<4x64xi16>
    %y = kiln.matmul %1, %w : tensor<4x64xi16>, tensor<64x8xi16> -> tensor<4x8xi32>
    // becomes, if %w holds bytes, too
    %2 = kiln.convert %1 : tensor<4x64xi16> to tensor<4x64xf32>
    %3 = kiln.convert %w : tensor<64x8xi16> to tensor<64x8xf32>
    %4 = kiln.matmul %2, %3 : tensor<4x64xf32>, tensor<64x8xf32> -> tensor<4x8xf32>
    %y = kiln.convert %4 : tensor<4x8xf32> to tensor<4x8xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def SplitVolumesPass : Pass<"kiln-npu-split-volumes", "mlir::func::FuncOp"> {
  let summary = "make windows over three axes ones over two";
  let description = [{
    Runs in stage `form`, after kiln-npu-exact-products. Neither im2col nor the vector cores' windows know a third axis. A convolution
    becomes one of images, a slice of the result's depth each, whose channels are those of all slices of the input that the window meets:
    the sums are the same, in another order. A pooling goes over height and width, then over the depth; means of 16-bit floats are f32
    on the way. Convolutions need a depth, channels and filters of static extents.
    Counts: split-volumes.split.

    ```mlir
    %y = kiln.max_pool %x kernel [2, 3, 3] strides [1, 1, 1] pads [0, 0, 0, 0, 0, 0] dilations [1, 1, 1] : tensor<1x4x5x6x7xf32> -> tensor<1x4x4x4x5xf32>
    // becomes
    %0 = kiln.reshape %x [1, 20, 6, 7] : tensor<1x4x5x6x7xf32> -> tensor<1x20x6x7xf32>
    %1 = kiln.max_pool %0 kernel [3, 3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x20x6x7xf32> -> tensor<1x20x4x5xf32>
    %2 = kiln.reshape %1 [1, 4, 5, 20] : tensor<1x20x4x5xf32> -> tensor<1x4x5x20xf32>
    %3 = kiln.max_pool %2 kernel [2, 1] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x4x5x20xf32> -> tensor<1x4x4x20xf32>
    %y = kiln.reshape %3 [1, 4, 4, 4, 5] : tensor<1x4x4x20xf32> -> tensor<1x4x4x4x5xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def ArrangeSortsPass : Pass<"kiln-npu-arrange-sorts", "mlir::func::FuncOp"> {
  let summary = "sort rows, whatever the axis";
  let description = [{
    Runs in stage `form`. The vector unit sorts what lies side by side: `kiln.sort` and `kiln.top_k` along another axis get their operand
    transposed, and their results back. Counts: arrange-sorts.turned.

    ```mlir
    %v, %i = kiln.sort %x axis 0 : tensor<50x8xf32> -> tensor<50x8xf32>, tensor<50x8xi64>
    // becomes
    %0 = kiln.transpose %x perm [1, 0] : tensor<50x8xf32> -> tensor<8x50xf32>
    %1, %2 = kiln.sort %0 axis 1 : tensor<8x50xf32> -> tensor<8x50xf32>, tensor<8x50xi64>
    %v = kiln.transpose %1 perm [1, 0] : tensor<8x50xf32> -> tensor<50x8xf32>
    %i = kiln.transpose %2 perm [1, 0] : tensor<8x50xi64> -> tensor<50x8xi64>
    ```
  }];
}

def LayOutConvsPass : Pass<"kiln-npu-lay-out-convs", "mlir::func::FuncOp"> {
  let summary = "give convolutions channels-last tensors and filters as matrices";
  let description = [{
    Runs in stage `form`, after kiln-npu-split-volumes. The im2col unit reads blocks of channels, pixel by pixel: each `kiln.conv` of a type that the cube
    multiplies gets its input as [n, h, w, c] and leaves its result so; elementwise ops between convolutions compute in that layout, so
    that transposes stand only where other ops begin. Filters become the matrix [o, c / C0, kh, kw, C0], channels filled up to blocks with zeros, or [o, kw, c] where rows of the
    input hold windows one behind the other; groups that are too small for a block are joined, with zeros between them; of few channels,
    pixels side by side become one pixel with the channels of all, and so do outputs. What weights
    decide runs once, in the program's prologue. In the kernel, ops with the attribute `kiln.layout` say what the layouts mean; they
    compute nothing. Convolutions of one axis become such of one row; filters must have static extents.
    Counts: lay-out-convs.convs, lay-out-convs.moved.

    ```mlir
    %y = kiln.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] : tensor<1x16x8x8xf16>, tensor<32x16x3x3xf16> -> tensor<1x32x6x6xf16>
    // becomes
    %t = kiln.transpose %x perm [0, 2, 3, 1] : tensor<1x16x8x8xf16> -> tensor<1x8x8x16xf16>
    %f = ... : tensor<32x144xf16>
    %0 = kiln.transpose %t perm [0, 3, 1, 2] {kiln.layout} : tensor<1x8x8x16xf16> -> tensor<1x16x8x8xf16>
    %1 = kiln.reshape %f [32, 1, 3, 3, 16] {kiln.layout} : tensor<32x144xf16> -> tensor<32x1x3x3x16xf16>
    %2 = kiln.transpose %1 perm [0, 1, 4, 2, 3] {kiln.layout} : tensor<32x1x3x3x16xf16> -> tensor<32x1x16x3x3xf16>
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
    extents are `memref.dim` of the arguments. A kernel that no form fits stays as it is, for `kiln-npu-lower-scalar`, with the reason in
    its attribute `npu.scalar_reason`; with `refuse` the reason is an error.
    Counts: lower-kernels.vector, lower-kernels.cube, lower-kernels.left.

    ```mlir
    kiln.kernel @k(%x: tensor<64x512xf32>) -> tensor<64x512xf32> { ... kiln.exp ... }
    // becomes
    func.func @k(%x: memref<64x512xf32, #npu.memory<gm>>, %out: memref<64x512xf32, #npu.memory<gm>>) attributes {kiln.kernel, npu.core = "aiv", npu.blocks = 48 : i64} {
      scf.for %u = %first to %units step %blocks { ... npu.load ... npu.vunary <vexp> ... npu.store ... }
    }
    ```
  }];
  let options = [Option<"chip", "chip", "std::string", /*default=*/"\"910b\"", "910b or 910a">,
                 Option<"refuse", "refuse", "bool", /*default=*/"false", "fail where no form fits">];
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

def LowerScalarPass : Pass<"kiln-npu-lower-scalar", "mlir::ModuleOp"> {
  let summary = "turn the kernels that are left into loops on the scalar unit";
  let description = [{
    Runs behind kiln-npu-lower-kernels on what it left: correct for every op, and slow. Kernels become linalg on tensors,
    elementwise ops are fused, tensors become buffers, structured ops loops over elements, shared by the blocks where
    iterations are independent. Kernels with f64 are refused by name. What runs inside: kiln-to-linalg, upstream's
    fusion and bufferization, and the passes below.

    ```mlir
    kiln.kernel @k(%x: tensor<64xi64>) -> tensor<64xi64> { ... kiln.mul ... }
    // becomes
    func.func @k(%x: memref<64xi64>, %out: memref<64xi64>) attributes {kiln.kernel, npu.core = "aiv", npu.blocks = 8 : i64, kiln.template = "scalar"} {
      scf.for %i = %first to %last step %c1 { ... npu.lds ... arith.muli ... npu.sts ... }
    }
    ```
  }];
}

def ScalarFusionPass : Pass<"kiln-npu-scalar-fusion", "mlir::func::FuncOp"> {
  let summary = "fuse elementwise ops that the scalar units compute";
  let description = [{
    An op is computed where its one reader reads it, also across a reshape, whose axes the op gets. Not across one whose groups
    have several unknown extents: upstream infers them as if there were one.

    ```mlir
    %0 = linalg.generic {exp} ins(%x : tensor<?xf32>)
    %1 = tensor.expand_shape %0 [[0, 1]] output_shape [4, %n] : tensor<?xf32> into tensor<4x?xf32>
    %2 = linalg.generic {neg} ins(%1 : tensor<4x?xf32>)
    // becomes
    %1 = tensor.expand_shape %x [[0, 1]] output_shape [4, %n] : tensor<?xf32> into tensor<4x?xf32>
    %2 = linalg.generic {exp, neg} ins(%1 : tensor<4x?xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ScalarResultsPass : Pass<"kiln-npu-scalar-results", "mlir::ModuleOp"> {
  let summary = "turn a kernel's tensors into buffer arguments, its results into trailing ones";
  let description = [{
    Runs within `kiln-npu-lower-scalar` before bufferization, so that results are computed in the caller's memory where no copy
    is needed.

    ```mlir
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kiln.kernel} { ... return %y : tensor<4xf32> }
    // becomes
    func.func @k(%x: memref<4xf32>, %out: memref<4xf32>) attributes {kiln.kernel} {
      %t = bufferization.to_tensor %x restrict : memref<4xf32>
      ...
      bufferization.materialize_in_destination %y in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
    ```
  }];
  let dependentDialects = ["mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect"];
}

def ScalarLoopsPass : Pass<"kiln-npu-scalar-loops", "mlir::func::FuncOp"> {
  let summary = "write structured ops on buffers as loops over elements";
  let description = [{
    Loops whose iterations write apart become one `scf.parallel`, the others `scf.for` inside of it, which carry what they
    sum up in values.

    ```mlir
    linalg.generic {sum over d1} ins(%x : memref<8x64xf32>) outs(%y : memref<8xf32>)
    // becomes
    scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
      %s = scf.for %j = %c0 to %c64 step %c1 iter_args(%sum = %y_i) -> (f32) { ... }
      memref.store %s, %y[%i] : memref<8xf32>
    ```
  }];
  let dependentDialects = ["mlir::affine::AffineDialect", "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"];
}

def ScalarMathPass : Pass<"kiln-npu-scalar-math", "mlir::func::FuncOp"> {
  let summary = "write functions in terms of what the scalar unit computes";
  let description = [{
    The scalar unit adds, multiplies, divides and compares f32 and signed integers of 64 bits. Functions of f32 become
    polynomials, square roots and remainders exact integer arithmetic; so do division and conversion of u64.

    ```mlir
    %y = arith.divui %a, %b : i64
    // becomes
    %h = arith.shrui %a, %c1 : i64
    %q = arith.divsi %h, %b : i64 ...
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def ShareBlocksPass : Pass<"kiln-npu-share-blocks", "mlir::func::FuncOp"> {
  let summary = "cut independent loops into a piece for each block";
  let description = [{
    All blocks run the function. Loops with independent iterations (`scf.parallel`, `scf.forall`) at its top, or in loops
    there, run in pieces; other ops that write memory are the first block's. `npu.meet` stands where a block uses what
    another wrote. If a value that one block computes is used by all, one block runs the kernel. The attribute
    `npu.blocks` is their number.

    ```mlir
    scf.parallel (%i) = (%c0) to (%c1000) step (%c1) { ... }
    // becomes
    %b = npu.block_idx : index
    %first = arith.muli %b, %c24 : index ...
    scf.for %i = %first to %last step %c1 { ... }
    ```
  }];
  let dependentDialects = ["::kiln::npu::ir::NpuDialect", "mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def ScalarAddressesPass : Pass<"kiln-npu-scalar-addresses", "mlir::func::FuncOp"> {
  let summary = "turn accesses of buffers into scalar accesses at addresses";
  let description = [{
    Bindings have addresses; temporaries get theirs in UB, or in the workspace if they are large, dynamic or seen by several
    blocks; constants are written into UB. Elements of four bits are two a byte. Attributes record the workspace and the
    bytes of UB.

    ```mlir
    %v = memref.load %x[%i] : memref<4xf32>
    // becomes
    %a = npu.address %x : memref<4xf32>
    %o = arith.muli %i, %c4 : index
    %p = arith.addi %a, %o : index
    %v = npu.lds <gm> [%p + 0] : f32
    ```
  }];
  let dependentDialects = ["::kiln::npu::ir::NpuDialect", "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect"];
}

def KeepAttentionPass : Pass<"kiln-npu-keep-attention", "mlir::func::FuncOp"> {
  let summary = "mark the attentions that one kernel of cube and vector cores takes";
  let description = [{
    They get the attribute `kiln.whole`, for which `kiln-expand-composites` leaves them as they are. Runs in stage `graph`, first; no
    attention with a mask, a window or rows that UB does not hold is among them. Counts: keep-attention.kept.

    ```mlir
    %y = kiln.attention %q, %k, %v scale 0.125 : (tensor<1x12x128x64xf16>, tensor<1x12x128x64xf16>, tensor<1x12x128x64xf16>) -> tensor<1x12x128x64xf16>
    // becomes
    %y = kiln.attention %q, %k, %v scale 0.125 {kiln.whole} : (tensor<1x12x128x64xf16>, ...
    ```
  }];
  let options = [Option<"chip", "chip", "std::string", /*default=*/"\"910b\"", "910b or 910a">];
}

def SplitNormsPass : Pass<"kiln-npu-split-norms", "mlir::func::FuncOp"> {
  let summary = "make a group_norm a layer_norm of its groups";
  let description = [{
    A `kiln.group_norm` of a known number of channels becomes a `kiln.layer_norm` without scale and bias on a tensor with an
    axis for the groups, then a product and a sum by channel, all in f32: whole, it would need a reshape within a kernel, which no unit but
    the scalar one has. Counts: npu-split-norms.norms.

    ```mlir
    %y = kiln.group_norm %x scale(%s : tensor<16xf32>) groups 4 epsilon 1.0e-5 : tensor<2x16x9xf32>
    // becomes
    %0 = kiln.reshape %x [2, 4, 4, 9] : tensor<2x16x9xf32> -> tensor<2x4x4x9xf32>
    %1 = kiln.layer_norm %0 axis 2 epsilon 1.0e-5 : tensor<2x4x4x9xf32>
    %2 = kiln.reshape %1 [2, 16, 9] : tensor<2x4x4x9xf32> -> tensor<2x16x9xf32>
    %3 = kiln.reshape %s [16, 1] : tensor<16xf32> -> tensor<16x1xf32>
    %y = kiln.mul %2, %3 : tensor<2x16x9xf32>, tensor<16x1xf32> -> tensor<2x16x9xf32>
    ```
  }];
}

#endif // KILN_BACKENDS_NPU_TRANSFORMS_PASSES_TD
