// LowerKernels.cpp: chooses the lowering of each kernel.
#include "backends/npu/Transforms/Access.h"
#include "backends/npu/Transforms/AxisLowering.h"
#include "backends/npu/Transforms/CubeEpilogue.h"
#include "backends/npu/Transforms/Passes.h"
#include "backends/npu/Transforms/TileBuilder.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "backends/npu/Transforms/WordPairs.h"
#include "kiln/Transforms/ToLinalg.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_LOWERKERNELSPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

/// Whether a tensor of the kernel is known to have no element: tiles of it have no size.
bool holdsNothing(KernelOp kernel) {
  auto isEmpty = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && llvm::is_contained(tensor.getShape(), 0);
  };
  return llvm::any_of(kernel.getArgumentTypes(), isEmpty) ||
         llvm::any_of(kernel.getBody().front(),
                      [&](Operation &op) { return llvm::any_of(op.getResultTypes(), isEmpty); });
}

/// Computes a kernel that adds up f16 in f32 from its arguments to its results: what sums and squares make on
/// the way may be beyond f16, though the results are not. Other kernels round after each op.
void widenSums(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto addsUp = [](ReduceOp op) {
    return op.getKind() != ReduceKind::Max && op.getKind() != ReduceKind::Min && elementOf(op.getX()).isF16();
  };
  if (llvm::none_of(body.getOps<ReduceOp>(), addsUp))
    return;
  for (Operation &op : body.without_terminator())
    if (!isa<ElementwiseOpInterface, ReduceOp, ReshapeOp, BroadcastOp, ConstantOp>(op) && !isView(&op))
      return;
  OpBuilder builder(kernel.getContext());
  Type f32 = builder.getF32Type();
  auto isHalf = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getElementType().isF16();
  };
  auto convert = [&](Value value, Type to) -> Value {
    return builder.create<ConvertOp>(value.getLoc(), value, to);
  };
  DenseMap<Value, Value> wide; // of arguments and views of them
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    if (isView(&op))
      continue;
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto values = dyn_cast<SplatElementsAttr>(constant.getValue());
      if (isHalf(constant) && values) {
        double number = values.getSplatValue<FloatAttr>().getValueAsDouble();
        auto type = cast<RankedTensorType>(constant.getType()).clone(f32);
        constant->setAttr("value", DenseElementsAttr::get(type, builder.getF32FloatAttr(float(number))));
        constant->getResult(0).setType(type);
      }
      continue;
    }
    for (OpOperand &operand : op.getOpOperands()) {
      if (!isHalf(operand.get()))
        continue;
      Value &value = wide[operand.get()];
      builder.setInsertionPoint(&op);
      value = value ? value : convert(operand.get(), f32);
      operand.set(value);
    }
    if (isHalf(op.getResult(0))) {
      if (isa<ConvertOp>(op))
        op.setAttr("to", TypeAttr::get(f32));
      op.getResult(0).setType(cast<RankedTensorType>(op.getResult(0).getType()).clone(f32));
    }
  }
  Operation *end = body.getTerminator();
  builder.setInsertionPoint(end);
  for (auto [operand, type] : llvm::zip(end->getOpOperands(), kernel.getResultTypes()))
    if (operand.get().getType() != type)
      operand.set(convert(operand.get(), cast<RankedTensorType>(type).getElementType()));
}

struct LowerKernels final : impl::LowerKernelsPassBase<LowerKernels> {
  using LowerKernelsPassBase::LowerKernelsPassBase;

  LogicalResult lower(KernelOp kernel, bool isCube, const Target &target) {
    if (isAttentionKernel(kernel))
      return lowerAttentionKernel(kernel, target);
    if (isCube)
      return lowerCubeKernel(kernel, target);
    if (isMovementKernel(kernel))
      return lowerMovementKernel(kernel, target);
    if (isWindowKernel(kernel))
      return lowerWindowKernel(kernel, target);
    if (isAxisKernel(kernel))
      return lowerAxisKernel(kernel, target);
    KernelOp pairs = asWordPairs(kernel);
    if (!pairs)
      return lowerVectorKernel(kernel, target);
    // Where elements of eight bytes do not lie side by side, their words do.
    LogicalResult result = failure();
    {
      ScopedDiagnosticHandler quiet(&getContext(), [](Diagnostic &) { return success(); });
      result = lowerVectorKernel(kernel, target);
    }
    if (failed(result) && succeeded(result = lowerVectorKernel(pairs, target)))
      cast<func::FuncOp>(pairs->getPrevNode())
          ->setAttr(kSignatureAttr, TypeAttr::get(kernel.getFunctionType()));
    pairs.erase();
    return result;
  }

