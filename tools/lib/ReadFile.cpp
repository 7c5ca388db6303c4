// ReadFile.cpp: by iostreams, after a look at what the path names.
#include "tools/lib/ReadFile.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace kiln::tools {

Result<std::vector<std::byte>> readFile(const std::string &path) {
  std::error_code error;
  std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    return Status(Code::NotFound, fmt::format("'{}': no such file", path));
  if (!std::filesystem::is_regular_file(status))
    return Status(Code::InvalidArgument,
                  fmt::format("'{}': is {}; expected a file", path,
                              std::filesystem::is_directory(status) ? "a folder" : "no regular file"));
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file)
    return Status(Code::Unavailable, fmt::format("'{}': {}", path, std::strerror(errno)));
  std::vector<std::byte> bytes(static_cast<size_t>(file.tellg()));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    return Status(Code::DataLoss, fmt::format("'{}': ended early", path));
  return bytes;
}

} // namespace kiln::tools
