// KilnNormalization.td: softmax and the normalisations. Composites: kiln-decompose gives each in simpler ops.
#ifndef KILN_NORMALIZATION_TD
#define KILN_NORMALIZATION_TD

include "kiln/IR/KilnBase.td"

def Kiln_SoftmaxOp : Kiln_LikeXOp<"softmax"> {
  let summary = "normalised exponential along one axis";
  let description = [{
    For each slice `x[.., :, ..]` along `axis`, with `m = max_k x[k]`:

        result[i] = exp(x[i] - m) / sum_k exp(x[k] - m)

    f16 and bf16 accumulate in f32. A slice that holds NaN, or only -inf, is all NaN.
    * (C1) `axis` lies in [-rank, rank).

    Example:
    ```mlir
    %p = kiln.softmax %x axis -1 : tensor<8x?xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, I64Attr:$axis);
  let results = (outs Kiln_FloatTensor:$result);
  let assemblyFormat = "$x `axis` $axis attr-dict `:` type($x)";
}

def Kiln_LogSoftmaxOp : Kiln_LikeXOp<"log_softmax"> {
  let summary = "logarithm of the normalised exponential along one axis";
  let description = [{
    For each slice `x[.., :, ..]` along `axis`, with `m = max_k x[k]`:

        result[i] = (x[i] - m) - log(sum_k exp(x[k] - m))

    f16 and bf16 accumulate in f32. A slice that holds NaN, or only -inf, is all NaN.
    * (C1) `axis` lies in [-rank, rank).

    Example:
    ```mlir
    %p = kiln.log_softmax %x axis 1 : tensor<8x1000xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, I64Attr:$axis);
  let results = (outs Kiln_FloatTensor:$result);
  let assemblyFormat = "$x `axis` $axis attr-dict `:` type($x)";
}

def Kiln_LayerNormOp : Kiln_LikeXOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "normalises the trailing axes to mean 0 and variance 1";
  let description = [{
    With `mean` and `var` (population variance) over the axes from `axis` to the last:

        result = (x - mean) / sqrt(var + epsilon) * scale + bias

    Computed in f32 for f16 and bf16, whatever the types of `scale` and `bias`; rounded once.
    * (C1) `axis` lies in [-rank, rank).
    * (C2) `scale` and `bias` broadcast to the extents of `x` from `axis` to the last.
    * (C3) `epsilon` is finite and not negative.

    Example:
    ```mlir
    %y = kiln.layer_norm %x scale(%s : tensor<768xf32>) bias(%b : tensor<768xf32>) axis -1 epsilon 1.0e-5
       : tensor<1x128x768xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, Optional<Kiln_FloatTensor>:$scale, Optional<Kiln_FloatTensor>:$bias,
                       I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Kiln_FloatTensor:$result);
  let assemblyFormat = [{
    $x (`scale` `(` $scale^ `:` type($scale) `)`)? (`bias` `(` $bias^ `:` type($bias) `)`)? `axis` $axis
    `epsilon` $epsilon attr-dict `:` type($x)
  }];
}

def Kiln_RmsNormOp : Kiln_LikeXOp<"rms_norm"> {
  let summary = "divides by the root mean square of the trailing axes";
  let description = [{
    With the mean over the axes from `axis` to the last:

        result = x / sqrt(mean(x^2) + epsilon) * scale

    Computed in f32 for f16 and bf16, whatever the type of `scale`; rounded once.
    * (C1) `axis` lies in [-rank, rank).
    * (C2) `scale` broadcasts to the extents of `x` from `axis` to the last.
    * (C3) `epsilon` is finite and not negative.

    Example:
    ```mlir
    %y = kiln.rms_norm %x scale(%s : tensor<4096xf16>) axis -1 epsilon 1.0e-6 : tensor<1x?x4096xf16>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, Optional<Kiln_FloatTensor>:$scale, I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Kiln_FloatTensor:$result);
  let assemblyFormat = [{
    $x (`scale` `(` $scale^ `:` type($scale) `)`)? `axis` $axis `epsilon` $epsilon attr-dict `:` type($x)
  }];
}

def Kiln_GroupNormOp : Kiln_LikeXOp<"group_norm", [AttrSizedOperandSegments]> {
  let summary = "normalises groups of channels of an NC* tensor";
  let description = [{
    `x` is `[n, c, spatial..]`; `mean` and `var` are taken over a group of `c / groups` channels and the spatial axes:

        result[n, c, ..] = (x[n, c, ..] - mean[n, g]) / sqrt(var[n, g] + epsilon) * scale[c] + bias[c]

    Computed in f32 for f16 and bf16; rounded once.
    * (C1) `x` has rank 2 or more.
    * (C2) `groups` is 1 or more and divides `c`.
    * (C3) `scale` and `bias` are `[c]`.
    * (C4) `epsilon` is finite and not negative.

    Example:
    ```mlir
    %y = kiln.group_norm %x scale(%s : tensor<32xf32>) bias(%b : tensor<32xf32>) groups 8 epsilon 1.0e-5
       : tensor<2x32x16x16xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, Optional<Kiln_FloatTensor>:$scale, Optional<Kiln_FloatTensor>:$bias,
                       I64Attr:$groups, F64Attr:$epsilon);
  let results = (outs Kiln_FloatTensor:$result);
  let assemblyFormat = [{
    $x (`scale` `(` $scale^ `:` type($scale) `)`)? (`bias` `(` $bias^ `:` type($bias) `)`)? `groups` $groups
    `epsilon` $epsilon attr-dict `:` type($x)
  }];
}

def Kiln_InstanceNormOp : Kiln_LikeXOp<"instance_norm", [AttrSizedOperandSegments]> {
  let summary = "normalises each channel of each sample of an NC* tensor";
  let description = [{
    `x` is `[n, c, spatial..]`; `mean` and `var` are taken over the spatial axes:

        result[n, c, ..] = (x[n, c, ..] - mean[n, c]) / sqrt(var[n, c] + epsilon) * scale[c] + bias[c]

    Computed in f32 for f16 and bf16; rounded once.
    * (C1) `x` has rank 3 or more.
    * (C2) `scale` and `bias` are `[c]`.
    * (C3) `epsilon` is finite and not negative.

    Example:
    ```mlir
    %y = kiln.instance_norm %x scale(%s : tensor<8xf32>) bias(%b : tensor<8xf32>) epsilon 1.0e-5
       : tensor<2x8x?x?xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, Optional<Kiln_FloatTensor>:$scale, Optional<Kiln_FloatTensor>:$bias,
                       F64Attr:$epsilon);
  let results = (outs Kiln_FloatTensor:$result);
  let assemblyFormat = [{
    $x (`scale` `(` $scale^ `:` type($scale) `)`)? (`bias` `(` $bias^ `:` type($bias) `)`)?
    `epsilon` $epsilon attr-dict `:` type($x)
  }];
}

def Kiln_BatchNormOp : Kiln_LikeXOp<"batch_norm"> {
  let summary = "normalises channels by given statistics";
  let description = [{
    `x` is `[n, c, ..]`:

        result[n, c, ..] = (x[n, c, ..] - mean[c]) / sqrt(var[c] + epsilon) * scale[c] + bias[c]

    Inference only: the statistics are operands. Computed in f32 for f16 and bf16; rounded once.
    * (C1) `x` has rank 2 or more.
    * (C2) `scale`, `bias`, `mean` and `var` are `[c]`.
    * (C3) `epsilon` is finite and not negative.

    Example:
    ```mlir
    %y = kiln.batch_norm %x, %scale, %bias, %mean, %var epsilon 1.0e-5
       : tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, Kiln_FloatTensor:$scale, Kiln_FloatTensor:$bias, Kiln_FloatTensor:$mean,
                       Kiln_FloatTensor:$var, F64Attr:$epsilon);
  let results = (outs Kiln_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $scale `,` $bias `,` $mean `,` $var `epsilon` $epsilon attr-dict
    `:` type($x) `,` type($scale) `,` type($bias) `,` type($mean) `,` type($var)
  }];
}

#endif // KILN_NORMALIZATION_TD
