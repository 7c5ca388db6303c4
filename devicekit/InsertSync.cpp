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

/// Gives each edge the first of its consecutive flag numbers; those that find none are replaced by barriers
/// on all pipes.
void allocateEvents(SyncPlan &plan, const PipeProgram &program, Operation *function,
                    std::vector<int64_t> &firstEvents) {
  std::map<std::pair<unsigned, unsigned>, int64_t> used;
  std::vector<FlagEdge> kept;
  // Inner loops first: they run most often, and a barrier costs most there.
  unsigned deepest = 0;
  for (const FlagEdge &edge : plan.edges)
    deepest = std::max(deepest, edge.from->depth());
  std::vector<FlagEdge> order;
  for (unsigned depth = deepest + 1; depth-- > 0;)
    llvm::copy_if(plan.edges, std::back_inserter(order),
                  [&](const FlagEdge &edge) { return edge.from->depth() == depth; });
  for (const FlagEdge &edge : order) {
    int64_t &next = used[{edge.fromPipe, edge.toPipe}];
    if (next + edge.slots > program.machine().eventCount(function, edge.fromPipe, edge.toPipe)) {
      plan.barriers.push_back({edge.to, kAllPipes});
      continue;
    }
    kept.push_back(edge);
    firstEvents.push_back(next);
    next += edge.slots;
  }
  plan.edges = std::move(kept);
}

class Writer {
public:
  Writer(const MachineInterface &machine, MLIRContext *context) : machine(machine), builder(context) {}

  void write(const FlagEdge &edge, int64_t event) {
    auto loop = edge.from->parent ? cast<scf::ForOp>(current(edge.from->parent)) : scf::ForOp();
    Value slot;
    if (edge.slots > 1) {
      Operation *before = edge.from->parent->op;
      slot = getOrAddSlot(loop, edge.slots);
      replaced[before] = loop;
    }
    Location loc = edge.from->op->getLoc();
    builder.setInsertionPointAfter(current(edge.from));
    machine.setFlag(builder, loc, edge.fromPipe, edge.toPipe, event, slot);
    builder.setInsertionPoint(current(edge.to));
    machine.waitFlag(builder, edge.to->op->getLoc(), edge.fromPipe, edge.toPipe, event, slot);
    PipeNode *outermost = edge.from->parent;
    while (edge.distance && outermost->parent)
      outermost = outermost->parent;
    for (unsigned i = 0; i < edge.distance; ++i) {
      builder.setInsertionPoint(current(outermost));
      machine.setFlag(builder, loc, edge.fromPipe, edge.toPipe, event + i, Value());
      builder.setInsertionPointAfter(current(outermost));
      machine.waitFlag(builder, loc, edge.fromPipe, edge.toPipe, event + i, Value());
    }
  }

  void write(const BarrierPoint &point) {
    builder.setInsertionPoint(current(point.before));
    machine.barrier(builder, point.before->op->getLoc(), point.pipe);
  }

private:
  /// A node's op: loops that got slots are others now.
  Operation *current(PipeNode *node) {
    Operation *op = node->op;
    for (auto it = replaced.find(op); it != replaced.end() && it->second != op; it = replaced.find(op))
      op = it->second;
    return op;
  }

  const MachineInterface &machine;
  OpBuilder builder;
  DenseMap<Operation *, Operation *> replaced;
};

struct InsertSync final : impl::InsertSyncPassBase<InsertSync> {
  void runOnOperation() override {
    const MachineInterface *machine = findMachine(getOperation());
    if (!machine)
      return;
    FailureOr<PipeProgram> program = PipeProgram::create(getOperation(), *machine);
    if (failed(program))
      return signalPassFailure();
    SyncPlan plan = planSync(*program);
    std::vector<int64_t> events;
    allocateEvents(plan, *program, getOperation(), events);
    Writer writer(*machine, &getContext());
    for (auto [edge, event] : llvm::zip(plan.edges, events))
      writer.write(edge, event);
    for (const BarrierPoint &point : plan.barriers)
      writer.write(point);
  }
};

} // namespace
} // namespace kiln::devicekit
