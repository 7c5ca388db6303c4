// NpuObject.h: a kernel object of format "npu-elf": code of both kinds of core and what a launch must know.
#ifndef KILN_BACKENDS_NPU_NPUOBJECT_H
#define KILN_BACKENDS_NPU_NPUOBJECT_H

#include "backends/npu/Isa/Isa.h"

#include <vector>

namespace kiln::npu {

/// The e_machine of objects: "nk"; the NPU has no official one.
inline constexpr uint16_t kElfMachine = 0x6b6e;

/// Which cores a block of the kernel uses. Mix: one cube core and its vector cores.
enum class KernelKind : uint8_t { Aic, Aiv, Mix };

/// A number of the launch in postfix order, as schema/Kernel.fbs has it: enumerators are equal.
enum class ExprOp : uint8_t { Literal, Constant, Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Min, Max };
struct ExprNode {
  ExprOp op;
  int64_t value; // Literal: the number; Constant: its index; else 0
  bool operator==(const ExprNode &) const = default;
};
using Expr = std::vector<ExprNode>; // empty: absent
/// InvalidArgument: overflow, division by zero.
Result<int64_t> evaluate(const Expr &expr, std::span<const int64_t> constants);

struct ObjectBinding {
  enum class Kind : uint8_t { In, Out, InOut } kind = Kind::In;
  uint32_t dtype = KILN_F16; // KilnDType
  uint32_t alignmentBytes = 1;
  Expr bytes; // the least length
  bool operator==(const ObjectBinding &) const = default;
};

/// From instruction `first` on, code belongs to op `op` of the launch's table of source locations.
struct OpRange {
  uint32_t first, op;
  bool operator==(const OpRange &) const = default;
};

/// The code of one kind of core.
struct CodeSection {
  std::vector<Inst> code;
  std::vector<OpRange> ops; // increasing; neighbours differ in op
  /// The op number of an instruction; -1 if the table has none.
  int64_t opAt(uint32_t pc) const;
  bool operator==(const CodeSection &) const = default;
};

/// A whole object. A plain value.
struct NpuObject {
  ChipClass chip = ChipClass::Ascend910B;
  KernelKind kind = KernelKind::Aiv;
  std::string symbol;
  std::vector<ObjectBinding> bindings;
  uint32_t constantCount = 0;
  Expr workspaceBytes, grid; // grid: the count of blocks
  CodeSection aic, aiv;
  bool operator==(const NpuObject &) const = default;
};

/// Everything that can be known before a launch: instructions legal on chip and core, branches within the
/// code, expressions well formed, sections as the kind says. InvalidArgument names section and instruction.
Status checkObject(const NpuObject &object);

/// The bytes of a checked object. Equal objects give equal bytes.
std::vector<uint8_t> writeObject(const NpuObject &object);
/// Reads and checks. InvalidArgument: malformed, illegal, or not byte for byte what writeObject would write.
Result<NpuObject> readObject(std::span<const uint8_t> file);

/// The object as text: directives, then a section for each kind of core.
std::string disassemble(const NpuObject &object);
/// Parses and checks. InvalidArgument begins with "line N: ".
Result<NpuObject> assemble(std::string_view text);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_NPUOBJECT_H
