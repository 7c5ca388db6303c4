// ScalarLoops.cpp: structured ops on buffers as loops over single elements. Sums stay in loop-carried values:
// an output is read before the loops that reduce it and written behind them.
#include "backends/npu/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_SCALARLOOPSPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

/// Writes the loops of one op.
class Loops {
public:
  Loops(IRRewriter &rewriter, linalg::GenericOp op) : rewriter(rewriter), op(op), loc(op.getLoc()) {}

  void write() {
    rewriter.setInsertionPoint(op);
    for (Range range : cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(rewriter, loc))
      extents.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, range.size));
    zero = rewriter.create<arith::ConstantIndexOp>(loc, 0);
    one = rewriter.create<arith::ConstantIndexOp>(loc, 1);
    ids.assign(extents.size(), Value());
    SmallVector<unsigned> side, rest; // loops whose iterations write apart, and the others
    for (unsigned loop = 0; loop < extents.size(); ++loop)
      (writesApart(loop) ? side : rest).push_back(loop);
    bool keepsSums = !rest.empty() && llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
      AffineMap map = op.getMatchingIndexingMap(&init);
      return !op.getMatchingBlockArgument(&init).use_empty() &&
             llvm::none_of(rest, [&](unsigned loop) { return map.isFunctionOfDim(loop); });
    });
    openParallel(side);
    SmallVector<Value> sums;
    if (keepsSums)
      sums = loadOutputs(/*canSkipFills=*/true);
    SmallVector<scf::ForOp> loops;
    for (unsigned loop : rest) {
      auto inner = rewriter.create<scf::ForOp>(loc, zero, extents[loop], one, sums);
      ids[loop] = inner.getInductionVar();
      sums.assign(inner.getRegionIterArgs().begin(), inner.getRegionIterArgs().end());
      if (!loops.empty() && !sums.empty()) {
        rewriter.setInsertionPointToEnd(loops.back().getBody());
        rewriter.create<scf::YieldOp>(loc, inner.getResults());
      }
      loops.push_back(inner);
      rewriter.setInsertionPointToStart(inner.getBody());
    }
    SmallVector<Value> results = writeBody(keepsSums ? sums : loadOutputs(false));
    if (keepsSums) {
      rewriter.create<scf::YieldOp>(loc, results);
      rewriter.setInsertionPointAfter(loops.front());
      results = llvm::to_vector_of<Value>(loops.front().getResults());
    }
    storeOutputs(results);
    rewriter.eraseOp(op);
    for (Operation *fill : fills)
      rewriter.eraseOp(fill);
  }

  /// Ops in front that are not needed any more, and erased.
  const SmallVector<Operation *> &dropped() const { return fills; }

