// HostTensor.cpp: element access by type; half-precision conversions by the formats' definitions.
#include "tools/lib/HostTensor.h"

#include "kiln/kiln.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include <unistd.h>

namespace kiln::tools {
namespace {

/// A small float: sign, `exponentBits`, `mantissaBits`; finite-only formats have one NaN and no infinity.
struct FloatFormat {
  int exponentBits, mantissaBits;
  bool hasInfinity;
};

double decodeFloat(uint32_t bits, FloatFormat format) {
  int bias = (1 << (format.exponentBits - 1)) - 1;
  uint32_t mantissa = bits & ((1u << format.mantissaBits) - 1);
  uint32_t exponent = (bits >> format.mantissaBits) & ((1u << format.exponentBits) - 1);
  double sign = (bits >> (format.exponentBits + format.mantissaBits)) & 1 ? -1.0 : 1.0;
  bool top = exponent == (1u << format.exponentBits) - 1;
  if (top && format.hasInfinity)
    return mantissa ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  if (top && !format.hasInfinity && mantissa == (1u << format.mantissaBits) - 1)
    return std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - format.mantissaBits);
  return sign *
         std::ldexp(1.0 + std::ldexp(mantissa, -format.mantissaBits), static_cast<int>(exponent) - bias);
}

uint32_t encodeFloat(double value, FloatFormat format) {
  int bias = (1 << (format.exponentBits - 1)) - 1;
  uint32_t signBit = std::signbit(value) ? 1u << (format.exponentBits + format.mantissaBits) : 0;
  uint32_t topExponent = ((1u << format.exponentBits) - 1) << format.mantissaBits;
  uint32_t nan = signBit | topExponent | ((1u << format.mantissaBits) - 1);
  uint32_t overflow = format.hasInfinity ? signBit | topExponent : nan;
  if (std::isnan(value))
    return nan;
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return overflow;
  if (magnitude == 0)
    return signBit;
  int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  // Round half to even in units of the last place; a carry moves into the exponent by itself.
  double units = std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent));
  uint64_t encoded = static_cast<uint64_t>(units);
  bool normal = encoded >= (1ull << format.mantissaBits);
  uint64_t bits =
      normal ? encoded + (static_cast<uint64_t>(exponent + bias - 1) << format.mantissaBits) : encoded;
  uint64_t largest = format.hasInfinity ? topExponent - 1ull : (nan & ~signBit) - 1ull;
  return bits > largest ? overflow : signBit | static_cast<uint32_t>(bits);
}

constexpr FloatFormat kF16{5, 10, true}, kBF16{8, 7, true}, kE4M3{4, 3, false}, kE5M2{5, 2, true};

template <typename T> double load(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

template <typename T> void storeInteger(std::byte *at, double value) {
  double rounded = std::isnan(value) ? 0 : std::nearbyint(value);
  T result = rounded <= static_cast<double>(std::numeric_limits<T>::min())   ? std::numeric_limits<T>::min()
             : rounded >= static_cast<double>(std::numeric_limits<T>::max()) ? std::numeric_limits<T>::max()
                                                                             : static_cast<T>(rounded);
  std::memcpy(at, &result, sizeof result);
}

template <typename T> void storeBits(std::byte *at, uint32_t bits) {
  T narrow = static_cast<T>(bits);
  std::memcpy(at, &narrow, sizeof narrow);
}

uint32_t loadBits(const std::byte *at, size_t bytes) {
  uint32_t bits = 0;
  std::memcpy(&bits, at, bytes);
  return bits;
}

int64_t physicalMemoryBytes() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

} // namespace

uint32_t dtypeBits(KilnDType dtype) { return kiln_dtype_bits(dtype); }
std::string_view dtypeName(KilnDType dtype) { return kiln_dtype_name(dtype); }

KilnDType dtypeFromName(std::string_view name) {
  for (KilnDType dtype = KILN_F16; dtype <= KILN_U4; ++dtype)
    if (dtypeName(dtype) == name)
      return dtype;
  return KILN_DTYPE_INVALID;
}

int64_t HostTensor::elementCount() const {
  int64_t count = 1;
  for (int64_t extent : dims)
    count *= extent;
  return count;
}

std::string HostTensor::shapeText() const {
  std::string text;
  for (int64_t extent : dims)
    text += fmt::format("{}x", extent);
  return text + std::string(dtypeName(dtype));
}

