// InterpreterTest.cpp: programs run on a fake device: every instruction, every refusal of a run.
#include "runtime/Interpreter.h"

#include "tests/unit/runtime/FakeDevice.h"
#include "tests/unit/runtime/ProgramMaker.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln {
namespace {

using namespace kiln::testing;
using schema::ArithOp;
using schema::DType;
using schema::EnumNameArithOp;
using schema::KernelObjectT;
using schema::Operand;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

float *floats(const KilnBinding &binding) { return reinterpret_cast<float *>(binding.address); }

class InterpreterTest : public ::testing::Test, public OutputProvider {
protected:
  void SetUp() override {
    auto binary = [](auto op) {
      return [op](const KilnLaunch &launch) {
        for (uint64_t i = 0; i < launch.bindings[2].bytes / sizeof(float); ++i)
          floats(launch.bindings[2])[i] = op(floats(launch.bindings[0])[i], floats(launch.bindings[1])[i]);
      };
    };
    fake.kernels["mul"] = binary([](float a, float b) { return a * b; });
    fake.kernels["add"] = binary([](float a, float b) { return a + b; });
    fake.kernels["nop"] = [](const KilnLaunch &) {};
    // Writes grid, workspace bytes and constant 0 to its only binding.
    fake.kernels["geometry"] = [](const KilnLaunch &launch) {
      float *out = floats(launch.bindings[0]);
      out[0] = static_cast<float>(launch.grid[0]);
      out[1] = static_cast<float>(launch.grid[1]);
      out[2] = static_cast<float>(launch.workspace.bytes);
      out[3] = static_cast<float>(launch.constants[0]);
    };
    ASSERT_OK_AND_ASSIGN(device, Device::open(fake.type(), {}));
    ASSERT_OK_AND_ASSIGN(queue, device->createQueue());
  }

  // From embedded kernels and constants alone.
  Result<std::unique_ptr<Interpreter>> prepare(const ProgramMaker &maker) {
    KILN_ASSIGN_OR_RETURN(ProgramFileRef file, maker.build());
    ProgramSources sources;
    sources.kernel = [this, file](uint32_t kernel) {
      return device->load(fake.loader(), file->verifiedProgram().embeddedKernels[kernel]);
    };
    sources.constant = [this, file](uint32_t constant) {
      ByteSpan bytes = file->constantBytes(constant);
      return device->importHost(const_cast<uint8_t *>(bytes.data()), bytes.size());
    };
    KILN_ASSIGN_OR_RETURN(std::unique_ptr<PreparedProgram> program,
                          PreparedProgram::create(file, device, std::move(sources)));
    return Interpreter::create(std::move(program), *queue);
  }

  Result<KilnBinding> output(uint32_t port, uint64_t bytes) override {
    KILN_ASSIGN_OR_RETURN(Buffer buffer, device->allocate(bytes));
    outputs[port] = buffer;
    return buffer.binding();
  }

  // Runs with inputs of floats and waits.
  Status run(Interpreter &interpreter, std::vector<std::vector<float>> values,
             std::vector<std::vector<int64_t>> dims = {}, RunSettings settings = {}) {
    std::vector<RunInput> inputs;
    for (size_t i = 0; i < values.size(); ++i) {
      if (dims.size() <= i)
        dims.push_back({static_cast<int64_t>(values[i].size())});
      inputs.push_back(
          {{reinterpret_cast<KilnDeviceAddress>(values[i].data()), values[i].size() * sizeof(float)},
           dims[i]});
    }
    Status status = interpreter.run(inputs, *this, settings);
    Status waited = queue->synchronize(); // what was queued before an error still uses the inputs
    return status.ok() ? waited : status;
  }
  std::vector<float> got(uint32_t port) {
    const float *data = floats(outputs[port].binding());
    return {data, data + outputs[port].bytes() / sizeof(float)};
  }

