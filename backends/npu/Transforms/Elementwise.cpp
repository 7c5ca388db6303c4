// Elementwise.cpp: kiln's elementwise ops on tiles, by the scalar formulas that they build.
#include "backends/npu/Transforms/VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::npu {

FailureOr<TileValue> constantTile(TileBuilder &tiles, ConstantOp constant) {
  auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
  if (!splat)
    return FailureOr<TileValue>(constant.emitError("npu: a constant that is not a splat is not lowered yet"));
  Type element = signless(elementOf(constant));
  if (auto real = dyn_cast<FloatAttr>(splat.getSplatValue<Attribute>()))
    return tiles.number(real.getValueAsDouble(), element);
  APInt integer = cast<IntegerAttr>(splat.getSplatValue<Attribute>()).getValue();
  bool isUnsigned = elementOf(constant).isUnsignedInteger() || element.isInteger(1);
  return tiles.number(isUnsigned ? double(integer.getZExtValue()) : double(integer.getSExtValue()), element);
}

namespace {

/// A number that is known, as an op of arith or math has it: tiles hold small integers and bf16 as floats.
Attribute knownAs(const TileValue &x, Type type) {
  Attribute value;
  if (x.kind != TileValue::Kind::Scalar || !matchPattern(x.value, m_Constant(&value)))
    return {};
  if (auto real = dyn_cast<FloatAttr>(value)) {
    double number = real.getValueAsDouble();
    if (isa<FloatType>(type))
      return FloatAttr::get(type, number);
    unsigned width = type.getIntOrFloatBitWidth();
    return IntegerAttr::get(type, APInt(64, uint64_t(int64_t(number)), true).trunc(width));
  }
  auto integer = dyn_cast<IntegerAttr>(value);
  return integer && integer.getType() == type ? Attribute(integer) : Attribute();
}

/// What an op on known numbers gives, as a constant op in its place; null if one of them is not known.
Operation *foldKnown(OpBuilder &builder, Operation &op, const DenseMap<Value, TileValue> &known) {
  SmallVector<Attribute> operands;
  for (Value operand : op.getOperands()) {
    operands.push_back(knownAs(known.lookup(operand), operand.getType()));
    if (!operands.back())
      return nullptr;
  }
  SmallVector<OpFoldResult> results;
  if (operands.empty() || failed(op.fold(operands, results)) || results.size() != 1)
    return nullptr;
  auto value = dyn_cast_or_null<TypedAttr>(dyn_cast<Attribute>(results.front()));
  return value ? builder.create<arith::ConstantOp>(op.getLoc(), value).getOperation() : nullptr;
}

bool isTerminator(Operation *op) { return op->hasTrait<OpTrait::IsTerminator>(); }

/// The op that alone stands between f16 and f32 and back, where the vector unit has it for f16: it rounds
/// once, as the formula does. Null if there is none.
Operation *onHalves(Value result, ValueRange arguments) {
  auto isHalf = [](Value value) { return value.getType().isF16(); };
  auto narrow = result.getDefiningOp<arith::TruncFOp>();
  if (!narrow || !isHalf(result) || !llvm::all_of(arguments, isHalf))
    return nullptr;
  Operation *op = narrow.getIn().getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::MaximumFOp,
                       arith::MinimumFOp>(op) ||
      op->getNumOperands() != arguments.size())
    return nullptr;
  for (auto [operand, argument] : llvm::zip(op->getOperands(), arguments)) {
    auto wide = operand.getDefiningOp<arith::ExtFOp>();
    if (!wide || wide.getIn() != argument)
      return nullptr;
  }
  return op;
}

} // namespace

FailureOr<TileValue> applyElementwise(TileBuilder &tiles, Operation *op, ArrayRef<TileValue> operands) {
  Location loc = op->getLoc();
  if (elementOf(op->getResult(0)).isUnsignedInteger(32))
    return FailureOr<TileValue>(op->emitError("npu: '")
                                << op->getName() << "' with a result of ui32 is not lowered yet");
  Block scratch;
  SmallVector<Value> scalars;
  bool isUnsigned = elementOf(op->getResult(0)).isUnsignedInteger();
  for (Value operand : op->getOperands()) {
    scalars.push_back(scratch.addArgument(signless(elementOf(operand)), loc));
    isUnsigned |= elementOf(operand).isUnsignedInteger();
  }
  Type to = elementOf(op->getResult(0));
  bool converts = isa<ConvertOp, BitcastOp>(op) && isa<IntegerType>(to);
  if (converts) // only the result's sign says what its low bits mean
    isUnsigned = to.isUnsignedInteger();
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&scratch);
  Value result = cast<ElementwiseOpInterface>(op).buildScalar(builder, loc, scalars);
  tiles.setNarrow(isUnsigned, isa<QuantizeOp>(op));
  tiles.setHalves(elementOf(op->getOperand(0)).isF16());
  if (Operation *only = onHalves(result, scratch.getArguments()))
    return tiles.apply(only, operands);
  DenseMap<Value, TileValue> known;
  for (auto [argument, tile] : llvm::zip(scratch.getArguments(), operands))
    known[argument] = tile;
  Block folded;
  builder.setInsertionPointToEnd(&folded);
  for (Operation &scalarOp : scratch) {
    Operation *constant = foldKnown(builder, scalarOp, known);
    SmallVector<TileValue> inputs;
    for (Value operand : constant ? ValueRange() : ValueRange(scalarOp.getOperands()))
      inputs.push_back(known.lookup(operand));
    FailureOr<TileValue> tile = tiles.apply(constant ? constant : &scalarOp, inputs);
    if (failed(tile))
      return failure();
    known[scalarOp.getResult(0)] = *tile;
  }
  TileValue tile = known.lookup(result);
  // bf16 is f32 between ops and rounded where it is stored; who asks for a conversion means the rounding.
  if (isa<ConvertOp>(op) && to.isBF16() && !llvm::all_of(op->getUsers(), isTerminator))
    return tiles.roundToBf16(tile);
  Type from = elementOf(op->getOperand(0));
  // What keeps its bits, or gets copies of its sign in front, is another number where the sign means another.
  bool keepsSign = isa<BlockArgument>(result) || result.getDefiningOp<arith::ExtSIOp>();
  return converts && keepsSign && to.getIntOrFloatBitWidth() < 32 &&
                 from.isUnsignedInteger() != to.isUnsignedInteger() && !to.isInteger(1)
             ? tiles.withSign(tile, to.isUnsignedInteger())
             : tile;
}

} // namespace kiln::npu
