// MutateBytes.cpp: mutations that know nothing of the format.
#include "tests/fuzz/Target.h"

#include <algorithm>

namespace kiln::fuzz {
namespace {

constexpr size_t kMaxRepeat = 4096;

size_t below(Random &random, size_t bound) { return bound ? random() % bound : 0; }

} // namespace

std::string mutateBytes(std::string bytes, Random &random) {
  if (bytes.empty())
    return std::string(1 + below(random, 16), static_cast<char>(random()));
  size_t at = below(random, bytes.size()),
         length = 1 + below(random, std::min<size_t>(bytes.size() - at, 64));
  switch (below(random, 7)) {
  case 0: // a bit
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
    break;
  case 1: // extreme bytes
    bytes.replace(at, length, length, "\x00\x7F\x80\xFF"[below(random, 4)]);
    break;
  case 2: // cut off
    bytes.resize(at);
    break;
  case 3:
    bytes.erase(at, length);
    break;
  case 4: // a part elsewhere
    bytes.insert(below(random, bytes.size()), bytes.substr(at, length));
    break;
  case 5: { // one part again and again: nesting in text
    std::string part = bytes.substr(at, std::min<size_t>(length, 8));
    size_t times = below(random, kMaxRepeat);
    std::string repeated;
    for (size_t i = 0; i < times; ++i)
      repeated += part;
    bytes.insert(at, repeated);
    break;
  }
  case 6: // random bytes
    for (size_t i = at; i < at + length; ++i)
      bytes[i] = static_cast<char>(random());
    break;
  }
  return bytes;
}

} // namespace kiln::fuzz
