// ControlFlowTest.cpp: If, Loop, Scan and functions become scf ops and inlined nodes.
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

using Names = std::initializer_list<const char *>;

NodeProto &addNode(google::protobuf::RepeatedPtrField<NodeProto> &nodes, const char *op, Names inputs,
                   Names outputs) {
  NodeProto &node = *nodes.Add();
  node.set_op_type(op);
  for (const char *name : inputs)
    node.add_input(name);
  for (const char *name : outputs)
    node.add_output(name);
  return node;
}

/// A graph that is an attribute of a node.
class Body {
public:
  Body(Attributes node, const char *attribute, Names inputs, Names outputs) {
    AttributeProto &added = *node.proto().add_attribute();
    added.set_name(attribute);
    added.set_type(AttributeProto::GRAPH);
    graph = added.mutable_g();
    for (const char *name : inputs)
      graph->add_input()->set_name(name);
    for (const char *name : outputs)
      graph->add_output()->set_name(name);
  }
  Body &node(const char *op, Names inputs, Names outputs) {
    addNode(*graph->mutable_node(), op, inputs, outputs);
    return *this;
  }
  GraphProto *graph;
};

TEST(ControlFlowTest, AKnownConditionLeavesOneBranchInPlace) {
  TestModel model;
  model.input("x", {"n", 4}).integer("limit", 3).integers("axis", {0}).output("y");
  model.node("Shape", {"x"}, {"s"}).set("start", 1);
  model.node("Squeeze", {"s", "axis"}, {"n"});
  model.node("Greater", {"n", "limit"}, {"c"});
  Attributes node = model.node("If", {"c"}, {"y"});
  Body(node, "then_branch", {}, {"t"}).node("Exp", {"x"}, {"t"});
  Body(node, "else_branch", {}, {"e"}).node("Neg", {"x"}, {"e"});
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("kiln.exp"), Not(HasSubstr("kiln.neg")), Not(HasSubstr("scf.if"))));
}

TEST(ControlFlowTest, BranchesSeeOuterValuesAndMayDifferInExtents) {
  TestModel model;
  model.input("c", {1}, TensorProto::BOOL).input("x", {2, 4}).output("y").output("z");
  model.node("Exp", {"x"}, {"e"});
  Attributes node = model.node("If", {"c"}, {"y"});
  Body(node, "then_branch", {}, {"t"}).node("Neg", {"e"}, {"t"});
  Body nested(node, "else_branch", {}, {"t"});
  nested.graph->add_initializer()->CopyFrom(TestModel().integers("k", {1}).graph().initializer(0));
  nested.node("Concat", {"x", "e"}, {"t"});
  Attributes(*nested.graph->mutable_node(0)).set("axis", 0);
  model.node("Relu", {"y"}, {"z"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("tensor.extract %arg0"), HasSubstr("scf.if %"),
                                  HasSubstr("-> (tensor<?x4xf32>)"), HasSubstr("kiln.relu")));
}

TEST(ControlFlowTest, NumbersOfBranchesStayNumbers) {
  TestModel model;
  model.input("c", {}, TensorProto::BOOL).input("x", {12}).output("y");
  Attributes node = model.node("If", {"c"}, {"shape"});
  for (auto [branch, rows] : {std::pair("then_branch", 3), {"else_branch", 4}}) {
    Body body(node, branch, {}, {"k"});
    body.graph->add_initializer()->CopyFrom(TestModel().integers("k", {rows, -1}).graph().initializer(0));
  }
  model.node("Reshape", {"x", "shape"}, {"y"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("-> (index)"), HasSubstr("-> tensor<?x?xf32>")))
      << "-1 is the same";
}

TEST(ControlFlowTest, BranchesOfOtherRanksAreRefused) {
  TestModel model;
  model.input("c", {}, TensorProto::BOOL).input("x", {1, 4}).integers("axis", {0}).output("y");
  Attributes node = model.node("If", {"c"}, {"y"});
  Body(node, "then_branch", {}, {"t"}).node("Squeeze", {"x", "axis"}, {"t"});
  Body(node, "else_branch", {}, {"x"});
  EXPECT_THAT(model.status(),
              StatusIs(Code::Unimplemented, HasSubstr("the branches compute output 0 with ranks 1 and 2")));
}

