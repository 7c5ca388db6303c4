// BlockContractions.cpp: contractions on buffers -> blocks of the sum over packed, contiguous columns of B,
// so that the vector emitter's register tiles read B from the L1 cache with unit stride.
#include "backends/host/Transforms/PackedPairs.h"
#include "backends/host/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_BLOCKCONTRACTIONSPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

/// Rows of B that are this many bytes apart (or a multiple) share few sets of the L1 cache.
constexpr int64_t kBadStrideBytes = 1024;
/// Rows of a streamed matrix that are read together, strip by strip: no more pages than the TLB and the
/// prefetcher follow.
constexpr int64_t kStreamedRows = 16;
/// Vectors of a strip: as many sums are in registers.
constexpr int64_t kStripVectors = 8;
/// Emits one contraction in blocks.
class Blocker {
public:
  Blocker(RewriterBase &rewriter, const Contraction &contraction, ContractionBlocking blocking)
      : rewriter(rewriter), contraction(contraction), op(cast<linalg::GenericOp>(contraction.op)),
        blocking(blocking), loc(op.getLoc()), ranges(op.getStaticLoopRanges()),
        isPaired(PairPacker::isPaired(contraction)), pairs(PairPacker::loopOf(contraction)) {}

  void run();

private:
  std::optional<unsigned> blockedLoop();
  bool needsPacking();
  bool isPanel(AffineMap map, ArrayRef<int64_t> strides);
  Value sliced(unsigned operand, unsigned loop, OpFoldResult offset, OpFoldResult size);
  Value packed(Value right);
  void emit(Value left, Value right, bool pack);
  void emitPairs(Value left, Value right);
  linalg::GenericOp collapse(linalg::GenericOp generic, ArrayRef<unsigned> loops);

  RewriterBase &rewriter;
  const Contraction &contraction;
  linalg::GenericOp op;
  ContractionBlocking blocking;
  Location loc;
  SmallVector<int64_t> ranges;
  bool isPaired;                 // the factors come as pairs of 16-bit numbers
  std::optional<unsigned> pairs; // the loop of the sum along which they become some
};

/// The sum's loop that blocks cut: the outermost that steps one dimension of both factors.
std::optional<unsigned> Blocker::blockedLoop() {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned loop : contraction.loops(Role::Sum)) {
    AffineExpr dim = rewriter.getAffineDimExpr(loop);
    auto plain = [&](AffineMap map) {
      return llvm::all_of(map.getResults(),
                          [&](AffineExpr e) { return e == dim || !e.isFunctionOfDim(loop); });
    };
    if (plain(maps[0]) && plain(maps[1]))
      return loop;
  }
  return std::nullopt;
}

bool Blocker::needsPacking() {
  // Columns are read once for the rows of the tile: a copy pays if there are some register tiles of them.
  if (contraction.extent(Role::Rows, kAssumedExtent) < 2 * blocking.rows ||
      !contraction.loops(Role::Batch).empty())
    return false;
  Value right = op.getDpsInputs()[contraction.right];
  auto type = cast<MemRefType>(right.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(getStridesAndOffset(type, strides, offset)))
    return false;
  AffineMap map = op.getIndexingMapsArray()[contraction.right];
  if (!map.isProjectedPermutation())
    return true; // windows
  if (isPanel(map, strides))
    return false; // however far apart panels are: a register tile reads one
  if (contraction.loops(Role::Columns).size() > 1)
    return true; // rows of an image that make one longer vector loop together
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides)) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (loop == contraction.vectorLoop ? stride != 1 : stride * bytes % kBadStrideBytes == 0)
      return true;
  }
  return false;
}

/// Whether B lies as panels of a register tile's columns: packed once, in the program's prologue.
bool Blocker::isPanel(AffineMap map, ArrayRef<int64_t> strides) {
  int64_t columns = ranges[contraction.vectorLoop];
  if (columns != blocking.columns || contraction.loops(Role::Sum).size() != 1)
    return false;
  unsigned sum = contraction.loops(Role::Sum).front();
  return llvm::all_of(llvm::zip_equal(map.getResults(), strides), [&](auto pair) {
    auto [expr, stride] = pair;
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    return loop == contraction.vectorLoop ? stride == 1 : loop != sum || stride == columns;
  });
}

