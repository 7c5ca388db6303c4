// ScalarAlu.h: what the scalar unit's arithmetic computes.
#ifndef KILN_BACKENDS_NPU_SIM_SCALARALU_H
#define KILN_BACKENDS_NPU_SIM_SCALARALU_H

#include "backends/npu/Sim/ScalarInst.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kiln::npu {

inline uint64_t fromFloat(float value) { return std::bit_cast<uint32_t>(value); }
inline float toFloat(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

inline double roundTo(Round how, double value) {
  switch (how) {
  case Round::Floor:
    return std::floor(value);
  case Round::Ceil:
    return std::ceil(value);
  case Round::Trunc:
    return std::trunc(value);
  case Round::Round:
    return std::round(value);
  case Round::None:
  case Round::Rint:
  case Round::Odd: // refused by the loader
    return std::nearbyint(value);
  }
  return value;
}

/// Carries out an instruction of MoveImm, Scalar1, Scalar2, ScalarCompare or ScalarRound; false: a division
/// by 0, which changes nothing.
inline bool evaluate(const ScalarInst &inst, std::array<uint64_t, 32> &registers) {
  uint64_t &d = registers[inst.d];
  uint64_t a = registers[inst.a], b = inst.isRegB ? registers[inst.b] : static_cast<uint64_t>(inst.imm);
  auto signedA = static_cast<int64_t>(a), signedB = static_cast<int64_t>(b);
  switch (inst.op) {
  case Op::MovI:
    d = b;
    break;
  case Op::Mov:
    d = a;
    break;
  case Op::Add:
    d = a + b;
    break;
  case Op::Sub:
    d = a - b;
    break;
  case Op::Mul:
    d = a * b;
    break;
  case Op::Div:
  case Op::Rem:
    if (b == 0)
      return false;
    if (signedB == -1) // the least number has no opposite: it wraps
      d = inst.op == Op::Div ? 0 - a : 0;
    else
      d = static_cast<uint64_t>(inst.op == Op::Div ? signedA / signedB : signedA % signedB);
    break;
  case Op::And:
    d = a & b;
    break;
  case Op::Or:
    d = a | b;
    break;
  case Op::Xor:
    d = a ^ b;
    break;
  case Op::Shl:
    d = a << (b & 63);
    break;
  case Op::Shr:
    d = a >> (b & 63);
    break;
  case Op::Sar:
    d = static_cast<uint64_t>(signedA >> (b & 63));
    break;
  case Op::Min:
    d = static_cast<uint64_t>(std::min(signedA, signedB));
    break;
  case Op::Max:
    d = static_cast<uint64_t>(std::max(signedA, signedB));
    break;
  case Op::Cmp:
    d = holds(inst.compare, signedA, signedB);
    break;
  case Op::FAdd:
    d = fromFloat(toFloat(a) + toFloat(b));
    break;
  case Op::FMul:
    d = fromFloat(toFloat(a) * toFloat(b));
    break;
  case Op::FSub:
    d = fromFloat(toFloat(a) - toFloat(b));
    break;
  case Op::FCmp:
    d = holds(inst.compare, toFloat(a), toFloat(b));
    break;
  case Op::FDiv:
    d = fromFloat(toFloat(a) / toFloat(b));
    break;
  case Op::IntToF:
    d = fromFloat(static_cast<float>(signedA));
    break;
  case Op::FToInt: {
    double rounded = roundTo(inst.round, toFloat(a));
    d = rounded != rounded  ? 0
        : rounded >= 0x1p63 ? static_cast<uint64_t>(INT64_MAX)
        : rounded < -0x1p63 ? static_cast<uint64_t>(INT64_MIN)
                            : static_cast<uint64_t>(static_cast<int64_t>(rounded));
    break;
  }
  default:
    break;
  }
  return true;
}

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_SIM_SCALARALU_H
