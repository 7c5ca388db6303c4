// ReductionToLinalg.cpp: reduce and arg_reduce as linalg.generic.
#include "dialects/IR/Checks.h"
#include "dialects/Transforms/LinalgBuilder.h"
#include "kiln/Transforms/ToLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln {

namespace {

/// Puts the reduced axes back with extent 1.
Value keepAxes(OpBuilder &builder, Location loc, Value reduced, ArrayRef<int64_t> axes, int64_t rank) {
  auto type = cast<RankedTensorType>(reduced.getType());
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> reassociation(type.getRank());
  int64_t left = -1; // the axis of `reduced` that the present one belongs to
  for (int64_t i = 0, kept = 0; i < rank; ++i) {
    bool isReduced = llvm::is_contained(axes, i);
    if (!isReduced)
      left = kept++;
    if (!reassociation.empty())
      reassociation[std::max<int64_t>(left, 0)].push_back(i);
    sizes.push_back(isReduced ? builder.getIndexAttr(1) : tensor::getMixedSize(builder, loc, reduced, left));
    shape.push_back(isReduced ? 1 : type.getDimSize(left));
  }
  return builder.create<tensor::ExpandShapeOp>(loc, type.clone(shape), reduced, reassociation, sizes);
}

/// The loops of a reduction: all axes in order, those of `axes` reductions; the output's map drops them.
struct ReductionLoops {
  ReductionLoops(OpBuilder &builder, Location loc, Value x, ArrayRef<int64_t> axes) {
    SmallVector<OpFoldResult> all = tensor::getMixedSizes(builder, loc, x);
    int64_t rank = all.size();
    SmallVector<AffineExpr> kept;
    for (int64_t i = 0; i < rank; ++i) {
      bool isReduced = llvm::is_contained(axes, i);
      iterators.push_back(isReduced ? utils::IteratorType::reduction : utils::IteratorType::parallel);
      (isReduced ? reduced : sizes).push_back(all[i]);
      if (!isReduced)
        kept.push_back(builder.getAffineDimExpr(i));
    }
    input = builder.getMultiDimIdentityMap(rank);
    output = AffineMap::get(rank, 0, kept, builder.getContext());
  }

  SmallVector<utils::IteratorType> iterators;
  SmallVector<OpFoldResult> sizes, reduced; // of the kept and of the reduced axes
  AffineMap input, output;
};

// ---- reduce ----------------------------------------------------------------------------------------------

struct ReduceToLinalg final : OpConversionPattern<ReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getKind() == ReduceKind::LogSumExp)
      return rewriter.notifyMatchFailure(op, "log_sum_exp is a composite: decompose it first");
    Location loc = op.getLoc();
    LinalgBuilder linalg(rewriter, loc);
    SmallVector<int64_t> axes = op.getSortedAxes();
    ReductionLoops loops(rewriter, loc, adaptor.getX(), axes);
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Type source = tensorType(op.getX()).getElementType(), accumulator = accumulatorType(source);
    bool isUnsigned = source.isUnsignedInteger();

    Value init = linalg.filled(loops.sizes, neutral(linalg, op.getKind(), accumulator, isUnsigned));
    Value folded = linalg.generic(adaptor.getX(), init, {loops.input, loops.output}, loops.iterators,
                                  [&](OpBuilder &builder, Location loc, ValueRange scalars) {
                                    Value x = widenScalar(builder, loc, scalars[0], source, accumulator);
                                    return combine(builder, loc, op.getKind(), x, scalars[1], isUnsigned);
                                  });
    Value result = finish(op, rewriter, linalg, folded, loops, type.getElementType(), isUnsigned);
    if (op.getKeepdims())
      result = keepAxes(rewriter, loc, result, axes, tensorType(op.getX()).getRank());
    rewriter.replaceOp(op, linalg.cast(result, type));
    return success();
  }

