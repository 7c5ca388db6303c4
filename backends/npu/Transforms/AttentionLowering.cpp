// AttentionLowering.cpp: a block takes 128 queries of a head at a time. Its cube core multiplies them with
// all keys; the scores go to its vector cores through the workspace, their softmax comes back the same way
// and is multiplied with the values. Three units are under way: in a step of the loop the cube core has the
// scores of one and the products of the last but one, chunk of keys by chunk, so that the ways to and from L2
// are busy all the time, while the vector cores make the weights of the one between, in the place of its
// scores. A unit overwrites what the last but one left in the workspace, so that it stays in L2; the first
// writes of a place come from memory, so places are few.
#include "backends/npu/Transforms/AttentionLowering.h"

#include "backends/npu/Transforms/CubeBuilder.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/devicekit/MemoryPlan.h"
#include "kiln/jit/LaunchConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

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

/// Rows whose scores, weights and partial results UB holds, scores twice; 0 if not even two.
int64_t rowsInUb(int64_t chunks, const Target &target) {
  for (int64_t rows : {8, 4, 2}) {
    int64_t scores = chunks * rows * kAttentionTile * 4, partial = 2 * rows * kAttentionTile * 4 + 512,
            spread = 2 * rows * kAttentionTile * 4 + 512;
    if (uint64_t(2 * scores + scores / 2 + (partial + spread) * 3 / 2 + 4096) <= target.ubBytes)
      return rows;
  }
  return 0;
}

constexpr int64_t kDepth = 64; // keys of a step in L0: one loads while the cube multiplies the other

/// What the cube core of a block does.
class AttentionEmitter : CubeBuilder {
public:
  AttentionEmitter(OpBuilder &builder, func::FuncOp function, AttentionOp op, const AttentionPlan &plan,
                   Type element)
      : CubeBuilder(builder, function.getLoc(), function, element), plan(plan), q(argument(op.getQ())),
        k(argument(op.getK())), v(argument(op.getV())) {}
  void run(const AttentionBuffers &into);

private:
  Value argument(Value value) { return function.getArgument(cast<BlockArgument>(value).getArgNumber()); }
  void loadQueries(OpFoldResult unit);
  void computeScores(Value index, OpFoldResult start);
  void addProducts(Value index, OpFoldResult start);
  void storeProducts(Value index);
  /// The number of a block's place in the workspace for a unit.
  OpFoldResult placeOf(Value index) {
    return math.add(math.mul(block, math.constant(plan.kPlaces)),
                    math.rem(index, math.constant(plan.kPlaces)));
  }
  OpFoldResult scaled(OpFoldResult place, int64_t elements) {
    return math.mul(place, math.constant(elements));
  }
  OpFoldResult unitOf(Value index) { return math.add(block, math.mul(index, math.constant(plan.blocks))); }
  OpFoldResult keyHeadOf(OpFoldResult unit) {
    return math.div(unit, math.constant(plan.queries / kAttentionTile * plan.headsOfKey));
  }
  Value number(int64_t value) { return math.value(math.constant(value)); }
  void multiply(Value left, Value right, Value sums, OpFoldResult rows, OpFoldResult columns,
                OpFoldResult depth, Value isFirst) {
    builder.create<ir::MmadOp>(loc, left, right, sums, math.value(rows), math.value(columns),
                               math.value(depth), isFirst, Value(), IntegerAttr());
  }
  Value sumsOf(int64_t rows, int64_t columns) {
    return allocate({columns / 16, rows / 16, 16, 16}, builder.getF32Type(), ir::Memory::L0C);
  }
  /// Rows of A or columns of B, from `from` of the depth on, to L0.
  void toL0(Value tile, Value to, OpFoldResult extent, OpFoldResult from, OpFoldResult depth,
            bool transpose) {
    builder.create<ir::Load2dOp>(loc, tile, to, math.value(extent), math.value(depth), math.value(from),
                                 transpose);
  }
  /// The part of a buffer of L0 that a step of a chunk's keys has for itself, or half of its rows.
  Value stepOf(Value buffer, OpFoldResult from, std::optional<int64_t> half = std::nullopt) {
    int64_t count = cast<MemRefType>(buffer.getType()).getDimSize(0) / (kAttentionTile / kDepth);
    OpFoldResult first = math.mul(math.div(from, math.constant(kDepth)), math.constant(count));
    if (half)
      return slice(buffer, 0, math.add(first, math.constant(*half * count / 2)), count / 2);
    return slice(buffer, 0, first, count);
  }
  /// One copy: others would take the place of what is needed at the same time.
  Value only(Value buffer) {
    buffer.getDefiningOp()->setAttr(devicekit::kCopiesAttr, builder.getI64IntegerAttr(1));
    return buffer;
  }

