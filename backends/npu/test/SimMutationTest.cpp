// SimMutationTest.cpp: every flag, barrier and cross-core flag of the reference kernels is needed: without it
// the checks find a fault. Objects with random bits changed are refused, run or fault, and never harm the
// host.
#include "backends/npu/test/Kernels.h"
#include "backends/npu/test/SimHarness.h"

#include <set>

using namespace kiln;
using namespace kiln::npu;

namespace {

struct Case {
  std::string name, text;
  uint64_t blocks;
  std::vector<int64_t> constants;
  std::vector<size_t> floats, halves; // elements of the inputs
  size_t outputBytes;
};

std::vector<Case> cases() {
  return {{"add", addKernel("f16", 256), 2, {256 * 8}, {}, {256 * 8, 256 * 8}, 256 * 8 * 2},
          {"softmax", softmaxKernel(192), 1, {4}, {4 * 192}, {}, 4 * 192 * 4},
          {"matmul", matmulKernel(128, 64, 256), 1, {}, {}, {128 * 256, 256 * 64}, 128 * 64 * 4},
          {"mix", mixKernel(192, 64), 1, {}, {}, {192 * 64, 64 * 64}, 192 * 64 * 4}};
}

SimHarness harness(const Case &of) {
  SimHarness kernel(of.text);
  kernel.blocks = of.blocks;
  kernel.constants = of.constants;
  for (size_t count : of.floats)
    kernel.add(randomFloats(count, 1));
  for (size_t i = 0; i < of.halves.size(); ++i)
    kernel.add(randomHalves(of.halves[i], i + 2));
  kernel.add(std::vector<uint8_t>(of.outputBytes));
  kernel.reserveWorkspace(393216);
  return kernel;
}

bool isSync(const Inst &inst) {
  Format format = inst.info->format;
  return format == Format::Flag || format == Format::Barrier || format == Format::CrossSet ||
         format == Format::CrossWait;
}

// A name for what belongs together: all sets and waits of a pipe pair, of a cross-core flag; each barrier for
// itself.
std::string groupOf(const Inst &inst, const std::string &section, size_t pc) {
  if (inst.info->format == Format::Flag)
    return section + " " + std::string(pipeName(static_cast<Pipe>(inst[Field::pipe]))) + " to " +
           std::string(pipeName(static_cast<Pipe>(inst[Field::pipe2])));
  if (inst.info->format == Format::Barrier)
    return section + " barrier at " + std::to_string(pc);
  return "cross-core flag " + std::to_string(inst[Field::flag]);
}

// Runs with every instruction of the kernel that `remove` names replaced by nop.
std::string faultWithout(SimHarness &kernel,
                         const std::function<bool(const Inst &, const std::string &, size_t)> &remove) {
  NpuObject changed = kernel.object;
  for (auto [section, name] : {std::pair(&changed.aic, "aic"), std::pair(&changed.aiv, "aiv")})
    for (size_t pc = 0; pc < section->code.size(); ++pc)
      if (isSync(section->code[pc]) && remove(section->code[pc], name, pc))
        section->code[pc] = Inst::make(Op::Nop);
  return faultOf(kernel.run(changed, checkedMode()));
}

} // namespace

TEST(SimMutationTest, NoFlagPairOrBarrierIsRedundant) {
  for (const Case &of : cases()) {
    SimHarness kernel = harness(of);
    ASSERT_EQ(faultOf(kernel.run(checkedMode())), "") << of.name;
    std::set<std::string> groups;
    for (auto [section, name] : {std::pair(&kernel.object.aic, "aic"), std::pair(&kernel.object.aiv, "aiv")})
      for (size_t pc = 0; pc < section->code.size(); ++pc)
        if (isSync(section->code[pc]))
          groups.insert(groupOf(section->code[pc], name, pc));
    EXPECT_GE(groups.size(), 4u) << of.name;
    for (const std::string &group : groups) {
      std::string fault = faultWithout(kernel, [&](const Inst &inst, const std::string &section, size_t pc) {
        return groupOf(inst, section, pc) == group;
      });
      EXPECT_NE(fault, "") << of.name << ": nothing is found without " << group;
    }
  }
}

TEST(SimMutationTest, NoSingleSetOrWaitCanGo) {
  for (const Case &of : cases()) {
    SimHarness kernel = harness(of);
    for (const std::string name : {"aic", "aiv"}) {
      const CodeSection &section = name == "aic" ? kernel.object.aic : kernel.object.aiv;
      for (size_t pc = 0; pc < section.code.size(); ++pc) {
        if (!isSync(section.code[pc]) || section.code[pc].info->format == Format::Barrier)
          continue;
        std::string fault = faultWithout(
            kernel, [&](const Inst &, const std::string &in, size_t at) { return in == name && at == pc; });
        EXPECT_NE(fault, "") << of.name << ": nothing is found without " << name << " pc " << pc << " "
                             << printInst(section.code[pc]);
      }
    }
  }
}

TEST(SimMutationTest, RandomBitsNeverHarmTheHost) {
  std::mt19937_64 random(17);
  std::vector<Case> all = cases();
  std::vector<SimHarness> kernels;
  for (const Case &of : all)
    kernels.push_back(harness(of));
  int refused = 0, faulted = 0, ran = 0;
  for (int i = 0, count = sampled(400, 10000); i < count; ++i) {
    SimHarness &kernel = kernels[random() % kernels.size()];
    std::vector<uint8_t> file = writeObject(kernel.object);
    for (uint64_t changes = 1 + random() % 3; changes > 0; --changes)
      file[random() % file.size()] ^= static_cast<uint8_t>(1u << random() % 8);
    Result<NpuObject> object = readObject(file);
    if (!object.ok() || object->bindings.size() != kernel.object.bindings.size() ||
        object->constantCount != kernel.object.constantCount || object->chip != kernel.object.chip) {
      ++refused;
      continue;
    }
    object->bindings = kernel.object.bindings; // what the launch was made for
    object->workspaceBytes = kernel.object.workspaceBytes;
    SimOptions options = i % 2 ? checkedMode() : fastMode();
    options.watchdogInstructions = 20000;
    SimReport report = kernel.run(*object, options);
    ++(report.fault ? faulted : ran);
    if (report.fault)
      EXPECT_FALSE(faultOf(report).empty());
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(faulted, 0);
  EXPECT_GT(ran, 0);
}
