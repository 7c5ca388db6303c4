// ProgramEmitter.cpp: a program's tables, launches, copies and results. The layout has decided where each
// tensor lives.
#include "jit/ProgramEmitter.h"

#include "jit/ArenaPlanner.h"
#include "jit/Diagnostics.h"
#include "jit/Elements.h"
#include "jit/LaunchNames.h"
#include "kiln/Transforms/Passes.h"
#include "kiln/jit/Fusion.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;
using schema::ArithOp;

namespace {
schema::Range wholeBuffer(uint32_t buffer) {
  return schema::Range(buffer, schema::Operand(0, false), schema::Operand(-1, false));
}

unsigned launchResultIndex(Value result) { return cast<OpResult>(result).getResultNumber(); }
} // namespace

ProgramEmitter::ProgramEmitter(ModuleOp module, const ProgramRequest &request, ProgramLayout layout)
    : main(module.lookupSymbol<func::FuncOp>("main")), symbols(module), request(request),
      layout(std::move(layout)), tables(program, request),
      indices(*(program.setup = std::make_unique<schema::BlockT>())) {}

Result<std::string> ProgramEmitter::write() {
  program.name = request.name;
  program.function = request.function;
  program.model_digest = request.modelDigest;
  program.producer = request.targetKey->buildIds;
  program.target = std::make_unique<schema::TargetT>();
  program.target->device_type = request.target->deviceType;
  program.target->triple = request.target->triple;
  program.target->arch = request.target->arch;
  program.target->features = request.target->featureString();
  program.target->options = request.target->optionString();
  program.prologue = std::make_unique<schema::BlockT>();
  program.body = std::make_unique<schema::BlockT>();
  buffers.assign(layout.all().size(), UINT32_MAX);
  addInputs();
  addOutputs();
  planTemporaries();
  KILN_RETURN_IF_ERROR(writeBlock(main.getBody().front(), *program.body));
  program.register_count = indices.registers();
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  schema::FinishProgramBuffer(builder, schema::Program::Pack(builder, &program));
  return std::string(reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize());
}

void ProgramEmitter::addInputs() {
  llvm::StringMap<Number> byName;
  for (auto [port, argument] : llvm::zip(request.inputs, main.getArguments())) {
    std::vector<Number> dims;
    for (auto [i, dim] : llvm::enumerate(cast<RankedTensorType>(argument.getType()).getShape())) {
      if (!ShapedType::isDynamic(dim)) {
        dims.push_back({dim});
        continue;
      }
      StringRef name = port.dimNames[i];
      auto it = byName.find(name);
      Number number = !name.empty() && it != byName.end() ? it->second : indices.newRegister(true);
      if (!name.empty())
        byName[name] = number;
      dims.push_back(number);
    }
    extents[argument] = dims;
    buffers[layout.storageOf(argument)] = tables.addPort(false, port, dims);
  }
}

void ProgramEmitter::addOutputs() {
  for (const ModelPort &port : request.outputs)
    outputBuffers.push_back(tables.addPort(true, port, {}));
  for (auto [i, storage] : llvm::enumerate(layout.all()))
    if (storage.kind == StorageKind::Output)
      buffers[i] = outputBuffers[storage.index];
}

void ProgramEmitter::planTemporaries() {
  std::vector<ArenaInterval> intervals;
  std::vector<uint32_t> ids;
  for (auto [i, storage] : llvm::enumerate(layout.all())) {
    auto type = cast<RankedTensorType>(storage.value.getType());
    if (storage.kind == StorageKind::Persistent)
      buffers[i] = tables.addBuffer(schema::BufferKind::Persistent, 0, {}, Number{byteSize(type)});
    else if (storage.kind == StorageKind::PrologueTemporary ||
             (storage.kind == StorageKind::Temporary && !type.hasStaticShape()))
      buffers[i] = tables.addBuffer(schema::BufferKind::Dynamic, 0);
    else if (storage.kind == StorageKind::Temporary) {
      intervals.push_back({byteSize(type), storage.begin, storage.end});
      ids.push_back(i);
    }
  }
  ArenaPlan plan = planArena(intervals);
  for (auto [id, interval, offset] : llvm::zip(ids, intervals, plan.offsets))
    buffers[id] = tables.addBuffer(schema::BufferKind::Arena, 0, Number{offset}, Number{interval.bytes});
  program.arena_bytes = std::make_unique<schema::Operand>(plan.bytes, false);
}

