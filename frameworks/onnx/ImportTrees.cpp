// ImportTrees.cpp: the tree ensembles of ai.onnx.ml.
#include "frameworks/onnx/Classification.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Forest.h"

#include <map>

using namespace mlir;

namespace kiln::onnx {
namespace {

Result<Split> modeOf(StringRef name) {
  static const std::map<StringRef, Split> modes = {
      {"BRANCH_LEQ", Split::LessEqual},
      {"BRANCH_LT", Split::Less},
      {"BRANCH_GTE", Split::GreaterEqual},
      {"BRANCH_GT", Split::Greater},
      {"BRANCH_EQ", Split::Equal},
      {"BRANCH_NEQ", Split::NotEqual},
      {"LEAF", Split::Leaf},
  };
  auto it = modes.find(name);
  if (it == modes.end())
    return invalid("attribute 'nodes_modes' holds '{0}'", name);
  return it->second;
}

Status checkLength(StringRef name, size_t count, size_t expected) {
  if (count == expected)
    return {};
  return invalid("attribute '{0}' has {1} entries; expected {2}", name, count, expected);
}

/// Reals from an attribute of floats, or a tensor of f32 or f64 that may stand for it.
struct Reals {
  std::vector<double> values;
  bool isWide = false; // f64
};
Result<Reals> readReals(Node &node, StringRef name) {
  std::string tensorName = (name + "_as_tensor").str();
  if (node.hasAttribute(tensorName)) {
    KILN_ASSIGN_OR_RETURN(TensorData tensor, node.tensorAttribute(tensorName));
    return Reals{tensor.doubles(), tensor.type.getElementType().isF64()};
  }
  KILN_ASSIGN_OR_RETURN(auto list, node.realsAttribute(name));
  Reals out;
  if (list)
    out.values.assign(list->begin(), list->end());
  return out;
}

Result<std::vector<int64_t>> readIntegers(Node &node, StringRef name) {
  KILN_ASSIGN_OR_RETURN(auto list, node.integersAttribute(name));
  return list ? std::vector<int64_t>(list->begin(), list->end()) : std::vector<int64_t>();
}

/// What TreeEnsembleRegressor and TreeEnsembleClassifier (versions 1 to 3) share. `prefix`: of the attributes
/// of the leaves, "target" or "class".
Result<Forest> readNodes(Node &node, const std::string &prefix) {
  node.ignoreAttribute("nodes_hitrates");
  node.ignoreAttribute("nodes_hitrates_as_tensor");
  KILN_ASSIGN_OR_RETURN(auto trees, readIntegers(node, "nodes_treeids"));
  KILN_ASSIGN_OR_RETURN(auto ids, readIntegers(node, "nodes_nodeids"));
  KILN_ASSIGN_OR_RETURN(auto features, readIntegers(node, "nodes_featureids"));
  KILN_ASSIGN_OR_RETURN(auto whenTrue, readIntegers(node, "nodes_truenodeids"));
  KILN_ASSIGN_OR_RETURN(auto whenFalse, readIntegers(node, "nodes_falsenodeids"));
  KILN_ASSIGN_OR_RETURN(auto missing, readIntegers(node, "nodes_missing_value_tracks_true"));
  KILN_ASSIGN_OR_RETURN(auto modes, node.stringsAttribute("nodes_modes"));
  KILN_ASSIGN_OR_RETURN(Reals splits, readReals(node, "nodes_values"));
  size_t count = ids.size();
  KILN_RETURN_IF_ERROR(checkLength("nodes_treeids", trees.size(), count));
  KILN_RETURN_IF_ERROR(checkLength("nodes_featureids", features.size(), count));
  KILN_RETURN_IF_ERROR(checkLength("nodes_truenodeids", whenTrue.size(), count));
  KILN_RETURN_IF_ERROR(checkLength("nodes_falsenodeids", whenFalse.size(), count));
  KILN_RETURN_IF_ERROR(checkLength("nodes_modes", modes ? modes->size() : 0, count));
  KILN_RETURN_IF_ERROR(checkLength("nodes_values", splits.values.size(), count));
  if (!missing.empty())
    KILN_RETURN_IF_ERROR(checkLength("nodes_missing_value_tracks_true", missing.size(), count));

  Forest forest;
  forest.element =
      splits.isWide ? node.build.builder().getF64Type() : Type(node.build.builder().getF32Type());
  std::map<std::pair<int64_t, int64_t>, int64_t> positions; // of (tree, node)
  for (size_t i = 0; i < count; ++i)
    if (!positions.try_emplace({trees[i], ids[i]}, forest.add()).second)
      return invalid("node {0} of tree {1} is there twice", ids[i], trees[i]);
  std::vector<bool> isChild(count);
  for (size_t i = 0; i < count; ++i) {
    KILN_ASSIGN_OR_RETURN(forest.modes[i], modeOf((*modes)[i]));
    if (forest.modes[i] == Split::Leaf)
      continue;
    forest.features[i] = features[i];
    forest.splits[i] = splits.values[i];
    forest.missingIsTrue[i] = !missing.empty() && missing[i] != 0;
    for (auto [ids, children] :
         {std::pair(&whenTrue, &forest.whenTrue), std::pair(&whenFalse, &forest.whenFalse)}) {
      auto child = positions.find({trees[i], (*ids)[i]});
      if (child == positions.end())
        return invalid("node {0} of tree {1} is missing", (*ids)[i], trees[i]);
      (*children)[i] = child->second;
      isChild[static_cast<size_t>(child->second)] = true;
    }
  }
  for (size_t i = 0; i < count; ++i)
    if (!isChild[i])
      forest.roots.push_back(static_cast<int64_t>(i));

  KILN_ASSIGN_OR_RETURN(auto leafTrees, readIntegers(node, prefix + "_treeids"));
  KILN_ASSIGN_OR_RETURN(auto leaves, readIntegers(node, prefix + "_nodeids"));
  KILN_ASSIGN_OR_RETURN(auto targets, readIntegers(node, prefix + "_ids"));
  KILN_ASSIGN_OR_RETURN(Reals weights, readReals(node, prefix + "_weights"));
  KILN_RETURN_IF_ERROR(checkLength(prefix + "_treeids", leafTrees.size(), leaves.size()));
  KILN_RETURN_IF_ERROR(checkLength(prefix + "_ids", targets.size(), leaves.size()));
  KILN_RETURN_IF_ERROR(checkLength(prefix + "_weights", weights.values.size(), leaves.size()));
  for (size_t i = 0; i < leaves.size(); ++i) {
    auto leaf = positions.find({leafTrees[i], leaves[i]});
    if (leaf == positions.end())
      return invalid("node {0} of tree {1} is missing", leaves[i], leafTrees[i]);
    if (forest.modes[static_cast<size_t>(leaf->second)] == Split::Leaf)
      forest.weights.push_back({leaf->second, targets[i], weights.values[i]});
  }
  return forest;
}

Result<Value> addBase(Node &node, Value scores, ArrayRef<double> base) {
  if (base.empty())
    return scores;
  std::vector<float> values(base.begin(), base.end());
  KILN_ASSIGN_OR_RETURN(Value list,
                        node.build.convert(floats(node.build, values),
                                           cast<RankedTensorType>(scores.getType()).getElementType()));
  return node.build.make<AddOp>({scores, list});
}

Status importRegressor(Node &node) {
  KILN_ASSIGN_OR_RETURN(Forest forest, readNodes(node, "target"));
  KILN_ASSIGN_OR_RETURN(forest.targets, node.integerAttribute("n_targets", 1));
  KILN_ASSIGN_OR_RETURN(std::string aggregate, node.stringAttribute("aggregate_function", "SUM"));
  KILN_ASSIGN_OR_RETURN(std::string transform, node.stringAttribute("post_transform", "NONE"));
  KILN_ASSIGN_OR_RETURN(Reals base, readReals(node, "base_values"));
  if (forest.targets < 1 || forest.targets > INT32_MAX)
    return invalid("attribute 'n_targets' is {0}; expected 1 or more", forest.targets);
  if (!base.values.empty() && static_cast<int64_t>(base.values.size()) != forest.targets)
    return invalid("attribute 'base_values' has {0} entries; expected {1}", base.values.size(),
                   forest.targets);
  static const std::map<StringRef, ForestSum> sums = {{"AVERAGE", ForestSum::Average},
                                                      {"SUM", ForestSum::Sum},
                                                      {"MIN", ForestSum::Min},
                                                      {"MAX", ForestSum::Max}};
  auto sum = sums.find(aggregate);
  if (sum == sums.end())
    return invalid("attribute 'aggregate_function' is '{0}'; expected AVERAGE, SUM, MIN or MAX", aggregate);
  KILN_ASSIGN_OR_RETURN(Value x, featureRows(node, forest.element));
  KILN_ASSIGN_OR_RETURN(Value scores, evaluate(node.build, forest, x, sum->second));
  KILN_ASSIGN_OR_RETURN(scores, addBase(node, scores, base.values));
  KILN_ASSIGN_OR_RETURN(scores, node.build.convert(scores, node.build.builder().getF32Type()));
  return node.output(postTransform(node, scores, transform));
}

Status importClassifier(Node &node) {
  KILN_ASSIGN_OR_RETURN(Forest forest, readNodes(node, "class"));
  KILN_ASSIGN_OR_RETURN(std::string transform, node.stringAttribute("post_transform", "NONE"));
  KILN_ASSIGN_OR_RETURN(Reals base, readReals(node, "base_values"));
  KILN_ASSIGN_OR_RETURN(std::vector<int64_t> labels,
                        classLabels(node, "classlabels_int64s", "classlabels_strings"));
  auto classes = static_cast<int64_t>(labels.size());
  // Two classes may be one score: all weights are of the first.
  bool oneScore = classes == 2 && !forest.weights.empty() &&
                  llvm::all_of(forest.weights, [&](const Forest::Weight &weight) {
                    return weight.target == forest.weights.front().target;
                  });
  bool isPositive = llvm::all_of(forest.weights, [](const Forest::Weight &w) { return w.value >= 0; });
  if (oneScore && forest.weights.front().target == 1)
    return unsupported("two classes with weights of the second alone are not supported");
  forest.targets = oneScore ? 1 : classes;
  if (oneScore && base.values.size() == 2)
    base.values.erase(base.values.begin());
  if (!base.values.empty() && static_cast<int64_t>(base.values.size()) != forest.targets)
    return invalid("attribute 'base_values' has {0} entries; expected {1}", base.values.size(),
                   forest.targets);
  KILN_ASSIGN_OR_RETURN(Value x, featureRows(node, forest.element));
  KILN_ASSIGN_OR_RETURN(Value scores, evaluate(node.build, forest, x, ForestSum::Sum));
  KILN_ASSIGN_OR_RETURN(scores, addBase(node, scores, base.values));
  KILN_ASSIGN_OR_RETURN(scores, node.build.convert(scores, node.build.builder().getF32Type()));
  if (oneScore)
    return setBinaryOutputs(node, scores, labels, transform,
                            isPositive ? BinaryScore::Probability : BinaryScore::Margin);
  return setClassOutputs(node, scores, labels, transform);
}

// ---- Version 5 -------------------------------------------------------------------------------------------

/// The modes of TreeEnsemble's nodes, by number; 6 is membership in a set.
constexpr Split kModes[] = {Split::LessEqual, Split::Less,  Split::GreaterEqual,
                            Split::Greater,   Split::Equal, Split::NotEqual};
constexpr int64_t kMember = 6;

/// The sets of the nodes with mode 6, one after the other, NaN at the end of each.
Result<std::vector<std::vector<double>>> readSets(Node &node) {
  std::vector<std::vector<double>> sets;
  if (!node.hasAttribute("membership_values"))
    return sets;
  KILN_ASSIGN_OR_RETURN(TensorData values, node.tensorAttribute("membership_values"));
  sets.emplace_back();
  for (double value : values.doubles()) {
    if (value == value)
      sets.back().push_back(value);
    else
      sets.emplace_back();
  }
  return sets;
}

Result<Forest> readEnsemble(Node &node) {
  node.ignoreAttribute("nodes_hitrates");
  KILN_ASSIGN_OR_RETURN(auto features, readIntegers(node, "nodes_featureids"));
  KILN_ASSIGN_OR_RETURN(auto whenTrue, readIntegers(node, "nodes_truenodeids"));
  KILN_ASSIGN_OR_RETURN(auto whenFalse, readIntegers(node, "nodes_falsenodeids"));
  KILN_ASSIGN_OR_RETURN(auto trueLeafs, readIntegers(node, "nodes_trueleafs"));
  KILN_ASSIGN_OR_RETURN(auto falseLeafs, readIntegers(node, "nodes_falseleafs"));
  KILN_ASSIGN_OR_RETURN(auto missing, readIntegers(node, "nodes_missing_value_tracks_true"));
  KILN_ASSIGN_OR_RETURN(auto roots, readIntegers(node, "tree_roots"));
  KILN_ASSIGN_OR_RETURN(auto targets, readIntegers(node, "leaf_targetids"));
  KILN_ASSIGN_OR_RETURN(TensorData modes, node.tensorAttribute("nodes_modes"));
  KILN_ASSIGN_OR_RETURN(TensorData splits, node.tensorAttribute("nodes_splits"));
  KILN_ASSIGN_OR_RETURN(TensorData weights, node.tensorAttribute("leaf_weights"));
  KILN_ASSIGN_OR_RETURN(auto sets, readSets(node));
  size_t count = features.size();
  auto modeList = modes.integers();
  std::vector<double> splitList = splits.doubles(), weightList = weights.doubles();
  KILN_RETURN_IF_ERROR(checkLength("nodes_truenodeids", whenTrue.size(), count));
  KILN_RETURN_IF_ERROR(checkLength("nodes_falsenodeids", whenFalse.size(), count));
  KILN_RETURN_IF_ERROR(checkLength("nodes_trueleafs", trueLeafs.size(), count));
  KILN_RETURN_IF_ERROR(checkLength("nodes_falseleafs", falseLeafs.size(), count));
  KILN_RETURN_IF_ERROR(checkLength("nodes_modes", modeList ? modeList->size() : 0, count));
  KILN_RETURN_IF_ERROR(checkLength("nodes_splits", splitList.size(), count));
  KILN_RETURN_IF_ERROR(checkLength("leaf_weights", weightList.size(), targets.size()));
  if (!missing.empty())
    KILN_RETURN_IF_ERROR(checkLength("nodes_missing_value_tracks_true", missing.size(), count));

  Forest forest; // the inner nodes, then the leaves, then what sets are spelled out as
  forest.element = splits.type.getElementType();
  if (!forest.element.isF64())
    forest.element = node.build.builder().getF32Type();
  for (size_t i = 0; i < count + targets.size(); ++i)
    forest.add();
  for (size_t i = 0; i < targets.size(); ++i)
    forest.weights.push_back({static_cast<int64_t>(count + i), targets[i], weightList[i]});
  size_t nextSet = 0;
  for (size_t i = 0; i < count; ++i) {
    int64_t mode = (*modeList)[i];
    if (mode < 0 || mode > kMember)
      return invalid("attribute 'nodes_modes' holds {0}; expected 0 to 6", mode);
    auto childOf = [&](int64_t id, int64_t isLeaf) { return isLeaf ? static_cast<int64_t>(count) + id : id; };
    int64_t yes = childOf(whenTrue[i], trueLeafs[i]), no = childOf(whenFalse[i], falseLeafs[i]);
    auto fill = [&](size_t at, Split split, double value, int64_t otherwise) {
      forest.modes[at] = split;
      forest.features[at] = features[i];
      forest.splits[at] = value;
      forest.missingIsTrue[at] = !missing.empty() && missing[i] != 0;
      forest.whenTrue[at] = yes;
      forest.whenFalse[at] = otherwise;
    };
    if (mode != kMember) {
      fill(i, kModes[mode], splitList[i], no);
      continue;
    }
    if (nextSet >= sets.size() || sets[nextSet].empty())
      return invalid("attribute 'membership_values' has no set for node {0}", i);
    const std::vector<double> &set = sets[nextSet++];
    size_t at = i;
    for (size_t k = 0; k < set.size(); ++k) { // equal to the first, or else to the second ..
      bool isLast = k + 1 == set.size();
      int64_t otherwise = isLast ? no : forest.add();
      fill(at, Split::Equal, set[k], otherwise);
      at = static_cast<size_t>(otherwise);
    }
  }
  forest.roots = std::move(roots);
  return forest;
}

Status importEnsemble(Node &node) {
  KILN_ASSIGN_OR_RETURN(Forest forest, readEnsemble(node));
  KILN_ASSIGN_OR_RETURN(forest.targets, node.integerAttribute("n_targets", 1));
  KILN_ASSIGN_OR_RETURN(int64_t aggregate, node.integerAttribute("aggregate_function", 1));
  KILN_ASSIGN_OR_RETURN(int64_t transform, node.integerAttribute("post_transform", 0));
  constexpr const char *transforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  if (forest.targets < 1 || forest.targets > INT32_MAX || aggregate < 0 || aggregate > 3 || transform < 0 ||
      transform > 4)
    return invalid(
        "attributes 'n_targets' {0}, 'aggregate_function' {1}, 'post_transform' {2}; expected 1 or "
        "more, 0 to 3, 0 to 4",
        forest.targets, aggregate, transform);
  KILN_ASSIGN_OR_RETURN(Value x, featureRows(node, forest.element));
  KILN_ASSIGN_OR_RETURN(Value scores, evaluate(node.build, forest, x, static_cast<ForestSum>(aggregate)));
  KILN_ASSIGN_OR_RETURN(scores, node.build.convert(scores, node.elementType(0)));
  return node.output(postTransform(node, scores, transforms[transform]));
}

constexpr OpEntry kTreesOps[] = {
    {"TreeEnsemble", 5, 1, 1, importEnsemble, "", kMlDomain},
    {"TreeEnsembleClassifier", 1, 1, 1, importClassifier,
     "labels that are strings; PROBIT of one score; weights of the second of two classes alone", kMlDomain},
    {"TreeEnsembleRegressor", 1, 1, 1, importRegressor, "", kMlDomain},
};

} // namespace

llvm::ArrayRef<OpEntry> treeOps() { return kTreesOps; }

} // namespace kiln::onnx