Value Blocker::sliced(unsigned operand, unsigned loop, OpFoldResult offset, OpFoldResult size) {
  Value buffer = op.getDpsInputs()[operand];
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(rewriter, loc, buffer);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
      strides(sizes.size(), rewriter.getIndexAttr(1));
  for (auto [i, expr] : llvm::enumerate(op.getIndexingMapsArray()[operand].getResults()))
    if (expr == rewriter.getAffineDimExpr(loop)) {
      offsets[i] = offset;
      sizes[i] = size;
    }
  return rewriter.create<memref::SubViewOp>(loc, buffer, offsets, sizes, strides);
}

/// A copy of `right` as [sum.., columns..].
Value Blocker::packed(Value right) {
  SmallVector<unsigned> order = contraction.loops(Role::Sum);
  llvm::append_range(order, contraction.loops(Role::Columns));
  AffineMap map = op.getIndexingMapsArray()[contraction.right];
  SmallVector<AffineExpr> renumbered(map.getNumDims(), rewriter.getAffineConstantExpr(0));
  for (auto [i, loop] : llvm::enumerate(order))
    renumbered[loop] = rewriter.getAffineDimExpr(i);
  AffineMap from = map.replaceDimsAndSymbols(renumbered, {}, order.size(), 0);

  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned loop : order) {
    OpFoldResult size;
    // Where the loop is a dimension by itself: in `right` (maybe sliced), else in the other operands.
    SmallVector<Value> operands(op->getOperands());
    operands[contraction.right] = right;
    for (unsigned number : {contraction.right, 2u, contraction.left})
      for (auto [i, expr] : llvm::enumerate(maps[number].getResults()))
        if (!size && expr == rewriter.getAffineDimExpr(loop))
          size = memref::getMixedSize(rewriter, loc, operands[number], i);
    sizes.push_back(size);
  }
  Value buffer = makeTemporary(rewriter, loc, sizes, cast<MemRefType>(right.getType()).getElementType(),
                               /*spread=*/order.size() - 1);
  SmallVector<utils::IteratorType> parallel(order.size(), utils::IteratorType::parallel);
  rewriter.create<linalg::GenericOp>(loc, right, buffer,
                                     ArrayRef<AffineMap>{from, rewriter.getMultiDimIdentityMap(order.size())},
                                     parallel, [](OpBuilder &builder, Location loc, ValueRange args) {
                                       builder.create<linalg::YieldOp>(loc, args[0]);
                                     });
  return buffer;
}

/// Makes `loops`, which follow each other, one loop if every operand is contiguous along them.
linalg::GenericOp Blocker::collapse(linalg::GenericOp generic, ArrayRef<unsigned> loops) {
  if (loops.size() < 2 || loops.back() - loops.front() + 1 != loops.size())
    return generic;
  unsigned merged = loops.size() - 1;
  SmallVector<AffineExpr> renumbered;
  for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop)
    renumbered.push_back(
        rewriter.getAffineDimExpr(loop > loops.back() ? loop - merged : std::min(loop, loops.front())));
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  SmallVector<SmallVector<ReassociationIndices>> groupsByOperand;
  for (OpOperand &operand : generic->getOpOperands()) {
    AffineMap &map = maps[operand.getOperandNumber()];
    SmallVector<ReassociationIndices> groups;
    SmallVector<AffineExpr> exprs;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      bool inside = dim && llvm::is_contained(loops, dim.getPosition());
      if (!dim && llvm::any_of(loops, [&](unsigned loop) { return expr.isFunctionOfDim(loop); }))
        return generic;
      if (inside && dim.getPosition() != loops.front()) {
        if (i == 0 || map.getResult(i - 1) != rewriter.getAffineDimExpr(dim.getPosition() - 1))
          return generic;
        groups.back().push_back(i);
        continue;
      }
      groups.push_back({static_cast<int64_t>(i)});
      exprs.push_back(expr.replaceDims(renumbered));
    }
    bool any = llvm::any_of(loops, [&](unsigned loop) { return map.isFunctionOfDim(loop); });
    if (any && (!llvm::all_of(loops, [&](unsigned loop) { return map.isFunctionOfDim(loop); }) ||
                !memref::CollapseShapeOp::isGuaranteedCollapsible(cast<MemRefType>(operand.get().getType()),
                                                                  groups)))
      return generic;
    map = AffineMap::get(generic.getNumLoops() - merged, 0, exprs, rewriter.getContext());
    groupsByOperand.push_back(std::move(groups));
  }
  rewriter.setInsertionPoint(generic);
  SmallVector<Value> operands;
  for (auto [value, groups] : llvm::zip_equal(generic->getOperands(), groupsByOperand)) {
    bool whole = groups.size() == static_cast<size_t>(cast<MemRefType>(value.getType()).getRank());
    operands.push_back(whole ? value
                             : rewriter.create<memref::CollapseShapeOp>(loc, value, groups).getResult());
  }
  SmallVector<utils::IteratorType> iterators = generic.getIteratorTypesArray();
  iterators.erase(iterators.begin() + loops.front() + 1, iterators.begin() + loops.back() + 1);
  auto collapsed = rewriter.create<linalg::GenericOp>(loc, TypeRange(), ArrayRef(operands).drop_back(),
                                                      ArrayRef(operands).take_back(), maps, iterators);
  rewriter.inlineRegionBefore(generic.getRegion(), collapsed.getRegion(), collapsed.getRegion().end());
  rewriter.eraseOp(generic);
  return collapsed;
}

