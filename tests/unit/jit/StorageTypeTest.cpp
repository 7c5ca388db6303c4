// StorageTypeTest.cpp: what a model's f32 tensors become in f16 and bf16, and what stays f32.
#include "jit/StorageType.h"

#include "jit/Elements.h"
#include "tests/unit/jit/ToyCompiler.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "kiln/IR/Kiln.h"

#include <cmath>
#include <cstring>

using namespace kiln;
using namespace kiln::jit;
using namespace kiln::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

struct Narrowed {
  Status status;
  std::string text;
  std::vector<std::string> weights; // bytes
};

/// The module after setStorageType; `weight` is the bytes of every kiln.weight whose digest is 64 zeros.
Narrowed narrow(const std::string &text, KilnDType storage, const std::string &weight = "") {
  Model model;
  model.name = "m";
  model.context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  model.context->loadDialect<KilnDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
                             mlir::tensor::TensorDialect, mlir::scf::SCFDialect>();
  model.module = mlir::parseSourceString<mlir::ModuleOp>(text, model.context.get());
  if (!model.module)
    return {Status(Code::Internal, "the test's text"), "", {}};
  auto owner = std::make_shared<const std::string>(weight);
  model.weights[std::string(64, '0')] = {{owner->data(), owner->size()}, owner};
  Narrowed result{setStorageType(model, storage), "", {}};
  EXPECT_TRUE(succeeded(mlir::verify(*model.module)));
  llvm::raw_string_ostream(result.text) << *model.module;
  for (const auto &entry : model.weights)
    result.weights.push_back(
        entry.second.bytes.empty() ? "" : std::string(entry.second.bytes.data(), entry.second.bytes.size()));
  return result;
}

std::string floatBytes(std::initializer_list<float> values) {
  return std::string(reinterpret_cast<const char *>(values.begin()), values.size() * sizeof(float));
}

} // namespace

TEST(StorageTypeTest, TheBoundaryStaysF32) {
  Narrowed half = narrow(R"mlir(
    func.func @main(%x: tensor<4x?xf32>, %i: tensor<4xi64>) -> (tensor<4x?xf32>, tensor<4xi64>) {
      %c = kiln.constant dense<[1.0, 1.0e6, -1.0e6, 0x7F800000]> : tensor<4xf32>
      %0 = kiln.exp %x : tensor<4x?xf32>
      return %0, %i : tensor<4x?xf32>, tensor<4xi64>
    })mlir",
                         KILN_F16);
  ASSERT_OK(half.status);
  EXPECT_THAT(half.text,
              AllOf(HasSubstr("@main(%arg0: tensor<4x?xf32>"), HasSubstr("kiln.exp %0 : tensor<4x?xf16>"),
                    HasSubstr("kiln.convert %arg0 : tensor<4x?xf32> to tensor<4x?xf16>"),
                    HasSubstr("tensor<4x?xf16> to tensor<4x?xf32>"), Not(HasSubstr("kiln.constant"))));
}

TEST(StorageTypeTest, WhatAnEpsilonKeepsOffZeroStaysF32) {
  const char *text = R"mlir(
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
      %c = kiln.constant dense<1.0e-10> : tensor<f32>
      %p = kiln.exp %x : tensor<4xf32>
      %0 = kiln.add %p, %c : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
      %1 = kiln.log %0 : tensor<4xf32>
      %2 = kiln.clamp %y min 1.0e-12 : tensor<4xf32>
      %3 = kiln.div %x, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
      %4 = kiln.exp %1 : tensor<4xf32>
      return %1, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    })mlir";
  Narrowed half = narrow(text, KILN_F16);
  ASSERT_OK(half.status);
  EXPECT_THAT(half.text,
              AllOf(HasSubstr("dense<1.000000e-10> : tensor<f32>"),
                    ::testing::ContainsRegex("kiln.log %[a-z0-9]+ : tensor<4xf32>"),
                    ::testing::ContainsRegex("kiln.clamp %[a-z0-9]+ min 9.99[0-9]+E-13 : tensor<4xf32>"),
                    ::testing::ContainsRegex("kiln.div .* -> tensor<4xf32>"),
                    ::testing::ContainsRegex("kiln.exp %[a-z0-9]+ : tensor<4xf16>")));
  Narrowed brain = narrow(text, KILN_BF16); // has the range of f32
  ASSERT_OK(brain.status);
  EXPECT_THAT(brain.text, ::testing::ContainsRegex("kiln.log %[a-z0-9]+ : tensor<4xbf16>"));
}

