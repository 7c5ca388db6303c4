// FileOps.h: the system calls that the cache makes of a file system, replaceable for tests of their failures.
#ifndef KILN_RUNTIME_CACHE_FILEOPS_H
#define KILN_RUNTIME_CACHE_FILEOPS_H

#include "kiln/Status.h"
#include "runtime/Bytes.h"

#include <cstdint>
#include <functional>
#include <string>
#include <sys/stat.h>
#include <utility>

namespace kiln {

/// A file descriptor that closes itself; -1: none.
class FileHandle {
public:
  FileHandle() = default;
  explicit FileHandle(int fd) : fd(fd) {}
  FileHandle(FileHandle &&other) noexcept : fd(std::exchange(other.fd, -1)) {}
  FileHandle &operator=(FileHandle &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~FileHandle();
  int get() const { return fd; }
  explicit operator bool() const { return fd >= 0; }

private:
  int fd = -1;
};

/// Calls of the kernel, each 0 or a result at least 0, or -errno. Paths are relative to a folder's
/// descriptor; no component of one may be a symbolic link. Threads: safe from any thread.
class FileOps {
public:
  virtual ~FileOps() = default;
  virtual int openAt(int folder, const char *path, int flags, mode_t mode);
  virtual int64_t write(int fd, const void *bytes, size_t size);
  virtual int64_t read(int fd, void *bytes, size_t size, uint64_t offset);
  virtual int renameAt(int folder, const char *from, const char *to);
  virtual int unlinkAt(int folder, const char *path);
  virtual int mkdirAt(int folder, const char *path, mode_t mode);
  virtual int statAt(int folder, const char *path, struct stat &info); // of a link itself
  virtual int stat(int fd, struct stat &info);
  virtual int touch(int fd); // modified now
  /// flock; never waits: -EWOULDBLOCK.
  virtual int tryLock(int fd);
  virtual int unlock(int fd);
  virtual int64_t nowS(); // since 1970; may jump

  static FileOps &system();
};

/// The folder of an absolute or relative path, made with mode 0700 if `create`. Links are followed up to its
/// last component. PermissionDenied: a link, owned by somebody else (root may own what is only read), or
/// writable by group or others; else the reason of the system.
Result<FileHandle> openCacheFolder(FileOps &files, const std::string &path, bool create);

/// A regular file's bytes, mapped if it has `mapFrom` bytes or more, else read. Turned down as
/// openCacheFolder does: PermissionDenied. NotFound; Unknown with the system's reason.
Result<OwnedBytes> readCacheFile(FileOps &files, int folder, const std::string &path, uint64_t mapFrom,
                                 struct stat &info);

/// Calls `visit` with the name of each entry of a folder but "." and "..". 0 or -errno.
int visitFolder(FileOps &files, int folder, const char *path,
                const std::function<void(const char *name)> &visit);

} // namespace kiln
#endif // KILN_RUNTIME_CACHE_FILEOPS_H
