// CubeLowering.cpp: kernels around one product: which operands, extents and epilogue it has for the cube.
#include "backends/npu/Transforms/ConvLowering.h"
#include "backends/npu/Transforms/CubeProduct.h"
#include "backends/npu/Transforms/GlobalView.h"
#include "backends/npu/Transforms/VectorLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// A kernel whose only product is a matmul on its arguments.
class MatmulLowering {
public:
  MatmulLowering(KernelOp kernel, MatmulOp matmul, const CubeEpilogue &epilogue, const Target &target)
      : kernel(kernel), matmul(matmul), epilogue(epilogue), target(target), builder(kernel.getContext()),
        loc(kernel.getLoc()), math(builder, loc) {}
  LogicalResult lower();

private:
  LogicalResult check();
  Value argumentOf(Value value) { return function.getArgument(cast<BlockArgument>(value).getArgNumber()); }
  CubeOperand operandOf(Value memref, bool depthIsRow, int64_t resultBatches);

  KernelOp kernel;
  MatmulOp matmul;
  const CubeEpilogue &epilogue;
  const Target &target;
  OpBuilder builder;
  Location loc;
  IndexMath math;
  func::FuncOp function;
};

LogicalResult MatmulLowering::check() {
  Type element = cast<RankedTensorType>(matmul.getA().getType()).getElementType();
  Type right = cast<RankedTensorType>(matmul.getB().getType()).getElementType();
  Type result = cast<RankedTensorType>(epilogue.result.getType()).getElementType();
  if (right != element || !isCubeType(target, element) || !isCubeResult(element, result))
    return matmul.emitError("npu: kiln.matmul of ")
           << element << " and " << right << " is not lowered yet on the " << std::string(target.name());
  if (!isa<BlockArgument>(matmul.getA()) || !isa<BlockArgument>(matmul.getB()))
    return matmul.emitError("npu: kiln.matmul on a computed operand is not lowered yet");
  return success();
}

/// A vector is a matrix of one row: of A a row, of B a column.
CubeOperand MatmulLowering::operandOf(Value memref, bool depthIsRow, int64_t resultBatches) {
  CubeOperand operand;
  operand.memref = memref;
  auto type = cast<MemRefType>(memref.getType());
  int64_t rank = type.getRank();
  operand.depthIsRow = rank > 1 && depthIsRow;
  operand.stride = extentOf(builder, loc, memref, rank - 1);
  for (int64_t axis = 0; axis < resultBatches; ++axis) {
    int64_t own = axis - (resultBatches - (rank - 2));
    bool isRead = rank > 2 && own >= 0 && type.getShape()[own] != 1;
    operand.steps.push_back(isRead ? strideOf(builder, loc, memref, own) : math.constant(0));
  }
  return operand;
}

LogicalResult MatmulLowering::lower() {
  if (failed(check()))
    return failure();
  function = makeFunction(kernel, "aic", "matmul");
  builder.setInsertionPoint(function.getBody().front().getTerminator());
  Value a = argumentOf(matmul.getA()), b = argumentOf(matmul.getB()), c = function.getArguments().back();
  int64_t rankA = cast<MemRefType>(a.getType()).getRank(), rankB = cast<MemRefType>(b.getType()).getRank();
  int64_t batches = std::max<int64_t>({0, rankA - 2, rankB - 2});

  CubeProduct product;
  product.element = cast<MemRefType>(a.getType()).getElementType();
  bool isRow = rankA == 1, isColumn = rankB == 1;
  product.a = operandOf(a, matmul.getTransA(), batches);
  product.b = operandOf(b, isColumn ? false : !matmul.getTransB(), batches);
  product.m = isRow ? math.constant(1) : extentOf(builder, loc, a, rankA - (matmul.getTransA() ? 1 : 2));
  product.n = isColumn ? math.constant(1) : extentOf(builder, loc, b, rankB - (matmul.getTransB() ? 2 : 1));
  product.k = extentOf(builder, loc, a, matmul.getTransA() ? rankA - 2 : rankA - 1);
  if (!getConstantIntValue(product.k)) // either may be the static one
    product.k = extentOf(builder, loc, b, isColumn ? 0 : rankB - (matmul.getTransB() ? 1 : 2));
  for (int64_t axis = 0; axis < batches; ++axis)
    product.batches.push_back(extentOf(builder, loc, c, axis));
  if (rankB <= 2 && rankA > 2 && !matmul.getTransA()) { // one matrix of all batches' rows
    for (OpFoldResult extent : product.batches)
      product.m = math.mul(product.m, extent);
    product.batches.clear();
  }
  product.c.memref = c;
  product.c.stride = product.n;
  product.c.element = cast<MemRefType>(c.getType()).getElementType();
  product.c.bias = epilogue.bias ? biasIn(builder, loc, function, epilogue.bias) : Value();
  product.c.isRelu = epilogue.isRelu;
  emitProduct(builder, loc, function, product, target);
  return success();
}

} // namespace

void emitFrames(OpBuilder &builder, Location loc, func::FuncOp function, ConvOp conv,
                const ConvOperands &operands, bool isRelu, const Target &target) {
  IndexMath math(builder, loc);
  auto filter = cast<RankedTensorType>(conv.getW().getType()).getShape();
  auto argument = [&](BlockArgument value) { return function.getArgument(value.getArgNumber()); };
  Value x = argument(operands.x), y = function.getArguments().back();
  OpFoldResult channels = math.constant(filter[1]);
  CubeProduct product;
  product.element = cast<MemRefType>(x.getType()).getElementType();
  product.m = extentOf(builder, loc, y, 2);
  product.n = math.constant(filter[0]);
  product.k = math.constant(filter[1] * filter[3]);
  product.batches = {extentOf(builder, loc, x, 0)};
  product.a = {x,
               false,
               math.mul(channels, math.constant(conv.getStrides()[1])),
               {math.mul(channels, extentOf(builder, loc, x, 2))}};
  product.b = {argument(operands.w), false, product.k, {math.constant(0)}};
  if (getConstantIntValue(product.batches[0]) == 1)
    product.batches.clear();
  product.c = {y, product.n, cast<MemRefType>(y.getType()).getElementType(),
               operands.bias ? biasIn(builder, loc, function, operands.bias) : Value(), isRelu};
  emitProduct(builder, loc, function, product, target);
}

LogicalResult lowerCubeKernel(KernelOp kernel, const Target &target) {
  Block &body = kernel.getBody().front();
  Operation *product = nullptr;
  for (Operation &op : body)
    if (isProduct(&op)) {
      if (product)
        return kernel.emitError("npu: more than one product in a kernel is not lowered yet");
      product = &op;
    }
  CubeEpilogue epilogue = followEpilogue(product);
  if (auto conv = dyn_cast<ConvOp>(product))
    return lowerConvKernel(kernel, conv, epilogue, target);
  for (Operation &op : body.without_terminator())
    if (&op != product && !isa<ConstantOp>(op) && !llvm::is_contained(epilogue.members, &op))
      return op.emitError("npu: ") << op.getName() << " beside a product is not lowered yet";
  Operation *yield = body.getTerminator();
  if (yield->getNumOperands() != 1 || yield->getOperand(0) != epilogue.result)
    return kernel.emitError("npu: a product's kernel of several results is not lowered yet");
  if (epilogue.bias && !isa<BlockArgument>(epilogue.bias) && !epilogue.bias.getDefiningOp<ConstantOp>())
    return kernel.emitError("npu: a computed bias is not lowered yet");
  return MatmulLowering(kernel, cast<MatmulOp>(product), epilogue, target).lower();
}

} // namespace kiln::npu
