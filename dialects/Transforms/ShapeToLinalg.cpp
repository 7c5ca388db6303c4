// ShapeToLinalg.cpp: reshape, slice and concat as tensor ops; transpose, broadcast, pad, reverse, iota and
// from_elements as loops.
#include "dialects/IR/Checks.h"
#include "dialects/Transforms/LinalgBuilder.h"
#include "kiln/Transforms/ToLinalg.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace kiln {

namespace {

Value constantIndex(OpBuilder &builder, Location loc, int64_t value) {
  return builder.create<arith::ConstantIndexOp>(loc, value);
}

Value asValue(OpBuilder &builder, Location loc, OpFoldResult extent) {
  return getValueOrCreateConstantIndexOp(builder, loc, extent);
}

/// The position in the loops of a generic, in its body.
SmallVector<Value> loopIndices(OpBuilder &builder, Location loc, int64_t rank) {
  SmallVector<Value> indices;
  for (int64_t axis = 0; axis < rank; ++axis)
    indices.push_back(builder.create<linalg::IndexOp>(loc, axis));
  return indices;
}

/// Base of the patterns: `type` is the converted result type.
template <typename Op> struct ShapePattern : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  using Adaptor = typename Op::Adaptor;

  virtual Value lower(Op op, Adaptor adaptor, RankedTensorType type, LinalgBuilder linalg,
                      OpBuilder &builder) const = 0;

  LogicalResult matchAndRewrite(Op op, Adaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    auto type = dyn_cast_or_null<RankedTensorType>(this->getTypeConverter()->convertType(op.getType()));
    if (!type)
      return rewriter.notifyMatchFailure(op, "its type does not convert");
    LinalgBuilder linalg(rewriter, op.getLoc());
    rewriter.replaceOp(op, linalg.cast(lower(op, adaptor, type, linalg, rewriter), type));
    return success();
  }
};

// ---- reshape: collapse to one axis, expand from it; one of the two where that is enough -------------------

struct ReshapeToLinalg final : ShapePattern<ReshapeOp> {
  using ShapePattern::ShapePattern;

  Value lower(ReshapeOp op, Adaptor adaptor, RankedTensorType type, LinalgBuilder linalg,
              OpBuilder &builder) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getX();
    auto from = cast<RankedTensorType>(x.getType());
    auto [shape, extents] = decompose(op.getMixedSizes());
    auto to = from.clone(shape);
    if (from == to && from.hasStaticShape())
      return x;
    bool collapses = from.getRank() > to.getRank();
    if (std::optional<SmallVector<ReassociationIndices>> groups = directGroups(from, to))
      return collapses ? builder.create<tensor::CollapseShapeOp>(loc, to, x, *groups).getResult()
                       : builder.create<tensor::ExpandShapeOp>(loc, to, x, *groups, extents).getResult();
    return expand(builder, loc, collapse(builder, loc, x), to, extents, linalg);
  }

private:
  /// The axes that one op merges or splits, if one is enough: it wants a dynamic axis for a group with
  /// dynamic axes.
  static std::optional<SmallVector<ReassociationIndices>> directGroups(RankedTensorType from,
                                                                       RankedTensorType to) {
    if (from.getRank() == to.getRank())
      return std::nullopt;
    auto groups = getReassociationIndicesForReshape(from, to);
    auto [merged, split] = from.getRank() < to.getRank() ? std::pair(from, to) : std::pair(to, from);
    if (groups)
      for (auto [axis, group] : llvm::enumerate(*groups)) {
        bool splitIsDynamic = llvm::any_of(group, [type = split](int64_t i) { return type.isDynamicDim(i); });
        if (merged.isDynamicDim(axis) != splitIsDynamic)
          return std::nullopt;
      }
    return groups;
  }

  static std::pair<SmallVector<int64_t>, SmallVector<OpFoldResult>>
  decompose(SmallVector<OpFoldResult> sizes) {
    return {decomposeMixedValues(sizes).first, sizes};
  }

  /// `x` with one axis.
  static Value collapse(OpBuilder &builder, Location loc, Value x) {
    auto type = cast<RankedTensorType>(x.getType());
    if (type.getRank() == 1)
      return x;
    int64_t count = type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
    if (type.getRank() == 0)
      return builder.create<tensor::ExpandShapeOp>(loc, type.clone({1}), x, ArrayRef<ReassociationIndices>());
    SmallVector<ReassociationIndices> all(1, llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank())));
    return builder.create<tensor::CollapseShapeOp>(loc, type.clone({count}), x, all);
  }

  /// `line`, which has one axis, as `to`.
  static Value expand(OpBuilder &builder, Location loc, Value line, RankedTensorType to,
                      ArrayRef<OpFoldResult> extents, LinalgBuilder linalg) {
    int64_t count = to.hasStaticShape() ? to.getNumElements() : ShapedType::kDynamic;
    line = linalg.cast(line, to.clone({count}));
    if (to.getRank() == 0)
      return builder.create<tensor::CollapseShapeOp>(loc, to, line, ArrayRef<ReassociationIndices>());
    SmallVector<ReassociationIndices> all(1, llvm::to_vector<2>(llvm::seq<int64_t>(0, to.getRank())));
    return to.getRank() == 1 ? line
                             : builder.create<tensor::ExpandShapeOp>(loc, to, line, all, extents).getResult();
  }
};

