// KilnBinary.td: arithmetic and bits of two tensors, broadcast as in numpy.
#ifndef KILN_BINARY_TD
#define KILN_BINARY_TD

include "kiln/IR/KilnElementwise.td"

// ---- Arithmetic ---------------------------------------------------------------------------------------

def Kiln_AddOp : Kiln_BinaryOp<"add", Kiln_NumberTensor, [Commutative]> {
  let summary = "sum";
  let description = [{
    `result = a + b`. Integers wrap.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.add %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    ```
  }];
}

def Kiln_SubOp : Kiln_BinaryOp<"sub", Kiln_NumberTensor> {
  let summary = "difference";
  let description = [{
    `result = a - b`. Integers wrap.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.sub %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    ```
  }];
}

def Kiln_MulOp : Kiln_BinaryOp<"mul", Kiln_NumberTensor, [Commutative]> {
  let summary = "product";
  let description = [{
    `result = a * b`. Integers wrap.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.mul %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    ```
  }];
}

def Kiln_DivOp : Kiln_BinaryOp<"div", Kiln_NumberTensor> {
  let summary = "quotient";
  let description = [{
    `result = a / b`. Integers truncate towards zero; for them `x / 0 = 0`, and the smallest divided by -1
    wraps to itself.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.div %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    ```
  }];
}

def Kiln_ModOp : Kiln_BinaryOp<"mod", Kiln_NumberTensor> {
  let summary = "remainder with the sign of the divisor";
  let description = [{
    `result = a - floor(a / b) * b`. As `%` of Python and numpy. For integers `x mod 0 = 0`; for floats it is
    NaN.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.mod %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    ```
  }];
}

def Kiln_RemOp : Kiln_BinaryOp<"rem", Kiln_NumberTensor> {
  let summary = "remainder with the sign of the dividend";
  let description = [{
    `result = a - trunc(a / b) * b`. As `fmod` of C, exactly. For integers `x rem 0 = 0`; for floats it is
    NaN.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.rem %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    ```
  }];
}

def Kiln_PowOp : Kiln_BinaryOp<"pow", Kiln_NumberTensor> {
  let summary = "power";
  let description = [{
    `result = a^b`. Floats follow C's `pow`. Integers wrap; for a negative exponent the exact power is
    truncated towards zero, with `0^b = 0`.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.pow %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    ```
  }];
}

def Kiln_MaxOp : Kiln_BinaryOp<"max", Kiln_NumberTensor, [Commutative]> {
  let summary = "larger of two";
  let description = [{
    `result = max(a, b)`. NaN if either is NaN; `max(-0.0, 0.0) = 0.0`.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.max %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    ```
  }];
}

def Kiln_MinOp : Kiln_BinaryOp<"min", Kiln_NumberTensor, [Commutative]> {
  let summary = "smaller of two";
  let description = [{
    `result = min(a, b)`. NaN if either is NaN; `min(-0.0, 0.0) = -0.0`.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.min %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    ```
  }];
}

def Kiln_Atan2Op : Kiln_BinaryOp<"atan2", Kiln_FloatTensor> {
  let summary = "angle of a point";
  let description = [{
    `result = the angle of (b, a) from the positive axis, in (-pi, pi]`. As C's `atan2(a, b)`.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.atan2 %a, %b : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
    ```
  }];
}

// ---- Bits ---------------------------------------------------------------------------------------------

def Kiln_AndOp : Kiln_BinaryOp<"and", Kiln_IntOrBoolTensor, [Commutative]> {
  let summary = "bitwise and";
  let description = [{
    `result = a & b`. Logical for i1.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.and %a, %b : tensor<?x8xi32>, tensor<8xi32> -> tensor<?x8xi32>
    ```
  }];
}

def Kiln_OrOp : Kiln_BinaryOp<"or", Kiln_IntOrBoolTensor, [Commutative]> {
  let summary = "bitwise or";
  let description = [{
    `result = a | b`. Logical for i1.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.or %a, %b : tensor<?x8xi32>, tensor<8xi32> -> tensor<?x8xi32>
    ```
  }];
}

def Kiln_XorOp : Kiln_BinaryOp<"xor", Kiln_IntOrBoolTensor, [Commutative]> {
  let summary = "bitwise exclusive or";
  let description = [{
    `result = a ^ b`. Logical for i1.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.xor %a, %b : tensor<?x8xi32>, tensor<8xi32> -> tensor<?x8xi32>
    ```
  }];
}

def Kiln_ShlOp : Kiln_BinaryOp<"shl", Kiln_IntTensor> {
  let summary = "shift to the left";
  let description = [{
    `result = a << b`. `b` counts as unsigned; from the width of the type on the result is 0.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.shl %a, %b : tensor<?x8xi32>, tensor<8xi32> -> tensor<?x8xi32>
    ```
  }];
}

def Kiln_ShrOp : Kiln_BinaryOp<"shr", Kiln_IntTensor> {
  let summary = "shift to the right";
  let description = [{
    `result = a >> b`. Signed types repeat the sign bit. `b` counts as unsigned; from the width of the type on
    the result is 0, or -1 for negative `a`.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.shr %a, %b : tensor<?x8xi32>, tensor<8xi32> -> tensor<?x8xi32>
    ```
  }];
}

#endif // KILN_BINARY_TD
