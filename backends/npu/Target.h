// Target.h: the machine's figures as data: one chip's values, and the table that says where each is from.
#ifndef KILN_BACKENDS_NPU_TARGET_H
#define KILN_BACKENDS_NPU_TARGET_H

#include "kiln/Status.h"

#include <span>

namespace kiln::npu {

/// The classes of chips that the backend knows; KILN_NPU_CHIP spells them "910b" and "910a".
enum class ChipClass : uint8_t { Ascend910B, Ascend910A };

/// One chip's figures; units stand in Target.def. A plain value: tests and studies may change a copy.
struct Target {
  ChipClass chip = ChipClass::Ascend910B;
#define NPU_FIGURE(field, unit, valueB, valueA, source) uint64_t field = valueB;
#include "backends/npu/Target.def"

  /// The published and assumed figures of a class.
  static const Target &of(ChipClass chip);
  /// Sets one figure by its name, for sensitivity studies. NotFound: no such figure.
  Status set(std::string_view figure, uint64_t value);
  std::string_view name() const { return chip == ChipClass::Ascend910B ? "910b" : "910a"; }
  /// "cube=24,vector=48,...": what decides whether an object may run; sorted. Lives until the process ends.
  std::string_view features() const;
};

/// InvalidArgument names the text and the chips there are.
Result<ChipClass> parseChip(std::string_view text);

/// One row of Target.def.
struct Figure {
  std::string_view name, unit, source;
  uint64_t Target::*field;
  bool isAssumed; // nobody publishes it
};
std::span<const Figure> figures();

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TARGET_H
