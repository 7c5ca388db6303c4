// SplitNorms.cpp: group_norm as layer_norm between reshapes, with a product and a sum by channel behind it.
#include "backends/npu/Transforms/Domain.h"
#include "backends/npu/Transforms/Passes.h"
#include "backends/npu/Transforms/TileBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_SPLITNORMSPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

void split(GroupNormOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, op.getX()), groups(sizes);
  int64_t channels = *getConstantIntValue(sizes[1]), count = op.getGroups();
  groups[1] = builder.getIndexAttr(channels / count);
  groups.insert(groups.begin() + 1, builder.getIndexAttr(count));
  auto as = [&](Value x, Type element) -> Value {
    return elementOf(x) == element ? x : builder.create<ConvertOp>(loc, x, element).getResult();
  };
  Type f32 = builder.getF32Type(); // until the result is rounded
  Value apart = as(builder.create<ReshapeOp>(loc, op.getX(), groups), f32);
  auto norm = builder.create<LayerNormOp>(loc, apart.getType(), apart, Value(), Value(),
                                          builder.getI64IntegerAttr(2), op.getEpsilonAttr());
  Value y = builder.create<ReshapeOp>(loc, norm->getResult(0), sizes);
  SmallVector<OpFoldResult> inner(sizes.size() - 1, builder.getIndexAttr(1));
  inner[0] = builder.getIndexAttr(channels);
  auto byChannel = [&](Value numbers) -> Value {
    return as(builder.create<ReshapeOp>(loc, numbers, inner), f32);
  };
  if (op.getScale())
    y = builder.create<MulOp>(loc, y, byChannel(op.getScale()));
  if (op.getBias())
    y = builder.create<AddOp>(loc, y, byChannel(op.getBias()));
  op.replaceAllUsesWith(as(y, elementOf(op.getX())));
  op.erase();
}

struct SplitNorms final : impl::SplitNormsPassBase<SplitNorms> {
  void runOnOperation() override {
    SmallVector<GroupNormOp> norms;
    getOperation().walk([&](GroupNormOp op) {
      if (!elementOf(op.getX()).isF64() && !ShapedType::isDynamic(shapeOf(op.getX())[1]))
        norms.push_back(op);
    });
    for (GroupNormOp op : norms) {
      split(op);
      getContext().getOrLoadDialect<KilnDialect>()->count("npu-split-norms.norms");
    }
  }
};

} // namespace
} // namespace kiln::npu
