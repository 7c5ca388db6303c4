// ScalarMath.cpp: what the scalar unit does not compute in terms of what it does. Functions of f32 by
// upstream's polynomials; square roots, 64-bit unsigned arithmetic and turns of angles exactly, on integers.
#include "backends/npu/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_SCALARMATHPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

using Predicate = arith::CmpIPredicate;

/// Integer ops in short.
class Ints : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  Value constant(Type type, int64_t value) {
    return create<arith::ConstantOp>(type, getIntegerAttr(type, value));
  }
  Value real(double value) { return create<arith::ConstantOp>(getF32FloatAttr(value)); }
  Value add(Value a, Value b) { return create<arith::AddIOp>(a, b); }
  Value add(Value a, int64_t b) { return add(a, constant(a.getType(), b)); }
  Value sub(Value a, Value b) { return create<arith::SubIOp>(a, b); }
  Value mul(Value a, Value b) { return create<arith::MulIOp>(a, b); }
  Value bitAnd(Value a, int64_t mask) { return create<arith::AndIOp>(a, constant(a.getType(), mask)); }
  Value shl(Value a, int64_t by) { return create<arith::ShLIOp>(a, constant(a.getType(), by)); }
  Value shr(Value a, int64_t by) { return create<arith::ShRUIOp>(a, constant(a.getType(), by)); }
  Value compare(Predicate predicate, Value a, Value b) { return create<arith::CmpIOp>(predicate, a, b); }
  Value less(Value a, int64_t b) { return compare(Predicate::slt, a, constant(a.getType(), b)); }
  Value select(Value condition, Value a, Value b) { return create<arith::SelectOp>(condition, a, b); }
  Value asInt(Value real) { return create<arith::BitcastOp>(getI32Type(), real); }
  Value asReal(Value bits) { return create<arith::BitcastOp>(getF32Type(), bits); }
  /// x * 2^exponent, for exponents from -252 to 254: in two steps, since the power may be no normal number.
  Value scale(Value x, Value exponent) {
    Value half = create<arith::ShRSIOp>(exponent, constant(exponent.getType(), 1));
    auto powerOf = [&](Value power) { return asReal(shl(add(power, 127), 23)); };
    return create<arith::MulFOp>(create<arith::MulFOp>(x, powerOf(half)), powerOf(sub(exponent, half)));
  }
};

/// The square root, rounded to nearest: of the mantissa, as the integer root of 2^23 times it.
struct ExpandSqrt final : OpRewritePattern<math::SqrtOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SqrtOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    Ints b(op.getLoc(), rewriter);
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    Value x = op.getOperand(), bits = b.asInt(x);
    // Denormals are scaled by 2^24, roots then by 2^-12.
    Value isSmall = b.compare(Predicate::ult, bits, b.constant(i32, 1 << 23));
    bits = b.select(isSmall, b.asInt(b.create<arith::MulFOp>(x, b.real(0x1p24))), bits);
    Value exponent = b.add(b.shr(bits, 23), -127);
    Value isOdd = b.bitAnd(exponent, 1);
    Value mantissa = b.add(b.bitAnd(bits, 0x7fffff), 1 << 23);
    mantissa = b.create<arith::ShLIOp>(mantissa, isOdd);
    Value square = b.shl(b.create<arith::ExtUIOp>(i64, mantissa), 23);
    Value real = b.create<arith::SIToFPOp>(b.getF32Type(), square);
    Value root = b.asReal(b.add(b.shr(b.asInt(real), 1), 0x1fbd1df5));
    for (int step = 0; step < 3; ++step)
      root = b.create<arith::MulFOp>(b.real(0.5),
                                     b.create<arith::AddFOp>(root, b.create<arith::DivFOp>(real, root)));
    Value whole = b.create<arith::FPToSIOp>(i64, root); // off by two at most
    for (int step = 0; step < 2; ++step)
      whole = b.select(b.compare(Predicate::sgt, b.mul(whole, whole), square), b.add(whole, -1), whole);
    for (int step = 0; step < 2; ++step) {
      Value next = b.add(whole, 1);
      whole = b.select(b.compare(Predicate::sle, b.mul(next, next), square), next, whole);
    }
    Value isUp = b.compare(Predicate::sgt, b.sub(square, b.mul(whole, whole)), whole);
    whole = b.add(whole, b.create<arith::ExtUIOp>(i64, isUp));
    Value half = b.create<arith::ShRSIOp>(b.sub(exponent, isOdd), b.constant(i32, 1));
    half = b.select(isSmall, b.add(half, -12), half);
    Value result = b.add(b.shl(b.add(half, 126), 23), b.create<arith::TruncIOp>(i32, whole));
    // Zeros, infinity and NaN are their own roots; what is below zero has none.
    bits = b.asInt(x);
    Value isOwn = b.create<arith::OrIOp>(
        b.compare(Predicate::eq, b.bitAnd(bits, 0x7fffffff), b.constant(i32, 0)),
        b.compare(Predicate::sge, b.bitAnd(bits, 0x7fffffff), b.constant(i32, 0x7f800000)));
    Value other = b.select(isOwn, bits, result);
    Value isBelow = b.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, b.real(0));
    other = b.select(isBelow, b.constant(i32, 0x7fc00000), other);
    rewriter.replaceOp(op, b.asReal(other));
    return success();
  }
};

