// TemporaryFolder.h: a folder of its own for one test, and entries to put into a cache there.
#ifndef KILN_TESTS_UNIT_CACHE_TEMPORARYFOLDER_H
#define KILN_TESTS_UNIT_CACHE_TEMPORARYFOLDER_H

#include "runtime/cache/CacheDirectory.h"

#include <filesystem>
#include <vector>

namespace kiln::testing {

/// Removed with all that is in it.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string path(std::string_view below = "") const {
    return below.empty() ? folder : folder + "/" + std::string(below);
  }

private:
  std::string folder;
};

ByteSpan spanOf(std::string_view text);
std::string textOf(ByteSpan bytes);

/// The address of a kernel for "fake", by a text that stands for its key.
EntryAddress addressOf(std::string_view text, EntryKind kind = EntryKind::Kernel);
/// An entry there whose payload is `payload`.
EncodedEntry entryOf(const EntryAddress &address, const std::string &payload);

std::string readWhole(const std::filesystem::path &path);
void writeWhole(const std::filesystem::path &path, std::string_view bytes);
/// The files below a folder, relative to it, sorted.
std::vector<std::string> filesBelow(const std::string &folder);

} // namespace kiln::testing
#endif // KILN_TESTS_UNIT_CACHE_TEMPORARYFOLDER_H
