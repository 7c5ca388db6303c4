// NestEmitter.cpp: the loops and accumulators of a nest. Loads, stores and the body are in NestBody.cpp.
#include "backends/host/Transforms/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::host {

NestEmitter::NestEmitter(const LoopNest &nest, const NestPlan &plan, OpBuilder &outer)
    : nest(nest), plan(plan), builder(nest.op.getLoc(), outer), base(nest.loops()) {
  if (plan.vectorLoop)
    bodyLanes = nest.lanesAlong(*plan.vectorLoop);
  for (const NestOutput &output : nest.outputs)
    if (output.accumulates)
      accumulating.push_back(&output);
}

void NestEmitter::emit() { emitParallel(0); }

Value NestEmitter::constantIndex(int64_t value) { return builder.create<arith::ConstantIndexOp>(value); }

Value NestEmitter::offset(Value base, int64_t by) {
  if (by == 0)
    return base;
  if (std::optional<int64_t> known = getConstantIntValue(base))
    return constantIndex(*known + by);
  return builder.create<arith::AddIOp>(base, constantIndex(by), arith::IntegerOverflowFlags::nsw);
}

Value NestEmitter::extent(unsigned loop) {
  if (!ShapedType::isDynamic(nest.extents[loop]))
    return constantIndex(nest.extents[loop]);
  for (const NestOperand &operand : nest.operands)
    for (auto [i, expr] : llvm::enumerate(operand.map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr); operand.type && dim && dim.getPosition() == loop)
        return builder.create<memref::DimOp>(operand.value, i);
  llvm_unreachable("linalg verifies that every loop is bounded by an operand");
}

// ---- Loops -----------------------------------------------------------------------------------------------

NestEmitter::Values NestEmitter::range(int64_t begin, int64_t end, int64_t step, ValueRange carried,
                                       StepBody body) {
  if (begin + step >= end)
    return body(constantIndex(begin), step, false, carried);
  return range(constantIndex(begin), constantIndex(end), step, carried, body);
}

NestEmitter::Values NestEmitter::range(Value begin, Value end, int64_t step, ValueRange carried,
                                       StepBody body) {
  auto loop = builder.create<scf::ForOp>(begin, end, constantIndex(step), carried);
  OpBuilder::InsertionGuard guard(builder);
  if (!carried.empty() || loop.getBody()->empty())
    builder.setInsertionPointToEnd(loop.getBody());
  else
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  Values results = body(loop.getInductionVar(), step, false, loop.getRegionIterArgs());
  if (!carried.empty())
    builder.create<scf::YieldOp>(results);
  return loop.getResults();
}

NestEmitter::Values NestEmitter::walk(unsigned loop, ArrayRef<int64_t> steps, bool maskTail,
                                      ValueRange carried, StepBody body) {
  Values values(carried);
  if (int64_t count = nest.extents[loop]; !ShapedType::isDynamic(count)) {
    int64_t position = 0;
    for (int64_t step : steps) {
      int64_t end = position + (count - position) / step * step;
      if (end > position)
        values = range(position, end, step, values, body);
      position = end;
    }
    if (position < count)
      values = body(constantIndex(position), steps.back(), maskTail, values);
    return values;
  }
  // Each step is a multiple of the next, so that a position is always a multiple of the step that goes on
  // from it.
  Value count = extent(loop), position = constantIndex(0);
  for (int64_t step : steps) {
    Value end = count;
    if (step > 1)
      end = builder.create<arith::SubIOp>(count, builder.create<arith::RemUIOp>(count, constantIndex(step)));
    values = range(position, end, step, values, body);
    position = end;
  }
  if (!maskTail || steps.back() == 1)
    return values;
  Value some = builder.create<arith::CmpIOp>(arith::CmpIPredicate::slt, position, count);
  auto ifOp = builder.create<scf::IfOp>(ValueRange(values).getTypes(), some, /*addElse=*/!values.empty());
  OpBuilder::InsertionGuard guard(builder);
  auto fill = [&](Block *block, function_ref<Values()> make) {
    if (values.empty()) {
      builder.setInsertionPoint(block->getTerminator());
      make();
    } else {
      builder.setInsertionPointToEnd(block);
      builder.create<scf::YieldOp>(make());
    }
  };
  fill(ifOp.thenBlock(), [&] { return body(position, steps.back(), true, values); });
  if (!values.empty())
    fill(ifOp.elseBlock(), [&] { return values; });
  return values.empty() ? Values() : Values(ifOp.getResults());
}

