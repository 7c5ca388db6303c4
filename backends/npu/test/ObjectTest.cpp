// ObjectTest.cpp: objects survive bytes and text; malformed and illegal ones are refused by name.
#include "backends/npu/NpuLoader.h"
#include "kiln/devicekit/DeviceElf.h"
#include "runtime/HostTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace kiln;
using namespace kiln::npu;
using testing::HasSubstr;

namespace {

constexpr std::string_view kText = R"(.chip 910b
.kind aiv
.kernel scale
.binding in f16 align=32 c0 2 mul
.binding out f16 align=32 c0 2 mul
.constants 1
.workspace c0 4 mul 64 max
.grid c0 128 ceildiv

.section aiv
.op 0
  ldarg x1, 0
  movs x2, block_idx
  br ge, x2, 4, L6
.op 3
  vmuls.f16 x1, x1, x2, rep=4
L4:
  wait_flag V, S, x2
  loop x2, L4
L6:
  halt
)";

std::string errorOf(std::string text, std::string_view from, std::string_view to) {
  text.replace(text.find(from), from.size(), to);
  Result<NpuObject> object = assemble(text);
  return object.ok() ? "" : object.status().message();
}
std::string errorOf(std::string_view from, std::string_view to) {
  return errorOf(std::string(kText), from, to);
}

} // namespace

TEST(NpuObjectTest, TextAndBytesComeBackAsTheyWere) {
  NpuObject object = assemble(kText).value();
  EXPECT_EQ(disassemble(object), kText);
  std::vector<uint8_t> file = writeObject(object);
  NpuObject read = readObject(file).value();
  EXPECT_EQ(read, object);
  EXPECT_EQ(writeObject(assemble(disassemble(read)).value()), file);
  EXPECT_EQ(object.aiv.opAt(2), 0);
  EXPECT_EQ(object.aiv.opAt(5), 3);
  EXPECT_EQ(object.aic.opAt(0), -1);
}

TEST(NpuObjectTest, AnyInstructionOfACoreComesBackByteForByte) {
  std::mt19937_64 random(5);
  NpuObject object = assemble(kText).value();
  object.aiv = {};
  while (object.aiv.code.size() < 2000) {
    Word word;
    for (uint8_t &byte : word)
      byte = static_cast<uint8_t>(random());
    const OpInfo &op = ops()[random() % ops().size()];
    Inst inst = Inst::make(op.op);
    for (Field field : formatFields(op.format))
      if (fieldInfo(field).kind == FieldKind::Reg)
        inst[field] = word[static_cast<size_t>(field) % 16] % 32;
      else if (fieldInfo(field).isNamed && fieldInfo(field).bits >= 8)
        inst[field] = word[static_cast<size_t>(field) % 16];
      else if (fieldInfo(field).kind == FieldKind::Type)
        inst[field] = word[0] % kDTypeCount;
    if (checkInst(inst, Target::of(object.chip), kAiv).ok())
      object.aiv.code.push_back(inst);
  }
  object.aiv.code.push_back(Inst::make(Op::Halt));
  std::vector<uint8_t> file = writeObject(object);
  std::string text = disassemble(readObject(file).value());
  Result<NpuObject> again = assemble(text);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(writeObject(*again), file);
}

TEST(NpuObjectTest, ExpressionsAreEvaluatedOverTheConstants) {
  NpuObject object = assemble(kText).value();
  int64_t constants[] = {300};
  EXPECT_EQ(evaluate(object.grid, constants).value(), 3);
  EXPECT_EQ(evaluate(object.workspaceBytes, constants).value(), 1200);
  constants[0] = INT64_MAX;
  EXPECT_THAT(evaluate(object.workspaceBytes, constants).status().message(), HasSubstr("overflow"));
  Expr division = {{ExprOp::Literal, 1}, {ExprOp::Constant, 0}, {ExprOp::Mod, 0}};
  constants[0] = 0;
  EXPECT_THAT(evaluate(division, constants).status().message(), HasSubstr("1 divided by 0"));
  for (auto [op, want] : {std::pair(ExprOp::FloorDiv, -4),
                          {ExprOp::CeilDiv, -3},
                          {ExprOp::Mod, 1},
                          {ExprOp::Sub, -9},
                          {ExprOp::Add, -5},
                          {ExprOp::Mul, -14},
                          {ExprOp::Min, -7},
                          {ExprOp::Max, 2}}) {
    Expr expr = {{ExprOp::Literal, -7}, {ExprOp::Literal, 2}, {op, 0}};
    EXPECT_EQ(evaluate(expr, {}).value(), want) << static_cast<int>(op);
  }
}

TEST(NpuObjectTest, AssemblerNamesLineAndReason) {
  EXPECT_THAT(errorOf(".chip 910b", ".chip 950"), HasSubstr("line 1: option 'chip': '950'"));
  EXPECT_THAT(errorOf(".kind aiv", ".kind gpu"), HasSubstr("line 2: .kind gpu; expected aic, aiv or mix"));
  EXPECT_THAT(errorOf("ldarg x1, 0", "ldarg y1, 0"), HasSubstr("line 12: ldarg: operand 'd' is 'y1'"));
  EXPECT_THAT(errorOf("loop x2, L4", "loop x2, L9"), HasSubstr("line 19: label 'L9' is not in this section"));
  EXPECT_THAT(errorOf("L6:\n", "L4:\n"), HasSubstr("label 'L4' stands twice"));
  EXPECT_THAT(errorOf(".constants 1", ".constants x"),
              HasSubstr("line 6: .constants 'x'; expected a number"));
  EXPECT_THAT(errorOf("c0 128 ceildiv", "c0 128 over"), HasSubstr("line 8: expression: 'over'"));
  EXPECT_THAT(errorOf("binding in", "binding on"), HasSubstr("line 4: .binding: expected in, out or inout"));
  EXPECT_THAT(errorOf(".section aiv", ".section gpu"), HasSubstr(".section gpu; expected aic or aiv"));
  EXPECT_THAT(errorOf(".op 0", ".opp 0"), HasSubstr("unknown directive '.opp'"));
}

