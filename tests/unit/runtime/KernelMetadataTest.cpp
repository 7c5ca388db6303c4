// KernelMetadataTest.cpp: expressions, checked arithmetic, kernel objects.
#include "runtime/KernelMetadata.h"

#include "runtime/CheckedMath.h"
#include "runtime/DType.h"
#include "runtime/Sha256.h"
#include "tests/unit/runtime/ProgramMaker.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln {
namespace {

using ::kiln::testing::expr;
using ::kiln::testing::IsOkAndHolds;
using ::kiln::testing::kernelObject;
using ::kiln::testing::pack;
using ::kiln::testing::StatusIs;
using ::testing::HasSubstr;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(CheckedMathTest, DivisionsRoundAsTheirNamesSay) {
  int64_t r = 0;
  EXPECT_EQ(checkedFloorDiv(-7, 2, r), MathFault::None);
  EXPECT_EQ(r, -4);
  EXPECT_EQ(checkedCeilDiv(-7, 2, r), MathFault::None);
  EXPECT_EQ(r, -3);
  EXPECT_EQ(checkedCeilDiv(7, 2, r), MathFault::None);
  EXPECT_EQ(r, 4);
  EXPECT_EQ(checkedTruncDiv(-7, 2, r), MathFault::None);
  EXPECT_EQ(r, -3);
  EXPECT_EQ(checkedMod(-7, 3, r), MathFault::None);
  EXPECT_EQ(r, 2);
  EXPECT_EQ(checkedMod(7, -3, r), MathFault::None);
  EXPECT_EQ(r, -2);
  EXPECT_EQ(checkedTruncRem(-7, 3, r), MathFault::None);
  EXPECT_EQ(r, -1);
}

TEST(CheckedMathTest, FaultsAreReported) {
  int64_t r = 0;
  EXPECT_EQ(checkedAdd(kMax, 1, r), MathFault::Overflow);
  EXPECT_EQ(checkedSub(kMin, 1, r), MathFault::Overflow);
  EXPECT_EQ(checkedMul(kMax, 2, r), MathFault::Overflow);
  EXPECT_EQ(checkedFloorDiv(kMin, -1, r), MathFault::Overflow);
  EXPECT_EQ(checkedMod(1, 0, r), MathFault::DivisionByZero);
  EXPECT_EQ(checkedTruncRem(kMin, -1, r), MathFault::None) << "its result, 0, exists";
  EXPECT_EQ(r, 0);
}

Result<int64_t> evaluate(const schema::ExprT &tree, std::vector<int64_t> constants) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Expr::Pack(builder, &tree));
  const auto *root = flatbuffers::GetRoot<schema::Expr>(builder.GetBufferPointer());
  KILN_ASSIGN_OR_RETURN(Expression expression,
                        Expression::decode(root, static_cast<uint32_t>(constants.size()), "grid"));
  return expression.evaluate(constants);
}

TEST(ExpressionTest, EvaluatesPostfix) {
  EXPECT_THAT(evaluate(*expr("c0 6 ceil c1 *"), {13, 5}), IsOkAndHolds(15));
  EXPECT_THAT(evaluate(*expr("c0 c1 min 3 max"), {1, 2}), IsOkAndHolds(3));
  EXPECT_THAT(evaluate(*expr("c0 4 / c0 4 % +"), {11}), IsOkAndHolds(5));
  EXPECT_THAT(evaluate(*expr("7 2 -"), {}), IsOkAndHolds(5));
}

TEST(ExpressionTest, FaultsNameTheOperation) {
  EXPECT_THAT(evaluate(*expr("c0 2 *"), {kMax}), StatusIs(Code::OutOfRange, HasSubstr("Mul of")));
  EXPECT_THAT(evaluate(*expr("1 c0 /"), {0}), StatusIs(Code::OutOfRange, HasSubstr("division by zero")));
}