/// The remainder of truncating division, exact: of the mantissas, 40 bits of quotient at a time.
struct ExpandRemainder final : OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemFOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    Ints b(op.getLoc(), rewriter);
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    struct Parts {
      Value mantissa, exponent;
    };
    auto partsOf = [&](Value bits) { // value = mantissa * 2^(exponent - 150)
      Value field = b.shr(bits, 23), fraction = b.bitAnd(bits, 0x7fffff);
      Value isDenormal = b.compare(Predicate::eq, field, b.constant(i32, 0));
      Value mantissa = b.select(isDenormal, fraction, b.add(fraction, 1 << 23));
      return Parts{b.create<arith::ExtUIOp>(i64, mantissa), b.select(isDenormal, b.constant(i32, 1), field)};
    };
    Value x = op.getLhs(), y = op.getRhs();
    Value magnitudeX = b.bitAnd(b.asInt(x), 0x7fffffff), magnitudeY = b.bitAnd(b.asInt(y), 0x7fffffff);
    Parts from = partsOf(magnitudeX), by = partsOf(magnitudeY);
    Value one = b.constant(i64, 1);
    Value divisor = b.create<arith::MaxSIOp>(by.mantissa, one); // y of 0 is handled below
    Value distance = b.create<arith::MaxSIOp>(b.sub(from.exponent, by.exponent), b.constant(i32, 0));
    Value rest = b.create<arith::RemSIOp>(from.mantissa, divisor);
    constexpr int64_t kStep = 36; // bits that a rest of 24 bits can be moved
    Value zero = b.create<arith::ConstantIndexOp>(0), last = b.create<arith::ConstantIndexOp>(7);
    Value next = b.create<arith::ConstantIndexOp>(1);
    auto loop = b.create<scf::ForOp>(
        zero, last, next, ValueRange{rest, distance},
        [&](OpBuilder &nested, Location loc, Value, ValueRange carried) {
          Ints in(loc, nested);
          Value move = in.create<arith::MinSIOp>(carried[1], in.constant(i32, kStep));
          Value moved = in.create<arith::ShLIOp>(carried[0], in.create<arith::ExtUIOp>(i64, move));
          in.create<scf::YieldOp>(
              ValueRange{in.create<arith::RemSIOp>(moved, divisor), in.sub(carried[1], move)});
        });
    rest = loop.getResult(0);
    // As a float: exact, since it has at most 24 bits.
    Value real = b.create<arith::SIToFPOp>(b.getF32Type(), rest);
    real = b.scale(real, b.sub(by.exponent, b.constant(i32, 150))); // from -149 to 104
    real = b.create<math::CopySignOp>(real, x);
    Value isSmaller = b.compare(Predicate::slt, magnitudeX, magnitudeY);
    real = b.select(isSmaller, x, real);
    Value infinity = b.constant(i32, 0x7f800000);
    Value isNone =
        b.create<arith::OrIOp>(b.create<arith::OrIOp>(b.compare(Predicate::sge, magnitudeX, infinity),
                                                      b.compare(Predicate::sgt, magnitudeY, infinity)),
                               b.compare(Predicate::eq, magnitudeY, b.constant(i32, 0)));
    rewriter.replaceOp(op, b.select(isNone, b.asReal(b.constant(i32, 0x7fc00000)), real));
    return success();
  }
};

