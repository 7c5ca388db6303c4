// ImportScan.cpp: Scan: a loop over slices of its inputs.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/LoopBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// The attributes, and which inputs are what. Axes are those of the whole inputs and outputs.
struct ScanPlan {
  unsigned firstState = 0, states = 0, inputs = 0, lists = 0;
  SmallVector<int64_t> inputAxes, inputDirections, listAxes, listDirections; // direction 1: from the end
};

Result<SmallVector<int64_t>> listAttribute(Node &node, StringRef name, size_t count) {
  KILN_ASSIGN_OR_RETURN(auto given, node.integersAttribute(name));
  if (given && given->size() != count)
    return invalid("attribute '{0}' has {1} entries; expected {2}", name, given->size(), count);
  return given.value_or(SmallVector<int64_t>(count, 0));
}

Status checkDirections(StringRef name, ArrayRef<int64_t> directions) {
  for (int64_t direction : directions)
    if (direction != 0 && direction != 1)
      return invalid("attribute '{0}' holds {1}; expected 0 or 1", name, direction);
  return {};
}

Result<ScanPlan> readPlan(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t inputs, node.integerAttribute("num_scan_inputs"));
  KILN_ASSIGN_OR_RETURN(const GraphProto *body, node.graphAttribute("body"));
  ScanPlan plan;
  plan.firstState = node.opset() < 9 ? 1 : 0; // sequence_lens came first
  int64_t states = static_cast<int64_t>(node.numInputs()) - plan.firstState - inputs;
  if (inputs < 1 || states < 0)
    return invalid("attribute 'num_scan_inputs' is {0}; the node has {1} inputs", inputs, node.numInputs());
  for (unsigned i = plan.firstState; i < node.numInputs(); ++i)
    if (!node.hasInput(i))
      return invalid("input {0} is missing", i);
  plan.states = static_cast<unsigned>(states);
  plan.inputs = static_cast<unsigned>(inputs);
  if (body->output_size() != static_cast<int>(node.numOutputs()) || body->output_size() < states)
    return invalid("the body has {0} outputs and {1} states; the node has {2} outputs", body->output_size(),
                   states, node.numOutputs());
  plan.lists = node.numOutputs() - plan.states;
  StringRef directions = node.opset() < 9 ? "directions" : "scan_input_directions";
  KILN_ASSIGN_OR_RETURN(plan.inputDirections, listAttribute(node, directions, plan.inputs));
  KILN_RETURN_IF_ERROR(checkDirections(directions, plan.inputDirections));
  plan.inputAxes.assign(plan.inputs, 0);
  plan.listAxes.assign(plan.lists, 0);
  plan.listDirections.assign(plan.lists, 0);
  if (node.opset() < 9)
    return plan;
  KILN_ASSIGN_OR_RETURN(plan.inputAxes, listAttribute(node, "scan_input_axes", plan.inputs));
  KILN_ASSIGN_OR_RETURN(plan.listAxes, listAttribute(node, "scan_output_axes", plan.lists));
  KILN_ASSIGN_OR_RETURN(plan.listDirections, listAttribute(node, "scan_output_directions", plan.lists));
  KILN_RETURN_IF_ERROR(checkDirections("scan_output_directions", plan.listDirections));
  for (unsigned i = 0; i < plan.inputs; ++i) {
    KILN_ASSIGN_OR_RETURN(
        plan.inputAxes[i],
        Node::normalizeAxis(plan.inputAxes[i], node.rank(plan.firstState + plan.states + i)));
  }
  return plan;
}

/// `x[.., index, ..]`, without that axis.
Result<Value> entryOf(KilnBuilder &build, Value x, int64_t axis, Extent index) {
  Extents shape = build.shape(x);
  shape.erase(shape.begin() + axis);
  KILN_ASSIGN_OR_RETURN(Value part, build.sliceAxis(x, axis, index, build.math().constant(1)));
  return build.reshape(part, shape);
}

/// A list as the output of `count` rounds that the node asks for.
Result<Value> arrangeList(KilnBuilder &build, Value list, Extent count, int64_t axis, int64_t direction) {
  if (auto known = IndexMath::known(count)) {
    auto type = cast<RankedTensorType>(list.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.front() = *known;
    if (type.clone(shape) != type)
      list = build.builder().create<tensor::CastOp>(build.location(), type.clone(shape), list);
  }
  if (direction == 1) {
    KILN_ASSIGN_OR_RETURN(list, build.reverse(list, {0}));
  }
  int64_t rank = cast<RankedTensorType>(list.getType()).getRank();
  KILN_ASSIGN_OR_RETURN(axis, Node::normalizeAxis(axis, rank));
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(1, rank));
  permutation.insert(permutation.begin() + axis, 0);
  return build.transpose(list, permutation);
}