// ---- transpose, broadcast: copies through maps ------------------------------------------------------------

Value copyElement(OpBuilder &, Location, ValueRange elements) { return elements[0]; }

struct TransposeToLinalg final : ShapePattern<TransposeOp> {
  using ShapePattern::ShapePattern;

  Value lower(TransposeOp op, Adaptor adaptor, RankedTensorType type, LinalgBuilder linalg,
              OpBuilder &builder) const override {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, op.getLoc(), adaptor.getX());
    applyPermutationToVector(sizes, op.getPerm());
    SmallVector<unsigned> inverse(op.getPerm().size());
    for (auto [i, axis] : llvm::enumerate(op.getPerm()))
      inverse[axis] = i;
    auto map = AffineMap::getPermutationMap(ArrayRef<unsigned>(inverse), builder.getContext());
    if (inverse.empty())
      map = AffineMap::get(builder.getContext());
    return linalg.elementwise(adaptor.getX(), map, sizes, type.getElementType(), copyElement);
  }
};

struct BroadcastToLinalg final : ShapePattern<BroadcastOp> {
  using ShapePattern::ShapePattern;

  Value lower(BroadcastOp op, Adaptor adaptor, RankedTensorType type, LinalgBuilder linalg,
              OpBuilder &builder) const override {
    auto [input, map] = linalg.broadcastInput(adaptor.getX(), type.getShape());
    return linalg.elementwise(input, map, op.getMixedSizes(), type.getElementType(), copyElement);
  }
};

// ---- slice, concat ----------------------------------------------------------------------------------------

struct SliceToLinalg final : ShapePattern<SliceOp> {
  using ShapePattern::ShapePattern;

  Value lower(SliceOp op, Adaptor adaptor, RankedTensorType, LinalgBuilder,
              OpBuilder &builder) const override {
    return builder.create<tensor::ExtractSliceOp>(op.getLoc(), adaptor.getX(), op.getMixedOffsets(),
                                                  op.getMixedSizes(), op.getMixedStrides());
  }
};

struct ConcatToLinalg final : ShapePattern<ConcatOp> {
  using ShapePattern::ShapePattern;

  Value lower(ConcatOp op, Adaptor adaptor, RankedTensorType type, LinalgBuilder linalg,
              OpBuilder &builder) const override {
    Location loc = op.getLoc();
    int64_t axis = fromFront(op.getAxis(), type.getRank());
    // Each input's place along the axis is the sum of the extents before it.
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, adaptor.getInputs()[0]);
    SmallVector<OpFoldResult> starts;
    OpFoldResult end = builder.getIndexAttr(0);
    for (Value input : adaptor.getInputs()) {
      starts.push_back(end);
      end = addExtents(builder, loc, end, tensor::getMixedSize(builder, loc, input, axis));
    }
    sizes[axis] = end;
    Value result = linalg.empty(sizes, type.getElementType());
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    for (auto [input, start] : llvm::zip_equal(adaptor.getInputs(), starts)) {
      offsets[axis] = start;
      sizes[axis] = tensor::getMixedSize(builder, loc, input, axis);
      // One input may know an extent that another one leaves open.
      auto known = cast<RankedTensorType>(input.getType()).clone(decomposeMixedValues(sizes).first);
      if (known != input.getType())
        input = builder.create<tensor::CastOp>(loc, known, input);
      result = builder.create<tensor::InsertSliceOp>(loc, input, result, offsets, sizes, strides);
    }
    return result;
  }
};

// ---- pad, reverse: elements picked by index ---------------------------------------------------------------

