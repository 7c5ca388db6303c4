// LoopNest.cpp: strides by loop from the indexing maps; the vector loop is the one of least estimated cost.
#include "backends/host/Transforms/LoopNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace kiln::host {
namespace {

/// Ops that one math function expands to, about: keeps the unrolled code small.
constexpr unsigned kMathFunctionOps = 20;

/// The coefficient of loop `dim` in `expr`; nothing if the expression is not linear in it.
std::optional<int64_t> coefficient(AffineExpr expr, unsigned dim) {
  if (!expr.isFunctionOfDim(dim))
    return 0;
  if (auto position = dyn_cast<AffineDimExpr>(expr))
    return position.getPosition() == dim ? 1 : 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<int64_t> lhs = coefficient(binary.getLHS(), dim), rhs = coefficient(binary.getRHS(), dim);
  if (!lhs || !rhs)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Add)
    return *lhs + *rhs;
  if (binary.getKind() == AffineExprKind::Mul)
    if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return *lhs * factor.getValue();
  return std::nullopt;
}

NestOperand analyseOperand(Value value, AffineMap map, ArrayRef<int64_t> memrefStrides, size_t loops) {
  NestOperand operand{value, dyn_cast<MemRefType>(value.getType()), map, {}, {}};
  operand.isDenseInside = !memrefStrides.empty() && memrefStrides.back() == 1;
  for (unsigned loop = 0; loop < loops; ++loop) {
    int64_t total = 0;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (memrefStrides.empty())
        break;
      std::optional<int64_t> factor = coefficient(expr, loop);
      if (factor && *factor == 0)
        continue;
      if (!factor || ShapedType::isDynamic(memrefStrides[i]) || ShapedType::isDynamic(total))
        total = ShapedType::kDynamic;
      else
        total += *factor * memrefStrides[i];
    }
    operand.strides.push_back(total);
    operand.steps.push_back(total == 0 ? Step::None : total == 1 ? Step::Unit : Step::Strided);
  }
  return operand;
}

bool isVectorizable(Operation &op) {
  return OpTrait::hasElementwiseMappableTraits(&op) ||
         isa<linalg::IndexOp, linalg::YieldOp, memref::LoadOp>(op) || op.hasTrait<OpTrait::ConstantLike>();
}

unsigned weight(Operation &op) {
  if (isa<math::MathDialect>(op.getDialect()) &&
      !isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::SqrtOp>(op))
    return isa<math::FloorOp, math::CeilOp, math::RoundEvenOp, math::TruncOp, math::CopySignOp>(op)
               ? 1
               : kMathFunctionOps;
  return isa<linalg::YieldOp>(op) || op.hasTrait<OpTrait::ConstantLike>() ? 0 : 1;
}

/// The associative op that alone folds a new value into output `index`.
Operation *findCombiner(Block &body, unsigned index, BlockArgument old) {
  Operation *op = body.getTerminator()->getOperand(index).getDefiningOp();
  if (!op || op->getBlock() != &body || !old.hasOneUse() || *old.getUsers().begin() != op)
    return nullptr;
  return isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::AddIOp, arith::MulIOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
             arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op)
             ? op
             : nullptr;
}

} // namespace

FailureOr<LoopNest> LoopNest::analyse(linalg::GenericOp op) {
  LoopNest nest;
  nest.op = op;
  for (utils::IteratorType type : op.getIteratorTypesArray())
    nest.isReduction.push_back(type == utils::IteratorType::reduction);
  nest.extents = op.getStaticLoopRanges();
  auto noteElement = [&](Type type) {
    if (type.isIntOrFloat())
      nest.elementBits = std::max(nest.elementBits, std::max(8u, type.getIntOrFloatBitWidth()));
  };

  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (OpOperand &use : op->getOpOperands()) {
    SmallVector<int64_t> strides;
    if (auto type = dyn_cast<MemRefType>(use.get().getType())) {
      int64_t offset;
      if (failed(getStridesAndOffset(type, strides, offset)))
        return failure();
      noteElement(type.getElementType());
    } else if (isa<ShapedType>(use.get().getType())) {
      return failure();
    }
    nest.operands.push_back(
        analyseOperand(use.get(), maps[use.getOperandNumber()], strides, nest.extents.size()));
  }

  Block &body = *op.getBody();
  nest.vectorizable = true;
  for (Operation &inner : body) {
    nest.vectorizable &= isVectorizable(inner);
    nest.bodyOps += weight(inner);
    for (Type type : inner.getResultTypes())
      noteElement(type);
  }
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    NestOutput output{static_cast<unsigned>(op.getNumDpsInputs() + i)};
    BlockArgument old = body.getArgument(output.operand);
    output.readsOld = !old.use_empty();
    output.accumulates = nest.hasReduction();
    for (unsigned loop = 0; loop < nest.loops(); ++loop)
      output.accumulates &= !nest.isReduction[loop] || !maps[output.operand].isFunctionOfDim(loop);
    output.combiner = findCombiner(body, i, old);
    nest.outputs.push_back(output);
  }
  if (nest.elementBits == 0)
    nest.elementBits = 64;
  nest.pairs = PairProduct::match(nest);
  return nest;
}

