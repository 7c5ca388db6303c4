// Compare.h: results against what was expected, within a tolerance.
#ifndef KILN_TOOLS_LIB_COMPARE_H
#define KILN_TOOLS_LIB_COMPARE_H

#include "tools/lib/HostTensor.h"

#include <optional>

namespace kiln::tools {

/// |got - want| <= atol + rtol * |want| for each element; or, if relL2 is set, the norm of the whole
/// difference over the norm of `want`. NaN equals NaN, infinities match by sign.
struct Tolerance {
  double atol = 0, rtol = 0;
  std::optional<double> relL2;
};

struct Comparison {
  bool equal = false;
  int64_t mismatches = 0, elements = 0;
  double worstMultiple = 0; // of the bound, at the worst element
  double relL2 = 0;
  std::string text; // one line for people: what holds or where it is worst
};

/// "[0, 417]" for an element's position in row-major order.
std::string indexText(const std::vector<int64_t> &dims, int64_t position);

/// Shapes and types must agree; a wrong type or shape is a mismatch, said in `text`.
Comparison compare(const HostTensor &got, const HostTensor &want, const Tolerance &tolerance);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_COMPARE_H
