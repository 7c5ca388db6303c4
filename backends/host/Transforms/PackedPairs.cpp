// PackedPairs.cpp: copies that widen to i16 and interleave two steps of the sum; an odd last one meets zeros.
#include "backends/host/Transforms/PackedPairs.h"

#include "backends/host/Transforms/SizeBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::host {
namespace {

/// Rows of the result from which on the columns' copy costs less than it saves.
constexpr int64_t kFewestRows = 4;
/// Rows of a temporary that are this many bytes apart (or a multiple) share few sets of the L1 cache.
constexpr int64_t kPoorStrideBytes = 256;
constexpr int64_t kLineBytes = 64;

/// Whether an operand's elements of neighbouring pairs' halves are neighbours: its last dimension is `loop`.
bool isLast(AffineMap map, unsigned loop) {
  return map.getNumResults() > 0 && map.getResults().back() == getAffineDimExpr(loop, map.getContext());
}

bool isDenseInside(Value buffer) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(getStridesAndOffset(cast<MemRefType>(buffer.getType()), strides, offset)) &&
         !strides.empty() && strides.back() == 1;
}

bool isShort(Value buffer) { return cast<MemRefType>(buffer.getType()).getElementType().isInteger(16); }

} // namespace

Value makeTemporary(RewriterBase &rewriter, Location loc, ArrayRef<OpFoldResult> sizes, Type element,
                    std::optional<unsigned> spread) {
  SmallVector<OpFoldResult> bounds = upperBounds(rewriter, sizes);
  // Rows of a power of two bytes would meet in few sets of the L1 cache: they stand a line further apart.
  if (spread) {
    int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
    bool known = true;
    for (OpFoldResult bound : ArrayRef(bounds).drop_front(*spread + 1)) {
      known &= getConstantIntValue(bound).has_value();
      bytes *= getConstantIntValue(bound).value_or(1);
    }
    std::optional<int64_t> row = getConstantIntValue(bounds[*spread]);
    if (known && row && *row * bytes % kPoorStrideBytes == 0)
      bounds[*spread] = rewriter.getIndexAttr(*row + kLineBytes / bytes);
  }
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(bounds, dynamic, shape);
  Value buffer = rewriter.create<memref::AllocOp>(loc, MemRefType::get(shape, element), dynamic);
  if (llvm::equal(bounds, sizes))
    return buffer;
  SmallVector<OpFoldResult> zeros(sizes.size(), rewriter.getIndexAttr(0)),
      ones(sizes.size(), rewriter.getIndexAttr(1));
  return rewriter.create<memref::SubViewOp>(loc, buffer, zeros, sizes, ones);
}

bool PairPacker::isPaired(const Contraction &contraction) {
  linalg::LinalgOp op = contraction.op;
  if (!isSumOfShortProducts(op))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return llvm::any_of(contraction.loops(Role::Sum), [&](unsigned loop) {
    return ranges[loop] == 2 && isLast(maps[0], loop) && isLast(maps[1], loop) &&
           isDenseInside(op.getDpsInputs()[0]) && isDenseInside(op.getDpsInputs()[1]);
  });
}

std::optional<unsigned> PairPacker::loopOf(const Contraction &contraction) {
  linalg::LinalgOp op = contraction.op;
  if (!isSumOfShortProducts(op) || isPaired(contraction) || !contraction.loops(Role::Batch).empty() ||
      contraction.extent(Role::Rows, kAssumedExtent) < kFewestRows)
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned loop : contraction.loops(Role::Sum)) {
    AffineExpr dim = getAffineDimExpr(loop, op.getContext());
    bool plain = llvm::all_of(ArrayRef(maps).take_front(2), [&](AffineMap map) {
      return llvm::all_of(map.getResults(),
                          [&](AffineExpr expr) { return expr == dim || !expr.isFunctionOfDim(loop); });
    });
    if (int64_t extent = op.getStaticLoopRanges()[loop]; plain && extent >= 2) // known, too
      return loop;
  }
  return std::nullopt;
}