TEST(StorageTypeTest, ArithmeticOnWeightsIsRoundedOnce) {
  const std::string zeros(64, '0');
  const std::string text = R"mlir(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %w = kiln.weight ")mlir" +
                           zeros + R"mlir(" {label = "w"} : tensor<4xf32>
      %moved = kiln.reverse %w axes [0] : tensor<4xf32>
      %root = kiln.sqrt %moved : tensor<4xf32>
      %alone = kiln.reverse %root axes [0] : tensor<4xf32>
      %0 = kiln.mul %x, %alone : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })mlir";
  Narrowed half = narrow(text, KILN_F16, floatBytes({1, 2, 3, 1e6f}));
  ASSERT_OK(half.status);
  EXPECT_THAT(half.text,
              AllOf(HasSubstr("kiln.reverse %1 axes [0] : tensor<4xf32>"),
                    HasSubstr("kiln.sqrt %2 : tensor<4xf32>"), HasSubstr("label = \"w\"} : tensor<4xf32>"),
                    ::testing::ContainsRegex("kiln.reverse %[a-z0-9]+ axes \\[0\\] : tensor<4xf16>"),
                    ::testing::ContainsRegex("kiln.mul .* -> tensor<4xf16>")));
}

TEST(StorageTypeTest, StatisticsOfABatchNormStayF32) {
  Narrowed half = narrow(R"mlir(
    func.func @main(%x: tensor<1x2x4xf32>, %w: tensor<2x2x1xf32>) -> tensor<1x2x4xf32> {
      %s = kiln.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %v = kiln.constant dense<[1.0e6, 2.0e6]> : tensor<2xf32>
      %0 = kiln.relu %x : tensor<1x2x4xf32>
      %1 = kiln.batch_norm %0, %s, %s, %s, %v epsilon 1.0e-5
        : tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
      return %1 : tensor<1x2x4xf32>
    })mlir",
                         KILN_F16);
  ASSERT_OK(half.status);
  EXPECT_THAT(half.text, AllOf(HasSubstr("tensor<1x2x4xf16>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>"),
                               HasSubstr("dense<[1.000000e+06, 2.000000e+06]> : tensor<2xf32>")));
}

TEST(StorageTypeTest, ABatchNormIsFoldedBeforeWeightsAreRounded) {
  Narrowed half = narrow(R"mlir(
    func.func @main(%x: tensor<1x2x4xf32>) -> tensor<1x2x4xf32> {
      %w = kiln.constant dense<3.0> : tensor<2x2x1xf32>
      %s = kiln.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %v = kiln.constant dense<[1.0e6, 2.0e6]> : tensor<2xf32>
      %0 = kiln.conv %x, %w strides [1] pads [0, 0] dilations [1] groups 1
        : tensor<1x2x4xf32>, tensor<2x2x1xf32> -> tensor<1x2x4xf32>
      %1 = kiln.batch_norm %0, %s, %s, %s, %v epsilon 1.0e-5
        : tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
      return %1 : tensor<1x2x4xf32>
    })mlir",
                         KILN_F16);
  ASSERT_OK(half.status);
  EXPECT_THAT(half.text,
              AllOf(Not(HasSubstr("batch_norm")), ::testing::ContainsRegex("kiln.rsqrt .* : tensor<2xf32>"),
                    HasSubstr("tensor<1x2x4xf16>, tensor<2x2x1xf16>, tensor<2xf16>")));
}

TEST(StorageTypeTest, SpectraStayF32UpToTheirLogarithm) {
  const char *text = R"mlir(
    func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
      %w = kiln.constant dense<0.5> : tensor<8x4xf32>
      %0 = kiln.matmul %x, %w : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
      %1 = kiln.mul %0, %0 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %2 = kiln.log %1 : tensor<4x4xf32>
      %3 = kiln.tanh %2 : tensor<4x4xf32>
      %4 = kiln.sigmoid %0 : tensor<4x4xf32>
      %5 = kiln.log %4 : tensor<4x4xf32>
      return %3, %5 : tensor<4x4xf32>, tensor<4x4xf32>
    })mlir";
  for (auto [storage, element] : {std::pair(KILN_F16, "f16"), std::pair(KILN_BF16, "bf16")}) {
    Narrowed result = narrow(text, storage);
    ASSERT_OK(result.status);
    std::string narrowTensor = std::string("tensor<4x4x") + element + ">";
    EXPECT_THAT(result.text, AllOf(HasSubstr("kiln.matmul %arg0, %0 : tensor<4x8xf32>"),
                                   HasSubstr("kiln.log %3 : tensor<4x4xf32>"),
                                   ::testing::ContainsRegex("kiln.tanh %[a-z0-9]+ : " + narrowTensor),
                                   ::testing::ContainsRegex("kiln.log %[a-z0-9]+ : " + narrowTensor)));
  }
}

