// Node.h: one node of a graph as its import function sees it.
#ifndef KILN_ONNX_NODE_H
#define KILN_ONNX_NODE_H

#include "frameworks/onnx/GraphScope.h"
#include "frameworks/onnx/KilnBuilder.h"
#include "frameworks/onnx/OpTable.h"
#include "frameworks/onnx/schema/onnx.pb.h"

#include "llvm/ADT/StringSet.h"

#include <map>

namespace kiln::onnx {

/// What nodes are imported in: one graph or one function's body.
struct Frame {
  GraphScope scope;
  const llvm::StringMap<int64_t> &opsets; // by canonical domain
  std::shared_ptr<const void> owner;      // of the nodes' messages
  std::string prefix;                     // of the nodes' places, "" in a model's own graphs
  unsigned depth = 0;                     // graphs and functions around it
  llvm::StringMap<std::string>
      producers; // of every value: the place of its node, to tell a cycle from a typo
};

/// Imports the graphs that are attributes of nodes. GraphImporter is the one.
class SubgraphImporter {
public:
  virtual ~SubgraphImporter() = default;
  /// The outputs of `graph` for these inputs, built at the end of `block`. Values that something unsupported
  /// decides are among them.
  virtual Result<std::vector<GraphValue>> importSubgraph(const GraphProto &graph, Frame &outer,
                                                         llvm::ArrayRef<GraphValue> inputs,
                                                         mlir::Block *block) = 0;
  /// Whether the model is imported for shapes that the caller gave, after an import without them was refused.
  virtual bool hasKnownShapes() const = 0;
};

/// Inputs, attributes and outputs of a node, checked. Errors name the input or attribute; GraphImporter puts
/// the node's place in front. Lives for the import of one node; borrows the graph; for one thread.
class Node {
public:
  Node(const NodeProto &proto, int64_t opset, Frame &frame, KilnBuilder &build, ExternalFiles &files,
       SubgraphImporter &subgraphs)
      : build(build), proto(proto), theOpset(opset), frame(frame), files(files), subgraphs(subgraphs) {}

  int64_t opset() const { return theOpset; }
  llvm::StringRef op() const { return proto.op_type(); }
  bool isOnnxDomain() const { return canonicalDomain(proto.domain()).empty(); }

  // ---- Inputs. Those below the entry's minInputs are there.
  unsigned numInputs() const { return static_cast<unsigned>(proto.input_size()); }
  bool hasInput(unsigned i) const { return i < numInputs() && !proto.input(static_cast<int>(i)).empty(); }
  GraphValue &input(unsigned i) { return *frame.scope.find(proto.input(static_cast<int>(i))); }
  mlir::RankedTensorType type(unsigned i) { return input(i).type(); }
  mlir::Type elementType(unsigned i) { return type(i).getElementType(); }
  int64_t rank(unsigned i) { return type(i).getRank(); }
  /// As a tensor: constants and shape values become ops here.
  mlir::Value tensor(unsigned i);
  /// Null if left out.
  mlir::Value tensorOrNull(unsigned i) { return hasInput(i) ? tensor(i) : mlir::Value(); }
  llvm::SmallVector<mlir::Value> tensors(unsigned first = 0);
  Extent dim(unsigned i, int64_t axis);
  Extents shape(unsigned i);
  /// The value as a list of integers known to the importer; null if it is an ordinary tensor.
  const ShapeValue *shapeValue(unsigned i);
  /// The same for a matrix.
  const ShapeValue *shapeMatrix(unsigned i);
  /// The same, with elements read from data if need be: an integer tensor of rank 0 or 1 with few elements,
  /// or a boolean one.
  Result<ShapeValue> extents(unsigned i, llvm::StringRef what);
  Result<ShapeValue> extents(GraphValue &value, llvm::StringRef what);
  /// Integers that must be known at import. Unimplemented otherwise.
  Result<llvm::SmallVector<int64_t>> knownIntegers(unsigned i, llvm::StringRef what);
  /// Whether input `i` is there, but computed when the model runs.
  bool isFromData(unsigned i);
  /// `axes` as this opset gives them: an attribute, or input `i` from opset `inputSince` on. nullopt if left
  /// out. Not normalised.
  Result<std::optional<llvm::SmallVector<int64_t>>> axes(unsigned i, int inputSince);
  /// The one element of a boolean, read from data if need be.
  Result<Extent> condition(unsigned i, llvm::StringRef what) { return condition(input(i), what); }
  Result<Extent> condition(GraphValue &value, llvm::StringRef what);
  /// What Split divides an axis of this extent into: attribute `split`, input 1 or equal parts.
  Result<Extents> splitSizes(Extent extent);
  /// One number that is known at import, if it is.
  std::optional<double> knownNumber(unsigned i);
  /// Fails unless the element type is one of ONNX's that kiln's op takes.
  Status requireFloat(unsigned i);