TEST(ControlFlowTest, ALoopThatCountsIsAFor) {
  TestModel model;
  model.input("n", {}, TensorProto::INT64).input("x", {4}).input("w", {4}).output("y").output("all");
  Attributes node = model.node("Loop", {"n", "", "x", "w"}, {"y", "w2", "all"});
  Body(node, "body", {"i", "go", "v", "u"}, {"go2", "next", "u", "v"})
      .node("Identity", {"go"}, {"go2"})
      .node("Mul", {"v", "u"}, {"next"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("scf.for"), HasSubstr("-> (tensor<4xf32>, tensor<?x4xf32>)"),
                                  HasSubstr("kiln.append"), HasSubstr("kiln.mul %arg4, %arg2")))
      << "what no round changes is not carried";
}

TEST(ControlFlowTest, AConditionFromDataMakesAWhile) {
  TestModel model;
  model.input("n", {}, TensorProto::INT64).input("c", {}, TensorProto::BOOL).input("x", {1}).output("y");
  model.floats("limit", {1}, {8.0f}).integer("zero", 0);
  Attributes node = model.node("Loop", {"n", "c", "x", "zero"}, {"y", "rounds"});
  model.output("rounds");
  Body(node, "body", {"i", "go", "v", "k"}, {"go2", "next", "k2"})
      .node("Add", {"v", "v"}, {"next"})
      .node("Less", {"next", "limit"}, {"go2"})
      .node("Add", {"k", "i"}, {"k2"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("scf.while"), HasSubstr("tensor.extract"),
                                  HasSubstr("arith.addi"), Not(HasSubstr("tensor<i64> -> tensor<i64>"))))
      << "the counter is carried as a number";
}

TEST(ControlFlowTest, CarriedTypesAreAsPreciseAsTheRoundsAllow) {
  TestModel model;
  model.input("n", {}, TensorProto::INT64).input("x", {1, 4}).output("y");
  Attributes node = model.node("Loop", {"n", "", "x"}, {"y"});
  Body body(node, "body", {"i", "go", "v"}, {"go", "next"});
  body.node("Concat", {"v", "x"}, {"next"});
  Attributes(*body.graph->mutable_node(0)).set("axis", 0);
  EXPECT_THAT(model.text(), AllOf(HasSubstr("-> (tensor<?x4xf32>)"), HasSubstr("tensor.cast")));
}

TEST(ControlFlowTest, ALoopThatChangesARankIsRefused) {
  TestModel model;
  model.input("n", {}, TensorProto::INT64).input("x", {4}).integers("axis", {0}).output("y");
  Attributes node = model.node("Loop", {"n", "", "x"}, {"y"});
  Body(node, "body", {"i", "go", "v"}, {"go", "next"}).node("Unsqueeze", {"v", "axis"}, {"next"});
  EXPECT_THAT(model.status(),
              StatusIs(Code::Unimplemented, HasSubstr("a carried value changes from tensor<4xf32> to "
                                                      "tensor<1x4xf32>; expected one rank")));
}

TEST(ControlFlowTest, ScanTakesSlicesFromEitherEnd) {
  TestModel model;
  model.input("s", {4}).input("x", {3, 4}).output("t").output("all");
  Attributes node = model.node("Scan", {"s", "x"}, {"t", "all"});
  node.set("num_scan_inputs", 1).set("scan_input_directions", {1}).set("scan_output_axes", {1});
  Body(node, "body", {"a", "b"}, {"sum", "out"})
      .node("Add", {"a", "b"}, {"sum"})
      .node("Neg", {"sum"}, {"out"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("scf.for"), HasSubstr("arith.subi"), HasSubstr("kiln.slice"),
                                  HasSubstr("kiln.transpose"), HasSubstr("-> tensor<4x3xf32>")));
}

TEST(ControlFlowTest, MalformedBodies) {
  auto refused = [](auto change, const char *text) {
    TestModel model;
    model.input("n", {}, TensorProto::INT64).input("x", {4}).output("y");
    Attributes node = model.node("Loop", {"n", "", "x"}, {"y"});
    Body body(node, "body", {"i", "go", "v"}, {"go", "next"});
    body.node("Neg", {"v"}, {"next"});
    change(*body.graph);
    EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr(text)));
  };
  refused([](GraphProto &graph) { graph.mutable_input()->RemoveLast(); },
          "the graph has 2 inputs; expected 3");
  refused([](GraphProto &graph) { graph.mutable_output()->RemoveLast(); },
          "the body has 1 outputs; expected a condition, 1 carried values");
  refused([](GraphProto &graph) { graph.mutable_output(1)->set_name("nobody"); },
          "output 'nobody': nothing defines it");
  refused([](GraphProto &graph) { graph.mutable_node(0)->set_input(0, "later"); },
          "input 'later' is unknown");
}

