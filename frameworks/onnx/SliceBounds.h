// SliceBounds.h: what Slice asks for, whichever way its opset says it.
#ifndef KILN_ONNX_SLICEBOUNDS_H
#define KILN_ONNX_SLICEBOUNDS_H

#include "frameworks/onnx/Node.h"

namespace kiln::onnx {

/// One entry an axis; axes are normalised and distinct, steps are never 0.
struct SliceBounds {
  llvm::SmallVector<int64_t> axes;
  Extents starts, ends;
  llvm::SmallVector<int64_t> steps;
};

/// Attributes before opset 10, inputs from then on.
Result<SliceBounds> readSliceBounds(Node &node);

/// Whether an end is one of the two numbers that mean "whatever comes", beyond the beginning too for negative
/// steps: ONNX says to write them for the end alone, ONNX Runtime takes them for both.
inline bool isPastEveryExtent(int64_t end) { return end == INT32_MAX || end == INT64_MAX; }

struct SliceRange {
  int64_t start, size;
};
/// ONNX's rules for an axis of known length: Python's, but that a start before the first element is the first
/// one, for a negative step too.
SliceRange clampSlice(int64_t start, int64_t end, int64_t step, int64_t length);

} // namespace kiln::onnx
#endif // KILN_ONNX_SLICEBOUNDS_H
