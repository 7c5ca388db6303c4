// MappedFile.h: a file's bytes, mapped read-only.
#ifndef KILN_ONNX_MAPPEDFILE_H
#define KILN_ONNX_MAPPEDFILE_H

#include "kiln/Status.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>

namespace kiln::onnx {

/// A read-only mapping of a whole regular file. Owns the mapping; immutable, so safe from any thread.
class MappedFile {
public:
  /// NotFound or PermissionDenied as the system says; InvalidArgument if it is not a regular file.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  llvm::ArrayRef<char> bytes() const { return {data, size}; }

private:
  MappedFile(const char *data, size_t size) : data(data), size(size) {}
  const char *data;
  size_t size;
};

} // namespace kiln::onnx
#endif // KILN_ONNX_MAPPEDFILE_H
