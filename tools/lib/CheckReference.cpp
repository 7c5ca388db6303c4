// CheckReference.cpp: floats in double, integers exactly.
#include "tools/lib/CheckReference.h"

#include "tools/lib/Compare.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace kiln::tools {
namespace {

/// How many times its bound an element is off; at most 1 is within. Infinite without a bound.
double excess(double got, double want, double bound) {
  if (got == want || (std::isnan(got) && std::isnan(want)) || std::isinf(bound))
    return 0;
  double distance = std::fabs(got - want);
  if (std::isnan(distance) || std::isinf(want) || std::isinf(got))
    return INFINITY;
  return bound > 0 ? distance / bound : INFINITY;
}

/// An integer element with all its bits.
int64_t integerElement(const HostTensor &tensor, int64_t index) {
  if (dtypeBits(tensor.dtype) != 64)
    return static_cast<int64_t>(tensor.element(index));
  int64_t value = 0;
  std::memcpy(&value, tensor.bytes.data() + index * 8, sizeof value);
  return value;
}

std::string integerText(KilnDType dtype, int64_t value) {
  return dtype == KILN_U64 ? fmt::to_string(static_cast<uint64_t>(value)) : fmt::to_string(value);
}

} // namespace

Result<std::vector<ReferenceTensor>> referenceResults(KilnModel *model,
                                                      const std::vector<KilnTensor> &inputs) {
  std::vector<ReferenceTensor> results;
  KILN_RETURN_IF_ERROR(take(kiln_model_reference(
      model, inputs.data(), inputs.size(),
      [](void *arg, const KilnReference *result) {
        ReferenceTensor &tensor = static_cast<std::vector<ReferenceTensor> *>(arg)->emplace_back();
        tensor.dtype = result->dtype;
        tensor.dims.assign(result->dims, result->dims + result->rank);
        if (result->values)
          tensor.values.assign(result->values, result->values + result->count);
        if (result->integers)
          tensor.integers.assign(result->integers, result->integers + result->count);
        if (result->errors)
          tensor.errors.assign(result->errors, result->errors + result->count);
      },
      &results)));
  return results;
}

std::string differenceFrom(const ReferenceTensor &want, const HostTensor &got, double atol, double rtol) {
  HostTensor shape{got.name, want.dtype, want.dims, {}};
  if (got.dtype != want.dtype || got.dims != want.dims)
    return fmt::format("output '{}': {}; the reference gives {}", got.name, got.shapeText(),
                       shape.shapeText());
  bool isFloat = !want.values.empty();
  int64_t count = got.elementCount(), wrong = 0, worst = 0;
  double worstExcess = 0;
  for (int64_t i = 0; i < count; ++i) {
    double error = want.errors.empty() ? 0 : want.errors[i];
    double over = 0;
    if (isFloat) {
      over = excess(got.element(i), want.values[i],
                    (std::isnan(error) ? 0 : error) + atol +
                        (std::isfinite(want.values[i]) ? rtol * std::fabs(want.values[i]) : 0));
    } else if (int64_t value = integerElement(got, i); value != want.integers[i]) {
      over = excess(static_cast<double>(value), static_cast<double>(want.integers[i]), error + atol);
      over = over == 0 && !std::isinf(error) ? INFINITY : over; // they differ beyond what a double tells
    }
    wrong += over > 1;
    if (over > worstExcess)
      worstExcess = over, worst = i;
  }
  if (wrong == 0)
    return "";
  std::string values =
      isFloat ? fmt::format("got {:.9g}, want {:.9g}, may be off by {:.3g}", got.element(worst),
                            want.values[worst], want.errors.empty() ? 0 : want.errors[worst])
              : fmt::format("got {}, want {}", integerText(got.dtype, integerElement(got, worst)),
                            integerText(got.dtype, want.integers[worst]));
  return fmt::format("output '{}': {} of {} elements are wrong; worst at {}: {} ({:.3g} x)", got.name, wrong,
                     count, indexText(got.dims, worst), values, worstExcess);
}

} // namespace kiln::tools
