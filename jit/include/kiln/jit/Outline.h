// kiln/jit/Outline.h: moves a group of ops into a kiln.kernel and launches it; for stage form, jit's own or a
// backend's.
#ifndef KILN_JIT_OUTLINE_H
#define KILN_JIT_OUTLINE_H

#include "kiln/IR/Kiln.h"
#include "kiln/jit/ExtentResolver.h"
#include "kiln/jit/Fusion.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace kiln::jit {

/// Attribute of a launch, an ArrayAttr of locations: the model's, of its kernel's ops, by op number. Errors,
/// names and debug information of the launch come from it.
inline constexpr llvm::StringLiteral kOpLocationsAttr = "kiln.op_locations";

/// Unit attribute of a transpose or reshape that says how a kernel's argument or result lies in memory: it
/// moves into the kernel with its only reader or its producer, computes nothing there and has no part in
/// names. Set by a backend's stage form, which undoes it in its own lowering.
inline constexpr llvm::StringLiteral kLayoutAttr = "kiln.layout";

/// The name that a kernel has for its ops and its first result's type: "matmul_add_relu_1x128xf32". Does not
/// depend on the model; not unique.
std::string kernelBaseName(KernelOp kernel);

/// The location of op number `index` (from 0) of a kernel: line index + 1 of "kernel", since one kernel
/// serves several models. Debug information of the object maps its code to these lines; a launch's table to
/// the model's (kOpLocationsAttr).
mlir::Location opNumberLocation(mlir::MLIRContext *context, unsigned index);

/// Makes kernels at the end of a module; equal ones become one symbol. Borrows the module. Used by one
/// thread.
class Outliner {
public:
  explicit Outliner(mlir::ModuleOp module) : module(module), symbols(module) {}
  /// Replaces the group's ops, one of planFusion's, by a launch at the place of the last one, and erases
  /// them. Constants that may enter a kernel are copied into it, everything else becomes an argument. Ask
  /// `extents` for the results of all groups before the first is outlined: later nobody knows what shapes the
  /// ops made. Fails, with a diagnostic, where a dynamic extent of a result cannot be had; nothing has
  /// changed then.
  mlir::LogicalResult outline(const FusionGroup &group, ExtentResolver &extents);

private:
  KernelOp build(const FusionGroup &group, llvm::ArrayRef<mlir::Value> inputs,
                 llvm::ArrayRef<mlir::Operation *> constants);
  KernelOp shared(KernelOp kernel);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::StringMap<KernelOp> byText;
};

} // namespace kiln::jit
#endif // KILN_JIT_OUTLINE_H