private:
  static TypedAttr neutral(LinalgBuilder &linalg, ReduceKind kind, Type type, bool isUnsigned) {
    switch (kind) {
    case ReduceKind::Prod:
    case ReduceKind::All:
      return linalg.one(type);
    case ReduceKind::Max:
      return linalg.lowest(type, isUnsigned);
    case ReduceKind::Min:
      return linalg.highest(type, isUnsigned);
    case ReduceKind::Sum:
    case ReduceKind::Mean:
    case ReduceKind::Any:
    case ReduceKind::SumSquare:
    case ReduceKind::L1:
    case ReduceKind::L2:
    case ReduceKind::LogSum:
    case ReduceKind::LogSumExp:
      return linalg.zero(type);
    }
    llvm_unreachable("a kind from outside the enum");
  }

  static Value combine(OpBuilder &builder, Location loc, ReduceKind kind, Value x, Value sum,
                       bool isUnsigned) {
    auto of = [&]<typename Float, typename Int>() -> Value {
      if (isa<FloatType>(x.getType()))
        return builder.create<Float>(loc, sum, x);
      return builder.create<Int>(loc, sum, x);
    };
    switch (kind) {
    case ReduceKind::Prod:
      return of.operator()<arith::MulFOp, arith::MulIOp>();
    case ReduceKind::Max:
      return isUnsigned ? builder.create<arith::MaxUIOp>(loc, sum, x).getResult()
                        : of.operator()<arith::MaximumFOp, arith::MaxSIOp>();
    case ReduceKind::Min:
      return isUnsigned ? builder.create<arith::MinUIOp>(loc, sum, x).getResult()
                        : of.operator()<arith::MinimumFOp, arith::MinSIOp>();
    case ReduceKind::Any:
      return builder.create<arith::OrIOp>(loc, sum, x);
    case ReduceKind::All:
      return builder.create<arith::AndIOp>(loc, sum, x);
    case ReduceKind::SumSquare:
    case ReduceKind::L2:
      x = isa<FloatType>(x.getType()) ? builder.create<arith::MulFOp>(loc, x, x).getResult()
                                      : builder.create<arith::MulIOp>(loc, x, x).getResult();
      break;
    case ReduceKind::L1:
      if (isa<FloatType>(x.getType()))
        x = builder.create<math::AbsFOp>(loc, x);
      else if (!isUnsigned)
        x = builder.create<math::AbsIOp>(loc, x);
      break;
    case ReduceKind::Sum:
    case ReduceKind::Mean:
    case ReduceKind::LogSum:
    case ReduceKind::LogSumExp:
      break;
    }
    return of.operator()<arith::AddFOp, arith::AddIOp>();
  }

  /// What follows the fold by element (divide, root, logarithm), and the rounding.
  static Value finish(ReduceOp op, OpBuilder &builder, LinalgBuilder &linalg, Value folded,
                      ReductionLoops &loops, Type element, bool isUnsigned) {
    ReduceKind kind = op.getKind();
    if (kind != ReduceKind::Mean && kind != ReduceKind::L2 && kind != ReduceKind::LogSum)
      return linalg.converted(folded, element);
    Type accumulator = cast<RankedTensorType>(folded.getType()).getElementType();
    // There may be more elements than a narrow integer counts: their mean is divided in 64 bits.
    bool isInteger = isa<IntegerType>(accumulator);
    Type divided = isInteger ? builder.getI64Type() : accumulator;
    Value count =
        kind == ReduceKind::Mean ? elementCount(builder, op.getLoc(), loops.reduced, divided) : Value();
    return linalg.elementwise(folded, builder.getMultiDimIdentityMap(loops.sizes.size()), loops.sizes,
                              element, [&](OpBuilder &nested, Location loc, ValueRange scalars) -> Value {
                                Value value = scalars[0];
                                if (kind == ReduceKind::L2)
                                  value = nested.create<math::SqrtOp>(loc, value);
                                else if (kind == ReduceKind::LogSum)
                                  value = nested.create<math::LogOp>(loc, value);
                                else if (isInteger)
                                  return dividedInteger(nested, loc, value, count, isUnsigned);
                                else
                                  value = nested.create<arith::DivFOp>(loc, value, count);
                                return accumulator == element
                                           ? value
                                           : nested.create<arith::TruncFOp>(loc, element, value).getResult();
                              });
  }

  /// An integer over a count of 64 bits, towards zero.
  static Value dividedInteger(OpBuilder &builder, Location loc, Value value, Value count, bool isUnsigned) {
    Type narrow = value.getType(), wide = count.getType();
    if (narrow != wide)
      value = isUnsigned ? builder.create<arith::ExtUIOp>(loc, wide, value).getResult()
                         : builder.create<arith::ExtSIOp>(loc, wide, value).getResult();
    value = isUnsigned ? builder.create<arith::DivUIOp>(loc, value, count).getResult()
                       : builder.create<arith::DivSIOp>(loc, value, count).getResult();
    return narrow == wide ? value : builder.create<arith::TruncIOp>(loc, narrow, value).getResult();
  }

  /// The product of `extents` as `type`; for integers at least 1, so that the mean over nothing is 0.
  static Value elementCount(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> extents, Type type) {
    Value count = builder.create<arith::ConstantIndexOp>(loc, 1);
    for (OpFoldResult extent : extents)
      count = builder.createOrFold<arith::MulIOp>(loc, count,
                                                  getValueOrCreateConstantIndexOp(builder, loc, extent));
    if (isa<IntegerType>(type)) {
      Value one = builder.create<arith::ConstantIndexOp>(loc, 1);
      return builder.createOrFold<arith::IndexCastOp>(loc, type,
                                                      builder.createOrFold<arith::MaxSIOp>(loc, count, one));
    }
    Value integer = builder.createOrFold<arith::IndexCastOp>(loc, builder.getI64Type(), count);
    return builder.createOrFold<arith::SIToFPOp>(loc, type, integer);
  }
};

