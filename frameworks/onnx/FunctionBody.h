// FunctionBody.h: functions that a model brings along.
#ifndef KILN_ONNX_FUNCTIONBODY_H
#define KILN_ONNX_FUNCTIONBODY_H

#include "frameworks/onnx/schema/onnx.pb.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace kiln::onnx {

/// What tells functions apart.
std::string functionKey(llvm::StringRef domain, llvm::StringRef name, llvm::StringRef overload);

/// A copy of `function` for one call: its nodes' references to attributes are the call's values or the
/// function's defaults, or gone; inputs that the call leaves out are left out in the nodes.
std::shared_ptr<const FunctionProto> instantiate(const FunctionProto &function, const NodeProto &call);

} // namespace kiln::onnx
#endif // KILN_ONNX_FUNCTIONBODY_H
