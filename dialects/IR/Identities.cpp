// Identities.cpp: algebraic identities of elementwise ops, exact for NaN, infinities and signed zeros.
#include "dialects/IR/Identities.h"

#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace kiln {

namespace {

/// Whether `value` is a constant whose every element is `number`; -0.0 is not 0.0.
bool isSplat(Value value, double number) {
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return false;
  auto element = splat.getSplatValue<Attribute>();
  if (auto real = dyn_cast<FloatAttr>(element)) {
    APFloat wanted(number);
    bool loses = false;
    wanted.convert(real.getValue().getSemantics(), APFloat::rmNearestTiesToEven, &loses);
    return real.getValue().bitwiseIsEqual(wanted);
  }
  auto integer = dyn_cast<IntegerAttr>(element);
  return integer &&
         integer.getValue() == APInt(integer.getValue().getBitWidth(), static_cast<int64_t>(number),
                                     /*isSigned=*/true);
}

bool isFloatTensor(Value value) { return isa<FloatType>(getElementTypeOrSelf(value)); }

/// What leaves the other operand unchanged: x + -0.0, x - 0.0; for integers x + 0.
template <typename Op> bool isNeutral(Value operand);
template <> bool isNeutral<AddOp>(Value operand) {
  return isSplat(operand, isFloatTensor(operand) ? -0.0 : 0.0);
}
template <> bool isNeutral<SubOp>(Value operand) { return isSplat(operand, 0.0); }
template <> bool isNeutral<MulOp>(Value operand) { return isSplat(operand, 1.0); }
template <> bool isNeutral<DivOp>(Value operand) { return isSplat(operand, 1.0); }
template <> bool isNeutral<PowOp>(Value operand) { return isSplat(operand, 1.0); }
template <> bool isNeutral<OrOp>(Value operand) { return isSplat(operand, 0.0); }
template <> bool isNeutral<XorOp>(Value operand) { return isSplat(operand, 0.0); }
template <> bool isNeutral<AndOp>(Value operand) { return isSplat(operand, -1.0); }
template <> bool isNeutral<ShlOp>(Value operand) { return isSplat(operand, 0.0); }
template <> bool isNeutral<ShrOp>(Value operand) { return isSplat(operand, 0.0); }

/// op(x, neutral) -> x, and op(neutral, x) -> x of a commutative op
template <typename Op> struct DropNeutral final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto leaves = [&](Value kept, Value operand) {
      return kept.getType() == op.getType() && isNeutral<Op>(operand);
    };
    if (leaves(op.getA(), op.getB()))
      rewriter.replaceOp(op, op.getA());
    else if (op->template hasTrait<OpTrait::IsCommutative>() && leaves(op.getB(), op.getA()))
      rewriter.replaceOp(op, op.getB());
    else
      return rewriter.notifyMatchFailure(op, "no neutral operand");
    return success();
  }
};

/// op(x, x) -> x
template <typename Op> struct DropEqual final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (op.getA() != op.getB() || op.getA().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "operands differ");
    rewriter.replaceOp(op, op.getA());
    return success();
  }
};

/// op(op(x)) -> x
template <typename Op> struct DropInverse final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().template getDefiningOp<Op>();
    if (!inner || inner.getX().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "'x' is not the same op");
    rewriter.replaceOp(op, inner.getX());
    return success();
  }
};

/// op(op(x)) -> op(x)
template <typename Op> struct DropRepeated final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!op.getX().template getDefiningOp<Op>())
      return rewriter.notifyMatchFailure(op, "'x' is not the same op");
    rewriter.replaceOp(op, op.getX());
    return success();
  }
};

/// x^2 -> x * x, x^-1 -> 1 / x for floats
struct SimplifyPower final : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PowOp op, PatternRewriter &rewriter) const override {
    if (op.getA().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "'a' is broadcast");
    if (isSplat(op.getB(), 2.0))
      rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getA(), op.getA());
    else if (isFloatTensor(op.getA()) && isSplat(op.getB(), -1.0))
      rewriter.replaceOpWithNewOp<ReciprocalOp>(op, op.getType(), op.getA());
    else
      return rewriter.notifyMatchFailure(op, "no exponent with a simpler form");
    return success();
  }
};

/// Whether a conversion from `from` to `to` and back changes no value. fp8 is out: its infinities saturate on
/// the way back.
bool holdsAll(Type to, Type from) {
  if (auto wide = dyn_cast<FloatType>(to)) {
    if (auto narrow = dyn_cast<FloatType>(from))
      return narrow.getWidth() >= 16 && narrow.getWidth() < wide.getWidth();
    // A float holds integers of as many bits as its significand has.
    return from.getIntOrFloatBitWidth() <= wide.getFPMantissaWidth();
  }
  auto wide = cast<IntegerType>(to);
  auto narrow = dyn_cast<IntegerType>(from);
  bool narrowUnsigned = narrow && (narrow.isUnsigned() || narrow.getWidth() == 1);
  return narrow && narrow.getWidth() < wide.getWidth() && (narrowUnsigned || !wide.isUnsigned());
}

/// convert(convert(x) to wider) back -> x
struct DropRoundTrip final : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<ConvertOp>();
    if (!inner || inner.getX().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "not a conversion back");
    if (!holdsAll(inner.getTo(), getElementTypeOrSelf(inner.getX())))
      return rewriter.notifyMatchFailure(op, "the type between loses values");
    rewriter.replaceOp(op, inner.getX());
    return success();
  }
};

} // namespace

void populateIdentities(RewritePatternSet &patterns) {
  patterns
      .add<DropNeutral<AddOp>, DropNeutral<SubOp>, DropNeutral<MulOp>, DropNeutral<DivOp>, DropNeutral<PowOp>,
           DropNeutral<AndOp>, DropNeutral<OrOp>, DropNeutral<XorOp>, DropNeutral<ShlOp>, DropNeutral<ShrOp>,
           DropEqual<MaxOp>, DropEqual<MinOp>, DropEqual<AndOp>, DropEqual<OrOp>, DropInverse<NegOp>,
           DropInverse<NotOp>, DropRepeated<AbsOp>, DropRepeated<ReluOp>, DropRepeated<SignOp>,
           DropRepeated<CeilOp>, DropRepeated<FloorOp>, DropRepeated<RoundOp>, SimplifyPower, DropRoundTrip>(
          patterns.getContext());
}

} // namespace kiln
