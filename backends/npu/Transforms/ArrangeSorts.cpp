// ArrangeSorts.cpp: sort and top_k along an axis that is not the innermost one, between transposes; the first
// elements of long rows among the first of their parts.
#include "backends/npu/Transforms/AxisLowering.h"
#include "backends/npu/Transforms/Domain.h"
#include "backends/npu/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_ARRANGESORTSPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

/// The results that are asked for along the axis; nothing if that is not known.
std::optional<int64_t> countOf(Operation *op) {
  if (auto top = dyn_cast<TopKOp>(op))
    return getConstantIntValue(top.getMixedK());
  int64_t extent = shapeOf(op->getOperand(0))[axisOf(op)];
  return ShapedType::isDynamic(extent) ? std::nullopt : std::optional(extent);
}

/// Whether rows of such elements are the vector cores'.
bool isSorted(Operation *op) {
  Type element = elementOf(op->getOperand(0));
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  return bits >= 8 && bits <= 32 && countOf(op) &&
         !ShapedType::isDynamic(shapeOf(op->getOperand(0))[axisOf(op)]);
}

/// Whether the first elements of the row's parts are few enough to be sorted together.
bool isSplit(Operation *op) {
  int64_t extent = shapeOf(op->getOperand(0))[axisOf(op)];
  return isa<TopKOp>(op) && extent > kLongestSorted && *countOf(op) > 0 &&
         int64_t(llvm::divideCeil(extent, kLongestSorted)) * *countOf(op) <= kLongestSorted;
}

bool isTurned(Operation *op) {
  int64_t axis = axisOf(op);
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  return (shape[axis] <= kLongestSorted || isSplit(op)) &&
         llvm::any_of(shape.drop_front(axis + 1), [](int64_t inner) { return inner != 1; });
}

