// Isa.h: instructions as data: the table of Isa.def, decoded instructions, 128-bit words.
#ifndef KILN_BACKENDS_NPU_ISA_ISA_H
#define KILN_BACKENDS_NPU_ISA_ISA_H

#include "backends/npu/Target.h"

#include <array>

namespace kiln::npu {

/// The pipes of a core. S issues; the others are in-order queues. All: for pipe_barrier only.
enum class Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX, All };
inline constexpr size_t kPipeCount = 7;
std::string_view pipeName(Pipe pipe);

/// Repeats that one vector instruction can have.
inline constexpr int64_t kMaxRepeats = 255;

/// Element types. B8 to B32 are bits of any meaning.
enum class DType : uint8_t { F16, BF16, F32, I8, U8, I16, U16, I32, U32, I64, B8, B16, B32 };
inline constexpr size_t kDTypeCount = 13;
std::string_view dtypeName(DType type);
constexpr uint32_t dtypeBytes(DType type) {
  constexpr uint8_t bytes[] = {2, 2, 4, 1, 1, 2, 2, 4, 4, 8, 1, 2, 4};
  return bytes[static_cast<size_t>(type)];
}

enum class Compare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };
/// Of numbers of one type; with NaN only Ne holds.
template <typename T> constexpr bool holds(Compare how, T a, T b) {
  switch (how) {
  case Compare::Eq:
    return a == b;
  case Compare::Ne:
    return a != b;
  case Compare::Lt:
    return a < b;
  case Compare::Le:
    return a <= b;
  case Compare::Gt:
    return a > b;
  case Compare::Ge:
    return a >= b;
  }
  return false;
}
enum class Round : uint8_t { None, Rint, Round, Floor, Ceil, Trunc, Odd };
/// Accumulator to result; V variants take a scale by column from FB.
enum class Quant : uint8_t { None, F32F16, F32BF16, S32F16, VS32F16, S32I8, VS32I8, F32I8, VF32I8 };
enum class Relu : uint8_t { None, Relu, Lrelu, Prelu };
enum class Space : uint8_t { Ub, Gm };

/// The special registers. Those up to SubNum and RsvdCnt cannot be written.
enum class Special : uint8_t {
  BlockIdx,
  BlockNum,
  SubIdx,
  SubNum,
  RsvdCnt,
  Mask0,
  Mask1,
  MaskMode,
  FMatrix,
  Conv,
  PadVal,
  Quant,
  Relu,
  Fb,
  Atomic,
  DeqScale,
};
inline constexpr size_t kSpecialCount = 16;
std::string_view specialName(Special special);
std::string_view specialMeaning(Special special);
inline bool isReadOnly(Special special) { return special <= Special::RsvdCnt; }

enum class Op : uint8_t {
#define NPU_OP(name, code, mnemonic, pipe, format, types, where, text) name = code,
#include "backends/npu/Isa/Isa.def"
};

enum class Field : uint8_t {
#define NPU_FIELD(name, kind, bits, standard, text) name,
#define NPU_PLACE(name, kind, bits, text) name,
#include "backends/npu/Isa/Isa.def"
  Count
};
inline constexpr size_t kFieldCount = static_cast<size_t>(Field::Count);

enum class FieldKind : uint8_t {
  Type,
  Reg,
  RegImm,
  SRegImm,
  Imm,
  SImm,
  Imm64,
  Label,
  Pipe,
  Special,
  Space,
  Compare,
  Round,
  Quant,
  Relu,
};

struct FieldInfo {
  std::string_view name, meaning;
  FieldKind kind;
  uint8_t bits; // of the value, without the bit that tells a register
  bool isNamed;
  int32_t standard; // of a named field
  /// Bits in the word.
  constexpr uint32_t width() const {
    return bits + (kind == FieldKind::RegImm || kind == FieldKind::SRegImm);
  }
};
const FieldInfo &fieldInfo(Field field);

enum class Format : uint8_t {
#define NPU_FORMAT(name, ...) name,
#include "backends/npu/Isa/Isa.def"
};
std::string_view formatName(Format format);
std::span<const Field> formatFields(Format format);

/// Types, cores and chips of an op, as sets.
using TypeSet = uint32_t;
enum Where : uint8_t { kAic = 1, kAiv = 2, kBoth = 3, kOnly910B = 4, kOnly910A = 8 };

struct OpInfo {
  Op op;
  std::string_view mnemonic, meaning;
  Pipe pipe;
  Format format;
  TypeSet types; // of field type
  uint8_t where; // a set of Where
};
std::span<const OpInfo> ops();
/// Null for an opcode that is not in the table.
const OpInfo *opInfo(uint8_t code);
const OpInfo *findOp(std::string_view mnemonic);

/// Whether vconv takes `from` to `to` with that rounding.
bool isConversion(DType from, DType to, Round round);
/// The result's type of a fixpipe conversion; accumulators are f32 or i32 (`isInt`).
DType quantResult(Quant quant, bool isInt);

/// One decoded instruction. A plain value.
struct Inst {
  const OpInfo *info = nullptr;
  std::array<int32_t, kFieldCount> values = {}; // a register's number where isReg says so
  uint64_t regs = 0;                            // by Field: RegImm and SRegImm that are registers
  uint64_t imm = 0;                             // Field::imm

  Op op() const { return info->op; }
  int32_t operator[](Field field) const { return values[static_cast<size_t>(field)]; }
  int32_t &operator[](Field field) { return values[static_cast<size_t>(field)]; }
  bool isReg(Field field) const { return regs >> static_cast<size_t>(field) & 1; }
  void setReg(Field field, uint32_t number) {
    (*this)[field] = static_cast<int32_t>(number);
    regs |= uint64_t(1) << static_cast<size_t>(field);
  }
  DType type() const { return static_cast<DType>((*this)[Field::type]); }
  bool operator==(const Inst &) const = default;
  /// An instruction whose named fields have their defaults.
  static Inst make(Op op);
};

/// A machine word: little-endian, bit 0 is the lowest of the first byte.
using Word = std::array<uint8_t, 16>;
inline constexpr size_t kWordBytes = sizeof(Word);

/// The word of an instruction whose fields fit their widths (checkInst says so).
Word encode(const Inst &inst);
/// InvalidArgument: an unknown opcode or enumerator, or bits that no field has. encode(decode(w)) is w.
Result<Inst> decode(const Word &word);
/// Whether field values fit, the types are the op's, and the core and chip have it. `where`: kAic or kAiv.
Status checkInst(const Inst &inst, const Target &target, uint8_t where);

/// "vadd.f16 x1, x2, x3, rep=4"; a label is "L12" for instruction 12.
std::string printInst(const Inst &inst);
/// Parses the same; labels are "L12". InvalidArgument says what was expected.
Result<Inst> parseInst(std::string_view text);
/// The manual page, docs/reference/npu-isa.md.
std::string manual();

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_ISA_ISA_H
