// PreparedProgram.cpp: resolves constants at once and kernels at their first launch.
#include "runtime/PreparedProgram.h"

#include "runtime/Error.h"

#include "kiln/schema/Program_generated.h"

namespace kiln {

std::string describeLaunch(const LaunchInstruction &launch) {
  return launch.location.empty() ? fmt::format("'{}'", launch.name)
                                 : fmt::format("'{}' ({})", launch.name, launch.location);
}

PreparedProgram::PreparedProgram(ProgramFileRef file, std::shared_ptr<Device> device, ProgramSources sources)
    : theFile(std::move(file)), theDevice(std::move(device)), sources(std::move(sources)),
      theCode(decodeProgram(theFile->program())) {}

Result<std::unique_ptr<PreparedProgram>>
PreparedProgram::create(ProgramFileRef file, std::shared_ptr<Device> device, ProgramSources sources) {
  std::string deviceType = file->program().target()->device_type() //
                               ? file->program().target()->device_type()->str()
                               : std::string();
  if (deviceType != device->type().name)
    return failedPrecondition("program: made for device type '{}'; this device is '{}'", deviceType,
                              device->name());
  auto prepared = std::unique_ptr<PreparedProgram>(
      new PreparedProgram(std::move(file), std::move(device), std::move(sources)));
  const schema::Program &program = prepared->theFile->program();
  if (!prepared->packedFits())
    prepared->sources.packed.clear();
  std::vector<bool> used =
      prepared->isPacked() ? constantsUsedByBody(prepared->theCode) : std::vector<bool>();
  for (uint32_t i = 0; program.constants() && i < program.constants()->size(); ++i) {
    if (prepared->isPacked() && !(i < used.size() && used[i])) {
      prepared->constants.emplace_back();
      continue;
    }
    const schema::Constant &constant = *program.constants()->Get(i);
    Result<Buffer> placed = prepared->sources.constant(i);
    if (!placed.ok())
      return withContext(placed.status(), "constant {} ('{}')", i,
                         constant.name() ? constant.name()->string_view() : std::string_view());
    Buffer buffer = *std::move(placed);
    uint64_t expected = constant.bytes();
    if (buffer.bytes() != expected)
      return internalError("constant {}: {} bytes were handed over; expected {}", i, buffer.bytes(),
                           expected);
    prepared->constants.push_back(std::move(buffer));
  }
  prepared->kernels.resize(program.kernels() ? program.kernels()->size() : 0);
  return prepared;
}

bool PreparedProgram::packedFits() const {
  size_t persistent = 0;
  for (uint32_t i = 0; i < theCode.buffers.size(); ++i) {
    const BufferCode &buffer = theCode.buffers[i];
    if (buffer.kind != BufferClass::Persistent || buffer.bytes.value == 0)
      continue;
    ++persistent;
    auto it = sources.packed.find(i);
    if (it == sources.packed.end() || it->second.bytes() != static_cast<uint64_t>(buffer.bytes.value))
      return false;
  }
  return persistent > 0 && persistent == sources.packed.size();
}

Status PreparedProgram::resolve(LaunchInstruction &launch, bool inPrologue) {
  if (launch.handle)
    return {};
  LoadedKernelRef &kernel = kernels[launch.kernel];
  if (!kernel) {
    Result<LoadedKernelRef> loaded = sources.kernel(launch.kernel);
    if (!loaded.ok())
      return withContext(loaded.status(), "launch {}", describeLaunch(launch));
    kernel = *std::move(loaded);
  }
  const KernelMetadata &metadata = kernel->metadata();
  if (metadata.bindings.size() != launch.bindings.size() || metadata.constantCount != launch.constants.size())
    return invalidArgument("launch {}: {} bindings and {} constants; kernel '{}' has {} and {}",
                           describeLaunch(launch), launch.bindings.size(), launch.constants.size(),
                           metadata.name, metadata.bindings.size(), metadata.constantCount);
  for (size_t i = 0; i < launch.bindings.size(); ++i) {
    if (metadata.bindings[i].kind == BindingKind::In)
      continue;
    BufferClass kind = theCode.buffers[launch.bindings[i].buffer].kind;
    if (kind == BufferClass::Input || kind == BufferClass::Constant ||
        (kind == BufferClass::Persistent && !inPrologue))
      return invalidArgument("launch {}: binding {} is written to; buffer {} is read-only",
                             describeLaunch(launch), i, launch.bindings[i].buffer);
  }
  launch.handle = kernel.get();
  return {};
}

Status PreparedProgram::resolveAll() {
  auto resolveBlock = [&](const std::vector<InstructionCode> &block, bool inPrologue) -> Status {
    for (const InstructionCode &instruction : block)
      if (instruction.opcode == Opcode::Launch)
        KILN_RETURN_IF_ERROR(resolve(theCode.launches[instruction.index], inPrologue));
    return {};
  };
  if (!isPacked())
    KILN_RETURN_IF_ERROR(resolveBlock(theCode.prologue, true));
  return resolveBlock(theCode.body, false);
}

} // namespace kiln
