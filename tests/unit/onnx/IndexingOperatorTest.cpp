// IndexingOperatorTest.cpp: operators with indices that are data: what they become, and what is wrong with
// them.
#include "tests/unit/onnx/TestModel.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln::onnx {
namespace {

using kiln::onnx::testing::Attributes;
using kiln::onnx::testing::TestModel;
using kiln::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

TestModel indexed(int type = TensorProto::INT64, int64_t opset = 21) {
  TestModel model(opset);
  model.input("x", {4, 8}).input("i", {5}, type).output("y");
  return model;
}

TEST(IndexingOperatorTest, GatherAtComputedIndices) {
  TestModel model = indexed();
  model.node("Gather", {"x", "i"}, {"y"}).set("axis", 1);
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("kiln.gather %arg0, %arg1 axis 1"), HasSubstr("-> (tensor<4x5xf32>")));
}

TEST(IndexingOperatorTest, GatherAtFewKnownIndicesIsSlices) {
  TestModel model;
  model.input("x", {4, 8}).integers("i", {1, -1}).output("y");
  model.node("Gather", {"x", "i"}, {"y"});
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("kiln.slice"), HasSubstr("kiln.concat"), Not(HasSubstr("kiln.gather"))));
}

TEST(IndexingOperatorTest, GatherAtBytes) {
  TestModel model = indexed(TensorProto::UINT8);
  model.node("Gather", {"x", "i"}, {"y"});
  EXPECT_NODE_ERROR(model, "Gather", "input 1 has element type uint8; expected int32 or int64");
}

void addTuples(TestModel &model, std::initializer_list<int64_t> dims,
               std::initializer_list<int64_t> indices) {
  TensorProto &tuples = model.initializer("i", dims, TensorProto::INT64);
  for (int64_t index : indices)
    tuples.add_int64_data(index);
}

TEST(IndexingOperatorTest, TuplesPastTheEnd) {
  TestModel gather;
  gather.input("x", {4, 8, 2}).output("y");
  addTuples(gather, {2, 2}, {0, 7, -4, 8});
  gather.node("GatherND", {"x", "i"}, {"y"});
  EXPECT_NODE_ERROR(gather, "GatherND", "index 8 on axis 1 of extent 8");
  TestModel batched;
  batched.input("x", {2, 8, 2}).output("y");
  addTuples(batched, {2, 1}, {7, -9});
  batched.node("GatherND", {"x", "i"}, {"y"}).set("batch_dims", 1);
  EXPECT_NODE_ERROR(batched, "GatherND", "index -9 on axis 1 of extent 8");
  TestModel scatter;
  scatter.input("x", {4, 8}).input("u", {1, 8}).output("y");
  addTuples(scatter, {1, 1}, {4});
  scatter.node("ScatterND", {"x", "i", "u"}, {"y"});
  EXPECT_NODE_ERROR(scatter, "ScatterND", "index 4 on axis 0 of extent 4");
}

TEST(IndexingOperatorTest, ScatterOfAnUnknownKind) {
  TestModel model;
  model.input("x", {4}).input("i", {2}, TensorProto::INT64).input("u", {2}).output("y");
  model.node("ScatterElements", {"x", "i", "u"}, {"y"}).set("reduction", "sub");
  EXPECT_NODE_ERROR(model, "ScatterElements", "'reduction' is 'sub'; expected none, add, mul, max or min");
}

TEST(IndexingOperatorTest, TopKInAllItsVersions) {
  TestModel first(9);
  first.input("x", {4, 8}).output("v").output("p");
  first.node("TopK", {"x"}, {"v", "p"}).set("k", 3);
  EXPECT_THAT(first.text(), HasSubstr("kiln.top_k %arg0 k [3] axis 1 :"));
  TestModel last;
  last.input("x", {4, 8}).input("k", {1}, TensorProto::INT64).output("v").output("p");
  last.node("TopK", {"x", "k"}, {"v", "p"}).set("largest", 0).set("axis", 0);
  EXPECT_THAT(last.text(), AllOf(HasSubstr("tensor.extract %arg1"), HasSubstr("axis 0 smallest"),
                                 HasSubstr("tensor<?x8xf32>, tensor<?x8xi64>")));
}

TEST(IndexingOperatorTest, TopKOfMoreThanThereAre) {
  TestModel model;
  model.input("x", {4, 8}).integers("k", {9}).output("v").output("p");
  model.node("TopK", {"x", "k"}, {"v", "p"});
  EXPECT_NODE_ERROR(model, "TopK", "expects 'k' of at most 8");
}