void NestEmitter::setMask(unsigned loop, Value position, bool masked) {
  mask = nullptr;
  if (!masked)
    return;
  VectorType type = vectorOf(builder.getI1Type());
  if (std::optional<int64_t> begin = getConstantIntValue(position);
      begin && !ShapedType::isDynamic(nest.extents[loop])) {
    SmallVector<bool> bits(lanes);
    for (int64_t i = 0; i < lanes; ++i)
      bits[i] = *begin + i < nest.extents[loop];
    mask = builder.create<arith::ConstantOp>(type, DenseElementsAttr::get(type, bits));
    return;
  }
  Value rest = builder.create<arith::SubIOp>(extent(loop), position);
  mask = builder.create<vector::CreateMaskOp>(type, rest);
}

/// The rest of a loop that ran in steps of `from`: halves of it where that adds little code, then single
/// iterations.
void NestEmitter::appendSmallerSteps(unsigned loop, int64_t from, SmallVectorImpl<int64_t> &steps) {
  bool isCheap = nest.bodyOps <= 4 || !ShapedType::isDynamic(nest.extents[loop]);
  for (int64_t half = from / 2; isCheap && half >= 4; half /= 2)
    steps.push_back(half);
  steps.push_back(1);
}

void NestEmitter::emitParallel(size_t level) {
  if (level == plan.parallel.size())
    return emitPoint();
  unsigned loop = plan.parallel[level];
  if (plan.vectorLoop == loop)
    return emitVectorLoop(level);
  SmallVector<int64_t> steps;
  if (plan.jamLoop == loop && plan.jam > 1)
    steps.push_back(plan.jam);
  if (plan.transposes && plan.jamLoop == loop)
    appendSmallerSteps(loop, plan.jam, steps);
  else
    steps.push_back(1);
  walk(loop, steps, false, {}, [&](Value position, int64_t step, bool, ValueRange) {
    base[loop] = position;
    if (plan.jamLoop == loop)
      jamCount = step;
    emitParallel(level + 1);
    return Values();
  });
  base[loop] = nullptr;
}

void NestEmitter::emitVectorLoop(size_t level) {
  unsigned loop = plan.parallel[level];
  auto outer = loaded;
  SmallVector<unsigned> inner(plan.reduction);
  inner.push_back(loop);
  preload(inner);
  auto invariant = loaded;
  SmallVector<int64_t> steps;
  if (plan.unroll > 1)
    steps.push_back(int64_t(plan.unroll) * plan.lanes);
  steps.push_back(plan.lanes);
  if (!plan.maskTail)
    appendSmallerSteps(loop, plan.lanes, steps);
  walk(loop, steps, plan.maskTail, {}, [&](Value position, int64_t step, bool masked, ValueRange) {
    base[loop] = position;
    loaded = invariant;
    lanes = std::min<int64_t>(step, plan.lanes);
    vectorCount = step / lanes;
    setMask(loop, position, masked);
    emitParallel(level + 1);
    mask = nullptr;
    return Values();
  });
  base[loop] = nullptr;
  loaded = outer;
}

void NestEmitter::emitPoint() {
  if (plan.reduction.empty() && !plan.pairs) {
    auto outer = loaded;
    evaluate({});
    loaded = outer;
    return;
  }
  auto outer = loaded;
  preload(plan.reduction);
  if (plan.vectorLoop && nest.isReduction[*plan.vectorLoop])
    storeAccumulators(emitHorizontal(), /*addToOld=*/true);
  else
    storeAccumulators(emitReduction(0, initialAccumulators()), /*addToOld=*/false);
  loaded = outer;
}

