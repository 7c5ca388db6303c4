// Contraction.cpp: roles of loops from the indexing maps; tile sizes from the machine's register tile.
#include "backends/host/Transforms/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln::host {
namespace {

/// Multiply-adds of a tile: long enough that dispatching one (~0.1 us, assumed) does not show.
constexpr int64_t kTileWork = 2 << 20;
/// Tiles that a kernel is cut into if that leaves them kTileWork: a few for each thread of a desktop.
constexpr int64_t kTiles = 32;

/// Columns of a tile that streams a matrix by rows: two pages of f32, at least kStreamTiles tiles if there
/// are enough.
constexpr int64_t kStreamColumns = 2048;
constexpr int64_t kStreamTiles = 8;
/// Panels of a tile that multiplies them by one row: as many as a register tile takes side by side.
constexpr int64_t kFewestPanels = 6;

/// The block argument that `value` is, looking through one widening.
BlockArgument factor(Value value) {
  if (Operation *op = value.getDefiningOp(); op && isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    value = op->getOperand(0);
  return dyn_cast<BlockArgument>(value);
}

/// A tile of about `most`: a divisor of the extent if there is one of half that, so that all tiles are alike;
/// else such that the last one is about as long as the others, and a multiple of `unit`.
int64_t evenTile(int64_t extent, int64_t most, int64_t unit) {
  if (extent <= most)
    return extent;
  for (int64_t size = most / unit * unit; 2 * size >= most && size > 0; size -= unit)
    if (extent % size == 0)
      return size;
  int64_t tiles = llvm::divideCeil(extent, most);
  return std::min<int64_t>(llvm::alignTo(llvm::divideCeil(extent, tiles), unit), extent);
}

} // namespace

bool isSumOfProducts(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return false;
  Block &body = *op.getBlock();
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!sum || !isa<arith::AddFOp, arith::AddIOp>(sum))
    return false;
  BlockArgument accumulator = body.getArgument(2);
  for (unsigned side : {0, 1}) {
    Operation *product = sum->getOperand(1 - side).getDefiningOp();
    if (sum->getOperand(side) != accumulator || !product || !isa<arith::MulFOp, arith::MulIOp>(product))
      continue;
    BlockArgument a = factor(product->getOperand(0)), b = factor(product->getOperand(1));
    return a && b && a.getOwner() == &body && b.getOwner() == &body && a != b && a != accumulator &&
           b != accumulator;
  }
  return false;
}

bool isSumOfShortProducts(linalg::LinalgOp op) {
  if (!isSumOfProducts(op) || !getElementTypeOrSelf(op.getDpsInits()[0].getType()).isInteger(32))
    return false;
  Block &body = *op.getBlock();
  return llvm::all_of(body.getArguments().take_front(2), [](BlockArgument factor) {
    Operation *widening = factor.hasOneUse() ? *factor.user_begin() : nullptr;
    return (factor.getType().isInteger(8) && isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(widening)) ||
           (factor.getType().isInteger(16) && isa_and_nonnull<arith::ExtSIOp>(widening));
  });
}

std::optional<Contraction> Contraction::match(Operation *operation) {
  auto op = dyn_cast<linalg::LinalgOp>(operation);
  if (!op || !isSumOfProducts(op))
    return std::nullopt;
  Contraction contraction{op, {}, 0, 1, 0};
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (maps[2].getNumResults() == 0 || !maps[2].isProjectedPermutation(/*allowZeroInResults=*/true))
    return std::nullopt;
  auto contiguous = dyn_cast<AffineDimExpr>(maps[2].getResults().back());
  if (!contiguous)
    return std::nullopt;
  contraction.vectorLoop = contiguous.getPosition();
  bool inFirst = maps[0].isFunctionOfDim(contraction.vectorLoop);
  if (inFirst == maps[1].isFunctionOfDim(contraction.vectorLoop))
    return std::nullopt;
  if (inFirst)
    std::swap(contraction.left, contraction.right);
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool inLeft = maps[contraction.left].isFunctionOfDim(loop),
         inRight = maps[contraction.right].isFunctionOfDim(loop);
    bool inResult = maps[2].isFunctionOfDim(loop);
    if (inResult != (type == utils::IteratorType::parallel) || (!inResult && !(inLeft && inRight)) ||
        (!inLeft && !inRight))
      return std::nullopt;
    contraction.roles.push_back(!inResult           ? Role::Sum
                                : inLeft && inRight ? Role::Batch
                                : inLeft            ? Role::Rows
                                                    : Role::Columns);
  }
  return contraction;
}

