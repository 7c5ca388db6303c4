// Destinations.cpp: kernel results become trailing buffer arguments; views in front of the return move to the
// buffer. Bindings of 4-bit integers are unpacked and packed here.
#include "backends/host/Transforms/Passes.h"
#include "kiln/Transforms/Views.h"

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
      return write(collapse.getSrc(),
                   expandView(rewriter, loc, buffer, collapse.getReassociationIndices(), sizes));
    }
    if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op); expand && only && viewable(buffer))
      return write(expand.getSrc(), collapseView(rewriter, loc, buffer, expand.getReassociationIndices()));
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
      if (shifted || strided || !insert->hasOneUse())
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
    for (tensor::InsertSliceOp part : parts) {
      // Axes of extent 1 that the part has lost go from its view too.
      auto type = memref::SubViewOp::inferRankReducedResultType(
          part.getSourceType().getShape(), cast<MemRefType>(buffer.getType()), part.getMixedOffsets(),
          part.getMixedSizes(), part.getMixedStrides());
      write(part.getSource(),
            rewriter.create<memref::SubViewOp>(loc, cast<MemRefType>(type), buffer, part.getMixedOffsets(),
                                               part.getMixedSizes(), part.getMixedStrides()));
    }
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

// ---- 4-bit integers: two a byte in a binding, the first one low; a byte each inside of a kernel
// -----------------

using Sizes = SmallVector<OpFoldResult>;

OpFoldResult halved(RewriterBase &rewriter, Location loc, OpFoldResult count) {
  return affine::makeComposedFoldedAffineApply(rewriter, loc, rewriter.getAffineSymbolExpr(0).ceilDiv(2),
                                               {count});
}

SmallVector<ReassociationIndices> oneGroup(int64_t rank) {
  if (rank == 0)
    return {};
  return {llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
}

/// The bytes of a packed binding, whose type has one for each element.
Value packedBytes(RewriterBase &rewriter, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 0)
    buffer = rewriter.create<memref::ExpandShapeOp>(loc, ArrayRef<int64_t>{1}, buffer, oneGroup(0));
  else if (type.getRank() > 1)
    buffer = collapseView(rewriter, loc, buffer, oneGroup(type.getRank()));
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  OpFoldResult bytes = halved(rewriter, loc, memref::getMixedSize(rewriter, loc, buffer, 0));
  return rewriter.create<memref::SubViewOp>(loc, buffer, Sizes{zero}, Sizes{bytes}, Sizes{one});
}

/// The elements of a packed binding, in the low bits of a byte each.
Value unpacked(RewriterBase &rewriter, Location loc, Value buffer, RankedTensorType type) {
  Sizes sizes = memref::getMixedSizes(rewriter, loc, buffer);
  Value bytes = packedBytes(rewriter, loc, buffer);
  auto bytesType = cast<MemRefType>(bytes.getType());
  Value packed = rewriter.create<bufferization::ToTensorOp>(
      loc, RankedTensorType::get(bytesType.getShape(), rewriter.getI8Type()), bytes, /*restrict=*/true);
  OpFoldResult count = tensor::getMixedSize(rewriter, loc, packed, 0);
  Value pairs =
      rewriter.create<tensor::EmptyOp>(loc, Sizes{count, rewriter.getIndexAttr(2)}, rewriter.getI8Type());
  AffineMap whole = rewriter.getMultiDimIdentityMap(2);
  SmallVector<utils::IteratorType> parallel(2, utils::IteratorType::parallel);
  pairs = rewriter
              .create<linalg::GenericOp>(
                  loc, pairs.getType(), packed, pairs, ArrayRef<AffineMap>{whole.getMajorSubMap(1), whole},
                  parallel,
                  [](OpBuilder &builder, Location loc, ValueRange elements) {
                    Type i8 = builder.getI8Type();
                    Value second =
                        builder.create<arith::IndexCastOp>(loc, i8, builder.create<linalg::IndexOp>(loc, 1));
                    Value four = builder.create<arith::ConstantOp>(loc, builder.getI8IntegerAttr(4));
                    Value shift = builder.create<arith::MulIOp>(loc, second, four);
                    builder.create<linalg::YieldOp>(
                        loc, builder.create<arith::ShRUIOp>(loc, elements[0], shift).getResult());
                  })
              .getResult(0);
  Value line = rewriter.create<tensor::CollapseShapeOp>(loc, pairs, oneGroup(2));
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1), elements = one;
  for (OpFoldResult size : sizes)
    elements = affine::makeComposedFoldedAffineApply(
        rewriter, loc, rewriter.getAffineSymbolExpr(0) * rewriter.getAffineSymbolExpr(1), {elements, size});
  line = rewriter.create<tensor::ExtractSliceOp>(loc, line, Sizes{zero}, Sizes{elements}, Sizes{one});
  if (type.getRank() == 1)
    return line;
  if (type.getRank() == 0)
    return rewriter.create<tensor::CollapseShapeOp>(loc, type, line, oneGroup(0));
  return rewriter.create<tensor::ExpandShapeOp>(loc, type, line, oneGroup(type.getRank()), sizes);
}

