// UnsupportedTest.cpp: what is refused, and that it is refused once, with everything in the list.
#include "tests/unit/onnx/TestModel.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln::onnx {
namespace {

using kiln::onnx::testing::Attributes;
using kiln::onnx::testing::TestModel;
using kiln::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

#define EXPECT_REFUSED(model, text)                                                                          \
  EXPECT_THAT((model).status(), StatusIs(Code::Unimplemented, HasSubstr(text)))

TEST(UnsupportedTest, OneMessageListsAll) {
  TestModel model(17);
  model.proto.add_opset_import()->set_domain("com.example");
  model.proto.mutable_opset_import(1)->set_version(3);
  model.input("x", {4}).output("y").output("z");
  model.node("TfIdfVectorizer", {"x"}, {"a"});
  model.node("Relu", {"a"}, {"b"}); // depends on it, and is not listed
  model.node("Frobnicate", {"b"}, {"y"}, "com.example");
  model.node("Softmax", {"x"}, {"z"}).set("axis", 0);
  model.node("StringNormalizer", {"x"}, {"u"}).proto().clear_name();
  EXPECT_EQ(model.text(), "model.onnx: 3 unsupported operators\n"
                          "note: node 'the_TfIdfVectorizer' (TfIdfVectorizer) of opset 17\n"
                          "note: node 'the_Frobnicate' (com.example::Frobnicate) of opset 3\n"
                          "note: node #4 of 'u' (StringNormalizer) of opset 17");
  EXPECT_EQ(model.status().code(), Code::Unimplemented);
}

TEST(UnsupportedTest, CasesOfSupportedOperatorsAreInTheSameList) {
  TestModel model;
  model.input("x", {1, 3, 8, 8}).output("y").output("z");
  model.node("LayerNormalization", {"x", "x"}, {"y"}).set("stash_type", 10);
  model.node("TfIdfVectorizer", {"x"}, {"z"});
  EXPECT_EQ(model.text(),
            "model.onnx: 2 unsupported operators\n"
            "note: node 'the_LayerNormalization' (LayerNormalization) of opset 21: 'stash_type' 10 "
            "is not supported; 1 is\n"
            "note: node 'the_TfIdfVectorizer' (TfIdfVectorizer) of opset 21");
}

TEST(UnsupportedTest, OperatorsInSubgraphsAreListed) {
  TestModel model;
  model.input("c", {}, TensorProto::BOOL).output("y");
  Attributes node = model.node("SequenceMap", {"c"}, {"y"});
  AttributeProto &body = *node.proto().add_attribute();
  body.set_name("body");
  body.set_type(AttributeProto::GRAPH);
  body.mutable_g()->add_node()->set_op_type("StringSplit");
  body.mutable_g()->mutable_node(0)->set_name("inner");
  body.mutable_g()->add_node()->set_op_type("Relu"); // is supported
  EXPECT_EQ(model.text(), "model.onnx: 2 unsupported operators\n"
                          "note: node 'the_SequenceMap' (SequenceMap) of opset 21\n"
                          "note: node 'inner' (StringSplit) of opset 21");
}

TEST(UnsupportedTest, OperatorsBeforeTheirFirstVersion) {
  TestModel model(16);
  model.input("x", {4}).output("y").node("GroupNormalization", {"x", "x", "x"}, {"y"});
  EXPECT_REFUSED(model, "node 'the_GroupNormalization' (GroupNormalization) of opset 16");
}

TEST(UnsupportedTest, TypesByName) {
  std::pair<int, const char *> types[] = {{TensorProto::STRING, "string"},
                                          {TensorProto::COMPLEX64, "complex64"},
                                          {TensorProto::COMPLEX128, "complex128"},
                                          {TensorProto::FLOAT8E4M3FNUZ, "float8e4m3fnuz"},
                                          {TensorProto::FLOAT8E5M2FNUZ, "float8e5m2fnuz"},
                                          {TensorProto::FLOAT4E2M1, "float4e2m1"}};
  for (auto [type, name] : types) {
    TestModel model;
    model.input("x", {4}, type).output("x");
    EXPECT_REFUSED(model, "input 'x': element type '" + std::string(name) + "' is not supported");
  }
}

TEST(UnsupportedTest, KindsOfValuesByName) {
  auto withType = [](auto set) {
    TestModel model;
    set(*model.input("x", {4}).output("x").graph().mutable_input(0)->mutable_type());
    return model;
  };
  EXPECT_REFUSED(withType([](TypeProto &type) { type.mutable_sequence_type(); }),
                 "type 'sequence' is not supported");
  EXPECT_REFUSED(withType([](TypeProto &type) { type.mutable_optional_type(); }),
                 "type 'optional' is not supported");
  EXPECT_REFUSED(withType([](TypeProto &type) { type.mutable_map_type(); }), "type 'map' is not supported");
  EXPECT_REFUSED(withType([](TypeProto &type) { type.mutable_sparse_tensor_type(); }),
                 "type 'sparse tensor' is not supported");
}

TEST(UnsupportedTest, SparseInitializers) {
  TestModel model;
  model.graph().add_sparse_initializer()->mutable_values()->set_name("w");
  EXPECT_REFUSED(model, "initializer 'w': sparse tensors are not supported");
}

TEST(UnsupportedTest, ShapeOfUnknownLength) {
  TestModel model;
  model.input("x", {9, 4})
      .input("s", {"n"}, TensorProto::INT64)
      .output("y")
      .node("Reshape", {"x", "s"}, {"y"});
  EXPECT_REFUSED(model, "'shape' is computed from data and not a short list of known length");
}

TEST(UnsupportedTest, SqueezeWithoutAxesOfADynamicExtent) {
  TestModel model;
  model.input("x", {1, "n"}).output("y").node("Squeeze", {"x"}, {"y"});
  EXPECT_REFUSED(model, "axis 1 of dynamic extent may or may not go");
}

} // namespace
} // namespace kiln::onnx
