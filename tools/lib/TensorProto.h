// TensorProto.h: ONNX's .pb files of single tensors, as its test cases have them.
#ifndef KILN_TOOLS_LIB_TENSORPROTO_H
#define KILN_TOOLS_LIB_TENSORPROTO_H

#include "tools/lib/HostTensor.h"

#include <span>

namespace kiln::tools {

/// Parses a serialized TensorProto; `what` names the file in errors. InvalidArgument: not the wire format,
/// data that does not fit the shape. Unimplemented: strings, complex numbers, segments, external data, types
/// Kiln lacks.
Result<HostTensor> parseTensorProto(std::span<const std::byte> bytes, const std::string &what);

Result<HostTensor> readTensorProto(const std::string &path); // name: the proto's, or the file's stem

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_TENSORPROTO_H