BodyLanes LoopNest::lanesAlong(unsigned loop) const {
  return BodyLanes(op, loop, [&](unsigned operand) { return operands[operand].map.isFunctionOfDim(loop); });
}

namespace {

/// Cost of one iteration's indexed loads, as vectorCost counts.
double indexedLoadCost(const LoopNest &nest, unsigned loop, double vectorElements) {
  BodyLanes body = nest.lanesAlong(loop);
  double cost = 0;
  for (memref::LoadOp load : nest.op.getBody()->getOps<memref::LoadOp>())
    switch (body.accessOf(load)) {
    case Access::Broadcast:
      cost += 0.5 / vectorElements;
      break;
    case Access::Contiguous:
      cost += 1.0 / vectorElements;
      break;
    case Access::Reversed:
      cost += 1.5 / vectorElements;
      break;
    case Access::Gathered:
      cost += 1.5;
      break;
    }
  return cost;
}

/// The parallel loop whose iterations fill the gaps that `loop` leaves in every output: what its iterations
/// compute is shuffled together into contiguous vectors.
std::optional<unsigned> interleavedLoop(const LoopNest &nest, unsigned loop) {
  std::optional<unsigned> found;
  for (const NestOutput &output : nest.outputs) {
    const NestOperand &operand = nest.operands[output.operand];
    std::optional<int64_t> stride = operand.smallStride(loop);
    if (!stride || output.readsOld || nest.hasReduction())
      return std::nullopt;
    std::optional<unsigned> filling;
    for (unsigned other = 0; other < nest.loops(); ++other)
      if (operand.steps[other] == Step::Unit && nest.extents[other] == *stride)
        filling = other;
    if (!filling || (found && *found != *filling))
      return std::nullopt;
    found = filling;
  }
  return found;
}

/// Cost of one iteration in scalar instructions, about, if `loop` is the vector loop; infinite if it cannot
/// be.
double vectorCost(const LoopNest &nest, unsigned loop, unsigned lanes) {
  constexpr double impossible = 1e30;
  double utilisation = 1;
  if (int64_t extent = nest.extents[loop]; !ShapedType::isDynamic(extent)) {
    if (extent < 2)
      return impossible;
    utilisation = double(extent) / (llvm::divideCeil(extent, lanes) * lanes);
  }
  double cost = (nest.bodyOps + 1) / (lanes * utilisation);
  bool interleaves = interleavedLoop(nest, loop).has_value();
  for (auto [i, operand] : llvm::enumerate(nest.operands))
    switch (operand.steps[loop]) {
    case Step::None:
      cost += operand.type ? 0.5 / lanes : 0;
      break;
    case Step::Unit:
      cost += 1.0 / (lanes * utilisation);
      break;
    case Step::Strided:
      if (interleaves && i >= nest.operands.size() - nest.outputs.size())
        cost += 2.0 / (lanes * utilisation);
      else
        cost += operand.smallStride(loop) && i < nest.operands.size() - nest.outputs.size()
                    ? 1.5 * operand.strides[loop] / (lanes * utilisation)
                    : 1.5;
      break;
    }
  cost += indexedLoadCost(nest, loop, lanes * utilisation);
  for (const NestOutput &output : nest.outputs) {
    if (nest.operands[output.operand].steps[loop] != Step::None)
      continue;
    if (!nest.isReduction[loop] || !output.accumulates || !output.combiner)
      return impossible;
    // The horizontal step at the end, spread over the iterations of this loop and those inside the output's
    // point.
    int64_t points = 1;
    for (unsigned other = 0; other < nest.loops(); ++other)
      if (nest.operands[output.operand].steps[other] == Step::None)
        points *=
            ShapedType::isDynamic(nest.extents[other]) ? 256 : std::max<int64_t>(1, nest.extents[other]);
    cost += 12.0 / points;
  }
  return cost;
}

/// A strided operand of the vector loop that has unit stride in another parallel loop: that loop.
std::optional<unsigned> transposeLoop(const LoopNest &nest, unsigned vectorLoop) {
  std::optional<unsigned> found;
  for (const NestOperand &operand : nest.operands) {
    if (operand.steps[vectorLoop] != Step::Strided)
      continue;
    std::optional<unsigned> unit;
    for (unsigned loop = 0; loop < nest.loops(); ++loop)
      if (!nest.isReduction[loop] && operand.steps[loop] == Step::Unit)
        unit = loop;
    if (!unit || (found && *found != *unit))
      return std::nullopt;
    found = unit;
  }
  return found;
}

bool canMask(const LoopNest &nest, const VectorTarget &target) {
  auto masks = [&](MemRefType type) {
    Type element = type.getElementType();
    bool isWord = element.isIndex() || element.getIntOrFloatBitWidth() >= 32;
    return isWord ? target.maskWords : target.maskBytes;
  };
  return llvm::all_of(nest.operands,
                      [&](const NestOperand &operand) { return !operand.type || masks(operand.type); }) &&
         llvm::all_of(nest.op.getBody()->getOps<memref::LoadOp>(),
                      [&](memref::LoadOp load) { return masks(load.getMemRefType()); });
}

/// A parallel loop in which some operand does not move: running its iterations side by side reuses what was
/// loaded.
std::optional<unsigned> reuseLoop(const LoopNest &nest, unsigned vectorLoop) {
  std::optional<unsigned> best;
  unsigned bestReuse = 0;
  for (unsigned loop = 0; loop < nest.loops(); ++loop) {
    if (nest.isReduction[loop] || loop == vectorLoop || nest.extents[loop] == 1)
      continue;
    unsigned reuse = 0;
    for (size_t i = 0; i < nest.operands.size() - nest.outputs.size(); ++i)
      if (const NestOperand &operand = nest.operands[i]; operand.type && operand.steps[loop] == Step::None)
        reuse += operand.steps[vectorLoop] == Step::None ? 1 : 2; // a vector saved counts more than a scalar
    if (reuse > bestReuse) {
      best = loop;
      bestReuse = reuse;
    }
  }
  return best;
}

void planContraction(const LoopNest &nest, const VectorTarget &target, NestPlan &plan) {
  // One accumulator a register; MR x NR/VL + NR/VL + 1 of them fit. 6x2 for 16 registers, 12x2 for 32.
  std::optional<unsigned> jam = reuseLoop(nest, *plan.vectorLoop);
  plan.unroll = nest.isReduction[*plan.vectorLoop] ? (jam ? 1 : 4) : (jam ? 2 : 8);
  if (int64_t extent = nest.extents[*plan.vectorLoop]; !ShapedType::isDynamic(extent))
    plan.unroll = std::clamp<int64_t>(extent / plan.lanes, 1, plan.unroll);
  if (!jam)
    return;
  plan.jamLoop = jam;
  unsigned accumulators = plan.unroll * std::max<size_t>(1, nest.outputs.size());
  plan.jam = std::max(1u, (target.registers - plan.unroll - 2) / accumulators);
  plan.jam = std::min(plan.jam, 12u);
  if (int64_t extent = nest.extents[*jam]; !ShapedType::isDynamic(extent)) {
    // Equal blocks: 16 rows are 3 x 5 + 1 by the largest block, 4 x 4 by this.
    int64_t blocks = llvm::divideCeil(extent, plan.jam);
    int64_t even = llvm::divideCeil(extent, blocks);
    plan.jam = extent % even == 0 || even == plan.jam ? even : plan.jam;
    for (unsigned smaller = plan.jam; smaller * 4 >= plan.jam * 3 && smaller > 1; --smaller)
      if (extent % smaller == 0) {
        plan.jam = smaller;
        break;
      }
  }
}

/// Register tiles of products in pairs, rows innermost as of other contractions.
NestPlan planPairs(const LoopNest &nest, const VectorTarget &target) {
  NestPlan plan;
  plan.pairs = true;
  plan.vectorLoop = nest.pairs->vectorLoop;
  // Vectors of 16-bit numbers: AVX-512 has them if it masks bytes.
  plan.lanes = (target.maskBytes ? target.vectorBits : std::min(target.vectorBits, 256u)) / 32;
  planContraction(nest, target, plan);
  for (unsigned loop = 0; loop < nest.loops(); ++loop)
    if (loop != plan.vectorLoop && loop != plan.jamLoop && loop != nest.pairs->loop)
      (nest.isReduction[loop] ? plan.reduction : plan.parallel).push_back(loop);
  plan.parallel.push_back(*plan.vectorLoop);
  if (plan.jamLoop)
    plan.parallel.push_back(*plan.jamLoop);
  plan.reductionUnroll = plan.jam > 1 ? 2 : 4;
  return plan;
}

} // namespace

