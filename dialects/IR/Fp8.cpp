// Fp8.cpp: E5M2 is the upper half of an f16; E4M3FN shifted into an f16 is too small by 2^8.
#include "dialects/IR/Fp8.h"

#include <cmath>

using namespace mlir;

namespace kiln {

namespace {

/// One of the two fp8 formats.
struct Fp8Format {
  int mantissaBits, bias;
  double largest, beyond; // the largest number, and what would follow it
  uint64_t nan;
};
constexpr Fp8Format kE4M3FN{3, 7, 448.0, 480.0, 0x7f};
constexpr Fp8Format kE5M2{2, 15, 57344.0, 65536.0, 0x7e};

Fp8Format formatOf(Type type) { return isa<Float8E5M2Type>(type) ? kE5M2 : kE4M3FN; }

Scalar shiftedRight(Scalar value, int by) {
  return value.make<arith::ShRUIOp>(value.value(), value.like(double(by)).value());
}

} // namespace

Scalar decodeFp8(Scalar x) {
  OpBuilder &builder = x.getBuilder();
  Type i8 = builder.getI8Type(), i16 = builder.getI16Type();
  bool isE5M2 = isa<Float8E5M2Type>(x.type());
  Scalar byte = x.to<arith::BitcastOp>(i8);
  Scalar bits = byte.to<arith::ExtUIOp>(i16);
  auto asFloat = [&](Scalar half) {
    return half.to<arith::BitcastOp>(builder.getF16Type()).to<arith::ExtFOp>(builder.getF32Type());
  };
  if (isE5M2)
    return asFloat(bits.make<arith::ShLIOp>(bits.value(), bits.like(8.0).value()));
  Scalar sign = bits & bits.like(0x80), magnitude = bits & bits.like(0x7f);
  Scalar half = sign.make<arith::ShLIOp>(sign.value(), sign.like(8.0).value()) |
                magnitude.make<arith::ShLIOp>(magnitude.value(), magnitude.like(7.0).value());
  Scalar value = asFloat(half) * 256.0;
  return select(equal(magnitude, 0x7f), value.like(NAN), value);
}

Scalar encodeFp8(Scalar x, Type to, bool isSaturating) {
  OpBuilder &builder = x.getBuilder();
  Type i32 = builder.getI32Type();
  Fp8Format format = formatOf(to);
  int dropped = 23 - format.mantissaBits;
  Scalar magnitude = abs(x);
  // `beyond` rounds to the code behind the largest number's: infinity or NaN.
  double limit = isSaturating ? format.largest : format.beyond;
  Scalar limited = select(magnitude < limit, magnitude, magnitude.like(limit));
  // Normal: round the bits at the last mantissa bit that stays, then move the bias.
  Scalar bits = limited.to<arith::BitcastOp>(i32);
  Scalar odd = shiftedRight(bits, dropped) & bits.like(1.0);
  Scalar normal = shiftedRight(bits + double((1 << (dropped - 1)) - 1) + odd, dropped) -
                  double((127 - format.bias) << format.mantissaBits);
  // Subnormal: adding a power of two whose unit in the last place is the smallest fp8 lets the addition
  // round.
  Scalar magic = limited.like(std::ldexp(1.0, 23 + 1 - format.bias - format.mantissaBits));
  Scalar subnormal = (limited + magic).to<arith::BitcastOp>(i32) - magic.to<arith::BitcastOp>(i32);
  Scalar code = select(limited < std::ldexp(1.0, 1 - format.bias), subnormal, normal);
  code = select(notEqual(x, x), code.like(APInt(32, format.nan)), code);
  Scalar sign = shiftedRight(x.to<arith::BitcastOp>(i32), 24) & code.like(0x80);
  return (code | sign).to<arith::TruncIOp>(builder.getI8Type()).to<arith::BitcastOp>(to);
}

Scalar roundedToOdd(Scalar x) {
  if (!x.type().isF64())
    return x;
  // 14 bits stay, the last of them set if anything below is: more than any narrower format has by two, and
  // few enough for an f32, also where bf16 is subnormal.
  constexpr unsigned kDropped = 39;
  OpBuilder &builder = x.getBuilder();
  Scalar bits = x.to<arith::BitcastOp>(builder.getI64Type());
  Scalar low = bits & bits.like(APInt::getLowBitsSet(64, kDropped));
  Scalar high = bits & bits.like(APInt::getHighBitsSet(64, 64 - kDropped));
  Scalar odd = high | bits.like(APInt::getOneBitSet(64, kDropped));
  Scalar kept = select(equal(low, 0.0), high, odd).to<arith::BitcastOp>(x.type());
  return kept.to<arith::TruncFOp>(builder.getF32Type());
}

} // namespace kiln
