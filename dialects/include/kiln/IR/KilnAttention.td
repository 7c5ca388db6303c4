// KilnAttention.td: scaled dot-product attention. A composite: kiln-expand-composites gives it in products and a softmax.
#ifndef KILN_ATTENTION_TD
#define KILN_ATTENTION_TD

include "kiln/IR/KilnBase.td"
include "mlir/IR/EnumAttr.td"

def Kiln_AttentionStage : I32EnumAttr<"AttentionStage", "which numbers kiln.attention shows besides its result", [
    I32EnumAttrCase<"Scores", 0, "scores">, I32EnumAttrCase<"Capped", 1, "capped">,
    I32EnumAttrCase<"Biased", 2, "biased">, I32EnumAttrCase<"Weights", 3, "weights">]> {
  let cppNamespace = "::kiln";
}

def Kiln_AttentionOp : Kiln_CheckedOp<"attention", [AttrSizedOperandSegments]> {
  let summary = "scaled dot-product attention of several heads";
  let description = [{
    `q` is `[batch, heads, queries, size]`, `k` `[batch, kv_heads, keys, size]`, `v` `[batch, kv_heads, keys, value_size]`.
    Query head `h` reads head `h / (heads / kv_heads)` of `k` and `v`: fewer of them make grouped-query attention, one makes
    multi-query attention. With `s[i, j] = scale * sum_c q[i, c] * k[j, c]`, which `softcap` turns into
    `softcap * tanh(s / softcap)`:

        result[i] = sum_j softmax_j(s[i, j] + bias[i, j]) * v[j]

    `bias` is `mask` if that is of floats. It is -inf where `mask` is false, where `j >= lengths[b]`, where
    `j > i + offset[b]` if `causal`, and where `j` is less than `i + offset[b] - left_window` or more than
    `i + offset[b] + right_window`. `offset` is 0 if absent: how many keys precede the first query. A row whose bias is
    -inf everywhere gives 0. A second result, if asked for by `shows`, has the numbers `[batch, heads, queries, keys]`
    themselves: `scores`, those `capped`, `biased`, or the softmax, `weights`. f16 and bf16 are computed in f32
    and round once, in the results.
    * (C1) `q`, `k` and `v` have rank 4 and one element type.
    * (C2) batch and `size` are the same; `k` and `v` have the same heads and keys; `kv_heads` divides `heads`.
    * (C3) `mask` broadcasts to `[batch, heads, queries, keys]`.
    * (C4) `lengths` and `offset` are `[batch]` or `[1]`.
    * (C5) `scale` is finite, `softcap` finite and positive, windows are not negative.

    Example:
    ```mlir
    %y = kiln.attention %q, %k, %v mask %m scale 0.125 causal
      : (tensor<1x12x?x64xf32>, tensor<1x4x?x64xf32>, tensor<1x4x?x64xf32>, tensor<?x?xi1>) -> tensor<1x12x?x64xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$q, Kiln_FloatTensor:$k, Kiln_FloatTensor:$v,
                       Optional<Kiln_TensorOf<AnyTypeOf<[Kiln_Float, I1]>, "tensor of floats or i1">>:$mask,
                       Optional<Kiln_IntTensor>:$lengths, Optional<Kiln_IntTensor>:$offset, F64Attr:$scale,
                       UnitAttr:$causal, OptionalAttr<I64Attr>:$left_window, OptionalAttr<I64Attr>:$right_window,
                       OptionalAttr<F64Attr>:$softcap, OptionalAttr<Kiln_AttentionStage>:$shows);
  let results = (outs Kiln_FloatTensor:$result, Optional<Kiln_FloatTensor>:$shown);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`mask` $mask^)? (`lengths` $lengths^)? (`offset` $offset^)? `scale` $scale (`causal` $causal^)?
    (`left_window` $left_window^)? (`right_window` $right_window^)? (`softcap` $softcap^)?
    (`shows` $shows^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // KILN_ATTENTION_TD
