// Target.cpp: both chips' figures from Target.def.
#include "backends/npu/Target.h"

namespace kiln::npu {
namespace {

constexpr Figure kFigures[] = {
#define NPU_FIGURE(field, unit, valueB, valueA, source) {#field, unit, source, &Target::field, false},
#define NPU_ASSUMED(field, unit, valueB, valueA, source) {#field, unit, source, &Target::field, true},
#include "backends/npu/Target.def"
};

constexpr Target make910A() {
  Target target;
  target.chip = ChipClass::Ascend910A;
#define NPU_FIGURE(field, unit, valueB, valueA, source) target.field = valueA;
#include "backends/npu/Target.def"
  return target;
}

constexpr Target kTargets[] = {Target(), make910A()};

} // namespace

const Target &Target::of(ChipClass chip) { return kTargets[static_cast<size_t>(chip)]; }

Status Target::set(std::string_view figure, uint64_t value) {
  for (const Figure &known : kFigures)
    if (known.name == figure) {
      this->*known.field = value;
      return {};
    }
  return Status(Code::NotFound, "npu: no figure '" + std::string(figure) + "'; expected one of Target.def");
}

std::string_view Target::features() const {
  return chip == ChipClass::Ascend910B ? "+bf16,+split,cube=24,vector=48" : "+fused,cube=32,vector=32";
}

Result<ChipClass> parseChip(std::string_view text) {
  for (ChipClass chip : {ChipClass::Ascend910B, ChipClass::Ascend910A})
    if (text == Target::of(chip).name())
      return chip;
  return Status(Code::InvalidArgument, "option 'chip': '" + std::string(text) + "'; expected 910b or 910a");
}

std::span<const Figure> figures() { return kFigures; }

} // namespace kiln::npu
