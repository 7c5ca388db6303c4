// Contract.cpp: lets LLVM make fused multiply-adds of what models wrote as products and sums.
#include "backends/host/Transforms/Passes.h"

#include "kiln/IR/Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_CONTRACTPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

struct ContractPass : impl::ContractPassBase<ContractPass> {
  void runOnOperation() override {
    getOperation()->walk([](arith::ArithFastMathInterface op) {
      if (op->hasAttr(kRoundedAttr))
        return; // LLVM fuses only where both ops allow it
      auto flags = op.getFastMathFlagsAttr();
      auto with = (flags ? flags.getValue() : arith::FastMathFlags::none) | arith::FastMathFlags::contract;
      if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
        op->setAttr(op.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op->getContext(), with));
    });
  }
};

} // namespace
} // namespace kiln::host
