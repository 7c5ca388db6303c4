// KernelPasses.cpp: the reference's small passes: kiln.signature, protected inputs, copies as loops, math
// without libm.
#include "devicekit/Passes.h"

#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"

using namespace mlir;

namespace kiln::devicekit {

#define GEN_PASS_DEF_RECORDSIGNATUREPASS
#define GEN_PASS_DEF_PROTECTINPUTSPASS
#define GEN_PASS_DEF_COPIESTOLOOPSPASS
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "devicekit/Passes.h.inc"

namespace {

struct RecordSignature final : impl::RecordSignaturePassBase<RecordSignature> {
  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      kernel->setAttr(kSignatureAttr, TypeAttr::get(kernel.getFunctionType()));
  }
};

struct ProtectInputs final : impl::ProtectInputsPassBase<ProtectInputs> {
  void runOnOperation() override {
    Attribute no = BoolAttr::get(&getContext(), false);
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      for (unsigned i = 0; i < func.getNumArguments(); ++i)
        if (isa<TensorType>(func.getArgument(i).getType()))
          func.setArgAttr(i, bufferization::BufferizationDialect::kWritableAttrName, no);
  }
};

struct CopiesToLoops final : impl::CopiesToLoopsPassBase<CopiesToLoops> {
  void runOnOperation() override {
    getOperation().walk([](memref::CopyOp copy) {
      OpBuilder builder(copy);
      linalg::makeMemRefCopyOp(builder, copy.getLoc(), copy.getSource(), copy.getTarget());
      copy.erase();
    });
  }
};

struct ExpandMath final : impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandRsqrtPattern(patterns);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kiln::devicekit
