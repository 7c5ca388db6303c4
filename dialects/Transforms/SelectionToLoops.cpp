// SelectionToLoops.cpp: nonzero, unique and nms: loops that write what they find one behind the other.
#include "dialects/IR/Checks.h"
#include "dialects/IR/Scalar.h"
#include "dialects/Transforms/AxisGroups.h"
#include "dialects/Transforms/HeapLoops.h"
#include "dialects/Transforms/LinalgBuilder.h"
#include "kiln/Transforms/ToLinalg.h"

using namespace mlir;

namespace kiln {

namespace {

using Values = LoopBuilder::Values;

// ---- nonzero ---------------------------------------------------------------------------------------------

struct NonzeroToLoops final : OpConversionPattern<NonzeroOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(NonzeroOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LoopBuilder loops(loc, rewriter);
    Value x = adaptor.getX();
    int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
    SmallVector<OpFoldResult> sizes{rewriter.getIndexAttr(rank), op.getMixedCount()};
    Value result = loops.zeroed(loops.create<tensor::EmptyOp>(sizes, rewriter.getI64Type()));
    if (rank > 0) {
      Value count = getValueOrCreateConstantIndexOp(loops, loc, op.getMixedCount());
      Values extents;
      for (int64_t axis = 0; axis < rank; ++axis)
        extents.push_back(loops.extent(x, axis));
      Values start{loops.index(0), result};
      result = loops.forEachIndex(extents, start, [&](ValueRange at, ValueRange carried) -> Values {
        Value found = loops.both(isNonzero(loops, loops.load(x, at)), loops.less(carried[0], count));
        return loops.choose(
            found,
            [&]() -> Values {
              Value written = carried[1];
              for (auto [axis, position] : llvm::enumerate(at)) {
                Value to[] = {loops.index(axis), carried[0]};
                written = loops.store(loops.asI64(position), written, to);
              }
              return {loops.add(carried[0], loops.index(1)), written};
            },
            [&] { return Values(carried); });
      })[1];
    }
    rewriter.replaceOp(op, LinalgBuilder(rewriter, loc).cast(result, op.getType()));
    return success();
  }

private:
  static Value isNonzero(LoopBuilder &loops, Value element) {
    if (element.getType().isInteger(1))
      return element;
    return notEqual(widened(Scalar(loops, loops.getLoc(), element)), 0.0).value();
  }
};

// ---- unique: order the slices, then number the runs of equal ones -----------------------------------------

/// Loops over the slices of one tensor along an axis.
class Slices {
public:
  Slices(LoopBuilder &loops, Value x, int64_t axis, Value tensor)
      : loops(loops), tensor(tensor),
        groups(loops, loops.getLoc(), x,
               {axis, 1, cast<RankedTensorType>(x.getType()).getRank() - axis - 1}) {}

  Value count() { return getValueOrCreateConstantIndexOp(loops, loops.getLoc(), groups.extent(1)); }

  /// Whether slice `a` stands before slice `b` in lexicographic order.
  Value before(Value a, Value b) {
    auto elements = [&](Value outer, Value inner) -> std::pair<Value, Value> {
      Value first[] = {outer, a, inner}, second[] = {outer, b, inner};
      return {loops.load(groups.tensor(), groups.of<Value>(first)),
              loops.load(groups.tensor(), groups.of<Value>(second))};
    };
    if (!groups.has(0) && !groups.has(2)) {
      auto [first, second] = elements({}, {});
      return standsBefore(loops, first, second, tensor, /*descending=*/false);
    }
    // Element by element until two differ.
    Value one = loops.index(1), inner = extentOf(2), total = loops.mul(extentOf(0), inner);
    Values start{loops.index(0), loops.boolean(false)};
    return loops.choose(
        loops.less(loops.index(0), total),
        [&]() -> Values {
          return {loops.repeat(start, [&](ValueRange now) -> std::pair<Value, Values> {
            auto [first, second] = elements(loops.create<arith::DivUIOp>(now[0], inner),
                                            loops.create<arith::RemUIOp>(now[0], inner));
            Value less = standsBefore(loops, first, second, tensor, false),
                  greater = standsBefore(loops, second, first, tensor, false);
            Value next = loops.add(now[0], one);
            Value goOn = loops.both(loops.negated(loops.either(less, greater)), loops.less(next, total));
            return {goOn, {next, less}};
          })[1]};
        },
        [&]() -> Values { return {loops.boolean(false)}; })[0];
  }

private:
  Value extentOf(size_t group) {
    return groups.has(group) ? getValueOrCreateConstantIndexOp(loops, loops.getLoc(), groups.extent(group))
                             : loops.index(1);
  }

