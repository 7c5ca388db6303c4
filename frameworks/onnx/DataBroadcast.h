// DataBroadcast.h: operands that broadcast where only data say which extents are 1.
#ifndef KILN_ONNX_DATABROADCAST_H
#define KILN_ONNX_DATABROADCAST_H

#include "frameworks/onnx/Node.h"

namespace kiln::onnx {

/// Operands that are to meet element by element, made so that extents which data decide (of Unique, NonZero
/// ..), or a Reshape's -1, may turn out to be 1: kiln ops take unknown extents that meet to be equal.
/// Operands whose extents are all known, given by the model's inputs, or the same number stay as they are.
/// What is neither 1 nor the others' extent ends the run, as everywhere. The last `trailing` axes do not take
/// part.
Status broadcastByData(Node &node, llvm::MutableArrayRef<mlir::Value> operands, int64_t trailing = 0);

} // namespace kiln::onnx
#endif // KILN_ONNX_DATABROADCAST_H
