// IsaText.cpp: instructions as text and back. Both directions walk the same table, field by field.
#include "backends/npu/Isa/Isa.h"

#include "backends/npu/ErrorText.h"

#include <charconv>
#include <vector>

namespace kiln::npu {
namespace {

constexpr std::string_view kCompares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
constexpr std::string_view kRounds[] = {"none", "rint", "round", "floor", "ceil", "trunc", "odd"};
constexpr std::string_view kQuants[] = {"none",  "f32f16", "f32bf16", "s32f16", "vs32f16",
                                        "s32i8", "vs32i8", "f32i8",   "vf32i8"};
constexpr std::string_view kRelus[] = {"none", "relu", "lrelu", "prelu"};
constexpr std::string_view kSpaces[] = {"ub", "gm"};

// The name of enumerator `value` of a kind; "" beyond the last, or if the kind is a number.
std::string_view enumerator(FieldKind kind, uint32_t value) {
  auto at = [&](auto &names) { return value < std::size(names) ? names[value] : std::string_view(); };
  switch (kind) {
  case FieldKind::Type:
    return value < kDTypeCount ? dtypeName(static_cast<DType>(value)) : std::string_view();
  case FieldKind::Pipe:
    return value <= kPipeCount ? pipeName(static_cast<Pipe>(value)) : std::string_view();
  case FieldKind::Special:
    return value < kSpecialCount ? specialName(static_cast<Special>(value)) : std::string_view();
  case FieldKind::Space:
    return at(kSpaces);
  case FieldKind::Compare:
    return at(kCompares);
  case FieldKind::Round:
    return at(kRounds);
  case FieldKind::Quant:
    return at(kQuants);
  case FieldKind::Relu:
    return at(kRelus);
  case FieldKind::Reg:
  case FieldKind::RegImm:
  case FieldKind::SRegImm:
  case FieldKind::Imm:
  case FieldKind::SImm:
  case FieldKind::Imm64:
  case FieldKind::Label:
    return {};
  }
  return {};
}

std::string printValue(const Inst &inst, Field field) {
  const FieldInfo &info = fieldInfo(field);
  if (info.kind == FieldKind::Imm64)
    return std::to_string(static_cast<int64_t>(inst.imm));
  if (info.kind == FieldKind::Reg || inst.isReg(field))
    return "x" + std::to_string(inst[field]);
  if (info.kind == FieldKind::Label)
    return "L" + std::to_string(inst[field]);
  if (std::string_view name = enumerator(info.kind, static_cast<uint32_t>(inst[field])); !name.empty())
    return std::string(name);
  return std::to_string(inst[field]);
}

template <typename T> bool parseNumber(std::string_view text, T &value) {
  int base = 10;
  bool isNegative = !text.empty() && text[0] == '-';
  std::string_view digits = text.substr(isNegative);
  if (digits.starts_with("0x")) {
    base = 16;
    digits.remove_prefix(2);
  }
  uint64_t magnitude = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    return false;
  value = static_cast<T>(isNegative ? 0 - magnitude : magnitude);
  if constexpr (sizeof(T) == 4) // whatever does not fit must not wrap into what does
    return magnitude <= uint64_t(INT32_MAX) + isNegative;
  return !isNegative || magnitude <= uint64_t(1) << 63;
}

bool parseRegister(std::string_view text, int32_t &number) {
  return text.size() >= 2 && text[0] == 'x' && text[1] != '-' && parseNumber(text.substr(1), number) &&
         number <= 31;
}

Status parseValue(Inst &inst, Field field, std::string_view text) {
  const FieldInfo &info = fieldInfo(field);
  auto expected = [&](std::string what) {
    return wrong("operand '" + std::string(info.name) + "' is " + quoted(text) + "; expected " + what);
  };
  int32_t number = 0;
  switch (info.kind) {
  case FieldKind::Reg:
    if (!parseRegister(text, inst[field]))
      return expected("x0 to x31");
    return {};
  case FieldKind::RegImm:
  case FieldKind::SRegImm:
    if (parseRegister(text, number)) {
      inst.setReg(field, static_cast<uint32_t>(number));
      return {};
    }
    [[fallthrough]];
  case FieldKind::Imm:
  case FieldKind::SImm: {
    int64_t wide = 0;
    bool isSigned = info.kind == FieldKind::SRegImm || info.kind == FieldKind::SImm;
    int64_t least = isSigned ? -(int64_t(1) << (info.bits - 1)) : 0;
    int64_t most = (int64_t(1) << (info.bits - isSigned)) - 1;
    if (!parseNumber(text, wide) || wide < least || wide > most)
      return expected((info.width() > info.bits ? "a register or a number from " : "a number from ") +
                      std::to_string(least) + " to " + std::to_string(most));
    inst[field] = static_cast<int32_t>(wide);
    inst.regs &= ~(uint64_t(1) << static_cast<size_t>(field));
    return {};
  }
  case FieldKind::Imm64:
    return parseNumber(text, inst.imm) ? Status() : expected("a number of 64 bits");
  case FieldKind::Label:
    if (text.size() < 2 || text[0] != 'L' || !parseNumber(text.substr(1), number) || number < 0 ||
        number >= 1 << info.bits)
      return expected("a label L0 to L" + std::to_string((1 << info.bits) - 1));
    inst[field] = number;
    return {};
  case FieldKind::Type:
  case FieldKind::Pipe:
  case FieldKind::Special:
  case FieldKind::Space:
  case FieldKind::Compare:
  case FieldKind::Round:
  case FieldKind::Quant:
  case FieldKind::Relu:
    break;
  }
  std::string names;
  for (uint32_t value = 0; !enumerator(info.kind, value).empty(); ++value) {
    if (enumerator(info.kind, value) == text) {
      inst[field] = static_cast<int32_t>(value);
      return {};
    }
    names += (names.empty() ? "" : ", ") + std::string(enumerator(info.kind, value));
  }
  return expected("one of " + names);
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t at = text.find(by);
    parts.push_back(trim(text.substr(0, at)));
    if (at == std::string_view::npos)
      return parts;
    text.remove_prefix(at + 1);
  }
}

} // namespace

