// MalformedModelTest.cpp: models that are wrong as a whole: bytes, header, graph. One test an error.
#include "tests/unit/onnx/TestModel.h"
#include "tests/unit/runtime/StatusMatchers.h"

extern "C" const kiln::jit::ImporterInfo *kiln_importer_query_v1();

namespace kiln::onnx {
namespace {

using kiln::onnx::testing::importBytes;
using kiln::onnx::testing::makeContext;
using kiln::onnx::testing::TestModel;
using kiln::testing::StatusIs;
using ::testing::HasSubstr;

Status importOf(const std::string &bytes) {
  auto context = makeContext();
  return importBytes(*context, bytes).status();
}

/// x -> Relu -> y, right in itself.
TestModel relu() {
  TestModel model;
  model.input("x", {"N", 4}).output("y").node("Relu", {"x"}, {"y"});
  return model;
}

TEST(MalformedModelTest, TheBaseIsRight) { EXPECT_TRUE(relu().status().ok()) << relu().text(); }

TEST(MalformedModelTest, Empty) {
  EXPECT_THAT(importOf(""), StatusIs(Code::InvalidArgument, HasSubstr("model.onnx: the file is empty")));
}

TEST(MalformedModelTest, ForeignBytes) {
  EXPECT_THAT(importOf("\x7f"
                       "ELF\x02\x01\x01 and more"),
              StatusIs(Code::InvalidArgument, HasSubstr("model.onnx: ")));
}

TEST(MalformedModelTest, WithoutGraph) {
  EXPECT_THAT(importOf(std::string("\x08\x08", 2)),
              StatusIs(Code::InvalidArgument, HasSubstr("it has no graph")));
}

TEST(MalformedModelTest, GraphOfWrongWireType) {
  EXPECT_THAT(importOf(std::string("\x08\x08\x38\x01", 4)),
              StatusIs(Code::InvalidArgument, HasSubstr("it has no graph")));
}

TEST(MalformedModelTest, FlippedBytesNeverCrash) {
  std::string bytes = relu().bytes();
  for (size_t i = 0; i < bytes.size(); ++i)
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1u << bit));
      Status status = importOf(damaged);
      EXPECT_NE(status.code(), Code::Internal) << "byte " << i << ", bit " << bit << ": " << status.message();
    }
}

TEST(MalformedModelTest, WithoutOpset) {
  TestModel model = relu();
  model.proto.clear_opset_import();
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("imports no operator set")));
}

TEST(MalformedModelTest, LastOpsetOfADomainCounts) {
  TestModel model = relu();
  auto *again = model.proto.add_opset_import();
  again->set_domain("ai.onnx");
  again->set_version(9);
  EXPECT_OK(model.status());
  again->set_version(0);
  EXPECT_THAT(model.status(), StatusIs(Code::Unimplemented, HasSubstr("operator set 0")));
}

TEST(MalformedModelTest, OpsetsOutOfRange) {
  for (int64_t version : {-1, 0, 29, 1 << 30}) {
    TestModel model = relu();
    model.proto.mutable_opset_import(0)->set_version(version);
    EXPECT_THAT(model.status(), StatusIs(Code::Unimplemented, HasSubstr("expected 1 to 28"))) << version;
  }
}

TEST(MalformedModelTest, DomainThatIsNotImported) {
  TestModel model;
  model.input("x", {4}).output("y").node("Scaler", {"x"}, {"y"}, "ai.onnx.ml");
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument,
                       HasSubstr("node 'the_Scaler' (ai.onnx.ml::Scaler): domain 'ai.onnx.ml' is not "
                                 "among the model's opset_import")));
}

TEST(MalformedModelTest, UnknownInput) {
  TestModel model;
  model.input("x", {4}).output("y").node("Add", {"x", "z"}, {"y"});
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument,
                                       HasSubstr("model.onnx: node 'the_Add' (Add): input 'z' is unknown")));
}

TEST(MalformedModelTest, CyclicGraph) {
  TestModel model;
  model.input("x", {4}).output("y");
  model.node("Add", {"x", "b"}, {"a"});
  model.node("Neg", {"a"}, {"b"});
  model.node("Relu", {"b"}, {"y"});
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument,
                       HasSubstr("node 'the_Neg' (Neg): input 'a' comes from node 'the_Add' (Add), "
                                 "which depends on this node; expected nodes without cycles")));
}

