// ClassicalOperatorTest.cpp: operators of ai.onnx.ml: what they become, and what is wrong with their
// attributes.
#include "tests/unit/onnx/TestModel.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln::onnx {
namespace {

using kiln::onnx::testing::Attributes;
using kiln::onnx::testing::TestModel;
using kiln::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char *kMl = "ai.onnx.ml";

TestModel withRows(int type = TensorProto::FLOAT) {
  TestModel model;
  auto *opset = model.proto.add_opset_import();
  opset->set_domain(kMl);
  opset->set_version(3);
  model.input("x", {"n", 2}, type).output("y");
  return model;
}

void setStrings(Attributes &node, const char *name, std::initializer_list<const char *> values) {
  AttributeProto &attribute = *node.proto().add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::STRINGS);
  for (const char *value : values)
    attribute.add_strings(value);
}

/// One tree: a split of `feature`, whose children are nodes `yes` and `no`, and two leaves.
Attributes addTree(TestModel &model, int64_t feature = 1, int64_t yes = 1, int64_t no = 2,
                   const char *mode = "BRANCH_LEQ") {
  Attributes node = model.node("TreeEnsembleRegressor", {"x"}, {"y"}, kMl);
  setStrings(node, "nodes_modes", {mode, "LEAF", "LEAF"});
  return node.set("nodes_treeids", {0, 0, 0})
      .set("nodes_nodeids", {0, 1, 2})
      .set("nodes_featureids", {feature, 0, 0})
      .set("nodes_truenodeids", {yes, 0, 0})
      .set("nodes_falsenodeids", {no, 0, 0})
      .setFloats("nodes_values", {0.5, 0, 0})
      .set("target_treeids", {0, 0})
      .set("target_nodeids", {1, 2})
      .set("target_ids", {0, 0})
      .setFloats("target_weights", {1, 2});
}

TEST(ClassicalOperatorTest, TreeWalksByGathers) {
  TestModel model = withRows();
  addTree(model);
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.gather_elements"), HasSubstr("kiln.compare le"),
                                  HasSubstr("tensor<?x1xf32>")));
}

TEST(ClassicalOperatorTest, TreeSplitsMissingFeature) {
  TestModel model = withRows();
  addTree(model, 2);
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("node 0 splits feature 2; the input has 2")));
}

TEST(ClassicalOperatorTest, TreeMissesNode) {
  TestModel model = withRows();
  addTree(model, 0, 1, 7);
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("node 7 of tree 0 is missing")));
}

TEST(ClassicalOperatorTest, TreeLeadsToItself) {
  TestModel model = withRows();
  addTree(model, 0, 0, 0);
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("node 0 is in no tree")));
}

TEST(ClassicalOperatorTest, TreeOfUnknownMode) {
  TestModel model = withRows();
  addTree(model, 0, 1, 2, "BRANCH_IN");
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("'nodes_modes' holds 'BRANCH_IN'")));
}

TEST(ClassicalOperatorTest, ForestWithoutTrees) {
  TestModel model = withRows();
  model.node("TreeEnsembleRegressor", {"x"}, {"y"}, kMl);
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("no node is the root of a tree")));
}

TEST(ClassicalOperatorTest, LinearRegressor) {
  TestModel model = withRows(TensorProto::INT64);
  model.node("LinearRegressor", {"x"}, {"y"}, kMl)
      .setFloats("coefficients", {1, 2})
      .setFloats("intercepts", {3});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("to tensor<?x2xf32>"), HasSubstr("kiln.matmul"),
                                  HasSubstr("dense<3.000000e+00>")));
}

TEST(ClassicalOperatorTest, LinearRegressorOfOtherFeatures) {
  TestModel model = withRows();
  model.node("LinearRegressor", {"x"}, {"y"}, kMl).setFloats("coefficients", {1, 2, 3});
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("3 coefficients for 1 rows of 2 features")));
}

TEST(ClassicalOperatorTest, UnknownTransform) {
  TestModel model = withRows();
  model.node("LinearRegressor", {"x"}, {"y"}, kMl)
      .setFloats("coefficients", {1, 2})
      .set("post_transform", "TANH");
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("attribute 'post_transform' is 'TANH'")));
}

