// KilnSelect.td: comparisons and choices, element type conversion, tests of floats.
#ifndef KILN_SELECT_TD
#define KILN_SELECT_TD

include "kiln/IR/KilnElementwise.td"

// ---- Compare and choose ----------------------------------------------------------------------------------

def Kiln_CompareDirection : I32EnumAttr<"CompareDirection", "relation that kiln.compare tests",
    [I32EnumAttrCase<"Eq", 0, "eq">, I32EnumAttrCase<"Ne", 1, "ne">, I32EnumAttrCase<"Lt", 2, "lt">,
     I32EnumAttrCase<"Le", 3, "le">, I32EnumAttrCase<"Gt", 4, "gt">, I32EnumAttrCase<"Ge", 5, "ge">]> {
  let cppNamespace = "::kiln";
}

def Kiln_AnyScalarTensor : Kiln_TensorOf<AnyTypeOf<[Kiln_Number, I1]>, "tensor of numbers or i1">;

def Kiln_CompareOp : Kiln_BroadcastingOp<"compare", "::mlir::IntegerType::get(context, 1)", [SameOperandsElementType]> {
  let summary = "a relation of two tensors";
  let description = [{
    `result = a direction b`, with direction one of eq (==), ne (!=), lt (<), le (<=), gt (>) and ge (>=). NaN is
    unequal to everything and every other relation with it is false; of i1, false is the smaller.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.compare lt %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xi1>
    ```
  }];
  let arguments = (ins Kiln_CompareDirection:$direction, Kiln_AnyScalarTensor:$a, Kiln_AnyScalarTensor:$b);
  let results = (outs Kiln_BoolTensor:$result);
  let assemblyFormat = "$direction $a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($result)";
}

def Kiln_SelectOp : Kiln_BroadcastingOp<"select", "::mlir::getElementTypeOrSelf(adaptor.getOperands()[1])",
                                     [AllElementTypesMatch<["a", "b", "result"]>]> {
  let summary = "one of two tensors, element by element";
  let description = [{
    `result = a if condition else b`.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.select %c, %a, %b : tensor<?x8xi1>, tensor<?x8xf32>, tensor<f32> -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins Kiln_BoolTensor:$condition, Kiln_AnyScalarTensor:$a, Kiln_AnyScalarTensor:$b);
  let results = (outs Kiln_AnyScalarTensor:$result);
  let assemblyFormat = [{
    $condition `,` $a `,` $b attr-dict `:` type($condition) `,` type($a) `,` type($b) `->` type($result)
  }];
  let hasFolder = 1;
}

def Kiln_BoundAttr : AnyAttrOf<[F64Attr, I64Attr]>;

def Kiln_ClampOp : Kiln_UnaryOp<"clamp", Kiln_NumberTensor> {
  let summary = "limits values to a range";
  let description = [{
    `result = min(max(x, min), max)`; an absent bound does not limit. NaN stays NaN. If `min > max` the result is
    `max`.
    * (C1) bounds are f64 for a tensor of floats, i64 for integers.
    * (C2) a float bound is finite.
    * (C3) an integer bound is a value of the element type.

    Example:
    ```mlir
    %r = kiln.clamp %x min 0.0 max 6.0 : tensor<4x?xf32>
    %s = kiln.clamp %y max 10 : tensor<4xui8>
    ```
  }];
  let arguments = (ins Kiln_NumberTensor:$x, OptionalAttr<Kiln_BoundAttr>:$min, OptionalAttr<Kiln_BoundAttr>:$max);
  let assemblyFormat = [{
    $x (`min` custom<Bound>($min)^)? (`max` custom<Bound>($max)^)? attr-dict `:` type($x)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

// ---- Convert ---------------------------------------------------------------------------------------------

def Kiln_ConvertOp : Kiln_BroadcastingOp<"convert", "adaptor.getTo()", [], "::kiln::verifyConvert(*this)"> {
  let summary = "another element type";
  let description = [{
    `result = to(x)`. Between floats: rounds once, to nearest, halves to even. To fp8, values beyond the largest finite
    one, also infinities, become it, with their sign; with `unsaturated` infinity, or NaN where the format has none.
    Integers become narrow floats through f32. Float to integer: truncates towards zero and saturates; NaN becomes 0.
    Integer to integer: wraps. To i1: `x != 0`. From i1: 0 or 1.
    * (C1) `to` is the result's element type.
    * (C2) `unsaturated` is for fp8 alone.

    Example:
    ```mlir
    %r = kiln.convert %x : tensor<4x?xf32> to tensor<4x?xui8>
    ```
  }];
  let arguments = (ins Kiln_Tensor:$x, TypeAttr:$to, UnitAttr:$unsaturated);
  let results = (outs Kiln_Tensor:$result);
  let assemblyFormat = "$x (`unsaturated` $unsaturated^)? attr-dict `:` custom<ConvertTypes>(type($x), $to, type($result))";
  let hasFolder = 1;
}

def Kiln_BitcastOp : Kiln_BroadcastingOp<"bitcast", "adaptor.getTo()", [], "::kiln::verifyBitcast(*this)"> {
  let summary = "the same bits as another element type";
  let description = [{
    The element of type `to` whose bits are those of `x`.
    * (C1) `to` has as many bits as the element type of `x`.

    Example:
    ```mlir
    %r = kiln.bitcast %x : tensor<4x?xf32> to tensor<4x?xui32>
    ```
  }];
  let arguments = (ins Kiln_Tensor:$x, TypeAttr:$to);
  let results = (outs Kiln_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` custom<ConvertTypes>(type($x), $to, type($result))";
  let hasFolder = 1;
}

// ---- Tests of floats -------------------------------------------------------------------------------------

def Kiln_IsNanOp : Kiln_PredicateOp<"is_nan"> {
  let summary = "whether elements are NaN";
  let description = [{
    `result = x != x`, as i1.

    Example:
    ```mlir
    %r = kiln.is_nan %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_IsInfOp : Kiln_PredicateOp<"is_inf"> {
  let summary = "whether elements are infinite";
  let description = [{
    `result = (x == inf and detect_positive) or (x == -inf and detect_negative)`, as i1. Both signs are detected unless
    the attributes say otherwise.

    Example:
    ```mlir
    %r = kiln.is_inf %x : tensor<4x?xf32>
    %s = kiln.is_inf %x {detect_negative = false} : tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, DefaultValuedAttr<BoolAttr, "true">:$detect_positive,
                       DefaultValuedAttr<BoolAttr, "true">:$detect_negative);
}

#endif // KILN_SELECT_TD
