// Forest.h: decision trees in one table, as every version of the tree operators describes them.
#ifndef KILN_ONNX_FOREST_H
#define KILN_ONNX_FOREST_H

#include "frameworks/onnx/Node.h"

namespace kiln::onnx {

/// How a node compares its feature with its split.
enum class Split : uint8_t { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual, Leaf };

/// All trees together; nodes are positions in the lists. A leaf leads to itself, so that walking on from one
/// changes nothing.
struct Forest {
  std::vector<Split> modes;
  std::vector<int64_t> features, whenTrue, whenFalse;
  std::vector<double> splits;
  std::vector<bool> missingIsTrue; // a NaN takes the true branch
  std::vector<int64_t> roots;
  struct Weight {
    int64_t node, target;
    double value;
  };
  std::vector<Weight> weights;
  int64_t targets = 1;
  mlir::Type element; // of splits and weights: f32 or f64

  int64_t size() const { return static_cast<int64_t>(modes.size()); }
  /// Adds a node; a leaf until it is told otherwise.
  int64_t add();
  /// Steps from any root to its farthest leaf. InvalidArgument if nodes are missing or lead back to each
  /// other, or a feature does not exist among `features` (-1: any).
  Result<int64_t> check(int64_t features) const;
};

/// How the trees' weights of one target become its score.
enum class ForestSum { Average, Sum, Min, Max };

/// The scores [rows, targets] of `x`, [rows, features], in the forest's element type. All rows walk all trees
/// at once: a step is a comparison and a gather for every row and tree.
Result<mlir::Value> evaluate(KilnBuilder &build, const Forest &forest, mlir::Value x, ForestSum sum);

} // namespace kiln::onnx
#endif // KILN_ONNX_FOREST_H
