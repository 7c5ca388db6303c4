// MathReduction.cpp: Cody and Waite's reduction up to 2^20 pi/2; beyond, Payne and Hanek's in floating point,
// lane by lane, behind a branch that is taken only if a lane is large.
#include "backends/host/Transforms/MathReduction.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::host {
namespace {

constexpr double kTwoOverPi = 6.36619772367581382433e-01;
/// pi/2 in three parts of 33 bits and what is left (fdlibm, e_rem_pio2.c).
constexpr double kHalfPi1 = 1.57079632673412561417e+00, kHalfPi2 = 6.07710050630396597660e-11,
                 kHalfPi3 = 2.02226624871116645580e-21, kHalfPi3Low = 8.47842766036889956997e-32;
constexpr double kShortLimit = 1647099.0; // 2^20 pi/2

/// 2/pi in digits of 24 bits (fdlibm's table of e_rem_pio2.c): digit i weighs 2^(-24 (i + 1)).
constexpr int32_t kTwoOverPiDigits[] = {
    0xA2F983, 0x6E4E44, 0x1529FC, 0x2757D1, 0xF534DD, 0xC0DB62, 0x95993C, 0x439041, 0xFE5163,
    0xABDEBB, 0xC561B7, 0x246E3A, 0x424DD2, 0xE00649, 0x2EEA09, 0xD1921C, 0xFE1DEB, 0x1CB129,
    0xA73EE8, 0x8235F5, 0x2EBB44, 0x84E99C, 0x7026B4, 0x5F7E41, 0x3991D6, 0x398353, 0x39F49C,
    0x845F8B, 0xBDF928, 0x3B1FF8, 0x97FFDE, 0x05980F, 0xEF2F11, 0x8B5A0A, 0x6D1F6D, 0x367ECF,
    0x27CB09, 0xB74F46, 0x3F669E, 0x5FEA2D, 0x7527BA, 0xC7EBE5, 0xF17B3D, 0x0739F7, 0x8A5292,
    0xEA6BFB, 0x5FB11F, 0x8D5D08, 0x560330, 0x46FC7B, 0x6BABF0, 0xCFBC20};

Reduction reduceShort(Num x) {
  Num n = roundEven(x * kTwoOverPi);
  // Each product is exact (33 + 20 bits); each difference but the last is nearly so.
  Num first = fma(n, -kHalfPi1, x);
  DoubleDouble second = twoSum(first, -(n * kHalfPi2));
  DoubleDouble third = twoSum(second.high, -(n * kHalfPi3));
  Num low = second.low + third.low - n * kHalfPi3Low;
  Num high = third.high + low;
  low = low - (high - third.high);
  return {high, low, bitsOf(n + 6755399441055744.0)}; // 1.5 * 2^52: the integer stands in the low bits
}

/// The table as a constant of the module, made at its first use.
Value digitTable(MathBuilder &math) {
  constexpr StringLiteral name = "kiln_two_over_pi";
  auto module = math.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto values =
      DenseElementsAttr::get(RankedTensorType::get({int64_t(std::size(kTwoOverPiDigits))}, math.getI32Type()),
                             ArrayRef(kTwoOverPiDigits));
  auto type = MemRefType::get(values.getType().getShape(), math.getI32Type());
  if (!module.lookupSymbol(name)) {
    OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
    atStart.create<memref::GlobalOp>(math.getLoc(), name, math.getStringAttr("private"), type, values,
                                     /*constant=*/true, /*alignment=*/IntegerAttr());
  }
  return math.create<memref::GetGlobalOp>(type, name);
}

/// Of a scalar x = m 2^e, |x| > 2^19. x 2/pi is a sum of m's halves times digits. Products that are multiples
/// of 8 quarter turns for sure are left out, whole multiples of 8 are taken off the first ones; all that is
/// exact. Nine digits leave an error below 2^-100.
Reduction reduceLongScalar(Num x, Value table) {
  MathBuilder &math = x.builder();
  Num bits = bitsOf(x);
  Num e = addInt(andInt(shiftRight(bits, 52), 0x7ff), -1075);
  Num m = floatOf(orInt(andInt(bits, 0x000fffffffffffff), math.integer(0x4330000000000000)));
  Num mHigh = floatOf(andInt(bitsOf(m), ~int64_t(0x3ffffff))), mLow = m - mHigh; // 27 and 26 bits
  Value zero = math.integer(0).value();
  Num first = math.num(math.create<arith::DivUIOp>(math.create<arith::MaxSIOp>(addInt(e, -3).value(), zero),
                                                   math.integer(24).value()));
  Num weight =
      subInt(e, math.num(math.create<arith::MulIOp>(addInt(first, 1).value(), math.integer(24).value())));
  Num scale = floatOf(shiftLeft(addInt(weight, 1023), 52));
  DoubleDouble sum{math.constant(0), math.constant(0)};
  for (int i = 0; i < 9; ++i) {
    Value at = math.create<arith::IndexCastOp>(math.getIndexType(), addInt(first, i).value());
    Value digit = math.create<memref::LoadOp>(table, ValueRange{at});
    Num value = math.num(math.create<arith::SIToFPOp>(math.getF64Type(), digit)) * scale;
    for (Num half : {mHigh, mLow}) {
      Num product = half * value;
      if (i < 5)
        product = product - roundEven(product * 0.125) * 8.0;
      DoubleDouble next = twoSum(sum.high, product);
      sum = {next.high, sum.low + next.low};
    }
    scale = scale * 0x1p-24;
  }
  sum = twoSum(sum.high, sum.low);
  Num n = roundEven(sum.high);
  DoubleDouble rest = twoSum(sum.high - n, sum.low);
  // In radians.
  constexpr double halfPi = 1.57079632679489655800, halfPiLow = 6.12323399573676603587e-17;
  Num high = rest.high * halfPi;
  Num low = fma(rest.high, halfPi, -high) + fma(rest.low, halfPi, rest.high * halfPiLow);
  DoubleDouble angle = twoSum(high, low);
  Num isNegative = x < 0.0;
  Num quadrant = select(isNegative, -n, n);
  Num finite = abs(x) < std::numeric_limits<double>::infinity();
  high =
      select(finite, select(isNegative, -angle.high, angle.high), std::numeric_limits<double>::quiet_NaN());
  return {high, select(isNegative, -angle.low, angle.low), bitsOf(quadrant + 6755399441055744.0)};
}

/// Goes over the lanes one by one and replaces those that are large.
Reduction reduceLong(Num x, const Reduction &shorter, Num isLarge, Value table) {
  MathBuilder &math = x.builder();
  auto vector = dyn_cast<VectorType>(math.floatType());
  if (!vector)
    return reduceLongScalar(x, table);
  MathBuilder scalar(math.getLoc(), math, math.getF64Type(), math.hasScalef());
  Value begin = math.create<arith::ConstantIndexOp>(0), one = math.create<arith::ConstantIndexOp>(1);
  Value end = math.create<arith::ConstantIndexOp>(vector.getNumElements());
  auto loop = math.create<scf::ForOp>(
      begin, end, one, ValueRange{shorter.high.value(), shorter.low.value(), shorter.quadrant.value()},
      [&](OpBuilder &nested, Location loc, Value lane, ValueRange carried) {
        Value large = nested.create<vector::ExtractElementOp>(loc, isLarge.value(), lane);
        auto replace = nested.create<scf::IfOp>(
            loc, large,
            [&](OpBuilder &inner, Location loc) {
              MathBuilder at(loc, inner, inner.getF64Type(), math.hasScalef());
              Reduction reduced =
                  reduceLongScalar(at.num(at.create<vector::ExtractElementOp>(x.value(), lane)), table);
              SmallVector<Value> parts{reduced.high.value(), reduced.low.value(), reduced.quadrant.value()},
                  results;
              for (auto [whole, part] : llvm::zip_equal(carried, parts))
                results.push_back(at.create<vector::InsertElementOp>(part, whole, lane));
              at.create<scf::YieldOp>(results);
            },
            [&](OpBuilder &inner, Location loc) { inner.create<scf::YieldOp>(loc, carried); });
        nested.create<scf::YieldOp>(loc, replace.getResults());
      });
  return {math.num(loop.getResult(0)), math.num(loop.getResult(1)), math.num(loop.getResult(2))};
}

} // namespace

