// TrialRun.cpp: limits first, then the load; a registry that knows the manifest before all others.
#include "tools/kiln-preflight/TrialRun.h"

#include "runtime/CompilerHandle.h"
#include "runtime/Device.h"
#include "runtime/HostTable.h"
#include "runtime/Log.h"
#include "tools/lib/ToolMain.h"

#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <ostream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace kiln::tools {
namespace {

using Json = nlohmann::ordered_json;

// Writable private memory; a sanitizer needs more address space.
constexpr uint64_t kMaxDataBytes = uint64_t(8) << 30;

double milliseconds(uint64_t ns) { return static_cast<double>(ns) / 1e6; }

// No core file for a crash that is expected, no memory without bound, no life after the parent.
void limitThisProcess() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  rlimit none = {0, 0}, data = {kMaxDataBytes, kMaxDataBytes};
  setrlimit(RLIMIT_CORE, &none);
#if !defined(__has_feature) || !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
  setrlimit(RLIMIT_DATA, &data);
#else
  (void)data;
#endif
}

struct Trial {
  BackendRegistry &registry;
  std::string backend;

  BackendReport report() const {
    for (BackendReport &one : registry.backends())
      if (one.name == backend && one.state != BackendState::Shadowed)
        return one;
    return {};
  }
  // Opens libkiln_compiler and with it the compiler tiers of this registry. One that cannot be loaded is left
  // out with a warning on stderr, which names it.
  Status loadCompiler() const {
    BackendAccess *access = accessRegistry(registry).release(); // the compiler keeps it
    auto *handle = new CompilerHandle(*access);
    KILN_ASSIGN_OR_RETURN(const KilnCompiler *compiler, handle->get());
    auto ignore = [](void *, const KilnPassEntry *) {};
    return fromC(compiler->visit_passes(compiler->self, ignore, nullptr));
  }
};

Json devicesJson(const Trial &trial) {
  Json list = Json::array();
  for (const auto &type : trial.registry.snapshot()->deviceTypes) {
    if (type->backend != trial.backend)
      continue;
    uint32_t count = 0;
    Json entry = {{"type", type->name}};
    if (Result<uint32_t> counted = countDevices(*type); counted.ok())
      count = *counted;
    else
      entry["problem"] = counted.status().message();
    entry["count"] = count;
    if (count > 0) {
      logDebug("backend.load", "{}: open of the device ({})", trial.backend, type->name);
      auto start = std::chrono::steady_clock::now();
      Result<std::shared_ptr<Device>> device = Device::open(*type, {});
      auto elapsed = std::chrono::steady_clock::now() - start;
      if (device.ok())
        entry["description"] = (*device)->description().name;
      else
        entry["problem"] = device.status().message();
      entry["open_ms"] = milliseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
    }
    list.push_back(std::move(entry));
  }
  return list;
}

// Tools outside of Kiln that the backend's devices looked for: properties named "tool.NAME".
Json toolsJson(const Trial &trial) {
  Json list = Json::array();
  KilnPropertyFn add = [](void *to, const KilnDeviceProperty *property) {
    if (toView(property->name).starts_with("tool."))
      static_cast<Json *>(to)->push_back({{"name", toView(property->name).substr(5)},
                                          {"value", toView(property->value)},
                                          {"source", toView(property->source)}});
  };
  for (const auto &type : trial.registry.snapshot()->deviceTypes)
    if (type->backend == trial.backend && type->ops.properties)
      (void)fromC(type->ops.properties(type->self, {}, add, &list)); // what is wrong shows at open
  return list;
}

