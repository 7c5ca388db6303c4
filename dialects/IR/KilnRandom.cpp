// KilnRandom.cpp: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3,
// 2011) as formulas on 64-bit lanes, each of which holds a word of 32 bits.
#include "kiln/IR/Kiln.h"

#include "dialects/IR/Scalar.h"

#include "llvm/Support/MathExtras.h"

#include <array>

using namespace mlir;

namespace kiln {

namespace {

constexpr unsigned kRounds = 10;
constexpr uint32_t kMultipliers[] = {0xD2511F53, 0xCD9E8D57};
constexpr uint32_t kKeySteps[] = {0x9E3779B9, 0xBB67AE85};

using Words = std::array<Scalar, 4>;

Scalar constant(Scalar like, uint64_t number) { return like.like(APInt(64, number)); }
Scalar low(Scalar x) { return x & constant(x, 0xFFFFFFFF); }
Scalar shiftRight(Scalar x, uint64_t bits) {
  return x.make<arith::ShRUIOp>(x.value(), constant(x, bits).value());
}
Scalar shiftLeft(Scalar x, uint64_t bits) {
  return x.make<arith::ShLIOp>(x.value(), constant(x, bits).value());
}

/// The four words of one counter.
Words philox(Scalar counter, Scalar seed) {
  Scalar zero = constant(counter, 0);
  Words c{low(counter), shiftRight(counter, 32), zero, zero};
  Scalar key0 = low(seed), key1 = shiftRight(seed, 32);
  for (unsigned round = 0; round < kRounds; ++round) {
    if (round > 0) {
      key0 = low(key0 + constant(key0, kKeySteps[0]));
      key1 = low(key1 + constant(key1, kKeySteps[1]));
    }
    Scalar product0 = c[0] * constant(zero, kMultipliers[0]),
           product1 = c[2] * constant(zero, kMultipliers[1]);
    c = {shiftRight(product1, 32) ^ c[1] ^ key0, low(product1), shiftRight(product0, 32) ^ c[3] ^ key1,
         low(product0)};
  }
  return c;
}

/// Whether bit `bit` of `x` is set.
Scalar hasBit(Scalar x, unsigned bit) {
  return notEqual(x & constant(x, uint64_t(1) << bit), constant(x, 0));
}

/// The word of an index, as a lane of 64 bits.
Scalar word(Scalar index, Scalar seed) {
  Words words = philox(shiftRight(index, 2), seed);
  Scalar isOdd = hasBit(index, 0);
  return select(hasBit(index, 1), select(isOdd, words[3], words[2]), select(isOdd, words[1], words[0]));
}

/// 24 bits of a word as a number from [0, 1).
Scalar uniform24(Scalar word) {
  OpBuilder &builder = word.getBuilder();
  Scalar narrow = shiftRight(word, 8).to<arith::TruncIOp>(builder.getI32Type());
  return narrow.to<arith::SIToFPOp>(builder.getF32Type()) * 0x1p-24;
}

/// 53 bits of two words as a number from [0, 1).
Scalar uniform53(Scalar first, Scalar second) {
  Scalar bits = shiftRight(shiftLeft(first, 32) | second, 11);
  return bits.to<arith::SIToFPOp>(bits.getBuilder().getF64Type()) * 0x1p-53;
}

/// sqrt(-2 ln(u1 + smallest)) * cos(2 pi u2 - phase)
Scalar boxMuller(Scalar u1, double smallest, Scalar u2, std::optional<Scalar> phase) {
  Scalar argument = u1 + smallest;
  Scalar logarithm = argument.make<math::LogOp>(argument.value());
  Scalar square = logarithm * -2.0;
  Scalar radius = square.make<math::SqrtOp>(square.value());
  Scalar angle = u2 * (2 * M_PI);
  if (phase)
    angle = angle - *phase;
  return radius * angle.make<math::CosOp>(angle.value());
}

/// The operands' elements as lanes.
std::pair<Scalar, Scalar> lanes(OpBuilder &builder, Location loc, ValueRange scalars) {
  return {Scalar(builder, loc, scalars[0]), Scalar(builder, loc, scalars[1])};
}

} // namespace

Value RandomBitsOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  auto [index, seed] = lanes(builder, loc, scalars);
  return word(index, seed).to<arith::TruncIOp>(builder.getI32Type()).value();
}

Value RandomUniformOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  auto [index, seed] = lanes(builder, loc, scalars);
  if (!getElement().isF64())
    return narrowed(uniform24(word(index, seed)), getElement()).value();
  Words words = philox(shiftRight(index, 1), seed);
  Scalar isOdd = hasBit(index, 0);
  return uniform53(select(isOdd, words[2], words[0]), select(isOdd, words[3], words[1])).value();
}

Value RandomNormalOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  auto [index, seed] = lanes(builder, loc, scalars);
  if (getElement().isF64()) {
    Words words = philox(index, seed);
    return boxMuller(uniform53(words[0], words[1]), 0x1p-53, uniform53(words[2], words[3]), std::nullopt)
        .value();
  }
  Words words = philox(shiftRight(index, 2), seed);
  Scalar isUpper = hasBit(index, 1), isOdd = hasBit(index, 0);
  Scalar u1 = uniform24(select(isUpper, words[2], words[0])),
         u2 = uniform24(select(isUpper, words[3], words[1]));
  Scalar phase = select(isOdd, u1.like(M_PI_2), u1.like(0.0));
  return narrowed(boxMuller(u1, 0x1p-24, u2, phase), getElement()).value();
}

} // namespace kiln
