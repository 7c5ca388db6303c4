// NestEmitter.h: turns one analysed nest into scf loops over vector code.
#ifndef KILN_BACKENDS_HOST_TRANSFORMS_NESTEMITTER_H
#define KILN_BACKENDS_HOST_TRANSFORMS_NESTEMITTER_H

#include "backends/host/Transforms/LoopNest.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>
#include <tuple>

namespace kiln::host {

/// Emits the loops of one nest at the builder's insertion point. Lives for one emit(); refers to nest and
/// plan.
///
/// A *point* is one (jam, vector) pair of the block that the innermost code handles; accumulating outputs
/// keep one register a point over the reduction loops.
class NestEmitter {
public:
  NestEmitter(const LoopNest &nest, const NestPlan &plan, mlir::OpBuilder &builder);
  void emit();

private:
  using Values = llvm::SmallVector<mlir::Value>;
  using StepBody =
      llvm::function_ref<Values(mlir::Value position, int64_t step, bool masked, mlir::ValueRange)>;

  // Loops. walk() covers [0, extent) of a loop by each step of `steps` in turn, then by one masked step if
  // asked.
  mlir::Value extent(unsigned loop);
  Values walk(unsigned loop, llvm::ArrayRef<int64_t> steps, bool maskTail, mlir::ValueRange carried,
              StepBody body);
  Values range(int64_t begin, int64_t end, int64_t step, mlir::ValueRange carried, StepBody body);
  Values range(mlir::Value begin, mlir::Value end, int64_t step, mlir::ValueRange carried, StepBody body);
  void appendSmallerSteps(unsigned loop, int64_t from, llvm::SmallVectorImpl<int64_t> &steps);
  void setMask(unsigned loop, mlir::Value position, bool masked);
  void emitParallel(size_t level);
  void emitVectorLoop(size_t level);
  void emitPoint();
  Values emitReduction(size_t level, Values accumulators);
  Values emitHorizontal();

  // Accumulators.
  Values initialAccumulators();
  Values neutralAccumulators();
  Values narrowAccumulators(Values accumulators, unsigned fromVectors);
  Values horizontal(Values accumulators);
  void storeAccumulators(Values accumulators, bool addToOld);
  mlir::Value combine(const NestOutput &output, mlir::Value lhs, mlir::Value rhs);

  // The body at every point; returns the new accumulators.
  Values evaluate(Values accumulators);
  Values evaluatePairs(Values accumulators);
  mlir::Value loadPairs(unsigned operand, unsigned jam, unsigned vector);
  mlir::Value evaluateOp(mlir::Operation &op, mlir::IRMapping &values, unsigned jam, unsigned vector);
  mlir::Value indexedLoad(mlir::memref::LoadOp op, const Values &at);
  mlir::Value gather(mlir::memref::LoadOp op, const Values &at);
  mlir::Value loopIndex(unsigned loop, unsigned jam, unsigned vector);

  // Memory.
  Values indices(const NestOperand &operand, unsigned jam, unsigned vector, unsigned lane = 0,
                 unsigned row = 0);
  void preload(llvm::ArrayRef<unsigned> inner);
  mlir::Value load(unsigned operand, unsigned jam, unsigned vector);
  mlir::Value loadLanes(const NestOperand &operand, unsigned jam, unsigned vector);
  mlir::Value loadInterleaved(const NestOperand &operand, unsigned jam, unsigned vector, int64_t stride);
  void loadTransposed(unsigned operand);
  void transposeSquare(llvm::MutableArrayRef<mlir::Value> rows);
  mlir::Value loadVector(const NestOperand &operand, int64_t count, llvm::ArrayRef<mlir::Value> at);
  void store(mlir::Value value, const NestOperand &operand, unsigned jam, unsigned vector);
  Values interleave(Values vectors);
  void storeInterleaved(Values byJam, const NestOperand &operand, unsigned vector);

  mlir::VectorType vectorOf(mlir::Type element) const { return mlir::VectorType::get({lanes}, element); }
  mlir::Value broadcast(mlir::Value value);
  mlir::Value constantIndex(int64_t value);
  mlir::Value offset(mlir::Value base, int64_t by);

  const LoopNest &nest;
  const NestPlan &plan;
  mlir::ImplicitLocOpBuilder builder;
  std::optional<BodyLanes> bodyLanes; // along the vector loop
  llvm::SmallVector<const NestOutput *> accumulating;

  // Where the loops stand.
  llvm::SmallVector<mlir::Value> base;
  int64_t jamCount = 1, vectorCount = 1, lanes = 1;
  mlir::Value mask;                                                       // null: all lanes
  std::map<std::tuple<unsigned, unsigned, unsigned>, mlir::Value> loaded; // (operand, jam, vector)
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_TRANSFORMS_NESTEMITTER_H
