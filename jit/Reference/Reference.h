// Reference.h: what functions of kiln ops should compute, each op by its definition, one element after
// another.
//
// Nothing here is shared with any lowering, fold or backend: that is its worth. It is slow and needs no
// device. Tests and `jit-run --check` use it through kiln_model_evaluate.
#ifndef KILN_REFERENCE_REFERENCE_H
#define KILN_REFERENCE_REFERENCE_H

#include "jit/Reference/Tensor.h"
#include "kiln/Status.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>
#include <variant>

namespace kiln::reference {

using TensorRef = std::shared_ptr<const Tensor>;
/// What an SSA value holds: a tensor, or an index, an integer or a boolean.
using Datum = std::variant<int64_t, TensorRef>;

/// Bytes of a kiln.weight by digest.
using WeightLookup = llvm::function_ref<Result<llvm::ArrayRef<char>>(llvm::StringRef digest)>;

/// The results of `function` for these arguments. kiln.check_* ops compute nothing.
/// Unimplemented names the op that has no reference. InvalidArgument: an index beyond its axis, a division by
/// zero of indices. ResourceExhausted: a tensor of more than kMaxElements.
Result<std::vector<TensorRef>> evaluate(mlir::func::FuncOp function, llvm::ArrayRef<TensorRef> arguments,
                                        WeightLookup weights);
inline constexpr int64_t kMaxElements = int64_t{1} << 26;

/// A tensor from the bytes of a constant or a weight (little-endian, dense, i1 a byte, 4-bit types packed).
Tensor fromBytes(mlir::Type element, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<char> bytes);

// ---- How an op gets its reference -------------------------------------------------------------------------

/// One op with its operands' data. Borrowed for the call.
struct Call {
  mlir::Operation *op;
  llvm::ArrayRef<Datum> operands;

  const Tensor &tensor(unsigned operand) const { return *std::get<TensorRef>(operands[operand]); }
  int64_t index(unsigned operand) const { return std::get<int64_t>(operands[operand]); }
  /// The element type of a result.
  mlir::Type element(unsigned result = 0) const;
  /// The data of a named operand; null if it is absent.
  const Tensor *find(mlir::Value value) const;
  /// A mixed list as numbers: `numbers`, with the next of `values` where one is dynamic.
  Shape list(llvm::ArrayRef<int64_t> numbers, mlir::OperandRange values) const;
};

using Tensors = std::vector<Tensor>;
/// The result of an op that has one.
using Evaluator = Result<Tensor> (*)(const Call &call);
/// All results, in order.
using AllEvaluator = Result<Tensors> (*)(const Call &call);
/// The references of a family of ops, by op name: one function a file of this folder.
struct Family {
  struct Entry {
    llvm::StringLiteral op{""};
    Evaluator evaluate = nullptr; // this one or the other
    AllEvaluator evaluateAll = nullptr;

    constexpr Entry() = default;
    constexpr Entry(llvm::StringLiteral op, Evaluator evaluate) : op(op), evaluate(evaluate) {}
    constexpr Entry(llvm::StringLiteral op, AllEvaluator evaluate) : op(op), evaluateAll(evaluate) {}
  };
  llvm::ArrayRef<Entry> entries;
};
Family attentionFamily();
Family contractionFamily();
Family indexingFamily();
Family normalizationFamily();
Family recurrenceFamily();
Family reductionFamily();
Family resizeFamily();
Family selectionFamily();
Family shapeFamily();
Family sortingFamily();
/// Fails if an extent is negative or the tensor would have more than kMaxElements.
Status checkSize(llvm::ArrayRef<int64_t> shape);
/// Elementwise ops share one evaluator; null if the op is none of them.
Evaluator elementwiseEvaluator(llvm::StringRef op);

} // namespace kiln::reference
#endif // KILN_REFERENCE_REFERENCE_H
