// NodeImport.cpp: the half of GraphImporter that imports nodes: in order, in graphs, subgraphs and functions.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/FunctionBody.h"
#include "frameworks/onnx/GraphImporter.h"
#include "frameworks/onnx/NodeOrder.h"
#include "frameworks/onnx/ShapeFolding.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

constexpr unsigned kMaxDepth = 32; // graphs and functions inside of each other: programs nest as deep
constexpr size_t kMaxInlinedNodes = 200'000; // functions that call functions multiply

std::string operatorName(const NodeProto &node) {
  StringRef domain = canonicalDomain(node.domain());
  return domain.empty() ? node.op_type() : (domain + "::" + node.op_type()).str();
}

Result<int64_t> opsetOf(StringRef domain, const Frame &frame) {
  auto it = frame.opsets.find(canonicalDomain(domain));
  if (it == frame.opsets.end())
    return invalid("domain '{0}' is not among the model's opset_import", domain.empty() ? "ai.onnx" : domain);
  return it->second;
}

std::map<unsigned, GraphValue> unsupportedOutputs(const NodeProto &node) {
  std::map<unsigned, GraphValue> lost;
  for (int i = 0; i < node.output_size(); ++i)
    lost[static_cast<unsigned>(i)].unsupported = true;
  return lost;
}

} // namespace

// ---- Places ----------------------------------------------------------------------------------------------

std::string GraphImporter::placeOf(const NodeProto &node, size_t index, const Frame &frame) const {
  if (!node.name().empty())
    return llvm::formatv("{0}node '{1}' ({2})", frame.prefix, node.name(), operatorName(node));
  // Unnamed nodes are common: what they define tells them apart.
  StringRef output = node.output_size() ? StringRef(node.output(0)) : StringRef();
  return llvm::formatv("{0}node #{1} of '{2}' ({3})", frame.prefix, index, output, operatorName(node));
}

Location GraphImporter::locationOf(StringRef text) const {
  return NameLoc::get(StringAttr::get(&context, text));
}

// ---- Nodes -----------------------------------------------------------------------------------------------

Status GraphImporter::importNodes(const NodeList &nodes, Frame &frame) {
  for (auto [i, node] : llvm::enumerate(nodes))
    for (const std::string &output : node.output())
      frame.producers.try_emplace(output, placeOf(node, i, frame));
  for (size_t i : importOrder(nodes)) {
    const NodeProto &node = nodes[static_cast<int>(i)];
    if (Status status = importNode(node, i, frame); !status.ok())
      return at(placeOf(node, i, frame), status);
  }
  return {};
}

Status GraphImporter::importNode(const NodeProto &node, size_t index, Frame &frame) {
  KILN_ASSIGN_OR_RETURN(bool complete, checkInputs(node, frame));
  if (const FunctionProto *called = functionOf(node))
    return complete ? importCall(node, index, *called, frame)
                    : defineOutputs(node, unsupportedOutputs(node), frame);
  KILN_ASSIGN_OR_RETURN(int64_t opset, opsetOf(node.domain(), frame));
  const OpEntry *entry = findOp(node.domain(), node.op_type(), opset);
  if (!entry) {
    noteUnsupported(node, index, "", frame);
    noteInner(node, frame, frame.depth);
    return defineOutputs(node, unsupportedOutputs(node), frame);
  }
  if (!complete) {
    noteInner(node, frame, frame.depth);
    return defineOutputs(node, unsupportedOutputs(node), frame);
  }
  build->setLocation(locationOf(request.name + ": " + placeOf(node, index, frame)));
  Status status = importSupported(node, *entry, opset, frame);
  if (status.code() != Code::Unimplemented)
    return status;
  noteUnsupported(node, index, status.message(), frame);
  return defineOutputs(node, unsupportedOutputs(node), frame);
}

Result<bool> GraphImporter::checkInputs(const NodeProto &node, Frame &frame) {
  bool complete = true;
  for (const std::string &name : node.input()) {
    if (name.empty())
      continue; // an optional input left out
    GraphValue *value = frame.scope.find(name);
    if (!value && frame.producers.contains(name))
      return invalid("input '{0}' comes from {1}, which depends on this node; expected nodes without cycles",
                     name, frame.producers[name]);
    if (!value)
      return invalid(
          "input '{0}' is unknown; expected an input, an initializer or the output of an earlier node", name);
    complete &= !value->unsupported;
  }
  return complete;
}

static bool mayBeSequence(const OpEntry &entry, unsigned input) {
  return (entry.sequences == Sequences::First && input == 0) ||
         (entry.sequences == Sequences::Carried && input >= 2);
}

Status GraphImporter::importSupported(const NodeProto &node, const OpEntry &entry, int64_t opset,
                                      Frame &frame) {
  if (node.input_size() > entry.maxInputs)
    return invalid("{0} inputs; expected at most {1}", node.input_size(), entry.maxInputs);
  Node context(node, opset, frame, *build, files, *this);
  for (int i = 0; i < entry.minInputs; ++i)
    if (!context.hasInput(static_cast<unsigned>(i)))
      return invalid("input {0} is missing; expected at least {1}", i, entry.minInputs);
  for (unsigned i = 0; i < context.numInputs(); ++i)
    if (!mayBeSequence(entry, i) && context.hasInput(i) && context.input(i).isSequence())
      return unsupported("input {0} ('{1}') is a sequence; expected a tensor", i,
                         node.input(static_cast<int>(i)));
  if (!foldShapes(context))
    KILN_RETURN_IF_ERROR(entry.import(context));
  KILN_RETURN_IF_ERROR(context.checkAttributes());
  for (unsigned i = 0; i < context.numOutputs(); ++i)
    if (context.wantsOutput(i) && !context.results().count(i))
      return unsupported("output {0} ('{1}') is not supported", i, node.output(static_cast<int>(i)));
  return defineOutputs(node, std::move(context.results()), frame);
}

