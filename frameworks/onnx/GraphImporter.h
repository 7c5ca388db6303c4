// GraphImporter.h: turns a parsed model into a function of kiln ops.
#ifndef KILN_ONNX_GRAPHIMPORTER_H
#define KILN_ONNX_GRAPHIMPORTER_H

#include "frameworks/onnx/ExternalFiles.h"
#include "frameworks/onnx/GraphScope.h"
#include "frameworks/onnx/KilnBuilder.h"
#include "frameworks/onnx/ModelReader.h"
#include "frameworks/onnx/OpTable.h"
#include "kiln/jit/Importer.h"

namespace kiln::onnx {

/// Imports one model. Nodes are imported in the order of the file, which has to be topological; a node that
/// cannot be imported is noted, and so is all that depends on it, so that one message lists every unsupported
/// operator. Make one, call import() once. For one thread; the context is used by nobody else meanwhile.
class GraphImporter {
public:
  GraphImporter(mlir::MLIRContext &context, const jit::ImportRequest &request,
                std::shared_ptr<const Model> model);

  Result<jit::ImportedModule> import();

private:
  Status readOpsets();
  Status importInitializers(const GraphProto &graph);
  Status importInputs(const GraphProto &graph);
  Status importNodes(const GraphProto &graph);
  Status importNode(const NodeProto &node, size_t index);
  Status importSupported(const NodeProto &node, const OpEntry &entry, int64_t opset);
  /// Whether the node's inputs are there; an error if a name is unknown. False if one of them is unsupported.
  Result<bool> checkInputs(const NodeProto &node);
  Status defineOutputs(const NodeProto &node, std::map<unsigned, GraphValue> values);
  Status importOutputs(const GraphProto &graph);
  /// Extents that no op asked for in the end, constants that were folded.
  void eraseUnused();
  /// Notes an operator of a subgraph too: its body is not looked at otherwise.
  void noteUnsupported(const NodeProto &node, size_t index, llvm::StringRef reason, int depth = 0);

  std::string placeOf(const NodeProto &node, size_t index) const;
  mlir::Location locationOf(llvm::StringRef text) const;
  Result<int64_t> opsetOf(llvm::StringRef domain) const;
  Result<mlir::RankedTensorType> typeOf(const ValueInfoProto &info) const;

  mlir::MLIRContext &context;
  const jit::ImportRequest &request;
  std::shared_ptr<const Model> model;
  ExternalFiles files;
  WeightStore weights;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::unique_ptr<KilnBuilder> build;
  GraphScope scope;
  llvm::StringMap<int64_t> opsets; // by canonical domain
  llvm::StringMap<std::string>
      producers; // of every value: the place of its node, to tell a cycle from a typo
  std::vector<std::string> unsupportedList; // lines of the one refusal
};

} // namespace kiln::onnx
#endif // KILN_ONNX_GRAPHIMPORTER_H
