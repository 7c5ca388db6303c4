// ReferenceTest.cpp: the reference itself: values that a person can check, and errors that are neither 0 nor
// generous.
#include "tools/lib/CheckReference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace kiln;
using namespace kiln::tools;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// One compiler for all tests of the program.
KilnInstance *instance() {
  static KilnInstance *shared = [] {
    KilnInstance *made = nullptr;
    EXPECT_TRUE(take(kiln_instance_create(nullptr, &made)).ok());
    return made;
  }();
  return shared;
}

Result<ModelHandle> load(const std::string &text) {
  auto options = sized<KilnModelOptions>();
  options.format = toStr("mlir");
  KilnModel *model = nullptr;
  KILN_RETURN_IF_ERROR(take(kiln_model_load_memory(instance(), text.data(), text.size(), &options, &model)));
  return ModelHandle(model);
}

/// The one result of a function on tensors of the given types and elements.
Result<ReferenceTensor> evaluate(const std::string &text, std::vector<HostTensor> inputs) {
  KILN_ASSIGN_OR_RETURN(ModelHandle model, load(text));
  std::vector<KilnTensor> views;
  for (HostTensor &input : inputs) {
    auto view = sized<KilnTensor>();
    view.dtype = input.dtype;
    view.rank = static_cast<uint32_t>(input.dims.size());
    std::copy(input.dims.begin(), input.dims.end(), view.dims);
    view.data = input.bytes.data();
    view.data_bytes = input.bytes.size();
    views.push_back(view);
  }
  KILN_ASSIGN_OR_RETURN(std::vector<ReferenceTensor> results, referenceResults(model.get(), views));
  return results.front();
}

HostTensor tensor(KilnDType dtype, std::vector<int64_t> dims, const std::vector<double> &values) {
  HostTensor result = makeTensor("", dtype, std::move(dims)).value();
  for (size_t i = 0; i < values.size(); ++i)
    result.setElement(static_cast<int64_t>(i), values[i]);
  return result;
}

std::string unary(const std::string &op, const std::string &type) {
  return "func.func @main(%x: " + type + ") -> " + type + " { %y = kiln." + op + " %x : " + type +
         "  return %y : " + type + " }";
}

TEST(ReferenceTest, FunctionsMayBeOffByUlps) {
  auto result = evaluate(unary("exp", "tensor<2xf32>"), {tensor(KILN_F32, {2}, {0, 1})});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->values[0], 1);
  EXPECT_EQ(result->values[1], static_cast<double>(static_cast<float>(M_E)));
  ASSERT_EQ(result->errors.size(), 2u);
  EXPECT_EQ(result->errors[1], 4 * 0x1p-22) << "4 ULP between 2 and 4";
}

TEST(ReferenceTest, ArithmeticAndMovesAreExact) {
  auto sum = evaluate(
      "func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {\n"
      "%y = kiln.add %a, %b : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>\nreturn %y : tensor<2xf32> }",
      {tensor(KILN_F32, {2}, {1, 16777216}), tensor(KILN_F32, {2}, {2, 1})});
  ASSERT_TRUE(sum.ok()) << sum.status().message();
  EXPECT_THAT(sum->values, ElementsAre(3, 16777216)) << "rounded to f32";
  EXPECT_TRUE(sum->errors.empty());
}

TEST(ReferenceTest, ErrorsGoThroughLaterOps) {
  auto result = evaluate(
      "func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {\n%e = kiln.exp %x : tensor<1xf32>\n"
      "%y = kiln.mul %e, %e : tensor<1xf32>, tensor<1xf32> -> tensor<1xf32>\nreturn %y : tensor<1xf32> }",
      {tensor(KILN_F32, {1}, {1})});
  ASSERT_TRUE(result.ok());
  EXPECT_NEAR(result->errors[0], 2 * M_E * 4 * 0x1p-22 + 0x1p-21, 1e-9)
      << "the derivative of a square, and a rounded neighbour of the product";
}

TEST(ReferenceTest, SumsMayBeOffByTheirLengthAndMagnitude) {
  std::vector<double> values(100, 1.0);
  values[99] = -99;
  auto result =
      evaluate("func.func @main(%x: tensor<100xf32>) -> tensor<f32> {\n"
               "%y = kiln.reduce sum %x axes [0] : tensor<100xf32> -> tensor<f32>\nreturn %y : tensor<f32> }",
               {tensor(KILN_F32, {100}, values)});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->values[0], 0);
  EXPECT_NEAR(result->errors[0], 24 * 0x1p-24 * 198, 1e-9)
      << "4 + 2 sqrt(100) roundings of the magnitudes' sum";
}

TEST(ReferenceTest, IntegersWrapAndKeepAllBits) {
  auto result = evaluate(unary("neg", "tensor<2xi8>"), {tensor(KILN_I8, {2}, {-128, 5})});
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(result->integers, ElementsAre(-128, -5));
  HostTensor large = makeTensor("", KILN_I64, {1}).value();
  int64_t value = (int64_t{1} << 62) + 1;
  std::memcpy(large.bytes.data(), &value, sizeof value);
  EXPECT_THAT(evaluate(unary("neg", "tensor<1xi64>"), {large})->integers, ElementsAre(-value));
}

TEST(ReferenceTest, ControlFlowAndIndexArithmeticRun) {
  auto result = evaluate(R"(func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
      %b = kiln.add %a, %x : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
      scf.yield %b : tensor<?xf32>
    }
    return %y : tensor<?xf32>
  })",
                         {tensor(KILN_F32, {3}, {1, 2, 3})});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_THAT(result->values, ElementsAre(4, 8, 12));
}

TEST(ReferenceTest, WhatCannotBeEvaluatedIsNamed) {
  auto outside = evaluate("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                          "%y = kiln.pad %x low [0] high [5] mode reflect : tensor<?xf32> -> tensor<?xf32>\n"
                          "return %y : tensor<?xf32> }",
                          {tensor(KILN_F32, {2}, {1, 2})});
  EXPECT_THAT(outside.status().message(), HasSubstr("kiln.pad: axis 0 has too few elements for its padding"));
  auto broadcast = evaluate(
      "func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {\n"
      "%y = kiln.add %a, %b : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>\nreturn %y : tensor<?xf32> }",
      {tensor(KILN_F32, {2}, {1, 2}), tensor(KILN_F32, {3}, {1, 2, 3})});
  EXPECT_THAT(broadcast.status().message(), HasSubstr("extents 2 and 3 do not broadcast"));
}

TEST(ReferenceTest, TheTestAttributeComesAsJson) {
  auto model = load("func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> attributes {kiln.test = {cases = "
                    "[\"\"], atol = 0.5}} {\n"
                    "return %x : tensor<2xf32> }");
  ASSERT_TRUE(model.ok()) << model.status().message();
  KilnStr json = {};
  ASSERT_TRUE(take(kiln_model_test(model->get(), &json)).ok());
  EXPECT_THAT(std::string(toView(json)), HasSubstr("\"results\":1"));
  EXPECT_THAT(std::string(toView(json)), HasSubstr("\"atol\":0.5"));
}

} // namespace
