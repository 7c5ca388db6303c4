// ShapeValueTest.cpp: shapes are computed at import: as numbers where they are known, else on index values.
#include "tests/unit/onnx/TestModel.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln::onnx {
namespace {

using kiln::onnx::testing::TestModel;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Nothing of the shape's computation is a tensor op.
#define EXPECT_NO_SHAPE_TENSORS(text)                                                                        \
  EXPECT_THAT(text, AllOf(Not(HasSubstr("xi64>")), Not(HasSubstr("kiln.from_elements")),                     \
                          Not(HasSubstr("kiln.concat"))))

TEST(ShapeValueTest, FlattenByShapeSliceConcat) { // what PyTorch writes for x.view(x.size(0), -1)
  TestModel model(13);
  model.input("x", {"n", 3, 4}).integer("zero", 0).integers("axis", {0}).integers("rest", {-1}).output("y");
  model.node("Shape", {"x"}, {"shape"});
  model.node("Gather", {"shape", "zero"}, {"n"});
  model.node("Unsqueeze", {"n", "axis"}, {"n1"});
  model.node("Concat", {"n1", "rest"}, {"target"}).set("axis", 0);
  model.node("Reshape", {"x", "target"}, {"y"});
  std::string text = model.text();
  EXPECT_THAT(text, HasSubstr("kiln.reshape %arg0 [%dim, 12] : tensor<?x3x4xf32> -> tensor<?x12xf32>"));
  EXPECT_NO_SHAPE_TENSORS(text);
}

TEST(ShapeValueTest, ExtentsPassThroughOtherOps) {
  TestModel model(13);
  model.input("x", {"n", "m"}).integers("shape", {0, 0, 1}).output("y");
  model.node("Relu", {"x"}, {"r"});
  model.node("Transpose", {"r"}, {"t"});
  model.node("Shape", {"t"}, {"s"});
  model.node("Reshape", {"x", "s"}, {"y"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("tensor.dim %arg0, %c1"), HasSubstr("tensor.dim %arg0, %c0")))
      << "not of the transposed tensor";
}

/// Pads as PyTorch writes them, last axis first: listed in pairs, read backwards, transposed.
TestModel turnedPads(int64_t columns) {
  TestModel model(13);
  model.input("x", {"n", 3, 4}).integer("one", 1).integers("axis", {0}).integers("zeros", {0, 0, 0, 0});
  model.integers("pairs", {-1, columns}).integers("first", {-1}).integers("end", {-9223372036854775807});
  model.node("Shape", {"x"}, {"shape"});
  model.integer("zero", 0).output("y");
  model.node("Gather", {"shape", "zero"}, {"n"});
  model.node("Unsqueeze", {"one", "axis"}, {"before"});
  model.node("Unsqueeze", {"n", "axis"}, {"behind"});
  model.node("Concat", {"before", "behind", "zeros"}, {"listed"}).set("axis", 0);
  model.node("Reshape", {"listed", "pairs"}, {"matrix"});
  model.node("Slice", {"matrix", "first", "end", "axis", "first"}, {"backwards"});
  model.node("Transpose", {"backwards"}, {"turned"}).set("perm", {1, 0});
  return model;
}

TEST(ShapeValueTest, ListsOfPadsAreTurnedAsNumbers) {
  TestModel model = turnedPads(2);
  model.node("Reshape", {"turned", "first"}, {"pads"});
  model.node("Pad", {"x", "pads"}, {"y"});
  std::string text = model.text();
  EXPECT_THAT(text, HasSubstr("-> tensor<?x3x?xf32>")) << "only the last axis is padded";
  EXPECT_NO_SHAPE_TENSORS(text);
}

TEST(ShapeValueTest, MatricesOfExtentsBecomeTensorsWhereDataAre) {
  TestModel model = turnedPads(3);
  model.node("Cast", {"turned"}, {"y"}).set("to", static_cast<int64_t>(TensorProto::FLOAT));
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.from_elements [%c0, %c1, %c0, %dim, %c0, %c0]"),
                                  HasSubstr("[3, 2] : tensor<6xi64> -> tensor<3x2xi64>")));
}

TEST(ShapeValueTest, ExtentsThatDataDecideMayBeOne) {
  TestModel model(13);
  model.input("x", {6}).input("y", {6}).output("z");
  model.node("Unique", {"x"}, {"u"});
  model.node("Add", {"u", "y"}, {"z"});
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("arith.cmpi eq"), HasSubstr("kiln.iota"), HasSubstr("-> tensor<6xf32>")));
  TestModel same(13); // one number, equal to itself
  same.input("x", {6}).output("z");
  same.node("Unique", {"x"}, {"u"});
  same.node("Mul", {"u", "u"}, {"s"});
  same.node("Add", {"u", "s"}, {"z"});
  EXPECT_THAT(same.text(), Not(HasSubstr("kiln.iota")));
}

