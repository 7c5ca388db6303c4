// PoolingToLinalg.cpp: max_pool and avg_pool as one windowed linalg.generic; avg_pool divides afterwards.
#include "dialects/Transforms/PoolingToLinalg.h"

#include "dialects/IR/Checks.h"
#include "dialects/Transforms/LinalgBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln {

Value padWindowed(OpBuilder &builder, Location loc, Value x, ArrayRef<OpFoldResult> low,
                  ArrayRef<OpFoldResult> high, TypedAttr value) {
  auto isZero = [](OpFoldResult pad) { return isConstantIntValue(pad, 0); };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return x;
  size_t leading = cast<RankedTensorType>(x.getType()).getRank() - low.size();
  SmallVector<OpFoldResult> lows(leading, builder.getIndexAttr(0)), highs(leading, builder.getIndexAttr(0));
  llvm::append_range(lows, low);
  llvm::append_range(highs, high);
  Value scalar = builder.create<arith::ConstantOp>(loc, value);
  return builder.create<tensor::PadOp>(loc, Type(), x, lows, highs, scalar);
}

Value trimWindowed(OpBuilder &builder, Location loc, Value x, ArrayRef<OpFoldResult> outputs,
                   ArrayRef<int64_t> reaches) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, x);
  bool changed = false;
  for (auto [i, reach] : llvm::enumerate(reaches)) {
    size_t axis = static_cast<size_t>(type.getRank()) - reaches.size() + i;
    if (!isConstantIntValue(outputs[outputs.size() - reaches.size() + i], 1) || type.isDynamicDim(axis) ||
        type.getDimSize(axis) <= reach)
      continue;
    sizes[axis] = builder.getIndexAttr(reach);
    changed = true;
  }
  if (!changed)
    return x;
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0)),
      strides(sizes.size(), builder.getIndexAttr(1));
  return builder.create<tensor::ExtractSliceOp>(loc, x, offsets, sizes, strides);
}

namespace {

/// The high pads that make room for exactly `outputs` windows. ceil_mode may need more than the op's, and its
/// last window may leave some of the op's unread; then those stay.
template <typename Pool>
SmallVector<OpFoldResult> highPads(Pool op, OpBuilder &builder, ArrayRef<OpFoldResult> inputs,
                                   ArrayRef<OpFoldResult> outputs) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> high;
  int64_t spatial = op.getKernel().size();
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t low = op.getPads()[i], given = op.getPads()[spatial + i], stride = op.getStrides()[i];
    int64_t reach = (op.getKernel()[i] - 1) * op.getDilations()[i] + 1;
    if (!op.getCeilMode()) {
      high.push_back(builder.getIndexAttr(given));
      continue;
    }
    // (outputs - 1) * stride + reach - low - input, at least what is given
    auto staticIn = getConstantIntValue(inputs[2 + i]), staticOut = getConstantIntValue(outputs[2 + i]);
    if (staticIn && staticOut) {
      int64_t needed = (*staticOut - 1) * stride + reach - low - *staticIn;
      high.push_back(builder.getIndexAttr(std::max(given, needed)));
      continue;
    }
    auto constant = [&](int64_t value) -> Value {
      return builder.create<arith::ConstantIndexOp>(loc, value);
    };
    Value windows = getValueOrCreateConstantIndexOp(builder, loc, outputs[2 + i]);
    Value input = getValueOrCreateConstantIndexOp(builder, loc, inputs[2 + i]);
    Value span = builder.create<arith::MulIOp>(loc, windows, constant(stride));
    Value needed = builder.create<arith::AddIOp>(loc, span, constant(reach - low - stride));
    needed = builder.create<arith::SubIOp>(loc, needed, input);
    high.push_back(builder.createOrFold<arith::MaxSIOp>(loc, needed, constant(given)));
  }
  return high;
}

