// ImportNormalization.cpp: softmax and the normalisations.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Formula.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

Result<Value> reduce(Node &node, ReduceKind kind, Value x, ArrayRef<int64_t> axes) {
  return node.build.make<ReduceOp>(x,
                                   {node.build.named("kind", ReduceKindAttr::get(node.build.context(), kind)),
                                    node.build.integers("axes", axes), node.build.flag("keepdims")});
}

// ---- Softmax
// -------------------------------------------------------------------------------------------------

template <typename Op> Status importSoftmax(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(-1));
  return node.output(node.build.make<Op>(node.tensor(0), node.build.integer("axis", axis)));
}

/// 1 where the largest element along the axis stands first, 0 elsewhere.
Result<Value> hardmax(Node &node, Value x, int64_t axis) {
  if (IndexMath::isKnown(node.build.dim(x, axis), 0)) // nothing is the largest of nothing
    return x;
  auto kind = ArgReduceKindAttr::get(node.build.context(), ArgReduceKind::Max);
  KILN_ASSIGN_OR_RETURN(Value largest, node.build.make<ArgReduceOp>(x, {node.build.named("kind", kind),
                                                                        node.build.integer("axis", axis),
                                                                        node.build.flag("keepdims")}));
  KILN_ASSIGN_OR_RETURN(Value position,
                        node.build.iota(node.build.builder().getI64Type(), node.build.shape(x), axis));
  KILN_ASSIGN_OR_RETURN(Value isLargest, node.build.compare("eq", position, largest));
  return node.build.convert(isLargest, node.elementType(0));
}

Status importHardmax(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(-1));
  return node.output(hardmax(node, node.tensor(0), axis));
}

template <typename Op> Result<Value> along(Node &node, Value x, int64_t axis) {
  return node.build.make<Op>(x, node.build.integer("axis", axis));
}

/// Before opset 13: over all axes from `axis` on, taken as one.
template <Result<Value> (*compute)(Node &, Value, int64_t)> Status importFlattened(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.integerAttribute("axis", 1));
  if (axis != node.rank(0)) { // the default 1 is also taken for vectors
    KILN_ASSIGN_OR_RETURN(axis, Node::normalizeAxis(axis, node.rank(0)));
  }
  if (axis == node.rank(0) - 1)
    return node.output(compute(node, node.tensor(0), axis));
  IndexMath &math = node.build.math();
  Extents shape = node.shape(0);
  Extents matrix{math.product(ArrayRef(shape).take_front(axis)),
                 math.product(ArrayRef(shape).drop_front(axis))};
  KILN_ASSIGN_OR_RETURN(Value flat, node.build.reshape(node.tensor(0), matrix));
  KILN_ASSIGN_OR_RETURN(Value result, compute(node, flat, 1));
  return node.output(node.build.reshape(result, shape));
}

// ---- Layer, group, instance, batch
// ---------------------------------------------------------------------------

/// kiln takes `[scale, bias]` as optional operands; its segment attribute says which are there.
template <typename Op>
Result<Value> normalize(Node &node, Value x, Value scale, Value bias,
                        SmallVector<NamedAttribute> attributes) {
  SmallVector<Value> operands{x};
  for (Value operand : {scale, bias})
    if (operand)
      operands.push_back(operand);
  attributes.push_back(node.build.named(
      "operandSegmentSizes", node.build.builder().getDenseI32ArrayAttr({1, scale ? 1 : 0, bias ? 1 : 0})));
  return node.build.make<Op>(operands, attributes);
}

/// The type that statistics are computed in: kiln uses f32 for narrow floats, f64 for f64.
Status checkStashType(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t type, node.integerAttribute("stash_type", 1));
  if (type != TensorProto::FLOAT)
    return unsupported("'stash_type' {0} is not supported; 1 is", type);
  return {};
}