Status GraphImporter::defineOutputs(const NodeProto &node, std::map<unsigned, GraphValue> values,
                                    Frame &frame) {
  for (int i = 0; i < node.output_size(); ++i)
    if (!node.output(i).empty())
      KILN_RETURN_IF_ERROR(frame.scope.define(node.output(i), std::move(values[static_cast<unsigned>(i)])));
  return {};
}

// ---- Graphs and functions inside of graphs ---------------------------------------------------------------

Result<std::vector<GraphValue>> GraphImporter::importSubgraph(const GraphProto &graph, Frame &outer,
                                                              ArrayRef<GraphValue> inputs, Block *block) {
  if (outer.depth == kMaxDepth)
    return unsupported("graphs nest deeper than {0}", kMaxDepth);
  if (static_cast<size_t>(graph.input_size()) != inputs.size())
    return invalid("the graph has {0} inputs; expected {1}", graph.input_size(), inputs.size());
  KilnBuilder::InBlock where(*build, block);
  Frame frame{GraphScope(block, &outer.scope), outer.opsets, outer.owner, outer.prefix, outer.depth + 1, {}};
  KILN_RETURN_IF_ERROR(importInitializers(graph, frame, {}));
  for (auto [info, value] : llvm::zip(graph.input(), inputs))
    if (Status status = frame.scope.define(info.name(), value); !status.ok())
      return at("input '" + info.name() + "'", status);
  KILN_RETURN_IF_ERROR(importNodes(graph.node(), frame));
  std::vector<GraphValue> outputs;
  for (const ValueInfoProto &info : graph.output()) {
    GraphValue *value = frame.scope.find(info.name());
    if (!value)
      return invalid("output '{0}': nothing defines it; expected the output of a node", info.name());
    outputs.push_back(*value);
  }
  return outputs;
}

const FunctionProto *GraphImporter::functionOf(const NodeProto &node) const {
  return functions.lookup(functionKey(node.domain(), node.op_type(), node.overload()));
}

Status GraphImporter::importCall(const NodeProto &node, size_t index, const FunctionProto &called,
                                 Frame &frame) {
  if (frame.depth == kMaxDepth)
    return invalid("functions call each other deeper than {0}", kMaxDepth);
  if (node.input_size() > called.input_size() || node.output_size() > called.output_size())
    return invalid("{0} inputs and {1} outputs; the function has {2} and {3}", node.input_size(),
                   node.output_size(), called.input_size(), called.output_size());
  inlinedNodes += static_cast<size_t>(called.node_size());
  if (inlinedNodes > kMaxInlinedNodes)
    return invalid("more than {0} nodes in functions", kMaxInlinedNodes);
  std::shared_ptr<const FunctionProto> body = instantiate(called, node);
  KILN_ASSIGN_OR_RETURN(llvm::StringMap<int64_t> opsets, readOpsets(body->opset_import()));
  std::string place = placeOf(node, index, frame);
  Frame inner{GraphScope(build->currentBlock()), opsets, body, place + ": ", frame.depth + 1, {}};
  for (int i = 0; i < node.input_size(); ++i)
    if (!node.input(i).empty())
      KILN_RETURN_IF_ERROR(inner.scope.define(body->input(i), *frame.scope.find(node.input(i))));
  KILN_RETURN_IF_ERROR(importNodes(body->node(), inner));
  std::map<unsigned, GraphValue> outputs;
  for (int i = 0; i < node.output_size(); ++i) {
    GraphValue *value = inner.scope.find(body->output(i));
    if (!value && !node.output(i).empty())
      return invalid("output '{0}' of the function: nothing defines it", body->output(i));
    if (value)
      outputs[static_cast<unsigned>(i)] = *value;
  }
  return defineOutputs(node, std::move(outputs), frame);
}

// ---- Refusals --------------------------------------------------------------------------------------------

void GraphImporter::noteUnsupported(const NodeProto &node, size_t index, StringRef reason,
                                    const Frame &frame) {
  Result<int64_t> opset = opsetOf(node.domain(), frame);
  std::string line =
      placeOf(node, index, frame) + " of opset " + (opset.ok() ? std::to_string(*opset) : "unknown");
  if (!reason.empty())
    line += ": " + reason.str();
  if (unsupportedLines.insert(line).second)
    unsupportedList.push_back(line);
}

void GraphImporter::noteInner(const NodeProto &node, const Frame &frame, unsigned depth) {
  if (depth == kMaxDepth)
    return;
  for (const AttributeProto &attribute : node.attribute())
    if (attribute.has_g())
      for (auto [i, inner] : llvm::enumerate(attribute.g().node())) {
        Result<int64_t> opset = opsetOf(inner.domain(), frame);
        if (!functionOf(inner) && (!opset.ok() || !findOp(inner.domain(), inner.op_type(), *opset)))
          noteUnsupported(inner, i, "", frame);
        noteInner(inner, frame, depth + 1);
      }
}

} // namespace kiln::onnx
