// QuantizedOperatorTest.cpp: what the quantized operators, transposed convolutions and crops become, and what
// of them is refused.
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

TestModel model(int64_t opset, bool microsoft = false) {
  TestModel made(opset);
  if (microsoft) {
    auto *set = made.proto.add_opset_import();
    set->set_domain("com.microsoft");
    set->set_version(1);
  }
  made.output("y");
  return made;
}

void bytes(TestModel &to, const char *name, std::initializer_list<int64_t> dims, std::string values,
           int type = TensorProto::UINT8) {
  to.initializer(name, dims, type).set_raw_data(std::move(values));
}

// ---- QuantizeLinear, DequantizeLinear --------------------------------------------------------------------

TEST(QuantizedOperatorTest, ParametersAreLinedUpWithTheirAxis) {
  TestModel by = model(13);
  by.input("x", {2, 3, 8, 8}).floats("s", {3}, {1, 2, 3});
  bytes(by, "z", {3}, std::string("\1\2\3", 3));
  by.node("QuantizeLinear", {"x", "s", "z"}, {"y"});
  EXPECT_THAT(by.text(), AllOf(HasSubstr("kiln.reshape %0 [3, 1, 1]"),
                               HasSubstr("tensor<2x3x8x8xf32>, tensor<3x1x1xf32>, tensor<3x1x1xui8> -> "
                                         "tensor<2x3x8x8xui8>")));
}

TEST(QuantizedOperatorTest, ZeroPointsThatAreZeroAreLeftOut) {
  TestModel by = model(13);
  by.input("x", {4}, TensorProto::INT8).floats("s", {}, {0.5f});
  bytes(by, "z", {}, std::string(1, '\0'), TensorProto::INT8);
  by.node("DequantizeLinear", {"x", "s", "z"}, {"y"});
  EXPECT_THAT(by.text(), AllOf(HasSubstr("kiln.dequantize"), Not(HasSubstr("zero_point"))));
}

TEST(QuantizedOperatorTest, WholeBlocksAreAnAxis) {
  TestModel by = model(21);
  by.input("x", {2, 8})
      .input("s", {2, 4})
      .node("QuantizeLinear", {"x", "s"}, {"y"})
      .set("block_size", 2)
      .set("axis", 1);
  EXPECT_THAT(by.text(), AllOf(HasSubstr("tensor<2x4x2xf32>, tensor<2x4x1xf32> -> tensor<2x4x2xui8>"),
                               HasSubstr("-> tensor<2x8xui8>")));
  TestModel rest = model(21);
  rest.input("x", {2, 7})
      .input("s", {2, 4})
      .node("QuantizeLinear", {"x", "s"}, {"y"})
      .set("block_size", 2)
      .set("axis", 1);
  EXPECT_THAT(rest.text(), AllOf(HasSubstr("kiln.broadcast"), HasSubstr("sizes [2, 7]")));
  TestModel wrong = model(21);
  wrong.input("x", {2, 9})
      .input("s", {2, 4})
      .node("QuantizeLinear", {"x", "s"}, {"y"})
      .set("block_size", 2)
      .set("axis", 1);
  EXPECT_THAT(wrong.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("4 blocks of 2 for 9 elements; expected 5")));
}

TEST(QuantizedOperatorTest, OutputTypes) {
  TestModel fp8 = model(21);
  fp8.input("x", {4}).input("s", {});
  fp8.node("QuantizeLinear", {"x", "s"}, {"y"})
      .set("output_dtype", TensorProto::FLOAT8E5M2)
      .set("saturate", 0);
  EXPECT_THAT(fp8.text(), HasSubstr("unsaturated : tensor<4xf32>, tensor<f32> -> tensor<4xf8E5M2>"));
  TestModel differs = model(21);
  differs.input("x", {4}).input("s", {}).input("z", {}, TensorProto::INT8);
  differs.node("QuantizeLinear", {"x", "s", "z"}, {"y"}).set("output_dtype", TensorProto::UINT8);
  EXPECT_THAT(differs.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("'output_dtype' is 'uint8', the zero point's "
                                                        "element type 'int8'")));
  TestModel narrow = model(21);
  narrow.input("x", {4}).input("s", {});
  narrow.node("QuantizeLinear", {"x", "s"}, {"y"}).set("output_dtype", TensorProto::FLOAT4E2M1);
  EXPECT_THAT(narrow.status(), StatusIs(Code::Unimplemented, HasSubstr("'float4e2m1' is not supported")));
}

