// CheckedMath.h: 64-bit signed arithmetic that reports overflow and division by zero instead of wrapping.
#ifndef KILN_RUNTIME_CHECKEDMATH_H
#define KILN_RUNTIME_CHECKEDMATH_H

#include <cstdint>
#include <limits>

namespace kiln {

enum class MathFault : uint8_t { None, Overflow, DivisionByZero };

/// "overflow", "division by zero"; static.
inline const char *mathFaultName(MathFault fault) {
  switch (fault) {
  case MathFault::None:
    return "no fault";
  case MathFault::Overflow:
    return "overflow";
  case MathFault::DivisionByZero:
    return "division by zero";
  }
  return "unknown fault";
}

inline MathFault checkedAdd(int64_t lhs, int64_t rhs, int64_t &out) {
  return __builtin_add_overflow(lhs, rhs, &out) ? MathFault::Overflow : MathFault::None;
}
inline MathFault checkedSub(int64_t lhs, int64_t rhs, int64_t &out) {
  return __builtin_sub_overflow(lhs, rhs, &out) ? MathFault::Overflow : MathFault::None;
}
inline MathFault checkedMul(int64_t lhs, int64_t rhs, int64_t &out) {
  return __builtin_mul_overflow(lhs, rhs, &out) ? MathFault::Overflow : MathFault::None;
}

/// The division that C has, once its two faults are excluded.
inline MathFault checkedTruncDiv(int64_t lhs, int64_t rhs, int64_t &out) {
  if (rhs == 0)
    return MathFault::DivisionByZero;
  if (lhs == std::numeric_limits<int64_t>::min() && rhs == -1)
    return MathFault::Overflow;
  out = lhs / rhs;
  return MathFault::None;
}
inline MathFault checkedTruncRem(int64_t lhs, int64_t rhs, int64_t &out) {
  if (rhs == 0)
    return MathFault::DivisionByZero;
  out = rhs == -1 ? 0 : lhs % rhs;
  return MathFault::None;
}
/// Rounds towards minus infinity.
inline MathFault checkedFloorDiv(int64_t lhs, int64_t rhs, int64_t &out) {
  if (MathFault fault = checkedTruncDiv(lhs, rhs, out); fault != MathFault::None)
    return fault;
  if (lhs % rhs != 0 && (lhs < 0) != (rhs < 0))
    --out;
  return MathFault::None;
}
/// Rounds towards plus infinity.
inline MathFault checkedCeilDiv(int64_t lhs, int64_t rhs, int64_t &out) {
  if (MathFault fault = checkedTruncDiv(lhs, rhs, out); fault != MathFault::None)
    return fault;
  if (lhs % rhs != 0 && (lhs < 0) == (rhs < 0))
    ++out;
  return MathFault::None;
}
/// lhs - rhs * floorDiv(lhs, rhs): has the sign of rhs.
inline MathFault checkedMod(int64_t lhs, int64_t rhs, int64_t &out) {
  if (MathFault fault = checkedTruncRem(lhs, rhs, out); fault != MathFault::None)
    return fault;
  if (out != 0 && (out < 0) != (rhs < 0))
    out += rhs;
  return MathFault::None;
}

} // namespace kiln
#endif // KILN_RUNTIME_CHECKEDMATH_H
