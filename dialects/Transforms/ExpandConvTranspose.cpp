// ExpandConvTranspose.cpp: conv_transpose as a convolution of stride 1 whose filters are the phases of the
// strides.
//
// Along one axis let f = p + low = s * m + r. Tap q contributes to phase r = (d * q) mod s from x[m - a] with
// a = (d * q) / s: phase r is a convolution of x with the taps of r, and element m of phase r is element s *
// m + r of the whole. All phases are filters of one convolution; taps that a phase has not are zeros.
#include "dialects/IR/Checks.h"
#include "dialects/IR/Products.h"
#include "dialects/Transforms/ExtentMath.h"
#include "dialects/Transforms/LinalgBuilder.h"
#include "kiln/Transforms/ToLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln {

namespace {

using Extents = SmallVector<OpFoldResult>;

/// What happens along one spatial axis.
struct PhaseAxis {
  int64_t stride, taps;      // phases, and taps of each
  int64_t dilation;          // of the taps: 1 unless there is one phase
  int64_t spread;            // distance of the op's taps before they are sorted into phases
  int64_t low = 0, high = 0; // pads of the convolution
  int64_t before = 0;        // elements before the result's first
  int64_t behind = 0;        // and behind its last

  static PhaseAxis make(ConvTransposeOp op, int64_t axis) {
    int64_t spatial = op.getStrides().size(), kernel = tensorType(op.getW()).getDimSize(2 + axis);
    int64_t stride = op.getStrides()[axis], dilation = op.getDilations()[axis];
    int64_t low = op.getPads()[axis], high = op.getPads()[spatial + axis], reach = (kernel - 1) * dilation;
    PhaseAxis result{stride, kernel, dilation, 1};
    if (stride > 1)
      result = {stride, reach / stride + 1, 1, dilation};
    // The convolution starts at the phases' element that holds the result's first, and ends at that of its
    // last.
    int64_t span = (result.taps - 1) * result.dilation, end = op.getOutputPadding()[axis] + reach + 1 - high;
    result.low = std::max<int64_t>(0, span - low / stride);
    result.high = std::max<int64_t>(0, llvm::divideCeilSigned(end, stride) - 1);
    result.before = low - stride * (span - result.low);
    // Both extents are `extent * stride` and something more.
    result.behind = (result.low + result.high - span) * stride - result.before - (end - stride - low);
    return result;
  }
};

class Expander {
public:
  Expander(PatternRewriter &rewriter, ConvTransposeOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()), math(rewriter, loc), groups(op.getGroups()),
        spatial(op.getStrides().size()) {
    for (int64_t axis = 0; axis < spatial; ++axis) {
      axes.push_back(PhaseAxis::make(op, axis));
      phases *= axes.back().stride;
    }
  }

  Value run(ArrayRef<OpFoldResult> sizes);

private:
  Value filters();
  Value bias();
  Value interleaved(Value phased, ArrayRef<OpFoldResult> sizes);
  Extents sizesOf(Value value) { return tensor::getMixedSizes(rewriter, loc, value); }
  Value reshaped(Value value, ArrayRef<OpFoldResult> sizes) {
    return rewriter.createOrFold<ReshapeOp>(loc, value, sizes);
  }
  Value transposed(Value value, ArrayRef<int64_t> permutation) {
    return rewriter.createOrFold<TransposeOp>(loc, value, permutation);
  }
  /// `value` with zeros behind axis `axis`.
  Value padded(Value value, int64_t axis, int64_t count);
  Value sliced(Value value, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
    Extents ones(sizes.size(), math.constant(1));
    return rewriter.createOrFold<SliceOp>(loc, value, offsets, sizes, ones);
  }

