// TileBuilder.h: arithmetic on tiles in UB: scalars, rows, columns and whole tiles, with broadcasting, as npu
// ops.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_TILEBUILDER_H
#define KILN_BACKENDS_NPU_TRANSFORMS_TILEBUILDER_H

#include "backends/npu/IR/Npu.h"
#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::npu {

/// Elements of a column end at a whole block of f16, which also is whole eights, as vbrcb spreads them.
inline constexpr int64_t kColumnAlign = 16;
/// Rows that one transposition takes.
inline constexpr int64_t kTransposed = 16;

inline int64_t bytesOf(mlir::Type type) { return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8); }
inline mlir::Type elementOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getElementType();
}
/// The type of a dense buffer in UB.
mlir::MemRefType inUb(llvm::ArrayRef<int64_t> extents, mlir::Type element);

/// The extents of a tile. A line has one row, of which columns may be missing. Otherwise rows may be fewer,
/// and columns are padded to `pitch` elements, of which all are initialised.
struct TileShape {
  bool isLine = false;
  int64_t maxRows = 1, pitch = 1;
  mlir::OpFoldResult rows, columns; // of this tile
  mlir::Value paddedRows;           // rows, rounded up to a multiple of 8; null if `rows` is static
};

/// A value of one tile. Buffers are whole allocs; views of the tile's extents are made where they are used.
struct TileValue {
  enum class Kind { Scalar, Row, Column, Full };
  Kind kind = Kind::Scalar;
  mlir::Value value;   // a number in a scalar register, or a buffer
  mlir::Type element;  // as kiln has it, signless: bf16 and i16 are held as f32; i1, i8 as f16
  bool isMask = false; // i1 as one bit an element
};

/// Builds npu ops at the builder's insertion point; used by one thread. Failures are reported at `loc`.
class TileBuilder {
public:
  using Kind = TileValue::Kind;
  TileBuilder(mlir::OpBuilder &builder, mlir::Location loc, TileShape shape)
      : builder(builder), loc(loc), shape(std::move(shape)),
        home(this->shape.isLine ? Kind::Full : Kind::Row) {}

  const TileShape &tile() const { return shape; }
  void setLoc(mlir::Location newLoc) { loc = newLoc; }
  /// The kind that what is computed of numbers alone gets, since numbers have no arithmetic of their own.
  void setHome(Kind kind) { home = kind; }
  /// What a truncation to 8 bits leaves: numbers of which sign, and whether the op takes care itself that
  /// they are in range.
  void setNarrow(bool isUnsigned, bool isInRange) {
    narrowIsUnsigned = isUnsigned, narrowIsInRange = isInRange;
  }
  /// Whether angles come from f16: none is far then.
  void setHalves(bool areHalves) { operandsAreHalves = areHalves; }
  /// The element type that buffers of `element` hold.
  static mlir::Type held(mlir::Type element);
  static Kind join(Kind a, Kind b);

  /// An op of arith or math applied to tiles; fails with a diagnostic that names it if the vector unit has no
  /// such op.
  mlir::FailureOr<TileValue> apply(mlir::Operation *scalarOp, llvm::ArrayRef<TileValue> operands);
  /// The nearest bf16, held as f32.
  TileValue roundToBf16(TileValue x);
  /// A full tile (or a row) to a column (or a number in a row's place): sum, max or min of each row.
  TileValue reduceRows(ir::Reduce kind, TileValue x, mlir::Type result);

  // A reduction in parts: what is added up of each element; a tile of the neutral element, to which tiles are
  // added; that tile's rows, or its columns, to one; and what is made of the sum. prepare, identity and
  // collapse fail with a diagnostic on what is not lowered.
  mlir::FailureOr<TileValue> prepare(ReduceOp op, TileValue x);
  mlir::FailureOr<TileValue> identity(ReduceOp op);
  void combine(ReduceOp op, TileValue sum, TileValue x);
  mlir::FailureOr<TileValue> collapse(ReduceOp op, TileValue x, bool rows, bool columns);
  TileValue finish(ReduceOp op, TileValue x, TileValue inverseCount);
  /// From here on the tile has all rows, or columns, of its buffers.
  void setWhole(bool rows, bool columns);