  FakeDevice fake;
  std::shared_ptr<Device> device;
  std::unique_ptr<Queue> queue;
  std::map<uint32_t, Buffer> outputs;
};

TEST_F(InterpreterTest, RunsLaunchesThroughTheArena) {
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(smallProgram()));
  ASSERT_OK(run(*interpreter, {{1, 1, 2, 2}}));
  EXPECT_THAT(got(0), ElementsAre(2, 4, 9, 12));
  ASSERT_OK(run(*interpreter, {{0, 0, 0, 1}}));
  EXPECT_THAT(got(0), ElementsAre(1, 2, 3, 8));
  EXPECT_EQ(fake.loads, 2u) << "kernels are loaded once";
}

TEST_F(InterpreterTest, SteadyStateAllocatesOutputsOnly) {
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(smallProgram()));
  ASSERT_OK(run(*interpreter, {{1, 1, 2, 2}}));
  uint64_t before = fake.allocations;
  ASSERT_OK(run(*interpreter, {{1, 1, 2, 2}}));
  EXPECT_EQ(fake.allocations, before + 1) << "the output; arena and workspace are reused";
}

TEST_F(InterpreterTest, InputShapesAreChecked) {
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(smallProgram()));
  EXPECT_THAT(run(*interpreter, {{1, 2, 3}}),
              StatusIs(Code::InvalidArgument, "input 'x': extent 0 is 3; expected 4"));
  EXPECT_THAT(run(*interpreter, {{1, 2, 3, 4}}, {{2, 2}}),
              StatusIs(Code::InvalidArgument, "input 'x': rank 2; expected 1"));
  EXPECT_THAT(run(*interpreter, {}), StatusIs(Code::InvalidArgument, HasSubstr("0 inputs; expected 1")));
  EXPECT_THAT(run(*interpreter, {{1, 2}}, {{4}}),
              StatusIs(Code::InvalidArgument, "input 'x': 8 bytes; its shape needs 16"));
}

TEST_F(InterpreterTest, DynamicExtentsBindRegistersAndSizeEverything) {
  ProgramMaker maker;
  maker.program.register_count = 2; // n, bytes
  uint32_t a = maker.input("a", {reg(0)}), b = maker.input("b", {reg(0)});
  maker.program.inputs[1]->dim_names = {"n"};
  uint32_t y = maker.output("y", {reg(0)});
  maker.program.arena_bytes = std::make_unique<Operand>(reg(1));
  uint32_t t = maker.arena(imm(0), reg(1));
  maker.program.setup = block(arith(ArithOp::Mul, 1, reg(0), imm(4)));
  uint32_t mul = maker.kernel(kernelObject("mul", {"in", "in", "out"}));
  maker.body(launch(mul, {range(a), range(b), range(t)}));
  maker.body(copy(range(y), range(t), reg(1)));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  ASSERT_OK(run(*interpreter, {{1, 2}, {3, 4}}));
  EXPECT_THAT(got(0), ElementsAre(3, 8));
  ASSERT_OK(run(*interpreter, {{1, 2, 3, 4, 5}, {2, 2, 2, 2, 2}}));
  EXPECT_THAT(got(0), ElementsAre(2, 4, 6, 8, 10));
  EXPECT_THAT(interpreter->outputDims(0), ElementsAre(5));
  EXPECT_THAT(run(*interpreter, {{1, 2}, {3}}),
              StatusIs(Code::InvalidArgument,
                       "input 'b': extent 0 ('n') is 1; expected 2, which an input before it has given"));
  ASSERT_OK(run(*interpreter, {{}, {}})) << "no elements, no work";
}

