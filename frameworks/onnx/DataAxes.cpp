// DataAxes.cpp: selects over the positions that an axis may have; there are few.
#include "frameworks/onnx/DataAxes.h"

using namespace mlir;

namespace kiln::onnx {

using Predicate = arith::CmpIPredicate;

Result<DataAxes> DataAxes::read(Node &node, unsigned i, int64_t rank, StringRef what) {
  KILN_ASSIGN_OR_RETURN(ShapeValue given, node.extents(i, what));
  DataAxes axes(node.build.math(), rank);
  for (Extent axis : given.elements) {
    Extent isNegative = axes.math.compare(Predicate::slt, axis, axes.math.constant(0));
    axes.axes.push_back(axes.math.select(isNegative, axes.math.add(axis, axes.math.constant(rank)), axis));
  }
  return axes;
}

Extent DataAxes::extentAlong(ArrayRef<Extent> shape, Extent axis) {
  Extent extent = shape.empty() ? math.constant(1) : shape.back();
  for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d)
    extent = math.select(isAt(axis, d), shape[d], extent);
  return extent;
}

Extents DataAxes::around(ArrayRef<Extent> shape, Extent axis) {
  Extent one = math.constant(1), outer = one, inner = one;
  for (auto [d, extent] : llvm::enumerate(shape)) {
    Extent position = math.constant(static_cast<int64_t>(d));
    outer = math.mul(outer, math.select(math.compare(Predicate::slt, position, axis), extent, one));
    inner = math.mul(inner, math.select(math.compare(Predicate::sgt, position, axis), extent, one));
  }
  return {outer, extentAlong(shape, axis), inner};
}

Extents DataAxes::replaced(ArrayRef<Extent> shape, Extent axis, Extent extent) {
  Extents result;
  for (auto [d, own] : llvm::enumerate(shape))
    result.push_back(math.select(isAt(axis, static_cast<int64_t>(d)), extent, own));
  return result;
}

Extent DataAxes::contains(int64_t position) {
  Extent found = math.constant(0);
  for (Extent axis : axes)
    found = math.max(found, isAt(axis, position));
  return found;
}

Extents DataAxes::removed(ArrayRef<Extent> shape) {
  Extents result(shape.size() - axes.size(), math.constant(1));
  Extent next = math.constant(0); // where the next kept axis goes
  for (auto [d, extent] : llvm::enumerate(shape)) {
    Extent goes = contains(static_cast<int64_t>(d));
    for (auto [place, kept] : llvm::enumerate(result)) {
      Extent isHere = math.select(goes, math.constant(0), isAt(next, static_cast<int64_t>(place)));
      kept = math.select(isHere, extent, kept);
    }
    next = math.add(next, math.sub(math.constant(1), goes));
  }
  return result;
}

Extents DataAxes::inserted(ArrayRef<Extent> shape) {
  Extents result;
  Extent next = math.constant(0); // of `shape`
  for (size_t place = 0; place < shape.size() + axes.size(); ++place) {
    Extent isNew = contains(static_cast<int64_t>(place)), one = math.constant(1);
    result.push_back(shape.empty() ? one : math.select(isNew, one, extentAlong(shape, next)));
    next = math.add(next, math.sub(one, isNew));
  }
  return result;
}

Extents DataAxes::spread(ArrayRef<Extent> values) {
  Extents result(static_cast<size_t>(rank), math.constant(0));
  for (auto [axis, value] : llvm::zip(axes, values))
    result = replaced(result, axis, value);
  return result;
}

} // namespace kiln::onnx
