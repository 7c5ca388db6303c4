// ProgramControlFlow.cpp: scf.if, scf.for and scf.while as If and Loop. What regions hand on is copied into
// the storage or register of the op's result.
#include "jit/ProgramEmitter.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;
using schema::ArithOp;

namespace {} // namespace

Status ProgramEmitter::writeIf(scf::IfOp op, schema::BlockT &out) {
  schema::IfT branch;
  KILN_ASSIGN_OR_RETURN(Number condition, indices.get(op.getCondition()));
  branch.condition = boxed(condition);
  branch.then = std::make_unique<schema::BlockT>();
  branch.otherwise = std::make_unique<schema::BlockT>();
  prepareRegisters(op.getResults());
  KILN_RETURN_IF_ERROR(writeBranch(op, op.getThenRegion(), *branch.then));
  KILN_RETURN_IF_ERROR(writeBranch(op, op.getElseRegion(), *branch.otherwise));
  append(out, std::move(branch));
  return {};
}

void ProgramEmitter::prepareRegisters(ValueRange values) {
  for (Value result : values) {
    if (!isTensor(result)) {
      indices.set(result, indices.newRegister(false));
      continue;
    }
    std::vector<Number> dims;
    for (int64_t dim : cast<RankedTensorType>(result.getType()).getShape())
      dims.push_back(ShapedType::isDynamic(dim) ? indices.newRegister(false) : Number{dim});
    extents[result] = dims;
  }
}

Status ProgramEmitter::writeBranch(scf::IfOp op, Region &region, schema::BlockT &out) {
  if (region.empty())
    return {};
  KILN_RETURN_IF_ERROR(writeBlock(region.front(), out));
  for (auto [result, value] : llvm::zip(op.getResults(), region.front().getTerminator()->getOperands())) {
    if (!isTensor(result)) {
      KILN_ASSIGN_OR_RETURN(Number to, indices.get(result));
      KILN_ASSIGN_OR_RETURN(Number from, indices.get(value));
      indices.move(to, from, out);
      continue;
    }
    KILN_ASSIGN_OR_RETURN(std::vector<Number> dims, extentsOf(value));
    for (auto [to, from] : llvm::zip(extents[result], dims))
      if (to.isRegister)
        indices.move(to, from, out);
    KILN_RETURN_IF_ERROR(allocate(result, out));
    KILN_RETURN_IF_ERROR(
        copy(buffers[layout.storageOf(result)], buffers[layout.storageOf(value)], value, out));
  }
  releaseAfter(region.front().getTerminator(), out);
  return {};
}

void ProgramEmitter::assign(std::vector<std::pair<Number, Number>> moves, schema::BlockT &out) {
  auto isSame = [](Number a, Number b) { return a.isRegister && b.isRegister && a.value == b.value; };
  for (auto &[to, from] : moves) {
    bool overwritten = !isSame(to, from) && llvm::any_of(moves, [&, from = from](const auto &move) {
      return isSame(move.first, from);
    });
    if (overwritten) {
      Number aside = indices.newRegister(false);
      indices.move(aside, from, out);
      from = aside;
    }
  }
  for (auto [to, from] : moves)
    if (!isSame(to, from))
      indices.move(to, from, out);
}

Status ProgramEmitter::writeCarriedTensor(Value carried, OpOperand &operand, Round round,
                                          schema::BlockT &out) {
  uint32_t to = buffers[layout.storageOf(carried)];
  if (operand.get().getDefiningOp<tensor::EmptyOp>()) // nothing to start from but memory
    return isDynamic(to) ? allocateFor(to, operand.get(), out) : Status();
  std::optional<uint32_t> aside = layout.yieldTemporary(operand);
  uint32_t from = buffers[aside ? *aside : layout.storageOf(operand.get())];
  KILN_ASSIGN_OR_RETURN(std::vector<Number> dims, extentsOf(operand.get()));
  bool allocates = to != from && isDynamic(to) && (round == Round::First || dims != extents[carried]);
  if (allocates && round == Round::Later)
    release(layout.storageOf(carried), out);
  if (allocates)
    KILN_RETURN_IF_ERROR(allocateFor(to, operand.get(), out));
  KILN_RETURN_IF_ERROR(copy(to, from, operand.get(), out));
  if (aside)
    release(*aside, out);
  return {};
}

Status ProgramEmitter::writeCarried(ValueRange carried, MutableArrayRef<OpOperand> values, Round round,
                                    schema::BlockT &out) {
  std::vector<std::pair<Number, Number>> moves;
  for (OpOperand &operand : values)
    if (std::optional<uint32_t> aside = layout.yieldTemporary(operand)) {
      if (isDynamic(buffers[*aside]))
        KILN_RETURN_IF_ERROR(allocateFor(buffers[*aside], operand.get(), out));
      KILN_RETURN_IF_ERROR(
          copy(buffers[*aside], buffers[layout.storageOf(operand.get())], operand.get(), out));
    }
  for (auto [i, operand] : llvm::enumerate(values)) {
    if (!isTensor(operand.get())) {
      KILN_ASSIGN_OR_RETURN(Number to, indices.get(carried[i]));
      KILN_ASSIGN_OR_RETURN(Number from, indices.get(operand.get()));
      moves.emplace_back(to, from);
      continue;
    }
    // Sizes are computed from the extents of the round before: registers change last.
    KILN_RETURN_IF_ERROR(writeCarriedTensor(carried[i], operand, round, out));
    KILN_ASSIGN_OR_RETURN(std::vector<Number> dims, extentsOf(operand.get()));
    for (auto [to, from] : llvm::zip(extents[carried[i]], dims))
      if (to.isRegister)
        moves.emplace_back(to, from);
  }
  assign(std::move(moves), out);
  return {};
}