TEST(ShapeValueTest, TheLastElementIsOne) { // x / x[:, -1:], whatever the extent
  TestModel model(13);
  model.input("x", {2, "n"})
      .integers("last", {-1})
      .integers("end", {9223372036854775807})
      .integers("axis", {1})
      .output("z");
  model.node("Slice", {"x", "last", "end", "axis"}, {"s"});
  model.node("Div", {"x", "s"}, {"z"});
  EXPECT_THAT(model.text(), HasSubstr("kiln.div %arg0, %2 : tensor<2x?xf32>, tensor<2x1xf32>"));
}

TEST(ShapeValueTest, EqualFactorsCancel) {
  TestModel model(13);
  model.input("x", {"n", 6, "m"}).integers("shape", {0, -1, 3}).output("y");
  model.node("Reshape", {"x", "shape"}, {"y"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("arith.muli %c2, %dim_0"), Not(HasSubstr("arith.divsi"))))
      << "n * 6 * m / (n * 3) is 2 * m";
  TestModel other(13);
  other.input("x", {"n", 6, 4})
      .integers("shape", {0, -1, 3})
      .output("y")
      .node("Reshape", {"x", "shape"}, {"y"});
  EXPECT_THAT(other.text(), HasSubstr("-> tensor<?x8x3xf32>"));
}

TEST(ShapeValueTest, ArithmeticFoldsWhereItIsKnown) {
  TestModel model(13);
  model.input("x", {8, 6})
      .integer("two", 2)
      .integer("one", 1)
      .integer("zero", 0)
      .integers("axis", {0})
      .output("y");
  model.node("Shape", {"x"}, {"s"});
  model.node("Gather", {"s", "zero"}, {"a"});  // 8
  model.node("Gather", {"s", "one"}, {"b"});   // 6
  model.node("Div", {"b", "two"}, {"half"});   // 3
  model.node("Mul", {"a", "two"}, {"double"}); // 16
  model.node("Unsqueeze", {"half", "axis"}, {"h"});
  model.node("Unsqueeze", {"double", "axis"}, {"d"});
  model.node("Concat", {"d", "h"}, {"t"}).set("axis", 0);
  model.node("Reshape", {"x", "t"}, {"y"});
  std::string text = model.text();
  EXPECT_THAT(text, HasSubstr("kiln.reshape %arg0 [16, 3]"));
  EXPECT_THAT(text, Not(HasSubstr("arith.")));
}

TEST(ShapeValueTest, WhereOfAComparison) { // what exporters write for expand with -1
  TestModel model(13);
  model.input("x", {"n", 1}).integers("asked", {-1, 5}).integers("minus", {-1}).output("y");
  model.node("Shape", {"x"}, {"s"});
  model.node("Equal", {"asked", "minus"}, {"open"});
  model.node("Where", {"open", "s", "asked"}, {"t"});
  model.node("Expand", {"x", "t"}, {"y"});
  EXPECT_THAT(model.text(), HasSubstr("kiln.broadcast %arg0 [%dim, 5] : tensor<?x1xf32> -> tensor<?x5xf32>"));
}

TEST(ShapeValueTest, SizeReduceProdCastAndConstantOfShape) {
  TestModel model(13);
  model.input("x", {"n", 3}).integers("one", {1}).integers("axis", {0}).output("y").output("z").output("w");
  model.node("Size", {"x"}, {"size"});
  model.node("Unsqueeze", {"size", "axis"}, {"flat"});
  model.node("Reshape", {"x", "flat"}, {"y"});
  model.node("Shape", {"x"}, {"s"});
  model.node("Cast", {"s"}, {"s32"}).set("to", 6);
  model.node("Cast", {"s32"}, {"s64"}).set("to", 7);
  model.node("ReduceProd", {"s64"}, {"p"}).set("keepdims", 1);
  model.node("Reshape", {"x", "p"}, {"z"});
  model.node("ConstantOfShape", {"s64"}, {"w"});
  std::string text = model.text();
  EXPECT_THAT(text,
              AllOf(HasSubstr("-> tensor<?xf32>"), HasSubstr("kiln.broadcast"), HasSubstr("[%dim, 3]")));
  EXPECT_NO_SHAPE_TENSORS(text);
}

TEST(ShapeValueTest, RangeOverAKnownShapeIsAList) {
  TestModel model(13);
  model.input("x", {4, 2, 2}).integer("zero", 0).integer("one", 1).output("y");
  model.node("Shape", {"x"}, {"s"});
  model.node("Size", {"s"}, {"rank"});
  model.node("Range", {"zero", "rank", "one"}, {"all"});
  model.node("ReduceSum", {"x", "all"}, {"y"});
  EXPECT_THAT(model.text(), HasSubstr("axes [0, 1, 2]"));
}

