// KilnBuilder.h: builds kiln ops whose operands and attributes come from a model and may be wrong.
#ifndef KILN_ONNX_KILNBUILDER_H
#define KILN_ONNX_KILNBUILDER_H

#include "frameworks/onnx/IndexMath.h"
#include "frameworks/onnx/TensorData.h"
#include "frameworks/onnx/WeightStore.h"
#include "kiln/IR/Kiln.h"

namespace kiln::onnx {

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// Builds ops at the end of a block: the function's, or that of the innermost InBlock. Where MLIR's create()
/// would abort on an inference that fails, make() returns what the op's own checks say. For one thread;
/// borrows context, block and weights.
class KilnBuilder {
public:
  KilnBuilder(mlir::Block *block, WeightStore &weights);

  /// The location of everything that is built from now on.
  void setLocation(mlir::Location location);
  mlir::Location location() const { return loc; }
  mlir::OpBuilder &builder() { return opBuilder; }
  IndexMath &math() { return indexMath; }
  mlir::MLIRContext *context() { return opBuilder.getContext(); }

  /// An op with one result, whose type is inferred, verified.
  template <typename Op>
  Result<mlir::Value> make(mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return make(mlir::OperationName(Op::getOperationName(), context()), operands, attributes, {});
  }
  /// The same for an op whose result type is not (only) inferred.
  template <typename Op>
  Result<mlir::Value> makeOfType(mlir::Type type, mlir::ValueRange operands,
                                 llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return make(mlir::OperationName(Op::getOperationName(), context()), operands, attributes, type);
  }

  /// An op with several results, whose types are inferred, verified.
  template <typename Op>
  Result<mlir::ResultRange> makeMany(unsigned results, mlir::ValueRange operands,
                                     llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    KILN_ASSIGN_OR_RETURN(mlir::Operation * op,
                          create(mlir::OperationName(Op::getOperationName(), context()), operands, attributes,
                                 llvm::SmallVector<mlir::Type>(results)));
    return op->getResults();
  }

  // Attributes for make().
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value);
  mlir::NamedAttribute integer(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute real(llvm::StringRef name, double value);
  mlir::NamedAttribute flag(llvm::StringRef name); // a unit attribute
  mlir::NamedAttribute integers(llvm::StringRef name, llvm::ArrayRef<int64_t> values);

  /// Builds at the end of `block` while it lives.
  class InBlock {
  public:
    InBlock(KilnBuilder &build, mlir::Block *block) : guard(build.opBuilder) {
      build.opBuilder.setInsertionPointToEnd(block);
    }

  private:
    mlir::OpBuilder::InsertionGuard guard;
  };
  mlir::Block *currentBlock() const { return opBuilder.getInsertionBlock(); }

  /// The extent of one axis: known, that of a function argument or of the op that decides it. Built where
  /// the tensor is, so that all who see the tensor may use it.
  Extent dim(mlir::Value tensor, int64_t axis);
  Extents shape(mlir::Value tensor);

  // Constants. One in all weights' bytes or splat becomes a kiln.constant, a larger one a kiln.weight.
  mlir::Value constant(const TensorData &data, llvm::StringRef label);
  /// A tensor of rank 0.
  mlir::Value scalar(mlir::Type elementType, double value);
  mlir::Value vector(llvm::ArrayRef<int64_t> values); // tensor<Nxi64>
  /// At most 64 extents as data: a tensor of rank 1, or of rank 0 if `isScalar`.
  mlir::Value fromElements(llvm::ArrayRef<Extent> elements, bool isScalar, mlir::Type elementType);

  // Shape ops, left out where they would change nothing.
  Result<mlir::Value> reshape(mlir::Value x, llvm::ArrayRef<Extent> shape);
  Result<mlir::Value> transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  Result<mlir::Value> broadcast(mlir::Value x, llvm::ArrayRef<Extent> shape);
  Result<mlir::Value> reverse(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  Result<mlir::Value> concat(mlir::ValueRange values, int64_t axis);
  Result<mlir::Value> slice(mlir::Value x, llvm::ArrayRef<Extent> offsets, llvm::ArrayRef<Extent> sizes,
                            llvm::ArrayRef<Extent> strides);
  /// `size` elements of one axis from `offset` on.
  Result<mlir::Value> sliceAxis(mlir::Value x, int64_t axis, Extent offset, Extent size);
  /// `mode` is constant (with `value`), edge, reflect or wrap.
  Result<mlir::Value> pad(mlir::Value x, llvm::ArrayRef<Extent> low, llvm::ArrayRef<Extent> high,
                          llvm::StringRef mode, mlir::Value value);
  Result<mlir::Value> iota(mlir::Type elementType, llvm::ArrayRef<Extent> shape, int64_t axis);
  Result<mlir::Value> convert(mlir::Value x, mlir::Type elementType);
  /// `direction` as kiln.compare spells it.
  Result<mlir::Value> compare(llvm::StringRef direction, mlir::Value a, mlir::Value b);

  // What is known of extents. forget() goes back to what was known then: ops made since may be erased.
  using Axis = std::pair<mlir::Value, int64_t>;
  struct Knowledge {
    // An axis has the extent of an axis of an earlier value (never itself a key), or one that was built.
    llvm::DenseMap<Axis, Axis> origins;
    llvm::DenseMap<Axis, Extent> extents;
  };
  Knowledge knowledge() const { return known; }
  void forget(Knowledge since) { known = std::move(since); }

private:
  Result<mlir::Value> make(mlir::OperationName name, mlir::ValueRange operands,
                           llvm::ArrayRef<mlir::NamedAttribute> attributes, mlir::Type type);
  /// Types are inferred where the first is null.
  Result<mlir::Operation *> create(mlir::OperationName name, mlir::ValueRange operands,
                                   llvm::ArrayRef<mlir::NamedAttribute> attributes,
                                   llvm::ArrayRef<mlir::Type> types);
  /// Notes where the extents of a new op's result come from: what dim() answers without asking the result
  /// itself.
  void recordOrigins(mlir::OpResult result);
  /// Splits extents into a static list (kDynamic where not known) and operands. Fails if one is negative or
  /// huge.
  Result<llvm::SmallVector<int64_t>> split(llvm::ArrayRef<Extent> extents,
                                           llvm::SmallVectorImpl<mlir::Value> &operands);

  mlir::OpBuilder opBuilder;
  IndexMath indexMath;
  WeightStore &weights;
  mlir::Location loc;
  Knowledge known;
};

} // namespace kiln::onnx
#endif // KILN_ONNX_KILNBUILDER_H
