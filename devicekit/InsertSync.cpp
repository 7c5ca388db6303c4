// InsertSync.cpp: writes a plan of flags and barriers into the program: numbers for the flags, rotating ones
// for multi-buffers, sets before the outermost loop for what the first iterations wait for and
// waits after it for what is left.
#include "devicekit/PipePasses.h"
#include "devicekit/RotatingSlot.h"
#include "devicekit/SyncPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <map>

using namespace mlir;

namespace kiln::devicekit {

#define GEN_PASS_DEF_INSERTSYNCPASS
#include "devicekit/PipePasses.h.inc"

namespace {

class Writer {
public:
  Writer(const MachineInterface &machine, MLIRContext *context) : machine(machine), builder(context) {}

  void write(const FlagEdge &edge, int64_t event) {
    Value slot = slotOf(edge);
    builder.setInsertionPointAfter(edge.from->op);
    machine.setFlag(builder, edge.from->op->getLoc(), edge.fromPipe, edge.toPipe, event, slot);
    if (edge.isBehind)
      return;
    builder.setInsertionPoint(edge.to->op);
    machine.waitFlag(builder, edge.to->op->getLoc(), edge.fromPipe, edge.toPipe, event, slot);
  }

  /// A wait that stands behind an op. After all sets are written, so that it stands before them.
  void writeBehind(const FlagEdge &edge, int64_t event) {
    if (!edge.isBehind)
      return;
    Value slot = slotOf(edge);
    builder.setInsertionPointAfter(edge.to->op);
    machine.waitFlag(builder, edge.to->op->getLoc(), edge.fromPipe, edge.toPipe, event, slot);
  }

  /// The sets for a carried edge's first waits and the waits for its last sets. After all else is written, so
  /// that they stand next to the loop.
  void writeEnds(const FlagEdge &edge, int64_t event) {
    Location loc = edge.from->op->getLoc();
    PipeNode *outermost = edge.from->parent;
    while (edge.distance && outermost->parent)
      outermost = outermost->parent;
    for (unsigned i = 0; i < edge.distance; ++i) {
      builder.setInsertionPoint(outermost->op);
      machine.setFlag(builder, loc, edge.fromPipe, edge.toPipe, event + i, Value());
      builder.setInsertionPointAfter(outermost->op);
      machine.waitFlag(builder, loc, edge.fromPipe, edge.toPipe, event + i, Value());
    }
  }

  void write(const BarrierPoint &point) {
    builder.setInsertionPoint(point.before->op);
    machine.barrier(builder, point.before->op->getLoc(), point.pipe);
  }

private:
  Value slotOf(const FlagEdge &edge) {
    if (edge.slots <= 1)
      return {};
    PipeNode *counting = edge.from->parent->countingLoop();
    auto loop = cast<scf::ForOp>(counting->op);
    Value slot = getOrAddSlot(loop, edge.slots);
    counting->op = loop; // the old one is gone
    return slot;
  }

  const MachineInterface &machine;
  OpBuilder builder;
};

struct InsertSync final : impl::InsertSyncPassBase<InsertSync> {
  void runOnOperation() override {
    const MachineInterface *machine = findMachine(getOperation());
    if (!machine)
      return;
    FailureOr<PipeProgram> program = PipeProgram::create(getOperation(), *machine);
    if (failed(program))
      return signalPassFailure();
    SyncPlan plan = planSync(*program, getOperation());
    std::map<std::pair<unsigned, unsigned>, int64_t> used; // flags, by pair of pipes
    std::vector<int64_t> events;                           // the first of each edge
    for (const FlagEdge &edge : plan.edges) {
      int64_t &next = used[{edge.fromPipe, edge.toPipe}];
      events.push_back(next);
      next += edge.slots;
    }
    Writer writer(*machine, &getContext());
    for (auto [edge, event] : llvm::zip(plan.edges, events))
      writer.write(edge, event);
    for (auto [edge, event] : llvm::zip(plan.edges, events))
      writer.writeBehind(edge, event);
    for (const BarrierPoint &point : plan.barriers)
      writer.write(point);
    for (auto [edge, event] : llvm::zip(plan.edges, events))
      writer.writeEnds(edge, event);
  }
};

} // namespace
} // namespace kiln::devicekit
