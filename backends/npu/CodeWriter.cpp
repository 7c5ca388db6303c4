// CodeWriter.cpp: registers, addresses of buffers, masks.
#include "backends/npu/CodeWriter.h"

#include "backends/npu/Registers.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/devicekit/Pipes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

std::optional<int64_t> constantOf(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return std::nullopt;
  if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
    return integer.getType().isInteger(1) ? integer.getValue().getZExtValue() : integer.getInt();
  return cast<FloatAttr>(constant.getValue()).getValue().bitcastToAPInt().getZExtValue(); // as its bits
}

} // namespace

CodeWriter::CodeWriter(func::FuncOp function) : function(function) {}

LogicalResult CodeWriter::run() {
  special(Special::PadVal, number(0));
  if (failed(writeBlock(function.getBody().front())) || isLost)
    return failure();
  emit(Inst::make(Op::Halt));
  SpillArea area;
  auto core = function->getAttrOfType<StringAttr>(kCoreAttr);
  if (ir::targetOf(function).fusedCores || (core && core.getValue() == "aiv")) {
    if (auto peaks = function->getAttrOfType<DictionaryAttr>(devicekit::kPeakBytesAttr))
      if (auto peak = peaks.getAs<IntegerAttr>("ub"))
        area.address = llvm::alignTo(peak.getInt(), 32);
    uint64_t capacity = ir::targetOf(function).ubBytes;
    area.bytes = capacity - std::min(capacity, area.address);
  }
  std::optional<AllocatedCode> allocated = allocateRegisters(code, area);
  if (!allocated)
    return function.emitError("npu: more scalar values are live at one time than the core has registers (")
           << kRegisters << ") and room for in " << area.bytes << " bytes of UB";
  code = std::move(allocated->code);
  // Ops whose instructions all went, as copies that need none, have no range.
  std::vector<std::pair<uint32_t, uint32_t>> kept;
  for (auto [first, op] : ranges) {
    first = allocated->starts[first];
    if (!kept.empty() && kept.back().first == first)
      kept.pop_back();
    if (kept.empty() || kept.back().second != op)
      kept.emplace_back(first, op);
  }
  ranges = std::move(kept);
  return success();
}

// ---- Registers

uint32_t CodeWriter::allocate() { return registers++; }

uint32_t CodeWriter::temporary() {
  temporaries.push_back(allocate());
  return temporaries.back();
}

void CodeWriter::define(Value value, Scalar scalar) {
  if (auto *own = llvm::find(temporaries, scalar.value); scalar.isReg && own != temporaries.end()) {
    temporaries.erase(own); // nobody else has it
    scalars[value] = scalar;
    return;
  }
  uint32_t reg = allocate();
  Inst inst = Inst::make(scalar.isReg ? Op::Mov : Op::MovI);
  inst[Field::d] = reg;
  if (scalar.isReg)
    inst[Field::a] = scalar.value;
  else
    inst.imm = scalar.value;
  emit(inst);
  scalars[value] = {true, reg};
}

Scalar CodeWriter::inReg(Scalar value) {
  if (value.isReg)
    return value;
  uint32_t reg = temporary();
  Inst inst = Inst::make(Op::MovI);
  inst[Field::d] = reg;
  inst.imm = static_cast<uint64_t>(value.value);
  emit(inst);
  return {true, reg};
}

void CodeWriter::setReg(Inst &inst, Field field, Scalar value) { inst[field] = inReg(value).value; }

void CodeWriter::set(Inst &inst, Field field, Scalar value) {
  const FieldInfo &info = fieldInfo(field);
  bool isSigned = info.kind == FieldKind::SRegImm;
  int64_t most = (int64_t(1) << (info.bits - isSigned)) - 1, least = isSigned ? -most - 1 : 0;
  if (!value.isReg && value.value >= least && value.value <= most)
    inst[field] = value.value;
  else
    inst.setReg(field, inReg(value).value);
}