TEST(QuantizedOperatorTest, CastToFloat8WithoutSaturation) {
  TestModel cast = model(21);
  cast.input("x", {4}).node("Cast", {"x"}, {"y"}).set("to", TensorProto::FLOAT8E4M3FN).set("saturate", 0);
  EXPECT_THAT(cast.text(), HasSubstr("kiln.convert %arg0 unsaturated : tensor<4xf32> to tensor<4xf8E4M3FN>"));
}

// ---- Products --------------------------------------------------------------------------------------------

TEST(QuantizedOperatorTest, ProductsTakeZeroPointsOffInI16) {
  TestModel by = model(21);
  by.input("a", {4, 8}, TensorProto::UINT8)
      .input("b", {8, 3}, TensorProto::INT8)
      .input("z", {4}, TensorProto::UINT8);
  by.node("MatMulInteger", {"a", "b", "z"}, {"y"});
  EXPECT_THAT(by.text(), AllOf(HasSubstr("[4, 1]"), HasSubstr("kiln.sub"),
                               HasSubstr("tensor<4x8xi16>, tensor<8x3xi16> -> tensor<4x3xi32>")));
  TestModel plain = model(21);
  plain.input("a", {4, 8}, TensorProto::UINT8).input("b", {8, 3}, TensorProto::INT8);
  plain.node("MatMulInteger", {"a", "b"}, {"y"});
  EXPECT_THAT(plain.text(), HasSubstr("tensor<4x8xui8>, tensor<8x3xi8> -> tensor<4x3xi32>"));
  TestModel floats = model(21);
  floats.input("a", {4, 8}).input("b", {8, 3}, TensorProto::INT8).node("MatMulInteger", {"a", "b"}, {"y"});
  EXPECT_THAT(floats.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("input 0 has element type 'float'; expected int8 "
                                                        "or uint8")));
}

TEST(QuantizedOperatorTest, ConvolutionsPadWithTheZeroPoint) {
  TestModel conv = model(21);
  conv.input("x", {1, 2, 5, 5}, TensorProto::UINT8).input("z", {}, TensorProto::UINT8);
  bytes(conv, "w", {3, 2, 3, 3}, std::string(54, '\1'));
  conv.node("ConvInteger", {"x", "w", "z"}, {"y"}).set("pads", {1, 1, 1, 1});
  // The zero point is taken off first, so that the pads' zeros stand for it.
  EXPECT_THAT(conv.text(), AllOf(HasSubstr("kiln.sub"), HasSubstr("kiln.conv"),
                                 HasSubstr("pads [1, 1, 1, 1]"), HasSubstr("-> tensor<1x3x5x5xi32>")));
}

TEST(QuantizedOperatorTest, PackedWeights) {
  TestModel bits = model(21, true);
  bits.input("x", {2, 32}).input("s", {6});
  bytes(bits, "b", {3, 2, 8}, std::string(48, '\x21'));
  bits.node("MatMulNBits", {"x", "b", "s"}, {"y"}, "com.microsoft")
      .set("K", 32)
      .set("N", 3)
      .set("block_size", 16);
  EXPECT_THAT(bits.text(), AllOf(HasSubstr("kiln.shr"), HasSubstr("kiln.dequantize"), HasSubstr("transB"),
                                 HasSubstr("-> tensor<2x3xf32>")));
  TestModel three = model(21, true);
  three.input("x", {2, 32}).input("s", {6});
  bytes(three, "b", {3, 2, 8}, std::string(48, '\x21'));
  three.node("MatMulNBits", {"x", "b", "s"}, {"y"}, "com.microsoft")
      .set("K", 32)
      .set("N", 3)
      .set("block_size", 16)
      .set("bits", 3);
  EXPECT_THAT(three.status(),
              StatusIs(Code::Unimplemented, HasSubstr("'bits' is 3; 2, 4 and 8 are supported")));
}

