// ExpandRecurrence.cpp: lstm, gru and rnn as one product over all time steps and a loop over them.
//
// States have the shape [directions, 1, batch, hidden], so that both directions of a layer take each step in
// one product with weights [directions, 1, hidden, gates * hidden]. The backward direction sees the input
// reversed; its outputs are reversed at the end. What weights alone decide (transposes, sums of biases)
// stands ahead of the loop.
#include "dialects/Transforms/Composer.h"
#include "kiln/Transforms/ToLinalg.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln {

namespace {

/// One activation function with its parameters.
struct Activation {
  StringRef name;
  double alpha, beta;
};

/// Weights of one product, [directions, .., rows, columns], and how they are quantised, if they are.
struct Weights {
  Value matrix; // less its zero, as i16, if quantised
  Value scale;  // null if not; [directions, .., 1, columns or 1]
};

/// Weights as the op has them, [directions, columns, rows].
struct RawWeights {
  Value matrix, scale, zero;
};

/// One layer while it is expanded: what lstm, gru and rnn share.
class Layer : public Composer {
public:
  /// What a cell makes of its states; the first is the output of the step.
  using States = SmallVector<Value>;
  /// One step: `input` is the product of x[t] and the weights, [directions, 1, batch, gates * hidden].
  using Cell = llvm::function_ref<States(Value input, ValueRange states)>;

  template <typename Op>
  Layer(PatternRewriter &rewriter, Op op, int64_t gates)
      : Composer(rewriter, op.getLoc(), op.getX()), direction(op.getDirection()),
        count(op.getNumDirections()), gates(gates), hidden(tensorType(op.getR()).getDimSize(2)),
        steps(size(op.getX(), 0)), batch(size(op.getX(), 1)), names(op.getActivations()),
        alphas(op.getAlpha()), betas(op.getBeta()), clip(op.getClip()) {}

  // ---- Ahead of the loop
  /// Both halves of the bias, [directions, 1, gates * hidden], of which `half` is one; null if there is none.
  Value biasHalf(Value bias, int64_t half) {
    if (!bias)
      return {};
    Value part = sliceAxis(widened(bias), 1, number(half * gates * hidden), number(gates * hidden));
    return reshape(part, {number(count), number(1), number(gates * hidden)});
  }
  /// Their sum.
  Value wholeBias(Value bias) { return bias ? make<AddOp>(biasHalf(bias, 0), biasHalf(bias, 1)) : Value(); }
  /// x * w^T + bias for all steps, [directions, steps, batch, gates * hidden].
  Value projected(Value x, const RawWeights &w, Value bias) {
    Value rows = inOrder(widened(x), /*axis=*/0);
    Value product = multiply(rows, weights(w, 0, gates, /*inner=*/{}));
    if (bias)
      product = make<AddOp>(product, bias);
    return reshape(product, {number(count), steps, batch, number(gates * hidden)});
  }
  /// The weights of gates [first, first + number) for the states, [directions, 1, hidden, number * hidden].
  Weights recurrent(const RawWeights &r, int64_t first, int64_t number) {
    return weights(r, first, number, /*inner=*/this->number(1));
  }
  /// One product of rows, [directions, .., rows, inner], and weights. Quantised weights quantise the rows
  /// too: each direction by its own smallest and largest element.
  Value multiply(Value rows, const Weights &w) {
    if (!w.scale)
      return make<MatmulOp>(rows, w.matrix, false, false);
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(1, tensorType(rows).getRank()));
    Value zero = constant(0), levels = constant(255);
    Value least = make<MinOp>(reduce(ReduceKind::Min, rows, axes), zero);
    Value most = make<MaxOp>(reduce(ReduceKind::Max, rows, axes), zero);
    Value range = make<SubOp>(most, least);
    Value isFlat = make<CompareOp>(CompareDirection::Eq, range, zero);
    Value scale = make<SelectOp>(isFlat, constant(1), make<DivOp>(range, levels));
    Value shift =
        make<RoundOp>(make<MinOp>(make<MaxOp>(make<DivOp>(make<NegOp>(least), scale), zero), levels));
    // The integers less their zero, in [-shift, 255 - shift].
    Value steps = make<RoundOp>(make<DivOp>(rows, scale));
    steps = make<MinOp>(make<MaxOp>(steps, make<NegOp>(shift)), make<SubOp>(levels, shift));
    Type i16 = rewriter.getI16Type();
    Value sums = make<MatmulOp>(make<ConvertOp>(steps, i16), w.matrix, false, false);
    return make<MulOp>(make<ConvertOp>(sums, compute), make<MulOp>(scale, w.scale));
  }
  /// An initial state, [directions, batch, hidden] or absent, as the loop carries it.
  Value initial(Value state) {
    Sizes shape{number(count), number(1), batch, number(hidden)};
    return state ? reshape(widened(state), shape) : make<BroadcastOp>(constant(0), shape);
  }
  /// Which steps of which batch element count, [directions, steps, batch, 1]; null if all do.
  Value validity(Value lengths) {
    if (!lengths)
      return {};
    Type type = tensorType(lengths).getElementType();
    Value forward = make<IotaOp>(1, Sizes{number(1), steps, number(1), number(1)}, type);
    Value backward = direction == RecurrenceDirection::Forward
                         ? Value()
                         : make<ReverseOp>(forward, rewriter.getDenseI64ArrayAttr(1));
    Value time = direction == RecurrenceDirection::Forward   ? forward
                 : direction == RecurrenceDirection::Reverse ? backward
                                                             : concat({forward, backward}, 0);
    Value limits = reshape(lengths, {number(1), number(1), batch, number(1)});
    return make<CompareOp>(CompareDirection::Lt, time, limits);
  }

