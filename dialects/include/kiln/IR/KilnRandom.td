// KilnRandom.td: random numbers as elementwise functions of an index and a seed, the same on every device.
//
// A counter-based generator keeps no state: whoever wants n numbers asks for those of n indices (`kiln.iota`, plus an
// offset for the numbers that were used before).
#ifndef KILN_RANDOM_TD
#define KILN_RANDOM_TD

include "kiln/IR/KilnElementwise.td"

def Kiln_CounterTensor : Kiln_TensorOf<I64, "tensor of i64">;

class Kiln_RandomOp<string mnemonic, string element> : Kiln_BroadcastingOp<mnemonic, element> {
  let arguments = (ins Kiln_CounterTensor:$index, Kiln_CounterTensor:$seed);
}

class Kiln_RandomFloatOp<string mnemonic> : Kiln_RandomOp<mnemonic, "adaptor.getElement()"> {
  let arguments = (ins Kiln_CounterTensor:$index, Kiln_CounterTensor:$seed, TypeAttrOf<Kiln_Float>:$element);
  let results = (outs Kiln_FloatTensor:$result);
  let assemblyFormat = [{
    $index `,` $seed attr-dict `:` type($index) `,` type($seed) `->` custom<ElementType>($element, type($result))
  }];
}

def Kiln_RandomBitsOp : Kiln_RandomOp<"random_bits",
                                      "::mlir::IntegerType::get(context, 32, ::mlir::IntegerType::Unsigned)"> {
  let summary = "32 random bits";
  let description = [{
    Word `index % 4` of Philox 4x32-10 with the counter `index / 4` and the key `seed` (both 64-bit, low word first; the
    upper half of the counter is 0).
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %r = kiln.random_bits %i, %seed : tensor<?xi64>, tensor<i64> -> tensor<?xui32>
    ```
  }];
  let results = (outs Kiln_TensorOf<UI32, "tensor of ui32">:$result);
  let assemblyFormat = "$index `,` $seed attr-dict `:` type($index) `,` type($seed) `->` type($result)";
}

def Kiln_RandomUniformOp : Kiln_RandomFloatOp<"random_uniform"> {
  let summary = "a number from [0, 1), uniformly distributed";
  let description = [{
    `result = floor(bits / 2^8) / 2^24`, with the bits of `kiln.random_bits`. For f64 two words make 53 bits:
    those of the indices `2 * index` and `2 * index + 1`. For f16 and bf16 rounded from f32, so that 1 may come.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %u = kiln.random_uniform %i, %seed : tensor<?xi64>, tensor<i64> -> tensor<?xf32>
    ```
  }];
}

def Kiln_RandomNormalOp : Kiln_RandomFloatOp<"random_normal"> {
  let summary = "a number from the normal distribution of mean 0 and variance 1";
  let description = [{
    By Box and Muller from two uniform numbers, those of the indices `i = index & ~1` and `i + 1`, with
    `u1 = u(i) + 2^-24`:

        result = sqrt(-2 ln u1) * cos(2 pi u(i + 1) - (index & 1) * pi / 2)

    f64 uses the uniform f64 numbers of the indices `2 * index` and `2 * index + 1` (with 2^-53), and the cosine.
    * (C1) the operands' shapes broadcast.

    Example:
    ```mlir
    %n = kiln.random_normal %i, %seed : tensor<?xi64>, tensor<i64> -> tensor<?xf32>
    ```
  }];
}

#endif // KILN_RANDOM_TD
