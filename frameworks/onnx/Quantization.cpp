// Quantization.cpp: in integers as long as they are exact; f32 from the multiplier on.
#include "frameworks/onnx/Quantization.h"

#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

Type elementType(Value value) { return tensorType(value).getElementType(); }

bool isKnownZero(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  return splat && isa<IntegerType>(splat.getElementType()) && splat.getSplatValue<APInt>().isZero();
}

} // namespace

Result<Value> lineUp(KilnBuilder &build, Value parameter, int64_t rank, int64_t axis) {
  if (!parameter || tensorType(parameter).getRank() == 0)
    return parameter;
  RankedTensorType type = tensorType(parameter);
  if (type.hasStaticShape() && type.getNumElements() == 1)
    return build.reshape(parameter, {});
  if (type.getRank() != 1)
    return invalid("a scale or zero point has rank {0}; expected 0 or 1", type.getRank());
  KILN_ASSIGN_OR_RETURN(axis, Node::normalizeAxis(axis, rank));
  Extents shape(static_cast<size_t>(rank - axis), build.math().constant(1));
  shape.front() = build.dim(parameter, 0);
  return build.reshape(parameter, shape);
}

Result<Quantization> readQuantization(Node &node, unsigned scale, unsigned zeroPoint, int64_t rank,
                                      int64_t axis) {
  Quantization result;
  KILN_RETURN_IF_ERROR(node.requireFloat(scale));
  KILN_ASSIGN_OR_RETURN(result.scale, lineUp(node.build, node.tensor(scale), rank, axis));
  KILN_ASSIGN_OR_RETURN(result.zeroPoint, lineUp(node.build, node.tensorOrNull(zeroPoint), rank, axis));
  return result;
}

Result<Value> repeated(KilnBuilder &build, Value parameter, int64_t axis, int64_t blockSize, Extent extent) {
  IndexMath &math = build.math();
  Extents blocks = build.shape(parameter), column = blocks, repeats;
  column.insert(column.begin() + axis + 1, math.constant(1));
  repeats = column;
  repeats[axis + 1] = math.constant(blockSize);
  Extents whole = blocks;
  whole[axis] = math.mul(whole[axis], math.constant(blockSize));
  KILN_ASSIGN_OR_RETURN(parameter, build.reshape(parameter, column));
  KILN_ASSIGN_OR_RETURN(parameter, build.broadcast(parameter, repeats));
  KILN_ASSIGN_OR_RETURN(parameter, build.reshape(parameter, whole));
  return build.sliceAxis(parameter, axis, math.constant(0), extent);
}

Result<Value> dequantize(KilnBuilder &build, Value x, const Quantization &by, Type to) {
  SmallVector<Value> operands{x, by.scale};
  if (by.zeroPoint && !isKnownZero(by.zeroPoint) && isa<IntegerType>(elementType(x)))
    operands.push_back(by.zeroPoint);
  return build.make<DequantizeOp>(operands, build.named("to", TypeAttr::get(to)));
}

Result<Value> quantize(KilnBuilder &build, Value x, const Quantization &by, Type to, bool unsaturated) {
  SmallVector<Value> operands{x, by.scale};
  if (by.zeroPoint && !isKnownZero(by.zeroPoint) && isa<IntegerType>(to))
    operands.push_back(by.zeroPoint);
  SmallVector<NamedAttribute> attributes{build.named("to", TypeAttr::get(to))};
  if (unsaturated)
    attributes.push_back(build.flag("unsaturated"));
  return build.make<QuantizeOp>(operands, attributes);
}

Result<DynamicallyQuantized> dynamicQuantize(KilnBuilder &build, Value x) {
  Type f32 = build.builder().getF32Type(), ui8 = build.builder().getIntegerType(8, /*isSigned=*/false);
  if (elementType(x) != f32)
    return invalid("a tensor of {0} elements; expected float", elementType(x).isF16() ? "float16" : "other");
  Value zero = build.scalar(f32, 0), one = build.scalar(f32, 1), highest = build.scalar(f32, 255);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, tensorType(x).getRank()));
  auto extreme = [&](ReduceKind kind) {
    return build.make<ReduceOp>(
        x, {build.named("kind", ReduceKindAttr::get(build.context(), kind)), build.integers("axes", axes)});
  };
  KILN_ASSIGN_OR_RETURN(Value most, extreme(ReduceKind::Max));
  KILN_ASSIGN_OR_RETURN(Value least, extreme(ReduceKind::Min));
  KILN_ASSIGN_OR_RETURN(most, build.make<MaxOp>({most, zero}));
  KILN_ASSIGN_OR_RETURN(least, build.make<MinOp>({least, zero}));
  KILN_ASSIGN_OR_RETURN(Value range, build.make<SubOp>({most, least}));
  KILN_ASSIGN_OR_RETURN(Value scale, build.make<DivOp>({range, highest}));
  // Nothing but zeros: any scale will do, 0 would not.
  KILN_ASSIGN_OR_RETURN(Value isEmpty, build.compare("eq", range, zero));
  KILN_ASSIGN_OR_RETURN(scale, build.make<SelectOp>({isEmpty, one, scale}));
  KILN_ASSIGN_OR_RETURN(Value zeroPoint, build.make<DivOp>({least, scale}));
  KILN_ASSIGN_OR_RETURN(zeroPoint, build.make<SubOp>({zero, zeroPoint}));
  KILN_ASSIGN_OR_RETURN(zeroPoint, quantize(build, zeroPoint, {one, {}}, ui8)); // rounded, 0 to 255
  DynamicallyQuantized result{{}, {scale, zeroPoint}};
  KILN_ASSIGN_OR_RETURN(result.numbers, quantize(build, x, result.by, ui8));
  return result;
}