  TileValue allocate(Kind kind, mlir::Type element);
  /// A buffer of just that type.
  TileValue allocateAs(Kind kind, mlir::Type type);
  TileValue cast(TileValue x, mlir::Type element, ir::Round round);
  TileValue binary(ir::Binary kind, TileValue a, TileValue b);
  TileValue unary(ir::Unary kind, TileValue a);
  TileValue number(double value, mlir::Type element);
  TileValue negate(TileValue x);
  /// A mask; for integers eq and ne alone.
  TileValue compare(ir::Compare kind, TileValue a, TileValue b);
  TileValue select(TileValue condition, TileValue a, TileValue b);
  /// sum = sum op x, in its buffer; both of one kind, or x a number.
  void update(ir::Binary kind, TileValue sum, TileValue x);
  /// into = x where the condition holds, in its buffer; all of one kind.
  void replace(TileValue condition, TileValue x, TileValue into);
  /// The greatest magnitude in a tile of f32, in a scalar register; not a number where one is none.
  mlir::Value greatest(TileValue x);
  /// Also where x is not a number.
  mlir::Value isAtLeast(mlir::Value x, double bound);
  /// A loop that runs once if the condition holds, else not at all; what follows is built inside.
  mlir::scf::ForOp openIf(mlir::Value condition);
  void close(mlir::scf::ForOp loop);
  /// Coefficients from the highest power on.
  TileValue polynomial(TileValue x, llvm::ArrayRef<double> coefficients);
  /// What the bits of an integer of 8 or 16 are in the other sign: tiles hold numbers, not bits.
  TileValue withSign(TileValue x, bool isUnsigned);
  /// An i32 by its low bits: as many as `to` has (see setNarrow).
  TileValue narrow(TileValue x, mlir::Type to);
  /// As numbers 0 and 1 in f16.
  TileValue unmask(TileValue x);
  /// The buffer's part that the tile covers. `withPads`: rows up to the pitch, for arithmetic.
  mlir::Value view(TileValue x, bool withPads);
  /// The same value as a buffer of that kind.
  TileValue materialize(TileValue x, Kind kind);
  /// A tile of which all columns (or rows) are equal as one column (or row); fails with a diagnostic for
  /// columns of types that no reduction takes.
  mlir::FailureOr<TileValue> narrowTo(TileValue x, Kind kind);

private:
  TileValue mask(TileValue x);
  TileValue compareInts(ir::Compare kind, TileValue a, TileValue b);
  TileValue nearZero(TileValue x, double limit, llvm::ArrayRef<double> coefficients, TileValue value);
  TileValue tanh(TileValue x, bool isExact);
  TileValue erf(TileValue x, bool isExact);
  mlir::Value viewAs(mlir::Value buffer, Kind kind, bool withPads);
  mlir::Type reducedIn(ReduceOp op);
  TileValue acrossRows(ir::Binary pair, TileValue x);
  void halveRows(ir::Binary pair, mlir::Value from, int64_t count, mlir::Value to);
  TileValue byTranspose(ir::Binary pair, TileValue x);
  mlir::FailureOr<TileValue> applyBool(mlir::Operation *op, llvm::ArrayRef<TileValue> operands);
  mlir::FailureOr<TileValue> applyConversion(mlir::Operation *op, TileValue x);
  mlir::FailureOr<TileValue> applyFunction(mlir::Operation *op, llvm::ArrayRef<TileValue> operands);
  mlir::FailureOr<TileValue> applyBits(mlir::Operation *op, llvm::ArrayRef<TileValue> operands);
  mlir::FailureOr<TileValue> applyCompare(mlir::Operation *op, llvm::ArrayRef<TileValue> operands);
  mlir::FailureOr<TileValue> applyFormula(mlir::Operation *op, llvm::ArrayRef<TileValue> operands);
  TileValue toI32(TileValue x);
  TileValue invert(TileValue mask);
  mlir::InFlightDiagnostic refuse(mlir::Operation *op);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  TileShape shape;
  Kind home;
  bool narrowIsUnsigned = false, narrowIsInRange = false, operandsAreHalves = false;
};

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_TILEBUILDER_H
