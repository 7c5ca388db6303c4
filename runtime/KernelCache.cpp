// KernelCache.cpp: single-flight over memory, layers and compiler.
#include "runtime/KernelCache.h"

#include "runtime/Environment.h"
#include "runtime/Log.h"
#include "runtime/cache/CacheSettings.h"

#include <chrono>
#include <fstream>

namespace kiln {

namespace {

constexpr uint64_t kMapCountShare = 8; // kernels take at most this part of the process's mappings

} // namespace

KernelBudget KernelBudget::ofProcess() {
  KernelBudget budget;
  uint64_t mapCount = 0;
  if (std::ifstream("/proc/sys/vm/max_map_count") >> mapCount && mapCount >= kMapCountShare)
    budget.maxKernels = mapCount / kMapCountShare;
  if (std::optional<std::string_view> text = Environment::process().find("KILN_CACHE_MEMORY")) {
    if (std::optional<uint64_t> bytes = parseBytes(*text))
      budget.maxBytes = *bytes;
    else
      logWarn("cache", "KILN_CACHE_MEMORY: '{}'; expected bytes, as 268435456 or 256M; {} is used", *text,
              budget.maxBytes);
  }
  return budget;
}

CompiledKernelRef KernelCache::findInMemory(const std::string &key) {
  return kernels.find(key).value_or(nullptr);
}

Result<CompiledKernelRef> KernelCache::get(const std::string &key, const KernelCompileFn &compile,
                                           CompileCounters &counters) {
  SingleFlight<CompiledKernelRef>::Source source{};
  Result<CompiledKernelRef> kernel = kernels.get(key, [&] { return make(key, compile, counters); }, &source);
  if (source != SingleFlight<CompiledKernelRef>::Source::Made && kernel.ok())
    ++counters.memoryHits;
  else if (kernel.ok())
    trim();
  return kernel;
}

void KernelCache::trim() {
  if (bytes() <= theBudget.maxBytes && kernels.size() <= theBudget.maxKernels)
    return;
  std::unique_lock lock(trimming, std::try_to_lock);
  if (!lock)
    return;
  // Down to seven eighths: the next kernels come without a search.
  kernels.evict(
      [&] {
        return bytes() <= theBudget.maxBytes - theBudget.maxBytes / 8 &&
               kernels.size() <= theBudget.maxKernels - theBudget.maxKernels / 8;
      },
      [](const CompiledKernelRef &kernel) { return kernel.use_count() > 1; },
      [&](CompiledKernelRef kernel) { residentBytes -= kernel->bytes().bytes.size(); });
}

Result<CompiledKernelRef> KernelCache::make(const std::string &key, const KernelCompileFn &compile,
                                            CompileCounters &counters) {
  for (size_t i = 0; i < layers.size(); ++i) {
    CompiledKernelRef kernel = layers[i]->find(key);
    if (!kernel)
      continue;
    ++counters.layerHits;
    for (size_t above = 0; above < i; ++above)
      layers[above]->insert(key, kernel);
    residentBytes += kernel->bytes().bytes.size();
    return kernel;
  }
  ++counters.misses;
  auto start = std::chrono::steady_clock::now();
  Result<CompiledKernelRef> kernel = compile();
  counters.kernelNs += static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count());
  if (!kernel.ok())
    return kernel;
  ++counters.kernelsCompiled;
  residentBytes += (*kernel)->bytes().bytes.size();
  for (const auto &layer : layers)
    layer->insert(key, *kernel);
  return kernel;
}

} // namespace kiln
