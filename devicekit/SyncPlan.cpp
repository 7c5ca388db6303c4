// SyncPlan.cpp: conflicts of an unordered run become edges; those that others imply go, the widest first;
// what is left on one pipe gets barriers. "Implies" is asked of the trace itself, so that chains over several
// pipes and around loops count.
#include "devicekit/SyncPlan.h"

using namespace mlir;

namespace kiln::devicekit {
namespace {

const FlagFaultFn kIgnoreFaults = [](PipeNode *, StringRef) { return true; };

/// The number of the first iteration index in which two runs of a body differ, or the depth.
unsigned firstDifference(ArrayRef<int64_t> a, ArrayRef<int64_t> b, unsigned depth) {
  for (unsigned i = 0; i < depth; ++i)
    if (a[i] != b[i])
      return i;
  return depth;
}

PipeNode *ancestorAt(PipeNode *node, unsigned depth) {
  while (node->depth() > depth)
    node = node->parent;
  return node;
}

/// The copies of the buffer through which two ops meet: as many flags let one pipe run ahead. Fewer would be
/// set again too early.
int64_t slotsBetween(const PipeConflict &conflict, PipeNode *loop) {
  auto slots = [&](const PipeRange &range) {
    return range.slotLoop == loop ? int64_t(range.starts.size()) : 1;
  };
  return std::min(slots(*conflict.firstRange), slots(*conflict.secondRange));
}

FlagEdge edgeOf(const PipeConflict &conflict) {
  auto [a, b] = commonLevel(conflict.first, conflict.second);
  unsigned differs = firstDifference(conflict.firstIteration, conflict.secondIteration, a->depth());
  bool isCarried = differs < a->depth();
  unsigned depth = isCarried ? differs + 1 : a->depth(); // of the body in which the flag pair stands
  FlagEdge edge = {ancestorAt(a, depth), ancestorAt(b, depth), conflict.first->pipe, conflict.second->pipe};
  PipeNode *loop = edge.from->parent;
  // A carried order from an earlier op to a later one follows from that within the iteration, since pipes are
  // in order.
  if (isCarried && edge.from->position >= edge.to->position)
    edge.distance = conflict.secondIteration[differs] - conflict.firstIteration[differs];
  edge.slots = edge.distance ? edge.distance : loop ? slotsBetween(conflict, loop) : 1;
  return edge;
}

/// Whether `strong` orders all that `weak` does.
bool covers(const FlagEdge &strong, const FlagEdge &weak) {
  return strong.from->parent == weak.from->parent && strong.fromPipe == weak.fromPipe &&
         strong.toPipe == weak.toPipe && strong.distance == weak.distance &&
         strong.from->position >= weak.from->position && strong.to->position <= weak.to->position;
}

std::vector<FlagEdge> allEdges(const PipeProgram &program) {
  std::vector<FlagEdge> edges;
  runTrace(
      {&program, {}, {}}, TripChoice(),
      [&](const PipeConflict &conflict) {
        if (conflict.first->pipe == conflict.second->pipe)
          return true;
        FlagEdge edge = edgeOf(conflict);
        if (llvm::any_of(edges, [&](const FlagEdge &other) { return covers(other, edge); }))
          return true;
        llvm::erase_if(edges, [&](const FlagEdge &other) { return covers(edge, other); });
        edges.push_back(edge);
        return true;
      },
      kIgnoreFaults);
  return edges;
}

/// Whether no conflict between two pipes is left; those on one pipe are the barriers' part.
bool pipesAreOrdered(const PipeProgram &program, ArrayRef<FlagEdge> edges, ArrayRef<TripChoice> choices) {
  return llvm::all_of(choices, [&](const TripChoice &trips) {
    bool isClean = true;
    runTrace(
        {&program, edges, {}}, trips,
        [&](const PipeConflict &conflict) {
          isClean &= conflict.first->pipe == conflict.second->pipe;
          return isClean;
        },
        kIgnoreFaults);
    return isClean;
  });
}

unsigned widthOf(const FlagEdge &edge) {
  unsigned width = edge.from->parent ? edge.from->parent->body.size() : 0;
  return edge.distance * width + (edge.to->position - edge.from->position);
}

void dropImplied(const PipeProgram &program, std::vector<FlagEdge> &edges, ArrayRef<TripChoice> choices) {
  std::vector<std::tuple<unsigned, unsigned, size_t>> order; // the widest last; of equal ones the first last
  for (auto [i, edge] : llvm::enumerate(edges))
    order.push_back({edge.distance, widthOf(edge), edges.size() - i});
  llvm::sort(order);
  std::vector<FlagEdge> sorted;
  for (auto [distance, width, fromEnd] : llvm::reverse(order))
    sorted.push_back(edges[edges.size() - fromEnd]);
  edges = std::move(sorted);
  for (size_t i = 0; i < edges.size();) {
    FlagEdge edge = edges[i];
    edges.erase(edges.begin() + i);
    if (!pipesAreOrdered(program, edges, choices))
      edges.insert(edges.begin() + i++, edge);
  }
}

void addBarriers(const PipeProgram &program, SyncPlan &plan, ArrayRef<TripChoice> choices) {
  for (const TripChoice &trips : choices)
    for (bool found = true; found;) {
      found = false;
      runTrace(
          {&program, plan.edges, plan.barriers}, trips,
          [&](const PipeConflict &conflict) {
            bool isOnePipe = conflict.first->pipe == conflict.second->pipe;
            plan.barriers.push_back({conflict.second, isOnePipe ? conflict.second->pipe : kAllPipes});
            found = true;
            return false;
          },
          kIgnoreFaults);
    }
  for (size_t i = 0; i < plan.barriers.size();) {
    BarrierPoint point = plan.barriers[i];
    plan.barriers.erase(plan.barriers.begin() + i);
    if (!isOrdered({&program, plan.edges, plan.barriers}, choices))
      plan.barriers.insert(plan.barriers.begin() + i++, point);
  }
}

} // namespace

SyncPlan planSync(const PipeProgram &program) {
  std::vector<TripChoice> choices = tripChoices(program);
  SyncPlan plan;
  plan.edges = allEdges(program);
  dropImplied(program, plan.edges, choices);
  addBarriers(program, plan, choices);
  return plan;
}

} // namespace kiln::devicekit