TEST(StorageTypeTest, ConstantsAreRoundedAndStayFinite) {
  const char *text = R"mlir(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %c = kiln.constant dense<[1.0009765, 1.0e6, -3.0e38, 0x7F800000]> : tensor<4xf32>
      %0 = kiln.add %x, %c : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })mlir";
  EXPECT_THAT(narrow(text, KILN_F16).text,
              HasSubstr("dense<[1.000980e+00, 6.550400e+04, -6.550400e+04, 0x7C00]> : tensor<4xf16>"));
  EXPECT_THAT(narrow(text, KILN_BF16).text, HasSubstr("dense<[1.000000e+00, 9.994240e+05, -3.004"));
}

TEST(StorageTypeTest, WeightsBecomeOthersOfHalfTheBytes) {
  const std::string text = R"mlir(
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %w = kiln.weight ")mlir" +
                           std::string(64, '0') + R"mlir(" {label = "w"} : tensor<8xf32>
      %0 = kiln.add %x, %w : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
      %1 = kiln.mul %0, %w : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
      return %1 : tensor<8xf32>
    })mlir";
  // Halves to even, the smallest subnormal, half of it, overflow, infinity and NaN.
  std::string bytes = floatBytes({1.0f + 1.0f / 2048, -1.0f - 3.0f / 2048, 5.9604645e-8f, 2.9802322e-8f,
                                  6.0e-5f, 65520.0f, -INFINITY, NAN});
  Narrowed half = narrow(text, KILN_F16, bytes);
  ASSERT_OK(half.status);
  ASSERT_EQ(half.weights.size(), 1u) << "the f32 bytes are gone";
  const uint16_t want[] = {0x3c00, 0xbc02, 0x0001, 0x0000, 0x03ef, 0x7bff, 0xfc00, 0x7e00};
  EXPECT_EQ(half.weights.front(), std::string(reinterpret_cast<const char *>(want), sizeof(want)));
  EXPECT_THAT(half.text, HasSubstr("kiln.weight \"" + sha256Hex(half.weights.front()) + "\""));

  bytes = floatBytes({1.0f + 1.0f / 256, -1.0f - 3.0f / 256, 1e-40f, 0.0f, -0.0f, 3.4e38f, -INFINITY, NAN});
  Narrowed brain = narrow(text, KILN_BF16, bytes);
  ASSERT_EQ(brain.weights.size(), 1u);
  const uint16_t wantBrain[] = {0x3f80, 0xbf82, 0x0001, 0x0000, 0x8000, 0x7f7f, 0xff80, 0x7fc0};
  EXPECT_EQ(brain.weights.front(), std::string(reinterpret_cast<const char *>(wantBrain), sizeof(wantBrain)));
}

TEST(StorageTypeTest, ControlFlowCarriesTheStorageType) {
  Narrowed half = narrow(R"mlir(
    func.func @main(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<1xf32>) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %flag = tensor.extract %c[] : tensor<i1>
      %0 = scf.if %flag -> (tensor<4xf32>) {
        %a = kiln.exp %x : tensor<4xf32>
        scf.yield %a : tensor<4xf32>
      } else {
        scf.yield %x : tensor<4xf32>
      }
      %count = tensor.extract %n[] : tensor<i64>
      %limit = arith.index_cast %count : i64 to index
      %1 = scf.for %i = %zero to %limit step %one iter_args(%acc = %0) -> (tensor<4xf32>) {
        %b = kiln.add %acc, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
        scf.yield %b : tensor<4xf32>
      }
      %first = tensor.extract %1[%zero] : tensor<4xf32>
      %2 = kiln.relu %1 : tensor<4xf32>
      %3 = tensor.from_elements %first : tensor<1xf32>
      return %2, %3 : tensor<4xf32>, tensor<1xf32>
    })mlir",
                         KILN_F16);
  ASSERT_OK(half.status);
  EXPECT_THAT(half.text,
              AllOf(HasSubstr("scf.if %extracted -> (tensor<4xf16>)"), HasSubstr("-> (tensor<4xf16>) {"),
                    HasSubstr("kiln.add %arg4, %0 : tensor<4xf16>"), HasSubstr("[%c0] : tensor<4xf32>")));
}

TEST(StorageTypeTest, QuantisedPartsKeepTheirTypes) {
  Narrowed half = narrow(R"mlir(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %s = kiln.constant dense<1.0e-6> : tensor<f32>
      %q = kiln.quantize %x scale %s : tensor<4xf32>, tensor<f32> -> tensor<4xi8>
      %y = kiln.dequantize %q scale %s : tensor<4xi8>, tensor<f32> -> tensor<4xf32>
      %z = kiln.relu %y : tensor<4xf32>
      return %z : tensor<4xf32>
    })mlir",
                         KILN_F16);
  ASSERT_OK(half.status);
  EXPECT_THAT(half.text,
              AllOf(HasSubstr("kiln.quantize %arg0 scale "), HasSubstr("tensor<f32> -> tensor<4xi8>"),
                    HasSubstr("tensor<4xi8>, tensor<f32> -> tensor<4xf32>"),
                    HasSubstr("kiln.relu %3 : tensor<4xf16>")));
}

