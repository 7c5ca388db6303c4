// Accumulator.h: sums with the error that any order of adding them up in the type itself may make.
#ifndef KILN_REFERENCE_ACCUMULATOR_H
#define KILN_REFERENCE_ACCUMULATOR_H

#include "jit/Reference/Tensor.h"

#include <cmath>
#include <limits>

namespace kiln::reference {

/// Adds in extended precision. An implementation adds in f32 (f64 for f64), in an order of its own: its error
/// grows with the sum of the magnitudes, and no faster than `kSteps + 2 sqrt(n)` roundings of it, far less
/// than the bound of n that a chain in the worst case has.
class Accumulator {
public:
  static constexpr double kSteps = 4;

  void add(long double value, double error = 0) {
    sum += value;
    magnitude += std::fabs(value);
    if (std::isfinite(value))
      finiteMagnitude += std::fabs(value);
    operandError += error;
    ++count;
  }
  void addProduct(const Tensor &a, int64_t i, const Tensor &b, int64_t j) {
    double x = a.values[i], y = b.values[j];
    bool isFree = std::isinf(a.error(i)) || std::isinf(b.error(j)); // even if the other is 0
    add(static_cast<long double>(x) * y,
        isFree ? INFINITY : std::fabs(x) * b.error(j) + std::fabs(y) * a.error(i) + a.error(i) * b.error(j));
  }
  double value() const { return static_cast<double>(sum); }
  double absolute() const { return static_cast<double>(magnitude); }
  int64_t terms() const { return count; }
  /// Without the rounding of the result to its own type. Unbounded if the sum overflows what it is added up
  /// in.
  double error(mlir::Type type) const {
    if (std::isinf(operandError))
      return INFINITY;
    if (finiteMagnitude >
        (type.isF64() ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max()))
      return INFINITY;
    if (!std::isfinite(magnitude))
      return 0; // infinite or NaN whatever the order
    double steps = kSteps + 2 * std::sqrt(static_cast<double>(count));
    return operandError + (count > 1 ? steps * accumulatorEpsilon(type) * absolute() : 0);
  }

private:
  long double sum = 0, magnitude = 0, finiteMagnitude = 0;
  double operandError = 0;
  int64_t count = 0;
};

/// The last rounding of a result that was computed in f32: an ULP for narrow types, where a tie may go either
/// way.
inline double lastRounding(mlir::Type type, double value) {
  return isNarrow(type) ? ulp(type, roundTo(type, value)) : 0;
}

} // namespace kiln::reference
#endif // KILN_REFERENCE_ACCUMULATOR_H
