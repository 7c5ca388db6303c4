// Elements.cpp: converts MLIR's element types and constants to what lies in device memory.
#include "jit/Elements.h"

#include "jit/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"

#include <openssl/sha.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
std::string packBits(const std::vector<uint8_t> &elements, uint32_t bits) {
  std::string bytes;
  if (bits == 8)
    return std::string(elements.begin(), elements.end());
  for (size_t i = 0; i < elements.size(); i += 2)
    bytes.push_back(
        static_cast<char>((elements[i] & 15) | (i + 1 < elements.size() ? elements[i + 1] << 4 : 0)));
  return bytes;
}
} // namespace

uint32_t kiln::jit::dtypeBits(KilnDType dtype) {
  switch (dtype) {
  case KILN_I4:
  case KILN_U4:
    return 4;
  case KILN_I1:
  case KILN_I8:
  case KILN_U8:
  case KILN_F8E4M3FN:
  case KILN_F8E5M2:
    return 8;
  case KILN_F16:
  case KILN_BF16:
  case KILN_I16:
  case KILN_U16:
    return 16;
  case KILN_F32:
  case KILN_I32:
  case KILN_U32:
    return 32;
  case KILN_F64:
  case KILN_I64:
  case KILN_U64:
    return 64;
  default:
    return 0;
  }
}

int64_t kiln::jit::byteSize(KilnDType dtype, int64_t count) { return (count * dtypeBits(dtype) + 7) / 8; }

int64_t kiln::jit::byteSize(RankedTensorType type) {
  return byteSize(elementDType(type.getElementType()), type.getNumElements());
}

Result<std::string> kiln::jit::constantBytes(ElementsAttr elements) {
  auto type = cast<ShapedType>(elements.getType());
  KilnDType dtype = elementDType(type.getElementType());
  uint32_t bits = dtypeBits(dtype);
  if (!bits)
    return unimplemented("constant: an element type that programs do not hold");
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    int64_t expected = byteSize(dtype, type.getNumElements());
    if (!blob || static_cast<int64_t>(blob->getData().size()) != expected)
      return invalidArgument("resource '" + resource.getRawHandle().getKey() +
                             "': " + llvm::Twine(blob ? blob->getData().size() : 0) + " bytes; expected " +
                             llvm::Twine(expected));
    return std::string(blob->getData().begin(), blob->getData().end());
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return unimplemented("constant: sparse elements; expected dense ones");
  if (dtype == KILN_I1 || bits == 4) {
    std::vector<uint8_t> values;
    for (APInt value : dense.getValues<APInt>())
      values.push_back(static_cast<uint8_t>(value.getZExtValue()));
    return packBits(values, bits);
  }
  llvm::ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat())
    return std::string(raw.begin(), raw.end());
  std::string bytes;
  bytes.reserve(raw.size() * type.getNumElements());
  for (int64_t i = 0, count = type.getNumElements(); i < count; ++i)
    bytes.append(raw.begin(), raw.end());
  return bytes;
}

std::optional<uint64_t> kiln::jit::splatPattern(ElementsAttr elements) {
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  KilnDType dtype = elementDType(elements.getElementType());
  if (!dense || !dense.isSplat() || dtypeBits(dtype) < 8)
    return std::nullopt;
  if (dtype == KILN_I1)
    return dense.getSplatValue<bool>() ? 1 : 0;
  uint64_t pattern = 0;
  __builtin_memcpy(&pattern, dense.getRawData().data(), dtypeBits(dtype) / 8);
  return pattern;
}

bool kiln::jit::mayEnterKernel(ElementsAttr elements) {
  return isa<DenseElementsAttr>(elements) && elements.isSplat();
}

std::string kiln::jit::sha256Hex(llvm::StringRef bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size(), digest);
  return llvm::toHex(llvm::ArrayRef<uint8_t>(digest), /*LowerCase=*/true);
}
