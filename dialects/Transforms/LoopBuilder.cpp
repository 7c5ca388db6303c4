// LoopBuilder.cpp: short forms for lowerings to loops over single elements: scf, tensor and index arithmetic.
#include "dialects/Transforms/LoopBuilder.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace kiln {

namespace {

/// Offsets, sizes and strides of the part of a tensor at positions along its first and last axes.
struct SliceWindow {
  SliceWindow(OpBuilder &builder, Location loc, Value tensor, ValueRange prefix, ValueRange suffix) {
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<OpFoldResult> extents = tensor::getMixedSizes(builder, loc, tensor);
    size_t rank = extents.size(), end = rank - suffix.size();
    SmallVector<int64_t> shape;
    for (size_t axis = 0; axis < rank; ++axis) {
      bool isFixed = axis < prefix.size() || axis >= end;
      offsets.push_back(axis < prefix.size() ? OpFoldResult(prefix[axis])
                        : axis >= end        ? OpFoldResult(suffix[axis - end])
                                             : OpFoldResult(builder.getIndexAttr(0)));
      sizes.push_back(isFixed ? OpFoldResult(builder.getIndexAttr(1)) : extents[axis]);
      if (!isFixed)
        shape.push_back(type.getDimSize(axis));
    }
    strides.assign(rank, builder.getIndexAttr(1));
    reduced = type.clone(shape);
  }
  SmallVector<OpFoldResult> offsets, sizes, strides;
  RankedTensorType reduced;
};

} // namespace

Value LoopBuilder::clamped(Value position, Value extent) {
  return createOrFold<arith::MaxSIOp>(min(position, sub(extent, index(1))), index(0));
}

Value LoopBuilder::emptyLike(Value like, Type element) {
  return create<tensor::EmptyOp>(tensor::getMixedSizes(*this, getLoc(), like), element);
}

Value LoopBuilder::zeroed(Value tensor) {
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  Value zero = create<arith::ConstantOp>(getZeroAttr(element));
  return create<linalg::FillOp>(zero, tensor).getResult(0);
}

Value LoopBuilder::copied(Value from, Value to) {
  // An identity linalg.generic would be folded away, and with it where the copy is wanted.
  return create<bufferization::MaterializeInDestinationOp>(TypeRange{to.getType()}, from, to).getResult();
}

Value LoopBuilder::part(Value tensor, ValueRange prefix, ValueRange suffix) {
  if (prefix.empty() && suffix.empty())
    return tensor;
  SliceWindow window(*this, getLoc(), tensor, prefix, suffix);
  return create<tensor::ExtractSliceOp>(window.reduced, tensor, window.offsets, window.sizes, window.strides);
}

Value LoopBuilder::putPart(Value part, Value tensor, ValueRange prefix, ValueRange suffix) {
  if (prefix.empty() && suffix.empty())
    return part;
  SliceWindow window(*this, getLoc(), tensor, prefix, suffix);
  if (part.getType() != window.reduced) // one of them knows an extent that the other does not
    part = create<tensor::CastOp>(window.reduced, part);
  return create<tensor::InsertSliceOp>(part, tensor, window.offsets, window.sizes, window.strides);
}

LoopBuilder::Values LoopBuilder::forEach(Value begin, Value end, ValueRange carried,
                                         llvm::function_ref<Values(Value, ValueRange)> body) {
  auto loop = create<scf::ForOp>(begin, end, index(1), carried);
  InsertionGuard guard(*this);
  if (carried.empty()) {
    setInsertionPoint(loop.getBody()->getTerminator());
    body(loop.getInductionVar(), {});
  } else {
    setInsertionPointToEnd(loop.getBody());
    create<scf::YieldOp>(body(loop.getInductionVar(), loop.getRegionIterArgs()));
  }
  return loop.getResults();
}

LoopBuilder::Values LoopBuilder::forEachIndex(ValueRange extents, ValueRange carried,
                                              llvm::function_ref<Values(ValueRange, ValueRange)> body) {
  Values at;
  std::function<Values(size_t, ValueRange)> level = [&](size_t axis, ValueRange values) -> Values {
    if (axis == extents.size())
      return body(at, values);
    return forEach(index(0), extents[axis], values, [&](Value position, ValueRange inner) {
      at.push_back(position);
      Values results = level(axis + 1, inner);
      at.pop_back();
      return results;
    });
  };
  return level(0, carried);
}

LoopBuilder::Values LoopBuilder::repeat(ValueRange carried,
                                        llvm::function_ref<std::pair<Value, Values>(ValueRange)> body) {
  // All in the region `before`: bufferization sees no order between the two of a scf.while.
  auto loop = create<scf::WhileOp>(carried.getTypes(), carried);
  SmallVector<Location> locations(carried.size(), getLoc());
  InsertionGuard guard(*this);
  Block *before = createBlock(&loop.getBefore(), {}, carried.getTypes(), locations);
  auto [goOn, values] = body(before->getArguments());
  create<scf::ConditionOp>(goOn, values);
  Block *after = createBlock(&loop.getAfter(), {}, carried.getTypes(), locations);
  create<scf::YieldOp>(after->getArguments());
  return loop.getResults();
}

LoopBuilder::Values LoopBuilder::choose(Value condition, llvm::function_ref<Values()> ifTrue,
                                        llvm::function_ref<Values()> ifFalse) {
  auto nested = [&](llvm::function_ref<Values()> branch) {
    return [this, branch](OpBuilder &builder, Location) {
      InsertionGuard guard(*this);
      restoreInsertionPoint(builder.saveInsertionPoint());
      create<scf::YieldOp>(branch());
    };
  };
  return create<scf::IfOp>(condition, nested(ifTrue), nested(ifFalse)).getResults();
}

LoopBuilder::Values LoopBuilder::forAll(ArrayRef<OpFoldResult> extents, size_t suffix, ValueRange outputs,
                                        llvm::function_ref<Values(ValueRange, ValueRange)> body) {
  if (extents.empty())
    return body({}, outputs);
  auto loop = create<scf::ForallOp>(extents, outputs, std::nullopt);
  InsertionGuard guard(*this);
  setInsertionPoint(loop.getTerminator());
  Values at(loop.getInductionVars()), parts;
  ValueRange behind = ValueRange(at).take_back(suffix), before = ValueRange(at).drop_back(suffix);
  for (Value shared : loop.getRegionIterArgs())
    parts.push_back(part(shared, before, behind));
  Values results = body(at, parts);
  for (auto [result, shared] : llvm::zip_equal(results, loop.getRegionIterArgs())) {
    SliceWindow window(*this, getLoc(), shared, before, behind);
    OpBuilder::InsertionGuard inner(*this);
    setInsertionPointToEnd(loop.getTerminator().getBody());
    create<tensor::ParallelInsertSliceOp>(result, shared, window.offsets, window.sizes, window.strides);
  }
  return loop.getResults();
}

} // namespace kiln
