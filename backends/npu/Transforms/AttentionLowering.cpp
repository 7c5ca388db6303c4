// AttentionLowering.cpp: a block takes 128 queries of a head at a time. Its cube core multiplies them with
// all keys; the scores go to its vector cores through the workspace, their softmax comes back the same way
// and is multiplied with the values. Cube and vector cores work on different queries at one time: a step of
// the loop has the scores of one unit and the result of the one before. The next unit overwrites what the
// last but one left in the workspace, so that it stays in L2.
#include "backends/npu/Transforms/AttentionLowering.h"

#include "backends/npu/Transforms/CubeBuilder.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/jit/LaunchConstants.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln::npu {
namespace {

AttentionOp attentionOf(KernelOp kernel) {
  AttentionOp found;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (found || !isa<AttentionOp>(op))
      return {};
    found = cast<AttentionOp>(op);
  }
  return found;
}

/// Rows whose scores, weights and partial sums UB holds, scores twice; 0 if not even two.
int64_t rowsInUb(int64_t chunks, const Target &target) {
  for (int64_t rows : {8, 4, 2}) {
    int64_t scores = chunks * rows * kAttentionTile * 4, partial = 4 * rows * kAttentionTile * 4 + 512,
            spread = 2 * rows * kAttentionTile * 4 + 512;
    if (uint64_t(2 * scores + scores / 2 + partial + spread + 4096) <= target.ubBytes)
      return rows;
  }
  return 0;
}

/// What the cube core of a block does.
class AttentionEmitter : CubeBuilder {
public:
  AttentionEmitter(OpBuilder &builder, func::FuncOp function, AttentionOp op, const AttentionPlan &plan,
                   Type element)
      : CubeBuilder(builder, function.getLoc(), function, element), plan(plan), q(argument(op.getQ())),
        k(argument(op.getK())), v(argument(op.getV())) {}
  void run(Value scores, Value weights);

private:
  Value argument(Value value) { return function.getArgument(cast<BlockArgument>(value).getArgNumber()); }
  void computeScores(Value index, Value scores);
  void computeResult(Value index, Value weights);
  /// Elements of a block's place in the workspace for a unit.
  OpFoldResult placeOf(Value index) {
    OpFoldResult place =
        math.add(math.mul(block, math.constant(plan.kPlaces)), math.rem(index, math.constant(plan.kPlaces)));
    return math.mul(place, math.constant(plan.elementsOfPlace()));
  }
  OpFoldResult unitOf(Value index) { return math.add(block, math.mul(index, math.constant(plan.blocks))); }
  OpFoldResult keyHeadOf(OpFoldResult unit) {
    return math.div(unit, math.constant(plan.queries / kAttentionTile * plan.headsOfKey));
  }
  Value number(int64_t value) { return math.value(math.constant(value)); }
  void multiply(Value left, Value right, Value sums, int64_t columns, int64_t depth, Value isFirst) {
    builder.create<ir::MmadOp>(loc, left, right, sums, number(kAttentionTile), number(columns), number(depth),
                               isFirst, Value(), IntegerAttr());
  }
  Value sumsOf(int64_t columns) {
    return allocate({columns / 16, kAttentionTile / 16, 16, 16}, builder.getF32Type(), ir::Memory::L0C);
  }

  const AttentionPlan &plan;
  Value q, k, v; // any two may be one argument
  Value block;
};

void AttentionEmitter::computeScores(Value index, Value scores) {
  OpFoldResult unit = unitOf(index), tile = math.constant(kAttentionTile), size = math.constant(plan.size);
  CubeOperand left = {q, false, size, {}}, right = {k, false, size, {}};
  Value queries = loadTile(left, math.mul(unit, math.constant(kAttentionTile * plan.size)), tile, size,
                           kAttentionTile, plan.size,
                           /*isWhole=*/true);
  Value tileQ = allocateL0(ir::Memory::L0A, kAttentionTile, plan.size);
  builder.create<ir::Load2dOp>(loc, queries, tileQ, number(kAttentionTile), number(plan.size), Value(),
                               false);
  builder.create<ir::CrossWaitOp>(loc, ir::Pipe::FIX, kScoresFree);
  OpFoldResult place = placeOf(index), keys = math.mul(keyHeadOf(unit), math.constant(plan.keys * plan.size));
  forSteps(math.constant(plan.keys), kAttentionTile, [&](OpFoldResult start) {
    Value keysInL1 = loadTile(right, math.add(keys, math.mul(start, size)), tile, size, kAttentionTile,
                              plan.size, /*isWhole=*/true);
    Value tileK = allocateL0(ir::Memory::L0B, kAttentionTile, plan.size);
    builder.create<ir::Load2dOp>(loc, keysInL1, tileK, number(kAttentionTile), number(plan.size), Value(),
                                 false);
    Value sums = sumsOf(kAttentionTile);
    multiply(tileQ, tileK, sums, kAttentionTile, plan.size, isZero(math.constant(0)));
    CubeOutput output = {scores, tile, builder.getF32Type(), Value(), false};
    storeSums(output, sums, math.add(place, math.mul(start, tile)), tile, tile);
  });
  builder.create<ir::CrossSetOp>(loc, ir::Pipe::FIX, kScoresFull);
}

