// CheckExtents.cpp: the pass kiln-check-extents: what verifiers cannot see of dynamic extents becomes
// cf.assert on index arithmetic, one rule an op.
#include "dialects/IR/Checks.h"
#include "dialects/Transforms/ExtentMath.h"
#include "kiln/IR/Kiln.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kiln {

#define GEN_PASS_DEF_CHECKEXTENTSPASS
#include "kiln/Transforms/Passes.h.inc"

namespace {

using Extent = OpFoldResult;
using Extents = SmallVector<OpFoldResult>;

/// Asserts what one op needs, before it. What numbers alone decide is left to the op's verifier.
class Rules {
public:
  explicit Rules(Operation *op) : op(op), builder(op), math(builder, op->getLoc()) {}

  Extents shape(Value tensor) { return tensor::getMixedSizes(builder, op->getLoc(), tensor); }
  Extent number(int64_t value) { return math.constant(value); }
  ExtentMath &extents() { return math; }

  void equal(Extent a, Extent b, const Twine &expected) {
    if (a != b)
      require(arith::CmpIPredicate::eq, a, b, expected);
  }
  void atMost(Extent a, Extent b, const Twine &expected) {
    if (a != b)
      require(arith::CmpIPredicate::sle, a, b, expected);
  }
  /// `extent` is not 0, unless one of `result` is: then nothing is read.
  void notEmpty(Extent extent, ArrayRef<Extent> result, const Twine &expected) {
    if (isNumber(extent))
      return;
    Extent count = math.constant(1);
    for (Extent each : result)
      count = math.mul(count, each);
    Value none = compare(arith::CmpIPredicate::eq, count, math.constant(0));
    Value some = compare(arith::CmpIPredicate::ne, extent, math.constant(0));
    assertThat(builder.create<arith::OrIOp>(op->getLoc(), none, some), expected);
  }
  /// Extents of one axis agree; those that are known to be 1 are repeated.
  void broadcast(ArrayRef<Extent> met, const Twine &expected) {
    Extent agreed;
    for (Extent extent : met)
      if (isNumber(extent) && !isConstantIntValue(extent, 1))
        agreed = extent;
    for (Extent extent : met) {
      if (isNumber(extent))
        continue;
      if (agreed)
        equal(extent, agreed, expected);
      else
        agreed = extent;
    }
  }

private:
  static bool isNumber(Extent extent) { return getConstantIntValue(extent).has_value(); }

  Value compare(arith::CmpIPredicate predicate, Extent a, Extent b) {
    return builder.create<arith::CmpIOp>(op->getLoc(), predicate, math.value(a), math.value(b));
  }
  void require(arith::CmpIPredicate predicate, Extent a, Extent b, const Twine &expected) {
    if (!isNumber(a) || !isNumber(b))
      assertThat(compare(predicate, a, b), expected);
  }
  void assertThat(Value condition, const Twine &expected) {
    auto assertion = builder.create<cf::AssertOp>(op->getLoc(), condition, ("expects " + expected).str());
    assertion->setAttr(kShowsOperandsAttr, builder.getUnitAttr());
  }