  LoopBuilder &loops;
  Value tensor; // of the unconverted type
  AxisGroups groups;
};

struct UniqueToLoops final : OpConversionPattern<UniqueOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(UniqueOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LoopBuilder loops(op.getLoc(), rewriter);
    int64_t axis = fromFront(op.getAxis(), tensorType(op.getX()).getRank());
    Slices slices(loops, adaptor.getX(), axis, op.getX());
    OpFoldResult size = tensor::getMixedSize(rewriter, op.getLoc(), adaptor.getX(), axis);
    auto line = [&]() -> Value { return loops.create<tensor::EmptyOp>(size, rewriter.getI64Type()); };

    Value order = orderOf(loops, slices, line());
    Values groups = number(loops, slices, order, {loops.zeroed(line()), line(), loops.zeroed(line())});
    if (!op.getSorted())
      groups = renumber(loops, slices, groups, {loops.zeroed(line()), line(), loops.zeroed(line())}, line());
    Value count = loops.create<tensor::EmptyOp>(ArrayRef<OpFoldResult>(), rewriter.getI64Type());
    groups[3] = loops.store(loops.asI64(groups[3]), count, {});
    rewriter.replaceOp(op, groups);
    return success();
  }

private:
  /// The numbers of the slices, ordered by slice and then by number.
  static Value orderOf(LoopBuilder &loops, Slices &slices, Value order) {
    auto before = [&](ValueRange a, ValueRange b) -> Value {
      Value i = loops.asIndex(a[0]), j = loops.asIndex(b[0]);
      Value tie = loops.both(loops.negated(slices.before(j, i)), loops.less(i, j));
      return loops.either(slices.before(i, j), tie);
    };
    HeapLoops heap(loops, before);
    Values now = loops.forEach(loops.index(0), slices.count(), order, [&](Value i, ValueRange now) -> Values {
      return {loops.store(loops.asI64(i), now[0], i)};
    });
    return heap.sort(heap.build(now, slices.count()), slices.count())[0];
  }

  /// Writes {first, inverse, counts} for groups in the order of their slices; their number comes behind.
  static Values number(LoopBuilder &loops, Slices &slices, Value order, Values results) {
    Value zero = loops.index(0), one = loops.index(1);
    results.push_back(zero);
    return loops.forEach(zero, slices.count(), results, [&](Value p, ValueRange now) -> Values {
      Value slice = loops.asIndex(loops.load(order, p));
      auto differs = [&]() -> Values {
        return {slices.before(loops.asIndex(loops.load(order, loops.sub(p, one))), slice)};
      };
      auto starts = [&]() -> Values { return {loops.boolean(true)}; };
      Value isNew = loops.choose(loops.equal(p, zero), starts, differs)[0];
      Value count = loops.select(isNew, loops.add(now[3], one), now[3]), group = loops.sub(count, one);
      auto note = [&]() -> Values { return {loops.store(loops.asI64(slice), now[0], group)}; };
      Value first = loops.choose(isNew, note, [&]() -> Values { return {now[0]}; })[0];
      Value inverse = loops.store(loops.asI64(group), now[1], slice);
      Value members = loops.add(loops.load(now[2], group), loops.asI64(one));
      return {first, inverse, loops.store(members, now[2], group), count};
    });
  }

