// ExpandAttention.cpp: attention as two products with a softmax between.
//
// The queries of all heads that share a head of k become rows of one product. What masks is gathered into one
// bias before it is added, so that rows which see no key are known by the bias alone.
#include "dialects/Transforms/Composer.h"
#include "kiln/Transforms/ToLinalg.h"

using namespace mlir;

namespace kiln {

namespace {

/// One attention while it is expanded.
class AttentionBuilder : public Composer {
public:
  AttentionBuilder(PatternRewriter &rewriter, AttentionOp op)
      : Composer(rewriter, op.getLoc(), op.getQ()), op(op), batch(size(op.getQ(), 0)),
        heads(size(op.getQ(), 1)), queries(size(op.getQ(), 2)), shared(size(op.getK(), 1)),
        keys(size(op.getK(), 2)) {}

  /// The results.
  SmallVector<Value> build() {
    Value scores = reshape(product(), {batch, heads, queries, keys});
    show(AttentionStage::Scores, scores);
    if (std::optional<APFloat> cap = op.getSoftcap()) {
      Value bound = constant(cap->convertToDouble());
      scores = make<MulOp>(make<TanhOp>(make<DivOp>(scores, bound)), bound);
    }
    show(AttentionStage::Capped, scores);
    Value bias = combinedBias();
    if (bias)
      scores = make<AddOp>(scores, bias);
    show(AttentionStage::Biased, scores);
    Value weights = make<SoftmaxOp>(scores, /*axis=*/3);
    if (bias) { // rows that see no key
      Value most = bias;
      if (int64_t rank = tensorType(bias).getRank())
        most = reduce(ReduceKind::Max, bias, rank - 1);
      Value sees = make<CompareOp>(CompareDirection::Gt, most, constant(-INFINITY));
      weights = make<SelectOp>(sees, weights, constant(0));
    }
    show(AttentionStage::Weights, weights);
    Value result = make<MatmulOp>(grouped(weights, keys), widened(op.getV()), false, false);
    SmallVector<Value> results{rounded(reshape(result, {batch, heads, queries, size(op.getV(), 3)}))};
    if (shown)
      results.push_back(shown);
    return results;
  }

private:
  /// scale * q * k^T, widened: what narrow floats hold is not rounded before the result is.
  Value product() {
    Value q = widened(grouped(op.getQ(), size(op.getQ(), 3))), k = widened(op.getK());
    return make<MulOp>(make<MatmulOp>(q, k, /*transA=*/false, /*transB=*/true),
                       constant(op.getScale().convertToDouble()));
  }
  void show(AttentionStage stage, Value value) {
    if (op.getShows() == stage)
      shown = rounded(value);
  }

  /// [batch, heads, queries, last] as [batch, kv_heads, rows, last].
  Value grouped(Value value, OpFoldResult last) {
    if (tensorType(op.getQ()).getDimSize(1) == tensorType(op.getK()).getDimSize(1) &&
        getConstantIntValue(heads))
      return value;
    OpFoldResult group = quotient(heads, shared);
    return reshape(value, {batch, shared, Composer::product(group, queries), last});
  }
  OpFoldResult quotient(OpFoldResult a, OpFoldResult b) {
    std::optional<int64_t> m = getConstantIntValue(a), n = getConstantIntValue(b);
    if (m && n)
      return number(*m / *n);
    return rewriter.createOrFold<arith::DivUIOp>(loc, index(a), index(b));
  }

  /// What is added to the scores, in as few axes as it needs; null if nothing is.
  Value combinedBias() {
    Value allowed, bias = constant(0);
    if (op.getMask()) {
      if (tensorType(op.getMask()).getElementType().isInteger(1))
        allowed = op.getMask();
      else
        bias = widened(op.getMask());
    }
    for (Value condition : {belowLength(), inWindow()})
      if (condition)
        allowed = allowed ? make<AndOp>(allowed, condition) : condition;
    if (allowed)
      return make<SelectOp>(allowed, bias, constant(-INFINITY));
    return op.getMask() ? bias : Value();
  }

  // Positions are i64: [queries, 1] and [1, keys].
  Value positions(int64_t axis, OpFoldResult count) {
    Sizes sizes(2, number(1));
    sizes[axis] = count;
    return make<IotaOp>(axis, sizes, rewriter.getI64Type());
  }
  /// One number a batch element, or one: [n, 1, 1, 1].
  Value perBatch(Value values) {
    Value wide = converted(values, rewriter.getI64Type());
    return reshape(wide, {size(values, 0), number(1), number(1), number(1)});
  }
  Value belowLength() {
    if (!op.getLengths())
      return {};
    return make<CompareOp>(CompareDirection::Lt, positions(1, keys), perBatch(op.getLengths()));
  }
  Value inWindow() {
    if (!op.getCausal() && !op.getLeftWindow() && !op.getRightWindow())
      return {};
    Value own = positions(0, queries);
    if (op.getOffset())
      own = make<AddOp>(own, perBatch(op.getOffset()));
    // How far each query is behind each key.
    Value distance = make<SubOp>(own, positions(1, keys));
    Value allowed;
    auto limit = [&](CompareDirection direction, int64_t bound) {
      auto type = RankedTensorType::get({}, rewriter.getI64Type());
      Value constant = make<ConstantOp>(DenseElementsAttr::get(type, rewriter.getI64IntegerAttr(bound)));
      Value condition = make<CompareOp>(direction, distance, constant);
      allowed = allowed ? make<AndOp>(allowed, condition) : condition;
    };
    if (op.getCausal())
      limit(CompareDirection::Ge, 0);
    if (std::optional<int64_t> window = op.getLeftWindow())
      limit(CompareDirection::Le, *window);
    if (std::optional<int64_t> window = op.getRightWindow())
      limit(CompareDirection::Ge, -*window);
    return allowed;
  }

  AttentionOp op;
  Value shown;
  OpFoldResult batch, heads, queries, shared, keys;
};

struct ExpandAttention final : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    if (op->hasAttr(kWholeAttr))
      return rewriter.notifyMatchFailure(op, "the target takes it whole");
    SmallVector<Value> results = AttentionBuilder(rewriter, op).build();
    for (auto [value, type] : llvm::zip_equal(results, op->getResultTypes()))
      if (value.getType() != type)
        value = rewriter.create<tensor::CastOp>(op.getLoc(), type, value);
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void populateExpandAttention(RewritePatternSet &patterns) {
  patterns.add<ExpandAttention>(patterns.getContext());
}

} // namespace kiln