  // ---- Inside of it
  /// Gates [first, first + number) of a step's sums.
  Value gate(Value sums, int64_t first, int64_t number = 1) {
    return sliceAxis(sums, 3, this->number(first * hidden), this->number(number * hidden));
  }
  /// Activation `index` of a value, which is clipped first if it is the sum of a gate.
  Value activate(unsigned index, Value value, bool isGate = true) {
    if (clip && isGate) {
      double bound = clip->convertToDouble();
      value = make<ClampOp>(value, rewriter.getF64FloatAttr(-bound), rewriter.getF64FloatAttr(bound));
    }
    Activation f{cast<StringAttr>(names[index]).strref(), alphas.empty() ? 0 : alphas[index],
                 betas.empty() ? 0 : betas[index]};
    return apply(f, value);
  }

  // ---- The loop
  /// Runs all steps. Returns the last states; `outputs` is set to [steps, directions, batch, hidden] if asked
  /// for.
  States run(Value inputs, ArrayRef<Value> first, Value valid, Cell cell, Value *outputs) {
    auto step = [&](OpFoldResult t, ValueRange states) {
      States next = cell(sliceAxis(inputs, 1, t, number(1)), states);
      Value output = next.front();
      if (valid) { // the other steps keep the states and give 0
        Value counts = sliceAxis(valid, 1, t, number(1));
        for (auto [now, before] : llvm::zip(next, states))
          now = make<SelectOp>(counts, now, before);
        output = make<SelectOp>(counts, output, constant(0));
      }
      next.push_back(reshape(output, {number(1), number(count), batch, number(hidden)}));
      return next;
    };
    if (getConstantIntValue(steps) == 0) {
      if (outputs)
        *outputs = make<BroadcastOp>(constant(0), Sizes{steps, number(count), batch, number(hidden)});
      return States(first);
    }
    if (getConstantIntValue(steps) == 1) {
      States last = step(number(0), first);
      Value output = last.pop_back_val();
      if (outputs)
        *outputs = output;
      return last;
    }
    return loop(first, outputs, step);
  }
  /// Outputs or inputs in the order of the time, each direction's own turned round.
  Value inTime(Value outputs) {
    if (direction == RecurrenceDirection::Forward)
      return outputs;
    if (direction == RecurrenceDirection::Reverse)
      return make<ReverseOp>(outputs, rewriter.getDenseI64ArrayAttr(0));
    Value backward =
        make<ReverseOp>(sliceAxis(outputs, 1, number(1), number(1)), rewriter.getDenseI64ArrayAttr(0));
    return concat({sliceAxis(outputs, 1, number(0), number(1)), backward}, 1);
  }
  /// A state as the op returns it.
  Value state(Value carried) { return rounded(reshape(carried, {number(count), batch, number(hidden)})); }

private:
  /// Weights of gates [first, first + number), transposed; `inner` is an axis of extent 1 behind that of
  /// directions.
  Weights weights(const RawWeights &raw, int64_t first, int64_t number, OpFoldResult inner) {
    Sizes lead{this->number(count)};
    if (inner)
      lead.push_back(inner);
    auto prepared = [&](Value value) { // [directions, columns, n] as [directions, .., n, columns]
      Value part = number == gates
                       ? value
                       : sliceAxis(value, 1, this->number(first * hidden), this->number(number * hidden));
      Sizes shape(lead);
      shape.append({size(part, 2), size(part, 1)});
      return reshape(transpose(part, {0, 2, 1}), shape);
    };
    if (!raw.scale)
      return {prepared(widened(raw.matrix)), {}};
    auto byRow = [&](Value parameter) { // [directions, columns or 1, 1]
      bool each = tensorType(parameter).getRank() == 2;
      Value rows = reshape(
          parameter, {this->number(count), each ? size(parameter, 1) : this->number(1), this->number(1)});
      return each ? rows
                  : make<BroadcastOp>(
                        rows, Sizes{this->number(count), this->number(gates * hidden), this->number(1)});
    };
    Type i16 = rewriter.getI16Type();
    Value matrix = make<ConvertOp>(raw.matrix, i16);
    if (raw.zero)
      matrix = make<SubOp>(matrix, make<ConvertOp>(byRow(raw.zero), i16));
    return {prepared(matrix), prepared(widened(byRow(raw.scale)))};
  }

