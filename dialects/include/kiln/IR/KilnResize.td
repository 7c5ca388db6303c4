// KilnResize.td: sampling of tensors between their elements.
#ifndef KILN_RESIZE_TD
#define KILN_RESIZE_TD

include "kiln/IR/KilnBase.td"

def Kiln_ResizeMode : I32EnumAttr<"ResizeMode", "which elements kiln.resize weighs",
    [I32EnumAttrCase<"Nearest", 0, "nearest">, I32EnumAttrCase<"Linear", 1, "linear">,
     I32EnumAttrCase<"Cubic", 2, "cubic">]> {
  let cppNamespace = "::kiln";
}

def Kiln_ResizeCoordinates : I32EnumAttr<"ResizeCoordinates", "where kiln.resize samples",
    [I32EnumAttrCase<"HalfPixel", 0, "half_pixel">, I32EnumAttrCase<"HalfPixelSymmetric", 1, "half_pixel_symmetric">,
     I32EnumAttrCase<"PytorchHalfPixel", 2, "pytorch_half_pixel">, I32EnumAttrCase<"AlignCorners", 3, "align_corners">,
     I32EnumAttrCase<"Asymmetric", 4, "asymmetric">, I32EnumAttrCase<"TfHalfPixelForNn", 5, "tf_half_pixel_for_nn">,
     I32EnumAttrCase<"TfCropAndResize", 6, "tf_crop_and_resize">]> {
  let cppNamespace = "::kiln";
}

def Kiln_ResizeRounding : I32EnumAttr<"ResizeRounding", "how kiln.resize rounds to the nearest element",
    [I32EnumAttrCase<"RoundPreferFloor", 0, "round_prefer_floor">,
     I32EnumAttrCase<"RoundPreferCeil", 1, "round_prefer_ceil">, I32EnumAttrCase<"Floor", 2, "floor">,
     I32EnumAttrCase<"Ceil", 3, "ceil">]> {
  let cppNamespace = "::kiln";
}

def Kiln_ResizeOp : Kiln_CheckedOp<"resize", [AttrSizedOperandSegments]> {
  let summary = "interpolation to other extents, axis by axis";
  let description = [{
    Along each axis of extent `n`, with `m` the result's extent, `s` its scale (of `scales`, else `m / n`) and
    `w = s * n`, element `i` of the result samples `x` at

        half_pixel, pytorch_half_pixel, half_pixel_symmetric   (i + 0.5) / s - 0.5   (the second: -0.5 if w = 1; the third: + n / 2 * (1 - m / w))
        tf_half_pixel_for_nn, asymmetric                       (i + 0.5) / s, i / s
        align_corners                                          i * (n - 1) / (w - 1), or 0 if w = 1
        tf_crop_and_resize                                     (start + i * (end - start) / (w - 1)) * (n - 1), or (start + end) / 2 * (n - 1) if w = 1

    with `start` and `end` of `roi`, which lists all starts, then all ends. At `c`, `nearest` takes the element that
    `rounding` names; `linear` weighs the two beside `c` by their distance; `cubic` the four beside it by the convolution
    kernel with coefficient `cubic_coefficient`. With `antialias` the weights are spread over `1 / s` as many elements
    where `s < 1`, and add up to 1. Elements outside of `x` are those at its edge, or do not count with
    `exclude_outside`. With tf_crop_and_resize what samples outside of `x` is `extrapolation`. Coordinates are computed
    in f32; so are sums, unless `x` is f64. Integers are rounded, halves to even, and saturate.
    * (C1) `sizes` has one entry an axis, with a value for each dynamic one, and none is negative.
    * (C2) `scales` is an f32 for each axis, `roi` two.
    * (C3) `roi` is there if `coordinates` is tf_crop_and_resize, and only then.
    * (C4) `antialias` and `exclude_outside` are for modes other than nearest.
    * (C5) an axis of extent 0 keeps it.

    Example:
    ```mlir
    %y = kiln.resize %x [1, 3, %h, 224] mode linear coordinates half_pixel : tensor<1x3x?x112xf32> -> tensor<1x3x?x224xf32>
    %z = kiln.resize %x [1, 3, %h, 224] scales %s : tensor<4xf32> mode nearest coordinates asymmetric rounding floor
       : tensor<1x3x?x112xf32> -> tensor<1x3x?x224xf32>
    ```
  }];
  let arguments = (ins Kiln_NumberTensor:$x, Variadic<Index>:$sizes, Optional<Kiln_FloatTensor>:$scales,
                       Optional<Kiln_FloatTensor>:$roi, DenseI64ArrayAttr:$static_sizes, Kiln_ResizeMode:$mode,
                       Kiln_ResizeCoordinates:$coordinates,
                       DefaultValuedAttr<Kiln_ResizeRounding, "ResizeRounding::RoundPreferFloor">:$rounding,
                       DefaultValuedAttr<F64Attr, "-0.75">:$cubic_coefficient,
                       DefaultValuedAttr<F64Attr, "0.0">:$extrapolation, UnitAttr:$antialias,
                       UnitAttr:$exclude_outside);
  let results = (outs Kiln_NumberTensor:$result);
  let assemblyFormat = [{
    $x custom<DynamicIndexList>($sizes, $static_sizes) (`scales` $scales^ `:` type($scales))?
    (`roi` $roi^ `:` type($roi))? `mode` $mode `coordinates` $coordinates (`rounding` $rounding^)?
    (`antialias` $antialias^)? (`exclude_outside` $exclude_outside^)? attr-dict `:` type($x) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
  let hasFolder = 1;
}

#endif // KILN_RESIZE_TD