  const AttentionPlan &plan;
  Value q, k, v; // any two may be one argument
  Value block;
  AttentionBuffers buffers;
  // Of the step of the loop: 0 where it has scores, or products
  OpFoldResult hasNoScores, hasNoProducts;
  Value queries, keys, weights, values, scores[2], products; // in L0
};

void AttentionEmitter::loadQueries(OpFoldResult unit) {
  OpFoldResult size = math.constant(plan.size), tile = math.constant(kAttentionTile);
  Value inL1 =
      allocate(tileExtents(/*depthIsRow=*/false, kAttentionTile, plan.size), element, ir::Memory::L1);
  queries = only(allocateL0(ir::Memory::L0A, kAttentionTile, plan.size));
  once(hasNoScores, [&] {
    CubeOperand left = {q, false, size, {}};
    fillTile(inL1, left, math.mul(unit, math.constant(kAttentionTile * plan.size)), tile, size);
    toL0(inL1, queries, tile, math.constant(0), size, /*transpose=*/false);
  });
}

/// Scores of the unit and the keys of a chunk: half of the queries each has room in L0C beside the products.
void AttentionEmitter::computeScores(Value index, OpFoldResult start) {
  OpFoldResult unit = unitOf(index), tile = math.constant(kAttentionTile), size = math.constant(plan.size);
  OpFoldResult place = math.add(scaled(placeOf(index), plan.elementsOfPlace()), math.mul(start, tile)),
               head = math.mul(keyHeadOf(unit), math.constant(plan.keys * plan.size));
  Value keysInL1 =
      allocate(tileExtents(/*depthIsRow=*/false, kAttentionTile, plan.size), element, ir::Memory::L1);
  once(hasNoScores, [&] {
    fillTile(keysInL1, {k, false, size, {}}, math.add(head, math.mul(start, size)), tile, size);
    toL0(keysInL1, keys, tile, math.constant(0), size, /*transpose=*/false);
    for (int64_t half : {0, 1}) {
      int64_t rows = kAttentionTile / 2;
      Value left = slice(queries, 0, math.constant(half * rows / 16), rows / 16);
      multiply(left, keys, scores[half], math.constant(rows), tile, size, isZero(math.constant(0)));
      CubeOutput output = {buffers.scores, tile, builder.getF32Type(), Value(), false};
      storeSums(output, scores[half], math.add(place, math.constant(half * rows * kAttentionTile)),
                math.constant(rows), tile);
    }
  });
}

/// Adds what the weights of a chunk of keys and their values give.
void AttentionEmitter::addProducts(Value index, OpFoldResult start) {
  OpFoldResult unit = unitOf(index), tile = math.constant(kAttentionTile),
               width = math.constant(plan.valueSize);
  OpFoldResult place = scaled(placeOf(index), 2 * plan.elementsOfPlace()), // in 16 bits
      head = math.mul(keyHeadOf(unit), math.constant(plan.keys * plan.valueSize));
  constexpr int64_t kRows = kAttentionTile / 2; // of a vector core
  Value halves[2], tileV = allocate(tileExtents(/*depthIsRow=*/true, plan.valueSize, kAttentionTile), element,
                                    ir::Memory::L1);
  for (Value &half : halves)
    half = allocate(tileExtents(/*depthIsRow=*/false, kRows, kAttentionTile), element, ir::Memory::L1);
  once(hasNoProducts, [&] {
    fillTile(tileV, {v, true, width, {}}, math.add(head, math.mul(start, width)), width, tile);
    for (int64_t half : {0, 1}) { // each where its vector core put it
      OpFoldResult from = math.add(place, math.add(math.mul(start, math.constant(2 * kAttentionTile)),
                                                   math.constant(half * plan.weightsOfHalf())));
      fillTile(halves[half], {buffers.weights, false, tile, {}}, from, math.constant(kRows), tile);
    }
    forSteps(tile, kDepth, [&](OpFoldResult from) {
      OpFoldResult depth = math.constant(kDepth);
      Value inL0A = stepOf(weights, from), inL0B = stepOf(values, from);
      for (int64_t half : {0, 1})
        toL0(halves[half], stepOf(weights, from, half), math.constant(kRows), from, depth,
             /*transpose=*/false);
      toL0(tileV, inL0B, width, from, depth, /*transpose=*/true);
      multiply(inL0A, inL0B, products, tile, width, depth, isZero(math.add(start, from)));
    });
  });
}

