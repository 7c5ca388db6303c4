// Registers.cpp: linear scan (Poletto and Sarkar) over live ranges without holes; liveness by the usual
// backward equations over basic blocks.
#include "backends/npu/Registers.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kiln::npu {
namespace {

bool writesRegister(const Inst &inst) {
  switch (inst.info->format) {
  case Format::MoveImm:
  case Format::Scalar1:
  case Format::Scalar2:
  case Format::ScalarCompare:
  case Format::ScalarRound:
  case Format::ReadSpecial:
  case Format::Argument:
  case Format::ScalarLoad:
    return true;
  default:
    return false;
  }
}

/// Calls `visit` with every register operand; `isDef`: the register is written, and not read.
template <typename Visit> void forOperands(const Inst &inst, Visit visit) {
  for (Field field : formatFields(inst.info->format))
    if (fieldInfo(field).kind == FieldKind::Reg || inst.isReg(field))
      visit(field, field == Field::d && writesRegister(inst));
}

bool isJump(const Inst &inst) {
  return inst.op() == Op::Branch || inst.op() == Op::Jump || inst.op() == Op::Loop;
}
bool fallsThrough(const Inst &inst) { return inst.op() != Op::Jump && inst.op() != Op::Halt; }

/// Values, as bits.
class ValueSet {
public:
  void resize(uint32_t count) { words.resize((count + 63) / 64); }
  bool test(uint32_t value) const { return words[value / 64] >> (value % 64) & 1; }
  void set(uint32_t value) { words[value / 64] |= uint64_t(1) << (value % 64); }
  void add(const ValueSet &other) {
    for (size_t i = 0; i < words.size(); ++i)
      words[i] |= other.words[i];
  }
  /// Becomes out without defs, with uses; whether that changed it.
  bool flow(const ValueSet &out, const ValueSet &defs, const ValueSet &uses) {
    bool changes = false;
    for (size_t i = 0; i < words.size(); ++i) {
      uint64_t now = (out.words[i] & ~defs.words[i]) | uses.words[i];
      changes |= now != words[i];
      words[i] = now;
    }
    return changes;
  }
  template <typename Visit> void forEach(Visit visit) const {
    for (size_t i = 0; i < words.size(); ++i)
      for (uint64_t rest = words[i]; rest; rest &= rest - 1)
        visit(static_cast<uint32_t>(i * 64) + static_cast<uint32_t>(__builtin_ctzll(rest)));
  }

private:
  std::vector<uint64_t> words;
};

/// Positions count twice for each instruction: it reads at 2 i and writes at 2 i + 1.
struct LiveRange {
  uint32_t value = 0, first = UINT32_MAX, last = 0;
  double uses = 0; // weighted by loop depth
  uint32_t reg = UINT32_MAX, hint = UINT32_MAX;
  const Inst *origin = nullptr; // its only definition, if that needs no operand
  void widen(uint32_t at) {
    first = std::min(first, at);
    last = std::max(last, at);
  }
  double weight() const { return uses / (last - first + 1); }
};

class LiveRanges {
public:
  explicit LiveRanges(const std::vector<Inst> &code) : code(code) {
    for (const Inst &inst : code)
      forOperands(inst, [&](Field field, bool) { count = std::max(count, uint32_t(inst[field]) + 1); });
    findBlocks();
    solve();
    findRanges();
  }
  std::vector<LiveRange> take() { return std::move(ranges); }

private:
  struct Block {
    uint32_t begin, end;
    std::vector<uint32_t> next;
    ValueSet in, out, uses, defs;
  };

  void findBlocks() {
    std::vector<bool> leads(code.size() + 1);
    leads[0] = true;
    for (uint32_t i = 0; i < code.size(); ++i) {
      if (isJump(code[i]))
        leads[static_cast<size_t>(code[i][Field::target])] = true;
      if (isJump(code[i]) || !fallsThrough(code[i]))
        leads[i + 1] = true;
    }
    std::vector<uint32_t> blockAt(code.size() + 1);
    for (uint32_t i = 0; i < code.size(); ++i) {
      if (leads[i])
        blocks.push_back({i, i, {}, {}, {}, {}, {}});
      blocks.back().end = i + 1;
      blockAt[i] = static_cast<uint32_t>(blocks.size() - 1);
    }
    for (Block &block : blocks) {
      const Inst &last = code[block.end - 1];
      if (fallsThrough(last) && block.end < code.size())
        block.next.push_back(blockAt[block.end]);
      if (isJump(last))
        block.next.push_back(blockAt[static_cast<size_t>(last[Field::target])]);
    }
  }

