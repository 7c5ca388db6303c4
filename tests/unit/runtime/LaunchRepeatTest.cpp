// LaunchRepeatTest.cpp: the inline cache of a launch site gives again what is the same, and nothing stale.
#include "runtime/Interpreter.h"

#include "runtime/Sha256.h"
#include "tests/unit/runtime/FakeDevice.h"
#include "tests/unit/runtime/ProgramMaker.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln {
namespace {

using namespace kiln::testing;
using schema::KernelObjectT;
using ::testing::ElementsAre;

/// Programs whose kernel "see" notes what it was launched with.
class LaunchRepeatTest : public ::testing::Test, public OutputProvider {
protected:
  struct Seen {
    std::vector<KilnDeviceAddress> addresses;
    std::vector<uint64_t> bytes;
    std::vector<int64_t> constants;
    KilnBinding workspace;
  };

  void SetUp() override {
    fake.kernels["see"] = [this](const KilnLaunch &launch) {
      Seen &one = seen.emplace_back();
      for (size_t i = 0; i < launch.binding_count; ++i) {
        one.addresses.push_back(launch.bindings[i].address);
        one.bytes.push_back(launch.bindings[i].bytes);
      }
      one.constants.assign(launch.constants, launch.constants + launch.constant_count);
      one.workspace = launch.workspace;
    };
    ASSERT_OK_AND_ASSIGN(device, Device::open(fake.type(), {}));
    ASSERT_OK_AND_ASSIGN(queue, device->createQueue());
    ASSERT_OK_AND_ASSIGN(memory, device->allocate(4096));
  }
  void prepare(const ProgramMaker &maker) {
    ASSERT_OK_AND_ASSIGN(ProgramFileRef file, maker.build());
    ProgramSources sources;
    sources.kernel = [this, file](uint32_t kernel) {
      return device->load(fake.loader(), file->verifiedProgram().embeddedKernels[kernel]);
    };
    ASSERT_OK_AND_ASSIGN(auto program, PreparedProgram::create(file, device, std::move(sources)));
    ASSERT_OK_AND_ASSIGN(interpreter, Interpreter::create(std::move(program), *queue));
  }
  Result<KilnBinding> output(uint32_t, uint64_t bytes) override {
    return KilnBinding{memory.address() + outputAt, bytes};
  }
  /// One input of `count` floats at `inputAt` of the memory.
  Status run(int64_t count, uint64_t inputAt, const RunSettings &settings = {}) {
    seen.clear();
    RunInput input{{memory.address() + inputAt, static_cast<uint64_t>(count) * sizeof(float)}, {&count, 1}};
    Status status = interpreter->run({&input, 1}, *this, settings);
    Status waited = queue->synchronize();
    return status.ok() ? waited : status;
  }

