// Interpreter.cpp: entry and exit of a run: inputs, setup, arena, outputs. InterpreterExecute.cpp has the
// loop.
#include "runtime/Interpreter.h"

#include "runtime/DType.h"
#include "runtime/Error.h"

#include <algorithm>
#include <chrono>

namespace kiln {

namespace {

constexpr uint64_t kPersistentAlignment = 64;

std::string extentName(const PortCode &port, size_t axis) {
  if (axis < port.dimNames.size() && !port.dimNames[axis].empty())
    return fmt::format("extent {} ('{}')", axis, port.dimNames[axis]);
  return fmt::format("extent {}", axis);
}

} // namespace

Interpreter::Interpreter(std::unique_ptr<PreparedProgram> program, Queue &queue)
    : theProgram(std::move(program)), code(theProgram->code()), queue(queue), registers(code.registerCount),
      bound(code.registerCount), buffers(code.buffers.size()), capacities(code.buffers.size()),
      iterations(code.loops.size()), constants(code.maxConstants), outputExtents(code.outputs.size()) {
  for (size_t i = 0; i < code.outputs.size(); ++i)
    outputExtents[i].resize(code.outputs[i].dims.size());
}

Interpreter::~Interpreter() = default;

Result<std::unique_ptr<Interpreter>> Interpreter::create(std::unique_ptr<PreparedProgram> program,
                                                         Queue &queue) {
  auto interpreter = std::unique_ptr<Interpreter>(new Interpreter(std::move(program), queue));
  KILN_RETURN_IF_ERROR(interpreter->runPrologue());
  return interpreter;
}

Status Interpreter::runPrologue() {
  uint64_t total = 0;
  for (BufferCode &buffer : code.buffers) {
    if (buffer.kind != BufferClass::Persistent)
      continue;
    buffer.offset.value = static_cast<int64_t>(total); // inside the one allocation
    if (theProgram->isPacked())
      continue;
    uint64_t bytes = static_cast<uint64_t>(buffer.bytes.value);
    if (__builtin_add_overflow(total, (bytes + kPersistentAlignment - 1) & ~(kPersistentAlignment - 1),
                               &total))
      return resourceExhausted("program: its persistent buffers need more than 2^64 bytes");
  }
  if (total > 0) {
    Result<Buffer> memory = theProgram->device().allocate(total, kPersistentAlignment);
    if (!memory.ok())
      return withContext(memory.status(), "persistent buffers");
    persistent = *memory;
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferCode &buffer = code.buffers[i];
    if (buffer.kind == BufferClass::Persistent && theProgram->isPacked())
      buffers[i] =
          buffer.bytes.value > 0 ? theProgram->packed(static_cast<uint32_t>(i)).binding() : KilnBinding{};
    else if (buffer.kind == BufferClass::Persistent)
      buffers[i] = {persistent ? persistent.address() + static_cast<uint64_t>(buffer.offset.value) : 0,
                    static_cast<uint64_t>(buffer.bytes.value)};
    else if (const Buffer *constant =
                 buffer.kind == BufferClass::Constant ? &theProgram->constant(buffer.index) : nullptr;
             constant && *constant)
      buffers[i] = constant->binding();
  }
  if (code.prologue.size() == 1 || theProgram->isPacked()) // only End
    return {};
  if (!code.arenaBytes.isRegister)
    KILN_RETURN_IF_ERROR(placeArena());
  settings = {};
  Status status = execute(code.prologue, /*inPrologue=*/true);
  releaseDynamic();
  if (status.ok())
    status = queue.synchronize();
  return withContext(status, "prologue");
}

Result<std::vector<PackedBytes>> Interpreter::packedBytes() {
  std::vector<PackedBytes> result;
  bool hasLaunch = std::any_of(code.prologue.begin(), code.prologue.end(),
                               [](const InstructionCode &one) { return one.opcode == Opcode::Launch; });
  if (!hasLaunch)
    return result;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (code.buffers[i].kind != BufferClass::Persistent || buffers[i].bytes == 0)
      continue;
    auto memory = std::shared_ptr<void>(std::aligned_alloc(64, (buffers[i].bytes + 63) / 64 * 64), std::free);
    if (!memory)
      return resourceExhausted("packed weights: no memory for {} bytes", buffers[i].bytes);
    KILN_RETURN_IF_ERROR(queue.read(memory.get(), buffers[i].address, buffers[i].bytes));
    KILN_RETURN_IF_ERROR(queue.synchronize());
    result.push_back(
        {static_cast<uint32_t>(i), {{static_cast<const uint8_t *>(memory.get()), buffers[i].bytes}, memory}});
  }
  return result;
}

Status Interpreter::run(std::span<const RunInput> inputs, OutputProvider &outputs,
                        const RunSettings &runSettings) {
  settings = runSettings;
  outputProvider = &outputs;
  std::fill(registers.begin(), registers.end(), 0);
  KILN_RETURN_IF_ERROR(bindInputs(inputs));
  KILN_RETURN_IF_ERROR(execute(code.setup, /*inPrologue=*/false));
  KILN_RETURN_IF_ERROR(placeArena());
  KILN_RETURN_IF_ERROR(requestOutputs());
  Status status = execute(code.body, /*inPrologue=*/false);
  releaseDynamic();
  KILN_RETURN_IF_ERROR(status);
  KILN_RETURN_IF_ERROR(readOutputExtents());
  return queue.flush();
}