/// Windows by spatial axis.
struct Windows {
  template <typename Pool>
  Windows(Pool op, OpBuilder &builder, ArrayRef<OpFoldResult> inputs, ArrayRef<OpFoldResult> outputs)
      : kernel(op.getKernel()), strides(op.getStrides()), dilations(op.getDilations()),
        high(highPads(op, builder, inputs, outputs)) {
    for (int64_t pad : op.getPads().take_front(kernel.size()))
      low.push_back(builder.getIndexAttr(pad));
  }
  /// Those along axes [first, end) alone, of padded elements.
  Windows along(size_t first, size_t end) const {
    Windows some = *this;
    for (size_t other = 0; other < kernel.size(); ++other)
      if (other < first || other >= end)
        some.kernel[other] = some.strides[other] = some.dilations[other] = 1;
    return some;
  }
  /// `x` without its ends that no window reads, where extents are known; pads what the windows read, and no
  /// more.
  Value trim(OpBuilder &builder, Location loc, Value x, ArrayRef<OpFoldResult> outputs) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, x);
    SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0)),
        ones(sizes.size(), builder.getIndexAttr(1));
    bool changed = false;
    for (size_t i = 0; i < kernel.size(); ++i) {
      auto input = getConstantIntValue(sizes[2 + i]), output = getConstantIntValue(outputs[2 + i]);
      if (!input || !output || *output < 1)
        continue;
      int64_t read =
          (*output - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 - *getConstantIntValue(low[i]);
      high[i] = builder.getIndexAttr(std::max<int64_t>(0, read - *input));
      if (read < 1 || read >= *input)
        continue;
      sizes[2 + i] = builder.getIndexAttr(read);
      changed = true;
    }
    return changed ? builder.create<tensor::ExtractSliceOp>(loc, x, offsets, sizes, ones).getResult() : x;
  }

  SmallVector<int64_t> kernel, strides, dilations;
  SmallVector<OpFoldResult> low, high;
};

/// Folds `combine` over each window of `x` padded with `padding`, starting from `neutral` as an accumulator.
Value foldWindows(const Windows &windows, OpBuilder &builder, Location loc, Value x,
                  ArrayRef<OpFoldResult> sizes, TypedAttr padding, TypedAttr neutral,
                  LinalgBuilder::Body combine) {
  LinalgBuilder linalg(builder, loc);
  auto spatial = static_cast<int64_t>(windows.kernel.size());
  SmallVector<int64_t> reaches;
  for (auto [kernel, dilation] : llvm::zip(windows.kernel, windows.dilations))
    reaches.push_back((kernel - 1) * dilation + 1);
  Value padded = trimWindowed(builder, loc, padWindowed(builder, loc, x, windows.low, windows.high, padding),
                              sizes, reaches);

  unsigned outer = 2 + spatial, loops = outer + spatial;
  SmallVector<AffineExpr> inExprs{builder.getAffineDimExpr(0), builder.getAffineDimExpr(1)}, windowExprs;
  SmallVector<OpFoldResult> windowSizes;
  for (int64_t i = 0; i < spatial; ++i) {
    AffineExpr p = builder.getAffineDimExpr(2 + i), q = builder.getAffineDimExpr(outer + i);
    inExprs.push_back(p * windows.strides[i] + q * windows.dilations[i]);
    windowExprs.push_back(q);
    windowSizes.push_back(builder.getIndexAttr(windows.kernel[i]));
  }
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops, 0, exprs, builder.getContext());
  };
  SmallVector<utils::IteratorType> iterators(outer, utils::IteratorType::parallel);
  iterators.append(spatial, utils::IteratorType::reduction);
  // An operand that is never read gives the window loops their extents.
  Value window = linalg.empty(windowSizes, neutral.getType());
  return linalg.generic(
      {padded, window}, linalg.filled(sizes, neutral),
      {map(inExprs), map(windowExprs), builder.getMultiDimIdentityMap(loops).getMajorSubMap(outer)},
      iterators, combine);
}

// ---- max_pool --------------------------------------------------------------------------------------------

/// maximumf but for the sign of zeros, in about half of its instructions. Lanes do not share a window: where
/// they do, it takes the op itself.
Value largerOrNan(OpBuilder &builder, Location loc, Value most, Value x) {
  using F = arith::CmpFPredicate;
  Value stays = builder.create<arith::CmpFOp>(loc, F::OGT, most, x);
  Value larger = builder.create<arith::SelectOp>(loc, stays, most, x); // x, if one is NaN
  Value isNan = builder.create<arith::CmpFOp>(loc, F::UNO, most, most);
  return builder.create<arith::SelectOp>(loc, isNan, most, larger);
}

struct MaxPoolToLinalg final : OpConversionPattern<MaxPoolOp> {
  using OpConversionPattern::OpConversionPattern;

