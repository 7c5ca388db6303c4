// VerifySync.cpp: proves a synchronised program free of races, and on request that it needs each of its flags
// and barriers.
#include "devicekit/PipePasses.h"
#include "devicekit/PipeTrace.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace kiln::devicekit {

#define GEN_PASS_DEF_VERIFYSYNCPASS
#include "devicekit/PipePasses.h.inc"

namespace {

std::string tripsText(const TripChoice &trips) {
  if (trips.empty())
    return "";
  return " when a loop runs " + std::string(trips.begin()->second ? "once" : "not at all");
}

/// Reports the first fault of the program as it stands.
LogicalResult verify(const PipeProgram &program, ArrayRef<TripChoice> choices) {
  const MachineInterface &machine = program.machine();
  for (const TripChoice &trips : choices) {
    LogicalResult result = success();
    runTrace(
        {&program, {}, {}}, trips,
        [&](const PipeConflict &conflict) {
          InFlightDiagnostic diagnostic = conflict.second->op->emitError("race: '")
                                          << conflict.second->op->getName() << "' on pipe "
                                          << machine.pipeName(conflict.second->pipe)
                                          << " does not wait for a conflicting access on pipe "
                                          << machine.pipeName(conflict.first->pipe) << tripsText(trips);
          diagnostic.attachNote(conflict.first->op->getLoc())
              << "by '" << conflict.first->op->getName() << "'";
          result = diagnostic;
          return false;
        },
        [&](PipeNode *node, StringRef what) {
          result = node->op->emitError("flag: '") << node->op->getName() << "' " << what << tripsText(trips);
          return false;
        });
    if (failed(result))
      return failure();
  }
  return success();
}

/// The ops of one flag: all sets and waits of a pair and number, or one barrier.
std::vector<SmallVector<Operation *>> syncGroups(const PipeProgram &program) {
  llvm::MapVector<std::tuple<unsigned, unsigned, int64_t>, SmallVector<Operation *>> flags;
  std::vector<SmallVector<Operation *>> groups;
  for (const PipeNode &node : program.nodes()) {
    if (node.kind != PipeNode::Kind::Sync)
      continue;
    auto sync = cast<SyncOpInterface>(node.op);
    if (sync.getSyncKind() == SyncKind::Barrier) {
      groups.push_back({node.op});
      continue;
    }
    // A flag with a slot stands for the numbers of all its values.
    int64_t event = sync.getEventId();
    for (const PipeNode &other : program.nodes()) {
      auto otherSync =
          other.kind == PipeNode::Kind::Sync ? cast<SyncOpInterface>(other.op) : SyncOpInterface();
      if (otherSync && other.slotCount > 1 && otherSync.getSyncKind() != SyncKind::Barrier &&
          otherSync.getSourcePipe() == sync.getSourcePipe() &&
          otherSync.getTargetPipe() == sync.getTargetPipe() && otherSync.getEventId() <= event &&
          event < otherSync.getEventId() + other.slotCount)
        event = otherSync.getEventId();
    }
    flags[{sync.getSourcePipe(), sync.getTargetPipe(), event}].push_back(node.op);
  }
  for (auto &flag : flags)
    groups.push_back(std::move(flag.second));
  return groups;
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
    std::vector<TripChoice> choices = tripChoices(*program);
    if (failed(verify(*program, choices)))
      return signalPassFailure();
    if (eachIsNeeded && failed(checkNeed(*program, choices)))
      signalPassFailure();
  }

  LogicalResult checkNeed(const PipeProgram &program, ArrayRef<TripChoice> choices) {
    std::vector<SmallVector<Operation *>> groups = syncGroups(program);
    for (const SmallVector<Operation *> &group : groups) {
      DenseSet<Operation *> ignored(group.begin(), group.end());
      if (isOrdered({&program, {}, {}, &ignored}, choices))
        return group.front()->emitError("'")
               << group.front()->getName() << "' is not needed: the program is free of races without it";
    }
    getOperation()->emitRemark("each of ") << groups.size() << " flags and barriers is needed";
    return success();
  }
};

} // namespace
} // namespace kiln::devicekit