Status ProgramEmitter::writeFor(scf::ForOp op, schema::BlockT &out) {
  prepareRegisters(op.getResults());
  for (auto [argument, result] : llvm::zip(op.getRegionIterArgs(), op.getResults()))
    if (isTensor(argument))
      extents[argument] = std::vector(extents[result]);
    else
      indices.set(argument, indices.get(result).value());
  KILN_RETURN_IF_ERROR(writeCarried(op.getResults(), op.getInitArgsMutable(), Round::First, out));

  KILN_ASSIGN_OR_RETURN(Number lower, indices.get(op.getLowerBound()));
  KILN_ASSIGN_OR_RETURN(Number upper, indices.get(op.getUpperBound()));
  KILN_ASSIGN_OR_RETURN(Number step, indices.get(op.getStep()));
  schema::LoopT loop;
  Number count = indices.binary(ArithOp::CeilDiv, indices.binary(ArithOp::Sub, upper, lower, out), step, out);
  loop.count = boxed(indices.binary(ArithOp::Max, count, Number{0}, out));
  Number index = indices.newRegister(false);
  loop.index_register = index.value;
  loop.body = std::make_unique<schema::BlockT>();
  indices.set(
      op.getInductionVar(),
      indices.binary(ArithOp::Add, lower, indices.binary(ArithOp::Mul, index, step, *loop.body), *loop.body));
  KILN_RETURN_IF_ERROR(writeBlock(*op.getBody(), *loop.body));
  KILN_RETURN_IF_ERROR(
      writeCarried(op.getResults(), op.getYieldedValuesMutable().value(), Round::Later, *loop.body));
  releaseAfter(op.getBody()->getTerminator(), *loop.body);
  append(out, std::move(loop));
  return {};
}

Status ProgramEmitter::writeWhile(scf::WhileOp op, schema::BlockT &out) {
  prepareRegisters(op.getBeforeArguments());
  for (Value argument : op.getAfterArguments())
    if (!isTensor(argument))
      indices.set(argument, indices.newRegister(false));
  for (auto [argument, result] : llvm::zip(op.getAfterArguments(), op.getResults()))
    if (!isTensor(result))
      indices.set(result, indices.get(argument).value());
  for (auto [argument, result, passed] :
       llvm::zip(op.getAfterArguments(), op.getResults(), op.getConditionOp().getArgs()))
    if (isTensor(passed) && extents.contains(passed)) { // else its extents are known
      std::vector<Number> dims = extents[passed];
      extents[argument] = dims;
      extents[result] = dims;
    }
  KILN_RETURN_IF_ERROR(writeCarried(op.getBeforeArguments(), op.getInitsMutable(), Round::First, out));

  schema::LoopT loop;
  Number condition = indices.newRegister(false), index = indices.newRegister(false);
  loop.count = std::make_unique<schema::Operand>(-1, false);
  loop.condition_register = condition.value;
  loop.index_register = index.value;
  loop.body = std::make_unique<schema::BlockT>();
  KILN_RETURN_IF_ERROR(writeBefore(op, condition, out));
  KILN_RETURN_IF_ERROR(writeBlock(*op.getAfterBody(), *loop.body));
  KILN_RETURN_IF_ERROR(
      writeCarried(op.getBeforeArguments(), op.getYieldOp()->getOpOperands(), Round::Later, *loop.body));
  releaseAfter(op.getYieldOp(), *loop.body);
  KILN_RETURN_IF_ERROR(writeBefore(op, condition, *loop.body));
  append(out, std::move(loop));
  return {};
}

Status ProgramEmitter::writeBefore(scf::WhileOp op, Number condition, schema::BlockT &out) {
  KILN_RETURN_IF_ERROR(writeBlock(*op.getBeforeBody(), out));
  scf::ConditionOp terminator = op.getConditionOp();
  KILN_ASSIGN_OR_RETURN(Number value, indices.get(terminator.getCondition()));
  indices.move(condition, value, out);
  for (auto [argument, passed] : llvm::zip(op.getAfterArguments(), terminator.getArgs()))
    if (!isTensor(argument)) {
      KILN_ASSIGN_OR_RETURN(Number to, indices.get(argument));
      KILN_ASSIGN_OR_RETURN(Number from, indices.get(passed));
      indices.move(to, from, out);
    }
  releaseAfter(terminator, out);
  return {};
}
