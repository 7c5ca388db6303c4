// GraphScope.cpp: a map that refuses to define a name twice.
#include "frameworks/onnx/GraphScope.h"

#include "frameworks/onnx/Errors.h"

namespace kiln::onnx {

bool GraphValue::isSame(const GraphValue &other) const {
  if (tensor && tensor == other.tensor)
    return true;
  if (shape && other.shape)
    return shape->elementType == other.shape->elementType && shape->isScalar == other.shape->isScalar &&
           shape->columns == other.shape->columns && shape->elements == other.shape->elements;
  if (isSequence())
    return sequence == other.sequence && stack == other.stack;
  return data && other.data && data->type == other.data->type &&
         data->bytes.data() == other.data->bytes.data();
}

Status GraphScope::define(llvm::StringRef name, GraphValue value) {
  if (name.empty())
    return invalid("a value without a name");
  if (!value.home)
    value.home = block;
  if (!values.try_emplace(name, std::move(value)).second)
    return invalid("value '{0}' is defined twice; expected one definition a name", name);
  return {};
}

GraphValue *GraphScope::find(llvm::StringRef name) {
  auto it = values.find(name);
  if (it != values.end())
    return &it->second;
  return outer ? outer->find(name) : nullptr;
}

} // namespace kiln::onnx
