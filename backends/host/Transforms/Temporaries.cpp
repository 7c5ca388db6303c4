// Temporaries.cpp: allocations -> stack slots at the entry, or regions of the workspace, one a tile.
#include "backends/host/Target.h"
#include "backends/host/Transforms/Passes.h"
#include "kiln/jit/LaunchConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_TEMPORARIESPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

using jit::buildExpr;
using jit::exprToAttr;
using jit::LaunchConstants;
using jit::LaunchExpr;

LaunchExpr add(const LaunchExpr &lhs, const LaunchExpr &rhs) {
  return lhs.empty() ? rhs : LaunchExpr::binary(LaunchExpr::Op::Add, lhs, rhs);
}
LaunchExpr multiply(const LaunchExpr &lhs, const LaunchExpr &rhs) {
  return LaunchExpr::binary(LaunchExpr::Op::Mul, lhs, rhs);
}

/// Lays out one kernel's temporaries.
class StackLayout {
public:
  StackLayout(func::FuncOp func, int64_t stackBytes)
      : func(func), rewriter(func.getContext()), constants(func), stackBytes(stackBytes) {}

  LogicalResult run() {
    SmallVector<memref::AllocOp> allocs;
    func.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
    for (memref::AllocOp alloc : allocs)
      if (!onStack(alloc) && failed(inWorkspace(alloc)))
        return failure();
    if (!workspaceBytes.empty())
      func->setAttr("kiln.workspace", exprToAttr(func.getContext(), workspaceBytes));
    return success();
  }

private:
  static int64_t elementBytes(MemRefType type) { return llvm::divideCeil(type.getElementTypeBitWidth(), 8); }

  bool onStack(memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (!type.hasStaticShape())
      return false;
    int64_t bytes = llvm::alignTo(type.getNumElements() * elementBytes(type), kTemporaryAlignment);
    if (bytes > stackBytes)
      return false;
    stackBytes -= bytes;
    rewriter.setInsertionPointToStart(&func.getBody().front());
    auto slot = rewriter.create<memref::AllocaOp>(alloc.getLoc(), type,
                                                  rewriter.getI64IntegerAttr(kTemporaryAlignment));
    rewriter.replaceOp(alloc, slot);
    return true;
  }

  /// Bytes of an allocation, rounded up to the alignment.
  FailureOr<LaunchExpr> bytesOf(memref::AllocOp alloc) {
    LaunchExpr bytes = LaunchExpr::literal(elementBytes(alloc.getType()));
    for (OpFoldResult size : alloc.getMixedSizes()) {
      std::optional<LaunchExpr> extent = constants.express(size);
      if (!extent)
        return alloc.emitError("temporary's size is not a function of the launch's constants");
      bytes = multiply(bytes, *extent);
    }
    LaunchExpr unit = LaunchExpr::literal(kTemporaryAlignment);
    return multiply(LaunchExpr::binary(LaunchExpr::Op::CeilDiv, bytes, unit), unit);
  }

  Value workspace() {
    Block &entry = func.getBody().front();
    if (!workspaceArgument) {
      auto type = MemRefType::get({ShapedType::kDynamic}, rewriter.getI8Type());
      workspaceArgument = entry.addArgument(type, func.getLoc());
      func.setFunctionType(rewriter.getFunctionType(entry.getArgumentTypes(), {}));
    }
    return workspaceArgument;
  }

  LogicalResult inWorkspace(memref::AllocOp alloc) {
    FailureOr<LaunchExpr> bytes = bytesOf(alloc);
    if (failed(bytes))
      return failure();
    Location loc = alloc.getLoc();
    rewriter.setInsertionPointToStart(&func.getBody().front());
    SmallVector<Value> values = constants.values(rewriter, loc);
    LaunchExpr begin = workspaceBytes.empty() ? LaunchExpr::literal(0) : workspaceBytes;
    Value position = buildExpr(rewriter, loc, begin, values), size = buildExpr(rewriter, loc, *bytes, values);

    // Tiles of one launch run side by side: each has its own region.
    LaunchExpr regions = LaunchExpr::literal(1);
    rewriter.setInsertionPoint(alloc);
    if (auto forall = topForall(alloc)) {
      Value index = rewriter.create<arith::ConstantIndexOp>(loc, 0);
      for (auto [id, count] : llvm::zip_equal(forall.getInductionVars(), forall.getMixedUpperBound())) {
        std::optional<LaunchExpr> extent = constants.express(count);
        if (!extent)
          return forall.emitError("number of tiles is not a function of the launch's constants");
        regions = multiply(regions, *extent);
        index =
            rewriter.create<arith::MulIOp>(loc, index, getValueOrCreateConstantIndexOp(rewriter, loc, count));
        index = rewriter.create<arith::AddIOp>(loc, index, id);
      }
      position =
          rewriter.create<arith::AddIOp>(loc, position, rewriter.create<arith::MulIOp>(loc, index, size));
    }
    workspaceBytes = add(workspaceBytes, multiply(*bytes, regions));
    rewriter.replaceOpWithNewOp<memref::ViewOp>(alloc, alloc.getType(), workspace(), position,
                                                alloc.getDynamicSizes());
    return success();
  }

  scf::ForallOp topForall(Operation *op) {
    scf::ForallOp found;
    for (auto forall = op->getParentOfType<scf::ForallOp>(); forall;
         forall = forall->getParentOfType<scf::ForallOp>())
      found = forall;
    return found;
  }

  func::FuncOp func;
  IRRewriter rewriter;
  LaunchConstants constants;
  int64_t stackBytes;
  LaunchExpr workspaceBytes; // so far
  Value workspaceArgument;
};

struct TemporariesPass : impl::TemporariesPassBase<TemporariesPass> {
  using TemporariesPassBase::TemporariesPassBase;

  void runOnOperation() override {
    if (getOperation()->hasAttr("kiln.kernel") && failed(StackLayout(getOperation(), stackBytes).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace kiln::host