  /// The same for groups in the order of their first slices: a group is met first there.
  static Values renumber(LoopBuilder &loops, Slices &slices, ValueRange groups, Values results,
                         Value numbers) {
    Value zero = loops.index(0), one = loops.index(1);
    results.append({zero, numbers});
    Values renumbered =
        loops.forEach(zero, slices.count(), results, [&](Value slice, ValueRange now) -> Values {
          Value group = loops.asIndex(loops.load(groups[1], slice));
          Value isFirst = loops.equal(loops.asIndex(loops.load(groups[0], group)), slice);
          auto meet = [&]() -> Values {
            return {loops.store(loops.asI64(slice), now[0], now[3]),
                    loops.store(loops.load(groups[2], group), now[2], now[3]), loops.add(now[3], one),
                    loops.store(loops.asI64(now[3]), now[4], group)};
          };
          Values met =
              loops.choose(isFirst, meet, [&]() -> Values { return {now[0], now[2], now[3], now[4]}; });
          Value inverse = loops.store(loops.load(met[3], group), now[1], slice);
          return {met[0], inverse, met[1], met[2], met[3]};
        });
    renumbered.pop_back();
    return renumbered;
  }
};

// ---- nms: a heap with the best candidate at its root ------------------------------------------------------

struct NmsToLoops final : OpConversionPattern<NmsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(NmsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LoopBuilder loops(loc, rewriter);
    Value scores = adaptor.getScores();
    SmallVector<OpFoldResult> over = tensor::getMixedSizes(rewriter, loc, scores);
    over.pop_back();
    SmallVector<OpFoldResult> sizes(over), countSizes(over);
    sizes.push_back(op.getMixedLimit());
    countSizes.push_back(rewriter.getIndexAttr(1));
    Values empties{loops.create<tensor::EmptyOp>(sizes, rewriter.getI64Type()),
                   loops.create<tensor::EmptyOp>(countSizes, rewriter.getI64Type())};
    Value limit = getValueOrCreateConstantIndexOp(loops, loc, op.getMixedLimit());
    Value iou = loops.load(adaptor.getIouThreshold(), {});
    Value least = adaptor.getScoreThreshold() ? loops.load(adaptor.getScoreThreshold(), {}) : Value();
    Values results = loops.forAll(over, 0, empties, [&](ValueRange at, ValueRange parts) {
      Value line = loops.part(scores, at), boxes = loops.part(adaptor.getBoxes(), at.take_front(1));
      Values found =
          select(loops, line, boxes, loops.zeroed(parts[0]), limit, iou, least, op.getCenterPointBox());
      return Values{found[0], loops.store(loops.asI64(found[1]), parts[1], loops.index(0))};
    });
    SmallVector<ReassociationIndices> merge{{0}, {1, 2}};
    Value counts = loops.create<tensor::CollapseShapeOp>(results[1], merge);
    LinalgBuilder linalg(rewriter, loc);
    rewriter.replaceOp(op, {linalg.cast(results[0], op.getSelected().getType()),
                            linalg.cast(counts, op.getCounts().getType())});
    return success();
  }

