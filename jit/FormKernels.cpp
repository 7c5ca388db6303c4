// FormKernels.cpp: the default of stage form: groups (Fusion.cpp) become kernels and launches (Outline.cpp).
#include "jit/Passes.h"
#include "kiln/jit/Outline.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace kiln::jit {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "jit/Passes.h.inc"
} // namespace kiln::jit

using namespace kiln;
using namespace kiln::jit;

namespace {
/// The blocks of a function and of its control flow; kernels and other ops' regions are none of ours.
SmallVector<Block *> programBlocks(func::FuncOp function) {
  SmallVector<Block *> blocks;
  function.getBody().walk<WalkOrder::PreOrder>([&](Block *block) {
    if (!isa<KilnDialect>(block->getParentOp()->getDialect()))
      blocks.push_back(block);
  });
  return blocks;
}

LogicalResult formFunction(func::FuncOp function, Outliner &outliner, KilnDialect &dialect) {
  // While all ops still stand: later nobody knows what shapes they make.
  ExtentResolver extents;
  SmallVector<tensor::DimOp> dims;
  function.walk([&](tensor::DimOp op) { dims.push_back(op); });
  for (tensor::DimOp op : dims)
    if (failed(extents.replace(op)))
      return failure();
  SmallVector<Block *> blocks = programBlocks(function);
  for (Block *block : blocks)
    for (Operation &op : llvm::make_early_inc_range(*block))
      if (fusionClass(&op) != FusionClass::Outside)
        for (Value result : op.getResults())
          if (failed(extents.dynamicExtents(result)))
            return failure();
  for (Block *block : blocks)
    for (const FusionGroup &group : planFusion(*block)) {
      if (failed(outliner.outline(group, extents)))
        return failure();
      dialect.count("form-kernels.launches");
    }
  return success();
}

struct FormKernels final : kiln::jit::impl::FormKernelsPassBase<FormKernels> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal())
      return; // a module of kernels alone
    auto &dialect = *getContext().getOrLoadDialect<KilnDialect>();
    Outliner outliner(getOperation());
    if (failed(formFunction(main, outliner, dialect)))
      return signalPassFailure();
    for ([[maybe_unused]] KernelOp kernel : getOperation().getOps<KernelOp>())
      dialect.count("form-kernels.kernels");
  }
};
} // namespace

std::unique_ptr<Pass> kiln::jit::createFormKernelsPass() { return std::make_unique<FormKernels>(); }
