// KilnRecurrence.cpp: checks and inference of lstm, gru and rnn, which differ in gates and states.
#include "dialects/IR/Checks.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace kiln {

namespace {

constexpr llvm::StringLiteral kActivations[] = {
    "sigmoid",     "tanh",         "relu", "affine",   "leaky_relu", "thresholded_relu",
    "scaled_tanh", "hard_sigmoid", "elu",  "softsign", "softplus"};

template <typename Layer> int64_t directions(Layer op) {
  return op.getDirection() == RecurrenceDirection::Bidirectional ? 2 : 1;
}

template <typename Layer> int64_t hiddenExtent(Layer op) { return tensorType(op.getR()).getDimSize(2); }

int64_t times(int64_t count, int64_t extent) {
  return ShapedType::isDynamic(extent) ? extent : count * extent;
}

std::string shapeText(ArrayRef<int64_t> shape) {
  return llvm::join(
      llvm::map_range(
          shape, [](int64_t extent) { return ShapedType::isDynamic(extent) ? "?" : std::to_string(extent); }),
      ", ");
}

/// An absent operand fits.
LogicalResult checkShape(Emit emit, StringRef name, Value operand, ArrayRef<int64_t> shape) {
  if (!operand || (tensorType(operand).getRank() == static_cast<int64_t>(shape.size()) &&
                   llvm::all_of_zip(tensorType(operand).getShape(), shape, agree)))
    return success();
  return emit() << "expects '" << name << "' of shape [" << shapeText(shape) << "], got "
                << tensorType(operand);
}

template <typename Layer> LogicalResult checkActivations(Layer op, Emit emit, size_t count) {
  auto isKnown = [](Attribute name) {
    return llvm::is_contained(kActivations, cast<StringAttr>(name).strref());
  };
  if (op.getActivations().size() != count || !llvm::all_of(op.getActivations(), isKnown)) // C3
    return emit() << "expects " << count << " of the activations " << llvm::join(ArrayRef(kActivations), ", ")
                  << "; got " << op.getActivations();
  for (auto [name, values] : {std::pair(StringRef("alpha"), op.getAlpha()), {"beta", op.getBeta()}})
    if (!values.empty() && values.size() != count) // C4
      return emit() << "expects '" << name << "' with " << count << " entries, got " << values.size();
  std::optional<APFloat> clip = op.getClip();
  if (clip && !(clip->isFinite() && clip->convertToDouble() > 0)) // C5
    return emit() << "expects 'clip' finite and > 0, got " << clip->convertToDouble();
  return success();
}

/// What the three layers share: C1, most of C2, C3 to C5.
template <typename Layer> LogicalResult checkLayer(Layer op, Emit emit, int64_t gates, size_t activations) {
  auto x = tensorType(op.getX()), r = tensorType(op.getR());
  for (Value operand : op.getOperands())
    if (Type element = tensorType(operand).getElementType();
        isa<FloatType>(element) && element != x.getElementType()) // C1
      return emit() << "expects floats of one element type, got " << x << " and " << operand.getType();
  if (x.getRank() != 3 || r.getRank() != 3) // C2
    return emit() << "expects 'x' and 'r' of rank 3, got " << x << " and " << r;
  int64_t count = directions(op), hidden = hiddenExtent(op), batch = x.getDimSize(1);
  if (failed(checkShape(emit, "w", op.getW(), {count, times(gates, hidden), x.getDimSize(2)})) ||
      failed(checkShape(emit, "r", op.getR(), {count, times(gates, hidden), hidden})) ||
      failed(checkShape(emit, "bias", op.getBias(), {count, times(2 * gates, hidden)})) ||
      failed(checkShape(emit, "lengths", op.getLengths(), {batch})) ||
      failed(checkShape(emit, "initial_h", op.getInitialH(), {count, batch, hidden})))
    return failure();
  return checkActivations(op, emit, activations);
}

/// Scales and zeros of weights, by direction or by row.
LogicalResult checkQuantized(Emit emit, StringRef name, Value weight, Value scale, Value zero) { // C6
  auto type = tensorType(weight);
  bool isQuantized = isa<IntegerType>(type.getElementType());
  if (isQuantized != static_cast<bool>(scale) || (zero && !isQuantized))
    return emit() << "expects a scale for '" << name << "' if it is of integers, and only then";
  for (Value parameter : {scale, zero}) {
    if (!parameter)
      continue;
    auto shape = tensorType(parameter).getShape();
    bool fits = (shape.size() == 1 || shape.size() == 2) &&
                llvm::all_of_zip(shape, type.getShape().take_front(shape.size()), agree);
    if (!fits || (parameter == zero && tensorType(zero).getElementType() != type.getElementType()))
      return emit() << "expects scale and zero of '" << name << "' by direction or row, got "
                    << parameter.getType() << " for " << type;
  }
  return success();
}

template <typename Lstm> LogicalResult checkLstm(Lstm op, Emit emit) {
  if (failed(checkLayer(op, emit, /*gates=*/4, /*activations=*/3)))
    return failure();
  int64_t count = directions(op), hidden = hiddenExtent(op);
  if (failed(checkShape(emit, "initial_c", op.getInitialC(),
                        {count, tensorType(op.getX()).getDimSize(1), hidden})) || // C2
      failed(checkShape(emit, "peephole", op.getPeephole(), {count, times(3, hidden)})) ||
      failed(checkQuantized(emit, "w", op.getW(), op.getWScale(), op.getWZero())))
    return failure();
  return checkQuantized(emit, "r", op.getR(), op.getRScale(), op.getRZero());
}

/// The types of `y` and of `states` states.
template <typename Layer> void inferLayer(Layer op, unsigned states, SmallVectorImpl<Type> &types) {
  auto x = tensorType(op.getX());
  int64_t hidden = hiddenExtent(op), batch = x.getDimSize(1);
  types.push_back(
      RankedTensorType::get({x.getDimSize(0), directions(op), batch, hidden}, x.getElementType()));
  types.append(states, RankedTensorType::get({directions(op), batch, hidden}, x.getElementType()));
}

template <typename Layer>
LogicalResult reifyLayer(Layer op, unsigned states, OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  SmallVector<OpFoldResult> x = tensor::getMixedSizes(builder, op.getLoc(), op.getX());
  OpFoldResult hidden = tensor::getMixedSize(builder, op.getLoc(), op.getR(), 2);
  OpFoldResult count = builder.getIndexAttr(directions(op));
  dims.push_back({x[0], count, x[1], hidden});
  dims.append(states, {count, x[1], hidden});
  return success();
}

} // namespace

