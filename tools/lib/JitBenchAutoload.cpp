// JitBenchAutoload.cpp: the suite autoload: what finding, probing, trying and loading backends costs.
#include "runtime/BackendLibrary.h"
#include "tools/lib/BenchSampling.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace kiln::tools {
namespace {

constexpr const char *kAutoloadSuite = "autoload";
constexpr size_t kManifests = 20;
constexpr size_t kMaxLoads = 30; // each maps a library for good
constexpr std::chrono::milliseconds kAutoloadTimeout(30000);

// Manifests as real ones are: options, aliases, probes that look at the machine.
void writeManifests(const std::filesystem::path &folder) {
  for (size_t i = 0; i < kManifests; ++i)
    std::ofstream(folder / fmt::format("b{}.kiln.json", i)) << fmt::format(
        R"({{"manifest": 1, "name": "b{0}", "version": "1.0", "library": "libkiln_b{0}.so", "arch": "x86_64",
 "abi": {{"major": 1, "minor": 0, "runtime": "abi=1.0;tier=runtime;rtti=1;cxxlib=libstdc++.cxx11=1;sanitizer=none"}},
 "devices": [{{"type": "b{0}", "kind": "hardware", "aliases": ["b{0}-alias"], "priority": {0},
   "probe": [{{"file": "/dev/kiln-b{0}*"}}, {{"environment": "KILN_B{0}_VISIBLE"}}]}}],
 "options": {{"level": {{"type": "integer", "default": 3, "range": [0, 9], "help": "a number"}},
   "mode": {{"type": "string", "default": "fast", "values": ["fast", "exact"], "help": "how to compute"}}}}}})",
        i);
}

Result<BackendRegistry *> registryOver(const std::filesystem::path &folder, bool withPreflight = false) {
  BackendRegistry::Options options;
  options.directories = {folder.string()};
  SearchEnvironment environment;
  if (withPreflight)
    environment.preflight = SearchEnvironment::process().preflight;
  return BackendRegistry::create(options, environment);
}

std::filesystem::path programFolder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

Result<double> runProcess(const std::vector<std::string> &arguments) {
  KILN_ASSIGN_OR_RETURN(ChildOutcome outcome, runChild(arguments, {}, kAutoloadTimeout));
  if (outcome.end != ChildOutcome::End::Exited || outcome.code != 0)
    return Status(Code::Unavailable, arguments[0] + " " + outcome.describe());
  return static_cast<double>(outcome.wallNs) / 1e3;
}

// Loads a fresh copy of the backend `null` and measures it.
Result<double> loadCopy(bool withPreflight) {
  BenchFolder folder;
  for (const BackendReport &report : (*BackendRegistry::get({}))->backends()) {
    if (report.name != "null" || !report.manifest)
      continue;
    std::filesystem::copy_file(report.manifestPath, folder.path / "null.kiln.json");
    std::filesystem::copy_file(report.manifest->libraryPath(), folder.path / report.manifest->library);
    KILN_ASSIGN_OR_RETURN(BackendRegistry * registry, registryOver(folder.path, withPreflight));
    BenchClock::time_point start = BenchClock::now();
    KILN_RETURN_IF_ERROR(registry->load("null"));
    return microsecondsSince(start);
  }
  return Status(Code::NotFound, "the backend 'null' is not installed");
}

} // namespace

Status runAutoloadSuite(const BenchContext &context, BenchReport &report) {
  BenchFolder folder;
  writeManifests(folder.path);
  BackendRegistry *last = nullptr;
  KILN_RETURN_IF_ERROR(
      sampleInto(context, report, kAutoloadSuite, "L0: read 20 manifests", [&]() -> Result<double> {
        BenchClock::time_point start = BenchClock::now();
        KILN_ASSIGN_OR_RETURN(last, registryOver(folder.path));
        return microsecondsSince(start);
      }));
  KILN_RETURN_IF_ERROR(sampleInto(context, report, kAutoloadSuite, "L0 and L1: read and probe 20 manifests",
                                  [&]() -> Result<double> {
                                    BenchClock::time_point start = BenchClock::now();
                                    KILN_ASSIGN_OR_RETURN(last, registryOver(folder.path));
                                    if (last->backends().size() != kManifests)
                                      return Status(Code::Internal, "a manifest was not found");
                                    return microsecondsSince(start);
                                  }));
  KILN_RETURN_IF_ERROR(sampleInto(
      context, report, kAutoloadSuite, "L2: load a library", [] { return loadCopy(false); }, kMaxLoads));
  KILN_RETURN_IF_ERROR(sampleInto(
      context, report, kAutoloadSuite, "L2 with a preflight in a child process",
      [] { return loadCopy(true); }, kMaxLoads));
  KILN_ASSIGN_OR_RETURN(BackendRegistry * process, BackendRegistry::get({}));
  KILN_RETURN_IF_ERROR(sampleInto(context, report, kAutoloadSuite, "a device of a loaded backend by name",
                                  [&]() -> Result<double> {
                                    BenchClock::time_point start = BenchClock::now();
                                    KILN_RETURN_IF_ERROR(process->resolve("null").status());
                                    return microsecondsSince(start);
                                  }));
  const std::string info = (programFolder() / "jit-info").string();
  KILN_RETURN_IF_ERROR(sampleInto(context, report, kAutoloadSuite, "process: jit-info --version",
                                  [&] { return runProcess({info, "--version"}); }));
  return sampleInto(context, report, kAutoloadSuite, "process: jit-info backends",
                    [&] { return runProcess({info, "backends"}); });
}

} // namespace kiln::tools
