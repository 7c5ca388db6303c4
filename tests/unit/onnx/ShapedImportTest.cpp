// ShapedImportTest.cpp: models that can be imported for known input shapes only, and imports for such.
#include "tests/unit/onnx/TestModel.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::onnx {
namespace {

using kiln::onnx::testing::Attributes;
using kiln::onnx::testing::importBytes;
using kiln::onnx::testing::makeContext;
using kiln::onnx::testing::TestModel;
using kiln::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Shapes = std::vector<jit::InputShape>;

/// Squeeze without axes: the input's extents decide the rank.
TestModel squeezing() {
  TestModel model;
  model.input("x", {1, "n", 4}).output("y").node("Squeeze", {"x"}, {"y"});
  TypeProto::Tensor &type = *model.graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
  type.set_elem_type(TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_param("n");
  return model;
}

struct Outcome {
  Status status;
  std::string text, needsShapes;
  size_t weights = 0;
};

Outcome importFor(const TestModel &model, Shapes shapes) {
  auto context = makeContext();
  Result<jit::ImportedModule> imported = importBytes(*context, model.bytes(), "", std::move(shapes));
  if (!imported.ok())
    return {imported.status(), "", ""};
  Outcome outcome{{}, "", imported->needsShapes, imported->weights.size()};
  llvm::raw_string_ostream(outcome.text) << *imported->module;
  return outcome;
}

TEST(ShapedImportTest, WhatOnlyShapesCanTellLeavesADeclaration) {
  Outcome outcome = importFor(squeezing(), {});
  ASSERT_OK(outcome.status);
  EXPECT_THAT(outcome.text, HasSubstr("func.func private @main(tensor<1x?x4xf32> "));
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("-> (tensor<?xf32> {"), HasSubstr("kiln.name = \"y\"")));
  EXPECT_THAT(
      outcome.needsShapes,
      HasSubstr("node 'the_Squeeze' (Squeeze) of opset 21: without 'axes', axis 1 of dynamic extent"));
}

TEST(ShapedImportTest, ShapesMakeTheImportStatic) {
  Outcome seven = importFor(squeezing(), {{"x", {1, 7, 4}}}), one = importFor(squeezing(), {{"", {1, 1, 4}}});
  ASSERT_OK(seven.status);
  ASSERT_OK(one.status);
  EXPECT_EQ(seven.needsShapes, "");
  EXPECT_THAT(seven.text, AllOf(HasSubstr("@main(%arg0: tensor<1x7x4xf32>"), HasSubstr("tensor<7x4xf32>")));
  EXPECT_THAT(one.text, AllOf(HasSubstr("@main(%arg0: tensor<1x1x4xf32>"), HasSubstr("tensor<4xf32>")));
}

TEST(ShapedImportTest, ShapesThatDoNotFitAreRefused) {
  auto refused = [](Shapes shapes, const char *text) {
    EXPECT_THAT(importFor(squeezing(), std::move(shapes)).status,
                StatusIs(Code::InvalidArgument, HasSubstr(text)));
  };
  refused({{"x", {1, 7, 5}}}, "input 'x': imported for shape 1x7x5; expected 1x?x4 as the model declares");
  refused({{"x", {1, 7}}}, "input 'x': imported for shape 1x7; expected 1x?x4 as the model declares");
  refused({{"x", {1, -1, 4}}}, "input 'x': imported for shape 1x-1x4; expected extents >= 0");
  refused({{"x", {1, int64_t(1) << 50, 4}}}, "input 'x': imported for shape 1x1125899906842624x4");
  refused({{"z", {1, 7, 4}}},
          "1 shapes of inputs, 1 of them for none of the model's; expected shapes of 'x'");
  refused({{"x", {1, 7, 4}}, {"", {1}}}, "2 shapes of inputs, 1 of them for none of the model's");
  refused({{"", {1, 7, 4}}, {"x", {1, 7, 4}}}, "input 'x': imported for two shapes; expected one");
}