TEST(StorageTypeTest, WhatIsQuantizedStaysF32BackToItsProducts) {
  Narrowed half = narrow(R"mlir(
    func.func @main(%x: tensor<4x4xf32>, %q: tensor<4x4xi8>) -> (tensor<4x4xi8>, tensor<4x4xi8>) {
      %s = kiln.constant dense<0.5> : tensor<f32>
      %0 = kiln.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %1 = kiln.tanh %0 : tensor<4x4xf32>
      %2 = kiln.quantize %1 scale %s : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xi8>
      %3 = kiln.dequantize %q scale %s : tensor<4x4xi8>, tensor<f32> -> tensor<4x4xf32>
      %4 = kiln.transpose %3 perm [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
      %5 = kiln.matmul %4, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %6 = kiln.quantize %5 scale %s : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xi8>
      return %2, %6 : tensor<4x4xi8>, tensor<4x4xi8>
    })mlir",
                         KILN_F16);
  ASSERT_OK(half.status);
  EXPECT_THAT(half.text, AllOf(HasSubstr("-> tensor<4x4xf16>"),
                               ::testing::ContainsRegex("kiln.tanh %[a-z0-9]+ : tensor<4x4xf32>"),
                               ::testing::ContainsRegex("kiln.matmul %[a-z0-9]+, %arg0 : tensor<4x4xf32>")));
}

TEST(StorageTypeTest, ScalesOfAResizeStayF32) {
  Narrowed half = narrow(R"mlir(
    func.func @main(%x: tensor<1x2x4xf32>) -> tensor<1x2x8xf32> {
      %s = kiln.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
      %y = kiln.resize %x [1, 2, 8] scales %s : tensor<3xf32> mode linear coordinates asymmetric : tensor<1x2x4xf32> -> tensor<1x2x8xf32>
      return %y : tensor<1x2x8xf32>
    })mlir",
                         KILN_BF16);
  ASSERT_OK(half.status);
  EXPECT_THAT(half.text, AllOf(HasSubstr("scales %1 : tensor<3xf32>"),
                               HasSubstr("tensor<1x2x4xbf16> -> tensor<1x2x8xbf16>")));
}

TEST(StorageTypeTest, WideIntegersAreScaledInF32) {
  Narrowed half = narrow(R"mlir(
    func.func @main(%x: tensor<4xi32>, %b: tensor<4xi8>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %f = kiln.convert %x : tensor<4xi32> to tensor<4xf32>
      %p = kiln.mul %f, %s : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
      %e = kiln.exp %p : tensor<4xf32>
      %g = kiln.convert %b : tensor<4xi8> to tensor<4xf32>
      %h = kiln.exp %g : tensor<4xf32>
      return %e, %h : tensor<4xf32>, tensor<4xf32>
    })mlir",
                         KILN_F16);
  ASSERT_OK(half.status);
  EXPECT_THAT(half.text, AllOf(HasSubstr("tensor<4xi32> to tensor<4xf32>"),
                               HasSubstr("kiln.mul %0, %arg2 : tensor<4xf32>"),
                               HasSubstr("tensor<4xi8> to tensor<4xf16>")));
  EXPECT_THAT(half.text, Not(HasSubstr("kiln.exp %1 : tensor<4xf32>")));
}

TEST(StorageTypeTest, OtherTypesAreRefused) {
  Narrowed refused =
      narrow("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }", KILN_I8);
  EXPECT_THAT(refused.status, StatusIs(Code::InvalidArgument, HasSubstr("expected f16 or bf16")));
}

TEST(StorageTypeTest, ThePrecisionIsPartOfTheDigest) {
  jit::testing::FakeHost host;
  jit::testing::ToyCompiler compiler(host);
  std::string text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %y = kiln.exp %x : tensor<4xf32> "
                     "return %y : tensor<4xf32> }";
  std::set<std::string> digests;
  for (KilnDType precision : {KilnDType(KILN_DTYPE_INVALID), KilnDType(KILN_F16), KilnDType(KILN_BF16)}) {
    KilnImportArgs args = {};
    args.struct_size = sizeof(args);
    args.name = toStr("test.mlir");
    args.data = text.data();
    args.bytes = text.size();
    args.precision = precision;
    KilnImportedModel *model = nullptr;
    ASSERT_EQ(compiler.table().import_model(compiler.table().self, &args, &model), nullptr);
    digests.insert(std::string(toView(compiler.table().model_digest(model))));
    compiler.table().model_release(model);
  }
  EXPECT_EQ(digests.size(), 3u);
}
