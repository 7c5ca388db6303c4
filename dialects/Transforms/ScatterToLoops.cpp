// ScatterToLoops.cpp: scatter_elements and scatter_nd: a copy, then one update after the other, in place.
#include "dialects/IR/Checks.h"
#include "dialects/IR/Scalar.h"
#include "dialects/Transforms/AxisGroups.h"
#include "dialects/Transforms/LinalgBuilder.h"
#include "dialects/Transforms/LoopBuilder.h"
#include "kiln/Transforms/ToLinalg.h"

using namespace mlir;

namespace kiln {

namespace {

using Values = LoopBuilder::Values;

/// What an element becomes; `tensor` has the unconverted type.
Value combined(OpBuilder &builder, Location loc, ScatterKind kind, Value old, Value update, Value tensor) {
  return binaryScalar(builder, loc, {old, update}, tensor, [&](Scalar a, Scalar b) {
    switch (kind) {
    case ScatterKind::Replace:
      return b;
    case ScatterKind::Add:
      return a + b;
    case ScatterKind::Mul:
      return a * b;
    case ScatterKind::Min:
      return min(a, b);
    case ScatterKind::Max:
      return max(a, b);
    }
    llvm_unreachable("a kind from outside the enum");
  });
}

/// `target` with the element at `at` updated.
Value updateElement(LoopBuilder &loops, ScatterKind kind, Value target, ValueRange at, Value update,
                    Value tensor) {
  if (kind == ScatterKind::Replace)
    return loops.store(update, target, at);
  Value value = combined(loops, loops.getLoc(), kind, loops.load(target, at), update, tensor);
  return loops.store(value, target, at);
}

// ---- scatter_elements: side by side along the axes before the indexed one
// ----------------------------------

struct ScatterElementsToLoops final : OpConversionPattern<ScatterElementsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ScatterElementsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LoopBuilder loops(loc, rewriter);
    Value x = adaptor.getX(), indices = adaptor.getIndices(), updates = adaptor.getUpdates();
    auto type = cast<RankedTensorType>(x.getType());
    int64_t rank = type.getRank(), axis = fromFront(op.getAxis(), rank);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, x);
    Value empty = loops.create<tensor::EmptyOp>(sizes, type.getElementType());
    Value extent = loops.extent(x, axis);
    Values indexExtents;
    for (int64_t i = 0; i < rank; ++i)
      indexExtents.push_back(loops.extent(indices, i));

    auto row = [&](ValueRange outer, ValueRange parts) -> Values {
      Value start = loops.copied(loops.part(x, outer), parts[0]);
      // Where there are fewer indices than rows, the others are copied only.
      Value some = loops.boolean(true);
      for (auto [position, bound] : llvm::zip(outer, indexExtents))
        some = loops.both(some, loops.less(position, bound));
      Values inner(ArrayRef(indexExtents).drop_front(axis));
      inner.front() = loops.select(some, inner.front(), loops.index(0));
      return loops.forEachIndex(inner, start, [&](ValueRange at, ValueRange carried) -> Values {
        Values from(outer), to(at);
        llvm::append_range(from, at);
        to.front() = loops.fromFront(loops.asIndex(loops.load(indices, from)), extent);
        return loops.choose(
            loops.isInside(to.front(), extent),
            [&]() -> Values {
              return {
                  updateElement(loops, op.getKind(), carried[0], to, loops.load(updates, from), op.getX())};
            },
            [&]() -> Values { return {carried[0]}; });
      });
    };
    rewriter.replaceOp(op, loops.forAll(ArrayRef(sizes).take_front(axis), 0, empty, row));
    return success();
  }
};

// ---- scatter_nd: rows of neighbouring elements
// -------------------------------------------------------------

struct ScatterNdToLoops final : OpConversionPattern<ScatterNdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ScatterNdOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LoopBuilder loops(loc, rewriter);
    auto type = cast<RankedTensorType>(adaptor.getX().getType());
    ArrayRef<int64_t> indexShape = tensorType(op.getIndices()).getShape();
    int64_t tuple = indexShape.back(), places = indexShape.size() - 1, behind = type.getRank() - tuple;
    SmallVector<int64_t> counts(tuple, 1);
    counts.push_back(behind);
    AxisGroups x(rewriter, loc, adaptor.getX(), counts);
    AxisGroups indices(rewriter, loc, adaptor.getIndices(), {places, 1});
    AxisGroups updates(rewriter, loc, adaptor.getUpdates(), {places, behind});

    Value start = loops.copied(x.tensor(), loops.emptyLike(x.tensor(), type.getElementType()));
    Values over;
    if (indices.has(0))
      over.push_back(getValueOrCreateConstantIndexOp(loops, loc, indices.extent(0)));
    Values result = loops.forEachIndex(over, start, [&](ValueRange from, ValueRange carried) -> Values {
      Values to;
      Value inside = loops.boolean(true);
      for (int64_t k = 0; k < tuple; ++k) {
        Values at(from);
        at.push_back(loops.index(k));
        Value extent = getValueOrCreateConstantIndexOp(loops, loc, x.extent(k));
        to.push_back(loops.fromFront(loops.asIndex(loops.load(indices.tensor(), at)), extent));
        inside = loops.both(inside, loops.isInside(to.back(), extent));
      }
      auto update = [&]() -> Values {
        if (behind == 0)
          return {updateElement(loops, op.getKind(), carried[0], to, loops.load(updates.tensor(), from),
                                op.getX())};
        Value row = loops.part(updates.tensor(), from);
        if (op.getKind() != ScatterKind::Replace)
          row = combinedRow(loops, op, loops.part(carried[0], to), row);
        return {loops.putPart(row, carried[0], to)};
      };
      return loops.choose(inside, update, [&]() -> Values { return {carried[0]}; });
    });
    Value expanded = AxisGroups::expand(rewriter, loc, result[0], counts,
                                        tensor::getMixedSizes(rewriter, loc, adaptor.getX()));
    rewriter.replaceOp(op, LinalgBuilder(rewriter, loc).cast(expanded, type));
    return success();
  }

private:
  static Value combinedRow(LoopBuilder &loops, ScatterNdOp op, Value old, Value row) {
    AffineMap identity = loops.getMultiDimIdentityMap(1);
    return LinalgBuilder(loops, loops.getLoc())
        .generic(row, old, {identity, identity}, utils::IteratorType::parallel,
                 [&](OpBuilder &builder, Location loc, ValueRange scalars) {
                   return combined(builder, loc, op.getKind(), scalars[1], scalars[0], op.getX());
                 });
  }
};

} // namespace

void populateScatterToLoops(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ScatterElementsToLoops, ScatterNdToLoops>(converter, patterns.getContext());
}

} // namespace kiln