void AttentionEmitter::computeResult(Value index, Value weights) {
  OpFoldResult unit = unitOf(index), tile = math.constant(kAttentionTile),
               width = math.constant(plan.valueSize);
  CubeOperand p = {weights, false, tile, {}}, right = {v, true, width, {}};
  OpFoldResult place = placeOf(index),
               values = math.mul(keyHeadOf(unit), math.constant(plan.keys * plan.valueSize));
  Value sums = sumsOf(plan.valueSize);
  builder.create<ir::CrossWaitOp>(loc, ir::Pipe::MTE2, kWeightsFull);
  forSteps(math.constant(plan.keys), kAttentionTile, [&](OpFoldResult start) {
    Value tileP =
        loadTile(p, math.add(place, math.mul(start, tile)), tile, tile, kAttentionTile, kAttentionTile, true);
    Value tileV =
        loadTile(right, math.add(values, math.mul(start, width)), width, tile, plan.valueSize, kAttentionTile,
                 /*isWhole=*/true);
    Value inL0A = allocateL0(ir::Memory::L0A, kAttentionTile, kAttentionTile),
          inL0B = allocateL0(ir::Memory::L0B, plan.valueSize, kAttentionTile);
    builder.create<ir::Load2dOp>(loc, tileP, inL0A, number(kAttentionTile), number(kAttentionTile), Value(),
                                 false);
    builder.create<ir::Load2dOp>(loc, tileV, inL0B, number(plan.valueSize), number(kAttentionTile), Value(),
                                 true);
    multiply(inL0A, inL0B, sums, plan.valueSize, kAttentionTile, isZero(start));
  });
  builder.create<ir::CrossSetOp>(loc, ir::Pipe::MTE2, kWeightsFree);
  CubeOutput output = {function.getArguments().back(), width, element, Value(), false};
  storeSums(output, sums, math.mul(unit, math.constant(kAttentionTile * plan.valueSize)), tile, width);
}

void AttentionEmitter::run(Value scores, Value weights) {
  block = builder.create<ir::BlockIdxOp>(loc, builder.getIndexType());
  for (int64_t place = 0; place < plan.kPlaces; ++place) // free at first
    builder.create<ir::CrossSetOp>(loc, ir::Pipe::MTE2, kWeightsFree);
  // The units of this block: block, block + blocks, ... There is at least one.
  OpFoldResult one = math.constant(1), left = math.sub(math.constant(plan.units() + plan.blocks - 1), block);
  Value count = math.value(math.div(left, math.constant(plan.blocks)));
  computeScores(number(0), scores);
  auto loop = builder.create<scf::ForOp>(loc, number(1), count, number(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value index = loop.getInductionVar();
    computeScores(index, scores);
    computeResult(math.value(math.sub(index, one)), weights);
  }
  computeResult(math.value(math.sub(count, one)), weights);
  for (int64_t place = 0; place < plan.kPlaces; ++place) // as many waits as sets
    builder.create<ir::CrossWaitOp>(loc, ir::Pipe::FIX, kScoresFree);
}

} // namespace

