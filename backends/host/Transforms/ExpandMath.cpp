// ExpandMath.cpp: one pattern a function; 16-bit floats are computed in f32.
#include "backends/host/Transforms/MathBuilder.h"
#include "backends/host/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

/// Replaces Op by what `function` builds of its operands.
template <typename Op> struct Expand final : OpRewritePattern<Op> {
  using Function = llvm::function_ref<Num(ArrayRef<Num>)>;
  Expand(MLIRContext *context, bool hasScalef, Num (*function)(ArrayRef<Num>))
      : OpRewritePattern<Op>(context), hasScalef(hasScalef), function(function) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
    bool narrow = element.isF16() || element.isBF16();
    if (!narrow && !element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither f16, bf16, f32 nor f64");
    Type wide = type;
    if (narrow) {
      auto shape = dyn_cast<ShapedType>(type);
      wide = shape ? Type(shape.clone(rewriter.getF32Type())) : rewriter.getF32Type();
    }
    MathBuilder math(op.getLoc(), rewriter, wide, hasScalef);
    SmallVector<Num> operands;
    for (Value operand : op->getOperands())
      operands.push_back(math.num(narrow ? math.create<arith::ExtFOp>(wide, operand).getResult() : operand));
    Value result = function(operands).value();
    if (narrow)
      result = math.create<arith::TruncFOp>(type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
  bool hasScalef;
  Num (*function)(ArrayRef<Num>);
};

/// The patterns of all functions.
struct Populate {
  using Args = ArrayRef<Num>;
  template <typename Op> void add(Num (*function)(Args)) {
    patterns.add<Expand<Op>>(patterns.getContext(), hasScalef, function);
  }
  void addAll();

  RewritePatternSet &patterns;
  bool hasScalef;
};

void Populate::addAll() {
  constexpr double log2e = 1.44269504088896340736, log10e = 0.43429448190325182765;
  add<math::ExpOp>([](Args x) { return exp(x[0]); });
  add<math::Exp2Op>([](Args x) { return viaDoubleOrSame([](Num y) { return exp(y * (1 / log2e)); }, x[0]); });
  add<math::ExpM1Op>([](Args x) { return expm1(x[0]); });
  add<math::TanhOp>([](Args x) { return tanh(x[0]); });
  add<math::SinhOp>([](Args x) { return sinh(x[0]); });
  add<math::CoshOp>([](Args x) { return cosh(x[0]); });
  add<math::LogOp>([](Args x) { return log(x[0]); });
  add<math::Log2Op>([](Args x) { return viaDoubleOrSame([](Num y) { return log(y) * log2e; }, x[0]); });
  add<math::Log10Op>([](Args x) { return viaDoubleOrSame([](Num y) { return log(y) * log10e; }, x[0]); });
  add<math::Log1pOp>([](Args x) { return log1p(x[0]); });
  add<math::PowFOp>([](Args x) { return pow(x[0], x[1]); });
  add<math::AsinhOp>([](Args x) { return asinh(x[0]); });
  add<math::AcoshOp>([](Args x) { return acosh(x[0]); });
  add<math::AtanhOp>([](Args x) { return atanh(x[0]); });
  add<math::SinOp>([](Args x) { return sin(x[0]); });
  add<math::CosOp>([](Args x) { return cos(x[0]); });
  add<math::TanOp>([](Args x) { return tan(x[0]); });
  add<math::AsinOp>([](Args x) { return asin(x[0]); });
  add<math::AcosOp>([](Args x) { return acos(x[0]); });
  add<math::AtanOp>([](Args x) { return atan(x[0]); });
  add<math::Atan2Op>([](Args x) { return atan2(x[0], x[1]); });
  add<math::ErfOp>([](Args x) { return erf(x[0]); });
  add<math::CbrtOp>([](Args x) { return cbrt(x[0]); });
  add<math::RsqrtOp>([](Args x) { return 1.0 / sqrt(x[0]); });
  add<math::RoundOp>([](Args x) {
    // Halves away from zero: the fraction decides, which subtraction gives exactly.
    Num whole = truncate(x[0]);
    Num up = compare(arith::CmpFPredicate::OGE, abs(x[0] - whole), x[0].builder().constant(0.5));
    return select(up, whole + copySign(x[0].builder().constant(1.0), x[0]), whole);
  });
  add<arith::RemFOp>([](Args x) { return remainder(x[0], x[1]); });
}

struct ExpandMathPass : impl::ExpandMathPassBase<ExpandMathPass> {
  using ExpandMathPassBase::ExpandMathPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    Populate{patterns, scalef}.addAll();
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kiln::host