Scalar CodeWriter::fold(Op op, Scalar a, Scalar b) {
  if (!a.isReg && !b.isReg) {
    switch (op) {
    case Op::Add:
      return number(a.value + b.value);
    case Op::Sub:
      return number(a.value - b.value);
    case Op::Mul:
      return number(a.value * b.value);
    case Op::Div:
      if (b.value > 0)
        return number(a.value / b.value);
      break;
    case Op::Rem:
      if (b.value > 0)
        return number(a.value % b.value);
      break;
    case Op::Min:
      return number(std::min(a.value, b.value));
    case Op::Max:
      return number(std::max(a.value, b.value));
    default:
      break; // computed at run time
    }
  }
  bool isOneB = !b.isReg && b.value == 1, isZeroB = !b.isReg && b.value == 0;
  if ((isZeroB && (op == Op::Add || op == Op::Sub)) || (isOneB && (op == Op::Mul || op == Op::Div)))
    return a;
  if (op == Op::Add && !a.isReg && a.value == 0)
    return b;
  if (op == Op::Mul && !a.isReg && a.value == 1)
    return b;
  if (op == Op::Mul && ((!a.isReg && a.value == 0) || isZeroB))
    return number(0);
  if ((op == Op::Add || op == Op::Mul) && !a.isReg)
    std::swap(a, b);
  if (!b.isReg && llvm::isPowerOf2_64(b.value)) { // all of these are sizes, none is negative
    if (op == Op::Mul || op == Op::Div) {
      op = op == Op::Mul ? Op::Shl : Op::Shr;
      b = number(llvm::Log2_64(b.value));
    } else if (op == Op::Rem) {
      op = Op::And;
      b = number(b.value - 1);
    }
  }
  Inst inst = Inst::make(op);
  setReg(inst, Field::a, a);
  set(inst, Field::bi, b);
  uint32_t reg = temporary();
  inst[Field::d] = reg;
  emit(inst);
  return {true, reg};
}

Scalar CodeWriter::ceilDiv(Scalar a, int64_t b) { return fold(Op::Div, add(a, number(b - 1)), number(b)); }

// ---- Values

Scalar CodeWriter::scalar(Value value) {
  if (std::optional<int64_t> constant = constantOf(value))
    return number(*constant);
  if (auto dim = value.getDefiningOp<memref::DimOp>()) { // in the argument buffer: no register is kept for it
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    return argument ? dimOf(argument, *dim.getConstantIndex()) : lost(value);
  }
  if (auto known = scalars.find(value); known != scalars.end())
    return known->second;
  if (auto argument = dyn_cast<BlockArgument>(value)) // an index argument
    return argumentOf(argument);
  return lost(value);
}

Scalar CodeWriter::lost(Value value) {
  emitError(value.getLoc(), "npu: '") << value.getDefiningOp()->getName() << "' has no code here";
  isLost = true;
  return number(0);
}

Scalar CodeWriter::extent(OpFoldResult value) {
  if (auto constant = getConstantIntValue(value))
    return number(*constant);
  return scalar(cast<Value>(value));
}

Scalar CodeWriter::argumentAt(int64_t slot) {
  Inst inst = Inst::make(Op::LdArg);
  inst[Field::index] = slot;
  uint32_t reg = temporary();
  inst[Field::d] = reg;
  emit(inst);
  return {true, reg};
}

/// Slots of the argument buffer: bindings, then constants (index arguments, dynamic extents), the workspace.
Scalar CodeWriter::argumentOf(BlockArgument argument) {
  int64_t slot = 0, bindings = 0;
  for (BlockArgument other : function.getArguments()) {
    bool isBinding = isa<MemRefType>(other.getType());
    bindings += isBinding;
    slot +=
        other.getArgNumber() < argument.getArgNumber() && isBinding == isa<MemRefType>(argument.getType());
  }
  return argumentAt(isa<MemRefType>(argument.getType()) ? slot : bindings + slot);
}

Scalar CodeWriter::dimOf(BlockArgument argument, int64_t axis) {
  int64_t slot = function.getNumArguments(); // bindings and index arguments stand before the extents
  for (BlockArgument other : function.getArguments()) {
    auto type = dyn_cast<MemRefType>(other.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
      if (other == argument && dim == axis)
        return type.isDynamicDim(dim) ? argumentAt(slot) : number(type.getDimSize(dim));
      slot += type.isDynamicDim(dim);
    }
  }
  return number(0);
}

/// The slot behind all bindings and constants.
int64_t CodeWriter::constantsEnd() {
  int64_t slot = function.getNumArguments();
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<MemRefType>(argument.getType()))
      slot += type.getNumDynamicDims();
  return slot;
}

