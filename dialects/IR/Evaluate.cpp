// Evaluate.cpp: elementwise ops on constants, by folding what buildScalar builds: the formulas stand in one
// place.
#include "dialects/IR/Evaluate.h"

#include "dialects/IR/Gather.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace kiln {

namespace {

/// `element` with another signedness of its type.
Attribute withType(Attribute element, Type type) {
  if (auto integer = dyn_cast<IntegerAttr>(element))
    return IntegerAttr::get(type, integer.getValue());
  return element;
}

Type signlessElement(Type type) {
  Type element = getElementTypeOrSelf(type);
  auto integer = dyn_cast<IntegerType>(element);
  return integer ? IntegerType::get(type.getContext(), integer.getWidth()) : element;
}

/// What buildScalar builds, in a block of its own, to be run on attributes. One thread.
class ScalarProgram {
public:
  explicit ScalarProgram(ElementwiseOpInterface op) {
    OpBuilder builder(op.getContext());
    builder.setInsertionPointToEnd(&block);
    for (Type type : op->getOperandTypes())
      block.addArgument(signlessElement(type), op.getLoc());
    result = op.buildScalar(builder, op.getLoc(), block.getArguments());
  }

  /// The result for one set of elements, signless; null if an op does not fold.
  Attribute run(ArrayRef<Attribute> elements) {
    DenseMap<Value, Attribute> known;
    for (auto [argument, element] : llvm::zip_equal(block.getArguments(), elements))
      known[argument] = element;
    for (Operation &op : block)
      if (Attribute value = evaluate(op, known))
        known[op.getResult(0)] = value;
      else
        return {};
    return known.lookup(result);
  }

private:
  static Attribute evaluate(Operation &op, const DenseMap<Value, Attribute> &known) {
    // A fold may first rearrange the op in place, for example move a constant to the right.
    constexpr int kMaxRearrangements = 4;
    for (int i = 0; i < kMaxRearrangements; ++i) {
      SmallVector<Attribute> operands;
      for (Value operand : op.getOperands())
        operands.push_back(known.lookup(operand));
      SmallVector<OpFoldResult> folded;
      if (failed(op.fold(operands, folded)))
        return {};
      if (folded.empty())
        continue;
      if (auto value = llvm::dyn_cast_if_present<Value>(folded.front()))
        return known.lookup(value);
      return cast<Attribute>(folded.front());
    }
    return {};
  }

  Block block;
  Value result;
};

} // namespace

DenseElementsAttr evaluateElementwise(ElementwiseOpInterface op, ArrayRef<DenseElementsAttr> operands) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  bool isSplat = llvm::all_of(operands, [](DenseElementsAttr operand) { return operand.isSplat(); });
  if (!type.hasStaticShape() || (!isSplat && !isFoldable(type)))
    return {};
  ScalarProgram program(op);
  auto run = [&](ArrayRef<Attribute> elements) -> Attribute {
    SmallVector<Attribute> scalars;
    for (Attribute element : elements)
      scalars.push_back(withType(element, signlessElement(cast<TypedAttr>(element).getType())));
    Attribute value = program.run(scalars);
    return value ? withType(value, type.getElementType()) : value;
  };
  if (isSplat) {
    SmallVector<Attribute> elements;
    for (DenseElementsAttr operand : operands)
      elements.push_back(operand.getSplatValue<Attribute>());
    Attribute value = run(elements);
    return value ? DenseElementsAttr::get(type, value) : DenseElementsAttr();
  }
  SmallVector<SmallVector<Attribute>> values;
  for (DenseElementsAttr operand : operands)
    values.emplace_back(operand.getValues<Attribute>());
  bool failed = false;
  Attribute result = foldElements(type, [&](ArrayRef<int64_t> index) -> Attribute {
    SmallVector<Attribute> elements;
    for (auto [operand, value] : llvm::zip_equal(operands, values)) {
      ArrayRef<int64_t> shape = operand.getType().getShape();
      int64_t position = 0;
      for (auto [i, extent] : llvm::zip_equal(index.take_back(shape.size()), shape))
        position = position * extent + (extent == 1 ? 0 : i);
      elements.push_back(value[position]);
    }
    Attribute element = failed ? Attribute() : run(elements);
    failed |= !element;
    return element ? element : Builder(type.getContext()).getZeroAttr(type.getElementType());
  });
  return failed ? DenseElementsAttr() : cast<DenseElementsAttr>(result);
}

} // namespace kiln
