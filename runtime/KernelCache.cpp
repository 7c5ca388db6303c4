// KernelCache.cpp: single-flight over memory and what lies below.
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

Result<CompiledKernelRef> KernelCache::get(const KernelRequest &request, const KernelCompileFn &compile,
                                           CompileCounters &counters) {
  SingleFlight<CompiledKernelRef>::Source source{};
  Result<CompiledKernelRef> kernel =
      kernels.get(request.key, [&] { return make(request, compile, counters); }, &source);
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

Result<CompiledKernelRef> KernelCache::make(const KernelRequest &request, const KernelCompileFn &compile,
                                            CompileCounters &counters) {
  bool wasFound = false;
  auto timedCompile = [&] {
    auto start = std::chrono::steady_clock::now();
    Result<CompiledKernelRef> kernel = compile();
    counters.kernelNs += static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count());
    return kernel;
  };
  Result<CompiledKernelRef> kernel = below.get(request, timedCompile, wasFound);
  ++(wasFound ? counters.layerHits : counters.misses);
  if (!kernel.ok())
    return kernel;
  if (!wasFound)
    ++counters.kernelsCompiled;
  residentBytes += (*kernel)->bytes().bytes.size();
  return kernel;
}

} // namespace kiln
