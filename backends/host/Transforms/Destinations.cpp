// Destinations.cpp: kernel results become trailing buffer arguments; views in front of the return move to the
// buffer.
#include "backends/host/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_DESTINATIONSPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

MemRefType bufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// Writes `value` into `buffer`, looking through what only rearranges: the buffer is viewed the other way
/// round.
class Destination {
public:
  Destination(RewriterBase &rewriter, Location loc) : rewriter(rewriter), loc(loc) {}

  void write(Value value, Value buffer) {
    Operation *op = value.getDefiningOp();
    bool only = op && value.hasOneUse();
    if (auto cast = dyn_cast_or_null<tensor::CastOp>(op); cast && only)
      return write(cast.getSource(), castTo(buffer, cast.getSource().getType()));
    if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op); collapse && only && viewable(buffer)) {
      SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, collapse.getSrc());
      auto type = memref::ExpandShapeOp::computeExpandedType(cast<MemRefType>(buffer.getType()),
                                                             collapse.getSrcType().getShape(),
                                                             collapse.getReassociationIndices());
      if (succeeded(type))
        return write(collapse.getSrc(), rewriter.create<memref::ExpandShapeOp>(
                                            loc, *type, buffer, collapse.getReassociationIndices(), sizes));
    }
    if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op); expand && only && viewable(buffer))
      return write(expand.getSrc(),
                   rewriter.create<memref::CollapseShapeOp>(loc, buffer, expand.getReassociationIndices()));
    if (SmallVector<tensor::InsertSliceOp> parts = concatenation(value); !parts.empty())
      return writeParts(parts, buffer);
    if (auto pad = dyn_cast_or_null<tensor::PadOp>(op); pad && only && pad.getConstantPaddingValue())
      return writePadded(pad, buffer);
    rewriter.create<bufferization::MaterializeInDestinationOp>(loc, TypeRange(), value, buffer,
                                                               /*restrict=*/true,
                                                               /*writable=*/true);
  }

private:
  static bool viewable(Value buffer) { return cast<MemRefType>(buffer.getType()).getLayout().isIdentity(); }

  Value castTo(Value buffer, Type tensor) {
    auto from = cast<MemRefType>(buffer.getType());
    auto shape = cast<RankedTensorType>(tensor).getShape();
    if (from.getShape() == shape)
      return buffer;
    return rewriter.create<memref::CastOp>(
        loc, MemRefType::get(shape, from.getElementType(), from.getLayout(), from.getMemorySpace()), buffer);
  }

  /// The insertions of a concatenation: a chain that starts at an empty tensor, each behind the one before
  /// along one axis, so that they do not overlap. First to last; none if `value` is something else.
  static SmallVector<tensor::InsertSliceOp> concatenation(Value value) {
    SmallVector<tensor::InsertSliceOp> parts;
    while (auto insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
      bool shifted = llvm::count_if(insert.getMixedOffsets(),
                                    [](OpFoldResult offset) { return !isConstantIntValue(offset, 0); }) > 1;
      bool strided = llvm::any_of(insert.getMixedStrides(),
                                  [](OpFoldResult stride) { return !isConstantIntValue(stride, 1); });
      bool reduced = insert.getSourceType().getRank() != insert.getDestType().getRank();
      if (shifted || strided || reduced || !insert->hasOneUse())
        return {};
      parts.push_back(insert);
      value = insert.getDest();
    }
    if (parts.size() < 2 || !value.getDefiningOp<tensor::EmptyOp>())
      return {};
    std::reverse(parts.begin(), parts.end());
    return parts;
  }

  Value view(Value buffer, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
    SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
    return rewriter.create<memref::SubViewOp>(loc, buffer, offsets, sizes, strides);
  }

  void writeParts(ArrayRef<tensor::InsertSliceOp> parts, Value buffer) {
    for (tensor::InsertSliceOp part : parts)
      write(part.getSource(), view(buffer, part.getMixedOffsets(), part.getMixedSizes()));
  }

  OpFoldResult add(OpFoldResult a, OpFoldResult b) {
    AffineExpr s0 = rewriter.getAffineSymbolExpr(0), s1 = rewriter.getAffineSymbolExpr(1);
    return affine::makeComposedFoldedAffineApply(rewriter, loc, s0 + s1, {a, b});
  }

  /// The source into the middle, and for each axis the border below and above it, over the middle of the axes
  /// before and the whole of those behind: boxes that do not overlap.
  void writePadded(tensor::PadOp pad, Value buffer) {
    Value border = pad.getConstantPaddingValue();
    if (Operation *constant = border.getDefiningOp(); constant && pad->isProperAncestor(constant))
      border = rewriter.clone(*constant)->getResult(0);
    SmallVector<OpFoldResult> low = pad.getMixedLowPad(), high = pad.getMixedHighPad();
    SmallVector<OpFoldResult> inner = tensor::getMixedSizes(rewriter, loc, pad.getSource());
    size_t rank = inner.size();
    SmallVector<OpFoldResult> whole, offsets(rank, rewriter.getIndexAttr(0));
    for (size_t axis = 0; axis < rank; ++axis)
      whole.push_back(add(add(low[axis], inner[axis]), high[axis]));
    SmallVector<OpFoldResult> sizes = whole;
    for (size_t axis = 0; axis < rank; ++axis) {
      auto fill = [&](OpFoldResult offset, OpFoldResult size) {
        if (isConstantIntValue(size, 0))
          return;
        offsets[axis] = offset;
        sizes[axis] = size;
        Value empty = rewriter.create<tensor::EmptyOp>(loc, sizes, pad.getType().getElementType());
        Value filled = rewriter.create<linalg::FillOp>(loc, border, empty).getResult(0);
        write(filled, view(buffer, offsets, sizes));
      };
      fill(rewriter.getIndexAttr(0), low[axis]);
      fill(add(low[axis], inner[axis]), high[axis]);
      offsets[axis] = low[axis];
      sizes[axis] = inner[axis];
    }
    write(pad.getSource(), view(buffer, offsets, sizes));
  }

  RewriterBase &rewriter;
  Location loc;
};

