// OperatorTest.cpp: what operators become, one case a code path; opsets that differ in how they say the same.
#include "tests/unit/onnx/TestModel.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln::onnx {
namespace {

using kiln::onnx::testing::Attributes;
using kiln::onnx::testing::TestModel;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A model of one node on x: 2x3x8x8xf32 (and what `more` adds) with output y.
std::string textOf(
    int64_t opset, const char *op, std::initializer_list<const char *> inputs,
    const std::function<void(TestModel &, Attributes)> &more = [](TestModel &, Attributes) {}) {
  TestModel model(opset);
  model.input("x", {2, 3, 8, 8}).output("y");
  more(model, model.node(op, inputs, {"y"}));
  return model.text();
}

TEST(OperatorTest, PortsKeepNamesAndDimensionNames) {
  TestModel model;
  model.input("x", {"batch", 4}).output("y").node("Relu", {"x"}, {"y"});
  EXPECT_THAT(
      model.text(),
      AllOf(HasSubstr("%arg0: tensor<?x4xf32> {kiln.dim_names = [\"batch\", \"\"], kiln.name = \"x\"}"),
            HasSubstr("-> (tensor<?x4xf32> {kiln.dim_names = [\"\", \"\"], kiln.name = \"y\"})"),
            HasSubstr("kiln.relu %arg0 : tensor<?x4xf32>")));
}

TEST(OperatorTest, InitializersListedAsInputsAreConstants) {
  TestModel model;
  model.input("x", {2}).input("w", {2}).floats("w", {2}, {1, 2}).output("y").node("Add", {"x", "w"}, {"y"});
  EXPECT_THAT(model.text(), AllOf(Not(HasSubstr("%arg1")), HasSubstr("dense<[1.000000e+00, 2.000000e+00]>")));
}

TEST(OperatorTest, LargeConstantsAreWeightsUnlessTheyAreSplat) {
  TestModel model;
  std::string bytes(2048, '\0');
  model.input("x", {512}).output("y").output("z");
  model.initializer("splat", {512}, TensorProto::FLOAT).set_raw_data(bytes);
  bytes[5] = 1;
  model.initializer("weight", {512}, TensorProto::FLOAT).set_raw_data(bytes);
  model.node("Add", {"x", "splat"}, {"y"});
  model.node("Add", {"x", "weight"}, {"z"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.constant dense<0.000000e+00> : tensor<512xf32>"),
                                  HasSubstr("{label = \"weight\"} : tensor<512xf32>")));
}

TEST(OperatorTest, AConstantThatIsReshapedStaysOne) {
  TestModel model;
  model.floats("w", {4}, {1, 2, 3, 4}).integers("s", {2, -1}).output("y").node("Reshape", {"w", "s"}, {"y"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr(": tensor<2x2xf32>"), Not(HasSubstr("kiln.reshape"))));
}

TEST(OperatorTest, ClipByAttributesAndByInputs) {
  EXPECT_THAT(
      textOf(7, "Clip", {"x"}, [](TestModel &, Attributes node) { node.set("min", 0.0f).set("max", 6.0f); }),
      HasSubstr("kiln.clamp %arg0 min 0.0"));
  EXPECT_THAT(
      textOf(13, "Clip", {"x", "", "hi"}, [](TestModel &model, Attributes) { model.floats("hi", {}, {6}); }),
      AllOf(HasSubstr("kiln.clamp %arg0 max 6.0"), Not(HasSubstr(" min "))));
  EXPECT_THAT(textOf(13, "Clip", {"x", "lo"}, [](TestModel &model, Attributes) { model.input("lo", {}); }),
              HasSubstr("kiln.max %arg0, %arg1"));
}

TEST(OperatorTest, InfiniteBoundsOfClipLimitNothingOrEverything) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (int64_t opset : {7, 13}) {
    auto clip = [&](float min, float max) {
      if (opset < 11)
        return textOf(opset, "Clip", {"x"},
                      [&](TestModel &, Attributes node) { node.set("min", min).set("max", max); });
      return textOf(opset, "Clip", {"x", "lo", "hi"}, [&](TestModel &model, Attributes) {
        model.floats("lo", {}, {min}).floats("hi", {}, {max});
      });
    };
    EXPECT_THAT(clip(1, kInfinity), AllOf(HasSubstr("kiln.clamp %arg0 min 1.0"), Not(HasSubstr(" max "))));
    EXPECT_THAT(clip(-kInfinity, 6), AllOf(HasSubstr("kiln.clamp %arg0 max 6.0"), Not(HasSubstr(" min "))));
    EXPECT_THAT(clip(-kInfinity, kInfinity), AllOf(Not(HasSubstr("kiln.max")), Not(HasSubstr("kiln.min"))));
    EXPECT_THAT(clip(1, -kInfinity), AllOf(HasSubstr("kiln.max"), HasSubstr("kiln.min")));
    EXPECT_THAT(clip(kInfinity, kInfinity), AllOf(HasSubstr("kiln.max"), Not(HasSubstr("kiln.min"))));
  }
}

