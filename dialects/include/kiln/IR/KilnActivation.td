// KilnActivation.td: activation functions of neural networks, each one op so that backends may fuse and tune it.
#ifndef KILN_ACTIVATION_TD
#define KILN_ACTIVATION_TD

include "kiln/IR/KilnElementwise.td"

def Kiln_ReluOp : Kiln_UnaryOp<"relu", Kiln_NumberTensor> {
  let summary = "rectified linear unit";
  let description = [{
    `result = max(x, 0)`. NaN stays NaN; unsigned integers are unchanged.

    Example:
    ```mlir
    %r = kiln.relu %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_SigmoidOp : Kiln_UnaryOp<"sigmoid", Kiln_FloatTensor> {
  let summary = "logistic function";
  let description = [{
    `result = 1 / (1 + e^-x)`.

    Example:
    ```mlir
    %r = kiln.sigmoid %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_SoftplusOp : Kiln_UnaryOp<"softplus", Kiln_FloatTensor> {
  let summary = "smooth rectifier";
  let description = [{
    `result = ln(1 + e^x)`, computed as `max(x, 0) + log1p(e^-|x|)`, which does not overflow.

    Example:
    ```mlir
    %r = kiln.softplus %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_GeluApproximation : I32EnumAttr<"GeluApproximation", "how kiln.gelu is computed",
                                         [I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Tanh", 1, "tanh">]> {
  let cppNamespace = "::kiln";
}

def Kiln_GeluOp : Kiln_UnaryOp<"gelu", Kiln_FloatTensor> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `result = x / 2 * (1 + erf(x / sqrt(2)))`. With `approximate tanh`:
    `result = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`.

    Example:
    ```mlir
    %r = kiln.gelu %x : tensor<4x?xf32>
    %s = kiln.gelu %x approximate tanh : tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x,
      DefaultValuedAttr<Kiln_GeluApproximation, "::kiln::GeluApproximation::None">:$approximate);
  let assemblyFormat = "$x (`approximate` $approximate^)? attr-dict `:` type($x)";
}

def Kiln_SiluOp : Kiln_UnaryOp<"silu", Kiln_FloatTensor> {
  let summary = "sigmoid linear unit (swish)";
  let description = [{
    `result = x / (1 + e^-x)`.

    Example:
    ```mlir
    %r = kiln.silu %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_MishOp : Kiln_UnaryOp<"mish", Kiln_FloatTensor> {
  let summary = "self-regularised smooth rectifier";
  let description = [{
    `result = x * tanh(softplus(x))`.

    Example:
    ```mlir
    %r = kiln.mish %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_HardSwishOp : Kiln_UnaryOp<"hard_swish", Kiln_FloatTensor> {
  let summary = "piecewise linear form of silu";
  let description = [{
    `result = x * max(0, min(1, x / 6 + 1 / 2))`.

    Example:
    ```mlir
    %r = kiln.hard_swish %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_LeakyReluOp : Kiln_UnaryOp<"leaky_relu", Kiln_FloatTensor> {
  let summary = "rectifier with a slope below zero";
  let description = [{
    `result = x if x >= 0 else alpha * x`.

    Example:
    ```mlir
    %r = kiln.leaky_relu %x alpha 0.01 : tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, F64Attr:$alpha);
  let assemblyFormat = "$x `alpha` $alpha attr-dict `:` type($x)";
}

def Kiln_EluOp : Kiln_UnaryOp<"elu", Kiln_FloatTensor> {
  let summary = "exponential linear unit";
  let description = [{
    `result = x if x > 0 else alpha * (e^x - 1)`.

    Example:
    ```mlir
    %r = kiln.elu %x alpha 1.0 : tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, F64Attr:$alpha);
  let assemblyFormat = "$x `alpha` $alpha attr-dict `:` type($x)";
}

def Kiln_SeluOp : Kiln_UnaryOp<"selu", Kiln_FloatTensor> {
  let summary = "scaled exponential linear unit";
  let description = [{
    `result = gamma * (x if x > 0 else alpha * (e^x - 1))`.

    Example:
    ```mlir
    %r = kiln.selu %x alpha 1.67326324 gamma 1.05070102 : tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, F64Attr:$alpha, F64Attr:$gamma);
  let assemblyFormat = "$x `alpha` $alpha `gamma` $gamma attr-dict `:` type($x)";
}

def Kiln_CeluOp : Kiln_UnaryOp<"celu", Kiln_FloatTensor> {
  let summary = "continuously differentiable exponential linear unit";
  let description = [{
    `result = max(x, 0) + min(0, alpha * (e^(x / alpha) - 1))`.
    * (C1) `alpha` is not 0.

    Example:
    ```mlir
    %r = kiln.celu %x alpha 1.0 : tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, F64Attr:$alpha);
  let assemblyFormat = "$x `alpha` $alpha attr-dict `:` type($x)";
  let hasVerifier = 1;
}

def Kiln_HardSigmoidOp : Kiln_UnaryOp<"hard_sigmoid", Kiln_FloatTensor> {
  let summary = "piecewise linear form of sigmoid";
  let description = [{
    `result = max(0, min(1, alpha * x + beta))`.

    Example:
    ```mlir
    %r = kiln.hard_sigmoid %x alpha 0.2 beta 0.5 : tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, F64Attr:$alpha, F64Attr:$beta);
  let assemblyFormat = "$x `alpha` $alpha `beta` $beta attr-dict `:` type($x)";
}

def Kiln_ThresholdedReluOp : Kiln_UnaryOp<"thresholded_relu", Kiln_FloatTensor> {
  let summary = "x above a threshold, else zero";
  let description = [{
    `result = x if x > alpha else 0`. NaN becomes 0.

    Example:
    ```mlir
    %r = kiln.thresholded_relu %x alpha 1.0 : tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, F64Attr:$alpha);
  let assemblyFormat = "$x `alpha` $alpha attr-dict `:` type($x)";
}

def Kiln_ShrinkOp : Kiln_UnaryOp<"shrink", Kiln_FloatTensor> {
  let summary = "moves values towards zero by a bias";
  let description = [{
    `result = x + bias if x < -lambd, x - bias if x > lambd, else 0`. NaN becomes 0.

    Example:
    ```mlir
    %r = kiln.shrink %x bias 0.0 lambd 0.5 : tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Kiln_FloatTensor:$x, F64Attr:$bias, F64Attr:$lambd);
  let assemblyFormat = "$x `bias` $bias `lambd` $lambd attr-dict `:` type($x)";
}

#endif // KILN_ACTIVATION_TD
