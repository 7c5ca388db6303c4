// RotatingSlot.cpp: recognises and makes iter_args(%slot = 0) that yield (%slot + 1) rem count.
#include "devicekit/RotatingSlot.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace kiln::devicekit {

RotatingSlot RotatingSlot::match(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || argument.getArgNumber() == 0)
    return {};
  unsigned carried = argument.getArgNumber() - 1;
  auto rem = loop.getYieldedValues()[carried].getDefiningOp<arith::RemUIOp>();
  auto next = rem ? rem.getLhs().getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  APInt count;
  if (!next || next.getLhs() != value || !matchPattern(next.getRhs(), m_One()) ||
      !matchPattern(loop.getInitArgs()[carried], m_Zero()) ||
      !matchPattern(rem.getRhs(), m_ConstantInt(&count)))
    return {};
  return {loop, count.getSExtValue()};
}

Value getOrAddSlot(scf::ForOp &loop, int64_t count) {
  for (Value argument : loop.getRegionIterArgs())
    if (RotatingSlot::match(argument).count == count)
      return argument;
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Value zero = rewriter.create<arith::ConstantIndexOp>(loop.getLoc(), 0);
  auto yield = [&](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> added) -> SmallVector<Value> {
    Value one = builder.create<arith::ConstantIndexOp>(loc, 1);
    Value modulus = builder.create<arith::ConstantIndexOp>(loc, count);
    Value next = builder.create<arith::AddIOp>(loc, added.front(), one);
    return {builder.create<arith::RemUIOp>(loc, next, modulus)};
  };
  DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
  auto replaced =
      loop.replaceWithAdditionalYields(rewriter, zero, /*replaceInitOperandUsesInLoop=*/false, yield);
  loop = cast<scf::ForOp>(succeeded(replaced) ? replaced->getOperation() : loop.getOperation());
  loop->setDiscardableAttrs(attributes);
  return loop.getRegionIterArgs().back();
}

} // namespace kiln::devicekit
