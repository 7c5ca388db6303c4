// SplitL0.cpp: one product of all that L1 holds becomes a loop over what L0A and L0B hold.
#include "backends/npu/Transforms/CubeBuilder.h"
#include "backends/npu/Transforms/Passes.h"

#include "kiln/devicekit/PipeOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_SPLITL0PASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

/// The ops that fill an operand's buffer in L0, or rows of it, in their order.
SmallVector<Operation *> fillersOf(Value buffer) {
  SmallVector<Operation *> fillers;
  if (!buffer.getDefiningOp<memref::AllocOp>())
    return fillers;
  for (Operation *user : buffer.getUsers()) {
    bool fills = (isa<ir::Load2dOp>(user) && cast<ir::Load2dOp>(user).getDst() == buffer) ||
                 (isa<ir::Load3dOp>(user) && cast<ir::Load3dOp>(user).getDst() == buffer);
    if (fills)
      fillers.push_back(user);
    else if (auto rows = dyn_cast<memref::SubViewOp>(user))
      llvm::append_range(fillers, make_filter_range(rows->getUsers(), [](Operation *inner) {
                           return isa<ir::Load3dOp>(inner);
                         }));
  }
  llvm::sort(fillers, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return fillers;
}

class Splitter {
public:
  Splitter(ir::MmadOp product, int64_t step)
      : product(product), step(step), builder(product), loc(product.getLoc()), math(builder, loc) {}

  LogicalResult run() {
    SmallVector<Operation *> left = fillersOf(product.getLhs()), right = fillersOf(product.getRhs());
    if (left.empty() || right.size() != 1)
      return product.emitError("npu: a product in steps reads buffers that no load fills");
    std::optional<int64_t> depth = getConstantIntValue(product.getK());
    Value zero = math.value(math.constant(0));
    Value start = zero;
    OpBuilder::InsertionGuard guard(builder);
    if (!depth || *depth > step) {
      auto loop = builder.create<scf::ForOp>(loc, zero, product.getK(), math.value(math.constant(step)));
      loop->setAttr(devicekit::kRunsAttr, builder.getUnitAttr());
      builder.setInsertionPointToStart(loop.getBody());
      start = loop.getInductionVar();
    }
    OpFoldResult size = depth && *depth % step == 0 ? math.constant(step)
                        : depth && *depth < step
                            ? math.constant(*depth)
                            : math.min(math.constant(step), math.sub(product.getK(), start));
    Value count = math.value(size);
    Value a = fill(left, product.getLhs(), start, count), b = fill(right, product.getRhs(), start, count);
    builder.create<ir::MmadOp>(loc, a, b, product.getDst(), product.getM(), product.getN(), count,
                               initAt(start), product.getBias(), IntegerAttr());
    Value lhs = product.getLhs(), rhs = product.getRhs();
    product.erase();
    left.push_back(right.front());
    for (Operation *old : left)
      old->erase();
    for (Value buffer : {lhs, rhs}) {
      for (Operation *view : llvm::make_early_inc_range(buffer.getUsers()))
        view->erase();
      buffer.getDefiningOp()->erase();
    }
    return success();
  }

private:
  /// A buffer of one step, filled from `start` of the depth on.
  Value fill(ArrayRef<Operation *> loads, Value buffer, Value start, Value count) {
    auto type = cast<MemRefType>(buffer.getType());
    bool isLeft = ir::isIn(type, ir::Memory::L0A);
    SmallVector<int64_t> shape(type.getShape());
    int64_t c0 = shape[3];
    shape[isLeft ? 1 : 0] = llvm::divideCeil(llvm::alignTo(step, std::max<int64_t>(16, c0)), c0);
    Value part = builder.create<memref::AllocOp>(
        loc, MemRefType::get(shape, type.getElementType(), type.getLayout(), type.getMemorySpace()));
    for (Operation *load : loads)
      fill(load, part, start, count);
    return part;
  }

  /// One of the loads that fill it.
  void fill(Operation *load, Value part, Value start, Value count) {
    if (auto plain = dyn_cast<ir::Load2dOp>(load)) {
      Value from = plain.getFrom();
      if (getConstantIntValue(start) != 0)
        from = from ? math.value(math.add(from, start)) : start;
      builder.create<ir::Load2dOp>(loc, plain.getSrc(), part, plain.getRows(), count, from,
                                   plain.getTranspose(), plain.getPacked());
      return;
    }
    auto window = cast<ir::Load3dOp>(load);
    if (auto rows = window.getDst().getDefiningOp<memref::SubViewOp>()) {
      SmallVector<OpFoldResult> sizes(rows.getMixedSizes());
      sizes[1] = builder.getIndexAttr(cast<MemRefType>(part.getType()).getDimSize(1));
      part =
          builder.create<memref::SubViewOp>(loc, part, rows.getMixedOffsets(), sizes, rows.getMixedStrides());
    }
    builder.create<ir::Load3dOp>(loc, window.getSrc(), part, window.getHeight(), window.getWidth(),
                                 window.getPads(), window.getRows(), window.getFirst(),
                                 math.value(math.add(window.getFrom(), start)), count, window.getKernel(),
                                 window.getStrides(), window.getDilations());
  }

  /// Whether the sums begin with the step at `start`.
  Value initAt(Value start) {
    Value init = product.getInit();
    if (getConstantIntValue(start) == 0)
      return init;
    Value zero = math.value(math.constant(0));
    if (getConstantIntValue(init) == 0)
      return init;
    OpFoldResult done = start;
    if (auto compare = init.getDefiningOp<arith::CmpIOp>()) // of what is done with 0
      done = math.add(compare.getLhs(), start);
    return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, math.value(done), zero);
  }

  ir::MmadOp product;
  const int64_t step;
  OpBuilder builder;
  Location loc;
  IndexMath math;
};

struct SplitL0 final : impl::SplitL0PassBase<SplitL0> {
  void runOnOperation() override {
    SmallVector<ir::MmadOp> products;
    getOperation().walk([&](ir::MmadOp product) {
      if (product.getStep())
        products.push_back(product);
    });
    for (ir::MmadOp product : products)
      if (failed(Splitter(product, int64_t(*product.getStep())).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace kiln::npu
