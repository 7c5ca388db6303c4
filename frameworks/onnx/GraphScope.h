// GraphScope.h: the values of a graph by name.
#ifndef KILN_ONNX_GRAPHSCOPE_H
#define KILN_ONNX_GRAPHSCOPE_H

#include "frameworks/onnx/ShapeValue.h"
#include "frameworks/onnx/TensorData.h"

#include "llvm/ADT/StringMap.h"

namespace kiln::onnx {

/// What a name of the graph stands for. One of the three is set first, by whoever defines it; `tensor` is
/// added when an op needs it. `unsupported`: some node on the way cannot be imported, nothing else is known.
struct GraphValue {
  mlir::Value tensor;
  std::optional<ShapeValue> shape;
  std::optional<TensorData> data;
  bool unsupported = false;

  mlir::RankedTensorType type() const {
    if (tensor)
      return mlir::cast<mlir::RankedTensorType>(tensor.getType());
    return shape ? shape->type() : data->type;
  }
};

/// The names of one graph. Single static assignment is checked here; owns the values; for one thread.
class GraphScope {
public:
  /// InvalidArgument if the name is taken or empty.
  Status define(llvm::StringRef name, GraphValue value);
  /// Null if there is no such value (yet).
  GraphValue *find(llvm::StringRef name);

private:
  llvm::StringMap<GraphValue> values; // entries do not move
};

} // namespace kiln::onnx
#endif // KILN_ONNX_GRAPHSCOPE_H
