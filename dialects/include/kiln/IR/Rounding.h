// kiln/IR/Rounding.h: the mark of a multiplication whose rounding is part of what an op means.
#ifndef KILN_IR_ROUNDING_H
#define KILN_IR_ROUNDING_H

#include "llvm/ADT/StringRef.h"

namespace kiln {

/// A unit attribute of an `arith.mulf` in a lowered body: a target must round the product before it is added
/// to anything, even where it makes fused multiply-adds of others. `kiln.dequantize` sets it: what it yields
/// is compared with halves.
inline constexpr llvm::StringLiteral kRoundedAttr = "kiln.rounded";

} // namespace kiln
#endif // KILN_IR_ROUNDING_H