// ---- lstm ------------------------------------------------------------------------------------------------

LogicalResult LstmOp::verify() {
  return checkLstm(*this, [&] { return emitOpError(); });
}

LogicalResult LstmOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                       SmallVectorImpl<Type> &types) {
  if (failed(checkLstm(op, inferenceError<LstmOp>(location))))
    return failure();
  inferLayer(op, /*states=*/2, types);
  return success();
}

LogicalResult LstmOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  return reifyLayer(*this, /*states=*/2, builder, dims);
}

// ---- gru -------------------------------------------------------------------------------------------------

LogicalResult GruOp::verify() {
  return checkLayer(*this, [&] { return emitOpError(); }, /*gates=*/3, /*activations=*/2);
}

LogicalResult GruOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                      SmallVectorImpl<Type> &types) {
  if (failed(checkLayer(op, inferenceError<GruOp>(location), /*gates=*/3, /*activations=*/2)))
    return failure();
  inferLayer(op, /*states=*/1, types);
  return success();
}

LogicalResult GruOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  return reifyLayer(*this, /*states=*/1, builder, dims);
}

// ---- rnn -------------------------------------------------------------------------------------------------

LogicalResult RnnOp::verify() {
  return checkLayer(*this, [&] { return emitOpError(); }, /*gates=*/1, /*activations=*/1);
}

LogicalResult RnnOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                      SmallVectorImpl<Type> &types) {
  if (failed(checkLayer(op, inferenceError<RnnOp>(location), /*gates=*/1, /*activations=*/1)))
    return failure();
  inferLayer(op, /*states=*/1, types);
  return success();
}

LogicalResult RnnOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  return reifyLayer(*this, /*states=*/1, builder, dims);
}

} // namespace kiln
