// VerifySync.cpp: proves a synchronised program free of races, and on request that it needs each of its flags
// and barriers.
#include "devicekit/PipePasses.h"
#include "devicekit/PipeTrace.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace kiln::devicekit {

#define GEN_PASS_DEF_VERIFYSYNCPASS
#include "devicekit/PipePasses.h.inc"

namespace {

/// Says so if it takes a loop that ends early to meet the fault.
StringRef tripsText(const PipeProgram &program) {
  bool isEarly = isOrdered({&program, {}, {}, nullptr, /*loopsRunLong=*/true});
  return isEarly ? " when a loop does not run or ends early" : "";
}

/// Reports the first fault of the program as it stands.
LogicalResult verify(const PipeProgram &program) {
  const MachineInterface &machine = program.machine();
  LogicalResult result = success();
  runTrace(
      {&program, {}, {}},
      [&](const PipeConflict &conflict) {
        InFlightDiagnostic diagnostic = conflict.second->op->emitError("race: '")
                                        << conflict.second->op->getName() << "' on pipe "
                                        << machine.pipeName(conflict.second->pipe)
                                        << " does not wait for a conflicting access on pipe "
                                        << machine.pipeName(conflict.first->pipe) << tripsText(program);
        diagnostic.attachNote(conflict.first->op->getLoc()) << "by '" << conflict.first->op->getName() << "'";
        result = diagnostic;
        return false;
      },
      [&](PipeNode *node, const FlagEdge *, StringRef what) {
        result = node->op->emitError("flag: '") << node->op->getName() << "' " << what << tripsText(program);
        return false;
      });
  return result;
}

struct VerifySync final : impl::VerifySyncPassBase<VerifySync> {
  using VerifySyncPassBase::VerifySyncPassBase;
  void runOnOperation() override {
    markAllAnalysesPreserved();
    const MachineInterface *machine = findMachine(getOperation());
    if (!machine)
      return;
    FailureOr<PipeProgram> program = PipeProgram::create(getOperation(), *machine);
    if (failed(program))
      return signalPassFailure();
    if (failed(verify(*program)))
      return signalPassFailure();
    if (eachIsNeeded && failed(checkNeed(*program)))
      signalPassFailure();
  }

  LogicalResult checkNeed(const PipeProgram &program) {
    std::vector<SmallVector<Operation *>> groups = syncGroups(program);
    for (const SmallVector<Operation *> &group : groups) {
      DenseSet<Operation *> ignored(group.begin(), group.end());
      if (isOrdered({&program, {}, {}, &ignored}))
        return group.front()->emitError("'")
               << group.front()->getName() << "' is not needed: the program is free of races without it";
    }
    getOperation()->emitRemark("each of ") << groups.size() << " flags and barriers is needed";
    return success();
  }
};

} // namespace
} // namespace kiln::devicekit
