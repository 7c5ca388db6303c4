// GraphImporter.cpp: inputs, constants, nodes in order, outputs.
#include "frameworks/onnx/GraphImporter.h"

#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"
#include "frameworks/onnx/ShapeFolding.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

constexpr int kMaxSubgraphDepth = 32;

std::string operatorName(const NodeProto &node) {
  StringRef domain = canonicalDomain(node.domain());
  return domain.empty() ? node.op_type() : (domain + "::" + node.op_type()).str();
}

/// The names of a value's dimensions, "" where there is none: kiln.dim_names.
SmallVector<StringRef> dimNames(const ValueInfoProto &info, int64_t rank) {
  SmallVector<StringRef> names(static_cast<size_t>(rank), "");
  const TensorShapeProto &shape = info.type().tensor_type().shape();
  if (shape.dim_size() == rank)
    for (int i = 0; i < rank; ++i)
      if (shape.dim(i).has_dim_param())
        names[static_cast<size_t>(i)] = shape.dim(i).dim_param();
  return names;
}

DictionaryAttr portAttributes(OpBuilder &builder, const ValueInfoProto &info, int64_t rank) {
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("kiln.name", builder.getStringAttr(info.name())),
       builder.getNamedAttr("kiln.dim_names", builder.getStrArrayAttr(dimNames(info, rank)))});
}

StringRef typeKind(const TypeProto &type) {
  switch (type.value_case()) {
  case TypeProto::kTensorType:
    return "tensor";
  case TypeProto::kSequenceType:
    return "sequence";
  case TypeProto::kMapType:
    return "map";
  case TypeProto::kOptionalType:
    return "optional";
  case TypeProto::kSparseTensorType:
    return "sparse tensor";
  case TypeProto::kOpaqueType:
    return "opaque";
  case TypeProto::VALUE_NOT_SET:
    return "";
  }
  return "";
}

} // namespace

GraphImporter::GraphImporter(MLIRContext &context, const jit::ImportRequest &request,
                             std::shared_ptr<const Model> model)
    : context(context), request(request), model(std::move(model)), files(request.path) {}

