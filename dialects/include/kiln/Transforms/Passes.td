// Passes.td: the passes on kiln ops that every target shares.
#ifndef KILN_TRANSFORMS_PASSES_TD
#define KILN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckExtentsPass : InterfacePass<"kiln-check-extents", "mlir::FunctionOpInterface"> {
  let summary = "assert of dynamic extents what verifiers check of static ones";
  let description = [{
    Extents that an op needs to agree, windows that must fit, slices that must lie inside become `cf.assert` on index
    arithmetic: a run that breaks one ends with an error at the op's location instead of garbage. Nothing is asserted
    that types decide; comparisons of one value with itself fold away later. Runs in stage `form`, before kernels are
    formed.

    Before and after:
    ```mlir
    %y = kiln.add %a, %b : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    // becomes
    %n = tensor.dim %a, %c0 : tensor<?xf32>
    %m = tensor.dim %b, %c0 : tensor<?xf32>
    %ok = arith.cmpi eq, %m, %n : index
    cf.assert %ok, "expects operands of one extent along axis 0" {kiln.shows_operands}
    %y = kiln.add %a, %b : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::tensor::TensorDialect"];
}

def DecomposePass : Pass<"kiln-decompose"> {
  let summary = "rewrite composite ops into simpler kiln ops";
  let description = [{
    Gives softmax, log_softmax, the normalisations and the reduction log_sum_exp in reductions and elementwise ops, in
    f32 for f16 and bf16. Runs in stage `tensor` of targets that have no template for a composite; `kiln-to-linalg` runs
    it on what is left.

    ```mlir
    %p = kiln.softmax %x axis 1 : tensor<8x16xf32>
    // becomes
    %m = kiln.reduce max %x axes [1] keepdims : tensor<8x16xf32> -> tensor<8x1xf32>
    %d = kiln.sub %x, %m : tensor<8x16xf32>, tensor<8x1xf32> -> tensor<8x16xf32>
    %e = kiln.exp %d : tensor<8x16xf32>
    %s = kiln.reduce sum %e axes [1] keepdims : tensor<8x16xf32> -> tensor<8x1xf32>
    %p = kiln.div %e, %s : tensor<8x16xf32>, tensor<8x1xf32> -> tensor<8x16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def ExpandCompositesPass : Pass<"kiln-expand-composites"> {
  let summary = "rewrite composites that are many kernels into simpler kiln ops and loops";
  let description = [{
    Gives attention in two products with a softmax between. Makes a recurrent layer one product for the inputs of all
    time steps and an `scf.for` over them, whose states and outputs the loop carries; one time step needs no loop. Makes
    `kiln.conv_transpose` one `kiln.conv` that computes, for each phase of the strides, the products that meet there, and
    an interleaving of the phases: no product with a stuffed zero, no scattered sum. What weights alone decide stands
    apart, ahead of loops, so that it runs once, in the program's prologue. Runs in stage `graph`, last; a target with a kernel for such an op of its own
    leaves the pass out, or marks an attention with `kiln.whole` before. `kiln-to-linalg` runs it on what is left.

    ```mlir
    %y, %h = kiln.rnn forward %x, %w, %r activations ["tanh"]
      : (tensor<9x1x4xf32>, tensor<1x8x4xf32>, tensor<1x8x8xf32>) -> (tensor<9x1x1x8xf32>, tensor<1x1x8xf32>)
    // becomes, with %inputs = x * w^T and %rt = r^T
    %0:2 = scf.for %t = %c0 to %c9 step %c1 iter_args(%h = %zeros, %y = %empty) -> (tensor<1x1x1x8xf32>, tensor<9x1x1x8xf32>) {
      %input = kiln.slice %inputs offsets [0, %t, 0, 0] sizes [1, 1, 1, 8] strides [1, 1, 1, 1] : ...
      %product = kiln.matmul %h, %rt : tensor<1x1x1x8xf32>, tensor<1x1x8x8xf32> -> tensor<1x1x1x8xf32>
      %sum = kiln.add %product, %input : tensor<1x1x1x8xf32>, tensor<1x1x1x8xf32> -> tensor<1x1x1x8xf32>
      %next = kiln.tanh %sum : tensor<1x1x1x8xf32>
      %outputs = tensor.insert_slice %next into %y[%t, 0, 0, 0] [1, 1, 1, 8] [1, 1, 1, 1] : ...
      scf.yield %next, %outputs : tensor<1x1x1x8xf32>, tensor<9x1x1x8xf32>
    }

    %y = kiln.conv_transpose %x, %w strides [2] pads [0, 0] dilations [1] output_padding [0]
       : tensor<1x8x?xf32>, tensor<8x4x2xf32> -> tensor<1x4x?xf32>
    // becomes
    %t = kiln.transpose %w perm [1, 2, 0] : tensor<8x4x2xf32> -> tensor<4x2x8xf32>
    %f = kiln.reshape %t [8, 8, 1] : tensor<4x2x8xf32> -> tensor<8x8x1xf32>
    %c = kiln.conv %x, %f strides [1] pads [0, 0] dilations [1] : tensor<1x8x?xf32>, tensor<8x8x1xf32> -> tensor<1x8x?xf32>
    %s = kiln.reshape %c [1, 4, 2, %n] : tensor<1x8x?xf32> -> tensor<1x4x2x?xf32>
    %i = kiln.transpose %s perm [0, 1, 3, 2] : tensor<1x4x2x?xf32> -> tensor<1x4x?x2xf32>
    %y = kiln.reshape %i [1, 4, %m] : tensor<1x4x?x2xf32> -> tensor<1x4x?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def FoldTransposePass : Pass<"kiln-fold-transpose"> {
  let summary = "fold transposes of the last two axes into kiln.matmul";
  let description = [{
    Turns `matmul(transpose(a), b)` into `matmul(a, b) transA`, so that no backend materialises the transpose. Runs in
    stage `graph`, after shape inference. A transpose that moves a batch axis stays, and so does one that other ops use
    as well, unless `fold-shared` is set. Counts: fold-transpose.folded.

    ```mlir
    %t = kiln.transpose %a perm [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
    %y = kiln.matmul %t, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
    // becomes
    %y = kiln.matmul %a, %b transA : tensor<8x4xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
    ```
  }];
  let options = [Option<"foldShared", "fold-shared", "bool", /*default=*/"false",
                        "also fold a transpose that other ops use">];
}

def FoldBatchNormPass : Pass<"kiln-fold-batch-norm"> {
  let summary = "fold kiln.batch_norm into the weights of the kiln.conv before it";
  let description = [{
    Scales the filters and makes the rest a bias, where filters, bias and statistics are weights or constants: the new
    ops on them have only such operands, so they run once, in the program's prologue. Runs in stage `graph`. A
    convolution with other uses stays, and so does one in f16 or bf16: scaled filters would be rounded once more. Counts:
    fold-batch-norm.folded.

    ```mlir
    %c = kiln.conv %x, %w strides [1] pads [1, 1] dilations [1] : tensor<1x4x9xf32>, tensor<8x4x3xf32> -> tensor<1x8x9xf32>
    %y = kiln.batch_norm %c, %scale, %bias, %mean, %var epsilon 1.0e-5 : ...
    // becomes, with factor = scale / sqrt(var + epsilon)
    %f = kiln.reshape %factor [8, 1, 1] : tensor<8xf32> -> tensor<8x1x1xf32>
    %s = kiln.mul %w, %f : tensor<8x4x3xf32>, tensor<8x1x1xf32> -> tensor<8x4x3xf32>
    %y = kiln.conv %x, %s bias %shift strides [1] pads [1, 1] dilations [1] : ...
    ```
  }];
}

def RefineShapesPass : InterfacePass<"kiln-refine-shapes", "mlir::FunctionOpInterface"> {
  let summary = "sharpen types by what is known of the arguments";
  let description = [{
    Infers the result types of kiln ops anew, together with the canonicalizations of all ops, until nothing changes: a
    static argument makes `tensor.dim` a constant, that makes the sizes of a reshape static, and so on. The result types
    of a public function or kernel follow. Where another dialect's op needs an old type, a `tensor.cast` gives it;
    values that enter or leave regions of `scf` keep their types. Runs in stage `graph`, after the arguments got the
    types that a program is built for. Fails with the op's own error if shapes that are now known contradict each other.
    Counts: sharpen-types.sharpened.

    Before and after, for an argument that is known to be 4x2:
    ```mlir
    func.func @main(%x: tensor<4x2xf32>) -> tensor<2x?x2xf32> {
      %c = tensor.cast %x : tensor<4x2xf32> to tensor<?x2xf32>
      %c0 = arith.constant 0 : index
      %n = tensor.dim %c, %c0 : tensor<?x2xf32>
      %y = kiln.broadcast %c [2, %n, 2] : tensor<?x2xf32> -> tensor<2x?x2xf32>
      return %y : tensor<2x?x2xf32>
    }
    // becomes
    func.func @main(%x: tensor<4x2xf32>) -> tensor<2x4x2xf32> {
      %y = kiln.broadcast %x [2, 4, 2] : tensor<4x2xf32> -> tensor<2x4x2xf32>
      return %y : tensor<2x4x2xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def ToLinalgPass : Pass<"kiln-to-linalg", "mlir::ModuleOp"> {
  let summary = "the reference lowering of kiln ops to linalg, tensor, arith and math";
  let description = [{
    Every `kiln.kernel` becomes a `func.func` of the same name with the attribute `kiln.kernel`; in these and in other
    functions kiln ops become linalg on tensors. Types become signless (`tensor<4xui8>` is `tensor<4xi8>`), also in
    signatures; i1 stays. An elementwise op is one `linalg.generic` whose maps drop the axes along which an operand is
    broadcast, so they are projected permutations. Dynamic extents that meet are taken to be equal: a kernel is
    specialised on which extents are 1, and those are static. Fails if a kiln op is left.

    Example:
    ```mlir
    kiln.kernel @scale(%x: tensor<?xui8>, %y: tensor<1xui8>) -> tensor<?xui8> {
      %z = kiln.mul %x, %y : tensor<?xui8>, tensor<1xui8> -> tensor<?xui8>
      kiln.yield %z : tensor<?xui8>
    }
    // becomes
    func.func @scale(%x: tensor<?xi8>, %y: tensor<1xi8>) -> tensor<?xi8> attributes {kiln.kernel} {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?xi8>
      %e = tensor.empty(%n) : tensor<?xi8>
      %s = tensor.collapse_shape %y [] : tensor<1xi8> into tensor<i8>
      %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>],
                           iterator_types = ["parallel"]} ins(%x, %s : tensor<?xi8>, tensor<i8>) outs(%e : tensor<?xi8>) {
      ^bb0(%a: i8, %b: i8, %out: i8):
        %p = arith.muli %a, %b : i8
        linalg.yield %p : i8
      } -> tensor<?xi8>
      return %z : tensor<?xi8>
    }
    ```
    Counts: to-linalg.kernels.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
                           "mlir::func::FuncDialect", "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
                           "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"];
}

def BufferizePass : Pass<"kiln-bufferize", "mlir::ModuleOp"> {
  let summary = "turn tensors into buffers, in place where the analysis allows";
  let description = [{
    Runs first in stage `buffer`: one-shot bufferization of a kernel whose arguments are buffers already, allocations
    kept, then what it leaves behind is cleaned up: copies of a buffer onto itself, extents of
    views, casts.

    ```mlir
    %t = bufferization.to_tensor %x restrict : memref<4xf32>
    %r = linalg.generic ... ins(%t : tensor<4xf32>) outs(%o : tensor<4xf32>) ...
    // becomes
    linalg.generic ... ins(%x : memref<4xf32>) outs(%out : memref<4xf32>) ...
    ```
  }];
  let dependentDialects = ["mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect"];
}

def ExpandFloatsPass : Pass<"kiln-expand-floats", "mlir::func::FuncOp"> {
  let summary = "expand conversions of f16 and bf16 into integer arithmetic";
  let description = [{
    Runs in stage `lower`. `arith.extf` and `arith.truncf` of bf16 become integer shifts with rounding to nearest even;
    those of f16 stay if the target has F16C, else they become integer arithmetic too; f64 goes to 16 bits through f32
    rounded to odd, so that the result is rounded once.

    ```mlir
    %w = arith.extf %x : vector<8xbf16> to vector<8xf32>
    // becomes
    %b = arith.bitcast %x : vector<8xbf16> to vector<8xi16>
    %e = arith.extui %b : vector<8xi16> to vector<8xi32>
    %s = arith.shli %e, %c16 : vector<8xi32>
    %w = arith.bitcast %s : vector<8xi32> to vector<8xf32>
    ```
  }];
  let options = [Option<"f16c", "f16c", "bool", /*default=*/"false", "the target converts f16 in hardware">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::vector::VectorDialect"];
}

#endif // KILN_TRANSFORMS_PASSES_TD
