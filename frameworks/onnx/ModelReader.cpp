// ModelReader.cpp: strips the weights, then lets protobuf parse what is left.
#include "frameworks/onnx/ModelReader.h"

#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/WireFormat.h"

#include <google/protobuf/io/coded_stream.h>

using llvm::ArrayRef;

namespace kiln::onnx {

Result<std::shared_ptr<const Model>> readModel(ArrayRef<char> bytes, std::shared_ptr<const void> source) {
  if (bytes.empty())
    return invalid("the file is empty; expected an ONNX model");
  KILN_ASSIGN_OR_RETURN(StrippedModel stripped, stripPayloads(bytes));
  if (stripped.message.size() > INT32_MAX)
    return invalid("{0} bytes without the weights; expected less than 2 GiB", stripped.message.size());

  auto model = std::make_shared<Model>();
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(stripped.message.data()),
                                                static_cast<int>(stripped.message.size()));
  stream.SetRecursionLimit(kMaxNesting);
  if (!model->proto.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    return invalid(
        "not an ONNX model: protobuf cannot parse it (damaged, or nested deeper than {0} messages)",
        kMaxNesting);
  if (!model->proto.has_graph())
    return invalid("not an ONNX model: it has no graph");
  if (model->proto.graph().initializer_size() != static_cast<int>(stripped.rawData.size()))
    return invalid("not an ONNX model: its initializers are not messages");
  model->rawData = std::move(stripped.rawData);
  model->source = std::move(source);
  return std::shared_ptr<const Model>(std::move(model));
}

bool looksLikeModel(ArrayRef<char> bytes) {
  // ir_version (field 1, a number below 128) comes first in every file that a tool wrote, then a field of
  // ModelProto.
  auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  if (bytes.size() < 4 || byte(0) != 0x08 || byte(1) == 0 || byte(1) > 0x7f)
    return false;
  unsigned field = byte(2) >> 3, wireType = byte(2) & 7;
  return (field == 5 && wireType == 0) || (field >= 2 && field <= 8 && field != 5 && wireType == 2);
}

} // namespace kiln::onnx