TEST(OperatorTest, SoftmaxBeforeOpset13IsOverAllAxesFromItsOwn) {
  EXPECT_THAT(textOf(12, "Softmax", {"x"}),
              AllOf(HasSubstr("kiln.reshape %arg0 [2, 192]"), HasSubstr("axis 1 : tensor<2x192xf32>"),
                    HasSubstr("[2, 3, 8, 8]")));
  EXPECT_THAT(textOf(12, "Softmax", {"x"}, [](TestModel &, Attributes node) { node.set("axis", -1); }),
              AllOf(HasSubstr("axis 3 : tensor<2x3x8x8xf32>"), Not(HasSubstr("kiln.reshape"))));
  EXPECT_THAT(textOf(13, "Softmax", {"x"}), AllOf(HasSubstr("axis 3 :"), Not(HasSubstr("kiln.reshape"))));
}

TEST(OperatorTest, AxesAreAnAttributeAtFirstAndAnInputLater) {
  auto byAttribute = [](TestModel &, Attributes node) { node.set("axes", {-1}); };
  auto byInput = [](TestModel &model, Attributes) { model.integers("a", {-1}); };
  for (int64_t opset : {7, 11, 12})
    EXPECT_THAT(textOf(opset, "ReduceSum", {"x"}, byAttribute), HasSubstr("sum %arg0 axes [3] keepdims"));
  EXPECT_THAT(textOf(13, "ReduceSum", {"x", "a"}, byInput), HasSubstr("sum %arg0 axes [3] keepdims"));
  EXPECT_THAT(textOf(17, "ReduceMax", {"x"}, byAttribute), HasSubstr("max %arg0 axes [3] keepdims"));
  EXPECT_THAT(textOf(18, "ReduceMax", {"x", "a"}, byInput), HasSubstr("max %arg0 axes [3] keepdims"));
  EXPECT_THAT(textOf(18, "ReduceMax", {"x"}, byAttribute), HasSubstr("attribute 'axes' is unknown"));
}

TEST(OperatorTest, EmptyAxesMeanAllOrNone) {
  auto none = [](TestModel &, Attributes node) { node.set("noop_with_empty_axes", 1); };
  EXPECT_THAT(textOf(18, "ReduceSumSquare", {"x"}), HasSubstr("sum_square %arg0 axes [0, 1, 2, 3] keepdims"));
  EXPECT_THAT(textOf(18, "ReduceSumSquare", {"x"}, none), HasSubstr("sum_square %arg0 axes []"));
}

TEST(OperatorTest, MatMulAndGemm) {
  TestModel model;
  model.input("a", {3, 2}).input("b", {4, 3}).input("c", {4}).output("y");
  model.node("Gemm", {"a", "b", "c"}, {"y"}).set("transA", 1).set("transB", 1).set("alpha", 0.5f);
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("kiln.matmul %arg0, %arg1 transA transB"), HasSubstr("dense<5.000000e-01>"),
                    HasSubstr("kiln.mul"), HasSubstr("kiln.add"), HasSubstr("tensor<2x4xf32>")));
}

TEST(OperatorTest, ConvAutoPad) {
  auto same = [](TestModel &model, Attributes node) {
    model.input("w", {4, 3, 3, 3});
    node.set("auto_pad", "SAME_UPPER").set("strides", {2, 2});
  };
  EXPECT_THAT(textOf(11, "Conv", {"x", "w"}, same),
              HasSubstr("strides [2, 2] pads [0, 0, 1, 1] dilations [1, 1]"));
  auto lower = [](TestModel &model, Attributes node) {
    model.input("w", {4, 3, 2, 2});
    node.set("auto_pad", "SAME_LOWER");
  };
  EXPECT_THAT(textOf(11, "Conv", {"x", "w"}, lower), HasSubstr("pads [1, 1, 0, 0]"));
}

