// Forest.cpp: checks the trees, then walks them level by level with gathers.
#include "frameworks/onnx/Forest.h"

#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/LoopBuilder.h"

#include <cstring>
#include <limits>

using namespace mlir;

namespace kiln::onnx {
namespace {

constexpr int64_t kUnseen = -2, kOpen = -1;             // depths of nodes that are not done
constexpr int64_t kMaxTableElements = int64_t(1) << 28; // of the leaves' weights, nodes by targets

/// A vector of doubles as a constant of f32 or f64.
Value table(KilnBuilder &build, ArrayRef<double> values, ArrayRef<int64_t> shape, Type element) {
  std::string bytes;
  for (double value : values) {
    float narrow = static_cast<float>(value);
    const void *from = element.isF64() ? static_cast<const void *>(&value) : &narrow;
    bytes.append(static_cast<const char *>(from), element.isF64() ? sizeof(value) : sizeof(narrow));
  }
  return build.constant(TensorData::fromBytes(RankedTensorType::get(shape, element), std::move(bytes)),
                        "trees");
}

Value table(KilnBuilder &build, ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, build.builder().getI32Type());
  return build.constant(TensorData::fromIntegers(type, values), "trees");
}

Value flags(KilnBuilder &build, llvm::function_ref<bool(size_t)> at, size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i)
    bytes.push_back(static_cast<char>(at(i)));
  auto type = RankedTensorType::get({static_cast<int64_t>(count)}, build.builder().getI1Type());
  return build.constant(TensorData::fromBytes(type, std::move(bytes)), "trees");
}

StringRef direction(Split mode) {
  switch (mode) {
  case Split::LessEqual:
    return "le";
  case Split::Less:
    return "lt";
  case Split::GreaterEqual:
    return "ge";
  case Split::Greater:
    return "gt";
  case Split::Equal:
  case Split::Leaf:
    return "eq";
  case Split::NotEqual:
    return "ne";
  }
  return "";
}

/// Walks all trees for all rows. Used once.
class Walk {
public:
  Walk(KilnBuilder &build, const Forest &forest, Value x) : build(build), forest(forest), x(x) {}

  Result<Value> run(ForestSum sum, int64_t depth) {
    IndexMath &math = build.math();
    auto trees = static_cast<int64_t>(forest.roots.size());
    Extents shape{build.dim(x, 0), math.constant(trees)};
    KILN_ASSIGN_OR_RETURN(Value nodes, build.broadcast(table(build, forest.roots), shape));
    GraphValue start;
    start.tensor = nodes;
    features = table(build, forest.features);
    splits = table(build, forest.splits, {forest.size()}, forest.element);
    whenTrue = table(build, forest.whenTrue);
    whenFalse = table(build, forest.whenFalse);
    if (depth > 0) {
      auto round = [&](Extent, ArrayRef<GraphValue> carried, Block *) -> Result<Round> {
        GraphValue next;
        KILN_ASSIGN_OR_RETURN(next.tensor, step(carried.front().tensor));
        return Round{{next}, {}, math.constant(1)};
      };
      KILN_ASSIGN_OR_RETURN(LoopResult walked,
                            buildLoop(build, {math.constant(depth), math.constant(1)}, start, round));
      nodes = walked.carried.front().tensor;
    }
    return scores(nodes, sum);
  }

private:
  Result<Value> lookUp(Value list, Value nodes) {
    return build.make<GatherOp>({list, nodes}, build.integer("axis", 0));
  }

  /// The next node of every row in every tree.
  Result<Value> step(Value nodes) {
    KILN_ASSIGN_OR_RETURN(Value feature, lookUp(features, nodes));
    KILN_ASSIGN_OR_RETURN(Value value, build.make<GatherElementsOp>({x, feature}, build.integer("axis", 1)));
    KILN_ASSIGN_OR_RETURN(Value split, lookUp(splits, nodes));
    KILN_ASSIGN_OR_RETURN(Value holds, compare(value, split, nodes));
    if (llvm::is_contained(forest.missingIsTrue, true)) {
      auto at = [&](size_t i) { return bool(forest.missingIsTrue[i]); };
      KILN_ASSIGN_OR_RETURN(Value tracks, lookUp(flags(build, at, forest.modes.size()), nodes));
      KILN_ASSIGN_OR_RETURN(Value isMissing, build.compare("ne", value, value));
      KILN_ASSIGN_OR_RETURN(isMissing, build.make<AndOp>({isMissing, tracks}));
      KILN_ASSIGN_OR_RETURN(holds, build.make<OrOp>({holds, isMissing}));
    }
    KILN_ASSIGN_OR_RETURN(Value left, lookUp(whenTrue, nodes));
    KILN_ASSIGN_OR_RETURN(Value right, lookUp(whenFalse, nodes));
    return build.make<SelectOp>({holds, left, right});
  }

