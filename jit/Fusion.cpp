// Fusion.cpp: greedy: first heavy ops take what follows them, then the other elementwise ops take their
// producers. One value leaves each group; that makes launching at its last op right without a search for
// cycles.
#include "kiln/jit/Fusion.h"

#include "jit/Elements.h"
#include "kiln/IR/Kiln.h"
#include "kiln/jit/Outline.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
constexpr size_t kMaxOps = 48;      // of a kernel: compile time grows faster than the gain
constexpr size_t kMaxBindings = 24; // of a kernel: registers for addresses
constexpr int64_t kMinRows = 8;     // of a kernel that computes rows: fewer leave threads without work
// How far behind a value its consumers are looked for, in ops of the block.
constexpr size_t kMaxLookAhead = 256;

/// Whether the op says how an argument or a result of the kernel lies in memory.
bool isLayout(Operation *op) { return op->hasAttr(kLayoutAttr); }

bool isInlineConstant(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && mayEnterKernel(constant.getValue());
}

/// Costs about as much as the load that it saves: may be computed once for each reader.
bool isCheap(Operation *op) {
  return llvm::StringSwitch<bool>(op->getName().getStringRef())
      .Cases("kiln.add", "kiln.sub", "kiln.mul", "kiln.neg", "kiln.abs", "kiln.max", "kiln.min", "kiln.relu",
             true)
      .Cases("kiln.clamp", "kiln.convert", "kiln.compare", "kiln.select", "kiln.and", "kiln.or", "kiln.not",
             true)
      .Default(false);
}

/// Whether the op reads the operand at indices that it computes: every tile may read all of it.
bool readsAnywhere(OpOperand &operand) {
  if (isa<GatherNdOp>(operand.getOwner()))
    return true; // its indices too: a tuple each
  return operand.getOperandNumber() == 0 && isa<GatherOp, GatherElementsOp, ReverseOp>(operand.getOwner());
}

/// Plans one block.
class Planner {
public:
  explicit Planner(Block &block) : block(block) {
    size_t position = 0;
    for (Operation &op : block)
      order[&op] = position++;
  }

  std::vector<FusionGroup> plan() {
    for (Operation &op : block)
      if (fusionClass(&op) == FusionClass::Heavy && !grouped.contains(&op))
        close(takeProducers(takeConsumers(&op)));
    for (Operation &op : llvm::reverse(block))
      if (isKernelOp(&op) && !grouped.contains(&op))
        close(takeProducers(alone(&op)));
    llvm::sort(groups, [&](const FusionGroup &a, const FusionGroup &b) {
      return order[a.ops.back()] < order[b.ops.back()];
    });
    return std::move(groups);
  }

private:
  using Members = llvm::SmallSetVector<Operation *, 8>;

  static bool isKernelOp(Operation *op) { return fusionClass(op) != FusionClass::Outside; }

  static Members alone(Operation *op) {
    Members members;
    members.insert(op);
    return members;
  }

  // The ops behind `root` that mayFollow() it: the longest run of them, in block order, after which only one
  // value is used elsewhere. Two readers of a value, as in x * sigmoid(x), thus join together.
  Members takeConsumers(Operation *root) {
    Members members = alone(root), best = members;
    if (root->getNumResults() != 1)
      return best;
    size_t seen = 0;
    for (Operation *op = root->getNextNode(); op && seen < kMaxLookAhead; op = op->getNextNode(), ++seen) {
      bool reads =
          llvm::any_of(op->getOperands(), [&](Value v) { return members.contains(v.getDefiningOp()); });
      if (!reads || !mayFollow(op, root, members))
        continue;
      members.insert(op);
      if (members.size() > kMaxOps || bindingsOf(members) > kMaxBindings)
        break;
      if (escaping(members) == 1)
        best = members;
    }
    return best;
  }

  bool mayFollow(Operation *op, Operation *root, const Members &members) {
    if (isLayout(op)) // of the result; one behind another is of the next kernel's argument
      return !grouped.contains(op) && !isLayout(op->getOperand(0).getDefiningOp());
    if (!isKernelOp(op) || grouped.contains(op) ||
        weightOnly.contains(op->getResult(0)) != weightOnly.contains(root->getResult(0)))
      return false;
    if (auto reduction = dyn_cast<ReduceOp>(root); reduction && reducesRows(reduction))
      return staysInRows(op, reduction, members);
    if (fusionClass(op) != FusionClass::Elementwise)
      return false;
    // A larger result would compute the heavy op again for each reader.
    return shapeOf(op->getResult(0)) == shapeOf(root->getResult(0)) &&
           llvm::all_of(op->getOperands(), [&](Value v) {
             return !members.contains(v.getDefiningOp()) || shapeOf(v) == shapeOf(op->getResult(0));
           });
  }

