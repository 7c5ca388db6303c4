// ExpandFloats.cpp: conversions between f32, f64 and the 16-bit floats as integer arithmetic on vectors.
#include "kiln/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_EXPANDFLOATSPASS
#include "kiln/Transforms/Passes.h.inc"

namespace {

Type withElement(Type like, Type element) {
  auto shaped = dyn_cast<ShapedType>(like);
  return shaped ? Type(shaped.clone(element)) : element;
}

/// Integer and float ops on values shaped as one value.
class Bits : public ImplicitLocOpBuilder {
public:
  Bits(Location loc, PatternRewriter &rewriter, Type like)
      : ImplicitLocOpBuilder(loc, rewriter), like(like) {}

  Type ints(unsigned width) { return withElement(like, getIntegerType(width)); }
  Type shaped(Type element) { return withElement(like, element); }
  Value constant(Value beside, int64_t value) {
    Type type = beside.getType(), element = getElementTypeOrSelf(type);
    TypedAttr attr =
        getIntegerAttr(element, APInt(element.getIntOrFloatBitWidth(), value, /*isSigned=*/true));
    if (auto vector = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(vector, attr);
    return create<arith::ConstantOp>(attr);
  }
  Value cast(Value value, Type type) { return create<arith::BitcastOp>(type, value); }
  Value shiftLeft(Value value, int64_t by) { return create<arith::ShLIOp>(value, constant(value, by)); }
  Value shiftRight(Value value, int64_t by) { return create<arith::ShRUIOp>(value, constant(value, by)); }
  Value bitAnd(Value value, int64_t mask) { return create<arith::AndIOp>(value, constant(value, mask)); }
  Value bitOr(Value value, int64_t mask) { return create<arith::OrIOp>(value, constant(value, mask)); }
  Value add(Value a, Value b) { return create<arith::AddIOp>(a, b); }
  Value add(Value a, int64_t b) { return add(a, constant(a, b)); }
  Value compare(arith::CmpIPredicate predicate, Value a, int64_t b) {
    return create<arith::CmpIOp>(predicate, a, constant(a, b));
  }
  Value select(Value condition, Value a, Value b) { return create<arith::SelectOp>(condition, a, b); }

private:
  Type like;
};

/// f32 bits of bf16 bits: the upper half.
Value widenBf16(Bits &bits, Value value) {
  Value wide = bits.create<arith::ExtUIOp>(bits.ints(32), bits.cast(value, bits.ints(16)));
  return bits.cast(bits.shiftLeft(wide, 16), bits.shaped(bits.getF32Type()));
}

/// Round to nearest even by adding half of the last place kept; NaN stays NaN, made quiet.
Value narrowBf16(Bits &bits, Value value) {
  Value u = bits.cast(value, bits.ints(32));
  Value odd = bits.bitAnd(bits.shiftRight(u, 16), 1);
  Value rounded = bits.shiftRight(bits.add(bits.add(u, odd), 0x7fff), 16);
  Value quiet = bits.bitOr(bits.shiftRight(u, 16), 0x40);
  Value isNan = bits.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, value, value);
  Value half = bits.create<arith::TruncIOp>(bits.ints(16), bits.select(isNan, quiet, rounded));
  return bits.cast(half, bits.shaped(bits.getBF16Type()));
}

/// f16 -> f32 without F16C: shift exponent and mantissa into place and scale by 2^112, which also makes
/// denormals right; infinities and NaN get the largest exponent. (F. Giesen, "half to float done quick".)
Value widenF16(Bits &bits, Value value) {
  Value h = bits.create<arith::ExtUIOp>(bits.ints(32), bits.cast(value, bits.ints(16)));
  Value sign = bits.shiftLeft(bits.bitAnd(h, 0x8000), 16);
  Value rest = bits.shiftLeft(bits.bitAnd(h, 0x7fff), 13);
  Value scale = bits.cast(bits.constant(rest, int64_t(127 + 112) << 23), bits.shaped(bits.getF32Type()));
  Value scaled = bits.cast(bits.create<arith::MulFOp>(bits.cast(rest, bits.shaped(bits.getF32Type())), scale),
                           bits.ints(32));
  Value special = bits.compare(arith::CmpIPredicate::uge, rest, int64_t(0x7c00) << 13);
  Value result = bits.create<arith::OrIOp>(bits.select(special, bits.bitOr(rest, 0x7f800000), scaled), sign);
  return bits.cast(result, bits.shaped(bits.getF32Type()));
}

/// f32 -> f16 without F16C: normal results by integer rounding, denormal ones by adding a magic number, whose
/// rounding is the hardware's; overflow to infinity. (F. Giesen, "float to half, round to nearest even".)
Value narrowF16(Bits &bits, Value value) {
  Type f32 = bits.shaped(bits.getF32Type());
  Value u = bits.cast(value, bits.ints(32));
  Value sign = bits.bitAnd(u, int64_t(int32_t(0x80000000)));
  Value magnitude = bits.create<arith::XOrIOp>(u, sign);
  Value magic = bits.constant(u, int64_t(126) << 23); // 0.5: its last place is the denormals'
  Value denormal =
      bits.cast(bits.create<arith::AddFOp>(bits.cast(magnitude, f32), bits.cast(magic, f32)), bits.ints(32));
  denormal = bits.create<arith::SubIOp>(denormal, magic);
  Value odd = bits.bitAnd(bits.shiftRight(magnitude, 13), 1);
  Value normal = bits.add(magnitude, int64_t(int32_t((uint32_t(15 - 127) << 23) + 0xfff)));
  normal = bits.shiftRight(bits.add(normal, odd), 13);
  Value result = bits.select(bits.compare(arith::CmpIPredicate::ult, magnitude, 113 << 23), denormal, normal);
  Value isNan = bits.compare(arith::CmpIPredicate::ugt, magnitude, int64_t(0x7f800000));
  Value special = bits.select(isNan, bits.constant(u, 0x7e00), bits.constant(u, 0x7c00));
  result = bits.select(bits.compare(arith::CmpIPredicate::uge, magnitude, int64_t(127 + 16) << 23), special,
                       result);
  result = bits.create<arith::OrIOp>(result, bits.shiftRight(sign, 16));
  return bits.cast(bits.create<arith::TruncIOp>(bits.ints(16), result), bits.shaped(bits.getF16Type()));
}

/// f64 -> f32 rounded to odd: the result is inexact towards zero with its last bit set, so that rounding it
/// again to 16 bits gives what one rounding would have. (Boldo, Melquiond: "When double rounding is odd".)
Value narrowToOdd(Bits &bits, Value value) {
  Type f32 = bits.shaped(bits.getF32Type());
  Value near = bits.create<arith::TruncFOp>(f32, value);
  Value back = bits.create<arith::ExtFOp>(value.getType(), near);
  Value u = bits.cast(near, bits.ints(32));
  Value absBack = bits.bitAnd(bits.cast(back, bits.ints(64)), INT64_MAX);
  Value absValue = bits.bitAnd(bits.cast(value, bits.ints(64)), INT64_MAX);
  // Step back over the value if rounding went away from zero, then set the last bit if anything was lost.
  Value away = bits.create<arith::CmpIOp>(arith::CmpIPredicate::ugt, absBack, absValue);
  Value inexact = bits.create<arith::CmpFOp>(arith::CmpFPredicate::ONE, back, value);
  Value down = bits.select(away, bits.add(u, -1), u);
  return bits.cast(bits.select(inexact, bits.bitOr(down, 1), u), f32);
}

struct ExpandExt final : OpRewritePattern<arith::ExtFOp> {
  ExpandExt(MLIRContext *context, bool f16c) : OpRewritePattern(context), f16c(f16c) {}
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn().getType()), to = getElementTypeOrSelf(op.getType());
    bool expands = from.isBF16() || (from.isF16() && (!f16c || to.isF64()));
    if (!expands)
      return rewriter.notifyMatchFailure(op, "the target has this conversion");
    Bits bits(op.getLoc(), rewriter, op.getType());
    Value wide = from.isBF16() ? widenBf16(bits, op.getIn())
                 : f16c        ? Value(bits.create<arith::ExtFOp>(bits.shaped(bits.getF32Type()), op.getIn()))
                               : widenF16(bits, op.getIn());
    if (to.isF64())
      wide = bits.create<arith::ExtFOp>(op.getType(), wide);
    rewriter.replaceOp(op, wide);
    return success();
  }
  bool f16c;
};