SmallVector<unsigned> Contraction::loops(Role role) const {
  SmallVector<unsigned> found;
  for (auto [loop, own] : llvm::enumerate(roles))
    if (own == role)
      found.push_back(loop);
  return found;
}

int64_t Contraction::extent(Role role, int64_t unknown) const {
  SmallVector<int64_t> ranges = linalg::LinalgOp(op).getStaticLoopRanges();
  int64_t product = 1;
  for (unsigned loop : loops(role))
    product *= ShapedType::isDynamic(ranges[loop]) ? unknown : std::max<int64_t>(1, ranges[loop]);
  return product;
}

ContractionBlocking ContractionBlocking::make(unsigned vectorBits, unsigned registers, unsigned elementBits) {
  // MR x NR / VL + NR / VL + 1 registers: 6 x 2 vectors of 16, 12 x 2 of 32 (docs/host-codegen.md).
  int64_t lanes = std::max(1u, vectorBits / std::max(8u, elementBits));
  return {registers >= 32 ? 12 : 6, 2 * lanes, 256};
}

bool Contraction::streamsRows() const {
  SmallVector<unsigned> sums = loops(Role::Sum);
  AffineMap map = linalg::LinalgOp(op).getIndexingMapsArray()[right];
  return loops(Role::Rows).empty() && loops(Role::Batch).empty() && sums.size() == 1 &&
         loops(Role::Columns).size() == 1 && map.getNumResults() == 2 && map.isProjectedPermutation() &&
         map.getDimPosition(0) == sums.front() && map.getDimPosition(1) == vectorLoop;
}

/// Whether columns are cut into panels as wide as a register tile: packed once, in the program's prologue.
static bool isInPanels(Contraction contraction, const ContractionBlocking &blocking) {
  return contraction.loops(Role::Columns).size() == 2 &&
         contraction.op.getStaticLoopRanges()[contraction.vectorLoop] == blocking.columns &&
         contraction.op.getIndexingMapsArray()[contraction.right].isProjectedPermutation();
}

/// Tiles of a vector's product with a matrix in panels: some of them.
static SmallVector<int64_t> panelTileSizes(const TileSpace &space, Contraction contraction,
                                           const TileSpace::Follows &follows) {
  SmallVector<int64_t> sizes(linalg::LinalgOp(space.root()).getNumLoops(), 0);
  unsigned loop = contraction.loops(Role::Columns).front();
  int64_t panels = contraction.op.getStaticLoopRanges()[loop];
  int64_t size = evenTile(panels, std::max(panels / kStreamTiles, kFewestPanels), 1);
  if (follows[loop] != TileSpace::kWhole && size < panels)
    sizes[follows[loop]] = size;
  return sizes;
}

/// Tiles of a vector's product with a matrix: wide, so that the matrix is read in long pieces of its rows.
static std::optional<SmallVector<int64_t>> streamTileSizes(const TileSpace &space, Contraction contraction,
                                                           const TileSpace::Follows &follows,
                                                           unsigned vectorBits) {
  int64_t columns = contraction.op.getStaticLoopRanges()[contraction.vectorLoop];
  int64_t strip = 8 * vectorBits /
                  getElementTypeOrSelf(contraction.op.getDpsInits()[0].getType()).getIntOrFloatBitWidth();
  if (!contraction.streamsRows() || follows[contraction.vectorLoop] == TileSpace::kWhole ||
      ShapedType::isDynamic(columns))
    return std::nullopt;
  SmallVector<int64_t> sizes(linalg::LinalgOp(space.root()).getNumLoops(), 0);
  int64_t size = evenTile(columns, std::clamp<int64_t>(columns / kStreamTiles, strip, kStreamColumns), strip);
  sizes[follows[contraction.vectorLoop]] = size < columns ? size : 0;
  return sizes;
}

