// MathExp.cpp: exp and what is made of it. Constants of f32: S. Moshier, Cephes; of f64: Sun's fdlibm
// (e_exp.c, s_expm1.c). Both restrict x to |r| <= ln2/2 by x = k ln2 + r, ln2 in two parts.
#include "backends/host/Transforms/MathBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kiln::host {
namespace {

constexpr double kInvLn2 = 1.44269504088896338700;

struct Reduced {
  Num k, r;
};

Reduced reduce(Num x) {
  Num k = roundEven(x * kInvLn2);
  if (x.builder().isDouble())
    return {k, fma(k, -kLn2Low, fma(k, -kLn2High, x))};
  return {k, fma(k, -kLn2LowF32, fma(k, -kLn2HighF32, x))};
}

/// y * 2^k by one instruction of AVX-512; nothing if it has none for this type.
std::optional<Num> scaledAtOnce(Num y, Num k) {
  MathBuilder &math = y.builder();
  auto type = dyn_cast<VectorType>(math.floatType());
  if (!math.hasScalef() || !type || type.getRank() != 1)
    return std::nullopt;
  int64_t lanes = type.getNumElements(), bits = lanes * (math.isDouble() ? 64 : 32);
  if (bits != 128 && bits != 256 && bits != 512)
    return std::nullopt;
  auto constant = [&](unsigned width, int64_t value) -> Value {
    return math.create<arith::ConstantIntOp>(value, width);
  };
  SmallVector<Value> arguments{y.value(), k.value(), y.value(), constant(lanes > 8 ? 16 : 8, -1)};
  constexpr int64_t kCurrentRounding = 4;
  if (bits == 512)
    arguments.push_back(constant(32, kCurrentRounding));
  std::string name =
      llvm::formatv("llvm.x86.avx512.mask.scalef.{0}.{1}", math.isDouble() ? "pd" : "ps", bits).str();
  auto call = math.create<LLVM::CallIntrinsicOp>(math.floatType(), math.getStringAttr(name), arguments);
  return math.num(call.getResults());
}

/// y * 2^k with k beyond the exponents of normal numbers: in two steps, so that denormal results are rounded
/// once.
Num scale(Num y, Num k) {
  if (std::optional<Num> scaled = scaledAtOnce(y, k))
    return *scaled;
  Num half = roundEven(k * 0.5);
  return y * powerOfTwo(half) * powerOfTwo(k - half);
}

/// exp(r) - 1 for |r| <= ln2/2.
Num smallExpm1(Num r) {
  Num square = r * r;
  if (!r.builder().isDouble())
    return fma(polynomial(r, {5.0000001201e-1, 1.6666665459e-1, 4.1665795894e-2, 8.3334519073e-3,
                              1.3981999507e-3, 1.9875691500e-4}),
               square, r);
  Num c = r - square * polynomial(square, {1.66666666666666019037e-01, -2.77777777770155933842e-03,
                                           6.61375632143793436117e-05, -1.65339022054652515390e-06,
                                           4.13813679705723846039e-08});
  return r + (r * c) / (2.0 - c);
}

} // namespace

Num powerOfTwo(Num k) {
  MathBuilder &math = k.builder();
  // 1.5 * 2^(mantissa bits) + k + bias: the sum's low bits are k + bias; shifted into the exponent.
  if (math.isDouble())
    return floatOf(shiftLeft(bitsOf(k + (6755399441055744.0 + 1023)), 52));
  return floatOf(shiftLeft(bitsOf(k + (12582912.0 + 127)), 23));
}

Num exp(Num x) {
  // Where the bounds change x the result is infinity or 0 all the same.
  bool isDouble = x.builder().isDouble();
  Reduced reduced = reduce(isDouble ? bounded(x, -745.2, 710.0) : bounded(x, -104.0, 89.0));
  return scale(smallExpm1(reduced.r) + 1.0, reduced.k);
}

Num expm1(Num x) {
  if (!x.builder().isDouble()) {
    Reduced reduced = reduce(bounded(x, -20.0, 89.0));
    Num small = smallExpm1(reduced.r);
    // 2^k (e^r - 1) + (2^k - 1): exact where k is 0, and 2^k - 1 rounds at most once. In halves near
    // overflow.
    Num half = powerOfTwo(reduced.k - 1.0);
    return select(x == 0.0, x, fma(small, half, half - 0.5) * 2.0);
  }
  Reduced reduced = reduce(bounded(x, -40.0, 710.0));
  Num r = reduced.r, halfR = r * 0.5, h = r * halfR;
  Num q =
      polynomial(h, {1.0, -3.33333333333331316428e-02, 1.58730158725481460165e-03,
                     -7.93650757867487942473e-05, 4.00821782732936239552e-06, -2.01099218183624371326e-07});
  Num t = 3.0 - q * halfR;
  Num e = h * ((q - t) / (6.0 - r * t));
  Num small = r - (r * e - h);
  Num half = powerOfTwo(reduced.k - 1.0);
  return select(x == 0.0, x, fma(small, half, half - 0.5) * 2.0);
}

Num tanh(Num x) {
  MathBuilder &math = x.builder();
  if (math.isDouble()) {
    // -t / (t + 2) with t = expm1(-2|x|).
    Num t = expm1(abs(x) * -2.0);
    return copySign(-t / (t + 2.0), x);
  }
  // x P(x^2) / Q(x^2), as in Eigen's ptanh_float; 1 beyond the clamp.
  Num c = bounded(x, -7.90531110763549805, 7.90531110763549805);
  Num square = c * c;
  Num p = c * polynomial(square, {4.89352455891786e-03, 6.37261928875436e-04, 1.48572235717979e-05,
                                  5.12229709037114e-08, -8.60467152213735e-11, 2.00018790482477e-13,
                                  -2.76076847742355e-16});
  Num q = polynomial(
      square, {4.89352518554385e-03, 2.26843463243900e-03, 1.18534705686654e-04, 1.19825839466702e-06});
  return select(abs(x) < 4e-4, x, p / q);
}

Num sinh(Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num wide) { return sinh(wide); }, x);
  // t = expm1|x|: (t + t / (t + 1)) / 2; beyond 36 e^|x| / 2 in halves, since e^|x| may overflow first.
  Num a = abs(x), t = expm1(a);
  Num result = (t + t / (t + 1.0)) * 0.5;
  Num half = exp(a * 0.5);
  result = select(a > 36.0, (half * 0.5) * half, result);
  return copySign(result, x);
}

Num cosh(Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num wide) { return cosh(wide); }, x);
  Num a = abs(x), half = exp(a * 0.5), whole = exp(a);
  return select(a > 36.0, (half * 0.5) * half, (whole + 1.0 / whole) * 0.5);
}

} // namespace kiln::host
