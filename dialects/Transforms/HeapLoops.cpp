// HeapLoops.cpp: binary heaps in tensors, for lowerings that order elements.
#include "dialects/Transforms/HeapLoops.h"

#include "dialects/IR/Scalar.h"

using namespace mlir;

namespace kiln {

HeapLoops::Values HeapLoops::load(ValueRange arrays, Value position) {
  return llvm::map_to_vector(arrays, [&](Value array) { return loops.load(array, position); });
}

HeapLoops::Values HeapLoops::store(ValueRange element, ValueRange arrays, Value position) {
  Values stored;
  for (auto [entry, array] : llvm::zip_equal(element, arrays))
    stored.push_back(loops.store(entry, array, position));
  return stored;
}

HeapLoops::Values HeapLoops::siftDown(ValueRange arrays, Value position, Value count, ValueRange element) {
  Values carried{position};
  llvm::append_range(carried, arrays);
  Value one = loops.index(1);
  auto step = [&](ValueRange values) -> std::pair<Value, Values> {
    Value here = values.front();
    ValueRange now = values.drop_front();
    Value left = loops.add(loops.add(here, here), one), right = loops.add(left, one);
    auto larger = [&]() -> Values { // the child that stands behind the other
      Value isRight = loops.choose(
          loops.less(right, count), [&]() -> Values { return {before(load(now, left), load(now, right))}; },
          [&]() -> Values { return {loops.boolean(false)}; })[0];
      Value child = loops.select(isRight, right, left);
      return {before(element, load(now, child)), child};
    };
    Values chosen = loops.choose(loops.less(left, count), larger,
                                 [&]() -> Values { return {loops.boolean(false), here}; });
    Values next{loops.select(chosen[0], chosen[1], here)};
    llvm::append_range(next, loops.choose(
                                 chosen[0], [&] { return store(load(now, chosen[1]), now, here); },
                                 [&] { return Values(now); }));
    return {chosen[0], next};
  };
  Values sifted = loops.repeat(carried, step);
  return store(element, ArrayRef(sifted).drop_front(), sifted.front());
}

HeapLoops::Values HeapLoops::build(ValueRange arrays, Value count) {
  Value half = loops.create<arith::ShRUIOp>(count, loops.index(1));
  Value last = loops.sub(half, loops.index(1));
  return loops.forEach(loops.index(0), half, arrays, [&](Value step, ValueRange now) {
    Value position = loops.sub(last, step);
    return siftDown(now, position, count, load(now, position));
  });
}

HeapLoops::Values HeapLoops::replaceRoot(ValueRange arrays, Value count, ValueRange element) {
  return siftDown(arrays, loops.index(0), count, element);
}

HeapLoops::Values HeapLoops::sort(ValueRange arrays, Value count) {
  Value last = loops.sub(count, loops.index(1));
  return loops.forEach(loops.index(0), last, arrays, [&](Value step, ValueRange now) {
    Value end = loops.sub(last, step);
    Values moved = load(now, end);
    Values rest = store(load(now, loops.index(0)), now, end);
    return siftDown(rest, loops.index(0), end, moved);
  });
}

Value standsBefore(LoopBuilder &loops, Value a, Value b, Value tensor, bool descending) {
  Type element = getElementTypeOrSelf(tensor);
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  Scalar x = widened(Scalar(loops, loops.getLoc(), a, isUnsigned)),
         y = widened(Scalar(loops, loops.getLoc(), b, isUnsigned));
  if (!x.isFloat())
    return (descending ? x > y : x < y).value();
  // Unordered comparisons are true with NaN; then the other one must be a number.
  auto compare = [&](arith::CmpFPredicate predicate, Scalar lhs, Scalar rhs) -> Value {
    return loops.create<arith::CmpFOp>(predicate, lhs.value(), rhs.value());
  };
  using P = arith::CmpFPredicate;
  if (descending)
    return loops.both(compare(P::UGT, x, y), compare(P::ORD, y, y));
  return loops.both(compare(P::ULT, x, y), compare(P::ORD, x, x));
}

} // namespace kiln