/// The extent of a loop that is a dimension of some operand by itself.
OpFoldResult PairPacker::sizeOf(unsigned loop) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> operands{op.getDpsInputs()[0], op.getDpsInputs()[1], op.getDpsInits()[0]};
  operands[contraction.left] = left;
  operands[contraction.right] = right;
  for (unsigned number : {contraction.right, 2u, contraction.left})
    for (auto [i, expr] : llvm::enumerate(maps[number].getResults()))
      if (expr == rewriter.getAffineDimExpr(loop))
        return memref::getMixedSize(rewriter, loc, operands[number], i);
  llvm_unreachable("linalg verifies that every loop is bounded by an operand");
}

Value PairPacker::widened(OpBuilder &builder, Value number, unsigned factor, Type to) {
  if (number.getType() == to)
    return number;
  bool isUnsigned = isa<arith::ExtUIOp>(*op.getBlock()->getArgument(factor).user_begin()) &&
                    number.getType().isInteger(8); // what was widened before has a sign
  return isUnsigned ? builder.create<arith::ExtUIOp>(loc, to, number).getResult()
                    : builder.create<arith::ExtSIOp>(loc, to, number).getResult();
}

void PairPacker::copy(Value from, AffineMap map, Value to, unsigned number) {
  unsigned loops = map.getNumDims();
  SmallVector<utils::IteratorType> parallel(loops, utils::IteratorType::parallel);
  rewriter.create<linalg::GenericOp>(
      loc, from, to, ArrayRef<AffineMap>{map, rewriter.getMultiDimIdentityMap(loops)}, parallel,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        builder.create<linalg::YieldOp>(loc, widened(builder, args[0], number, builder.getI16Type()));
      });
}

/// A copy of a factor as i16, with the loops `order` and that inside a pair as its dimensions. Its pairs are
/// along `sum`, or along its last loop already.
PairPacker::Factor PairPacker::packed(unsigned number, ArrayRef<unsigned> order, std::optional<unsigned> sum,
                                      std::optional<unsigned> spread) {
  Value from = number == contraction.left ? left : right;
  AffineMap map = op.getIndexingMapsArray()[number];
  unsigned rank = order.size() + sum.has_value();
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> renumbered(map.getNumDims(), rewriter.getAffineConstantExpr(0)), exprs;
  int64_t extent = 0;
  size_t along = 0;
  AffineExpr half = rewriter.getAffineDimExpr(rank - 1);
  for (auto [i, loop] : llvm::enumerate(order)) {
    renumbered[loop] = rewriter.getAffineDimExpr(i);
    exprs.push_back(rewriter.getAffineDimExpr(loop));
    sizes.push_back(sizeOf(loop));
    if (sum != loop)
      continue;
    along = i;
    extent = *getConstantIntValue(sizes.back());
    renumbered[loop] = renumbered[loop] * 2 + half;
    sizes.back() = rewriter.getIndexAttr(llvm::divideCeil(extent, 2));
  }
  unsigned loops = op.getNumLoops();
  if (sum) {
    sizes.push_back(rewriter.getIndexAttr(2));
    exprs.push_back(rewriter.getAffineDimExpr(loops++));
  }
  Value buffer = makeTemporary(rewriter, loc, sizes, rewriter.getI16Type(), spread);
  AffineMap index = map.replaceDimsAndSymbols(renumbered, {}, rank, 0);
  AffineMap all = AffineMap::get(loops, 0, exprs, rewriter.getContext());
  if (extent % 2 == 0) {
    copy(from, index, buffer, number);
    return {buffer, all};
  }
  // The odd one beside a zero.
  SmallVector<OpFoldResult> offsets(rank, rewriter.getIndexAttr(0)), ones(rank, rewriter.getIndexAttr(1));
  SmallVector<OpFoldResult> some(sizes);
  some[along] = rewriter.getIndexAttr(extent / 2);
  auto view = [&] { return rewriter.create<memref::SubViewOp>(loc, buffer, offsets, some, ones); };
  if (extent > 1)
    copy(from, index, view(), number);
  offsets[along] = rewriter.getIndexAttr(extent / 2);
  some[along] = some.back() = rewriter.getIndexAttr(1);
  renumbered[*sum] = rewriter.getAffineConstantExpr(extent - 1);
  copy(from, map.replaceDimsAndSymbols(renumbered, {}, rank, 0), view(), number);
  offsets.back() = rewriter.getIndexAttr(1);
  Value zero = rewriter.create<arith::ConstantOp>(loc, rewriter.getI16IntegerAttr(0));
  rewriter.create<linalg::FillOp>(loc, zero, Value(view()));
  return {buffer, all};
}

