// TemporaryFolder.cpp: mkdtemp, and whole files.
#include "tests/unit/cache/TemporaryFolder.h"

#include "runtime/Sha256.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace kiln::testing {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "kiln-cache-XXXXXX").string();
  folder = ::mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
}

ByteSpan spanOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

std::string textOf(ByteSpan bytes) { return {reinterpret_cast<const char *>(bytes.data()), bytes.size()}; }

EntryAddress addressOf(std::string_view text, EntryKind kind) {
  return {kind, *EntryKey::fromHex(Sha256::of(text)), "fake"};
}

EncodedEntry entryOf(const EntryAddress &address, const std::string &payload) {
  EntryInfo info;
  info.name = "entry";
  return *encodeEntry(address.kind, address.key, info, spanOf(payload), EntryLayout::Compact);
}

std::string readWhole(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void writeWhole(const std::filesystem::path &path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::vector<std::string> filesBelow(const std::string &folder) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files.push_back(std::filesystem::relative(entry.path(), folder).string());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace kiln::testing
