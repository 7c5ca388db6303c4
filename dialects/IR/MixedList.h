// MixedList.h: lists of indices of which some are numbers and some are values, as the shape ops have them.
#ifndef KILN_IR_MIXEDLIST_H
#define KILN_IR_MIXEDLIST_H

#include "dialects/IR/Checks.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace kiln {

/// Checks a mixed list: `length` entries (unless negative), a value for each dynamic one, no number below
/// `least`.
mlir::LogicalResult checkMixedList(Emit emit, llvm::StringRef name, llvm::ArrayRef<int64_t> numbers,
                                   size_t valueCount, int64_t length, int64_t least = 0);

/// The list as attributes and values.
llvm::SmallVector<mlir::OpFoldResult> mixedList(mlir::Operation *op, llvm::ArrayRef<int64_t> numbers,
                                                mlir::ValueRange values);

/// Moves constants among `values` into the numbers, if they are at least `least` (others are left to a
/// run-time check). Returns the new numbers, or nothing if there is none to move. `constants` are those of
/// fold().
std::optional<llvm::SmallVector<int64_t>> foldMixedList(mlir::MutableOperandRange values,
                                                        llvm::ArrayRef<int64_t> numbers,
                                                        llvm::ArrayRef<mlir::Attribute> constants,
                                                        int64_t least = 0);

/// `extents` as reifyResultShapes gives them for `type`: attributes where the type is static, else values.
mlir::LogicalResult reifyExtents(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                                 llvm::ArrayRef<mlir::OpFoldResult> extents,
                                 mlir::ReifiedRankedShapedTypeDims &shapes);

} // namespace kiln
#endif // KILN_IR_MIXEDLIST_H
