// BackendRegistry.h: the backends that there are, the state of each, and what the loaded ones registered.
//
// Levels of laziness: making a registry reads manifests (L0); deviceType, resolve and devices evaluate probes
// (L1) and load the libraries that they need (L2). No device is opened here.
#ifndef KILN_RUNTIME_BACKENDREGISTRY_H
#define KILN_RUNTIME_BACKENDREGISTRY_H

#include "runtime/BackendOptions.h"
#include "runtime/BackendSearch.h"
#include "runtime/DeviceType.h"
#include "runtime/HostTable.h"
#include "runtime/Manifest.h"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

enum class BackendState { Discovered, Disabled, Shadowed, Absent, RejectedAbi, Loading, Ready, Failed };
const char *stateName(BackendState state); // "REJECTED_ABI"

/// Everything registered at one moment. Immutable; a commit publishes a new one.
struct RegistrySnapshot {
  uint64_t generation = 0;
  std::vector<std::shared_ptr<const DeviceType>> deviceTypes; // in order of registration
  std::vector<std::shared_ptr<const KernelLoader>> kernelLoaders;
  std::shared_ptr<const DeviceType> findDeviceType(std::string_view typeOrAlias) const;
};

/// One device by type and number.
struct DeviceChoice {
  std::shared_ptr<const DeviceType> type;
  uint32_t ordinal = 0;
  std::string name() const { return type->name + ":" + std::to_string(ordinal); }
};

/// How long each part of a load took; 0 for what was not reached.
struct LoadTimes {
  uint64_t checkNs = 0, preflightNs = 0, openNs = 0, queryNs = 0, initNs = 0;
  uint64_t totalNs() const { return checkNs + preflightNs + openNs + queryNs + initNs; }
};

/// What there is to say of one backend, for people and for error messages.
struct BackendReport {
  std::string name, version, manifestPath, foundBy; // foundBy: "KILN_BACKEND_PATH"
  BackendState state = BackendState::Discovered;
  std::string reason;                       // why it is in this state; "" where that needs none
  std::shared_ptr<const Manifest> manifest; // null if the file is no manifest
  LoadTimes times;                          // all 0 if no load was tried
};

class BackendEntry;

/// The backends of one search: an instance of the runtime has one.
/// Ownership: registries live until the process ends, since loaded backends keep their host table.
/// Threads:   every member is safe from any thread. No lock is held while a library is opened or a backend is
///            called; a thread that re-enters the load of a backend it is loading gets InProgress, others
///            wait.
class BackendRegistry final : public OptionSource {
public:
  struct Options : SearchRequest {
    std::vector<std::string> defaultDevices; // before KILN_DEVICE
  };
  /// Level L0. The registry for these options and this process's environment: made at the first call, then
  /// the same. Fails under KILN_BACKEND_POLICY=strict if a manifest is broken, and if a variable's list
  /// cannot be read.
  static Result<BackendRegistry *> get(const Options &options);
  /// A new registry over any environment; for tests and jit-info.
  static Result<BackendRegistry *> create(const Options &options, const SearchEnvironment &environment);

  /// Every manifest found, in order of search; loads nothing.
  std::vector<BackendReport> backends() const;
  const BackendSearchResult &search() const { return found; }

  /// The device type of this name or alias; loads the backend that declares it (L2), whatever its probe says:
  /// compiling for a device needs no device. NotFound lists every backend with its state and reason; a
  /// backend that cannot be loaded is FailedPrecondition or its own error, with the whole chain.
  Result<std::shared_ptr<const DeviceType>> deviceType(std::string_view typeOrAlias);
  /// A present device: "npu:1", "host", an alias; "" or "auto" is the default device. Loads what it needs.
  /// NotFound no such type or ordinal, Unavailable no device of the type is present.
  Result<DeviceChoice> resolve(std::string_view device);
  /// Every present device of every backend that may be loaded without being named; loads them all. A backend
  /// that cannot be loaded is left out (its state says why), under the strict policy it is the error.
  Result<std::vector<DeviceChoice>> devices();

  /// Loads one backend by name. Sticky: a failed backend fails again with the same error until retry().
  Status load(std::string_view backend);
  /// Forgets a failure, then loads.
  Status retry(std::string_view backend);

  std::shared_ptr<const RegistrySnapshot> snapshot() const;
  /// The loader of a backend for an object format: the one that the option "loader" names ("auto" names
  /// none), in `options` or else in the environment; else the last registered. NotFound says which formats
  /// and loaders there are.
  Result<std::shared_ptr<const KernelLoader>> kernelLoader(std::string_view backend, std::string_view format,
                                                           std::string_view options = {}) const;
  /// Adds a loader after init: the compiler tier's. AlreadyExists if the name is taken.
  Status addKernelLoader(KernelLoader loader);

  /// Opens the compiler tier of a backend (its fingerprint is checked before dlopen). Unimplemented if it has
  /// none.
  Result<KilnBackendCompilerQueryFn> compilerQuery(std::string_view backend);
  /// The backend that has a device type, by its manifest; loads nothing. NotFound: none that may be loaded.
  Result<std::string_view> deviceOwner(std::string_view type) const;
  /// Backends with a compiler tier that may be loaded, in name order.
  std::vector<std::string> compilerBackends() const;
  /// What other backends insert into stages of `target`, where its own manifest allows it; in name order.
  struct Extension {
    std::string backend, target, stage;
    bool after;
  };
  std::vector<Extension> extensions(std::string_view target) const;

  Result<std::string_view> option(std::string_view backend, std::string_view key) const override;
  /// Reads "key=value;..." and checks it against a backend's schema.
  Result<OptionList> parseOptions(std::string_view backend, std::string_view text) const;

  /// OK if every backend of KILN_BACKENDS_REQUIRE could be loaded; loads them.
  Status requireAll();
  /// The table that this registry's backends call back through.
  const KilnHost &host() const { return theHost; }
  ~BackendRegistry() override;

private:
  friend struct AllRegistries;
  BackendRegistry(Options options, SearchEnvironment environment);
  Status discover();
  BackendEntry *find(std::string_view backend) const;
  BackendEntry *findByDevice(std::string_view typeOrAlias) const;
  Status load(BackendEntry &entry);
  Result<DeviceChoice> defaultDevice();
  std::string listBackends() const; // for "unknown device"
  void warnOfSharedNames() const;
  static void beforeFork();
  static void afterFork(bool isChild);
  Status unknownDevice(std::string_view spelled) const;
  Status unknownBackend(std::string_view spelled) const;

  const Options options;
  const SearchEnvironment environment;
  bool isStrict = false; // fixed after discover()
  KilnHost theHost;
  BackendSearchResult found;
  std::vector<std::unique_ptr<BackendEntry>> entries; // fixed after discover()
  mutable std::mutex snapshotMutex; // guards what follows and BackendEntry::commit; held for moments
  std::shared_ptr<const RegistrySnapshot> current;
};

} // namespace kiln
#endif // KILN_RUNTIME_BACKENDREGISTRY_H
