// VectorConvert.cpp: vconv: an element becomes a double or a 64-bit integer, exactly, then the result with
// one rounding.
#include "backends/npu/Sim/Half.h"
#include "backends/npu/Sim/Units.h"

#include <cstring>

namespace kiln::npu {
namespace {

template <typename T> void store(uint8_t *to, T value) { std::memcpy(to, &value, sizeof(T)); }

bool isFloat(DType type) { return type == DType::F16 || type == DType::BF16 || type == DType::F32; }

double loadFloat(DType type, const uint8_t *from) {
  if (type == DType::F32)
    return load<float>(from);
  uint16_t bits = load<uint16_t>(from);
  return type == DType::F16 ? halfToFloat(bits) : bfloatToFloat(bits);
}

int64_t loadInteger(DType type, const uint8_t *from) {
  switch (type) {
  case DType::I8:
    return load<int8_t>(from);
  case DType::U8:
    return load<uint8_t>(from);
  case DType::I16:
    return load<int16_t>(from);
  case DType::I32:
    return load<int32_t>(from);
  default:
    return load<int64_t>(from);
  }
}

struct Limits {
  int64_t least, most;
};
Limits limits(DType type) {
  switch (type) {
  case DType::I8:
    return {-128, 127};
  case DType::U8:
    return {0, 255};
  case DType::I16:
    return {INT16_MIN, INT16_MAX};
  case DType::I32:
    return {INT32_MIN, INT32_MAX};
  default:
    return {INT64_MIN, INT64_MAX};
  }
}

// Saturates; NaN becomes 0.
int64_t toInteger(double value, DType type) {
  Limits range = limits(type);
  if (value != value)
    return 0;
  if (value <= static_cast<double>(range.least))
    return range.least;
  return value >= static_cast<double>(range.most) ? range.most : static_cast<int64_t>(value);
}

void storeInteger(DType type, uint8_t *to, int64_t value) {
  Limits range = limits(type);
  value = std::min(std::max(value, range.least), range.most);
  std::memcpy(to, &value, dtypeBytes(type));
}

void storeFloat(DType type, uint8_t *to, double value, Round round) {
  if (type == DType::F16)
    store(to, roundToHalf(value, round));
  else if (type == DType::BF16)
    store(to, roundToBfloat(static_cast<float>(value), round));
  else
    store(to, static_cast<float>(value));
}

// An i64 to f32 with the instruction's rounding; a double could round before.
float integerToSingle(int64_t value, Round round) {
  float nearest = static_cast<float>(value); // to nearest, ties to even
  auto exact = static_cast<__int128>(nearest);
  if (exact == value || round == Round::Rint || round == Round::Round)
    return nearest;
  bool isAbove = exact > value;
  bool wantsAbove = round == Round::Ceil || (round == Round::Trunc && value < 0);
  return isAbove == wantsAbove ? nearest : std::nextafter(nearest, wantsAbove ? INFINITY : -INFINITY);
}

void convert(const Work &work, DType from, DType to, Round round, const uint8_t *source, uint8_t *result) {
  if (!isFloat(from) && !isFloat(to))
    return storeInteger(to, result, loadInteger(from, source));
  if (!isFloat(from)) {
    int64_t value = loadInteger(from, source);
    if (to == DType::F32)
      return store(result, integerToSingle(value, round));
    double scaled = static_cast<double>(value);
    if (from == DType::I32) // to f16 with the factor of deqscale
      scaled *= halfToFloat(static_cast<uint16_t>(work[Special::DeqScale]));
    return storeFloat(to, result, scaled, round);
  }
  double value = loadFloat(from, source);
  if (isFloat(to))
    return storeFloat(to, result, from == to ? roundToInteger(value, round) : value, round);
  storeInteger(to, result, toInteger(roundToInteger(value, round), to));
}

} // namespace

void runVectorConvert(Work &work, const Memories &memories) {
  DType from = work.type(), to = static_cast<DType>(work[Field::type2]);
  auto round = static_cast<Round>(work[Field::round]);
  uint32_t fromBytes = dtypeBytes(from), toBytes = dtypeBytes(to);
  Lanes lanes = Lanes::of(work, std::max(fromBytes, toBytes));
  LaneLayout d = destination(work, toBytes), a = firstSource(work, fromBytes);
  alignas(32) uint8_t rowA[2048], row[2048];
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    const uint8_t *source = loadLanes(memories.ub, a, lanes, repeat, rowA);
    if (from == DType::F16 && to == DType::F32)
      halvesToFloats(source, reinterpret_cast<float *>(row), lanes.perRepeat);
    else if (from == DType::F32 && to == DType::F16 && round == Round::Rint)
      floatsToHalves(reinterpret_cast<const float *>(source), row, lanes.perRepeat);
    else
      for (uint32_t lane = 0; lane < lanes.perRepeat; ++lane)
        convert(work, from, to, round, source + lane * fromBytes, row + lane * toBytes);
    storeLanes(memories.ub, d, lanes, repeat, row);
  }
}

} // namespace kiln::npu
