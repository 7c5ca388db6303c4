// KernelCases.cpp: tolerances by element type and the arithmetic of shapes that references share.
#include "tests/conformance/KernelCases.h"

#include <algorithm>
#include <ostream>

namespace kiln::conformance {

int64_t product(const std::vector<int64_t> &dims) {
  int64_t result = 1;
  for (int64_t extent : dims)
    result *= extent;
  return result;
}

int64_t Numbers::count() const { return product(dims); }

double Numbers::broadcast(const std::vector<int64_t> &out, int64_t index) const {
  int64_t at = 0, stride = 1;
  for (size_t i = 0; i < out.size(); ++i) { // from the last axis
    int64_t coordinate = index % out[out.size() - 1 - i];
    index /= out[out.size() - 1 - i];
    if (i >= dims.size())
      continue;
    int64_t extent = dims[dims.size() - 1 - i];
    at += (extent == 1 ? 0 : coordinate) * stride;
    stride *= extent;
  }
  return values[at];
}

std::vector<int64_t> broadcastDims(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
  std::vector<int64_t> result(std::max(a.size(), b.size()), 1);
  for (const auto *dims : {&a, &b})
    for (size_t i = 0; i < dims->size(); ++i) {
      int64_t &extent = result[result.size() - 1 - i];
      extent = std::max(extent, (*dims)[dims->size() - 1 - i]);
    }
  return result;
}

std::string dynamicType(KilnDType dtype, size_t rank) {
  std::string text = "tensor<";
  for (size_t i = 0; i < rank; ++i)
    text += "?x";
  switch (dtype) { // the dialect spells unsigned integers ui8
  case KILN_U8:
  case KILN_U16:
  case KILN_U32:
  case KILN_U64:
    return text + "ui" + std::string(tools::dtypeName(dtype)).substr(1) + ">";
  default:
    return text + std::string(tools::dtypeName(dtype)) + ">";
  }
}

CaseTolerance toleranceFor(KilnDType dtype, double scale) {
  switch (dtype) {
  case KILN_F64:
    return {1e-12 * scale, 1e-12 * scale}; // a few thousand ulp: references sum in another order
  case KILN_F32:
    return {1e-6 * scale, 2e-5 * scale}; // some hundred ulp: polynomials and sums in another order
  case KILN_F16:
    return {1e-3 * scale, 2e-3 * scale}; // 2^-10 is one ulp; f32 inside, rounded once or twice
  case KILN_BF16:
    return {8e-3 * scale, 1.6e-2 * scale}; // 2^-7 is one ulp
  default:
    return {0, 0}; // integers and booleans are exact
  }
}

void PrintTo(const KernelCase &kernel, std::ostream *os) { *os << kernel.name; }

} // namespace kiln::conformance
