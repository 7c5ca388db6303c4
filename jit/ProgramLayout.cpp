// ProgramLayout.cpp: one walk gives each tensor a storage and each op a position; then uses give lifetimes.
#include "jit/ProgramLayout.h"

#include "jit/Diagnostics.h"
#include "kiln/jit/Fusion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {} // namespace

Value kiln::jit::aliasedOperand(Operation *op) {
  if (isa<OptimizationBarrierOp, tensor::CastOp>(op) || op->getName().getStringRef() == "kiln.reshape")
    return op->getOperand(0);
  return {};
}

bool kiln::jit::appendsInPlace(AppendOp op) {
  auto list = dyn_cast<BlockArgument>(op.getList());
  if (!list || !list.hasOneUse() || !op->hasOneUse())
    return false;
  OpOperand &use = *op->use_begin();
  if (!isa<scf::YieldOp>(use.getOwner()) || use.getOwner()->getBlock() != list.getOwner())
    return false;
  if (auto loop = dyn_cast<scf::ForOp>(list.getOwner()->getParentOp()))
    return list != loop.getInductionVar() && loop.getTiedLoopYieldedValue(list) == &use;
  auto loop = dyn_cast<scf::WhileOp>(list.getOwner()->getParentOp());
  if (!loop || list.getOwner() != loop.getAfterBody())
    return false;
  return loop.getConditionOp().getArgs()[list.getArgNumber()] ==
         loop.getBeforeArguments()[use.getOperandNumber()];
}

llvm::ArrayRef<uint32_t> ProgramLayout::dyingAfter(Operation *op) const {
  auto it = dying.find(op);
  return it == dying.end() ? llvm::ArrayRef<uint32_t>() : llvm::ArrayRef<uint32_t>(it->second);
}

std::optional<uint32_t> ProgramLayout::yieldTemporary(OpOperand &operand) const {
  auto it = yieldTemporaries.find(&operand);
  return it == yieldTemporaries.end() ? std::nullopt : std::optional(it->second);
}

/// The work behind ProgramLayout::analyse. Used once.
class kiln::jit::LayoutAnalysis {
public:
  explicit LayoutAnalysis(func::FuncOp main) : main(main) {}

  Result<ProgramLayout> run() {
    for (auto [i, argument] : llvm::enumerate(main.getArguments()))
      addStorage(StorageKind::Input, argument, i);
    KILN_RETURN_IF_ERROR(visitBlock(main.getBody().front(), nullptr));
    for (auto [op, value] : uses)
      use(op, value);
    chooseOutputs();
    choosePersistent();
    for (auto [i, storage] : llvm::enumerate(layout.table))
      if (!storage.isMomentary &&
          (storage.kind == StorageKind::Temporary || storage.kind == StorageKind::PrologueTemporary))
        layout.dying[storage.lastUse ? storage.lastUse : storage.value.getDefiningOp()].push_back(i);
    return std::move(layout);
  }

private:
  uint32_t addStorage(StorageKind kind, Value value, uint32_t index = 0, Operation *wholeOp = nullptr) {
    Storage storage;
    storage.kind = kind;
    storage.value = value;
    storage.block = value.getParentBlock();
    storage.wholeOp = wholeOp;
    storage.index = index;
    storage.begin = storage.end = current; // an op's results and operands live at the same time
    layout.table.push_back(storage);
    uint32_t id = layout.table.size() - 1;
    layout.storages[value] = id;
    return id;
  }
  void share(Value value, Value with) { layout.storages[value] = layout.storageOf(with); }

  Status visitBlock(Block &block, Operation *wholeOp) {
    for (Operation &op : block) {
      begins[&op] = current = position++;
      for (Value operand : op.getOperands())
        if (isTensor(operand) && !operand.getDefiningOp<tensor::EmptyOp>())
          uses.emplace_back(&op, operand);
      KILN_RETURN_IF_ERROR(visit(op, wholeOp));
      ends[&op] = position++;
    }
    return {};
  }

