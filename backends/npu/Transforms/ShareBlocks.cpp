// ShareBlocks.cpp: all blocks run the same program. A loop whose iterations are independent is cut in pieces,
// one a block; what is not is done by the first block; blocks meet where one uses what another wrote.
#include "backends/npu/IR/Npu.h"
#include "backends/npu/Transforms/Passes.h"
#include "backends/npu/Transforms/VectorLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_SHAREBLOCKSPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

/// Iterations that are worth a block of their own, if they hold no loop.
constexpr int64_t kLeastIterations = 8;

bool isParallel(Operation *op) { return isa<scf::ParallelOp, scf::ForallOp>(op); }

bool holdsParallel(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        return inner != op && isParallel(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool writesMemory(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<memref::StoreOp>(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether elements of four bits are written: two of them share the byte that one core writes.
bool writesHalves(func::FuncOp function) {
  return function
      ->walk([](memref::StoreOp store) {
        Type element = store.getMemRefType().getElementType();
        bool isHalf = element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 4;
        return isHalf ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Buffers from outside of an op that it touches. Null stands for any.
struct Accesses {
  llvm::SmallSetVector<Value, 8> reads, writes;

  explicit Accesses(Operation *op) {
    op->walk([&](Operation *inner) {
      if (auto load = dyn_cast<memref::LoadOp>(inner))
        add(op, load.getMemRef(), reads);
      else if (auto store = dyn_cast<memref::StoreOp>(inner))
        add(op, store.getMemRef(), writes);
    });
  }
  Accesses() = default;

private:
  static void add(Operation *op, Value buffer, llvm::SmallSetVector<Value, 8> &set) {
    while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
      buffer = view.getViewSource();
    bool isKnown = buffer.getDefiningOp<memref::AllocOp>() || buffer.getDefiningOp<memref::GetGlobalOp>() ||
                   isa<func::FuncOp>(buffer.getParentBlock()->getParentOp());
    if (isKnown && op->isProperAncestor(buffer.getParentBlock()->getParentOp()))
      return; // a buffer of its own
    if (isKnown && buffer.getDefiningOp() && buffer.getParentBlock()->getParentOp() == op)
      return;
    set.insert(isKnown ? buffer : Value());
  }
};

/// What was touched since all blocks met.
struct Touched {
  llvm::SmallSetVector<Value, 8> reads, writes;

  bool conflicts(const Accesses &now) const {
    auto meet = [](const llvm::SmallSetVector<Value, 8> &a, const llvm::SmallSetVector<Value, 8> &b) {
      if (a.empty() || b.empty())
        return false;
      return a.contains(Value()) || b.contains(Value()) ||
             llvm::any_of(a, [&](Value value) { return b.contains(value); });
    };
    return meet(writes, now.reads) || meet(writes, now.writes) || meet(reads, now.writes);
  }
  void add(const Accesses &now) {
    reads.insert(now.reads.begin(), now.reads.end());
    writes.insert(now.writes.begin(), now.writes.end());
  }
  void clear() { *this = {}; }
};

/// A loop nest's bounds, whichever op it is.
struct Nest {
  SmallVector<OpFoldResult> lower, upper, step;
  SmallVector<Value> ids;

  explicit Nest(Operation *op) {
    auto loop = cast<LoopLikeOpInterface>(op);
    lower = *loop.getLoopLowerBounds();
    upper = *loop.getLoopUpperBounds();
    step = *loop.getLoopSteps();
    ids = *loop.getLoopInductionVars();
  }
  /// The iterations of one loop; nothing if that is not known.
  std::optional<int64_t> count(size_t loop) const {
    std::optional<int64_t> from = getConstantIntValue(lower[loop]), to = getConstantIntValue(upper[loop]),
                           by = getConstantIntValue(step[loop]);
    if (!from || !to || !by)
      return std::nullopt;
    return std::max<int64_t>(0, llvm::divideCeil(std::max<int64_t>(*to - *from, 0), *by));
  }
};

class Sharing {
public:
  Sharing(func::FuncOp function, int64_t cores) : function(function), rewriter(function.getContext()) {
    Block &body = function.getBody().front();
    blocks = canShare(body) && !writesHalves(function) ? std::min(cores, blocksFor(body)) : 1;
  }

  int64_t run() {
    if (blocks > 1) {
      rewriter.setInsertionPointToStart(&function.getBody().front());
      block = rewriter.create<ir::BlockIdxOp>(function.getLoc(), rewriter.getIndexType());
      share(function.getBody().front());
    }
    SmallVector<Operation *> rest; // inner ones first
    function.walk([&](Operation *op) {
      if (isParallel(op))
        rest.push_back(op);
    });
    for (Operation *op : rest)
      inOrder(op, 0, {});
    return blocks;
  }

private:
  /// Whether an op of the program that all blocks run is a loop whose body is such a program again.
  static bool isShared(Operation *op) { return isa<scf::ForOp>(op) && holdsParallel(op); }

  /// Whether no value that only the first block computes is used by others.
  bool canShare(Block &body) {
    return llvm::all_of(body.without_terminator(), [&](Operation &op) {
      if (isParallel(&op))
        return op.getNumResults() == 0;
      if (isShared(&op))
        return canShare(*cast<scf::ForOp>(op).getBody());
      return !writesMemory(&op) || op.use_empty();
    });
  }

  /// The blocks that the largest loop has work for.
  int64_t blocksFor(Block &body) {
    int64_t most = 1;
    for (Operation &op : body.without_terminator()) {
      if (isShared(&op))
        most = std::max(most, blocksFor(*cast<scf::ForOp>(op).getBody()));
      if (!isParallel(&op))
        continue;
      Nest nest(&op);
      int64_t iterations = 1;
      for (size_t loop = 0; loop < nest.ids.size() && iterations < INT32_MAX; ++loop)
        iterations *= nest.count(loop).value_or(INT32_MAX);
      bool hasLoops = op.walk([&](LoopLikeOpInterface inner) {
                          return inner == &op ? WalkResult::advance() : WalkResult::interrupt();
                        }).wasInterrupted();
      most = std::max<int64_t>(most, hasLoops ? iterations : llvm::divideCeil(iterations, kLeastIterations));
    }
    return most;
  }

  void meet(Operation *before) {
    rewriter.setInsertionPoint(before);
    rewriter.create<ir::MeetOp>(before->getLoc());
    touched.clear();
  }

  void share(Block &body) {
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
      if (isShared(&op)) {
        if (!touched.writes.empty() || !touched.reads.empty())
          meet(&op);
        Block &inner = *cast<scf::ForOp>(op).getBody();
        share(inner);
        meet(inner.getTerminator());
        continue;
      }
      if (isa<memref::AllocOp>(op))
        op.setAttr(kSharedAttr, rewriter.getUnitAttr());
      if (op.getNumRegions() == 0 && !isa<memref::LoadOp, memref::StoreOp>(op))
        continue;
      Accesses accesses(&op);
      if (touched.conflicts(accesses))
        meet(&op);
      touched.add(accesses);
      if (isParallel(&op))
        cut(&op);
      else if (writesMemory(&op))
        byFirst(&op);
    }
  }

  void byFirst(Operation *op) {
    Location loc = op->getLoc();
    rewriter.setInsertionPoint(op);
    Value zero = rewriter.create<arith::ConstantIndexOp>(loc, 0);
    Value isFirst = rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, block, zero);
    auto branch = rewriter.create<scf::IfOp>(loc, isFirst);
    rewriter.moveOpBefore(op, branch.thenBlock()->getTerminator());
  }

  /// The narrowest element that a loop writes, in bytes.
  static int64_t narrowest(Operation *op) {
    int64_t bytes = 8;
    op->walk([&](memref::StoreOp store) {
      Type element = store.getMemRefType().getElementType();
      bytes = std::min<int64_t>(bytes,
                                element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
    });
    return bytes;
  }

  Value value(OpFoldResult x, Location loc) { return getValueOrCreateConstantIndexOp(rewriter, loc, x); }

  /// Replaces a loop nest by this block's piece of it: as many of its outer loops as make enough pieces are
  /// one, whose numbers are shared out in runs.
  void cut(Operation *op) {
    Location loc = op->getLoc();
    Nest nest(op);
    size_t outer = 0;
    for (int64_t pieces = 1; outer < nest.ids.size() && pieces < kLeastIterations * blocks; ++outer)
      pieces *= nest.count(outer).value_or(1);
    rewriter.setInsertionPoint(op);
    Value zero = rewriter.create<arith::ConstantIndexOp>(loc, 0);
    Value one = rewriter.create<arith::ConstantIndexOp>(loc, 1);
    SmallVector<Value> counts;
    Value total = one;
    for (size_t loop = 0; loop < outer; ++loop) {
      Value span = rewriter.createOrFold<arith::SubIOp>(loc, value(nest.upper[loop], loc),
                                                        value(nest.lower[loop], loc));
      span = rewriter.createOrFold<arith::MaxSIOp>(loc, span, zero);
      counts.push_back(rewriter.createOrFold<arith::CeilDivSIOp>(loc, span, value(nest.step[loop], loc)));
      total = rewriter.createOrFold<arith::MulIOp>(loc, total, counts.back());
    }
    // Whole blocks of memory, where iterations that follow each other write neighbours.
    int64_t unit = outer == nest.ids.size() ? 32 / narrowest(op) : 1;
    Value share = rewriter.createOrFold<arith::CeilDivSIOp>(
        loc, total, rewriter.create<arith::ConstantIndexOp>(loc, blocks * unit));
    share =
        rewriter.createOrFold<arith::MulIOp>(loc, share, rewriter.create<arith::ConstantIndexOp>(loc, unit));
    Value first = rewriter.create<arith::MulIOp>(loc, block, share);
    Value last =
        rewriter.create<arith::MinSIOp>(loc, rewriter.create<arith::AddIOp>(loc, first, share), total);
    auto pieces = rewriter.create<scf::ForOp>(loc, first, last, one);
    rewriter.setInsertionPointToStart(pieces.getBody());
    SmallVector<Value> ids(outer);
    Value rest = pieces.getInductionVar();
    for (size_t loop = outer; loop-- > 0;) {
      Value number = loop == 0 ? rest : rewriter.createOrFold<arith::RemUIOp>(loc, rest, counts[loop]);
      if (loop > 0)
        rest = rewriter.createOrFold<arith::DivUIOp>(loc, rest, counts[loop]);
      number = rewriter.createOrFold<arith::MulIOp>(loc, number, value(nest.step[loop], loc));
      ids[loop] = rewriter.createOrFold<arith::AddIOp>(loc, number, value(nest.lower[loop], loc));
    }
    rewriter.moveOpBefore(op, pieces.getBody()->getTerminator());
    inOrder(op, outer, ids);
  }

  /// Replaces a loop nest by loops that run one behind the other, the first ones having run: `ids`.
  void inOrder(Operation *op, size_t from, ArrayRef<Value> ids) {
    Nest nest(op);
    Location loc = op->getLoc();
    rewriter.setInsertionPoint(op);
    SmallVector<Value> all(ids);
    Operation *end = op;
    for (size_t loop = from; loop < nest.ids.size(); ++loop) {
      auto inner = rewriter.create<scf::ForOp>(loc, value(nest.lower[loop], loc),
                                               value(nest.upper[loop], loc), value(nest.step[loop], loc));
      all.push_back(inner.getInductionVar());
      end = inner.getBody()->getTerminator();
      rewriter.setInsertionPoint(end);
    }
    Block &body = op->getRegion(0).front();
    rewriter.eraseOp(body.getTerminator());
    rewriter.inlineBlockBefore(&body, end, all);
    rewriter.eraseOp(op);
  }

  func::FuncOp function;
  IRRewriter rewriter;
  int64_t blocks = 1;
  Value block; // this block's number
  Touched touched;
};

struct ShareBlocks final : impl::ShareBlocksPassBase<ShareBlocks> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    int64_t blocks = Sharing(function, ir::targetOf(function).vectorCores).run();
    function->setAttr(kBlocksAttr, OpBuilder(function).getI64IntegerAttr(blocks));
  }
};

} // namespace
} // namespace kiln::npu