  /// One comparison for each mode that occurs; most forests have one.
  Result<Value> compare(Value value, Value split, Value nodes) {
    Value holds;
    for (Split mode : {Split::LessEqual, Split::Less, Split::GreaterEqual, Split::Greater, Split::Equal,
                       Split::NotEqual}) {
      if (!llvm::is_contained(forest.modes, mode))
        continue;
      KILN_ASSIGN_OR_RETURN(Value compared, build.compare(direction(mode), value, split));
      if (!holds) {
        holds = compared;
        continue;
      }
      auto at = [&](size_t i) { return forest.modes[i] == mode; };
      KILN_ASSIGN_OR_RETURN(Value applies, lookUp(flags(build, at, forest.modes.size()), nodes));
      KILN_ASSIGN_OR_RETURN(holds, build.make<SelectOp>({applies, compared, holds}));
    }
    return holds;
  }

  Result<Value> scores(Value leaves, ForestSum sum) {
    int64_t targets = forest.targets;
    if (targets > kMaxTableElements / std::max<int64_t>(forest.size(), 1))
      return unsupported("{0} nodes with {1} targets are too many", forest.size(), targets);
    bool isExtreme = sum == ForestSum::Min || sum == ForestSum::Max;
    double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> weights(static_cast<size_t>(forest.size() * targets), !isExtreme ? 0
                                                                              : sum == ForestSum::Min
                                                                                  ? infinity
                                                                                  : -infinity);
    for (const Forest::Weight &weight : forest.weights) {
      double &entry = weights[static_cast<size_t>(weight.node * targets + weight.target)];
      entry = isExtreme ? weight.value : entry + weight.value;
    }
    KILN_ASSIGN_OR_RETURN(Value each,
                          lookUp(table(build, weights, {forest.size(), targets}, forest.element), leaves));
    ReduceKind kind = sum == ForestSum::Min   ? ReduceKind::Min
                      : sum == ForestSum::Max ? ReduceKind::Max
                      : sum == ForestSum::Sum ? ReduceKind::Sum
                                              : ReduceKind::Mean;
    return build.make<ReduceOp>(
        each, {build.named("kind", ReduceKindAttr::get(build.context(), kind)), build.integers("axes", {1})});
  }

  KilnBuilder &build;
  const Forest &forest;
  Value x, features, splits, whenTrue, whenFalse;
};

} // namespace

int64_t Forest::add() {
  int64_t id = size();
  modes.push_back(Split::Leaf);
  features.push_back(0);
  whenTrue.push_back(id);
  whenFalse.push_back(id);
  splits.push_back(0);
  missingIsTrue.push_back(false);
  return id;
}

Result<int64_t> Forest::check(int64_t featureCount) const {
  if (roots.empty())
    return invalid("no node is the root of a tree");
  for (auto [i, feature] : llvm::enumerate(features))
    if (feature < 0 || feature > INT32_MAX ||
        (featureCount >= 0 && modes[i] != Split::Leaf && feature >= featureCount))
      return invalid("node {0} splits feature {1}; the input has {2}", i, feature, featureCount);
  for (const Weight &weight : weights)
    if (weight.target < 0 || weight.target >= targets)
      return invalid("a leaf's target is {0}; expected 0 to {1}", weight.target, targets - 1);
  // Depth first; a node that is still open when it comes again is in a loop.
  std::vector<int64_t> depths(modes.size(), kUnseen), stack(roots);
  int64_t depth = 0;
  while (!stack.empty()) {
    int64_t node = stack.back();
    if (node < 0 || node >= size())
      return invalid("node {0} is missing; there are {1}", node, size());
    auto at = static_cast<size_t>(node);
    if (depths[at] >= 0) {
      stack.pop_back();
      continue;
    }
    if (modes[at] == Split::Leaf) {
      depths[at] = 0;
      continue;
    }
    bool wasOpen = depths[at] == kOpen;
    depths[at] = kOpen;
    int64_t deepest = 0;
    bool isDone = true;
    for (int64_t child : {whenTrue[at], whenFalse[at]}) {
      int64_t below = child < 0 || child >= size() ? kUnseen : depths[static_cast<size_t>(child)];
      if (below == kOpen || (wasOpen && below == kUnseen))
        return invalid("node {0} leads back to itself; expected trees", node);
      if (below == kUnseen) {
        stack.push_back(child);
        isDone = false;
      }
      deepest = std::max(deepest, below + 1);
    }
    if (isDone)
      depths[at] = deepest;
  }
  for (auto [i, mode] : llvm::enumerate(modes))
    if (mode != Split::Leaf && depths[i] == kUnseen)
      return invalid("node {0} is in no tree: no root leads to it", i);
  for (int64_t root : roots)
    depth = std::max(depth, depths[static_cast<size_t>(root)]);
  return depth;
}

Result<Value> evaluate(KilnBuilder &build, const Forest &forest, Value x, ForestSum sum) {
  int64_t features = cast<RankedTensorType>(x.getType()).getDimSize(1);
  KILN_ASSIGN_OR_RETURN(int64_t depth, forest.check(ShapedType::isDynamic(features) ? -1 : features));
  return Walk(build, forest, x).run(sum, depth);
}

} // namespace kiln::onnx