TEST(ShapeValueTest, SliceWithComputedBounds) {
  TestModel model(13);
  model.input("x", {"n", 4}).integers("one", {1}).integers("zero", {0}).output("y");
  model.node("Shape", {"x"}, {"s"});
  model.node("Slice", {"s", "zero", "one"}, {"n"});
  model.node("Sub", {"n", "one"}, {"last"});
  model.node("Slice", {"x", "last", "n", "zero"}, {"y"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.slice %arg0 offsets [%"), HasSubstr("strides [1, 1]")));
}

TEST(ShapeValueTest, AShapeAmongDataBecomesElements) {
  TestModel model(13);
  model.input("x", {"n", 4}).input("k", {2}, TensorProto::INT64).output("y");
  model.node("Shape", {"x"}, {"s"});
  model.node("Add", {"s", "k"}, {"y"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.from_elements"), HasSubstr("kiln.add")));
}

TEST(ShapeValueTest, AShapeAsAnOutput) {
  TestModel model(13);
  model.input("x", {3, 4}).output("s").node("Shape", {"x"}, {"s"});
  EXPECT_THAT(model.text(), HasSubstr("kiln.constant dense<[3, 4]> : tensor<2xi64>"));
}

TEST(ShapeValueTest, AScalarFromDataIsReadBack) {
  TestModel model(13);
  model.input("x", {8}).input("k", {1}, TensorProto::INT64).integers("zero", {0}).output("y");
  model.node("Slice", {"x", "zero", "k"}, {"y"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("tensor.extract %arg1"), HasSubstr("arith.index_cast")));
}

TEST(ShapeValueTest, AShapeFromDataKeepsReshapesRules) {
  TestModel model(13);
  model.input("x", {"n", 6})
      .input("s", {2}, TensorProto::INT64)
      .output("y")
      .node("Reshape", {"x", "s"}, {"y"});
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("tensor.extract %arg1"), HasSubstr("arith.cmpi eq"),
                    HasSubstr("arith.cmpi slt"), HasSubstr("arith.divsi"), HasSubstr("-> tensor<?x?xf32>")));
}

TEST(ShapeValueTest, ABoundOfARangeFromData) {
  TestModel model(13);
  model.input("n", {}, TensorProto::INT64).integer("zero", 0).integer("two", 2).output("y");
  model.node("Range", {"zero", "n", "two"}, {"y"});
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("arith.divsi"), HasSubstr("kiln.iota axis 0 [%"), HasSubstr("tensor<?xi64>")));
}

TEST(ShapeValueTest, Int32ArithmeticWraps) {
  TestModel model(13);
  TensorProto &big = model.output("y").initializer("big", {1}, TensorProto::INT32);
  big.add_int32_data(INT32_MAX);
  model.node("Add", {"big", "big"}, {"y"});
  EXPECT_THAT(model.text(), HasSubstr("dense<-2> : tensor<1xi32>"));
}

TEST(ShapeValueTest, DivisionByZeroIsLeftToTheProgram) {
  TestModel model(13);
  model.integers("a", {4}).integers("zero", {0}).output("y").node("Div", {"a", "zero"}, {"y"});
  EXPECT_THAT(model.text(), HasSubstr("kiln.div"));
}

TEST(ShapeValueTest, ShapeOfAPart) {
  TestModel model(15);
  model.input("x", {2, 3, 4, 5}).output("y");
  model.node("Shape", {"x"}, {"y"}).set("start", 1).set("end", -1);
  EXPECT_THAT(model.text(), HasSubstr("dense<[3, 4]>"));
}

// An op along an axis that data decide works on the tensor seen as [outer, extent, inner].
TEST(ShapeValueTest, AxesFromData) {
  TestModel model;
  model.input("x", {9, 4, 2}).input("a", {2}, TensorProto::INT64).output("y");
  model.node("ReduceSum", {"x", "a"}, {"y"}).set("keepdims", 0);
  EXPECT_THAT(model.text(), AllOf(HasSubstr("tensor.extract %arg1"), HasSubstr("axes [1] keepdims"),
                                  HasSubstr("-> tensor<?xf32>")));
  TestModel squeeze;
  squeeze.input("x", {1, 4, 2}).input("a", {1}, TensorProto::INT64).output("y");
  squeeze.node("Squeeze", {"x", "a"}, {"y"});
  EXPECT_THAT(squeeze.text(), HasSubstr("-> tensor<?x?xf32>"));
}

} // namespace
} // namespace kiln::onnx
