// ConstantTrace.h: what a short tensor of integers holds, where layout operators made it of constants.
#ifndef KILN_ONNX_CONSTANTTRACE_H
#define KILN_ONNX_CONSTANTTRACE_H

#include "frameworks/onnx/ShapeValue.h"

namespace kiln::onnx {

/// The elements of `tensor` by the folders of the kiln ops that compute it, booleans as 0 and 1; nullopt if
/// they depend on anything but small constants, or ShapeValue cannot hold the type. Exporters compute pads
/// so: a list of pairs, reshaped, reversed and transposed.
std::optional<llvm::SmallVector<int64_t>> traceConstant(mlir::Value tensor);

} // namespace kiln::onnx
#endif // KILN_ONNX_CONSTANTTRACE_H
