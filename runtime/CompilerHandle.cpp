// CompilerHandle.cpp: dlopen, and the host table that jit/ reaches the runtime through.
#include "runtime/CompilerHandle.h"

#include "runtime/Device.h"
#include "runtime/Environment.h"
#include "runtime/Error.h"
#include "runtime/Fingerprint.h"
#include "runtime/HostTable.h"
#include "runtime/Log.h"
#include "runtime/ProcessState.h"
#include "runtime/StagedRegistrar.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <sys/auxv.h>

namespace kiln {

namespace {

constexpr const char *kCompilerLibrary = "libkiln_compiler.so";

BackendAccess &accessOf(void *self) { return *static_cast<BackendAccess *>(self); }

KilnStatus backendCompiler(void *self, KilnStr backend, KilnBackendCompilerQueryFn *outQuery) {
  Result<KilnBackendCompilerQueryFn> query = accessOf(self).compilerQuery(toView(backend));
  if (!query.ok())
    return toC(query.status());
  *outQuery = *query;
  return nullptr;
}

KilnStatus backendNames(void *self, void (*visit)(void *arg, KilnStr backend), void *arg) {
  for (const std::string &name : accessOf(self).compilerBackends())
    visit(arg, toStr(name));
  return nullptr;
}

KilnStatus extensions(void *self, KilnStr target,
                      void (*visit)(void *arg, const KilnStageExtension *extension), void *arg) {
  for (const BackendRegistry::Extension &extension : accessOf(self).extensions(toView(target))) {
    KilnStageExtension entry = {toStr(extension.backend), toStr(extension.target), toStr(extension.stage),
                                extension.after};
    visit(arg, &entry);
  }
  return nullptr;
}

KilnStatus target(void *self, KilnStr deviceType, KilnStr options, KilnCompileTarget *outTarget) {
  Result<std::shared_ptr<const DeviceType>> type = accessOf(self).deviceType(toView(deviceType));
  if (!type.ok())
    return toC(type.status());
  KilnCompileTarget result = {};
  result.struct_size = sizeof(result);
  result.device_type = toStr((*type)->name);
  result.backend = toStr((*type)->backend);
  Result<KilnTargetInfo> info = targetInfo(**type, toView(options));
  if (!info.ok())
    return toC(info.status());
  result.info = *info;
  std::memcpy(outTarget, &result, std::min(outTarget->struct_size, sizeof(result)));
  return nullptr;
}

KilnStatus deviceOwner(void *self, KilnStr deviceType, KilnStr *outBackend) {
  Result<std::string_view> owner = accessOf(self).deviceOwner(toView(deviceType));
  if (!owner.ok())
    return toC(owner.status());
  *outBackend = toStr(*owner);
  return nullptr;
}

KilnStatus runBackend(void *, KilnStr backend, KilnStr part, KilnStatus (*fn)(void *arg), void *arg) {
  return toC(runBackendCode(toView(backend), toView(part), [&] { return fromC(fn(arg)); }));
}

KilnStatus checkLibrary(void *, KilnStr path) {
  return toC(checkElfNote(Tier::Compiler, std::string(toView(path))));
}

KilnStatus addKernelLoader(void *self, KilnStr backend, KilnStr format, KilnStr name,
                           const KilnKernelLoaderOps *ops, void *opsSelf) {
  KernelLoader loader;
  loader.backend = toView(backend);
  loader.format = toView(format);
  loader.name = toView(name);
  Result<KilnKernelLoaderOps> table = readKernelLoaderOps(ops);
  if (!table.ok())
    return toC(table.status());
  loader.ops = *table;
  loader.self = opsSelf;
  return toC(accessOf(self).addKernelLoader(std::move(loader)));
}

} // namespace

std::vector<std::string> CompilerHandle::candidates() {
  std::optional<std::string_view> path = Environment::process().find("KILN_COMPILER_LIBRARY");
  if (path && getauxval(AT_SECURE) == 0)
    return {std::string(*path)};
  std::vector<std::string> paths;
  std::error_code error;
  auto addBeside = [&](const std::filesystem::path &file) {
    std::filesystem::path folder = std::filesystem::weakly_canonical(file, error).parent_path();
    if (error || folder.empty())
      return;
    for (const std::filesystem::path &path :
         {folder / kCompilerLibrary, (folder / "../lib" / kCompilerLibrary).lexically_normal(),
          (folder / "../../lib" / kCompilerLibrary).lexically_normal()})
      if (std::find(paths.begin(), paths.end(), path.string()) == paths.end())
        paths.push_back(path.string());
  };
  Dl_info info = {};
  if (::dladdr(reinterpret_cast<void *>(&addKernelLoader), &info) != 0 && info.dli_fname)
    addBeside(info.dli_fname);
  addBeside(std::filesystem::read_symlink("/proc/self/exe", error));
  return paths;
}

const KilnCompiler *CompilerHandle::ifOpen() {
  std::scoped_lock lock(mutex);
  return state == State::Open ? &table : nullptr;
}

Result<const KilnCompiler *> CompilerHandle::get() {
  std::unique_lock lock(mutex);
  if (state == State::Opening && opener == std::this_thread::get_id())
    return inProgress("compiler: asked for while this thread opens it");
  changed->wait(lock, [&] { return state != State::Opening; });
  if (state == State::Closed) {
    state = State::Opening;
    opener = std::this_thread::get_id();
    lock.unlock();
    Status status = open(); // constructors and the compiler's own callbacks: no lock is held
    lock.lock();
    failure = status;
    state = status.ok() ? State::Open : State::Failed;
    changed->notify_all();
  }
  if (state == State::Failed)
    return failure;
  return &table;
}

void CompilerHandle::afterFork(bool isChild) {
  if (isChild) {
    (void)changed.release(); // counts waiters that are gone; its destructor would wait for them
    changed = std::make_unique<std::condition_variable>();
    if (state == State::Opening && opener != std::this_thread::get_id()) {
      state = State::Failed;
      failure = forkedError("compiler: another thread was opening it when this process was forked");
    }
  }
  mutex.unlock();
}

Result<std::string> CompilerHandle::installed() {
  std::string tried;
  std::error_code error;
  for (const std::string &path : candidates()) {
    if (std::filesystem::exists(path, error))
      return path;
    tried += fmt::format("{}'{}'", tried.empty() ? "" : ", ", path);
  }
  return failedPrecondition(
      "compiler: {} is not installed: no file {}; a program file with embedded kernels needs "
      "none",
      kCompilerLibrary, tried.empty() ? "could be named" : tried);
}

Result<std::string> CompilerHandle::identity() {
  std::scoped_lock lock(identityMutex);
  if (theIdentity.empty()) {
    KILN_ASSIGN_OR_RETURN(theIdentity, readIdentity());
  }
  return theIdentity;
}

Result<std::string> CompilerHandle::readIdentity() const {
  if (!backends) // a table that was given
    return std::string(toView(table.version));
  KILN_ASSIGN_OR_RETURN(std::string path, installed());
  std::error_code error;
  std::filesystem::path library = std::filesystem::canonical(path, error);
  std::vector<std::string> ids;
  auto add = [&](const std::filesystem::path &file) {
    Result<std::string> id = readBuildId(file.string());
    if (id.ok())
      ids.push_back(file.filename().string() + " " + *id);
  };
  add(library);
  for (const auto &entry : std::filesystem::directory_iterator(library.parent_path(), error)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with("libkiln_") && name.ends_with(".so") && !entry.is_symlink(error) &&
        !name.starts_with("libkiln_runtime"))
      add(entry.path());
  }
  std::sort(ids.begin(), ids.end());
  std::string_view own = ownFingerprint(Tier::Compiler);
  return fmt::format("kiln {}; {}; mlir {}; llvm {}", KILN_VERSION_STRING, fmt::join(ids, "; "),
                     fingerprintValue(own, "libmlir"), fingerprintValue(own, "libllvm"));
}

