// Describe.cpp: notes on a kiln.kernel what its object's metadata needs and later types no longer say.
#include "backends/host/Transforms/Passes.h"
#include "backends/host/Transforms/TemplateName.h"

#include "kiln/IR/Kiln.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_DESCRIBEPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

ArrayAttr elementTypes(Builder &builder, KernelOp kernel) {
  SmallVector<Attribute> types;
  for (TypeRange range : {TypeRange(kernel.getArgumentTypes()), TypeRange(kernel.getResultTypes())})
    for (Type type : range)
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        types.push_back(TypeAttr::get(tensor.getElementType()));
  return builder.getArrayAttr(types);
}

/// The op's number, counted from 1, that its kernel was formed with: a line of "kernel". 0 if it has none.
int64_t formedNumber(Operation *op) {
  int64_t number = 0;
  op->getLoc()->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file || file.getFilename() != "kernel")
      return WalkResult::advance();
    number = file.getLine();
    return WalkResult::interrupt();
  });
  return number;
}

/// Locations that the line table of the object is made from: op number + 1 as the line, 0 being "none". Ops
/// of a kernel that was not formed but written are counted.
void numberOps(KernelOp kernel) {
  int64_t count = 0;
  auto tag = StringAttr::get(kernel.getContext(), "op");
  kernel.getBody().walk([&](Operation *op) {
    ++count;
    int64_t formed = formedNumber(op);
    Location at = FileLineColLoc::get(tag, formed ? formed : count, 0);
    op->setLoc(FusedLoc::get(kernel.getContext(), {at, op->getLoc()}));
  });
}

/// What profiles call a kernel of rows if it is more than reductions: the composite in it.
StringRef compositeOf(KernelOp kernel) {
  StringRef found;
  kernel.getBody().walk([&](Operation *op) {
    if (isa<SoftmaxOp, LogSoftmaxOp>(op))
      found = "softmax";
    else if (isa<LayerNormOp, RmsNormOp, GroupNormOp, InstanceNormOp>(op))
      found = "layernorm";
  });
  return found;
}

/// The arguments that are read at computed indices. These are kept inside the argument, which must not be
/// empty.
SmallVector<int64_t> indexedArguments(KernelOp kernel) {
  llvm::SmallSetVector<int64_t, 4> indexed;
  kernel.getBody().walk([&](Operation *op) {
    if (isa<GatherOp, GatherElementsOp, GatherNdOp>(op))
      if (auto argument = dyn_cast<BlockArgument>(op->getOperand(0)))
        indexed.insert(argument.getArgNumber());
  });
  return indexed.takeVector();
}

struct DescribePass : impl::DescribePassBase<DescribePass> {
  void runOnOperation() override {
    Builder builder(&getContext());
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      numberOps(kernel);
      int64_t inputs =
          llvm::count_if(kernel.getArgumentTypes(), [](Type type) { return isa<RankedTensorType>(type); });
      kernel->setAttr("kiln.inputs", builder.getI64IntegerAttr(inputs));
      if (StringRef composite = compositeOf(kernel); !composite.empty())
        kernel->setAttr(kCompositeAttr, builder.getStringAttr(composite));
      if (SmallVector<int64_t> indexed = indexedArguments(kernel); !indexed.empty())
        kernel->setAttr("kiln.indexed", builder.getDenseI64ArrayAttr(indexed));
      kernel->setAttr("kiln.element_types", elementTypes(builder, kernel));
    }
  }
};

} // namespace
} // namespace kiln::host