TEST(QuantizedOperatorTest, QuantizedAttention) {
  TestModel by = model(21, true);
  by.input("x", {1, 4, 6}, TensorProto::UINT8).floats("sx", {}, {0.5f}).floats("sw", {}, {0.25f});
  bytes(by, "w", {6, 12}, std::string(72, '\1'), TensorProto::INT8);
  by.floats("b", {12}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  by.node("QAttention", {"x", "w", "b", "sx", "sw"}, {"y"}, "com.microsoft").set("num_heads", 2);
  EXPECT_THAT(by.text(), AllOf(HasSubstr("-> tensor<1x4x12xi32>"), HasSubstr("kiln.attention"),
                               HasSubstr("-> (tensor<1x4x4xf32>")));
  by.proto.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      TensorProto::FLOAT);
  EXPECT_THAT(by.status(), StatusIs(Code::InvalidArgument,
                                    HasSubstr("input 0 has element type 'float'; expected int8 or uint8")));
}

TEST(QuantizedOperatorTest, TablesByBlock) {
  auto by = [](int64_t gathered) {
    TestModel made = model(21, true);
    made.input("i", {3}, TensorProto::INT64).input("s", {5, 2});
    bytes(made, "t", {5, 16}, std::string(80, '\x21'));
    made.node("GatherBlockQuantized", {"t", "i", "s"}, {"y"}, "com.microsoft")
        .set("block_size", 16)
        .set("gather_axis", gathered);
    return made;
  };
  EXPECT_THAT(by(0).text(),
              AllOf(HasSubstr("kiln.gather"), HasSubstr("kiln.shr"), HasSubstr("-> (tensor<3x32xf32>")));
  EXPECT_THAT(by(1).status(),
              StatusIs(Code::Unimplemented, HasSubstr("blocks along the axis of the indices, 1,")));
}

TEST(QuantizedOperatorTest, TablesByBlockNeedScalesOfTheirRank) {
  TestModel made = model(21, true);
  made.input("i", {3}, TensorProto::INT64).input("s", {5});
  bytes(made, "t", {5, 16}, std::string(80, '\x21'));
  made.node("GatherBlockQuantized", {"t", "i", "s"}, {"y"}, "com.microsoft").set("block_size", 16);
  EXPECT_THAT(made.status(), StatusIs(Code::InvalidArgument, HasSubstr("have rank 1; expected 2")));
}

TEST(QuantizedOperatorTest, ChannelsLast) {
  TestModel pool = model(21, true);
  pool.input("x", {1, 6, 6, 2}, TensorProto::UINT8);
  pool.node("NhwcMaxPool", {"x"}, {"y"}, "com.microsoft").set("kernel_shape", {2, 2}).set("strides", {2, 2});
  EXPECT_THAT(pool.text(), AllOf(HasSubstr("kiln.transpose"), HasSubstr("-> (tensor<1x3x3x2xui8>")));
  TestModel flat = model(21, true);
  flat.input("x", {6, 2}, TensorProto::UINT8);
  flat.node("NhwcMaxPool", {"x"}, {"y"}, "com.microsoft").set("kernel_shape", {2, 2});
  EXPECT_THAT(flat.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("input 0 has rank 2; expected 3 or more")));
}

TEST(QuantizedOperatorTest, OperatorsOfMicrosoft) {
  TestModel add = model(21, true);
  add.input("a", {4}, TensorProto::UINT8).input("b", {4}, TensorProto::UINT8).floats("s", {}, {0.5f});
  bytes(add, "z", {}, "\3");
  add.node("QLinearAdd", {"a", "s", "z", "b", "s", "z", "s", "z"}, {"y"}, "com.microsoft");
  EXPECT_THAT(add.text(),
              AllOf(HasSubstr("kiln.add"), HasSubstr("kiln.quantize"), HasSubstr("-> tensor<4xui8>")));
  TestModel last = model(21, true);
  last.input("x", {1, 8, 8, 4}, TensorProto::UINT8).floats("s", {}, {0.5f});
  bytes(last, "z", {}, "\3");
  last.node("QLinearGlobalAveragePool", {"x", "s", "z", "s", "z"}, {"y"}, "com.microsoft")
      .set("channels_last", 1);
  EXPECT_THAT(last.text(), HasSubstr("-> tensor<1x1x1x4xui8>"));
  TestModel flat = model(21, true);
  flat.input("x", {8, 4}, TensorProto::UINT8).floats("s", {}, {0.5f});
  bytes(flat, "z", {}, "\3");
  flat.node("QLinearAveragePool", {"x", "s", "z", "s", "z"}, {"y"}, "com.microsoft").set("kernel_shape", {2});
  EXPECT_THAT(flat.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("input 0 has rank 2; expected 3 or more")));
}

