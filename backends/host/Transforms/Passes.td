// Passes.td: the host backend's lowering passes, in the order of the stages that run them.
#ifndef KILN_BACKENDS_HOST_TRANSFORMS_PASSES_TD
#define KILN_BACKENDS_HOST_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PackWeightsPass : Pass<"kiln-host-pack-weights", "mlir::ModuleOp"> {
  let summary = "give products their weights as panels, packed in the program's prologue";
  let description = [{
    Runs at the end of stage `form`. For each kernel argument that is the right side of one `kiln.matmul` of more than one
    row, and weights alone at every launch: its columns are cut into panels as wide as a register tile, by a kernel that
    the prologue runs once. The product's kernel spells the matrix that it gets as panels as a transposition and a reshape,
    which `kiln-host-unpack-weights` reads through. Matrices that the panels do not divide, and small ones, stay. Those of
    8- and 16-bit integers, by one row too, become panels `[p, k / 2, n, 2]` of pairs along the sum. Axes before a matrix's
    stay in front.

    ```mlir
    %w = kiln.weight ... : tensor<768x3072xf32>
    %y = kiln.launch @matmul_128x3072xf32(%x, %w) : ...
    // becomes
    %s = kiln.reshape %w [768, 96, 32] : tensor<768x3072xf32> -> tensor<768x96x32xf32>
    %p = kiln.launch @transpose_96x768x32xf32(%s) : (tensor<768x96x32xf32>) -> tensor<96x768x32xf32>
    %y = kiln.launch @matmul_128x3072xf32(%x, %p) : ...
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256", "bits of a vector register">,
                 Option<"registers", "registers", "unsigned", /*default=*/"16", "vector registers">];
}

def DescribePass : Pass<"kiln-host-describe", "mlir::ModuleOp"> {
  let summary = "note a kernel's bindings and number its ops";
  let description = [{
    Runs first in stage `tensor`, before kiln-to-linalg. Attributes record what later types no longer say:
    `kiln.element_types` (of every binding, with signedness), `kiln.inputs` (how many bindings are read). Ops are
    numbered: their locations carry the number that profiles and faults use.

    ```mlir
    kiln.kernel @k(%x: tensor<4xui8>) -> tensor<4xui8> { ... }
    // becomes
    kiln.kernel @k(%x: tensor<4xui8>) -> tensor<4xui8>
        attributes {kiln.inputs = 1 : i64, kiln.element_types = [ui8, ui8]} { ... }
    ```
  }];
}

def StoragePass : Pass<"kiln-host-storage", "mlir::func::FuncOp"> {
  let summary = "store booleans as bytes";
  let description = [{
    Runs last in stage `tensor`. A tensor of i1 becomes one of i8 that holds 0 or 1: LLVM would pack the bits of a
    vector of i1 in memory. Bodies of structured ops truncate what they read and extend what they write.

    ```mlir
    linalg.generic ... ins(%c : tensor<8xi1>) { ^bb0(%b: i1, ...): ... }
    // becomes
    linalg.generic ... ins(%c : tensor<8xi8>) { ^bb0(%b8: i8, ...): %b = arith.trunci %b8 : i8 to i1 ... }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def DestinationsPass : Pass<"kiln-host-destinations", "mlir::ModuleOp"> {
  let summary = "turn a kernel's tensors into buffer arguments, its results into trailing ones";
  let description = [{
    Runs first in stage `tile`. Each tensor argument of the kernel's function becomes a dense memref argument, read
    through `bufferization.to_tensor restrict`; each result becomes a trailing memref argument that the returned tensor
    is materialized into. Reshapes and concatenations in front of the return become views of the result's buffer, so
    that nothing is copied for them.

    ```mlir
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kiln.kernel} { ... return %y : tensor<4xf32> }
    // becomes
    func.func @k(%x: memref<4xf32>, %out: memref<4xf32>) attributes {kiln.kernel} {
      %t = bufferization.to_tensor %x restrict : memref<4xf32>
      ...
      bufferization.materialize_in_destination %y in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
    ```
  }];
  let dependentDialects = ["mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect",
                           "mlir::tensor::TensorDialect", "mlir::linalg::LinalgDialect", "mlir::arith::ArithDialect"];
}

def LoopDestinationsPass : Pass<"kiln-host-loop-destinations", "mlir::func::FuncOp"> {
  let summary = "let loops over tensors write their results in place";
  let description = [{
    Runs in stage `tile` after destinations, for results that `scf` loops and branches compute (template `loop`). Such a
    result is a chain of updates that starts from an empty tensor: that becomes the result's buffer, so that
    bufferization finds every update in place. An `scf.forall` at the top of the kernel is its loop over tiles.

    ```mlir
    %e = tensor.empty() : tensor<8xi64>
    %r = scf.for ... iter_args(%t = %e) -> (tensor<8xi64>) { ... tensor.insert ... into %t ... }
    bufferization.materialize_in_destination %r in restrict writable %out : (tensor<8xi64>, memref<8xi64>) -> ()
    // becomes
    %e = bufferization.to_tensor %out restrict writable : memref<8xi64>
    %r = scf.for ... iter_args(%t = %e) -> (tensor<8xi64>) { ... tensor.insert ... into %t ... }
    ```
  }];
  let dependentDialects = ["mlir::bufferization::BufferizationDialect"];
}

def FusePass : Pass<"kiln-host-fuse", "mlir::func::FuncOp"> {
  let summary = "fuse structured ops: producers into consumers, shape changes into indexing";
  let description = [{
    Runs in stage `tile` on tensors. Named ops become `linalg.generic`; elementwise producers are fused into their
    consumers (into reductions too) where that computes nothing twice or the producer is cheap; reshapes move to the
    kernel's ends.

    ```mlir
    %a = linalg.generic {exp} ins(%x) ...
    %b = linalg.generic {sum over d1} ins(%a) ...
    // becomes one linalg.generic that sums the exponentials
    ```
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect", "mlir::affine::AffineDialect",
                           "mlir::arith::ArithDialect"];
}

def CollapsePass : Pass<"kiln-host-collapse", "mlir::func::FuncOp"> {
  let summary = "merge loops that are contiguous in every operand";
  let description = [{
    Runs in stage `tile` after fusion. Two neighbouring loops become one if they are neighbouring dimensions of every
    operand that has them and if all ops of the kernel agree on the tensors between them: reshapes then remain at the
    kernel's ends only, where they are views of buffers.

    ```mlir
    linalg.generic over (d0, d1, d2) of tensor<8x16x32xf32> and the row tensor<8xf32>
    // becomes a linalg.generic over (d0, d1) of tensor<8x512xf32> and tensor<8xf32>
    ```
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect", "mlir::affine::AffineDialect",
                           "mlir::arith::ArithDialect"];
}

def TilePass : Pass<"kiln-host-tile", "mlir::func::FuncOp"> {
  let summary = "distribute a kernel over tiles and fuse what a tile needs into it";
  let description = [{
    Runs in stage `tile` after the templates of contractions. For each result that is not in an `scf.forall` yet: chooses
    the template by the ops that lead to it (`elementwise`, `softmax`, `matmul`, `depthwise` ...; the function's
    attribute `kiln.template` names it for profiles), tiles the op that makes it over its parallel loops and pulls its
    producers into the tile. A loop is not tiled if a producer would have to be computed several times for it.

    ```mlir
    %y = linalg.generic {...} ins(%x : tensor<1048576xf32>) outs(%e : tensor<1048576xf32>) ...
    // becomes
    %y = scf.forall (%i) in (128) shared_outs(%o = %out) -> (tensor<1048576xf32>) {
      %x_i = tensor.extract_slice %x[...] [8192] [1] ...
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256", "bits of a vector register">];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::tensor::TensorDialect", "mlir::affine::AffineDialect",
                           "mlir::bufferization::BufferizationDialect", "mlir::arith::ArithDialect"];
}

def SinkPadsPass : Pass<"kiln-host-sink-pads", "mlir::func::FuncOp"> {
  let summary = "pad the input of a window tile by tile";
  let description = [{
    Runs in stage `tile` after tiling. A tile of a convolution or a pool reads a slice of the padded input; it now takes
    the slice of the input itself, clipped at the border, and pads that, so that no padded copy of the whole input is
    made and tiles stay independent.

    ```mlir
    %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] ...
    scf.forall ... { %s = tensor.extract_slice %p[0, 0, %i, 0] [1, 64, 10, 58] [1, 1, 1, 1] ... }
    // becomes
    scf.forall ... {
      %s = tensor.extract_slice %x[0, 0, %from, 0] [1, 64, %rows, 56] [1, 1, 1, 1] ...
      %p = tensor.pad %s low[0, 0, %above, 1] high[0, 0, %below, 1] ...
    }
    ```
  }];
  let dependentDialects = ["mlir::affine::AffineDialect", "mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"];
}

def BlockContractionsPass : Pass<"kiln-host-block-contractions", "mlir::func::FuncOp"> {
  let summary = "sum contractions in blocks over packed columns";
  let description = [{
    Runs in stage `buffer` after bufferization. A contraction (matrix product, convolution) whose sum is long becomes a
    loop over blocks of it; where the factor that is read by vectors is not contiguous along them (a transposed matrix,
    the windows of a convolution) or its rows meet in few cache sets, each block copies it into a temporary
    `[sum.., columns..]` first. Factors of 8- and 16-bit integers become pairs along the sum, `[sum / 2.., columns.., 2]`
    and `[rows.., sum / 2, 2]`, of i16. Loops that are contiguous in every operand are collapsed. The vector emitter then
    makes register tiles of the blocks.

    ```mlir
    linalg.generic {sum over d2} ins(%a, %b : memref<48x512xf32>, memref<64x512xf32>) outs(%c : memref<48x64xf32>) ...
    // becomes
    scf.for %k = %c0 to %c512 step %c256 {
      %p = memref.alloc() : memref<256x64xf32>
      linalg.generic {copy} ins(%b_k) outs(%p) ...
      linalg.generic {sum over d2} ins(%a_k, %p) outs(%c) ...
    }
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256", "bits of a vector register">,
    Option<"registers", "registers", "unsigned", /*default=*/"16", "vector registers">,
  ];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::memref::MemRefDialect", "mlir::affine::AffineDialect",
                           "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect"];
}

def TemporariesPass : Pass<"kiln-host-temporaries", "mlir::func::FuncOp"> {
  let summary = "place a kernel's temporaries on the stack or in the workspace";
  let description = [{
    Runs in stage `buffer` after bufferization. Small static allocations become stack slots of the kernel's function,
    hoisted out of every loop; larger or dynamic ones become views of a workspace argument (an i8 memref appended to the
    arguments), one region a tile where the allocation is inside an `scf.forall`: tiles of a launch run concurrently.
    The function's attribute `kiln.workspace` is the workspace's size as an expression over the launch's constants.

    ```mlir
    %t = memref.alloc() : memref<1024xf32>
    // becomes, at the function's entry
    %t = memref.alloca() {alignment = 64 : i64} : memref<1024xf32>
    ```
  }];
  let options = [Option<"stackBytes", "stack-bytes", "int64_t", /*default=*/"196608", "stack bytes for temporaries">];
  let dependentDialects = ["mlir::memref::MemRefDialect", "mlir::arith::ArithDialect"];
}

def ContractPass : Pass<"kiln-host-contract", "mlir::func::FuncOp"> {
  let summary = "allow fused multiply-adds";
  let description = [{
    Runs in stage `buffer` before vector code is made, and so before math functions are expanded, whose formulas mean each
    rounding that they write: additions, subtractions and multiplications of floats get the flag `contract`, but for
    products that are marked `kiln.rounded`.

    ```mlir
    %s = arith.addf %acc, %p : f32
    // becomes
    %s = arith.addf %acc, %p fastmath<contract> : f32
    ```
  }];
}

def UnpackWeightsPass : Pass<"kiln-host-unpack-weights", "mlir::func::FuncOp"> {
  let summary = "let contractions read a matrix as the panels that it comes in";
  let description = [{
    Runs at the start of stage `tile`. A kernel that `kiln-host-pack-weights` has given a packed weight `[p, k, n]` spells
    the matrix `[k, p * n]` as a transposition and a reshape of it. Where that matrix is the right side of a contraction,
    its loop over columns becomes two, over panels and inside one, which read the panels as they lie: each is contiguous.
    Of panels of pairs `[p, k / 2, n, 2]` the loop of the sum becomes two as well, over pairs and inside one.

    ```mlir
    %t = linalg.generic {...} ins(%w : tensor<96x768x32xf32>) outs(%e : tensor<768x96x32xf32>) ... // (d1, d0, d2)
    %m = tensor.collapse_shape %t [[0], [1, 2]] : tensor<768x96x32xf32> into tensor<768x3072xf32>
    %y = linalg.generic {...} ins(%x, %m : ...) outs(%i : tensor<128x3072xf32>) ...
    // becomes
    %y3 = linalg.generic {...} ins(%x, %w : ...) outs(%i3 : tensor<128x96x32xf32>) ... // (d0, d1, d2, d3) -> (d1, d3, d2)
    %y = tensor.collapse_shape %y3 [[0], [1, 2]] : tensor<128x96x32xf32> into tensor<128x3072xf32>
    ```
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def VectorizePass : Pass<"kiln-host-vectorize", "mlir::func::FuncOp"> {
  let summary = "emit vector loops for structured ops on buffers";
  let description = [{
    Runs at the end of stage `buffer`. For each structured op: the vector loop is the one of least estimated cost (unit
    stride in most operands), outputs of reductions stay in registers, loops in which an operand does not move run
    several iterations side by side, operands that are strided in the vector loop are transposed in registers where they
    are contiguous in another loop, the rest of the vector loop is one masked step (AVX-512) or scalar steps. Products of
    16-bit numbers that lie in pairs along the sum are multiplied and added two a lane (pmaddwd).

    ```mlir
    linalg.generic {relu} ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) ...
    // becomes
    %v = vector.load %x[%c0] : memref<64xf32>, vector<16xf32> ...
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256", "bits of a vector register">,
    Option<"registers", "registers", "unsigned", /*default=*/"16", "vector registers">,
    Option<"maskWords", "mask-words", "bool", /*default=*/"false", "masked access to 32- and 64-bit elements">,
    Option<"maskBytes", "mask-bytes", "bool", /*default=*/"false", "masked access to 8- and 16-bit elements">,
  ];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::vector::VectorDialect", "mlir::memref::MemRefDialect",
                           "mlir::affine::AffineDialect", "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
                           "mlir::LLVM::LLVMDialect"];
}

def ExpandMathPass : Pass<"kiln-host-expand-math", "mlir::ModuleOp"> {
  let summary = "expand math functions into polynomials";
  let description = [{
    Runs in stage `lower`. Every function of the math dialect that LLVM would make a library call of becomes arithmetic on
    the same vectors: range reduction, a polynomial, reconstruction; infinities, NaN and denormals as in C. Sources and
    errors stand in docs/host-codegen.md and beside each expansion.

    ```mlir
    %y = math.exp %x : vector<8xf32>
    // becomes about 15 ops of arith and math.fma on vector<8xf32>
    ```
  }];
  let options = [Option<"scalef", "scalef", "bool", /*default=*/"false", "the CPU has AVX-512's vscalefps and vscalefpd">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::vector::VectorDialect",
                           "mlir::scf::SCFDialect", "mlir::memref::MemRefDialect", "mlir::LLVM::LLVMDialect"];
}

def EntryPass : Pass<"kiln-host-entry", "mlir::ModuleOp"> {
  let summary = "give the kernel its entry point and its loop over tiles";
  let description = [{
    Runs in stage `lower`. The tile loops (`scf.forall`) at the top of the kernel's function become loops over
    the part of [tileBegin, tileEnd) that is theirs; a kernel whose loops depend on each other runs as one tile. The entry
    `void NAME(void *const *bindings, const int64_t *constants, void *workspace, int64_t tileBegin, int64_t tileEnd)`
    unpacks the bindings for the body, a private function with noalias pointers. Attributes of the entry record
    the grid for the object's metadata.

    ```mlir
    func.func @k(%x: memref<?xf32>, %out: memref<?xf32>) { scf.forall (%t) in (%n) { ... } }
    // becomes
    func.func private @k_tiles(%x: !llvm.ptr, %out: !llvm.ptr, %n_x: index, ..., %begin: index, %end: index)
    func.func @k(%bindings: !llvm.ptr, %constants: !llvm.ptr, %workspace: !llvm.ptr, %begin: i64, %end: i64)
    ```
  }];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
                           "mlir::arith::ArithDialect", "mlir::affine::AffineDialect"];
}

def ToLlvmPass : Pass<"kiln-host-to-llvm", "mlir::ModuleOp"> {
  let summary = "convert vector code and loops to the LLVM dialect";
  let description = [{
    Runs at the end of stage `lower`: one conversion with the patterns of all dialects that remain, instead of a pass a
    dialect.

    ```mlir
    %v = vector.load %m[%i] : memref<?xf32>, vector<8xf32>
    // becomes
    %p = llvm.getelementptr %base[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    ```
  }];
  let options = [Option<"f16c", "f16c", "bool", /*default=*/"false", "LLVM keeps f16; else it is i16, as bf16 always">];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::cf::ControlFlowDialect", "mlir::arith::ArithDialect"];
}

def OpLinesPass : Pass<"kiln-host-op-lines", "mlir::ModuleOp"> {
  let summary = "turn locations into line numbers that count the kernel's ops";
  let description = [{
    Runs last in stage `lower`. LLVM's line table then maps code to op numbers: the emitter makes the object's pc table
    of it, and a debugger shows the op. Code that comes from no op of the kernel gets line 0.

    ```mlir
    llvm.store %v, %p : vector<8xf32>, !llvm.ptr loc(fused["op":3:0, "model.mlir":17:5])
    // becomes
    llvm.store %v, %p : vector<8xf32>, !llvm.ptr loc("kernel":3:1)
    ```
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // KILN_BACKENDS_HOST_TRANSFORMS_PASSES_TD
