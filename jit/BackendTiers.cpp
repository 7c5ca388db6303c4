// BackendTiers.cpp: query, init and commit of a compiler tier, with the rules for extending another backend's
// target.
#include "jit/BackendTiers.h"

#include "jit/BuildIds.h"
#include "jit/CompilerRegistrarImpl.h"
#include "jit/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"

using namespace kiln;
using namespace kiln::jit;

namespace {
struct Extension {
  std::string backend, stage;
  bool after;
};

Result<std::vector<Extension>> declaredExtensions(const KilnCompilerHost &host, llvm::StringRef target) {
  std::vector<Extension> extensions;
  auto visit = [](void *arg, const KilnStageExtension *extension) {
    static_cast<std::vector<Extension> *>(arg)->push_back({std::string(toView(extension->backend)),
                                                           std::string(toView(extension->stage)),
                                                           extension->after != 0});
  };
  KILN_RETURN_IF_ERROR(
      Status::fromC(*host.host, host.extensions(host.self, toStr(target), visit, &extensions)));
  return extensions;
}
} // namespace

Result<std::shared_ptr<const TargetPipeline>> BackendTiers::pipeline(const Target &target) {
  KILN_RETURN_IF_ERROR(load(target.backend));
  KILN_ASSIGN_OR_RETURN(auto extensions, declaredExtensions(host, target.deviceType));
  for (const Extension &extension : extensions)
    if (Status status = load(extension.backend); !status.ok())
      leaveOut(extension.backend, target.deviceType, status);
  auto pipeline = registry.find(target.deviceType);
  if (!pipeline || pipeline->backend != target.backend)
    return unimplemented("backend '" + target.backend +
                         "': its compiler tier does not compile for device type '" + target.deviceType + "'");
  return pipeline;
}

Status BackendTiers::load(llvm::StringRef backend) {
  const std::thread::id self = std::this_thread::get_id();
  std::unique_lock lock(mutex);
  if (llvm::any_of(tiers, [&](const auto &entry) { return entry.second.loader == self; }))
    return makeError(Code::InProgress,
                     "backend '" + backend + "': asked for while this thread initialises a backend");
  auto [it, isNew] = tiers.try_emplace(backend.str());
  Tier &tier = it->second; // stays where it is
  if (!isNew && tier.loader != std::thread::id() && tier.process != getpid())
    return makeError(Code::Forked,
                     "backend '" + backend +
                         "': another thread was loading its compiler tier when this process was forked");
  if (!isNew) {
    changed.wait(lock, [&] { return tier.loader == std::thread::id(); });
    return tier.result;
  }
  tier.loader = self;
  tier.process = getpid();
  lock.unlock();
  Status status = loadUnlocked(backend);
  lock.lock();
  tier.result = status;
  tier.loader = {};
  changed.notify_all();
  return status;
}

// A broken extension harms nobody: the target compiles as if it were not there.
void BackendTiers::leaveOut(llvm::StringRef backend, llvm::StringRef target, const Status &status) {
  {
    std::lock_guard lock(mutex);
    if (!leftOut.insert(backend.str()).second)
      return;
  }
  std::string text = ("backend '" + backend + "' extends '" + target + "' and is left out: ").str();
  host.host->log(host.host->self, KILN_LOG_WARN, toStr("compiler"), toStr(text + status.message()));
}

Status BackendTiers::loadAll(llvm::function_ref<void(llvm::StringRef, const Status &)> failed) {
  std::vector<std::string> names;
  auto visit = [](void *arg, KilnStr backend) {
    static_cast<std::vector<std::string> *>(arg)->emplace_back(toView(backend));
  };
  KILN_RETURN_IF_ERROR(Status::fromC(*host.host, host.backends(host.self, visit, &names)));
  for (const std::string &name : names)
    if (Status status = load(name); !status.ok())
      failed(name, status);
  return {};
}

Status BackendTiers::loadUnlocked(llvm::StringRef backend) {
  KilnBackendCompilerQueryFn query = nullptr;
  KILN_RETURN_IF_ERROR(Status::fromC(*host.host, host.backend_compiler(host.self, toStr(backend), &query)));
  return initialise(backend, query);
}

Status BackendTiers::run(const KilnCompilerHost &host, llvm::StringRef name, llvm::StringRef part,
                         llvm::function_ref<KilnStatus()> fn) {
  auto call = [](void *arg) { return (*static_cast<llvm::function_ref<KilnStatus()> *>(arg))(); };
  return Status::fromC(*host.host, host.run_backend(host.self, toStr(name), toStr(part), call, &fn));
}