/// e^x = 2^n * e^r with |r| <= ln 2 / 2, where Taylor's polynomial of degree 7 is off by 2^-27. Upstream's is
/// 0 where the result is no normal number.
struct ExpandExp final : OpRewritePattern<math::ExpOp> {
  explicit ExpandExp(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/10) {}
  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    Ints b(op.getLoc(), rewriter);
    auto is = [&](arith::CmpFPredicate predicate, Value lhs, Value rhs) -> Value {
      return b.create<arith::CmpFOp>(predicate, lhs, rhs);
    };
    Value x = op.getOperand(), low = b.real(-150), high = b.real(130); // 0 below, infinity above
    Value isNone = is(arith::CmpFPredicate::UNO, x, x);
    Value within = b.select(is(arith::CmpFPredicate::ULT, x, low), low, x);
    within = b.select(is(arith::CmpFPredicate::OGT, within, high), high, within);
    Value turns = b.create<arith::MulFOp>(within, b.real(1.4426950408889634));
    Value half = b.create<math::CopySignOp>(b.real(0.5), turns);
    Value exponent = b.create<arith::FPToSIOp>(b.getI32Type(), b.create<arith::AddFOp>(turns, half));
    Value whole = b.create<arith::SIToFPOp>(b.getF32Type(), exponent);
    // ln 2 in two parts: products of the first with whole numbers of 15 bits are exact.
    Value rest = b.create<arith::SubFOp>(within, b.create<arith::MulFOp>(whole, b.real(0.693359375)));
    rest = b.create<arith::SubFOp>(rest, b.create<arith::MulFOp>(whole, b.real(-2.12194440e-4)));
    Value sum = b.real(1.0 / 5040);
    for (double factorial : {720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0})
      sum = b.create<arith::AddFOp>(b.create<arith::MulFOp>(sum, rest), b.real(1 / factorial));
    rewriter.replaceOp(op, b.select(isNone, x, b.scale(sum, exponent)));
    return success();
  }
};

