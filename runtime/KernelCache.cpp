// KernelCache.cpp: single-flight over memory, layers and compiler.
#include "runtime/KernelCache.h"

#include <chrono>

namespace kiln {

CompiledKernelRef KernelCache::findInMemory(const std::string &key) {
  return kernels.find(key).value_or(nullptr);
}

Result<CompiledKernelRef> KernelCache::get(const std::string &key, const KernelCompileFn &compile,
                                           CompileCounters &counters) {
  SingleFlight<CompiledKernelRef>::Source source{};
  Result<CompiledKernelRef> kernel = kernels.get(key, [&] { return make(key, compile, counters); }, &source);
  if (source != SingleFlight<CompiledKernelRef>::Source::Made && kernel.ok())
    ++counters.memoryHits;
  return kernel;
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