TEST(ControlFlowTest, UnsupportedOperatorsInBodiesAreListedOnce) {
  TestModel model;
  model.input("n", {}, TensorProto::INT64).input("x", {4}).output("y");
  Attributes node = model.node("Loop", {"n", "", "x"}, {"y"});
  Body(node, "body", {"i", "go", "v"}, {"go", "next"}).node("StringNormalizer", {"v"}, {"next"});
  EXPECT_EQ(model.text(), "model.onnx: 1 unsupported operator\n"
                          "note: node #0 of 'next' (StringNormalizer) of opset 21");
}

// ---- Sequences -------------------------------------------------------------------------------------------

TEST(ControlFlowTest, KnownSequencesAreResolvedAtImport) {
  TestModel model;
  model.input("x", {6, 4}).integer("two", 2).integer("last", -1).output("y").output("z").output("n");
  model.node("SplitToSequence", {"x", "two"}, {"parts"}).set("axis", 0);
  model.node("SequenceInsert", {"parts", "x"}, {"more"});
  model.node("SequenceAt", {"more", "last"}, {"y"});
  model.node("ConcatFromSequence", {"parts"}, {"z"}).set("axis", 0);
  model.node("SequenceLength", {"more"}, {"n"});
  EXPECT_THAT(model.text(), AllOf(HasSubstr("kiln.concat"), HasSubstr("kiln.constant dense<4> : tensor<i64>"),
                                  HasSubstr("return %arg0")));
}

TEST(ControlFlowTest, OptionalsThatHoldSomethingAreIt) {
  TestModel model;
  model.input("x", {4}).output("y").output("has").output("none");
  model.node("Optional", {"x"}, {"o"});
  model.node("OptionalGetElement", {"o"}, {"e"});
  model.node("Neg", {"e"}, {"y"});
  model.node("OptionalHasElement", {"o"}, {"has"});
  model.node("OptionalHasElement", {}, {"none"});
  EXPECT_THAT(model.text(),
              AllOf(HasSubstr("kiln.neg %arg0"), HasSubstr("dense<true>"), HasSubstr("dense<false>")));
}

TEST(ControlFlowTest, SequencesOfOneShapeAreStacks) {
  TestModel model;
  model.input("x", {"n", 4}).input("i", {}, TensorProto::INT64).output("y").output("all");
  model.node("SplitToSequence", {"x"}, {"parts"}).set("keepdims", 0);
  model.node("SequenceEmpty", {}, {"none"});
  Attributes node = model.node("Loop", {"i", "", "none"}, {"t"});
  Body(node, "body", {"k", "go", "v"}, {"go", "w"})
      .node("SequenceAt", {"parts", "k"}, {"row"})
      .node("SequenceInsert", {"v", "row"}, {"w"});
  model.node("SequenceAt", {"t", "i"}, {"y"});
  model.node("ConcatFromSequence", {"t"}, {"all"}).set("axis", 1).set("new_axis", 1);
  EXPECT_THAT(model.text(), AllOf(HasSubstr("scf.for"), HasSubstr("kiln.append"),
                                  HasSubstr("tensor<?x4xf32>, tensor<4xf32>"), HasSubstr("-> (tensor<4xf32>"),
                                  HasSubstr("tensor<4x?xf32>")));
}

TEST(ControlFlowTest, ManyPartsAreAStack) {
  TestModel model;
  model.input("x", {2147483647, 4}).input("i", {}, TensorProto::INT64).output("y");
  model.node("SplitToSequence", {"x"}, {"parts"});
  model.node("SequenceAt", {"parts", "i"}, {"y"});
  EXPECT_THAT(model.text(), HasSubstr("-> (tensor<1x4xf32>"));
  model.integer("size", 2);
  model.graph().mutable_node(0)->add_input("size");
  EXPECT_THAT(model.status(), StatusIs(Code::Unimplemented, HasSubstr("1073741823 parts of 2 of axis 0")));
}

