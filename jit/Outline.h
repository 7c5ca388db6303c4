// Outline.h: moves a group of ops into a kiln.kernel and launches it.
#ifndef KILN_JIT_OUTLINE_H
#define KILN_JIT_OUTLINE_H

#include "jit/ExtentResolver.h"
#include "jit/Fusion.h"
#include "kiln/IR/Kiln.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace kiln::jit {

/// Attribute of a launch: the source locations of its kernel's ops, by op number.
inline constexpr llvm::StringLiteral kOpLocationsAttr = "kiln.op_locations";

/// Attribute of ops in a kernel that say how an argument lies in memory: they compute nothing and have no
/// part in names.
inline constexpr llvm::StringLiteral kLayoutAttr = "kiln.layout";

/// The name that a kernel has for its ops and its first result's type: "matmul_add_relu_1x128xf32". Names do
/// not depend on the model.
std::string kernelBaseName(KernelOp kernel);

/// The location of op number `index` of a kernel: line index + 1 of "kernel". Debug information of the object
/// maps its code to these lines.
mlir::Location opNumberLocation(mlir::MLIRContext *context, unsigned index);

/// Makes kernels at the end of a module; equal ones become one symbol. Used by one thread.
class Outliner {
public:
  explicit Outliner(mlir::ModuleOp module) : module(module), symbols(module) {}
  /// Replaces the group's ops by a launch at the place of the last one.
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
