// LayerOperatorTest.cpp: operators that are layers: recurrence, attention, random numbers, and their errors.
#include "tests/unit/onnx/TestModel.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln::onnx {
namespace {

using kiln::onnx::testing::Attributes;
using kiln::onnx::testing::TestModel;
using kiln::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

#define EXPECT_INVALID(model, text)                                                                          \
  EXPECT_THAT((model).status(), StatusIs(Code::InvalidArgument, HasSubstr(text)))

/// A layer of 4 hidden units over x: 5x2x3.
Attributes layer(TestModel &model, const char *op, int gates, int directions = 1) {
  model.input("x", {5, 2, 3}).input("w", {directions, 4 * gates, 3}).input("r", {directions, 4 * gates, 4});
  return model.output("y").node(op, {"x", "w", "r"}, {"y"});
}

TEST(LayerOperatorTest, LstmNamesItsActivationsAsKilnDoes) {
  TestModel model;
  layer(model, "LSTM", 4).set("hidden_size", 4).set("clip", 2.0f);
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.lstm forward %arg0, %arg1, %arg2 activations "
                                            "[\"sigmoid\", \"tanh\", \"tanh\"] clip 2.0"),
                                  HasSubstr("tensor<5x1x2x4xf32>")));
}

TEST(LayerOperatorTest, LayoutOnePutsTheBatchFirst) {
  TestModel model;
  model.input("x", {2, 5, 3}).input("w", {1, 12, 3}).input("r", {1, 12, 4}).output("y");
  model.node("GRU", {"x", "w", "r"}, {"y"}).set("layout", 1).set("linear_before_reset", 1);
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("kiln.transpose %arg0 perm [1, 0, 2]"), HasSubstr("linear_before_reset"),
                    HasSubstr("perm [2, 0, 1, 3]"), HasSubstr("tensor<2x5x1x4xf32>")));
}

TEST(LayerOperatorTest, DirectionsWithDifferentActivationsAreTwoLayers) {
  TestModel model;
  Attributes node = layer(model, "RNN", 1, 2).set("direction", "bidirectional");
  AttributeProto &names = *node.proto().add_attribute();
  names.set_name("activations");
  names.set_type(AttributeProto::STRINGS);
  names.add_strings("Relu");
  names.add_strings("Tanh");
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("kiln.rnn forward"), HasSubstr("[\"relu\"]"), HasSubstr("kiln.rnn reverse"),
                    HasSubstr("[\"tanh\"]"), HasSubstr("kiln.concat")));
  names.set_strings(1, "Tan");
  EXPECT_INVALID(model, "activation 'Tan' is unknown; expected one of Affine, Elu");
  names.mutable_strings()->RemoveLast();
  EXPECT_INVALID(model, "attribute 'activations' has 1 names; expected 2");
}

TEST(LayerOperatorTest, LayersThatDoNotFitAreNamed) {
  TestModel hidden;
  layer(hidden, "LSTM", 4).set("hidden_size", 5);
  EXPECT_INVALID(hidden, "attribute 'hidden_size' is 5; input 'R' has 4 hidden units");
  TestModel direction;
  layer(direction, "GRU", 3).set("direction", "backward");
  EXPECT_INVALID(direction, "attribute 'direction' is 'backward'; expected 'forward'");
  TestModel weights;
  layer(weights, "RNN", 2);
  EXPECT_INVALID(weights, "expects 'w' of shape [1, 4, 3]");
}

TEST(LayerOperatorTest, AttentionSplitsHeadsAndKeepsTheCache) {
  TestModel model(23);
  model.input("q", {2, 5, 32}).input("k", {2, 6, 16}).input("v", {2, 6, 16}).output("y");
  model.node("Attention", {"q", "k", "v"}, {"y"})
      .set("q_num_heads", 4)
      .set("kv_num_heads", 2)
      .set("is_causal", 1);
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.attention"), HasSubstr("causal"),
                                  HasSubstr("tensor<2x4x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x8xf32>"),
                                  HasSubstr("scale 0.35355")));
  TestModel heads(23);
  heads.input("q", {2, 5, 30}).input("k", {2, 6, 16}).input("v", {2, 6, 16}).output("y");
  heads.node("Attention", {"q", "k", "v"}, {"y"}).set("q_num_heads", 4).set("kv_num_heads", 2);
  EXPECT_INVALID(heads, "30 hidden units do not divide into 4 heads");
}

TEST(LayerOperatorTest, SeedsComeFromTheAttributeOrTheName) {
  TestModel model;
  model.output("y").output("z");
  model.node("RandomUniform", {}, {"y"}).set("shape", {3}).set("seed", 1.0f).set("low", -1.0f);
  model.node("RandomNormal", {}, {"z"}).set("shape", {2, 3});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("dense<4607182418800017408>"), HasSubstr("kiln.random_uniform"),
                                  HasSubstr("kiln.random_normal"), HasSubstr("tensor<2x3xf32>")));
}

TEST(LayerOperatorTest, DropoutKeepsAllUnlessItTrains) {
  TestModel model(13);
  model.input("x", {8}).output("y").floats("ratio", {}, {0.5f});
  model.initializer("on", {}, TensorProto::BOOL).add_int32_data(1);
  model.node("Dropout", {"x", "ratio", "on"}, {"y"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.random_uniform"), HasSubstr("kiln.select")));
  model.graph().mutable_node(0)->mutable_input()->RemoveLast();
  EXPECT_THAT(model.text(), Not(HasSubstr("kiln.random")));
}

TEST(LayerOperatorTest, FusedOperatorsOfComMicrosoft) {
  TestModel model;
  model.proto.add_opset_import()->set_domain("com.microsoft");
  model.proto.mutable_opset_import(1)->set_version(1);
  model.input("x", {2, 8}).input("s", {2, 8}).input("g", {8}).output("y").output("z");
  model.node("SkipSimplifiedLayerNormalization", {"x", "s", "g"}, {"y"}, "com.microsoft");
  model.node("FusedGemm", {"x", "s"}, {"z"}, "com.microsoft").set("transB", 1).set("activation", "Relu");
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.rms_norm"), HasSubstr("transB"), HasSubstr("kiln.relu")));
}

TEST(LayerOperatorTest, EinsumTakesDiagonalsAndAnyNumberOfOperands) {
  TestModel model;
  model.input("a", {3, 3}).input("b", {3, 4}).input("c", {4}).output("y");
  model.node("Einsum", {"a", "b", "c"}, {"y"}).set("equation", "ii,ij,j->i");
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("kiln.iota"), HasSubstr("kiln.matmul"), HasSubstr("-> (tensor<3xf32>")));
}

TEST(LayerOperatorTest, EmbedLayerNormalizationNeedsItsTables) {
  TestModel model;
  model.proto.add_opset_import()->set_domain("com.microsoft");
  model.proto.mutable_opset_import(1)->set_version(1);
  model.input("ids", {2, 4}, TensorProto::INT32).input("w", {10, 8}).output("y");
  model.node("EmbedLayerNormalization", {"ids", "", "w"}, {"y"}, "com.microsoft");
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("input 3 is missing; expected embeddings")));
  model.graph().mutable_node(0)->set_op_type("QEmbedLayerNormalization");
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("input 8 is missing; expected embeddings")));
}

} // namespace
} // namespace kiln::onnx
