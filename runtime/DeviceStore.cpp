// DeviceStore.cpp: finds or compiles kernels, loads them, brings weights to the device.
#include "runtime/DeviceStore.h"

#include "runtime/Error.h"
#include "runtime/ParallelFor.h"
#include "runtime/ProgramCode.h"
#include "runtime/cache/EntryFile.h"

#include "kiln/schema/Program_generated.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace kiln {

namespace {

std::string_view view(const flatbuffers::String *text) {
  return text ? std::string_view(text->c_str(), text->size()) : std::string_view();
}

} // namespace

Result<Buffer> BufferPool::take(Device &device, uint64_t bytes) {
  {
    std::scoped_lock lock(mutex);
    auto it =
        std::find_if(buffers.begin(), buffers.end(), [&](const Buffer &b) { return b.bytes() == bytes; });
    if (it != buffers.end()) {
      Buffer buffer = std::move(*it);
      buffers.erase(it);
      heldBytes -= bytes;
      return buffer;
    }
  }
  return device.allocate(bytes);
}

void BufferPool::give(Buffer buffer) { // destroyed after the lock if it is not kept
  std::scoped_lock lock(mutex);
  if (!buffer || buffer.useCount() != 1 || buffers.size() >= kMaxBuffers ||
      buffer.bytes() > kMaxBytes - heldBytes)
    return;
  heldBytes += buffer.bytes();
  buffers.push_back(std::move(buffer));
}

KilnCompileTarget CompileSettings::toC() const {
  KilnCompileTarget result = {};
  result.struct_size = sizeof(result);
  result.device_type = toStr(target.deviceType);
  result.backend = toStr(backend);
  result.info.struct_size = sizeof(result.info);
  result.info.triple = toStr(target.triple);
  result.info.arch = toStr(target.arch);
  result.info.features = toStr(target.features);
  result.info.options = toStr(target.options);
  return result;
}

namespace {
// The compiler knows ops by their number in the kernel ("kernel:3:0" is the third), since one kernel serves
// many places; the program knows where the ops of this place stand in the model.
Status withOpLocations(const Status &status, const schema::Program &program, uint32_t kernel) {
  constexpr std::string_view before = "kernel:", after = ":0";
  const ProgramCode code = decodeProgram(program);
  auto launch = std::find_if(code.launches.begin(), code.launches.end(),
                             [&](const LaunchInstruction &one) { return one.kernel == kernel; });
  if (launch == code.launches.end())
    return status;
  std::string text;
  std::string_view rest = status.message();
  for (size_t at; (at = rest.find(before)) != std::string_view::npos;) {
    std::string_view number = rest.substr(at + before.size());
    size_t op = 0;
    auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), op);
    std::string_view behind = number.substr(end - number.data());
    bool isKnown = error == std::errc() && behind.starts_with(after) && op >= 1 &&
                   op <= launch->opLocations.size() && !launch->opLocations[op - 1].empty();
    text += rest.substr(0, at);
    text += isKnown ? launch->opLocations[op - 1] : std::string(before);
    rest = isKnown ? behind.substr(after.size()) : number;
  }
  return Status(status.code(), text + std::string(rest));
}
} // namespace

Result<CompiledKernelRef> DeviceStore::compile(const ProgramFile &file, uint32_t kernel) {
  {
    std::scoped_lock lock(aheadMutex);
    auto it = compiledAhead.find(file.program().kernels()->Get(kernel)->key()->str());
    if (it != compiledAhead.end())
      return it->second;
  }
  return compileOne(file, kernel);
}

Result<CompiledKernelRef> DeviceStore::compileOne(const ProgramFile &file, uint32_t kernel) {
  if (const CompiledKernelRef &embedded = file.verifiedProgram().embeddedKernels[kernel])
    return embedded;
  const schema::KernelRef &ref = *file.program().kernels()->Get(kernel);
  KernelRequest request(ref.key()->str());
  request.name = view(ref.name());
  request.deviceType = theSettings.target.deviceType;
  request.features = theSettings.target.features;
  request.fields = view(ref.key_fields());
  Result<CompiledKernelRef> compiled =
      instance.kernels().get(request, [&] { return compileNow(file, kernel); }, theCounters);
  if (compiled.ok())
    return compiled;
  return withOpLocations(compiled.status(), file.program(),
                         kernel); // behind the cache: its failures serve all programs
}

Result<CompiledKernelRef> DeviceStore::compileNow(const ProgramFile &file, uint32_t kernel) {
  const schema::KernelRef &ref = *file.program().kernels()->Get(kernel);
  if (!ref.ir())
    return failedPrecondition("kernel '{}': no cache has it, and the program holds no IR to compile it from",
                              view(ref.name()));
  KILN_ASSIGN_OR_RETURN(const KilnCompiler *compiler, instance.compiler().get());
  KilnKernelArgs args = {};
  args.struct_size = sizeof(args);
  args.target = theSettings.toC();
  args.key = toStr(view(ref.key()));
  args.name = toStr(view(ref.name()));
  args.ir = ref.ir()->data();
  args.ir_bytes = ref.ir()->size();
  args.dump_dir = toStr(theSettings.dumpDir);
  KilnBlob blob = {};
  KILN_RETURN_IF_ERROR(withContext(fromC(compiler->compile_kernel(compiler->self, &args, &blob)),
                                   "kernel '{}'", view(ref.name())));
  return CompiledKernel::parse(takeBlob(blob), fmt::format("kernel '{}'", view(ref.name())));
}

