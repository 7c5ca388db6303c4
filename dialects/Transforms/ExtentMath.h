// ExtentMath.h: arithmetic on extents of which some are numbers and some are values.
#ifndef KILN_DIALECTS_TRANSFORMS_EXTENTMATH_H
#define KILN_DIALECTS_TRANSFORMS_EXTENTMATH_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace kiln {

/// Builds arith ops on extents at the builder's place; numbers are computed now. A small value type that
/// refers to its builder; for one thread.
class ExtentMath {
public:
  using Extent = mlir::OpFoldResult;

  ExtentMath(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  Extent constant(int64_t value) const { return builder.getIndexAttr(value); }
  mlir::Value value(Extent extent) const;
  Extent add(Extent a, Extent b) const;
  Extent sub(Extent a, Extent b) const;
  Extent mul(Extent a, Extent b) const;
  Extent max(Extent a, Extent b) const;
  /// Quotients of a positive divisor, rounded down and up.
  Extent floorDiv(Extent a, int64_t b) const;
  Extent ceilDiv(Extent a, Extent b) const;
  Extent ceilDiv(Extent a, int64_t b) const { return ceilDiv(a, constant(b)); }

private:
  template <typename Op, typename Compute> Extent binary(Extent a, Extent b, Compute compute) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace kiln

#endif // KILN_DIALECTS_TRANSFORMS_EXTENTMATH_H
