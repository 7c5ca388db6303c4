// BackendAccess.cpp: BackendAccess over a BackendRegistry.
#include "runtime/BackendAccess.h"

#include "runtime/Fingerprint.h"

namespace kiln {

namespace {

/// The version, fingerprint and build id of each library. One that cannot be read is an error when it is
/// loaded, not here.
std::string describeBuild(const Manifest &manifest) {
  auto buildId = [](const std::string &path) {
    Result<std::string> id = readBuildId(path);
    return id.ok() ? *id : std::string();
  };
  std::string text = manifest.version + " " + manifest.abi.runtime + " " + buildId(manifest.libraryPath());
  if (!manifest.compiler.empty())
    text += " " + manifest.abi.compiler + " " + buildId(manifest.compilerPath());
  return text;
}

class RegistryAccess final : public BackendAccess {
public:
  explicit RegistryAccess(BackendRegistry &registry) : registry(registry) {}
  const KilnHost &host() const override { return registry.host(); }
  Result<DeviceChoice> resolve(std::string_view device) override { return registry.resolve(device); }
  Result<std::vector<DeviceChoice>> devices() override { return registry.devices(); }
  Result<std::shared_ptr<const DeviceType>> deviceType(std::string_view type) override {
    return registry.deviceType(type);
  }
  Status retry(std::string_view backend) override { return registry.retry(backend); }
  Result<std::shared_ptr<const KernelLoader>> kernelLoader(std::string_view backend, std::string_view format,
                                                           std::string_view options) override {
    return registry.kernelLoader(backend, format, options);
  }
  Status checkOptions(std::string_view backend, std::string_view options) override {
    return registry.parseOptions(backend, options).status();
  }
  std::string version(std::string_view backend) override {
    for (const BackendReport &report : registry.backends())
      if (report.name == backend && report.manifest)
        return describeBuild(*report.manifest);
    return {};
  }
  Result<std::string_view> deviceOwner(std::string_view type) override { return registry.deviceOwner(type); }
  Result<KilnBackendCompilerQueryFn> compilerQuery(std::string_view backend) override {
    return registry.compilerQuery(backend);
  }
  std::vector<std::string> compilerBackends() override { return registry.compilerBackends(); }
  std::vector<BackendRegistry::Extension> extensions(std::string_view target) override {
    return registry.extensions(target);
  }
  Status addKernelLoader(KernelLoader loader) override { return registry.addKernelLoader(std::move(loader)); }

private:
  BackendRegistry &registry;
};

} // namespace

std::unique_ptr<BackendAccess> accessRegistry(BackendRegistry &registry) {
  return std::make_unique<RegistryAccess>(registry);
}

} // namespace kiln