  /// x as rows in the order in which each direction sees them, [directions, steps * batch, inputs].
  Value inOrder(Value x, int64_t axis) {
    Value backward;
    if (direction != RecurrenceDirection::Forward)
      backward = make<ReverseOp>(x, rewriter.getDenseI64ArrayAttr(axis));
    auto rows = [&](Value sequence) {
      return reshape(sequence, {number(1), product(steps, batch), size(x, 2)});
    };
    if (direction == RecurrenceDirection::Forward)
      return rows(x);
    return direction == RecurrenceDirection::Reverse ? rows(backward) : concat({rows(x), rows(backward)}, 0);
  }
  States loop(ArrayRef<Value> first, Value *outputs,
              llvm::function_ref<States(OpFoldResult, ValueRange)> step) {
    Value zero = index(number(0)), one = index(number(1)), end = index(steps);
    Sizes all{steps, number(count), batch, number(hidden)};
    SmallVector<Value> carried(first);
    if (outputs)
      carried.push_back(make<tensor::EmptyOp>(all, compute));
    auto loop = rewriter.create<scf::ForOp>(loc, zero, end, one, carried);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      Value t = loop.getInductionVar();
      States next = step(OpFoldResult(t), loop.getRegionIterArgs().take_front(first.size()));
      Value output = next.pop_back_val();
      if (outputs) {
        Sizes offsets{t, number(0), number(0), number(0)}, ones(4, number(1)), extents(all);
        extents[0] = number(1);
        next.push_back(
            make<tensor::InsertSliceOp>(output, loop.getRegionIterArgs().back(), offsets, extents, ones));
      }
      rewriter.create<scf::YieldOp>(loc, next);
    }
    if (outputs)
      *outputs = loop.getResults().back();
    return States(loop.getResults().take_front(first.size()));
  }

  Value scaledBy(Value value, double factor) { return make<MulOp>(value, constant(factor)); }
  Value apply(const Activation &f, Value v) {
    auto real = [&](double number) { return rewriter.getF64FloatAttr(number); };
    if (f.name == "sigmoid")
      return make<SigmoidOp>(v);
    if (f.name == "tanh")
      return make<TanhOp>(v);
    if (f.name == "relu")
      return make<ReluOp>(v);
    if (f.name == "affine")
      return make<AddOp>(scaledBy(v, f.alpha), constant(f.beta));
    if (f.name == "leaky_relu")
      return make<LeakyReluOp>(v, real(f.alpha));
    if (f.name == "thresholded_relu")
      return make<ThresholdedReluOp>(v, real(f.alpha));
    if (f.name == "scaled_tanh")
      return scaledBy(make<TanhOp>(scaledBy(v, f.beta)), f.alpha);
    if (f.name == "hard_sigmoid")
      return make<HardSigmoidOp>(v, real(f.alpha), real(f.beta));
    if (f.name == "elu")
      return make<EluOp>(v, real(f.alpha));
    if (f.name == "softsign")
      return make<DivOp>(v, make<AddOp>(make<AbsOp>(v), constant(1)));
    return make<SoftplusOp>(v); // the verifier knows no other
  }

