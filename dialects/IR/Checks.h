// Checks.h: what the verifiers and inferReturnTypes of several families share.
#ifndef KILN_DIALECTS_IR_CHECKS_H
#define KILN_DIALECTS_IR_CHECKS_H

#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"

namespace kiln {

/// The diagnostic of a failed check, or silence: an InFlightDiagnostic without a location takes no text.
/// Plain value.
class CheckError {
public:
  CheckError() = default;
  CheckError(mlir::InFlightDiagnostic &&diagnostic) : diagnostic(std::move(diagnostic)) {}

  template <typename Part> CheckError &&operator<<(Part &&part) && {
    if (diagnostic)
      *diagnostic << std::forward<Part>(part);
    return std::move(*this);
  }
  operator mlir::LogicalResult() const { return mlir::failure(); }

private:
  std::optional<mlir::InFlightDiagnostic> diagnostic;
};

/// Starts the diagnostic of a failed check.
using Emit = llvm::function_ref<CheckError()>;

/// What inferReturnTypes of the op `name` emits with: the op's error at `location`, or silence without one.
inline auto inferenceError(std::optional<mlir::Location> location, llvm::StringRef name) {
  return [location, name]() -> CheckError {
    if (!location)
      return {};
    return mlir::emitError(*location) << "'" << name << "' op ";
  };
}
template <typename Op> auto inferenceError(std::optional<mlir::Location> location) {
  return inferenceError(location, Op::getOperationName());
}

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

inline mlir::LogicalResult checkAxis(Emit emit, int64_t axis, int64_t rank, llvm::StringRef name = "axis") {
  if (axis >= -rank && axis < rank)
    return mlir::success();
  return emit() << "expects '" << name << "' in [" << -rank << ", " << rank << "), got " << axis;
}

inline mlir::LogicalResult checkEpsilon(Emit emit, const llvm::APFloat &epsilon) {
  if (epsilon.isFinite() && !epsilon.isNegative())
    return mlir::success();
  return emit() << "expects 'epsilon' finite and >= 0, got " << epsilon.convertToDouble();
}

/// Counts a negative axis from the end.
inline int64_t fromFront(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

/// Whether two extents can be equal.
inline bool agree(int64_t a, int64_t b) {
  return a == b || mlir::ShapedType::isDynamic(a) || mlir::ShapedType::isDynamic(b);
}

} // namespace kiln

#endif // KILN_DIALECTS_IR_CHECKS_H