TEST(ExpressionTest, MalformedOnesAreRefused) {
  EXPECT_THAT(evaluate(*expr("c2"), {1, 2}),
              StatusIs(Code::InvalidArgument, "grid: constant 2; the kernel has 2"));
  EXPECT_THAT(evaluate(*expr("1 +"), {}),
              StatusIs(Code::InvalidArgument, HasSubstr("1 operands; expected 2")));
  EXPECT_THAT(evaluate(*expr("1 2"), {}), StatusIs(Code::InvalidArgument, HasSubstr("leaves 2 values")));
  schema::ExprT unknown;
  unknown.nodes.emplace_back(0, static_cast<schema::ExprOp>(99));
  EXPECT_THAT(evaluate(unknown, {}), StatusIs(Code::InvalidArgument, HasSubstr("operation 99")));
  schema::ExprT deep;
  for (size_t i = 0; i <= Expression::kMaxStack; ++i)
    deep.nodes.emplace_back(1, schema::ExprOp::Literal);
  EXPECT_THAT(evaluate(deep, {}), StatusIs(Code::InvalidArgument, HasSubstr("on the stack")));
  schema::ExprT longOne;
  longOne.nodes.assign(Expression::kMaxNodes + 1, schema::ExprNode(1, schema::ExprOp::Literal));
  EXPECT_THAT(evaluate(longOne, {}), StatusIs(Code::InvalidArgument, HasSubstr("at most 1024")));
  EXPECT_THAT(evaluate({}, {}), StatusIs(Code::InvalidArgument, HasSubstr("absent")));
}

Result<CompiledKernelRef> parse(const schema::KernelObjectT &object) {
  return CompiledKernel::parse(copyBytes(pack(object)), "kernel 'k'");
}

TEST(KernelMetadataTest, ReadsWhatWasWritten) {
  schema::KernelObjectT object = kernelObject("mul", {"in", "out", "inout"}, 2);
  object.workspace_bytes = expr("c0 8 *");
  object.grid.push_back(expr("c1 16 ceil"));
  object.pc_table = {schema::PcEntry(0, 3), schema::PcEntry(16, 5)};
  object.bindings[1]->bytes = expr("c0 4 *");
  ASSERT_OK_AND_ASSIGN(CompiledKernelRef kernel, parse(object));
  const KernelMetadata &metadata = kernel->metadata();
  EXPECT_EQ(metadata.format, "fake-obj");
  EXPECT_EQ(metadata.target.deviceType, "fake");
  ASSERT_EQ(metadata.bindings.size(), 3u);
  EXPECT_EQ(metadata.bindings[2].kind, BindingKind::InOut);
  int64_t constants[] = {10, 17};
  EXPECT_THAT(metadata.workspaceBytes.evaluate(constants), IsOkAndHolds(80));
  EXPECT_THAT(metadata.grid[0].evaluate(constants), IsOkAndHolds(2));
  EXPECT_THAT(metadata.bindings[1].bytes.evaluate(constants), IsOkAndHolds(40));
  EXPECT_EQ(std::string(kernel->object().begin(), kernel->object().end()), "mul");
  ASSERT_EQ(kernel->pcTable().size(), 2u);
  EXPECT_EQ(kernel->pcTable()[1].pc, 16u);
  EXPECT_EQ(kernel->pcTable()[1].op, 5u);
}

TEST(KernelMetadataTest, MisalignedBytesAreCopied) {
  std::vector<uint8_t> bytes = pack(kernelObject("mul", {"in"}));
  std::vector<uint8_t> shifted(bytes.size() + 1);
  std::copy(bytes.begin(), bytes.end(), shifted.begin() + 1);
  ASSERT_OK_AND_ASSIGN(CompiledKernelRef kernel,
                       CompiledKernel::parse({ByteSpan(shifted).subspan(1), nullptr}, "k"));
  EXPECT_EQ(kernel->metadata().name, "mul");
}

