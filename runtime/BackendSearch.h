// BackendSearch.h: where manifests are looked for, in what order, and which names are filtered out.
#ifndef KILN_RUNTIME_BACKENDSEARCH_H
#define KILN_RUNTIME_BACKENDSEARCH_H

#include "kiln/Status.h"
#include "runtime/Preflight.h"

#include <string>
#include <string_view>
#include <vector>

namespace kiln {

enum class AutoloadMode { ByEnvironment, On, Off };

/// What a search depends on, so that tests choose it. Plain data.
struct SearchEnvironment {
  Environment variables{Environment::Variables{}};
  bool secure = false;                  // AT_SECURE: set-user-id and the like
  std::vector<std::string> libraryDirs; // candidates for <dir>/kiln/backends.d, the runtime's own first
  std::vector<std::string> systemDirs;  // /etc/kiln/backends.d ...
  PreflightSettings preflight;
  static SearchEnvironment process();
};

/// What the API asks for. Plain data.
struct SearchRequest {
  std::vector<std::string> files, directories; // searched first, in this order
  std::vector<std::string> packageDirectories; // handed over by Python packages: site-packages/kiln_backends
  AutoloadMode autoload = AutoloadMode::ByEnvironment;
};

/// One folder or file that was looked at, or that a rule kept from being looked at.
struct SearchPlace {
  std::string path, foundBy; // foundBy: "KILN_BACKEND_PATH", "system"
  std::string problem;       // why nothing was taken from it; "" if it was read
};

struct FoundManifest {
  std::string path, foundBy;
};

struct BackendSearchResult {
  std::vector<SearchPlace> places;
  std::vector<FoundManifest> files; // first name wins
  bool autoloadIsOn = true;
  std::vector<std::string> warnings;
};

/// Lists manifests in the order of docs/autoload.md: files and directories of the API, KILN_BACKEND_FILES
/// (replaces what follows) or KILN_BACKEND_PATH, folders of Python packages, the runtime's own folder, the
/// user's data folder, the system's.
BackendSearchResult searchBackends(const SearchRequest &request, const SearchEnvironment &environment);

/// Empty, or why a privileged process must not trust the file: others could have written it.
std::string whyUntrusted(const std::string &path);

/// Which backends may be used: KILN_BACKENDS_SELECT and KILN_BACKENDS_DISABLE, lists of globs on the name.
/// Immutable; safe from any thread.
class BackendFilter {
public:
  explicit BackendFilter(const Environment &environment);
  /// "" if the name passes, else why not: "matches 'n*' of KILN_BACKENDS_DISABLE".
  std::string reasonAgainst(std::string_view name) const;

private:
  std::vector<std::string> select, disable;
  bool hasSelect = false;
};

/// Splits at any of `separators`, trims blanks, drops empty parts.
std::vector<std::string> splitList(std::string_view text, std::string_view separators);
bool matchesGlob(const std::string &pattern, std::string_view text);
/// A switch: 1 on true yes, 0 off false no; nothing if it is neither.
std::optional<bool> parseSwitch(std::string_view text);

} // namespace kiln
#endif // KILN_RUNTIME_BACKENDSEARCH_H