  void solve() {
    for (Block &block : blocks) {
      for (ValueSet *set : {&block.in, &block.out, &block.uses, &block.defs})
        set->resize(count);
      for (uint32_t i = block.begin; i < block.end; ++i) {
        forOperands(code[i], [&](Field field, bool isDef) {
          auto value = static_cast<uint32_t>(code[i][field]);
          if (!isDef && !block.defs.test(value))
            block.uses.set(value);
        });
        forOperands(code[i], [&](Field field, bool isDef) {
          if (isDef)
            block.defs.set(static_cast<uint32_t>(code[i][field]));
        });
      }
    }
    for (bool changes = true; changes;) {
      changes = false;
      for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
        for (uint32_t next : block->next)
          block->out.add(blocks[next].in);
        changes |= block->in.flow(block->out, block->defs, block->uses);
      }
    }
  }

  void findRanges() {
    ranges.resize(count);
    std::vector<uint32_t> depth(code.size()), definitions(count);
    for (uint32_t i = 0; i < code.size(); ++i)
      if (isJump(code[i]) && static_cast<uint32_t>(code[i][Field::target]) <= i)
        for (uint32_t inside = static_cast<uint32_t>(code[i][Field::target]); inside <= i; ++inside)
          ++depth[inside];
    for (Block &block : blocks) {
      block.in.forEach([&](uint32_t value) { ranges[value].widen(2 * block.begin); });
      block.out.forEach([&](uint32_t value) { ranges[value].widen(2 * block.end - 1); });
      for (uint32_t i = block.begin; i < block.end; ++i) {
        double weight = 1;
        for (uint32_t level = 0; level < std::min(depth[i], 6u); ++level)
          weight *= 10;
        forOperands(code[i], [&](Field field, bool isDef) {
          LiveRange &range = ranges[static_cast<size_t>(code[i][field])];
          range.widen(2 * i + isDef);
          range.uses += weight;
          if (!isDef)
            return;
          bool isOnly = definitions[static_cast<size_t>(code[i][field])]++ == 0;
          bool isFree = code[i].op() == Op::MovI || code[i].op() == Op::LdArg;
          range.origin = isOnly && isFree ? &code[i] : nullptr;
          if (code[i].op() == Op::Mov)
            range.hint = static_cast<uint32_t>(code[i][Field::a]);
        });
      }
    }
    for (uint32_t value = 0; value < count; ++value)
      ranges[value].value = value;
  }

  const std::vector<Inst> &code;
  uint32_t count = 0;
  std::vector<Block> blocks;
  std::vector<LiveRange> ranges;
};

/// Gives registers 0 to `registers` - 1; ranges that get none keep UINT32_MAX.
void scan(std::vector<LiveRange> &ranges, uint32_t registers) {
  std::vector<LiveRange *> order, active;
  for (LiveRange &range : ranges) {
    range.reg = UINT32_MAX;
    if (range.first != UINT32_MAX)
      order.push_back(&range);
  }
  std::sort(order.begin(), order.end(), [](const LiveRange *a, const LiveRange *b) {
    return std::pair(a->first, a->value) < std::pair(b->first, b->value);
  });
  uint32_t free = registers == 32 ? UINT32_MAX : (1u << registers) - 1;
  for (LiveRange *range : order) {
    std::erase_if(active, [&](LiveRange *before) {
      if (before->last >= range->first)
        return false;
      free |= 1u << before->reg;
      return true;
    });
    if (free) {
      uint32_t hint = range->hint == UINT32_MAX ? UINT32_MAX : ranges[range->hint].reg;
      range->reg =
          hint != UINT32_MAX && (free >> hint & 1) ? hint : static_cast<uint32_t>(__builtin_ctz(free));
      free &= ~(1u << range->reg);
      active.push_back(range);
      continue;
    }
    auto least = std::min_element(active.begin(), active.end(), [](const LiveRange *a, const LiveRange *b) {
      return a->weight() < b->weight();
    });
    if ((*least)->weight() >= range->weight())
      continue; // lives in UB itself
    range->reg = std::exchange((*least)->reg, UINT32_MAX);
    *least = range;
  }
}

