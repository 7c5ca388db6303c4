// TensorData.h: a constant tensor of a model: type, shape and bytes.
#ifndef KILN_ONNX_TENSORDATA_H
#define KILN_ONNX_TENSORDATA_H

#include "frameworks/onnx/ExternalFiles.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <vector>

namespace kiln::onnx {

/// A constant: dense, row-major, little-endian; booleans and 4-bit integers take a byte an element.
/// `owner` keeps `bytes` alive: a mapped file, the parsed model or a buffer. Immutable once made.
struct TensorData {
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;

  int64_t numElements() const { return type.getNumElements(); }
  /// Whether all elements have the same bytes (and there is one at least).
  bool isSplat() const;
  /// The elements as integers; nullopt unless the type is an integer or boolean.
  std::optional<std::vector<int64_t>> integers() const;
  /// The elements as doubles, whatever the type.
  std::vector<double> doubles() const;
  /// As a weight's bytes: 4-bit integers are packed two to a byte, the first one low.
  TensorData packed() const;
  /// As an attribute for kiln.constant; a splat is stored as one.
  mlir::DenseElementsAttr attribute() const;

  /// A constant with its own bytes.
  static TensorData fromBytes(mlir::RankedTensorType type, std::string bytes);
  static TensorData fromIntegers(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> values);
};

/// Elements that a tensor may have: more is taken for nonsense.
inline constexpr int64_t kMaxElements = int64_t(1) << 40;
/// Whether the known extents of a shape stay below it.
bool fitsElementLimit(llvm::ArrayRef<int64_t> shape);

/// The constant that `tensor` describes. `rawData` stands for its raw_data if that was stripped; `owner`
/// keeps `tensor` and `rawData` alive. InvalidArgument: bytes or dims are wrong; Unimplemented: the element
/// type.
Result<TensorData> readTensor(mlir::MLIRContext *context, const TensorProto &tensor,
                              std::optional<llvm::ArrayRef<char>> rawData, std::shared_ptr<const void> owner,
                              ExternalFiles &files);

} // namespace kiln::onnx
#endif // KILN_ONNX_TENSORDATA_H