Result<std::vector<Number>> ProgramEmitter::extentsOf(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  std::vector<Number> dims;
  auto it = extents.find(tensor);
  for (auto [i, dim] : llvm::enumerate(type.getShape())) {
    if (ShapedType::isDynamic(dim) && it == extents.end())
      return unimplemented(locationText(tensor.getLoc()) + ": extent " + Twine(i) +
                           " of a tensor is not known when it is needed; give the inputs' extents");
    dims.push_back(ShapedType::isDynamic(dim) ? it->second[i] : Number{dim});
  }
  return dims;
}

Result<Number> ProgramEmitter::bytesOf(Value tensor, schema::BlockT &block) {
  KILN_ASSIGN_OR_RETURN(std::vector<Number> dims, extentsOf(tensor));
  Number count{1};
  for (Number dim : dims)
    count = indices.binary(ArithOp::Mul, count, dim, block);
  int64_t bits = dtypeBits(elementDType(cast<RankedTensorType>(tensor.getType()).getElementType()));
  if (bits < 8) // two to a byte
    return indices.binary(ArithOp::CeilDiv, count, Number{8 / bits}, block);
  return indices.binary(ArithOp::Mul, count, Number{bits / 8}, block);
}

Result<std::vector<Number>> ProgramEmitter::numbersOf(ArrayRef<OpFoldResult> values) {
  std::vector<Number> numbers;
  for (OpFoldResult value : values) {
    if (std::optional<int64_t> constant = getConstantIntValue(value)) {
      numbers.push_back({*constant});
      continue;
    }
    KILN_ASSIGN_OR_RETURN(Number number, indices.get(cast<Value>(value)));
    numbers.push_back(number);
  }
  return numbers;
}

Status ProgramEmitter::setMixedExtents(Value tensor, ArrayRef<int64_t> sizes, ValueRange values) {
  std::vector<Number> dims;
  auto value = values.begin();
  for (int64_t size : sizes) {
    if (!ShapedType::isDynamic(size)) {
      dims.push_back({size});
      continue;
    }
    KILN_ASSIGN_OR_RETURN(Number number, indices.get(*value++));
    dims.push_back(number);
  }
  extents[tensor] = dims;
  return {};
}

Status ProgramEmitter::writeBlock(Block &block, schema::BlockT &out) {
  for (Operation &op : block) {
    KILN_RETURN_IF_ERROR(writeOp(op, out));
    if (!isa<scf::YieldOp, scf::ConditionOp>(op)) // the op around them still has to read what they hand on
      releaseAfter(&op, out);
  }
  return {};
}

void ProgramEmitter::releaseAfter(Operation *op, schema::BlockT &out) {
  for (uint32_t id : layout.dyingAfter(op))
    release(id, out);
}

bool ProgramEmitter::isDynamic(uint32_t buffer) const {
  return program.buffers[buffer]->kind == schema::BufferKind::Dynamic;
}

void ProgramEmitter::release(uint32_t id, schema::BlockT &out) {
  if (!isDynamic(buffers[id]))
    return;
  schema::FreeT release;
  release.buffer = buffers[id];
  append(layout.all()[id].kind == StorageKind::PrologueTemporary ? *program.prologue : out,
         std::move(release));
}

Status ProgramEmitter::writeOp(Operation &op, schema::BlockT &out) {
  if (Value source = aliasedOperand(&op))
    return writeAlias(op, source);
  if (isa<ConstantOp, WeightOp>(op)) {
    KILN_ASSIGN_OR_RETURN(buffers[layout.storageOf(op.getResult(0))],
                          tables.addConstant(&op, *program.prologue));
    return {};
  }
  if (auto launch = dyn_cast<LaunchOp>(op))
    return writeLaunch(launch, weightOnly.contains(launch.getResult(0)) ? *program.prologue : out);
  if (auto append = dyn_cast<AppendOp>(op))
    return writeAppend(append, out);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    KILN_ASSIGN_OR_RETURN(std::vector<Number> dims, extentsOf(dim.getSource()));
    std::optional<int64_t> axis = dim.getConstantIndex();
    if (!axis || *axis < 0 || *axis >= static_cast<int64_t>(dims.size()))
      return unimplemented(locationText(op.getLoc()) + ": an extent of an axis that is not known");
    indices.set(dim, dims[*axis]);
    return {};
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return writeExtract(extract, out);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return writeInsert(insert, out);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) // its user gives it memory
    return setMixedExtents(empty, empty.getType().getShape(), empty.getDynamicSizes());
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return writeIf(branch, out);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return writeFor(loop, out);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return writeWhile(loop, out);
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return writeAssert(assertion, out);
  if (isa<CheckCloseOp, CheckEqualOp>(op)) {
    checks.push_back(&op);
    return {};
  }
  if (auto returnOp = dyn_cast<func::ReturnOp>(op))
    return writeReturn(returnOp, out);
  if (isa<scf::YieldOp, scf::ConditionOp>(op))
    return {}; // written by the op around them
  return indices.write(&op, out);
}