TEST(OperatorTest, ConvAutoPadOfADynamicExtentPadsApart) {
  TestModel model;
  model.input("x", {1, 3, "h"}).input("w", {4, 3, 3}).output("y");
  model.node("Conv", {"x", "w"}, {"y"}).set("auto_pad", "SAME_UPPER").set("strides", {2});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.pad %arg0 low [0, 0, %"), HasSubstr("pads [0, 0]")));
}

TEST(OperatorTest, ConvIsGroupedAndHasABias) {
  auto depthwise = [](TestModel &model, Attributes node) {
    model.input("w", {3, 1, 3, 3}).input("b", {3});
    node.set("group", 3).set("pads", {1, 1, 1, 1});
  };
  EXPECT_THAT(
      textOf(11, "Conv", {"x", "w", "b"}, depthwise),
      HasSubstr(
          "kiln.conv %arg0, %arg1 bias %arg2 strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 3"));
}

TEST(OperatorTest, Pools) {
  auto kernel = [](TestModel &, Attributes node) { node.set("kernel_shape", {2, 2}).set("ceil_mode", 1); };
  EXPECT_THAT(textOf(12, "MaxPool", {"x"}, kernel),
              HasSubstr("kiln.max_pool %arg0 kernel [2, 2] strides [1, 1]"));
  EXPECT_THAT(textOf(12, "AveragePool", {"x"}, kernel), HasSubstr("ceil_mode"));
  EXPECT_THAT(textOf(12, "GlobalAveragePool", {"x"}), HasSubstr("mean %arg0 axes [2, 3] keepdims"));
  EXPECT_THAT(textOf(12, "GlobalMaxPool", {"x"}), HasSubstr("max %arg0 axes [2, 3] keepdims"));
}

TEST(OperatorTest, SliceByAttributesAndByInputs) {
  auto byAttributes = [](TestModel &, Attributes node) {
    node.set("starts", {1}).set("ends", {1000}).set("axes", {2});
  };
  EXPECT_THAT(textOf(9, "Slice", {"x"}, byAttributes),
              HasSubstr("offsets [0, 0, 1, 0] sizes [2, 3, 7, 8] strides [1, 1, 1, 1]"));
  auto backwards = [](TestModel &model, Attributes) {
    model.integers("s", {-1}).integers("e", {INT64_MIN}).integers("a", {-1}).integers("t", {-3});
  };
  EXPECT_THAT(textOf(13, "Slice", {"x", "s", "e", "a", "t"}, backwards),
              AllOf(HasSubstr("kiln.reverse %arg0 axes [3]"),
                    HasSubstr("offsets [0, 0, 0, 0] sizes [2, 3, 8, 3] strides [1, 1, 1, 3]")));
}

TEST(OperatorTest, SplitIntoUnequalParts) {
  TestModel model(18);
  model.input("x", {7}).output("a").output("b").output("c");
  model.node("Split", {"x"}, {"a", "b", "c"}).set("num_outputs", 3);
  EXPECT_THAT(model.text(), AllOf(HasSubstr("sizes [3]"), HasSubstr("offsets [6] sizes [1]")));
}

TEST(OperatorTest, PadByAttributesAndByInputs) {
  auto byAttributes = [](TestModel &, Attributes node) {
    node.set("pads", {0, 0, 1, 0, 0, 0, 2, 0}).set("value", 3.0f);
  };
  EXPECT_THAT(
      textOf(7, "Pad", {"x"}, byAttributes),
      AllOf(HasSubstr("low [0, 0, 1, 0] high [0, 0, 2, 0] mode constant"), HasSubstr("dense<3.000000e+00>")));
  auto cuts = [](TestModel &model, Attributes node) {
    model.integers("p", {-1, 2}).integers("a", {3});
    node.set("mode", "edge");
  };
  EXPECT_THAT(textOf(18, "Pad", {"x", "p", "", "a"}, cuts),
              AllOf(HasSubstr("kiln.slice %arg0 offsets [0, 0, 0, 1] sizes [2, 3, 8, 7]"),
                    HasSubstr("low [0, 0, 0, 0] high [0, 0, 0, 2] mode edge")));
}

TEST(OperatorTest, Normalizations) {
  TestModel model(17);
  model.input("x", {2, 3, 4}).input("s", {4}).output("y").output("mean").output("inverse");
  model.node("LayerNormalization", {"x", "s"}, {"y", "mean", "inverse"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.layer_norm %arg0"), HasSubstr("kiln.rsqrt"),
                                  HasSubstr("tensor<2x3x1xf32>")));
  auto channels = [](TestModel &m, Attributes) { m.input("c", {3}); };
  EXPECT_THAT(textOf(9, "BatchNormalization", {"x", "c", "c", "c", "c"}, channels),
              HasSubstr("kiln.batch_norm"));
  EXPECT_THAT(textOf(9, "InstanceNormalization", {"x", "c", "c"}, channels), HasSubstr("kiln.instance_norm"));
}

TEST(OperatorTest, GroupNormalizationHadOneScaleAGroup) {
  TestModel model(18);
  model.input("x", {2, 6, 4}).input("s", {3}).output("y");
  model.node("GroupNormalization", {"x", "s", "s"}, {"y"}).set("num_groups", 3);
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("kiln.broadcast"), HasSubstr("tensor<6xf32>"), HasSubstr("kiln.group_norm")));
}