Status BackendTiers::initialise(llvm::StringRef backend, KilnBackendCompilerQueryFn query) {
  std::string what = ("backend '" + backend + "': compiler tier: ").str();
  KilnBackendCompiler table = {};
  table.struct_size = sizeof(table);
  if (Status status = run(host, backend, "compiler query", [&] { return query(host.host, &table); });
      !status.ok())
    return makeError(status.code(), what + status.message());
  if (table.abi_major != KILN_ABI_MAJOR || table.abi_minor > KILN_ABI_MINOR)
    return failedPrecondition(what + "speaks ABI " + llvm::Twine(table.abi_major) + "." +
                              llvm::Twine(table.abi_minor) + "; this Kiln speaks " +
                              llvm::Twine(KILN_ABI_MAJOR) + "." + llvm::Twine(KILN_ABI_MINOR));
  if (table.struct_size < offsetof(KilnBackendCompiler, init) + sizeof(table.init) || !table.init)
    return failedPrecondition(what + "fills in no init function (struct_size " +
                              llvm::Twine(table.struct_size) + "; expected " + llvm::Twine(sizeof(table)) +
                              ")");
  if (toView(table.name) != std::string_view(backend))
    return failedPrecondition(what + "calls itself '" + std::string(toView(table.name)) + "'; expected '" +
                              backend + "'");
  CompilerRegistrarImpl registrar(*host.host, backend,
                                  llvm::StringRef(table.version.data, table.version.size));
  Status status = run(host, backend, "compiler init", [&] {
    return table.init(table.self, host.host, static_cast<CompilerRegistrar *>(&registrar));
  });
  if (status.ok())
    status = registrar.status(); // an init that forgets to return the registrar's error
  if (!status.ok())
    return makeError(status.code(), what + status.message());

  BackendRegistrations registrations = registrar.takeRegistrations();
  registrations.buildIds = libraryBuildIds(reinterpret_cast<const void *>(query));
  KILN_RETURN_IF_ERROR(checkTargets(registrations));
  KILN_RETURN_IF_ERROR(checkInsertions(registrations));
  KILN_RETURN_IF_ERROR(registry.validate(registrations));
  // before the stages: nothing compiles for a format whose loader was refused
  for (const LoaderRegistration &loader : registrar.kernelLoaders()) {
    status = Status::fromC(*host.host, host.add_kernel_loader(host.self, toStr(backend), toStr(loader.format),
                                                              toStr(loader.loader), loader.ops, loader.self));
    if (!status.ok())
      return makeError(status.code(), what + "kernel loader '" + loader.loader + "': " + status.message());
  }
  return registry.commit(std::move(registrations));
}

// A backend compiles for its own devices: another's stages are its owner's, whichever is loaded first.
Status BackendTiers::checkTargets(const BackendRegistrations &registrations) {
  for (const auto &[target, pipeline] : registrations.targets) {
    KilnStr owner = {};
    std::string what =
        "backend '" + registrations.backend + "': registers stages for target '" + target + "'; ";
    Status status = Status::fromC(*host.host, host.device_owner(host.self, toStr(target), &owner));
    if (!status.ok())
      return makeError(status.code(), what + status.message());
    if (toView(owner) != registrations.backend)
      return failedPrecondition(what + "device type '" + target + "' is backend '" +
                                std::string(toView(owner)) + "''s");
  }
  return {};
}

// Both manifests must allow an insertion; the runtime has matched "extends" with "extensible" already.
Status BackendTiers::checkInsertions(const BackendRegistrations &registrations) {
  for (const StageInsertion &insertion : registrations.insertions) {
    KILN_ASSIGN_OR_RETURN(auto declared, declaredExtensions(host, insertion.target));
    bool allowed = llvm::any_of(declared, [&](const Extension &extension) {
      return extension.backend == insertion.backend && extension.after == insertion.after &&
             llvm::StringRef(extension.stage) == stageName(insertion.stage);
    });
    if (!allowed)
      return failedPrecondition(
          "backend '" + insertion.backend + "': inserts passes " + (insertion.after ? "after" : "before") +
          " stage '" + stageName(insertion.stage) + "' of target '" + insertion.target +
          "'; its manifest must say so (extends) and the target's must allow it (extensible)");
  }
  return {};
}