TEST(ShapedImportTest, AnInputOfUnknownRankCanBeImportedForAShape) {
  TestModel model;
  model.input("x", {}).output("y").node("Relu", {"x"}, {"y"});
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_THAT(model.status(), StatusIs(Code::Unimplemented, HasSubstr("a tensor of unknown rank")));
  Outcome outcome = importFor(model, {{"x", {2, 3}}});
  ASSERT_OK(outcome.status);
  EXPECT_THAT(outcome.text, HasSubstr("kiln.relu %arg0 : tensor<2x3xf32>"));
}

TEST(ShapedImportTest, WhatNoShapeCanHelpIsRefusedAtOnce) {
  TestModel model = squeezing();
  model.input("z", {"n", 3, 8, 8}).node("LayerNormalization", {"z", "z"}, {"p"}).set("stash_type", 10);
  EXPECT_THAT(importFor(model, {}).status,
              StatusIs(Code::Unimplemented, AllOf(HasSubstr("2 unsupported operators"),
                                                  HasSubstr("LayerNormalization"), HasSubstr("Squeeze"))));
}

TEST(ShapedImportTest, AnOutputOfUnknownTypeCannotWait) {
  TestModel model = squeezing();
  model.graph().mutable_output(0)->clear_type();
  EXPECT_THAT(importFor(model, {}).status, StatusIs(Code::Unimplemented, HasSubstr("Squeeze")));
}

/// If(c) { reshape to {-1, 3} } else { x }, where c comes from data.
TestModel branching() {
  TestModel model = squeezing();
  model.input("c", {}, TensorProto::BOOL).output("z");
  Attributes node = model.node("If", {"c"}, {"z"});
  for (const char *name : {"then_branch", "else_branch"}) {
    AttributeProto &attribute = *node.proto().add_attribute();
    attribute.set_name(name);
    attribute.set_type(AttributeProto::GRAPH);
    attribute.mutable_g()->add_output()->set_name(name);
    NodeProto &inner = *attribute.mutable_g()->add_node();
    bool isThen = name == std::string("then_branch");
    inner.set_op_type(isThen ? "Reshape" : "Relu");
    inner.add_input("x");
    if (isThen)
      inner.add_input("shape");
    inner.add_output(name);
  }
  model.integers("shape", {-1, 4, 3});
  model.graph().mutable_output(1)->mutable_type()->CopyFrom(model.graph().output(0).type());
  return model;
}

TEST(ShapedImportTest, ABranchThatContradictsTheShapesMustNotBeTaken) {
  EXPECT_NE(importFor(branching(), {}).needsShapes, "");
  Outcome both = importFor(branching(), {{"x", {1, 6, 4}}, {"c", {}}});
  ASSERT_OK(both.status);
  EXPECT_THAT(both.text, AllOf(HasSubstr("scf.if"), Not(HasSubstr("cf.assert"))));
  Outcome one = importFor(branching(), {{"x", {1, 5, 4}}, {"c", {}}});
  ASSERT_OK(one.status);
  EXPECT_THAT(one.text, AllOf(Not(HasSubstr("scf.if")), HasSubstr("kiln.relu"), HasSubstr("cf.assert %"),
                              HasSubstr("with inputs of these shapes: attribute 'then_branch'"),
                              HasSubstr("20 elements are no multiple of 12")));
}

TEST(ShapedImportTest, PadsThatLayoutOperatorsMadeOfConstantsAreKnown) {
  TestModel model;
  model.input("x", {2, 8}).output("y").integers("pairs", {0, 3, 0, 1}).integers("two", {-1, 2});
  model.integers("first", {-1}).integers("last", {INT64_MIN}).integers("axis", {0}).integers("back", {-1});
  model.integers("flat", {-1});
  model.node("Reshape", {"pairs", "two"}, {"a"});
  model.node("Slice", {"a", "first", "last", "axis", "back"}, {"b"});
  model.node("Transpose", {"b"}, {"c"}).set("perm", {1, 0});
  model.node("Reshape", {"c", "flat"}, {"pads"});
  model.node("Pad", {"x", "pads"}, {"y"}); // [0, 0] in front, [1, 3] behind
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.pad"), HasSubstr("tensor<3x11xf32>"), Not(HasSubstr("?"))));
}

} // namespace
} // namespace kiln::onnx
