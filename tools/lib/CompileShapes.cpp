// CompileShapes.cpp: the variants that cover extents that nobody gave.
#include "tools/lib/CompileShapes.h"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::tools {
namespace {

constexpr int64_t kOpen = -1;

/// The shapes with 1 at the open axes that `isOne` chooses.
template <typename IsOne> InputShapes closed(InputShapes shapes, IsOne isOne) {
  for (KilnTensor &shape : shapes)
    for (uint32_t axis = 0; axis < shape.rank; ++axis)
      if (shape.dims[axis] == kOpen && isOne(axis))
        shape.dims[axis] = 1;
  return shapes;
}

bool areSame(const InputShapes &left, const InputShapes &right) {
  return std::ranges::equal(left, right, [](const KilnTensor &one, const KilnTensor &other) {
    return std::ranges::equal(std::span(one.dims, one.rank), std::span(other.dims, other.rank));
  });
}

} // namespace

Result<std::vector<InputShapes>> shapesToCompile(const ShapeFlags &shapes, size_t run, KilnModel *model) {
  InputShapes open;
  for (size_t i = 0, n = kiln_model_input_count(model); i < n; ++i) {
    auto port = sized<KilnPortInfo>();
    KILN_RETURN_IF_ERROR(take(kiln_model_input(model, i, &port)));
    KILN_ASSIGN_OR_RETURN(std::vector<int64_t> dims, shapes.dims(port, run, kOpen));
    auto shape = sized<KilnTensor>();
    shape.name = port.name;
    shape.dtype = port.dtype;
    shape.rank = port.rank;
    std::ranges::copy(dims, shape.dims);
    open.push_back(shape);
  }
  std::vector<InputShapes> variants = {closed(open, [](uint32_t) { return true; })};
  for (InputShapes &variant : std::vector{closed(open, [](uint32_t axis) { return axis == 0; }), open})
    if (!areSame(variant, variants.back()))
      variants.push_back(std::move(variant));
  return variants;
}

std::string inputShapesText(const InputShapes &shapes) {
  std::string text;
  for (const KilnTensor &shape : shapes) {
    text += fmt::format("{}{}=", text.empty() ? "" : " ", toView(shape.name));
    for (uint32_t axis = 0; axis < shape.rank; ++axis)
      text += fmt::format("{}{}", axis ? "x" : "",
                          shape.dims[axis] == kOpen ? std::string("?") : fmt::to_string(shape.dims[axis]));
    text += shape.rank == 0 ? "scalar" : "";
  }
  return text;
}

} // namespace kiln::tools