void AttentionEmitter::storeProducts(Value index) {
  OpFoldResult tile = math.constant(kAttentionTile), width = math.constant(plan.valueSize);
  CubeOutput output = {function.getArguments().back(), width, element, Value(), false};
  storeSums(output, products, math.mul(unitOf(index), math.constant(kAttentionTile * plan.valueSize)), tile,
            width);
}

void AttentionEmitter::run(const AttentionBuffers &into) {
  buffers = into;
  block = builder.create<ir::BlockIdxOp>(loc, builder.getIndexType());
  // The units of this block: block, block + blocks, ... There is at least one. Each step has the scores of
  // one, but the last two, and the products of the last but one, whose weights were made meanwhile.
  OpFoldResult lag = math.constant(kLag),
               left = math.sub(math.constant(plan.units() + plan.blocks - 1), block);
  OpFoldResult count = math.div(left, math.constant(plan.blocks));
  auto loop = builder.create<scf::ForOp>(loc, number(0), math.value(math.add(count, lag)), number(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value step = loop.getInductionVar(), before = math.value(math.sub(step, lag));
    hasNoScores = math.max(math.sub(math.add(step, math.constant(1)), count), math.constant(0));
    hasNoProducts = math.max(math.sub(lag, step), math.constant(0));
    loadQueries(unitOf(step));
    keys = only(allocateL0(ir::Memory::L0B, kAttentionTile, plan.size));
    products = only(sumsOf(kAttentionTile, plan.valueSize));
    for (Value &half : scores)
      half = only(sumsOf(kAttentionTile / 2, kAttentionTile));
    int64_t steps = kAttentionTile / kDepth; // of a chunk, one behind the other
    weights = only(allocateL0(ir::Memory::L0A, steps * kAttentionTile, kDepth));
    values = only(allocateL0(ir::Memory::L0B, plan.valueSize, steps * kDepth));
    once(hasNoProducts, [&] { builder.create<ir::CrossWaitOp>(loc, ir::Pipe::MTE2, kWeightsFull); });
    forSteps(math.constant(plan.keys), kAttentionTile, [&](OpFoldResult start) {
      addProducts(before, start); // first: its weights lie where the scores are going to be
      computeScores(step, start);
    });
    once(hasNoScores, [&] { builder.create<ir::CrossSetOp>(loc, ir::Pipe::FIX, kScoresFull); });
    once(hasNoProducts, [&] { storeProducts(before); });
  }
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
      !fits(plan.valueSize) || plan.scale <= 0) // the greatest score has the greatest weight
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
  int64_t bytes = plan->elements() * 4;
  auto allParts = [&] { // the same bytes
    auto partOf = [&](int64_t elements, Type type) -> Value {
      auto space = ir::MemoryAttr::get(kernel.getContext(), ir::Memory::GM);
      auto part = MemRefType::get({elements}, type, MemRefLayoutAttrInterface(), space);
      return builder.create<ir::WorkspaceBufferOp>(kernel.getLoc(), part, 0);
    };
    Value scores = partOf(plan->elements(), builder.getF32Type()),
          weights = partOf(2 * plan->elements(), element);
    return AttentionBuffers{scores, weights};
  };
  auto begin = [&](StringRef core) {
    func::FuncOp function = makeFunction(kernel, core, "attention");
    function->setAttr(kBlocksAttr, builder.getI64IntegerAttr(plan->blocks));
    builder.setInsertionPoint(function.getBody().front().getTerminator());
    return function;
  };
  auto setWorkspace = [&](func::FuncOp function) {
    function->setAttr(kWorkspaceAttr, jit::exprToAttr(kernel.getContext(), jit::LaunchExpr::literal(bytes)));
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
  AttentionEmitter(builder, cube, op, *plan, element).run(allParts());
  setWorkspace(cube);
  func::FuncOp vector = begin("aiv");
  vector->removeAttr("kiln.kernel");
  vector->setAttr(kVectorPartAttr, builder.getUnitAttr());
  vector.setSymName((kernel.getName() + "_vector").str());
  emitAttentionSoftmax(builder, kernel.getLoc(), *plan, allParts());
  setWorkspace(vector);
  return success();
}

} // namespace kiln::npu
