// ImportLinearAlgebra.cpp: determinants and inverses by elimination with row pivots, a few ops a column.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Formula.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// More columns would make more ops than a program should have.
constexpr int64_t kMaxColumns = 64;

/// One step of an elimination: the row with the largest element of column 0 among the first rows of a matrix,
/// [.., 1, columns], and the matrix without it.
struct Pivot {
  Value row, element, rest;
  Value isFirst; // whether it was the first row
};

/// Picks it among the first `candidates` rows.
Pivot pickPivot(Formula &f, Value matrix, int64_t candidates) {
  int64_t rank = f.rank(matrix), rows = rank - 2, columns = rank - 1;
  Extent zero = f.constant(0), one = f.constant(1);
  Value active = f.slice(matrix, rows, zero, f.constant(candidates));
  Value column = f.make<AbsOp>(f.slice(active, columns, zero, one));
  auto kind = ArgReduceKindAttr::get(f.build.context(), ArgReduceKind::Max);
  Value place = f.make<ArgReduceOp>(
      column, {f.build.named("kind", kind), f.build.integer("axis", rows), f.build.flag("keepdims")});
  Extents counting(2, one);
  counting[0] = f.constant(candidates);
  Value isPivot = f.compare("eq", f.iota(f.i64(), counting, 0), place);
  Pivot pivot;
  pivot.row = f.reduce(ReduceKind::Sum, f.select(isPivot, active, f.like(active, 0)), rows);
  pivot.element = f.slice(pivot.row, columns, zero, one);
  pivot.isFirst = f.compare("eq", place, f.scalar(f.i64(), 0));
  // The first row takes the pivot's place.
  Value swapped = f.select(isPivot, f.slice(active, rows, zero, one), active);
  Extent all = f.dim(matrix, rows);
  Value left = f.slice(swapped, rows, one, f.constant(candidates - 1));
  Value behind =
      f.slice(matrix, rows, f.constant(candidates), f.build.math().sub(all, f.constant(candidates)));
  if (candidates == 1)
    pivot.rest = behind;
  else
    pivot.rest = IndexMath::isKnown(all, candidates) ? left : f.concat({left, behind}, rows);
  return pivot;
}

/// 1 where it would be 0, so that a singular matrix divides by no 0.
Value safe(Formula &f, Value pivot) {
  return f.select(f.compare("eq", pivot, f.like(pivot, 0)), f.like(pivot, 1), pivot);
}

/// The number of rows and columns of square matrices.
Result<int64_t> squareExtent(Node &node) {
  KILN_RETURN_IF_ERROR(node.requireFloat(0));
  int64_t rank = node.rank(0);
  if (rank < 2)
    return invalid("input of rank {0}; expected 2 or more", rank);
  std::optional<int64_t> rows = IndexMath::known(node.dim(0, rank - 2)),
                         columns = IndexMath::known(node.dim(0, rank - 1));
  if (!rows || !columns)
    return unsupported("the extents of the matrices are not known before the model runs");
  if (*rows != *columns || *rows < 1)
    return invalid("matrices of {0} rows and {1} columns; expected square ones", *rows, *columns);
  if (*rows > kMaxColumns)
    return unsupported("matrices of {0} columns are not supported; up to {1} are", *rows, kMaxColumns);
  return *rows;
}

/// The product of the pivots, its sign changed by each swap of rows.
Status importDet(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t count, squareExtent(node));
  Formula f(node);
  Value matrix = node.tensor(0), product;
  int64_t columns = f.rank(matrix) - 1;
  for (int64_t left = count; left > 1; --left) {
    Pivot pivot = pickPivot(f, matrix, left);
    Value signedPivot = f.select(pivot.isFirst, pivot.element, f.neg(pivot.element));
    product = product ? f.mul(product, signedPivot) : signedPivot;
    Value factors = f.div(f.slice(pivot.rest, columns, f.constant(0), f.constant(1)), safe(f, pivot.element));
    Value next = f.sub(pivot.rest, f.mul(factors, pivot.row));
    matrix = f.slice(next, columns, f.constant(1), f.constant(left - 1));
  }
  product = product ? f.mul(product, matrix) : matrix;
  return f.output(0, f.squeeze(f.squeeze(product, columns), columns - 1));
}

/// Gauss and Jordan on [matrix, identity]: each pivot row, made 1, goes to the end; after all columns rows
/// are in order.
Status importInverse(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t count, squareExtent(node));
  Formula f(node);
  Value x = node.tensor(0);
  if (count == 1)
    return f.output(0, f.div(f.like(x, 1), x));
  int64_t rank = f.rank(x), columns = rank - 1;
  Type i64 = f.i64();
  Extent size = f.constant(count), one = f.constant(1);
  Value identity =
      f.convert(f.compare("eq", f.iota(i64, {size, one}, 0), f.iota(i64, {one, size}, 1)), f.elementType(x));
  Value matrix = f.concat({x, f.broadcast(identity, f.shape(x))}, columns);
  for (int64_t column = 0; column < count; ++column) {
    Pivot pivot = pickPivot(f, matrix, count - column);
    Value row = f.div(pivot.row, pivot.element);
    Value next = f.concat(
        {f.sub(pivot.rest, f.mul(f.slice(pivot.rest, columns, f.constant(0), one), row)), row}, rank - 2);
    matrix = f.slice(next, columns, one, f.constant(2 * count - column - 1)); // the column is done
  }
  return f.output(0, matrix);
}

constexpr OpEntry kLinearAlgebraOps[] = {
    {"Det", 11, 1, 1, importDet, "more than 64 columns"},
    {"Inverse", 1, 1, 1, importInverse, "more than 64 columns", "com.microsoft"},
};

} // namespace

llvm::ArrayRef<OpEntry> linearAlgebraOps() { return kLinearAlgebraOps; }

} // namespace kiln::onnx