TEST_F(InterpreterTest, LaunchGeometryFollowsTheConstants) {
  ProgramMaker maker;
  maker.program.register_count = 1;
  maker.input("x", {reg(0)});
  uint32_t y = maker.output("y", {imm(4)});
  KernelObjectT object = kernelObject("geometry", {"out"}, 1);
  object.grid.push_back(expr("c0 2 ceil"));
  object.grid.push_back(expr("3"));
  object.workspace_bytes = expr("c0 10 *");
  object.bindings[0]->bytes = expr("16");
  maker.body(launch(maker.kernel(object), {range(y)}, {reg(0)}));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  ASSERT_OK(run(*interpreter, {{1, 2, 3}}));
  EXPECT_THAT(got(0), ElementsAre(2, 3, 30, 3));
  ASSERT_OK(run(*interpreter, {{1, 2, 3, 4, 5}}));
  EXPECT_THAT(got(0), ElementsAre(3, 3, 50, 5));
  uint64_t launchesBefore = fake.launches;
  ASSERT_OK(run(*interpreter, {{}}));
  EXPECT_EQ(fake.launches, launchesBefore) << "an empty grid launches nothing";
}

TEST_F(InterpreterTest, LaunchesThatDoNotFitTheirKernelAreRefused) {
  ProgramMaker maker;
  maker.program.register_count = 1;
  maker.input("x", {reg(0)});
  uint32_t y = maker.output("y", {imm(4)});
  KernelObjectT object = kernelObject("geometry", {"out"}, 1);
  object.bindings[0]->bytes = expr("c0 8 *");
  object.grid.push_back(expr("10 c0 -"));
  maker.body(launch(maker.kernel(object), {range(y)}, {reg(0)}, "g_1", "m: 'g_1'"));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  EXPECT_THAT(run(*interpreter, {{1, 2, 3}}),
              StatusIs(Code::OutOfRange,
                       "launch 'g_1' (m: 'g_1'): binding 0 has 16 bytes; kernel 'geometry' needs 24"));
  EXPECT_THAT(run(*interpreter, {std::vector<float>(11)}),
              StatusIs(Code::OutOfRange, "launch 'g_1' (m: 'g_1'): grid: -1; expected at least 0"));
}

TEST_F(InterpreterTest, MisalignedBindingsAreRefused) {
  ProgramMaker maker = smallProgram();
  KernelObjectT object = kernelObject("nop", {"in", "out"});
  object.bindings[0]->alignment_bytes = 64;
  maker.body(launch(maker.kernel(object), {range(3, imm(8), imm(8)), range(1)}));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  EXPECT_THAT(run(*interpreter, {{1, 1, 1, 1}}),
              StatusIs(Code::InvalidArgument, HasSubstr("kernel 'nop' needs a multiple of 64")));
}

TEST_F(InterpreterTest, PrologueRunsOnceAndFillsPersistentBuffers) {
  ProgramMaker maker;
  uint32_t x = maker.input("x", {imm(2)}), y = maker.output("y", {imm(2)});
  uint32_t c = maker.constant({2, 3});
  uint32_t packed = maker.persistent(8), other = maker.persistent(8);
  uint32_t mul = maker.kernel(kernelObject("mul", {"in", "in", "out"}));
  maker.program.prologue = block(launch(mul, {range(c), range(c), range(packed)}), //
                                 copy(range(other), range(packed), imm(8)));
  maker.body(launch(mul, {range(x), range(other), range(y)}));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  EXPECT_EQ(fake.launches, 1u);
  ASSERT_OK(run(*interpreter, {{1, 10}}));
  ASSERT_OK(run(*interpreter, {{1, 10}}));
  EXPECT_THAT(got(0), ElementsAre(4, 90));
  EXPECT_EQ(fake.launches, 3u);
}

TEST_F(InterpreterTest, BuffersWithoutBytesNeedNoMemory) {
  ProgramMaker maker;
  uint32_t x = maker.input("x", {imm(0)}), y = maker.output("y", {imm(0)});
  uint32_t empty = maker.persistent(0), arena = maker.arena(imm(0), imm(0));
  maker.program.prologue = block(fill(range(empty), 0, 4, imm(0)));
  uint32_t mul = maker.kernel(kernelObject("mul", {"in", "in", "out"}));
  maker.body(launch(mul, {range(x), range(empty), range(arena)}));
  maker.body(copy(range(y), range(arena), imm(0)));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  ASSERT_OK(run(*interpreter, {{}}));
  EXPECT_TRUE(got(0).empty());
}

