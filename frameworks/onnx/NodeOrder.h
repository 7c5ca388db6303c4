// NodeOrder.h: the order in which a graph's nodes can be imported.
#ifndef KILN_ONNX_NODEORDER_H
#define KILN_ONNX_NODEORDER_H

#include "frameworks/onnx/schema/onnx.pb.h"

#include <vector>

namespace kiln::onnx {

/// Indices of `nodes`, each behind those whose outputs it or its graphs read: the file's order where that is
/// possible. ONNX asks for sorted nodes, but tools append the casts and quantizers that they insert. On a
/// cycle some node still comes before one that it reads: importing it finds the input undefined. For any
/// thread.
std::vector<size_t> importOrder(const google::protobuf::RepeatedPtrField<NodeProto> &nodes);

} // namespace kiln::onnx
#endif // KILN_ONNX_NODEORDER_H
