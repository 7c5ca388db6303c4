// TensorData.cpp: the three places where a TensorProto may keep its elements: raw_data, typed fields, another
// file.
#include "frameworks/onnx/TensorData.h"

#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;

namespace kiln::onnx {
namespace {

bool isPacked(Type type) { return type.isInteger(4); } // two elements a byte in raw_data, the first one low

uint64_t loadBits(const char *bytes, unsigned size) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, size);
  return bits;
}

void storeBits(std::string &out, uint64_t bits, unsigned size) {
  out.append(reinterpret_cast<const char *>(&bits), size);
}

std::string unpackNibbles(ArrayRef<char> packed, int64_t count, bool isSigned) {
  std::string out;
  out.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    auto nibble = static_cast<uint8_t>((static_cast<uint8_t>(packed[i / 2]) >> (i % 2 * 4)) & 15);
    out.push_back(static_cast<char>(isSigned ? llvm::SignExtend32<4>(nibble) : nibble));
  }
  return out;
}

Result<std::vector<int64_t>> readDims(const TensorProto &tensor) {
  std::vector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  if (dims.size() > 64)
    return invalid("rank {0}; expected at most 64", dims.size());
  for (int64_t dim : dims)
    if (dim < 0)
      return invalid("dimension {0}; expected >= 0", dim);
  if (!fitsElementLimit(dims))
    return invalid("shape {0} has too many elements; expected at most {1}",
                   llvm::join(llvm::map_range(dims, [](int64_t dim) { return std::to_string(dim); }), "x"),
                   kMaxElements);
  return dims;
}

/// The elements of a typed field, `Store` wide each; `fits` decides what may come.
template <typename Field, typename Fits>
Result<std::string> fromField(const Field &field, const char *name, int64_t count, unsigned bytes,
                              Fits fits) {
  if (field.size() != count)
    return invalid("{0} has {1} elements; expected {2}", name, field.size(), count);
  std::string out;
  out.reserve(static_cast<size_t>(count) * bytes);
  for (auto value : field) {
    if (!fits(value))
      return invalid("{0} holds {1}, which is out of range for the element type", name, value);
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(value)); // little-endian: the low bytes come first
    storeBits(out, bits, bytes);
  }
  return out;
}

/// The elements from the typed field that the format prescribes for the element type.
Result<std::string> readTypedField(const TensorProto &tensor, Type type, int64_t count) {
  unsigned bytes = elementBytes(type);
  auto any = [](auto) { return true; };
  if (isPacked(type)) { // int32_data holds bytes of two elements each
    KILN_ASSIGN_OR_RETURN(std::string packed,
                          fromField(tensor.int32_data(), "int32_data", (count + 1) / 2, 1, any));
    return unpackNibbles(ArrayRef<char>(packed.data(), packed.size()), count, type.isSignlessInteger());
  }
  if (type.isF32())
    return fromField(tensor.float_data(), "float_data", count, bytes, any);
  if (type.isF64())
    return fromField(tensor.double_data(), "double_data", count, bytes, any);
  if (type.isSignlessInteger(64))
    return fromField(tensor.int64_data(), "int64_data", count, bytes, any);
  if (type.isUnsignedInteger(64))
    return fromField(tensor.uint64_data(), "uint64_data", count, bytes, any);
  if (type.isUnsignedInteger(32))
    return fromField(tensor.uint64_data(), "uint64_data", count, bytes,
                     [](uint64_t v) { return v <= UINT32_MAX; });
  // Narrow floats and all narrow integers: the bits, or the value, in int32_data.
  unsigned width = type.getIntOrFloatBitWidth();
  bool isSigned = type.isSignlessInteger() && width > 1;
  return fromField(tensor.int32_data(), "int32_data", count, bytes, [&](int32_t value) {
    return isSigned ? llvm::isIntN(width, value)
                    : value >= 0 && llvm::isUIntN(width, static_cast<uint64_t>(value));
  });
}

/// Booleans other than 0 and 1 would be compared bit by bit later.
std::string normalizeBooleans(ArrayRef<char> bytes) {
  std::string out(bytes.data(), bytes.size());
  for (char &byte : out)
    byte = byte != 0;
  return out;
}

} // namespace

bool fitsElementLimit(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (!ShapedType::isDynamic(extent) && (llvm::MulOverflow(count, extent, count) || count > kMaxElements))
      return false;
  return true;
}

bool TensorData::isSplat() const {
  size_t size = elementBytes(type.getElementType());
  return bytes.size() >= size && std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) == 0;
}

