// PairCoupling.h: probabilities of classes from calibrated scores of each pair of them.
#ifndef KILN_ONNX_PAIRCOUPLING_H
#define KILN_ONNX_PAIRCOUPLING_H

#include "frameworks/onnx/Node.h"

namespace kiln::onnx {

/// What an SVMClassifier gives with `prob_a` and `prob_b`: [rows, classes] from `scores` [rows, pairs], pairs
/// in the order (0, 1), (0, 2) .. (1, 2) ... The first of a pair has the probability 1 / (1 + exp(a s + b));
/// those of the classes are the ones that fit all pairs best, by the second method of T.-F. Wu, C.-J. Lin and
/// R. C. Weng, "Probability Estimates for Multi-class Classification by Pairwise Coupling", JMLR 5 (2004),
/// with the bounds that end it in libsvm and ONNX Runtime: 100 rounds, or no row off by 0.005 / classes. `a`
/// and `b` have an entry a pair.
Result<mlir::Value> coupledProbabilities(Node &node, mlir::Value scores, int64_t classes,
                                         llvm::ArrayRef<float> a, llvm::ArrayRef<float> b);

} // namespace kiln::onnx
#endif // KILN_ONNX_PAIRCOUPLING_H
