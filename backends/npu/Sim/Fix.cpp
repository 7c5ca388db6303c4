// Fix.cpp: accumulators on their way out of L0C: slope, scale, type, layout.
#include "backends/npu/Sim/Half.h"
#include "backends/npu/Sim/Units.h"

#include <cstring>

namespace kiln::npu {
namespace {

struct Scale {
  float factor;
  int32_t offset;
  bool isSigned;
};

Scale unpack(uint64_t word) {
  auto offset = static_cast<int32_t>(word >> 37 & 0x1ff);
  return {std::bit_cast<float>(static_cast<uint32_t>(word)), offset >= 256 ? offset - 512 : offset,
          (word >> 46 & 1) != 0};
}

// One accumulator to its result; returns the bits.
uint64_t convert(const Work &work, const Memories &memories, const uint8_t *from, uint64_t column) {
  auto quant = static_cast<Quant>(work[Field::quant]);
  auto relu = static_cast<Relu>(work[Field::relu]);
  bool takesInteger =
      quant == Quant::S32F16 || quant == Quant::VS32F16 || quant == Quant::S32I8 || quant == Quant::VS32I8;
  bool byColumn = quant == Quant::VS32F16 || quant == Quant::VS32I8 || quant == Quant::VF32I8;
  if (quant == Quant::None && relu == Relu::None)
    return load<uint32_t>(from); // f32 or i32, as it is
  double value = takesInteger ? double(load<int32_t>(from)) : double(load<float>(from));
  uint64_t fb = work[Special::Fb];
  if (relu != Relu::None && !(value > 0) && value == value) {
    float slope = relu == Relu::Relu    ? 0.0f
                  : relu == Relu::Lrelu ? std::bit_cast<float>(static_cast<uint32_t>(work[Special::Relu]))
                                        : load<float>(memories.fb + (fb >> 16 & 0xffff) + column * 4);
    value = relu == Relu::Relu ? 0.0 : double(static_cast<float>(value * slope));
  }
  Scale scale =
      unpack(byColumn ? load<uint64_t>(memories.fb + (fb & 0xffff) + column * 8) : work[Special::Quant]);
  switch (quant) {
  case Quant::None:
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  case Quant::F32F16:
    return roundToHalf(value, Round::Rint);
  case Quant::F32BF16:
    return roundToBfloat(static_cast<float>(value), Round::Rint);
  case Quant::S32F16:
  case Quant::VS32F16:
    return roundToHalf(value * scale.factor, Round::Rint);
  case Quant::S32I8:
  case Quant::VS32I8:
  case Quant::F32I8:
  case Quant::VF32I8: {
    double result = std::nearbyint(value * scale.factor) + scale.offset;
    double least = scale.isSigned ? -128 : 0, most = scale.isSigned ? 127 : 255;
    result = result != result ? 0 : std::min(std::max(result, least), most);
    return static_cast<uint8_t>(static_cast<int32_t>(result));
  }
  }
  return 0;
}

} // namespace

void runFix(Work &work, const Memories &memories) {
  uint32_t bytes = dtypeBytes(quantResult(static_cast<Quant>(work[Field::quant]), false));
  uint64_t rows = work[Field::m], columns = work[Field::n], width = fixBlockWidth(bytes);
  bool toGm = work.op() == Op::FixGm;
  if (toGm)
    work.staging.resize(rows * columns * bytes);
  uint8_t *local = work.op() == Op::FixL1 ? memories.l1 : memories.ub;
  for (uint64_t row = 0; row < rows; ++row)
    for (uint64_t column = 0; column < columns; ++column) {
      const uint8_t *from =
          memories.l0c + work[Field::a] + (column / 16 * work[Field::sstride] + row) * 64 + column % 16 * 4;
      uint64_t bits = convert(work, memories, from, column);
      uint8_t *to = toGm ? work.staging.data() + (row * columns + column) * bytes
                         : local + work[Field::d] + column / width * work[Field::dstride] * 32 +
                               (row * width + column % width) * bytes;
      std::memcpy(to, &bits, bytes);
    }
}

} // namespace kiln::npu
