// LoopBuilder.h: short forms for lowerings to loops over single elements: scf, tensor and index arithmetic.
#ifndef KILN_DIALECTS_TRANSFORMS_LOOPBUILDER_H
#define KILN_DIALECTS_TRANSFORMS_LOOPBUILDER_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kiln {

/// Builds loops that carry tensors and update them element by element. Every update of a tensor must lead to
/// the value that its loop or branch hands on at the same place, so that bufferization does it in place. For
/// one thread.
class LoopBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  using Predicate = mlir::arith::CmpIPredicate;
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  // Index arithmetic.
  mlir::Value index(int64_t value) { return create<mlir::arith::ConstantIndexOp>(value); }
  mlir::Value add(mlir::Value a, mlir::Value b) { return createOrFold<mlir::arith::AddIOp>(a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return createOrFold<mlir::arith::SubIOp>(a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return createOrFold<mlir::arith::MulIOp>(a, b); }
  mlir::Value min(mlir::Value a, mlir::Value b) { return createOrFold<mlir::arith::MinSIOp>(a, b); }
  mlir::Value less(mlir::Value a, mlir::Value b) { return compare(Predicate::slt, a, b); }
  mlir::Value equal(mlir::Value a, mlir::Value b) { return compare(Predicate::eq, a, b); }
  mlir::Value compare(Predicate predicate, mlir::Value a, mlir::Value b) {
    return createOrFold<mlir::arith::CmpIOp>(predicate, a, b);
  }
  mlir::Value both(mlir::Value a, mlir::Value b) { return createOrFold<mlir::arith::AndIOp>(a, b); }
  mlir::Value either(mlir::Value a, mlir::Value b) { return createOrFold<mlir::arith::OrIOp>(a, b); }
  mlir::Value negated(mlir::Value a) { return create<mlir::arith::XOrIOp>(a, boolean(true)); }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return createOrFold<mlir::arith::SelectOp>(condition, a, b);
  }
  mlir::Value boolean(bool value) { return create<mlir::arith::ConstantIntOp>(value, 1); }
  /// An i32, i64 or index value as the other kind.
  mlir::Value asIndex(mlir::Value integer) {
    return createOrFold<mlir::arith::IndexCastOp>(getIndexType(), integer);
  }
  mlir::Value asI64(mlir::Value index) { return createOrFold<mlir::arith::IndexCastOp>(getI64Type(), index); }
  /// `position`, which counts from the end if it is negative.
  mlir::Value fromFront(mlir::Value position, mlir::Value extent) {
    return select(less(position, index(0)), add(position, extent), position);
  }
  /// Whether 0 <= position < extent.
  mlir::Value isInside(mlir::Value position, mlir::Value extent) {
    return compare(Predicate::ult, position, extent);
  }
  /// The nearest position of [0, extent), which must not be empty.
  mlir::Value clamped(mlir::Value position, mlir::Value extent);

  // Tensors.
  mlir::Value extent(mlir::Value tensor, int64_t axis) {
    return createOrFold<mlir::tensor::DimOp>(tensor, axis);
  }
  mlir::Value load(mlir::Value tensor, mlir::ValueRange at) {
    return create<mlir::tensor::ExtractOp>(tensor, at);
  }
  mlir::Value store(mlir::Value value, mlir::Value tensor, mlir::ValueRange at) {
    return create<mlir::tensor::InsertOp>(value, tensor, at);
  }
  /// A tensor of the sizes and type of `like` with elements of `element`.
  mlir::Value emptyLike(mlir::Value like, mlir::Type element);
  /// `tensor` with all elements 0.
  mlir::Value zeroed(mlir::Value tensor);
  /// `to` with the elements of `from`.
  mlir::Value copied(mlir::Value from, mlir::Value to);
  /// The part of `tensor` at `prefix` along its first axes, which go, or at `prefix` and `suffix` with the
  /// axes between them left.
  mlir::Value part(mlir::Value tensor, mlir::ValueRange prefix, mlir::ValueRange suffix = {});
  mlir::Value putPart(mlir::Value part, mlir::Value tensor, mlir::ValueRange prefix,
                      mlir::ValueRange suffix = {});

  // Control flow. Carried values come back in their order.
  Values forEach(mlir::Value begin, mlir::Value end, mlir::ValueRange carried,
                 llvm::function_ref<Values(mlir::Value position, mlir::ValueRange carried)> body);
  /// The loops of all axes of a space, the last one innermost.
  Values forEachIndex(mlir::ValueRange extents, mlir::ValueRange carried,
                      llvm::function_ref<Values(mlir::ValueRange index, mlir::ValueRange carried)> body);
  /// Runs `body` until it says not to go on; it gives that and the values of the next round or of the result.
  Values repeat(mlir::ValueRange carried,
                llvm::function_ref<std::pair<mlir::Value, Values>(mlir::ValueRange carried)> body);
  Values choose(mlir::Value condition, llvm::function_ref<Values()> ifTrue,
                llvm::function_ref<Values()> ifFalse);
  /// Independent iterations over the first axes of `outputs`, whose extents are `extents`; without any, the
  /// body once. `body` gets each output's part there, as part() gives it, with `suffix` of the positions
  /// behind, and hands it on.
  Values forAll(llvm::ArrayRef<mlir::OpFoldResult> extents, size_t suffix, mlir::ValueRange outputs,
                llvm::function_ref<Values(mlir::ValueRange index, mlir::ValueRange parts)> body);
};

} // namespace kiln

#endif // KILN_DIALECTS_TRANSFORMS_LOOPBUILDER_H