/// Puts an op along the innermost axis in place of `op`, which is returned.
Operation *turn(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  int64_t axis = axisOf(op), rank = int64_t(shapeOf(op->getOperand(0)).size());
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(perm[axis], perm[rank - 1]);
  Value rows = builder.create<TransposeOp>(loc, op->getOperand(0), perm);
  Operation *sort = builder.clone(*op);
  sort->setOperand(0, rows);
  sort->setAttr("axis", builder.getI64IntegerAttr(rank - 1));
  for (auto [inner, result] : llvm::zip(sort->getResults(), op->getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<int64_t> shape(type.getShape());
    std::swap(shape[axis], shape[rank - 1]);
    inner.setType(type.clone(shape));
    if (!result.use_empty())
      result.replaceAllUsesWith(builder.create<TransposeOp>(loc, inner, perm));
  }
  op->erase();
  return sort;
}

/// A top_k of a long row by way of its parts.
class Splitting {
public:
  explicit Splitting(TopKOp op)
      : op(op), builder(op), lead(tensor::getMixedSizes(builder, op.getLoc(), op.getX())) {
    lead.truncate(axis);
  }
  void run();

private:
  SmallVector<OpFoldResult> sizes(ArrayRef<int64_t> inner) {
    SmallVector<OpFoldResult> all(lead);
    for (int64_t size : inner)
      all.push_back(builder.getIndexAttr(size));
    return all;
  }
  Value reshaped(Value x, ArrayRef<int64_t> inner) { return builder.create<ReshapeOp>(loc, x, sizes(inner)); }
  Value sliced(Value x, int64_t start, int64_t size) {
    SmallVector<OpFoldResult> offsets(axis, builder.getIndexAttr(0)),
        steps(axis + 1, builder.getIndexAttr(1));
    offsets.push_back(builder.getIndexAttr(start));
    return builder.create<SliceOp>(loc, x, offsets, sizes({size}), steps);
  }
  TopKOp topOf(Value from, int64_t most);
  Value moved(Value indices, ArrayRef<int64_t> starts);
  Value joined(Value a, Value b);

  TopKOp op;
  OpBuilder builder;
  Location loc = op.getLoc();
  int64_t axis = axisOf(op), count = *countOf(op);
  SmallVector<OpFoldResult> lead; // extents in front of the axis
};

/// The first elements of rows.
TopKOp Splitting::topOf(Value from, int64_t most) {
  auto type = cast<RankedTensorType>(from.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = most;
  auto top = cast<TopKOp>(builder.clone(*op));
  top->setOperand(0, from);
  top.setStaticK({most});
  top->setAttr("axis", builder.getI64IntegerAttr(type.getRank() - 1));
  top.getValues().setType(type.clone(shape));
  top.getIndices().setType(RankedTensorType::get(shape, builder.getI64Type()));
  return top;
}

/// Indices within parts as such within the row.
Value Splitting::moved(Value indices, ArrayRef<int64_t> starts) {
  auto type = RankedTensorType::get({int64_t(starts.size()), 1}, builder.getI64Type());
  if (starts.size() == 1)
    type = RankedTensorType::get({1}, builder.getI64Type());
  Value by = builder.create<ConstantOp>(loc, DenseElementsAttr::get(type, starts));
  return builder.create<AddOp>(loc, indices, by);
}

Value Splitting::joined(Value a, Value b) {
  SmallVector<int64_t> shape(shapeOf(a));
  shape.back() += shapeOf(b).back();
  auto type = cast<RankedTensorType>(a.getType()).clone(shape);
  return builder.create<ConcatOp>(loc, type, ValueRange{a, b}, axis);
}

/// Elements in front stay in front of equal ones, in each part and among the parts.
void Splitting::run() {
  int64_t extent = shapeOf(op.getX())[axis], parts = extent / kLongestSorted, whole = parts * kLongestSorted;
  Value x = reshaped(op.getX(), {extent}); // without axes of extent 1 behind
  TopKOp best = topOf(reshaped(whole == extent ? x : sliced(x, 0, whole), {parts, kLongestSorted}), count);
  SmallVector<int64_t> starts;
  for (int64_t part = 0; part < parts; ++part)
    starts.push_back(part * kLongestSorted);
  Value indices = parts == 1 ? best.getIndices() : moved(best.getIndices(), starts);
  Value values = reshaped(best.getValues(), {parts * count});
  indices = reshaped(indices, {parts * count});
  if (whole != extent) {
    TopKOp rest = topOf(sliced(x, whole, extent - whole), std::min(count, extent - whole));
    values = joined(values, rest.getValues());
    indices = joined(indices, moved(rest.getIndices(), {whole}));
  }
  TopKOp all = topOf(values, count);
  Value places =
      builder.create<GatherOp>(loc, all.getIndices().getType(), indices, all.getIndices(), axis, axis);
  auto replace = [&](Value result, Value value) {
    SmallVector<int64_t> behind(shapeOf(result).size() - axis, 1);
    behind[0] = count;
    if (value.getType() != result.getType())
      value = reshaped(value, behind);
    result.replaceAllUsesWith(value);
  };
  replace(op.getValues(), all.getValues());
  replace(op.getIndices(), places);
  op.erase();
}

struct ArrangeSorts final : impl::ArrangeSortsPassBase<ArrangeSorts> {
  void runOnOperation() override {
    SmallVector<Operation *> sorts;
    getOperation().walk([&](Operation *op) {
      if (isa<SortOp, TopKOp>(op) && isSorted(op))
        sorts.push_back(op);
    });
    auto &dialect = *getContext().getOrLoadDialect<KilnDialect>();
    for (Operation *op : sorts) {
      if (isTurned(op)) {
        op = turn(op);
        dialect.count("arrange-sorts.turned");
      }
      if (isSplit(op)) {
        Splitting(cast<TopKOp>(op)).run();
        dialect.count("arrange-sorts.split");
      }
    }
  }
};

} // namespace
} // namespace kiln::npu
