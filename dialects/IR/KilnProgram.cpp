// KilnProgram.cpp: kernels, launches, constants, weights, lists and checks.
#include "dialects/IR/MixedList.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

#include <cmath>

using namespace mlir;

namespace kiln {

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                           ConstantOp::Adaptor adaptor, SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getValue().getType());
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult WeightOp::verify() {
  if (getDigest().size() != 64 || getDigest().find_first_not_of("0123456789abcdef") != StringRef::npos) // C1
    return emitOpError("expects 'digest' to be 64 characters of [0-9a-f], got '") << getDigest() << "'";
  if (!cast<RankedTensorType>(getType()).hasStaticShape()) // C2
    return emitOpError("expects a static shape, got ") << getType();
  return success();
}

LogicalResult OptimizationBarrierOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                      OptimizationBarrierOp::Adaptor adaptor,
                                                      SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return success();
}

namespace {

template <typename Append> LogicalResult checkAppend(Append op, Emit emit) {
  RankedTensorType list = tensorType(op.getList()), entry = tensorType(op.getEntry());
  if (list.getRank() != entry.getRank() + 1 || list.getElementType() != entry.getElementType()) // C1
    return emit() << "expects a list of entries like " << entry << ", got " << list;
  for (auto [axis, extent] : llvm::enumerate(entry.getShape()))
    if (list.getDimSize(0) != 0 && !agree(list.getDimSize(axis + 1), extent)) // C2
      return emit() << "expects an entry that fits " << list << ", got " << entry;
  return success();
}

} // namespace

LogicalResult AppendOp::verify() {
  return checkAppend(*this, [&] { return emitOpError(); });
}

LogicalResult AppendOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                         SmallVectorImpl<Type> &types) {
  if (failed(checkAppend(op, inferenceError<AppendOp>(location))))
    return failure();
  SmallVector<int64_t> shape{tensorType(op.getList()).getDimSize(0)};
  if (!ShapedType::isDynamic(shape.front()))
    ++shape.front();
  llvm::append_range(shape, tensorType(op.getEntry()).getShape());
  types.push_back(tensorType(op.getEntry()).clone(shape));
  return success();
}

LogicalResult AppendOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> dims = tensor::getMixedSizes(builder, getLoc(), getEntry());
  OpFoldResult count = tensor::getMixedSize(builder, getLoc(), getList(), 0);
  if (std::optional<int64_t> known = getConstantIntValue(count)) {
    count = builder.getIndexAttr(*known + 1);
  } else {
    Value one = builder.create<arith::ConstantIndexOp>(getLoc(), 1);
    count = builder.create<arith::AddIOp>(getLoc(), cast<Value>(count), one).getResult();
  }
  dims.insert(dims.begin(), count);
  return reifyExtents(builder, getLoc(), getType(), dims, shapes);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult KernelOp::verify() {
  for (auto [i, type] : llvm::enumerate(getArgumentTypes())) // C1
    if (!isa<RankedTensorType, IndexType>(type))
      return emitOpError("expects argument ") << i << " to be a ranked tensor or an index, got " << type;
  for (auto [i, type] : llvm::enumerate(getResultTypes()))
    if (!isa<RankedTensorType>(type))
      return emitOpError("expects result ") << i << " to be a ranked tensor, got " << type;
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || !llvm::equal(yield.getValues().getTypes(), getResultTypes())) // C2
    return emitOpError("expects its terminator to yield values of the result types");
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel) // C1
    return emitOpError("'") << getKernel() << "' does not name a kiln.kernel";
  if (!compatibleTypes(getInputs().getTypes(), kernel.getArgumentTypes()) || // C2
      !compatibleTypes(getOutputs().getTypes(), kernel.getResultTypes()))
    return emitOpError("operands and results do not match kernel '")
           << getKernel() << "' of type " << kernel.getFunctionType();
  return success();
}

LogicalResult LaunchOp::verify() {
  int64_t dynamic = 0;
  for (Type type : getOutputs().getTypes())
    dynamic += cast<RankedTensorType>(type).getNumDynamicDims();
  if (dynamic != static_cast<int64_t>(getExtents().size())) // C3
    return emitOpError("expects ") << dynamic << " extents, one for each dynamic extent of its results, got "
                                   << getExtents().size();
  return success();
}

LogicalResult LaunchOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  auto extent = getExtents().begin();
  for (Type type : getOutputs().getTypes()) {
    SmallVector<OpFoldResult> &dims = shapes.emplace_back();
    for (int64_t dim : cast<RankedTensorType>(type).getShape())
      dims.push_back(ShapedType::isDynamic(dim) ? OpFoldResult(*extent++) : builder.getIndexAttr(dim));
  }
  return success();
}

LogicalResult CheckCloseOp::verify() {
  for (APFloat bound : {getAtol(), getRtol()}) // C1
    if (!bound.isFinite() || bound.isNegative())
      return emitOpError("expects finite tolerances >= 0, got ") << bound.convertToDouble();
  return success();
}

} // namespace kiln
