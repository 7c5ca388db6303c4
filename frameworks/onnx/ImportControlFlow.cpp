// ImportControlFlow.cpp: If and Loop.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/LoopBuilder.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

constexpr size_t kMaxNumbers = 8; // a longer list of integers leaves a branch as data

/// One branch of an If: what it built and what it computes.
struct Branch {
  Region region;
  std::vector<GraphValue> outputs;
  SmallVector<Value> yielded;
  Block *block() { return &region.front(); }
};

Status importBranch(Node &node, StringRef attribute, Branch &branch) {
  branch.region.emplaceBlock();
  KILN_ASSIGN_OR_RETURN(branch.outputs, node.importGraph(attribute, {}, branch.block()));
  if (branch.outputs.size() != node.numOutputs())
    return invalid("attribute '{0}': the graph has {1} outputs; expected {2}", attribute,
                   branch.outputs.size(), node.numOutputs());
  return {};
}

/// Short lists of integers that both branches know as numbers stay numbers: elements that agree need no
/// result, the others are left open.
std::optional<ShapeValue> joinNumbers(KilnBuilder &build, unsigned i, Branch (&branches)[2]) {
  const ShapeValue *a = asShapeValue(build, branches[0].outputs[i]),
                   *b = asShapeValue(build, branches[1].outputs[i]);
  if (!a || !b || a->type() != b->type() || a->elements.size() > kMaxNumbers)
    return std::nullopt;
  ShapeValue joined{a->elementType, a->isScalar, a->elements, /*isFromData=*/true};
  for (auto [x, y, element] : llvm::zip(a->elements, b->elements, joined.elements)) {
    if (x == y)
      continue;
    branches[0].yielded.push_back(build.math().value(x));
    branches[1].yielded.push_back(build.math().value(y));
    element = Extent();
  }
  return joined;
}

Status joinTensors(KilnBuilder &build, unsigned i, Branch (&branches)[2]) {
  RankedTensorType types[] = {branches[0].outputs[i].type(), branches[1].outputs[i].type()};
  RankedTensorType common = commonType(types[0], types[1]);
  if (!common && types[0].getElementType() != types[1].getElementType())
    return invalid("the branches compute output {0} with different element types", i);
  if (!common)
    return unsupported(
        "the branches compute output {0} with ranks {1} and {2}, and the condition is not known "
        "before the model runs",
        i, types[0].getRank(), types[1].getRank());
  for (Branch &branch : branches) {
    KilnBuilder::InBlock where(build, branch.block());
    Value tensor = materialize(build, branch.outputs[i], "");
    if (tensor.getType() != common)
      tensor = build.builder().create<tensor::CastOp>(build.location(), common, tensor);
    branch.yielded.push_back(tensor);
  }
  return {};
}

/// Leaves `branch` alone, in place: the other one cannot run with the shapes that the model is imported for,
/// as `contradiction` says. That `condition` holds is checked in each run.
Status takeBranch(Node &node, Branch &branch, Extent condition, const Status &contradiction) {
  KilnBuilder &build = node.build;
  build.builder().create<cf::AssertOp>(build.location(), build.math().flag(condition),
                                       "with inputs of these shapes: " + contradiction.message());
  Block *here = build.currentBlock();
  here->getOperations().splice(here->end(), branch.block()->getOperations());
  for (auto [i, value] : llvm::enumerate(branch.outputs)) {
    if (value.home == branch.block())
      value.home = here;
    node.setOutput(static_cast<unsigned>(i), std::move(value));
  }
  return {};
}