  /// The axes that are folded at once, in order. The largest of a window is the largest of its columns'
  /// largest, which overlapping windows share, and which stand side by side where the windows' steps do not:
  /// elements that are a step apart cost a few of others.
  static SmallVector<std::pair<size_t, size_t>> axisGroups(const Windows &windows) {
    // Measured: an element not beside the last one, one of a temporary, what another sweep must gain.
    constexpr double apart = 4, kept = 2.5, gain = 1.2;
    size_t last = windows.kernel.size() - 1;
    double cell = windows.strides[last] > 1 ? apart : 1, row = windows.kernel[last] * cell;
    auto wholeWindow = std::make_pair(size_t(0), last + 1);
    if (last == 0)
      return {wholeWindow};
    int64_t window = 1, step = 1;
    for (size_t i = 0; i < last; ++i) {
      window *= windows.kernel[i];
      step *= windows.strides[i];
    }
    double whole = window * row, inTwo = (window + kept) * windows.strides[last] + row, each = row;
    for (size_t i = 0; i < last; ++i) {
      step /= windows.strides[i];
      each += (windows.kernel[i] + kept) * step * windows.strides[last];
    }
    if (whole <= gain * std::min(inTwo, each))
      return {wholeWindow};
    if (inTwo <= each)
      return {{0, last}, {last, last + 1}};
    SmallVector<std::pair<size_t, size_t>> groups;
    for (size_t i = 0; i <= last; ++i)
      groups.push_back({i, i + 1});
    return groups;
  }

  LogicalResult matchAndRewrite(MaxPoolOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder linalg(rewriter, op.getLoc());
    ReifiedRankedShapedTypeDims dims;
    if (failed(op.reifyResultShapes(rewriter, dims)))
      return rewriter.notifyMatchFailure(op, "no result extents");
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Type element = tensorType(op.getX()).getElementType();
    bool isUnsigned = element.isUnsignedInteger(), isOne = type.getShape().back() == 1;
    auto larger = [&](OpBuilder &builder, Location loc, ValueRange scalars) -> Value {
      Value x = widenScalar(builder, loc, scalars[0], element, scalars[2].getType());
      if (isa<FloatType>(element))
        return isOne ? builder.create<arith::MaximumFOp>(loc, scalars[2], x).getResult()
                     : largerOrNan(builder, loc, scalars[2], x);
      if (isUnsigned)
        return builder.create<arith::MaxUIOp>(loc, scalars[2], x);
      return builder.create<arith::MaxSIOp>(loc, scalars[2], x);
    };
    Value x = adaptor.getX();
    Windows windows(op, rewriter, tensor::getMixedSizes(rewriter, op.getLoc(), x), dims[0]);
    // Padded once, next to the input: a target pads tile by tile. What no window reads goes off
    // first, so that one fold makes what the next one takes.
    SmallVector<std::pair<size_t, size_t>> groups = axisGroups(windows);
    if (groups.size() > 1)
      x = windows.trim(rewriter, op.getLoc(), x, dims[0]);
    Value result =
        padWindowed(rewriter, op.getLoc(), x, windows.low, windows.high,
                    linalg.lowest(cast<RankedTensorType>(x.getType()).getElementType(), isUnsigned));
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, op.getLoc(), result);
    windows.low.assign(windows.kernel.size(), rewriter.getIndexAttr(0));
    windows.high = windows.low;
    for (auto [first, end] : groups) {
      for (size_t i = first; i < end; ++i)
        sizes[2 + i] = dims[0][2 + i];
      Type now = cast<RankedTensorType>(result.getType()).getElementType();
      result = foldWindows(windows.along(first, end), rewriter, op.getLoc(), result, sizes,
                           linalg.lowest(now, isUnsigned),
                           linalg.lowest(accumulatorType(element), isUnsigned), larger);
    }
    rewriter.replaceOp(op, linalg.cast(linalg.converted(result, type.getElementType()), type));
    return success();
  }
};

// ---- avg_pool --------------------------------------------------------------------------------------------

struct AvgPoolToLinalg final : OpConversionPattern<AvgPoolOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AvgPoolOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder linalg(rewriter, op.getLoc());
    ReifiedRankedShapedTypeDims dims;
    if (failed(op.reifyResultShapes(rewriter, dims)))
      return rewriter.notifyMatchFailure(op, "no result extents");
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType(), accumulator = accumulatorType(element);
    auto add = [&](OpBuilder &builder, Location loc, ValueRange scalars) -> Value {
      Value x = widenScalar(builder, loc, scalars[0], element, accumulator);
      return builder.create<arith::AddFOp>(loc, scalars[2], x);
    };
    SmallVector<OpFoldResult> inputs = tensor::getMixedSizes(rewriter, op.getLoc(), adaptor.getX());
    Value sum = foldWindows(Windows(op, rewriter, inputs, dims[0]), rewriter, op.getLoc(), adaptor.getX(),
                            dims[0], linalg.zero(element), linalg.zero(accumulator), add);
    // Values that the body uses from outside are made before it.
    SmallVector<Value> ends = countedEnds(op, rewriter, inputs);
    Value mean =
        linalg.elementwise(sum, rewriter.getMultiDimIdentityMap(type.getRank()), dims[0], element,
                           [&](OpBuilder &builder, Location loc, ValueRange scalars) -> Value {
                             Value quotient = builder.create<arith::DivFOp>(
                                 loc, scalars[0], count(op, builder, ends, accumulator));
                             return widthOf(element) < widthOf(accumulator)
                                        ? builder.create<arith::TruncFOp>(loc, element, quotient).getResult()
                                        : quotient;
                           });
    rewriter.replaceOp(op, linalg.cast(mean, type));
    return success();
  }

