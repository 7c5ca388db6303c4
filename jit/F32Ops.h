// F32Ops.h: which ops of a model go on in f32 when its tensors become narrower.
#ifndef KILN_JIT_F32OPS_H
#define KILN_JIT_F32OPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseSet.h"

namespace kiln::jit {

/// `x` rounded to `semantics`, to nearest, halves to even; finite numbers stay finite.
llvm::APFloat narrowed(llvm::APFloat x, const llvm::fltSemantics &semantics);

/// The ops of `main` that a narrow type has too few bits for:
///  * those whose types are not the model's to choose: quantize and dequantize with their scales, random
///    numbers, running sums, ops of other dialects;
///  * arithmetic on weights alone, which is rounded once, at the end: a variance of 1e6 fits f32 only;
///  * sums and products of wide integers, up to the product that scales them;
///  * what an epsilon below the narrow type keeps off 0, up to the logarithm, root or quotient;
///  * what is quantized, back to the float products that it comes from: a rounding may change the step, and
///  the
///    next layers with it;
///  * sums, products and filters from a model's input to a logarithm, the spectra of signals: a logarithm
///    shows errors of the quiet parts that are small beside the loud ones.
/// Single-threaded.
class F32Ops {
public:
  F32Ops(mlir::func::FuncOp main, mlir::FloatType narrow);

  bool contains(mlir::Operation *op) const { return kept.contains(op); }
  /// Whether the op, if it is not among them, takes that operand in f32: scales of resize, statistics of
  /// batch_norm.
  static bool takesF32(mlir::OpOperand &operand);

private:
  bool hasTypesOfItsOwn(mlir::Operation *op) const;
  void keepArithmeticOnWeights(mlir::ArrayRef<mlir::Operation *> ops);
  bool meetsWideIntegers(mlir::Operation *op);
  bool meetsVanishing(mlir::Operation *op);
  bool vanishes(const llvm::APFloat &x) const;
  bool vanishes(mlir::Value value) const;
  void keepQuantized(mlir::ArrayRef<mlir::Operation *> ops);
  void keepSpectra(mlir::func::FuncOp main, mlir::ArrayRef<mlir::Operation *> ops);

  const llvm::fltSemantics &semantics;
  llvm::DenseSet<mlir::Operation *> kept;
  llvm::DenseSet<mlir::Value> wide, keptOffZero; // while they are found
};

} // namespace kiln::jit
#endif // KILN_JIT_F32OPS_H
