// KilnIndexing.td: elements read and written at indices that are data; sorting and selection, which make such indices.
#ifndef KILN_INDEXING_TD
#define KILN_INDEXING_TD

include "kiln/IR/KilnReduction.td"
include "kiln/IR/KilnSelect.td"

def Kiln_IndexTensor : Kiln_TensorOf<AnyTypeOf<[I32, I64]>, "tensor of i32 or i64">;
def Kiln_I64Tensor : Kiln_TensorOf<I64, "tensor of i64">;
def Kiln_F32Tensor : Kiln_TensorOf<F32, "tensor of f32">;
def Kiln_F32Scalar
    : Type<CPred<"$_self == ::mlir::RankedTensorType::get({}, ::mlir::Float32Type::get($_self.getContext()))">,
           "tensor<f32>", "::mlir::RankedTensorType">,
      BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getF32Type())">;

// ---- Gather ----------------------------------------------------------------------------------------------

def Kiln_GatherOp : Kiln_CheckedOp<"gather"> {
  let summary = "slices of a tensor at indices along one axis";
  let description = [{
    With `b` one of the leading `batch_dims` axes, which `x` and `indices` share:

        result[b.., i.., j.., k..] = x[b.., i.., indices[b.., j..], k..]

    where `i` runs over the axes between them and `axis`, `k` over those behind `axis`. A negative index counts from the
    end; one outside [-n, n), with `n` the extent along `axis`, reads the nearest element: nothing outside of `x` is
    read.
    * (C1) `axis` lies in [-rank, rank), counted for `x`.
    * (C2) `batch_dims` lies in [0, rank] of `indices` and is at most `axis`; the shared extents agree.
    * (C3) the extent along `axis` is not 0, unless the result is empty.

    Example:
    ```mlir
    %r = kiln.gather %x, %i axis 0 : tensor<1000x64xf32>, tensor<2x?xi64> -> tensor<2x?x64xf32>
    %s = kiln.gather %y, %j axis 1 {batch_dims = 1} : tensor<8x100xf32>, tensor<8x5xi32> -> tensor<8x5xf32>
    ```
  }];
  let arguments = (ins Kiln_AnyScalarTensor:$x, Kiln_IndexTensor:$indices, I64Attr:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Kiln_AnyScalarTensor:$result);
  let assemblyFormat = "$x `,` $indices `axis` $axis attr-dict `:` type($x) `,` type($indices) `->` type($result)";
}

