// ExactProducts.cpp: intervals of integers are followed through the ops before a product. If all sums stay
// below 2^24, f32 holds every one of them, and the cube's f32 gives the integers' result; longer depths are
// cut.
#include "backends/npu/Transforms/Passes.h"
#include "backends/npu/Transforms/TileBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_EXACTPRODUCTSPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

/// Every whole number up to this is an f32.
constexpr double kExact = 16777216;
/// Pieces of a depth at most: each is a product and an addition.
constexpr int64_t kMostPieces = 32;
/// Ops that an interval is followed through.
constexpr int kMostDepth = 24;

/// Between which numbers the elements of a value lie, NaN aside.
struct Interval {
  double low = -HUGE_VAL, high = HUGE_VAL;
  double magnitude() const { return std::max(std::fabs(low), std::fabs(high)); }
};

Interval within(Interval a, Interval b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }
Interval around(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Interval ofType(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || integer.getWidth() > 32)
    return {};
  double span = std::ldexp(1.0, int(integer.getWidth()));
  if (integer.isUnsigned() || integer.getWidth() == 1)
    return {0, span - 1};
  return {-span / 2, span / 2 - 1};
}

Interval ofConstant(ConstantOp constant) {
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || elements.empty())
    return {};
  Interval all = {HUGE_VAL, -HUGE_VAL};
  auto add = [&](double value) { all = std::isnan(value) ? Interval() : around(all, {value, value}); };
  if (isa<FloatType>(elements.getElementType()))
    for (APFloat value : elements.getValues<APFloat>()) {
      bool loses = false;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
      add(value.convertToDouble());
    }
  else
    for (APInt value : elements.getValues<APInt>())
      add(elements.getElementType().isUnsignedInteger() || value.getBitWidth() == 1
              ? double(value.getZExtValue())
              : double(value.getSExtValue()));
  return all;
}

Interval of(Value value, int depth = 0) {
  Type element = elementOf(value);
  Interval own = ofType(element);
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMostDepth)
    return own;
  auto operand = [&](unsigned i) { return of(op->getOperand(i), depth + 1); };
  // What integers cannot hold wraps: then nothing but the type is known.
  auto unwrapped = [&](Interval exact) {
    bool fits = isa<FloatType>(element) || (exact.low >= own.low && exact.high <= own.high);
    return fits ? exact : own;
  };
  return TypeSwitch<Operation *, Interval>(op)
      .Case([&](ConstantOp constant) { return ofConstant(constant); })
      .Case<TransposeOp, ReshapeOp, BroadcastOp, SliceOp, ReverseOp, GatherOp, OptimizationBarrierOp>(
          [&](auto) { return operand(0); })
      .Case([&](ConvertOp) { // to integers: saturated, or wrapped
        Interval from = operand(0);
        return isa<FloatType>(elementOf(op->getOperand(0))) ? within(from, own) : unwrapped(from);
      })
      .Case([&](RoundOp) {
        Interval x = operand(0);
        return Interval{std::floor(x.low), std::ceil(x.high)};
      })
      .Case([&](NegOp) {
        Interval x = operand(0);
        return unwrapped({-x.high, -x.low});
      })
      .Case([&](AddOp) {
        Interval a = operand(0), b = operand(1);
        return unwrapped({a.low + b.low, a.high + b.high});
      })
      .Case([&](SubOp) {
        Interval a = operand(0), b = operand(1);
        return unwrapped({a.low - b.high, a.high - b.low});
      })
      .Case([&](MaxOp) {
        Interval a = operand(0), b = operand(1);
        return Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
      })
      .Case([&](MinOp) {
        Interval a = operand(0), b = operand(1);
        return Interval{std::min(a.low, b.low), std::min(a.high, b.high)};
      })
      .Case([&](ConcatOp) {
        Interval all = operand(0);
        for (unsigned i = 1; i < op->getNumOperands(); ++i)
          all = around(all, operand(i));
        return all;
      })
      .Default([&](Operation *) { return own; });
}

struct ExactProducts final : impl::ExactProductsPassBase<ExactProducts> {
  void runOnOperation() override {
    SmallVector<MatmulOp> products;
    getOperation().walk([&](MatmulOp op) { products.push_back(op); });
    for (MatmulOp op : products)
      if (rewrite(op))
        getContext().getOrLoadDialect<KilnDialect>()->count("exact-products.rewritten");
  }

  /// Operand `x` in f32, elements [start, start + count) of its axis `axis`.
  Value piece(OpBuilder &builder, Location loc, Value x, int64_t axis, int64_t start, int64_t count) {
    x = builder.create<ConvertOp>(loc, x, builder.getF32Type());
    auto type = cast<RankedTensorType>(x.getType());
    if (type.getShape()[axis] == count)
      return x;
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
        sizes = tensor::getMixedSizes(builder, loc, x), strides(type.getRank(), builder.getIndexAttr(1));
    offsets[axis] = builder.getIndexAttr(start);
    sizes[axis] = builder.getIndexAttr(count);
    return builder.create<SliceOp>(loc, x, offsets, sizes, strides);
  }

  bool rewrite(MatmulOp op) {
    auto a = cast<RankedTensorType>(op.getA().getType()), b = cast<RankedTensorType>(op.getB().getType());
    Type left = a.getElementType(), right = b.getElementType();
    bool isCubes = left.isSignlessInteger(8) && right.isSignlessInteger(8);
    if (!isa<IntegerType>(left) || isCubes)
      return false;
    int64_t axisA =
        a.getRank() == 1 || op.getTransA() ? std::max<int64_t>(a.getRank() - 2, 0) : a.getRank() - 1;
    int64_t axisB = b.getRank() == 1 || op.getTransB() ? b.getRank() - 1 : b.getRank() - 2;
    int64_t depth = a.getShape()[axisA];
    double each = of(op.getA()).magnitude() * of(op.getB()).magnitude();
    if (ShapedType::isDynamic(depth) || depth == 0 || !(each <= kExact))
      return false;
    int64_t most = each == 0 ? depth : std::min(depth, int64_t(kExact / each));
    if (most < depth && most >= 16)
      most = most / 16 * 16;
    if (llvm::divideCeil(depth, most) > kMostPieces)
      return false;
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Type sum = elementOf(op.getResult());
    Value total;
    for (int64_t start = 0; start < depth; start += most) {
      int64_t count = std::min(most, depth - start);
      Value product = builder.create<MatmulOp>(loc, piece(builder, loc, op.getA(), axisA, start, count),
                                               piece(builder, loc, op.getB(), axisB, start, count),
                                               op.getTransA(), op.getTransB());
      product = builder.create<ConvertOp>(loc, product, sum);
      total = total ? builder.create<AddOp>(loc, total, product).getResult() : product;
    }
    if (total.getType() != op.getType())
      total = builder.create<tensor::CastOp>(loc, op.getType(), total);
    op.replaceAllUsesWith(total);
    op.erase();
    return true;
  }
};

} // namespace
} // namespace kiln::npu
