// SliceBounds.cpp: reads attributes or inputs, clamps as Python does.
#include "frameworks/onnx/SliceBounds.h"

#include "frameworks/onnx/Errors.h"

#include <algorithm>

using namespace mlir;

namespace kiln::onnx {

Result<SliceBounds> readSliceBounds(Node &node) {
  SliceBounds bounds;
  std::optional<SmallVector<int64_t>> axes;
  if (node.opset() < 10) {
    KILN_ASSIGN_OR_RETURN(auto starts, node.integersAttribute("starts"));
    KILN_ASSIGN_OR_RETURN(auto ends, node.integersAttribute("ends"));
    KILN_ASSIGN_OR_RETURN(axes, node.integersAttribute("axes"));
    if (!starts || !ends)
      return invalid("attribute '{0}' is missing", starts ? "ends" : "starts");
    bounds.starts = node.build.math().constants(*starts);
    bounds.ends = node.build.math().constants(*ends);
  } else {
    if (!node.hasInput(1) || !node.hasInput(2))
      return invalid("input {0} is missing; expected 'starts' and 'ends'", node.hasInput(1) ? 2 : 1);
    KILN_ASSIGN_OR_RETURN(ShapeValue starts, node.extents(1, "'starts'"));
    KILN_ASSIGN_OR_RETURN(ShapeValue ends, node.extents(2, "'ends'"));
    bounds.starts = std::move(starts.elements);
    bounds.ends = std::move(ends.elements);
    if (node.hasInput(3)) {
      KILN_ASSIGN_OR_RETURN(axes, node.knownIntegers(3, "'axes'"));
    }
    if (node.hasInput(4)) {
      KILN_ASSIGN_OR_RETURN(bounds.steps, node.knownIntegers(4, "'steps'"));
    }
  }
  size_t count = bounds.starts.size();
  if (!axes)
    axes = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(count)));
  if (bounds.steps.empty())
    bounds.steps.assign(count, 1);
  if (bounds.ends.size() != count || axes->size() != count || bounds.steps.size() != count)
    return invalid("{0} starts, {1} ends, {2} axes, {3} steps; expected as many of each", count,
                   bounds.ends.size(), axes->size(), bounds.steps.size());
  KILN_RETURN_IF_ERROR(Node::normalizeAxes(*axes, node.rank(0)).status());
  for (int64_t &axis : *axes)
    axis = axis < 0 ? axis + node.rank(0) : axis;
  if (llvm::is_contained(bounds.steps, 0))
    return invalid("a step is 0; expected another number");
  bounds.axes = std::move(*axes);
  return bounds;
}

SliceRange clampSlice(int64_t start, int64_t end, int64_t step, int64_t length) {
  bool toTheBeginning = step < 0 && isPastEveryExtent(end);
  if (start < 0)
    start += length;
  if (end < 0)
    end += length;
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, length);
    end = std::clamp<int64_t>(end, 0, length);
    return {start, end > start ? (end - start - 1) / step + 1 : 0};
  }
  if (length == 0)
    return {0, 0};
  start = std::clamp<int64_t>(start, 0, length - 1); // unlike Python's
  end = toTheBeginning ? -1 : std::clamp<int64_t>(end, -1, length - 1);
  return {start,
          start > end ? static_cast<int64_t>((start - end - 1) / -static_cast<__int128>(step)) + 1 : 0};
}

} // namespace kiln::onnx