Status importLayerNormalization(Node &node) {
  KILN_RETURN_IF_ERROR(node.requireFloat(0));
  KILN_RETURN_IF_ERROR(checkStashType(node));
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(-1));
  KILN_ASSIGN_OR_RETURN(double epsilon, node.realAttribute("epsilon", 1e-5f));
  Value x = node.tensor(0);
  KILN_RETURN_IF_ERROR(node.output(
      normalize<LayerNormOp>(node, x, node.tensor(1), node.tensorOrNull(2),
                             {node.build.integer("axis", axis), node.build.real("epsilon", epsilon)})));
  if (!node.wantsOutput(1) && !node.wantsOutput(2))
    return {};
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(axis, node.rank(0)));
  KILN_ASSIGN_OR_RETURN(Value wide, node.build.convert(x, node.build.builder().getF32Type()));
  KILN_ASSIGN_OR_RETURN(Value mean, reduce(node, ReduceKind::Mean, wide, axes));
  KILN_ASSIGN_OR_RETURN(Value centered, node.build.make<SubOp>({wide, mean}));
  KILN_ASSIGN_OR_RETURN(Value square, node.build.make<MulOp>({centered, centered}));
  KILN_ASSIGN_OR_RETURN(Value variance, reduce(node, ReduceKind::Mean, square, axes));
  KILN_ASSIGN_OR_RETURN(
      Value shifted,
      node.build.make<AddOp>({variance, node.build.scalar(node.build.builder().getF32Type(), epsilon)}));
  KILN_ASSIGN_OR_RETURN(Value inverse, node.build.make<RsqrtOp>(shifted));
  node.setOutput(1, mean);
  node.setOutput(2, inverse);
  return {};
}

Status importRmsNormalization(Node &node) {
  KILN_RETURN_IF_ERROR(checkStashType(node));
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(-1));
  KILN_ASSIGN_OR_RETURN(double epsilon, node.realAttribute("epsilon", 1e-5f));
  return node.output(
      node.build.make<RmsNormOp>({node.tensor(0), node.tensor(1)},
                                 {node.build.integer("axis", axis), node.build.real("epsilon", epsilon)}));
}

/// One number a group becomes one a channel.
Result<Value> groupsToChannels(Node &node, Value x, int64_t groups, Extent channels) {
  IndexMath &math = node.build.math();
  Extent count = math.constant(groups), size = math.div(channels, count);
  KILN_ASSIGN_OR_RETURN(Value column, node.build.reshape(x, {count, math.constant(1)}));
  KILN_ASSIGN_OR_RETURN(Value spread, node.build.broadcast(column, {count, size}));
  return node.build.reshape(spread, channels);
}

Status importGroupNormalization(Node &node) {
  if (node.opset() >= 21)
    KILN_RETURN_IF_ERROR(checkStashType(node));
  KILN_ASSIGN_OR_RETURN(int64_t groups, node.integerAttribute("num_groups"));
  KILN_ASSIGN_OR_RETURN(double epsilon, node.realAttribute("epsilon", 1e-5f));
  if (node.rank(0) < 2 || groups < 1)
    return invalid("input of rank {0}, {1} groups; expected rank 2 or more, 1 group or more", node.rank(0),
                   groups);
  Value scale = node.tensor(1), bias = node.tensor(2);
  if (node.opset() < 21) {
    Extent channels = node.dim(0, 1);
    KILN_ASSIGN_OR_RETURN(scale, groupsToChannels(node, scale, groups, channels));
    KILN_ASSIGN_OR_RETURN(bias, groupsToChannels(node, bias, groups, channels));
  }
  return node.output(
      normalize<GroupNormOp>(node, node.tensor(0), scale, bias,
                             {node.build.integer("groups", groups), node.build.real("epsilon", epsilon)}));
}

Status importInstanceNormalization(Node &node) {
  KILN_ASSIGN_OR_RETURN(double epsilon, node.realAttribute("epsilon", 1e-5f));
  return node.output(normalize<InstanceNormOp>(node, node.tensor(0), node.tensor(1), node.tensor(2),
                                               {node.build.real("epsilon", epsilon)}));
}