  // Whether a reduction leaves one value of each of several rows, which lie side by side in memory.
  static bool reducesRows(ReduceOp op) {
    auto shape = shapeOf(op.getX());
    int64_t rank = static_cast<int64_t>(shape.size()),
            rows = rank - static_cast<int64_t>(op.getAxes().size());
    SmallVector<int64_t> axes =
        llvm::map_to_vector(op.getAxes(), [&](int64_t a) { return a < 0 ? a + rank : a; });
    if (!op.getKeepdims() || !llvm::all_of(axes, [&](int64_t axis) { return axis >= rows; }))
      return false;
    int64_t count = 1; // an extent that is not known is taken to be large
    for (int64_t extent : shape.take_front(rows))
      count *= ShapedType::isDynamic(extent) ? kMinRows : extent;
    return count >= kMinRows;
  }

  // Whether `op` computes each of the root's rows from that row alone: elementwise on rows or on values of
  // rows, or the same reduction of another tensor of these rows. Decomposed layer norm and softmax thus are
  // one kernel.
  static bool staysInRows(Operation *op, ReduceOp root, const Members &members) {
    ArrayRef<int64_t> rows = shapeOf(root.getX()), values = shapeOf(root);
    if (auto other = dyn_cast<ReduceOp>(op))
      return other.getAxes() == root.getAxes() && other.getKeepdims() && shapeOf(other.getX()) == rows;
    ArrayRef<int64_t> result = shapeOf(op->getResult(0));
    return fusionClass(op) == FusionClass::Elementwise && (result == rows || result == values) &&
           llvm::all_of(op->getOperands(), [&](Value v) {
             return !members.contains(v.getDefiningOp()) || shapeOf(v) == result || shapeOf(v) == values;
           });
  }

  // Producers that only this group reads and that it does not compute more often than needed, until none is
  // left.
  Members takeProducers(Members members) {
    Operation *root =
        *llvm::min_element(members, [&](Operation *a, Operation *b) { return order[a] < order[b]; });
    if (fusionClass(root) == FusionClass::Alone)
      return members;
    for (bool changed = true; changed;) {
      changed = false;
      for (Operation *member : llvm::to_vector(members))
        for (Value operand : member->getOperands()) {
          Operation *producer = operand.getDefiningOp();
          if (!producer || members.contains(producer) || !mayPrecede(producer, operand, member, members))
            continue;
          members.insert(producer);
          if (members.size() > kMaxOps || bindingsOf(members) > kMaxBindings)
            members.remove(producer);
          else
            changed = true;
        }
    }
    return members;
  }

  bool mayPrecede(Operation *producer, Value value, Operation *member, const Members &members) {
    FusionClass producerClass = fusionClass(producer), memberClass = fusionClass(member);
    if (isLayout(producer)) // of an argument: stands by its only reader
      return producer->getBlock() == &block && !grouped.contains(producer) && value.hasOneUse();
    if (producer->getBlock() != &block || grouped.contains(producer) ||
        weightOnly.contains(value) != weightOnly.contains(member->getResult(0)))
      return false;
    if (!llvm::all_of(producer->getUsers(), [&](Operation *user) { return members.contains(user); }) ||
        llvm::any_of(value.getUses(), readsAnywhere))
      return false;
    if (memberClass == FusionClass::Heavy) // only a reduction reads each element once
      return isa<ReduceOp>(member) && producerClass == FusionClass::Elementwise;
    if (isa<GatherOp, GatherElementsOp>(member)) // its indices
      return producerClass == FusionClass::Elementwise || producerClass == FusionClass::Generator;
    if (memberClass != FusionClass::Elementwise && memberClass != FusionClass::Movement)
      return false;
    switch (producerClass) {
    case FusionClass::Generator:
    case FusionClass::Movement:
      return memberClass == FusionClass::Elementwise;
    case FusionClass::Elementwise:
      return memberClass == FusionClass::Elementwise &&
             (shapeOf(value) == shapeOf(member->getResult(0)) || isCheap(producer));
    case FusionClass::Outside:
    case FusionClass::Heavy:
    case FusionClass::Alone:
      return false;
    }
    return false;
  }

