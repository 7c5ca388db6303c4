// Compare.cpp: element by element in double; keeps the element that exceeds its bound by most.
#include "tools/lib/Compare.h"

#include <fmt/format.h>

#include <cmath>

namespace kiln::tools {
namespace {

/// By how many times the bound the element is off; 0 if it is exact.
double multipleOfBound(double got, double want, const Tolerance &tolerance) {
  if (got == want || (std::isnan(got) && std::isnan(want)))
    return 0;
  if (!std::isfinite(got) || !std::isfinite(want))
    return INFINITY;
  double bound = tolerance.atol + tolerance.rtol * std::fabs(want);
  return bound > 0 ? std::fabs(got - want) / bound : INFINITY;
}

// Enough digits to tell the two apart.
std::string gotAndWant(double got, double want) {
  std::string g = fmt::format("{:.6g}", got), w = fmt::format("{:.6g}", want);
  if (g == w)
    g = fmt::format("{:.17g}", got), w = fmt::format("{:.17g}", want);
  return "got " + g + ", want " + w;
}

} // namespace

std::string indexText(const std::vector<int64_t> &dims, int64_t position) {
  std::string text = "]";
  for (size_t d = dims.size(); d-- > 0;) {
    text = fmt::format("{}{}{}", d ? ", " : "[", position % dims[d], text);
    position /= dims[d];
  }
  return dims.empty() ? "[]" : text;
}

Comparison compare(const HostTensor &got, const HostTensor &want, const Tolerance &tolerance) {
  Comparison result;
  result.elements = want.elementCount();
  if (got.dims != want.dims || got.dtype != want.dtype) {
    result.mismatches = result.elements;
    result.text = fmt::format("output '{}': {}; expected {}", want.name, got.shapeText(), want.shapeText());
    return result;
  }
  int64_t worst = 0;
  double difference = 0, norm = 0;
  for (int64_t i = 0; i < result.elements; ++i) {
    double g = got.element(i), w = want.element(i);
    double multiple = multipleOfBound(g, w, tolerance);
    result.mismatches += multiple > 1;
    if (multiple > result.worstMultiple)
      result.worstMultiple = multiple, worst = i;
    if (!(std::isnan(g) && std::isnan(w)) && g != w)
      difference += (g - w) * (g - w);
    if (std::isfinite(w))
      norm += w * w;
  }
  result.relL2 = difference == 0 ? 0 : std::sqrt(difference) / std::sqrt(norm);
  if (tolerance.relL2) {
    result.equal = result.relL2 <= *tolerance.relL2; // false for NaN
    result.text = fmt::format("output '{}': relative L2 {:.3g}; expected at most {:g}", want.name,
                              result.relL2, *tolerance.relL2);
    return result;
  }
  result.equal = result.mismatches == 0;
  std::string bound = fmt::format("{:g} + {:g}*abs(want)", tolerance.atol, tolerance.rtol);
  if (result.equal)
    result.text = fmt::format("output '{}': all {} elements within {}; worst {:.2g} x", want.name,
                              result.elements, bound, result.worstMultiple);
  else
    result.text =
        fmt::format("output '{}': {} of {} elements beyond {}; worst at {}: {} ({:.3g} x)", want.name,
                    result.mismatches, result.elements, bound, indexText(want.dims, worst),
                    gotAndWant(got.element(worst), want.element(worst)), result.worstMultiple);
  return result;
}

} // namespace kiln::tools
