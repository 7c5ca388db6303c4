// GraphScope.cpp: a map that refuses to define a name twice.
#include "frameworks/onnx/GraphScope.h"

#include "frameworks/onnx/Errors.h"

namespace kiln::onnx {

Status GraphScope::define(llvm::StringRef name, GraphValue value) {
  if (name.empty())
    return invalid("a value without a name");
  if (!values.try_emplace(name, std::move(value)).second)
    return invalid("value '{0}' is defined twice; expected one definition a name", name);
  return {};
}

GraphValue *GraphScope::find(llvm::StringRef name) {
  auto it = values.find(name);
  return it == values.end() ? nullptr : &it->second;
}

} // namespace kiln::onnx
