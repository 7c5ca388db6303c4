// KernelStore.cpp: what comes from a file is parsed and compared with what was asked for before anybody sees
// it.
#include "runtime/KernelStore.h"

#include "runtime/DType.h"
#include "runtime/Error.h"
#include "runtime/Log.h"
#include "runtime/cache/Explain.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace kiln {

namespace {

constexpr const char *kKernelEnding = ".kernel"; // of dumped and overriding KernelObject flatbuffers

std::string argumentsOf(const KernelMetadata &metadata) {
  std::string text;
  for (const BindingMetadata &binding : metadata.bindings)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        binding.kind == BindingKind::In    ? "in"
                        : binding.kind == BindingKind::Out ? "out"
                                                           : "inout",
                        dtypeName(binding.dtype));
  if (metadata.constantCount > 0)
    text += fmt::format("{}{} constants", text.empty() ? "" : ", ", metadata.constantCount);
  return text;
}

Result<CompiledKernelRef> parseFor(const KernelRequest &request, OwnedBytes bytes, std::string_view what) {
  KILN_ASSIGN_OR_RETURN(CompiledKernelRef kernel, CompiledKernel::parse(std::move(bytes), what));
  if (kernel->metadata().key != request.key)
    return dataLoss("{}: its key is {}; expected {}", what, kernel->metadata().key, request.key);
  if (std::string missing = missingFeatures(kernel->metadata().requiredFeatures, request.features);
      !missing.empty())
    return failedPrecondition("{}: needs {}; the device has {}", what, missing, request.features);
  return kernel;
}

} // namespace

std::vector<std::pair<std::string, std::string>> parseKeyFields(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> fields;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    size_t space = line.find(' ');
    if (space != std::string_view::npos)
      fields.emplace_back(line.substr(0, space), line.substr(space + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fields;
}

Result<CompiledKernelRef> KernelStore::get(const KernelRequest &request, const KernelCompileFn &compile,
                                           bool &wasFound) {
  std::optional<EntryKey> key = EntryKey::fromHex(request.key);
  wasFound = false;
  if (!stack || !key || request.isCompiledAnyway)
    return compile();
  EntryAddress address = {EntryKind::Kernel, *key, spaceOf(request.deviceType)};
  CompiledKernelRef kernel = findOverride(request);
  if (!kernel)
    kernel = find(request, address);
  wasFound = kernel != nullptr;
  if (!kernel) {
    if (stack->isRequired())
      return failedPrecondition("kernel '{}' ({}): no cache has it, and KILN_CACHE=require; {}", request.name,
                                request.key.substr(0, 12),
                                explainMiss(*stack, address, parseKeyFields(request.fields)));
    CacheStack::Turn turn = stack->takeTurn(address);
    if (turn.again)
      kernel = find(request, address);
    wasFound = kernel != nullptr;
    if (!kernel) {
      KILN_ASSIGN_OR_RETURN(kernel, compile());
      insert(request, address, *kernel);
    }
  }
  dump(request, *kernel);
  return kernel;
}

CompiledKernelRef KernelStore::findOverride(const KernelRequest &request) {
  const std::string &folder = stack->settings().overrideFolder;
  if (folder.empty())
    return nullptr;
  std::string path = folder + "/" + request.key + kKernelEnding;
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return nullptr;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  std::string bytes = text.str();
  Result<CompiledKernelRef> kernel = parseFor(
      request, copyBytes({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}), "'" + path + "'");
  if (!kernel.ok()) {
    logWarn("cache", "KILN_CACHE_OVERRIDE: {}; it is not used", kernel.status().message());
    return nullptr;
  }
  logInfo("cache", "kernel '{}': '{}' is used instead", request.name, path);
  return *kernel;
}

CompiledKernelRef KernelStore::find(const KernelRequest &request, const EntryAddress &address) {
  std::optional<CacheEntry> entry = stack->find(address, request.features);
  if (!entry) {
    stack->describeMiss(address, request.name, parseKeyFields(request.fields));
    return nullptr;
  }
  Result<CompiledKernelRef> kernel =
      parseFor(request, std::move(entry->payload), fmt::format("cached kernel '{}'", request.name));
  if (kernel.ok())
    return *kernel;
  logWarn("cache", "{}; it counts as absent", kernel.status().message());
  if (stack->folder())
    stack->folder()->quarantine(address.path(), EntryFault::Payload);
  return nullptr;
}

void KernelStore::insert(const KernelRequest &request, const EntryAddress &address,
                         const CompiledKernel &kernel) {
  EntryInfo info;
  info.name = request.name;
  info.deviceType = request.deviceType;
  info.features = kernel.metadata().requiredFeatures;
  info.symbol = kernel.metadata().symbol;
  info.arguments = argumentsOf(kernel.metadata());
  info.compileUs = kernel.metadata().compileUs;
  info.fields = parseKeyFields(request.fields);
  stack->insert(address, std::move(info), kernel.bytes().bytes, EntryLayout::Compact);
}

void KernelStore::dump(const KernelRequest &request, const CompiledKernel &kernel) {
  const std::string &folder = stack->settings().dumpFolder;
  if (folder.empty())
    return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::string path = folder + "/" + request.key + kKernelEnding;
  std::ofstream file(path, std::ios::binary);
  ByteSpan bytes = kernel.bytes().bytes;
  file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush())
    logWarn("cache", "KILN_CACHE_DUMP: cannot write '{}'", path);
}

} // namespace kiln