Result<jit::ImportedModule> GraphImporter::import() {
  const GraphProto &graph = model->proto.graph();
  Location fileLocation = locationOf(request.name);
  module = ModuleOp::create(fileLocation);
  function = func::FuncOp::create(fileLocation, "main", FunctionType::get(&context, {}, {}));
  module->push_back(function);
  build = std::make_unique<KilnBuilder>(function.addEntryBlock(), weights);
  build->setLocation(fileLocation);

  KILN_RETURN_IF_ERROR(readOpsets());
  KILN_RETURN_IF_ERROR(importInitializers(graph));
  KILN_RETURN_IF_ERROR(importInputs(graph));
  KILN_RETURN_IF_ERROR(importNodes(graph));
  if (!unsupportedList.empty())
    return unsupported("{0} unsupported operator{1}:\n  {2}", unsupportedList.size(),
                       unsupportedList.size() == 1 ? "" : "s", llvm::join(unsupportedList, "\n  "));
  build->setLocation(fileLocation);
  KILN_RETURN_IF_ERROR(importOutputs(graph));

  eraseUnused();

  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said += (said.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  if (failed(verify(*module)))
    return Status(Code::Internal, "the imported module does not verify: " + said);
  return jit::ImportedModule{std::move(module), weights.take()};
}

// ---- Places
// --------------------------------------------------------------------------------------------------

std::string GraphImporter::placeOf(const NodeProto &node, size_t index) const {
  if (!node.name().empty())
    return llvm::formatv("node '{0}' ({1})", node.name(), operatorName(node));
  // Unnamed nodes are common: what they define tells them apart.
  StringRef output = node.output_size() ? StringRef(node.output(0)) : StringRef();
  return llvm::formatv("node #{0} of '{1}' ({2})", index, output, operatorName(node));
}

Location GraphImporter::locationOf(StringRef text) const {
  return NameLoc::get(StringAttr::get(&context, text));
}

Result<int64_t> GraphImporter::opsetOf(StringRef domain) const {
  auto it = opsets.find(canonicalDomain(domain));
  if (it == opsets.end())
    return invalid("domain '{0}' is not among the model's opset_import", domain.empty() ? "ai.onnx" : domain);
  return it->second;
}

// ---- The model's header
// --------------------------------------------------------------------------------------

Status GraphImporter::readOpsets() {
  for (const OperatorSetIdProto &set : model->proto.opset_import()) {
    StringRef domain = canonicalDomain(set.domain());
    if (!opsets.try_emplace(domain, set.version()).second)
      return invalid("opset_import names domain '{0}' twice", domain.empty() ? "ai.onnx" : domain);
  }
  if (opsets.empty())
    return invalid("the model imports no operator set; expected an opset_import");
  for (const OpsetRange &range : opsetRanges())
    if (auto it = opsets.find(range.domain);
        it != opsets.end() && (it->second < range.first || it->second > range.last))
      return unsupported("operator set {0} of domain '{1}' is not supported; expected {2} to {3}", it->second,
                         range.domain.empty() ? "ai.onnx" : StringRef(range.domain), range.first, range.last);
  return {};
}

// ---- Values that the graph starts from
// -----------------------------------------------------------------------

Status GraphImporter::importInitializers(const GraphProto &graph) {
  if (graph.sparse_initializer_size())
    return unsupported("initializer '{0}': sparse tensors are not supported",
                       graph.sparse_initializer(0).values().name());
  for (int i = 0; i < graph.initializer_size(); ++i) {
    const TensorProto &tensor = graph.initializer(i);
    std::string place = "initializer '" + tensor.name() + "'";
    Result<TensorData> data =
        readTensor(&context, tensor, model->rawData[static_cast<size_t>(i)], model, files);
    if (!data.ok())
      return at(place, data.status());
    GraphValue value;
    value.data = *std::move(data);
    if (Status status = scope.define(tensor.name(), std::move(value)); !status.ok())
      return at(place, status);
  }
  return {};
}

Result<RankedTensorType> GraphImporter::typeOf(const ValueInfoProto &info) const {
  StringRef kind = typeKind(info.type());
  if (kind.empty())
    return invalid("no type; expected a tensor");
  if (kind != "tensor")
    return unsupported("type '{0}' is not supported; expected a tensor", kind);
  const TypeProto::Tensor &tensor = info.type().tensor_type();
  KILN_ASSIGN_OR_RETURN(Type element, toElementType(&context, tensor.elem_type()));
  if (!tensor.has_shape())
    return unsupported("a tensor of unknown rank is not supported; declare its shape");
  if (tensor.shape().dim_size() > 64)
    return invalid("rank {0}; expected at most 64", tensor.shape().dim_size());
  SmallVector<int64_t> dims;
  for (const TensorShapeProto::Dimension &dim : tensor.shape().dim()) {
    bool isKnown = dim.has_dim_value() && dim.dim_value() != -1; // exporters write -1 for a dynamic one
    if (isKnown && (dim.dim_value() < 0 || dim.dim_value() > kMaxElements))
      return invalid("dimension {0}; expected -1, or 0 to {1}", dim.dim_value(), kMaxElements);
    dims.push_back(isKnown ? dim.dim_value() : ShapedType::kDynamic);
  }
  if (!fitsElementLimit(dims))
    return invalid("its shape has too many elements; expected at most {0}", kMaxElements);
  return RankedTensorType::get(dims, element);
}

Status GraphImporter::importInputs(const GraphProto &graph) {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (const ValueInfoProto &info : graph.input()) {
    GraphValue *known = scope.find(info.name());
    if (known && known->data)
      continue; // up to IR version 3 initializers are listed as inputs; later that is a default
    std::string place = "input '" + info.name() + "'";
    Result<RankedTensorType> type = typeOf(info);
    if (!type.ok())
      return at(place, type.status());
    GraphValue value;
    value.tensor = function.front().addArgument(*type, locationOf(request.name + ": " + place));
    if (Status status = scope.define(info.name(), std::move(value)); !status.ok())
      return at(place, status);
    types.push_back(*type);
    attributes.push_back(portAttributes(build->builder(), info, type->getRank()));
  }
  function.setType(FunctionType::get(&context, types, {}));
  function.setAllArgAttrs(attributes);
  return {};
}

// ---- Nodes
// ---------------------------------------------------------------------------------------------------

Status GraphImporter::importNodes(const GraphProto &graph) {
  for (int i = 0; i < graph.node_size(); ++i)
    for (const std::string &output : graph.node(i).output())
      producers.try_emplace(output, placeOf(graph.node(i), static_cast<size_t>(i)));
  for (int i = 0; i < graph.node_size(); ++i)
    if (Status status = importNode(graph.node(i), static_cast<size_t>(i)); !status.ok())
      return at(placeOf(graph.node(i), static_cast<size_t>(i)), status);
  return {};
}

Status GraphImporter::importNode(const NodeProto &node, size_t index) {
  KILN_ASSIGN_OR_RETURN(bool complete, checkInputs(node));
  std::map<unsigned, GraphValue> lost;
  for (int i = 0; i < node.output_size(); ++i)
    lost[static_cast<unsigned>(i)].unsupported = true;

  KILN_ASSIGN_OR_RETURN(int64_t opset, opsetOf(node.domain()));
  const OpEntry *entry = findOp(node.domain(), node.op_type(), opset);
  if (!entry) {
    noteUnsupported(node, index, "");
    return defineOutputs(node, std::move(lost));
  }
  if (!complete)
    return defineOutputs(node, std::move(lost));
  build->setLocation(locationOf(request.name + ": " + placeOf(node, index)));
  Status status = importSupported(node, *entry, opset);
  if (status.code() != Code::Unimplemented)
    return status;
  noteUnsupported(node, index, status.message());
  return defineOutputs(node, std::move(lost));
}

Result<bool> GraphImporter::checkInputs(const NodeProto &node) {
  bool complete = true;
  for (const std::string &name : node.input()) {
    if (name.empty())
      continue; // an optional input left out
    GraphValue *value = scope.find(name);
    if (!value && producers.contains(name))
      return invalid(
          "input '{0}' is used before {1} defines it; expected nodes in topological order, without cycles",
          name, producers[name]);
    if (!value)
      return invalid(
          "input '{0}' is unknown; expected an input, an initializer or the output of an earlier node", name);
    complete &= !value->unsupported;
  }
  return complete;
}

Status GraphImporter::importSupported(const NodeProto &node, const OpEntry &entry, int64_t opset) {
  if (node.input_size() > entry.maxInputs)
    return invalid("{0} inputs; expected at most {1}", node.input_size(), entry.maxInputs);
  Node context(node, opset, scope, *build, files, model);
  for (int i = 0; i < entry.minInputs; ++i)
    if (!context.hasInput(static_cast<unsigned>(i)))
      return invalid("input {0} is missing; expected at least {1}", i, entry.minInputs);
  if (!foldShapes(context))
    KILN_RETURN_IF_ERROR(entry.import(context));
  KILN_RETURN_IF_ERROR(context.checkAttributes());
  for (unsigned i = 0; i < context.numOutputs(); ++i)
    if (context.wantsOutput(i) && !context.results().count(i))
      return unsupported("output {0} ('{1}') is not supported", i, node.output(static_cast<int>(i)));
  return defineOutputs(node, std::move(context.results()));
}

Status GraphImporter::defineOutputs(const NodeProto &node, std::map<unsigned, GraphValue> values) {
  for (int i = 0; i < node.output_size(); ++i)
    if (!node.output(i).empty())
      KILN_RETURN_IF_ERROR(scope.define(node.output(i), std::move(values[static_cast<unsigned>(i)])));
  return {};
}

void GraphImporter::noteUnsupported(const NodeProto &node, size_t index, StringRef reason, int depth) {
  Result<int64_t> opset = opsetOf(node.domain());
  std::string line = placeOf(node, index) + " of opset " + (opset.ok() ? std::to_string(*opset) : "unknown");
  unsupportedList.push_back(reason.empty() ? line : line + ": " + reason.str());
  if (depth == kMaxSubgraphDepth)
    return;
  for (const AttributeProto &attribute : node.attribute())
    if (attribute.has_g())
      for (int i = 0; i < attribute.g().node_size(); ++i) {
        const NodeProto &inner = attribute.g().node(i);
        Result<int64_t> innerOpset = opsetOf(inner.domain());
        if (!innerOpset.ok() || !findOp(inner.domain(), inner.op_type(), *innerOpset))
          noteUnsupported(inner, static_cast<size_t>(i), "", depth + 1);
      }
}

// ---- Results
// -------------------------------------------------------------------------------------------------

Status GraphImporter::importOutputs(const GraphProto &graph) {
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attributes;
  llvm::StringSet<> names;
  for (const ValueInfoProto &info : graph.output()) {
    std::string place = "output '" + info.name() + "'";
    GraphValue *value = scope.find(info.name());
    if (!value)
      return at(place, invalid("nothing defines it; expected the output of a node"));
    if (!names.insert(info.name()).second)
      return at(place, invalid("listed twice"));
    // Declared shapes are hints that real models get wrong; element types are not.
    RankedTensorType type = value->type();
    int declared = info.type().tensor_type().elem_type(), computed = toDataType(type.getElementType());
    if (declared && declared != computed)
      return at(place, invalid("declared as '{0}'; the graph computes '{1}'", dataTypeName(declared),
                               dataTypeName(computed)));
    results.push_back(materialize(*build, *value, info.name()));
    attributes.push_back(portAttributes(build->builder(), info, type.getRank()));
  }
  if (results.empty())
    return invalid("the graph has no outputs");
  build->builder().create<func::ReturnOp>(build->location(), results);
  function.setType(FunctionType::get(&context, function.getArgumentTypes(), TypeRange(ValueRange(results))));
  function.setAllResultAttrs(attributes);
  return {};
}

void GraphImporter::eraseUnused() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

} // namespace kiln::onnx
