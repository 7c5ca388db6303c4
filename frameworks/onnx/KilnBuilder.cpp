// KilnBuilder.cpp: creates an op detached, lets it infer and verify itself, and only then inserts it.
#include "frameworks/onnx/KilnBuilder.h"

#include "frameworks/onnx/Errors.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;

namespace kiln::onnx {

KilnBuilder::KilnBuilder(Block *block, WeightStore &weights)
    : opBuilder(OpBuilder::atBlockEnd(block)), indexMath(opBuilder, block), weights(weights),
      loc(opBuilder.getUnknownLoc()) {}

void KilnBuilder::setLocation(Location location) {
  loc = location;
  indexMath.setLocation(location);
}

Result<Value> KilnBuilder::make(OperationName name, ValueRange operands, ArrayRef<NamedAttribute> attributes,
                                Type type) {
  KILN_ASSIGN_OR_RETURN(Operation * op, create(name, operands, attributes, type));
  return op->getResult(0);
}

Result<Operation *> KilnBuilder::create(OperationName name, ValueRange operands,
                                        ArrayRef<NamedAttribute> attributes, ArrayRef<Type> types) {
  std::string said;
  ScopedDiagnosticHandler handler(context(), [&](Diagnostic &diagnostic) {
    if (said.empty())
      said = diagnostic.str();
    return success();
  });
  NamedAttrList list(attributes);
  // Types are placeholders until the op has inferred them from its properties.
  bool isInferred = !types.front();
  SmallVector<Type> placeholders(types.size(), NoneType::get(context()));
  Operation *op = Operation::create(loc, name, isInferred ? placeholders : types, operands, std::move(list),
                                    OpaqueProperties(nullptr), BlockRange(), /*numRegions=*/0u);
  auto fail = [&]() -> Status {
    op->destroy();
    return invalid("{0}", said.empty() ? "operands or attributes do not fit" : said);
  };
  if (isInferred) {
    SmallVector<Type> inferred;
    if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(
            context(), loc, op->getOperands(), op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
            op->getRegions(), inferred)))
      return fail();
    for (auto [result, type] : llvm::zip_equal(op->getResults(), inferred))
      result.setType(type);
  }
  for (Type type : op->getResultTypes())
    if (!fitsElementLimit(cast<RankedTensorType>(type).getShape())) {
      said = llvm::formatv("a result of type {0} has too many elements; expected at most {1}", type,
                           kMaxElements);
      return fail();
    }
  if (failed(name.verifyInvariants(op))) {
    if (StringRef(said).contains("the same element type"))
      said += llvm::formatv("; the operands are {0:$[, ]}",
                            make_range(op->operand_type_begin(), op->operand_type_end()))
                  .str();
    return fail();
  }
  opBuilder.insert(op);
  for (OpResult result : op->getResults())
    recordOrigins(result);
  return op;
}

NamedAttribute KilnBuilder::named(StringRef name, Attribute value) {
  return opBuilder.getNamedAttr(name, value);
}
NamedAttribute KilnBuilder::integer(StringRef name, int64_t value) {
  return named(name, opBuilder.getI64IntegerAttr(value));
}
NamedAttribute KilnBuilder::real(StringRef name, double value) {
  return named(name, opBuilder.getF64FloatAttr(value));
}
NamedAttribute KilnBuilder::flag(StringRef name) { return named(name, opBuilder.getUnitAttr()); }
NamedAttribute KilnBuilder::integers(StringRef name, ArrayRef<int64_t> values) {
  return named(name, opBuilder.getDenseI64ArrayAttr(values));
}

// ---- Extents
// -------------------------------------------------------------------------------------------------