TEST(KernelMetadataTest, TruncatedAndForeignBytesAreDataLoss) {
  std::vector<uint8_t> bytes = pack(kernelObject("mul", {"in"}));
  for (size_t size = 0; size < bytes.size(); size += 4)
    EXPECT_THAT(CompiledKernel::parse(copyBytes(ByteSpan(bytes).first(size)), "kernel 'k'"),
                StatusIs(Code::DataLoss, HasSubstr("kernel 'k'")))
        << size;
  std::vector<uint8_t> text(200, 'x');
  EXPECT_THAT(CompiledKernel::parse(copyBytes(text), "k"),
              StatusIs(Code::DataLoss, HasSubstr("no well-formed")));
}

TEST(KernelMetadataTest, ContradictionsAreNamed) {
  schema::KernelObjectT object = kernelObject("mul", {"in"});
  object.version = 7;
  EXPECT_THAT(parse(object), StatusIs(Code::InvalidArgument, HasSubstr("version 7; expected 1")));
  object = kernelObject("mul", {"in"});
  object.bindings[0]->alignment_bytes = 12;
  EXPECT_THAT(parse(object), StatusIs(Code::InvalidArgument, HasSubstr("binding 0: alignment 12")));
  object = kernelObject("mul", {"in"});
  object.bindings[0]->dtype = static_cast<schema::DType>(77);
  EXPECT_THAT(parse(object), StatusIs(Code::InvalidArgument, HasSubstr("binding 0: element type 77")));
  object = kernelObject("mul", {"in"});
  object.bindings[0]->kind = static_cast<schema::BindingKind>(9);
  EXPECT_THAT(parse(object), StatusIs(Code::InvalidArgument, HasSubstr("binding 0: kind 9")));
  object = kernelObject("mul", {"in"});
  for (int i = 0; i < 4; ++i)
    object.grid.push_back(expr("1"));
  EXPECT_THAT(parse(object), StatusIs(Code::InvalidArgument, HasSubstr("4 grid dimensions")));
  object = kernelObject("mul", {"in"});
  object.workspace_bytes = expr("c0");
  EXPECT_THAT(parse(object), StatusIs(Code::InvalidArgument, HasSubstr("workspace: constant 0")));
  object = kernelObject("mul", {"in"});
  object.pc_table = {schema::PcEntry(16, 0), schema::PcEntry(0, 0)};
  EXPECT_THAT(parse(object), StatusIs(Code::InvalidArgument, HasSubstr("not sorted")));
  object = kernelObject("mul", {"in"});
  object.constant_count = 1'000'000;
  EXPECT_THAT(parse(object), StatusIs(Code::InvalidArgument, HasSubstr("1000000 constants")));
}

TEST(DTypeTest, TableAgreesWithTheAbi) {
  EXPECT_EQ(dtypeBits(KILN_BF16), 16u);
  EXPECT_EQ(dtypeBits(KILN_U4), 4u);
  EXPECT_STREQ(dtypeName(KILN_F8E5M2), "f8E5M2");
  EXPECT_EQ(dtypeBits(99), 0u);
  EXPECT_STREQ(dtypeName(99), "invalid");
}

TEST(DTypeTest, DenseBytesRoundsUpAndRefusesOverflow) {
  EXPECT_EQ(denseBytes(KILN_F32, std::vector<int64_t>{2, 3}), 24u);
  EXPECT_EQ(denseBytes(KILN_I4, std::vector<int64_t>{3}), 2u);
  EXPECT_EQ(denseBytes(KILN_F32, {}), 4u);
  EXPECT_EQ(denseBytes(KILN_F32, std::vector<int64_t>{kMax, 0}), 0u);
  EXPECT_EQ(denseBytes(KILN_F32, std::vector<int64_t>{kMax, 2}), std::nullopt);
  EXPECT_EQ(denseBytes(KILN_F32, std::vector<int64_t>{-1}), std::nullopt);
}

TEST(Sha256Test, AgreesWithTheStandardsExample) {
  EXPECT_EQ(Sha256::of(std::string_view("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_TRUE(Sha256::isHexDigest(Sha256::of(std::string_view(""))));
  EXPECT_FALSE(Sha256::isHexDigest("BA7816"));
}

} // namespace
} // namespace kiln