std::optional<AttentionPlan> planAttention(AttentionOp op, const Target &target) {
  if (target.fusedCores || op.getMask() || op.getLengths() || op.getOffset() || op.getCausal() ||
      op.getLeftWindow() || op.getRightWindow() || op.getSoftcap() || op->getNumResults() != 1)
    return std::nullopt;
  auto q = cast<RankedTensorType>(op.getQ().getType()), k = cast<RankedTensorType>(op.getK().getType()),
       v = cast<RankedTensorType>(op.getV().getType());
  Type element = q.getElementType();
  if (!q.hasStaticShape() || !k.hasStaticShape() || !v.hasStaticShape() || !isCubeType(target, element) ||
      !(element.isF16() || element.isBF16()) ||
      cast<RankedTensorType>(op.getResult().getType()).getElementType() != element || q.getNumElements() == 0)
    return std::nullopt;
  AttentionPlan plan;
  plan.heads = q.getDimSize(0) * q.getDimSize(1);
  plan.headsOfKey = q.getDimSize(1) / k.getDimSize(1);
  plan.queries = q.getDimSize(2), plan.size = q.getDimSize(3);
  plan.keys = k.getDimSize(2), plan.valueSize = v.getDimSize(3);
  plan.scale = op.getScale().convertToDouble();
  auto fits = [](int64_t extent) { return extent > 0 && extent % 16 == 0 && extent <= kAttentionTile; };
  if (plan.keys <= 0 || plan.keys % kAttentionTile || plan.queries % kAttentionTile || !fits(plan.size) ||
      !fits(plan.valueSize))
    return std::nullopt;
  plan.rows = rowsInUb(plan.chunks(), target);
  plan.blocks = std::min<int64_t>(plan.units(), target.cubeCores);
  if (plan.rows == 0)
    return std::nullopt;
  return plan;
}

bool isMixedAttention(AttentionOp op, const Target &target) { return planAttention(op, target).has_value(); }

bool isAttentionKernel(KernelOp kernel) { return attentionOf(kernel) != nullptr; }

LogicalResult lowerAttentionKernel(KernelOp kernel, const Target &target) {
  AttentionOp op = attentionOf(kernel);
  std::optional<AttentionPlan> plan = planAttention(op, target);
  bool takesArguments =
      llvm::all_of(op->getOperands(), [](Value operand) { return isa<BlockArgument>(operand); });
  if (!plan || !takesArguments)
    return op.emitError("npu: this kiln.attention is not lowered as one kernel");
  Type element = cast<RankedTensorType>(op.getQ().getType()).getElementType();
  OpBuilder builder(kernel.getContext());
  int64_t scoreBytes = plan->elements() * 4, weightBytes = plan->elements() * 2;
  auto partOf = [&](int64_t offset, Type type) -> Value {
    auto space = ir::MemoryAttr::get(kernel.getContext(), ir::Memory::GM);
    return builder.create<ir::WorkspaceBufferOp>(
        kernel.getLoc(), MemRefType::get({plan->elements()}, type, MemRefLayoutAttrInterface(), space),
        offset);
  };
  auto begin = [&](StringRef core) {
    func::FuncOp function = makeFunction(kernel, core, "attention");
    function->setAttr(kBlocksAttr, builder.getI64IntegerAttr(plan->blocks));
    function->setAttr(kWorkspaceAttr, jit::exprToAttr(kernel.getContext(),
                                                      jit::LaunchExpr::literal(scoreBytes + weightBytes)));
    builder.setInsertionPoint(function.getBody().front().getTerminator());
    return function;
  };
  func::FuncOp cube = begin("aic");
  auto numberOf = [&](Value operand) {
    return builder.getI64IntegerAttr(cast<BlockArgument>(operand).getArgNumber());
  };
  cube->setAttr(kAttentionAttr, builder.getDictionaryAttr(
                                    {builder.getNamedAttr("q", numberOf(op.getQ())),
                                     builder.getNamedAttr("k", numberOf(op.getK())),
                                     builder.getNamedAttr("v", numberOf(op.getV())),
                                     builder.getNamedAttr("scale", builder.getF64FloatAttr(plan->scale))}));
  Value scores = partOf(0, builder.getF32Type()), weights = partOf(scoreBytes, element);
  AttentionEmitter(builder, cube, op, *plan, element).run(scores, weights);
  func::FuncOp vector = begin("aiv");
  vector->removeAttr("kiln.kernel");
  vector->setAttr(kVectorPartAttr, builder.getUnitAttr());
  vector.setSymName((kernel.getName() + "_vector").str());
  scores = partOf(0, builder.getF32Type()), weights = partOf(scoreBytes, element);
  emitAttentionSoftmax(builder, kernel.getLoc(), *plan, scores, weights);
  return success();
}

} // namespace kiln::npu