  // ---- Attributes. Every one must be read or ignored: what is left over is an error.
  bool hasAttribute(llvm::StringRef name) const { return find(name) != nullptr; }
  Result<int64_t> integerAttribute(llvm::StringRef name, std::optional<int64_t> byDefault = {});
  Result<bool> flagAttribute(llvm::StringRef name, bool byDefault);
  Result<double> realAttribute(llvm::StringRef name, std::optional<double> byDefault = {});
  Result<std::string> stringAttribute(llvm::StringRef name, std::optional<std::string> byDefault = {});
  /// An attribute that names an element type; `byDefault` if it is left out or 0.
  Result<mlir::Type> typeAttribute(llvm::StringRef name, mlir::Type byDefault);
  /// nullopt if absent.
  Result<std::optional<llvm::SmallVector<int64_t>>> integersAttribute(llvm::StringRef name);
  Result<std::optional<std::vector<float>>> realsAttribute(llvm::StringRef name);
  Result<std::optional<std::vector<std::string>>> stringsAttribute(llvm::StringRef name);
  Result<TensorData> tensorAttribute(llvm::StringRef name);
  Result<const GraphProto *> graphAttribute(llvm::StringRef name);
  /// The outputs of a graph of this node, built at the end of `block`.
  Result<std::vector<GraphValue>> importGraph(llvm::StringRef attribute, llvm::ArrayRef<GraphValue> inputs,
                                              mlir::Block *block);
  bool hasKnownShapes() const { return subgraphs.hasKnownShapes(); }
  void ignoreAttribute(llvm::StringRef name) { read.insert(name); }
  /// InvalidArgument if the node has attributes that nobody asked for, or one twice.
  Status checkAttributes() const;

  /// `axis` counted from 0. Fails unless it lies in [-rank, rank).
  static Result<int64_t> normalizeAxis(int64_t axis, int64_t rank);
  /// Also ascending, each once.
  static Result<llvm::SmallVector<int64_t>> normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);
  /// The attribute `axis`, normalised for input 0.
  Result<int64_t> axisAttribute(std::optional<int64_t> byDefault = {}, llvm::StringRef name = "axis");

  // ---- Outputs.
  unsigned numOutputs() const { return static_cast<unsigned>(proto.output_size()); }
  bool wantsOutput(unsigned i) const {
    return i < numOutputs() && !proto.output(static_cast<int>(i)).empty();
  }
  void setOutput(unsigned i, GraphValue value) { outputs[i] = std::move(value); }
  void setOutput(unsigned i, mlir::Value value) { outputs[i].tensor = value; }
  void setOutput(unsigned i, ShapeValue value) { outputs[i].shape = std::move(value); }
  void setOutput(unsigned i, TensorData value) { outputs[i].data = std::move(value); }
  /// Sets output 0 to a value that may have failed: how most import functions end.
  Status output(Result<mlir::Value> value);
  /// Every output depends on something that is in the list of what is unsupported.
  void setOutputsUnsupported();
  unsigned depth() const { return frame.depth; }
  /// What was set, by output.
  std::map<unsigned, GraphValue> &results() { return outputs; }

  KilnBuilder &build;

private:
  const AttributeProto *find(llvm::StringRef name) const;
  Result<const AttributeProto *> attribute(llvm::StringRef name, int type, bool required);

  const NodeProto &proto;
  int64_t theOpset;
  Frame &frame;
  ExternalFiles &files;
  SubgraphImporter &subgraphs;
  llvm::StringSet<> read;
  std::map<unsigned, GraphValue> outputs;
};

/// The tensor that a graph value stands for, made on first use, where all who see the value may use it.
mlir::Value materialize(KilnBuilder &build, GraphValue &value, llvm::StringRef name);
/// The shape value that a graph value is or, for a small integer constant and what layout operators make of
/// one, can become. Null otherwise.
const ShapeValue *asShapeValue(KilnBuilder &build, GraphValue &value);

} // namespace kiln::onnx
#endif // KILN_ONNX_NODE_H
