// NodeOrder.cpp: depth first from each node in the file's order, on a stack of its own: chains of nodes are
// long.
#include "frameworks/onnx/NodeOrder.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace kiln::onnx {
namespace {

/// Calls `visit` with every name that the node reads from outside; names of inner graphs hide those.
void forEachRead(const NodeProto &node, llvm::function_ref<void(llvm::StringRef)> visit) {
  for (const std::string &name : node.input())
    if (!name.empty())
      visit(name);
  for (const AttributeProto &attribute : node.attribute()) {
    if (!attribute.has_g())
      continue;
    const GraphProto &graph = attribute.g();
    llvm::StringSet<> own;
    for (const ValueInfoProto &input : graph.input())
      own.insert(input.name());
    for (const TensorProto &initializer : graph.initializer())
      own.insert(initializer.name());
    for (const NodeProto &inner : graph.node())
      for (const std::string &output : inner.output())
        own.insert(output);
    auto visitOuter = [&](llvm::StringRef name) {
      if (!own.contains(name))
        visit(name);
    };
    for (const NodeProto &inner : graph.node())
      forEachRead(inner, visitOuter);
    for (const ValueInfoProto &output : graph.output())
      visitOuter(output.name());
  }
}

/// One node on the way down, and how many of those before it were looked at.
struct Visit {
  size_t node, next = 0;
};

} // namespace

std::vector<size_t> importOrder(const google::protobuf::RepeatedPtrField<NodeProto> &nodes) {
  llvm::StringMap<size_t> producers;
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string &output : nodes[i].output())
      producers.try_emplace(output, static_cast<size_t>(i));
  std::vector<std::vector<size_t>> before(static_cast<size_t>(nodes.size()));
  for (size_t i = 0; i < before.size(); ++i)
    forEachRead(nodes[static_cast<int>(i)], [&](llvm::StringRef name) {
      if (auto producer = producers.find(name); producer != producers.end())
        before[i].push_back(producer->second);
    });

  std::vector<size_t> order;
  std::vector<bool> isSeen(before.size());
  std::vector<Visit> way;
  for (size_t first = 0; first < before.size(); ++first) {
    if (isSeen[first])
      continue;
    isSeen[first] = true;
    way.push_back({first});
    while (!way.empty()) {
      Visit &visit = way.back();
      if (visit.next == before[visit.node].size()) {
        order.push_back(visit.node);
        way.pop_back();
        continue;
      }
      size_t next = before[visit.node][visit.next++];
      if (!isSeen[next]) {
        isSeen[next] = true;
        way.push_back({next});
      }
    }
  }
  return order;
}

} // namespace kiln::onnx
