// AblationTest.cpp: what a kernel loses by one buffer instead of two, by a barrier behind every instruction,
// by GM that is not aligned, and by operands that meet in one bank. Cycles are exact: a change of the machine
// model or of its figures shows here.
#include "backends/npu/test/Kernels.h"
#include "backends/npu/test/SimHarness.h"

#include <iostream>

using namespace kiln;
using namespace kiln::npu;

namespace {

constexpr uint64_t kTile = 2048, kCores = 48, kElements = kTile * kCores * 32;

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size(), ++count)
    text.replace(at, from.size(), to);
  EXPECT_GT(count, 0u) << from;
  return text;
}

/// Puts `line` behind each line that contains one of `names`.
std::string behindEach(const std::string &text, const std::vector<std::string> &names,
                       const std::string &line) {
  std::istringstream in(text);
  std::string result;
  for (std::string each; std::getline(in, each);) {
    result += each + "\n";
    for (const std::string &name : names)
      if (each.find(name) != std::string::npos)
        result += line + "\n";
  }
  return result;
}

uint64_t cyclesOf(const std::string &text, bool hasBindings = true) {
  SimHarness kernel(text);
  kernel.blocks = kCores;
  if (hasBindings) {
    kernel.constants = {int64_t(kElements)};
    for (int i = 0; i < 3; ++i)
      kernel.add(std::vector<uint16_t>(kElements));
  } else {
    kernel.blocks = 1;
  }
  SimOptions options = timingMode();
  options.movesData = false;
  SimReport report = kernel.run(options);
  EXPECT_EQ(faultOf(report), "");
  return report.cycles;
}

/// One vadd of f32 with 200 repeats on a core; `strides` of its first operand.
std::string bankKernel(const std::string &strides) {
  return R"(.chip 910b
.kind aiv
.kernel banks
.constants 0
.section aiv
  setsr maskmode, 0
  movi x5, -1
  setsr mask0, x5
  movi x1, 0
  movi x2, 65792
  movi x3, 131328
  movi x4, 50
loop:
  vadd.f32 x3, x1, x2, rep=200)" +
         strides + R"(
  loop x4, loop
  halt
)";
}

} // namespace

TEST(AblationTest, EachHurtsAndCostsExactlySoMuch) {
  std::string add = addKernel("f16", kTile);
  uint64_t whole = cyclesOf(add), bytes = kElements * 2 * 3;
  uint64_t single = cyclesOf(replaced(add, "xor x9, x9, 1", "xor x9, x9, 0"));
  uint64_t barriers = cyclesOf(behindEach(add, {"mov_gm_ub", "vadd", "mov_ub_gm"}, "  pipe_barrier ALL"));
  std::string shifted =
      replaced(add, "  ldarg x4, 3",
               "  ldarg x4, 3\n  sub x4, x4, 64\n  add x1, x1, 64\n  add x2, x2, 64\n  add x3, x3, 64");
  uint64_t unaligned = cyclesOf(shifted);
  uint64_t apart = cyclesOf(bankKernel(""), false),
           meeting = cyclesOf(bankKernel(", ablk=16, arep=1"), false);
  const Target &target = Target::of(ChipClass::Ascend910B);
  uint64_t bound = bytes / (target.ddrRate * target.cubeCores);
  auto show = [&](const char *what, uint64_t cycles, uint64_t base) {
    std::cout << what << ": " << cycles << " simulated cycles, " << double(cycles) / double(base) << " x\n";
  };
  std::cout << "add of f16, " << kElements << " elements; memory's bound is " << bound << " cycles\n";
  show("two buffers", whole, whole);
  show("one buffer", single, whole);
  show("a barrier behind every instruction", barriers, whole);
  show("64 bytes off a line", unaligned, whole);
  show("operands in banks of their own", apart, apart);
  show("blocks of one operand in one bank group", meeting, apart);
  EXPECT_LE(bound * 100, whole * 100);
  EXPECT_GE(bound * 100, whole * 85) << "two buffers come near the bound";
  EXPECT_GT(single * 100, whole * 105);
  EXPECT_GT(barriers * 100, single * 105);
  EXPECT_GT(unaligned * 100, whole * 115);
  EXPECT_GT(meeting, apart * 4);
}
