// Stack.h: sequences whose elements have one shape, as one tensor with the elements along its first axis.
#ifndef KILN_ONNX_STACK_H
#define KILN_ONNX_STACK_H

#include "frameworks/onnx/Node.h"

namespace kiln::onnx {

/// The type of the tensor that a sequence can be: [number of elements, extents that all share or that are not
/// known]. Null for an empty list, which fits every type. Unimplemented if ranks or element types differ.
Result<mlir::RankedTensorType> stackType(const GraphValue &sequence);

/// A sequence as a tensor of `type`, with whose rank and element type its own agree; an empty list has
/// extents of 0 where `type` has dynamic ones. That the elements have one shape is checked when the program
/// runs.
Result<mlir::Value> asStack(KilnBuilder &build, const GraphValue &sequence, mlir::RankedTensorType type);

} // namespace kiln::onnx
#endif // KILN_ONNX_STACK_H
