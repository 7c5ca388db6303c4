// Instance.cpp: finds the registry and keeps one compiler handle for each.
#include "runtime/Instance.h"

#include <map>

namespace kiln {

namespace {

/// What belongs to a registry and, like it, lives until the process ends.
struct RegistryParts {
  explicit RegistryParts(BackendRegistry &registry) : access(accessRegistry(registry)), compiler(*access) {}
  std::unique_ptr<BackendAccess> access;
  CompilerHandle compiler;
};

RegistryParts &partsOf(BackendRegistry &registry) {
  static std::mutex mutex;
  static auto *const parts = new std::map<BackendRegistry *, std::unique_ptr<RegistryParts>>();
  std::scoped_lock lock(mutex);
  std::unique_ptr<RegistryParts> &entry = (*parts)[&registry];
  if (!entry)
    entry = std::make_unique<RegistryParts>(registry);
  return *entry;
}

} // namespace

Result<std::shared_ptr<Instance>> Instance::create(const BackendRegistry::Options &options) {
  return create(options, CacheSettings::of(Environment::process()));
}

Result<std::shared_ptr<Instance>> Instance::create(const BackendRegistry::Options &options,
                                                   const CacheSettings &cache) {
  KILN_ASSIGN_OR_RETURN(BackendRegistry * registry, BackendRegistry::get(options));
  RegistryParts &parts = partsOf(*registry);
  return std::make_shared<Instance>(*parts.access, parts.compiler, KernelBudget::ofProcess(),
                                    CacheStack::open(cache));
}

Instance::Instance(BackendAccess &backends, CompilerHandle &compiler, KernelBudget budget,
                   std::shared_ptr<CacheStack> cache)
    : theBackends(backends), theCompiler(compiler),
      theCache(cache ? std::move(cache) : std::make_shared<CacheStack>(CacheSettings())),
      theKernels(budget, theCache) {}

KilnStr Instance::intern(const std::string &text) {
  std::scoped_lock lock(textsMutex);
  return toStr(*texts.insert(text).first);
}

} // namespace kiln
