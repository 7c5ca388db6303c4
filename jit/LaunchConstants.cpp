// LaunchConstants.cpp: walks index arithmetic back to the kernel's arguments.
#include "kiln/jit/LaunchConstants.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::jit {

using Op = LaunchExpr::Op;
using MaybeExpr = std::optional<LaunchExpr>;

namespace {

MaybeExpr join(Op op, const MaybeExpr &lhs, const MaybeExpr &rhs) {
  if (!lhs || !rhs)
    return std::nullopt;
  return LaunchExpr::binary(op, *lhs, *rhs);
}

MaybeExpr fromAffine(AffineExpr expr, unsigned dims, ArrayRef<MaybeExpr> operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return LaunchExpr::literal(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[dims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Op op = Op::Add;
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    op = Op::Add;
    break;
  case AffineExprKind::Mul:
    op = Op::Mul;
    break;
  case AffineExprKind::Mod:
    op = Op::Mod;
    break;
  case AffineExprKind::FloorDiv:
    op = Op::FloorDiv;
    break;
  case AffineExprKind::CeilDiv:
    op = Op::CeilDiv;
    break;
  case AffineExprKind::Constant:
  case AffineExprKind::DimId:
  case AffineExprKind::SymbolId:
    return std::nullopt;
  }
  return join(op, fromAffine(binary.getLHS(), dims, operands), fromAffine(binary.getRHS(), dims, operands));
}

std::optional<Op> binaryOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Op>>(op)
      .Case<arith::AddIOp>([](auto) { return Op::Add; })
      .Case<arith::SubIOp>([](auto) { return Op::Sub; })
      .Case<arith::MulIOp>([](auto) { return Op::Mul; })
      .Case<arith::FloorDivSIOp, arith::DivUIOp>([](auto) { return Op::FloorDiv; })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([](auto) { return Op::CeilDiv; })
      .Case<arith::RemUIOp>([](auto) { return Op::Mod; })
      .Case<arith::MinSIOp, arith::MinUIOp>([](auto) { return Op::Min; })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([](auto) { return Op::Max; })
      .Default([](auto) { return std::nullopt; });
}

} // namespace

LaunchConstants::LaunchConstants(func::FuncOp func)
    : elementTypes(func->getAttrOfType<ArrayAttr>("kiln.element_types")) {
  for (BlockArgument argument : func.getArguments())
    if (isa<IndexType>(argument.getType()))
      sources.push_back({argument, std::nullopt});
  bool hasWorkspace = func->hasAttr("kiln.workspace"); // its buffer is the last argument and no binding
  for (BlockArgument argument : func.getArguments().drop_back(hasWorkspace))
    if (auto type = dyn_cast<MemRefType>(argument.getType()))
      for (unsigned dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          sources.push_back({argument, dim});
}

MaybeExpr LaunchConstants::extent(Value memref, unsigned dim) const {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return LaunchExpr::literal(type.getDimSize(dim));
  for (auto [i, source] : llvm::enumerate(sources))
    if (source.argument == memref && source.dim == dim)
      return LaunchExpr::constant(i);
  Operation *op = memref.getDefiningOp();
  if (auto subview = dyn_cast_or_null<memref::SubViewOp>(op); subview && subview.getDroppedDims().none())
    return express(subview.getMixedSizes()[dim]);
  if (auto cast = dyn_cast_or_null<memref::CastOp>(op))
    return extent(cast.getSource(), dim);
  if (auto view = dyn_cast_or_null<memref::ReinterpretCastOp>(op))
    return express(view.getMixedSizes()[dim]);
  if (auto alloc = dyn_cast_or_null<memref::AllocOp>(op))
    return express(alloc.getMixedSizes()[dim]);
  if (auto view = dyn_cast_or_null<memref::ViewOp>(op)) // of the workspace
    return express(view.getDynamicSizes()[type.getDynamicDimIndex(dim)]);
  if (auto expand = dyn_cast_or_null<memref::ExpandShapeOp>(op)) {
    Builder builder(op->getContext());
    return express(getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(), builder)[dim]);
  }
  if (auto collapse = dyn_cast_or_null<memref::CollapseShapeOp>(op)) {
    MaybeExpr product = LaunchExpr::literal(1);
    SmallVector<ReassociationIndices> groups =
        collapse.getReassociationIndices(); // outlives the loop over one
    for (int64_t from : groups[dim])
      product = join(Op::Mul, product, extent(collapse.getSrc(), from));
    return product;
  }
  return std::nullopt;
}

MaybeExpr LaunchConstants::express(OpFoldResult folded) const {
  if (std::optional<int64_t> known = getConstantIntValue(folded))
    return LaunchExpr::literal(*known);
  auto value = cast<Value>(folded);
  for (auto [i, source] : llvm::enumerate(sources))
    if (source.argument == value && !source.dim)
      return LaunchExpr::constant(i);
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto operand = [&](unsigned i) { return express(op->getOperand(i)); };
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return operand(0);
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    return index ? extent(dim.getSource(), *index) : std::nullopt;
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto buffer = dim.getSource().getDefiningOp<bufferization::ToTensorOp>();
    std::optional<int64_t> index = dim.getConstantIndex();
    return index && buffer ? extent(buffer.getMemref(), *index) : std::nullopt;
  }
  if (auto binary = binaryOf(op))
    return join(*binary, operand(0), operand(1));
  auto affine = [&](AffineMap map, Op over) -> MaybeExpr {
    SmallVector<MaybeExpr> operands;
    for (Value value : op->getOperands())
      operands.push_back(express(value));
    MaybeExpr result = fromAffine(map.getResult(0), map.getNumDims(), operands);
    for (AffineExpr expr : map.getResults().drop_front())
      result = join(over, result, fromAffine(expr, map.getNumDims(), operands));
    return result;
  };
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return affine(apply.getMap(), Op::Add);
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return affine(min.getMap(), Op::Min);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return affine(max.getMap(), Op::Max);
  return std::nullopt;
}