TEST_F(InterpreterTest, ArithmeticComputesAndFaults) {
  struct Case {
    ArithOp op;
    int64_t lhs, rhs, third, want;
  };
  const Case cases[] = {
      {ArithOp::Move, 7, 0, 0, 7},       {ArithOp::Add, 7, 2, 0, 9},        {ArithOp::Sub, 7, 9, 0, -2},
      {ArithOp::Mul, -7, 2, 0, -14},     {ArithOp::FloorDiv, -7, 2, 0, -4}, {ArithOp::CeilDiv, 7, 2, 0, 4},
      {ArithOp::Mod, -7, 4, 0, 1},       {ArithOp::Min, 7, 2, 0, 2},        {ArithOp::Max, 7, 2, 0, 7},
      {ArithOp::Eq, 2, 2, 0, 1},         {ArithOp::Ne, 2, 2, 0, 0},         {ArithOp::Lt, 1, 2, 0, 1},
      {ArithOp::Le, 3, 2, 0, 0},         {ArithOp::And, 6, 3, 0, 2},        {ArithOp::Or, 6, 3, 0, 7},
      {ArithOp::Not, 5, 0, 0, 0},        {ArithOp::Select, 1, 8, 9, 8},     {ArithOp::Select, 0, 8, 9, 9},
      {ArithOp::TruncDiv, -7, 2, 0, -3}, {ArithOp::TruncRem, -7, 4, 0, -3},
  };
  for (const Case &c : cases) {
    ProgramMaker maker;
    maker.program.register_count = 1;
    maker.output("y", {imm(0), reg(0)}); // its extent shows the register
    maker.program.setup =
        block(arith(c.op, 0, imm(c.lhs), imm(c.rhs), imm(c.third)), arith(ArithOp::Add, 0, reg(0), imm(100)));
    ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
    ASSERT_OK(run(*interpreter, {}));
    EXPECT_EQ(interpreter->outputDims(0)[1], c.want + 100) << EnumNameArithOp(c.op);
  }
  ProgramMaker maker;
  maker.program.register_count = 1;
  maker.program.setup = block(arith(ArithOp::Mul, 0, imm(INT64_MAX), imm(2)));
  ASSERT_OK_AND_ASSIGN(auto overflows, prepare(maker));
  EXPECT_THAT(run(*overflows, {}),
              StatusIs(Code::OutOfRange, HasSubstr("mul of 9223372036854775807 and 2: overflow")));
  maker.program.setup = block(arith(ArithOp::FloorDiv, 0, imm(1), imm(0)));
  ASSERT_OK_AND_ASSIGN(auto divides, prepare(maker));
  EXPECT_THAT(run(*divides, {}), StatusIs(Code::OutOfRange, HasSubstr("division by zero")));
}

TEST_F(InterpreterTest, RequireEndsTheRunWithItsMessage) {
  ProgramMaker maker;
  maker.program.register_count = 2;
  maker.input("x", {reg(0)});
  maker.program.setup = block(arith(ArithOp::Lt, 1, reg(0), imm(3)), require(reg(1), "at most 2 rows"));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  EXPECT_OK(run(*interpreter, {{1}}));
  EXPECT_THAT(run(*interpreter, {{1, 2, 3}}),
              StatusIs(Code::InvalidArgument, "model.onnx: node 'r': at most 2 rows"));
  maker.program.setup->instructions.back()->action.AsRequire()->values = {reg(0), imm(2)};
  ASSERT_OK_AND_ASSIGN(interpreter, prepare(maker));
  EXPECT_THAT(run(*interpreter, {{1, 2, 3}}),
              StatusIs(Code::InvalidArgument, "model.onnx: node 'r': at most 2 rows, got 3 and 2"));
}

