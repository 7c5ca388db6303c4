// KilnQuantization.td: real numbers as scaled narrow integers or fp8, and back. Products of quantized tensors are
// kiln.matmul and kiln.conv on integers: without their zero points, as i16.
#ifndef KILN_QUANTIZATION_TD
#define KILN_QUANTIZATION_TD

include "kiln/IR/KilnElementwise.td"

def Kiln_Quantized : AnyTypeOf<[I<4>, UI<4>, I8, UI8, I16, UI16, F8E4M3FN, F8E5M2], "4- to 16-bit integer or fp8">;
def Kiln_QuantizedTensor : Kiln_TensorOf<Kiln_Quantized, "tensor of 4- to 16-bit integers or fp8">;
def Kiln_DequantizableTensor
    : Kiln_TensorOf<AnyTypeOf<[Kiln_Quantized, I32]>, "tensor of 4- to 16-bit integers, i32 or fp8">;
def Kiln_QuantizableTensor : Kiln_TensorOf<AnyTypeOf<[Kiln_Float, I32]>, "tensor of floats or i32">;

def Kiln_QuantizeOp : Kiln_BroadcastingOp<"quantize", "adaptor.getTo()", [], "::kiln::verifyQuantize(*this)"> {
  let summary = "real numbers as multiples of a scale";
  let description = [{
    To integers, with halves rounded to even and the range of `to` as bounds:

        result = min(max(round(x / scale) + zero_point, lowest), highest)

    The operands broadcast as in numpy: a scale of rank 0 is one for the tensor, `[c, 1, 1]` one for each channel of an
    `[n, c, h, w]` tensor, and blocks are an axis of their own. The quotient is rounded to the wider of the element types
    of `x` and `scale`; an i32 counts as the scale's. Without `zero_point` it is 0. NaN becomes the lowest number. To fp8
    the quotient is converted as by `kiln.convert`, with its `unsaturated`.
    * (C1) the operands' shapes broadcast.
    * (C2) `zero_point` has the element type `to`, an integer.
    * (C3) `unsaturated` is for fp8 alone.

    Example:
    ```mlir
    %q = kiln.quantize %x scale %s zero_point %z : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>, tensor<8x1x1xui8> -> tensor<1x8x4x4xui8>
    ```
  }];
  let arguments = (ins Kiln_QuantizableTensor:$x, Kiln_FloatTensor:$scale, Optional<Kiln_QuantizedTensor>:$zero_point,
                       TypeAttr:$to, UnitAttr:$unsaturated);
  let results = (outs Kiln_QuantizedTensor:$result);
  let assemblyFormat = [{
    $x `scale` $scale (`zero_point` $zero_point^)? (`unsaturated` $unsaturated^)? attr-dict
    `:` type($x) `,` type($scale) (`,` type($zero_point)^)? `->` custom<ElementType>($to, type($result))
  }];
}

def Kiln_DequantizeOp : Kiln_BroadcastingOp<"dequantize", "adaptor.getTo()", [], "::kiln::verifyDequantize(*this)"> {
  let summary = "the real numbers that quantized ones stand for";
  let description = [{
        result = (x - zero_point) * scale

    The difference is exact, or wraps in i32; the product is computed in f32 (f64 if the scale is) and rounded once, to
    `to`. The operands broadcast as those of `kiln.quantize`.
    * (C1) the operands' shapes broadcast.
    * (C2) `zero_point` has the element type of `x`, an integer.
    * (C3) `to` is a float of 16 bits or more.

    Example:
    ```mlir
    %r = kiln.dequantize %q scale %s zero_point %z : tensor<?x64xui8>, tensor<64xf32>, tensor<64xui8> -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Kiln_DequantizableTensor:$x, Kiln_FloatTensor:$scale,
                       Optional<Kiln_DequantizableTensor>:$zero_point, TypeAttr:$to);
  let results = (outs Kiln_FloatTensor:$result);
  let assemblyFormat = [{
    $x `scale` $scale (`zero_point` $zero_point^)? attr-dict
    `:` type($x) `,` type($scale) (`,` type($zero_point)^)? `->` custom<ElementType>($to, type($result))
  }];
}

#endif // KILN_QUANTIZATION_TD