Result<Value> centered(KilnBuilder &build, Value x, Value zeroPoint) {
  if (!zeroPoint || isKnownZero(zeroPoint))
    return x;
  Type i16 = build.builder().getI16Type();
  KILN_ASSIGN_OR_RETURN(x, build.convert(x, i16));
  KILN_ASSIGN_OR_RETURN(zeroPoint, build.convert(zeroPoint, i16));
  return build.make<SubOp>({x, zeroPoint});
}

Status alignFactors(KilnBuilder &build, Value &a, Value &b) {
  Type i16 = build.builder().getI16Type();
  if (elementType(a) != i16 && elementType(b) != i16)
    return {};
  KILN_ASSIGN_OR_RETURN(a, build.convert(a, i16));
  KILN_ASSIGN_OR_RETURN(b, build.convert(b, i16));
  return {};
}

Status requireBytes(Node &node, std::initializer_list<unsigned> inputs) {
  for (unsigned i : inputs)
    if (node.elementType(i).getIntOrFloatBitWidth() != 8 || !isa<IntegerType>(node.elementType(i))) {
      std::string name = dataTypeName(toDataType(node.elementType(i)));
      if (isa<FloatType>(node.elementType(i)) && node.elementType(i).getIntOrFloatBitWidth() == 8)
        return unsupported("input {0} of element type '{1}' is not supported", i, name);
      return invalid("input {0} has element type '{1}'; expected int8 or uint8", i, name);
    }
  return {};
}

Result<Value> lineUpRows(KilnBuilder &build, Value parameter) {
  if (!parameter || tensorType(parameter).getRank() != 1)
    return parameter;
  if (tensorType(parameter).getDimSize(0) == 1)
    return build.reshape(parameter, {});
  return build.reshape(parameter, {build.dim(parameter, 0), build.math().constant(1)});
}

Result<Value> integerMatmul(KilnBuilder &build, Factor a, Factor b, ArrayRef<NamedAttribute> flags) {
  KILN_ASSIGN_OR_RETURN(a.zeroPoint, lineUpRows(build, a.zeroPoint));
  KILN_ASSIGN_OR_RETURN(a.numbers, centered(build, a.numbers, a.zeroPoint));
  KILN_ASSIGN_OR_RETURN(b.numbers, centered(build, b.numbers, b.zeroPoint));
  KILN_RETURN_IF_ERROR(alignFactors(build, a.numbers, b.numbers));
  return build.make<MatmulOp>({a.numbers, b.numbers}, flags);
}

Result<Value> scaleProduct(KilnBuilder &build, Value a, Value b, Value divisor) {
  Type f32 = build.builder().getF32Type();
  Value product;
  for (Value factor : {a, b}) {
    if (!factor)
      continue;
    KILN_ASSIGN_OR_RETURN(factor, build.convert(factor, f32));
    if (product) {
      KILN_ASSIGN_OR_RETURN(factor, build.make<MulOp>({product, factor}));
    }
    product = factor;
  }
  if (!divisor)
    return product;
  KILN_ASSIGN_OR_RETURN(divisor, build.convert(divisor, f32));
  return build.make<DivOp>({product, divisor});
}

Result<Value> requantize(KilnBuilder &build, Value sum, Value multiplier, Value zeroPoint, Type to) {
  Type f32 = build.builder().getF32Type();
  KILN_ASSIGN_OR_RETURN(Value number, dequantize(build, sum, {multiplier, {}}, f32));
  return quantize(build, number, {build.scalar(f32, 1), zeroPoint}, zeroPoint ? elementType(zeroPoint) : to);
}

} // namespace kiln::onnx
