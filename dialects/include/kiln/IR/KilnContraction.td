// KilnContraction.td: matrix product, convolution and pooling.
#ifndef KILN_CONTRACTION_TD
#define KILN_CONTRACTION_TD

include "kiln/IR/KilnBase.td"

def Kiln_MatmulOp : Kiln_CheckedOp<"matmul"> {
  let summary = "matrix product over the last two axes, with broadcast batch axes";
  let description = [{
    With `A = a`, or `a` with its last two axes swapped if `transA`, and `B` likewise:

        result[.., i, j] = sum_k A[.., i, k] * B[.., k, j]

    Axes before the last two are batch axes and broadcast as in numpy. A rank-1 `a` is a row `[1, k]`, a rank-1 `b` a
    column `[k, 1]`; the axis so added is dropped from the result. f16 and bf16 accumulate in f32 and are rounded once;
    8- and 16-bit integers accumulate in i32, which is the result's element type; other integers wrap.
    * (C1) `a` and `b` have the same element type, or both are 8-bit integers.
    * (C2) `a` and `b` have rank 1 or more, 2 or more if transposed.
    * (C3) the contracted extents are equal.
    * (C4) the batch extents broadcast.

    Example:
    ```mlir
    %y = kiln.matmul %a, %b transB : tensor<8x4x?xf32>, tensor<16x?xf32> -> tensor<8x4x16xf32>
    ```
  }];
  let arguments = (ins Kiln_NumberTensor:$a, Kiln_NumberTensor:$b, UnitAttr:$transA, UnitAttr:$transB);
  let results = (outs Kiln_NumberTensor:$result);
  let assemblyFormat = [{
    $a `,` $b (`transA` $transA^)? (`transB` $transB^)? attr-dict `:` type($a) `,` type($b) `->` type($result)
  }];
}

def Kiln_ConvOp : Kiln_CheckedOp<"conv"> {
  let summary = "convolution over the spatial axes of an NC* tensor";
  let description = [{
    `x` is `[n, c, spatial..]`, `w` is `[oc, c / groups, window..]`. With `g = o / (oc / groups)` and x read as 0 outside
    its extents:

        result[n, o, p..] = bias[o] + sum_{i, q..} x[n, g * (c / groups) + i, p * stride + q * dilation - low..] * w[o, i, q..]

    `pads` lists the low pads of all spatial axes, then the high ones. `groups = c` is a depthwise convolution. f16 and
    bf16 accumulate in f32 and are rounded once, after the bias; 8- and 16-bit integers accumulate in i32, which is the
    result's element type.
    * (C1) `x` has rank 3 or more and `w` has the same rank.
    * (C2) `x` and `w` have the same element type, or both are 8-bit integers; `bias` has the result's.
    * (C3) `strides` and `dilations` have one entry >= 1 a spatial axis, `pads` two >= 0.
    * (C4) `groups` divides `c` and `oc`; the second extent of `w` is `c / groups`; `bias` is `[oc]`.
    * (C5) the window fits into the padded input.

    Example:
    ```mlir
    %y = kiln.conv %x, %w bias %b strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1]
       : tensor<1x3x224x224xf32>, tensor<64x3x3x3xf32>, tensor<64xf32> -> tensor<1x64x112x112xf32>
    ```
  }];
  let arguments = (ins Kiln_NumberTensor:$x, Kiln_NumberTensor:$w, Optional<Kiln_NumberTensor>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations,
                       DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs Kiln_NumberTensor:$result);
  let assemblyFormat = [{
    $x `,` $w (`bias` $bias^)? `strides` $strides `pads` $pads `dilations` $dilations (`groups` $groups^)? attr-dict
    `:` type($x) `,` type($w) (`,` type($bias)^)? `->` type($result)
  }];
}

