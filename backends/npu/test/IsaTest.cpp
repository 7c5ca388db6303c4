// IsaTest.cpp: words, text and checks of every instruction, from the table.
#include "backends/npu/Isa/Isa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

using namespace kiln;
using namespace kiln::npu;
using testing::HasSubstr;

namespace {

using Random = std::mt19937_64;

// Any instruction of the op whose fields fit; types and conversions need not be legal.
Inst randomInst(const OpInfo &op, Random &random) {
  Inst inst = Inst::make(op.op);
  for (Field field : formatFields(op.format)) {
    const FieldInfo &info = fieldInfo(field);
    switch (info.kind) {
    case FieldKind::Imm64:
      inst.imm = random();
      break;
    case FieldKind::Reg:
      inst[field] = static_cast<int32_t>(random() % 32);
      break;
    case FieldKind::RegImm:
    case FieldKind::SRegImm:
      if (random() % 2) {
        inst.setReg(field, random() % 32);
        break;
      }
      [[fallthrough]];
    case FieldKind::Imm:
    case FieldKind::SImm:
    case FieldKind::Label: {
      bool isSigned = info.kind == FieldKind::SRegImm || info.kind == FieldKind::SImm;
      int64_t value = static_cast<int64_t>(random() % (uint64_t(1) << info.bits));
      inst[field] = static_cast<int32_t>(value - (isSigned ? int64_t(1) << (info.bits - 1) : 0));
      break;
    }
    case FieldKind::Type:
      inst[field] = static_cast<int32_t>(random() % kDTypeCount);
      break;
    case FieldKind::Space:
      inst[field] = static_cast<int32_t>(random() % 2);
      break;
    case FieldKind::Pipe:
    case FieldKind::Special:
    case FieldKind::Compare:
    case FieldKind::Round:
    case FieldKind::Quant:
    case FieldKind::Relu:
      inst[field] = static_cast<int32_t>(random() % 4);
      break;
    }
  }
  return inst;
}

std::string wrongness(std::string_view text) {
  Result<Inst> inst = parseInst(text);
  return inst.ok() ? "" : inst.status().message();
}

std::string illegal(std::string_view text, ChipClass chip = ChipClass::Ascend910B, uint8_t where = kAiv) {
  return checkInst(parseInst(text).value(), Target::of(chip), where).message();
}

} // namespace

TEST(IsaTest, EveryInstructionSurvivesWordAndText) {
  Random random(1);
  for (const OpInfo &op : ops())
    for (int i = 0; i < 200; ++i) {
      Inst inst = randomInst(op, random);
      Word word = encode(inst);
      Result<Inst> decoded = decode(word);
      ASSERT_TRUE(decoded.ok()) << op.mnemonic << ": " << decoded.status().message();
      EXPECT_EQ(*decoded, inst) << printInst(inst);
      Result<Inst> parsed = parseInst(printInst(inst));
      ASSERT_TRUE(parsed.ok()) << printInst(inst) << ": " << parsed.status().message();
      EXPECT_EQ(encode(*parsed), word) << printInst(inst);
    }
}

TEST(IsaTest, AnyWordIsRefusedOrComesBack) {
  Random random(2);
  size_t decodable = 0;
  for (int i = 0; i < 50000; ++i) {
    Word word = encode(randomInst(ops()[random() % ops().size()], random));
    for (uint64_t flips = random() % 4; flips > 0; --flips)
      word[random() % word.size()] ^= static_cast<uint8_t>(1u << random() % 8);
    Result<Inst> inst = decode(word);
    if (!inst.ok())
      continue;
    ++decodable;
    EXPECT_EQ(encode(*inst), word) << printInst(*inst);
  }
  EXPECT_GT(decodable, 10000u);
}

TEST(IsaTest, TheTableIsClosed) {
  std::set<uint8_t> codes;
  for (const OpInfo &op : ops())
    EXPECT_TRUE(codes.insert(static_cast<uint8_t>(op.op)).second) << op.mnemonic;
  for (int code = 0; code < 256; ++code) {
    Word word = {static_cast<uint8_t>(code)};
    if (!codes.count(static_cast<uint8_t>(code)))
      EXPECT_THAT(decode(word).status().message(), HasSubstr("is not in the instruction set"));
  }
}

TEST(IsaTest, BitsBehindTheOperandsAreRefused) {
  Word word = encode(Inst::make(Op::Nop));
  word[15] = 0x80;
  EXPECT_THAT(decode(word).status().message(), HasSubstr("bits behind the last operand"));
}