Status CompilerHandle::open() {
  KILN_ASSIGN_OR_RETURN(std::string path, installed());
  logDebug("backend.load", "compiler: dlopen ({})", path);
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    return failedPrecondition("compiler '{}': cannot be loaded: {}", path, ::dlerror());
  auto openFn = reinterpret_cast<KilnCompilerOpenFn>(::dlsym(library, KILN_COMPILER_OPEN_SYMBOL));
  if (!openFn)
    return failedPrecondition("compiler '{}': has no symbol {}", path, KILN_COMPILER_OPEN_SYMBOL);
  logDebug("compiler", "opened '{}'", path);
  // Leaked on purpose: the compiler keeps it until the process ends.
  auto *host = new KilnCompilerHost{sizeof(KilnCompilerHost),
                                    backends,
                                    &backends->host(),
                                    backendCompiler,
                                    backendNames,
                                    extensions,
                                    target,
                                    addKernelLoader,
                                    deviceOwner,
                                    runBackend,
                                    checkLibrary};
  table = {};
  table.struct_size = sizeof(table);
  return withContext(fromC(openFn(host, &table)), "compiler '{}'", path);
}

OwnedBytes takeBlob(const KilnBlob &blob) {
  std::shared_ptr<const void> owner(blob.owner, [release = blob.release](void *object) {
    if (release)
      release(object);
  });
  return {ByteSpan(static_cast<const uint8_t *>(blob.data), blob.size), std::move(owner)};
}

} // namespace kiln
