// GraphScope.h: the values of a graph by name.
#ifndef KILN_ONNX_GRAPHSCOPE_H
#define KILN_ONNX_GRAPHSCOPE_H

#include "frameworks/onnx/ShapeValue.h"
#include "frameworks/onnx/TensorData.h"

#include "llvm/ADT/StringMap.h"

namespace kiln::onnx {

/// What a name of the graph stands for. One of the first five is set, by whoever defines it; `tensor` is
/// added when an op needs it. A sequence is a list of values that the importer knows, or as many elements of
/// one shape as `stack` has along its first axis. `unsupported`: some node on the way cannot be imported,
/// nothing else is known.
struct GraphValue {
  mlir::Value tensor;
  std::optional<ShapeValue> shape;
  std::optional<TensorData> data;
  std::shared_ptr<const std::vector<GraphValue>> sequence; // has no type: only few operators take one
  mlir::Value stack;
  bool unsupported = false;
  mlir::Block *home = nullptr; // where `tensor` is built, so that all who see the name may use it

  mlir::RankedTensorType type() const {
    if (tensor)
      return mlir::cast<mlir::RankedTensorType>(tensor.getType());
    return shape ? shape->type() : data->type;
  }
  bool isSequence() const { return sequence || stack; }
  /// Whether this is what the other stands for, seen without looking far.
  bool isSame(const GraphValue &other) const;
};

/// The names of one graph, those of the graphs around it behind them. Single static assignment is checked
/// here, graph by graph. Owns the values; for one thread.
class GraphScope {
public:
  /// Values are built in `block` unless they say otherwise; `outer`, if there is one, outlives the scope.
  explicit GraphScope(mlir::Block *block, GraphScope *outer = nullptr) : block(block), outer(outer) {}

  /// InvalidArgument if the name is taken in this graph, or empty.
  Status define(llvm::StringRef name, GraphValue value);
  /// The innermost value of this name; null if there is none (yet).
  GraphValue *find(llvm::StringRef name);

private:
  mlir::Block *block;
  GraphScope *outer;
  llvm::StringMap<GraphValue> values; // entries do not move
};

} // namespace kiln::onnx
#endif // KILN_ONNX_GRAPHSCOPE_H
