// ScalarInst.h: the scalar unit's instructions, decoded once a launch: what its interpreter reads of each.
#ifndef KILN_BACKENDS_NPU_SIM_SCALARINST_H
#define KILN_BACKENDS_NPU_SIM_SCALARINST_H

#include "backends/npu/NpuObject.h"

namespace kiln::npu {

struct ScalarInst {
  Format format = Format::None;
  Op op = Op::Nop;
  uint8_t d = 0, a = 0, b = 0; // registers
  bool isRegB = false;         // else the second source is `imm`
  bool isGm = false;           // of an access
  bool isArithmetic = false;
  uint8_t bytes = 0; // of an access, else 0
  Compare compare = Compare::Eq;
  Round round = Round::None;
  DType type = DType::I64;
  uint16_t cycles = 0;
  uint32_t target = 0; // or the slot of the argument buffer
  int64_t imm = 0;     // or the byte offset of an access
};

/// One for each instruction; those of other pipes have their format alone.
std::vector<ScalarInst> decodeScalar(const CodeSection &section, const Target &target);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_SIM_SCALARINST_H