void KilnBuilder::recordOrigins(OpResult result) {
  Operation *op = result.getOwner();
  auto reify = dyn_cast<ReifyRankedShapedTypeOpInterface>(op);
  if (!reify || cast<RankedTensorType>(result.getType()).hasStaticShape())
    return;
  // Reification may build arithmetic; only extents that need none are of use here, so it goes to a scratch
  // block.
  Block scratch;
  OpBuilder scratchBuilder(context());
  scratchBuilder.setInsertionPointToEnd(&scratch);
  auto &[origins, extents] = known;
  ReifiedRankedShapedTypeDims shapes;
  if (succeeded(reify.reifyResultShapes(scratchBuilder, shapes)) && shapes.size() == op->getNumResults())
    for (auto [i, extent] : llvm::enumerate(shapes[result.getResultNumber()])) {
      Axis axis(result, static_cast<int64_t>(i));
      auto value = dyn_cast_if_present<Value>(extent);
      Operation *made = value ? value.getDefiningOp() : nullptr;
      if (!made || made->getBlock() != &scratch) {
        extents[axis] = extent;
        continue;
      }
      auto dimOp = dyn_cast<tensor::DimOp>(made);
      std::optional<int64_t> index = dimOp ? dimOp.getConstantIndex() : std::nullopt;
      if (!index || !llvm::is_contained(op->getOperands(), dimOp.getSource()))
        continue;
      Axis source(dimOp.getSource(), *index);
      if (auto built = extents.find(source); built != extents.end())
        extents[axis] = Extent(built->second);
      else if (auto origin = origins.find(source); origin != origins.end())
        origins[axis] = Axis(origin->second);
      else
        origins[axis] = source;
    }
  scratch.dropAllReferences();
}

Extent KilnBuilder::dim(Value tensor, int64_t axis) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(axis))
    return opBuilder.getIndexAttr(type.getDimSize(axis));
  Axis key(tensor, axis);
  if (auto origin = known.origins.find(key); origin != known.origins.end())
    key = origin->second;
  if (!cast<RankedTensorType>(key.first.getType()).isDynamicDim(key.second))
    return opBuilder.getIndexAttr(cast<RankedTensorType>(key.first.getType()).getDimSize(key.second));
  Extent &extent = known.extents[key];
  if (extent)
    return extent;
  InBlock where(*this, key.first.getParentBlock());
  Value index = indexMath.value(opBuilder.getIndexAttr(key.second));
  return extent = opBuilder.create<tensor::DimOp>(loc, key.first, index).getResult();
}

Extents KilnBuilder::shape(Value tensor) {
  Extents result;
  for (int64_t axis = 0, rank = cast<RankedTensorType>(tensor.getType()).getRank(); axis < rank; ++axis)
    result.push_back(dim(tensor, axis));
  return result;
}

Result<SmallVector<int64_t>> KilnBuilder::split(ArrayRef<Extent> extents, SmallVectorImpl<Value> &operands) {
  for (Extent extent : extents)
    if (auto known = IndexMath::known(extent); known && (*known < 0 || *known > kMaxElements))
      return invalid("extent {0}; expected 0 to {1}", *known, kMaxElements);
  SmallVector<int64_t> statics;
  dispatchIndexOpFoldResults(extents, operands, statics);
  return statics;
}

// ---- Constants
// -----------------------------------------------------------------------------------------------

Value KilnBuilder::constant(const TensorData &data, StringRef label) {
  if (data.bytes.size() <= jit::kInlineWeightBytes || data.isSplat())
    return opBuilder.create<ConstantOp>(loc, data.type, data.attribute());
  TensorData stored = data.packed();
  std::string digest = weights.add(stored.bytes, stored.owner);
  return opBuilder.create<WeightOp>(loc, data.type, digest,
                                    label.empty() ? StringAttr() : opBuilder.getStringAttr(label));
}

Value KilnBuilder::scalar(Type elementType, double value) {
  auto type = RankedTensorType::get({}, elementType);
  Attribute element = isa<FloatType>(elementType)
                          ? Attribute(opBuilder.getFloatAttr(elementType, value))
                          : opBuilder.getIntegerAttr(elementType, static_cast<int64_t>(value));
  return opBuilder.create<ConstantOp>(loc, type, DenseElementsAttr::get(type, element));
}

Value KilnBuilder::fromElements(ArrayRef<Extent> elements, bool isScalar, Type elementType) {
  SmallVector<Value> values =
      llvm::map_to_vector(elements, [&](Extent extent) { return indexMath.value(extent); });
  SmallVector<int64_t> shape;
  if (!isScalar)
    shape.push_back(static_cast<int64_t>(elements.size()));
  return opBuilder.create<FromElementsOp>(loc, RankedTensorType::get(shape, elementType), values, isScalar,
                                          elementType);
}

Value KilnBuilder::vector(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, opBuilder.getI64Type());
  return opBuilder.create<ConstantOp>(loc, type, DenseElementsAttr::get(type, values));
}

} // namespace kiln::onnx