std::optional<SmallVector<int64_t>> contractionTileSizes(const TileSpace &space, unsigned vectorBits) {
  std::optional<Contraction> found;
  const TileSpace::Follows *follows = nullptr;
  for (auto &[op, loops] : space.ops())
    if (auto contraction = Contraction::match(op)) {
      if (found)
        return std::nullopt; // two in a row (attention): rows decide
      found = contraction;
      follows = &loops;
    }
  if (!found)
    return std::nullopt;
  unsigned bits = getElementTypeOrSelf(found->op.getDpsInits()[0].getType()).getIntOrFloatBitWidth();
  ContractionBlocking blocking = ContractionBlocking::make(vectorBits, vectorBits >= 512 ? 32 : 16, bits);
  bool inPanels = isInPanels(*found, blocking);
  if (found->loops(Role::Rows).empty()) // nothing is read twice that a register tile would keep
    return inPanels ? panelTileSizes(space, *found, *follows)
                    : streamTileSizes(space, *found, *follows, vectorBits);

  linalg::LinalgOp root = space.root();
  SmallVector<int64_t> ranges = found->op.getStaticLoopRanges(), sizes(root.getNumLoops(), 0);
  auto known = [&](unsigned loop) {
    return ShapedType::isDynamic(ranges[loop]) ? kAssumedExtent : std::max<int64_t>(1, ranges[loop]);
  };
  int64_t depth = found->extent(Role::Sum, kAssumedExtent);
  int64_t work = depth * found->extent(Role::Batch, 1) * found->extent(Role::Rows, kAssumedExtent) *
                 found->extent(Role::Columns, kAssumedExtent);
  int64_t tileWork = std::max(kTileWork, work / kTiles);

  // Columns first: from the contiguous loop outwards up to a few register tiles, whole rows of an image at a
  // time. A block of them, packed, fits the stack, where every tile finds it in the cache again.
  SmallVector<unsigned> columnLoops = found->loops(Role::Columns);
  int64_t columns = 1, columnTarget = (columnLoops.size() > 1 && !inPanels ? 4 : 2) * blocking.columns;
  for (unsigned loop : llvm::reverse(columnLoops)) {
    int64_t most = std::max<int64_t>(1, columnTarget / columns);
    bool contiguous = loop == found->vectorLoop;
    int64_t size = evenTile(known(loop), contiguous ? std::max(most, 2 * blocking.columns) : most,
                            contiguous ? blocking.columns : 1);
    if ((*follows)[loop] == TileSpace::kWhole)
      size = known(loop);
    else if (ShapedType::isDynamic(ranges[loop]) || size < known(loop))
      sizes[(*follows)[loop]] = size;
    columns *= size;
  }
  // Rows until the tile is worth its dispatch, at least some register tiles: columns of B are read once for
  // them.
  int64_t rows = 1;
  int64_t rowTarget = std::max<int64_t>(4 * blocking.rows, llvm::divideCeil(tileWork, columns * depth));
  for (unsigned loop : llvm::reverse(found->loops(Role::Rows))) {
    int64_t most = std::max<int64_t>(1, rowTarget / rows);
    int64_t size = evenTile(known(loop), most, rows == 1 ? blocking.rows : 1);
    if ((*follows)[loop] == TileSpace::kWhole)
      size = known(loop);
    else if (ShapedType::isDynamic(ranges[loop]) || size < known(loop))
      sizes[(*follows)[loop]] = size;
    rows *= size;
  }
  int64_t batch = std::max<int64_t>(1, tileWork / (rows * columns * depth));
  for (unsigned loop : llvm::reverse(found->loops(Role::Batch))) {
    int64_t size = std::min(known(loop), batch);
    batch = std::max<int64_t>(1, batch / size);
    if ((*follows)[loop] != TileSpace::kWhole && (ShapedType::isDynamic(ranges[loop]) || size < known(loop)))
      sizes[(*follows)[loop]] = size;
  }
  return sizes;
}

} // namespace kiln::host
