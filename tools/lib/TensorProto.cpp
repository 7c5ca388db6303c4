// TensorProto.cpp: reads the few fields of the message by hand, so that no tool links protobuf.
// Field numbers and types: onnx.proto, message TensorProto.
#include "tools/lib/TensorProto.h"

#include "tools/lib/ReadFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

namespace kiln::tools {
namespace {

enum Field : uint32_t {
  kDims = 1,
  kDataType = 2,
  kSegment = 3,
  kFloatData = 4,
  kInt32Data = 5,
  kStringData = 6,
  kInt64Data = 7,
  kName = 8,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
  kExternalData = 13,
  kDataLocation = 14
};

struct ProtoType {
  uint32_t number;
  KilnDType dtype;
};
constexpr ProtoType kProtoTypes[] = {
    {1, KILN_F32},   {2, KILN_U8},        {3, KILN_I8},      {4, KILN_U16},  {5, KILN_I16},  {6, KILN_I32},
    {7, KILN_I64},   {9, KILN_I1},        {10, KILN_F16},    {11, KILN_F64}, {12, KILN_U32}, {13, KILN_U64},
    {16, KILN_BF16}, {17, KILN_F8E4M3FN}, {19, KILN_F8E5M2}, {21, KILN_U4},  {22, KILN_I4}};

std::string_view unsupportedName(uint64_t number) {
  switch (number) {
  case 8:
    return "string";
  case 14:
    return "complex64";
  case 15:
    return "complex128";
  case 18:
    return "float8e4m3fnuz";
  case 20:
    return "float8e5m2fnuz";
  }
  return "";
}

/// Wire format, one field after another. Errors are left in `failed`.
class WireReader {
public:
  explicit WireReader(std::string_view bytes) : rest(bytes) {}

  bool atEnd() const { return failed || rest.empty(); }
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
      auto byte = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80)
        return value;
    }
    failed = true;
    return 0;
  }
  std::string_view take(uint64_t size) {
    if (size > rest.size()) {
      failed = true;
      return {};
    }
    std::string_view part = rest.substr(0, size);
    rest.remove_prefix(size);
    return part;
  }
  bool failed = false;

private:
  std::string_view rest;
};

/// What a TensorProto holds, before it is known to be consistent.
struct Contents {
  std::vector<int64_t> dims;
  uint64_t dataType = 0;
  std::string name;
  std::string_view raw;
  bool hasRaw = false;
  std::vector<uint64_t> numbers; // of int32_data, int64_data, uint64_data
  std::string fixed;             // bytes of float_data and double_data
  std::string_view refused;      // what makes it unusable
};

void appendNumbers(std::vector<uint64_t> &numbers, uint32_t wireType, uint64_t value,
                   std::string_view payload) {
  if (wireType == 0)
    numbers.push_back(value);
  for (WireReader packed(payload); wireType == 2 && !packed.atEnd();)
    if (uint64_t number = packed.varint(); !packed.failed)
      numbers.push_back(number);
}

bool readField(WireReader &reader, Contents &contents) {
  uint64_t tag = reader.varint();
  uint32_t number = static_cast<uint32_t>(tag >> 3), wireType = tag & 7;
  uint64_t value = wireType == 0 ? reader.varint() : 0;
  std::string_view payload = wireType == 2   ? reader.take(reader.varint())
                             : wireType == 1 ? reader.take(8)
                             : wireType == 5 ? reader.take(4)
                                             : std::string_view();
  if (reader.failed || number == 0 || (wireType > 2 && wireType != 5))
    return false;
  switch (number) {
  case kDims: {
    std::vector<uint64_t> dims;
    appendNumbers(dims, wireType, value, payload);
    contents.dims.insert(contents.dims.end(), dims.begin(), dims.end());
    break;
  }
  case kDataType:
    contents.dataType = value;
    break;
  case kName:
    contents.name = payload;
    break;
  case kRawData:
    contents.raw = payload, contents.hasRaw = true;
    break;
  case kFloatData:
  case kDoubleData:
    contents.fixed += payload;
    break;
  case kInt32Data:
  case kInt64Data:
  case kUint64Data:
    appendNumbers(contents.numbers, wireType, value, payload);
    break;
  case kSegment:
    contents.refused = "a segment, or a sequence of tensors";
    break;
  case kStringData:
    contents.refused = "strings";
    break;
  case kExternalData:
  case kDataLocation:
    contents.refused = "external data";
    break;
  }
  return true;
}

/// The elements behind each other as the tensor stores them.
std::string storedBytes(const Contents &contents, KilnDType dtype) {
  if (contents.hasRaw)
    return std::string(contents.raw);
  if (contents.numbers.empty())
    return contents.fixed;
  size_t width = std::max<size_t>(dtypeBits(dtype) / 8, 1); // of 4-bit types a number holds two
  std::string bytes;
  for (uint64_t number : contents.numbers)
    bytes.append(reinterpret_cast<const char *>(&number), width);
  return bytes;
}

} // namespace

Result<HostTensor> parseTensorProto(std::span<const std::byte> bytes, const std::string &what) {
  Contents contents;
  WireReader reader({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  while (!reader.atEnd())
    if (!readField(reader, contents))
      return Status(Code::InvalidArgument,
                    fmt::format("{}: not a TensorProto; expected ONNX's .pb of one tensor", what));
  if (!contents.refused.empty())
    return Status(Code::Unimplemented,
                  fmt::format("{}: holds {}; expected one tensor with its data", what, contents.refused));
  if (std::string_view name = unsupportedName(contents.dataType); !name.empty())
    return Status(Code::Unimplemented,
                  fmt::format("{}: type {}; expected a float, integer or boolean type", what, name));
  KilnDType dtype = KILN_DTYPE_INVALID;
  for (const ProtoType &known : kProtoTypes)
    if (known.number == contents.dataType)
      dtype = known.dtype;
  if (dtype == KILN_DTYPE_INVALID)
    return Status(Code::InvalidArgument,
                  fmt::format("{}: data type {}; expected one of ONNX's", what, contents.dataType));
  std::string stored = storedBytes(contents, dtype);
  // Checked against the file before memory is taken.
  double wanted = dtypeBits(dtype);
  for (int64_t extent : contents.dims)
    wanted *= static_cast<double>(extent);
  if (std::ceil(wanted / 8) != static_cast<double>(stored.size()))
    return Status(Code::InvalidArgument, fmt::format("{}: {} data bytes; its shape needs {}", what,
                                                     stored.size(), std::ceil(wanted / 8)));
  KILN_ASSIGN_OR_RETURN(HostTensor tensor, makeTensor(contents.name, dtype, contents.dims));
  if (!stored.empty())
    std::memcpy(tensor.bytes.data(), stored.data(), stored.size());
  return tensor;
}

Result<HostTensor> readTensorProto(const std::string &path) {
  KILN_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, readFile(path));
  KILN_ASSIGN_OR_RETURN(HostTensor tensor, parseTensorProto(bytes, fmt::format("'{}'", path)));
  if (tensor.name.empty())
    tensor.name = std::filesystem::path(path).stem().string();
  return tensor;
}

} // namespace kiln::tools
