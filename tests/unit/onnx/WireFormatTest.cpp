// WireFormatTest.cpp: what is taken out of a serialized model, and damage on the way there.
#include "frameworks/onnx/WireFormat.h"

#include "frameworks/onnx/ModelReader.h"
#include "tests/unit/onnx/TestModel.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln::onnx {
namespace {

using kiln::onnx::testing::TestModel;
using kiln::testing::StatusIs;
using ::testing::HasSubstr;

llvm::ArrayRef<char> view(const std::string &bytes) { return {bytes.data(), bytes.size()}; }

TestModel modelWithWeights() {
  TestModel model;
  model.initializer("small", {2}, TensorProto::FLOAT).set_raw_data("12345678");
  model.initializer("large", {512}, TensorProto::FLOAT).set_raw_data(std::string(2048, 'w'));
  return model;
}

TEST(WireFormatTest, LargePayloadsAreLeftWhereTheyAre) {
  std::string bytes = modelWithWeights().bytes();
  Result<StrippedModel> stripped = stripPayloads(view(bytes));
  ASSERT_TRUE(stripped.ok()) << stripped.status().message();
  EXPECT_LT(stripped->message.size(), 300u) << "the payload is not copied";
  ASSERT_EQ(stripped->rawData.size(), 2u);
  EXPECT_FALSE(stripped->rawData[0]);
  ASSERT_TRUE(stripped->rawData[1]);
  EXPECT_GE(stripped->rawData[1]->data(), bytes.data()) << "it points into the input";
  EXPECT_EQ(stripped->rawData[1]->size(), 2048u);
}

TEST(WireFormatTest, AllElseSurvives) {
  TestModel model = modelWithWeights();
  model.proto.set_producer_name("a producer");
  model.node("Relu", {"large"}, {"y"});
  std::string bytes = model.bytes();
  Result<std::shared_ptr<const Model>> read = readModel(view(bytes), nullptr);
  ASSERT_TRUE(read.ok()) << read.status().message();
  model.graph().mutable_initializer(1)->clear_raw_data();
  EXPECT_EQ((*read)->proto.SerializeAsString(), model.bytes());
}

TEST(WireFormatTest, EveryTruncationIsAnErrorOrAShorterModel) {
  std::string bytes = modelWithWeights().bytes();
  size_t errors = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string cut = bytes.substr(0, size); // its own allocation: reads past the end are seen by sanitizers
    errors += !readModel(view(cut), nullptr).ok();
  }
  EXPECT_GT(errors, bytes.size() - 20) << "only cuts between the outermost fields can be models";
}

TEST(WireFormatTest, ATruncatedFieldNamesItsPlace) {
  std::string bytes = modelWithWeights().bytes();
  EXPECT_THAT(stripPayloads(view(bytes.substr(0, bytes.size() / 2))).status(),
              StatusIs(Code::InvalidArgument, HasSubstr("field 7 takes")));
}

TEST(WireFormatTest, AnEndlessNumberIsAnError) {
  EXPECT_THAT(stripPayloads(view(std::string(12, '\xff'))).status(),
              StatusIs(Code::InvalidArgument, HasSubstr("byte 0: a number of more than 64 bits")));
}

TEST(WireFormatTest, AGroupIsAnError) {
  EXPECT_THAT(stripPayloads(view(std::string("\x0b", 1))).status(),
              StatusIs(Code::InvalidArgument, HasSubstr("wire type 3")));
}

TEST(WireFormatTest, FieldZeroIsAnError) {
  EXPECT_THAT(stripPayloads(view(std::string("\x02\x00", 2))).status(),
              StatusIs(Code::InvalidArgument, HasSubstr("no protobuf field tag")));
}

TEST(ModelReaderTest, NestingHasALimit) {
  ModelProto model;
  GraphProto *graph = model.mutable_graph();
  for (int depth = 0; depth < 60; ++depth)
    graph = graph->add_node()->add_attribute()->mutable_g();
  std::string bytes = model.SerializeAsString();
  EXPECT_THAT(readModel(view(bytes), nullptr).status(),
              StatusIs(Code::InvalidArgument, HasSubstr("nested deeper than 100 messages")));
}

TEST(ModelReaderTest, RecognisesModelsByTheirFirstFields) {
  EXPECT_TRUE(looksLikeModel(view(modelWithWeights().bytes())));
  EXPECT_FALSE(looksLikeModel(view("module { func.func @main }")));
  EXPECT_FALSE(looksLikeModel(view(std::string("\x08", 1))));
  EXPECT_FALSE(looksLikeModel({}));
}

} // namespace
} // namespace kiln::onnx