  Status visit(Operation &op, Operation *wholeOp) {
    if (Value source = aliasedOperand(&op)) {
      share(op.getResult(0), source);
      return {};
    }
    if (isa<ConstantOp, WeightOp>(op)) {
      addStorage(StorageKind::Constant, op.getResult(0));
      return {};
    }
    if (auto append = dyn_cast<AppendOp>(op); append && appendsInPlace(append)) {
      share(append.getResult(), append.getList());
      return {};
    }
    if (isa<LaunchOp, AppendOp>(op)) {
      for (Value result : op.getResults())
        addStorage(StorageKind::Temporary, result, 0, wholeOp);
      return {};
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Value result : op.getResults())
        if (isTensor(result))
          addStorage(StorageKind::Temporary, result, 0, wholeOp);
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
        if (!region->empty())
          KILN_RETURN_IF_ERROR(visitBlock(region->front(), wholeOp));
      for (Value result : op.getResults())
        if (isTensor(result))
          liveUntilHere(result);
      return {};
    }
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visitFor(loop, wholeOp);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return visitWhile(loop, wholeOp);
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      return visitInsert(insert);
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return visitEmpty(empty);
    bool known = isa<arith::ArithDialect>(op.getDialect()) ||
                 isa<tensor::DimOp, tensor::ExtractOp, func::ReturnOp, scf::YieldOp, scf::ConditionOp,
                     cf::AssertOp, CheckCloseOp, CheckEqualOp>(op);
    if (!known)
      return unimplemented(locationText(op.getLoc()) + ": op '" + op.getName().getStringRef() +
                           "' is left outside kernels; programs launch kernels, copy and compute indices");
    return {};
  }

  // The destination is written in place: what a loop carries, for this op alone.
  Status visitInsert(tensor::InsertSliceOp op) {
    auto argument = dyn_cast<BlockArgument>(op.getDest());
    auto reads = [&](Operation *user) { return user != op && !isa<tensor::DimOp>(user); };
    if (!argument || !isa<scf::ForOp, scf::WhileOp>(argument.getOwner()->getParentOp()) ||
        llvm::any_of(argument.getUsers(), reads))
      return unimplemented(
          locationText(op.getLoc()) +
          ": a slice is inserted into a tensor that is no loop's own; expected a value that the "
          "loop carries and nothing else reads");
    share(op.getResult(), op.getDest());
    return {};
  }

  /// A loop starts from it: its first contents do not count, so it has no memory. Without elements anybody
  /// may read it.
  Status visitEmpty(tensor::EmptyOp op) {
    if (op.getType().hasStaticShape() && op.getType().getNumElements() == 0) {
      addStorage(StorageKind::Temporary, op);
      return {};
    }
    if (llvm::all_of(op->getUsers(), [](Operation *user) { return isa<scf::ForOp, scf::WhileOp>(user); }))
      return {};
    return unimplemented(locationText(op.getLoc()) +
                         ": a tensor without contents is read; expected one that a loop starts from");
  }

  // Each value that the loop carries has one storage, the loop's result too; a yield copies into it.
  Status visitFor(scf::ForOp loop, Operation *wholeOp) {
    for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      if (isTensor(result)) {
        uint32_t id = addStorage(StorageKind::Temporary, result, 0, wholeOp);
        layout.table[id].isCarried = !cast<RankedTensorType>(result.getType()).hasStaticShape();
        share(argument, result);
      }
    KILN_RETURN_IF_ERROR(visitBlock(*loop.getBody(), wholeOp));
    for (Value result : loop.getResults())
      if (isTensor(result))
        liveUntilHere(result);
    addYieldTemporaries(loop.getBody()->getTerminator(), loop.getResults(), wholeOp);
    return {};
  }

  /// Values that a loop carries are written at the end of its body, though nobody may read them.
  void liveUntilHere(Value value) { layout.table[layout.storageOf(value)].end = position; }

  // A yield that hands one carried value on as another would find it overwritten: it is put aside first.
  void addYieldTemporaries(Operation *yield, ValueRange carried, Operation *wholeOp) {
    current = begins[yield];
    for (OpOperand &operand : yield->getOpOperands()) {
      if (!isTensor(operand.get()))
        continue;
      uint32_t from = layout.storageOf(operand.get()),
               to = layout.storageOf(carried[operand.getOperandNumber()]);
      bool isCarried =
          llvm::any_of(carried, [&](Value v) { return isTensor(v) && layout.storageOf(v) == from; });
      if (from == to || !isCarried)
        continue;
      Value known = carried[operand.getOperandNumber()];
      uint32_t id = addStorage(StorageKind::Temporary, known, 0, wholeOp);
      layout.storages[known] = to; // the type is the carried value's, the storage is the operand's own
      layout.table[id].end = position;
      layout.table[id].isMomentary = true;
      layout.yieldTemporaries[&operand] = id;
    }
  }

  // `before` is written out twice, ahead of the loop and at the end of its body: what it makes lives all the
  // time.
  Status visitWhile(scf::WhileOp loop, Operation *wholeOp) {
    Operation *outer = wholeOp ? wholeOp : loop.getOperation();
    for (Value argument : loop.getBeforeArguments())
      if (isTensor(argument)) {
        uint32_t id = addStorage(StorageKind::Temporary, argument, 0, outer);
        layout.table[id].isCarried = true;
        layout.table[id].block = loop->getBlock(); // its memory lasts as long as the result's would
        layout.table[id].lastUse = loop;
      }
    KILN_RETURN_IF_ERROR(visitBlock(*loop.getBeforeBody(), outer));
    auto condition = cast<scf::ConditionOp>(loop.getBeforeBody()->getTerminator());
    for (auto [argument, result, value] :
         llvm::zip(loop.getAfterArguments(), loop.getResults(), condition.getArgs()))
      if (isTensor(value)) {
        KILN_RETURN_IF_ERROR(checkHandedOn(loop, value));
        share(argument, value);
        share(result, value);
      }
    KILN_RETURN_IF_ERROR(visitBlock(*loop.getAfterBody(), outer));
    addYieldTemporaries(loop.getYieldOp(), loop.getBeforeArguments(), outer);
    return {};
  }

  // What is made ahead of the condition would have to be freed in the round after.
  static Status checkHandedOn(scf::WhileOp loop, Value value) {
    bool isFromOutside = !loop->isAncestor(value.getParentBlock()->getParentOp());
    if (cast<RankedTensorType>(value.getType()).hasStaticShape() || isFromOutside ||
        llvm::is_contained(loop.getBeforeArguments(), value))
      return {};
    return unimplemented(
        locationText(loop->getLoc()) +
        ": a loop's condition hands on a tensor of unknown extents that the loop does not carry");
  }

  void use(Operation *op, Value value) {
    Storage &storage = layout.table[layout.storageOf(value)];
    if (!isPrologueLaunch(op))
      storage.readOutsidePrologue |= aliasedOperand(op) == Value(); // an alias is not yet a use
    Operation *ancestor = storage.block->findAncestorOpInBlock(*op);
    if (!ancestor) // the result of a `while`, used behind it, lies in a storage of the loop's region
      ancestor = storage.wholeOp->getBlock()->findAncestorOpInBlock(*op);
    uint32_t at = ancestor == op ? begins[op] : ends[ancestor];
    storage.end = std::max(storage.end, at);
    if (!storage.lastUse || at >= storage.lastUseEnd) {
      storage.lastUse = ancestor;
      storage.lastUseEnd = at;
    }
    if (storage.wholeOp) {
      storage.begin = std::min(storage.begin, begins[storage.wholeOp]);
      storage.end = std::max(storage.end, ends[storage.wholeOp]);
    }
  }

  bool isPrologueLaunch(Operation *op) { return isa<LaunchOp>(op) && weightOnly.contains(op->getResult(0)); }

  // A result that is computed for the caller alone is computed in the caller's memory.
  void chooseOutputs() {
    auto returnOp = cast<func::ReturnOp>(main.getBody().front().getTerminator());
    for (auto [i, value] : llvm::enumerate(returnOp.getOperands())) {
      Storage &storage = layout.table[layout.storageOf(value)];
      if (storage.kind == StorageKind::Temporary && storage.block == &main.getBody().front() &&
          !storage.isCarried && !weightOnly.contains(storage.value)) {
        storage.kind = StorageKind::Output;
        storage.index = i;
      }
    }
  }

  void choosePersistent() {
    for (Storage &storage : layout.table)
      if (storage.kind == StorageKind::Temporary && weightOnly.contains(storage.value))
        storage.kind = storage.readOutsidePrologue ? StorageKind::Persistent : StorageKind::PrologueTemporary;
  }

  func::FuncOp main;
  ProgramLayout layout;
  WeightOnlyValues weightOnly;
  uint32_t position = 0, current = 0; // the next position; the one of the op looked at
  llvm::DenseMap<Operation *, uint32_t> begins, ends;
  std::vector<std::pair<Operation *, Value>> uses;
};

Result<ProgramLayout> ProgramLayout::analyse(func::FuncOp main) { return LayoutAnalysis(main).run(); }