/// sin and cos: the turns of an angle, modulo 1, are a product of its mantissa and 96 of the bits of 1 / (2
/// pi) that its exponent chooses (Payne and Hanek).
template <typename Op> struct ExpandCircle final : OpRewritePattern<Op> {
  explicit ExpandCircle(MLIRContext *context) : OpRewritePattern<Op>(context, /*benefit=*/10) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    constexpr bool isSine = std::is_same_v<Op, math::SinOp>;
    // 1 / (2 pi) behind 35 zeros, so that angles down to 2^-12 are served; below sin x is x.
    constexpr uint64_t kBits[] = {0x517cc1b, 0x727220a94fe13abe, 0x8fa9a6ee06db14ac, 0xc9e21c820ff28b1d};
    constexpr int64_t kLeast = 115; // exponent field of 2^-12
    Ints b(op.getLoc(), rewriter);
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    auto wide = [&](Value x) -> Value { return b.create<arith::ExtUIOp>(i64, x); };
    Value x = op.getOperand(), bits = b.bitAnd(b.asInt(x), 0x7fffffff), field = b.shr(bits, 23);
    Value mantissa = wide(b.add(b.bitAnd(bits, 0x7fffff), 1 << 23));
    Value from = b.create<arith::MaxSIOp>(b.add(field, -kLeast), b.constant(i32, 0));
    Value skip = wide(b.bitAnd(from, 63)), keep = b.sub(b.constant(i64, 63), skip);
    Value isFirst = b.less(from, 64), isSecond = b.less(from, 128);
    auto word = [&](size_t i) {
      auto at = [&](size_t j) { return b.constant(i64, j < std::size(kBits) ? int64_t(kBits[j]) : 0); };
      return b.select(isFirst, at(i), b.select(isSecond, at(i + 1), at(i + 2)));
    };
    auto joined = [&](Value high, Value low) -> Value {
      Value upper = b.create<arith::ShLIOp>(high, skip),
            lower = b.create<arith::ShRUIOp>(b.shr(low, 1), keep);
      return b.create<arith::OrIOp>(upper, lower);
    };
    Value middle = word(1), rest = b.shr(joined(middle, word(2)), 32);
    Value turns = b.add(b.mul(mantissa, joined(word(0), middle)), b.shr(b.mul(mantissa, rest), 32));
    Value isLeast = b.less(field, kLeast);
    turns = b.select(isLeast, b.constant(i64, 0), turns);
    constexpr int64_t kQuarter = int64_t(1) << 62;
    if (!isSine)
      turns = b.add(turns, kQuarter);
    // To the nearest half turn, which changes the sign if it is odd.
    Value isOdd = b.less(b.add(turns, kQuarter), 0);
    turns = b.select(isOdd, b.add(turns, INT64_MIN), turns);
    Value angle = b.create<arith::MulFOp>(b.create<arith::SIToFPOp>(b.getF32Type(), turns),
                                          b.real(std::ldexp(2 * std::numbers::pi, -64)));
    Value square = b.create<arith::MulFOp>(angle, angle), sum = b.real(2.6083159809786593e-6);
    for (double next : {-1.9810690719168633e-4, 8.3330785855650902e-3, -1.6666659712791443e-1, 1.0})
      sum = b.create<arith::AddFOp>(b.create<arith::MulFOp>(sum, square), b.real(next));
    Value result = b.create<arith::MulFOp>(sum, angle);
    if (isSine) {
      Value isNegative = b.less(b.asInt(x), 0);
      isOdd = b.create<arith::XOrIOp>(isOdd, isNegative);
    }
    result = b.select(isOdd, b.create<arith::NegFOp>(result), result);
    if (isSine)
      result = b.select(isLeast, x, result);
    Value isNone = b.compare(Predicate::eq, field, b.constant(i32, 255));
    rewriter.replaceOp(op, b.select(isNone, b.asReal(b.constant(i32, 0x7fc00000)), result));
    return success();
  }
};

/// C's pow: upstream's takes the logarithm of a negative number.
struct ExpandPow final : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    using Is = arith::CmpFPredicate;
    Ints b(op.getLoc(), rewriter);
    auto is = [&](Is predicate, Value lhs, Value rhs) -> Value {
      return b.create<arith::CmpFOp>(predicate, lhs, rhs);
    };
    auto both = [&](Value lhs, Value rhs) -> Value { return b.create<arith::AndIOp>(lhs, rhs); };
    auto either = [&](Value lhs, Value rhs) -> Value { return b.create<arith::OrIOp>(lhs, rhs); };
    Value x = op.getLhs(), y = op.getRhs(), zero = b.real(0), one = b.real(1);
    Value infinity = b.real(std::numeric_limits<double>::infinity());
    Value magnitude = b.create<math::AbsFOp>(x), power = b.create<math::AbsFOp>(y);
    Value result = b.create<math::ExpOp>(b.create<arith::MulFOp>(y, b.create<math::LogOp>(magnitude)));
    Value half = b.create<arith::MulFOp>(y, b.real(0.5));
    Value isWhole = is(Is::OEQ, b.create<math::FloorOp>(y), y);
    Value isOdd = both(isWhole, is(Is::UNE, b.create<math::FloorOp>(half), half));
    Value isNegative = b.less(b.asInt(x), 0);
    result = b.select(both(isOdd, isNegative), b.create<arith::NegFOp>(result), result);
    Value isFinite = both(is(Is::OLT, magnitude, infinity), is(Is::OGT, magnitude, zero));
    Value isNone = both(both(isNegative, isFinite),
                        b.create<arith::XOrIOp>(isWhole, b.create<arith::ConstantIntOp>(1, 1)));
    isNone = either(isNone, is(Is::UNO, x, y));
    result = b.select(isNone, b.asReal(b.constant(b.getI32Type(), 0x7fc00000)), result);
    Value isOne = either(is(Is::OEQ, y, zero), is(Is::OEQ, x, one));
    isOne = either(isOne, both(is(Is::OEQ, magnitude, one), is(Is::OEQ, power, infinity)));
    rewriter.replaceOp(op, b.select(isOne, one, result));
    return success();
  }
};