linalg::GenericOp PairPacker::product(Factor a, Factor b, unsigned loops) {
  SmallVector<Value> inputs(2);
  SmallVector<AffineMap> maps(2);
  inputs[contraction.left] = a.buffer, maps[contraction.left] = a.map;
  inputs[contraction.right] = b.buffer, maps[contraction.right] = b.map;
  AffineMap result = op.getIndexingMapsArray()[2];
  maps.push_back(AffineMap::get(loops, 0, result.getResults(), rewriter.getContext()));
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.resize(loops, utils::IteratorType::reduction);
  return rewriter.create<linalg::GenericOp>(
      loc, TypeRange(), inputs, op.getDpsInits(), maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Type sum = args[2].getType();
        Value pair[2];
        for (unsigned factor : {0u, 1u})
          pair[factor] = widened(builder, args[factor], factor, sum);
        Value product = builder.create<arith::MulIOp>(loc, pair[0], pair[1]);
        builder.create<linalg::YieldOp>(loc,
                                        builder.create<arith::AddIOp>(loc, args[2], product).getResult());
      });
}

/// Whether the left factor's elements follow each other in the order of the sum's loops, an even number of
/// them: as the filters of a convolution do.
bool PairPacker::isFlat() {
  SmallVector<unsigned> sums = contraction.loops(Role::Sum);
  AffineMap map = op.getIndexingMapsArray()[contraction.left];
  unsigned first = op.getNumLoops() - sums.size();
  if (sums.size() < 2 || sums.front() != first || map.getNumResults() < sums.size())
    return false;
  int64_t count = 1;
  for (auto [loop, expr] : llvm::zip_equal(sums, map.getResults().take_back(sums.size()))) {
    std::optional<int64_t> size = getConstantIntValue(sizeOf(loop));
    if (!size || expr != rewriter.getAffineDimExpr(loop))
      return false;
    count *= *size;
  }
  return count % 2 == 0 && map.isProjectedPermutation();
}

