// VectorLoops.h: the lowering of one vector kernel, in the parts that VectorTiling.cpp, VectorTransfers.cpp
// and VectorLowering.cpp hold.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_VECTORLOOPS_H
#define KILN_BACKENDS_NPU_TRANSFORMS_VECTORLOOPS_H

#include "backends/npu/Isa/Isa.h"
#include "backends/npu/Target.h"
#include "backends/npu/Transforms/Domain.h"
#include "backends/npu/Transforms/GlobalView.h"
#include "backends/npu/Transforms/TileBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::npu {

/// Elements of a row that one chunk of 64 partial results of 64 f32 each covers.
inline constexpr int64_t kReducedColumns = 64 * 64;

/// Which groups of a domain the tiles in UB cover, and how much of them.
struct Tiling {
  size_t rowGroup = 0, columnGroup = 0;
  int64_t rows = 1, columns = 1; // of a tile, at most
  int64_t pitch = 1;             // of a row in UB, in elements
  bool isLine = false;           // one row; columns may be fewer at run time
  bool isColumnsWhole = false;   // a tile has the group's whole (static) extent
};

/// The bytes of the narrowest element that a kernel reads or computes, 4 at most.
int64_t narrowestBytes(const Domain &domain);
/// Chooses groups and extents for tiles of at most `limit` elements, whose rows are whole blocks of elements
/// of `narrowest` bytes, too. May add a unit group to the domain. Fails with a diagnostic.
mlir::FailureOr<Tiling> chooseTiling(KernelOp kernel, Domain &domain, const Target &target, int64_t limit,
                                     int64_t narrowest);

/// Whether a view's columns are elements of the source's rows at places of their own: indexed, or with a step
/// other than 1, along the innermost axis of memory.
bool isPickedFromRows(const Domain &domain, mlir::Value value, const Access &access, size_t columnGroup);
/// The type without signs.
mlir::Type signless(mlir::Type element);
/// A constant that is a splat as a number; and an elementwise op's computation of one element, applied to
/// tiles. They fail with a diagnostic on what is not lowered.
mlir::FailureOr<TileValue> constantTile(TileBuilder &tiles, ConstantOp constant);
mlir::FailureOr<TileValue> applyElementwise(TileBuilder &tiles, mlir::Operation *op,
                                            llvm::ArrayRef<TileValue> operands);

/// Lowers one kernel; used once, by one thread.
class VectorLowering {
public:
  VectorLowering(KernelOp kernel, Domain domain, const Target &target)
      : kernel(kernel), domain(std::move(domain)), target(target), builder(kernel.getContext()) {}

  /// Lowers with tiles of at most `limit` elements, of `narrowest` bytes or more; the function that this
  /// makes is `function`, also on failure.
  mlir::LogicalResult lower(int64_t limit, int64_t narrowest, mlir::func::FuncOp &function);

private:
  using Value = mlir::Value;
  using OpFoldResult = mlir::OpFoldResult;
  using LogicalResult = mlir::LogicalResult;
  using Kind = TileValue::Kind;

  // ---- Places (VectorTransfers.cpp)
  OpFoldResult extent(size_t group);
  Value argumentOf(Value kernelArgument);
  Value resultOf(Value yielded);
  Kind kindOf(Value value);
  OpFoldResult strideAlong(Value value, const Access *access, size_t group);
  OpFoldResult offsetOf(Value value, const Access *access);
  Value windowFor(Value buffer, OpFoldResult offset, Kind kind, OpFoldResult rowStride);
  mlir::FailureOr<TileValue> load(Value value, bool isRaw = false);
  mlir::FailureOr<TileValue> loadNumber(Value value, const Access &access);
  TileValue loadTransposed(Value buffer, OpFoldResult offset, Kind kind, OpFoldResult rowStride,
                           OpFoldResult columnStride, TileValue raw);
  mlir::FailureOr<TileValue> gather(Value value, const Access &access, TileValue raw);
  TileValue widen(TileValue raw, mlir::Type stored, mlir::Type element);
  Value viewForTransfer(TileValue x);
  LogicalResult store(Value value);
  bool isOnlyMoved(Value value);

  // ---- Elements of rows (VectorGather.cpp)
  mlir::FailureOr<TileValue> pickFromRows(Value value, const Access &access, Kind kind);
  mlir::FailureOr<TileValue> placesInRows(Value value, const Access &access, int64_t extent,
                                          bool differsByRow);
  TileValue offsetsByRow(TileValue row, int64_t step);

  // ---- Loops (VectorLowering.cpp)
  LogicalResult checkTypes();
  bool isLooped(size_t group) const;
  bool hasLooped(Value value) const;
  bool isReady(Value value);
  bool isInvariant(Value argument);
  mlir::FailureOr<TileValue> valueOf(Value value);
  LogicalResult compute(mlir::Operation *op);
  LogicalResult computeElementwise(mlir::Operation *op);
  LogicalResult computeKept();
  LogicalResult accumulate(llvm::ArrayRef<ReduceOp> reductions);
  mlir::scf::ForOp openLoops(llvm::ArrayRef<size_t> loops);
  TileValue inverseCount(ReduceOp op);
  int64_t tileOf(size_t group) const;
  OpFoldResult countOf(size_t group);
  OpFoldResult unitCount();
  void setUnit(OpFoldResult unit);
  void setTile();
  LogicalResult fillUnit();
  LogicalResult fillBody();

  KernelOp kernel;
  Domain domain;
  const Target &target;
  mlir::OpBuilder builder;
  mlir::func::FuncOp function;
  mlir::Location loc = kernel.getLoc();
  Tiling tiling;
  llvm::SmallVector<OpFoldResult> starts; // of this tile, by group
  std::unique_ptr<TileBuilder> tiles;
  llvm::DenseMap<Value, TileValue> values;
};

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_VECTORLOOPS_H