protected:
  RecurrenceDirection direction;
  int64_t count, gates, hidden;
  OpFoldResult steps, batch;

private:
  ArrayAttr names;
  ArrayRef<double> alphas, betas;
  std::optional<APFloat> clip;
};

/// Whether the loop can be built: the extents of the gates are known.
template <typename Op> LogicalResult checkHidden(Op op, PatternRewriter &rewriter) {
  if (ShapedType::isDynamic(tensorType(op.getR()).getDimSize(2)))
    return rewriter.notifyMatchFailure(op, "the number of hidden units is not known");
  return success();
}

/// Gives the op's results: `outputs` if it was asked for, and the states.
template <typename Op>
void finish(Op op, PatternRewriter &rewriter, Layer &layer, Value outputs, ArrayRef<Value> states) {
  SmallVector<Value> results{outputs ? layer.rounded(layer.inTime(outputs)) : Value()};
  for (Value state : states)
    results.push_back(layer.state(state));
  for (auto [result, value] : llvm::zip(op->getResults(), results))
    if (value)
      rewriter.replaceAllUsesWith(result, value);
  rewriter.eraseOp(op);
}

// ---- lstm: gates i, o, f, c ------------------------------------------------------------------------------

struct ExpandLstm final : OpRewritePattern<LstmOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LstmOp op, PatternRewriter &rewriter) const override {
    if (failed(checkHidden(op, rewriter)))
      return failure();
    Layer layer(rewriter, op, /*gates=*/4);
    Value inputs =
        layer.projected(op.getX(), {op.getW(), op.getWScale(), op.getWZero()}, layer.wholeBias(op.getBias()));
    Weights r = layer.recurrent({op.getR(), op.getRScale(), op.getRZero()}, 0, 4);
    SmallVector<Value> peepholes = splitPeephole(op, layer);
    auto cell = [&](Value input, ValueRange states) -> Layer::States {
      Value c = states[1];
      Value sums = layer.make<AddOp>(layer.multiply(states[0], r), input);
      auto gate = [&](int64_t index, Value peeped) {
        Value sum = layer.gate(sums, index);
        if (!peepholes.empty())
          sum = layer.make<AddOp>(sum, layer.make<MulOp>(peepholes[index], peeped));
        return layer.activate(0, sum);
      };
      Value in = gate(0, c);
      Value forget = op.getInputForget() ? layer.make<SubOp>(layer.constant(1), in) : gate(2, c);
      Value fresh = layer.activate(1, layer.gate(sums, 3));
      Value next = layer.make<AddOp>(layer.make<MulOp>(forget, c), layer.make<MulOp>(in, fresh));
      Value out = gate(1, next);
      return {layer.make<MulOp>(out, layer.activate(2, next, /*isGate=*/false)), next};
    };
    Value outputs;
    Layer::States last =
        layer.run(inputs, {layer.initial(op.getInitialH()), layer.initial(op.getInitialC())},
                  layer.validity(op.getLengths()), cell, op.getY().use_empty() ? nullptr : &outputs);
    finish(op, rewriter, layer, outputs, last);
    return success();
  }

private:
  /// Those of i, o and f, [directions, 1, 1, hidden] each; none if there are none.
  static SmallVector<Value> splitPeephole(LstmOp op, Layer &layer) {
    SmallVector<Value> parts;
    if (!op.getPeephole())
      return parts;
    Value all = layer.widened(op.getPeephole());
    int64_t hidden = tensorType(op.getR()).getDimSize(2);
    for (int64_t i = 0; i < 3; ++i)
      parts.push_back(layer.reshape(
          layer.sliceAxis(all, 1, layer.number(i * hidden), layer.number(hidden)),
          {layer.number(op.getNumDirections()), layer.number(1), layer.number(1), layer.number(hidden)}));
    return parts;
  }
};

// ---- gru: gates z, r, h ----------------------------------------------------------------------------------