TEST_F(InterpreterTest, IfTakesOneBranch) {
  ProgramMaker maker;
  maker.program.register_count = 2;
  maker.input("x", {reg(0)});
  uint32_t y = maker.output("y", {imm(1)});
  maker.program.setup = block(arith(ArithOp::Eq, 1, reg(0), imm(1)));
  maker.body(branch(reg(1), block(fill(range(y), 0x3f800000, 4, imm(4))),
                    block(fill(range(y), 0x40000000, 4, imm(4)))));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  ASSERT_OK(run(*interpreter, {{5}}));
  EXPECT_THAT(got(0), ElementsAre(1));
  ASSERT_OK(run(*interpreter, {{5, 5}}));
  EXPECT_THAT(got(0), ElementsAre(2));
}

TEST_F(InterpreterTest, LoopsCountNestAndEndByCondition) {
  ProgramMaker maker;
  maker.program.register_count = 5; // outer, inner, sum, condition, bytes
  maker.input("x", {imm(1)});
  maker.output("y", {imm(0), reg(2)});
  // for o in 3: for i in 4: sum += i
  maker.program.setup = nullptr;
  maker.body(loop(imm(3), 0, block(loop(imm(4), 1, block(arith(ArithOp::Add, 2, reg(2), reg(1)))))));
  // while sum < 100: sum += 50
  maker.body(arith(ArithOp::Lt, 3, reg(2), imm(100)));
  maker.body(loop(imm(-1), 0,
                  block(arith(ArithOp::Add, 2, reg(2), imm(50)), arith(ArithOp::Lt, 3, reg(2), imm(100))),
                  3));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  ASSERT_OK(run(*interpreter, {{0}}));
  EXPECT_EQ(interpreter->outputDims(0)[1], 118);
}

