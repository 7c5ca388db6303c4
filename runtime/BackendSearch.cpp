// BackendSearch.cpp: walks the places in order; folders are read with readdir and sorted bytewise.
#include "runtime/BackendSearch.h"

#include "runtime/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fnmatch.h>
#include <map>
#include <sys/auxv.h>
#include <sys/stat.h>

namespace kiln {

namespace {

constexpr std::string_view kSuffix = ".kiln.json";
constexpr const char *kBlanks = " \t\n";

// Where the code of this function was loaded from: libkiln_runtime.so, or a program that links it statically.
std::string ownFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&ownFolder), &info) || !info.dli_fname)
    return "";
  // A program that was found by PATH has no folder in its name.
  const char *name = strchr(info.dli_fname, '/') ? info.dli_fname : "/proc/self/exe";
  char *resolved = realpath(name, nullptr);
  if (!resolved)
    return "";
  std::string path = resolved;
  free(resolved);
  return path.substr(0, path.rfind('/'));
}

class Searcher {
public:
  Searcher(const SearchEnvironment &environment, BackendSearchResult &result)
      : environment(environment), result(result) {}

  /// `ignored`: a rule that keeps the place from being looked at; "" if there is none.
  void addFile(const std::string &path, const char *foundBy, const std::string &ignored = "") {
    if (!ignored.empty())
      return result.places.push_back({path, foundBy, ignored});
    std::string problem = environment.secure ? whyUntrusted(path) : "";
    struct stat info;
    if (problem.empty() && stat(path.c_str(), &info) != 0)
      problem = strerror(errno);
    result.places.push_back({path, foundBy, problem});
    if (problem.empty())
      result.files.push_back({path, foundBy});
    else
      result.warnings.push_back(fmt::format("backend manifest '{}' ({}): {}", path, foundBy, problem));
  }

  /// `asked`: somebody named this folder, so its absence is worth a warning.
  void addFolder(const std::string &folder, const char *foundBy, bool asked,
                 const std::string &ignored = "") {
    if (std::any_of(result.places.begin(), result.places.end(),
                    [&](const SearchPlace &place) { return place.path == folder; }))
      return;
    if (!ignored.empty())
      return result.places.push_back({folder, foundBy, ignored});
    // The same folder under another spelling or through a link: its backends would shadow themselves.
    struct stat info;
    if (stat(folder.c_str(), &info) == 0) {
      auto [first, isNew] = folders.emplace(std::pair(info.st_dev, info.st_ino), folder);
      if (!isNew)
        return result.places.push_back({folder, foundBy, "the same folder as " + first->second});
    }
    std::string problem = environment.secure ? whyUntrusted(folder) : "";
    std::vector<std::string> names;
    if (problem.empty())
      problem = listManifests(folder, names);
    result.places.push_back({folder, foundBy, problem});
    std::string warning = problem.empty() && names.empty() ? fmt::format("no *{} in it", kSuffix) : problem;
    if (!warning.empty() && asked)
      result.warnings.push_back(fmt::format("backend folder '{}' ({}): {}", folder, foundBy, warning));
    for (const std::string &name : names) {
      std::string path = folder + "/" + name;
      std::string untrusted = environment.secure ? whyUntrusted(path) : "";
      if (untrusted.empty())
        result.files.push_back({path, foundBy});
      else
        result.warnings.push_back(fmt::format("backend manifest '{}' ({}): {}", path, foundBy, untrusted));
    }
  }

private:
  // The names of manifests, sorted bytewise; gives why the folder cannot be read, or "".
  static std::string listManifests(const std::string &folder, std::vector<std::string> &names) {
    DIR *stream = opendir(folder.c_str());
    if (!stream)
      return strerror(errno);
    while (dirent *entry = readdir(stream))
      if (std::string_view name = entry->d_name; name.ends_with(kSuffix) && name.size() > kSuffix.size())
        names.emplace_back(name);
    closedir(stream);
    std::sort(names.begin(), names.end());
    return "";
  }
  const SearchEnvironment &environment;
  BackendSearchResult &result;
  std::map<std::pair<dev_t, ino_t>, std::string> folders; // that were read, by identity
};

bool autoloadIsOn(AutoloadMode mode, const Environment &variables, BackendSearchResult &result) {
  if (mode != AutoloadMode::ByEnvironment)
    return mode == AutoloadMode::On;
  std::optional<std::string_view> text = variables.find("KILN_BACKEND_AUTOLOAD");
  if (!text || text->empty())
    return true;
  if (std::optional<bool> on = parseSwitch(*text))
    return *on;
  result.warnings.push_back(
      fmt::format("KILN_BACKEND_AUTOLOAD: '{}'; expected 1 or 0; autoload stays on", *text));
  return true;
}

std::string userDataFolder(const Environment &variables) {
  std::string_view data = variables.get("XDG_DATA_HOME");
  if (!data.empty() && data[0] == '/')
    return std::string(data) + "/kiln/backends.d";
  std::string_view home = variables.get("HOME");
  return home.empty() ? "" : std::string(home) + "/.local/share/kiln/backends.d";
}

} // namespace

