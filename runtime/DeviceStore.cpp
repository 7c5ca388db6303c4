// DeviceStore.cpp: finds or compiles kernels, loads them, brings weights to the device.
#include "runtime/DeviceStore.h"

#include "runtime/Error.h"
#include "runtime/SchemaText.h"
#include "runtime/cache/EntryFile.h"

#include "kiln/schema/Program_generated.h"

#include <algorithm>
#include <chrono>

namespace kiln {

namespace {

KernelIr irOf(const ProgramFile &file, uint32_t kernel) {
  const schema::KernelRef &ref = *file.program().kernels()->Get(kernel);
  if (!ref.ir())
    return {};
  return {{reinterpret_cast<const char *>(ref.ir()->data()), ref.ir()->size()}, view(ref.ir_digest())};
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

Result<CompiledKernelRef> DeviceStore::compile(const ProgramFile &file, uint32_t kernel) {
  {
    std::scoped_lock lock(aheadMutex);
    auto it = compiledAhead.find(file.program().kernels()->Get(kernel)->key()->str());
    if (it != compiledAhead.end())
      return it->second;
  }
  return theCompiler.kernel(file, kernel);
}

Status DeviceStore::compileAll(const ProgramFile &file) {
  std::vector<uint32_t> missing;
  for (uint32_t i = 0; i < file.verifiedProgram().embeddedKernels.size(); ++i) {
    std::string key = file.program().kernels()->Get(i)->key()->str();
    if (!file.verifiedProgram().embeddedKernels[i] && !kernels.find(key))
      missing.push_back(i);
  }
  KILN_ASSIGN_OR_RETURN(std::vector<CompiledKernelRef> results, theCompiler.kernels(file, missing));
  std::scoped_lock lock(aheadMutex);
  for (size_t i = 0; i < missing.size(); ++i)
    compiledAhead.emplace(file.program().kernels()->Get(missing[i])->key()->str(), results[i]);
  return {};
}

Result<LoadedKernelRef> DeviceStore::load(const ProgramFile &file, uint32_t kernel) {
  std::string key = file.program().kernels()->Get(kernel)->key()->str();
  return kernels.get(key, [&]() -> Result<LoadedKernelRef> {
    KILN_ASSIGN_OR_RETURN(CompiledKernelRef compiled, compile(file, kernel));
    KILN_ASSIGN_OR_RETURN(LoadedKernelRef loaded, loadNow(compiled, irOf(file, kernel)));
    std::scoped_lock lock(aheadMutex);
    compiledAhead.erase(key);
    return loaded;
  });
}

Result<LoadedKernelRef> DeviceStore::loadNow(const CompiledKernelRef &compiled, KernelIr ir) {
  KILN_RETURN_IF_ERROR(checkFeatures(compiled->metadata()));
  KILN_RETURN_IF_ERROR(makeRoom(compiled->metadata()));
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<const KernelLoader> loader, loaderFor(compiled->metadata()));
  auto start = std::chrono::steady_clock::now();
  KILN_ASSIGN_OR_RETURN(LoadedKernelRef loaded, device->load(*loader, compiled, ir));
  counters().loadNs += static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count());
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
  auto loader =
      instance.backends().kernelLoader(settings().backend, metadata.format, settings().deviceOptions);
  if (loader.ok() || loader.status().code() != Code::NotFound || instance.compiler().ifOpen())
    return loader;
  if (!instance.compiler().get().ok())
    return loader;
  return instance.backends().kernelLoader(settings().backend, metadata.format, settings().deviceOptions);
}

Status DeviceStore::checkFeatures(const KernelMetadata &metadata) const {
  std::string missing = missingFeatures(metadata.requiredFeatures, settings().target.features);
  if (!missing.empty())
    return failedPrecondition("kernel '{}': needs {}; '{}' has {}", metadata.name, missing, device->name(),
                              settings().target.features);
  return {};
}

Result<Buffer> DeviceStore::constant(const ProgramFileRef &file, const ModelRef &model, const InputDims &dims,
                                     uint32_t index, Queue &queue) {
  return constants.get(file->program().constants()->Get(index)->digest()->str(),
                       [&] { return placeConstant(file, model, dims, index, queue); });
}

Result<Buffer> DeviceStore::placeConstant(const ProgramFileRef &file, const ModelRef &model,
                                          const InputDims &dims, uint32_t index, Queue &queue) {
  const schema::Constant &constant = *file->program().constants()->Get(index);
  std::string digest = constant.digest()->str();
  OwnedBytes bytes = {file->constantBytes(index), file};
  if (bytes.empty() && constant.bytes() > 0) {
    KILN_ASSIGN_OR_RETURN(bytes, model->weight(digest, dims));
    if (!bytes.owner) // the model's own
      bytes.owner = model;
  }
  if (bytes.bytes.size() != constant.bytes())
    return invalidArgument("weight '{}' ({}): {} bytes; expected {}", view(constant.name()), digest,
                           bytes.bytes.size(), constant.bytes());
  return place(std::move(bytes), queue);
}

Result<Buffer> DeviceStore::place(OwnedBytes bytes, Queue &queue) {
  uint64_t alignment = std::max<uint64_t>(device->description().alignmentBytes, 1);
  bool importable = device->description().memoryIsHostMemory && !bytes.empty() &&
                    reinterpret_cast<uintptr_t>(bytes.bytes.data()) % alignment == 0;
  if (importable)
    return device->importHost(const_cast<uint8_t *>(bytes.bytes.data()), bytes.bytes.size(),
                              [owner = bytes.owner] {});
  KILN_ASSIGN_OR_RETURN(Buffer buffer, device->allocate(bytes.bytes.size()));
  if (!bytes.empty())
    KILN_RETURN_IF_ERROR(queue.write(buffer.address(), bytes.bytes.data(), bytes.bytes.size()));
  KILN_RETURN_IF_ERROR(queue.synchronize());
  return buffer;
}

} // namespace kiln