TEST(ControlFlowTest, SequencesThatCannotBeAreRefused) {
  auto refused = [](auto build, const char *text) {
    TestModel model;
    model.input("x", {6, 4}).input("v", {4}).input("i", {}, TensorProto::INT64).output("y");
    model.node("SequenceConstruct", {"x", "v"}, {"s"});
    build(model);
    EXPECT_THAT(model.status(), StatusIs(Code::Unimplemented, HasSubstr(text)));
  };
  refused([](TestModel &model) { model.node("Identity", {"s"}, {"y"}); }, "output 'y': a sequence");
  refused([](TestModel &model) { model.node("Neg", {"s"}, {"y"}); }, "input 0 ('s') is a sequence");
  refused([](TestModel &model) { model.node("SequenceAt", {"s", "i"}, {"y"}); },
          "a sequence of elements of ranks 2 and 1");
  refused([](TestModel &model) { model.node("SequenceAt", {"s", "s"}, {"y"}); },
          "input 1 ('s') is a sequence");
  refused(
      [](TestModel &model) {
        Attributes node = model.node("Loop", {"i", "s", "x"}, {"y"});
        Body(node, "body", {"k", "go", "u"}, {"go", "u"});
      },
      "input 1 ('s') is a sequence");
  auto carried = [](auto fill) {
    return [fill](TestModel &model) {
      model.node("SequenceEmpty", {}, {"none"});
      Attributes node = model.node("Loop", {"i", "", "none"}, {"t"});
      Body body(node, "body", {"k", "go", "u"}, {"go", "w"});
      fill(body);
      model.node("SequenceLength", {"t"}, {"y"});
    };
  };
  refused(carried([](Body &body) {
            body.node("SequenceInsert", {"u", "x"}, {"two"}).node("SequenceInsert", {"two", "v"}, {"w"});
          }),
          "a sequence of elements of ranks 2 and 1");
  refused(carried([](Body &body) { body.node("SequenceInsert", {"u", "x", "k"}, {"w"}); }),
          "'position' is not known before the model runs");
}

// ---- Functions -------------------------------------------------------------------------------------------

FunctionProto &addFunction(TestModel &model, const char *name, Names inputs, Names outputs) {
  if (model.proto.opset_import_size() == 1) {
    model.proto.add_opset_import()->set_domain("local");
    model.proto.mutable_opset_import(1)->set_version(1);
  }
  FunctionProto &function = *model.proto.add_functions();
  function.set_domain("local");
  function.set_name(name);
  for (const char *input : inputs)
    function.add_input(input);
  for (const char *output : outputs)
    function.add_output(output);
  function.add_opset_import()->set_version(21);
  return function;
}

TEST(ControlFlowTest, FunctionsAreInlinedWithTheCallsAttributes) {
  TestModel model;
  model.input("x", {2, 4}).output("y");
  FunctionProto &inner = addFunction(model, "inner", {"a", "b"}, {"r"});
  AttributeProto &reference = *addNode(*inner.mutable_node(), "Softmax", {"a"}, {"r"}).add_attribute();
  reference.set_name("axis");
  reference.set_ref_attr_name("along");
  FunctionProto &outer = addFunction(model, "outer", {"a"}, {"r"});
  NodeProto &call = addNode(*outer.mutable_node(), "inner", {"a"}, {"r"}); // without its second input
  call.set_domain("local");
  AttributeProto &passed = *call.add_attribute();
  passed.set_name("along");
  passed.set_ref_attr_name("which");
  model.node("outer", {"x"}, {"y"}, "local").set("which", 0);
  EXPECT_THAT(model.text(), HasSubstr("kiln.softmax %arg0 axis 0"));
}

TEST(ControlFlowTest, AFunctionsNodesAreToldByTheCall) {
  TestModel model;
  model.input("x", {4}).output("y");
  addNode(*addFunction(model, "f", {"a"}, {"r"}).mutable_node(), "StringNormalizer", {"a"}, {"r"});
  model.node("f", {"x"}, {"y"}, "local");
  EXPECT_EQ(model.text(), "model.onnx: 1 unsupported operator\n"
                          "note: node 'the_f' (local::f): node #0 of 'r' (StringNormalizer) of opset 21");
}

TEST(ControlFlowTest, FunctionsThatCallEachOtherForeverAreRefused) {
  TestModel model;
  model.input("x", {4}).output("y");
  addNode(*addFunction(model, "f", {"a"}, {"r"}).mutable_node(), "f", {"a"}, {"r"}).set_domain("local");
  model.node("f", {"x"}, {"y"}, "local");
  EXPECT_THAT(model.status(), StatusIs(Code::InvalidArgument, HasSubstr("deeper than 32")));
}

} // namespace
} // namespace kiln::onnx
