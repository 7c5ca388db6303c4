// FileOps.cpp: openat2 keeps links out of every component; who owns a folder decides whether it is believed.
#include "runtime/cache/FileOps.h"

#include "runtime/Error.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <linux/openat2.h>
#include <memory>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kiln {

namespace {

int result(int value) { return value < 0 ? -errno : value; }

// Empty if a file or folder with these attributes may be believed.
std::string whyUnsafe(const struct stat &info, bool readOnly) {
  if (info.st_uid != ::geteuid() && !(readOnly && info.st_uid == 0))
    return fmt::format("owned by user {}; expected {}", info.st_uid, ::geteuid());
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return fmt::format("writable by group or others (mode {:o}); expected 0700", info.st_mode & 07777);
  return {};
}

Status systemError(int error, const std::string &path, const char *action) {
  std::string text = fmt::format("'{}': cannot {}: {}", path, action, std::strerror(error));
  switch (error) {
  case ENOENT:
    return Status(Code::NotFound, text);
  case EACCES:
  case EPERM:
  case EROFS:
  case ELOOP:
    return Status(Code::PermissionDenied, text);
  case ENOSPC:
  case EDQUOT:
    return Status(Code::ResourceExhausted, text);
  default:
    return Status(Code::Unknown, text);
  }
}

} // namespace

FileHandle::~FileHandle() {
  if (fd >= 0)
    ::close(fd);
}

FileOps &FileOps::system() {
  static FileOps *const system = new FileOps();
  return *system;
}

int FileOps::openAt(int folder, const char *path, int flags, mode_t mode) {
  open_how how = {};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC);
  how.mode = flags & O_CREAT ? mode : 0;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH;
  long fd = ::syscall(SYS_openat2, folder, path, &how, sizeof(how));
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
    return result(static_cast<int>(fd));
  return result(::openat(folder, path, flags | O_CLOEXEC | O_NOFOLLOW, mode)); // an old kernel, or a sandbox
}

int64_t FileOps::write(int fd, const void *bytes, size_t size) {
  ssize_t written = ::write(fd, bytes, size);
  return written < 0 ? -errno : written;
}

int64_t FileOps::read(int fd, void *bytes, size_t size, uint64_t offset) {
  ssize_t got = ::pread(fd, bytes, size, static_cast<off_t>(offset));
  return got < 0 ? -errno : got;
}

int FileOps::renameAt(int folder, const char *from, const char *to) {
  return result(::renameat(folder, from, folder, to));
}
int FileOps::unlinkAt(int folder, const char *path) { return result(::unlinkat(folder, path, 0)); }
int FileOps::mkdirAt(int folder, const char *path, mode_t mode) {
  return result(::mkdirat(folder, path, mode));
}
int FileOps::statAt(int folder, const char *path, struct stat &info) {
  return result(::fstatat(folder, path, &info, AT_SYMLINK_NOFOLLOW));
}
int FileOps::stat(int fd, struct stat &info) { return result(::fstat(fd, &info)); }
int FileOps::touch(int fd) { return result(::futimens(fd, nullptr)); }
int FileOps::tryLock(int fd) { return result(::flock(fd, LOCK_EX | LOCK_NB)); }
int FileOps::unlock(int fd) { return result(::flock(fd, LOCK_UN)); }
int64_t FileOps::nowS() { return ::time(nullptr); }

Result<FileHandle> openCacheFolder(FileOps &files, const std::string &path, bool create) {
  if (create) {
    std::error_code error;
    std::filesystem::path parent = std::filesystem::path(path).parent_path();
    if (!parent.empty())
      std::filesystem::create_directories(parent, error); // what it cannot make fails below
    if (int made = files.mkdirAt(AT_FDCWD, path.c_str(), 0700); made < 0 && made != -EEXIST)
      return systemError(-made, path, "make the folder");
  }
  int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return systemError(errno, path, "open the folder");
  FileHandle folder(fd);
  struct stat info = {};
  if (int error = files.stat(fd, info); error < 0)
    return systemError(-error, path, "look at the folder");
  if (std::string unsafe = whyUnsafe(info, !create); !unsafe.empty())
    return permissionDenied("'{}': {}", path, unsafe);
  return folder;
}

Result<OwnedBytes> readCacheFile(FileOps &files, int folder, const std::string &path, uint64_t mapFrom,
                                 struct stat &info) {
  int fd = files.openAt(folder, path.c_str(), O_RDONLY | O_NONBLOCK, 0);
  if (fd < 0)
    return systemError(-fd, path, "open");
  FileHandle file(fd);
  if (int error = files.stat(fd, info); error < 0)
    return systemError(-error, path, "look at");
  if (!S_ISREG(info.st_mode))
    return permissionDenied("'{}': not a regular file", path);
  if (std::string unsafe = whyUnsafe(info, /*readOnly=*/true); !unsafe.empty())
    return permissionDenied("'{}': {}", path, unsafe);
  auto size = static_cast<size_t>(info.st_size);
  if (size >= mapFrom && size > 0) {
    void *memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (memory == MAP_FAILED)
      return systemError(errno, path, "map");
    std::shared_ptr<const void> owner(memory, [size](void *p) { ::munmap(p, size); });
    return OwnedBytes{{static_cast<const uint8_t *>(memory), size}, std::move(owner)};
  }
  auto memory = std::shared_ptr<void>(std::aligned_alloc(64, (size + 64) / 64 * 64), std::free);
  if (!memory)
    return resourceExhausted("'{}': no memory for {} bytes", path, size);
  size_t have = 0;
  while (have < size) {
    int64_t got = files.read(fd, static_cast<char *>(memory.get()) + have, size - have, have);
    if (got == -EINTR)
      continue;
    if (got < 0)
      return systemError(static_cast<int>(-got), path, "read");
    if (got == 0)
      break; // it has shrunk: the entry's own checks say so
    have += static_cast<size_t>(got);
  }
  return OwnedBytes{{static_cast<const uint8_t *>(memory.get()), have}, std::move(memory)};
}

int visitFolder(FileOps &files, int folder, const char *path,
                const std::function<void(const char *name)> &visit) {
  int fd = files.openAt(folder, path, O_RDONLY | O_DIRECTORY, 0);
  if (fd < 0)
    return fd;
  std::unique_ptr<DIR, int (*)(DIR *)> listing(::fdopendir(fd), ::closedir);
  if (!listing) {
    int error = errno;
    ::close(fd);
    return -error;
  }
  while (const dirent *entry = ::readdir(listing.get()))
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
      visit(entry->d_name);
  return 0;
}

} // namespace kiln