TEST(IndexingOperatorTest, TopKWithoutK) {
  TestModel model;
  model.input("x", {4, 8}).output("v").output("p");
  model.node("TopK", {"x"}, {"v", "p"});
  EXPECT_NODE_ERROR(model, "TopK", "input 1 ('K') is missing");
}

// Counted, read back, allocated.
TEST(IndexingOperatorTest, NonZeroReadsItsCount) {
  TestModel model;
  model.input("x", {"n", 3}).output("y");
  model.node("NonZero", {"x"}, {"y"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("sum %2 axes [0, 1]"), HasSubstr("tensor.extract"),
                                  HasSubstr("kiln.nonzero %arg0 count [%"), HasSubstr("tensor<2x?xi64>")));
}

TEST(IndexingOperatorTest, CompressByNumbers) {
  TestModel model = indexed(TensorProto::INT64);
  model.node("Compress", {"x", "i"}, {"y"}).set("axis", 1);
  EXPECT_NODE_ERROR(model, "Compress", "expected booleans of rank 1");
}

TEST(IndexingOperatorTest, CompressByTooManyConditions) {
  TestModel model = indexed(TensorProto::BOOL);
  model.node("Compress", {"x", "i"}, {"y"}).set("axis", 0);
  EXPECT_NODE_ERROR(model, "Compress", "'condition' has 5 elements for an axis of extent 4");
}

TEST(IndexingOperatorTest, UniqueOfRowsHasFourOutputs) {
  TestModel model;
  model.input("x", {4, 8}).output("y").output("i").output("j").output("n");
  model.node("Unique", {"x"}, {"y", "i", "j", "n"}).set("axis", 0).set("sorted", 0);
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.unique %arg0 axis 0 :"), HasSubstr("-> (tensor<?x8xf32> {"),
                                  HasSubstr("tensor<4xi64> {"), HasSubstr("kiln.gather")));
}

TEST(IndexingOperatorTest, NonMaxSuppressionListsTriples) {
  TestModel model;
  model.input("b", {1, 6, 4}).input("s", {1, 2, 6}).integers("m", {3}).output("y");
  model.node("NonMaxSuppression", {"b", "s", "m"}, {"y"}).set("center_point_box", 1);
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.nms %arg0, %arg1 limit [3] iou"),
                                  HasSubstr("center_point_box"), HasSubstr("tensor<?x3xi64>")));
}

TEST(IndexingOperatorTest, NonMaxSuppressionOfImages) {
  TestModel model;
  model.input("b", {6, 4}).input("s", {1, 2, 6}).output("y");
  model.node("NonMaxSuppression", {"b", "s"}, {"y"});
  EXPECT_NODE_ERROR(model, "NonMaxSuppression", "boxes of rank 2 and scores of rank 3; expected 3 and 3");
}

TEST(IndexingOperatorTest, ReverseSequenceAlongItsBatch) {
  TestModel model = indexed();
  model.node("ReverseSequence", {"x", "i"}, {"y"}).set("batch_axis", 1).set("time_axis", 1);
  EXPECT_NODE_ERROR(model, "ReverseSequence", "batch_axis 1 and time_axis 1; expected two axes");
}

TEST(IndexingOperatorTest, TensorScatterOverTheBatch) {
  TestModel model(24);
  model.input("x", {4, 8, 2}).input("u", {4, 1, 2}).output("y");
  model.node("TensorScatter", {"x", "u"}, {"y"}).set("axis", 0);
  EXPECT_NODE_ERROR(model, "TensorScatter", "'axis' is the batch axis");
  TestModel wrong(24);
  wrong.input("x", {4, 8, 2}).input("u", {4, 1, 2}).output("y");
  wrong.node("TensorScatter", {"x", "u"}, {"y"}).set("mode", "spiral");
  EXPECT_NODE_ERROR(wrong, "TensorScatter", "'mode' is 'spiral'; expected linear or circular");
}

TEST(IndexingOperatorTest, MaxUnpoolIntoTooFewAxes) {
  TestModel model;
  model.input("x", {1, 1, 2, 2})
      .input("i", {1, 1, 2, 2}, TensorProto::INT64)
      .integers("s", {4, 4})
      .output("y");
  model.node("MaxUnpool", {"x", "i", "s"}, {"y"}).set("kernel_shape", {2, 2}).set("strides", {2, 2});
  EXPECT_NODE_ERROR(model, "MaxUnpool", "'output_shape' has 2 elements; expected 4");
}

} // namespace
} // namespace kiln::onnx
