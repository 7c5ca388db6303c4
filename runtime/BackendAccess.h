// BackendAccess.h: what sessions and the compiler's host table need of the backends; the registry in the
// product.
#ifndef KILN_RUNTIME_BACKENDACCESS_H
#define KILN_RUNTIME_BACKENDACCESS_H

#include "runtime/BackendRegistry.h"

namespace kiln {

/// Threads: every member is safe from any thread. Lives until the process ends, since backends keep its host
/// table.
class BackendAccess {
public:
  virtual ~BackendAccess() = default;
  virtual const KilnHost &host() const = 0;
  virtual Result<DeviceChoice> resolve(std::string_view device) = 0;
  virtual Result<std::vector<DeviceChoice>> devices() = 0;
  virtual Result<std::shared_ptr<const DeviceType>> deviceType(std::string_view type) = 0;
  virtual Status retry(std::string_view backend) = 0;
  /// For a device that was opened with `options`.
  virtual Result<std::shared_ptr<const KernelLoader>>
  kernelLoader(std::string_view backend, std::string_view format, std::string_view options) = 0;
  /// Checks "key=value;..." against a backend's schema.
  virtual Status checkOptions(std::string_view backend, std::string_view options) = 0;
  /// The backend's version and the build ids of its libraries, for request keys. "" if there is no such
  /// backend.
  virtual std::string version(std::string_view backend) = 0;

  /// The backend whose manifest declares a device type. NotFound: none.
  virtual Result<std::string_view> deviceOwner(std::string_view type) = 0;
  virtual Result<KilnBackendCompilerQueryFn> compilerQuery(std::string_view backend) = 0;
  virtual std::vector<std::string> compilerBackends() = 0;
  virtual std::vector<BackendRegistry::Extension> extensions(std::string_view target) = 0;
  virtual Status addKernelLoader(KernelLoader loader) = 0;
};

/// The backends of a registry.
std::unique_ptr<BackendAccess> accessRegistry(BackendRegistry &registry);

} // namespace kiln
#endif // KILN_RUNTIME_BACKENDACCESS_H