std::string printInst(const Inst &inst) {
  std::string text(inst.info->mnemonic), operands;
  for (Field field : formatFields(inst.info->format)) {
    const FieldInfo &info = fieldInfo(field);
    if (info.kind == FieldKind::Type)
      text += "." + printValue(inst, field);
    else if (!info.isNamed)
      operands += (operands.empty() ? " " : ", ") + printValue(inst, field);
    else if (inst[field] != info.standard || inst.isReg(field))
      operands += (operands.empty() ? " " : ", ") + std::string(info.name) + "=" + printValue(inst, field);
  }
  return text + operands;
}

Result<Inst> parseInst(std::string_view text) {
  text = trim(text);
  size_t end = text.find_first_of(" \t");
  std::vector<std::string_view> head = split(text.substr(0, end), '.');
  std::string_view rest = end == std::string_view::npos ? std::string_view() : trim(text.substr(end));
  const OpInfo *info = findOp(head[0]);
  if (!info)
    return wrong("unknown instruction " + quoted(head[0]));
  Inst inst = Inst::make(info->op);
  auto named = [&](const Status &status) {
    return wrong(std::string(info->mnemonic) + ": " + status.message());
  };
  std::vector<std::string_view> operands = rest.empty() ? std::vector<std::string_view>() : split(rest, ',');
  size_t nextSuffix = 1, nextOperand = 0;
  for (Field field : formatFields(info->format)) {
    const FieldInfo &field_ = fieldInfo(field);
    if (field_.isNamed)
      continue;
    bool isSuffix = field_.kind == FieldKind::Type;
    std::vector<std::string_view> &from = isSuffix ? head : operands;
    size_t &next = isSuffix ? nextSuffix : nextOperand;
    if (next >= from.size() || from[next].find('=') != std::string_view::npos)
      return named(
          wrong("no operand '" + std::string(field_.name) + "' (" + std::string(field_.meaning) + ")"));
    if (Status status = parseValue(inst, field, from[next++]); !status.ok())
      return named(status);
  }
  if (nextSuffix < head.size())
    return named(wrong("suffix " + quoted(head[nextSuffix]) + " is one too many"));
  uint64_t given = 0;
  for (; nextOperand < operands.size(); ++nextOperand) {
    size_t equals = operands[nextOperand].find('=');
    std::string_view name = operands[nextOperand].substr(0, equals);
    const Field *found = nullptr;
    for (const Field &field : formatFields(info->format))
      if (fieldInfo(field).isNamed && fieldInfo(field).name == name)
        found = &field;
    if (equals == std::string_view::npos || !found)
      return named(wrong("it has no operand " + quoted(operands[nextOperand])));
    uint64_t bit = uint64_t(1) << static_cast<size_t>(*found);
    if (given & bit)
      return named(wrong("operand " + quoted(name) + " stands twice"));
    given |= bit;
    if (Status status = parseValue(inst, *found, operands[nextOperand].substr(equals + 1)); !status.ok())
      return named(status);
  }
  return inst;
}

} // namespace kiln::npu
