// NpuObject.cpp: objects to and from ELF: `.text.aic` and `.text.aiv` hold words, `.meta` the rest in a fixed
// order.
#include "backends/npu/NpuObject.h"

#include "backends/npu/ErrorText.h"
#include "kiln/devicekit/DeviceElf.h"

#include <algorithm>
#include <cstring>

namespace kiln::npu {
namespace {

constexpr uint32_t kMetaMagic = 0x4d55504e; // "NPUM"
constexpr uint32_t kMetaVersion = 1;
constexpr size_t kMostNodes = 512, kMostBindings = 256, kMostSymbol = 4096;

/// Appends little-endian numbers.
class MetaWriter {
public:
  template <typename T> void put(T value) {
    const auto *from = reinterpret_cast<const uint8_t *>(&value);
    bytes.insert(bytes.end(), from, from + sizeof(T));
  }
  void put(const Expr &expr) {
    put(static_cast<uint32_t>(expr.size()));
    for (const ExprNode &node : expr) {
      put(static_cast<uint8_t>(node.op));
      put(node.value);
    }
  }
  void put(const std::vector<OpRange> &ops) {
    put(static_cast<uint32_t>(ops.size()));
    for (const OpRange &range : ops) {
      put(range.first);
      put(range.op);
    }
  }
  std::vector<uint8_t> bytes;
};

/// Reads what MetaWriter wrote; after the first surplus read everything is 0 and isShort() says so.
class MetaReader {
public:
  explicit MetaReader(std::span<const uint8_t> bytes) : bytes(bytes) {}
  template <typename T> T take() {
    T value = {};
    if (bytes.size() < sizeof(T)) {
      overrun = true;
      bytes = {};
      return value;
    }
    std::memcpy(&value, bytes.data(), sizeof(T));
    bytes = bytes.subspan(sizeof(T));
    return value;
  }
  /// A count of entries of `entryBytes` each; 0 and isShort() if so many cannot follow.
  size_t count(size_t entryBytes) {
    size_t entries = take<uint32_t>();
    if (entries > bytes.size() / entryBytes) {
      overrun = true;
      return 0;
    }
    return entries;
  }
  Expr expr() {
    Expr result(count(9));
    for (ExprNode &node : result) {
      node.op = static_cast<ExprOp>(take<uint8_t>());
      node.value = take<int64_t>();
    }
    return result;
  }
  std::vector<OpRange> ops() {
    std::vector<OpRange> result(count(8));
    for (OpRange &range : result) {
      range.first = take<uint32_t>();
      range.op = take<uint32_t>();
    }
    return result;
  }
  std::string text(size_t size) {
    std::string result(reinterpret_cast<const char *>(bytes.data()), size);
    bytes = bytes.subspan(size);
    return result;
  }
  bool isShort() const { return overrun; }
  size_t left() const { return bytes.size(); }

private:
  std::span<const uint8_t> bytes;
  bool overrun = false;
};

std::vector<uint8_t> writeMeta(const NpuObject &object) {
  MetaWriter out;
  out.put(kMetaMagic);
  out.put(kMetaVersion);
  out.put(static_cast<uint8_t>(object.chip));
  out.put(static_cast<uint8_t>(object.kind));
  out.put(static_cast<uint32_t>(object.symbol.size()));
  out.bytes.insert(out.bytes.end(), object.symbol.begin(), object.symbol.end());
  out.put(static_cast<uint32_t>(object.bindings.size()));
  for (const ObjectBinding &binding : object.bindings) {
    out.put(static_cast<uint8_t>(binding.kind));
    out.put(binding.dtype);
    out.put(binding.alignmentBytes);
    out.put(binding.bytes);
  }
  out.put(object.constantCount);
  out.put(object.workspaceBytes);
  out.put(object.grid);
  out.put(object.aic.ops);
  out.put(object.aiv.ops);
  return out.bytes;
}

Status readMeta(std::span<const uint8_t> bytes, NpuObject &object) {
  MetaReader in(bytes);
  if (in.take<uint32_t>() != kMetaMagic)
    return wrong("section .meta does not begin with 'NPUM'");
  if (uint32_t version = in.take<uint32_t>(); version != kMetaVersion)
    return wrong("section .meta has version " + std::to_string(version) + "; expected " +
                 std::to_string(kMetaVersion));
  auto chip = in.take<uint8_t>(), kind = in.take<uint8_t>();
  if (chip > 1 || kind > 2)
    return wrong("section .meta: chip " + std::to_string(chip) + ", kind " + std::to_string(kind) +
                 "; expected chip 0 or 1, kind 0 to 2");
  object.chip = static_cast<ChipClass>(chip);
  object.kind = static_cast<KernelKind>(kind);
  object.symbol = in.text(in.count(1));
  object.bindings.resize(in.count(13));
  for (ObjectBinding &binding : object.bindings) {
    binding.kind = static_cast<ObjectBinding::Kind>(in.take<uint8_t>());
    binding.dtype = in.take<uint32_t>();
    binding.alignmentBytes = in.take<uint32_t>();
    binding.bytes = in.expr();
  }
  object.constantCount = in.take<uint32_t>();
  object.workspaceBytes = in.expr();
  object.grid = in.expr();
  object.aic.ops = in.ops();
  object.aiv.ops = in.ops();
  if (in.isShort() || in.left() != 0)
    return wrong(in.isShort() ? "section .meta ends within its tables"
                              : "section .meta: " + std::to_string(in.left()) + " bytes behind its tables");
  return {};
}

Result<std::vector<Inst>> readCode(const devicekit::ElfSection &section) {
  if (section.bytes.size() % kWordBytes)
    return wrong("section " + section.name + ": " + std::to_string(section.bytes.size()) +
                 " bytes; expected words of " + std::to_string(kWordBytes));
  std::vector<Inst> code(section.bytes.size() / kWordBytes);
  for (size_t i = 0; i < code.size(); ++i) {
    Word word;
    std::memcpy(word.data(), section.bytes.data() + i * kWordBytes, kWordBytes);
    Result<Inst> inst = decode(word);
    if (!inst.ok())
      return wrong("section " + section.name + ", instruction " + std::to_string(i) + ": " +
                   inst.status().message());
    code[i] = *inst;
  }
  return code;
}

Status checkExpr(const Expr &expr, uint32_t constantCount, std::string_view what) {
  size_t depth = 0;
  for (const ExprNode &node : expr) {
    if (node.op > ExprOp::Max)
      return wrong(std::string(what) + ": operator " + std::to_string(static_cast<int>(node.op)) +
                   " is unknown");
    if (node.op == ExprOp::Constant && (node.value < 0 || node.value >= constantCount))
      return wrong(std::string(what) + ": constant " + std::to_string(node.value) + "; there are " +
                   std::to_string(constantCount));
    bool isLeaf = node.op <= ExprOp::Constant;
    if (!isLeaf && (depth < 2 || node.value != 0))
      return wrong(std::string(what) + ": an operator without two operands");
    depth = isLeaf ? depth + 1 : depth - 1;
  }
  if (expr.size() > kMostNodes || (!expr.empty() && depth != 1))
    return wrong(std::string(what) + ": no expression of at most " + std::to_string(kMostNodes) + " nodes");
  return {};
}

Status checkCode(const CodeSection &section, const Target &target, uint8_t where, std::string_view name) {
  auto at = [&](size_t i) {
    return "section " + std::string(name) + ", instruction " + std::to_string(i) + ": ";
  };
  for (size_t i = 0; i < section.code.size(); ++i) {
    const Inst &inst = section.code[i];
    if (Status status = checkInst(inst, target, where); !status.ok())
      return wrong(at(i) + status.message());
    for (Field field : formatFields(inst.info->format))
      if (fieldInfo(field).kind == FieldKind::Label &&
          static_cast<size_t>(inst[field]) >= section.code.size())
        return wrong(at(i) + "goes to instruction " + std::to_string(inst[field]) + "; there are " +
                     std::to_string(section.code.size()));
  }
  if (!section.code.empty() && section.code.back().op() != Op::Halt && section.code.back().op() != Op::Jump)
    return wrong(at(section.code.size() - 1) + "the last one is '" +
                 std::string(section.code.back().info->mnemonic) + "'; expected halt or jmp");
  for (size_t i = 0; i < section.ops.size(); ++i)
    if (section.ops[i].first >= section.code.size() ||
        (i &&
         (section.ops[i].first <= section.ops[i - 1].first || section.ops[i].op == section.ops[i - 1].op)))
      return wrong("section " + std::string(name) + ": entry " + std::to_string(i) +
                   " of its op table is out of order");
  return {};
}

} // namespace

Result<int64_t> evaluate(const Expr &expr, std::span<const int64_t> constants) {
  std::vector<int64_t> stack;
  for (const ExprNode &node : expr) {
    if (node.op == ExprOp::Literal || node.op == ExprOp::Constant) {
      stack.push_back(node.op == ExprOp::Literal ? node.value : constants[static_cast<size_t>(node.value)]);
      continue;
    }
    int64_t b = stack.back(), result = 0;
    stack.pop_back();
    int64_t a = stack.back();
    bool overflow = false,
         divides = node.op == ExprOp::FloorDiv || node.op == ExprOp::CeilDiv || node.op == ExprOp::Mod;
    if (divides && (b == 0 || (b == -1 && a == INT64_MIN)))
      return wrong("expression: " + std::to_string(a) + " divided by " + std::to_string(b));
    switch (node.op) {
    case ExprOp::Add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case ExprOp::Sub:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case ExprOp::Mul:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case ExprOp::FloorDiv:
      result = a / b - (a % b != 0 && (a < 0) != (b < 0));
      break;
    case ExprOp::CeilDiv:
      result = a / b + (a % b != 0 && (a < 0) == (b < 0));
      break;
    case ExprOp::Mod:
      result = a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
      break;
    case ExprOp::Min:
      result = std::min(a, b);
      break;
    case ExprOp::Max:
      result = std::max(a, b);
      break;
    case ExprOp::Literal:
    case ExprOp::Constant:
      break;
    }
    if (overflow)
      return wrong("expression: overflow of 64 bits");
    stack.back() = result;
  }
  return stack.empty() ? 0 : stack.back();
}

int64_t CodeSection::opAt(uint32_t pc) const {
  auto after = std::upper_bound(ops.begin(), ops.end(), pc,
                                [](uint32_t at, const OpRange &r) { return at < r.first; });
  return after == ops.begin() ? int64_t(-1) : std::prev(after)->op;
}

Status checkObject(const NpuObject &object) {
  const Target &target = Target::of(object.chip);
  bool wantsAic = object.kind != KernelKind::Aiv, wantsAiv = object.kind != KernelKind::Aic;
  if (object.kind == KernelKind::Mix && target.fusedCores)
    return wrong("kind mix on the " + std::string(target.name()) +
                 ", whose cores are fused; expected aic or aiv");
  if (object.aic.code.empty() == wantsAic || object.aiv.code.empty() == wantsAiv)
    return wrong("kind and code differ: expected code for exactly the cores of the kind");
  if (object.symbol.empty() || object.symbol.size() > kMostSymbol ||
      object.symbol.find_first_of(" \t\r\n;") != std::string::npos ||
      object.symbol.find('\0') != std::string::npos)
    return wrong("symbol '" + object.symbol.substr(0, 64) + "'; expected one word");
  if (object.bindings.size() > kMostBindings || object.constantCount > kMostBindings)
    return wrong("more than " + std::to_string(kMostBindings) + " bindings or constants");
  for (size_t i = 0; i < object.bindings.size(); ++i) {
    const ObjectBinding &binding = object.bindings[i];
    std::string name = "binding " + std::to_string(i);
    if (binding.kind > ObjectBinding::Kind::InOut || binding.dtype == KILN_DTYPE_INVALID ||
        binding.dtype > KILN_U4)
      return wrong(name + ": unknown kind or element type");
    if (!binding.alignmentBytes || (binding.alignmentBytes & (binding.alignmentBytes - 1)))
      return wrong(name + ": alignment " + std::to_string(binding.alignmentBytes) +
                   "; expected a power of two");
    KILN_RETURN_IF_ERROR(checkExpr(binding.bytes, object.constantCount, name));
  }
  KILN_RETURN_IF_ERROR(checkExpr(object.workspaceBytes, object.constantCount, "workspace"));
  KILN_RETURN_IF_ERROR(checkExpr(object.grid, object.constantCount, "grid"));
  KILN_RETURN_IF_ERROR(checkCode(object.aic, target, kAic, ".text.aic"));
  return checkCode(object.aiv, target, kAiv, ".text.aiv");
}

std::vector<uint8_t> writeObject(const NpuObject &object) {
  auto section = [](std::string name, const CodeSection &from) {
    devicekit::ElfSection result{std::move(name), {}, true};
    for (const Inst &inst : from.code) {
      Word word = encode(inst);
      result.bytes.insert(result.bytes.end(), word.begin(), word.end());
    }
    return result;
  };
  devicekit::ElfSection sections[] = {section(".text.aic", object.aic),
                                      section(".text.aiv", object.aiv),
                                      {".meta", writeMeta(object), false}};
  return devicekit::writeElf(kElfMachine, sections);
}

Result<NpuObject> readObject(std::span<const uint8_t> file) {
  KILN_ASSIGN_OR_RETURN(auto sections, devicekit::readElf(kElfMachine, file));
  constexpr std::string_view names[] = {".text.aic", ".text.aiv", ".meta"};
  if (sections.size() != 3)
    return wrong("object: " + std::to_string(sections.size()) +
                 " sections; expected .text.aic, .text.aiv and .meta");
  for (size_t i = 0; i < 3; ++i)
    if (sections[i].name != names[i] || sections[i].isCode != (i < 2))
      return wrong("object: section '" + sections[i].name + "'; expected " + std::string(names[i]));
  NpuObject object;
  KILN_ASSIGN_OR_RETURN(object.aic.code, readCode(sections[0]));
  KILN_ASSIGN_OR_RETURN(object.aiv.code, readCode(sections[1]));
  KILN_RETURN_IF_ERROR(readMeta(sections[2].bytes, object));
  KILN_RETURN_IF_ERROR(checkObject(object));
  return object;
}

} // namespace kiln::npu
