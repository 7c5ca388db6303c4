// Probe.cpp: PCI ids from sysfs, device files by glob, variables by name.
#include "runtime/Probe.h"

#include "runtime/BackendSearch.h"
#include "runtime/Error.h"

#include <dirent.h>
#include <fstream>
#include <glob.h>

namespace kiln {

namespace {

// "0x19e5\n" -> "19e5"
std::string readId(const std::string &path) {
  std::ifstream stream(path);
  std::string text;
  stream >> text;
  return text.starts_with("0x") ? text.substr(2) : text;
}

bool hasPciDevice(const std::string &pattern, const std::string &root) {
  DIR *stream = opendir(root.c_str());
  if (!stream)
    return false;
  bool found = false;
  while (dirent *entry = found ? nullptr : readdir(stream)) {
    if (entry->d_name[0] == '.')
      continue;
    std::string folder = root + "/" + entry->d_name;
    found = matchesGlob(pattern, readId(folder + "/vendor") + ":" + readId(folder + "/device"));
  }
  closedir(stream);
  return found;
}

bool hasFile(const std::string &pattern) {
  glob_t matches;
  bool found = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &matches) == 0 && matches.gl_pathc > 0;
  globfree(&matches);
  return found;
}

} // namespace

std::string whyAbsent(const ManifestDevice &device, const Environment &environment,
                      const std::string &pciRoot) {
  std::vector<std::string> missed;
  for (const ProbeCondition &condition : device.probe) {
    switch (condition.kind) {
    case ProbeCondition::Kind::Always:
      return "";
    case ProbeCondition::Kind::PciId:
      if (hasPciDevice(condition.pattern, pciRoot))
        return "";
      missed.push_back("no PCI device " + condition.pattern);
      break;
    case ProbeCondition::Kind::File:
      if (hasFile(condition.pattern))
        return "";
      missed.push_back("no file " + condition.pattern);
      break;
    case ProbeCondition::Kind::Variable:
      // Names other than KILN_'s are not in the snapshot.
      if (environment.find(condition.pattern) || getenv(condition.pattern.c_str()))
        return "";
      missed.push_back("no environment variable " + condition.pattern);
      break;
    }
  }
  return fmt::format("{}", fmt::join(missed, ", "));
}

} // namespace kiln