struct ExpandGru final : OpRewritePattern<GruOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GruOp op, PatternRewriter &rewriter) const override {
    if (failed(checkHidden(op, rewriter)))
      return failure();
    Layer layer(rewriter, op, /*gates=*/3);
    bool linear = op.getLinearBeforeReset();
    // A bias behind the reset gate cannot join those of the input.
    Value inputBias = linear ? layer.biasHalf(op.getBias(), 0) : layer.wholeBias(op.getBias());
    Value inputs = layer.projected(op.getX(), {op.getW(), {}, {}}, inputBias);
    Value outputs;
    Layer::States first{layer.initial(op.getInitialH())};
    Value valid = layer.validity(op.getLengths());
    Value *wanted = op.getY().use_empty() ? nullptr : &outputs;
    Layer::States last = linear ? runLinear(op, layer, inputs, first, valid, wanted)
                                : runReset(op, layer, inputs, first, valid, wanted);
    finish(op, rewriter, layer, outputs, last);
    return success();
  }

private:
  /// (1 - z) * n + z * h
  static Value blend(Layer &layer, Value z, Value n, Value h) {
    Value rest = layer.make<SubOp>(layer.constant(1), z);
    return layer.make<AddOp>(layer.make<MulOp>(rest, n), layer.make<MulOp>(z, h));
  }

  /// The reset gate works on the product: one product a step.
  static Layer::States runLinear(GruOp op, Layer &layer, Value inputs, ArrayRef<Value> first, Value valid,
                                 Value *outputs) {
    Weights r = layer.recurrent({op.getR(), {}, {}}, 0, 3);
    Value bias;
    if (op.getBias()) {
      bias = layer.biasHalf(op.getBias(), 1);
      Composer::Sizes shape = layer.sizes(bias);
      shape.insert(shape.begin() + 1, layer.number(1));
      bias = layer.reshape(bias, shape);
    }
    auto cell = [&](Value input, ValueRange states) -> Layer::States {
      Value product = layer.multiply(states[0], r);
      if (bias)
        product = layer.make<AddOp>(product, bias);
      auto sum = [&](int64_t gate) {
        return layer.make<AddOp>(layer.gate(input, gate), layer.gate(product, gate));
      };
      Value z = layer.activate(0, sum(0)), reset = layer.activate(0, sum(1));
      Value recalled = layer.make<MulOp>(reset, layer.gate(product, 2));
      Value n = layer.activate(1, layer.make<AddOp>(layer.gate(input, 2), recalled));
      return {blend(layer, z, n, states[0])};
    };
    return layer.run(inputs, first, valid, cell, outputs);
  }

  /// The reset gate works on the state: a second product waits for it.
  static Layer::States runReset(GruOp op, Layer &layer, Value inputs, ArrayRef<Value> first, Value valid,
                                Value *outputs) {
    Weights gates = layer.recurrent({op.getR(), {}, {}}, 0, 2),
            fresh = layer.recurrent({op.getR(), {}, {}}, 2, 1);
    auto cell = [&](Value input, ValueRange states) -> Layer::States {
      Value h = states[0];
      Value sums = layer.make<AddOp>(layer.multiply(h, gates), layer.gate(input, 0, 2));
      Value both = layer.activate(0, sums);
      Value recalled = layer.make<MulOp>(layer.gate(both, 1), h);
      Value product = layer.multiply(recalled, fresh);
      Value n = layer.activate(1, layer.make<AddOp>(product, layer.gate(input, 2)));
      return {blend(layer, layer.gate(both, 0), n, h)};
    };
    return layer.run(inputs, first, valid, cell, outputs);
  }
};

// ---- rnn -------------------------------------------------------------------------------------------------

struct ExpandRnn final : OpRewritePattern<RnnOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RnnOp op, PatternRewriter &rewriter) const override {
    if (failed(checkHidden(op, rewriter)))
      return failure();
    Layer layer(rewriter, op, /*gates=*/1);
    Value inputs = layer.projected(op.getX(), {op.getW(), {}, {}}, layer.wholeBias(op.getBias()));
    Weights r = layer.recurrent({op.getR(), {}, {}}, 0, 1);
    auto cell = [&](Value input, ValueRange states) -> Layer::States {
      Value sums = layer.make<AddOp>(layer.multiply(states[0], r), input);
      return {layer.activate(0, sums)};
    };
    Value outputs;
    Layer::States last = layer.run(inputs, {layer.initial(op.getInitialH())}, layer.validity(op.getLengths()),
                                   cell, op.getY().use_empty() ? nullptr : &outputs);
    finish(op, rewriter, layer, outputs, last);
    return success();
  }
};

} // namespace

void populateExpandRecurrence(RewritePatternSet &patterns) {
  patterns.add<ExpandLstm, ExpandGru, ExpandRnn>(patterns.getContext());
}

} // namespace kiln