TEST(OperatorTest, PowOfSmallExponentsIsAProduct) {
  auto two = [](TestModel &model, Attributes) { model.floats("two", {}, {2}); };
  EXPECT_THAT(textOf(13, "Pow", {"x", "two"}, two),
              AllOf(HasSubstr("kiln.mul %arg0, %arg0"), Not(HasSubstr("kiln.pow"))));
  auto half = [](TestModel &model, Attributes) { model.floats("half", {}, {0.5f}); };
  EXPECT_THAT(textOf(13, "Pow", {"x", "half"}, half), HasSubstr("kiln.pow"));
}

TEST(OperatorTest, GatherOfKnownIndices) {
  auto one = [](TestModel &model, Attributes node) {
    model.integer("i", -1);
    node.set("axis", 1);
  };
  EXPECT_THAT(textOf(13, "Gather", {"x", "i"}, one),
              AllOf(HasSubstr("offsets [0, 2, 0, 0] sizes [2, 1, 8, 8]"), HasSubstr("tensor<2x8x8xf32>")));
}

TEST(OperatorTest, DropoutPassesOnAndKeepsAll) {
  TestModel model(13);
  model.input("x", {2}).output("y").output("mask").node("Dropout", {"x"}, {"y", "mask"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("dense<true>"), HasSubstr("return %arg0")));
}

TEST(OperatorTest, Einsum) {
  TestModel model;
  model.input("q", {"b", 4, 8, 16}).input("k", {"b", 4, 9, 16}).output("y");
  model.node("Einsum", {"q", "k"}, {"y"}).set("equation", "bhid, bhjd -> bhij");
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.transpose %arg1 perm [0, 1, 3, 2]"),
                                  HasSubstr("kiln.matmul"), HasSubstr("-> (tensor<?x4x8x9xf32>")));
  auto trace = [](TestModel &, Attributes node) { node.set("equation", "...ij->...j"); };
  EXPECT_THAT(textOf(13, "Einsum", {"x"}, trace), HasSubstr("sum %arg0 axes [2] : tensor<2x3x8x8xf32>"));
}

TEST(OperatorTest, OneHot) {
  TestModel model;
  model.input("i", {3}, TensorProto::INT64).integer("d", 4).floats("v", {2}, {0, 1}).output("y");
  model.node("OneHot", {"i", "d", "v"}, {"y"}).set("axis", 0);
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("kiln.one_hot %arg0 depth [4] axis 0"), HasSubstr("-> (tensor<4x3xf32>")));
}

TEST(OperatorTest, CastToFloat8Saturates) {
  auto to = [](TestModel &, Attributes node) { node.set("to", TensorProto::FLOAT8E4M3FN); };
  EXPECT_THAT(textOf(19, "Cast", {"x"}, to),
              HasSubstr("kiln.convert %arg0 : tensor<2x3x8x8xf32> to tensor<2x3x8x8xf8E4M3FN>"));
}

TEST(OperatorTest, Scaler) {
  TestModel model;
  model.proto.add_opset_import()->set_domain("ai.onnx.ml");
  model.proto.mutable_opset_import(1)->set_version(1);
  model.input("x", {"n", 2}, TensorProto::INT64).output("y");
  model.node("Scaler", {"x"}, {"y"}, "ai.onnx.ml").setFloats("offset", {1, 2}).setFloats("scale", {3});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("to tensor<?x2xf32>"), HasSubstr("kiln.sub"),
                                  HasSubstr("dense<3.000000e+00>")));
}

} // namespace
} // namespace kiln::onnx