def Kiln_ConvTransposeOp : Kiln_CheckedOp<"conv_transpose"> {
  let summary = "transposed convolution over the spatial axes of an NC* tensor";
  let description = [{
    Every element of `x`, `[n, c, spatial..]`, is spread over a window of the result, the reverse of what a `kiln.conv`
    with the same attributes reads. `w` is `[c, oc / groups, window..]`. With `g = o / (oc / groups)` and `i` over the
    `c / groups` channels of group `g`:

        result[n, o, p..] = bias[o] + sum_{i, j.., q.. : j * stride + q * dilation = p + low} x[n, i, j..] * w[i, o mod (oc / groups), q..]

    A spatial extent of the result is `(extent - 1) * stride + (window - 1) * dilation + 1 - low - high +
    output_padding`. `pads` lists the low pads of all spatial axes, then the high ones. Products and sums as in
    `kiln.conv`.
    * (C1) `x` has rank 3 or more and `w` has the same rank; the window's extents are known.
    * (C2) `x` and `w` have the same element type, or both are 8-bit integers; `bias` has the result's.
    * (C3) `strides` and `dilations` have one entry >= 1 a spatial axis, `pads` two >= 0, `output_padding` one >= 0.
    * (C4) `groups` divides `c`, which is the first extent of `w`; `bias` is `[oc]`.
    * (C5) the pads leave something of the result.

    Example:
    ```mlir
    %y = kiln.conv_transpose %x, %w bias %b strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] output_padding [1, 1]
       : tensor<1x64x?x56xf32>, tensor<64x32x3x3xf32>, tensor<32xf32> -> tensor<1x32x?x112xf32>
    ```
  }];
  let arguments = (ins Kiln_NumberTensor:$x, Kiln_NumberTensor:$w, Optional<Kiln_NumberTensor>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$output_padding, DefaultValuedAttr<I64Attr, "1">:$groups);
  let results = (outs Kiln_NumberTensor:$result);
  let assemblyFormat = [{
    $x `,` $w (`bias` $bias^)? `strides` $strides `pads` $pads `dilations` $dilations
    `output_padding` $output_padding (`groups` $groups^)? attr-dict
    `:` type($x) `,` type($w) (`,` type($bias)^)? `->` type($result)
  }];
}

def Kiln_MaxPoolOp : Kiln_CheckedOp<"max_pool"> {
  let summary = "maximum over a window of the spatial axes of an NC* tensor";
  let description = [{
    `x` is `[n, c, spatial..]`; only elements inside `x` count, and NaN propagates:

        result[n, c, p..] = max_{q..} x[n, c, p * stride + q * dilation - low..]

    `pads` lists the low pads of all spatial axes, then the high ones. `ceil_mode` rounds the number of windows up, as
    long as the last one starts inside the input or the low pad. A window wholly in the padding gives the lowest value.
    * (C1) `x` has rank 3 or more.
    * (C2) `kernel`, `strides` and `dilations` have one entry >= 1 a spatial axis, `pads` two >= 0.
    * (C3) the window fits into the padded input.

    Example:
    ```mlir
    %y = kiln.max_pool %x kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1]
       : tensor<1x64x112x112xf32> -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins Kiln_NumberTensor:$x, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, UnitAttr:$ceil_mode);
  let results = (outs Kiln_NumberTensor:$result);
  let assemblyFormat = [{
    $x `kernel` $kernel `strides` $strides `pads` $pads `dilations` $dilations (`ceil_mode` $ceil_mode^)? attr-dict
    `:` type($x) `->` type($result)
  }];
}

def Kiln_AvgPoolOp : Kiln_CheckedOp<"avg_pool"> {
  let summary = "mean over a window of the spatial axes of an NC* tensor";
  let description = [{
    As `kiln.max_pool`, with the mean:

        result[n, c, p..] = sum_{q..} x[n, c, p * stride + q * dilation - low..] / count(p..)

    `count` is the number of window elements inside `x`; with `count_include_pad` inside the padded input (what
    `ceil_mode` adds beyond the high pad never counts). f16 and bf16 accumulate in f32. A window of count 0 gives NaN.
    * (C1) `x` has rank 3 or more.
    * (C2) `kernel`, `strides` and `dilations` have one entry >= 1 a spatial axis, `pads` two >= 0.
    * (C3) the window fits into the padded input.

    Example:
    ```mlir
    %y = kiln.avg_pool %x kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] dilations [1, 1] count_include_pad
       : tensor<1x64x56x56xf32> -> tensor<1x64x28x28xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, UnitAttr:$ceil_mode,
                       UnitAttr:$count_include_pad);
  let results = (outs Kiln_FloatTensor:$result);
  let assemblyFormat = [{
    $x `kernel` $kernel `strides` $strides `pads` $pads `dilations` $dilations (`ceil_mode` $ceil_mode^)?
    (`count_include_pad` $count_include_pad^)? attr-dict `:` type($x) `->` type($result)
  }];
}

#endif // KILN_CONTRACTION_TD