TEST(NpuObjectTest, ChecksNameWhatIsIllegal) {
  EXPECT_THAT(errorOf(".kind aiv", ".kind aic"), HasSubstr("kind and code differ"));
  EXPECT_THAT(errorOf("  halt\n", "  nop\n"), HasSubstr("the last one is 'nop'; expected halt or jmp"));
  EXPECT_THAT(errorOf("c0 128 ceildiv", "c1 128 ceildiv"), HasSubstr("grid: constant 1; there are 1"));
  EXPECT_THAT(errorOf("c0 128 ceildiv", "128 ceildiv"), HasSubstr("grid: an operator without two operands"));
  EXPECT_THAT(errorOf("c0 128 ceildiv", "c0 128"), HasSubstr("grid: no expression"));
  EXPECT_THAT(errorOf("align=32", "align=24"), HasSubstr("alignment 24; expected a power of two"));
  EXPECT_THAT(errorOf("vmuls.f16 x1, x1, x2, rep=4", "mmad.f16 x1, x2, x3, x4"),
              HasSubstr("section .text.aiv, instruction 3: mmad: not on a vector core"));
  std::string mix = std::string(kText) + ".section aic\n  halt\n";
  EXPECT_EQ(errorOf(mix, ".kind aiv", ".kind mix"), "");
  EXPECT_THAT(errorOf(mix, ".chip 910b\n.kind aiv", ".chip 910a\n.kind mix"), HasSubstr("cores are fused"));
}

TEST(NpuObjectTest, MalformedFilesAreRefusedByName) {
  const std::vector<uint8_t> good = writeObject(assemble(kText).value());
  auto errorWith = [&](auto change) {
    std::vector<uint8_t> file = good;
    change(file);
    Result<NpuObject> object = readObject(file);
    return object.ok() ? std::string() : object.status().message();
  };
  EXPECT_THAT(errorWith([](auto &f) { f.resize(20); }), HasSubstr("expected an ELF header"));
  EXPECT_THAT(errorWith([](auto &f) { f[0] = 0; }), HasSubstr("not those of an ELF file"));
  EXPECT_THAT(errorWith([](auto &f) { f[4] = 1; }), HasSubstr("little-endian ELF64"));
  EXPECT_THAT(errorWith([](auto &f) { f[18] = 62; }), HasSubstr("expected 27502"));
  EXPECT_THAT(errorWith([](auto &f) { f[0x28] = 0xff, f[0x2c] = 1; }), HasSubstr("section table"));
  EXPECT_THAT(errorWith([](auto &f) { f[60] = 200; }), HasSubstr("200 sections"));
  EXPECT_THAT(errorWith([](auto &f) { f.push_back(0); }), HasSubstr("canonical"));
  EXPECT_THAT(errorWith([](auto &f) { f[0x30] = 1; }), HasSubstr("canonical")) << "flags";
  EXPECT_THAT(errorWith([](auto &f) { f[64] = 0xff; }), HasSubstr("opcode 255"));
  devicekit::ElfSection lonely[] = {{".meta", {1, 2}, false}};
  std::vector<uint8_t> file = devicekit::writeElf(kElfMachine, lonely);
  EXPECT_THAT(readObject(file).status().message(), HasSubstr("1 sections; expected .text.aic"));
}

// Every prefix and many random changes: refused, or an object whose bytes are exactly these.
TEST(NpuObjectTest, MutatedFilesAreRefusedOrCanonical) {
  const std::vector<uint8_t> good = writeObject(assemble(kText).value());
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(readObject(std::span(good).first(size)).ok()) << size;
  std::mt19937_64 random(11);
  for (int i = 0; i < 5000; ++i) {
    std::vector<uint8_t> file = good;
    for (uint64_t changes = 1 + random() % 4; changes > 0; --changes)
      file[random() % file.size()] ^= static_cast<uint8_t>(1u << random() % 8);
    Result<NpuObject> object = readObject(file);
    if (object.ok())
      EXPECT_EQ(writeObject(*object), file);
    else
      EXPECT_FALSE(object.status().message().empty());
  }
}

TEST(NpuLoaderTest, ImageAndObjectMustAgree) {
  NpuLoader loader(hostTable());
  std::vector<uint8_t> file = writeObject(assemble(kText).value());
  KilnKernelImage image = {};
  image.struct_size = sizeof(image);
  image.name = toStr("scale_0");
  image.symbol = toStr("scale");
  image.object = file.data();
  image.object_bytes = file.size();
  image.binding_count = 2;
  image.constant_count = 1;
  Result<NpuKernel *> kernel = loader.load(image);
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  NpuLoader::ops().unload(&loader, (*kernel)->handle());
  image.binding_count = 3;
  EXPECT_THAT(loader.load(image).status().message(),
              HasSubstr("kernel 'scale_0': the object takes 2 bindings and 1 constants; expected 3 and 1"));
  image.symbol = toStr("other");
  EXPECT_THAT(loader.load(image).status().message(), HasSubstr("holds 'scale'; expected 'other'"));
}