struct PadToLinalg final : ShapePattern<PadOp> {
  using ShapePattern::ShapePattern;

  Value lower(PadOp op, Adaptor adaptor, RankedTensorType type, LinalgBuilder linalg,
              OpBuilder &builder) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getX();
    SmallVector<OpFoldResult> low = op.getMixedLow(), high = op.getMixedHigh();
    SmallVector<OpFoldResult> extents = tensor::getMixedSizes(builder, loc, x);
    SmallVector<OpFoldResult> sizes;
    for (auto [before, extent, after] : llvm::zip_equal(low, extents, high))
      sizes.push_back(addExtents(builder, loc, addExtents(builder, loc, before, extent), after));
    if (op.getMode() == PadMode::Constant) {
      Value value = builder.create<tensor::ExtractOp>(loc, adaptor.getValue(), ValueRange());
      auto padded = cast<RankedTensorType>(x.getType()).clone(decomposeMixedValues(sizes).first);
      return builder.create<tensor::PadOp>(loc, padded, x, low, high, value);
    }
    // `count` elements of the last axis from `begin` on; those `inside` are x's own, side by side.
    auto picked = [&](OpFoldResult begin, OpFoldResult count, bool inside) {
      SmallVector<OpFoldResult> part(sizes);
      if (type.getRank() > 0)
        part.back() = count;
      return linalg.elementwise(
          {}, {}, part, type.getElementType(), [&](OpBuilder &nested, Location loc, ValueRange) -> Value {
            SmallVector<Value> indices = loopIndices(nested, loc, type.getRank());
            for (auto [axis, index] : llvm::enumerate(indices)) {
              bool isLast = axis + 1 == indices.size(),
                   isWhole = !isLast && isZero(low[axis]) && isZero(high[axis]);
              if (isWhole || (isLast && inside))
                continue;
              if (isLast)
                index = nested.create<arith::AddIOp>(loc, index, asValue(nested, loc, begin));
              index = source(nested, loc, op.getMode(), index, asValue(nested, loc, low[axis]),
                             asValue(nested, loc, extents[axis]));
            }
            return nested.create<tensor::ExtractOp>(loc, x, indices);
          });
    };
    OpFoldResult zero = builder.getIndexAttr(0);
    if (type.getRank() == 0 || (isZero(low.back()) && isZero(high.back())))
      return picked(zero, type.getRank() == 0 ? zero : sizes.back(), /*inside=*/true);
    auto before = getConstantIntValue(low.back()), after = getConstantIntValue(high.back());
    if (!before || !after || *before < 0 || *after < 0)
      return picked(zero, sizes.back(), /*inside=*/false);
    // The middle is rows of x, which are copied whole; elements are picked at its sides only.
    OpFoldResult inner = extents.back(), behind = addExtents(builder, loc, low.back(), inner);
    Value result = linalg.empty(sizes, type.getElementType());
    SmallVector<OpFoldResult> offsets(sizes.size(), zero), strides(sizes.size(), builder.getIndexAttr(1));
    auto put = [&](OpFoldResult begin, OpFoldResult count, bool inside) {
      if (isZero(count))
        return;
      SmallVector<OpFoldResult> part(sizes);
      part.back() = count;
      offsets.back() = begin;
      result = builder.create<tensor::InsertSliceOp>(loc, picked(begin, count, inside), result, offsets, part,
                                                     strides);
    };
    put(zero, low.back(), /*inside=*/false);
    put(low.back(), inner, /*inside=*/true);
    put(behind, high.back(), /*inside=*/false);
    return result;
  }

private:
  static bool isZero(OpFoldResult value) { return isConstantIntValue(value, 0); }

  /// The element of `x` at `index` of the padded axis.
  static Value source(OpBuilder &builder, Location loc, PadMode mode, Value index, Value low, Value extent) {
    Value zero = constantIndex(builder, loc, 0), one = constantIndex(builder, loc, 1);
    Value i = builder.create<arith::SubIOp>(loc, index, low);
    Value last = builder.create<arith::SubIOp>(loc, extent, one);
    if (mode == PadMode::Edge)
      return builder.create<arith::MinSIOp>(loc, builder.create<arith::MaxSIOp>(loc, i, zero), last);
    if (mode == PadMode::Reflect) { // |last - ||i| - last||: mirrored at 0, then at last
      auto mirrored = [&](Value value) -> Value {
        return builder.create<arith::MaxSIOp>(loc, value, builder.create<arith::SubIOp>(loc, zero, value));
      };
      Value beyond = builder.create<arith::SubIOp>(loc, mirrored(i), last);
      return builder.create<arith::SubIOp>(loc, last, mirrored(beyond));
    }
    Value remainder = builder.create<arith::RemSIOp>(loc, i, extent); // Wrap
    Value isNegative = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, remainder, zero);
    Value raised = builder.create<arith::AddIOp>(loc, remainder, extent);
    return builder.create<arith::SelectOp>(loc, isNegative, raised, remainder);
  }
};

