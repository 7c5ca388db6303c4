// NodeErrorTest.cpp: wrong inputs and attributes of single nodes; each error names node, operator and what is
// wrong.
#include "tests/unit/onnx/TestModel.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln::onnx {
namespace {

using kiln::onnx::testing::TestModel;
using kiln::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

TestModel withInput() {
  TestModel model;
  model.input("x", {2, 3, 8, 8}).output("y");
  return model;
}

TEST(NodeErrorTest, MissingInput) {
  TestModel model = withInput();
  model.node("Add", {"x"}, {"y"});
  EXPECT_NODE_ERROR(model, "Add", "input 1 is missing; expected at least 2");
}

TEST(NodeErrorTest, RequiredInputLeftOut) {
  TestModel model = withInput();
  model.node("Add", {"", "x"}, {"y"});
  EXPECT_NODE_ERROR(model, "Add", "input 0 is missing");
}

TEST(NodeErrorTest, TooManyInputs) {
  TestModel model = withInput();
  model.node("Relu", {"x", "x"}, {"y"});
  EXPECT_NODE_ERROR(model, "Relu", "2 inputs; expected at most 1");
}

TEST(NodeErrorTest, UnknownAttribute) {
  TestModel model = withInput();
  model.node("Relu", {"x"}, {"y"}).set("alpha", 1.0f);
  EXPECT_NODE_ERROR(model, "Relu", "attribute 'alpha' is unknown to Relu of opset 21");
}

TEST(NodeErrorTest, AttributeTwice) {
  TestModel model = withInput();
  model.node("LeakyRelu", {"x"}, {"y"}).set("alpha", 1.0f).set("alpha", 2.0f);
  EXPECT_NODE_ERROR(model, "LeakyRelu", "attribute 'alpha' comes twice");
}

TEST(NodeErrorTest, AttributeOfWrongType) {
  TestModel model = withInput();
  model.node("LeakyRelu", {"x"}, {"y"}).set("alpha", 1);
  EXPECT_NODE_ERROR(model, "LeakyRelu", "attribute 'alpha' is an integer; expected a float");
}

TEST(NodeErrorTest, AttributeOfAFunction) {
  TestModel model = withInput();
  model.node("LeakyRelu", {"x"}, {"y"})
      .set("alpha", 1.0f)
      .proto()
      .mutable_attribute(0)
      ->set_ref_attr_name("slope");
  EXPECT_NODE_ERROR(model, "LeakyRelu", "attribute 'alpha' refers to 'slope' of a function");
}

TEST(NodeErrorTest, MissingAttribute) {
  TestModel model = withInput();
  model.node("Cast", {"x"}, {"y"});
  EXPECT_NODE_ERROR(model, "Cast", "attribute 'to' is missing");
}

TEST(NodeErrorTest, FlagThatIsNone) {
  TestModel model = withInput();
  model.node("ArgMax", {"x"}, {"y"}).set("keepdims", 2);
  EXPECT_NODE_ERROR(model, "ArgMax", "attribute 'keepdims' is 2; expected 0 or 1");
}

TEST(NodeErrorTest, AxisOutOfRange) {
  TestModel model = withInput();
  model.node("Softmax", {"x"}, {"y"}).set("axis", 4);
  EXPECT_NODE_ERROR(model, "Softmax", "axis 4; expected one in [-4, 4)");
}

TEST(NodeErrorTest, AxisTwice) {
  TestModel model = withInput();
  model.integers("axes", {1, -3}).node("ReduceSum", {"x", "axes"}, {"y"});
  EXPECT_NODE_ERROR(model, "ReduceSum", "axis -3 comes twice");
}

TEST(NodeErrorTest, ShapesThatDoNotBroadcast) {
  TestModel model = withInput();
  model.floats("w", {5}, {1, 2, 3, 4, 5}).node("Add", {"x", "w"}, {"y"});
  EXPECT_NODE_ERROR(model, "Add", "operands that broadcast to one shape");
}

TEST(NodeErrorTest, ElementTypesThatDiffer) {
  TestModel model = withInput();
  model.integer("w", 1).node("Add", {"x", "w"}, {"y"});
  EXPECT_NODE_ERROR(model, "Add", "; the operands are tensor<2x3x8x8xf32>, tensor<");
}

TEST(NodeErrorTest, ElementTypeThatTheOpDoesNotTake) {
  TestModel model;
  model.input("x", {4}, TensorProto::INT32).output("y").node("Exp", {"x"}, {"y"});
  EXPECT_NODE_ERROR(model, "Exp", "'kiln.exp' op");
}

TEST(NodeErrorTest, MatMulOfWrongExtents) {
  TestModel model;
  model.input("a", {2, 3}).input("b", {4, 5}).output("y").node("MatMul", {"a", "b"}, {"y"});
  EXPECT_NODE_ERROR(model, "MatMul", "'kiln.matmul' op");
}

TEST(NodeErrorTest, GemmOfAVector) {
  TestModel model;
  model.input("a", {3}).input("b", {3, 5}).output("y").node("Gemm", {"a", "b"}, {"y"});
  EXPECT_NODE_ERROR(model, "Gemm", "inputs of rank 1 and 2; expected matrices");
}

TEST(NodeErrorTest, ConvKernelShapeThatIsNotTheWeights) {
  TestModel model = withInput();
  model.input("w", {4, 3, 3, 3});
  model.node("Conv", {"x", "w"}, {"y"}).set("kernel_shape", {5, 5});
  EXPECT_NODE_ERROR(model, "Conv", "'kernel_shape' differs from the extents of the weights");
}

TEST(NodeErrorTest, ConvPadsOfWrongLength) {
  TestModel model = withInput();
  model.input("w", {4, 3, 3, 3});
  model.node("Conv", {"x", "w"}, {"y"}).set("pads", {1, 1});
  EXPECT_NODE_ERROR(model, "Conv", "attribute 'pads' has 2 entries; expected 4");
}

TEST(NodeErrorTest, ConvStrideOfZero) {
  TestModel model = withInput();
  model.input("w", {4, 3, 3, 3});
  model.node("Conv", {"x", "w"}, {"y"}).set("strides", {0, 1});
  EXPECT_NODE_ERROR(model, "Conv", "attribute 'strides' holds 0");
}

TEST(NodeErrorTest, ConvGroupsThatDoNotDivide) {
  TestModel model = withInput();
  model.input("w", {4, 3, 3, 3});
  model.node("Conv", {"x", "w"}, {"y"}).set("group", 2);
  EXPECT_NODE_ERROR(model, "Conv", "'kiln.conv' op");
}

TEST(NodeErrorTest, ConvUnknownAutoPad) {
  TestModel model = withInput();
  model.input("w", {4, 3, 3, 3});
  model.node("Conv", {"x", "w"}, {"y"}).set("auto_pad", "SAME");
  EXPECT_NODE_ERROR(model, "Conv", "attribute 'auto_pad' is 'SAME'");
}

TEST(NodeErrorTest, ConvOfAMatrix) {
  TestModel model;
  model.input("x", {2, 3}).input("w", {4, 3}).output("y").node("Conv", {"x", "w"}, {"y"});
  EXPECT_NODE_ERROR(model, "Conv", "input of rank 2, weights of rank 2");
}

TEST(NodeErrorTest, PoolWithoutKernel) {
  TestModel model = withInput();
  model.node("MaxPool", {"x"}, {"y"});
  EXPECT_NODE_ERROR(model, "MaxPool", "attribute 'kernel_shape' is missing");
}

TEST(NodeErrorTest, ReshapeToAnotherCount) {
  TestModel model = withInput();
  model.integers("shape", {5, 7}).node("Reshape", {"x", "shape"}, {"y"});
  EXPECT_NODE_ERROR(model, "Reshape", "'kiln.reshape' op");
}

TEST(NodeErrorTest, ReshapeWithTwoInferredExtents) {
  TestModel model = withInput();
  model.integers("shape", {-1, -1}).node("Reshape", {"x", "shape"}, {"y"});
  EXPECT_NODE_ERROR(model, "Reshape", "'shape' holds -1 twice");
}

TEST(NodeErrorTest, ReshapeThatDoesNotDivide) {
  TestModel model = withInput();
  model.integers("shape", {5, -1}).node("Reshape", {"x", "shape"}, {"y"});
  EXPECT_NODE_ERROR(model, "Reshape", "384 elements are no multiple of 5");
}

TEST(NodeErrorTest, ReshapeToANegativeExtent) {
  TestModel model = withInput();
  model.integers("shape", {-7}).node("Reshape", {"x", "shape"}, {"y"});
  EXPECT_NODE_ERROR(model, "Reshape", "extent -7");
}

TEST(NodeErrorTest, ReshapeToAHugeExtent) {
  TestModel model = withInput();
  model.integers("shape", {INT64_MAX, INT64_MAX}).node("Reshape", {"x", "shape"}, {"y"});
  EXPECT_NODE_ERROR(model, "Reshape", "extent 9223372036854775807");
}

TEST(NodeErrorTest, ReshapeOfAConstantToAnotherCount) {
  TestModel model;
  model.floats("w", {4}, {1, 2, 3, 4})
      .integers("shape", {3})
      .output("y")
      .node("Reshape", {"w", "shape"}, {"y"});
  EXPECT_NODE_ERROR(model, "Reshape", "a shape of 3 elements for an input of 4");
}

TEST(NodeErrorTest, ReshapeCopiesAnAxisThatIsNotThere) {
  TestModel model;
  model.input("x", {4}).integers("shape", {4, 0}).output("y").node("Reshape", {"x", "shape"}, {"y"});
  EXPECT_NODE_ERROR(model, "Reshape", "'shape' copies axis 1 of an input of rank 1");
}

TEST(NodeErrorTest, ReshapeByFloats) {
  TestModel model = withInput();
  model.floats("shape", {1}, {384}).node("Reshape", {"x", "shape"}, {"y"});
  EXPECT_NODE_ERROR(model, "Reshape", "'shape' has element type 'float'; expected int64");
}

TEST(NodeErrorTest, TransposeOfAnotherRank) {
  TestModel model = withInput();
  model.node("Transpose", {"x"}, {"y"}).set("perm", {1, 0});
  EXPECT_NODE_ERROR(model, "Transpose", "attribute 'perm' has 2 entries; expected 4");
}

TEST(NodeErrorTest, TransposeThatIsNoPermutation) {
  TestModel model = withInput();
  model.node("Transpose", {"x"}, {"y"}).set("perm", {0, 0, 1, 2});
  EXPECT_NODE_ERROR(model, "Transpose", "'kiln.transpose' op");
}

TEST(NodeErrorTest, SqueezeOfAnExtentThatIsNotOne) {
  TestModel model = withInput();
  model.integers("axes", {1}).node("Squeeze", {"x", "axes"}, {"y"});
  EXPECT_NODE_ERROR(model, "Squeeze", "axis 1 has extent 3; expected 1");
}

TEST(NodeErrorTest, SliceWithStepZero) {
  TestModel model = withInput();
  model.integers("zero", {0}).integers("end", {4}).node("Slice", {"x", "zero", "end", "zero", "zero"}, {"y"});
  EXPECT_NODE_ERROR(model, "Slice", "a step is 0");
}

TEST(NodeErrorTest, SliceListsOfDifferentLengths) {
  TestModel model = withInput();
  model.integers("starts", {0, 1}).integers("ends", {4}).node("Slice", {"x", "starts", "ends"}, {"y"});
  EXPECT_NODE_ERROR(model, "Slice", "2 starts, 1 ends");
}

TEST(NodeErrorTest, GatherPastTheEnd) {
  TestModel model = withInput();
  model.integer("index", 3).node("Gather", {"x", "index"}, {"y"}).set("axis", 1);
  EXPECT_NODE_ERROR(model, "Gather", "index 3 on axis 1 of extent 3");
}

TEST(NodeErrorTest, SplitSizesThatDoNotAddUp) {
  TestModel model = withInput();
  model.integers("sizes", {1, 1}).node("Split", {"x", "sizes"}, {"y", "z"}).set("axis", 1);
  EXPECT_NODE_ERROR(model, "Split", "2 split sizes for 2 outputs, 2 elements together; expected 3");
}

TEST(NodeErrorTest, ConcatOfDifferentExtents) {
  TestModel model = withInput();
  model.input("w", {2, 3, 8, 9}).node("Concat", {"x", "w"}, {"y"}).set("axis", 1);
  EXPECT_NODE_ERROR(model, "Concat", "'kiln.concat' op");
}

TEST(NodeErrorTest, ExpandToAnotherExtent) {
  TestModel model = withInput();
  model.integers("shape", {2, 5, 8, 8}).node("Expand", {"x", "shape"}, {"y"});
  EXPECT_NODE_ERROR(model, "Expand", "extent 3 does not broadcast to 5");
}

TEST(NodeErrorTest, PadOfUnknownMode) {
  TestModel model = withInput();
  model.integers("pads", {0, 0, 0, 1, 0, 0, 0, 1}).node("Pad", {"x", "pads"}, {"y"}).set("mode", "mirror");
  EXPECT_NODE_ERROR(model, "Pad", "attribute 'mode' is 'mirror'");
}

TEST(NodeErrorTest, PadsOfWrongLength) {
  TestModel model = withInput();
  model.integers("pads", {0, 1}).node("Pad", {"x", "pads"}, {"y"});
  EXPECT_NODE_ERROR(model, "Pad", "'pads' has 2 elements; expected 8");
}

TEST(NodeErrorTest, TileOfWrongLength) {
  TestModel model = withInput();
  model.integers("repeats", {2}).node("Tile", {"x", "repeats"}, {"y"});
  EXPECT_NODE_ERROR(model, "Tile", "1 repeats for an input of rank 4");
}

TEST(NodeErrorTest, DepthToSpaceOfWrongChannels) {
  TestModel model = withInput();
  model.node("DepthToSpace", {"x"}, {"y"}).set("blocksize", 2);
  EXPECT_NODE_ERROR(model, "DepthToSpace", "3 channels are no multiple");
}

TEST(NodeErrorTest, PadThatCutsMoreThanThereIs) {
  TestModel model = withInput();
  model.integers("pads", {0, 0, 0, -5, 0, 0, 0, -5}).node("Pad", {"x", "pads"}, {"y"});
  EXPECT_NODE_ERROR(model, "Pad", "extent -2; expected 0 to");
}

TEST(NodeErrorTest, ResultOfTooManyElements) {
  TestModel model = withInput();
  model.integers("repeats", {1 << 20, 1 << 20, 1, 1}).node("Tile", {"x", "repeats"}, {"y"});
  EXPECT_NODE_ERROR(model, "Tile", "has too many elements; expected at most");
}

TEST(NodeErrorTest, VariadicInputLeftOut) {
  TestModel model;
  model.integers("a", {1}).output("y").node("Max", {"a", ""}, {"y"});
  EXPECT_NODE_ERROR(model, "Max", "input 1 is left out");
}

TEST(NodeErrorTest, SplitIntoNothing) {
  TestModel model;
  model.integers("a", {1}).output("a").node("Split", {"a"}, {});
  EXPECT_NODE_ERROR(model, "Split", "no outputs");
}

TEST(NodeErrorTest, EinsumOfAnotherRank) {
  TestModel model = withInput();
  model.node("Einsum", {"x"}, {"y"}).set("equation", "ij->ji");
  EXPECT_NODE_ERROR(model, "Einsum", "gives operand 0 2 axes; it has 4");
}

TEST(NodeErrorTest, EinsumWithAnUnknownLabel) {
  TestModel model = withInput();
  model.node("Einsum", {"x"}, {"y"}).set("equation", "abcd->abz");
  EXPECT_NODE_ERROR(model, "Einsum", "label 'z' of the result is not in one operand");
}

TEST(NodeErrorTest, EinsumOfOtherCharacters) {
  TestModel model = withInput();
  model.node("Einsum", {"x"}, {"y"}).set("equation", "ab1d->ab");
  EXPECT_NODE_ERROR(model, "Einsum", "holds '1'");
}

TEST(NodeErrorTest, OneHotWithoutTwoValues) {
  TestModel model;
  model.input("i", {3}, TensorProto::INT64).integer("d", 4).floats("v", {1}, {1}).output("y");
  model.node("OneHot", {"i", "d", "v"}, {"y"});
  EXPECT_NODE_ERROR(model, "OneHot", "expected two elements");
}

TEST(NodeErrorTest, RangeWithDeltaZero) {
  TestModel model;
  model.integer("zero", 0).integer("n", 4).output("y").node("Range", {"zero", "n", "zero"}, {"y"});
  EXPECT_NODE_ERROR(model, "Range", "'delta' is 0");
}

TEST(NodeErrorTest, ConstantWithoutValue) {
  TestModel model;
  model.output("y").node("Constant", {}, {"y"});
  EXPECT_NODE_ERROR(model, "Constant", "no value");
}

TEST(NodeErrorTest, ConstantWithDamagedTensor) {
  TestModel model;
  AttributeProto &value = *model.output("y").node("Constant", {}, {"y"}).proto().add_attribute();
  value.set_name("value");
  value.set_type(AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(TensorProto::FLOAT);
  value.mutable_t()->add_dims(2);
  value.mutable_t()->set_raw_data("123");
  EXPECT_NODE_ERROR(model, "Constant", "attribute 'value': 3 bytes of data; expected 8");
}

TEST(NodeErrorTest, ConstantOfShapeWithNegativeExtent) {
  TestModel model;
  model.integers("shape", {-1}).output("y").node("ConstantOfShape", {"shape"}, {"y"});
  EXPECT_NODE_ERROR(model, "ConstantOfShape", "extent -1");
}

TEST(NodeErrorTest, ScalerOfAnotherLength) {
  TestModel model = withInput();
  model.proto.add_opset_import()->set_domain("ai.onnx.ml");
  model.proto.mutable_opset_import(1)->set_version(1);
  model.node("Scaler", {"x"}, {"y"}, "ai.onnx.ml").setFloats("offset", {1, 2, 3});
  EXPECT_THAT(model.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("'offset' has 3 entries; expected 1 or 8")));
}

TEST(NodeErrorTest, GeluOfUnknownKind) {
  TestModel model = withInput();
  model.node("Gelu", {"x"}, {"y"}).set("approximate", "erf");
  EXPECT_NODE_ERROR(model, "Gelu", "attribute 'approximate' is 'erf'");
}

TEST(NodeErrorTest, BitShiftToNowhere) {
  TestModel model;
  model.input("x", {4}, TensorProto::UINT8).output("y");
  model.node("BitShift", {"x", "x"}, {"y"}).set("direction", "UP");
  EXPECT_NODE_ERROR(model, "BitShift", "attribute 'direction' is 'UP'");
}

TEST(NodeErrorTest, UnnamedNodesAreFoundByTheirOutput) {
  TestModel model = withInput();
  model.node("Relu", {"x"}, {"r"}).proto().clear_name();
  model.node("Softmax", {"r"}, {"y"}).set("axis", 9).proto().clear_name();
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("node #1 of 'y' (Softmax): axis 9")));
}

} // namespace
} // namespace kiln::onnx
