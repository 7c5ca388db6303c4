// NpuObjectText.cpp: objects as text. Directives first, then `.section aic` and `.section aiv`; `;` begins a
// comment.
#include "backends/npu/NpuObject.h"

#include "backends/npu/ErrorText.h"

#include <charconv>
#include <map>
#include <set>

namespace kiln::npu {
namespace {

constexpr std::string_view kKinds[] = {"aic", "aiv", "mix"};
constexpr std::string_view kBindingKinds[] = {"in", "out", "inout"};
constexpr std::string_view kDTypes[] = {"",    "f16", "bf16",     "f32",    "f64", "i1",
                                        "i8",  "i16", "i32",      "i64",    "u8",  "u16",
                                        "u32", "u64", "f8E4M3FN", "f8E5M2", "i4",  "u4"};
constexpr std::string_view kOperators[] = {"",         "",        "add", "sub", "mul",
                                           "floordiv", "ceildiv", "mod", "min", "max"};

std::string printExpr(const Expr &expr) {
  std::string text;
  for (const ExprNode &node : expr) {
    text += " ";
    if (node.op == ExprOp::Literal)
      text += std::to_string(node.value);
    else if (node.op == ExprOp::Constant)
      text += "c" + std::to_string(node.value);
    else
      text += kOperators[static_cast<size_t>(node.op)];
  }
  return text;
}

void printSection(std::string_view name, const CodeSection &section, std::string &text) {
  if (section.code.empty())
    return;
  text += "\n.section " + std::string(name) + "\n";
  std::set<int32_t> targets;
  for (const Inst &inst : section.code)
    for (Field field : formatFields(inst.info->format))
      if (fieldInfo(field).kind == FieldKind::Label)
        targets.insert(inst[field]);
  size_t nextOp = 0;
  for (size_t i = 0; i < section.code.size(); ++i) {
    if (nextOp < section.ops.size() && section.ops[nextOp].first == i)
      text += ".op " + std::to_string(section.ops[nextOp++].op) + "\n";
    if (targets.count(static_cast<int32_t>(i)))
      text += "L" + std::to_string(i) + ":\n";
    text += "  " + printInst(section.code[i]) + "\n";
  }
}

template <typename T> bool number(std::string_view text, T &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

template <size_t N> int find(const std::string_view (&names)[N], std::string_view name) {
  for (size_t i = 0; i < N; ++i)
    if (!names[i].empty() && names[i] == name)
      return static_cast<int>(i);
  return -1;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  while (true) {
    size_t start = text.find_first_not_of(" \t\r");
    if (start == std::string_view::npos)
      return result;
    text.remove_prefix(start);
    size_t end = text.find_first_of(" \t\r");
    result.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  }
}

/// Reads one text. Labels are gathered first, so that code may go forward.
class Assembler {
public:
  Result<NpuObject> run(std::string_view text) {
    for (bool isFirst : {true, false}) {
      section = nullptr;
      uint32_t counts[2] = {};
      size_t line = 0;
      for (std::string_view rest = text; !rest.empty() || line == 0;) {
        std::string_view current = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), current.size() + 1));
        ++line;
        current = current.substr(0, current.find(';'));
        if (Status status = isFirst ? findLabels(current, counts) : read(current); !status.ok())
          return wrong("line " + std::to_string(line) + ": " + status.message());
      }
    }
    if (Status status = checkObject(object); !status.ok())
      return wrong("line 1: " + status.message());
    return std::move(object);
  }

private:
  Status findLabels(std::string_view line, uint32_t (&counts)[2]) {
    std::vector<std::string_view> tokens = words(line);
    if (tokens.empty())
      return {};
    if (tokens[0] == ".section")
      section = tokens.size() == 2 && tokens[1] == "aic" ? &object.aic : &object.aiv;
    if (tokens[0][0] == '.')
      return {};
    size_t which = section == &object.aic ? 0 : 1;
    if (tokens[0].back() != ':') {
      ++counts[which];
      return {};
    }
    std::string name(tokens[0].substr(0, tokens[0].size() - 1));
    if (!labels[which].emplace(name, counts[which]).second)
      return wrong("label " + quoted(name) + " stands twice in its section");
    return {};
  }

  Status read(std::string_view line) {
    std::vector<std::string_view> tokens = words(line);
    if (tokens.empty())
      return {};
    if (tokens[0][0] == '.')
      return directive(tokens);
    if (!section)
      return wrong(quoted(tokens[0]) + " before the first .section");
    if (tokens[0].back() == ':')
      return tokens.size() == 1 ? Status() : wrong("text behind a label; expected a line of its own");
    KILN_ASSIGN_OR_RETURN(std::string text, resolveLabel(line, tokens));
    KILN_ASSIGN_OR_RETURN(Inst inst, parseInst(text));
    section->code.push_back(inst);
    return {};
  }

