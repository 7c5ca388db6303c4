// Probe.cpp: PCI ids from sysfs, device files by glob, variables by name.
#include "runtime/Probe.h"

#include "runtime/BackendSearch.h"
#include "runtime/Error.h"

#include <algorithm>
#include <chrono>
#include <dirent.h>
#include <fstream>
#include <glob.h>

namespace kiln {

namespace {

constexpr std::chrono::milliseconds kPciReadingLasts(100);

// "0x19e5\n" -> "19e5"
std::string readId(const std::string &path) {
  std::ifstream stream(path);
  std::string text;
  stream >> text;
  return text.starts_with("0x") ? text.substr(2) : text;
}

// "19e5:d802" of every device. Twenty manifests ask for twenty patterns at once: the bus is read once for all
// of them, and again a moment later, since devices come and go. By thread, so that a fork finds no lock.
const std::vector<std::string> &pciIds(const std::string &root) {
  struct Reading {
    std::string root;
    std::chrono::steady_clock::time_point time;
    std::vector<std::string> ids;
  };
  thread_local Reading last;
  auto now = std::chrono::steady_clock::now();
  if (last.root == root && now - last.time < kPciReadingLasts)
    return last.ids;
  last = {root, now, {}};
  if (DIR *stream = opendir(root.c_str())) {
    while (dirent *entry = readdir(stream))
      if (std::string folder = root + "/" + entry->d_name; entry->d_name[0] != '.')
        last.ids.push_back(readId(folder + "/vendor") + ":" + readId(folder + "/device"));
    closedir(stream);
  }
  return last.ids;
}

bool hasPciDevice(const std::string &pattern, const std::string &root) {
  const std::vector<std::string> &ids = pciIds(root);
  return std::any_of(ids.begin(), ids.end(), [&](const std::string &id) { return matchesGlob(pattern, id); });
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
