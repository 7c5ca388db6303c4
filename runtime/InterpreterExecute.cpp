// InterpreterExecute.cpp: the instruction loop of the interpreter; launches are the hot path.
#include "runtime/CheckedMath.h"
#include "runtime/DType.h"
#include "runtime/Error.h"
#include "runtime/Interpreter.h"

#include <algorithm>
#include <cstring>

namespace kiln {

namespace {

constexpr uint64_t kLeastGrownBytes = 1024;         // a buffer that grows by a scalar each time moves rarely
constexpr uint64_t kDeadlineCheckIterations = 1024; // a loop without launches still sees the deadline

const char *arithName(ArithCode op) {
  static constexpr const char *names[] = {"move", "add", "sub",    "mul",      "floordiv", "ceildiv", "mod",
                                          "min",  "max", "eq",     "ne",       "lt",       "le",      "and",
                                          "or",   "not", "select", "truncdiv", "truncrem"};
  return names[static_cast<size_t>(op)];
}

int64_t loadScalar(const void *memory, KilnDType dtype) {
  auto load = [memory](auto sample) {
    std::memcpy(&sample, memory, sizeof(sample));
    return static_cast<int64_t>(sample);
  };
  switch (dtype) {
  case KILN_I1:
  case KILN_U8:
    return load(uint8_t{});
  case KILN_I8:
    return load(int8_t{});
  case KILN_I16:
    return load(int16_t{});
  case KILN_U16:
    return load(uint16_t{});
  case KILN_I32:
    return load(int32_t{});
  case KILN_U32:
    return load(uint32_t{});
  default: // the verifier lets integers through only
    return load(int64_t{});
  }
}

} // namespace

Status Interpreter::failedRequire(const RequireInstruction &require) const {
  std::string text = require.location.empty() ? require.message : require.location + ": " + require.message;
  for (size_t i = 0; i < require.values.size(); ++i)
    text += (i ? " and " : ", got ") + std::to_string(valueOf(require.values[i]));
  return invalidArgument("{}", text);
}

Status Interpreter::execute(const std::vector<InstructionCode> &block, bool inPrologue) {
  const InstructionCode *const first = block.data();
  for (const InstructionCode *at = first;; ++at) {
    if (at->opcode == Opcode::Launch && repeats(code.repeats.launches[at->index])) [[likely]] {
      const LaunchRepeat &repeat = code.repeats.launches[at->index];
      if (Status handed = queue.launch(repeat.kernel, repeat.args); !handed.ok()) [[unlikely]]
        return withContext(handed, "launch {}", describeLaunch(code.launches[at->index]));
      continue;
    }
    Status status;
    switch (at->opcode) {
    case Opcode::Launch:
      status = launch(at->index, inPrologue);
      break;
    case Opcode::Copy:
      status = copy(code.copies[at->index]);
      break;
    case Opcode::Fill:
      status = fill(code.fills[at->index]);
      break;
    case Opcode::Arith:
      status = arith(code.ariths[at->index]);
      break;
    case Opcode::Branch:
      if (valueOf(code.conditions[at->index]) == 0)
        at = first + at->target - 1;
      break;
    case Opcode::Jump:
      at = first + at->target - 1;
      break;
    case Opcode::LoopInit:
      iterations[at->index] = 0;
      registers[code.loops[at->index].indexRegister] = 0;
      break;
    case Opcode::LoopTest: {
      bool goesOn = false;
      status = testLoop(at->index, goesOn);
      if (status.ok() && !goesOn)
        at = first + at->target - 1;
      break;
    }
    case Opcode::LoopNext:
      registers[code.loops[at->index].indexRegister] = static_cast<int64_t>(++iterations[at->index]);
      at = first + at->target - 1;
      break;
    case Opcode::ReadScalar:
      status = readScalar(code.reads[at->index]);
      break;
    case Opcode::Allocate:
      status = allocate(code.allocates[at->index]);
      break;
    case Opcode::Grow:
      status = grow(code.allocates[at->index]);
      break;
    case Opcode::Free: {
      KilnBinding &buffer = buffers[at->index];
      if (buffer.address == 0)
        status = failedPrecondition("program: buffer {} is freed but not allocated", at->index);
      else
        status = queue.free(buffer.address);
      buffer = {};
      break;
    }
    case Opcode::Require: {
      const RequireInstruction &require = code.requires_[at->index];
      if (valueOf(require.condition) == 0)
        status = failedRequire(require);
      break;
    }
    case Opcode::End:
      return {};
    }
    if (!status.ok()) [[unlikely]]
      return status;
  }
}

Status Interpreter::resolveRange(const RangeCode &range, KilnBinding &out) const {
  const KilnBinding &buffer = buffers[range.buffer];
  auto offset = static_cast<uint64_t>(valueOf(range.offset)); // a negative one is beyond every end
  if (offset > buffer.bytes) [[unlikely]]
    return outOfRange("buffer {}: offset {}; it has {} bytes", range.buffer, static_cast<int64_t>(offset),
                      buffer.bytes);
  uint64_t rest = buffer.bytes - offset;
  bool toEnd = !range.length.isRegister && range.length.value == -1;
  uint64_t length = toEnd ? rest : static_cast<uint64_t>(valueOf(range.length));
  if (length > rest) [[unlikely]]
    return outOfRange("buffer {}: bytes [{}, +{}); it has {}", range.buffer, offset,
                      static_cast<int64_t>(length), buffer.bytes);
  if (buffer.address == 0 && length > 0) [[unlikely]]
    return failedPrecondition("buffer {}: used before it is allocated", range.buffer);
  out = {buffer.address + offset, length};
  return {};
}

// Nothing else decides what a launch is given: the kernel stays, the workspace is compared by its address.
bool Interpreter::repeats(const LaunchRepeat &repeat) const {
  if (!repeat.kernel || settings.profile) [[unlikely]]
    return false;
  const LaunchRepeat::Source *source = code.repeats.sources.data() + repeat.firstBinding;
  for (const LaunchRepeat::Source *end = source + repeat.bindingCount; source != end; ++source) {
    const KilnBinding &now = buffers[source->buffer];
    if (now.address != source->seen.address || now.bytes != source->seen.bytes)
      return false;
  }
  const LaunchRepeat::Operand *operand = code.repeats.operands.data() + repeat.firstOperand;
  for (const LaunchRepeat::Operand *end = operand + repeat.operandCount; operand != end; ++operand)
    if (registers[operand->registerIndex] != operand->seen)
      return false;
  return repeat.args.workspace.bytes == 0 ||
         (workspace && repeat.args.workspace.address == workspace.address());
}

Status Interpreter::launch(uint32_t index, bool inPrologue) {
  LaunchInstruction &launch = code.launches[index];
  LaunchRepeat &repeat = code.repeats.launches[index];
  repeat.kernel = nullptr;
  if (!launch.handle) [[unlikely]]
    KILN_RETURN_IF_ERROR(theProgram->resolve(launch, inPrologue));
  for (size_t i = 0; i < launch.constants.size(); ++i)
    constants[i] = valueOf(launch.constants[i]);
  LaunchGeometry &geometry = launch.geometry;
  if (!geometry.valid ||
      (!launch.constants.empty() && std::memcmp(constants.data(), geometry.constants.data(),
                                                launch.constants.size() * sizeof(int64_t)) != 0))
    KILN_RETURN_IF_ERROR(withContext(evaluateGeometry(launch), "launch {}", describeLaunch(launch)));
  KilnBinding *bindings = code.repeats.bindings.data() + repeat.firstBinding;
  KILN_RETURN_IF_ERROR(resolveBindings(launch, bindings));
  if (geometry.grid[0] == 0 || geometry.grid[1] == 0 || geometry.grid[2] == 0)
    return {}; // nothing to compute: a tensor without elements
  KilnLaunch &args = repeat.args = {};
  args.struct_size = sizeof(args);
  args.bindings = bindings;
  args.binding_count = launch.bindings.size();
  args.constants = geometry.constants.data();
  args.constant_count = launch.constants.size();
  if (geometry.workspaceBytes > 0) {
    if (!workspace || workspace.bytes() < geometry.workspaceBytes) [[unlikely]]
      KILN_RETURN_IF_ERROR(withContext(reserve(workspace, geometry.workspaceBytes), "launch {}: workspace",
                                       describeLaunch(launch)));
    args.workspace = {workspace.address(), geometry.workspaceBytes};
  }
  std::copy(std::begin(geometry.grid), std::end(geometry.grid), args.grid);
  args.site = &launch.site;
  for (size_t i = 0; i < repeat.bindingCount; ++i) {
    LaunchRepeat::Source &source = code.repeats.sources[repeat.firstBinding + i];
    source.seen = buffers[source.buffer];
  }
  for (size_t i = 0; i < repeat.operandCount; ++i) {
    LaunchRepeat::Operand &operand = code.repeats.operands[repeat.firstOperand + i];
    operand.seen = registers[operand.registerIndex];
  }
  repeat.kernel = launch.handle->handle();
  KilnLaunch profiled = args;
  if (settings.profile) [[unlikely]]
    KILN_RETURN_IF_ERROR(profileLaunch(launch, profiled));
  if (Status status = queue.launch(repeat.kernel, profiled); !status.ok()) [[unlikely]]
    return withContext(status, "launch {}", describeLaunch(launch));
  return {};
}

// Each binding inside its buffer, as large and as aligned as the kernel needs it.
Status Interpreter::resolveBindings(const LaunchInstruction &launch, KilnBinding *bindings) const {
  const KernelMetadata &kernel = launch.handle->metadata();
  for (size_t i = 0; i < launch.bindings.size(); ++i) {
    const uint64_t required = launch.geometry.requiredBytes[i], alignment = kernel.bindings[i].alignmentBytes;
    if (Status status = resolveRange(launch.bindings[i], bindings[i]); !status.ok())
      return withContext(status, "launch {}: binding {}", describeLaunch(launch), i);
    if (bindings[i].bytes < required)
      return outOfRange("launch {}: binding {} has {} bytes; kernel '{}' needs {}", describeLaunch(launch), i,
                        bindings[i].bytes, kernel.name, required);
    if ((bindings[i].address & (alignment - 1)) != 0)
      return invalidArgument("launch {}: binding {} at {:#x}; kernel '{}' needs a multiple of {}",
                             describeLaunch(launch), i, bindings[i].address, kernel.name, alignment);
  }
  return {};
}

Status Interpreter::evaluateGeometry(LaunchInstruction &launch) {
  const KernelMetadata &metadata = launch.handle->metadata();
  LaunchGeometry &geometry = launch.geometry;
  geometry.valid = false;
  std::span<const int64_t> values(constants.data(), launch.constants.size());
  auto evaluate = [&](const Expression &expression, std::string_view what, uint64_t &out) -> Status {
    Result<int64_t> value = expression.evaluate(values);
    if (!value.ok())
      return withContext(value.status(), "{}", what);
    if (*value < 0)
      return outOfRange("{}: {}; expected at least 0", what, *value);
    out = static_cast<uint64_t>(*value);
    return {};
  };
  std::fill(std::begin(geometry.grid), std::end(geometry.grid), 1u);
  for (size_t i = 0; i < metadata.grid.size(); ++i) {
    uint64_t extent = 0;
    KILN_RETURN_IF_ERROR(evaluate(metadata.grid[i], "grid", extent));
    if (extent > UINT32_MAX)
      return outOfRange("grid: {}; expected at most {}", extent, UINT32_MAX);
    geometry.grid[i] = static_cast<uint32_t>(extent);
  }
  geometry.workspaceBytes = 0;
  if (metadata.workspaceBytes.present())
    KILN_RETURN_IF_ERROR(evaluate(metadata.workspaceBytes, "workspace", geometry.workspaceBytes));
  for (size_t i = 0; i < metadata.bindings.size(); ++i) {
    geometry.requiredBytes[i] = 0;
    if (metadata.bindings[i].bytes.present())
      KILN_RETURN_IF_ERROR(evaluate(metadata.bindings[i].bytes, "binding bytes", geometry.requiredBytes[i]));
  }
  std::copy(values.begin(), values.end(), geometry.constants.begin());
  geometry.valid = true;
  return {};
}

Status Interpreter::profileLaunch(const LaunchInstruction &launch, KilnLaunch &args) {
  LaunchProfile &entry = settings.profile->emplace_back();
  entry.launch = &launch;
  entry.times.struct_size = sizeof(entry.times);
  entry.times.arg = &entry; // stays where it is: a deque's end grows
  entry.times.on_counter = [](void *to, const KilnLaunchCounter *counter) {
    static_cast<LaunchProfile *>(to)->counters.push_back(
        {std::string(toView(counter->name)), std::string(toView(counter->unit)), counter->value});
  };
  if (settings.wantsSpans)
    entry.times.on_span = [](void *to, const KilnLaunchSpan *span) {
      static_cast<LaunchProfile *>(to)->spans.push_back(
          {std::string(toView(span->unit)), std::string(toView(span->name)), std::string(toView(span->stall)),
           span->start_cycle, span->end_cycle, span->stall_cycles, span->pc});
    };
  std::span<const int64_t> values(args.constants, args.constant_count);
  const KernelMetadata &metadata = launch.handle->metadata();
  if (metadata.flops.present())
    if (Result<int64_t> flops = metadata.flops.evaluate(values); flops.ok())
      entry.flops = static_cast<double>(*flops);
  if (metadata.trafficBytes.present())
    if (Result<int64_t> bytes = metadata.trafficBytes.evaluate(values); bytes.ok())
      entry.trafficBytes = static_cast<double>(*bytes);
  args.profile = &entry.times;
  return {};
}

Status Interpreter::copy(const CopyInstruction &copy) {
  KilnBinding to = {}, from = {};
  KILN_RETURN_IF_ERROR(withContext(resolveRange(copy.to, to), "copy: to"));
  KILN_RETURN_IF_ERROR(withContext(resolveRange(copy.from, from), "copy: from"));
  auto bytes = static_cast<uint64_t>(valueOf(copy.bytes));
  if (bytes > to.bytes || bytes > from.bytes)
    return outOfRange("copy: {} bytes from {} to {}", static_cast<int64_t>(bytes), from.bytes, to.bytes);
  return bytes == 0 ? Status() : withContext(queue.copy(to.address, from.address, bytes), "copy");
}

Status Interpreter::fill(const FillInstruction &fill) {
  KilnBinding to = {};
  KILN_RETURN_IF_ERROR(withContext(resolveRange(fill.to, to), "fill: to"));
  auto bytes = static_cast<uint64_t>(valueOf(fill.bytes));
  if (bytes > to.bytes || bytes % fill.patternBytes != 0)
    return outOfRange("fill: {} bytes of {} with a pattern of {}", static_cast<int64_t>(bytes), to.bytes,
                      fill.patternBytes);
  return bytes == 0 ? Status()
                    : withContext(queue.fill(to.address, fill.pattern, fill.patternBytes, bytes), "fill");
}

Status Interpreter::arith(const ArithInstruction &arith) {
  int64_t lhs = valueOf(arith.lhs), rhs = valueOf(arith.rhs), result = 0;
  MathFault fault = MathFault::None;
  switch (arith.op) {
  case ArithCode::Move:
    result = lhs;
    break;
  case ArithCode::Add:
    fault = checkedAdd(lhs, rhs, result);
    break;
  case ArithCode::Sub:
    fault = checkedSub(lhs, rhs, result);
    break;
  case ArithCode::Mul:
    fault = checkedMul(lhs, rhs, result);
    break;
  case ArithCode::FloorDiv:
    fault = checkedFloorDiv(lhs, rhs, result);
    break;
  case ArithCode::CeilDiv:
    fault = checkedCeilDiv(lhs, rhs, result);
    break;
  case ArithCode::Mod:
    fault = checkedMod(lhs, rhs, result);
    break;
  case ArithCode::Min:
    result = std::min(lhs, rhs);
    break;
  case ArithCode::Max:
    result = std::max(lhs, rhs);
    break;
  case ArithCode::Eq:
    result = lhs == rhs;
    break;
  case ArithCode::Ne:
    result = lhs != rhs;
    break;
  case ArithCode::Lt:
    result = lhs < rhs;
    break;
  case ArithCode::Le:
    result = lhs <= rhs;
    break;
  case ArithCode::And:
    result = lhs & rhs;
    break;
  case ArithCode::Or:
    result = lhs | rhs;
    break;
  case ArithCode::Not:
    result = lhs == 0;
    break;
  case ArithCode::Select:
    result = lhs != 0 ? rhs : valueOf(arith.third);
    break;
  case ArithCode::TruncDiv:
    fault = checkedTruncDiv(lhs, rhs, result);
    break;
  case ArithCode::TruncRem:
    fault = checkedTruncRem(lhs, rhs, result);
    break;
  }
  if (fault != MathFault::None) [[unlikely]]
    return outOfRange("program: register {}: {} of {} and {}: {}", arith.to, arithName(arith.op), lhs, rhs,
                      mathFaultName(fault));
  registers[arith.to] = result;
  return {};
}

Status Interpreter::readScalar(const ReadScalarInstruction &read) {
  KilnBinding from = {};
  KILN_RETURN_IF_ERROR(withContext(resolveRange(read.from, from), "scalar '{}'", read.name));
  uint64_t bytes = dtypeBits(read.dtype) / 8;
  if (from.bytes < bytes)
    return outOfRange("scalar '{}': {} bytes; a {} has {}", read.name, from.bytes, dtypeName(read.dtype),
                      bytes);
  KILN_RETURN_IF_ERROR(withContext(queue.read(&scalar, from.address, bytes), "scalar '{}'", read.name));
  KILN_RETURN_IF_ERROR(withContext(queue.synchronize(remainingNs()), "scalar '{}'", read.name));
  registers[read.to] = loadScalar(&scalar, read.dtype);
  return {};
}

Status Interpreter::allocate(const AllocateInstruction &allocate) {
  int64_t bytes = valueOf(allocate.bytes);
  const BufferCode &buffer = code.buffers[allocate.buffer];
  if (bytes < 0)
    return outOfRange("program: buffer {}: {} bytes; expected at least 0", allocate.buffer, bytes);
  if (buffers[allocate.buffer].address != 0)
    return failedPrecondition("program: buffer {} is allocated twice", allocate.buffer);
  if (buffer.kind == BufferClass::Output)
    return requestOutput(buffer.index, static_cast<uint64_t>(bytes));
  uint64_t capacity = std::max<uint64_t>(static_cast<uint64_t>(bytes), 1);
  Result<KilnDeviceAddress> address = queue.allocate(capacity);
  if (!address.ok())
    return withContext(address.status(), "program: buffer {}", allocate.buffer);
  buffers[allocate.buffer] = {*address, static_cast<uint64_t>(bytes)};
  capacities[allocate.buffer] = capacity;
  return {};
}

Status Interpreter::grow(const AllocateInstruction &grow) {
  KilnBinding &buffer = buffers[grow.buffer];
  int64_t bytes = valueOf(grow.bytes);
  if (bytes < 0)
    return outOfRange("program: buffer {}: {} bytes; expected at least 0", grow.buffer, bytes);
  if (buffer.address == 0)
    return failedPrecondition("program: buffer {} grows but is not allocated", grow.buffer);
  auto wanted = static_cast<uint64_t>(bytes);
  uint64_t &capacity = capacities[grow.buffer];
  if (wanted > capacity) {
    uint64_t larger = std::max({wanted, 2 * capacity, kLeastGrownBytes});
    Result<KilnDeviceAddress> address = queue.allocate(larger);
    if (!address.ok())
      return withContext(address.status(), "program: buffer {}", grow.buffer);
    if (buffer.bytes > 0)
      KILN_RETURN_IF_ERROR(queue.copy(*address, buffer.address, buffer.bytes));
    KILN_RETURN_IF_ERROR(queue.free(buffer.address));
    buffer.address = *address;
    capacity = larger;
  }
  buffer.bytes = wanted;
  return {};
}

Status Interpreter::testLoop(uint32_t index, bool &goesOn) {
  const LoopInstruction &loop = code.loops[index];
  uint64_t done = iterations[index];
  bool bounded = loop.count.isRegister || loop.count.value != -1;
  goesOn = (!bounded || static_cast<int64_t>(done) < valueOf(loop.count)) &&
           (loop.conditionRegister < 0 || registers[loop.conditionRegister] != 0);
  if (!goesOn)
    return {};
  if (done >= loop.limit)
    return outOfRange("program: loop {}: {} iterations; at most {} are allowed", index, done, loop.limit);
  if (done % kDeadlineCheckIterations == kDeadlineCheckIterations - 1 && remainingNs() == 0)
    return deadlineExceeded("program: loop {}: time is up after {} iterations", index, done);
  return {};
}

} // namespace kiln
