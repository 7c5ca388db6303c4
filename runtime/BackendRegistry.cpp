// BackendRegistry.cpp: discovery (L0), loading and commit (L2), what loaded backends registered. Choosing
// devices: DeviceResolution.cpp.
#include "runtime/BackendRegistry.h"

#include "runtime/BackendEntry.h"
#include "runtime/Error.h"
#include "runtime/Log.h"

#include <algorithm>
#include <dlfcn.h>
#include <map>
#include <set>

namespace kiln {

namespace {

std::string fileStem(const std::string &path) {
  std::string name = path.substr(path.rfind('/') + 1);
  constexpr std::string_view suffix = ".kiln.json";
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

} // namespace

/// Registries live as long as the process: loaded backends call back through them.
struct AllRegistries {
  std::mutex mutex;
  std::vector<std::unique_ptr<BackendRegistry>> made;
  std::map<std::string, BackendRegistry *> byOptions;

  AllRegistries() {
    pthread_atfork([] { BackendRegistry::beforeFork(); }, [] { BackendRegistry::afterFork(false); },
                   [] { BackendRegistry::afterFork(true); });
  }
  static AllRegistries &get() {
    static AllRegistries *const instance = new AllRegistries;
    return *instance;
  }
};

const char *stateName(BackendState state) {
  switch (state) {
  case BackendState::Discovered:
    return "DISCOVERED";
  case BackendState::Disabled:
    return "DISABLED";
  case BackendState::Shadowed:
    return "SHADOWED";
  case BackendState::Absent:
    return "ABSENT";
  case BackendState::RejectedAbi:
    return "REJECTED_ABI";
  case BackendState::Loading:
    return "LOADING";
  case BackendState::Ready:
    return "READY";
  case BackendState::Failed:
    return "FAILED";
  }
  return "UNKNOWN";
}

std::shared_ptr<const DeviceType> RegistrySnapshot::findDeviceType(std::string_view typeOrAlias) const {
  for (const auto &type : deviceTypes)
    if (type->name == typeOrAlias)
      return type;
  for (const auto &type : deviceTypes)
    if (std::find(type->aliases.begin(), type->aliases.end(), typeOrAlias) != type->aliases.end())
      return type;
  return nullptr;
}

BackendRegistry::BackendRegistry(Options options, SearchEnvironment environment)
    : options(std::move(options)), environment(std::move(environment)), theHost(makeHostTable(*this)),
      current(std::make_shared<RegistrySnapshot>()) {}
BackendRegistry::~BackendRegistry() = default;

Result<BackendRegistry *> BackendRegistry::get(const Options &options) {
  std::string key = std::to_string(static_cast<int>(options.autoload));
  for (const std::vector<std::string> *list :
       {&options.files, &options.directories, &options.packageDirectories, &options.defaultDevices})
    key += fmt::format("\n{}\t{}", list->size(), fmt::join(*list, "\t"));
  AllRegistries &all = AllRegistries::get();
  {
    std::lock_guard lock(all.mutex);
    if (auto it = all.byOptions.find(key); it != all.byOptions.end())
      return it->second;
  }
  KILN_ASSIGN_OR_RETURN(BackendRegistry * made, create(options, SearchEnvironment::process()));
  std::lock_guard lock(all.mutex);
  return all.byOptions.emplace(key, made).first->second; // another thread's, if it was first
}

Result<BackendRegistry *> BackendRegistry::create(const Options &options,
                                                  const SearchEnvironment &environment) {
  std::unique_ptr<BackendRegistry> registry(new BackendRegistry(options, environment));
  KILN_RETURN_IF_ERROR(registry->discover());
  AllRegistries &all = AllRegistries::get();
  std::lock_guard lock(all.mutex);
  return all.made.emplace_back(std::move(registry)).get();
}

Status BackendRegistry::discover() {
  const Environment &variables = environment.variables;
  std::string_view policy = variables.get("KILN_BACKEND_POLICY", "isolate");
  isStrict = policy == "strict";
  if (!isStrict && policy != "isolate")
    logWarn("backend", "KILN_BACKEND_POLICY: '{}'; expected isolate or strict; isolate is used", policy);
  found = searchBackends(options, environment);
  for (const std::vector<std::string> *warnings :
       {&std::as_const(found).warnings, &environment.preflight.problems})
    for (const std::string &warning : *warnings)
      logWarn("backend", "{}", warning);
  BackendFilter filter(variables);
  std::map<std::string, std::string> firstPath; // by name
  for (const FoundManifest &file : found.files) {
    auto entry = std::make_unique<BackendEntry>();
    entry->path = file.path;
    entry->foundBy = file.foundBy;
    Result<Manifest> manifest = Manifest::load(file.path);
    entry->name = manifest.ok() ? manifest->name : fileStem(file.path);
    if (!manifest.ok()) {
      entry->fixedState = BackendState::Failed;
      entry->reason = manifest.status().message();
    } else {
      entry->manifest = std::make_shared<const Manifest>(std::move(*manifest));
      auto [first, isNew] = firstPath.emplace(entry->name, entry->path);
      if (!isNew) {
        entry->fixedState = BackendState::Shadowed;
        entry->reason = fmt::format("the first of this name is {}", first->second);
      } else if (std::string against = filter.reasonAgainst(entry->name); !against.empty()) {
        entry->fixedState = BackendState::Disabled;
        entry->reason = against;
      } else {
        Result<BackendOptions> values = BackendOptions::fromEnvironment(*entry->manifest, variables);
        if (values.ok())
          entry->options = std::move(*values);
        else
          entry->optionProblem = withContext(values.status(), "backend '{}'", entry->name);
      }
    }
    if (entry->mayLoad() && environment.secure)
      entry->distrust();
    if (entry->mayLoad())
      entry->findLibrary();
    entries.push_back(std::move(entry));
  }
  std::vector<std::string> names;
  for (const auto &entry : entries)
    names.push_back(entry->name);
  for (const auto &entry : entries) {
    if (entry->fixedState == BackendState::Failed && filter.reasonAgainst(entry->name).empty()) {
      if (isStrict)
        return failedPrecondition("{} (KILN_BACKEND_POLICY=strict)", entry->reason);
      logWarn("backend", "{}", entry->reason);
    }
    if (entry->mayLoad())
      for (const std::string &warning : unknownOptionVariables(*entry->manifest, variables, names))
        logWarn("backend", "{}", warning);
  }
  warnOfSharedNames();
  return {};
}

// A device's type wins over an alias, then the order of search decides: say so where it has to.
void BackendRegistry::warnOfSharedNames() const {
  std::map<std::string_view, const BackendEntry *> owners;
  for (const auto &entry : entries)
    if (entry->mayLoad())
      for (const ManifestDevice &device : entry->manifest->devices) {
        std::vector<std::string_view> names(device.aliases.begin(), device.aliases.end());
        names.push_back(device.type);
        for (std::string_view name : names) {
          const BackendEntry *first = owners.emplace(name, entry.get()).first->second;
          if (first != entry.get())
            logWarn("backend", "'{}' names devices of backends '{}' and '{}'; it means '{}''s", name,
                    first->name, entry->name, findByDevice(name)->name);
        }
      }
  std::map<std::string, const BackendEntry *> variables; // "a-b" with key "c" and "a" with "b-c" have one
  for (const auto &entry : entries)
    if (entry->mayLoad())
      for (const OptionSchema &option : entry->manifest->options) {
        std::string variable = optionVariable(entry->name, option.key);
        if (auto [first, isNew] = variables.emplace(variable, entry.get()); !isNew)
          logWarn("backend", "{} sets options of backends '{}' and '{}'", variable, first->second->name,
                  entry->name);
      }
}

std::vector<BackendReport> BackendRegistry::backends() const {
  std::vector<BackendReport> reports;
  for (const auto &entry : entries) {
    BackendReport report;
    report.name = entry->name;
    report.manifestPath = entry->path;
    report.foundBy = entry->foundBy;
    report.manifest = entry->manifest;
    report.state = entry->fixedState;
    report.reason = entry->reason;
    if (entry->manifest)
      report.version = entry->manifest->version;
    if (entry->mayLoad()) {
      report.state = entry->library().state();
      report.reason = entry->library().failure().message();
      report.times = entry->library().times();
      std::unique_lock lock(snapshotMutex);
      Status problem = entry->optionProblem.ok() ? entry->commit.failure : entry->optionProblem;
      lock.unlock();
      if (!problem.ok()) {
        report.state = BackendState::Failed;
        report.reason = problem.message();
      } else if (report.state == BackendState::Discovered) {
        report.reason = entry->whyAbsent(environment.variables);
        if (!report.reason.empty())
          report.state = BackendState::Absent;
      }
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

BackendEntry *BackendRegistry::find(std::string_view backend) const {
  BackendEntry *broken = nullptr;
  for (const auto &entry : entries)
    if (entry->name == backend && entry->fixedState != BackendState::Shadowed) {
      if (entry->manifest)
        return entry.get();
      broken = broken ? broken : entry.get();
    }
  return broken;
}

Status BackendRegistry::load(std::string_view backend) {
  if (BackendEntry *entry = find(backend))
    return load(*entry);
  return unknownBackend(backend);
}

Status BackendRegistry::unknownBackend(std::string_view spelled) const {
  std::vector<std::string> names;
  for (const auto &entry : entries)
    names.push_back(entry->name);
  return notFound("unknown backend '{}'{}{}", clipped(spelled), didYouMean(spelled, names), listBackends());
}

Status BackendRegistry::load(BackendEntry &entry) {
  if (!entry.mayLoad())
    return failedPrecondition("backend '{}' is {}: {}", entry.name, stateName(entry.fixedState),
                              entry.reason);
  KILN_RETURN_IF_ERROR(entry.optionProblem);
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<const Registrations> staged,
                        entry.library().load(*entry.manifest, *this, environment.preflight));

  // Commit: all of the backend's registrations in one new snapshot, or none.
  std::lock_guard lock(snapshotMutex);
  if (entry.commit.isDone)
    return entry.commit.failure;
  entry.commit.isDone = true;
  auto next = std::make_shared<RegistrySnapshot>(*current);
  for (const auto &type : staged->deviceTypes) {
    for (const auto &other : current->deviceTypes)
      if (other->name == type->name)
        return entry.commit.failure =
                   alreadyExists("backend '{}': device type '{}' is backend '{}''s already", entry.name,
                                 type->name, other->backend);
    next->deviceTypes.push_back(type);
  }
  next->kernelLoaders.insert(next->kernelLoaders.end(), staged->kernelLoaders.begin(),
                             staged->kernelLoaders.end());
  next->generation++;
  current = std::move(next);
  return {};
}

Status BackendRegistry::retry(std::string_view backend) {
  BackendEntry *entry = find(backend);
  if (entry && entry->mayLoad()) {
    entry->findLibrary();
    entry->library().forgetFailure();
    std::lock_guard lock(snapshotMutex);
    if (!entry->commit.failure.ok())
      entry->commit = {};
  }
  return load(backend);
}

std::shared_ptr<const RegistrySnapshot> BackendRegistry::snapshot() const {
  std::lock_guard lock(snapshotMutex);
  return current;
}

Result<std::shared_ptr<const KernelLoader>> BackendRegistry::kernelLoader(std::string_view backend,
                                                                          std::string_view format,
                                                                          std::string_view options) const {
  std::shared_ptr<const RegistrySnapshot> now = snapshot();
  std::string wanted;
  BackendEntry *entry = find(backend);
  if (const std::string *value = entry ? entry->options.find("loader") : nullptr)
    wanted = *value;
  if (!options.empty()) {
    KILN_ASSIGN_OR_RETURN(OptionList given, parseOptions(backend, options));
    for (const auto &[key, value] : given)
      if (key == "loader")
        wanted = value;
  }
  if (wanted == "auto")
    wanted.clear();
  std::shared_ptr<const KernelLoader> chosen;
  std::vector<std::string> known;
  for (const auto &loader : now->kernelLoaders) {
    if (loader->backend != backend)
      continue;
    known.push_back(fmt::format("'{}' by '{}'", loader->format, loader->name));
    if (loader->format == format && (wanted.empty() || loader->name == wanted))
      chosen = loader;
  }
  if (chosen)
    return chosen;
  return notFound("no kernel loader{} for format '{}'; backend '{}' has {}",
                  wanted.empty() ? "" : fmt::format(" '{}'", wanted), format, backend,
                  known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
}

Status BackendRegistry::addKernelLoader(KernelLoader loader) {
  std::lock_guard lock(snapshotMutex);
  for (const auto &other : current->kernelLoaders)
    if (other->backend == loader.backend && other->format == loader.format && other->name == loader.name)
      return alreadyExists("kernel loader '{}' for format '{}': registered twice", loader.name,
                           loader.format);
  auto next = std::make_shared<RegistrySnapshot>(*current);
  next->kernelLoaders.push_back(std::make_shared<const KernelLoader>(std::move(loader)));
  next->generation++;
  current = std::move(next);
  return {};
}

Result<KilnBackendCompilerQueryFn> BackendRegistry::compilerQuery(std::string_view backend) {
  BackendEntry *entry = find(backend);
  if (!entry)
    return unknownBackend(backend);
  if (!entry->mayLoad())
    return failedPrecondition("backend '{}' is {}: {}", entry->name, stateName(entry->fixedState),
                              entry->reason);
  const Manifest &manifest = *entry->manifest;
  if (manifest.compiler.empty())
    return unimplemented("backend '{}' has no compiler tier ({}); install it with its compiler", backend,
                         manifest.path);
  if (Status status = checkFingerprint(manifest, Tier::Compiler); !status.ok())
    return failedPrecondition("compiler of backend '{}' rejected: {}", backend, status.message());
  if (Status tried = preflight(manifest, Tier::Compiler, environment.preflight); !tried.ok())
    return withContext(tried, "compiler of backend '{}' ({})", backend, manifest.compilerPath());
  logDebug("backend.load", "{}: dlopen ({})", backend, manifest.compilerPath());
  Result<void *> handle = openLibrary(backend, manifest.compilerPath());
  if (!handle.ok())
    return withContext(handle.status(), "compiler of backend '{}'", backend);
  auto query =
      reinterpret_cast<KilnBackendCompilerQueryFn>(dlsym(*handle, KILN_BACKEND_COMPILER_QUERY_SYMBOL));
  if (!query)
    return failedPrecondition("compiler of backend '{}' ({}): exports no '{}'", backend,
                              manifest.compilerPath(), KILN_BACKEND_COMPILER_QUERY_SYMBOL);
  logDebug("backend.load", "{}: compiler init ({})", backend, manifest.compilerPath());
  return query;
}

Result<std::string_view> BackendRegistry::deviceOwner(std::string_view type) const {
  BackendEntry *entry = findByDevice(type);
  if (entry && entry->mayLoad() && entry->declares(type))
    return std::string_view(entry->name);
  return notFound("device type '{}': no backend's manifest declares it", clipped(type));
}

std::vector<std::string> BackendRegistry::compilerBackends() const {
  std::vector<std::string> names;
  for (const auto &entry : entries)
    if (entry->mayLoad() && !entry->manifest->compiler.empty())
      names.push_back(entry->name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<BackendRegistry::Extension> BackendRegistry::extensions(std::string_view target) const {
  std::vector<Extension> result;
  BackendEntry *owner = findByDevice(target);
  if (!owner || !owner->manifest)
    return result;
  const std::vector<std::string> &allowed = owner->manifest->extensible;
  std::map<std::string, BackendEntry *> byName; // shadowed entries may not load
  for (const auto &entry : entries)
    if (entry->mayLoad())
      byName[entry->name] = entry.get();
  for (const auto &[name, entry] : byName)
    for (const ManifestExtension &extension : entry->manifest->extends) {
      if (extension.target != target)
        continue;
      if (std::find(allowed.begin(), allowed.end(), extension.stage) != allowed.end())
        result.push_back({name, extension.target, extension.stage, extension.after});
      else
        logWarn("backend",
                "backend '{}' extends stage '{}' of '{}', which its manifest does not allow (extensible)",
                name, extension.stage, target);
    }
  return result;
}

Result<std::string_view> BackendRegistry::option(std::string_view backend, std::string_view key) const {
  BackendEntry *entry = find(backend);
  if (!entry || !entry->manifest)
    return notFound("option '{}' of backend '{}': no such backend", key, backend);
  KILN_RETURN_IF_ERROR(entry->optionProblem);
  if (const std::string *value = entry->options.find(key))
    return std::string_view(*value);
  return notFound("option '{}': the manifest of backend '{}' does not declare it", key, backend);
}

Result<OptionList> BackendRegistry::parseOptions(std::string_view backend, std::string_view text) const {
  BackendEntry *entry = find(backend);
  if (!entry || !entry->manifest)
    return unknownBackend(backend);
  return kiln::parseOptions(*entry->manifest, text);
}

// Loads end first, since their commits take the locks below; then every lock is held over the fork, so that
// the child finds none locked by a thread that it has not.
void BackendRegistry::beforeFork() {
  BackendLibrary::beforeFork();
  AllRegistries &all = AllRegistries::get();
  all.mutex.lock();
  for (const auto &registry : all.made)
    registry->snapshotMutex.lock();
}

void BackendRegistry::afterFork(bool isChild) {
  AllRegistries &all = AllRegistries::get();
  for (const auto &registry : all.made)
    registry->snapshotMutex.unlock();
  all.mutex.unlock();
  BackendLibrary::afterFork(isChild);
}

} // namespace kiln
