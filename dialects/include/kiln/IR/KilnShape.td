// KilnShape.td: ops that move elements without computing.
//
// Lists of sizes and offsets are mixed: a number is static, an SSA value is an index. `static_foo` holds the numbers,
// with ShapedType::kDynamic where `foo` has the next value; constant values are folded into it.
#ifndef KILN_SHAPE_TD
#define KILN_SHAPE_TD

include "kiln/IR/KilnBase.td"

class Kiln_ShapeOp<string mnemonic, list<Trait> traits = []>
    : Kiln_CheckedOp<mnemonic, traits> {
  let results = (outs Kiln_Tensor:$result);
}

// ---- One operand, all elements ---------------------------------------------------------------------------

def Kiln_ReshapeOp : Kiln_ShapeOp<"reshape"> {
  let summary = "the same elements in another shape";
  let description = [{
    The elements in row-major order stay; `sizes` is the shape that they get. Of a dense tensor it is an alias: no data
    moves.
    * (C1) `sizes` has a value for each dynamic size, and none is negative.
    * (C2) both shapes have the same number of elements, as far as it is known.

    Example:
    ```mlir
    %r = kiln.reshape %x [2, %n] : tensor<?xf32> -> tensor<2x?xf32>
    ```
  }];
  let arguments = (ins Kiln_Tensor:$x, Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes);
  let assemblyFormat = [{
    $x custom<DynamicIndexList>($sizes, $static_sizes) attr-dict `:` type($x) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes)>];
  let extraClassDeclaration = [{
    /// The result's extents: an attribute where static, else a value.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Kiln_TransposeOp : Kiln_ShapeOp<"transpose"> {
  let summary = "permutes axes";
  let description = [{
    Axis `i` of the result is axis `perm[i]` of `x`: `result[i_0, i_1, ..] = x[j]` with `j[perm[k]] = i_k`.
    * (C1) `perm` is a permutation of the axes of `x`.

    Example:
    ```mlir
    %r = kiln.transpose %x perm [0, 2, 1] : tensor<8x4x?xf32> -> tensor<8x?x4xf32>
    ```
  }];
  let arguments = (ins Kiln_Tensor:$x, DenseI64ArrayAttr:$perm);
  let assemblyFormat = "$x `perm` $perm attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Kiln_BroadcastOp : Kiln_ShapeOp<"broadcast"> {
  let summary = "repeats elements along axes of extent 1";
  let description = [{
    numpy's `broadcast_to`: the axes of `x` are the last ones of `sizes`; each has that extent, or extent 1 and is
    repeated; leading axes are added.
    * (C1) `sizes` has a value for each dynamic size, and none is negative.
    * (C2) the shape of `x` broadcasts to `sizes`.

    Example:
    ```mlir
    %r = kiln.broadcast %x [4, %n, 8] : tensor<1x8xf32> -> tensor<4x?x8xf32>
    ```
  }];
  let arguments = (ins Kiln_Tensor:$x, Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes);
  let assemblyFormat = [{
    $x custom<DynamicIndexList>($sizes, $static_sizes) attr-dict `:` type($x) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes)>];
  let extraClassDeclaration = [{
    /// The result's extents: an attribute where static, else a value.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
  let hasFolder = 1;
}

def Kiln_ReverseOp : Kiln_LikeXOp<"reverse"> {
  let summary = "reverses the order along axes";
  let description = [{
    `result[.., i, ..] = x[.., n - 1 - i, ..]` for each of `axes`, with `n` its extent.
    * (C1) `axes` lie in [-rank, rank) and are distinct.

    Example:
    ```mlir
    %r = kiln.reverse %x axes [0, -1] : tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Kiln_Tensor:$x, DenseI64ArrayAttr:$axes);
  let results = (outs Kiln_Tensor:$result);
  let assemblyFormat = "$x `axes` $axes attr-dict `:` type($x)";
  let extraClassDeclaration = [{
    /// Whether `axis`, counted from the front, is reversed.
    bool reverses(int64_t axis);
  }];
  let hasFolder = 1;
}

// ---- Parts and wholes ------------------------------------------------------------------------------------

def Kiln_SliceOp : Kiln_ShapeOp<"slice", [AttrSizedOperandSegments]> {
  let summary = "a part of a tensor, with steps";
  let description = [{
    `result[i_0, ..] = x[offsets[0] + i_0 * strides[0], ..]` for `i_k` below `sizes[k]`. Steps are positive; an importer
    puts `kiln.reverse` before it for others.
    * (C1) `offsets`, `sizes` and `strides` have one entry an axis, with a value for each dynamic one.
    * (C2) offsets and sizes are not negative; strides are positive.
    * (C3) the last element of each axis lies in `x`, as far as that is known.

    Example:
    ```mlir
    %r = kiln.slice %x offsets [0, %o] sizes [4, %s] strides [1, 2] : tensor<8x?xf32> -> tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Kiln_Tensor:$x, Variadic<Index>:$offsets, Variadic<Index>:$sizes, Variadic<Index>:$strides,
                       DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes,
                       DenseI64ArrayAttr:$static_strides);
  let assemblyFormat = [{
    $x `offsets` custom<DynamicIndexList>($offsets, $static_offsets)
    `sizes` custom<DynamicIndexList>($sizes, $static_sizes)
    `strides` custom<DynamicIndexList>($strides, $static_strides)
    attr-dict `:` type($x) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets,
                                 "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes,
                                 "::llvm::ArrayRef<::mlir::OpFoldResult>":$strides)>];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedStrides();
  }];
  let hasFolder = 1;
}

def Kiln_ConcatOp : Kiln_ShapeOp<"concat"> {
  let summary = "joins tensors along an axis";
  let description = [{
    The elements of the first input along `axis`, then those of the second, and so on.
    * (C1) there is an input, and all have one rank and one element type.
    * (C2) `axis` lies in [-rank, rank).
    * (C3) the extents of the other axes agree.

    Example:
    ```mlir
    %r = kiln.concat %a, %b axis 1 : tensor<4x2xf32>, tensor<4x?xf32> -> tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Variadic<Kiln_Tensor>:$inputs, I64Attr:$axis);
  let assemblyFormat = "$inputs `axis` $axis attr-dict `:` type($inputs) `->` type($result)";
  let hasFolder = 1;
}

def Kiln_PadMode : I32EnumAttr<"PadMode", "what kiln.pad puts around a tensor",
    [I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Edge", 1, "edge">,
     I32EnumAttrCase<"Reflect", 2, "reflect">, I32EnumAttrCase<"Wrap", 3, "wrap">]> {
  let cppNamespace = "::kiln";
}

def Kiln_PadOp : Kiln_ShapeOp<"pad", [AttrSizedOperandSegments]> {
  let summary = "puts elements before and after each axis";
  let description = [{
    `low[k]` elements before and `high[k]` after axis `k`. Their value is, by `mode`, `value` (constant), the nearest
    element (edge), the elements mirrored at the first and last one, which are not repeated (reflect), or the elements
    from the other end, again and again (wrap).
    * (C1) `low` and `high` have one entry an axis, with a value for each dynamic one, and none is negative.
    * (C2) there is a `value`, a tensor of one element of rank 0 and the type of `x`, if and only if `mode` is constant.
    * (C3) to reflect, the amounts are below the extent; edge and wrap pad no axis of extent 0.

    Example:
    ```mlir
    %r = kiln.pad %x low [0, 1] high [0, %h] mode constant value %v : tensor<4x8xf32>, tensor<f32> -> tensor<4x?xf32>
    %s = kiln.pad %x low [0, 1] high [0, 1] mode reflect : tensor<4x8xf32> -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Kiln_Tensor:$x, Variadic<Index>:$low, Variadic<Index>:$high, Optional<Kiln_Tensor>:$value,
                       DenseI64ArrayAttr:$static_low, DenseI64ArrayAttr:$static_high, Kiln_PadMode:$mode);
  let assemblyFormat = [{
    $x `low` custom<DynamicIndexList>($low, $static_low) `high` custom<DynamicIndexList>($high, $static_high)
    `mode` $mode (`value` $value^)? attr-dict `:` type($x) (`,` type($value)^)? `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::llvm::ArrayRef<::mlir::OpFoldResult>":$low,
                                 "::llvm::ArrayRef<::mlir::OpFoldResult>":$high, "PadMode":$mode,
                                 CArg<"::mlir::Value", "{}">:$value)>];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedLow();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedHigh();
  }];
  let hasFolder = 1;
}

// ---- From nothing ----------------------------------------------------------------------------------------

def Kiln_IotaOp : Kiln_ShapeOp<"iota"> {
  let summary = "counts along an axis";
  let description = [{
    `result[i_0, i_1, ..] = i_axis`, as `element`. Values that the type does not hold are rounded (floats) or wrap
    (integers).
    * (C1) `sizes` has a value for each dynamic size, and none is negative.
    * (C2) `axis` lies in [-rank, rank).
    * (C3) `element` is a float or an integer of 8 to 64 bits.

    Example:
    ```mlir
    %r = kiln.iota axis 1 [4, %n] : tensor<4x?xi64>
    ```
  }];
  let arguments = (ins I64Attr:$axis, Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes, TypeAttr:$element);
  let assemblyFormat = [{
    `axis` $axis custom<DynamicIndexList>($sizes, $static_sizes) attr-dict `:` custom<ElementType>($element, type($result))
  }];
  let builders = [OpBuilder<(ins "int64_t":$axis, "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes,
                                 "::mlir::Type":$element)>];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
  let hasFolder = 1;
}

def Kiln_FromElementsOp : Kiln_ShapeOp<"from_elements"> {
  let summary = "a short tensor of indices";
  let description = [{
    `result[i] = elements[i]`, as `element`: integers wrap, a boolean is true where the index is not 0. `scalar` makes
    a tensor of rank 0. How extents become data.
    * (C1) there are at most 64 elements, and one if `scalar` is there.
    * (C2) `element` is i1 or an integer of 8 to 64 bits.

    Example:
    ```mlir
    %r = kiln.from_elements [%n, %m] : tensor<2xi64>
    ```
  }];
  let arguments = (ins Variadic<Index>:$elements, UnitAttr:$scalar, TypeAttr:$element);
  let assemblyFormat = [{
    ` ` `[` $elements `]` (`scalar` $scalar^)? attr-dict `:` custom<ElementType>($element, type($result))
  }];
  let hasFolder = 1;
}

#endif // KILN_SHAPE_TD
