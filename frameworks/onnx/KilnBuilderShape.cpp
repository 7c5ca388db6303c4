// KilnBuilderShape.cpp: the builder's shape ops; each is left out where it would change nothing.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/KilnBuilder.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// Whether the extents are those of the value, as far as that can be told: unknown ones are not.
bool sameShape(KilnBuilder &build, Value x, ArrayRef<Extent> shape) {
  return tensorType(x).getRank() == static_cast<int64_t>(shape.size()) &&
         ArrayRef<Extent>(build.shape(x)) == shape;
}

} // namespace

Result<Value> KilnBuilder::reshape(Value x, ArrayRef<Extent> shape) {
  if (sameShape(*this, x, shape))
    return x;
  SmallVector<Value> operands{x};
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> sizes, split(shape, operands));
  return make<ReshapeOp>(operands, integers("static_sizes", sizes));
}

Result<Value> KilnBuilder::transpose(Value x, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, tensorType(x).getRank())))
    return x;
  return make<TransposeOp>(x, integers("perm", permutation));
}

Result<Value> KilnBuilder::broadcast(Value x, ArrayRef<Extent> shape) {
  if (sameShape(*this, x, shape))
    return x;
  SmallVector<Value> operands{x};
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> sizes, split(shape, operands));
  return make<BroadcastOp>(operands, integers("static_sizes", sizes));
}

Result<Value> KilnBuilder::reverse(Value x, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return x;
  return make<ReverseOp>(x, integers("axes", axes));
}

Result<Value> KilnBuilder::concat(ValueRange values, int64_t axis) {
  if (values.size() == 1)
    return values.front();
  return make<ConcatOp>(values, integer("axis", axis));
}

Result<Value> KilnBuilder::slice(Value x, ArrayRef<Extent> offsets, ArrayRef<Extent> sizes,
                                 ArrayRef<Extent> strides) {
  bool wholeX = llvm::all_of(offsets, [](Extent offset) { return IndexMath::isKnown(offset, 0); }) &&
                llvm::all_of(strides, [](Extent stride) { return IndexMath::isKnown(stride, 1); });
  if (wholeX && sameShape(*this, x, sizes))
    return x;
  SmallVector<Value> operands{x};
  SmallVector<int32_t> segments{1};
  SmallVector<NamedAttribute> attributes;
  for (auto [name, list] : {std::pair(StringRef("static_offsets"), offsets),
                            {"static_sizes", sizes},
                            {"static_strides", strides}}) {
    size_t before = operands.size();
    KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> statics, split(list, operands));
    attributes.push_back(integers(name, statics));
    segments.push_back(static_cast<int32_t>(operands.size() - before));
  }
  attributes.push_back(named("operandSegmentSizes", opBuilder.getDenseI32ArrayAttr(segments)));
  return make<SliceOp>(operands, attributes);
}

Result<Value> KilnBuilder::sliceAxis(Value x, int64_t axis, Extent offset, Extent size) {
  Extents sizes = shape(x), offsets(sizes.size(), indexMath.constant(0)),
          strides(sizes.size(), indexMath.constant(1));
  offsets[axis] = offset;
  sizes[axis] = size;
  return slice(x, offsets, sizes, strides);
}

Result<Value> KilnBuilder::pad(Value x, ArrayRef<Extent> low, ArrayRef<Extent> high, StringRef mode,
                               Value value) {
  auto isZero = [](Extent pad) { return IndexMath::isKnown(pad, 0); };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return x;
  std::optional<PadMode> kind = symbolizePadMode(mode);
  if (!kind)
    return unsupported("pad mode '{0}' is not supported", mode);
  SmallVector<Value> operands{x};
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> staticLow, split(low, operands));
  auto lowEnd = operands.size();
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> staticHigh, split(high, operands));
  SmallVector<int32_t> segments{1, static_cast<int32_t>(lowEnd - 1),
                                static_cast<int32_t>(operands.size() - lowEnd), value ? 1 : 0};
  if (value)
    operands.push_back(value);
  return make<PadOp>(operands, {integers("static_low", staticLow), integers("static_high", staticHigh),
                                named("mode", PadModeAttr::get(context(), *kind)),
                                named("operandSegmentSizes", opBuilder.getDenseI32ArrayAttr(segments))});
}

Result<Value> KilnBuilder::iota(Type elementType, ArrayRef<Extent> shape, int64_t axis) {
  SmallVector<Value> operands;
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> sizes, split(shape, operands));
  return make<IotaOp>(operands, {integer("axis", axis), integers("static_sizes", sizes),
                                 named("element", TypeAttr::get(elementType))});
}

Result<Value> KilnBuilder::convert(Value x, Type elementType) {
  if (tensorType(x).getElementType() == elementType)
    return x;
  return make<ConvertOp>(x, named("to", TypeAttr::get(elementType)));
}

Result<Value> KilnBuilder::compare(StringRef direction, Value a, Value b) {
  auto attribute = CompareDirectionAttr::get(context(), *symbolizeCompareDirection(direction));
  return make<CompareOp>({a, b}, named("direction", attribute));
}

} // namespace kiln::onnx