TEST(ClassicalOperatorTest, ProbitOfOneScore) {
  TestModel model = withRows();
  model.node("LinearClassifier", {"x"}, {"y"}, kMl)
      .setFloats("coefficients", {1, 2})
      .setFloats("intercepts", {0})
      .set("classlabels_ints", {0, 1})
      .set("post_transform", "PROBIT");
  EXPECT_THAT(model.status(),
              StatusIs(Code::Unimplemented, HasSubstr("'post_transform' PROBIT of one score")));
}

TEST(ClassicalOperatorTest, LabelsThatAreStrings) {
  TestModel model = withRows();
  Attributes node = model.node("LinearClassifier", {"x"}, {"y"}, kMl).setFloats("coefficients", {1, 2, 3, 4});
  setStrings(node, "classlabels_strings", {"cat", "dog"});
  EXPECT_THAT(model.status(),
              StatusIs(Code::Unimplemented, HasSubstr("'classlabels_strings': labels that are strings")));
}

TEST(ClassicalOperatorTest, CalibratedSupportVectors) {
  TestModel model = withRows();
  model.node("SVMClassifier", {"x"}, {"y"}, kMl)
      .set("classlabels_ints", {0, 1})
      .set("vectors_per_class", {1, 1})
      .setFloats("prob_a", {1});
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument,
                       HasSubstr("1 entries of 'prob_a' and 0 of 'prob_b'; expected 1 of each, one a pair")));
  TestModel many = withRows();
  Attributes node = many.node("SVMClassifier", {"x"}, {"y"}, kMl)
                        .set("classlabels_ints", {0})
                        .set("vectors_per_class", {1})
                        .setFloats("prob_a", {1})
                        .setFloats("prob_b", {1});
  for (int i : {0, 1})
    node.proto().mutable_attribute(i)->mutable_ints()->Resize(65, 1);
  for (int i : {2, 3})
    node.proto().mutable_attribute(i)->mutable_floats()->Resize(65 * 64 / 2, 1);
  EXPECT_THAT(many.status(),
              StatusIs(Code::Unimplemented, HasSubstr("calibrated probabilities of 65 classes; at most 64")));
}

TEST(ClassicalOperatorTest, UnknownKernel) {
  TestModel model = withRows();
  model.node("SVMRegressor", {"x"}, {"y"}, kMl)
      .set("kernel_type", "COSINE")
      .set("n_supports", 1)
      .setFloats("support_vectors", {1, 2})
      .setFloats("coefficients", {1})
      .setFloats("rho", {0});
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("'kernel_type' is 'COSINE'")));
}

TEST(ClassicalOperatorTest, LabelEncoder) {
  TestModel model = withRows(TensorProto::INT64);
  model.node("LabelEncoder", {"x"}, {"y"}, kMl)
      .set("keys_int64s", {1, 2})
      .setFloats("values_floats", {0.5, 1});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.compare eq"), HasSubstr("tensor<?x2xf32>")));
}

TEST(ClassicalOperatorTest, LabelEncoderOfOtherCount) {
  TestModel model = withRows(TensorProto::INT64);
  model.node("LabelEncoder", {"x"}, {"y"}, kMl).set("keys_int64s", {1, 2}).setFloats("values_floats", {0.5});
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("2 keys and 1 values")));
}

TEST(ClassicalOperatorTest, OneHotEncoderThatMustKnow) {
  TestModel model = withRows(TensorProto::INT64);
  model.node("OneHotEncoder", {"x"}, {"y"}, kMl).set("cats_int64s", {1, 2}).set("zeros", 0);
  EXPECT_THAT(model.status(), StatusIs(Code::Unimplemented, HasSubstr("'zeros' 0")));
}

TEST(ClassicalOperatorTest, ImputerWithoutValues) {
  TestModel model = withRows();
  model.node("Imputer", {"x"}, {"y"}, kMl);
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("'imputed_value_floats' is missing")));
}

TEST(ClassicalOperatorTest, FeatureVectorizerOfOtherWidth) {
  TestModel model = withRows();
  model.node("FeatureVectorizer", {"x"}, {"y"}, kMl).set("inputdimensions", {3});
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("input 0 has 2 features; expected 3")));
}

TEST(ClassicalOperatorTest, ZipMapIsItsInput) {
  TestModel model = withRows();
  model.node("ZipMap", {"x"}, {"y"}, kMl).set("classlabels_int64s", {4, 5});
  EXPECT_THAT(model.text(), HasSubstr("return %arg0"));
}

} // namespace
} // namespace kiln::onnx