  // Replaces the label, always the last operand, by its number.
  Result<std::string> resolveLabel(std::string_view line, const std::vector<std::string_view> &tokens) {
    const OpInfo *info = findOp(tokens[0]);
    std::string text(line);
    if (!info || formatFields(info->format).empty() ||
        fieldInfo(formatFields(info->format).back()).kind != FieldKind::Label)
      return text;
    const auto &known = labels[section == &object.aic ? 0 : 1];
    auto label = known.find(std::string(tokens.back()));
    if (label == known.end())
      return wrong("label " + quoted(tokens.back()) + " is not in this section");
    size_t at = static_cast<size_t>(tokens.back().data() - line.data());
    return text.substr(0, at) + "L" + std::to_string(label->second);
  }

  Status directive(const std::vector<std::string_view> &tokens) {
    std::string_view name = tokens[0];
    std::span<const std::string_view> rest(tokens.begin() + 1, tokens.end());
    if (name == ".workspace")
      return readExpr(rest, object.workspaceBytes);
    if (name == ".grid")
      return readExpr(rest, object.grid);
    if (name == ".binding")
      return readBinding(rest);
    if (rest.size() != 1)
      return wrong(std::string(name) + ": " + std::to_string(rest.size()) + " words; expected one");
    if (name == ".chip") {
      KILN_ASSIGN_OR_RETURN(object.chip, parseChip(rest[0]));
      return {};
    }
    if (name == ".kind") {
      int kind = find(kKinds, rest[0]);
      object.kind = static_cast<KernelKind>(kind);
      return kind < 0 ? wrong(".kind " + std::string(rest[0]) + "; expected aic, aiv or mix") : Status();
    }
    if (name == ".kernel") {
      object.symbol = rest[0];
      return {};
    }
    if (name == ".constants")
      return number(rest[0], object.constantCount)
                 ? Status()
                 : wrong(".constants " + quoted(rest[0]) + "; expected a number");
    if (name == ".section") {
      section = rest[0] == "aic" ? &object.aic : rest[0] == "aiv" ? &object.aiv : nullptr;
      return section ? Status() : wrong(".section " + std::string(rest[0]) + "; expected aic or aiv");
    }
    if (name != ".op")
      return wrong("unknown directive " + quoted(name));
    uint32_t op = 0;
    if (!section || !number(rest[0], op))
      return wrong(".op " + std::string(rest[0]) + "; expected a number, within a section");
    auto first = static_cast<uint32_t>(section->code.size());
    if (section->ops.empty() || section->ops.back().op != op)
      section->ops.push_back({first, op});
    return {};
  }

  Status readBinding(std::span<const std::string_view> rest) {
    ObjectBinding binding;
    int kind = rest.size() >= 3 ? find(kBindingKinds, rest[0]) : -1;
    int dtype = rest.size() >= 3 ? find(kDTypes, rest[1]) : -1;
    constexpr std::string_view align = "align=";
    if (kind < 0 || dtype < 0 || !rest[2].starts_with(align) ||
        !number(rest[2].substr(align.size()), binding.alignmentBytes))
      return wrong(".binding: expected in, out or inout, an element type, align=N and an expression");
    binding.kind = static_cast<ObjectBinding::Kind>(kind);
    binding.dtype = static_cast<uint32_t>(dtype);
    KILN_RETURN_IF_ERROR(readExpr(rest.subspan(3), binding.bytes));
    object.bindings.push_back(std::move(binding));
    return {};
  }

  Status readExpr(std::span<const std::string_view> tokens, Expr &expr) {
    for (std::string_view token : tokens) {
      int64_t value = 0;
      int op = find(kOperators, token);
      if (op >= 0)
        expr.push_back({static_cast<ExprOp>(op), 0});
      else if (number(token, value))
        expr.push_back({ExprOp::Literal, value});
      else if (token[0] == 'c' && number(token.substr(1), value))
        expr.push_back({ExprOp::Constant, value});
      else
        return wrong("expression: " + quoted(token) +
                     "; expected a number, c0 to cN or an operator like mul");
    }
    return {};
  }

  NpuObject object;
  CodeSection *section = nullptr;
  std::map<std::string, uint32_t> labels[2]; // of aic and aiv
};

} // namespace

std::string disassemble(const NpuObject &object) {
  std::string text = ".chip " + std::string(Target::of(object.chip).name()) + "\n.kind " +
                     std::string(kKinds[static_cast<size_t>(object.kind)]) + "\n.kernel " + object.symbol +
                     "\n";
  for (const ObjectBinding &binding : object.bindings)
    text += ".binding " + std::string(kBindingKinds[static_cast<size_t>(binding.kind)]) + " " +
            std::string(kDTypes[binding.dtype]) + " align=" + std::to_string(binding.alignmentBytes) +
            printExpr(binding.bytes) + "\n";
  text += ".constants " + std::to_string(object.constantCount) + "\n";
  if (!object.workspaceBytes.empty())
    text += ".workspace" + printExpr(object.workspaceBytes) + "\n";
  if (!object.grid.empty())
    text += ".grid" + printExpr(object.grid) + "\n";
  printSection("aic", object.aic, text);
  printSection("aiv", object.aiv, text);
  return text;
}

Result<NpuObject> assemble(std::string_view text) { return Assembler().run(text); }

} // namespace kiln::npu
