// GraphImporter.h: turns a parsed model into a function of kiln ops.
#ifndef KILN_ONNX_GRAPHIMPORTER_H
#define KILN_ONNX_GRAPHIMPORTER_H

#include "frameworks/onnx/ModelReader.h"
#include "frameworks/onnx/Node.h"
#include "kiln/jit/Importer.h"

namespace kiln::onnx {

/// Imports one model. Nodes are imported in the order of the file as far as their inputs allow it
/// (NodeOrder.h); a node that cannot be imported is noted, and so is all that depends on it, so that one
/// message lists every unsupported operator. Nodes that a function of the model defines become its body.
/// GraphImporter.cpp has what belongs to a model, NodeImport.cpp what belongs to graphs. Make one, call
/// import() once. For one thread; the context is used by nobody else meanwhile.
class GraphImporter final : SubgraphImporter {
public:
  GraphImporter(mlir::MLIRContext &context, const jit::ImportRequest &request,
                std::shared_ptr<const Model> model);

  Result<jit::ImportedModule> import();
  /// After import(): what it refused, a line a node.
  llvm::ArrayRef<std::string> refusals() const { return unsupportedList; }
  /// After an import() that came as far as its nodes: @main without a body, with the types that the model
  /// declares. Fails if an output's is not declared.
  Result<mlir::OwningOpRef<mlir::ModuleOp>> declaration() const;

private:
  using OpsetList = google::protobuf::RepeatedPtrField<OperatorSetIdProto>;
  Result<llvm::StringMap<int64_t>> readOpsets(const OpsetList &sets);
  Status readFunctions();
  /// `rawData`: see StrippedModel; none for graphs inside of the main one.
  Status importInitializers(const GraphProto &graph, Frame &frame,
                            llvm::ArrayRef<std::optional<llvm::ArrayRef<char>>> rawData);
  Status importInputs(const GraphProto &graph, Frame &frame);
  Status importOutputs(const GraphProto &graph, Frame &frame);
  Result<mlir::RankedTensorType> typeOf(const ValueInfoProto &info) const;
  /// The same with the extents that the request asks for, if it does.
  Result<mlir::RankedTensorType> inputType(const ValueInfoProto &info, const jit::InputShape *asked) const;

  using NodeList = google::protobuf::RepeatedPtrField<NodeProto>;
  Status importNodes(const NodeList &nodes, Frame &frame);
  Status importNode(const NodeProto &node, size_t index, Frame &frame);
  Status importSupported(const NodeProto &node, const OpEntry &entry, int64_t opset, Frame &frame);
  Result<std::vector<GraphValue>> importSubgraph(const GraphProto &graph, Frame &outer,
                                                 llvm::ArrayRef<GraphValue> inputs,
                                                 mlir::Block *block) override;
  bool hasKnownShapes() const override { return !request.shapes.empty(); }
  /// The body of a function of the model in place of `node`.
  Status importCall(const NodeProto &node, size_t index, const FunctionProto &function, Frame &frame);
  /// Whether the node's inputs are there; an error if a name is unknown. False if one of them is unsupported.
  Result<bool> checkInputs(const NodeProto &node, Frame &frame);
  Status defineOutputs(const NodeProto &node, std::map<unsigned, GraphValue> values, Frame &frame);
  void noteUnsupported(const NodeProto &node, size_t index, llvm::StringRef reason, const Frame &frame);
  /// Notes operators of the node's graphs that nobody knows, where they are not looked at otherwise.
  void noteInner(const NodeProto &node, const Frame &frame, unsigned depth);

  const FunctionProto *functionOf(const NodeProto &node) const;
  std::string placeOf(const NodeProto &node, size_t index, const Frame &frame) const;
  mlir::Location locationOf(llvm::StringRef text) const;

  mlir::MLIRContext &context;
  const jit::ImportRequest &request;
  std::shared_ptr<const Model> model;
  ExternalFiles files;
  WeightStore weights;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::unique_ptr<KilnBuilder> build;
  llvm::StringMap<const FunctionProto *> functions; // by domain, name and overload
  size_t inlinedNodes = 0;
  std::vector<std::string> unsupportedList; // lines of the one refusal
  llvm::StringSet<> unsupportedLines;       // the same: a loop's body may be imported several times
};

} // namespace kiln::onnx
#endif // KILN_ONNX_GRAPHIMPORTER_H
