// ToLinalg.cpp: the pass kiln-to-linalg: kernels become functions, kiln ops linalg, types signless.
#include "kiln/Transforms/ToLinalg.h"
#include "dialects/Transforms/LinalgBuilder.h"
#include "kiln/IR/Kiln.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln {

#define GEN_PASS_DEF_TOLINALGPASS
#include "kiln/Transforms/Passes.h.inc"

namespace {

/// kiln.kernel -> func.func with the attribute kiln.kernel
struct KernelToFunc final : OpConversionPattern<KernelOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(KernelOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    const TypeConverter &converter = *getTypeConverter();
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    SmallVector<Type> results;
    if (failed(converter.convertSignatureArgs(op.getArgumentTypes(), signature)) ||
        failed(converter.convertTypes(op.getResultTypes(), results)))
      return rewriter.notifyMatchFailure(op, "its types do not convert");
    auto type = rewriter.getFunctionType(signature.getConvertedTypes(), results);
    auto func = rewriter.create<func::FuncOp>(op.getLoc(), op.getSymName(), type);
    // All attributes stay, those of arguments and results too.
    SmallVector<NamedAttribute> attributes(op->getAttrs());
    llvm::erase_if(attributes, [&](NamedAttribute a) { return func->hasAttr(a.getName()); });
    func->setAttrs(llvm::to_vector(
        llvm::concat<NamedAttribute>(SmallVector<NamedAttribute>(func->getAttrs()), attributes)));
    func->setAttr("kiln.kernel", rewriter.getUnitAttr());
    rewriter.inlineRegionBefore(op.getBody(), func.getBody(), func.end());
    if (failed(rewriter.convertRegionTypes(&func.getBody(), converter, &signature)))
      return rewriter.notifyMatchFailure(op, "its argument types do not convert");
    if (auto *dialect = getContext()->getLoadedDialect<KilnDialect>())
      dialect->count("to-linalg.kernels");
    rewriter.eraseOp(op);
    return success();
  }
};

/// kiln.yield -> func.return
struct YieldToReturn final : OpConversionPattern<YieldOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(YieldOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<func::ReturnOp>(op, adaptor.getValues());
    return success();
  }
};

/// kiln.constant -> arith.constant of the signless type
struct ConstantToArith final : OpConversionPattern<ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    ElementsAttr value = op.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(value))
      value = dense.bitcast(type.getElementType());
    else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
      value = DenseResourceElementsAttr::get(type, resource.getRawHandle());
    else
      return rewriter.notifyMatchFailure(op, "its value is neither dense nor a resource");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, type, cast<TypedAttr>(value));
    return success();
  }
};

/// A barrier only stops passes before this one.
struct DropBarrier final : OpConversionPattern<OptimizationBarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(OptimizationBarrierOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getX());
    return success();
  }
};

/// An op whose results have no elements: there is nothing to compute, whatever else is not known of them.
struct EmptyResults final : ConversionPattern {
  EmptyResults(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value>,
                                ConversionPatternRewriter &rewriter) const override {
    auto isEmpty = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && llvm::is_contained(tensor.getShape(), 0);
    };
    auto shaped = dyn_cast<ReifyRankedShapedTypeOpInterface>(op);
    ReifiedRankedShapedTypeDims sizes;
    if (!shaped || !isa<KilnDialect>(op->getDialect()) || !isMemoryEffectFree(op) ||
        !llvm::all_of(op->getResultTypes(), isEmpty) || failed(shaped.reifyResultShapes(rewriter, sizes)))
      return rewriter.notifyMatchFailure(op, "may have something to compute");
    LinalgBuilder linalg(rewriter, op->getLoc());
    SmallVector<Value> empties;
    for (auto [type, extents] : llvm::zip_equal(op->getResultTypes(), sizes)) {
      auto converted = cast<RankedTensorType>(getTypeConverter()->convertType(type));
      empties.push_back(linalg.cast(linalg.empty(extents, converted.getElementType()), converted));
    }
    rewriter.replaceOp(op, empties);
    return success();
  }
};

/// Another dialect's op without regions, on signless types.
struct RetypeOp final : ConversionPattern {
  RetypeOp(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/0, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (isa<KilnDialect>(op->getDialect()) || op->getNumRegions() != 0 || op->getNumSuccessors() != 0 ||
        failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return rewriter.notifyMatchFailure(op, "not a plain op of another dialect");
    OperationState state(op->getLoc(), op->getName(), operands, types, op->getAttrs());
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};

struct ToLinalg final : impl::ToLinalgPassBase<ToLinalg> {
  void runOnOperation() override {
    MLIRContext &context = getContext();
    RewritePatternSet composites(&context);
    populateExpandComposites(composites);
    populateDecompose(composites);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(composites))))
      return signalPassFailure();
    SignlessTypeConverter converter;
    RewritePatternSet patterns(&context);
    ConversionTarget target(context);
    populateElementwiseToLinalg(converter, patterns);
    populateShapeToLinalg(converter, patterns);
    populateContractionToLinalg(converter, patterns);
    populateReductionToLinalg(converter, patterns);
    populateCumulativeToLoops(converter, patterns);
    populateIndexingToLinalg(converter, patterns);
    populateScatterToLoops(converter, patterns);
    populateSortingToLoops(converter, patterns);
    populateSelectionToLoops(converter, patterns);
    patterns.add<KernelToFunc, YieldToReturn, ConstantToArith, DropBarrier, EmptyResults, RetypeOp>(converter,
                                                                                                    &context);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, converter);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
    target.addIllegalDialect<KilnDialect>();
    target.addDynamicallyLegalOp<func::FuncOp>(
        [&](func::FuncOp op) { return converter.isSignatureLegal(op.getFunctionType()); });
    target.markUnknownOpDynamicallyLegal([&](Operation *op) { return converter.isLegal(op); });
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace kiln