private:
  /// The selected boxes of one class, written to `selected`, and their number.
  static Values select(LoopBuilder &loops, Value scores, Value boxes, Value selected, Value limit, Value iou,
                       Value least, bool isCentered) {
    auto behind = [&](ValueRange a, ValueRange b) -> Value { // the best stands last, at the root
      Value better = loops.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, b[0], a[0]),
            equal = loops.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, b[0], a[0]);
      return loops.either(better, loops.both(equal, loops.less(b[1], a[1])));
    };
    HeapLoops heap(loops, behind);
    Value zero = loops.index(0), one = loops.index(1);
    Values candidates{zero, loops.emptyLike(scores, loops.getF32Type()),
                      loops.emptyLike(scores, loops.getI64Type())};
    candidates = loops.forEach(zero, loops.extent(scores, 0), candidates, [&](Value i, ValueRange now) {
      Value score = loops.load(scores, i);
      Value enters = loops.create<arith::CmpFOp>(
          least ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::ORD, score, least ? least : score);
      auto add = [&]() -> Values {
        Values next{loops.add(now[0], one)};
        Value element[] = {score, loops.asI64(i)};
        llvm::append_range(next, heap.store(element, now.drop_front(), now[0]));
        return next;
      };
      return loops.choose(enters, add, [&] { return Values(now); });
    });
    Value count = candidates[0];
    Values state{count, zero, selected};
    llvm::append_range(state, heap.build(ArrayRef(candidates).drop_front(), count));
    // Takes the best candidate, keeps it unless it overlaps, and closes the gap with the last one.
    Values visited = loops.repeat(state, [&](ValueRange now) -> std::pair<Value, Values> {
      Value goOn = loops.both(loops.less(zero, now[0]), loops.less(now[1], limit));
      auto visit = [&]() -> Values {
        ValueRange arrays = now.drop_front(3);
        Value box = loops.load(arrays[1], zero), left = loops.sub(now[0], one);
        Value overlaps = overlapsAny(loops, boxes, loops.asIndex(box), now[2], now[1], iou, isCentered);
        Values kept = loops.choose(
            overlaps, [&]() -> Values { return {now[1], now[2]}; },
            [&]() -> Values { return {loops.add(now[1], one), loops.store(box, now[2], now[1])}; });
        Values next{left, kept[0], kept[1]};
        llvm::append_range(next, heap.replaceRoot(arrays, left, heap.load(arrays, left)));
        return next;
      };
      return {goOn, loops.choose(goOn, visit, [&] { return Values(now); })};
    });
    return {visited[2], visited[1]};
  }

  /// Whether box `candidate` overlaps one of the first `count` selected ones too much.
  static Value overlapsAny(LoopBuilder &loops, Value boxes, Value candidate, Value selected, Value count,
                           Value iou, bool isCentered) {
    Values own = corners(loops, boxes, candidate, isCentered);
    Value zero = loops.index(0), one = loops.index(1);
    auto search = [&]() -> Values {
      return {loops.repeat({zero, loops.boolean(false)}, [&](ValueRange now) -> std::pair<Value, Values> {
        Values other = corners(loops, boxes, loops.asIndex(loops.load(selected, now[0])), isCentered);
        Value next = loops.add(now[0], one);
        Value overlaps = loops.create<arith::CmpFOp>(arith::CmpFPredicate::OGT,
                                                     intersectionOverUnion(loops, own, other), iou);
        Value goOn = loops.both(loops.negated(overlaps), loops.less(next, count));
        return {goOn, {next, overlaps}};
      })[1]};
    };
    return loops.choose(loops.less(zero, count), search,
                        [&]() -> Values { return {loops.boolean(false)}; })[0];
  }

  /// {low, high} of the first axis, then of the second.
  static Values corners(LoopBuilder &loops, Value boxes, Value box, bool isCentered) {
    auto entry = [&](int64_t i) -> Scalar {
      Value at[] = {box, loops.index(i)};
      return Scalar(loops, loops.getLoc(), loops.load(boxes, at));
    };
    Values result;
    for (int64_t axis : {0, 1}) {
      Scalar a = entry(axis), b = entry(axis + 2);
      Scalar half = b * 0.5;
      Scalar low = isCentered ? a - half : min(a, b), high = isCentered ? a + half : max(a, b);
      result.append({low.value(), high.value()});
    }
    return result;
  }

  static Value intersectionOverUnion(LoopBuilder &loops, const Values &a, const Values &b) {
    auto scalar = [&](Value value) { return Scalar(loops, loops.getLoc(), value); };
    Scalar shared = scalar(a[0]).like(1.0), areaA = shared, areaB = shared;
    for (size_t axis : {0, 2}) {
      Scalar lowA = scalar(a[axis]), highA = scalar(a[axis + 1]), lowB = scalar(b[axis]),
             highB = scalar(b[axis + 1]);
      shared = shared * max(min(highA, highB) - max(lowA, lowB), 0.0);
      areaA = areaA * (highA - lowA);
      areaB = areaB * (highB - lowB);
    }
    return (shared / (areaA + areaB - shared)).value();
  }
};

} // namespace

void populateSelectionToLoops(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<NonzeroToLoops, UniqueToLoops, NmsToLoops>(converter, patterns.getContext());
}

} // namespace kiln
