// GraphImporter.cpp: a model's header, inputs, constants and outputs.
#include "frameworks/onnx/GraphImporter.h"

#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/FunctionBody.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

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

std::string shapeText(ArrayRef<int64_t> dims) {
  auto text = [](int64_t dim) { return ShapedType::isDynamic(dim) ? "?" : std::to_string(dim); };
  return dims.empty() ? "scalar" : llvm::join(llvm::map_range(dims, text), "x");
}

/// Extents that no op asked for in the end, constants that were folded.
void eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        eraseUnused(inner);
    if (isOpTriviallyDead(&op))
      op.erase();
  }
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

  KILN_ASSIGN_OR_RETURN(llvm::StringMap<int64_t> opsets, readOpsets(model->proto.opset_import()));
  if (opsets.empty())
    return invalid("the model imports no operator set; expected an opset_import");
  KILN_RETURN_IF_ERROR(readFunctions());
  Frame frame{GraphScope(&function.front()), opsets, model, "", 0, {}};
  KILN_RETURN_IF_ERROR(importInitializers(graph, frame, model->rawData));
  KILN_RETURN_IF_ERROR(importInputs(graph, frame));
  KILN_RETURN_IF_ERROR(importNodes(graph.node(), frame));
  if (!unsupportedList.empty())
    return unsupported("{0} unsupported operator{1}\nnote: {2}", unsupportedList.size(),
                       unsupportedList.size() == 1 ? "" : "s", llvm::join(unsupportedList, "\nnote: "));
  build->setLocation(fileLocation);
  KILN_RETURN_IF_ERROR(importOutputs(graph, frame));
  eraseUnused(function.front());

  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said += (said.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  if (failed(verify(*module)))
    return Status(Code::Internal, "the imported module does not verify: " + said);
  return jit::ImportedModule{std::move(module), weights.take()};
}

// ---- The model's header
// --------------------------------------------------------------------------------------

Result<llvm::StringMap<int64_t>> GraphImporter::readOpsets(const OpsetList &sets) {
  llvm::StringMap<int64_t> opsets;
  for (const OperatorSetIdProto &set : sets) {
    // Tools that merge models leave a domain there twice, or under both of its names: the last one counts.
    opsets[canonicalDomain(set.domain())] = set.version();
  }
  for (const OpsetRange &range : opsetRanges())
    if (auto it = opsets.find(range.domain);
        it != opsets.end() && (it->second < range.first || it->second > range.last))
      return unsupported("operator set {0} of domain '{1}' is not supported; expected {2} to {3}", it->second,
                         range.domain.empty() ? "ai.onnx" : StringRef(range.domain), range.first, range.last);
  return opsets;
}

Status GraphImporter::readFunctions() {
  for (const FunctionProto &each : model->proto.functions())
    if (!functions.try_emplace(functionKey(each.domain(), each.name(), each.overload()), &each).second)
      return invalid("function '{0}' of domain '{1}' is defined twice", each.name(), each.domain());
  return {};
}

// ---- Values that the graph starts from
// -----------------------------------------------------------------------