struct ExpandTrunc final : OpRewritePattern<arith::TruncFOp> {
  ExpandTrunc(MLIRContext *context, bool f16c) : OpRewritePattern(context), f16c(f16c) {}
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn().getType()), to = getElementTypeOrSelf(op.getType());
    bool expands = to.isBF16() || (to.isF16() && (!f16c || from.isF64()));
    if (!expands)
      return rewriter.notifyMatchFailure(op, "the target has this conversion");
    Bits bits(op.getLoc(), rewriter, op.getType());
    Value value = from.isF64() ? narrowToOdd(bits, op.getIn()) : op.getIn();
    Value narrow = to.isBF16() ? narrowBf16(bits, value)
                   : f16c      ? Value(bits.create<arith::TruncFOp>(op.getType(), value))
                               : narrowF16(bits, value);
    rewriter.replaceOp(op, narrow);
    return success();
  }
  bool f16c;
};

bool isSmallFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

/// Arithmetic on 16-bit floats is done in f32; moves and the conversions themselves stay.
struct Promote final : RewritePattern {
  explicit Promote(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    bool computes = (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
                     OpTrait::hasElementwiseMappableTraits(op) &&
                     !isa<arith::ExtFOp, arith::TruncFOp, arith::BitcastOp, arith::SelectOp>(op)) ||
                    isa<vector::ReductionOp>(op);
    if (!computes || (llvm::none_of(op->getOperandTypes(), isSmallFloat) &&
                      llvm::none_of(op->getResultTypes(), isSmallFloat)))
      return rewriter.notifyMatchFailure(op, "does not compute on 16-bit floats");
    Location loc = op->getLoc();
    auto widen = [&](Type type) {
      return isSmallFloat(type) ? withElement(type, rewriter.getF32Type()) : type;
    };
    OperationState state(loc, op->getName());
    for (Value operand : op->getOperands()) {
      Type wide = widen(operand.getType());
      state.addOperands(wide == operand.getType() ? operand
                                                  : rewriter.create<arith::ExtFOp>(loc, wide, operand));
    }
    for (Type type : op->getResultTypes())
      state.addTypes(widen(type));
    state.addAttributes(op->getAttrs());
    Value result = rewriter.create(state)->getResult(0);
    if (isSmallFloat(op->getResult(0).getType()))
      result = rewriter.create<arith::TruncFOp>(loc, op->getResult(0).getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ExpandFloatsPass : impl::ExpandFloatsPassBase<ExpandFloatsPass> {
  using ExpandFloatsPassBase::ExpandFloatsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExt, ExpandTrunc>(&getContext(), f16c);
    patterns.add<Promote>(&getContext());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kiln