/// Normalises by the statistics of the batch; outputs 1 and 2 are the running ones, moved towards them.
Status trainBatchNormalization(Node &node, double epsilon, double momentum) {
  Formula f(node);
  Value x = node.tensor(0);
  SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < node.rank(0); ++axis)
    if (axis != 1)
      axes.push_back(axis);
  Value mean = f.reduce(ReduceKind::Mean, x, axes);
  Value variance = f.reduce(ReduceKind::Mean, f.square(f.sub(x, mean)), axes);
  Extent channels = node.dim(0, 1);
  SmallVector<Value> operands{x};
  for (unsigned i : {1u, 2u})
    operands.push_back(f.convert(node.tensor(i), node.elementType(0)));
  for (Value statistic : {mean, variance})
    operands.push_back(f.reshape(statistic, channels));
  KILN_RETURN_IF_ERROR(f.output(0, f.make<BatchNormOp>(operands, f.build.real("epsilon", epsilon))));
  for (unsigned i : {1u, 2u}) {
    Value running = node.tensor(2 + i), current = f.convert(operands[2 + i], f.elementType(running));
    KILN_RETURN_IF_ERROR(f.output(i, f.add(f.mul(running, momentum), f.mul(current, 1 - momentum))));
  }
  return {};
}

Status importBatchNormalization(Node &node) {
  KILN_ASSIGN_OR_RETURN(double epsilon, node.realAttribute("epsilon", 1e-5f));
  KILN_ASSIGN_OR_RETURN(double momentum, node.realAttribute("momentum", 0.9f));
  if (node.opset() < 9) {
    KILN_ASSIGN_OR_RETURN(bool spatial, node.flagAttribute("spatial", true));
    if (!spatial) { // statistics of every element of an image
      Formula f(node);
      Value x = f.sub(node.tensor(0), node.tensor(3));
      x = f.mul(x, f.rsqrt(f.add(node.tensor(4), epsilon)));
      return f.output(0, f.add(f.mul(x, node.tensor(1)), node.tensor(2)));
    }
  }
  if (node.opset() >= 14) {
    KILN_ASSIGN_OR_RETURN(bool training, node.flagAttribute("training_mode", false));
    if (training)
      return trainBatchNormalization(node, epsilon, momentum);
  }
  SmallVector<Value> operands{node.tensor(0)};
  for (unsigned i = 1; i < 5; ++i) { // since opset 15 the statistics may have types of their own
    KILN_ASSIGN_OR_RETURN(Value operand, node.build.convert(node.tensor(i), node.elementType(0)));
    operands.push_back(operand);
  }
  return node.output(node.build.make<BatchNormOp>(operands, node.build.real("epsilon", epsilon)));
}

// ---- Others, composed
// ----------------------------------------------------------------------------------------

/// x / norm, 0 where the norm is 0.
Status importLpNormalization(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(-1));
  KILN_ASSIGN_OR_RETURN(int64_t p, node.integerAttribute("p", 2));
  if (p != 1 && p != 2)
    return invalid("attribute 'p' is {0}; expected 1 or 2", p);
  Value x = node.tensor(0), zero = node.build.scalar(node.elementType(0), 0);
  KILN_ASSIGN_OR_RETURN(Value norm, reduce(node, p == 1 ? ReduceKind::L1 : ReduceKind::L2, x, axis));
  KILN_ASSIGN_OR_RETURN(Value quotient, node.build.make<DivOp>({x, norm}));
  KILN_ASSIGN_OR_RETURN(Value isZero, node.build.compare("eq", norm, zero));
  return node.output(node.build.make<SelectOp>({isZero, zero, quotient}));
}

/// (x - E x) / (sqrt(E (x - E x)^2) + 1e-9)
Status importMeanVarianceNormalization(Node &node) {
  KILN_ASSIGN_OR_RETURN(auto given, node.integersAttribute("axes"));
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> axes,
                        Node::normalizeAxes(given.value_or(SmallVector<int64_t>{0, 2, 3}), node.rank(0)));
  Value x = node.tensor(0);
  KILN_ASSIGN_OR_RETURN(Value mean, reduce(node, ReduceKind::Mean, x, axes));
  KILN_ASSIGN_OR_RETURN(Value centered, node.build.make<SubOp>({x, mean}));
  KILN_ASSIGN_OR_RETURN(Value square, node.build.make<MulOp>({centered, centered}));
  KILN_ASSIGN_OR_RETURN(Value variance, reduce(node, ReduceKind::Mean, square, axes));
  KILN_ASSIGN_OR_RETURN(Value deviation, node.build.make<SqrtOp>(variance));
  KILN_ASSIGN_OR_RETURN(Value divisor,
                        node.build.make<AddOp>({deviation, node.build.scalar(node.elementType(0), 1e-9)}));
  return node.output(node.build.make<DivOp>({centered, divisor}));
}

