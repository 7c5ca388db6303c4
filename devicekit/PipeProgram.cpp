// PipeProgram.cpp: walks the structured control flow once; views are followed to their buffers, subviews by
// range where their offset is known, or is known for each iteration of one loop.
#include "devicekit/PipeProgram.h"

#include "devicekit/RotatingSlot.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;

namespace kiln::devicekit {
namespace {

/// Bytes from `first` on that a static strided view covers.
struct Window {
  int64_t first = 0, bytes = INT64_MAX; // INT64_MAX: unknown, all of the buffer
  bool isKnown() const { return bytes != INT64_MAX; }
};

/// What a memref covers relative to its aligned pointer.
Window windowOf(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!type.hasStaticShape() || failed(getStridesAndOffset(type, strides, offset)) ||
      ShapedType::isDynamic(offset) || llvm::any_of(strides, ShapedType::isDynamic) ||
      type.getElementTypeBitWidth() % 8 != 0)
    return {};
  int64_t last = offset, bytes = type.getElementTypeBitWidth() / 8;
  for (auto [extent, stride] : llvm::zip(type.getShape(), strides)) {
    if (extent == 0)
      return {offset * bytes, 0};
    last += (extent - 1) * stride;
  }
  return {offset * bytes, (last + 1 - offset) * bytes};
}

/// Whether a view keeps the pointer that its type's offset counts from.
bool keepsPointer(Operation *view) {
  return isa<memref::SubViewOp, memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(view);
}

bool touchesPipes(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<PipeOpInterface, SyncOpInterface>(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

std::optional<int64_t> tripCount(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  return *upper <= *lower ? 0 : (*upper - *lower + *step - 1) / *step;
}

/// The most iterations of a loop that are looked at one by one: each has places of its own in the trace.
constexpr int64_t kMostSlices = 32;

/// The loop, of a known and small trip count, whose iteration alone decides an index; null if there is none.
scf::ForOp loopOf(Value index) {
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    std::optional<int64_t> trips =
        loop && argument == loop.getInductionVar() ? tripCount(loop) : std::nullopt;
    return trips && *trips > 0 && *trips <= kMostSlices ? loop : scf::ForOp();
  }
  Operation *op = index.getDefiningOp();
  if (!isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp, arith::RemUIOp>(op))
    return {};
  bool isLeft = !getConstantIntValue(op->getOperand(0));
  return getConstantIntValue(op->getOperand(isLeft)) ? loopOf(op->getOperand(!isLeft)) : scf::ForOp();
}

/// The index in an iteration of its loop.
int64_t indexAt(Value index, int64_t iteration) {
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return *getConstantIntValue(loop.getLowerBound()) + iteration * *getConstantIntValue(loop.getStep());
  }
  Operation *op = index.getDefiningOp();
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant;
  int64_t a = indexAt(op->getOperand(0), iteration), b = indexAt(op->getOperand(1), iteration);
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::MulIOp>(op))
    return a * b;
  return b == 0 ? 0 : isa<arith::DivUIOp>(op) ? a / b : a % b;
}

/// What a view of a part of the outermost axis covers in each iteration of one loop.
struct Slices {
  scf::ForOp loop;                    // null: it is no such view
  llvm::SmallVector<int64_t> offsets; // bytes from the source's beginning
  int64_t bytes = 0;
};

Slices slicesOf(memref::SubViewOp view) {
  MemRefType source = view.getSourceType();
  if (!staticBytes(source) || source.getElementTypeBitWidth() % 8 != 0 || source.getRank() == 0)
    return {};
  for (auto [axis, extent] : llvm::enumerate(source.getShape())) {
    bool isWhole = getConstantIntValue(view.getMixedOffsets()[axis]) == 0 &&
                   getConstantIntValue(view.getMixedSizes()[axis]) == extent;
    if (getConstantIntValue(view.getMixedStrides()[axis]) != 1 || (axis > 0 && !isWhole))
      return {};
  }
  std::optional<int64_t> count = getConstantIntValue(view.getMixedSizes()[0]);
  auto first = dyn_cast<Value>(view.getMixedOffsets()[0]);
  Slices slices;
  if (!count || !first || !(slices.loop = loopOf(first)))
    return {};
  int64_t pitch = source.getDimSize(0) ? *staticBytes(source) / source.getDimSize(0) : 0;
  for (int64_t i = 0; i < *tripCount(slices.loop); ++i)
    slices.offsets.push_back(indexAt(first, i) * pitch);
  slices.bytes = *count * pitch;
  return slices;
}

} // namespace

FailureOr<PipeProgram> PipeProgram::create(Operation *function, const MachineInterface &machine) {
  PipeProgram program;
  program.theMachine = &machine;
  for (Region &region : function->getRegions())
    for (Block &block : region)
      if (failed(program.addBlock(block, nullptr)))
        return failure();
  return program;
}

PipeNode *PipeProgram::append(PipeNode::Kind kind, Operation *op, PipeNode *parent) {
  std::vector<PipeNode *> &body = parent ? parent->body : top;
  PipeNode &node = storage.emplace_back();
  node.kind = kind;
  node.op = op;
  node.parent = parent;
  node.position = body.size();
  body.push_back(&node);
  return &node;
}

