// TensorText.cpp: literals, random data (SplitMix64) and short renderings of tensors.
#include "tools/lib/TensorText.h"

#include "tools/lib/Npy.h"
#include "tools/lib/TensorProto.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kiln::tools {
namespace {

Status badTensor(const std::string &text, std::string_view why) {
  return {Code::InvalidArgument, fmt::format("'{}': {}", text, why)};
}

/// "2x3xf32" or "f32" into extents and type; false if malformed.
bool parseShapedType(std::string_view text, std::vector<int64_t> &dims, KilnDType &dtype) {
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    int64_t extent = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || end == text.data() + text.size() || *end != 'x')
      return false;
    dims.push_back(extent);
    text.remove_prefix(end + 1 - text.data());
  }
  dtype = dtypeFromName(text);
  return dtype != KILN_DTYPE_INVALID;
}

bool parseValues(std::string_view text, std::vector<double> &values) {
  size_t at = 0;
  while ((at = text.find_first_not_of(" ,\t\n", at)) != std::string_view::npos) {
    size_t end = std::min(text.find_first_of(" ,\t\n", at), text.size());
    std::string_view word = text.substr(at, end - at);
    double value = 0;
    auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word == "true" || word == "false")
      value = word == "true";
    else if (error != std::errc() || stop != word.data() + word.size())
      return false;
    values.push_back(value);
    at = end;
  }
  return !values.empty();
}

/// The parts of NAME=@FILE or NAME=SHAPExTYPE=VALUES.
struct ParsedText {
  std::string name, file;
  std::vector<int64_t> dims;
  KilnDType dtype = KILN_DTYPE_INVALID;
  std::vector<double> values; // empty: random
};

Result<ParsedText> parseText(const std::string &text) {
  ParsedText parsed;
  size_t equals = text.find('=');
  if (equals == std::string::npos)
    return badTensor(text, "no '='; expected NAME=@FILE.npy or NAME=SHAPExTYPE=VALUES");
  parsed.name = text.substr(0, equals);
  std::string rest = text.substr(equals + 1);
  if (rest.starts_with("@")) {
    parsed.file = rest.substr(1);
    return parsed.file.empty() ? Result<ParsedText>(badTensor(text, "no file behind '@'")) : parsed;
  }
  size_t second = rest.find('=');
  std::string shape = rest.substr(0, second);
  if (!parseShapedType(shape, parsed.dims, parsed.dtype))
    return badTensor(shape, "not a shape and type; expected for example 2x3xf32");
  std::string content = second == std::string::npos ? "random" : rest.substr(second + 1);
  if (content == "random")
    return parsed;
  if (!parseValues(content, parsed.values))
    return badTensor(content, "not numbers; expected 'random', one number, or one an element");
  double count = 1; // may be beyond any integer
  for (int64_t extent : parsed.dims)
    count *= static_cast<double>(extent);
  if (parsed.values.size() != 1 && static_cast<double>(parsed.values.size()) != count)
    return badTensor(content,
                     fmt::format("{} values; {} has {} elements", parsed.values.size(), shape, count));
  return parsed;
}

bool isFloat(KilnDType dtype) {
  return dtype == KILN_F16 || dtype == KILN_BF16 || dtype == KILN_F32 || dtype == KILN_F64 ||
         dtype == KILN_F8E4M3FN || dtype == KILN_F8E5M2;
}

} // namespace

// SplitMix64 (Steele, Lea, Flood 2014): one multiplication chain a value.
uint64_t nextRandom(uint64_t &state) {
  uint64_t z = state += 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

void fillRandom(HostTensor &tensor, uint64_t seed) {
  uint64_t state = seed;
  for (char c : tensor.name)
    state = (state ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  for (int64_t i = 0, n = tensor.elementCount(); i < n; ++i) {
    uint64_t bits = nextRandom(state);
    if (isFloat(tensor.dtype))
      tensor.setElement(i, static_cast<double>(bits >> 11) * 0x1p-52 - 1.0);
    else
      tensor.setElement(i, static_cast<double>(bits % (tensor.dtype == KILN_I1   ? 2
                                                       : tensor.dtype == KILN_I4 ? 8
                                                                                 : 10)));
  }
}

Result<HostTensor> parseTensorText(const std::string &text, uint64_t seed) {
  KILN_ASSIGN_OR_RETURN(ParsedText parsed, parseText(text));
  if (!parsed.file.empty()) {
    KILN_ASSIGN_OR_RETURN(HostTensor tensor,
                          parsed.file.ends_with(".pb") ? readTensorProto(parsed.file) : readNpy(parsed.file));
    tensor.name = parsed.name;
    return tensor;
  }
  KILN_ASSIGN_OR_RETURN(HostTensor tensor, makeTensor(parsed.name, parsed.dtype, std::move(parsed.dims)));
  if (parsed.values.empty()) {
    fillRandom(tensor, seed);
    return tensor;
  }
  for (int64_t i = 0, n = tensor.elementCount(); i < n; ++i)
    tensor.setElement(i, parsed.values[parsed.values.size() == 1 ? 0 : i]);
  return tensor;
}

Status checkTensorText(const std::string &text) { return parseText(text).status(); }

std::string describeTensor(const HostTensor &tensor, size_t maxElements) {
  int64_t count = tensor.elementCount();
  std::string text = fmt::format("{} [", tensor.shapeText());
  for (int64_t i = 0; i < std::min<int64_t>(count, static_cast<int64_t>(maxElements)); ++i)
    text += fmt::format("{}{:.6g}", i ? ", " : "", tensor.element(i));
  text += count > static_cast<int64_t>(maxElements) ? ", ...]" : "]";
  if (count > static_cast<int64_t>(maxElements)) {
    double low = INFINITY, high = -INFINITY, sum = 0;
    int64_t nans = 0;
    for (int64_t i = 0; i < count; ++i) {
      double value = tensor.element(i);
      nans += std::isnan(value);
      if (!std::isnan(value))
        low = std::min(low, value), high = std::max(high, value), sum += value;
    }
    if (nans < count)
      text += fmt::format(" min {:.6g} max {:.6g} mean {:.6g}", low, high,
                          sum / static_cast<double>(count - nans));
    if (nans > 0)
      text += fmt::format(", {} NaN", nans);
  }
  return text;
}

} // namespace kiln::tools