TEST(MalformedModelTest, NodesOutOfOrderAreSorted) {
  TestModel model;
  model.input("x", {4}).input("c", {}, TensorProto::BOOL).output("y");
  model.node("Relu", {"b"}, {"y"});
  auto branch = model.node("If", {"c"}, {"b"}); // whose graphs read what comes later
  for (const char *name : {"then_branch", "else_branch"}) {
    AttributeProto &attribute = *branch.proto().add_attribute();
    attribute.set_name(name);
    attribute.set_type(AttributeProto::GRAPH);
    attribute.mutable_g()->add_output()->set_name("r");
    NodeProto &inner = *attribute.mutable_g()->add_node();
    inner.set_op_type("Exp");
    inner.add_input("a");
    inner.add_output("r");
  }
  model.node("Neg", {"x"}, {"a"});
  EXPECT_OK(model.status());
}

TEST(MalformedModelTest, ANodeThatReadsItself) {
  TestModel model;
  model.input("x", {4}).output("y").node("Add", {"x", "y"}, {"y"});
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("input 'y' comes from node 'the_Add'")));
}

TEST(MalformedModelTest, ValueDefinedTwice) {
  TestModel model = relu();
  model.node("Neg", {"x"}, {"y"});
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("node 'the_Neg' (Neg): value 'y' is defined twice")));
}

TEST(MalformedModelTest, InputTwice) {
  TestModel model = relu();
  model.input("x", {4});
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("input 'x': value 'x' is defined twice")));
}

TEST(MalformedModelTest, InitializerTwice) {
  TestModel model = relu();
  model.integers("w", {1}).integers("w", {2});
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("initializer 'w': value 'w' is defined twice")));
}

TEST(MalformedModelTest, InitializerWithoutName) {
  TestModel model = relu();
  model.integers("", {1});
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("a value without a name")));
}

TEST(MalformedModelTest, InputWithoutType) {
  TestModel model = relu();
  model.graph().mutable_input(0)->clear_type();
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("input 'x': no type")));
}

TEST(MalformedModelTest, InputOfUnknownRank) {
  TestModel model = relu();
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_THAT(model.status(),
              StatusIs(Code::Unimplemented, HasSubstr("input 'x': a tensor of unknown rank")));
}

TEST(MalformedModelTest, InputWithNegativeDimension) {
  TestModel model;
  model.input("x", {-2}).output("x");
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("input 'x': dimension -2")));
}

TEST(MalformedModelTest, InputOfUnknownElementType) {
  TestModel model;
  model.input("x", {4}, 99).output("x");
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("input 'x': element type 99 is unknown")));
}

TEST(MalformedModelTest, InputOfTooHighRank) {
  TestModel model = relu();
  auto *shape = model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  for (int i = 0; i < 70; ++i)
    shape->add_dim()->set_dim_value(1);
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("rank 72; expected at most 64")));
}

TEST(MalformedModelTest, OutputThatNothingDefines) {
  TestModel model = relu();
  model.output("z");
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("output 'z': nothing defines it")));
}

TEST(MalformedModelTest, OutputTwice) {
  TestModel model = relu();
  model.output("y");
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("output 'y': listed twice")));
}

TEST(MalformedModelTest, NoOutputs) {
  TestModel model = relu();
  model.graph().clear_output();
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("the graph has no outputs")));
}

TEST(MalformedModelTest, OutputOfAnotherElementType) {
  TestModel model = relu();
  model.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::INT32);
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument,
                       HasSubstr("output 'y': declared as 'int32'; the graph computes 'float'")));
}

TEST(MalformedModelTest, DeclaredOutputShapesAreHints) {
  TestModel model = relu();
  auto *type = model.graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
  type->set_elem_type(TensorProto::FLOAT);
  type->mutable_shape()->add_dim()->set_dim_value(17); // wrong rank and extent
  EXPECT_THAT(model.text(),
              HasSubstr("-> (tensor<?x4xf32> {kiln.dim_names = [\"\", \"\"], kiln.name = \"y\"})"));
}

TEST(MalformedModelTest, UnknownFunction) {
  auto context = makeContext();
  std::string bytes = relu().bytes();
  jit::ImportRequest request;
  request.name = "model.onnx";
  request.function = "other";
  request.bytes = {bytes.data(), bytes.size()};
  EXPECT_THAT(kiln_importer_query_v1()->import(*context, request).status(),
              StatusIs(Code::NotFound, HasSubstr("no function 'other'")));
}

} // namespace
} // namespace kiln::onnx
