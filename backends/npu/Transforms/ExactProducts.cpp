// ExactProducts.cpp: intervals of integers are followed through the ops before a product, which a convolution
// is, too. If all sums stay
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
    SmallVector<Operation *> products;
    getOperation().walk([&](Operation *op) {
      if (isa<MatmulOp, ConvOp>(op))
        products.push_back(op);
    });
    for (Operation *op : products)
      if (isa<MatmulOp>(op) ? rewrite(cast<MatmulOp>(op)) : rewrite(cast<ConvOp>(op)))
        getContext().getOrLoadDialect<KilnDialect>()->count("exact-products.rewritten");
  }

  /// Whether a product of such operands is made of others.
  static bool isCandidate(Value a, Value b) {
    bool isCubes = elementOf(a).isSignlessInteger(8) && elementOf(b).isSignlessInteger(8);
    return isa<IntegerType>(elementOf(a)) && !isCubes;
  }

  /// How many of `depth` products of the operands' elements have sums that f32 holds; 0 if too few.
  static int64_t pieceOf(Value a, Value b, int64_t depth) {
    double each = of(a).magnitude() * of(b).magnitude();
    if (ShapedType::isDynamic(depth) || depth == 0 || !(each <= kExact))
      return 0;
    int64_t most = each == 0 ? depth : std::min(depth, int64_t(kExact / each));
    return llvm::divideCeil(depth, most) > kMostPieces ? 0 : most;
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

  /// Puts the sum of pieces, each the product of [start, start + count) of the depth, in the op's place.
  void replace(Operation *op, int64_t depth, int64_t most,
               llvm::function_ref<Value(OpBuilder &, int64_t, int64_t)> product) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Value total;
    for (int64_t start = 0; start < depth; start += most) {
      Value part = builder.create<ConvertOp>(loc, product(builder, start, std::min(most, depth - start)),
                                             elementOf(op->getResult(0)));
      total = total ? builder.create<AddOp>(loc, total, part).getResult() : part;
    }
    if (total.getType() != op->getResult(0).getType())
      total = builder.create<tensor::CastOp>(loc, op->getResult(0).getType(), total);
    op->getResult(0).replaceAllUsesWith(total);
    op->erase();
  }

  bool rewrite(MatmulOp op) {
    auto a = cast<RankedTensorType>(op.getA().getType()), b = cast<RankedTensorType>(op.getB().getType());
    if (!isCandidate(op.getA(), op.getB()))
      return false;
    int64_t axisA =
        a.getRank() == 1 || op.getTransA() ? std::max<int64_t>(a.getRank() - 2, 0) : a.getRank() - 1;
    int64_t axisB = b.getRank() == 1 || op.getTransB() ? b.getRank() - 1 : b.getRank() - 2;
    int64_t depth = a.getShape()[axisA], most = pieceOf(op.getA(), op.getB(), depth);
    if (most == 0)
      return false;
    if (most < depth && most >= 16)
      most = most / 16 * 16;
    if (llvm::divideCeil(depth, most) > kMostPieces)
      return false;
    replace(op, depth, most, [&](OpBuilder &builder, int64_t start, int64_t count) -> Value {
      return builder.create<MatmulOp>(
          op.getLoc(), piece(builder, op.getLoc(), op.getA(), axisA, start, count),
          piece(builder, op.getLoc(), op.getB(), axisB, start, count), op.getTransA(), op.getTransB());
    });
    return true;
  }

  /// Cut along the channels, unless there are groups of them.
  bool rewrite(ConvOp op) {
    auto w = cast<RankedTensorType>(op.getW().getType());
    if (!isCandidate(op.getX(), op.getW()) || !w.hasStaticShape() || w.getNumElements() == 0)
      return false;
    int64_t channels = w.getShape()[1], taps = w.getNumElements() / w.getShape()[0] / channels;
    int64_t most = pieceOf(op.getX(), op.getW(), channels * taps) / taps;
    if (most == 0 || (most < channels && op.getGroups() != 1) ||
        llvm::divideCeil(channels, most) > kMostPieces)
      return false;
    OpBuilder after(op->getContext());
    after.setInsertionPointAfter(op);
    if (Value bias = op.getBias()) { // an integer, which f32 need not hold
      SmallVector<OpFoldResult> sizes(w.getRank() - 1, after.getIndexAttr(1));
      sizes[0] = after.getIndexAttr(w.getShape()[0]);
      Value column = after.create<ReshapeOp>(op.getLoc(), bias, sizes);
      auto sum = after.create<AddOp>(op.getLoc(), op.getResult(), column);
      op.getResult().replaceAllUsesExcept(sum, sum);
    }
    replace(op, channels, most, [&](OpBuilder &builder, int64_t start, int64_t count) -> Value {
      Location loc = op.getLoc();
      Value x =
          piece(builder, loc, op.getX(), 1, op.getGroups() == 1 ? start : 0,
                op.getGroups() == 1 ? count : cast<RankedTensorType>(op.getX().getType()).getShape()[1]);
      return builder.create<ConvOp>(loc, x, piece(builder, loc, op.getW(), 1, start, count), Value(),
                                    op.getStrides(), op.getPads(), op.getDilations(), op.getGroups());
    });
    return true;
  }
};

} // namespace
} // namespace kiln::npu
