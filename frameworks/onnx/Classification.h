// Classification.h: what the classifiers and regressors of ai.onnx.ml share: scores, labels, transforms.
#ifndef KILN_ONNX_CLASSIFICATION_H
#define KILN_ONNX_CLASSIFICATION_H

#include "frameworks/onnx/Node.h"

namespace kiln::onnx {

/// A list as a constant of f32: rank 0 for one value, else a row that broadcasts along the last axis.
mlir::Value floats(KilnBuilder &build, llvm::ArrayRef<float> values);
mlir::Value floats(KilnBuilder &build, llvm::ArrayRef<float> values, llvm::ArrayRef<int64_t> shape);

/// Input 0 as rows of features: a vector is one row.
Result<mlir::Value> featureRows(Node &node, mlir::Type element);

/// `scores` [rows, n] after NONE, LOGISTIC, SOFTMAX, SOFTMAX_ZERO or PROBIT. InvalidArgument: another name.
Result<mlir::Value> postTransform(Node &node, mlir::Value scores, llvm::StringRef name);

/// The labels of the classes, from the attribute of integers. Unimplemented: they are strings.
Result<std::vector<int64_t>> classLabels(Node &node, llvm::StringRef integers, llvm::StringRef strings);

/// Outputs of a classifier with a score for each class: the label of the highest, and all, transformed.
Status setClassOutputs(Node &node, mlir::Value scores, llvm::ArrayRef<int64_t> labels,
                       llvm::StringRef transform);

/// What one score s says of two classes. Probability: that of the second, the first has 1 - s. Margin: its
/// sign decides, the first has -s. Linear: its sign decides, and the first has 1 - s, as ONNX Runtime gives
/// it. The transform LOGISTIC takes the logistic function of s and of -s in all of them.
enum class BinaryScore { Probability, Margin, Linear };
/// The scores [rows, 2] of two classes with one score [rows, 1]. Unimplemented: PROBIT.
Result<mlir::Value> binaryScores(Node &node, mlir::Value score, llvm::StringRef transform,
                                 BinaryScore meaning);
/// Outputs of a classifier with one score [rows, 1] for two classes. Unimplemented: PROBIT.
Status setBinaryOutputs(Node &node, mlir::Value score, llvm::ArrayRef<int64_t> labels,
                        llvm::StringRef transform, BinaryScore meaning);

} // namespace kiln::onnx
#endif // KILN_ONNX_CLASSIFICATION_H
