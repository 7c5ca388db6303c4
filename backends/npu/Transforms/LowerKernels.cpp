// LowerKernels.cpp: chooses the lowering of each kernel.
#include "backends/npu/Transforms/CubeEpilogue.h"
#include "backends/npu/Transforms/Passes.h"
#include "backends/npu/Transforms/VectorLowering.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_LOWERKERNELSPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

struct LowerKernels final : impl::LowerKernelsPassBase<LowerKernels> {
  using LowerKernelsPassBase::LowerKernelsPassBase;
  void runOnOperation() override {
    Result<ChipClass> known = parseChip(chip);
    if (!known.ok()) {
      getOperation().emitError("npu: ") << std::string(known.status().message());
      return signalPassFailure();
    }
    const Target &target = Target::of(known.value());
    getOperation()->setAttr(ir::kChipAttr, StringAttr::get(&getContext(), chip.getValue()));
    for (KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<KernelOp>())) {
      bool isCube = llvm::any_of(kernel.getBody().front(), [](Operation &op) { return isProduct(&op); });
      if (failed(isCube                     ? lowerCubeKernel(kernel, target)
                 : isMovementKernel(kernel) ? lowerMovementKernel(kernel, target)
                 : isWindowKernel(kernel)   ? lowerWindowKernel(kernel, target)
                                            : lowerVectorKernel(kernel, target)))
        return signalPassFailure();
      kernel.erase();
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

} // namespace kiln::npu