// ---- ConvTranspose, Col2Im, CenterCropPad ----------------------------------------------------------------

std::string transposed(void (*more)(Attributes)) {
  TestModel conv = model(21);
  conv.input("x", {1, 2, 5}).input("w", {2, 3, 3});
  more(conv.node("ConvTranspose", {"x", "w"}, {"y"}));
  return conv.text();
}

TEST(QuantizedOperatorTest, OutputShapesBecomePads) {
  auto plain = [](Attributes node) { node.set("strides", {2}); };
  EXPECT_THAT(transposed(plain), AllOf(HasSubstr("pads [0, 0]"), HasSubstr("-> tensor<1x3x11xf32>")));
  // One element less at the front, or behind; what is more than there is comes behind.
  auto shape = [](Attributes node) { node.set("strides", {2}).set("output_shape", {10}); };
  EXPECT_THAT(transposed(shape), AllOf(HasSubstr("pads [1, 0]"), HasSubstr("-> tensor<1x3x10xf32>")));
  auto upper = [](Attributes node) { node.set("strides", {2}).set("auto_pad", "SAME_UPPER"); };
  EXPECT_THAT(transposed(upper), AllOf(HasSubstr("pads [0, 1]"), HasSubstr("-> tensor<1x3x10xf32>")));
  auto larger = [](Attributes node) { node.set("strides", {2}).set("output_shape", {13}); };
  EXPECT_THAT(transposed(larger), AllOf(HasSubstr("pads [0, 0]"), HasSubstr("output_padding [2]")));
  auto unknown = [](Attributes node) { node.set("auto_pad", "SAME"); };
  EXPECT_THAT(transposed(unknown), HasSubstr("attribute 'auto_pad' is 'SAME'; expected NOTSET"));
}

TEST(QuantizedOperatorTest, OutputShapesOfDynamicExtentsAreRefused) {
  TestModel conv = model(21);
  conv.input("x", {1, 2, "n"}).input("w", {2, 3, 3});
  conv.node("ConvTranspose", {"x", "w"}, {"y"}).set("output_shape", {10});
  EXPECT_THAT(conv.status(),
              StatusIs(Code::Unimplemented, HasSubstr("'output_shape' over a dynamic extent")));
}

TEST(QuantizedOperatorTest, ColumnsAreATransposedConvolution) {
  TestModel columns = model(21);
  columns.input("x", {1, 8, 9}).integers("image", {4, 4}).integers("block", {2, 2});
  columns.node("Col2Im", {"x", "image", "block"}, {"y"});
  EXPECT_THAT(columns.text(), AllOf(HasSubstr("kiln.conv_transpose"), HasSubstr("groups 2"),
                                    HasSubstr("-> tensor<1x2x4x4xf32>")));
  TestModel wrong = model(21);
  wrong.input("x", {1, 7, 9}).integers("image", {4, 4}).integers("block", {2, 2});
  wrong.node("Col2Im", {"x", "image", "block"}, {"y"});
  EXPECT_THAT(wrong.status(),
              StatusIs(Code::InvalidArgument, HasSubstr("7 rows; expected a multiple of the 4 elements")));
}

TEST(QuantizedOperatorTest, CropsAndPadsAroundTheMiddle) {
  TestModel crop = model(21);
  crop.input("x", {7, 4}).integers("shape", {4, 7}).node("CenterCropPad", {"x", "shape"}, {"y"});
  EXPECT_THAT(crop.text(),
              AllOf(HasSubstr("offsets [1, 0] sizes [4, 4]"), HasSubstr("low [0, 1] high [0, 2]")));
}

TEST(QuantizedOperatorTest, PoolsPadDynamicExtentsApart) {
  TestModel pool = model(21);
  pool.input("x", {1, 3, "h", 8});
  pool.node("AveragePool", {"x"}, {"y"})
      .set("kernel_shape", {3, 3})
      .set("strides", {2, 2})
      .set("auto_pad", "SAME_UPPER");
  EXPECT_THAT(pool.text(), AllOf(HasSubstr("kiln.pad"), HasSubstr("kiln.avg_pool"), HasSubstr("kiln.div")));
}

} // namespace
} // namespace kiln::onnx