/// Writes `value`, a byte an element, into a packed binding.
void writePacked(RewriterBase &rewriter, Location loc, Value value, Value buffer) {
  auto type = cast<RankedTensorType>(value.getType());
  Value line = value;
  if (type.getRank() == 0)
    line = rewriter.create<tensor::ExpandShapeOp>(loc, type.clone({1}), value, oneGroup(0));
  else if (type.getRank() > 1)
    line = rewriter.create<tensor::CollapseShapeOp>(loc, value, oneGroup(type.getRank()));
  OpFoldResult elements = tensor::getMixedSize(rewriter, loc, line, 0),
               bytes = halved(rewriter, loc, elements);
  AffineExpr s0 = rewriter.getAffineSymbolExpr(0);
  OpFoldResult odd = affine::makeComposedFoldedAffineApply(rewriter, loc, s0.ceilDiv(2) * 2 - s0, {elements});
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1),
               two = rewriter.getIndexAttr(2);
  if (!isConstantIntValue(odd, 0)) {
    Value filling = rewriter.create<arith::ConstantOp>(loc, rewriter.getI8IntegerAttr(0));
    line = rewriter.create<tensor::PadOp>(loc, Type(), line, Sizes{zero}, Sizes{odd}, filling);
  }
  Value first = rewriter.create<tensor::ExtractSliceOp>(loc, line, Sizes{zero}, Sizes{bytes}, Sizes{two});
  Value second = rewriter.create<tensor::ExtractSliceOp>(loc, line, Sizes{one}, Sizes{bytes}, Sizes{two});
  Value empty = rewriter.create<tensor::EmptyOp>(loc, Sizes{bytes}, rewriter.getI8Type());
  SmallVector<AffineMap> maps(3, rewriter.getMultiDimIdentityMap(1));
  SmallVector<utils::IteratorType> parallel(1, utils::IteratorType::parallel);
  auto pack = rewriter.create<linalg::GenericOp>(
      loc, empty.getType(), ValueRange{first, second}, empty, maps, parallel,
      [](OpBuilder &builder, Location loc, ValueRange elements) {
        Value mask = builder.create<arith::ConstantOp>(loc, builder.getI8IntegerAttr(15));
        Value four = builder.create<arith::ConstantOp>(loc, builder.getI8IntegerAttr(4));
        Value low = builder.create<arith::AndIOp>(loc, elements[0], mask);
        Value high = builder.create<arith::ShLIOp>(loc, elements[1], four);
        builder.create<linalg::YieldOp>(loc, builder.create<arith::OrIOp>(loc, low, high).getResult());
      });
  Destination(rewriter, loc).write(pack.getResult(0), packedBytes(rewriter, loc, buffer));
}

/// Whether binding `number` holds 4-bit integers.
bool isPacked(func::FuncOp func, unsigned number) {
  auto types = func->getAttrOfType<ArrayAttr>("kiln.element_types");
  return types && cast<TypeAttr>(types[number]).getValue().getIntOrFloatBitWidth() == 4;
}

// ---- The pass
// ----------------------------------------------------------------------------------------------

void convert(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  Block &body = func.getBody().front();
  Location loc = func.getLoc();
  describeBindings(rewriter, func);
  rewriter.setInsertionPointToStart(&body);
  unsigned binding = 0;
  for (BlockArgument argument : body.getArguments())
    if (auto tensor = dyn_cast<RankedTensorType>(argument.getType())) {
      argument.setType(bufferType(tensor));
      SmallVector<OpOperand *> uses = llvm::to_vector(llvm::make_pointer_range(argument.getUses()));
      Value value = isPacked(func, binding++)
                        ? unpacked(rewriter, argument.getLoc(), argument, tensor)
                        : rewriter.create<bufferization::ToTensorOp>(argument.getLoc(), tensor, argument,
                                                                     /*restrict=*/true);
      for (OpOperand *use : uses)
        use->set(value);
    }
  auto returned = cast<func::ReturnOp>(body.getTerminator());
  rewriter.setInsertionPoint(returned);
  SmallVector<Value> values(returned.getOperands());
  for (Value value : values) {
    Value buffer = body.addArgument(bufferType(value.getType()), loc);
    if (isPacked(func, binding++))
      writePacked(rewriter, loc, value, buffer);
    else
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
