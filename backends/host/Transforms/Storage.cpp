// Storage.cpp: tensors of i1 and of 4-bit integers are kept as bytes; kiln-host-destinations packs the
// latter.
#include "backends/host/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_STORAGEPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

bool isNarrow(Type type) { return type.isInteger(1) || type.isInteger(4); }

/// Rewrites one function: first what moves single elements in and out of tensors, then the types of the
/// tensors.
class ByteStorage {
public:
  explicit ByteStorage(func::FuncOp func) : func(func), rewriter(func.getContext()) {}

  void run() {
    func.walk([&](Operation *op) { convert(op); });
    func.walk([&](Block *block) {
      for (BlockArgument argument : block->getArguments())
        argument.setType(stored(argument.getType()));
    });
    func.walk([&](Operation *op) {
      for (OpResult result : op->getResults())
        result.setType(stored(result.getType()));
    });
    SmallVector<Type> inputs =
        llvm::map_to_vector(func.getArgumentTypes(), [&](Type type) { return stored(type); });
    SmallVector<Type> results =
        llvm::map_to_vector(func.getResultTypes(), [&](Type type) { return stored(type); });
    func.setFunctionType(rewriter.getFunctionType(inputs, results));
  }

private:
  Type stored(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isNarrow(tensor.getElementType()) ? tensor.clone(rewriter.getI8Type()) : type;
  }

  Value extend(Value value) {
    return rewriter.create<arith::ExtUIOp>(value.getLoc(), rewriter.getI8Type(), value);
  }

  /// The body's narrow elements arrive and leave as bytes, of which the low bits count.
  void convertBody(Block &body) {
    rewriter.setInsertionPointToStart(&body);
    for (BlockArgument argument : body.getArguments())
      if (isNarrow(argument.getType())) {
        Type narrow = argument.getType();
        argument.setType(rewriter.getI8Type());
        auto low = rewriter.create<arith::TruncIOp>(argument.getLoc(), narrow, argument);
        rewriter.replaceAllUsesExcept(argument, low, low);
      }
    Operation *terminator = body.getTerminator();
    rewriter.setInsertionPoint(terminator);
    for (OpOperand &operand : terminator->getOpOperands())
      if (isNarrow(operand.get().getType()))
        operand.set(extend(operand.get()));
  }

  void convert(Operation *op) {
    if (isa<linalg::GenericOp, linalg::MapOp, linalg::ReduceOp, tensor::PadOp, tensor::GenerateOp>(op)) {
      convertBody(op->getRegion(0).front());
      return;
    }
    rewriter.setInsertionPoint(op);
    if (isa<linalg::FillOp, tensor::SplatOp, tensor::FromElementsOp, tensor::InsertOp>(op)) {
      for (OpOperand &operand : op->getOpOperands())
        if (isNarrow(operand.get().getType()))
          operand.set(extend(operand.get()));
      if (auto fill = dyn_cast<linalg::FillOp>(op))
        for (BlockArgument argument : fill.getBlock()->getArguments())
          if (isNarrow(argument.getType()))
            argument.setType(rewriter.getI8Type());
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op); extract && isNarrow(extract.getType())) {
      Type narrow = extract.getType();
      extract.getResult().setType(rewriter.getI8Type());
      rewriter.setInsertionPointAfter(op);
      auto low = rewriter.create<arith::TruncIOp>(op->getLoc(), narrow, extract.getResult());
      rewriter.replaceAllUsesExcept(extract.getResult(), low, low);
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
      if (elements && isNarrow(elements.getElementType()))
        constant.setValueAttr(
            elements.mapValues(rewriter.getI8Type(), [](const APInt &bits) { return bits.zext(8); }));
    }
  }

  func::FuncOp func;
  IRRewriter rewriter;
};

struct StoragePass : impl::StoragePassBase<StoragePass> {
  void runOnOperation() override { ByteStorage(getOperation()).run(); }
};

} // namespace
} // namespace kiln::host
