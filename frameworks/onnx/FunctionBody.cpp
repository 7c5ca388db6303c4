// FunctionBody.cpp: substitution of attributes, in nodes and in the graphs inside of them.
#include "frameworks/onnx/FunctionBody.h"

#include "frameworks/onnx/OpTable.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace kiln::onnx {
namespace {

/// The substitution for one call. Borrows the call and the function.
class Substitution {
public:
  Substitution(const FunctionProto &function, const NodeProto &call) {
    for (const AttributeProto &attribute : function.attribute_proto())
      values[attribute.name()] = &attribute;
    for (const AttributeProto &attribute : call.attribute())
      values[attribute.name()] = &attribute;
    for (int i = 0; i < function.input_size(); ++i)
      if (i >= call.input_size() || call.input(i).empty())
        missing.insert(function.input(i));
  }

  void apply(google::protobuf::RepeatedPtrField<NodeProto> &nodes) const {
    for (NodeProto &node : nodes)
      apply(node);
  }

private:
  void apply(NodeProto &node) const {
    for (std::string &input : *node.mutable_input())
      if (missing.contains(input))
        input.clear();
    for (int i = node.attribute_size() - 1; i >= 0; --i) {
      AttributeProto &attribute = *node.mutable_attribute(i);
      if (attribute.has_g())
        apply(*attribute.mutable_g()->mutable_node());
      if (attribute.ref_attr_name().empty())
        continue;
      auto value = values.find(attribute.ref_attr_name());
      if (value == values.end()) {
        node.mutable_attribute()->DeleteSubrange(i, 1);
        continue;
      }
      std::string name = attribute.name();
      attribute = *value->second;
      attribute.set_name(name);
    }
  }

  llvm::StringMap<const AttributeProto *> values;
  llvm::StringSet<> missing;
};

} // namespace

std::string functionKey(llvm::StringRef domain, llvm::StringRef name, llvm::StringRef overload) {
  return (canonicalDomain(domain) + "\n" + name + "\n" + overload).str();
}

std::shared_ptr<const FunctionProto> instantiate(const FunctionProto &function, const NodeProto &call) {
  auto body = std::make_shared<FunctionProto>(function);
  Substitution(function, call).apply(*body->mutable_node());
  return body;
}

} // namespace kiln::onnx
