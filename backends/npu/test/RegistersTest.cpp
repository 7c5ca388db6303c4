// RegistersTest.cpp: code with more values than registers computes what it did with one for each.
#include "backends/npu/Registers.h"
#include "backends/npu/test/SimHarness.h"

#include <functional>

using namespace kiln;
using namespace kiln::npu;

namespace {

constexpr SpillArea kArea = {1024, 65536};

/// Random code on `values` values, written while what it computes is computed, too: a loop around straight
/// code with branches; then every value goes to the output, so that all are live at its end.
class RandomCode {
public:
  RandomCode(uint32_t values, uint64_t seed) : random(seed), now(values) {
    for (uint32_t value = 0; value < values; ++value) {
      add(Op::MovI, value, 0, 0).imm = now[value] = random() % 1000;
      add(Op::Add, value, value, int32_t(value)); // no number that could be made again
      now[value] += value;
    }
    uint32_t counter = values, address = values + 1;
    add(Op::MovI, counter, 0, 0).imm = kRounds;
    size_t head = code.size(), start = steps.size();
    for (int i = 0; i < 40; ++i)
      addStep();
    add(Op::Sub, counter, counter, 1);
    Inst &back = add(Op::Branch, 0, counter, 0);
    back[Field::compare] = static_cast<int32_t>(Compare::Gt);
    back[Field::target] = static_cast<int32_t>(head);
    for (uint64_t round = 0; round < kRounds; ++round)
      for (size_t i = start; i < steps.size(); ++i)
        steps[i](now);
    Inst &output = add(Op::LdArg, address, 0, 0);
    output[Field::index] = 0;
    for (uint32_t value = 0; value < values; ++value) {
      Inst &store = add(Op::Store, 0, address, 0);
      store[Field::b] = static_cast<int32_t>(value);
      store[Field::off] = static_cast<int32_t>(8 * value);
      store[Field::type] = static_cast<int32_t>(DType::I64);
      store[Field::space] = static_cast<int32_t>(Space::Gm);
    }
    code.push_back(Inst::make(Op::Halt));
  }

  std::vector<Inst> code;
  const std::vector<uint64_t> &results() const { return now; }

private:
  static constexpr uint64_t kRounds = 5;

  Inst &add(Op op, uint32_t d, uint32_t a, int32_t b) {
    Inst inst = Inst::make(op);
    inst[Field::d] = static_cast<int32_t>(d);
    inst[Field::a] = static_cast<int32_t>(a);
    inst[Field::bi] = b;
    code.push_back(inst);
    return code.back();
  }
  uint32_t any() { return static_cast<uint32_t>(random() % now.size()); }

  void addStep() {
    uint32_t d = any(), a = any(), b = any();
    bool isSkipped = random() % 3 == 0; // where a is below b
    size_t branch = code.size();
    if (isSkipped) {
      Inst &skip = add(Op::Branch, 0, a, 0);
      skip[Field::compare] = static_cast<int32_t>(Compare::Lt);
      skip.setReg(Field::bi, b);
    }
    add(Op::Add, d, a, 0).setReg(Field::bi, b);
    if (isSkipped)
      code[branch][Field::target] = static_cast<int32_t>(code.size());
    steps.push_back([=](std::vector<uint64_t> &values) {
      if (!isSkipped || static_cast<int64_t>(values[a]) >= static_cast<int64_t>(values[b]))
        values[d] = values[a] + values[b];
    });
  }

  std::mt19937_64 random;
  std::vector<uint64_t> now;
  std::vector<std::function<void(std::vector<uint64_t> &)>> steps;
};

std::vector<uint64_t> run(const std::vector<Inst> &code, size_t results) {
  SimHarness kernel(".chip 910b\n.kind aiv\n.kernel test\n.binding out i64 align=8 " +
                    std::to_string(8 * results) + "\n.constants 0\n.section aiv\n  halt\n");
  kernel.object.aiv.code = code;
  kernel.add(std::vector<uint64_t>(results));
  SimReport report = kernel.run(checkedMode());
  EXPECT_FALSE(report.fault) << faultOf(report);
  return kernel.read<uint64_t>(0);
}

} // namespace

TEST(RegistersTest, RandomCodeKeepsItsResults) {
  for (uint32_t values : {3u, 29u, 30u, 31u, 40u, 100u})
    for (uint64_t seed = 0; seed < uint64_t(sampled(5, 500)); ++seed) {
      RandomCode random(values, seed);
      std::optional<AllocatedCode> allocated = allocateRegisters(random.code, kArea);
      ASSERT_TRUE(allocated);
      if (values >= kRegisters)
        EXPECT_GT(allocated->spills, 0u);
      if (values + 3 <= kRegisters)
        EXPECT_EQ(allocated->spills, 0u);
      ASSERT_EQ(allocated->starts.size(), random.code.size() + 1);
      EXPECT_EQ(run(allocated->code, values), random.results()) << values << " values, seed " << seed;
    }
}

TEST(RegistersTest, SpillsStayInTheirArea) {
  RandomCode random(100, 1);
  std::optional<AllocatedCode> allocated = allocateRegisters(random.code, kArea);
  ASSERT_TRUE(allocated);
  for (const Inst &inst : allocated->code)
    if ((inst.op() == Op::Load || inst.op() == Op::Store) &&
        static_cast<Space>(inst[Field::space]) == Space::Ub) {
      EXPECT_GE(inst[Field::off], 1024);
      EXPECT_LT(inst[Field::off], 1024 + 8 * int32_t(allocated->spills));
    }
}

// A cube core has no UB.
TEST(RegistersTest, WithoutRoomThereIsNone) {
  EXPECT_FALSE(allocateRegisters(RandomCode(100, 1).code, {}));
  EXPECT_TRUE(allocateRegisters(RandomCode(20, 1).code, {}));
}

// Numbers are made again where they are used.
TEST(RegistersTest, NumbersAreNotKeptInMemory) {
  std::vector<Inst> code;
  for (int32_t value = 0; value < 100; ++value) {
    Inst inst = Inst::make(Op::MovI);
    inst[Field::d] = value;
    code.push_back(inst);
  }
  for (int32_t value = 0; value < 100; ++value) {
    Inst inst = Inst::make(Op::WriteSr);
    inst[Field::sr] = static_cast<int32_t>(Special::PadVal);
    inst.setReg(Field::bi, static_cast<uint32_t>(value));
    code.push_back(inst);
  }
  code.push_back(Inst::make(Op::Halt));
  std::optional<AllocatedCode> allocated = allocateRegisters(code, {});
  ASSERT_TRUE(allocated);
  EXPECT_EQ(allocated->spills, 0u);
}
