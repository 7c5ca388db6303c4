// Fixtures.h: what the autoload tests share: temporary folders, backends of tests/plugins, a log that is
// kept.
#ifndef KILN_TESTS_UNIT_AUTOLOAD_FIXTURES_H
#define KILN_TESTS_UNIT_AUTOLOAD_FIXTURES_H

#include "runtime/BackendRegistry.h"
#include "runtime/Log.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace kiln::testing {

/// A folder that is removed at the end of the test.
class TempFolder {
public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kiln-XXXXXX").string();
    root = mkdtemp(pattern.data());
  }
  ~TempFolder() { std::filesystem::remove_all(root); }
  std::string path(const std::string &name = "") const { return name.empty() ? root : root + "/" + name; }
  std::string write(const std::string &name, const std::string &text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

private:
  std::string root;
};

inline std::string readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline std::string addressOf(void (*function)()) {
  return std::to_string(reinterpret_cast<uintptr_t>(function));
}

/// The folder of a backend of tests/plugins.
inline std::string pluginFolder(const std::string &name) { return KILN_TEST_PLUGINS "/" + name; }

/// Copies a backend of tests/plugins into `folder`, a library file of its own, its manifest changed by
/// `edit`.
template <typename Edit> void copyPlugin(const TempFolder &folder, const std::string &name, Edit edit) {
  std::string library = "libkiln_" + name + ".so", manifest = name + ".kiln.json";
  std::filesystem::copy_file(pluginFolder(name) + "/" + library, folder.path(library));
  nlohmann::json json = nlohmann::json::parse(readFile(pluginFolder(name) + "/" + manifest));
  edit(json);
  folder.write(manifest, json.dump(2));
}
inline void copyPlugin(const TempFolder &folder, const std::string &name) {
  copyPlugin(folder, name, [](nlohmann::json &) {});
}

/// An environment with nothing but these variables: no system folders, no folder beside the program.
inline SearchEnvironment bareEnvironment(Environment::Variables variables = {}) {
  SearchEnvironment environment;
  environment.variables = Environment(std::move(variables));
  return environment;
}

/// Keeps warnings instead of writing them.
class KeptLog {
public:
  KeptLog() {
    setLogSinkForTesting(
        [this](KilnLogLevel, std::string_view, std::string_view line) { lines.emplace_back(line); },
        LogFilter());
  }
  ~KeptLog() { setLogSinkForTesting(nullptr, {}); }
  std::vector<std::string> lines;
};

/// A registry over API folders.
inline Result<BackendRegistry *> registryOver(std::vector<std::string> folders,
                                              Environment::Variables variables = {}) {
  BackendRegistry::Options options;
  options.directories = std::move(folders);
  return BackendRegistry::create(options, bareEnvironment(std::move(variables)));
}

inline BackendReport reportOf(const BackendRegistry &registry, const std::string &name) {
  for (BackendReport &report : registry.backends())
    if (report.name == name)
      return report;
  return {};
}

inline bool isMapped(const std::string &fileName) {
  return readFile("/proc/self/maps").find(fileName) != std::string::npos;
}

} // namespace kiln::testing
#endif // KILN_TESTS_UNIT_AUTOLOAD_FIXTURES_H