/// As emit(), pair by pair.
void Blocker::emitPairs(Value left, Value right) {
  PairPacker packer(rewriter, contraction, left, right);
  linalg::GenericOp block = pairs ? packer.run(*pairs) : packer.runPaired();
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<unsigned> sums = contraction.loops(Role::Sum), columns = contraction.loops(Role::Columns);
  if (block.getNumLoops() > op.getNumLoops() || isPaired) // else the sum is one loop already
    block = collapse(block, sums);
  collapse(block, columns);
}

void Blocker::emit(Value left, Value right, bool pack) {
  if (isPaired || pairs)
    return emitPairs(left, right);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (pack) {
    right = packed(right);
    SmallVector<AffineExpr> exprs;
    for (Role role : {Role::Sum, Role::Columns})
      for (unsigned loop : contraction.loops(role))
        exprs.push_back(rewriter.getAffineDimExpr(loop));
    maps[contraction.right] = AffineMap::get(op.getNumLoops(), 0, exprs, rewriter.getContext());
  }
  SmallVector<Value> inputs(2);
  inputs[contraction.left] = left;
  inputs[contraction.right] = right;
  auto block = rewriter.create<linalg::GenericOp>(loc, TypeRange(), inputs, op.getDpsInits(), maps,
                                                  op.getIteratorTypesArray());
  rewriter.cloneRegionBefore(op.getRegion(), block.getRegion(), block.getRegion().end());
  OpBuilder::InsertionGuard guard(rewriter);
  // The later loops first: the numbers of the others stay.
  SmallVector<unsigned> sums = contraction.loops(Role::Sum), columns = contraction.loops(Role::Columns);
  block = collapse(block, sums);
  collapse(block, columns);
}

