// TileSpace.cpp: propagates the root's loops through indexing maps to producers; a loop that two consumers
// disagree on, or that would make an expensive producer run more than once, leaves the tile space, and it
// starts again.
#include "backends/host/Transforms/TileSpace.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::host {
namespace {

/// Bodies up to this many ops may be computed again for another tile.
constexpr unsigned kCheapOps = 4;

unsigned weightOf(linalg::LinalgOp op) {
  unsigned ops = 0;
  for (Operation &inner : op.getBlock()->without_terminator())
    ops += isa<math::MathDialect>(inner.getDialect()) ? 10 : 1;
  return ops;
}

bool isExpensive(linalg::LinalgOp op) { return op.getNumReductionLoops() > 0 || weightOf(op) > kCheapOps; }

} // namespace

SmallVector<bufferization::MaterializeInDestinationOp> resultWrites(func::FuncOp func) {
  SmallVector<bufferization::MaterializeInDestinationOp> writes;
  for (auto write : func.getOps<bufferization::MaterializeInDestinationOp>())
    if (isa<MemRefType>(write.getDest().getType()))
      writes.push_back(write);
  return writes;
}

bool isMadeInPlace(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (isa<scf::SCFDialect>(op->getDialect()) ||
                isa<tensor::InsertOp, bufferization::MaterializeInDestinationOp>(op));
}

linalg::LinalgOp fusibleProducer(Value value, Block *block) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  return op && op->getBlock() == block && op.hasPureTensorSemantics() ? op : linalg::LinalgOp();
}

TileSpace::TileSpace(linalg::LinalgOp root) : theRoot(root) {
  for (auto [i, type] : llvm::enumerate(root.getIteratorTypesArray()))
    if (type == utils::IteratorType::parallel)
      theLoops.push_back(i);
  // Every result must follow all loops that are cut: a tile writes its own part and nothing else.
  for (OpOperand &init : root.getDpsInitsMutable()) {
    AffineMap map = root.getMatchingIndexingMap(&init);
    llvm::erase_if(theLoops, [&](unsigned loop) {
      return llvm::none_of(map.getResults(), [&](AffineExpr expr) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        return dim && dim.getPosition() == loop;
      });
    });
  }
  while (!propagate()) {
  }
  // Each op behind all its consumers.
  SmallVector<std::pair<Operation *, Follows>> entries(theOps.takeVector());
  llvm::sort(entries, [](const auto &a, const auto &b) { return b.first->isBeforeInBlock(a.first); });
  for (auto &[op, follows] : entries)
    theOps.insert({op, std::move(follows)});
}

bool TileSpace::drop(int loop) {
  llvm::erase(theLoops, static_cast<unsigned>(loop));
  return false;
}

/// One attempt with the present loops; false if it dropped one.
bool TileSpace::propagate() {
  theOps.clear();
  Follows own(theRoot.getNumLoops(), kWhole);
  for (unsigned loop : theLoops)
    own[loop] = loop;
  theOps[theRoot] = own;

  // Reverse order of the block: all consumers of an op are seen before it.
  for (Operation *op = theRoot; op; op = op->getPrevNode()) {
    auto found = theOps.find(op);
    if (found == theOps.end())
      continue;
    Follows follows = found->second;
    auto consumer = cast<linalg::LinalgOp>(op);
    for (OpOperand &use : op->getOpOperands()) {
      linalg::LinalgOp producer = fusibleProducer(use.get(), op->getBlock());
      if (!producer)
        continue;
      SmallVector<int> dims;
      for (AffineExpr expr : consumer.getMatchingIndexingMap(&use).getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (!dim)
          for (unsigned loop = 0; loop < follows.size(); ++loop)
            if (follows[loop] != kWhole && expr.isFunctionOfDim(loop))
              return drop(follows[loop]); // a window: tiles of the producer would overlap
        dims.push_back(dim ? follows[dim.getPosition()] : kWhole);
      }
      if (!request(producer, cast<OpResult>(use.get()).getResultNumber(), dims))
        return false;
    }
  }
  for (auto &[op, follows] : theOps)
    if (op != theRoot && isExpensive(cast<linalg::LinalgOp>(op)))
      for (unsigned loop : theLoops)
        if (!llvm::is_contained(follows, static_cast<int>(loop)))
          return drop(loop);
  return true;
}

/// Asks `producer` for a tile of its result whose dimension i follows dims[i].
bool TileSpace::request(linalg::LinalgOp producer, unsigned result, ArrayRef<int> dims) {
  AffineMap map = producer.getMatchingIndexingMap(producer.getDpsInitOperand(result));
  Follows follows(producer.getNumLoops(), kWhole);
  for (auto [expr, loop] : llvm::zip_equal(map.getResults(), dims)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim)
      follows[dim.getPosition()] = loop;
    else if (loop != kWhole)
      return drop(loop);
  }
  auto [entry, isNew] = theOps.insert({producer, follows});
  if (isNew)
    return true;
  for (auto [before, now] : llvm::zip_equal(entry->second, follows))
    if (before != now)
      return drop(before != kWhole ? before : now);
  return true;
}

bool TileSpace::hasReduction() const {
  return llvm::any_of(
      theOps, [](auto &entry) { return cast<linalg::LinalgOp>(entry.first).getNumReductionLoops() > 0; });
}

int64_t TileSpace::workPerPoint(int64_t unknown) const {
  int64_t most = 1;
  for (auto &[op, follows] : theOps) {
    int64_t work = 1;
    for (auto [loop, extent] : llvm::enumerate(cast<linalg::LinalgOp>(op).getStaticLoopRanges()))
      if (follows[loop] == kWhole)
        work *= std::max<int64_t>(1, ShapedType::isDynamic(extent) ? unknown : extent);
    most = std::max(most, work);
  }
  return most;
}

unsigned TileSpace::bodyOps() const {
  unsigned ops = 0;
  for (auto &[op, follows] : theOps)
    ops += weightOf(cast<linalg::LinalgOp>(op));
  return ops;
}

} // namespace kiln::host