/// Pairs along the sum's loops as one: only the right factor is interleaved, once its windows are copied.
linalg::GenericOp PairPacker::runFlat() {
  SmallVector<unsigned> sums = contraction.loops(Role::Sum), columns = contraction.loops(Role::Columns);
  auto flattened = [&](Value buffer, size_t begin) { // its dimensions [begin, begin + sums)
    SmallVector<ReassociationIndices> groups;
    for (int64_t i = 0, e = cast<MemRefType>(buffer.getType()).getRank(); i < e; ++i)
      if (i > int64_t(begin) && i < int64_t(begin + sums.size()))
        groups.back().push_back(i);
      else
        groups.push_back({i});
    bool can = memref::CollapseShapeOp::isGuaranteedCollapsible(cast<MemRefType>(buffer.getType()), groups);
    return can ? rewriter.create<memref::CollapseShapeOp>(loc, buffer, groups).getResult() : Value();
  };
  SmallVector<unsigned> order(sums);
  order.append(columns);
  Value windows = flattened(packed(contraction.right, order, std::nullopt, std::nullopt).buffer, 0);
  Factor a{left, op.getIndexingMapsArray()[contraction.left]};
  size_t rows = a.map.getNumResults() - sums.size();
  a.buffer = isShort(left) ? flattened(left, rows) : Value();
  if (!a.buffer) {
    SmallVector<unsigned> all;
    for (AffineExpr expr : a.map.getResults())
      all.push_back(cast<AffineDimExpr>(expr).getPosition());
    a.buffer = flattened(packed(contraction.left, all, std::nullopt, std::nullopt).buffer, rows);
  }
  if (!windows || !a.buffer)
    return {};

  unsigned loop = sums.front(), loops = loop + 2, rank = columns.size() + 2;
  AffineExpr pair = rewriter.getAffineDimExpr(loop), half = rewriter.getAffineDimExpr(loop + 1);
  int64_t steps = cast<MemRefType>(windows.getType()).getDimSize(0);
  SmallVector<OpFoldResult> sizes{rewriter.getIndexAttr(steps / 2)};
  SmallVector<AffineExpr> from{rewriter.getAffineDimExpr(0) * 2 + rewriter.getAffineDimExpr(rank - 1)},
      to{pair}, ofLeft(a.map.getResults().take_front(rows));
  for (auto [i, column] : llvm::enumerate(columns)) {
    from.push_back(rewriter.getAffineDimExpr(i + 1));
    to.push_back(rewriter.getAffineDimExpr(column));
    sizes.push_back(sizeOf(column)); // of the op itself: its bound is known
  }
  to.push_back(half);
  sizes.push_back(rewriter.getIndexAttr(2));
  ofLeft.push_back(pair * 2 + half);
  Value buffer = makeTemporary(rewriter, loc, sizes, rewriter.getI16Type(),
                               columns.size() == 1 ? std::optional(1u) : std::nullopt);
  copy(windows, AffineMap::get(rank, 0, from, rewriter.getContext()), buffer, contraction.right);
  a.map = AffineMap::get(loops, 0, ofLeft, rewriter.getContext());
  return product(a, {buffer, AffineMap::get(loops, 0, to, rewriter.getContext())}, loops);
}

linalg::GenericOp PairPacker::run(unsigned sum) {
  if (isFlat())
    if (linalg::GenericOp flat = runFlat())
      return flat;
  SmallVector<unsigned> sums = contraction.loops(Role::Sum), rows = contraction.loops(Role::Rows);
  SmallVector<unsigned> columns = contraction.loops(Role::Columns), order(sums);
  order.append(columns);
  std::optional<unsigned> spread;
  if (columns.size() == 1)
    spread = order.size() - 1;
  Factor b = packed(contraction.right, order, sum, spread);

  // Neighbours along the sum are pairs as they are, once they are 16-bit numbers.
  unsigned loops = op.getNumLoops() + 1;
  Factor a{left, op.getIndexingMapsArray()[contraction.left]};
  rows.append(sums);
  if (sums.size() > 1 || !isLast(a.map, sum) || *getConstantIntValue(sizeOf(sum)) % 2 != 0)
    return product(packed(contraction.left, rows, sum, std::nullopt), b, loops);
  if (!isShort(left) || !isDenseInside(left))
    a = packed(contraction.left, rows, std::nullopt, std::nullopt);
  SmallVector<AffineExpr> exprs(a.map.getResults());
  exprs.back() = exprs.back() * 2 + rewriter.getAffineDimExpr(loops - 1);
  a.map = AffineMap::get(loops, 0, exprs, rewriter.getContext());
  return product(a, b, loops);
}

linalg::GenericOp PairPacker::runPaired() {
  AffineMap map = op.getIndexingMapsArray()[contraction.left];
  Factor a{left, map}, b{right, op.getIndexingMapsArray()[contraction.right]};
  SmallVector<unsigned> order = contraction.loops(Role::Rows);
  order.append(contraction.loops(Role::Sum));
  if (!isShort(left) && contraction.loops(Role::Batch).empty())
    a = packed(contraction.left, order, std::nullopt, std::nullopt);
  return product(a, b, op.getNumLoops());
}

} // namespace kiln::host