Reduction reduceByHalfPi(Num x) {
  MathBuilder &math = x.builder();
  Reduction shorter = reduceShort(x);
  Num isLarge = math.num(math.create<arith::CmpFOp>(arith::CmpFPredicate::UGT, abs(x).value(),
                                                    math.constant(kShortLimit).value()));
  Value any = isLarge.value();
  if (isa<VectorType>(any.getType()))
    any = math.create<vector::ReductionOp>(vector::CombiningKind::OR, any);
  Value table = digitTable(math);
  auto branch = math.create<scf::IfOp>(
      any,
      [&](OpBuilder &nested, Location loc) {
        MathBuilder inner(loc, nested, math.floatType(), math.hasScalef());
        auto move = [&](Num value) { return inner.num(value.value()); };
        Reduction longer = reduceLong(
            move(x), {move(shorter.high), move(shorter.low), move(shorter.quadrant)}, move(isLarge), table);
        inner.create<scf::YieldOp>(
            ValueRange{longer.high.value(), longer.low.value(), longer.quadrant.value()});
      },
      [&](OpBuilder &nested, Location loc) {
        nested.create<scf::YieldOp>(
            loc, ValueRange{shorter.high.value(), shorter.low.value(), shorter.quadrant.value()});
      });
  return {math.num(branch.getResult(0)), math.num(branch.getResult(1)), math.num(branch.getResult(2))};
}

} // namespace kiln::host