NestEmitter::Values NestEmitter::emitReduction(size_t level, Values accumulators) {
  if (level == plan.reduction.size()) {
    auto outer = loaded;
    Values results = plan.pairs ? evaluatePairs(std::move(accumulators)) : evaluate(std::move(accumulators));
    loaded = outer;
    return results;
  }
  unsigned loop = plan.reduction[level];
  if (plan.vectorLoop == loop) // the horizontal loop is handled by its caller, with the block set
    return emitReduction(level + 1, std::move(accumulators));
  SmallVector<int64_t> steps{1};
  if (level + 1 == plan.reduction.size() && plan.reductionUnroll > 1)
    steps.insert(steps.begin(), plan.reductionUnroll);
  Values results =
      walk(loop, steps, false, accumulators, [&](Value position, int64_t step, bool, ValueRange carried) {
        Values values(carried);
        for (int64_t i = 0; i < step; ++i) {
          base[loop] = offset(position, i);
          values = emitReduction(level + 1, std::move(values));
        }
        return values;
      });
  base[loop] = nullptr;
  return results;
}

NestEmitter::Values NestEmitter::emitHorizontal() {
  unsigned loop = *plan.vectorLoop;
  SmallVector<unsigned> outerLoops(plan.reduction.begin(), std::prev(plan.reduction.end()));
  lanes = plan.lanes;
  vectorCount = plan.unroll;

  // Recursion over the other reduction loops with `unroll` vectors an output carried, the vector loop inside;
  // its last steps use the first vector alone, scalar ones the first lane's scalar accumulators behind the
  // vectors.
  bool scalarTail = !plan.maskTail;
  Values carried = neutralAccumulators();
  size_t wide = carried.size();
  if (scalarTail) {
    lanes = 1, vectorCount = 1;
    llvm::append_range(carried, neutralAccumulators());
  }
  std::function<Values(size_t, Values)> descend = [&](size_t level, Values values) -> Values {
    if (level < outerLoops.size())
      return walk(outerLoops[level], {1}, false, values,
                  [&](Value position, int64_t, bool, ValueRange inner) {
                    base[outerLoops[level]] = position;
                    return descend(level + 1, Values(inner));
                  });
    SmallVector<int64_t> steps;
    if (plan.unroll > 1)
      steps.push_back(int64_t(plan.unroll) * plan.lanes);
    steps.push_back(plan.lanes);
    if (scalarTail)
      steps.push_back(1);
    return walk(loop, steps, plan.maskTail, values,
                [&](Value position, int64_t step, bool masked, ValueRange inner) {
                  base[loop] = position;
                  Values results(inner);
                  lanes = step == 1 ? 1 : plan.lanes;
                  vectorCount = step == 1 ? 1 : step / plan.lanes;
                  setMask(loop, position, masked);
                  // The accumulators of this block: all vectors, the first of each (output, jam), or the
                  // scalars.
                  Values block;
                  size_t stride = vectorCount == 1 && lanes > 1 ? plan.unroll : 1;
                  size_t first = lanes == 1 ? wide : 0, last = lanes == 1 ? results.size() : wide;
                  for (size_t i = first; i < last; i += stride)
                    block.push_back(results[i]);
                  auto outer = loaded;
                  block = evaluate(std::move(block));
                  loaded = outer;
                  for (size_t i = first, k = 0; i < last; i += stride)
                    results[i] = block[k++];
                  mask = nullptr;
                  return results;
                });
  };
  carried = descend(0, carried);
  for (unsigned reduced : plan.reduction)
    base[reduced] = nullptr;
  Values scalars(carried.begin() + wide, carried.end());
  carried.truncate(wide);
  lanes = plan.lanes;
  Values results = horizontal(narrowAccumulators(std::move(carried), plan.unroll));
  lanes = 1, vectorCount = 1;
  if (scalarTail)
    for (auto [i, result] : llvm::enumerate(results))
      result = combine(*accumulating[i / jamCount], result, scalars[i]);
  return results;
}

// ---- Accumulators ----------------------------------------------------------------------------------------
// In the order output, jam, vector.

NestEmitter::Values NestEmitter::initialAccumulators() {
  Values values;
  for (const NestOutput *output : accumulating)
    for (unsigned jam = 0; jam < jamCount; ++jam)
      for (unsigned vector = 0; vector < vectorCount; ++vector)
        values.push_back(broadcast(load(output->operand, jam, vector)));
  return values;
}