void Blocker::run() {
  bool pack = needsPacking();
  std::optional<unsigned> loop = pairs ? pairs : blockedLoop();
  int64_t inner = contraction.extent(Role::Sum, kAssumedExtent);
  if (loop)
    inner /= ShapedType::isDynamic(ranges[*loop]) ? kAssumedExtent : std::max<int64_t>(1, ranges[*loop]);
  bool streams = contraction.streamsRows() &&
                 contraction.extent(Role::Columns, kAssumedExtent) > kStripVectors * blocking.columns / 2;
  int64_t sum = isPaired || pairs ? 2 * blocking.sum : blocking.sum; // as many bytes
  int64_t most = std::max<int64_t>(1, (streams ? kStreamedRows : sum) / std::max<int64_t>(1, inner));
  rewriter.setInsertionPoint(op);
  Value left = op.getDpsInputs()[contraction.left], right = op.getDpsInputs()[contraction.right];
  // A rest that would be short joins the block before it.
  bool whole = !loop || (!ShapedType::isDynamic(ranges[*loop]) && ranges[*loop] <= most + most / 2);
  if (whole || (!streams && contraction.extent(Role::Rows, kAssumedExtent) < blocking.rows)) {
    emit(left, right, pack);
    rewriter.eraseOp(op);
    return;
  }

  auto block = [&](OpFoldResult offset, OpFoldResult size) {
    emit(sliced(contraction.left, *loop, offset, size), sliced(contraction.right, *loop, offset, size), pack);
  };
  auto constant = [&](int64_t value) -> Value { return rewriter.create<arith::ConstantIndexOp>(loc, value); };
  int64_t extent = ranges[*loop], size = most;
  Value end;
  if (ShapedType::isDynamic(extent)) {
    OpFoldResult count;
    for (auto [i, expr] : llvm::enumerate(op.getIndexingMapsArray()[contraction.right].getResults()))
      if (expr == rewriter.getAffineDimExpr(*loop))
        count = memref::getMixedSize(rewriter, loc, right, i);
    end = getValueOrCreateConstantIndexOp(rewriter, loc, count);
  } else {
    int64_t blocks = llvm::divideCeil(extent, most);
    size = llvm::alignTo(llvm::divideCeil(extent, blocks), pairs ? 2 : 1);
    end = constant(extent / size * size);
  }
  auto steps = rewriter.create<scf::ForOp>(loc, constant(0), end, constant(size));
  rewriter.setInsertionPointToStart(steps.getBody());
  Value at = steps.getInductionVar();
  if (!ShapedType::isDynamic(extent)) {
    block(at, rewriter.getIndexAttr(size));
    rewriter.setInsertionPointAfter(steps);
    if (int64_t rest = extent % size)
      block(rewriter.getIndexAttr(extent - rest), rewriter.getIndexAttr(rest));
  } else {
    AffineExpr d0 = rewriter.getAffineDimExpr(0), s0 = rewriter.getAffineSymbolExpr(0);
    AffineMap rest =
        AffineMap::get(1, 1, {rewriter.getAffineConstantExpr(size), s0 - d0}, rewriter.getContext());
    block(at, affine::makeComposedFoldedAffineMin(rewriter, loc, rest, {at, end}));
  }
  rewriter.eraseOp(op);
}

/// Removes the dimensions of operands that no loop moves in: views with fewer dimensions.
void dropConstantDims(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  rewriter.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap &map = maps[operand.getOperandNumber()];
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type ||
        llvm::none_of(map.getResults(), [](AffineExpr expr) { return isa<AffineConstantExpr>(expr); }))
      continue;
    SmallVector<OpFoldResult> sizes = memref::getMixedSizes(rewriter, op.getLoc(), operand.get()), offsets,
                              strides(sizes.size(), rewriter.getIndexAttr(1));
    SmallVector<AffineExpr> kept;
    SmallVector<int64_t> shape;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      auto constant = dyn_cast<AffineConstantExpr>(expr);
      offsets.push_back(rewriter.getIndexAttr(constant ? constant.getValue() : 0));
      if (constant) {
        sizes[i] = rewriter.getIndexAttr(1);
        continue;
      }
      kept.push_back(expr);
      shape.push_back(type.getDimSize(i));
    }
    auto reduced =
        cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(shape, type, offsets, sizes, strides));
    Value view =
        rewriter.create<memref::SubViewOp>(op.getLoc(), reduced, operand.get(), offsets, sizes, strides);
    rewriter.modifyOpInPlace(op, [&] { operand.set(view); });
    map = AffineMap::get(map.getNumDims(), 0, kept, op.getContext());
  }
  rewriter.modifyOpInPlace(op, [&] { op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps)); });
}

/// Removes loops of extent 1, so that what is left is recognised by its roles alone.
linalg::GenericOp withoutUnitLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  Operation *next = op->getNextNode();
  linalg::ControlDropUnitDims options;
  options.rankReductionStrategy = linalg::ControlDropUnitDims::RankReductionStrategy::ExtractInsertSlice;
  rewriter.setInsertionPoint(op);
  if (succeeded(linalg::dropUnitDims(rewriter, op, options)))
    op = cast<linalg::GenericOp>(next->getPrevNode());
  dropConstantDims(rewriter, op);
  return op;
}

struct BlockContractionsPass : impl::BlockContractionsPassBase<BlockContractionsPass> {
  using BlockContractionsPassBase::BlockContractionsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (op.hasPureBufferSemantics() && Contraction::match(op))
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops) {
      op = withoutUnitLoops(rewriter, op);
      std::optional<Contraction> contraction = Contraction::match(op);
      if (!contraction)
        continue;
      unsigned bits = getElementTypeOrSelf(op.getDpsInits()[0].getType()).getIntOrFloatBitWidth();
      Blocker(rewriter, *contraction, ContractionBlocking::make(vectorBits, registers, bits)).run();
    }
  }
};

} // namespace
} // namespace kiln::host
