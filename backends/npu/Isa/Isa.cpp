// Isa.cpp: the tables of Isa.def, and words from and to decoded instructions.
#include "backends/npu/Isa/Isa.h"

#include "backends/npu/ErrorText.h"

#include <algorithm>
#include <cstring>

namespace kiln::npu {
namespace {

constexpr TypeSet bit(DType type) { return TypeSet(1) << static_cast<size_t>(type); }
constexpr TypeSet kNoType = 0, kF16 = bit(DType::F16), kBF16 = bit(DType::BF16), kF32 = bit(DType::F32),
                  kI8 = bit(DType::I8), kI16 = bit(DType::I16), kU16 = bit(DType::U16),
                  kI32 = bit(DType::I32), kU32 = bit(DType::U32), kB8 = bit(DType::B8),
                  kB16 = bit(DType::B16), kB32 = bit(DType::B32);
constexpr TypeSet kAnyType = (TypeSet(1) << kDTypeCount) - 1;
constexpr TypeSet kConvert = kF16 | kBF16 | kF32 | kI8 | bit(DType::U8) | kI16 | kI32 | bit(DType::I64);
constexpr TypeSet kAtomic = kB8 | kB16 | kB32 | kF16 | kBF16 | kF32 | kI8 | kI16 | kI32;

constexpr FieldInfo kFields[] = {
#define NPU_FIELD(name, kind, bits, standard, text) {#name, text, FieldKind::kind, bits, true, standard},
#define NPU_PLACE(name, kind, bits, text) {#name, text, FieldKind::kind, bits, false, 0},
#include "backends/npu/Isa/Isa.def"
};

struct FormatInfo {
  std::string_view name;
  std::array<Field, 16> fields;
  size_t count;
};

template <typename... Fields> constexpr FormatInfo makeFormat(std::string_view name, Fields... fields) {
  return {name, {fields...}, sizeof...(fields)};
}

constexpr auto kFormats = [] {
  using enum Field;
  return std::to_array<FormatInfo>({
#define NPU_FORMAT(name, ...) makeFormat(#name __VA_OPT__(, ) __VA_ARGS__),
#include "backends/npu/Isa/Isa.def"
  });
}();

constexpr OpInfo kOps[] = {
#define NPU_OP(name, code, mnemonic, pipe, format, types, where, text)                                       \
  {Op::name, mnemonic, text, Pipe::pipe, Format::format, types, where},
#include "backends/npu/Isa/Isa.def"
};

constexpr uint32_t formatBits(const FormatInfo &format) {
  uint32_t bits = 8;
  for (size_t i = 0; i < format.count; ++i)
    bits += kFields[static_cast<size_t>(format.fields[i])].width();
  return bits;
}
static_assert(std::all_of(kFormats.begin(), kFormats.end(),
                          [](const auto &f) { return formatBits(f) <= 128; }),
              "a word has 128 bits");

constexpr auto kOpByCode = [] {
  std::array<int16_t, 256> table = {};
  table.fill(-1);
  for (size_t i = 0; i < std::size(kOps); ++i)
    table[static_cast<size_t>(kOps[i].op)] = static_cast<int16_t>(i);
  return table;
}();

// A word as one number.
using Bits = unsigned __int128;
uint64_t low(uint32_t bits) { return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

// How many enumerators a kind has; 0 if it is a number.
uint32_t enumerators(FieldKind kind) {
  switch (kind) {
  case FieldKind::Type:
    return kDTypeCount;
  case FieldKind::Pipe:
    return kPipeCount + 1;
  case FieldKind::Special:
    return kSpecialCount;
  case FieldKind::Space:
    return 2;
  case FieldKind::Compare:
    return 6;
  case FieldKind::Round:
    return 7;
  case FieldKind::Quant:
    return 9;
  case FieldKind::Relu:
    return 4;
  case FieldKind::Reg:
  case FieldKind::RegImm:
  case FieldKind::SRegImm:
  case FieldKind::Imm:
  case FieldKind::SImm:
  case FieldKind::Imm64:
  case FieldKind::Label:
    return 0;
  }
  return 0;
}

bool isSigned(FieldKind kind) { return kind == FieldKind::SRegImm || kind == FieldKind::SImm; }

// The rules that go beyond single fields.
Status checkOperands(const Inst &inst) {
  auto pipe = [&](Field field) { return static_cast<Pipe>(inst[field]); };
  switch (inst.info->format) {
  case Format::ScalarRound:
    if (static_cast<Round>(inst[Field::round]) == Round::Odd)
      return wrong("rounding to odd; expected rint, round, floor, ceil or trunc");
    return {};
  case Format::Flag:
    if (pipe(Field::pipe) == Pipe::All || pipe(Field::pipe2) == Pipe::All)
      return wrong("a flag between all pipes; expected one pipe on each side");
    if (pipe(Field::pipe) == pipe(Field::pipe2))
      return wrong("a flag from a pipe to itself; expected pipe_barrier");
    return {};
  case Format::CrossSet:
  case Format::CrossWait:
    if (pipe(Field::pipe) == Pipe::All)
      return wrong("pipe all; expected one pipe");
    if (inst[Field::mode] > 2)
      return wrong("mode 3; expected 0, 1 or 2");
    return {};
  case Format::WriteSpecial:
    if (isReadOnly(static_cast<Special>(inst[Field::sr])))
      return wrong("special register '" + std::string(specialName(static_cast<Special>(inst[Field::sr]))) +
                   "' cannot be written");
    return {};
  case Format::VectorConvert:
    if (!isConversion(inst.type(), static_cast<DType>(inst[Field::type2]),
                      static_cast<Round>(inst[Field::round])))
      return wrong("no conversion from " + std::string(dtypeName(inst.type())) + " to " +
                   std::string(dtypeName(static_cast<DType>(inst[Field::type2]))) + " with this rounding");
    return {};
  case Format::Fix:
    if (inst.op() != Op::FixGm && inst[Field::nd])
      return wrong("nd=1; expected 0: only GM takes rows");
    return {};
  default:
    return {};
  }
}

} // namespace

std::string_view pipeName(Pipe pipe) {
  constexpr std::string_view names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL"};
  return names[static_cast<size_t>(pipe)];
}

std::string_view dtypeName(DType type) {
  constexpr std::string_view names[] = {"f16", "bf16", "f32", "i8", "u8",  "i16", "u16",
                                        "i32", "u32",  "i64", "b8", "b16", "b32"};
  return names[static_cast<size_t>(type)];
}

std::string_view specialName(Special special) {
  constexpr std::string_view names[] = {"block_idx", "block_num", "sub_idx", "sub_num", "rsvdcnt", "mask0",
                                        "mask1",     "maskmode",  "fmatrix", "conv",    "padval",  "quant",
                                        "relu",      "fb",        "atomic",  "deqscale"};
  return names[static_cast<size_t>(special)];
}

std::string_view specialMeaning(Special special) {
  constexpr std::string_view texts[] = {
      "number of this block",
      "blocks of the launch",
      "number of this vector core in its block, 0 or 1",
      "vector cores of a block",
      "elements that the last vreducev2 wrote",
      "lanes 0 to 63 of a repeat; or the count of elements in counter mode",
      "lanes 64 to 127",
      "0: mask by lanes; 1: counter mode",
      "load3d: height (bits 0 to 15), width (16 to 31), padding left, right, top, bottom (8 bits each)",
      "load3d: stride w, h (6 bits each), filter w, h, dilation w, h (8 each), channels (16)",
      "element that pads copies and im2col",
      "fixpipe scale: f32 (bits 0 to 31), offset (37 to 45), sign of the result (46)",
      "fixpipe slope of lrelu, f32",
      "fixpipe: address in FB of scales (bits 0 to 15) and of slopes (16 to 31)",
      "stores to GM: 0 plain, 1 add, 2 max, 3 min",
      "vconv i32 to f16: f16 factor",
  };
  return texts[static_cast<size_t>(special)];
}

const FieldInfo &fieldInfo(Field field) { return kFields[static_cast<size_t>(field)]; }
std::string_view formatName(Format format) { return kFormats[static_cast<size_t>(format)].name; }
std::span<const Field> formatFields(Format format) {
  const FormatInfo &info = kFormats[static_cast<size_t>(format)];
  return {info.fields.data(), info.count};
}
std::span<const OpInfo> ops() { return kOps; }

const OpInfo *opInfo(uint8_t code) { return kOpByCode[code] < 0 ? nullptr : &kOps[kOpByCode[code]]; }

const OpInfo *findOp(std::string_view mnemonic) {
  for (const OpInfo &info : kOps)
    if (info.mnemonic == mnemonic)
      return &info;
  return nullptr;
}

bool isConversion(DType from, DType to, Round round) {
  struct Pair {
    DType from, to;
    bool rounds;
  };
  using enum DType;
  constexpr Pair pairs[] = {
      {F32, F16, true},  {F16, F32, false}, {F32, BF16, true}, {BF16, F32, false}, {F32, F32, true},
      {F32, I32, true},  {I32, F32, true},  {F32, I16, true},  {I16, F32, false},  {F32, I64, true},
      {I64, F32, true},  {F16, I32, true},  {F16, I16, true},  {I16, F16, true},   {F16, I8, true},
      {I8, F16, false},  {F16, U8, true},   {U8, F16, false},  {I32, I16, false},  {I32, I64, false},
      {I64, I32, false}, {BF16, I32, true}, {I32, F16, false},
  };
  for (const Pair &pair : pairs)
    if (pair.from == from && pair.to == to)
      return pair.rounds == (round != Round::None) &&
             (round != Round::Odd || (from == F32 && (to == F16 || to == BF16)));
  return false;
}

DType quantResult(Quant quant, bool isInt) {
  switch (quant) {
  case Quant::None:
    return isInt ? DType::I32 : DType::F32;
  case Quant::F32F16:
  case Quant::S32F16:
  case Quant::VS32F16:
    return DType::F16;
  case Quant::F32BF16:
    return DType::BF16;
  case Quant::S32I8:
  case Quant::VS32I8:
  case Quant::F32I8:
  case Quant::VF32I8:
    return DType::I8;
  }
  return DType::F32;
}

Inst Inst::make(Op op) {
  Inst inst;
  inst.info = opInfo(static_cast<uint8_t>(op));
  for (Field field : formatFields(inst.info->format))
    inst[field] = fieldInfo(field).standard;
  return inst;
}

Word encode(const Inst &inst) {
  Bits bits = static_cast<uint8_t>(inst.op());
  uint32_t at = 8;
  for (Field field : formatFields(inst.info->format)) {
    const FieldInfo &info = fieldInfo(field);
    uint64_t value = info.kind == FieldKind::Imm64
                         ? inst.imm
                         : static_cast<uint64_t>(int64_t(inst[field])) & low(info.bits);
    if (info.width() > info.bits && inst.isReg(field))
      value |= uint64_t(1) << info.bits;
    bits |= Bits(value) << at;
    at += info.width();
  }
  Word word;
  std::memcpy(word.data(), &bits, sizeof(word)); // hosts of Kiln are little-endian
  return word;
}

Result<Inst> decode(const Word &word) {
  Bits bits;
  std::memcpy(&bits, word.data(), sizeof(word));
  Inst inst;
  inst.info = opInfo(word[0]);
  if (!inst.info)
    return wrong("opcode " + std::to_string(word[0]) + " is not in the instruction set");
  bits >>= 8;
  for (Field field : formatFields(inst.info->format)) {
    const FieldInfo &info = fieldInfo(field);
    uint64_t value = static_cast<uint64_t>(bits) & low(info.bits);
    bits >>= info.bits;
    if (info.width() > info.bits) {
      if (bits & 1)
        inst.regs |= uint64_t(1) << static_cast<size_t>(field);
      bits >>= 1;
    }
    if (inst.isReg(field) && value > 31)
      return wrong(std::string(inst.info->mnemonic) + ": register " + std::to_string(value) + " in '" +
                   std::string(info.name) + "'; there are 32");
    if (uint32_t count = enumerators(info.kind); count && value >= count)
      return wrong(std::string(inst.info->mnemonic) + ": value " + std::to_string(value) + " in '" +
                   std::string(info.name) + "'; expected less than " + std::to_string(count));
    if (info.kind == FieldKind::Imm64)
      inst.imm = value;
    else if (isSigned(info.kind) && !inst.isReg(field) && (value >> (info.bits - 1) & 1))
      inst[field] = static_cast<int32_t>(value | ~low(info.bits));
    else
      inst[field] = static_cast<int32_t>(value);
  }
  if (bits != 0)
    return wrong(std::string(inst.info->mnemonic) + ": bits behind the last operand are set");
  return inst;
}

Status checkInst(const Inst &inst, const Target &target, uint8_t where) {
  auto named = [&](const Status &status) {
    return status.ok() ? status : wrong(std::string(inst.info->mnemonic) + ": " + status.message());
  };
  bool is910A = target.chip == ChipClass::Ascend910A;
  if (!target.fusedCores && !(inst.info->where & where))
    return named(wrong(std::string("not on a ") + (where == kAic ? "cube" : "vector") + " core"));
  if (inst.info->where & (is910A ? kOnly910B : kOnly910A))
    return named(wrong("not on the " + std::string(target.name())));
  for (Field field : formatFields(inst.info->format)) {
    const FieldInfo &info = fieldInfo(field);
    if (info.kind == FieldKind::Imm64)
      continue;
    int64_t value = inst[field], most = inst.isReg(field) ? 31 : static_cast<int64_t>(low(info.bits)),
            least = 0;
    if (isSigned(info.kind) && !inst.isReg(field)) {
      least = -(int64_t(1) << (info.bits - 1));
      most = -least - 1;
    }
    if (uint32_t count = enumerators(info.kind))
      most = count - 1;
    if (value < least || value > most)
      return named(wrong("'" + std::string(info.name) + "' is " + std::to_string(value) + "; expected " +
                         std::to_string(least) + " to " + std::to_string(most)));
    if (field == Field::type && !(inst.info->types & bit(inst.type())))
      return named(wrong("no form for " + std::string(dtypeName(inst.type()))));
    if (info.kind == FieldKind::Type && static_cast<DType>(value) == DType::BF16 && !target.hasBf16)
      return named(wrong("the " + std::string(target.name()) + " has no bf16"));
  }
  if (inst.op() == Op::MmadOp && inst.type() == DType::F32 && !target.cubeDepthF32)
    return named(wrong("the " + std::string(target.name()) + " multiplies no f32"));
  return named(checkOperands(inst));
}

} // namespace kiln::npu