def Kiln_GatherElementsOp : Kiln_CheckedOp<"gather_elements"> {
  let summary = "elements at indices along one axis, an index each";
  let description = [{
        result[i.., j, k..] = x[i.., indices[i.., j, k..], k..]

    with `j` along `axis`. Indices count and are kept inside as those of `kiln.gather`.
    * (C1) `x` and `indices` have one rank.
    * (C2) `axis` lies in [-rank, rank).
    * (C3) the extents of `indices` along the other axes are at most those of `x`.
    * (C4) the extent along `axis` is not 0, unless the result is empty.

    Example:
    ```mlir
    %r = kiln.gather_elements %x, %i axis 1 : tensor<4x8xf32>, tensor<4x?xi64> -> tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Kiln_AnyScalarTensor:$x, Kiln_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs Kiln_AnyScalarTensor:$result);
  let assemblyFormat = "$x `,` $indices `axis` $axis attr-dict `:` type($x) `,` type($indices) `->` type($result)";
}

def Kiln_GatherNdOp : Kiln_CheckedOp<"gather_nd"> {
  let summary = "slices of a tensor at index tuples";
  let description = [{
    The last axis of `indices`, of extent `n`, holds one index for each of the `n` axes of `x` behind the leading
    `batch_dims` ones, `b`, which both tensors share:

        result[b.., j.., k..] = x[b.., indices[b.., j.., 0], .., indices[b.., j.., n - 1], k..]

    Indices count and are kept inside as those of `kiln.gather`.
    * (C1) `indices` has rank 1 or more, and its last extent is static.
    * (C2) `batch_dims` is not negative and below the rank of `indices`; the shared extents agree.
    * (C3) `batch_dims` and the last extent of `indices` are together at most the rank of `x`.
    * (C4) the indexed extents of `x` are not 0, unless the result is empty.

    Example:
    ```mlir
    %r = kiln.gather_nd %x, %i : tensor<4x8x16xf32>, tensor<?x2xi64> -> tensor<?x16xf32>
    ```
  }];
  let arguments = (ins Kiln_AnyScalarTensor:$x, Kiln_IndexTensor:$indices, DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Kiln_AnyScalarTensor:$result);
  let assemblyFormat = "$x `,` $indices attr-dict `:` type($x) `,` type($indices) `->` type($result)";
}

def Kiln_OneHotOp : Kiln_CheckedOp<"one_hot", [AllTypesMatch<["on", "off"]>]> {
  let summary = "a new axis on which each index marks its place";
  let description = [{
        result[i.., k, j..] = on if k == indices[i.., j..] else off

    with `k` running over the new `axis`, of extent `depth`. A negative index counts from the end; one outside
    [-depth, depth) marks nothing.
    * (C1) `axis` lies in [-rank - 1, rank + 1) of `indices`.
    * (C2) `depth` is one extent, not negative.
    * (C3) `on` and `off` have rank 0.

    Example:
    ```mlir
    %r = kiln.one_hot %i depth [10] axis -1 on %a off %b : tensor<?xi64>, tensor<f32> -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins Kiln_IndexTensor:$indices, Variadic<Index>:$depth, DenseI64ArrayAttr:$static_depth, I64Attr:$axis,
                       Kiln_AnyScalarTensor:$on, Kiln_AnyScalarTensor:$off);
  let results = (outs Kiln_AnyScalarTensor:$result);
  let assemblyFormat = [{
    $indices `depth` custom<DynamicIndexList>($depth, $static_depth) `axis` $axis `on` $on `off` $off attr-dict
    `:` type($indices) `,` type($on) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::OpFoldResult getMixedDepth();
  }];
}

// ---- Scatter ---------------------------------------------------------------------------------------------

def Kiln_ScatterKind : I32EnumAttr<"ScatterKind", "how kiln.scatter_* combine an update with what is there", [
    I32EnumAttrCase<"Replace", 0, "replace">, I32EnumAttrCase<"Add", 1, "add">, I32EnumAttrCase<"Mul", 2, "mul">,
    I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Max", 4, "max">]> {
  let cppNamespace = "::kiln";
  let genSpecializedAttr = 0;
}
def Kiln_ScatterKindAttr : Kiln_KindAttr<Kiln_ScatterKind, "scatter_kind">;

def Kiln_ScatterElementsOp : Kiln_LikeXOp<"scatter_elements"> {
  let summary = "a tensor with elements updated at indices along one axis";
  let description = [{
    `result = x`, then for each index tuple in row-major order, with `j` along `axis`:

        result[i.., indices[i.., j, k..], k..] = result[i.., indices[i.., j, k..], k..] kind updates[i.., j, k..]

    where `kind` replaces, or adds, multiplies, takes the smaller or the larger of the two (NaN if one is; integers
    wrap). A negative index counts from the end; one outside [-n, n) updates nothing.
    * (C1) `x`, `indices` and `updates` have one rank, `indices` and `updates` one shape.
    * (C2) `axis` lies in [-rank, rank).
    * (C3) the extents of `indices` along the other axes are at most those of `x`.
    * (C4) `x` and `updates` have one element type; of i1, `kind` is replace.

    Example:
    ```mlir
    %r = kiln.scatter_elements add %x, %i, %u axis 0 : tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Kiln_ScatterKindAttr:$kind, Kiln_AnyScalarTensor:$x, Kiln_IndexTensor:$indices,
                       Kiln_AnyScalarTensor:$updates, I64Attr:$axis);
  let results = (outs Kiln_AnyScalarTensor:$result);
  let assemblyFormat = [{
    $kind $x `,` $indices `,` $updates `axis` $axis attr-dict `:` type($x) `,` type($indices) `,` type($updates)
  }];
}

def Kiln_ScatterNdOp : Kiln_LikeXOp<"scatter_nd"> {
  let summary = "a tensor with slices updated at index tuples";
  let description = [{
    `result = x`, then for each `i` in row-major order, with `n` the last extent of `indices`:

        result[indices[i.., 0], .., indices[i.., n - 1], k..] =
            result[indices[i.., 0], .., indices[i.., n - 1], k..] kind updates[i.., k..]

    with `kind` and indices as `kiln.scatter_elements` has them: a tuple with an index out of range updates nothing.
    * (C1) `indices` has rank 1 or more, and its last extent is static and at most the rank of `x`.
    * (C2) the shape of `updates` is that of `indices` without its last axis, followed by that of `x` without its first
      `n` axes.
    * (C3) `x` and `updates` have one element type; of i1, `kind` is replace.

    Example:
    ```mlir
    %r = kiln.scatter_nd replace %x, %i, %u : tensor<8x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Kiln_ScatterKindAttr:$kind, Kiln_AnyScalarTensor:$x, Kiln_IndexTensor:$indices,
                       Kiln_AnyScalarTensor:$updates);
  let results = (outs Kiln_AnyScalarTensor:$result);
  let assemblyFormat = "$kind $x `,` $indices `,` $updates attr-dict `:` type($x) `,` type($indices) `,` type($updates)";
}

// ---- Order -----------------------------------------------------------------------------------------------

def Kiln_TopKOp : Kiln_CheckedOp<"top_k"> {
  let summary = "the largest or smallest elements along an axis, in order, and their indices";
  let description = [{
    Along `axis`, with `p` the indices in descending order of the elements (ascending if `smallest`), the lower index
    first among equal ones:

        values[.., j, ..] = x[.., p[j], ..], indices[.., j, ..] = p[j]        for j < k

    NaN counts as larger than every number, and as equal to NaN; -0.0 equals 0.0. If all elements are asked for, this is
    a stable sort.
    * (C1) `axis` lies in [-rank, rank).
    * (C2) `k` is one extent, not negative and at most the extent along `axis`.

    Example:
    ```mlir
    %v, %i = kiln.top_k %x k [5] axis -1 : tensor<8x1000xf32> -> tensor<8x5xf32>, tensor<8x5xi64>
    %s, %j = kiln.top_k %y k [%n] axis 0 smallest : tensor<?xf32> -> tensor<?xf32>, tensor<?xi64>
    ```
  }];
  let arguments = (ins Kiln_NumberTensor:$x, Variadic<Index>:$k, DenseI64ArrayAttr:$static_k, I64Attr:$axis,
                       UnitAttr:$smallest);
  let results = (outs Kiln_NumberTensor:$values, Kiln_I64Tensor:$indices);
  let assemblyFormat = [{
    $x `k` custom<DynamicIndexList>($k, $static_k) `axis` $axis (`smallest` $smallest^)? attr-dict
    `:` type($x) `->` type($values) `,` type($indices)
  }];
  let extraClassDeclaration = [{
    ::mlir::OpFoldResult getMixedK();
  }];
}

def Kiln_SortOp : Kiln_CheckedOp<"sort"> {
  let summary = "the elements along an axis in order, and their indices";
  let description = [{
    Along `axis`, with `p` the indices in ascending order of the elements (descending if `descending`), the lower index
    first among equal ones (a stable sort):

        values[.., j, ..] = x[.., p[j], ..], indices[.., j, ..] = p[j]

    NaN counts as larger than every number, and as equal to NaN; -0.0 equals 0.0.
    * (C1) `axis` lies in [-rank, rank).

    Example:
    ```mlir
    %v, %i = kiln.sort %x axis -1 : tensor<8x?xf32> -> tensor<8x?xf32>, tensor<8x?xi64>
    ```
  }];
  let arguments = (ins Kiln_NumberTensor:$x, I64Attr:$axis, UnitAttr:$descending);
  let results = (outs Kiln_NumberTensor:$values, Kiln_I64Tensor:$indices);
  let assemblyFormat = [{
    $x `axis` $axis (`descending` $descending^)? attr-dict `:` type($x) `->` type($values) `,` type($indices)
  }];
}

// ---- Selection: results whose extents depend on data -----------------------------------------------------

def Kiln_NonzeroOp : Kiln_CheckedOp<"nonzero"> {
  let summary = "indices of the elements that are not zero";
  let description = [{
    `result[.., j]` is the index of element `j`, counted from 0 in row-major order, of those that are not zero (NaN is
    not); an axis of `x` each row. `count` is how many there are, which `kiln.reduce` counts before: fewer are left out,
    and rows that are longer end with zeros.
    * (C1) `count` is one extent, not negative.

    Example:
    ```mlir
    %i = kiln.nonzero %x count [%n] : tensor<4x?xf32> -> tensor<2x?xi64>
    ```
  }];
  let arguments = (ins Kiln_AnyScalarTensor:$x, Variadic<Index>:$count, DenseI64ArrayAttr:$static_count);
  let results = (outs Kiln_I64Tensor:$result);
  let assemblyFormat = [{
    $x `count` custom<DynamicIndexList>($count, $static_count) attr-dict `:` type($x) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::OpFoldResult getMixedCount();
  }];
}

def Kiln_UniqueOp : Kiln_CheckedOp<"unique"> {
  let summary = "which slices along an axis are equal";
  let description = [{
    Slices of `x` along `axis`, of which there are `n`, are equal if all their elements are (NaN equals NaN). The `count`
    groups of equal slices are numbered in the order in which their first members occur, or, if `sorted`, in
    lexicographic order of the slices (NaN last):

        first[g]   = index of the first slice of group g     for g < count, else 0
        counts[g]  = number of slices of group g             for g < count, else 0
        inverse[i] = group of slice i

    The distinct slices are those of `x` at the first `count` elements of `first`.
    * (C1) `axis` lies in [-rank, rank).

    Example:
    ```mlir
    %first, %inverse, %counts, %count = kiln.unique %x axis 0 sorted
        : tensor<?x4xf32> -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
    ```
  }];
  let arguments = (ins Kiln_AnyScalarTensor:$x, I64Attr:$axis, UnitAttr:$sorted);
  let results = (outs Kiln_I64Tensor:$first, Kiln_I64Tensor:$inverse, Kiln_I64Tensor:$counts, Kiln_I64Tensor:$count);
  let assemblyFormat = [{
    $x `axis` $axis (`sorted` $sorted^)? attr-dict
    `:` type($x) `->` type($first) `,` type($inverse) `,` type($counts) `,` type($count)
  }];
}

def Kiln_NmsOp : Kiln_CheckedOp<"nms", [AttrSizedOperandSegments]> {
  let summary = "non-maximum suppression: boxes that overlap no better one";
  let description = [{
    For each batch `b` and class `c` the boxes are visited in descending order of `scores[b, c, ..]`, the lower index
    first among equal ones, those whose score is not above `score_threshold` left out (there is none if it is absent). A
    box is selected unless its intersection with a box selected before, divided by their union, is above
    `iou_threshold`; at most `limit` are.

        selected[b, c, j] = index of the box selected as number j    for j < counts[b, c], else 0

    `boxes[b, i]` are two opposite corners `[y1, x1, y2, x2]`, or, if `center_point_box`, `[x, y, width, height]` with the
    middle first.
    * (C1) `boxes` is of shape [batches, n, 4], `scores` of [batches, classes, n].
    * (C2) `limit` is one extent, not negative.

    Example:
    ```mlir
    %s, %n = kiln.nms %boxes, %scores limit [%m] iou %t score %u
        : tensor<1x?x4xf32>, tensor<1x3x?xf32> -> tensor<1x3x?xi64>, tensor<1x3xi64>
    ```
  }];
  let arguments = (ins Kiln_F32Tensor:$boxes, Kiln_F32Tensor:$scores, Variadic<Index>:$limit,
                       DenseI64ArrayAttr:$static_limit, Kiln_F32Scalar:$iou_threshold,
                       Optional<Kiln_F32Scalar>:$score_threshold, UnitAttr:$center_point_box);
  let results = (outs Kiln_I64Tensor:$selected, Kiln_I64Tensor:$counts);
  let assemblyFormat = [{
    $boxes `,` $scores `limit` custom<DynamicIndexList>($limit, $static_limit) `iou` $iou_threshold
    (`score` $score_threshold^)? (`center_point_box` $center_point_box^)? attr-dict
    `:` type($boxes) `,` type($scores) `->` type($selected) `,` type($counts)
  }];
  let extraClassDeclaration = [{
    ::mlir::OpFoldResult getMixedLimit();
  }];
}

#endif // KILN_INDEXING_TD
