// Composer.h: short forms for the kiln ops that replace one composite.
#ifndef KILN_DIALECTS_TRANSFORMS_COMPOSER_H
#define KILN_DIALECTS_TRANSFORMS_COMPOSER_H

#include "dialects/IR/Checks.h"
#include "dialects/Transforms/LinalgBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace kiln {

/// Builds where its rewriter stands and computes in the accumulator type of `x`: f32 for f16 and bf16. A
/// small value type that refers to its rewriter; for one thread.
class Composer {
public:
  using Value = mlir::Value;
  using Sizes = llvm::SmallVector<mlir::OpFoldResult>;

  Composer(mlir::RewriterBase &rewriter, mlir::Location loc, Value x)
      : rewriter(rewriter), loc(loc), element(tensorType(x).getElementType()),
        compute(accumulatorType(element)) {}

  template <typename Op, typename... Args> Value make(Args &&...args) {
    return rewriter.create<Op>(loc, std::forward<Args>(args)...);
  }
  Value widened(Value value) { return converted(value, compute); }
  Value rounded(Value value) { return converted(value, element); }
  /// `value` instead of what `op` computes: rounded, and of its type, which may know less than the parameters
  /// do.
  template <typename Op> void replace(Op op, Value value) {
    value = rounded(value);
    if (value.getType() != op.getType())
      value = make<mlir::tensor::CastOp>(op.getType(), value);
    rewriter.replaceOp(op, value);
  }
  Value converted(Value value, mlir::Type type) {
    return tensorType(value).getElementType() == type ? value : make<ConvertOp>(value, type);
  }
  /// A tensor of rank 0 of the type that is computed in.
  Value constant(double number) {
    auto type = mlir::RankedTensorType::get({}, compute);
    return make<ConstantOp>(mlir::DenseElementsAttr::get(type, rewriter.getFloatAttr(compute, number)));
  }
  Value reduce(ReduceKind kind, Value value, llvm::ArrayRef<int64_t> axes, bool keepdims = true) {
    return make<ReduceOp>(kind, value, axes, keepdims);
  }

  // Extents and shapes.
  mlir::OpFoldResult number(int64_t value) { return rewriter.getIndexAttr(value); }
  mlir::OpFoldResult size(Value value, int64_t axis) {
    return mlir::tensor::getMixedSize(rewriter, loc, value, axis);
  }
  Sizes sizes(Value value) { return mlir::tensor::getMixedSizes(rewriter, loc, value); }
  /// a * b, computed now if both are numbers.
  mlir::OpFoldResult product(mlir::OpFoldResult a, mlir::OpFoldResult b) {
    std::optional<int64_t> m = mlir::getConstantIntValue(a), n = mlir::getConstantIntValue(b);
    if (m && n)
      return number(*m * *n);
    return rewriter.createOrFold<mlir::arith::MulIOp>(loc, index(a), index(b));
  }
  Value index(mlir::OpFoldResult extent) {
    return mlir::getValueOrCreateConstantIndexOp(rewriter, loc, extent);
  }
  Value reshape(Value value, llvm::ArrayRef<mlir::OpFoldResult> sizes) {
    return make<ReshapeOp>(value, sizes);
  }
  Value transpose(Value value, llvm::ArrayRef<int64_t> perm) { return make<TransposeOp>(value, perm); }
  Value concat(mlir::ValueRange values, int64_t axis) { return make<ConcatOp>(values, axis); }
  /// `size` elements of one axis from `offset` on.
  Value sliceAxis(Value value, int64_t axis, mlir::OpFoldResult offset, mlir::OpFoldResult size) {
    Sizes extents = sizes(value), offsets(extents.size(), number(0)), strides(extents.size(), number(1));
    offsets[axis] = offset;
    extents[axis] = size;
    return make<SliceOp>(value, offsets, extents, strides);
  }

  // Parts of the normalisations.
  /// `parameter`, [c], as [c, 1..] with `trailing` ones: it lines up with axis 1 of an NC* tensor.
  Value channelwise(Value parameter, int64_t trailing) {
    parameter = widened(parameter);
    if (trailing == 0)
      return parameter;
    Sizes sizes{size(parameter, 0)};
    sizes.append(trailing, number(1));
    return reshape(parameter, sizes);
  }
  /// (value - mean) / sqrt(variance + epsilon) over `axes`.
  Value standardized(Value value, llvm::ArrayRef<int64_t> axes, double epsilon) {
    Value centered = make<SubOp>(value, reduce(ReduceKind::Mean, value, axes));
    Value variance = reduce(ReduceKind::Mean, make<MulOp>(centered, centered), axes);
    return make<MulOp>(centered, inverseRoot(variance, epsilon));
  }
  Value inverseRoot(Value variance, double epsilon) {
    return make<RsqrtOp>(make<AddOp>(variance, constant(epsilon)));
  }
  /// value * scale + bias, either absent.
  Value scaled(Value value, Value scale, Value bias) {
    if (scale)
      value = make<MulOp>(value, scale);
    return bias ? make<AddOp>(value, bias) : value;
  }

  mlir::Type computeType() const { return compute; }

protected:
  mlir::RewriterBase &rewriter;
  mlir::Location loc;
  mlir::Type element, compute;
};

} // namespace kiln

#endif // KILN_DIALECTS_TRANSFORMS_COMPOSER_H