Json reportJson(const Trial &trial) {
  Status loaded = trial.registry.load(trial.backend);
  BackendReport report = trial.report();
  Json json = {{"state", stateName(report.state)},
               {"reason", loaded.ok() ? "" : loaded.message()},
               {"check_ms", milliseconds(report.times.checkNs)},
               {"dlopen_ms", milliseconds(report.times.openNs)},
               {"query_ms", milliseconds(report.times.queryNs)},
               {"init_ms", milliseconds(report.times.initNs)},
               {"devices", loaded.ok() ? devicesJson(trial) : Json::array()},
               {"tools", loaded.ok() ? toolsJson(trial) : Json::array()}};
  if (!report.manifest || report.manifest->compiler.empty())
    return json;
  auto start = std::chrono::steady_clock::now();
  Status compiler = trial.loadCompiler();
  auto elapsed = std::chrono::steady_clock::now() - start;
  json["compiler"] = {
      {"state", compiler.ok() ? "READY" : "FAILED"},
      {"reason", compiler.message()},
      {"open_ms", milliseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count())}};
  return json;
}

// The manifest and those of the targets that it extends, as the process would find them: nothing else is
// loaded.
Result<BackendRegistry *> registryFor(const std::string &manifest, std::vector<std::string> directories) {
  SearchEnvironment environment = SearchEnvironment::process();
  environment.preflight = {};
  for (std::string &folder : environment.libraryDirs) // this program lies in lib/kiln
    folder = folder.substr(0, folder.rfind('/'));
  BackendRegistry::Options options;
  options.files = {manifest};
  options.directories = std::move(directories);
  KILN_ASSIGN_OR_RETURN(BackendRegistry * all, BackendRegistry::create(options, environment));
  const std::vector<BackendReport> reports = all->backends();
  if (reports.empty())
    return Status(Code::NotFound, "'" + manifest + "' cannot be read");
  if (reports.front().manifest)
    for (const ManifestExtension &extension : reports.front().manifest->extends)
      for (const BackendReport &other : reports)
        if (other.manifest && other.manifest->findDevice(extension.target) &&
            other.state != BackendState::Shadowed)
          options.files.push_back(other.manifestPath);
  options.directories.clear();
  options.autoload = AutoloadMode::Off;
  return BackendRegistry::create(options, environment);
}

// An error is none of a trial's business: the process that asked comes to it itself. But two kinds of harm
// are done by then: an exception that went through dlopen leaves the system's loader locked, closed files are
// gone.
void loadRuntime(const Trial &trial) {
  std::string problem = trial.registry.load(trial.backend).message();
  if (problem.find("dlopen: threw an exception") != std::string::npos)
    std::abort();
  if (problem.find(": closed ") != std::string::npos)
    std::_Exit(kPreflightFilesClosed);
}

// Through exit, so that destructors of the backend that crash or hang are met here. A sanitizer's report of
// leaks is no crash.
[[noreturn]] void endTrial(const Trial &trial, bool isWritten) {
  if (!isWritten || fcntl(STDOUT_FILENO, F_GETFD) < 0)
    std::_Exit(kPreflightFilesClosed);
  for (const BackendReport &report : trial.registry.backends())
    if (report.name == trial.backend && report.manifest)
      logDebug("backend.load", "{}: exit ({})", trial.backend, report.manifest->libraryPath());
#if !defined(__has_feature) || !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
  std::exit(kYes);
#else
  std::_Exit(kYes);
#endif
}

} // namespace

int trialRun(int argc, const char *const *argv, std::ostream &out, std::ostream &err) {
  std::string_view mode = argc > 2 ? argv[2] : "";
  if (mode != "runtime" && mode != "compiler" && mode != "report") {
    err << "usage: kiln-preflight MANIFEST runtime|compiler|report [DIRECTORY...]\n"
           "Tries a backend in this process. The runtime starts it; 'jit-info doctor' is for people.\n";
    return kUsage;
  }
  limitThisProcess();
  Result<BackendRegistry *> registry = registryFor(argv[1], {argv + 3, argv + argc});
  if (!registry.ok()) {
    err << "kiln-preflight: error: " << registry.status().message() << "\n";
    return kFailed;
  }
  Trial trial{**registry, (*registry)->backends().front().name};
  if (mode == "runtime")
    loadRuntime(trial);
  else if (mode == "compiler")
    (void)trial.loadCompiler().ok();
  else
    out << reportJson(trial).dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
  out << kPreflightEnd << std::endl;
  endTrial(trial, out.good());
}

} // namespace kiln::tools