  /// Fails where the lowering has no form for the kernel; what it says then is an error with `refuse`, else
  /// the reason that the kernel notes.
  LogicalResult tryLower(KernelOp kernel, bool isCube, const Target &target) {
    if (!refuse && holdsNothing(kernel)) {
      kernel->setAttr(kReasonAttr, StringAttr::get(&getContext(), "npu: a tensor without elements"));
      return failure();
    }
    std::string reason;
    llvm::SmallPtrSet<Operation *, 4> before;
    for (Operation &op : *getOperation().getBody())
      before.insert(&op);
    LogicalResult result = failure();
    {
      ScopedDiagnosticHandler quiet(&getContext(), [&](Diagnostic &diagnostic) {
        if (refuse)
          return failure(); // the next handler's
        if (reason.empty())
          reason = diagnostic.str();
        return success();
      });
      result = lower(kernel, isCube, target);
      // A form that does not verify is none: better slow than refused.
      for (Operation &op : *getOperation().getBody())
        if (succeeded(result) && !before.contains(&op))
          result = verify(&op);
    }
    if (succeeded(result) || refuse)
      return result;
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody()))
      if (!before.contains(&op)) // half of a function
        op.erase();
    kernel->setAttr(kReasonAttr, StringAttr::get(&getContext(), reason));
    for (Operation &op : kernel.getBody().front())
      op.removeAttr(kWholeAttr);
    return result;
  }

  void runOnOperation() override {
    const Target *target = ir::findTarget(chip, getOperation());
    if (!target)
      return signalPassFailure();
    getOperation()->setAttr(ir::kChipAttr, StringAttr::get(&getContext(), chip.getValue()));
    for (KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<KernelOp>())) {
      bool isCube = llvm::any_of(kernel.getBody().front(), [](Operation &op) { return isProduct(&op); });
      bool isAttention = isAttentionKernel(kernel);
      if (!isCube && !isAttention)
        widenSums(kernel);
      auto &dialect = *getContext().getOrLoadDialect<KilnDialect>();
      if (succeeded(tryLower(kernel, isCube, *target))) {
        dialect.count(isAttention ? "lower-kernels.mixed"
                      : isCube    ? "lower-kernels.cube"
                                  : "lower-kernels.vector");
        kernel.erase();
      } else if (refuse) {
        return signalPassFailure();
      } else {
        dialect.count("lower-kernels.left");
      }
    }
  }
};

} // namespace

func::FuncOp makeFunction(KernelOp kernel, StringRef core, StringRef codeTemplate) {
  OpBuilder builder(kernel);
  SmallVector<Type> types;
  auto space = ir::MemoryAttr::get(kernel.getContext(), ir::Memory::GM);
  for (ArrayRef<Type> range : {kernel.getArgumentTypes(), kernel.getResultTypes()})
    for (Type type : range) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      Type element = tensor ? tensor.getElementType() : Type();
      if (tensor && element.isInteger(1)) // a byte each
        element = builder.getIntegerType(8, /*isSigned=*/false);
      else if (tensor && element.isUnsignedInteger() && element.getIntOrFloatBitWidth() >= 32)
        element = builder.getIntegerType(element.getIntOrFloatBitWidth());
      types.push_back(tensor ? MemRefType::get(tensor.getShape(), element, MemRefLayoutAttrInterface(), space)
                             : type);
    }
  auto function =
      builder.create<func::FuncOp>(kernel.getLoc(), kernel.getName(), builder.getFunctionType(types, {}));
  function->setAttr("kiln.kernel", builder.getUnitAttr());
  function->setAttr(kSignatureAttr, TypeAttr::get(kernel.getFunctionType()));
  function->setAttr(kCoreAttr, builder.getStringAttr(core));
  function->setAttr(kTemplateAttr, builder.getStringAttr(codeTemplate));
  builder.setInsertionPointToStart(function.addEntryBlock());
  builder.create<func::ReturnOp>(kernel.getLoc());
  return function;
}

Value openUnits(OpBuilder &builder, Location loc, func::FuncOp function, OpFoldResult units, uint64_t cores) {
  auto most = static_cast<int64_t>(cores);
  auto other = function->getAttrOfType<IntegerAttr>(kBlocksAttr); // loops before
  int64_t blocks = std::max<int64_t>(other ? other.getInt() : 1,
                                     std::min(most, getConstantIntValue(units).value_or(most)));
  function->setAttr(kBlocksAttr, builder.getI64IntegerAttr(blocks));
  Value count = IndexMath(builder, loc).value(units);
  Value first = builder.create<ir::BlockIdxOp>(loc, builder.getIndexType());
  Value step = builder.create<ir::BlockNumOp>(loc, builder.getIndexType());
  auto loop = builder.create<scf::ForOp>(loc, first, count, step);
  builder.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

} // namespace kiln::npu
