// JitInfo.h: the commands of jit-info.
#ifndef KILN_TOOLS_LIB_JITINFO_H
#define KILN_TOOLS_LIB_JITINFO_H

#include "runtime/BackendRegistry.h"
#include "tools/lib/Flags.h"

#include <nlohmann/json.hpp>

#include <iosfwd>

namespace kiln::tools {

extern const ToolSpec kJitInfoSpec;

/// What a command works on. Borrowed for the call.
struct InfoContext {
  BackendRegistry &registry;
  const ParsedFlags &flags;
  std::ostream &out;
  bool wantsJson() const { return flags.given("json"); }
};

/// The search that the command line asks for.
BackendRegistry::Options searchOptions(const ParsedFlags &flags);

// Each prints to `out` and gives an exit code, or the error that kept it from doing so.
Result<int> infoDevices(const InfoContext &context);
Result<int> infoBackends(const InfoContext &context);
/// Opens libkiln_compiler.
Result<int> infoPasses(const InfoContext &context);
Result<int> infoPaths(const InfoContext &context);
/// Every KILN_ variable: value in force, where it comes from; unknown ones with the nearest name.
Result<int> infoEnvironment(const InfoContext &context);
/// Tries each backend in a child process: crash, hang, memory, times, fingerprints.
Result<int> infoDoctor(const InfoContext &context);
/// Everything about one backend, by its name or a device's: where it was looked for, which filters there are,
/// how its load ended; loads it.
Result<int> infoExplain(const InfoContext &context, const std::string &name);
/// Whether a manifest holds: its text by the schema, then by the reader; its libraries, their notes.
Result<int> infoValidate(const std::string &path, bool wantsJson, std::ostream &out);

// Parts that several commands print.
/// Names and messages may hold bytes of broken files: what is no UTF-8 is replaced.
void printJson(const nlohmann::ordered_json &json, std::ostream &out);
void printPlaces(const InfoContext &context);
nlohmann::ordered_json placesJson(const BackendRegistry &registry);
/// The variables that keep backends out or change how they are loaded, as far as they are set: "NAME=VALUE".
std::vector<std::string> filtersInForce();
/// The same with what each says of one name: "KILN_BACKENDS_DISABLE=goo*: keeps 'good' out".
std::vector<std::string> filtersFor(const std::string &backend);
/// How the compiler tier of a backend loads, tried in a child process.
struct CompilerTrial {
  std::string state, reason; // state: "none", "READY", "FAILED", "CRASHES", "HANGS", "not tried"
};
CompilerTrial tryCompilerTier(const InfoContext &context, const BackendReport &report);
/// How the libraries of a manifest fit this process: one line for each part of a fingerprint that does not.
std::vector<std::string> fingerprintProblems(const Manifest &manifest);
void printManifest(const Manifest &manifest, std::ostream &out);
const char *kindName(KilnDeviceKind kind);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_JITINFO_H
