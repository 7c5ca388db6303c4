// Fp8.h: formulas that convert the 8-bit floats, which no device computes in.
#ifndef KILN_IR_FP8_H
#define KILN_IR_FP8_H

#include "dialects/IR/Scalar.h"

namespace kiln {

inline bool isFp8(mlir::Type type) { return mlir::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type); }

/// fp8 as f32, exactly.
Scalar decodeFp8(Scalar x);

/// f32 as fp8: to nearest, halves to even. What is beyond the largest number, infinity too, becomes that
/// number if `isSaturating`, else infinity, or NaN where the format has none.
Scalar encodeFp8(Scalar x, mlir::Type to, bool isSaturating);

/// An f64 as an f32 whose rounding to a narrower float gives what rounding the f64 would; others as they are.
Scalar roundedToOdd(Scalar x);

} // namespace kiln
#endif // KILN_IR_FP8_H
