// SinkScalars.cpp: values that would wait in a register from loop to loop are computed again where they are
// used. What stays in registers are then the loops' own counters, bounds and slots.
#include "backends/npu/Transforms/Passes.h"
#include "backends/npu/Transforms/VectorLowering.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_SINKSCALARSPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

constexpr size_t kMostWaiting = 12; // of 32 registers; the others are for the instruction at hand

bool movesNothing(Operation *op) { return isa<memref::ReinterpretCastOp, memref::SubViewOp>(op); }
/// Whether an op's own operands are read where its result is used.
bool isMadeLater(Operation *op) { return movesNothing(op) || isa<ir::BufferOp>(op); }

/// Whether an op may be computed again anywhere below it.
bool isSinkable(Operation *op) {
  return movesNothing(op) || (isa<arith::ArithDialect>(op->getDialect()) && !isa<arith::ConstantOp>(op));
}

/// Whether a value waits in a register: constants and dimensions are made where they are used.
bool needsRegister(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<scf::ForOp>(value.getParentBlock()->getParentOp()) && value.getType().isIntOrIndexOrFloat();
  return value.getType().isIntOrIndexOrFloat() && !isa<arith::ConstantOp, memref::DimOp>(op);
}

/// The values that wait in registers while `loop` runs: defined before it, used in it or behind it.
size_t waitingDuring(scf::ForOp loop) {
  llvm::SmallSetVector<Value, 32> waiting;
  auto isBefore = [&](Value value) {
    return value.getDefiningOp() ? !loop->isAncestor(value.getDefiningOp()) &&
                                       (value.getDefiningOp()->getBlock() != loop->getBlock() ||
                                        value.getDefiningOp()->isBeforeInBlock(loop))
                                 : !loop->isAncestor(value.getParentBlock()->getParentOp());
  };
  auto isAround = [&](Value value) { // not made behind the loop
    for (Operation *at = loop; at; at = at->getParentOp())
      if (at->getBlock() == value.getParentBlock())
        return !value.getDefiningOp() || value.getDefiningOp()->isBeforeInBlock(at);
    return false;
  };
  auto add = [&](Operation *user) {
    SmallVector<Value> operands(user->getOperands());
    while (!operands.empty()) {
      Value value = operands.pop_back_val();
      if (Operation *op = value.getDefiningOp(); op && isMadeLater(op))
        llvm::append_range(operands, op->getOperands());
      if (needsRegister(value) && isBefore(value) && isAround(value))
        waiting.insert(value);
    }
  };
  loop->walk(add);
  for (Operation *at = loop; isa_and_nonnull<scf::ForOp>(at); at = at->getParentOp()) {
    add(at); // bounds and steps of loops around it, their counters and slots
    waiting.insert(cast<scf::ForOp>(at).getInductionVar());
    for (Operation *behind = at->getNextNode(); behind; behind = behind->getNextNode())
      behind->walk(add);
  }
  return waiting.size();
}

struct SinkScalars final : impl::SinkScalarsPassBase<SinkScalars> {
  using SinkScalarsPassBase::SinkScalarsPassBase;
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto core = function->getAttrOfType<StringAttr>(kCoreAttr);
    if (!core || core.getValue() != "aic") // vector cores have a place for what waits
      return;
    size_t most = 0;
    function.walk([&](scf::ForOp loop) { most = std::max(most, waitingDuring(loop)); });
    if (most <= kMostWaiting)
      return;
    function.walk<WalkOrder::PreOrder>([&](Block *block) { sinkInto(*block); });
    for (bool changed = true; changed;) { // what nobody uses now
      changed = false;
      function.walk([&](Operation *op) {
        if (!isSinkable(op) || !op->use_empty())
          return;
        op->erase();
        changed = true;
      });
    }
  }

  /// Copies what ops of a block read of outer blocks to before the first of them.
  void sinkInto(Block &block) {
    DenseMap<Operation *, Operation *> copies;
    for (Operation &op : block)
      sinkOperands(&op, copies);
  }

  void sinkOperands(Operation *op, DenseMap<Operation *, Operation *> &copies) {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *maker = operand.get().getDefiningOp();
      if (!maker || maker->getBlock() == op->getBlock() || !isSinkable(maker))
        continue;
      Operation *&copy = copies[maker];
      if (!copy) {
        OpBuilder builder(op);
        Operation *made = builder.clone(*maker);
        copy = made;
        sinkOperands(made, copies);
        operand.set(made->getResult(0));
        continue;
      }
      operand.set(copy->getResult(0));
    }
  }
};

} // namespace
} // namespace kiln::npu
