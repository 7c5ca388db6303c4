// LoopDestinations.cpp: the results that loops and branches make, each in its place.
#include "backends/host/Transforms/Passes.h"
#include "backends/host/Transforms/TemplateName.h"
#include "backends/host/Transforms/TileSpace.h"
#include "kiln/Transforms/InPlace.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_LOOPDESTINATIONSPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

struct LoopDestinationsPass : impl::LoopDestinationsPassBase<LoopDestinationsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (bufferization::MaterializeInDestinationOp use : resultWrites(getOperation())) {
      if (!isMadeInPlace(use.getSource()))
        continue;
      writeInPlace(rewriter, use);
      getOperation()->setAttr(kTemplateAttr, rewriter.getStringAttr("loop"));
    }
  }
};

} // namespace
} // namespace kiln::host