/// The attributes of the bindings for a function that was not made from a kiln.kernel.
void describeBindings(Builder &builder, func::FuncOp func) {
  if (func->hasAttr("kiln.element_types"))
    return;
  SmallVector<Attribute> types;
  for (Type type : func.getArgumentTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      types.push_back(TypeAttr::get(tensor.getElementType()));
  func->setAttr("kiln.inputs", builder.getI64IntegerAttr(types.size()));
  for (Type type : func.getResultTypes())
    types.push_back(TypeAttr::get(cast<RankedTensorType>(type).getElementType()));
  func->setAttr("kiln.element_types", builder.getArrayAttr(types));
}

void convert(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  Block &body = func.getBody().front();
  Location loc = func.getLoc();
  rewriter.setInsertionPointToStart(&body);
  for (BlockArgument argument : body.getArguments())
    if (isa<RankedTensorType>(argument.getType())) {
      Type tensor = argument.getType();
      argument.setType(bufferType(tensor));
      auto value =
          rewriter.create<bufferization::ToTensorOp>(argument.getLoc(), tensor, argument, /*restrict=*/true);
      rewriter.replaceAllUsesExcept(argument, value, value);
    }
  auto returned = cast<func::ReturnOp>(body.getTerminator());
  describeBindings(rewriter, func);
  rewriter.setInsertionPoint(returned);
  SmallVector<Value> values(returned.getOperands());
  for (Value value : values) {
    Value buffer = body.addArgument(bufferType(value.getType()), loc);
    Destination(rewriter, loc).write(value, buffer);
  }
  rewriter.modifyOpInPlace(returned, [&] { returned.getOperandsMutable().clear(); });
  func.setFunctionType(rewriter.getFunctionType(body.getArgumentTypes(), {}));
  func.removeResAttrsAttr();
}

struct DestinationsPass : impl::DestinationsPassBase<DestinationsPass> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func->hasAttr("kiln.kernel"))
        convert(func);
  }
};

} // namespace
} // namespace kiln::host
