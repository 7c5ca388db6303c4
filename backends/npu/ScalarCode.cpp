// ScalarCode.cpp: the order of ops, loops and the scalar unit's arithmetic.
#include "backends/npu/CodeWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

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

Compare compareOf(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return Compare::Eq;
  case P::ne:
    return Compare::Ne;
  case P::slt:
  case P::ult:
    return Compare::Lt;
  case P::sle:
  case P::ule:
    return Compare::Le;
  case P::sgt:
  case P::ugt:
    return Compare::Gt;
  case P::sge:
  case P::uge:
    return Compare::Ge;
  }
  return Compare::Eq;
}

} // namespace

LogicalResult CodeWriter::writeBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (std::optional<uint32_t> number = formedNumber(&op);
        number && (ranges.empty() || ranges.back().second != *number)) {
      if (!ranges.empty() && ranges.back().first == code.size())
        ranges.pop_back();
      if (ranges.empty() || ranges.back().second != *number)
        ranges.push_back({uint32_t(code.size()), *number});
    }
    if (failed(writeOp(&op)))
      return failure();
    freeTemporaries();
    freeAfter(&op);
  }
  return success();
}

LogicalResult CodeWriter::writeOp(Operation *op) {
  if (isa<arith::ConstantOp, memref::CastOp, memref::DimOp, memref::ReinterpretCastOp, memref::SubViewOp,
          ir::BufferOp>(op))
    return success(); // made where they are used
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return writeLoop(loop);
  if (isa<ir::SetFlagOp>(op))
    return writeFlag(Op::SetFlag, cast<devicekit::SyncOpInterface>(op)), success();
  if (isa<ir::WaitFlagOp>(op))
    return writeFlag(Op::WaitFlag, cast<devicekit::SyncOpInterface>(op)), success();
  if (auto point = dyn_cast<ir::PipeBarrierOp>(op))
    return barrier(point.getPipe() == ir::Pipe::ALL ? Pipe::All : static_cast<Pipe>(point.getPipe())),
           success();
  if (auto pipeOp = dyn_cast<devicekit::PipeOpInterface>(op)) {
    auto pipe = static_cast<ir::Pipe>(pipeOp.getPipe());
    bool isVector =
        pipe == ir::Pipe::V || isa<ir::LoadOp, ir::StoreOp, ir::ScalarLoadOp, ir::GatherRowsOp>(op);
    return isVector ? writeVectorOp(op) : writeCubeOp(op);
  }
  return writeScalarOp(op);
}