/// The angle is odd in y: with the sign of a zero, too.
struct ExpandAtan2Sign final : OpRewritePattern<math::Atan2Op> {
  explicit ExpandAtan2Sign(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/10) {}
  LogicalResult matchAndRewrite(math::Atan2Op op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || op.getLhs().getDefiningOp<math::AbsFOp>())
      return rewriter.notifyMatchFailure(op, "not f32, or not negative");
    Ints b(op.getLoc(), rewriter);
    Value angle = b.create<math::Atan2Op>(b.create<math::AbsFOp>(op.getLhs()), op.getRhs());
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, angle, op.getLhs());
    return success();
  }
};

/// asin x and acos x: angles of the point on the unit circle.
template <typename Op> struct ExpandArc final : OpRewritePattern<Op> {
  explicit ExpandArc(MLIRContext *context) : OpRewritePattern<Op>(context, /*benefit=*/10) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    Ints b(op.getLoc(), rewriter);
    Value x = op.getOperand(), one = b.real(1);
    Value square = b.create<arith::MulFOp>(b.create<arith::SubFOp>(one, x), b.create<arith::AddFOp>(one, x));
    Value other = b.create<math::SqrtOp>(square);
    Value angle = std::is_same_v<Op, math::AsinOp> ? b.create<math::Atan2Op>(x, other)
                                                   : b.create<math::Atan2Op>(other, x);
    Value isNone = b.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, square, other);
    rewriter.replaceOp(op, b.select(isNone, b.asReal(b.constant(b.getI32Type(), 0x7fc00000)), angle));
    return success();
  }
};

/// asinh x = sign x log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))); of large numbers log |x| + log 2.
struct ExpandAsinh final : OpRewritePattern<math::AsinhOp> {
  explicit ExpandAsinh(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/10) {}
  LogicalResult matchAndRewrite(math::AsinhOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    Ints b(op.getLoc(), rewriter);
    Value x = op.getOperand(), one = b.real(1), magnitude = b.create<math::AbsFOp>(x);
    Value square = b.create<arith::MulFOp>(x, x);
    Value root = b.create<math::SqrtOp>(b.create<arith::AddFOp>(square, one));
    Value rest = b.create<arith::DivFOp>(square, b.create<arith::AddFOp>(one, root));
    Value near = b.create<math::Log1pOp>(b.create<arith::AddFOp>(magnitude, rest));
    Value far = b.create<arith::AddFOp>(b.create<math::LogOp>(magnitude), b.real(0.69314718055994531));
    Value isFar = b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, magnitude, b.real(0x1p40));
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, b.select(isFar, far, near), x);
    return success();
  }
};

/// Quotient and remainder of u64 by signed division: of half the dividend, then corrected.
std::pair<Value, Value> divideUnsigned(Ints &b, Value x, Value y) {
  Type i64 = b.getI64Type();
  Value zero = b.constant(i64, 0), one = b.constant(i64, 1);
  Value isLarge = b.compare(Predicate::slt, y, zero); // 2^63 or more: it goes at most once
  Value divisor = b.select(isLarge, one, y);
  Value quotient = b.shl(b.create<arith::DivSIOp>(b.shr(x, 1), divisor), 1);
  quotient = b.select(isLarge, zero, quotient);
  Value rest = b.sub(x, b.mul(quotient, y));
  Value again = b.compare(Predicate::uge, rest, y);
  quotient = b.add(quotient, b.create<arith::ExtUIOp>(i64, again));
  return {quotient, b.select(again, b.sub(rest, y), rest)};
}