Place CodeWriter::place(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  Place place;
  place.element = type.getElementType();
  place.elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (auto view = memref.getDefiningOp<memref::CastOp>())
    return this->place(view.getSource());
  if (auto view = memref.getDefiningOp<memref::SubViewOp>()) { // offsets are 0 or known
    Place source = this->place(view.getSource());
    for (auto [axis, size] : llvm::enumerate(view.getMixedSizes())) {
      place.extents.push_back(extent(size));
      place.strides.push_back(source.strides[axis]);
      Scalar offset = mul(extent(view.getMixedOffsets()[axis]), source.strides[axis]);
      source.address = add(source.address, mul(offset, number(place.elementBytes)));
    }
    place.address = source.address;
    return place;
  }
  if (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>()) {
    Scalar base = isa<BlockArgument>(view.getSource()) ? argumentOf(cast<BlockArgument>(view.getSource()))
                                                       : this->place(view.getSource()).address;
    place.address = add(base, mul(extent(view.getMixedOffsets()[0]), number(place.elementBytes)));
    for (auto [size, stride] : llvm::zip(view.getMixedSizes(), view.getMixedStrides())) {
      place.extents.push_back(extent(size));
      place.strides.push_back(extent(stride));
    }
    return place;
  }
  int64_t stride = 1;
  for (int64_t size : llvm::reverse(type.getShape())) {
    place.extents.insert(place.extents.begin(), number(size));
    place.strides.insert(place.strides.begin(), number(stride));
    stride *= size;
  }
  if (auto buffer = memref.getDefiningOp<ir::BufferOp>()) {
    ArrayRef<int64_t> addresses = buffer.getAddresses();
    place.address = number(addresses[0]);
    if (buffer.getSlot()) // copies lie at equal distances
      place.address = add(mul(scalar(buffer.getSlot()), number(addresses[1] - addresses[0])), place.address);
    return place;
  }
  if (auto buffer = memref.getDefiningOp<ir::WorkspaceBufferOp>()) {
    place.address = add(argumentAt(constantsEnd()), number(buffer.getOffset()));
    return place;
  }
  auto argument = dyn_cast<BlockArgument>(memref);
  place.address = argument ? argumentOf(argument) : lost(memref);
  return place;
}

// ---- Code

Inst CodeWriter::make(Op op, DType type) {
  Inst inst = Inst::make(op);
  inst[Field::type] = static_cast<int32_t>(type);
  return inst;
}

void CodeWriter::special(Special sr, Scalar value) {
  Inst inst = Inst::make(Op::WriteSr);
  inst[Field::sr] = static_cast<int32_t>(sr);
  set(inst, Field::bi, value);
  emit(inst);
}

void CodeWriter::forgetMasks() { maskMode = mask0 = mask1 = std::nullopt; }

void CodeWriter::countElements(Scalar count) {
  if (maskMode != 1)
    special(Special::MaskMode, number(1));
  maskMode = 1;
  if (count.isReg || mask0 != count.value)
    special(Special::Mask0, count);
  mask0 = count.isReg ? std::nullopt : std::optional(count.value);
}

void CodeWriter::maskLanes(int64_t lanes, int64_t perRepeat) {
  if (maskMode != 0)
    special(Special::MaskMode, number(0));
  maskMode = 0;
  auto ones = [](int64_t count) {
    return count >= 64 ? -1 : (int64_t(1) << std::max<int64_t>(count, 0)) - 1;
  };
  if (mask0 != ones(lanes))
    special(Special::Mask0, number(ones(lanes)));
  mask0 = ones(lanes);
  int64_t high = ones(lanes - 64);
  if (perRepeat > 64 && mask1 != high) {
    special(Special::Mask1, number(high));
    mask1 = high;
  }
}

void CodeWriter::barrier(Pipe pipe) {
  Inst inst = Inst::make(Op::PipeBarrier);
  inst[Field::pipe] = static_cast<int32_t>(pipe);
  emit(inst);
}

void CodeWriter::repeat(Scalar count, llvm::function_ref<void(Scalar)> body) {
  if (!count.isReg && count.value <= 4) {
    for (int64_t i = 0; i < count.value; ++i)
      body(number(i));
    return;
  }
  uint32_t counter = temporary();
  Inst start = Inst::make(Op::MovI);
  start[Field::d] = counter;
  emit(start);
  Scalar limit = inReg(count);
  forgetMasks();
  size_t head = code.size();
  Inst branch = Inst::make(Op::Branch);
  branch[Field::compare] = static_cast<int32_t>(Compare::Ge);
  branch[Field::a] = counter;
  set(branch, Field::bi, limit);
  emit(branch);
  body({true, counter});
  Inst next = Inst::make(Op::Add);
  next[Field::d] = next[Field::a] = counter;
  next[Field::bi] = 1;
  emit(next);
  Inst jump = Inst::make(Op::Jump);
  jump[Field::target] = head;
  emit(jump);
  code[head][Field::target] = code.size();
  forgetMasks();
}

DType CodeWriter::typeOf(Type element) {
  if (element.isF16())
    return DType::F16;
  if (element.isBF16())
    return DType::BF16;
  if (element.isF32())
    return DType::F32;
  if (element.isInteger(8))
    return element.isUnsignedInteger() ? DType::U8 : DType::I8;
  if (element.isInteger(16))
    return DType::I16;
  if (element.isInteger(64))
    return DType::I64;
  return DType::I32;
}

DType CodeWriter::bitsOf(int64_t bytes) {
  return bytes == 1 ? DType::B8 : bytes == 2 ? DType::B16 : DType::B32;
}

} // namespace kiln::npu
