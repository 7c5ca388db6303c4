// GmUpdate.cpp: pieces in the order in which they were staged; atomic ones under the lock of their page.
#include "backends/npu/Sim/GmUpdate.h"

#include "backends/npu/Sim/Half.h"

#include <cstring>

namespace kiln::npu {
namespace {

enum class Update : uint64_t { None, Add, Max, Min };

DType typeOf(const Work &work) {
  if (work.op() == Op::MovUbGm)
    return work.type();
  auto quant = static_cast<Quant>(work[Field::quant]);
  return quantResult(quant, false);
}

template <typename T> T combine(Update update, T a, T b) {
  switch (update) {
  case Update::None:
    return b;
  case Update::Add:
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                            static_cast<std::make_unsigned_t<T>>(b));
    else
      return a + b;
  case Update::Max:
    return a > b ? a : b;
  case Update::Min:
    return a < b ? a : b;
  }
  return b;
}

template <typename T> void combineAt(Update update, uint8_t *to, const uint8_t *from) {
  T old, added;
  std::memcpy(&old, to, sizeof(T));
  std::memcpy(&added, from, sizeof(T));
  old = combine(update, old, added);
  std::memcpy(to, &old, sizeof(T));
}

void combineElement(DType type, Update update, uint8_t *to, const uint8_t *from) {
  switch (type) {
  case DType::F32:
    return combineAt<float>(update, to, from);
  case DType::I8:
    return combineAt<int8_t>(update, to, from);
  case DType::I16:
    return combineAt<int16_t>(update, to, from);
  case DType::I32:
    return combineAt<int32_t>(update, to, from);
  case DType::F16:
  case DType::BF16: {
    uint16_t old, added;
    std::memcpy(&old, to, 2);
    std::memcpy(&added, from, 2);
    bool isHalf = type == DType::F16;
    float sum = isHalf ? combine(update, halfToFloat(old), halfToFloat(added))
                       : combine(update, bfloatToFloat(old), bfloatToFloat(added));
    old = isHalf ? floatToHalf(sum) : roundToBfloat(sum, Round::Rint);
    std::memcpy(to, &old, 2);
    return;
  }
  case DType::U8:
  case DType::U16:
  case DType::U32:
  case DType::I64:
  case DType::B8:
  case DType::B16:
  case DType::B32:
    return; // canUpdate refused
  }
}

} // namespace

std::string updateTypeName(const Work &work) { return std::string(dtypeName(typeOf(work))); }

bool canUpdate(const Work &work) {
  if (work.op() != Op::MovUbGm && work.op() != Op::FixGm)
    return true; // it does not concern them
  if (work[Special::Atomic] > static_cast<uint64_t>(Update::Min))
    return false;
  switch (typeOf(work)) {
  case DType::F16:
  case DType::BF16:
  case DType::F32:
  case DType::I8:
  case DType::I16:
  case DType::I32:
    return true;
  case DType::U8:
  case DType::U16:
  case DType::U32:
  case DType::I64:
  case DType::B8:
  case DType::B16:
  case DType::B32:
    return false;
  }
  return false;
}

void updateGm(Work &work, devicekit::SharedMemory &gm) {
  if (work.staging.empty())
    return;
  auto update = static_cast<Update>(work[Special::Atomic]);
  const uint8_t *from = work.staging.data();
  DType type = typeOf(work);
  uint32_t bytes = dtypeBytes(type);
  forEachPiece(work, [&](uint64_t address, uint64_t count) {
    auto *to = reinterpret_cast<uint8_t *>(address);
    if (update == Update::None) {
      std::memcpy(to, from, count);
    } else {
      for (uint64_t i = 0; i + bytes <= count; i += bytes) {
        std::lock_guard lock(gm.lockFor(address + i));
        combineElement(type, update, to + i, from + i);
      }
    }
    from += count;
  });
}

void forEachPiece(const Work &work, const std::function<void(uint64_t, uint64_t)> &fn) {
  if (work.op() == Op::MovUbGm) {
    CopyShape shape = CopyShape::of(work);
    for (uint64_t i = 0; i < shape.bursts; ++i)
      fn(work[Field::d] + i * shape.destinationStep, shape.bytes);
    return;
  }
  uint64_t bytes = dtypeBytes(quantResult(static_cast<Quant>(work[Field::quant]), false));
  uint64_t columns = work[Field::n],
           width = work[Field::nd] ? columns : fixBlockWidth(static_cast<uint32_t>(bytes));
  for (uint64_t row = 0; row < work[Field::m]; ++row)
    for (uint64_t column = 0; column < columns; column += width)
      fn(work[Field::nd] ? work[Field::d] + row * work[Field::dstride] * bytes
                         : work[Field::d] + column / width * work[Field::dstride] * 32 + row * width * bytes,
         std::min(width, columns - column) * bytes);
}

} // namespace kiln::npu