SearchEnvironment SearchEnvironment::process() {
  SearchEnvironment environment;
  environment.variables = Environment::process();
  environment.secure = getauxval(AT_SECURE) != 0;
  if (std::string folder = ownFolder(); !folder.empty())
    environment.libraryDirs = {folder,
                               folder.substr(0, folder.rfind('/')) + "/lib"}; // of a library, of a program
  environment.systemDirs = {"/etc/kiln/backends.d", "/usr/local/share/kiln/backends.d",
                            "/usr/share/kiln/backends.d"};
  environment.preflight =
      PreflightSettings::fromEnvironment(environment.variables, environment.secure, environment.libraryDirs);
  return environment;
}

BackendSearchResult searchBackends(const SearchRequest &request, const SearchEnvironment &environment) {
  BackendSearchResult result;
  Searcher searcher(environment, result);
  const Environment &variables = environment.variables;
  for (const std::string &file : request.files)
    searcher.addFile(file, "API");
  for (const std::string &folder : request.directories)
    searcher.addFolder(folder, "API", true);

  // What keeps a place out, for jit-info paths: all of them, those that a user can write, those after FILES.
  result.autoloadIsOn = autoloadIsOn(request.autoload, variables, result);
  const std::string off = result.autoloadIsOn ? "" : "not searched: autoload is off";
  const std::string ofUser = !off.empty()         ? off
                             : environment.secure ? "not searched: this process is privileged"
                                                  : "";
  const std::string_view files = variables.get("KILN_BACKEND_FILES"); // set to nothing: as if it were not set
  const bool isReplaced = !files.empty() && ofUser.empty();
  auto unlessReplaced = [&](const std::string &ignored) {
    return ignored.empty() && isReplaced ? "not searched: KILN_BACKEND_FILES replaces it" : ignored;
  };
  for (const std::string &file : splitList(files, ":"))
    searcher.addFile(file, "KILN_BACKEND_FILES", ofUser);
  for (const std::string &folder : splitList(variables.get("KILN_BACKEND_PATH"), ":"))
    searcher.addFolder(folder, "KILN_BACKEND_PATH", true, unlessReplaced(ofUser));
  for (const std::string &folder : request.packageDirectories)
    searcher.addFolder(folder, "Python package", true, unlessReplaced(ofUser));
  for (const std::string &folder : environment.libraryDirs)
    searcher.addFolder(folder + "/kiln/backends.d", "beside the runtime", false, unlessReplaced(ofUser));
  if (std::string folder = userDataFolder(variables); !folder.empty())
    searcher.addFolder(folder, "user data folder", false, unlessReplaced(ofUser));
  for (const std::string &folder : environment.systemDirs)
    searcher.addFolder(folder, "system", false, unlessReplaced(off));
  return result;
}

std::string whyUntrusted(const std::string &path) {
  char *resolved = realpath(path.c_str(), nullptr);
  if (!resolved)
    return strerror(errno);
  std::string part = resolved;
  free(resolved);
  // The file itself, then every folder above it: who can rename one of them can put another file there. In a
  // sticky folder (/tmp) others cannot rename what root owns.
  for (bool isFile = true;; isFile = false) {
    struct stat info;
    if (stat(part.c_str(), &info) != 0)
      return strerror(errno);
    std::string where = isFile ? "" : part + " is ";
    if (info.st_uid != 0)
      return where + "not owned by root, in a privileged process";
    bool isSticky = !isFile && (info.st_mode & S_ISVTX);
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) && !isSticky)
      return where + "writable by others, in a privileged process";
    if (part == "/")
      return "";
    part.resize(std::max<size_t>(part.rfind('/'), 1));
  }
}

BackendFilter::BackendFilter(const Environment &environment)
    : select(splitList(environment.get("KILN_BACKENDS_SELECT"), ",")),
      disable(splitList(environment.get("KILN_BACKENDS_DISABLE"), ",")) {
  hasSelect = !select.empty();
}

std::string BackendFilter::reasonAgainst(std::string_view name) const {
  for (const std::string &pattern : select)
    if (matchesGlob(pattern, name))
      return ""; // SELECT beats DISABLE
  if (hasSelect)
    return fmt::format("matches none of KILN_BACKENDS_SELECT={}", fmt::join(select, ","));
  for (const std::string &pattern : disable)
    if (matchesGlob(pattern, name))
      return fmt::format("matches '{}' of KILN_BACKENDS_DISABLE", pattern);
  return "";
}

std::vector<std::string> splitList(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t end = std::min(text.find_first_of(separators), text.size());
    std::string_view part = text.substr(0, end);
    size_t first = part.find_first_not_of(kBlanks);
    if (first != std::string_view::npos)
      parts.emplace_back(part.substr(first, part.find_last_not_of(kBlanks) - first + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool matchesGlob(const std::string &pattern, std::string_view text) {
  return fnmatch(pattern.c_str(), std::string(text).c_str(), 0) == 0;
}

std::optional<bool> parseSwitch(std::string_view text) {
  for (std::string_view yes : {"1", "on", "true", "yes"})
    if (text == yes)
      return true;
  for (std::string_view no : {"0", "off", "false", "no"})
    if (text == no)
      return false;
  return std::nullopt;
}

} // namespace kiln
