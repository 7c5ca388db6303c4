// ProgramVerifierTest.cpp: one contradiction a case; each must be refused by its place.
#include "tests/unit/runtime/ProgramMaker.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <functional>
#include <limits>

namespace kiln {
namespace {

using namespace kiln::testing;
using namespace schema;
using ::testing::HasSubstr;

struct Refusal {
  const char *name;
  std::function<void(ProgramMaker &)> damage;
  Code code;
  const char *message; // part of it
};

// gtest prints the parameter of a failing case.
void PrintTo(const Refusal &refusal, std::ostream *os) { *os << refusal.name; }

class ProgramVerifierRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(ProgramVerifierRefusal, NamesThePlace) {
  ProgramMaker maker = smallProgram();
  GetParam().damage(maker);
  EXPECT_THAT(maker.build(), StatusIs(GetParam().code, HasSubstr(GetParam().message)));
}

LaunchT &launchOf(ProgramMaker &maker, size_t index) {
  return *maker.program.body->instructions[index]->action.AsLaunch();
}
void setup(ProgramMaker &maker, std::unique_ptr<InstructionT> instruction) {
  if (!maker.program.setup)
    maker.program.setup = std::make_unique<BlockT>();
  maker.program.setup->instructions.push_back(std::move(instruction));
}
void prologue(ProgramMaker &maker, std::unique_ptr<InstructionT> instruction) {
  if (!maker.program.prologue)
    maker.program.prologue = std::make_unique<BlockT>();
  maker.program.prologue->instructions.push_back(std::move(instruction));
}

const Refusal kTables[] = {
    {"version", [](ProgramMaker &m) { m.program.version = 2; }, Code::Unimplemented, "version 2"},
    {"registers", [](ProgramMaker &m) { m.program.register_count = 1u << 30; }, Code::InvalidArgument,
     "registers"},
    {"arenaNegative", [](ProgramMaker &m) { *m.program.arena_bytes = imm(-1); }, Code::InvalidArgument,
     "arena"},
    {"arenaRegister", [](ProgramMaker &m) { *m.program.arena_bytes = reg(0); }, Code::InvalidArgument,
     "register 0; the program has 0"},
    {"inputDType", [](ProgramMaker &m) { m.program.inputs[0]->dtype = static_cast<DType>(50); },
     Code::InvalidArgument, "input 0 ('x'): element type 50"},
    {"inputRank", [](ProgramMaker &m) { m.program.inputs[0]->dims.assign(17, imm(1)); },
     Code::InvalidArgument, "rank 17; at most 16"},
    {"inputExtent", [](ProgramMaker &m) { m.program.inputs[0]->dims[0] = imm(-4); }, Code::InvalidArgument,
     "input 0 ('x'): extent 0: -4"},
    {"inputNames", [](ProgramMaker &m) { m.program.inputs[0]->dim_names = {"a", "b"}; },
     Code::InvalidArgument, "2 names for 1 extents"},
    {"inputBuffer", [](ProgramMaker &m) { m.program.inputs[0]->buffer = 99; }, Code::InvalidArgument,
     "buffer 99"},
    {"inputBufferKind", [](ProgramMaker &m) { m.program.inputs[0]->buffer = 1; }, Code::InvalidArgument,
     "buffer 1 is Output 0; expected Input 0"},
    {"outputBufferKind", [](ProgramMaker &m) { m.program.outputs[0]->buffer = 0; }, Code::InvalidArgument,
     "output 0 ('y'): buffer 0 is Input 0"},
    {"strayInputBuffer", [](ProgramMaker &m) { m.program.buffers[3]->kind = BufferKind::Input; },
     Code::InvalidArgument, "buffer 3: input 0 does not refer back"},
    {"extentOverflow", [](ProgramMaker &m) { m.program.inputs[0]->dims = {imm(INT64_MAX), imm(INT64_MAX)}; },
     Code::InvalidArgument, "extents of 'x' overflow"},
    {"constantDigestForm", [](ProgramMaker &m) { m.program.constants[0]->digest = "abc"; },
     Code::InvalidArgument, "constant 0 ('weight'): digest 'abc'"},
    {"constantDigest", [](ProgramMaker &m) { m.program.constants[0]->inline_data[3] ^= 1; }, Code::DataLoss,
     "constant 0 ('weight'): bytes have digest"},
    {"constantSize", [](ProgramMaker &m) { m.program.constants[0]->bytes = 12; }, Code::InvalidArgument,
     "16 inline bytes; expected 12"},
    {"constantTwice", [](ProgramMaker &m) { m.program.constants[0]->file_offset = 64; },
     Code::InvalidArgument, "both inline and at file offset 64"},
    {"constantOutsideFile",
     [](ProgramMaker &m) {
       m.program.constants[0]->inline_data.clear();
       m.program.constants[0]->file_offset = 4096;
     },
     Code::InvalidArgument, "bytes [4096, +16) of the file; it has 0"},
    {"bufferKind", [](ProgramMaker &m) { m.program.buffers[3]->kind = static_cast<BufferKind>(9); },
     Code::InvalidArgument, "buffer 3: kind 9"},
    {"bufferConstant", [](ProgramMaker &m) { m.program.buffers[2]->index = 5; }, Code::InvalidArgument,
     "buffer 2: constant 5"},
    {"arenaRange", [](ProgramMaker &m) { *m.program.buffers[3]->offset = imm(56); }, Code::InvalidArgument,
     "buffer 3: bytes [56, 72) of the arena; it has 64"},
    {"arenaRangeHuge", [](ProgramMaker &m) { *m.program.buffers[3]->offset = imm(INT64_MAX); },
     Code::InvalidArgument, "of the arena; it has 64"},
    {"persistentRegister",
     [](ProgramMaker &m) {
       m.program.register_count = 1;
       m.persistent(0);
       *m.program.buffers.back()->bytes = reg(0);
     },
     Code::InvalidArgument, "buffer 4: bytes in register 0"},
    {"kernelKey", [](ProgramMaker &m) { m.program.kernels[0]->key = "xyz"; }, Code::InvalidArgument,
     "kernel 0 ('mul'): key 'xyz'"},
    {"kernelOtherKey", [](ProgramMaker &m) { m.program.kernels[0]->key = m.program.kernels[1]->key; },
     Code::InvalidArgument, "kernel 0 ('mul'): embedded object has key"},
    {"kernelOtherDevice", [](ProgramMaker &m) { m.program.target->device_type = "npu"; },
     Code::InvalidArgument, "is for device type 'fake'; the program is for 'npu'"},
    {"checkOutput",
     [](ProgramMaker &m) {
       m.program.checks.push_back(std::make_unique<CheckT>());
       m.program.checks[0]->want = 4;
     },
     Code::InvalidArgument, "check 0: outputs 0 and 4"},
    {"checkTolerance",
     [](ProgramMaker &m) {
       m.program.checks.push_back(std::make_unique<CheckT>());
       m.program.checks[0]->rtol = std::numeric_limits<double>::quiet_NaN();
     },
     Code::InvalidArgument, "check 0: atol 0, rtol nan"},
};
INSTANTIATE_TEST_SUITE_P(Tables, ProgramVerifierRefusal, ::testing::ValuesIn(kTables),
                         [](const auto &info) { return std::string(info.param.name); });

const Refusal kBlocks[] = {
    {"launchKernel", [](ProgramMaker &m) { launchOf(m, 0).kernel = 9; }, Code::InvalidArgument,
     "body[0] (Launch 'mul_1'): kernel 9; the program has 2"},
    {"launchBuffer", [](ProgramMaker &m) { launchOf(m, 1).bindings[2] = range(17); }, Code::InvalidArgument,
     "body[1] (Launch 'add_1'): binding 2: buffer 17; the program has 4"},
    {"launchBindings", [](ProgramMaker &m) { launchOf(m, 0).bindings.pop_back(); }, Code::InvalidArgument,
     "2 bindings; kernel 'mul' has 3"},
    {"launchConstants", [](ProgramMaker &m) { launchOf(m, 0).constants = {imm(1)}; }, Code::InvalidArgument,
     "1 constants; kernel 'mul' has 0"},
    {"launchWritesInput", [](ProgramMaker &m) { launchOf(m, 0).bindings[2] = range(0); },
     Code::InvalidArgument, "binding 2: writes to buffer 0, which is Input"},
    {"launchWritesConstant", [](ProgramMaker &m) { launchOf(m, 0).bindings[2] = range(2); },
     Code::InvalidArgument, "which is Constant and read-only in the body"},
    {"launchRange", [](ProgramMaker &m) { launchOf(m, 0).bindings[2] = range(3, imm(8), imm(16)); },
     Code::InvalidArgument, "bytes [8, 24) of buffer 3; it has 16"},
    {"launchRangeNegative", [](ProgramMaker &m) { launchOf(m, 0).bindings[2] = range(3, imm(-8)); },
     Code::InvalidArgument, "offset -8"},
    {"launchRegister", [](ProgramMaker &m) { launchOf(m, 0).bindings[2] = range(3, reg(4)); },
     Code::InvalidArgument, "binding 2 offset: register 4; the program has 0"},
    {"setupLaunch", [](ProgramMaker &m) { setup(m, launch(0, {range(0), range(2), range(3)})); },
     Code::InvalidArgument, "setup[0] (Launch 'launch'): not allowed in setup"},
    {"setupAllocate", [](ProgramMaker &m) { setup(m, allocate(m.dynamic(), imm(4))); }, Code::InvalidArgument,
     "setup[0] (Allocate)"},
    {"prologueInput", [](ProgramMaker &m) { prologue(m, launch(0, {range(0), range(2), range(3)})); },
     Code::InvalidArgument, "prologue[0] (Launch 'launch'): binding 0: buffer 0 is an input"},
    {"prologueRegister",
     [](ProgramMaker &m) {
       m.program.register_count = 2;
       prologue(m, arith(ArithOp::Add, 0, reg(1), imm(1)));
     },
     Code::InvalidArgument, "register 1 has no value in the prologue"},
    {"bodyWritesPersistent", [](ProgramMaker &m) { m.body(fill(range(m.persistent(8)), 0, 4, imm(8))); },
     Code::InvalidArgument, "which is Persistent and read-only in the body"},
    {"arithOp",
     [](ProgramMaker &m) {
       m.program.register_count = 1;
       m.body(arith(static_cast<ArithOp>(88), 0, imm(1)));
     },
     Code::InvalidArgument, "operation 88"},
    {"arithTarget", [](ProgramMaker &m) { m.body(arith(ArithOp::Add, 3, imm(1))); }, Code::InvalidArgument,
     "body[2] (Arith): to: register 3"},
    {"arithMissingOperand",
     [](ProgramMaker &m) {
       m.program.register_count = 1;
       m.body(arith(ArithOp::Add, 0, imm(1)));
       m.program.body->instructions[2]->action.AsArith()->rhs.reset();
     },
     Code::InvalidArgument, "rhs: absent"},
    {"copyToConstant", [](ProgramMaker &m) { m.body(copy(range(2), range(3), imm(4))); },
     Code::InvalidArgument, "to: writes to buffer 2"},
    {"copyBytes", [](ProgramMaker &m) { m.body(copy(range(3), range(2), imm(-4))); }, Code::InvalidArgument,
     "bytes: -4"},
    {"fillPattern", [](ProgramMaker &m) { m.body(fill(range(3), 0, 3, imm(9))); }, Code::InvalidArgument,
     "pattern of 3 bytes"},
    {"fillBytes", [](ProgramMaker &m) { m.body(fill(range(3), 0, 8, imm(12))); }, Code::InvalidArgument,
     "12 bytes; expected a multiple"},
    {"ifCondition", [](ProgramMaker &m) { m.body(branch(reg(0), block())); }, Code::InvalidArgument,
     "condition: register 0"},
    {"ifNestedPlace", [](ProgramMaker &m) { m.body(branch(imm(1), block(), block(launch(7, {})))); },
     Code::InvalidArgument, "body[2] (If).otherwise[0] (Launch 'launch'): kernel 7"},
    {"loopForever",
     [](ProgramMaker &m) {
       m.program.register_count = 1;
       m.body(loop(imm(-1), 0, block()));
     },
     Code::InvalidArgument, "neither a count nor a condition ends it"},
    {"loopCount",
     [](ProgramMaker &m) {
       m.program.register_count = 1;
       m.body(loop(imm(-2), 0, block()));
     },
     Code::InvalidArgument, "count: -2"},
    {"loopLimit",
     [](ProgramMaker &m) {
       m.program.register_count = 1;
       m.body(loop(imm(3), 0, block(), -1, 0));
     },
     Code::InvalidArgument, "limit 0"},
    {"loopCondition",
     [](ProgramMaker &m) {
       m.program.register_count = 1;
       m.body(loop(imm(3), 0, block(), 5));
     },
     Code::InvalidArgument, "condition: register 5"},
    {"loopIndex", [](ProgramMaker &m) { m.body(loop(imm(3), 4, block())); }, Code::InvalidArgument,
     "to: register 4"},
    {"nesting",
     [](ProgramMaker &m) {
       auto inner = block();
       for (int i = 0; i < 40; ++i)
         inner = block(branch(imm(1), std::move(inner)));
       m.body(branch(imm(1), std::move(inner)));
     },
     Code::InvalidArgument, "nested 33 deep; at most 32"},
    {"readDType",
     [](ProgramMaker &m) {
       m.program.register_count = 1;
       m.body(readScalar(0, range(3), DType::F32));
     },
     Code::InvalidArgument, "element type f32; a register holds integers"},
    {"readBytes",
     [](ProgramMaker &m) {
       m.program.register_count = 1;
       m.body(readScalar(0, range(3, imm(0), imm(4)), DType::I64));
     },
     Code::InvalidArgument, "from: 4 bytes; a i64 has 8"},
    {"allocateArena", [](ProgramMaker &m) { m.body(allocate(3, imm(4))); }, Code::InvalidArgument,
     "buffer 3 is Arena; expected Dynamic or Output"},
    {"allocateBuffer", [](ProgramMaker &m) { m.body(allocate(30, imm(4))); }, Code::InvalidArgument,
     "buffer 30"},
    {"freeOutput", [](ProgramMaker &m) { m.body(release(1)); }, Code::InvalidArgument,
     "buffer 1 is Output; expected Dynamic"},
    {"freeBuffer", [](ProgramMaker &m) { m.body(release(31)); }, Code::InvalidArgument, "buffer 31"},
    {"growArena", [](ProgramMaker &m) { m.body(grow(3, imm(8))); }, Code::InvalidArgument,
     "buffer 3 is Arena; expected Dynamic"},
    {"growBuffer", [](ProgramMaker &m) { m.body(grow(32, imm(8))); }, Code::InvalidArgument, "buffer 32"},
    {"requireRegister", [](ProgramMaker &m) { m.body(require(reg(2), "n is even")); }, Code::InvalidArgument,
     "condition: register 2"},
};
INSTANTIATE_TEST_SUITE_P(Blocks, ProgramVerifierRefusal, ::testing::ValuesIn(kBlocks),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(ProgramVerifierTest, AcceptsAProgramOfEveryInstruction) {
  ProgramMaker maker = smallProgram();
  maker.program.register_count = 3;
  uint32_t temporary = maker.dynamic();
  uint32_t packed = maker.persistent(16);
  setup(maker, arith(ArithOp::Add, 0, imm(1), imm(2)));
  setup(maker, require(reg(0), "three"));
  prologue(maker, copy(range(packed), range(2), imm(16)));
  maker.body(allocate(temporary, reg(0)));
  maker.body(fill(range(temporary), 0, 1, reg(0)));
  maker.body(loop(imm(2), 1, block(branch(reg(1), block(copy(range(3), range(packed), imm(16)))))));
  maker.body(readScalar(2, range(3)));
  maker.body(release(temporary));
  EXPECT_OK(maker.build());
}

TEST(ProgramVerifierTest, TruncatedProgramsAreRefused) {
  std::vector<uint8_t> bytes = pack(smallProgram().program);
  for (size_t size = 0; size < bytes.size(); size += 16)
    EXPECT_THAT(ProgramFile::fromBytes(ByteSpan(bytes).first(size), "p"),
                StatusIs(Code::DataLoss, HasSubstr("p")))
        << size;
}

// A flipped bit may leave a valid program; it must never crash, and what is refused must say so in words.
TEST(ProgramVerifierTest, BitFlipsNeverCrash) {
  std::vector<uint8_t> bytes = pack(smallProgram().program);
  size_t refused = 0;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    Result<ProgramFileRef> file = ProgramFile::fromBytes(bytes, "p");
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    if (file.ok())
      continue;
    ++refused;
    EXPECT_FALSE(file.status().message().empty());
  }
  EXPECT_GT(refused, bytes.size()) << "most flips hit something that is checked";
}

} // namespace
} // namespace kiln
