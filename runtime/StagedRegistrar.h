// StagedRegistrar.h: the KilnRegistrar that a backend's init registers with: collects, checks, publishes
// nothing.
#ifndef KILN_RUNTIME_STAGEDREGISTRAR_H
#define KILN_RUNTIME_STAGEDREGISTRAR_H

#include "runtime/BackendLibrary.h"

namespace kiln {

/// Lives for one call of init; used by one thread. A refused registration makes the whole load fail, even if
/// the backend ignores the error.
class StagedRegistrar {
public:
  explicit StagedRegistrar(const Manifest &manifest);
  StagedRegistrar(const StagedRegistrar &) = delete;
  StagedRegistrar &operator=(const StagedRegistrar &) = delete;
  const KilnRegistrar &table() const { return theTable; }

  /// What was registered, or the first error; also an error if a declared device type is missing.
  Result<std::shared_ptr<const Registrations>> finish();

  Status addDeviceType(std::string_view type, const KilnDeviceOps *ops, void *self);
  Status addKernelLoader(std::string_view format, std::string_view name, const KilnKernelLoaderOps *ops,
                         void *self);

private:
  const Manifest &manifest;
  KilnRegistrar theTable = {};
  Status first;
  Registrations staged;
};

/// Copies a backend's table into one of our size, as far as its struct_size reaches.
/// InvalidArgument names the first required function that is missing.
Result<KilnDeviceOps> readDeviceOps(const KilnDeviceOps *ops);
Result<KilnKernelLoaderOps> readKernelLoaderOps(const KilnKernelLoaderOps *ops);

} // namespace kiln
#endif // KILN_RUNTIME_STAGEDREGISTRAR_H
