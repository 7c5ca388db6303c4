// Preflight.cpp: one verdict a library file: a small file named by the hash of path, device, inode, size,
// time of change and build id, written under another name and renamed.
#include "runtime/Preflight.h"

#include "runtime/BackendOptions.h"
#include "runtime/BackendSearch.h"
#include "runtime/Error.h"
#include "runtime/Log.h"
#include "runtime/Sha256.h"
#include "runtime/cache/CacheSettings.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln {

namespace {

constexpr std::string_view kSurvives = "survives";
constexpr std::string_view kLoadComponent = "kiln: debug: backend.load: ";

std::string verdictPath(const std::string &library, Tier tier, const PreflightSettings &settings) {
  struct stat info;
  if (settings.verdictFolder.empty() || stat(library.c_str(), &info) != 0)
    return "";
  Result<std::string> buildId = readBuildId(library);
  std::string identity =
      fmt::format("{}\n{}\n{}:{}\n{}\n{}.{:09}\n{}\n{}", KILN_VERSION_STRING,
                  tier == Tier::Runtime ? "runtime" : "compiler", info.st_dev, info.st_ino, info.st_size,
                  info.st_mtim.tv_sec, info.st_mtim.tv_nsec, buildId.ok() ? *buildId : "", library);
  return settings.verdictFolder + "/" + Sha256::of(identity);
}

// "survives", a reason against the library, or "" if there is no verdict.
std::string readVerdict(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::getline(file, text, '\0');
  return text.ends_with('\n') ? text.substr(0, text.size() - 1) : ""; // torn: as if it were not there
}

void writeVerdict(const std::string &path, std::string_view verdict) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  std::string temporary = fmt::format("{}.{}", path, getpid());
  {
    std::ofstream file(temporary, std::ios::binary);
    file << verdict << "\n";
    if (!file.flush())
      error = std::make_error_code(std::errc::io_error);
  }
  if (!error)
    std::filesystem::rename(temporary, path, error);
  if (error) {
    logDebug("backend", "preflight: the verdict cannot be kept in '{}': {}", path, error.message());
    std::filesystem::remove(temporary, error);
  }
}

// This process's environment, but: no preflight inside, only what this backend says, progress on stderr.
std::vector<std::string> childEnvironment() {
  std::vector<std::string> variables = {"KILN_BACKEND_PREFLIGHT=0", "KILN_LOG=warn,debug:backend.load",
                                        "KILN_BACKEND_POLICY=isolate"};
  for (char **entry = environ; entry && *entry; ++entry) {
    std::string_view text = *entry;
    std::string_view name = text.substr(0, text.find('='));
    bool isReplaced = name == "KILN_BACKENDS_REQUIRE" || name == "KILN_DEVICE";
    for (const std::string &own : variables)
      isReplaced |= own.starts_with(std::string(name) + "=");
    if (!isReplaced)
      variables.emplace_back(text);
  }
  return variables;
}

Status verdictStatus(const std::string &verdict) {
  if (verdict == kSurvives)
    return {};
  return failedPrecondition("kept out by the preflight: the child process that tried it {} "
                            "(KILN_BACKEND_PREFLIGHT=always tries again, 0 loads it unseen)",
                            verdict);
}

} // namespace