Status DeviceStore::compileAll(const ProgramFile &file) {
  std::vector<uint32_t> missing;
  for (uint32_t i = 0; i < file.verifiedProgram().embeddedKernels.size(); ++i) {
    std::string key = file.program().kernels()->Get(i)->key()->str();
    if (!file.verifiedProgram().embeddedKernels[i] && !kernels.find(key))
      missing.push_back(i);
  }
  theCounters.kernelsWanted += missing.size();
  std::vector<CompiledKernelRef> results(missing.size());
  KILN_RETURN_IF_ERROR(parallelFor(missing.size(), 0, [&](size_t i) -> Status {
    KILN_ASSIGN_OR_RETURN(results[i], compile(file, missing[i]));
    return {};
  }));
  std::scoped_lock lock(aheadMutex);
  for (size_t i = 0; i < missing.size(); ++i)
    compiledAhead.emplace(file.program().kernels()->Get(missing[i])->key()->str(), results[i]);
  return {};
}

Result<LoadedKernelRef> DeviceStore::load(const ProgramFile &file, uint32_t kernel) {
  std::string key = file.program().kernels()->Get(kernel)->key()->str();
  return kernels.get(key, [&]() -> Result<LoadedKernelRef> {
    KILN_ASSIGN_OR_RETURN(CompiledKernelRef compiled, compile(file, kernel));
    KILN_ASSIGN_OR_RETURN(LoadedKernelRef loaded, loadNow(compiled));
    std::scoped_lock lock(aheadMutex);
    compiledAhead.erase(key);
    return loaded;
  });
}

Result<LoadedKernelRef> DeviceStore::loadNow(const CompiledKernelRef &compiled) {
  KILN_RETURN_IF_ERROR(checkFeatures(compiled->metadata()));
  KILN_RETURN_IF_ERROR(makeRoom(compiled->metadata()));
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<const KernelLoader> loader, loaderFor(compiled->metadata()));
  auto start = std::chrono::steady_clock::now();
  KILN_ASSIGN_OR_RETURN(LoadedKernelRef loaded, device->load(*loader, compiled));
  theCounters.loadNs += static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count());
  return loaded;
}

// Down to seven eighths, so that not every load has to look.
Status DeviceStore::makeRoom(const KernelMetadata &metadata) {
  uint64_t limit = instance.kernels().budget().maxKernels;
  if (kernels.size() < limit)
    return {};
  uint64_t target = limit - limit / 8 - 1;
  unloadUnused(target);
  if (kernels.size() > target && dropPrograms) {
    dropPrograms();
    unloadUnused(target);
  }
  if (kernels.size() >= limit)
    return resourceExhausted(
        "kernel '{}': '{}' has {} kernels loaded, all of programs in use; the limit is {} "
        "(an eighth of vm.max_map_count)",
        metadata.name, device->name(), kernels.size(), limit);
  return {};
}

void DeviceStore::unloadUnused(uint64_t target) {
  kernels.evict([&] { return kernels.size() <= target; },
                [](const LoadedKernelRef &kernel) { return kernel.use_count() > 1; }, [](LoadedKernelRef) {});
  constants.evict([] { return false; }, [](const Buffer &buffer) { return buffer.useCount() > 1; },
                  [](Buffer) {});
  instance.kernels().trim();
}

// A loader that only the compiler tier registers ("orc") is not there before the compiler is open.
Result<std::shared_ptr<const KernelLoader>> DeviceStore::loaderFor(const KernelMetadata &metadata) {
  auto loader = instance.backends().kernelLoader(theSettings.backend, metadata.format);
  if (loader.ok() || loader.status().code() != Code::NotFound || instance.compiler().ifOpen())
    return loader;
  if (!instance.compiler().get().ok())
    return loader;
  return instance.backends().kernelLoader(theSettings.backend, metadata.format);
}

Status DeviceStore::checkFeatures(const KernelMetadata &metadata) const {
  std::string missing = missingFeatures(metadata.requiredFeatures, theSettings.target.features);
  if (!missing.empty())
    return failedPrecondition("kernel '{}': needs {}; '{}' has {}", metadata.name, missing, device->name(),
                              theSettings.target.features);
  return {};
}

Result<Buffer> DeviceStore::constant(const ProgramFileRef &file, const ModelRef &model, uint32_t index,
                                     Queue &queue) {
  return constants.get(file->program().constants()->Get(index)->digest()->str(),
                       [&] { return placeConstant(file, model, index, queue); });
}

Result<Buffer> DeviceStore::placeConstant(const ProgramFileRef &file, const ModelRef &model, uint32_t index,
                                          Queue &queue) {
  const schema::Constant &constant = *file->program().constants()->Get(index);
  std::string digest = constant.digest()->str();
  ByteSpan bytes = file->constantBytes(index);
  if (bytes.empty() && constant.bytes() > 0) {
    KILN_ASSIGN_OR_RETURN(bytes, model->weight(digest));
  }
  if (bytes.size() != constant.bytes())
    return invalidArgument("weight '{}' ({}): {} bytes; expected {}", view(constant.name()), digest,
                           bytes.size(), constant.bytes());
  Buffer buffer;
  uint64_t alignment = std::max<uint64_t>(device->description().alignmentBytes, 1);
  bool importable = device->description().memoryIsHostMemory && !bytes.empty() &&
                    reinterpret_cast<uintptr_t>(bytes.data()) % alignment == 0;
  if (importable) {
    KILN_ASSIGN_OR_RETURN(buffer, device->importHost(const_cast<uint8_t *>(bytes.data()), bytes.size(),
                                                     [file, model] {})); // keeps both alive
  } else {
    KILN_ASSIGN_OR_RETURN(buffer, device->allocate(bytes.size()));
    if (!bytes.empty())
      KILN_RETURN_IF_ERROR(queue.write(buffer.address(), bytes.data(), bytes.size()));
    KILN_RETURN_IF_ERROR(queue.synchronize());
  }
  return buffer;
}

} // namespace kiln
