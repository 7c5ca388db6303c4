// IndexMath.h: arithmetic on extents, folded where it is known.
#ifndef KILN_ONNX_INDEXMATH_H
#define KILN_ONNX_INDEXMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include <map>
#include <optional>

namespace kiln::onnx {

/// A number that is known now (an IntegerAttr) or when the program runs (an index value).
using Extent = mlir::OpFoldResult;
using Extents = llvm::SmallVector<Extent>;

/// Builds arithmetic on extents at the builder's insertion point; constants are made once, at the start of
/// the block. Integers wrap at 64 bits, as ONNX's do. For one thread; borrows the builder.
class IndexMath {
public:
  IndexMath(mlir::OpBuilder &builder, mlir::Block *block) : builder(builder), block(block) {}
  void setLocation(mlir::Location location) { loc = location; }

  Extent constant(int64_t value) { return builder.getIndexAttr(value); }
  Extents constants(llvm::ArrayRef<int64_t> values);
  /// As an index value, for op operands.
  mlir::Value value(Extent extent);

  Extent add(Extent a, Extent b);
  Extent sub(Extent a, Extent b);
  Extent mul(Extent a, Extent b);
  /// Rounds towards zero; the divisor is known not to be 0.
  Extent div(Extent a, Extent b);
  /// Rounds up; the divisor is known to be positive and the dividend not to be negative.
  Extent ceilDiv(Extent a, int64_t b);
  /// Remainder with the sign of the divisor, which is known to be positive.
  Extent mod(Extent a, int64_t b);
  Extent min(Extent a, Extent b);
  Extent max(Extent a, Extent b);
  /// `position`, counted from the end of `extent` elements if it is negative.
  Extent fromFront(Extent position, Extent extent);
  /// 1 or 0.
  Extent compare(mlir::arith::CmpIPredicate predicate, Extent a, Extent b);
  Extent select(Extent condition, Extent ifTrue, Extent ifFalse);
  /// Whether it is not 0, as an i1.
  mlir::Value flag(Extent condition);
  /// The product; equal factors of `dividend` and `divisor` cancel before anything is built. The rest is
  /// divided.
  Extent quotientOfProducts(llvm::ArrayRef<Extent> dividend, llvm::ArrayRef<Extent> divisor);
  Extent product(llvm::ArrayRef<Extent> factors) { return quotientOfProducts(factors, {}); }

  static std::optional<int64_t> known(Extent extent) { return mlir::getConstantIntValue(extent); }
  static bool isKnown(Extent extent, int64_t value) { return mlir::isConstantIntValue(extent, value); }

private:
  mlir::OpBuilder &builder;
  mlir::Block *block;
  mlir::Location loc = builder.getUnknownLoc();
  std::map<int64_t, mlir::Value> constantValues; // any number may come: DenseMap has none to spare
};

} // namespace kiln::onnx
#endif // KILN_ONNX_INDEXMATH_H