/// The loop over `inputs`, whose axes are the plan's.
Result<LoopResult> scan(Node &node, const ScanPlan &plan, ArrayRef<GraphValue> states,
                        ArrayRef<Value> inputs) {
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  Extent count = build.dim(inputs[0], plan.inputAxes[0]);
  for (auto [input, axis] : llvm::zip(inputs, plan.inputAxes)) {
    auto known = IndexMath::known(build.dim(input, axis)), expected = IndexMath::known(count);
    if (known && expected && *known != *expected)
      return invalid("scan inputs of {0} and {1} entries; expected as many of each", *expected, *known);
  }
  auto round = [&](Extent index, ArrayRef<GraphValue> carried, Block *block) -> Result<Round> {
    std::vector<GraphValue> values(carried.begin(), carried.end());
    for (auto [input, axis, direction] : llvm::zip(inputs, plan.inputAxes, plan.inputDirections)) {
      Extent at = direction == 0 ? index : math.sub(math.sub(count, math.constant(1)), index);
      GraphValue entry;
      entry.home = block;
      KILN_ASSIGN_OR_RETURN(entry.tensor, entryOf(build, input, axis, at));
      values.push_back(std::move(entry));
    }
    KILN_ASSIGN_OR_RETURN(std::vector<GraphValue> outputs, node.importGraph("body", values, block));
    Round made;
    made.goesOn = math.constant(1);
    made.carried.assign(outputs.begin(), outputs.begin() + plan.states);
    made.entries.assign(outputs.begin() + plan.states, outputs.end());
    return made;
  };
  KILN_ASSIGN_OR_RETURN(LoopResult result, buildLoop(build, {count, math.constant(1)}, states, round));
  if (result.unsupported)
    return result;
  for (auto [list, axis, direction] : llvm::zip(result.lists, plan.listAxes, plan.listDirections)) {
    KILN_ASSIGN_OR_RETURN(list, arrangeList(build, list, count, axis, direction));
  }
  return result;
}

Status setOutputs(Node &node, LoopResult result) {
  if (result.unsupported) {
    node.setOutputsUnsupported();
    return {};
  }
  unsigned i = 0;
  for (GraphValue &value : result.carried)
    node.setOutput(i++, std::move(value));
  for (Value list : result.lists)
    node.setOutput(i++, list);
  return {};
}

Status importScan(Node &node) {
  KILN_ASSIGN_OR_RETURN(ScanPlan plan, readPlan(node));
  std::vector<GraphValue> states;
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < plan.states; ++i)
    states.push_back(node.input(i));
  for (unsigned i = 0; i < plan.inputs; ++i)
    inputs.push_back(node.tensor(plan.states + i));
  KILN_ASSIGN_OR_RETURN(LoopResult result, scan(node, plan, states, inputs));
  return setOutputs(node, std::move(result));
}

/// Opset 8: the same for each element of a batch, which is the first axis of everything.
Status importBatchedScan(Node &node) {
  if (node.hasInput(0))
    return unsupported("input 0 ('sequence_lens') is not supported");
  KILN_ASSIGN_OR_RETURN(ScanPlan plan, readPlan(node));
  KilnBuilder &build = node.build;
  SmallVector<Value> states, inputs;
  for (unsigned i = 0; i < plan.states; ++i)
    states.push_back(node.tensor(1 + i));
  for (unsigned i = 0; i < plan.inputs; ++i)
    inputs.push_back(node.tensor(1 + plan.states + i));
  Extent batch = build.dim(inputs[0], 0);
  auto round = [&](Extent index, ArrayRef<GraphValue>, Block *block) -> Result<Round> {
    std::vector<GraphValue> ownStates;
    SmallVector<Value> ownInputs;
    for (Value state : states) {
      GraphValue own;
      own.home = block;
      KILN_ASSIGN_OR_RETURN(own.tensor, entryOf(build, state, 0, index));
      ownStates.push_back(std::move(own));
    }
    for (Value input : inputs) {
      KILN_ASSIGN_OR_RETURN(Value own, entryOf(build, input, 0, index));
      ownInputs.push_back(own);
    }
    KILN_ASSIGN_OR_RETURN(LoopResult inner, scan(node, plan, ownStates, ownInputs));
    Round made;
    made.goesOn = build.math().constant(1);
    if (inner.unsupported) {
      made.entries.resize(1);
      made.entries.front().unsupported = true;
      return made;
    }
    made.entries = std::move(inner.carried);
    for (Value list : inner.lists) {
      made.entries.emplace_back().tensor = list;
    }
    return made;
  };
  KILN_ASSIGN_OR_RETURN(LoopResult result, buildLoop(build, {batch, build.math().constant(1)}, {}, round));
  for (Value &list : result.lists) {
    KILN_ASSIGN_OR_RETURN(list, arrangeList(build, list, batch, 0, 0));
  }
  return setOutputs(node, std::move(result));
}

constexpr OpEntry kScanOps[] = {
    {"Scan", 8, 0, kAnyNumber, importBatchedScan, "sequence lengths (opset 8)"},
    {"Scan", 9, 1, kAnyNumber, importScan, "sequence lengths (opset 8)"},
};

} // namespace

llvm::ArrayRef<OpEntry> scanOps() { return kScanOps; }

} // namespace kiln::onnx