  FakeDevice fake;
  std::vector<Seen> seen;
  std::shared_ptr<Device> device;
  std::unique_ptr<Queue> queue;
  std::unique_ptr<Interpreter> interpreter;
  Buffer memory;
  uint64_t outputAt = 2048;
};

TEST_F(LaunchRepeatTest, FollowsTheMemoryOfInputsAndOutputs) {
  ProgramMaker maker;
  uint32_t x = maker.input("x", {imm(4)}), y = maker.output("y", {imm(4)});
  maker.body(launch(maker.kernel(kernelObject("see", {"in", "out"})), {range(x, imm(4)), range(y)}));
  prepare(maker);
  for (auto [in, out] :
       {std::pair<uint64_t, uint64_t>(0, 2048), {0, 2048}, {256, 2048}, {256, 3072}, {0, 2048}}) {
    outputAt = out;
    ASSERT_OK(run(4, in));
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_THAT(seen[0].addresses, ElementsAre(memory.address() + in + 4, memory.address() + out));
    EXPECT_THAT(seen[0].bytes, ElementsAre(12, 16));
  }
}

TEST_F(LaunchRepeatTest, FollowsTheRegisters) {
  ProgramMaker maker;
  maker.program.register_count = 3; // extent, iteration, bytes of what was done
  uint32_t x = maker.input("x", {reg(0)});
  maker.output("y", {imm(1)});
  uint32_t see = maker.kernel(kernelObject("see", {"in"}, 1));
  maker.body(loop(imm(3), 1,
                  block(arith(schema::ArithOp::Mul, 2, reg(1), imm(4)),
                        launch(see, {range(x, reg(2), imm(4))}, {reg(1)}),
                        launch(see, {range(x, imm(0), imm(4))}, {reg(0)}))));
  prepare(maker);
  for (int64_t extent : {5, 5, 7}) {
    ASSERT_OK(run(extent, 0));
    ASSERT_EQ(seen.size(), 6u);
    for (int64_t i = 0; i < 3; ++i) {
      const Seen &moving = seen[static_cast<size_t>(2 * i)], &fixed = seen[static_cast<size_t>(2 * i + 1)];
      EXPECT_THAT(moving.constants, ElementsAre(i));
      EXPECT_THAT(moving.addresses, ElementsAre(memory.address() + static_cast<uint64_t>(i) * 4));
      EXPECT_THAT(fixed.constants, ElementsAre(extent));
      EXPECT_THAT(fixed.addresses, ElementsAre(memory.address()));
    }
  }
}

TEST_F(LaunchRepeatTest, RangesAreCheckedAgainWhenTheyChange) {
  ProgramMaker maker;
  maker.program.register_count = 1;
  uint32_t x = maker.input("x", {reg(0)});
  maker.output("y", {imm(1)});
  maker.body(launch(maker.kernel(kernelObject("see", {"in"})), {range(x, imm(16), imm(4))}));
  prepare(maker);
  ASSERT_OK(run(5, 0));
  EXPECT_THAT(run(4, 0), StatusIs(Code::OutOfRange, ::testing::HasSubstr("bytes [16, +4); it has 16")));
  EXPECT_TRUE(seen.empty());
  ASSERT_OK(run(5, 0));
  EXPECT_EQ(seen.size(), 1u);
}

TEST_F(LaunchRepeatTest, FollowsTheWorkspace) {
  ProgramMaker maker;
  maker.program.register_count = 1;
  uint32_t x = maker.input("x", {reg(0)});
  maker.output("y", {imm(1)});
  KernelObjectT small = kernelObject("see", {"in"}), growing = kernelObject("see", {"in"}, 1);
  growing.key = Sha256::of("growing");
  small.workspace_bytes = expr("64");
  growing.workspace_bytes = expr("c0 65536 *");
  maker.body(launch(maker.kernel(small), {range(x, imm(0), imm(4))}));
  maker.body(launch(maker.kernel(growing), {range(x, imm(0), imm(4))}, {reg(0)}));
  prepare(maker);
  for (int64_t extent : {1, 1, 64, 64, 1}) {
    ASSERT_OK(run(extent, 0));
    ASSERT_OK(run(extent, 0)); // the first launch comes before the one that moves the workspace
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].workspace.address, seen[1].workspace.address);
    EXPECT_EQ(seen[0].workspace.bytes, 64u);
    EXPECT_EQ(seen[1].workspace.bytes, static_cast<uint64_t>(extent) << 16);
  }
  fake.memoryLimitBytes = fake.bytesInUse + 1024;
  EXPECT_THAT(run(1000, 0), StatusIs(Code::ResourceExhausted, ::testing::HasSubstr("workspace")));
  for (int i = 0; i < 2; ++i)
    ASSERT_OK(run(1, 0)) << "the workspace that was given up for a larger one is not used";
  EXPECT_EQ(seen[0].workspace.address, seen[1].workspace.address);
}

TEST_F(LaunchRepeatTest, ProfilesOnlyTheRunsThatAsk) {
  ProgramMaker maker;
  uint32_t x = maker.input("x", {imm(4)});
  maker.output("y", {imm(1)});
  maker.body(launch(maker.kernel(kernelObject("see", {"in"})), {range(x)}));
  prepare(maker);
  for (size_t expected : {0, 0, 1, 0, 1}) {
    std::deque<LaunchProfile> profile;
    RunSettings settings;
    settings.profile = expected ? &profile : nullptr;
    ASSERT_OK(run(4, 0, settings));
    EXPECT_EQ(profile.size(), expected);
    EXPECT_EQ(seen.size(), 1u);
  }
}

} // namespace
} // namespace kiln