NestPlan NestPlan::make(const LoopNest &nest, const VectorTarget &target) {
  if (nest.pairs)
    return planPairs(nest, target);
  NestPlan plan;
  unsigned lanes = std::max(1u, target.vectorBits / nest.elementBits);
  if (nest.vectorizable && lanes > 1) {
    double best = nest.bodyOps + nest.operands.size(); // scalar code
    for (unsigned loop = 0; loop < nest.loops(); ++loop)
      if (double cost = vectorCost(nest, loop, lanes); cost <= best) {
        best = cost;
        plan.vectorLoop = loop;
      }
  }
  for (unsigned loop = 0; loop < nest.loops(); ++loop)
    if (loop != plan.vectorLoop)
      (nest.isReduction[loop] ? plan.reduction : plan.parallel).push_back(loop);
  if (!plan.vectorLoop)
    return plan;

  unsigned vectorLoop = *plan.vectorLoop;
  plan.lanes = lanes;
  bool horizontal = nest.isReduction[vectorLoop];
  (horizontal ? plan.reduction : plan.parallel).push_back(vectorLoop);
  bool strided = llvm::any_of(
      nest.operands, [&](const NestOperand &operand) { return operand.steps[vectorLoop] == Step::Strided; });
  plan.maskTail = !strided && canMask(nest, target);

  std::optional<unsigned> other = transposeLoop(nest, vectorLoop);
  bool outputsStrided = llvm::any_of(nest.outputs, [&](const NestOutput &output) {
    return nest.operands[output.operand].steps[vectorLoop] == Step::Strided;
  });
  // Squares of narrow elements fill a part of a register only: as many rows as there are registers for.
  unsigned square = std::min(lanes, 16u);
  auto longEnough = [&](unsigned loop) {
    return ShapedType::isDynamic(nest.extents[loop]) || nest.extents[loop] >= int64_t(square);
  };
  if (std::optional<unsigned> filling = interleavedLoop(nest, vectorLoop)) {
    plan.interleaves = true;
    plan.jamLoop = filling;
    plan.jam = nest.extents[*filling];
    return plan;
  }
  if (strided) {
    if (other && !outputsStrided && !horizontal && !nest.hasReduction() && longEnough(*other)) {
      plan.transposes = true;
      plan.lanes = square;
      plan.jamLoop = other;
      plan.jam = square;
    }
    return plan;
  }
  if (nest.hasReduction()) {
    if (nest.bodyOps <= 8)
      planContraction(nest, target, plan);
    if (!horizontal && nest.bodyOps <= 4 && plan.jam * plan.unroll <= 24)
      plan.reductionUnroll = plan.jam > 1 ? 4 : 1;
    if (!horizontal && plan.jamLoop) {
      // Rows innermost: the columns of a register tile are read for all of them in turn, and stay in the L1
      // cache.
      llvm::erase(plan.parallel, *plan.jamLoop);
      plan.parallel.push_back(*plan.jamLoop);
    }
    return plan;
  }
  plan.unroll = nest.bodyOps <= 8 ? 4 : nest.bodyOps <= 16 ? 2 : 1;
  return plan;
}

} // namespace kiln::host
