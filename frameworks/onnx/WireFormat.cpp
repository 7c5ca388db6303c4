// WireFormat.cpp: a walk over ModelProto > graph > initializer > raw_data that copies all else verbatim.
//
// protobuf-lite copies every `bytes` field into a string; a model is mostly weights, which are better used
// where the file is mapped. Only the fields on the way are looked into: their lengths change.
#include "frameworks/onnx/WireFormat.h"

#include "frameworks/onnx/Errors.h"

using llvm::ArrayRef;

namespace kiln::onnx {
namespace {

// Field numbers of onnx.proto.
constexpr uint32_t kModelGraph = 7, kGraphInitializer = 5, kTensorRawData = 9;

/// Reads one message field by field. Errors name offsets from `base`, the start of the file.
class FieldReader {
public:
  struct Field {
    uint32_t number;
    uint32_t wireType;
    ArrayRef<char> whole;   // with its tag
    ArrayRef<char> payload; // of a length-delimited field
  };

  FieldReader(ArrayRef<char> message, const char *base) : rest(message), base(base) {}
  bool done() const { return rest.empty(); }

  Result<Field> next() {
    const char *begin = rest.data();
    Field field{};
    KILN_ASSIGN_OR_RETURN(uint64_t tag, varint());
    field.number = static_cast<uint32_t>(tag >> 3);
    field.wireType = static_cast<uint32_t>(tag & 7);
    if (tag > UINT32_MAX || field.number == 0)
      return invalid("byte {0}: {1} is no protobuf field tag", begin - base, tag);
    uint64_t size = 0;
    switch (field.wireType) {
    case 0:
      KILN_RETURN_IF_ERROR(varint().status());
      break;
    case 1:
      size = 8;
      break;
    case 2: {
      KILN_ASSIGN_OR_RETURN(size, varint());
      break;
    }
    case 5:
      size = 4;
      break;
    default:
      return invalid("byte {0}: field {1} has wire type {2}; expected 0, 1, 2 or 5", begin - base,
                     field.number, field.wireType);
    }
    if (size > rest.size())
      return invalid("byte {0}: field {1} takes {2} bytes; {3} are left (a truncated file?)", begin - base,
                     field.number, size, rest.size());
    if (field.wireType == 2)
      field.payload = rest.take_front(size);
    rest = rest.drop_front(size);
    field.whole = ArrayRef<char>(begin, rest.data());
    return field;
  }

private:
  Result<uint64_t> varint() {
    const char *begin = rest.data();
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest.empty())
        return invalid("byte {0}: the file ends inside a number", begin - base);
      auto byte = static_cast<uint8_t>(rest.front());
      rest = rest.drop_front();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return value;
    }
    return invalid("byte {0}: a number of more than 64 bits", begin - base);
  }

  ArrayRef<char> rest;
  const char *base;
};

void appendVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void appendMessage(std::string &out, uint32_t number, const std::string &message) {
  appendVarint(out, number << 3 | 2);
  appendVarint(out, message.size());
  out += message;
}

void append(std::string &out, ArrayRef<char> bytes) { out.append(bytes.data(), bytes.size()); }

Result<std::string> stripTensor(ArrayRef<char> tensor, const char *base,
                                std::optional<ArrayRef<char>> &rawData) {
  std::string out;
  FieldReader reader(tensor, base);
  while (!reader.done()) {
    KILN_ASSIGN_OR_RETURN(FieldReader::Field field, reader.next());
    bool isRawData = field.number == kTensorRawData && field.wireType == 2;
    if (isRawData)
      rawData.reset(); // of several the last one counts, as in protobuf
    if (isRawData && field.payload.size() >= kStripBytes)
      rawData = field.payload;
    else
      append(out, field.whole);
  }
  return out;
}

Result<std::string> stripGraph(ArrayRef<char> graph, const char *base, StrippedModel &model) {
  std::string out;
  FieldReader reader(graph, base);
  while (!reader.done()) {
    KILN_ASSIGN_OR_RETURN(FieldReader::Field field, reader.next());
    if (field.number != kGraphInitializer || field.wireType != 2) {
      append(out, field.whole);
      continue;
    }
    KILN_ASSIGN_OR_RETURN(std::string tensor, stripTensor(field.payload, base, model.rawData.emplace_back()));
    appendMessage(out, field.number, tensor);
  }
  return out;
}

} // namespace

Result<StrippedModel> stripPayloads(ArrayRef<char> bytes) {
  StrippedModel model;
  FieldReader reader(bytes, bytes.data());
  while (!reader.done()) {
    KILN_ASSIGN_OR_RETURN(FieldReader::Field field, reader.next());
    if (field.number != kModelGraph || field.wireType != 2) {
      append(model.message, field.whole);
      continue;
    }
    KILN_ASSIGN_OR_RETURN(std::string graph, stripGraph(field.payload, bytes.data(), model));
    appendMessage(model.message, field.number, graph);
  }
  return model;
}

} // namespace kiln::onnx