std::optional<std::vector<int64_t>> TensorData::integers() const {
  auto element = dyn_cast<IntegerType>(type.getElementType());
  if (!element)
    return std::nullopt;
  unsigned size = elementBytes(element);
  std::vector<int64_t> values;
  values.reserve(static_cast<size_t>(numElements()));
  for (size_t i = 0; i + size <= bytes.size(); i += size) {
    uint64_t bits = loadBits(bytes.data() + i, size);
    values.push_back(element.isUnsigned() || element.getWidth() == 1 ? static_cast<int64_t>(bits)
                                                                     : llvm::SignExtend64(bits, size * 8));
  }
  return values;
}

std::vector<double> TensorData::doubles() const {
  if (std::optional<std::vector<int64_t>> values = integers())
    return std::vector<double>(values->begin(), values->end());
  auto element = cast<FloatType>(type.getElementType());
  unsigned size = elementBytes(element);
  std::vector<double> values;
  values.reserve(static_cast<size_t>(numElements()));
  for (size_t i = 0; i + size <= bytes.size(); i += size) {
    llvm::APFloat value(element.getFloatSemantics(), llvm::APInt(size * 8, loadBits(bytes.data() + i, size)));
    bool losesInfo = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    values.push_back(value.convertToDouble());
  }
  return values;
}

TensorData TensorData::packed() const {
  if (!isPacked(type.getElementType()))
    return *this;
  std::string out((bytes.size() + 1) / 2, '\0');
  for (size_t i = 0; i < bytes.size(); ++i)
    out[i / 2] = static_cast<char>(out[i / 2] | (bytes[i] & 15) << (i % 2 * 4));
  return fromBytes(type, std::move(out));
}

DenseElementsAttr TensorData::attribute() const {
  size_t stored = isSplat() ? elementBytes(type.getElementType()) : bytes.size();
  if (type.getElementType().isInteger(1)) { // MLIR packs booleans
    SmallVector<bool> values;
    for (char byte : bytes.take_front(stored))
      values.push_back(byte != 0);
    return DenseElementsAttr::get(type, values);
  }
  return DenseElementsAttr::getFromRawBuffer(type, bytes.take_front(stored));
}

TensorData TensorData::fromBytes(RankedTensorType type, std::string bytes) {
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  return {type, ArrayRef<char>(owner->data(), owner->size()), owner};
}

TensorData TensorData::fromIntegers(RankedTensorType type, ArrayRef<int64_t> values) {
  std::string bytes;
  for (int64_t value : values)
    storeBits(bytes, static_cast<uint64_t>(value), elementBytes(type.getElementType()));
  return fromBytes(type, std::move(bytes));
}

Result<TensorData> readTensor(MLIRContext *context, const TensorProto &tensor,
                              std::optional<ArrayRef<char>> rawData, std::shared_ptr<const void> owner,
                              ExternalFiles &files) {
  KILN_ASSIGN_OR_RETURN(Type element, toElementType(context, tensor.data_type()));
  KILN_ASSIGN_OR_RETURN(std::vector<int64_t> dims, readDims(tensor));
  if (tensor.has_segment())
    return unsupported("segmented tensors are not supported");
  auto type = RankedTensorType::get(dims, element);
  int64_t count = type.getNumElements();
  bool isExternal = tensor.data_location() == TensorProto::EXTERNAL;
  if (!isExternal && !rawData && tensor.has_raw_data())
    rawData = ArrayRef<char>(tensor.raw_data().data(), tensor.raw_data().size());

  ExternalFiles::Range range;
  if (isExternal) {
    KILN_ASSIGN_OR_RETURN(range, files.read(tensor));
  } else if (rawData) {
    range = {*rawData, std::move(owner)};
  } else {
    KILN_ASSIGN_OR_RETURN(std::string bytes, readTypedField(tensor, element, count));
    return TensorData::fromBytes(type, std::move(bytes));
  }
  auto want = static_cast<uint64_t>(isPacked(element) ? (count + 1) / 2 : count * elementBytes(element));
  if (range.bytes.size() != want)
    return invalid("{0} bytes of data; expected {1} for {2} elements of type '{3}'", range.bytes.size(), want,
                   count, dataTypeName(tensor.data_type()));
  if (isPacked(element))
    return TensorData::fromBytes(type, unpackNibbles(range.bytes, count, element.isSignlessInteger()));
  if (element.isInteger(1))
    return TensorData::fromBytes(type, normalizeBooleans(range.bytes));
  return TensorData{type, range.bytes, std::move(range.owner)};
}

} // namespace kiln::onnx
