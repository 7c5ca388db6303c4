// SyncPlan.cpp: conflicts of an unordered run become edges; those that others imply go, the widest first; a
// flag that might be set again too early gets an edge back; what is left on one pipe gets barriers. "Implies"
// is asked of the trace itself, so that chains over several pipes and around loops count.
#include "devicekit/SyncPlan.h"

#include <map>

using namespace mlir;

namespace kiln::devicekit {
namespace {

const FlagFaultFn kIgnoreFaults = [](PipeNode *, const FlagEdge *, StringRef) { return true; };

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
/// set again too early. Slices of a buffer are many, but what passes beside them does so by two copies.
int64_t slotsBetween(const PipeConflict &conflict, PipeNode *loop) {
  auto slots = [&](const PipeRange &range) -> int64_t {
    int64_t count = range.starts.size();
    return range.slotLoop != loop ? 1 : range.isSlice ? std::min<int64_t>(count, 2) : count;
  };
  return std::min(slots(*conflict.firstRange), slots(*conflict.secondRange));
}

/// Copies that both ops take in turn by the iterations of `loop`, 1 if they do not.
int64_t copiesIn(const PipeConflict &conflict, PipeNode *loop) {
  int64_t copies = conflict.firstRange->starts.size();
  bool rotates = loop && conflict.firstRange->slotLoop == loop && conflict.secondRange->slotLoop == loop &&
                 copies == int64_t(conflict.secondRange->starts.size()) &&
                 (!loop->trips || *loop->trips >= copies);
  return !rotates || (conflict.firstRange->isSlice && copies > 2) ? 1 : copies;
}

FlagEdge edgeOf(const PipeConflict &conflict) {
  auto [a, b] = commonLevel(conflict.first, conflict.second);
  // From one run of a loop to its next, where copies rotate: the loop's own order from a copy's use to its
  // next lasts, since its flags stay set between runs.
  int64_t copies = copiesIn(conflict, a->parent);
  if (copies > 1 && a->position >= b->position &&
      firstDifference(conflict.firstIteration, conflict.secondIteration, a->depth()) + 1 < a->depth())
    return {a, b, conflict.first->pipe, conflict.second->pipe, unsigned(copies), copies};
  unsigned differs = firstDifference(conflict.firstIteration, conflict.secondIteration, a->depth());
  bool isCarried = differs < a->depth();
  unsigned depth = isCarried ? differs + 1 : a->depth(); // of the body in which the flag pair stands
  FlagEdge edge = {ancestorAt(a, depth), ancestorAt(b, depth), conflict.first->pipe, conflict.second->pipe};
  PipeNode *loop = edge.from->parent ? edge.from->parent->countingLoop() : nullptr;
  // A carried order from an earlier op to a later one follows from that within the iteration, since pipes are
  // in order.
  if (isCarried && edge.from->position >= edge.to->position)
    edge.distance = conflict.secondIteration[differs] - conflict.firstIteration[differs];
  edge.slots = edge.distance ? edge.distance : loop ? slotsBetween(conflict, loop) : 1;
  // From a body that may not run to its next run: in the body, so that sets and waits are as many.
  while (edge.distance && edge.from == edge.to && edge.from->once) {
    edge.from = ancestorAt(conflict.first, ++depth);
    edge.to = ancestorAt(conflict.second, depth);
  }
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
      {&program, {}, {}},
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
bool pipesAreOrdered(const PipeProgram &program, ArrayRef<FlagEdge> edges) {
  bool isClean = true;
  runTrace(
      {&program, edges, {}},
      [&](const PipeConflict &conflict) {
        isClean &= conflict.first->pipe == conflict.second->pipe;
        return isClean;
      },
      kIgnoreFaults);
  return isClean;
}

/// The order that lets an edge's flag be set again: its wait comes before.
FlagEdge backOf(const FlagEdge &edge) {
  FlagEdge back = {edge.to, edge.from, edge.toPipe, edge.fromPipe};
  if (edge.to->position >= edge.from->position)
    back.distance = back.slots = edge.slots;
  return back;
}

/// Adds orders until no flag is set before the wait for its last set is over: edges, or barriers if there may
/// be no more edges.
void guardFlags(const PipeProgram &program, SyncPlan &plan, bool addEdges) {
  for (;;) {
    std::optional<FlagEdge> early;
    runTrace(
        {&program, plan.edges, plan.barriers}, [](const PipeConflict &) { return true; },
        [&](PipeNode *, const FlagEdge *edge, StringRef) {
          if (edge)
            early = *edge;
          return !edge;
        });
    if (!early)
      return;
    if (addEdges && !llvm::is_contained(plan.edges, backOf(*early)))
      plan.edges.push_back(backOf(*early));
    else
      plan.barriers.push_back({early->from, kAllPipes});
  }
}

unsigned widthOf(const FlagEdge &edge) {
  unsigned width = edge.from->parent ? edge.from->parent->body.size() : 0;
  return edge.distance * width + (edge.to->position - edge.from->position);
}

/// Takes out, one by one, each of `items` for which `isFine` holds without it.
template <typename T, typename Fn> bool takeOut(std::vector<T> &items, Fn isFine) {
  bool changes = false;
  for (size_t i = 0; i < items.size();) {
    T item = items[i];
    items.erase(items.begin() + i);
    if (isFine())
      changes = true;
    else
      items.insert(items.begin() + i++, item);
  }
  return changes;
}

void dropImplied(const PipeProgram &program, std::vector<FlagEdge> &edges) {
  // First what keeps a loop's runs apart, which may imply much but costs most; then the widest, of equal ones
  // the first.
  std::vector<std::tuple<bool, unsigned, unsigned, size_t>> order;
  for (auto [i, edge] : llvm::enumerate(edges)) {
    bool isApart = edge.from == edge.to && edge.from->kind == PipeNode::Kind::Loop;
    order.push_back({isApart, edge.distance, widthOf(edge), edges.size() - i});
  }
  llvm::sort(order);
  std::vector<FlagEdge> sorted;
  for (auto [isApart, distance, width, fromEnd] : llvm::reverse(order))
    sorted.push_back(edges[edges.size() - fromEnd]);
  edges = std::move(sorted);
  takeOut(edges, [&] { return pipesAreOrdered(program, edges); });
}

/// Sorts edges and replaces those that find no flags of their pair by barriers on all pipes.
void limitFlags(SyncPlan &plan, const PipeProgram &program, Operation *function) {
  // Inner loops first: they run most often, and a barrier costs most there.
  unsigned deepest = 0;
  for (const FlagEdge &edge : plan.edges)
    deepest = std::max(deepest, edge.from->depth());
  std::vector<FlagEdge> sorted;
  for (unsigned depth = deepest + 1; depth-- > 0;)
    llvm::copy_if(plan.edges, std::back_inserter(sorted),
                  [&](const FlagEdge &edge) { return edge.from->depth() == depth; });
  plan.edges = std::move(sorted);
  std::map<std::pair<unsigned, unsigned>, int64_t> used;
  llvm::erase_if(plan.edges, [&](const FlagEdge &edge) {
    int64_t &count = used[{edge.fromPipe, edge.toPipe}];
    if (count + edge.slots <= program.machine().eventCount(function, edge.fromPipe, edge.toPipe)) {
      count += edge.slots;
      return false;
    }
    plan.barriers.push_back({edge.to, kAllPipes});
    return true;
  });
}

void addBarriers(const PipeProgram &program, SyncPlan &plan) {
  for (bool found = true; found;) {
    found = false;
    runTrace(
        {&program, plan.edges, plan.barriers},
        [&](const PipeConflict &conflict) {
          bool isOnePipe = conflict.first->pipe == conflict.second->pipe;
          plan.barriers.push_back({conflict.second, isOnePipe ? conflict.second->pipe : kAllPipes});
          found = true;
          return false;
        },
        kIgnoreFaults);
  }
}

/// Of so many copies, the one before the last is done when an op has run.
constexpr unsigned kManyCopies = 4;

/// Moves the wait of an order around an outermost loop from before an op to behind that op in the iteration
/// before, which is the same place in its pipe: a flag less on the way, and one less before and after the
/// loop. Who waits for the op waits for that order, too, which lies several iterations back.
void moveWaitsBack(const PipeProgram &program, SyncPlan &plan) {
  for (FlagEdge &edge : plan.edges) {
    PipeNode *loop = edge.to->parent;
    if (edge.distance < kManyCopies || edge.slots != edge.distance || loop->parent || loop->once)
      continue;
    bool isAlone = llvm::all_of(loop->body, [&](const PipeNode *node) { // the others would wait for no reason
      return node == edge.to ? node->kind == PipeNode::Kind::Op
                             : node->kind != PipeNode::Kind::Loop && node->pipe != edge.toPipe;
    });
    if (!isAlone)
      continue;
    FlagEdge before = edge;
    --edge.distance, --edge.slots;
    edge.isBehind = true;
    if (!isOrdered({&program, plan.edges, plan.barriers}))
      edge = before;
  }
}

} // namespace

SyncPlan planSync(const PipeProgram &program, Operation *function) {
  SyncPlan plan;
  plan.edges = allEdges(program);
  dropImplied(program, plan.edges);
  guardFlags(program, plan, /*addEdges=*/true);
  limitFlags(plan, program, function);
  addBarriers(program, plan);
  guardFlags(program, plan, /*addEdges=*/false);
  auto isFine = [&] { return isOrdered({&program, plan.edges, plan.barriers}); };
  if (isFine())
    moveWaitsBack(program, plan);
  for (bool changes = true; changes;)
    changes = int(takeOut(plan.barriers, isFine)) + int(takeOut(plan.edges, isFine)) > 0;
  return plan;
}

} // namespace kiln::devicekit
