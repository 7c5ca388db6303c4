// ToLlvm.cpp: one full conversion to the LLVM dialect with the patterns of every dialect that is left.
#include "backends/host/Transforms/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_TOLLVMPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

/// What must become simpler ops before the conversion: views become address arithmetic, loops become
/// branches.
LogicalResult prepare(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  memref::populateExpandStridedMetadataPatterns(patterns);
  populateAffineToStdConversionPatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorMaskMaterializationPatterns(patterns, /*force32BitVectorIndices=*/true);
  GreedyRewriteConfig config;
  config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
  if (failed(applyPatternsAndFoldGreedily(module, std::move(patterns), config)))
    return failure();
  RewritePatternSet loops(module.getContext());
  populateSCFToControlFlowConversionPatterns(loops);
  ConversionTarget target(*module.getContext());
  target.addIllegalOp<scf::ForOp, scf::IfOp, scf::WhileOp, scf::ForallOp, scf::IndexSwitchOp,
                      scf::ExecuteRegionOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(loops));
}

/// The arguments of a function's blocks, which loops became: index -> i64.
struct ConvertBlocks final : OpConversionPattern<LLVM::LLVMFuncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(LLVM::LLVMFuncOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LogicalResult converted = success();
    rewriter.modifyOpInPlace(op, [&] {
      if (failed(rewriter.convertRegionTypes(&op.getBody(), *getTypeConverter())))
        converted = failure();
    });
    return converted;
  }
};

/// Casts there and back again, which the conversion leaves where the entry's code met the body's.
void dropCasts(ModuleOp module) {
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  for (UnrealizedConversionCastOp cast : casts) {
    auto before = cast.getInputs().front().getDefiningOp<UnrealizedConversionCastOp>();
    if (before && before.getInputs().front().getType() == cast.getResult(0).getType())
      cast.getResult(0).replaceAllUsesWith(before.getInputs().front());
  }
  for (UnrealizedConversionCastOp cast : llvm::reverse(casts))
    if (cast.use_empty())
      cast.erase();
}

/// A constant of a 16-bit float that LLVM knows as i16.
struct ConvertSmallConstant final : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    Type from = getElementTypeOrSelf(op.getType()), to = type ? getElementTypeOrSelf(type) : Type();
    if (!isa<FloatType>(from) || !to || !to.isInteger(16))
      return rewriter.notifyMatchFailure(op, "LLVM has this type");
    TypedAttr bits;
    if (auto scalar = dyn_cast<FloatAttr>(op.getValue()))
      bits = rewriter.getIntegerAttr(to, scalar.getValue().bitcastToAPInt());
    else if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue()))
      bits = dense.bitcast(to);
    else
      return rewriter.notifyMatchFailure(op, "neither a number nor dense");
    rewriter.replaceOpWithNewOp<LLVM::ConstantOp>(op, type, bits);
    return success();
  }
};

struct ToLlvmPass : impl::ToLlvmPassBase<ToLlvmPass> {
  using ToLlvmPassBase::ToLlvmPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    if (failed(prepare(module)))
      return signalPassFailure();
    LowerToLLVMOptions options(context);
    LLVMTypeConverter converter(context, options);
    // LLVM would make calls to move values of types that the target does not have.
    Type bits = IntegerType::get(context, 16);
    bool halfToo = !f16c;
    converter.addConversion([bits, halfToo](FloatType type) -> std::optional<Type> {
      return type.isBF16() || (type.isF16() && halfToo) ? std::optional<Type>(bits) : std::nullopt;
    });
    converter.addConversion([bits, halfToo](VectorType type) -> std::optional<Type> {
      Type element = type.getElementType();
      bool small = element.isBF16() || (element.isF16() && halfToo);
      return small && type.getRank() == 1 ? std::optional<Type>(type.clone(bits)) : std::nullopt;
    });
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns, /*reassociateFPReductions=*/false,
                                           /*force32BitVectorIndices=*/true);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    patterns.add<ConvertBlocks>(converter, context);
    patterns.add<ConvertSmallConstant>(converter, context, /*benefit=*/2);
    target.addDynamicallyLegalOp<LLVM::LLVMFuncOp>(
        [&](LLVM::LLVMFuncOp op) { return converter.isLegal(&op.getBody()); });
    target.addLegalOp<UnrealizedConversionCastOp>(); // between types that the conversion made equal
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    dropCasts(module);
  }
};

} // namespace
} // namespace kiln::host