template <typename Op> struct ExpandUnsigned final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!op.getType().isInteger(64))
      return rewriter.notifyMatchFailure(op, "not of 64 bits");
    Ints b(op.getLoc(), rewriter);
    Value x = op.getLhs(), y = op.getRhs();
    if constexpr (std::is_same_v<Op, arith::MinUIOp>)
      rewriter.replaceOp(op, b.select(b.compare(Predicate::ult, x, y), x, y));
    else if constexpr (std::is_same_v<Op, arith::MaxUIOp>)
      rewriter.replaceOp(op, b.select(b.compare(Predicate::ugt, x, y), x, y));
    else if constexpr (std::is_same_v<Op, arith::DivUIOp>)
      rewriter.replaceOp(op, divideUnsigned(b, x, y).first);
    else
      rewriter.replaceOp(op, divideUnsigned(b, x, y).second);
    return success();
  }
};

/// u64 -> f32: halved, with the lost bit kept where it decides how to round.
struct ExpandFromUnsigned final : OpRewritePattern<arith::UIToFPOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::UIToFPOp op, PatternRewriter &rewriter) const override {
    if (!op.getIn().getType().isInteger(64) || !op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not from 64 bits to f32");
    Ints b(op.getLoc(), rewriter);
    Value x = op.getIn(), zero = b.constant(x.getType(), 0);
    Value half = b.create<arith::OrIOp>(b.shr(x, 1), b.bitAnd(x, 1));
    Value isLarge = b.compare(Predicate::slt, x, zero);
    Value real = b.create<arith::SIToFPOp>(op.getType(), b.select(isLarge, half, x));
    rewriter.replaceOp(op, b.select(isLarge, b.create<arith::AddFOp>(real, real), real));
    return success();
  }
};

struct ExpandToUnsigned final : OpRewritePattern<arith::FPToUIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::FPToUIOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isInteger(64) || !op.getIn().getType().isF32())
      return rewriter.notifyMatchFailure(op, "not from f32 to 64 bits");
    Ints b(op.getLoc(), rewriter);
    Value x = op.getIn(), limit = b.real(0x1p63);
    Value isLarge = b.create<arith::CmpFOp>(arith::CmpFPredicate::OGE, x, limit);
    Value rest = b.select(isLarge, b.create<arith::SubFOp>(x, limit), x);
    Value whole = b.create<arith::FPToSIOp>(op.getType(), rest);
    Value top = b.create<arith::XOrIOp>(whole, b.constant(op.getType(), INT64_MIN));
    rewriter.replaceOp(op, b.select(isLarge, top, whole));
    return success();
  }
};

struct ExpandAbs final : OpRewritePattern<math::AbsIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::AbsIOp op, PatternRewriter &rewriter) const override {
    Ints b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    Value negative = b.sub(b.constant(x.getType(), 0), x);
    rewriter.replaceOp(op, b.select(b.less(x, 0), negative, x));
    return success();
  }
};

struct ScalarMath final : impl::ScalarMathPassBase<ScalarMath> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns
        .add<ExpandSqrt, ExpandRemainder, ExpandExp, ExpandPow, ExpandCircle<math::SinOp>,
             ExpandCircle<math::CosOp>, ExpandAtan2Sign, ExpandArc<math::AsinOp>, ExpandArc<math::AcosOp>,
             ExpandAsinh, ExpandFromUnsigned, ExpandToUnsigned, ExpandAbs, ExpandUnsigned<arith::MinUIOp>,
             ExpandUnsigned<arith::MaxUIOp>, ExpandUnsigned<arith::DivUIOp>, ExpandUnsigned<arith::RemUIOp>>(
            context);
    populateMathPolynomialApproximationPatterns(patterns);
    populateExpandCtlzPattern(patterns);
    populateExpandTanPattern(patterns);
    populateExpandSinhPattern(patterns);
    populateExpandCoshPattern(patterns);
    populateExpandAcoshPattern(patterns);
    populateExpandAtanhPattern(patterns);
    populateExpandFmaFPattern(patterns);
    populateExpandExp2FPattern(patterns);
    populateExpandFPowIPattern(patterns);
    populateExpandRsqrtPattern(patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithExpandOpsPatterns(patterns);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kiln::npu