Result<HostTensor> makeTensor(std::string name, KilnDType dtype, std::vector<int64_t> dims) {
  int64_t bits = dtypeBits(dtype);
  if (dims.size() > KILN_MAX_RANK)
    return Status(Code::InvalidArgument,
                  fmt::format("'{}': rank {}; expected at most {}", name, dims.size(), KILN_MAX_RANK));
  for (int64_t extent : dims) {
    if (extent < 0)
      return Status(Code::InvalidArgument, fmt::format("'{}': extent {} is negative", name, extent));
    if (__builtin_mul_overflow(bits, extent, &bits) || bits > (int64_t{1} << 46))
      return Status(Code::ResourceExhausted, fmt::format("'{}': more than 8 TiB", name));
  }
  HostTensor tensor{std::move(name), dtype, std::move(dims), {}};
  // Linux hands out more memory than it has: refuse before its use kills the process.
  if (bits / 8 > physicalMemoryBytes())
    return Status(Code::ResourceExhausted,
                  fmt::format("'{}': {} takes {:.1f} GiB; this machine has {:.1f} GiB", tensor.name,
                              tensor.shapeText(), static_cast<double>(bits) / 8 / (1 << 30),
                              static_cast<double>(physicalMemoryBytes()) / (1 << 30)));
  tensor.bytes.resize((bits + 7) / 8);
  return tensor;
}

double HostTensor::element(int64_t index) const {
  const std::byte *at = bytes.data() + index * dtypeBits(dtype) / 8;
  switch (dtype) {
  case KILN_F16:
    return decodeFloat(loadBits(at, 2), kF16);
  case KILN_BF16:
    return decodeFloat(loadBits(at, 2), kBF16);
  case KILN_F32:
    return load<float>(at);
  case KILN_F64:
    return load<double>(at);
  case KILN_I1:
  case KILN_U8:
    return load<uint8_t>(at);
  case KILN_I8:
    return load<int8_t>(at);
  case KILN_I16:
    return load<int16_t>(at);
  case KILN_I32:
    return load<int32_t>(at);
  case KILN_I64:
    return load<int64_t>(at);
  case KILN_U16:
    return load<uint16_t>(at);
  case KILN_U32:
    return load<uint32_t>(at);
  case KILN_U64:
    return load<uint64_t>(at);
  case KILN_F8E4M3FN:
    return decodeFloat(loadBits(at, 1), kE4M3);
  case KILN_F8E5M2:
    return decodeFloat(loadBits(at, 1), kE5M2);
  case KILN_I4:
  case KILN_U4: {
    uint32_t nibble = (loadBits(bytes.data() + index / 2, 1) >> (index % 2 * 4)) & 15;
    return dtype == KILN_I4 && nibble >= 8 ? static_cast<double>(nibble) - 16 : nibble;
  }
  }
  return 0;
}

void HostTensor::setElement(int64_t index, double value) {
  std::byte *at = bytes.data() + index * dtypeBits(dtype) / 8;
  switch (dtype) {
  case KILN_F16:
    return storeBits<uint16_t>(at, encodeFloat(value, kF16));
  case KILN_BF16:
    return storeBits<uint16_t>(at, encodeFloat(value, kBF16));
  case KILN_F32: {
    float narrow = static_cast<float>(value);
    std::memcpy(at, &narrow, sizeof narrow);
    return;
  }
  case KILN_F64:
    std::memcpy(at, &value, sizeof value);
    return;
  case KILN_I1:
    *at = std::byte(value != 0);
    return;
  case KILN_U8:
    return storeInteger<uint8_t>(at, value);
  case KILN_I8:
    return storeInteger<int8_t>(at, value);
  case KILN_I16:
    return storeInteger<int16_t>(at, value);
  case KILN_I32:
    return storeInteger<int32_t>(at, value);
  case KILN_I64:
    return storeInteger<int64_t>(at, value);
  case KILN_U16:
    return storeInteger<uint16_t>(at, value);
  case KILN_U32:
    return storeInteger<uint32_t>(at, value);
  case KILN_U64:
    return storeInteger<uint64_t>(at, value);
  case KILN_F8E4M3FN:
    return storeBits<uint8_t>(at, encodeFloat(value, kE4M3));
  case KILN_F8E5M2:
    return storeBits<uint8_t>(at, encodeFloat(value, kE5M2));
  case KILN_I4:
  case KILN_U4: {
    double low = dtype == KILN_I4 ? -8 : 0;
    double rounded = std::isnan(value) ? 0 : std::min(std::max(std::nearbyint(value), low), low + 15);
    uint32_t nibble = static_cast<uint32_t>(static_cast<int32_t>(rounded)) & 15;
    uint32_t shift = index % 2 * 4;
    std::byte &slot = bytes[index / 2];
    slot = (slot & ~std::byte(15u << shift)) | std::byte(nibble << shift);
    return;
  }
  }
}

} // namespace kiln::tools
