// ExternalFiles.h: the files beside a model that hold its weights.
#ifndef KILN_ONNX_EXTERNALFILES_H
#define KILN_ONNX_EXTERNALFILES_H

#include "frameworks/onnx/MappedFile.h"
#include "frameworks/onnx/schema/onnx.pb.h"

#include "llvm/ADT/StringMap.h"

namespace kiln::onnx {

/// Maps a model's external files, each once. What it hands out keeps the mapping alive. For one thread.
class ExternalFiles {
public:
  /// `modelPath` is "" for a model that came as bytes: it cannot have external data.
  explicit ExternalFiles(llvm::StringRef modelPath) : modelPath(modelPath) {}

  struct Range {
    llvm::ArrayRef<char> bytes;
    std::shared_ptr<const void> owner;
  };
  /// The range that the tensor's external_data entries name. InvalidArgument for an absolute location, one
  /// with
  /// `..`, a link that leaves the model's folder, an offset or length that is no number or reaches past the
  /// file, a missing file.
  Result<Range> read(const TensorProto &tensor);

private:
  Result<std::shared_ptr<const MappedFile>> open(llvm::StringRef location);

  std::string modelPath;
  llvm::StringMap<std::shared_ptr<const MappedFile>> files;
};

} // namespace kiln::onnx
#endif // KILN_ONNX_EXTERNALFILES_H