LogicalResult CodeWriter::writeScalarOp(Operation *op) {
  auto special = [&](Special sr) {
    Inst inst = Inst::make(Op::ReadSr);
    inst[Field::sr] = static_cast<int32_t>(sr);
    uint32_t reg = allocate();
    inst[Field::d] = reg;
    emit(inst);
    scalars[op->getResult(0)] = {true, reg};
    return success();
  };
  if (isa<ir::BlockIdxOp>(op))
    return special(Special::BlockIdx);
  if (isa<ir::BlockNumOp>(op))
    return special(Special::BlockNum);
  if (auto castOp = dyn_cast<arith::IndexCastOp>(op)) {
    define(castOp, scalar(castOp.getIn()));
    return success();
  }
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    Inst inst = Inst::make(Op::Cmp);
    inst[Field::compare] = static_cast<int32_t>(compareOf(cmp.getPredicate()));
    setReg(inst, Field::a, scalar(cmp.getLhs()));
    set(inst, Field::bi, scalar(cmp.getRhs()));
    uint32_t reg = allocate();
    inst[Field::d] = reg;
    emit(inst);
    scalars[cmp] = {true, reg};
    return success();
  }
  if (auto convert = dyn_cast<arith::SIToFPOp>(op); convert && convert.getType().isF32()) {
    Inst inst = Inst::make(Op::IntToF);
    setReg(inst, Field::a, scalar(convert.getIn()));
    uint32_t reg = allocate();
    inst[Field::d] = reg;
    emit(inst);
    scalars[convert] = {true, reg};
    return success();
  }
  if (auto div = dyn_cast<arith::DivFOp>(op); div && div.getType().isF32()) {
    Inst inst = Inst::make(Op::FDiv);
    setReg(inst, Field::a, scalar(div.getLhs()));
    inst.setReg(Field::bi, static_cast<uint32_t>(inReg(scalar(div.getRhs())).value));
    uint32_t reg = allocate();
    inst[Field::d] = reg;
    emit(inst);
    scalars[div] = {true, reg};
    return success();
  }
  std::optional<Op> code = TypeSwitch<Operation *, std::optional<Op>>(op)
                               .Case<arith::AddIOp>([](auto) { return Op::Add; })
                               .Case<arith::SubIOp>([](auto) { return Op::Sub; })
                               .Case<arith::MulIOp>([](auto) { return Op::Mul; })
                               .Case<arith::DivUIOp, arith::DivSIOp>([](auto) { return Op::Div; })
                               .Case<arith::RemUIOp, arith::RemSIOp>([](auto) { return Op::Rem; })
                               .Case<arith::MinSIOp, arith::MinUIOp>([](auto) { return Op::Min; })
                               .Case<arith::MaxSIOp, arith::MaxUIOp>([](auto) { return Op::Max; })
                               .Default([](Operation *) { return std::nullopt; });
  if (!code || !op->getResult(0).getType().isIndex())
    return op->emitError("npu: '") << op->getName() << "' has no code for the scalar unit";
  define(op->getResult(0), fold(*code, scalar(op->getOperand(0)), scalar(op->getOperand(1))));
  return success();
}

LogicalResult CodeWriter::writeLoop(scf::ForOp loop) {
  define(loop.getInductionVar(), scalar(loop.getLowerBound()));
  for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    define(argument, scalar(init));
  freeTemporaries();
  forgetMasks();
  size_t head = code.size();
  Inst branch = Inst::make(Op::Branch);
  branch[Field::compare] = static_cast<int32_t>(Compare::Ge);
  branch[Field::a] = scalar(loop.getInductionVar()).value;
  set(branch, Field::bi, scalar(loop.getUpperBound()));
  size_t branchAt = code.size(); // behind what the bound needed
  emit(branch);
  freeTemporaries();
  if (failed(writeBlock(*loop.getBody())))
    return failure();
  // All yielded values first, then the arguments: one may be another's.
  SmallVector<Scalar> yielded;
  for (Value value : loop.getYieldedValues()) {
    Scalar now = scalar(value);
    if (isa<BlockArgument>(value) && now.isReg) {
      Inst copy = Inst::make(Op::Mov);
      copy[Field::a] = now.value;
      uint32_t reg = temporary();
      copy[Field::d] = reg;
      emit(copy);
      now = {true, reg};
    }
    yielded.push_back(now);
  }
  for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), yielded)) {
    Inst copy = Inst::make(value.isReg ? Op::Mov : Op::MovI);
    copy[Field::d] = scalars[argument].value;
    if (value.isReg)
      copy[Field::a] = value.value;
    else
      copy.imm = value.value;
    emit(copy);
  }
  Inst next = Inst::make(Op::Add);
  next[Field::d] = next[Field::a] = scalar(loop.getInductionVar()).value;
  set(next, Field::bi, scalar(loop.getStep()));
  emit(next);
  Inst jump = Inst::make(Op::Jump);
  jump[Field::target] = head;
  emit(jump);
  code[branchAt][Field::target] = code.size();
  forgetMasks();
  freeTemporaries();
  // Yielded values died here: their last use is the terminator.
  freeAfter(loop.getBody()->getTerminator());
  usedRegs &= ~(1u << scalars[loop.getInductionVar()].value);
  for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
    scalars[result] = scalars[argument];
  return success();
}

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

} // namespace kiln::npu
