// Random.cpp: Philox 4x32-10 from its definition (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As
// Easy as 1, 2, 3; SC 2011, section 3.3 and table 2), and the two distributions made of its bits (Box,
// Muller: A Note on the Generation of Random Normal Deviates, 1958).
#include "jit/Reference/Elementwise.h"

#include "kiln/IR/Kiln.h"

#include <cmath>

using namespace mlir;

namespace kiln::reference {
namespace {

/// One of the four words that a counter and the key `seed` give.
uint32_t randomWord(uint64_t counter, unsigned word, uint64_t seed) {
  uint32_t l0 = static_cast<uint32_t>(counter), r0 = static_cast<uint32_t>(counter >> 32), l1 = 0, r1 = 0;
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    // A round takes (l0, r0, l1, r1) to (hi(M1 l1) ^ r0 ^ k0, lo(M1 l1), hi(M0 l0) ^ r1 ^ k1, lo(M0 l0)).
    uint64_t p0 = uint64_t{0xD2511F53u} * l0, p1 = uint64_t{0xCD9E8D57u} * l1;
    l0 = static_cast<uint32_t>(p1 >> 32) ^ r0 ^ k0;
    l1 = static_cast<uint32_t>(p0 >> 32) ^ r1 ^ k1;
    r0 = static_cast<uint32_t>(p1);
    r1 = static_cast<uint32_t>(p0);
    k0 += 0x9E3779B9u; // the golden ratio
    k1 += 0xBB67AE85u; // sqrt(3) - 1
  }
  const uint32_t words[] = {l0, r0, l1, r1};
  return words[word];
}

/// 24 bits of word `index % 4` of counter `index / 4`.
double uniform24(uint64_t index, uint64_t seed) {
  return std::ldexp(static_cast<double>(randomWord(index / 4, index % 4, seed) >> 8), -24);
}
/// 53 bits of two words: half `half` of a counter's four.
double uniform53(uint64_t counter, unsigned half, uint64_t seed) {
  uint64_t high = randomWord(counter, 2 * half, seed), low = randomWord(counter, 2 * half + 1, seed);
  return std::ldexp(static_cast<double>((high << 32 | low) >> 11), -53);
}

Outcome bits(Operation *, const Element *x) {
  auto index = static_cast<uint64_t>(x[0].integer);
  return integer(randomWord(index / 4, index % 4, static_cast<uint64_t>(x[1].integer)));
}

Outcome uniformNumber(Operation *op, const Element *x) {
  auto index = static_cast<uint64_t>(x[0].integer), seed = static_cast<uint64_t>(x[1].integer);
  // f64: words 2 * index and 2 * index + 1, which may be numbers of 65 bits.
  bool isDouble = cast<RandomUniformOp>(op).getElement().isF64();
  return number(isDouble ? uniform53(index / 2, index % 2, seed) : uniform24(index, seed));
}

Outcome normalNumber(Operation *op, const Element *x) {
  auto index = static_cast<uint64_t>(x[0].integer), seed = static_cast<uint64_t>(x[1].integer);
  if (cast<RandomNormalOp>(op).getElement().isF64()) {
    double u1 = uniform53(index, 0, seed) + 0x1p-53;
    return number(std::sqrt(-2 * std::log(u1)) * std::cos(2 * M_PI * uniform53(index, 1, seed)));
  }
  uint64_t first = index & ~uint64_t{1};
  double u1 = uniform24(first, seed) + 0x1p-24, phase = index % 2 == 0 ? 0 : M_PI / 2;
  return number(std::sqrt(-2 * std::log(u1)) * std::cos(2 * M_PI * uniform24(first + 1, seed) - phase));
}

} // namespace

void addRandom(ElementwiseTable &table) {
  table["kiln.random_bits"] = {bits, kExact};
  table["kiln.random_uniform"] = {uniformNumber, kExact};
  // The angle, below 8, rounds twice and is seen through a cosine times a radius below 9.
  constexpr double kAngleRoundings = 8 * 2 * 9;
  table["kiln.random_normal"] = {normalNumber, 2 * kFunction, 0, kAngleRoundings};
}

} // namespace kiln::reference