  Operation *op;
  OpBuilder builder;
  ExtentMath math;
};

// ---- Elementwise ops and shapes --------------------------------------------------------------------------

void checkElementwise(Operation *op, Rules &rules) {
  int64_t rank = tensorType(op->getResult(0)).getRank();
  SmallVector<Extents> shapes;
  for (Value operand : op->getOperands())
    shapes.push_back(rules.shape(operand));
  for (int64_t axis = 0; axis < rank; ++axis) {
    Extents met;
    for (const Extents &shape : shapes)
      if (int64_t own = axis - rank + static_cast<int64_t>(shape.size()); own >= 0)
        met.push_back(shape[own]);
    rules.broadcast(met, "operands of one extent along axis " + Twine(axis));
  }
}

void check(ReshapeOp op, Rules &rules) {
  Extent have = rules.number(1), want = rules.number(1);
  for (Extent extent : rules.shape(op.getX()))
    have = rules.extents().mul(have, extent);
  for (Extent extent : op.getMixedSizes())
    want = rules.extents().mul(want, extent);
  rules.equal(have, want, "a shape with as many elements as 'x'");
}

void check(BroadcastOp op, Rules &rules) {
  Extents x = rules.shape(op.getX()), sizes = op.getMixedSizes();
  size_t added = sizes.size() - x.size();
  for (auto [axis, extent] : llvm::enumerate(x))
    if (!isConstantIntValue(extent, 1))
      rules.equal(extent, sizes[added + axis], "the extent of 'x' along axis " + Twine(axis));
}

void check(SliceOp op, Rules &rules) {
  ExtentMath &math = rules.extents();
  Extent zero = rules.number(0), one = rules.number(1);
  for (auto [axis, extent, offset, size, stride] : llvm::enumerate(
           rules.shape(op.getX()), op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
    std::string where = (" along axis " + Twine(axis)).str();
    rules.atMost(zero, offset, "an offset >= 0" + Twine(where));
    rules.atMost(zero, size, "a size >= 0" + Twine(where));
    if (isConstantIntValue(stride, 1)) {
      Extent end = isConstantIntValue(offset, 0) ? size : math.add(offset, size);
      rules.atMost(end, extent, "a slice that ends inside of 'x'" + Twine(where));
      continue;
    }
    // None of no elements: then `last` lies a step before the offset.
    Extent last = math.add(offset, math.mul(math.sub(size, one), stride));
    rules.atMost(math.add(last, one), extent, "a slice that ends inside of 'x'" + Twine(where));
  }
}

void check(ConcatOp op, Rules &rules) {
  SmallVector<Extents> shapes;
  for (Value input : op.getInputs())
    shapes.push_back(rules.shape(input));
  int64_t rank = static_cast<int64_t>(shapes.front().size()), joined = fromFront(op.getAxis(), rank);
  for (int64_t axis = 0; axis < rank; ++axis)
    for (const Extents &shape : shapes)
      if (axis != joined)
        rules.equal(shape[axis], shapes.front()[axis], "inputs of one extent along axis " + Twine(axis));
}

void check(PadOp op, Rules &rules) {
  ExtentMath &math = rules.extents();
  for (auto [axis, extent, low, high] :
       llvm::enumerate(rules.shape(op.getX()), op.getMixedLow(), op.getMixedHigh())) {
    std::string where = (" along axis " + Twine(axis)).str();
    for (Extent amount : {low, high}) {
      rules.atMost(rules.number(0), amount, "amounts >= 0" + Twine(where));
      if (isConstantIntValue(amount, 0) || op.getMode() == PadMode::Constant)
        continue;
      if (op.getMode() == PadMode::Reflect)
        rules.atMost(math.add(amount, rules.number(1)), extent, "amounts below the extent" + Twine(where));
      else
        rules.notEmpty(extent, {}, "elements to repeat" + Twine(where));
    }
  }
}

/// A cast that makes extents known asserts them.
void check(tensor::CastOp op, Rules &rules) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return;
  for (auto [axis, extent] : llvm::enumerate(rules.shape(op.getSource())))
    if (!to.isDynamicDim(axis))
      rules.equal(extent, rules.number(to.getDimSize(axis)),
                  "an extent of " + Twine(to.getDimSize(axis)) + " along axis " + Twine(axis));
}

// ---- Products and windows --------------------------------------------------------------------------------

void check(MatmulOp op, Rules &rules) {
  Extents a = rules.shape(op.getA()), b = rules.shape(op.getB());
  rules.equal(a[a.size() - (op.getTransA() ? 2 : 1)],
              b[b.size() < 2 ? 0 : b.size() - (op.getTransB() ? 1 : 2)], "equal contracted extents");
  if (a.size() < 3 || b.size() < 3)
    return;
  for (size_t back = 3; back <= std::min(a.size(), b.size()); ++back)
    rules.broadcast({a[a.size() - back], b[b.size() - back]}, "batch extents that are equal");
}

template <typename Op> void checkWindow(Op op, ArrayRef<Extent> kernel, Rules &rules) {
  ExtentMath &math = rules.extents();
  Extents x = rules.shape(op.getX());
  for (size_t i = 0; i < kernel.size(); ++i) {
    Extent padded = math.add(x[2 + i], rules.number(op.getPads()[i] + op.getPads()[kernel.size() + i]));
    // (kernel - 1) * dilation + 1
    Extent reach = math.add(math.mul(kernel[i], rules.number(op.getDilations()[i])),
                            rules.number(1 - op.getDilations()[i]));
    rules.atMost(reach, padded,
                 "a window that spans at most the padded input along spatial axis " + Twine(i));
  }
}

template <typename Op> void checkPool(Op op, Rules &rules) {
  Extents kernel;
  for (int64_t extent : op.getKernel())
    kernel.push_back(rules.number(extent));
  checkWindow(op, kernel, rules);
}

void check(ConvOp op, Rules &rules) {
  Extents x = rules.shape(op.getX()), w = rules.shape(op.getW());
  rules.equal(x[1], rules.extents().mul(w[1], rules.number(op.getGroups())),
              "as many channels as filters have");
  if (op.getBias())
    rules.equal(rules.shape(op.getBias())[0], w[0], "an element of 'bias' a filter");
  checkWindow(op, ArrayRef<Extent>(w).drop_front(2), rules);
}

void check(ConvTransposeOp op, Rules &rules) {
  Extents x = rules.shape(op.getX()), w = rules.shape(op.getW());
  rules.equal(x[1], w[0], "as many channels as filters have");
}

// ---- Normalizations --------------------------------------------------------------------------------------

/// Parameters with an element a channel.
template <typename Op> void checkChannelwise(Op op, Rules &rules) {
  Extents x = rules.shape(op.getX());
  for (Value parameter : op->getOperands().drop_front())
    rules.equal(rules.shape(parameter)[0], x[1], "parameters with an element a channel");
}

void checkTrailing(Operation *op, Rules &rules) {
  Extents x = rules.shape(op->getOperand(0));
  for (Value parameter : op->getOperands().drop_front()) {
    Extents own = rules.shape(parameter);
    for (size_t back = 1; back <= own.size(); ++back)
      rules.broadcast({x[x.size() - back], own[own.size() - back]}, "parameters of the extents of 'x'");
  }
}

void check(GroupNormOp op, Rules &rules) {
  ExtentMath &math = rules.extents();
  checkChannelwise(op, rules);
  Extent channels = rules.shape(op.getX())[1];
  auto groups = static_cast<int64_t>(op.getGroups());
  if (!getConstantIntValue(channels))
    rules.equal(math.mul(math.floorDiv(channels, groups), rules.number(groups)), channels,
                "groups that divide the channels");
}

// ---- Indices and order -----------------------------------------------------------------------------------

void checkShared(Value x, Value indices, int64_t count, Rules &rules) {
  Extents left = rules.shape(x), right = rules.shape(indices);
  for (int64_t axis = 0; axis < count; ++axis)
    rules.equal(left[axis], right[axis], "'x' and 'indices' of one extent along batch axis " + Twine(axis));
}

/// `indices` lies inside of `x` beside `axis`.
void checkInside(Value x, Value indices, int64_t axis, Rules &rules) {
  Extents most = rules.shape(x), own = rules.shape(indices);
  for (auto [i, extent] : llvm::enumerate(own))
    if (static_cast<int64_t>(i) != axis)
      rules.atMost(extent, most[i], "'indices' of at most the extent of 'x' along axis " + Twine(i));
}

void check(GatherOp op, Rules &rules) {
  checkShared(op.getX(), op.getIndices(), static_cast<int64_t>(op.getBatchDims()), rules);
  Extents x = rules.shape(op.getX());
  size_t axis = fromFront(op.getAxis(), static_cast<int64_t>(x.size()));
  Extents others(x);
  others.erase(others.begin() + axis);
  llvm::append_range(others, rules.shape(op.getIndices()));
  rules.notEmpty(x[axis], others, "elements along the indexed axis");
}

void check(GatherElementsOp op, Rules &rules) {
  Extents x = rules.shape(op.getX());
  int64_t axis = fromFront(op.getAxis(), static_cast<int64_t>(x.size()));
  checkInside(op.getX(), op.getIndices(), axis, rules);
  rules.notEmpty(x[axis], rules.shape(op.getIndices()), "elements along the indexed axis");
}

void check(GatherNdOp op, Rules &rules) {
  auto batch = static_cast<int64_t>(op.getBatchDims());
  checkShared(op.getX(), op.getIndices(), batch, rules);
  Extents x = rules.shape(op.getX()), indices = rules.shape(op.getIndices());
  int64_t tuple = tensorType(op.getIndices()).getShape().back();
  Extents others(ArrayRef<Extent>(indices).drop_back());
  llvm::append_range(others, ArrayRef<Extent>(x).drop_front(batch + tuple));
  for (int64_t axis = batch; axis < batch + tuple; ++axis)
    rules.notEmpty(x[axis], others, "elements along the indexed axis " + Twine(axis));
}

void check(ScatterElementsOp op, Rules &rules) {
  int64_t axis = fromFront(op.getAxis(), tensorType(op.getX()).getRank());
  checkInside(op.getX(), op.getIndices(), axis, rules);
  for (auto [i, a, b] : llvm::enumerate(rules.shape(op.getIndices()), rules.shape(op.getUpdates())))
    rules.equal(a, b, "'indices' and 'updates' of one extent along axis " + Twine(i));
}

void check(ScatterNdOp op, Rules &rules) {
  Extents x = rules.shape(op.getX()), indices = rules.shape(op.getIndices());
  Extents expected(ArrayRef<Extent>(indices).drop_back());
  llvm::append_range(expected, ArrayRef<Extent>(x).drop_front(tensorType(op.getIndices()).getShape().back()));
  for (auto [axis, a, b] : llvm::enumerate(rules.shape(op.getUpdates()), expected))
    rules.equal(a, b, "'updates' of the indexed extent along axis " + Twine(axis));
}

void check(TopKOp op, Rules &rules) {
  Extents x = rules.shape(op.getX());
  size_t axis = fromFront(op.getAxis(), static_cast<int64_t>(x.size()));
  rules.atMost(op.getMixedK(), x[axis], "'k' of at most the extent along 'axis'");
}

void check(ArgReduceOp op, Rules &rules) {
  Extents x = rules.shape(op.getX());
  size_t axis = fromFront(op.getAxis(), static_cast<int64_t>(x.size()));
  Extents others(x);
  others.erase(others.begin() + axis);
  rules.notEmpty(x[axis], others, "elements along 'axis'");
}

void check(NmsOp op, Rules &rules) {
  Extents boxes = rules.shape(op.getBoxes()), scores = rules.shape(op.getScores());
  rules.equal(boxes[0], scores[0], "'boxes' and 'scores' of as many batches");
  rules.equal(boxes[1], scores[2], "a score a box");
}

void checkOp(Operation *op) {
  Rules rules(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case<ReshapeOp, BroadcastOp, SliceOp, ConcatOp, PadOp, tensor::CastOp, MatmulOp, ConvOp,
            ConvTransposeOp, GroupNormOp, GatherOp, GatherElementsOp, GatherNdOp, ScatterElementsOp,
            ScatterNdOp, TopKOp, ArgReduceOp, NmsOp>([&](auto each) { check(each, rules); })
      .Case<MaxPoolOp, AvgPoolOp>([&](auto each) { checkPool(each, rules); })
      .Case<InstanceNormOp, BatchNormOp>([&](auto each) { checkChannelwise(each, rules); })
      .Case<LayerNormOp, RmsNormOp>([&](Operation *each) { checkTrailing(each, rules); })
      .Case<ElementwiseOpInterface>([&](Operation *each) { checkElementwise(each, rules); });
}

bool hasDynamicOperand(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    return type ? !type.hasStaticShape() : operand.getType().isIndex();
  });
}

struct CheckExtents final : impl::CheckExtentsPassBase<CheckExtents> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (hasDynamicOperand(op) && !op->getParentOfType<KernelOp>())
        ops.push_back(op);
    });
    for (Operation *op : ops)
      checkOp(op);
  }
};

} // namespace

} // namespace kiln
