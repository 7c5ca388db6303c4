// CumulativeToLoops.cpp: cumulative as loops along its axis, over elements or over rows of the axes behind.
#include "dialects/IR/Checks.h"
#include "dialects/Transforms/AxisGroups.h"
#include "dialects/Transforms/LinalgBuilder.h"
#include "dialects/Transforms/LoopBuilder.h"
#include "kiln/Transforms/ToLinalg.h"

using namespace mlir;

namespace kiln {

namespace {

using Values = LoopBuilder::Values;

/// Rows of fewer elements than this are not worth a loop of their own: each column is a line.
constexpr int64_t kLeastRow = 8;

/// What one op computes and in which types.
struct Accumulation {
  explicit Accumulation(CumulativeOp op)
      : source(tensorType(op.getX()).getElementType()), accumulator(accumulatorType(source)),
        isSum(op.getKind() == CumulativeKind::Sum), isExclusive(op.getExclusive()),
        isReverse(op.getReverse()) {}

  TypedAttr start(LoopBuilder &loops) const {
    LinalgBuilder linalg(loops, loops.getLoc());
    return isSum ? linalg.zero(accumulator) : linalg.one(accumulator);
  }

  /// The total behind element `x`, and what is written for it.
  std::pair<Value, Value> add(OpBuilder &builder, Location loc, Value total, Value x) const {
    x = widenScalar(builder, loc, x, source, accumulator);
    Value next = combine(builder, loc, total, x), written = isExclusive ? total : next;
    if (signless(source) != accumulator)
      written = builder.create<arith::TruncFOp>(loc, source, written);
    return {next, written};
  }

  /// Where step `step` of `extent` is.
  Value place(LoopBuilder &loops, Value step, Value extent) const {
    return isReverse ? loops.sub(loops.sub(extent, loops.index(1)), step) : step;
  }

private:
  Value combine(OpBuilder &builder, Location loc, Value total, Value x) const {
    if (isa<FloatType>(accumulator))
      return isSum ? builder.create<arith::AddFOp>(loc, total, x).getResult()
                   : builder.create<arith::MulFOp>(loc, total, x).getResult();
    return isSum ? builder.create<arith::AddIOp>(loc, total, x).getResult()
                 : builder.create<arith::MulIOp>(loc, total, x).getResult();
  }

  Type source, accumulator;
  bool isSum, isExclusive, isReverse;
};

/// `target` with the totals of `line`: the total stays in a register.
Value alongLine(LoopBuilder &loops, const Accumulation &what, Value line, Value target) {
  Value extent = loops.extent(line, 0), start = loops.create<arith::ConstantOp>(what.start(loops));
  return loops.forEach(
      loops.index(0), extent, {start, target}, [&](Value step, ValueRange carried) -> Values {
        Value at = what.place(loops, step, extent);
        auto [total, written] = what.add(loops, loops.getLoc(), carried[0], loops.load(line, at));
        return {total, loops.store(written, carried[1], at)};
      })[1];
}

/// `target` with the totals of the rows of `x`: a row of totals is carried.
Value alongRows(LoopBuilder &loops, const Accumulation &what, Value x, Value target) {
  Location loc = loops.getLoc();
  Value extent = loops.extent(x, 0);
  Value start = LinalgBuilder(loops, loc).filled(tensor::getMixedSize(loops, loc, x, 1), what.start(loops));
  AffineMap identity = loops.getMultiDimIdentityMap(1);
  return loops.forEach(loops.index(0), extent, {start, target},
                       [&](Value step, ValueRange carried) -> Values {
                         Value at = what.place(loops, step, extent), row = loops.part(carried[1], at);
                         auto both = loops.create<linalg::GenericOp>(
                             TypeRange{start.getType(), row.getType()}, loops.part(x, at),
                             ValueRange{carried[0], row}, SmallVector<AffineMap>(3, identity),
                             SmallVector<utils::IteratorType>{utils::IteratorType::parallel},
                             [&](OpBuilder &builder, Location loc, ValueRange scalars) {
                               auto [total, written] = what.add(builder, loc, scalars[1], scalars[0]);
                               builder.create<linalg::YieldOp>(loc, ValueRange{total, written});
                             });
                         return {both.getResult(0), loops.putPart(both.getResult(1), carried[1], at)};
                       })[1];
}

struct CumulativeToLoops final : OpConversionPattern<CumulativeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(CumulativeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LoopBuilder loops(loc, rewriter);
    auto type = cast<RankedTensorType>(adaptor.getX().getType());
    int64_t axis = fromFront(op.getAxis(), type.getRank()), behind = type.getRank() - axis - 1;
    SmallVector<int64_t> counts{axis, 1, behind};
    AxisGroups x(rewriter, loc, adaptor.getX(), counts);
    bool byRows = x.has(2) && getConstantIntValue(x.extent(2)).value_or(kLeastRow) >= kLeastRow;
    size_t suffix = x.has(2) && !byRows;

    SmallVector<OpFoldResult> over;
    for (size_t group : {0, 2})
      if (x.has(group) && (group == 0 || suffix))
        over.push_back(x.extent(group));
    Value empty = loops.emptyLike(x.tensor(), type.getElementType());
    Accumulation what(op);
    Values totals = loops.forAll(over, suffix, empty, [&](ValueRange at, ValueRange parts) -> Values {
      Value part = loops.part(x.tensor(), at.drop_back(suffix), at.take_back(suffix));
      return {byRows ? alongRows(loops, what, part, parts[0]) : alongLine(loops, what, part, parts[0])};
    });
    Value result = AxisGroups::expand(rewriter, loc, totals[0], counts,
                                      tensor::getMixedSizes(rewriter, loc, adaptor.getX()));
    rewriter.replaceOp(op, LinalgBuilder(rewriter, loc).cast(result, type));
    return success();
  }
};

} // namespace

void populateCumulativeToLoops(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<CumulativeToLoops>(converter, patterns.getContext());
}

} // namespace kiln
