// ProgramFuzzTest.cpp: runs damaged programs: whatever passes the verifier must end, and inside its own
// memory.
//
// Worth most under AddressSanitizer, where an access outside an allocation ends the test.
#include "runtime/Interpreter.h"

#include "runtime/DType.h"
#include "tests/unit/runtime/FakeDevice.h"
#include "tests/unit/runtime/ProgramMaker.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace kiln {
namespace {

using namespace kiln::testing;
using schema::ArithOp;

constexpr uint64_t kMemoryBytes = 1 << 20; // of the device: larger requests fail in words
constexpr uint64_t kRunNs = 20'000'000;

// Every instruction, static and dynamic extents, each kind of buffer.
ProgramMaker richProgram() {
  ProgramMaker maker;
  maker.program.register_count = 4; // n, bytes, loop index, scalar
  uint32_t x = maker.input("x", {reg(0)}), y = maker.output("y", {reg(0)}), z = maker.output("z", {reg(3)});
  uint32_t c = maker.constant({1, 2, 3, 4}), packed = maker.persistent(16), t = maker.dynamic();
  maker.program.arena_bytes = std::make_unique<schema::Operand>(imm(128));
  uint32_t a = maker.arena(imm(0), imm(16)), b = maker.arena(imm(64), imm(8));
  maker.program.setup = block(arith(ArithOp::Mul, 1, reg(0), imm(4)), require(reg(1), "rows"));
  maker.program.prologue = block(copy(range(packed), range(c), imm(16)));
  uint32_t add = maker.kernel(kernelObject("add", {"in", "in", "out"}, 1));
  maker.body(launch(add, {range(x), range(packed), range(a)}, {reg(0)}));
  maker.body(loop(
      imm(3), 2,
      block(branch(reg(2), block(copy(range(a), range(c), imm(8))), block(fill(range(b), 3, 8, imm(8)))))));
  maker.body(readScalar(3, range(b)));
  maker.body(allocate(t, reg(1)));
  maker.body(copy(range(t), range(x), reg(1)));
  maker.body(launch(add, {range(t), range(a), range(y)}, {reg(0)}));
  maker.body(release(t));
  maker.body(arith(ArithOp::Mul, 1, reg(3), imm(4)));
  maker.body(allocate(z, reg(1)));
  maker.body(fill(range(z), 0, 4, reg(1)));
  return maker;
}

class ProgramFuzzTest : public ::testing::Test, public OutputProvider {
protected:
  void SetUp() override {
    fake.memoryLimitBytes = kMemoryBytes;
    fake.kernels["add"] = [](const KilnLaunch &launch) { // touches every byte of its bindings
      uint8_t sum = 0;
      for (size_t i = 0; i + 1 < launch.binding_count; ++i)
        for (uint64_t at = 0; at < launch.bindings[i].bytes; ++at)
          sum = static_cast<uint8_t>(sum + reinterpret_cast<uint8_t *>(launch.bindings[i].address)[at]);
      if (launch.binding_count > 0) {
        const KilnBinding &out = launch.bindings[launch.binding_count - 1];
        if (out.bytes > 0)
          std::memset(reinterpret_cast<void *>(out.address), sum, out.bytes);
      }
    };
    ASSERT_OK_AND_ASSIGN(device, Device::open(fake.type(), {}));
  }
  Result<KilnBinding> output(uint32_t, uint64_t bytes) override {
    KILN_ASSIGN_OR_RETURN(Buffer buffer, device->allocate(bytes));
    outputs.push_back(buffer);
    return buffer.binding();
  }

  // Prepares and runs a program with 4 for each open extent.
  Status run(const ProgramFileRef &file, Queue &queue) {
    ProgramSources sources;
    sources.kernel = [&, file](uint32_t kernel) -> Result<LoadedKernelRef> {
      if (!file->verifiedProgram().embeddedKernels[kernel])
        return notFound("kernel {}", kernel);
      return device->load(fake.loader(), file->verifiedProgram().embeddedKernels[kernel]);
    };
    sources.constant = [&, file](uint32_t constant) -> Result<Buffer> {
      ByteSpan bytes = file->constantBytes(constant);
      KILN_ASSIGN_OR_RETURN(Buffer buffer, device->allocate(bytes.size()));
      if (!bytes.empty())
        std::memcpy(reinterpret_cast<void *>(buffer.address()), bytes.data(), bytes.size());
      return buffer;
    };
    KILN_ASSIGN_OR_RETURN(std::unique_ptr<PreparedProgram> program,
                          PreparedProgram::create(file, device, sources));
    std::vector<std::vector<int64_t>> dims;
    std::vector<Buffer> memory;
    std::vector<RunInput> inputs;
    for (const PortCode &port : program->code().inputs) {
      dims.emplace_back();
      for (const OperandCode &dim : port.dims)
        dims.back().push_back(dim.isRegister ? 4 : dim.value);
      std::optional<uint64_t> bytes = denseBytes(port.dtype, dims.back());
      if (!bytes)
        return outOfRange("an input without a size");
      KILN_ASSIGN_OR_RETURN(Buffer buffer, device->allocate(*bytes));
      std::memset(reinterpret_cast<void *>(buffer.address()), 1, *bytes);
      memory.push_back(buffer);
    }
    for (size_t i = 0; i < dims.size(); ++i)
      inputs.push_back({memory[i].binding(), dims[i]});
    RunSettings settings;
    settings.deadlineNs =
        static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) + kRunNs;
    KILN_ASSIGN_OR_RETURN(std::unique_ptr<Interpreter> interpreter,
                          Interpreter::create(std::move(program), queue));
    Status status = interpreter->run(inputs, *this, settings);
    Status waited = queue.synchronize();
    return status.ok() ? waited : status;
  }

  FakeDevice fake;
  std::shared_ptr<Device> device;
  std::vector<Buffer> outputs;
};

TEST_F(ProgramFuzzTest, DamagedProgramsEndInsideTheirMemory) {
  std::vector<uint8_t> bytes = pack(richProgram().program);
  size_t refused = 0, failed = 0, ran = 0;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    Result<ProgramFileRef> file = ProgramFile::fromBytes(bytes, "p");
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    if (!file.ok()) {
      ++refused;
      continue;
    }
    ASSERT_OK_AND_ASSIGN(std::unique_ptr<Queue> queue, device->createQueue());
    Status status = run(*file, *queue);
    queue.reset();
    outputs.clear();
    status.ok() ? ++ran : ++failed;
    EXPECT_TRUE(status.ok() || !status.message().empty());
    ASSERT_EQ(fake.bytesInUse, 0u) << "bit " << bit << " leaks";
  }
  RecordProperty("refused", static_cast<int>(refused));
  RecordProperty("failed", static_cast<int>(failed));
  RecordProperty("ran", static_cast<int>(ran));
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(failed, 100u) << "some damage shows only in the run";
  EXPECT_GT(ran, 100u) << "names and unused bits do no harm";
}

TEST_F(ProgramFuzzTest, TheUndamagedProgramRuns) {
  ASSERT_OK_AND_ASSIGN(ProgramFileRef file, richProgram().build());
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Queue> queue, device->createQueue());
  EXPECT_OK(run(file, *queue));
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[1].bytes(), 12u) << "three, as read back";
  outputs.clear();
}

} // namespace
} // namespace kiln