Status ProgramEmitter::writeAssert(cf::AssertOp op, schema::BlockT &out) {
  KILN_ASSIGN_OR_RETURN(Number condition, indices.get(op.getArg()));
  if (condition == Number{1})
    return {};
  // What the inputs' extents decide is checked before anything runs, once; in a branch it may not matter.
  bool isInBody = &out == program.body.get();
  if (condition.isRegister && condition.inSetup) {
    if (setupRequires.count(condition.value))
      return {};
    if (isInBody)
      setupRequires.insert(condition.value);
  }
  schema::RequireT require;
  require.condition = boxed(condition);
  require.message = op.getMsg().str();
  require.location = locationText(op.getLoc());
  if (auto compare = op.getArg().getDefiningOp<arith::CmpIOp>(); compare && op->hasAttr(kShowsOperandsAttr))
    for (Value side : compare->getOperands()) {
      KILN_ASSIGN_OR_RETURN(Number number, indices.get(side));
      if (number.isRegister || number.value != 0)
        require.values.push_back(number.operand());
    }
  append(isInBody && condition.inSetup ? *program.setup : out, std::move(require));
  return {};
}

Status ProgramEmitter::writeAlias(Operation &op, Value source) {
  Value result = op.getResult(0);
  if (cast<RankedTensorType>(result.getType()).hasStaticShape())
    return {};
  if (auto sizes = dyn_cast_or_null<DenseI64ArrayAttr>(op.getAttr("static_sizes")))
    return setMixedExtents(result, sizes, op.getOperands().drop_front());
  KILN_ASSIGN_OR_RETURN(extents[result], extentsOf(source));
  return {};
}

Status ProgramEmitter::allocate(Value value, schema::BlockT &out) {
  const Storage &storage = layout.all()[layout.storageOf(value)];
  uint32_t buffer = buffers[layout.storageOf(value)];
  bool inBody = isDynamic(buffer);
  if (storage.kind == StorageKind::Output) {
    KILN_ASSIGN_OR_RETURN(std::vector<Number> dims, extentsOf(value));
    inBody = !llvm::all_of(dims, [](Number dim) { return dim.inSetup; });
  }
  return inBody ? allocateFor(buffer, value, out) : Status();
}

Status ProgramEmitter::allocateFor(uint32_t buffer, Value tensor, schema::BlockT &out) {
  schema::AllocateT allocate;
  allocate.buffer = buffer;
  KILN_ASSIGN_OR_RETURN(Number bytes, bytesOf(tensor, out));
  allocate.bytes = boxed(bytes);
  append(out, std::move(allocate));
  return {};
}

Status ProgramEmitter::writeLaunch(LaunchOp op, schema::BlockT &out) {
  schema::LaunchT launch;
  auto kernel = symbols.lookup<KernelOp>(op.getKernel());
  launch.kernel = tables.addKernel(kernel);
  // The kernel's constants: index arguments, extents of tensor arguments, extents of results.
  std::vector<Number> argumentExtents;
  for (auto [value, type] : llvm::zip(op.getInputs(), kernel.getArgumentTypes())) {
    if (!isTensor(value)) {
      KILN_ASSIGN_OR_RETURN(Number number, indices.get(value));
      launch.constants.push_back(number.operand());
      continue;
    }
    launch.bindings.push_back(wholeBuffer(buffers[layout.storageOf(value)]));
    KILN_ASSIGN_OR_RETURN(std::vector<Number> dims, extentsOf(value));
    for (auto [dim, declared] : llvm::zip(dims, cast<RankedTensorType>(type).getShape()))
      if (ShapedType::isDynamic(declared))
        argumentExtents.push_back(dim);
  }
  auto extent = op.getExtents().begin();
  for (Value result : op.getOutputs()) {
    std::vector<Number> dims;
    for (int64_t dim : cast<RankedTensorType>(result.getType()).getShape()) {
      if (!ShapedType::isDynamic(dim)) {
        dims.push_back({dim});
        continue;
      }
      KILN_ASSIGN_OR_RETURN(Number number, indices.get(*extent++));
      dims.push_back(number);
    }
    for (auto [dim, declared] : llvm::zip(
             dims, cast<RankedTensorType>(kernel.getResultTypes()[launchResultIndex(result)]).getShape()))
      if (ShapedType::isDynamic(declared))
        argumentExtents.push_back(dim);
    extents[result] = dims;
    KILN_RETURN_IF_ERROR(allocate(result, out));
    launch.bindings.push_back(wholeBuffer(buffers[layout.storageOf(result)]));
  }
  for (Number number : argumentExtents)
    launch.constants.push_back(number.operand());
  launch.name = launchName(op);
  launch.location = locationText(op.getLoc());
  launch.op_locations = opLocations(op);
  append(out, std::move(launch));
  return {};
}