/// The most registers that one instruction needs for values that live in UB.
uint32_t mostSpilled(const std::vector<Inst> &code, const std::vector<LiveRange> &ranges) {
  size_t most = 0;
  for (const Inst &inst : code) {
    std::vector<int32_t> read;
    bool writes = false;
    forOperands(inst, [&](Field field, bool isDef) {
      if (ranges[static_cast<size_t>(inst[field])].reg != UINT32_MAX)
        return;
      if (isDef)
        writes = true;
      else if (std::find(read.begin(), read.end(), inst[field]) == read.end())
        read.push_back(inst[field]);
    });
    most = std::max({most, read.size(), size_t(writes)});
  }
  return static_cast<uint32_t>(most);
}

/// Writes the code with its final registers; from `scratch` on they are ours: the first holds 0.
class Rewriter {
public:
  Rewriter(const std::vector<Inst> &code, std::vector<LiveRange> &ranges, uint32_t scratch, SpillArea area)
      : code(code), ranges(ranges), scratch(scratch), area(area) {}

  std::optional<AllocatedCode> run() {
    AllocatedCode result;
    if (scratch < kRegisters) {
      Inst zero = Inst::make(Op::MovI);
      zero[Field::d] = static_cast<int32_t>(scratch);
      out.push_back(zero);
    }
    for (const Inst &inst : code) {
      result.starts.push_back(static_cast<uint32_t>(out.size()));
      if (!write(inst))
        return std::nullopt;
    }
    result.starts.front() = 0; // code before a first instruction is its own
    result.starts.push_back(static_cast<uint32_t>(out.size()));
    for (Inst &inst : out)
      if (isJump(inst))
        inst[Field::target] = static_cast<int32_t>(result.starts[static_cast<size_t>(inst[Field::target])]);
    result.code = std::move(out);
    result.spills = static_cast<uint32_t>(slots.size());
    return result;
  }

private:
  bool write(const Inst &original) {
    Inst inst = original;
    std::map<uint32_t, uint32_t> loaded; // value -> register
    std::optional<uint32_t> stored;
    bool fits = true;
    forOperands(original, [&](Field field, bool isDef) {
      LiveRange &range = ranges[static_cast<size_t>(original[field])];
      if (range.reg != UINT32_MAX) {
        inst[field] = static_cast<int32_t>(range.reg);
        return;
      }
      if (isDef) {
        inst[field] = static_cast<int32_t>(scratch + 1);
        stored = range.value;
        return;
      }
      auto [at, isNew] = loaded.try_emplace(range.value, scratch + 1 + uint32_t(loaded.size()));
      if (isNew)
        fits &= load(range, at->second);
      inst[field] = static_cast<int32_t>(at->second);
    });
    bool isRemade = stored && ranges[*stored].origin;
    bool isSame = inst.op() == Op::Mov && inst[Field::d] == inst[Field::a] && !stored;
    if (!isRemade && !isSame)
      out.push_back(inst);
    return fits && (!stored || isRemade || access(Op::Store, *stored, scratch + 1));
  }

  bool load(const LiveRange &range, uint32_t reg) {
    if (!range.origin)
      return access(Op::Load, range.value, reg);
    Inst inst = *range.origin;
    inst[Field::d] = static_cast<int32_t>(reg);
    out.push_back(inst);
    return true;
  }

  bool access(Op op, uint32_t value, uint32_t reg) {
    auto slot = slots.try_emplace(value, slots.size() * 8).first->second;
    if (slot + 8 > area.bytes)
      return false;
    Inst inst = Inst::make(op);
    inst[Field::type] = static_cast<int32_t>(DType::I64);
    inst[Field::space] = static_cast<int32_t>(Space::Ub);
    inst[Field::a] = static_cast<int32_t>(scratch);
    inst[Field::off] = static_cast<int32_t>(area.address + slot);
    inst[op == Op::Load ? Field::d : Field::b] = static_cast<int32_t>(reg);
    out.push_back(inst);
    return true;
  }

  const std::vector<Inst> &code;
  std::vector<LiveRange> &ranges;
  const uint32_t scratch;
  const SpillArea area;
  std::vector<Inst> out;
  std::map<uint32_t, uint64_t> slots; // by value
};

} // namespace

std::optional<AllocatedCode> allocateRegisters(const std::vector<Inst> &code, SpillArea area) {
  std::vector<LiveRange> ranges = LiveRanges(code).take();
  for (uint32_t own = 0; own < kRegisters / 2;) { // registers for spilled values
    scan(ranges, kRegisters - (own ? own + 1 : 0));
    uint32_t needed = mostSpilled(code, ranges);
    if (needed <= own)
      return Rewriter(code, ranges, own ? kRegisters - own - 1 : kRegisters, area).run();
    own = needed;
  }
  return std::nullopt;
}

} // namespace kiln::npu
