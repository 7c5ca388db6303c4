// WireFormat.h: takes the weights out of a serialized model before protobuf copies them.
#ifndef KILN_ONNX_WIREFORMAT_H
#define KILN_ONNX_WIREFORMAT_H

#include "kiln/Status.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace kiln::onnx {

/// A model without the payloads of its large initializers.
struct StrippedModel {
  std::string message; // a serialized ModelProto
  /// By index of the main graph's initializers: the raw_data that was left out, pointing into the input.
  std::vector<std::optional<llvm::ArrayRef<char>>> rawData;
};

/// Payloads from this size on are left out; below it a copy is cheaper than a gap.
inline constexpr size_t kStripBytes = 1024;

/// Copies `bytes`, a serialized ModelProto, without the raw_data fields of the main graph's large
/// initializers. InvalidArgument, with the byte offset, if the bytes on the way there are not protobuf's wire
/// format.
Result<StrippedModel> stripPayloads(llvm::ArrayRef<char> bytes);

} // namespace kiln::onnx
#endif // KILN_ONNX_WIREFORMAT_H
