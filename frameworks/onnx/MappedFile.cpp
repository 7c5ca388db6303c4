// MappedFile.cpp: open, fstat, mmap.
#include "frameworks/onnx/MappedFile.h"

#include "frameworks/onnx/Errors.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln::onnx {

namespace {
Status systemError(const std::string &path, int error) {
  Code code = error == ENOENT ? Code::NotFound : error == EACCES ? Code::PermissionDenied : Code::Unavailable;
  return Status(code, path + ": " + std::strerror(error));
}
} // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string &path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return systemError(path, errno);
  struct stat info{};
  void *address = nullptr;
  int error = 0;
  if (::fstat(fd, &info) != 0)
    error = errno;
  else if (S_ISREG(info.st_mode) && info.st_size > 0) {
    address = ::mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (address == MAP_FAILED)
      error = errno;
  }
  ::close(fd);
  if (error)
    return systemError(path, error);
  if (!S_ISREG(info.st_mode))
    return invalid("{0}: not a regular file", path);
  return std::shared_ptr<const MappedFile>(
      new MappedFile(static_cast<const char *>(address), static_cast<size_t>(info.st_size)));
}

MappedFile::~MappedFile() {
  if (size)
    ::munmap(const_cast<char *>(data), size);
}

} // namespace kiln::onnx