private:
  static unsigned widthOf(Type type) { return type.getIntOrFloatBitWidth(); }

  /// Whether some window of axis `i` may hold elements that do not count.
  static bool isRagged(AvgPoolOp op, int64_t i) {
    int64_t spatial = op.getKernel().size();
    if (op.getCeilMode())
      return true;
    return !op.getCountIncludePad() && (op.getPads()[i] || op.getPads()[spatial + i]);
  }

  /// By spatial axis the end of what counts, i32: the input's extent, with the high pad if that counts; null
  /// if every window counts whole.
  static SmallVector<Value> countedEnds(AvgPoolOp op, OpBuilder &builder, ArrayRef<OpFoldResult> inputs) {
    Location loc = op.getLoc();
    int64_t spatial = op.getKernel().size();
    SmallVector<Value> ends;
    for (int64_t i = 0; i < spatial; ++i) {
      if (!isRagged(op, i)) {
        ends.push_back(nullptr);
        continue;
      }
      Value end = getValueOrCreateConstantIndexOp(builder, loc, inputs[2 + i]);
      if (op.getCountIncludePad())
        end = builder.createOrFold<arith::AddIOp>(
            loc, end, builder.create<arith::ConstantIndexOp>(loc, op.getPads()[spatial + i]));
      ends.push_back(builder.createOrFold<arith::IndexCastOp>(loc, builder.getI32Type(), end));
    }
    return ends;
  }

  /// The number of elements of the present window that count, as an `element`. In i32, whose vectors are as
  /// wide as those of f32 and have all instructions.
  static Value count(AvgPoolOp op, OpBuilder &builder, ArrayRef<Value> ends, Type element) {
    Location loc = op.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return builder.create<arith::ConstantIntOp>(loc, value, 32);
    };
    auto ceilDiv = [&](Value value, int64_t by) -> Value {
      return by == 1 ? value : builder.create<arith::CeilDivSIOp>(loc, value, constant(by)).getResult();
    };
    int64_t whole = 1;
    Value total;
    for (auto [i, end] : llvm::enumerate(ends)) {
      if (!end) {
        whole *= op.getKernel()[i];
        continue;
      }
      // The window's elements lie at start + q * dilation; those with 0 <= .. < end count (-low <= .. with
      // pads).
      int64_t low = op.getPads()[i], dilation = op.getDilations()[i];
      Value p = builder.create<arith::IndexCastOp>(loc, builder.getI32Type(),
                                                   builder.create<linalg::IndexOp>(loc, 2 + i));
      Value start = builder.create<arith::MulIOp>(loc, p, constant(op.getStrides()[i]));
      start = builder.create<arith::SubIOp>(loc, start, constant(low));
      Value room = builder.create<arith::SubIOp>(loc, end, start);
      Value last = ceilDiv(room, dilation);
      last = builder.create<arith::MinSIOp>(loc, last, constant(op.getKernel()[i]));
      Value first = constant(0);
      if (!op.getCountIncludePad()) {
        Value before = builder.create<arith::SubIOp>(loc, constant(0), start);
        before = builder.create<arith::MaxSIOp>(loc, before, constant(0));
        first = ceilDiv(before, dilation);
      }
      Value inside = builder.create<arith::SubIOp>(loc, last, first);
      inside = builder.create<arith::MaxSIOp>(loc, inside, constant(0));
      total = total ? builder.create<arith::MulIOp>(loc, total, inside).getResult() : inside;
    }
    if (!total)
      return builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(element, whole));
    if (whole != 1)
      total = builder.create<arith::MulIOp>(loc, total, constant(whole));
    return builder.create<arith::SIToFPOp>(loc, element, total);
  }
};

} // namespace

void populatePoolingToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<MaxPoolToLinalg, AvgPoolToLinalg>(converter, patterns.getContext());
}

} // namespace kiln