  PatternRewriter &rewriter;
  ConvTransposeOp op;
  Location loc;
  ExtentMath math;
  int64_t groups, spatial, phases = 1;
  SmallVector<PhaseAxis> axes;
};

Value Expander::padded(Value value, int64_t axis, int64_t count) {
  if (count == 0)
    return value;
  Extents low(tensorType(value).getRank(), math.constant(0)), high = low;
  high[axis] = math.constant(count);
  Type element = tensorType(value).getElementType();
  auto scalar = RankedTensorType::get({}, element);
  Attribute zero = isa<FloatType>(element)
                       ? Attribute(rewriter.getFloatAttr(element, 0.0))
                       : Attribute(IntegerAttr::get(element, APInt(element.getIntOrFloatBitWidth(), 0)));
  Value filling = rewriter.create<ConstantOp>(loc, DenseElementsAttr::get(scalar, zero));
  return rewriter.create<PadOp>(loc, value, low, high, PadMode::Constant, filling);
}

/// w, [c, oc / groups, q..], as [oc * phases, c / groups, taps..], the taps of each phase from the last to
/// the first.
Value Expander::filters() {
  Value w = op.getW();
  // Axis by axis: taps at their distance, then [taps, stride].
  for (auto [i, axis] : llvm::enumerate(axes)) {
    int64_t at = 2 + i;
    if (axis.spread > 1) {
      Extents sizes = sizesOf(w), spread = sizes;
      spread.insert(spread.begin() + at + 1, math.constant(1));
      w = padded(reshaped(w, spread), at + 1, axis.spread - 1);
      sizes[at] = math.mul(sizes[at], math.constant(axis.spread));
      w = reshaped(w, sizes);
    }
    int64_t count = tensorType(w).getDimSize(at), wanted = axis.taps * axis.stride;
    if (axis.stride > 1 && count > wanted) { // only zeros behind the last tap
      Extents sizes = sizesOf(w), offsets(sizes.size(), math.constant(0));
      sizes[at] = math.constant(wanted);
      w = sliced(w, offsets, sizes);
    } else if (axis.stride > 1) {
      w = padded(w, at, wanted - count);
    }
  }
  Extents sizes = sizesOf(w);
  Extents split{math.constant(groups), math.floorDiv(sizes[0], groups), sizes[1]};
  SmallVector<int64_t> reversed, outer{0, 2}, inner{1};
  for (PhaseAxis &axis : axes) {
    int64_t at = split.size();
    split.push_back(math.constant(axis.taps));
    if (axis.taps > 1)
      reversed.push_back(at);
    inner.push_back(at);
    if (axis.stride > 1) {
      split.push_back(math.constant(axis.stride));
      outer.push_back(at + 1);
    }
  }
  Value result = reshaped(w, split);
  if (!reversed.empty())
    result = rewriter.create<ReverseOp>(loc, result, reversed);
  SmallVector<int64_t> permutation(outer);
  permutation.append(inner);
  result = transposed(result, permutation);
  Extents merged{math.mul(sizes[1], math.constant(groups * phases)), split[1]};
  for (PhaseAxis &axis : axes)
    merged.push_back(math.constant(axis.taps));
  return reshaped(result, merged);
}

/// The bias, once for each phase.
Value Expander::bias() {
  Value bias = op.getBias();
  if (!bias || phases == 1)
    return bias;
  OpFoldResult count = sizesOf(bias)[0];
  Value column = reshaped(bias, {count, math.constant(1)});
  Value repeated = rewriter.create<BroadcastOp>(loc, column, Extents{count, math.constant(phases)});
  return reshaped(repeated, math.mul(count, math.constant(phases)));
}

/// [n, oc * phases, m..] as [n, oc, p..]: phase r's element m is element s * m + r, of which the result is a
/// part.
Value Expander::interleaved(Value phased, ArrayRef<OpFoldResult> sizes) {
  Value result = phased;
  Extents whole = sizesOf(phased), split{whole[0], sizes[1]};
  SmallVector<int64_t> permutation{0, 1};
  for (PhaseAxis &axis : axes)
    if (axis.stride > 1)
      split.push_back(math.constant(axis.stride));
  int64_t phase = 2, element = split.size();
  for (auto [i, axis] : llvm::enumerate(axes)) {
    split.push_back(whole[2 + i]);
    permutation.push_back(element++);
    if (axis.stride > 1)
      permutation.push_back(phase++);
    whole[2 + i] = math.mul(whole[2 + i], math.constant(axis.stride));
  }
  whole[1] = sizes[1];
  if (phases > 1)
    result = reshaped(transposed(reshaped(phased, split), permutation), whole);
  // Cut off what is before and behind the result.
  Extents offsets(2, math.constant(0));
  bool isPart = false;
  for (PhaseAxis &axis : axes) {
    offsets.push_back(math.constant(axis.before));
    isPart |= axis.before != 0 || axis.behind != 0;
  }
  return isPart ? sliced(result, offsets, sizes) : result;
}

Value Expander::run(ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> ones(spatial, 1), low, high, dilations;
  for (PhaseAxis &axis : axes) {
    low.push_back(axis.low);
    high.push_back(axis.high);
    dilations.push_back(axis.dilation);
  }
  low.append(high);
  Value phased = rewriter.create<ConvOp>(loc, op.getX(), filters(), bias(), ones, low, dilations, groups);
  return interleaved(phased, sizes);
}

struct ExpandConvTranspose final : OpRewritePattern<ConvTransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvTransposeOp op, PatternRewriter &rewriter) const override {
    ReifiedRankedShapedTypeDims dims;
    if (failed(op.reifyResultShapes(rewriter, dims)))
      return rewriter.notifyMatchFailure(op, "no result extents");
    Value result = Expander(rewriter, op).run(dims[0]);
    if (result.getType() != op.getType())
      result = rewriter.create<tensor::CastOp>(op.getLoc(), op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void populateExpandConvTranspose(RewritePatternSet &patterns) {
  patterns.add<ExpandConvTranspose>(patterns.getContext());
}

} // namespace kiln
