// KilnMath.td: mathematical functions of one tensor: exp, log, trigonometry, rounding, arithmetic of one operand.
#ifndef KILN_MATH_TD
#define KILN_MATH_TD

include "kiln/IR/KilnElementwise.td"

// ---- Functions of floats: f16 and bf16 are computed in f32 and rounded once ---------------------------------

def Kiln_ExpOp : Kiln_UnaryOp<"exp", Kiln_FloatTensor> {
  let summary = "natural exponential";
  let description = [{
    `result = e^x`.

    Example:
    ```mlir
    %r = kiln.exp %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_Expm1Op : Kiln_UnaryOp<"expm1", Kiln_FloatTensor> {
  let summary = "exponential minus one";
  let description = [{
    `result = e^x - 1`. Accurate near zero, where `exp(x) - 1` loses digits.

    Example:
    ```mlir
    %r = kiln.expm1 %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_LogOp : Kiln_UnaryOp<"log", Kiln_FloatTensor> {
  let summary = "natural logarithm";
  let description = [{
    `result = ln(x)`. NaN below zero, -inf at zero.

    Example:
    ```mlir
    %r = kiln.log %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_Log1pOp : Kiln_UnaryOp<"log1p", Kiln_FloatTensor> {
  let summary = "logarithm of one plus x";
  let description = [{
    `result = ln(1 + x)`. Accurate near zero, where `log(1 + x)` loses digits. NaN below -1.

    Example:
    ```mlir
    %r = kiln.log1p %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_SqrtOp : Kiln_UnaryOp<"sqrt", Kiln_FloatTensor> {
  let summary = "square root";
  let description = [{
    `result = x^(1/2)`. NaN below zero; -0.0 stays.

    Example:
    ```mlir
    %r = kiln.sqrt %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_RsqrtOp : Kiln_UnaryOp<"rsqrt", Kiln_FloatTensor> {
  let summary = "reciprocal square root";
  let description = [{
    `result = 1 / sqrt(x)`. inf at zero, NaN below.

    Example:
    ```mlir
    %r = kiln.rsqrt %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_SinOp : Kiln_UnaryOp<"sin", Kiln_FloatTensor> {
  let summary = "sine of radians";
  let description = [{
    `result = sin(x)`. NaN for infinities.

    Example:
    ```mlir
    %r = kiln.sin %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_CosOp : Kiln_UnaryOp<"cos", Kiln_FloatTensor> {
  let summary = "cosine of radians";
  let description = [{
    `result = cos(x)`. NaN for infinities.

    Example:
    ```mlir
    %r = kiln.cos %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_TanOp : Kiln_UnaryOp<"tan", Kiln_FloatTensor> {
  let summary = "tangent of radians";
  let description = [{
    `result = sin(x) / cos(x)`. NaN for infinities.

    Example:
    ```mlir
    %r = kiln.tan %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_AsinOp : Kiln_UnaryOp<"asin", Kiln_FloatTensor> {
  let summary = "inverse sine";
  let description = [{
    `result = asin(x), in [-pi/2, pi/2]`. NaN outside [-1, 1].

    Example:
    ```mlir
    %r = kiln.asin %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_AcosOp : Kiln_UnaryOp<"acos", Kiln_FloatTensor> {
  let summary = "inverse cosine";
  let description = [{
    `result = acos(x), in [0, pi]`. NaN outside [-1, 1].

    Example:
    ```mlir
    %r = kiln.acos %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_AtanOp : Kiln_UnaryOp<"atan", Kiln_FloatTensor> {
  let summary = "inverse tangent";
  let description = [{
    `result = atan(x), in [-pi/2, pi/2]`.

    Example:
    ```mlir
    %r = kiln.atan %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_SinhOp : Kiln_UnaryOp<"sinh", Kiln_FloatTensor> {
  let summary = "hyperbolic sine";
  let description = [{
    `result = (e^x - e^-x) / 2`.

    Example:
    ```mlir
    %r = kiln.sinh %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_CoshOp : Kiln_UnaryOp<"cosh", Kiln_FloatTensor> {
  let summary = "hyperbolic cosine";
  let description = [{
    `result = (e^x + e^-x) / 2`.

    Example:
    ```mlir
    %r = kiln.cosh %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_TanhOp : Kiln_UnaryOp<"tanh", Kiln_FloatTensor> {
  let summary = "hyperbolic tangent";
  let description = [{
    `result = sinh(x) / cosh(x)`.

    Example:
    ```mlir
    %r = kiln.tanh %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_AsinhOp : Kiln_UnaryOp<"asinh", Kiln_FloatTensor> {
  let summary = "inverse hyperbolic sine";
  let description = [{
    `result = ln(x + sqrt(x^2 + 1))`.

    Example:
    ```mlir
    %r = kiln.asinh %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_AcoshOp : Kiln_UnaryOp<"acosh", Kiln_FloatTensor> {
  let summary = "inverse hyperbolic cosine";
  let description = [{
    `result = ln(x + sqrt(x^2 - 1))`. NaN below 1.

    Example:
    ```mlir
    %r = kiln.acosh %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_AtanhOp : Kiln_UnaryOp<"atanh", Kiln_FloatTensor> {
  let summary = "inverse hyperbolic tangent";
  let description = [{
    `result = ln((1 + x) / (1 - x)) / 2`. Infinite at -1 and 1, NaN beyond.

    Example:
    ```mlir
    %r = kiln.atanh %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_ErfOp : Kiln_UnaryOp<"erf", Kiln_FloatTensor> {
  let summary = "error function";
  let description = [{
    `result = 2 / sqrt(pi) * integral of e^(-t^2) dt, t from 0 to x`.

    Example:
    ```mlir
    %r = kiln.erf %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_CeilOp : Kiln_UnaryOp<"ceil", Kiln_FloatTensor> {
  let summary = "smallest integer not below";
  let description = [{
    `result = min {n integer : n >= x}`.

    Example:
    ```mlir
    %r = kiln.ceil %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_FloorOp : Kiln_UnaryOp<"floor", Kiln_FloatTensor> {
  let summary = "largest integer not above";
  let description = [{
    `result = max {n integer : n <= x}`.

    Example:
    ```mlir
    %r = kiln.floor %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_RoundOp : Kiln_UnaryOp<"round", Kiln_FloatTensor> {
  let summary = "nearest integer, halves to even";
  let description = [{
    `result = the integer nearest to x; of two, the even one`.

    Example:
    ```mlir
    %r = kiln.round %x : tensor<4x?xf32>
    ```
  }];
}

def Kiln_ReciprocalOp : Kiln_UnaryOp<"reciprocal", Kiln_FloatTensor> {
  let summary = "one divided by x";
  let description = [{
    `result = 1 / x`. inf or -inf at zero, by its sign.

    Example:
    ```mlir
    %r = kiln.reciprocal %x : tensor<4x?xf32>
    ```
  }];
}

// ---- Arithmetic of one operand ---------------------------------------------------------------------------

def Kiln_NegOp : Kiln_UnaryOp<"neg", Kiln_SignedTensor> {
  let summary = "negation";
  let description = [{
    `result = -x`. The smallest integer wraps to itself.

    Example:
    ```mlir
    %r = kiln.neg %x : tensor<8xi32>
    ```
  }];
}

def Kiln_AbsOp : Kiln_UnaryOp<"abs", Kiln_NumberTensor> {
  let summary = "absolute value";
  let description = [{
    `result = |x|`. The smallest signed integer wraps to itself; unsigned integers are unchanged.

    Example:
    ```mlir
    %r = kiln.abs %x : tensor<8xf32>
    ```
  }];
}

def Kiln_SignOp : Kiln_UnaryOp<"sign", Kiln_NumberTensor> {
  let summary = "sign";
  let description = [{
    `result = 1 if x > 0, -1 if x < 0, else x`. So zeros keep their sign and NaN stays NaN.

    Example:
    ```mlir
    %r = kiln.sign %x : tensor<8xf32>
    ```
  }];
}

def Kiln_NotOp : Kiln_UnaryOp<"not", Kiln_IntOrBoolTensor> {
  let summary = "bitwise complement";
  let description = [{
    `result = ~x`. For i1 this is the logical negation.

    Example:
    ```mlir
    %r = kiln.not %x : tensor<8xi1>
    ```
  }];
}

#endif // KILN_MATH_TD
