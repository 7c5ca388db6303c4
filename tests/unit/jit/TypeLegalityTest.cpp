// TypeLegalityTest.cpp: a model with element types that a target lacks is refused once, with every op.
#include "jit/TypeLegality.h"

#include "kiln/IR/Kiln.h"

#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::jit;

namespace {
constexpr const char *kKernels = R"mlir(
  kiln.kernel @wide(%x: tensor<4xf64>, %y: tensor<4xf32>) -> tensor<4xf64> {
    %a = kiln.exp %x : tensor<4xf64> loc("model.onnx":1:1)
    %b = kiln.exp %a : tensor<4xf64> loc("model.onnx":2:1)
    %c = kiln.convert %y : tensor<4xf32> to tensor<4xf64> loc("model.onnx":3:1)
    %d = kiln.add %b, %c : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
    kiln.yield %d : tensor<4xf64>
  }
  kiln.kernel @narrow(%x: tensor<4xf32>, %i: tensor<4xui8>) -> tensor<4xf32> {
    %a = kiln.exp %x : tensor<4xf32>
    kiln.yield %a : tensor<4xf32>
  })mlir";

Status check(uint64_t types) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<KilnDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kKernels, &context);
  if (!module)
    return Status(Code::Internal, "the kernels of this test do not parse");
  Target target;
  target.deviceType = "toy";
  target.storageTypes = types;
  return checkElementTypes(*module, target);
}
} // namespace

TEST(TypeLegalityTest, HoldsWhatTheTableHasOrDoesNotSay) {
  EXPECT_TRUE(check(KILN_TYPES_ALL).ok());
  EXPECT_TRUE(check(0).ok());
}

TEST(TypeLegalityTest, ListsEveryKindOfOpWithItsFirstPlace) {
  Status status = check(KILN_TYPES_ALL & ~KILN_TYPE_BIT(KILN_F64));
  EXPECT_EQ(status.code(), Code::Unimplemented);
  EXPECT_THAT(std::string(status.message()),
              ::testing::AllOf(::testing::HasSubstr("'toy' has no elements of these types:"),
                               ::testing::HasSubstr("'kiln.exp' on 'f64' (model.onnx:1:1, and 1 more)"),
                               ::testing::HasSubstr("'kiln.convert' on 'f64' (model.onnx:3:1)"),
                               ::testing::HasSubstr("'kiln.add' on 'f64'")));
}

TEST(TypeLegalityTest, CountsWhatAKernelOnlyPassesOn) {
  Status status = check(KILN_TYPES_ALL & ~KILN_TYPE_BIT(KILN_U8));
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("'kiln.kernel' on 'ui8'"));
}