Status ProgramEmitter::writeAppend(AppendOp op, schema::BlockT &out) {
  KILN_ASSIGN_OR_RETURN(std::vector<Number> dims, extentsOf(op.getList()));
  KILN_ASSIGN_OR_RETURN(std::vector<Number> entry, extentsOf(op.getEntry()));
  Number count = dims.front();
  for (auto [i, extent] : llvm::enumerate(entry)) {
    if (dims[i + 1] == extent)
      continue;
    schema::RequireT require;
    Number agrees = indices.binary(ArithOp::Eq, dims[i + 1], extent, out);
    Number isEmpty = indices.binary(ArithOp::Eq, count, Number{0}, out);
    require.condition = boxed(indices.binary(ArithOp::Or, isEmpty, agrees, out));
    require.message = "an entry has another extent along axis " + std::to_string(i) + " than those before it";
    require.location = locationText(op.getLoc());
    append(out, std::move(require));
  }
  KILN_ASSIGN_OR_RETURN(Number entryBytes, bytesOf(op.getEntry(), out));
  Number offset = indices.binary(ArithOp::Mul, count, entryBytes, out);
  Number bytes = indices.binary(ArithOp::Add, offset, entryBytes, out);
  std::vector<Number> after{indices.binary(ArithOp::Add, count, Number{1}, out)};
  llvm::append_range(after, entry);
  extents[op.getResult()] = after;
  uint32_t list = buffers[layout.storageOf(op.getList())], to = buffers[layout.storageOf(op.getResult())];
  if (appendsInPlace(op)) {
    schema::GrowT grow;
    grow.buffer = to;
    grow.bytes = boxed(bytes);
    append(out, std::move(grow));
  } else {
    KILN_RETURN_IF_ERROR(allocate(op.getResult(), out));
    KILN_RETURN_IF_ERROR(copy(to, list, op.getList(), out));
  }
  schema::CopyT copy;
  copy.to = std::make_unique<schema::Range>(to, offset.operand(), entryBytes.operand());
  copy.from = std::make_unique<schema::Range>(wholeBuffer(buffers[layout.storageOf(op.getEntry())]));
  copy.bytes = boxed(entryBytes);
  append(out, std::move(copy));
  return {};
}

Status ProgramEmitter::writeExtract(tensor::ExtractOp op, schema::BlockT &out) {
  auto type = cast<RankedTensorType>(op.getTensor().getType());
  KilnDType dtype = elementDType(type.getElementType());
  if (!type.getElementType().isIntOrIndex() || dtypeBits(dtype) < 8 || dtype == KILN_DTYPE_INVALID)
    return unimplemented(locationText(op.getLoc()) +
                         ": reads a scalar that is no integer; registers hold integers");
  KILN_ASSIGN_OR_RETURN(std::vector<Number> dims, extentsOf(op.getTensor()));
  Number index{0};
  for (auto [dim, position] : llvm::zip(dims, op.getIndices())) {
    KILN_ASSIGN_OR_RETURN(Number at, indices.get(position));
    index = indices.binary(ArithOp::Add, indices.binary(ArithOp::Mul, index, dim, out), at, out);
  }
  int64_t bytes = dtypeBits(dtype) / 8;
  Number to = indices.newRegister(false);
  schema::ReadScalarT read;
  read.to = to.value;
  read.from = std::make_unique<schema::Range>(
      buffers[layout.storageOf(op.getTensor())],
      indices.binary(ArithOp::Mul, index, Number{bytes}, out).operand(), schema::Operand(bytes, false));
  read.dtype = static_cast<schema::DType>(dtype);
  read.name = locationText(op.getLoc());
  append(out, std::move(read));
  indices.set(op, to);
  return {};
}