Status GraphImporter::importInitializers(const GraphProto &graph, Frame &frame,
                                         ArrayRef<std::optional<ArrayRef<char>>> rawData) {
  if (graph.sparse_initializer_size())
    return unsupported("initializer '{0}': sparse tensors are not supported",
                       graph.sparse_initializer(0).values().name());
  for (int i = 0; i < graph.initializer_size(); ++i) {
    const TensorProto &tensor = graph.initializer(i);
    std::string place = "initializer '" + tensor.name() + "'";
    Result<TensorData> data =
        readTensor(&context, tensor, rawData.empty() ? std::nullopt : rawData[static_cast<size_t>(i)],
                   frame.owner, files);
    if (!data.ok())
      return at(place, data.status());
    GraphValue value;
    value.data = *std::move(data);
    if (Status status = frame.scope.define(tensor.name(), std::move(value)); !status.ok())
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
    return invalid("shape {0} has too many elements; expected at most {1}", shapeText(dims), kMaxElements);
  return RankedTensorType::get(dims, element);
}

Result<RankedTensorType> GraphImporter::inputType(const ValueInfoProto &info,
                                                  const jit::InputShape *asked) const {
  bool isDeclared = typeKind(info.type()) != "tensor" || info.type().tensor_type().has_shape();
  if (!asked)
    return typeOf(info);
  if (!fitsElementLimit(asked->dims) || llvm::any_of(asked->dims, [](int64_t dim) { return dim < 0; }))
    return invalid("imported for shape {0}; expected extents >= 0, at most {1} elements",
                   shapeText(asked->dims), kMaxElements);
  if (!isDeclared) {
    KILN_ASSIGN_OR_RETURN(Type element, toElementType(&context, info.type().tensor_type().elem_type()));
    return RankedTensorType::get(asked->dims, element);
  }
  KILN_ASSIGN_OR_RETURN(RankedTensorType declared, typeOf(info));
  bool fits = declared.getRank() == static_cast<int64_t>(asked->dims.size());
  for (size_t axis = 0; fits && axis < asked->dims.size(); ++axis)
    fits = declared.isDynamicDim(axis) || declared.getDimSize(axis) == asked->dims[axis];
  if (!fits)
    return invalid("imported for shape {0}; expected {1} as the model declares", shapeText(asked->dims),
                   shapeText(declared.getShape()));
  return declared.clone(asked->dims);
}

Status GraphImporter::importInputs(const GraphProto &graph, Frame &frame) {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  std::string names;
  size_t used = 0;
  for (const ValueInfoProto &info : graph.input()) {
    GraphValue *known = frame.scope.find(info.name());
    if (known && known->data)
      continue; // up to IR version 3 initializers are listed as inputs; later that is a default
    std::string place = "input '" + info.name() + "'";
    names += (names.empty() ? "'" : ", '") + info.name() + "'";
    const jit::InputShape *asked = nullptr;
    for (auto [position, shape] : llvm::enumerate(request.shapes))
      if (shape.name.empty() ? position == types.size() : shape.name == info.name()) {
        if (asked)
          return at(place, invalid("imported for two shapes; expected one"));
        asked = &shape;
        ++used;
      }
    Result<RankedTensorType> type = inputType(info, asked);
    if (!type.ok())
      return at(place, type.status());
    GraphValue value;
    value.tensor = function.front().addArgument(*type, locationOf(request.name + ": " + place));
    if (Status status = frame.scope.define(info.name(), std::move(value)); !status.ok())
      return at(place, status);
    types.push_back(*type);
    attributes.push_back(portAttributes(build->builder(), info, type->getRank()));
  }
  if (used != request.shapes.size())
    return invalid("{0} shapes of inputs, {1} of them for none of the model's; expected shapes of {2}",
                   request.shapes.size(), request.shapes.size() - used, names.empty() ? "none" : names);
  function.setType(FunctionType::get(&context, types, {}));
  function.setAllArgAttrs(attributes);
  return {};
}

// ---- Results
// -------------------------------------------------------------------------------------------------

Status GraphImporter::importOutputs(const GraphProto &graph, Frame &frame) {
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attributes;
  llvm::StringSet<> names;
  for (const ValueInfoProto &info : graph.output()) {
    std::string place = "output '" + info.name() + "'";
    GraphValue *value = frame.scope.find(info.name());
    if (!value)
      return at(place, invalid("nothing defines it; expected the output of a node"));
    if (!names.insert(info.name()).second)
      return at(place, invalid("listed twice"));
    if (value->isSequence())
      return at(place, unsupported("a sequence; expected a tensor"));
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

Result<OwningOpRef<ModuleOp>> GraphImporter::declaration() const {
  OpBuilder builder(&context);
  SmallVector<Type> results;
  SmallVector<DictionaryAttr> resultAttributes, argumentAttributes;
  for (const ValueInfoProto &info : model->proto.graph().output()) {
    Result<RankedTensorType> type = typeOf(info);
    if (!type.ok())
      return at("output '" + info.name() + "'", type.status());
    results.push_back(*type);
    resultAttributes.push_back(portAttributes(builder, info, type->getRank()));
  }
  func::FuncOp imported = function;
  imported.getAllArgAttrs(argumentAttributes);
  Location location = locationOf(request.name);
  OwningOpRef<ModuleOp> declared = ModuleOp::create(location);
  auto main = func::FuncOp::create(location, "main",
                                   FunctionType::get(&context, imported.getArgumentTypes(), results));
  main.setPrivate();
  main.setAllArgAttrs(argumentAttributes);
  main.setAllResultAttrs(resultAttributes);
  declared->push_back(main);
  return declared;
}

} // namespace kiln::onnx