/// A condition that is known at import leaves one branch, in place.
Status importIf(Node &node) {
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(Extent condition, node.condition(0, "'cond'"));
  for (StringRef attribute : {"then_branch", "else_branch"})
    KILN_RETURN_IF_ERROR(node.graphAttribute(attribute).status());
  if (auto known = IndexMath::known(condition)) {
    KILN_ASSIGN_OR_RETURN(std::vector<GraphValue> outputs,
                          node.importGraph(*known ? "then_branch" : "else_branch", {}, build.currentBlock()));
    if (outputs.size() != node.numOutputs())
      return invalid("the taken branch has {0} outputs; expected {1}", outputs.size(), node.numOutputs());
    for (auto [i, value] : llvm::enumerate(outputs))
      node.setOutput(static_cast<unsigned>(i), std::move(value));
    return {};
  }
  Value flag = build.math().flag(condition);
  Branch branches[2];
  KilnBuilder::Knowledge before = build.knowledge();
  Status status = importBranch(node, "then_branch", branches[0]);
  if (node.hasKnownShapes() && status.code() == Code::InvalidArgument) {
    build.forget(std::move(before));
    KILN_RETURN_IF_ERROR(importBranch(node, "else_branch", branches[1]));
    return takeBranch(node, branches[1], build.math().sub(build.math().constant(1), condition), status);
  }
  KILN_RETURN_IF_ERROR(status);
  before = build.knowledge();
  status = importBranch(node, "else_branch", branches[1]);
  if (node.hasKnownShapes() && status.code() == Code::InvalidArgument) {
    build.forget(std::move(before));
    return takeBranch(node, branches[0], condition, status);
  }
  KILN_RETURN_IF_ERROR(status);
  auto isUnsupported = [](const GraphValue &value) { return value.unsupported; };
  if (llvm::any_of(branches[0].outputs, isUnsupported) || llvm::any_of(branches[1].outputs, isUnsupported)) {
    node.setOutputsUnsupported();
    return {};
  }
  auto isSequence = [](const GraphValue &value) { return value.isSequence(); };
  if (llvm::any_of(branches[0].outputs, isSequence) || llvm::any_of(branches[1].outputs, isSequence))
    return unsupported("a sequence leaves a branch whose condition is not known before the model runs");
  std::vector<std::optional<ShapeValue>> numbers;
  for (unsigned i = 0; i < node.numOutputs(); ++i) {
    numbers.push_back(joinNumbers(build, i, branches));
    if (!numbers.back())
      KILN_RETURN_IF_ERROR(joinTensors(build, i, branches));
  }
  OpBuilder &builder = build.builder();
  for (Branch &branch : branches) {
    KilnBuilder::InBlock where(build, branch.block());
    builder.create<scf::YieldOp>(build.location(), branch.yielded);
  }
  auto made = builder.create<scf::IfOp>(build.location(), TypeRange(ValueRange(branches[0].yielded)), flag,
                                        /*addThenBlock=*/false, /*addElseBlock=*/false);
  made.getThenRegion().takeBody(branches[0].region);
  made.getElseRegion().takeBody(branches[1].region);
  auto result = made.getResults().begin();
  for (auto [i, joined] : llvm::enumerate(numbers)) {
    if (!joined) {
      node.setOutput(static_cast<unsigned>(i), Value(*result++));
      continue;
    }
    for (Extent &element : joined->elements)
      if (!element)
        element = Value(*result++);
    node.setOutput(static_cast<unsigned>(i), std::move(*joined));
  }
  return {};
}

/// Rounds while both the number and the condition allow; either may be left out.
Status importLoop(Node &node) {
  KilnBuilder &build = node.build;
  LoopLimits limits{std::nullopt, build.math().constant(1)};
  if (node.hasInput(0)) {
    KILN_ASSIGN_OR_RETURN(ShapeValue count, node.extents(0, "'M'"));
    if (count.elements.size() != 1)
      return invalid("'M' has {0} elements; expected one", count.elements.size());
    limits.count = count.elements.front();
  }
  if (node.hasInput(1)) {
    KILN_ASSIGN_OR_RETURN(limits.goesOn, node.condition(1, "'cond'"));
  }
  std::vector<GraphValue> initial;
  for (unsigned i = 2; i < node.numInputs(); ++i) {
    if (!node.hasInput(i))
      return invalid("input {0} is missing; expected a value that the loop carries", i);
    initial.push_back(node.input(i));
  }
  KILN_ASSIGN_OR_RETURN(const GraphProto *body, node.graphAttribute("body"));
  int carriedCount = static_cast<int>(initial.size()), listCount = body->output_size() - 1 - carriedCount;
  if (listCount < 0 || static_cast<int>(node.numOutputs()) > carriedCount + listCount)
    return invalid("the body has {0} outputs; expected a condition, {1} carried values and the lists of {2} "
                   "outputs",
                   body->output_size(), carriedCount, node.numOutputs());
  auto round = [&](Extent index, ArrayRef<GraphValue> carried, Block *block) -> Result<Round> {
    std::vector<GraphValue> inputs(2);
    inputs[0].shape = ShapeValue{build.builder().getI64Type(), true, {index}};
    inputs[1].shape =
        ShapeValue{build.builder().getI1Type(), true, {build.math().constant(1)}}; // or it ended
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    KILN_ASSIGN_OR_RETURN(std::vector<GraphValue> outputs, node.importGraph("body", inputs, block));
    Round made;
    made.carried.assign(outputs.begin() + 1, outputs.begin() + 1 + carriedCount);
    made.entries.assign(outputs.begin() + 1 + carriedCount, outputs.end());
    if (outputs.front().isSequence())
      return invalid("the body's condition is a sequence; expected bool");
    if (outputs.front().unsupported) {
      made.entries.push_back(outputs.front());
      return made;
    }
    KILN_ASSIGN_OR_RETURN(made.goesOn, node.condition(outputs.front(), "the body's condition"));
    return made;
  };
  KILN_ASSIGN_OR_RETURN(LoopResult result, buildLoop(build, limits, initial, round));
  if (result.unsupported) {
    node.setOutputsUnsupported();
    return {};
  }
  for (unsigned i = 0; i < node.numOutputs(); ++i)
    if (i < initial.size())
      node.setOutput(i, std::move(result.carried[i]));
    else
      node.setOutput(i, result.lists[i - initial.size()]);
  return {};
}

constexpr OpEntry kControlFlowOps[] = {
    {"If", 1, 1, 1, importIf, "branches of different ranks, unless shapes decide the condition"},
    {"Loop", 1, 0, kAnyNumber, importLoop,
     "a carried value that changes its rank; sequences of several shapes", "", Sequences::Carried},
};

} // namespace

llvm::ArrayRef<OpEntry> controlFlowOps() { return kControlFlowOps; }

} // namespace kiln::onnx