TEST(IsaTest, TextErrorsSayWhatWasExpected) {
  EXPECT_THAT(wrongness("vfma x1, x2"), HasSubstr("unknown instruction 'vfma'"));
  EXPECT_THAT(wrongness("vadd.f16 x1, x2"), HasSubstr("vadd: no operand 'b'"));
  EXPECT_THAT(wrongness("vadd x1, x2, x3"), HasSubstr("vadd: no operand 'type'"));
  EXPECT_THAT(wrongness("vadd.f17 x1, x2, x3"), HasSubstr("'type' is 'f17'; expected one of f16, bf16"));
  EXPECT_THAT(wrongness("vadd.f16 x1, x2, x32"), HasSubstr("'b' is 'x32'; expected x0 to x31"));
  EXPECT_THAT(wrongness("vadd.f16 x1, x2, x3, rep=256"),
              HasSubstr("expected a register or a number from 0 to 255"));
  EXPECT_THAT(wrongness("vadd.f16 x1, x2, x3, step=2"), HasSubstr("it has no operand 'step=2'"));
  EXPECT_THAT(wrongness("vadd.f16 x1, x2, x3, rep=2, rep=3"), HasSubstr("'rep' stands twice"));
  EXPECT_THAT(wrongness("vadd.f16.f32 x1, x2, x3"), HasSubstr("suffix 'f32' is one too many"));
  EXPECT_THAT(wrongness("movi x1, 0x1ffffffffffffffff"), HasSubstr("expected a number of 64 bits"));
  EXPECT_THAT(wrongness("jmp 4"), HasSubstr("expected a label"));
}

TEST(IsaTest, ChecksKnowCoresTypesAndChips) {
  EXPECT_EQ(illegal("vadd.f16 x1, x2, x3"), "");
  EXPECT_THAT(illegal("vadd.bf16 x1, x2, x3"), HasSubstr("no form for bf16"));
  EXPECT_THAT(illegal("mmad.f16 x1, x2, x3, x4"), HasSubstr("not on a vector core"));
  EXPECT_THAT(illegal("vadd.f16 x1, x2, x3", ChipClass::Ascend910B, kAic), HasSubstr("not on a cube core"));
  EXPECT_THAT(illegal("mov_l0c_ub x1, x2", ChipClass::Ascend910B, kAic), HasSubstr("not on the 910b"))
      << "on the 910B class the result leaves L0C through FIX only";
  EXPECT_EQ(illegal("mov_l0c_ub x1, x2", ChipClass::Ascend910A, kAic), "");
  EXPECT_EQ(illegal("vadd.f16 x1, x2, x3", ChipClass::Ascend910A, kAic), "") << "the 910A's cores are fused";
  EXPECT_THAT(illegal("fix_gm x1, x2", ChipClass::Ascend910A, kAic), HasSubstr("not on the 910a"));
  EXPECT_THAT(illegal("mmad.bf16 x1, x2, x3, x4", ChipClass::Ascend910A, kAic), HasSubstr("has no bf16"));
  EXPECT_THAT(illegal("mmad.f32 x1, x2, x3, x4", ChipClass::Ascend910A, kAic),
              HasSubstr("multiplies no f32"));
  EXPECT_THAT(illegal("vconv.f16.i8 x1, x2"), HasSubstr("no conversion from f16 to i8 with this rounding"));
  EXPECT_EQ(illegal("vconv.f16.i8 x1, x2, round=rint"), "");
  EXPECT_THAT(illegal("set_flag V, V, 0"), HasSubstr("expected pipe_barrier"));
  EXPECT_THAT(illegal("set_flag V, ALL, 0"), HasSubstr("expected one pipe on each side"));
  EXPECT_THAT(illegal("setsr block_idx, 3"), HasSubstr("cannot be written"));
  EXPECT_THAT(illegal("cross_set V, 1, mode=3"), HasSubstr("expected 0, 1 or 2"));
  EXPECT_THAT(illegal("fix_l1 x1, x2, nd=1", ChipClass::Ascend910B, kAic), HasSubstr("only GM takes rows"));
}

TEST(IsaTest, ManualPageIsUpToDate) {
  std::string path = KILN_SOURCE_DIR "/docs/reference/npu-isa.md";
  if (std::getenv("KILN_TEST_WRITE_REFERENCE"))
    std::ofstream(path) << manual();
  std::stringstream page;
  page << std::ifstream(path).rdbuf();
  EXPECT_EQ(page.str(), manual()) << "run NpuTest with KILN_TEST_WRITE_REFERENCE=1";
  for (const OpInfo &op : ops())
    EXPECT_THAT(manual(), HasSubstr("### " + std::string(op.mnemonic) + "\n"));
}