LogicalResult PipeProgram::addBlock(Block &block, PipeNode *parent) {
  for (Operation &op : block) {
    if (auto pipeOp = dyn_cast<PipeOpInterface>(op)) {
      if (failed(addOp(pipeOp, parent)))
        return failure();
    } else if (auto sync = dyn_cast<SyncOpInterface>(op)) {
      PipeNode *node = append(PipeNode::Kind::Sync, &op, parent);
      if (Value slot = sync.getEventSlot()) {
        node->slotCount = RotatingSlot::match(slot).count;
        if (failed(resolveSlot(&op, slot, node->slotCount, node->slotLoop)))
          return failure();
      }
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (!touchesPipes(loop))
        continue;
      PipeNode *node = append(PipeNode::Kind::Loop, loop, parent);
      node->trips = tripCount(loop);
      node->runs = loop->hasAttr(kRunsAttr);
      node->once = loop->hasAttr(kOnceAttr);
      loops[loop] = node;
      if (failed(addBlock(*loop.getBody(), node)))
        return failure();
    } else if (op.getNumRegions() != 0 && touchesPipes(&op)) {
      return op.emitOpError(
          "surrounds pipe ops; expected scf.for alone to do so when flags are placed or verified");
    }
  }
  return success();
}

LogicalResult PipeProgram::addOp(PipeOpInterface op, PipeNode *parent) {
  PipeNode *node = append(PipeNode::Kind::Op, op, parent);
  node->pipe = op.getPipe();
  if (node->pipe >= theMachine->pipeCount())
    return op->emitOpError("pipe ") << node->pipe << "; the machine has " << theMachine->pipeCount();
  SmallVector<PipeAccess> accesses;
  op.getAccesses(accesses);
  for (PipeAccess access : accesses) {
    PipeRange range;
    if (failed(resolve(op, access, range)))
      return failure();
    node->ranges.push_back(std::move(range));
  }
  return success();
}

LogicalResult PipeProgram::resolve(Operation *at, PipeAccess access, PipeRange &range) {
  Value buffer = access.memref;
  auto numberOf = [&](const void *key) { return objects.try_emplace(key, objects.size()).first->second; };
  Window window = windowOf(cast<MemRefType>(buffer.getType()));
  if (auto view = buffer.getDefiningOp<memref::SubViewOp>()) {
    auto whole = view.getSource().getDefiningOp<PlacedBufferInterface>();
    Slices slices = whole && !whole.getBufferSlot() ? slicesOf(view) : Slices();
    if (slices.loop && loops.lookup(slices.loop)) {
      range.isWrite = access.isWrite;
      range.object =
          numberOf(cast<MemRefType>(view.getSource().getType()).getMemorySpace().getAsOpaquePointer());
      range.bytes = slices.bytes;
      range.isSlice = true;
      for (int64_t offset : slices.offsets)
        range.starts.push_back(whole.getAddresses()[0] + offset);
      range.slotLoop = loops.lookup(slices.loop);
      range.slotLoop->slotCycle = std::lcm(range.slotLoop->slotCycle, int64_t(range.starts.size()));
      return success();
    }
  }
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (!keepsPointer(view))
      window = {};
    buffer = view.getViewSource();
  }
  range.isWrite = access.isWrite;
  auto placed = buffer.getDefiningOp<PlacedBufferInterface>();
  if (!placed) {
    range.object = numberOf(buffer.getAsOpaquePointer());
    range.starts = {window.isKnown() ? window.first : 0};
    range.bytes = window.bytes;
    return success();
  }
  auto type = cast<MemRefType>(buffer.getType());
  range.object = numberOf(type.getMemorySpace().getAsOpaquePointer());
  std::optional<int64_t> whole = staticBytes(type);
  if (!whole)
    return placed->emitOpError("placed buffer of type ") << type << "; expected static extents";
  if (!window.isKnown())
    window = {0, *whole};
  range.bytes = window.bytes;
  for (int64_t address : placed.getAddresses())
    range.starts.push_back(address + window.first);
  if (Value slot = placed.getBufferSlot())
    return resolveSlot(at, slot, range.starts.size(), range.slotLoop);
  return success();
}

LogicalResult PipeProgram::resolveSlot(Operation *at, Value slot, int64_t count, PipeNode *&loop) {
  RotatingSlot rotating = RotatingSlot::match(slot);
  if (rotating.count == 0 || rotating.count != count)
    return at->emitOpError("slot is not an index that rotates through ")
           << count << " values in a loop around it";
  loop = loops.lookup(rotating.loop);
  if (!loop)
    return at->emitOpError("slot belongs to a loop that does not surround it");
  loop->slotCycle = std::lcm(loop->slotCycle, count);
  return success();
}

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

std::pair<PipeNode *, PipeNode *> commonLevel(PipeNode *a, PipeNode *b) {
  while (a->depth() > b->depth())
    a = a->parent;
  while (b->depth() > a->depth())
    b = b->parent;
  while (a->parent != b->parent) {
    a = a->parent;
    b = b->parent;
  }
  return {a, b};
}

} // namespace kiln::devicekit