/// x / (bias + alpha * mean of the squares of `size` neighbouring channels)^beta; the mean is a pool over
/// channels.
Status importLrn(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t size, node.integerAttribute("size"));
  KILN_ASSIGN_OR_RETURN(double alpha, node.realAttribute("alpha", 1e-4f));
  KILN_ASSIGN_OR_RETURN(double beta, node.realAttribute("beta", 0.75));
  KILN_ASSIGN_OR_RETURN(double bias, node.realAttribute("bias", 1.0));
  if (size < 1 || size > INT32_MAX || node.rank(0) < 2)
    return invalid("'size' {0} for an input of rank {1}; expected 1 or more, rank 2 or more", size,
                   node.rank(0));
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  Type element = node.elementType(0);
  Value x = node.tensor(0);
  Extents shape = node.shape(0);
  Extents image{shape[0], math.constant(1), shape[1], math.product(ArrayRef(shape).drop_front(2))};
  KILN_ASSIGN_OR_RETURN(Value square, build.make<MulOp>({x, x}));
  KILN_ASSIGN_OR_RETURN(Value flat, build.reshape(square, image));
  int64_t low = (size - 1) / 2, high = size - 1 - low;
  KILN_ASSIGN_OR_RETURN(
      Value pooled,
      build.make<AvgPoolOp>(flat, {build.integers("kernel", {size, 1}), build.integers("strides", {1, 1}),
                                   build.integers("pads", {low, 0, high, 0}),
                                   build.integers("dilations", {1, 1}), build.flag("count_include_pad")}));
  KILN_ASSIGN_OR_RETURN(Value mean, build.reshape(pooled, shape));
  KILN_ASSIGN_OR_RETURN(Value scaled, build.make<MulOp>({mean, build.scalar(element, alpha)}));
  KILN_ASSIGN_OR_RETURN(Value shifted, build.make<AddOp>({scaled, build.scalar(element, bias)}));
  KILN_ASSIGN_OR_RETURN(Value power, build.make<PowOp>({shifted, build.scalar(element, beta)}));
  return node.output(build.make<DivOp>({x, power}));
}

constexpr OpEntry kNormalizationOps[] = {
    {"BatchNormalization", 7, 5, 5, importBatchNormalization},
    {"GroupNormalization", 18, 3, 3, importGroupNormalization, "`stash_type` other than float"},
    {"Hardmax", 1, 1, 1, importFlattened<hardmax>},
    {"Hardmax", 13, 1, 1, importHardmax},
    {"InstanceNormalization", 6, 3, 3, importInstanceNormalization},
    {"LRN", 1, 1, 1, importLrn},
    {"LayerNormalization", 1, 2, 3, importLayerNormalization, "`stash_type` other than float"},
    {"LogSoftmax", 1, 1, 1, importFlattened<along<LogSoftmaxOp>>},
    {"LogSoftmax", 13, 1, 1, importSoftmax<LogSoftmaxOp>},
    {"LpNormalization", 1, 1, 1, importLpNormalization},
    {"MeanVarianceNormalization", 9, 1, 1, importMeanVarianceNormalization},
    {"RMSNormalization", 23, 2, 2, importRmsNormalization, "`stash_type` other than float"},
    {"Softmax", 1, 1, 1, importFlattened<along<SoftmaxOp>>},
    {"Softmax", 13, 1, 1, importSoftmax<SoftmaxOp>},
};

} // namespace

llvm::ArrayRef<OpEntry> normalizationOps() { return kNormalizationOps; }

} // namespace kiln::onnx
