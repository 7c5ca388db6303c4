// kiln/jit/LaunchConstants.h: a kernel's index values as expressions over its launch constants, and back.
#ifndef KILN_JIT_LAUNCHCONSTANTS_H
#define KILN_JIT_LAUNCHCONSTANTS_H

#include "kiln/jit/KernelObjectBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OpDefinition.h"

namespace kiln::jit {

/// The constants of a kernel whose function takes buffers (results as trailing ones): its index
/// arguments, then the dynamic extents of its memref arguments from left to right. Refers to the function's
/// arguments; plain data.
class LaunchConstants {
public:
  explicit LaunchConstants(mlir::func::FuncOp func);

  size_t count() const { return sources.size(); }
  /// `value` as an expression; nothing if it depends on more than constants.
  std::optional<LaunchExpr> express(mlir::OpFoldResult value) const;
  /// The bytes of a memref argument.
  LaunchExpr bytes(mlir::BlockArgument argument) const;
  /// The values of the constants at the builder's insertion point.
  llvm::SmallVector<mlir::Value> values(mlir::OpBuilder &builder, mlir::Location loc) const;

private:
  struct Source {
    mlir::BlockArgument argument;
    std::optional<unsigned> dim; // none: the argument itself
  };
  std::optional<LaunchExpr> extent(mlir::Value memref, unsigned dim) const;
  llvm::SmallVector<Source> sources;
  mlir::ArrayAttr elementTypes; // of the bindings; null if not noted
};

/// Emits an expression on the values of the constants.
mlir::Value buildExpr(mlir::OpBuilder &builder, mlir::Location loc, const LaunchExpr &expr,
                      mlir::ValueRange constants);

/// An expression as an attribute of the kernel's function: [op, value, op, value ...].
mlir::DenseI64ArrayAttr exprToAttr(mlir::MLIRContext *context, const LaunchExpr &expr);
LaunchExpr exprFromAttr(mlir::DenseI64ArrayAttr attr);

} // namespace kiln::jit
#endif // KILN_JIT_LAUNCHCONSTANTS_H
