// InPlace.cpp: follows the updates of a tensor back to the empty one they start from, which becomes the
// result's buffer.
#include "kiln/Transforms/InPlace.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace kiln {
namespace {

/// Whether something else than `taken` makes a tensor of its own from what `taken` reads: both would write to
/// the result's buffer.
bool isUpdatedTwice(OpOperand *taken) {
  return llvm::any_of(taken->get().getUses(), [&](OpOperand &use) {
    auto update = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    auto loop = dyn_cast<LoopLikeOpInterface>(use.getOwner());
    return &use != taken && ((update && update.isDpsInit(&use)) || (loop && loop.getTiedLoopResult(&use)) ||
                             isa<bufferization::MaterializeInDestinationOp>(use.getOwner()));
  });
}

/// The operands by which the updates that lead to `value` first take a tensor.empty; false if a chain starts
/// from something else.
bool collectStarts(Value value, SmallVectorImpl<OpOperand *> &starts) {
  OpOperand *taken = nullptr;
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      auto loop = dyn_cast<LoopLikeOpInterface>(parent);
      OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
      if (!init)
        return false;
      taken = init;
    } else {
      auto result = cast<OpResult>(value);
      Operation *op = result.getOwner();
      if (isa<tensor::EmptyOp>(op)) {
        if (taken)
          starts.push_back(taken);
        return taken;
      }
      if (auto branch = dyn_cast<scf::IfOp>(op))
        return llvm::all_of(branch->getRegions(), [&](Region &region) {
          return collectStarts(region.front().getTerminator()->getOperand(result.getResultNumber()), starts);
        });
      if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        value = loop.getConditionOp().getArgs()[result.getResultNumber()];
        continue;
      }
      if (auto loop = dyn_cast<scf::ForallOp>(op))
        taken = loop.getTiedOpOperand(result);
      else if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
        taken = loop.getTiedLoopInit(result);
      else if (auto update = dyn_cast<DestinationStyleOpInterface>(op))
        taken = update.getTiedOpOperand(result);
      else
        return false;
    }
    if (!taken || (!taken->get().getDefiningOp<tensor::EmptyOp>() && isUpdatedTwice(taken)))
      return false;
    value = taken->get();
  }
}

/// Moves what computes `value` in front of `point`, an op of the same block; false if that cannot be.
bool moveBefore(RewriterBase &rewriter, Value value, Operation *point) {
  Operation *op = value.getDefiningOp();
  if (!op || (op->getBlock() == point->getBlock() && op->isBeforeInBlock(point)))
    return true;
  if (op == point || op->getBlock() != point->getBlock() || op->getNumRegions() > 0 ||
      !isMemoryEffectFree(op) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) { return moveBefore(rewriter, operand, point); }))
    return false;
  rewriter.moveOpBefore(op, point);
  return true;
}

} // namespace

void writeInPlace(RewriterBase &rewriter, bufferization::MaterializeInDestinationOp use) {
  SmallVector<OpOperand *> starts;
  if (!collectStarts(use.getSource(), starts))
    return;
  Block *block = use->getBlock();
  for (OpOperand *start : starts) {
    Operation *point = block->findAncestorOpInBlock(*start->getOwner());
    if (start->get().getType() != use.getSource().getType() || !moveBefore(rewriter, use.getDest(), point))
      continue;
    rewriter.setInsertionPoint(point);
    Value destination = rewriter.create<bufferization::ToTensorOp>(use.getLoc(), start->get().getType(),
                                                                   use.getDest(), /*restrict=*/true,
                                                                   /*writable=*/true);
    rewriter.modifyOpInPlace(start->getOwner(), [&] { start->set(destination); });
  }
}

} // namespace kiln