LaunchExpr LaunchConstants::bytes(BlockArgument argument) const {
  auto type = cast<MemRefType>(argument.getType());
  int64_t known = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  LaunchExpr dynamic;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!type.isDynamicDim(dim))
      known *= type.getDimSize(dim);
    else if (dynamic.empty())
      dynamic = *extent(argument, dim);
    else
      dynamic = LaunchExpr::binary(Op::Mul, dynamic, *extent(argument, dim));
  LaunchExpr result = LaunchExpr::literal(known);
  if (!dynamic.empty())
    result = LaunchExpr::binary(Op::Mul, result, dynamic);
  // 4-bit integers have a byte each in the argument's type, and half of one in memory.
  auto arguments = argument.getOwner()->getArguments().take_front(argument.getArgNumber());
  auto number =
      llvm::count_if(arguments, [](BlockArgument other) { return isa<MemRefType>(other.getType()); });
  bool isPacked = elementTypes && number < static_cast<int64_t>(elementTypes.size()) &&
                  cast<TypeAttr>(elementTypes[number]).getValue().getIntOrFloatBitWidth() == 4;
  return isPacked ? LaunchExpr::binary(Op::CeilDiv, result, LaunchExpr::literal(2)) : result;
}

SmallVector<Value> LaunchConstants::values(OpBuilder &builder, Location loc) const {
  SmallVector<Value> values;
  for (const Source &source : sources)
    values.push_back(source.dim ? Value(builder.create<memref::DimOp>(loc, source.argument, *source.dim))
                                : Value(source.argument));
  return values;
}

Value buildExpr(OpBuilder &builder, Location loc, const LaunchExpr &expr, ValueRange constants) {
  SmallVector<Value> stack;
  for (LaunchExpr::Node node : expr.nodes()) {
    if (node.op == Op::Literal) {
      stack.push_back(builder.create<arith::ConstantIndexOp>(loc, node.value));
      continue;
    }
    if (node.op == Op::Constant) {
      stack.push_back(constants[node.value]);
      continue;
    }
    Value rhs = stack.pop_back_val(), lhs = stack.pop_back_val();
    switch (node.op) {
    case Op::Literal:
    case Op::Constant:
      break;
    case Op::Add:
      stack.push_back(builder.create<arith::AddIOp>(loc, lhs, rhs));
      break;
    case Op::Sub:
      stack.push_back(builder.create<arith::SubIOp>(loc, lhs, rhs));
      break;
    case Op::Mul:
      stack.push_back(builder.create<arith::MulIOp>(loc, lhs, rhs));
      break;
    case Op::FloorDiv: // extents and counts are not negative
      stack.push_back(builder.create<arith::DivUIOp>(loc, lhs, rhs));
      break;
    case Op::CeilDiv:
      stack.push_back(builder.create<arith::CeilDivUIOp>(loc, lhs, rhs));
      break;
    case Op::Mod:
      stack.push_back(builder.create<arith::RemUIOp>(loc, lhs, rhs));
      break;
    case Op::Min:
      stack.push_back(builder.create<arith::MinSIOp>(loc, lhs, rhs));
      break;
    case Op::Max:
      stack.push_back(builder.create<arith::MaxSIOp>(loc, lhs, rhs));
      break;
    }
  }
  return stack.pop_back_val();
}

DenseI64ArrayAttr exprToAttr(MLIRContext *context, const LaunchExpr &expr) {
  SmallVector<int64_t> flat;
  for (LaunchExpr::Node node : expr.nodes()) {
    flat.push_back(static_cast<int64_t>(node.op));
    flat.push_back(node.value);
  }
  return DenseI64ArrayAttr::get(context, flat);
}

LaunchExpr exprFromAttr(DenseI64ArrayAttr attr) {
  SmallVector<LaunchExpr> stack;
  ArrayRef<int64_t> flat = attr.asArrayRef();
  for (size_t i = 0; i + 1 < flat.size(); i += 2) {
    Op op = static_cast<Op>(flat[i]);
    if (op == Op::Literal) {
      stack.push_back(LaunchExpr::literal(flat[i + 1]));
    } else if (op == Op::Constant) {
      stack.push_back(LaunchExpr::constant(flat[i + 1]));
    } else {
      LaunchExpr rhs = stack.pop_back_val(), lhs = stack.pop_back_val();
      stack.push_back(LaunchExpr::binary(op, lhs, rhs));
    }
  }
  return stack.empty() ? LaunchExpr() : stack.back();
}

} // namespace kiln::jit