  size_t bindingsOf(const Members &members) {
    llvm::SmallPtrSet<Value, 16> values;
    for (Operation *op : members)
      for (Value operand : op->getOperands())
        if (!members.contains(operand.getDefiningOp()) && !isInlineConstant(operand))
          values.insert(operand);
    return values.size() + 1;
  }

  size_t escaping(const Members &members) {
    return llvm::count_if(members, [&](Operation *op) {
      return llvm::any_of(op->getUsers(), [&](Operation *user) { return !members.contains(user); });
    });
  }

  void close(Members members) {
    FusionGroup group;
    group.ops.assign(members.begin(), members.end());
    llvm::sort(group.ops, [&](Operation *a, Operation *b) { return order[a] < order[b]; });
    grouped.insert(group.ops.begin(), group.ops.end());
    groups.push_back(std::move(group));
  }

  Block &block;
  llvm::DenseMap<Operation *, size_t> order;
  llvm::SmallPtrSet<Operation *, 32> grouped;
  WeightOnlyValues weightOnly;
  std::vector<FusionGroup> groups;
};
} // namespace

FusionClass kiln::jit::fusionClass(Operation *op) {
  if (!isa<KilnDialect>(op->getDialect()) || op->getNumResults() == 0)
    return FusionClass::Outside;
  if (isLayout(op))
    return FusionClass::Movement;
  if (isa<ElementwiseOpInterface>(op))
    return FusionClass::Elementwise;
  return llvm::StringSwitch<FusionClass>(op->getName().getStringRef())
      .Cases("kiln.constant", "kiln.weight", "kiln.launch", "kiln.reshape", "kiln.optimization_barrier",
             "kiln.append", FusionClass::Outside)
      .Cases("kiln.transpose", "kiln.slice", "kiln.broadcast", "kiln.reverse", FusionClass::Movement)
      .Cases("kiln.gather", "kiln.gather_elements", "kiln.gather_nd", "kiln.one_hot", FusionClass::Movement)
      .Case("kiln.iota", FusionClass::Generator)
      .Cases("kiln.matmul", "kiln.conv", "kiln.max_pool", "kiln.avg_pool", "kiln.reduce", FusionClass::Heavy)
      .Cases("kiln.softmax", "kiln.log_softmax", "kiln.layer_norm", "kiln.rms_norm", "kiln.group_norm",
             "kiln.instance_norm", "kiln.batch_norm", FusionClass::Heavy)
      .Default(FusionClass::Alone);
}

// What an op says of itself, or nothing where its operands decide.
static std::optional<bool> isWeightOnlyItself(Operation *op) {
  if (isa<ConstantOp, WeightOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
    return true;
  if (op->getNumOperands() == 0 || !isa<KilnDialect>(op->getDialect()) ||
      isa<AppendOp, OptimizationBarrierOp>(op) || fusionClass(op) == FusionClass::Generator)
    return false;
  return std::nullopt;
}

bool WeightOnlyValues::contains(Value value) {
  Operation *asked = value.getDefiningOp();
  if (!asked)
    return false;
  SmallVector<Operation *> stack = {asked}; // not recursive: models may be thousands of ops deep
  while (!stack.empty()) {
    Operation *op = stack.back();
    std::optional<bool> result = isWeightOnlyItself(op);
    for (unsigned i = 0; !result; ++i) {
      if (i == op->getNumOperands()) {
        result = true;
        break;
      }
      Operation *producer = op->getOperand(i).getDefiningOp();
      auto it = producer ? known.find(producer) : known.end();
      if (!producer || (it != known.end() && !it->second)) {
        result = false;
      } else if (it == known.end()) {
        stack.push_back(producer);
        break;
      }
    }
    if (result) {
      known[op] = *result;
      stack.pop_back();
    }
  }
  return known.lookup(asked);
}

bool kiln::jit::isWeightOnly(Value value) { return WeightOnlyValues().contains(value); }

std::vector<FusionGroup> kiln::jit::planFusion(Block &block) { return Planner(block).plan(); }
