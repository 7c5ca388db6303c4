// SortingToLoops.cpp: top_k and sort: a heap of the k first elements so far, then heapsort, all in the
// results.
#include "dialects/IR/Checks.h"
#include "dialects/Transforms/AxisGroups.h"
#include "dialects/Transforms/HeapLoops.h"
#include "dialects/Transforms/LinalgBuilder.h"
#include "kiln/Transforms/ToLinalg.h"

using namespace mlir;

namespace kiln {

namespace {

using Values = LoopBuilder::Values;

/// Fills `values` and `indices` with the first elements of `line` in order. Indices make the order total, and
/// so the result stable.
Values orderLine(LoopBuilder &loops, Value line, Value values, Value indices, Value tensor, bool descending) {
  auto before = [&](ValueRange a, ValueRange b) -> Value {
    Value first = standsBefore(loops, a[0], b[0], tensor, descending),
          second = standsBefore(loops, b[0], a[0], tensor, descending);
    Value tie = loops.both(loops.negated(second), loops.less(a[1], b[1]));
    return loops.either(first, tie);
  };
  HeapLoops heap(loops, before);
  Value zero = loops.index(0), extent = loops.extent(line, 0);
  Value count = loops.min(loops.extent(values, 0), extent);
  auto element = [&](Value position) -> Values {
    return {loops.load(line, position), loops.asI64(position)};
  };
  Values kept = loops.forEach(zero, count, {values, indices}, [&](Value position, ValueRange now) {
    return heap.store(element(position), now, position);
  });
  kept = heap.build(kept, count);
  Value end = loops.select(loops.equal(count, zero), zero, extent);
  kept = loops.forEach(count, end, kept, [&](Value position, ValueRange now) {
    Values next = element(position);
    // Of equal elements the one that was there stays: its index is lower.
    Value enters = standsBefore(loops, next[0], loops.load(now[0], zero), tensor, descending);
    return loops.choose(
        enters, [&] { return heap.replaceRoot(now, count, next); }, [&] { return Values(now); });
  });
  return heap.sort(kept, count);
}

/// Orders the lines of `x` along `axis`; the results have extent `k` there.
Values orderLines(OpBuilder &builder, Location loc, Value x, int64_t axis, OpFoldResult k, Value tensor,
                  bool descending) {
  LoopBuilder loops(loc, builder);
  auto type = cast<RankedTensorType>(x.getType());
  int64_t behind = type.getRank() - axis - 1;
  AxisGroups groups(builder, loc, x, {axis, 1, behind});
  SmallVector<OpFoldResult> sizes = groups.of<OpFoldResult>({groups.extent(0), k, groups.extent(2)});
  SmallVector<OpFoldResult> over = groups.of<OpFoldResult>({groups.extent(0), {}, groups.extent(2)});
  llvm::erase_if(over, [](OpFoldResult extent) { return extent.isNull(); });
  Values empties{loops.create<tensor::EmptyOp>(sizes, type.getElementType()),
                 loops.create<tensor::EmptyOp>(sizes, builder.getI64Type())};
  size_t suffix = behind > 0;
  Values results = loops.forAll(over, suffix, empties, [&](ValueRange at, ValueRange parts) {
    Value line = loops.part(groups.tensor(), at.drop_back(suffix), at.take_back(suffix));
    return orderLine(loops, line, parts[0], parts[1], tensor, descending);
  });
  SmallVector<OpFoldResult> full = tensor::getMixedSizes(builder, loc, x);
  full[axis] = k;
  for (Value &result : results)
    result = AxisGroups::expand(builder, loc, result, {axis, 1, behind}, full);
  return results;
}

template <typename Op> struct OrderToLoops : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  /// Replaces `op` by the ordered lines of `x`.
  void replace(Op op, Value x, OpFoldResult k, bool descending, ConversionPatternRewriter &rewriter) const {
    int64_t axis = fromFront(op.getAxis(), tensorType(op.getX()).getRank());
    Values results = orderLines(rewriter, op.getLoc(), x, axis, k, op.getX(), descending);
    LinalgBuilder linalg(rewriter, op.getLoc());
    for (auto [result, type] : llvm::zip_equal(results, op->getResultTypes()))
      result = linalg.cast(result, this->getTypeConverter()->convertType(type));
    rewriter.replaceOp(op, results);
  }
};

struct TopKToLoops final : OrderToLoops<TopKOp> {
  using OrderToLoops::OrderToLoops;

  LogicalResult matchAndRewrite(TopKOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    replace(op, adaptor.getX(), op.getMixedK(), !op.getSmallest(), rewriter);
    return success();
  }
};

struct SortToLoops final : OrderToLoops<SortOp> {
  using OrderToLoops::OrderToLoops;

  LogicalResult matchAndRewrite(SortOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t axis = fromFront(op.getAxis(), tensorType(op.getX()).getRank());
    OpFoldResult extent = tensor::getMixedSize(rewriter, op.getLoc(), adaptor.getX(), axis);
    replace(op, adaptor.getX(), extent, op.getDescending(), rewriter);
    return success();
  }
};

} // namespace

void populateSortingToLoops(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<TopKToLoops, SortToLoops>(converter, patterns.getContext());
}

} // namespace kiln