struct ReverseToLinalg final : ShapePattern<ReverseOp> {
  using ShapePattern::ShapePattern;

  Value lower(ReverseOp op, Adaptor adaptor, RankedTensorType type, LinalgBuilder linalg,
              OpBuilder &builder) const override {
    Value x = adaptor.getX();
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, op.getLoc(), x);
    auto body = [&](OpBuilder &nested, Location loc, ValueRange) -> Value {
      SmallVector<Value> indices = loopIndices(nested, loc, type.getRank());
      for (auto [axis, index] : llvm::enumerate(indices)) {
        if (!op.reverses(axis))
          continue;
        Value last = nested.create<arith::SubIOp>(loc, asValue(nested, loc, sizes[axis]),
                                                  constantIndex(nested, loc, 1));
        index = nested.create<arith::SubIOp>(loc, last, index);
      }
      return nested.create<tensor::ExtractOp>(loc, x, indices);
    };
    return linalg.elementwise({}, {}, sizes, type.getElementType(), body);
  }
};

// ---- iota -------------------------------------------------------------------------------------------------

struct IotaToLinalg final : ShapePattern<IotaOp> {
  using ShapePattern::ShapePattern;

  Value lower(IotaOp op, Adaptor, RankedTensorType type, LinalgBuilder linalg, OpBuilder &) const override {
    Type element = type.getElementType();
    int64_t axis = fromFront(op.getAxis(), type.getRank());
    auto body = [&](OpBuilder &builder, Location loc, ValueRange) -> Value {
      Value index = builder.create<linalg::IndexOp>(loc, axis);
      if (!isa<FloatType>(element))
        return builder.create<arith::IndexCastOp>(loc, element, index);
      Value number = builder.create<arith::IndexCastOp>(loc, builder.getI64Type(), index);
      Type wide = element.isF64() ? element : builder.getF32Type();
      number = builder.create<arith::SIToFPOp>(loc, wide, number);
      return wide == element ? number : builder.create<arith::TruncFOp>(loc, element, number).getResult();
    };
    return linalg.elementwise({}, {}, op.getMixedSizes(), element, body);
  }
};

// ---- from_elements ----------------------------------------------------------------------------------------

struct FromElementsToLinalg final : ShapePattern<FromElementsOp> {
  using ShapePattern::ShapePattern;

  Value lower(FromElementsOp op, Adaptor adaptor, RankedTensorType type, LinalgBuilder linalg,
              OpBuilder &builder) const override {
    ValueRange elements = adaptor.getElements();
    auto body = [&](OpBuilder &builder, Location loc, ValueRange) -> Value {
      Value value = elements.empty() ? constantIndex(builder, loc, 0) : elements.back();
      Value position = elements.size() > 1 ? builder.create<linalg::IndexOp>(loc, 0) : Value();
      for (int64_t k = static_cast<int64_t>(elements.size()) - 2; k >= 0; --k) {
        Value isHere = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, position,
                                                     constantIndex(builder, loc, k));
        value = builder.create<arith::SelectOp>(loc, isHere, elements[k], value);
      }
      if (type.getElementType().isInteger(1))
        return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, value,
                                             constantIndex(builder, loc, 0));
      return builder.create<arith::IndexCastOp>(loc, type.getElementType(), value);
    };
    return linalg.elementwise(
        {}, {},
        llvm::map_to_vector(type.getShape(),
                            [&](int64_t n) -> OpFoldResult { return builder.getIndexAttr(n); }),
        type.getElementType(), body);
  }
};

} // namespace

void populateShapeToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ReshapeToLinalg, TransposeToLinalg, BroadcastToLinalg, SliceToLinalg, ConcatToLinalg,
               PadToLinalg, ReverseToLinalg, IotaToLinalg, FromElementsToLinalg>(converter,
                                                                                 patterns.getContext());
}

} // namespace kiln
