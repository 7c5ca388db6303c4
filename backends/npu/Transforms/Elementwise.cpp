// Elementwise.cpp: kiln's elementwise ops on tiles, by the scalar formulas that they build.
#include "backends/npu/Transforms/VectorLoops.h"

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

FailureOr<TileValue> applyElementwise(TileBuilder &tiles, Operation *op, ArrayRef<TileValue> operands) {
  Location loc = op->getLoc();
  Block scratch;
  SmallVector<Value> scalars;
  bool isUnsigned = elementOf(op->getResult(0)).isUnsignedInteger();
  for (Value operand : op->getOperands()) {
    scalars.push_back(scratch.addArgument(signless(elementOf(operand)), loc));
    isUnsigned |= elementOf(operand).isUnsignedInteger();
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&scratch);
  Value result = cast<ElementwiseOpInterface>(op).buildScalar(builder, loc, scalars);
  tiles.setNarrow(isUnsigned, isa<QuantizeOp>(op));
  DenseMap<Value, TileValue> known;
  for (auto [argument, tile] : llvm::zip(scratch.getArguments(), operands))
    known[argument] = tile;
  for (Operation &scalarOp : scratch) {
    SmallVector<TileValue> inputs;
    for (Value operand : scalarOp.getOperands())
      inputs.push_back(known.lookup(operand));
    FailureOr<TileValue> tile = tiles.apply(&scalarOp, inputs);
    if (failed(tile))
      return failure();
    known[scalarOp.getResult(0)] = *tile;
  }
  return known.lookup(result);
}

} // namespace kiln::npu
