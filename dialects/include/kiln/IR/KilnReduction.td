// KilnReduction.td: reductions, arg-reductions and cumulative sums along axes.
#ifndef KILN_REDUCTION_TD
#define KILN_REDUCTION_TD

include "kiln/IR/KilnBase.td"
include "mlir/IR/EnumAttr.td"

def Kiln_ReduceKind : I32EnumAttr<"ReduceKind", "what kiln.reduce computes", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Mean", 4, "mean">, I32EnumAttrCase<"Any", 5, "any">,
    I32EnumAttrCase<"All", 6, "all">, I32EnumAttrCase<"SumSquare", 7, "sum_square">, I32EnumAttrCase<"L1", 8, "l1">,
    I32EnumAttrCase<"L2", 9, "l2">, I32EnumAttrCase<"LogSum", 10, "log_sum">,
    I32EnumAttrCase<"LogSumExp", 11, "log_sum_exp">]> {
  let cppNamespace = "::kiln";
  let genSpecializedAttr = 0;
}
def Kiln_ArgReduceKind : I32EnumAttr<"ArgReduceKind", "which extreme kiln.arg_reduce looks for", [
    I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Min", 1, "min">]> {
  let cppNamespace = "::kiln";
  let genSpecializedAttr = 0;
}
def Kiln_CumulativeKind : I32EnumAttr<"CumulativeKind", "what kiln.cumulative accumulates", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">]> {
  let cppNamespace = "::kiln";
  let genSpecializedAttr = 0;
}
class Kiln_KindAttr<EnumAttrInfo kind, string mnemonic> : EnumAttr<Kiln_Dialect, kind, mnemonic> {
  let assemblyFormat = "$value";
}
def Kiln_ReduceKindAttr : Kiln_KindAttr<Kiln_ReduceKind, "reduce_kind">;
def Kiln_ArgReduceKindAttr : Kiln_KindAttr<Kiln_ArgReduceKind, "arg_reduce_kind">;
def Kiln_CumulativeKindAttr : Kiln_KindAttr<Kiln_CumulativeKind, "cumulative_kind">;

def Kiln_ReduceOp : Kiln_CheckedOp<"reduce"> {
  let summary = "reduces axes to one element";
  let description = [{
    With `k` running over the extents of `axes`:

        sum          sum_k x[k]              sum_square   sum_k x[k]^2
        prod         prod_k x[k]             l1           sum_k |x[k]|
        max, min     NaN if an x[k] is NaN   l2           sqrt(sum_k x[k]^2)
        mean         sum_k x[k] / count      log_sum      log(sum_k x[k])
        any, all     or, and (i1)            log_sum_exp  log(sum_k exp(x[k])), without overflow

    Reduced axes are dropped, or kept with extent 1 if `keepdims`; no `axes` reduces nothing, element by element. f16
    and bf16 accumulate in f32; integers wrap, and their mean truncates. Over no elements: sum 0, prod 1, max the lowest
    and min the highest value (infinite for floats), mean NaN (0 for integers), any false, all true.
    * (C1) `axes` lie in [-rank, rank) and are distinct.
    * (C2) `any` and `all` take i1; l2, log_sum and log_sum_exp floats; the others numbers.

    Example:
    ```mlir
    %m = kiln.reduce mean %x axes [-1] keepdims : tensor<8x?xf32> -> tensor<8x1xf32>
    ```
  }];
  let arguments = (ins Kiln_ReduceKindAttr:$kind, Kiln_TensorOf<AnyTypeOf<[Kiln_Number, I1]>, "tensor of numbers or i1">:$x,
                       DenseI64ArrayAttr:$axes, UnitAttr:$keepdims);
  let results = (outs Kiln_TensorOf<AnyTypeOf<[Kiln_Number, I1]>, "tensor of numbers or i1">:$result);
  let assemblyFormat = [{
    $kind $x `axes` $axes (`keepdims` $keepdims^)? attr-dict `:` type($x) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// `axes`, counted from 0 and ascending.
    ::llvm::SmallVector<int64_t> getSortedAxes();
  }];
}

def Kiln_ArgReduceOp : Kiln_CheckedOp<"arg_reduce"> {
  let summary = "index of the largest or smallest element along an axis";
  let description = [{
        result[.., ..] = the first k (the last, if select_last) with x[.., k, ..] = max_j x[.., j, ..]

    with min for `min`. A NaN counts as the extreme, as in numpy. The axis is dropped, or kept with extent 1 if
    `keepdims`.
    * (C1) `axis` lies in [-rank, rank).
    * (C2) the extent along `axis` is not 0.

    Example:
    ```mlir
    %i = kiln.arg_reduce max %x axis -1 : tensor<8x1000xf32> -> tensor<8xi64>
    ```
  }];
  let arguments = (ins Kiln_ArgReduceKindAttr:$kind, Kiln_NumberTensor:$x, I64Attr:$axis, UnitAttr:$keepdims,
                       UnitAttr:$select_last);
  let results = (outs Kiln_TensorOf<I64, "tensor of i64">:$result);
  let assemblyFormat = [{
    $kind $x `axis` $axis (`keepdims` $keepdims^)? (`select_last` $select_last^)? attr-dict
    `:` type($x) `->` type($result)
  }];
}

def Kiln_CumulativeOp : Kiln_LikeXOp<"cumulative"> {
  let summary = "running sum or product along an axis";
  let description = [{
        result[.., i, ..] = sum_{k <= i} x[.., k, ..]        (k < i if exclusive; k >= i, k > i if reverse)

    with prod for `prod`. f16 and bf16 accumulate in f32, integers wrap.
    * (C1) `axis` lies in [-rank, rank).

    Example:
    ```mlir
    %y = kiln.cumulative sum %x axis 1 exclusive : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Kiln_CumulativeKindAttr:$kind, Kiln_NumberTensor:$x, I64Attr:$axis, UnitAttr:$exclusive,
                       UnitAttr:$reverse);
  let results = (outs Kiln_NumberTensor:$result);
  let assemblyFormat = [{
    $kind $x `axis` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict `:` type($x)
  }];
}

#endif // KILN_REDUCTION_TD