// ---- arg_reduce ------------------------------------------------------------------------------------------

struct ArgReduceToLinalg final : OpConversionPattern<ArgReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ArgReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LinalgBuilder linalg(rewriter, loc);
    auto x = tensorType(op.getX());
    int64_t axis = fromFront(op.getAxis(), x.getRank());
    ReductionLoops loops(rewriter, loc, adaptor.getX(), axis);
    Value result = axis == x.getRank() - 1 ? alongRows(op, adaptor.getX(), linalg, loops)
                                           : acrossRows(op, adaptor.getX(), axis, linalg, loops);
    if (op.getKeepdims())
      result = keepAxes(rewriter, loc, result, axis, x.getRank());
    rewriter.replaceOp(op, linalg.cast(result, op.getType()));
    return success();
  }

private:
  /// The extreme of a row, then the first (or last) place that holds it: two reductions that vector lanes
  /// share, where one of value and place together would go element by element.
  static Value alongRows(ArgReduceOp op, Value x, LinalgBuilder &linalg, ReductionLoops &loops) {
    Type source = tensorType(op.getX()).getElementType(), accumulator = accumulatorType(source);
    bool isUnsigned = source.isUnsignedInteger(), isMax = op.getKind() == ArgReduceKind::Max;
    TypedAttr start =
        isMax ? linalg.lowest(accumulator, isUnsigned) : linalg.highest(accumulator, isUnsigned);
    Value best = linalg.generic(x, linalg.filled(loops.sizes, start), {loops.input, loops.output},
                                loops.iterators, [&](OpBuilder &builder, Location loc, ValueRange scalars) {
                                  Value element = widenScalar(builder, loc, scalars[0], source, accumulator);
                                  return moreExtreme(builder, loc, element, scalars[1], isMax, isUnsigned);
                                });

    // Places are counted in as few bits as they are sure to fit, for more lanes.
    Builder attributes(op.getContext());
    int64_t extent = tensorType(op.getX()).getShape().back();
    bool isNarrow = !ShapedType::isDynamic(extent) && extent <= std::numeric_limits<int32_t>::max();
    Type counter = isNarrow ? attributes.getI32Type() : attributes.getI64Type();
    bool last = op.getSelectLast();
    TypedAttr none = last ? linalg.lowest(counter, false) : linalg.highest(counter, false);
    Value places =
        linalg.generic({x, best}, linalg.filled(loops.sizes, none), {loops.input, loops.output, loops.output},
                       loops.iterators, [&](OpBuilder &builder, Location loc, ValueRange scalars) -> Value {
                         Value element = widenScalar(builder, loc, scalars[0], source, accumulator);
                         Value isBest = matches(builder, loc, element, scalars[1]);
                         Value here = builder.create<arith::IndexCastOp>(
                             loc, counter, builder.create<linalg::IndexOp>(loc, loops.iterators.size() - 1));
                         Value unmet = builder.create<arith::ConstantOp>(loc, none);
                         Value place = builder.create<arith::SelectOp>(loc, isBest, here, unmet);
                         if (last)
                           return builder.create<arith::MaxSIOp>(loc, scalars[2], place);
                         return builder.create<arith::MinSIOp>(loc, scalars[2], place);
                       });
    return linalg.converted(places, attributes.getI64Type());
  }

  static Value moreExtreme(OpBuilder &builder, Location loc, Value a, Value b, bool isMax, bool isUnsigned) {
    if (isa<FloatType>(a.getType()))
      return isMax ? builder.create<arith::MaximumFOp>(loc, a, b).getResult()
                   : builder.create<arith::MinimumFOp>(loc, a, b).getResult();
    if (isUnsigned)
      return isMax ? builder.create<arith::MaxUIOp>(loc, a, b).getResult()
                   : builder.create<arith::MinUIOp>(loc, a, b).getResult();
    return isMax ? builder.create<arith::MaxSIOp>(loc, a, b).getResult()
                 : builder.create<arith::MinSIOp>(loc, a, b).getResult();
  }

  /// Whether both are equal, or both are NaN.
  static Value matches(OpBuilder &builder, Location loc, Value a, Value b) {
    if (!isa<FloatType>(a.getType()))
      return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a, b);
    using F = arith::CmpFPredicate;
    Value equal = builder.create<arith::CmpFOp>(loc, F::OEQ, a, b);
    Value bothNan = builder.create<arith::AndIOp>(loc, builder.create<arith::CmpFOp>(loc, F::UNO, a, a),
                                                  builder.create<arith::CmpFOp>(loc, F::UNO, b, b));
    return builder.create<arith::OrIOp>(loc, equal, bothNan);
  }

  /// Value and place at once, in the same element of every lane.
  static Value acrossRows(ArgReduceOp op, Value input, int64_t axis, LinalgBuilder &linalg,
                          ReductionLoops &loops) {
    auto x = tensorType(op.getX());
    Type accumulator = accumulatorType(x.getElementType());
    bool isUnsigned = x.getElementType().isUnsignedInteger(), isMax = op.getKind() == ArgReduceKind::Max;
    OpBuilder &rewriter = linalg.getBuilder();
    Location loc = op.getLoc();
    // Two results: the extreme so far and its index. Only elements that beat the start's -inf set an index,
    // but then all elements are -inf and 0 is right (select_last takes equal ones too).
    Value best = linalg.filled(loops.sizes, isMax ? linalg.lowest(accumulator, isUnsigned)
                                                  : linalg.highest(accumulator, isUnsigned));
    Value index = linalg.filled(loops.sizes, linalg.zero(rewriter.getI64Type()));
    auto generic = rewriter.create<linalg::GenericOp>(
        loc, TypeRange{best.getType(), index.getType()}, input, ValueRange{best, index},
        ArrayRef<AffineMap>{loops.input, loops.output, loops.output}, loops.iterators,
        [&](OpBuilder &builder, Location loc, ValueRange scalars) {
          Value element = widenScalar(builder, loc, scalars[0], x.getElementType(), accumulator);
          Value wins = beats(op, builder, element, scalars[1], isUnsigned);
          Value here = builder.create<arith::IndexCastOp>(loc, builder.getI64Type(),
                                                          builder.create<linalg::IndexOp>(loc, axis));
          Value value = builder.create<arith::SelectOp>(loc, wins, element, scalars[1]);
          Value where = builder.create<arith::SelectOp>(loc, wins, here, scalars[2]);
          builder.create<linalg::YieldOp>(loc, ValueRange{value, where});
        });
    return generic.getResult(1);
  }

  /// Whether `element` replaces `best`: it is more extreme (or as extreme, for select_last), or the first NaN
  /// (any NaN, for select_last).
  static Value beats(ArgReduceOp op, OpBuilder &builder, Value element, Value best, bool isUnsigned) {
    using F = arith::CmpFPredicate;
    using I = arith::CmpIPredicate;
    Location loc = op.getLoc();
    bool isMax = op.getKind() == ArgReduceKind::Max, last = op.getSelectLast();
    if (!isa<FloatType>(element.getType())) {
      I greater = isUnsigned ? (last ? I::uge : I::ugt) : (last ? I::sge : I::sgt);
      I less = isUnsigned ? (last ? I::ule : I::ult) : (last ? I::sle : I::slt);
      return builder.create<arith::CmpIOp>(loc, isMax ? greater : less, element, best);
    }
    F predicate = isMax ? (last ? F::OGE : F::OGT) : (last ? F::OLE : F::OLT);
    Value wins = builder.create<arith::CmpFOp>(loc, predicate, element, best);
    Value isNan = builder.create<arith::CmpFOp>(loc, F::UNO, element, element);
    if (!last) {
      Value noNanYet = builder.create<arith::CmpFOp>(loc, F::ORD, best, best);
      isNan = builder.create<arith::AndIOp>(loc, isNan, noNanYet);
    }
    return builder.create<arith::OrIOp>(loc, wins, isNan);
  }
};

} // namespace

void populateReductionToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ReduceToLinalg, ArgReduceToLinalg>(converter, patterns.getContext());
}

} // namespace kiln