PreflightSettings PreflightSettings::fromEnvironment(const Environment &variables, bool secure,
                                                     const std::vector<std::string> &libraryDirs) {
  PreflightSettings settings;
  std::string_view mode = variables.get("KILN_BACKEND_PREFLIGHT", "1");
  std::optional<bool> isOn = parseSwitch(mode);
  settings.mode = mode == "always" ? Mode::Always : isOn.value_or(true) ? Mode::FirstTime : Mode::Off;
  if (mode != "always" && !isOn)
    settings.problems.push_back(
        fmt::format("KILN_BACKEND_PREFLIGHT: '{}'; expected 0, 1 or always; 1 is used", mode));
  if (std::optional<std::string_view> text = variables.find("KILN_BACKEND_PREFLIGHT_TIMEOUT")) {
    double seconds = 0;
    auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
    if (error == std::errc() && end == text->data() + text->size() && seconds > 0 && seconds <= 86400)
      settings.timeout = std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000) + 1);
    else
      settings.problems.push_back(
          fmt::format("KILN_BACKEND_PREFLIGHT_TIMEOUT: '{}'; expected seconds, above 0; 20 is used", *text));
  }
  if (secure)
    settings.mode = Mode::Off; // its libraries are root's; the cache's folder is the caller's
  if (std::string cache = cacheFolder(variables); !cache.empty())
    settings.verdictFolder = cache + "/preflight";
  for (const std::string &folder : libraryDirs)
    if (std::string program = folder + "/kiln/kiln-preflight";
        settings.program.empty() && access(program.c_str(), X_OK) == 0)
      settings.program = program;
  return settings;
}

Result<ChildOutcome> tryInChild(const PreflightSettings &settings, const std::string &manifest,
                                const char *mode, const std::vector<std::string> &directories) {
  if (settings.program.empty())
    return notFound(
        "kiln-preflight is not installed; it belongs into the folder kiln beside libkiln_runtime");
  std::vector<std::string> arguments = {settings.program, manifest, mode};
  arguments.insert(arguments.end(), directories.begin(), directories.end());
  return runChild(arguments, childEnvironment(), settings.timeout);
}

std::string describeTrial(const ChildOutcome &outcome) {
  if (outcome.end == ChildOutcome::End::Exited && outcome.code == kPreflightFilesClosed)
    return "found files of its process closed after the load";
  std::string part, said;
  for (const std::string &line : splitList(outcome.errors, "\n")) {
    if (!line.starts_with(kLoadComponent)) {
      said = line;
      continue;
    }
    std::string text = line.substr(kLoadComponent.size()); // "NAME: PART (LIBRARY)"
    size_t start = text.find(": ");
    part = text.substr(start == std::string::npos ? 0 : start + 2);
    said.clear();
  }
  return outcome.describe() + (part.empty() ? "" : " during " + part) + (said.empty() ? "" : ": " + said);
}

Status preflight(const Manifest &manifest, Tier tier, const PreflightSettings &settings) {
  if (settings.mode == PreflightSettings::Mode::Off || settings.program.empty())
    return {};
  const bool isRuntime = tier == Tier::Runtime;
  const std::string library = isRuntime ? manifest.libraryPath() : manifest.compilerPath();
  std::string path = verdictPath(library, tier, settings);
  if (settings.mode == PreflightSettings::Mode::FirstTime && !path.empty())
    if (std::string verdict = readVerdict(path); !verdict.empty())
      return verdictStatus(verdict);
  logInfo("backend", "preflight: trying '{}' in a child process", library);
  Result<ChildOutcome> trial = tryInChild(settings, manifest.path, isRuntime ? "runtime" : "compiler", {});
  if (!trial.ok() || trial->end == ChildOutcome::End::Lost) {
    logWarn("backend", "preflight of '{}' is left out: {}", library,
            trial.ok() ? trial->describe() : trial.status().message());
    return {};
  }
  // The line counts, since a constructor that exits does so with any code; then the end of the destructors.
  std::vector<std::string> lines = splitList(trial->output, "\n");
  auto end = std::find(lines.begin(), lines.end(), kPreflightEnd);
  bool survives = end != lines.end() && trial->end == ChildOutcome::End::Exited && trial->code == 0;
  std::string verdict = survives ? std::string(kSurvives) : describeTrial(*trial);
  if (survives && end != lines.begin())
    logWarn("backend", "'{}' writes to the standard output while it is loaded: '{}'", library,
            clipped(lines.front()));
  if (!path.empty())
    writeVerdict(path, verdict);
  return verdictStatus(verdict);
}

} // namespace kiln
