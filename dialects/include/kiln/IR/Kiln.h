// kiln/IR/Kiln.h: the kiln dialect and its ops.
#ifndef KILN_IR_KILN_H
#define KILN_IR_KILN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln {

/// Whether the types agree element by element and every static extent that both know.
bool compatibleTypes(mlir::TypeRange lhs, mlir::TypeRange rhs);

/// The shape that numpy broadcasting gives, with `?` where it is not known; failure if extents conflict.
mlir::FailureOr<llvm::SmallVector<int64_t>> broadcastShapes(llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes);

/// Checks that the op's operands broadcast to one shape.
mlir::LogicalResult verifyBroadcast(mlir::Operation *op);

/// The result type of the op `name`, which does; if the operands do not, fails, with an error at `location`.
mlir::LogicalResult inferBroadcast(std::optional<mlir::Location> location, llvm::StringRef name,
                                   mlir::ValueRange operands, mlir::Type element,
                                   llvm::SmallVectorImpl<mlir::Type> &types);

/// What these ops ask of their element types.
mlir::LogicalResult verifyBitcast(mlir::Operation *op);
mlir::LogicalResult verifyConvert(mlir::Operation *op);
mlir::LogicalResult verifyQuantize(mlir::Operation *op);
mlir::LogicalResult verifyDequantize(mlir::Operation *op);

/// The extents of that result, of type `result`: attributes where it is static, else arithmetic on the
/// operands' extents. Dynamic extents that meet are taken to be equal.
llvm::SmallVector<mlir::OpFoldResult> broadcastExtents(mlir::OpBuilder &builder, mlir::Location loc,
                                                       mlir::ValueRange operands,
                                                       mlir::RankedTensorType result);

/// Whether `op` is a kiln op whose result types follow from its operands.
bool hasInferredTypes(mlir::Operation *op);

/// The types that such an op infers from `operands`, with the static extents that only its present types
/// know. Fails if the operands do not fit together or the types conflict; reported at `location`, if there is
/// one.
mlir::FailureOr<llvm::SmallVector<mlir::Type>> sharpenedTypes(mlir::Operation *op, mlir::ValueRange operands,
                                                              std::optional<mlir::Location> location);

/// `value` before casts to less precise types.
mlir::Value withoutCast(mlir::Value value);

/// a + b, computed now if both are numbers.
mlir::OpFoldResult addExtents(mlir::OpBuilder &builder, mlir::Location loc, mlir::OpFoldResult a,
                              mlir::OpFoldResult b);

} // namespace kiln

#include "kiln/IR/KilnDialect.h.inc"
#include "kiln/IR/KilnEnums.h.inc"
#include "kiln/IR/KilnInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/IR/KilnAttrs.h.inc"

#define GET_OP_CLASSES
#include "kiln/IR/KilnOps.h.inc"

#endif // KILN_IR_KILN_H
