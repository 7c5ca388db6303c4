// Products.h: which factors a sum of products takes, and what it gives.
#ifndef KILN_DIALECTS_IR_PRODUCTS_H
#define KILN_DIALECTS_IR_PRODUCTS_H

#include "dialects/IR/Checks.h"

namespace kiln {

/// Element types that a product takes: equal ones, or any two 8-bit integers.
inline mlir::LogicalResult checkFactors(Emit emit, llvm::StringRef first, mlir::Type a,
                                        llvm::StringRef second, mlir::Type b) {
  auto isByte = [](mlir::Type type) {
    auto integer = mlir::dyn_cast<mlir::IntegerType>(type);
    return integer && integer.getWidth() == 8;
  };
  if (a == b || (isByte(a) && isByte(b)))
    return mlir::success();
  return emit() << "expects '" << first << "' and '" << second
                << "' of one element type or of 8-bit integers, got " << a << " and " << b;
}

/// The element type of a sum of products: i32 for narrow integers, else the factors' own.
inline mlir::Type productType(mlir::Type factor) {
  auto integer = mlir::dyn_cast<mlir::IntegerType>(factor);
  return integer && integer.getWidth() < 32 ? mlir::IntegerType::get(factor.getContext(), 32) : factor;
}

} // namespace kiln

#endif // KILN_DIALECTS_IR_PRODUCTS_H
