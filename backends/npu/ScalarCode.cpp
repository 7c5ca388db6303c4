// ScalarCode.cpp: the order of ops, control flow, flags and scalar accesses to memory.
#include "backends/npu/CodeWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// The number of the op, counted from 0, that its kernel was formed with.
std::optional<uint32_t> formedNumber(Operation *op) {
  std::optional<uint32_t> number;
  op->getLoc()->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file || file.getFilename() != "kernel" || file.getLine() == 0)
      return WalkResult::advance();
    number = file.getLine() - 1;
    return WalkResult::interrupt();
  });
  return number;
}

} // namespace

LogicalResult CodeWriter::writeBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (std::optional<uint32_t> number = formedNumber(&op);
        number && (ranges.empty() || ranges.back().second != *number))
      ranges.push_back({uint32_t(code.size()), *number});
    if (failed(writeOp(&op)))
      return failure();
    freeTemporaries();
  }
  return success();
}

LogicalResult CodeWriter::writeOp(Operation *op) {
  if (isa<arith::ConstantOp, memref::CastOp, memref::DimOp, memref::ReinterpretCastOp, memref::SubViewOp,
          ir::BufferOp>(op))
    return success(); // made where they are used
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return writeLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return writeIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return writeWhile(loop);
  if (isa<ir::SetFlagOp>(op))
    return writeFlag(Op::SetFlag, cast<devicekit::SyncOpInterface>(op)), success();
  if (isa<ir::WaitFlagOp>(op))
    return writeFlag(Op::WaitFlag, cast<devicekit::SyncOpInterface>(op)), success();
  if (auto point = dyn_cast<ir::PipeBarrierOp>(op))
    return barrier(point.getPipe() == ir::Pipe::ALL ? Pipe::All : static_cast<Pipe>(point.getPipe())),
           success();
  if (auto set = dyn_cast<ir::CrossSetOp>(op))
    return writeCross(Op::CrossSet, set.getPipe(), set.getFlag()), success();
  if (auto wait = dyn_cast<ir::CrossWaitOp>(op))
    return writeCross(Op::CrossWait, wait.getPipe(), wait.getFlag()), success();
  if (isa<ir::WorkspaceBufferOp>(op)) // an address, made where it is used
    return success();
  if (isa<ir::LdsOp, ir::StsOp, ir::AddressOp, ir::WorkspaceOp, ir::MeetOp>(op))
    return writeScalarMemory(op), success();
  if (auto pipeOp = dyn_cast<devicekit::PipeOpInterface>(op)) {
    auto pipe = static_cast<ir::Pipe>(pipeOp.getPipe());
    bool isVector =
        pipe == ir::Pipe::V || isa<ir::LoadOp, ir::StoreOp, ir::ScalarLoadOp, ir::GatherRowsOp>(op);
    return isVector ? writeVectorOp(op) : writeCubeOp(op);
  }
  return writeScalarOp(op);
}

/// Between the cube core of a block and its vector cores.
void CodeWriter::writeCross(Op op, ir::Pipe pipe, int64_t flag) {
  constexpr int64_t kWithinBlock = 2;
  Inst inst = Inst::make(op);
  inst[Field::pipe] = static_cast<int32_t>(pipe);
  inst[Field::flag] = flag;
  if (op == Op::CrossSet)
    inst[Field::mode] = kWithinBlock;
  emit(inst);
}

// ---- Control flow

/// Copies values to registers, all as they are now: one may stand in a register that another goes to.
void CodeWriter::moveAll(ArrayRef<uint32_t> to, ValueRange values) {
  SmallVector<Scalar> now;
  for (Value value : values) {
    Scalar from = scalar(value);
    if (from.isReg && values.size() > 1 && llvm::is_contained(to, uint32_t(from.value))) {
      uint32_t copy = temporary();
      moveTo(copy, from);
      from.value = copy;
    }
    now.push_back(from);
  }
  for (auto [reg, from] : llvm::zip_equal(to, now))
    if (!from.isReg || uint32_t(from.value) != reg)
      moveTo(reg, from);
}

/// Fresh registers for values that change while a loop runs.
SmallVector<uint32_t> CodeWriter::registersFor(ValueRange values) {
  SmallVector<uint32_t> regs;
  for (Value value : values) {
    regs.push_back(allocate());
    scalars[value] = {true, regs.back()};
  }
  return regs;
}

/// Gives a value the register that another one has. The map may grow for the new one, so that nothing in it
/// can be referred to meanwhile.
void CodeWriter::standFor(Value value, Value other) {
  Scalar known = scalars.lookup(other);
  scalars[value] = known;
}

void CodeWriter::jumpTo(size_t target) {
  Inst jump = Inst::make(Op::Jump);
  jump[Field::target] = static_cast<int32_t>(target);
  emit(jump);
}

LogicalResult CodeWriter::writeLoop(scf::ForOp loop) {
  SmallVector<uint32_t> arguments = registersFor(loop.getRegionIterArgs());
  moveAll(arguments, loop.getInitArgs());
  uint32_t counter = registersFor(loop.getInductionVar()).front();
  moveTo(counter, scalar(loop.getLowerBound()));
  freeTemporaries();
  forgetMasks();
  size_t head = code.size();
  Inst branch = Inst::make(Op::Branch);
  branch[Field::compare] = static_cast<int32_t>(Compare::Ge);
  branch[Field::a] = static_cast<int32_t>(counter);
  set(branch, Field::bi, scalar(loop.getUpperBound()));
  size_t branchAt = code.size(); // behind what the bound needed
  emit(branch);
  freeTemporaries();
  if (failed(writeBlock(*loop.getBody())))
    return failure();
  moveAll(arguments, loop.getYieldedValues());
  Inst next = Inst::make(Op::Add);
  next[Field::d] = next[Field::a] = static_cast<int32_t>(counter);
  set(next, Field::bi, scalar(loop.getStep()));
  emit(next);
  jumpTo(head);
  code[branchAt][Field::target] = static_cast<int32_t>(code.size());
  forgetMasks();
  for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
    standFor(result, argument);
  return success();
}