Status ProgramEmitter::copy(uint32_t to, uint32_t from, Value tensor, schema::BlockT &out) {
  if (to == from)
    return {};
  schema::CopyT copy;
  copy.to = std::make_unique<schema::Range>(wholeBuffer(to));
  copy.from = std::make_unique<schema::Range>(wholeBuffer(from));
  KILN_ASSIGN_OR_RETURN(Number bytes, bytesOf(tensor, out));
  copy.bytes = boxed(bytes);
  append(out, std::move(copy));
  return {};
}

Status ProgramEmitter::writeInsert(tensor::InsertSliceOp op, schema::BlockT &out) {
  KILN_ASSIGN_OR_RETURN(std::vector<Number> dims, extentsOf(op.getDest()));
  KILN_ASSIGN_OR_RETURN(std::vector<Number> sizes, numbersOf(op.getMixedSizes()));
  KILN_ASSIGN_OR_RETURN(std::vector<Number> offsets, numbersOf(op.getMixedOffsets()));
  // Consecutive: one index of the leading axes, a range of the next, the whole of the rest.
  size_t ranged = 0;
  while (ranged < sizes.size() && sizes[ranged] == Number{1})
    ++ranged;
  bool consecutive =
      llvm::all_of(op.getMixedStrides(), [](OpFoldResult s) { return isConstantIntValue(s, 1); });
  for (size_t axis = ranged + 1; axis < sizes.size(); ++axis)
    consecutive &= sizes[axis] == dims[axis] && offsets[axis] == Number{0};
  if (!consecutive)
    return unimplemented(
        locationText(op.getLoc()) +
        ": a slice is inserted whose elements are not consecutive; expected whole inner axes");
  Number at{0};
  for (auto [dim, offset] : llvm::zip(dims, offsets))
    at = indices.binary(ArithOp::Add, indices.binary(ArithOp::Mul, at, dim, out), offset, out);
  int64_t bytes = dtypeBits(elementDType(op.getDestType().getElementType())) / 8;
  if (bytes == 0)
    return unimplemented(locationText(op.getLoc()) + ": a slice of elements below 8 bits is inserted");
  schema::CopyT copy;
  KILN_ASSIGN_OR_RETURN(Number length, bytesOf(op.getSource(), out));
  copy.to = std::make_unique<schema::Range>(buffers[layout.storageOf(op.getDest())],
                                            indices.binary(ArithOp::Mul, at, Number{bytes}, out).operand(),
                                            length.operand());
  copy.from = std::make_unique<schema::Range>(wholeBuffer(buffers[layout.storageOf(op.getSource())]));
  copy.bytes = boxed(length);
  append(out, std::move(copy));
  extents[op.getResult()] = dims;
  return {};
}

Status ProgramEmitter::writeReturn(func::ReturnOp op, schema::BlockT &out) {
  for (auto [i, value] : llvm::enumerate(op.getOperands()))
    KILN_RETURN_IF_ERROR(writeOutput(i, value, out));
  for (Operation *check : checks) {
    schema::CheckT entry;
    auto close = dyn_cast<CheckCloseOp>(check);
    entry.kind = close ? schema::CheckKind::Close : schema::CheckKind::Equal;
    entry.atol = close ? close.getAtol().convertToDouble() : 0;
    entry.rtol = close ? close.getRtol().convertToDouble() : 0;
    entry.location = locationText(check->getLoc());
    auto compared = check->getAttrOfType<DenseI64ArrayAttr>(kCheckOutputsAttr);
    if (!compared || compared.size() != 2)
      return internalError(entry.location + ": a check without outputs; the importer names them");
    entry.got = compared[0];
    entry.want = compared[1];
    program.checks.push_back(std::make_unique<schema::CheckT>(std::move(entry)));
  }
  return {};
}

Status ProgramEmitter::writeOutput(uint32_t index, Value value, schema::BlockT &out) {
  KILN_ASSIGN_OR_RETURN(std::vector<Number> dims, extentsOf(value));
  schema::PortT &port = *program.outputs[index];
  for (Number dim : dims)
    port.dims.push_back(dim.operand());
  port.dim_names.resize(dims.size());
  uint32_t to = outputBuffers[index], from = buffers[layout.storageOf(value)];
  if (to == from)
    return {};
  if (!llvm::all_of(dims, [](Number dim) { return dim.inSetup; }))
    KILN_RETURN_IF_ERROR(allocateFor(to, value, out));
  return copy(to, from, value, out);
}
