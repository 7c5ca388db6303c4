// Vectorize.cpp: structured ops on buffers -> loops over vector code.
#include "backends/host/Transforms/NestEmitter.h"
#include "backends/host/Transforms/Passes.h"
#include "backends/host/Transforms/TemplateName.h"
#include "backends/host/Transforms/TileSpace.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_VECTORIZEPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

/// A copy as a nest, so that it is vectorized as any other.
linalg::GenericOp copyAsNest(RewriterBase &rewriter, memref::CopyOp copy) {
  auto type = cast<MemRefType>(copy.getTarget().getType());
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  return rewriter.create<linalg::GenericOp>(copy.getLoc(), copy.getSource(), copy.getTarget(),
                                            ArrayRef<AffineMap>{identity, identity}, loops,
                                            [](OpBuilder &builder, Location loc, ValueRange args) {
                                              builder.create<linalg::YieldOp>(loc, args[0]);
                                            });
}

/// linalg.map, whose body has no argument for the output, as a nest.
linalg::GenericOp mapAsNest(RewriterBase &rewriter, linalg::MapOp map) {
  unsigned rank = cast<MemRefType>(map.getInit().getType()).getRank();
  SmallVector<AffineMap> maps(map.getInputs().size() + 1, rewriter.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return rewriter.create<linalg::GenericOp>(map.getLoc(), map.getInputs(), map.getInit(), maps, loops,
                                            [&](OpBuilder &builder, Location loc, ValueRange args) {
                                              IRMapping values;
                                              values.map(map.getMapper().front().getArguments(),
                                                         args.drop_back());
                                              for (Operation &op : map.getMapper().front())
                                                builder.clone(op, values);
                                            });
}

/// Index arithmetic of the body as plain ops, which work on vectors.
LogicalResult expandIndexMaps(RewriterBase &rewriter, linalg::GenericOp op) {
  for (auto apply : llvm::to_vector(op.getBody()->getOps<affine::AffineApplyOp>())) {
    rewriter.setInsertionPoint(apply);
    auto values = affine::expandAffineMap(rewriter, apply.getLoc(), apply.getAffineMap(),
                                          llvm::to_vector(apply.getMapOperands()));
    if (!values)
      return apply.emitError("cannot be expanded");
    rewriter.replaceOp(apply, *values);
  }
  return success();
}

/// Iterations by how they are done, about: what a profile's template stands for is the larger part.
struct Work {
  double vector = 0, scalar = 0;
};

LogicalResult vectorize(RewriterBase &rewriter, linalg::GenericOp op, const VectorTarget &target,
                        Work &work) {
  if (failed(expandIndexMaps(rewriter, op)))
    return failure();
  FailureOr<LoopNest> nest = LoopNest::analyse(op);
  if (failed(nest))
    return op.emitError("operands are not strided buffers; expected static or strided memrefs and scalars");
  NestPlan plan = NestPlan::make(*nest, target);
  double iterations = 1 + nest->bodyOps;
  for (int64_t extent : nest->extents)
    iterations *= ShapedType::isDynamic(extent) ? kAssumedExtent : extent;
  (plan.vectorLoop ? work.vector : work.scalar) += iterations;
  rewriter.setInsertionPoint(op);
  NestEmitter(*nest, plan, rewriter).emit();
  rewriter.eraseOp(op);
  return success();
}

struct VectorizePass : impl::VectorizePassBase<VectorizePass> {
  using VectorizePassBase::VectorizePassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> nests;
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, memref::CopyOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
        nests.push_back(generic);
      } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
        nests.push_back(copyAsNest(rewriter, copy));
        rewriter.eraseOp(copy);
      } else if (auto map = dyn_cast<linalg::MapOp>(op)) {
        nests.push_back(mapAsNest(rewriter, map));
        rewriter.eraseOp(map);
      } else if (FailureOr<linalg::GenericOp> made =
                     linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op));
                 succeeded(made)) {
        nests.push_back(*made);
      } else {
        op->emitError("has no generic form");
        return signalPassFailure();
      }
    }
    VectorTarget target{vectorBits, registers, maskWords, maskBytes};
    Work work;
    for (linalg::GenericOp nest : nests)
      if (failed(vectorize(rewriter, nest, target, work)))
        return signalPassFailure();
    if (work.scalar > work.vector && getOperation()->getAttr(kTemplateAttr) != rewriter.getStringAttr("loop"))
      getOperation()->setAttr(kTemplateAttr, rewriter.getStringAttr("scalar"));
  }
};

} // namespace
} // namespace kiln::host