Status Interpreter::bindInputs(std::span<const RunInput> inputs) {
  if (inputs.size() != code.inputs.size())
    return invalidArgument("program: {} inputs; expected {}", inputs.size(), code.inputs.size());
  std::fill(bound.begin(), bound.end(), false);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const PortCode &port = code.inputs[i];
    if (inputs[i].dims.size() != port.dims.size())
      return invalidArgument("input '{}': rank {}; expected {}", port.name, inputs[i].dims.size(),
                             port.dims.size());
    for (size_t axis = 0; axis < port.dims.size(); ++axis)
      KILN_RETURN_IF_ERROR(bindExtent(port, axis, inputs[i].dims[axis]));
    std::optional<uint64_t> bytes = denseBytes(port.dtype, inputs[i].dims);
    if (!bytes || inputs[i].binding.bytes < *bytes)
      return invalidArgument("input '{}': {} bytes; its shape needs {}", port.name, inputs[i].binding.bytes,
                             bytes ? fmt::to_string(*bytes) : std::string("more than 2^63"));
    buffers[port.buffer] = {inputs[i].binding.address, *bytes};
  }
  return {};
}

Status Interpreter::bindExtent(const PortCode &port, size_t axis, int64_t extent) {
  const OperandCode &dim = port.dims[axis];
  if (extent < 0)
    return invalidArgument("input '{}': {} is {}; expected at least 0", port.name, extentName(port, axis),
                           extent);
  if (!dim.isRegister) {
    if (extent != dim.value)
      return invalidArgument("input '{}': {} is {}; expected {}", port.name, extentName(port, axis), extent,
                             dim.value);
    return {};
  }
  if (bound[dim.value] && registers[dim.value] != extent)
    return invalidArgument("input '{}': {} is {}; expected {}, which an input before it has given", port.name,
                           extentName(port, axis), extent, registers[dim.value]);
  bound[dim.value] = true;
  registers[dim.value] = extent;
  return {};
}

Status Interpreter::placeArena() {
  int64_t bytes = valueOf(code.arenaBytes);
  if (bytes < 0)
    return outOfRange("program: arena of {} bytes; expected at least 0", bytes);
  if (bytes > 0)
    KILN_RETURN_IF_ERROR(withContext(reserve(arena, static_cast<uint64_t>(bytes)), "arena"));
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferCode &buffer = code.buffers[i];
    if (buffer.kind != BufferClass::Arena)
      continue;
    int64_t offset = valueOf(buffer.offset), length = valueOf(buffer.bytes);
    if (offset < 0 || length < 0 || offset > bytes || length > bytes - offset)
      return outOfRange("program: buffer {}: bytes [{}, +{}) of the arena; it has {}", i, offset, length,
                        bytes);
    buffers[i] = {bytes > 0 ? arena.address() + static_cast<uint64_t>(offset) : 0,
                  static_cast<uint64_t>(length)};
  }
  return {};
}

// Replaces `buffer` if it is too small; what is queued may still use the old one.
Status Interpreter::reserve(Buffer &buffer, uint64_t bytes) {
  if (buffer && buffer.bytes() >= bytes)
    return {};
  if (buffer)
    KILN_RETURN_IF_ERROR(queue.synchronize(remainingNs()));
  buffer = Buffer();
  KILN_ASSIGN_OR_RETURN(buffer, theProgram->device().allocate(bytes));
  return {};
}

Status Interpreter::requestOutput(uint32_t port, uint64_t bytes) {
  Result<KilnBinding> memory = outputProvider->output(port, bytes);
  if (!memory.ok())
    return withContext(memory.status(), "output '{}'", code.outputs[port].name);
  buffers[code.outputs[port].buffer] = {memory->address, bytes};
  return {};
}

Status Interpreter::requestOutputs() {
  for (const PortCode &port : code.outputs)
    buffers[port.buffer] = {}; // of the run before
  KILN_RETURN_IF_ERROR(readOutputExtents());
  for (uint32_t i = 0; i < code.outputs.size(); ++i) {
    const PortCode &port = code.outputs[i];
    if (port.allocatedByBody)
      continue;
    std::optional<uint64_t> bytes = denseBytes(port.dtype, outputExtents[i]);
    if (!bytes)
      return outOfRange("output '{}': extents {} have no size", port.name, fmt::join(outputExtents[i], "x"));
    KILN_RETURN_IF_ERROR(requestOutput(i, *bytes));
  }
  return {};
}

Status Interpreter::readOutputExtents() {
  for (size_t i = 0; i < code.outputs.size(); ++i) {
    const PortCode &port = code.outputs[i];
    for (size_t axis = 0; axis < port.dims.size(); ++axis)
      outputExtents[i][axis] = valueOf(port.dims[axis]);
    const KilnBinding &memory = buffers[port.buffer];
    if (memory.address == 0)
      continue;
    std::optional<uint64_t> bytes = denseBytes(port.dtype, outputExtents[i]);
    if (!bytes || *bytes > memory.bytes)
      return outOfRange("output '{}': extents {} after the run; {} bytes were allocated", port.name,
                        fmt::join(outputExtents[i], "x"), memory.bytes);
  }
  return {};
}

void Interpreter::releaseDynamic() {
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (code.buffers[i].kind != BufferClass::Dynamic || buffers[i].address == 0)
      continue;
    (void)queue.free(buffers[i].address); // fails only on a poisoned queue, which the run reports itself
    buffers[i] = {};
  }
}

uint64_t Interpreter::remainingNs() const {
  if (settings.deadlineNs == KILN_WAIT_FOREVER)
    return KILN_WAIT_FOREVER;
  auto now = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  return now >= settings.deadlineNs ? 0 : settings.deadlineNs - now;
}

} // namespace kiln
