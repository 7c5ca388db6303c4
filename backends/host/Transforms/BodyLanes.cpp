// BodyLanes.cpp: one walk over the body; index arithmetic that keeps neighbours neighbours is looked through.
#include "backends/host/Transforms/BodyLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln::host {
namespace {

Lanes reversed(Lanes lanes) {
  switch (lanes) {
  case Lanes::Ascending:
    return Lanes::Descending;
  case Lanes::Descending:
    return Lanes::Ascending;
  case Lanes::Same:
  case Lanes::Any:
    return lanes;
  }
  llvm_unreachable("lanes are one of four");
}

/// a + b
Lanes sum(Lanes a, Lanes b) {
  if (a == Lanes::Same)
    return b;
  return b == Lanes::Same ? a : Lanes::Any;
}

} // namespace

BodyLanes::BodyLanes(linalg::GenericOp op, unsigned loop, llvm::function_ref<bool(unsigned)> moves) {
  Block &body = *op.getBody();
  for (BlockArgument argument : body.getArguments())
    lanes[argument] = moves(argument.getArgNumber()) ? Lanes::Any : Lanes::Same;
  for (Operation &inner : body) {
    Lanes own = compute(inner, loop);
    for (Value result : inner.getResults())
      lanes[result] = own;
  }
}

Lanes BodyLanes::of(Value value) const {
  auto found = lanes.find(value);
  return found == lanes.end() ? Lanes::Same : found->second;
}

Lanes BodyLanes::compute(Operation &op, unsigned loop) const {
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return index.getDim() == loop ? Lanes::Ascending : Lanes::Same;
  if (isa<arith::AddIOp>(op))
    return sum(of(op.getOperand(0)), of(op.getOperand(1)));
  if (isa<arith::SubIOp>(op))
    return sum(of(op.getOperand(0)), reversed(of(op.getOperand(1))));
  if (isa<arith::IndexCastOp>(op))
    return of(op.getOperand(0));
  bool same = op.getNumRegions() == 0 &&
              llvm::all_of(op.getOperands(), [&](Value operand) { return of(operand) == Lanes::Same; });
  return same ? Lanes::Same : Lanes::Any;
}

Access BodyLanes::accessOf(memref::LoadOp load) const {
  SmallVector<Lanes> at = llvm::map_to_vector(load.getIndices(), [&](Value index) { return of(index); });
  auto same = [](Lanes lanes) { return lanes == Lanes::Same; };
  if (llvm::all_of(at, same))
    return Access::Broadcast;
  SmallVector<int64_t> strides;
  int64_t offset;
  bool isDense = succeeded(getStridesAndOffset(load.getMemRefType(), strides, offset)) && strides.back() == 1;
  if (!isDense || !llvm::all_of(ArrayRef(at).drop_back(), same) || at.back() == Lanes::Any)
    return Access::Gathered;
  return at.back() == Lanes::Ascending ? Access::Contiguous : Access::Reversed;
}

} // namespace kiln::host
