// KilnProgram.td: kernels and their launches, constants and weights, lists, checks.
#ifndef KILN_PROGRAM_TD
#define KILN_PROGRAM_TD

include "kiln/IR/KilnBase.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def Kiln_ConstantOp : Kiln_Op<"constant", [Pure, ConstantLike, Kiln_InferType]> {
  let summary = "a tensor known at compile time";
  let description = [{
    `result = value`. For small tensors; weights are `kiln.weight`. The element type may be unsigned.

    Example:
    ```mlir
    %c = kiln.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Kiln_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Kiln_WeightOp : Kiln_Op<"weight", [Pure]> {
  let summary = "a tensor whose bytes are kept beside the IR";
  let description = [{
    The bytes are content-addressed: `digest` is their SHA-256 in lower-case hex. They never enter a kernel: a weight is
    a binding of the launch that uses it.
    * (C1) `digest` has 64 characters of [0-9a-f].
    * (C2) the result has a static shape.

    Example:
    ```mlir
    %w = kiln.weight "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" : tensor<64x3x3x3xf32>
    ```
  }];
  let arguments = (ins StrAttr:$digest, OptionalAttr<StrAttr>:$label);
  let results = (outs Kiln_Tensor:$result);
  let assemblyFormat = "$digest attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kiln_KernelOp : Kiln_Op<"kernel", [IsolatedFromAbove, FunctionOpInterface, Symbol,
                                       SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "one kernel: a function from tensors and indices to tensors";
  let description = [{
    The unit of compiling, caching and launching. Arguments are tensors (bindings) and `index` values (constants);
    results are tensors that the caller allocates. A launch's constants are, in order: the `index` arguments, then the
    dynamic extents of the tensor arguments, then those of the results, each from left to right.
    * (C1) every argument is a tensor or an index; every result is a tensor.
    * (C2) the terminator yields values of the result types.

    Example:
    ```mlir
    kiln.kernel @scale(%x: tensor<?xf32>) -> tensor<?xf32> {
      %c = kiln.constant dense<2.0> : tensor<f32>
      %y = kiln.mul %x, %c : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
      kiln.yield %y : tensor<?xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Kiln_YieldOp : Kiln_Op<"yield", [Pure, Terminator]> {
  let summary = "the results of a kernel or of an op's region";
  let description = [{
    Ends a `kiln.kernel`; its operands are the kernel's results.

    Example:
    ```mlir
    kiln.yield %y : tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Kiln_LaunchOp : Kiln_Op<"launch", [Pure, AttrSizedOperandSegments,
                                       DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                                       DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface>]> {
  let summary = "runs a kernel";
  let description = [{
    `results = kernel(operands)`. `extents` are the results' dynamic extents, from left to right: the caller allocates
    the results. `label` is the launch's display name.
    * (C1) `kernel` names a `kiln.kernel` of the module.
    * (C2) operand and result types are the kernel's, or as precise.
    * (C3) there are as many `extents` as dynamic extents in the results.

    Example:
    ```mlir
    %y = kiln.launch @scale(%x) extents(%n) : (tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyTypeOf<[Kiln_Tensor, Index]>>:$inputs,
                       Variadic<Index>:$extents, OptionalAttr<StrAttr>:$label);
  let results = (outs Variadic<Kiln_Tensor>:$outputs);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` (`extents` `(` $extents^ `)`)? attr-dict `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
}

def Kiln_AppendOp : Kiln_CheckedOp<"append"> {
  let summary = "a tensor with one more entry at its end";
  let description = [{
    `result[:n] = list`, `result[n] = entry`, where `n` is the first extent of `list`. How a loop collects a value of
    each round: the program does it, no kernel. A list that a loop carries for nothing else grows where it lies, at
    the cost of copying the entry. An empty list takes entries of any extents, a longer one of its own.
    * (C1) the rank of `list` is that of `entry` plus 1, and they have one element type.
    * (C2) the extents of `entry` agree with those of `list` behind the first, unless that is 0.

    Example:
    ```mlir
    %r = kiln.append %list, %entry : tensor<?x4xf32>, tensor<4xf32> -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Kiln_Tensor:$list, Kiln_Tensor:$entry);
  let results = (outs Kiln_Tensor:$result);
  let assemblyFormat = "$list `,` $entry attr-dict `:` type($list) `,` type($entry) `->` type($result)";
}

def Kiln_OptimizationBarrierOp : Kiln_Op<"optimization_barrier", [Kiln_InferType]> {
  let summary = "a value that no pass looks through";
  let description = [{
    `result = x`. Nothing is folded, moved or merged across it: kernel tests put it behind their constants, so that the
    device computes what would else be folded or hoisted into the prologue.

    Example:
    ```mlir
    %b = kiln.optimization_barrier %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins Kiln_Tensor:$x);
  let results = (outs Kiln_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def Kiln_CheckCloseOp : Kiln_Op<"check_close", [SameTypeOperands]> {
  let summary = "asserts that two tensors are close";
  let description = [{
    Holds if `|got - want| <= atol + rtol * |want|` for every element; NaN equals NaN, infinities match by sign. Checked
    by `jit-run --check` after the run.
    * (C1) `atol` and `rtol` are finite and not negative.

    Example:
    ```mlir
    kiln.check_close %got, %want atol 1.0e-5 rtol 1.0e-4 : tensor<4xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$got, Kiln_FloatTensor:$want, F64Attr:$atol, F64Attr:$rtol);
  let assemblyFormat = "$got `,` $want `atol` $atol `rtol` $rtol attr-dict `:` type($got)";
  let hasVerifier = 1;
}

def Kiln_CheckEqualOp : Kiln_Op<"check_equal", [SameTypeOperands]> {
  let summary = "asserts that two tensors are equal";
  let description = [{
    Holds if `got == want` for every element; NaN equals NaN, -0.0 equals 0.0. Checked by `jit-run --check` after the
    run.

    Example:
    ```mlir
    kiln.check_equal %got, %want : tensor<4xi32>
    ```
  }];
  let arguments = (ins Kiln_Tensor:$got, Kiln_Tensor:$want);
  let assemblyFormat = "$got `,` $want attr-dict `:` type($got)";
}

#endif // KILN_PROGRAM_TD