TEST_F(InterpreterTest, LoopsEndAtTheirLimitAndAtTheDeadline) {
  ProgramMaker maker;
  maker.program.register_count = 2;
  maker.body(arith(ArithOp::Move, 1, imm(1)));
  maker.body(loop(imm(-1), 0, block(), 1, 10'000));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  EXPECT_THAT(run(*interpreter, {}), StatusIs(Code::OutOfRange, HasSubstr("10000 iterations")));
  EXPECT_THAT(run(*interpreter, {}, {}, {.deadlineNs = 1}),
              StatusIs(Code::DeadlineExceeded, HasSubstr("time is up")));
}

TEST_F(InterpreterTest, ScalarsReadBackSizeWhatFollows) {
  ProgramMaker maker;
  maker.program.register_count = 2;
  uint32_t x = maker.input("x", {imm(4)});
  uint32_t y = maker.output("y", {reg(0)});
  uint32_t t = maker.dynamic();
  maker.program.arena_bytes = std::make_unique<Operand>(imm(64));
  uint32_t n = maker.arena(imm(0), imm(8));
  maker.body(fill(range(n), 3, 8, imm(8)));
  maker.body(readScalar(0, range(n), DType::I32));
  maker.body(arith(ArithOp::Mul, 1, reg(0), imm(4)));
  maker.body(allocate(t, reg(1)));
  maker.body(copy(range(t), range(x), reg(1)));
  maker.body(allocate(y, reg(1)));
  maker.body(copy(range(y), range(t), reg(1)));
  maker.body(release(t));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  ASSERT_OK(run(*interpreter, {{5, 6, 7, 8}}));
  EXPECT_THAT(got(0), ElementsAre(5, 6, 7));
  EXPECT_THAT(interpreter->outputDims(0), ElementsAre(3));
}

TEST_F(InterpreterTest, NegativeScalarsKeepTheirSign) {
  ProgramMaker maker;
  maker.program.register_count = 2;
  maker.output("y", {imm(0), reg(1)});
  maker.program.arena_bytes = std::make_unique<Operand>(imm(8));
  uint32_t n = maker.arena(imm(0), imm(8));
  maker.body(fill(range(n), 0xFF, 1, imm(8)));
  maker.body(readScalar(0, range(n), DType::I8));
  maker.body(arith(ArithOp::Sub, 1, imm(0), reg(0)));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  ASSERT_OK(run(*interpreter, {}));
  EXPECT_EQ(interpreter->outputDims(0)[1], 1);
}

TEST_F(InterpreterTest, DynamicBuffersAreFreedWhateverHappens) {
  ProgramMaker maker;
  maker.program.register_count = 1;
  uint32_t t = maker.dynamic();
  maker.body(allocate(t, imm(64)));
  maker.body(require(reg(0), "never"));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  EXPECT_THAT(run(*interpreter, {}), StatusIs(Code::InvalidArgument, HasSubstr("never")));
  ASSERT_OK(queue->synchronize());
  EXPECT_EQ(fake.bytesInUse, 0u);
}

TEST_F(InterpreterTest, GrowingKeepsWhatABufferHoldsAndMovesItRarely) {
  ProgramMaker maker;
  maker.program.register_count = 3; // index, offset, bytes
  uint32_t x = maker.input("x", {imm(1)}), y = maker.output("y", {imm(1000)}), t = maker.dynamic();
  maker.body(allocate(t, imm(0)));
  maker.body(loop(imm(1000), 0,
                  block(arith(ArithOp::Mul, 1, reg(0), imm(4)), arith(ArithOp::Add, 2, reg(1), imm(4)),
                        grow(t, reg(2)), copy(range(t, reg(1), imm(4)), range(x), imm(4)))));
  maker.body(copy(range(y), range(t), imm(4000)));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  uint64_t before = fake.allocations;
  ASSERT_OK(run(*interpreter, {{5}}));
  EXPECT_THAT(got(0), ::testing::AllOf(::testing::SizeIs(1000), ::testing::Each(5.0f)));
  EXPECT_LE(fake.allocations - before, 7u) << "it doubles; input and output are among them";
}

TEST_F(InterpreterTest, MisuseOfDynamicBuffersIsNamed) {
  ProgramMaker twice;
  uint32_t t = twice.dynamic();
  twice.body(allocate(t, imm(4)));
  twice.body(allocate(t, imm(4)));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(twice));
  EXPECT_THAT(run(*interpreter, {}),
              StatusIs(Code::FailedPrecondition, HasSubstr("buffer 0 is allocated twice")));
  ProgramMaker freed;
  t = freed.dynamic();
  freed.body(release(t));
  ASSERT_OK_AND_ASSIGN(interpreter, prepare(freed));
  EXPECT_THAT(run(*interpreter, {}),
              StatusIs(Code::FailedPrecondition, HasSubstr("freed but not allocated")));
  ProgramMaker grown;
  t = grown.dynamic();
  grown.body(grow(t, imm(4)));
  ASSERT_OK_AND_ASSIGN(interpreter, prepare(grown));
  EXPECT_THAT(run(*interpreter, {}),
              StatusIs(Code::FailedPrecondition, HasSubstr("buffer 0 grows but is not allocated")));
  ProgramMaker unused;
  t = unused.dynamic();
  unused.body(copy(range(t), range(t), imm(4)));
  ASSERT_OK_AND_ASSIGN(interpreter, prepare(unused));
  EXPECT_THAT(run(*interpreter, {}), StatusIs(Code::OutOfRange, HasSubstr("copy: 4 bytes from 0 to 0")));
}

TEST_F(InterpreterTest, RegisterRangesAreCheckedAtTheRun) {
  ProgramMaker maker;
  maker.program.register_count = 1;
  uint32_t x = maker.input("x", {reg(0)});
  uint32_t y = maker.output("y", {imm(2)});
  maker.body(copy(range(y), range(x, reg(0)), imm(4)));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  EXPECT_THAT(run(*interpreter, {{}}), StatusIs(Code::OutOfRange, HasSubstr("copy: 4 bytes from 0")));
  ProgramMaker outside;
  outside.program.register_count = 2;
  x = outside.input("x", {reg(0)});
  y = outside.output("y", {imm(2)});
  outside.program.setup = block(arith(ArithOp::Mul, 1, reg(0), imm(-8)));
  outside.body(copy(range(y), range(x, reg(1)), imm(4)));
  ASSERT_OK_AND_ASSIGN(interpreter, prepare(outside));
  EXPECT_THAT(run(*interpreter, {{1, 2}}), StatusIs(Code::OutOfRange, HasSubstr("buffer 0: offset -16")));
}

TEST_F(InterpreterTest, AFaultNamesKernelAndLocationAndPoisonsLaterRuns) {
  ProgramMaker maker = smallProgram();
  maker.body(
      launch(maker.kernel(kernelObject("fault", {"out"})), {range(1)}, {}, "conv_1", "model.onnx: node 'c'"));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  auto fault = StatusIs(Code::Internal, ::testing::AllOf(HasSubstr("kernel 'fault'"),
                                                         HasSubstr("'conv_1' (model.onnx: node 'c')")));
  EXPECT_THAT(run(*interpreter, {{1, 1, 1, 1}}), fault);
  EXPECT_THAT(run(*interpreter, {{1, 1, 1, 1}}), fault);
  ASSERT_OK(queue->reset());
}

TEST_F(InterpreterTest, AKernelThatCannotBeLoadedNamesTheLaunch) {
  ProgramMaker maker = smallProgram();
  maker.body(launch(maker.kernel(kernelObject("absent", {"out"})), {range(1)}, {}, "a_1", "m: 'a'"));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  EXPECT_THAT(run(*interpreter, {{1, 1, 1, 1}}),
              StatusIs(Code::InvalidArgument, HasSubstr("launch 'a_1' (m: 'a'): kernel 'absent'")));
  EXPECT_THAT(interpreter->program().resolveAll(), StatusIs(Code::InvalidArgument, HasSubstr("'a_1'")));
}

TEST_F(InterpreterTest, OutOfMemoryNamesWhatForEachPart) {
  ProgramMaker maker = smallProgram();
  *maker.program.arena_bytes = imm(1 << 20);
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  fake.memoryLimitBytes = 1 << 10;
  EXPECT_THAT(run(*interpreter, {{1, 1, 1, 1}}),
              StatusIs(Code::ResourceExhausted, HasSubstr("arena: device 'fake:0'")));
  fake.memoryLimitBytes = 1 << 20;
  EXPECT_THAT(run(*interpreter, {{1, 1, 1, 1}}), StatusIs(Code::ResourceExhausted, HasSubstr("output 'y'")));
}

TEST_F(InterpreterTest, ProfilesEveryLaunch) {
  ProgramMaker maker = smallProgram();
  KernelObjectT object = kernelObject("nop", {"in"}, 1);
  object.flops = expr("c0 2 *");
  object.traffic_bytes = expr("c0 4 *");
  maker.body(launch(maker.kernel(object), {range(0)}, {imm(10)}, "nop_1"));
  ASSERT_OK_AND_ASSIGN(auto interpreter, prepare(maker));
  std::deque<LaunchProfile> profile;
  ASSERT_OK(run(*interpreter, {{1, 1, 1, 1}}, {}, {.profile = &profile}));
  ASSERT_EQ(profile.size(), 3u);
  EXPECT_EQ(profile[0].launch->name, "mul_1");
  EXPECT_EQ(profile[0].times.end_ns - profile[0].times.start_ns, 2000u);
  EXPECT_EQ(profile[2].flops, 20);
  EXPECT_EQ(profile[2].trafficBytes, 40);
}

TEST_F(InterpreterTest, AProgramForAnotherDeviceTypeIsRefused) {
  ProgramMaker maker;
  maker.program.target->device_type = "npu";
  EXPECT_THAT(prepare(maker), StatusIs(Code::FailedPrecondition,
                                       "program: made for device type 'npu'; this device is 'fake:0'"));
}

} // namespace
} // namespace kiln