private:
  bool writesApart(unsigned loop) {
    return op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel &&
           llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
             return llvm::is_contained(op.getMatchingIndexingMap(&init).getResults(),
                                       rewriter.getAffineDimExpr(loop));
           });
  }

  void openParallel(ArrayRef<unsigned> loops) {
    if (loops.empty())
      return;
    SmallVector<Value> lower(loops.size(), zero), upper, step(loops.size(), one);
    for (unsigned loop : loops)
      upper.push_back(extents[loop]);
    auto parallel = rewriter.create<scf::ParallelOp>(loc, lower, upper, step);
    for (auto [loop, id] : llvm::zip(loops, parallel.getInductionVars()))
      ids[loop] = id;
    rewriter.setInsertionPointToStart(parallel.getBody());
  }

  SmallVector<Value> positionOf(OpOperand &operand) {
    SmallVector<Value> position;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      OpFoldResult index = affine::makeComposedFoldedAffineApply(rewriter, loc, map.getSubMap({i}),
                                                                 llvm::to_vector_of<OpFoldResult>(ids));
      position.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, index));
    }
    return position;
  }

  /// Null for an output that the body does not read.
  SmallVector<Value> loadOutputs(bool canSkipFills) {
    SmallVector<Value> values;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      if (op.getMatchingBlockArgument(&init).use_empty())
        values.push_back(Value());
      else if (linalg::LinalgOp fill = canSkipFills ? fillOf(init) : nullptr)
        values.push_back(filledWith(fill)), fills.push_back(fill);
      else
        values.push_back(rewriter.create<memref::LoadOp>(loc, init.get(), positionOf(init)));
    }
    return values;
  }

  /// The op right in front that writes one number all over an output, all of which this op writes again.
  linalg::LinalgOp fillOf(OpOperand &init) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isProjectedPermutation() || llvm::count(op->getOperands(), init.get()) != 1)
      return nullptr;
    Operation *before = op->getPrevNode();
    while (before && (isMemoryEffectFree(before) || isa<memref::AllocOp>(before)))
      before = before->getPrevNode();
    auto fill = dyn_cast_or_null<linalg::LinalgOp>(before);
    bool isFill =
        fill && fill.getNumDpsInits() == 1 && fill.getDpsInits()[0] == init.get() && filledWith(fill);
    return isFill ? fill : nullptr;
  }

  /// The number that an op writes all over its output; null if it does something else.
  static Value filledWith(linalg::LinalgOp op) {
    Value value = op.getBlock()->getTerminator()->getOperand(0);
    if (op->getNumOperands() == 2 && value == op.getBlock()->getArgument(0) &&
        !isa<ShapedType>(op->getOperand(0).getType()))
      return op->getOperand(0);
    bool isFromOutside = op->getNumOperands() == 1 && !op->isAncestor(value.getParentBlock()->getParentOp());
    return isFromOutside ? value : Value();
  }

  void storeOutputs(ArrayRef<Value> values) {
    for (auto [init, value] : llvm::zip_equal(op.getDpsInitsMutable(), values))
      rewriter.create<memref::StoreOp>(loc, value, init.get(), positionOf(init));
  }

  SmallVector<Value> writeBody(ArrayRef<Value> outputs) {
    IRMapping mapping;
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(input);
      if (argument.use_empty())
        continue;
      Value value = input->get();
      if (isa<MemRefType>(value.getType()))
        value = rewriter.create<memref::LoadOp>(loc, value, positionOf(*input));
      mapping.map(argument, value);
    }
    for (auto [init, output] : llvm::zip_equal(op.getDpsInitsMutable(), outputs))
      if (output)
        mapping.map(op.getMatchingBlockArgument(&init), output);
    for (Operation &inner : op.getBody()->without_terminator())
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        mapping.map(index, ids[index.getDim()]);
      else
        rewriter.clone(inner, mapping);
    SmallVector<Value> results;
    for (Value value : op.getBody()->getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
    return results;
  }

  IRRewriter &rewriter;
  linalg::GenericOp op;
  Location loc;
  SmallVector<Value> extents, ids; // by loop
  SmallVector<Operation *> fills;
  Value zero, one;
};

/// A `linalg.map`, whose region has no argument for the output, as a generic op. Upstream leaves it as it is.
linalg::GenericOp generalize(IRRewriter &rewriter, linalg::MapOp map) {
  rewriter.setInsertionPoint(map);
  auto generic = rewriter.create<linalg::GenericOp>(
      map.getLoc(), TypeRange(), map.getInputs(), map.getDpsInits(), map.getIndexingMapsArray(),
      map.getIteratorTypesArray(), [&](OpBuilder &builder, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(map.getBody()->getArguments(), arguments.drop_back(map.getDpsInits().size()));
        for (Operation &inner : *map.getBody())
          builder.clone(inner, mapping);
      });
  rewriter.eraseOp(map);
  return generic;
}

struct ScalarLoops final : impl::ScalarLoopsPassBase<ScalarLoops> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      rewriter.setInsertionPoint(copy);
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(), copy.getTarget());
      rewriter.eraseOp(copy);
    }
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    llvm::SmallPtrSet<Operation *, 4> dropped;
    for (linalg::LinalgOp op : llvm::reverse(ops)) { // who sums comes before what it starts from
      if (dropped.contains(op))
        continue;
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (auto map = dyn_cast<linalg::MapOp>(op.getOperation()))
        generic = generalize(rewriter, map);
      if (!generic) {
        rewriter.setInsertionPoint(op);
        FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
        if (failed(made)) {
          op.emitError("npu: '") << op->getName() << "' has no form as loops";
          return signalPassFailure();
        }
        generic = *made;
      }
      Loops loops(rewriter, generic);
      loops.write();
      dropped.insert(loops.dropped().begin(), loops.dropped().end());
    }
  }
};

} // namespace
} // namespace kiln::npu