NestEmitter::Values NestEmitter::neutralAccumulators() {
  Values values;
  for (const NestOutput *output : accumulating) {
    TypedAttr neutral = *arith::getNeutralElement(output->combiner);
    Value value = builder.create<arith::ConstantOp>(neutral);
    values.append(jamCount * vectorCount, broadcast(value));
  }
  return values;
}

NestEmitter::Values NestEmitter::narrowAccumulators(Values accumulators, unsigned fromVectors) {
  Values values;
  for (size_t i = 0; i < accumulators.size(); i += fromVectors) {
    // Pairs, then pairs of pairs: as short a chain as there is.
    SmallVector<Value> level(accumulators.begin() + i, accumulators.begin() + i + fromVectors);
    const NestOutput &output = *accumulating[i / fromVectors / jamCount];
    for (; level.size() > 1; level.truncate((level.size() + 1) / 2))
      for (size_t k = 0, half = (level.size() + 1) / 2; k + half < level.size(); ++k)
        level[k] = combine(output, level[k], level[k + half]);
    values.push_back(level.front());
  }
  return values;
}

NestEmitter::Values NestEmitter::horizontal(Values accumulators) {
  Values values;
  for (auto [i, accumulator] : llvm::enumerate(accumulators)) {
    Operation *op = accumulating[i / jamCount]->combiner;
    auto kind = llvm::TypeSwitch<Operation *, vector::CombiningKind>(op)
                    .Case<arith::AddFOp, arith::AddIOp>([](auto) { return vector::CombiningKind::ADD; })
                    .Case<arith::MulFOp, arith::MulIOp>([](auto) { return vector::CombiningKind::MUL; })
                    .Case<arith::MaximumFOp>([](auto) { return vector::CombiningKind::MAXIMUMF; })
                    .Case<arith::MinimumFOp>([](auto) { return vector::CombiningKind::MINIMUMF; })
                    .Case<arith::MaxNumFOp>([](auto) { return vector::CombiningKind::MAXNUMF; })
                    .Case<arith::MinNumFOp>([](auto) { return vector::CombiningKind::MINNUMF; })
                    .Case<arith::MaxSIOp>([](auto) { return vector::CombiningKind::MAXSI; })
                    .Case<arith::MinSIOp>([](auto) { return vector::CombiningKind::MINSI; })
                    .Case<arith::MaxUIOp>([](auto) { return vector::CombiningKind::MAXUI; })
                    .Case<arith::MinUIOp>([](auto) { return vector::CombiningKind::MINUI; })
                    .Case<arith::AndIOp>([](auto) { return vector::CombiningKind::AND; })
                    .Case<arith::OrIOp>([](auto) { return vector::CombiningKind::OR; })
                    .Default([](auto) { return vector::CombiningKind::XOR; });
    auto flags = arith::FastMathFlags::none;
    if (isa<arith::AddFOp, arith::MulFOp>(op))
      flags = arith::FastMathFlags::reassoc; // the order of lanes is ours anyway
    values.push_back(builder.create<vector::ReductionOp>(kind, accumulator, flags));
  }
  return values;
}

Value NestEmitter::combine(const NestOutput &output, Value lhs, Value rhs) {
  OperationState state(nest.op.getLoc(), output.combiner->getName());
  state.addOperands({lhs, rhs});
  state.addTypes(lhs.getType());
  state.addAttributes(output.combiner->getAttrs());
  return builder.create(state)->getResult(0);
}

void NestEmitter::storeAccumulators(Values accumulators, bool addToOld) {
  size_t i = 0;
  for (const NestOutput *output : accumulating)
    for (unsigned jam = 0; jam < jamCount; ++jam)
      for (unsigned vector = 0; vector < vectorCount; ++vector) {
        Value value = accumulators[i++];
        if (addToOld && output->readsOld)
          value = combine(*output, load(output->operand, jam, vector), value);
        store(value, nest.operands[output->operand], jam, vector);
      }
}

} // namespace kiln::host