LogicalResult CodeWriter::writeIf(scf::IfOp op) {
  SmallVector<uint32_t> results = registersFor(op.getResults());
  size_t branch = branchUnless(op.getCondition());
  freeTemporaries();
  forgetMasks();
  if (failed(writeBlock(*op.thenBlock())))
    return failure();
  moveAll(results, op.thenYield().getOperands());
  freeTemporaries();
  if (op.elseBlock()) {
    size_t jump = code.size();
    jumpTo(0);
    code[branch][Field::target] = static_cast<int32_t>(code.size());
    forgetMasks();
    if (failed(writeBlock(*op.elseBlock())))
      return failure();
    moveAll(results, op.elseYield().getOperands());
    branch = jump;
  }
  code[branch][Field::target] = static_cast<int32_t>(code.size());
  forgetMasks();
  return success();
}

LogicalResult CodeWriter::writeWhile(scf::WhileOp loop) {
  SmallVector<uint32_t> before = registersFor(loop.getBeforeArguments());
  SmallVector<uint32_t> results = registersFor(loop.getResults());
  moveAll(before, loop.getInits());
  freeTemporaries();
  forgetMasks();
  size_t head = code.size();
  if (failed(writeBlock(*loop.getBeforeBody())))
    return failure();
  moveAll(results, loop.getConditionOp().getArgs());
  size_t branch = branchUnless(loop.getConditionOp().getCondition());
  freeTemporaries();
  for (auto [argument, result] : llvm::zip_equal(loop.getAfterArguments(), loop.getResults()))
    standFor(argument, result);
  if (failed(writeBlock(*loop.getAfterBody())))
    return failure();
  moveAll(before, loop.getYieldOp().getOperands());
  jumpTo(head);
  code[branch][Field::target] = static_cast<int32_t>(code.size());
  forgetMasks();
  return success();
}

// ---- Flags, memory

void CodeWriter::writeFlag(Op op, devicekit::SyncOpInterface sync) {
  Inst inst = Inst::make(op);
  inst[Field::pipe] = sync.getSourcePipe();
  inst[Field::pipe2] = sync.getTargetPipe();
  Scalar event = number(sync.getEventId());
  if (Value slot = sync.getEventSlot())
    event = add(scalar(slot), event);
  set(inst, Field::event, event);
  emit(inst);
}

void CodeWriter::readSpecial(Operation *op, Special sr) {
  Inst inst = Inst::make(Op::ReadSr);
  inst[Field::sr] = static_cast<int32_t>(sr);
  uint32_t reg = allocate();
  inst[Field::d] = static_cast<int32_t>(reg);
  emit(inst);
  scalars[op->getResult(0)] = {true, reg};
}

/// The type of a scalar access: integers by sign where a register has room for more.
static DType accessType(Type element) {
  switch (llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)) {
  case 1:
    return element.isInteger(8) ? DType::I8 : DType::U8;
  case 2:
    return element.isInteger(16) ? DType::I16 : DType::U16;
  case 4:
    return element.isInteger(32) ? DType::I32 : DType::U32;
  default:
    return DType::I64;
  }
}

void CodeWriter::writeScalarMemory(Operation *op) {
  auto place = [&](Inst &inst, Value address, int64_t offset, ir::Memory memory) {
    inst[Field::space] = static_cast<int32_t>(memory == ir::Memory::UB ? Space::Ub : Space::Gm);
    Scalar base = scalar(address);
    if (!base.isReg) {
      offset += base.value;
      base = number(0);
    }
    constexpr int64_t kMostOffset = (1 << 19) - 1;
    if (offset > kMostOffset || offset < -kMostOffset) {
      base = add(base, number(offset));
      offset = 0;
    }
    setReg(inst, Field::a, base);
    inst[Field::off] = static_cast<int32_t>(offset);
  };
  if (auto load = dyn_cast<ir::LdsOp>(op)) {
    Type type = load.getType();
    Inst inst = make(Op::Load, accessType(type));
    place(inst, load.getAddress(), load.getOffset(), load.getMemory());
    uint32_t reg = allocate();
    inst[Field::d] = static_cast<int32_t>(reg);
    emit(inst);
    scalars[load.getResult()] = {true, reg};
    extensions[load.getResult()] = {isa<IntegerType>(type), !isa<IntegerType>(type) || type.isInteger(1)};
  } else if (auto store = dyn_cast<ir::StsOp>(op)) {
    Inst inst = make(Op::Store, accessType(store.getValue().getType()));
    place(inst, store.getAddress(), store.getOffset(), store.getMemory());
    setReg(inst, Field::b, scalar(store.getValue()));
    emit(inst);
  } else if (auto address = dyn_cast<ir::AddressOp>(op)) {
    define(address, argumentOf(cast<BlockArgument>(address.getBinding())));
  } else if (isa<ir::WorkspaceOp>(op)) {
    define(op->getResult(0), argumentAt(constantsEnd()));
  } else { // npu.meet
    for (Op code : {Op::CrossSet, Op::CrossWait}) {
      Inst inst = Inst::make(code);
      inst[Field::pipe] = static_cast<int32_t>(Pipe::S);
      emit(inst);
    }
  }
}

} // namespace kiln::npu
