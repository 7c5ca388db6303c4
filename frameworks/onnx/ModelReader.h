// ModelReader.h: from a model's bytes to its parsed form.
#ifndef KILN_ONNX_MODELREADER_H
#define KILN_ONNX_MODELREADER_H

#include "frameworks/onnx/schema/onnx.pb.h"
#include "kiln/Status.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kiln::onnx {

/// A parsed model. Its large weights still lie in the bytes it was read from, which `source` keeps alive.
/// Immutable; held by shared_ptr so that weights can keep it alive.
struct Model {
  ModelProto proto;
  std::vector<std::optional<llvm::ArrayRef<char>>> rawData; // see StrippedModel
  std::shared_ptr<const void> source;
};

/// Messages inside messages that are followed: every subgraph takes three.
inline constexpr int kMaxNesting = 100;

/// Parses `bytes`, kept alive by `source`. InvalidArgument if they are not an ONNX model.
Result<std::shared_ptr<const Model>> readModel(llvm::ArrayRef<char> bytes,
                                               std::shared_ptr<const void> source);

/// Whether the bytes start as a serialized ModelProto does. Cheap; never looks past the first fields.
bool looksLikeModel(llvm::ArrayRef<char> bytes);

} // namespace kiln::onnx
#endif // KILN_ONNX_MODELREADER_H
