// VectorTiling.cpp: columns are the innermost group. Rows are the group in which a transposed view is
// contiguous, or that a reduction drops, or the next outer one. Rows go whole into a tile where they fit,
// else a tile is a part of one row, or, for transposed views, a rectangle.
#include "backends/npu/Transforms/VectorLoops.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// Columns of a tile of a transposed view whose rows are too long, and the most rows of one.
constexpr int64_t kRectangleColumns = 256, kRectangleRows = 64;

struct Views {
  std::optional<size_t> contiguous; // the group along which a transposed view's source is contiguous
  bool hasStrided = false;          // along the columns
  bool isReversed = false;          // along the rows
};

bool isColumnStrided(const Domain &domain, Value value, size_t columnGroup) {
  std::optional<Access> access = accessOf(value);
  SmallVector<int64_t> axes = domain.axesOf(value, columnGroup);
  if (!access || axes.empty() || isPickedFromRows(domain, value, *access, columnGroup))
    return false;
  const AxisAccess &at = access->axes[axes.back()];
  auto shape = cast<RankedTensorType>(access->source.getType()).getShape();
  return at.isIndexed || at.step != 1 ||
         llvm::any_of(shape.drop_front(at.axis + 1), [](int64_t extent) { return extent != 1; });
}

Views findViews(const Domain &domain, size_t columnGroup) {
  Views views;
  for (Value value : domain.allValues()) {
    if (!isColumnStrided(domain, value, columnGroup))
      continue;
    views.hasStrided = true;
    std::optional<Access> access = accessOf(value);
    auto shape = cast<RankedTensorType>(access->source.getType()).getShape();
    for (size_t group = 0; group < columnGroup; ++group)
      for (int64_t axis : domain.axesOf(value, group))
        if (!access->axes[axis].isIndexed && access->axes[axis].step == 1 &&
            llvm::all_of(shape.drop_front(access->axes[axis].axis + 1),
                         [](int64_t extent) { return extent == 1; }))
          views.contiguous = group;
  }
  return views;
}

/// The innermost group whose indices a gather takes its rows from.
std::optional<size_t> findIndexed(const Domain &domain, size_t columnGroup) {
  for (Value value : domain.allValues())
    if (std::optional<Access> access = accessOf(value);
        access && access->indices && !isPickedFromRows(domain, value, *access, columnGroup))
      for (size_t group = domain.groupCount(); group-- > 0;)
        for (int64_t axis : domain.axesOf(value, group))
          if (access->axes[axis].isIndexed)
            return group;
  return std::nullopt;
}

bool isReversed(const Domain &domain, size_t group) {
  return llvm::any_of(domain.allValues(), [&](Value value) {
    std::optional<Access> access = accessOf(value);
    return access && llvm::any_of(domain.axesOf(value, group),
                                  [&](int64_t axis) { return access->axes[axis].step < 0; });
  });
}

/// The group of a tile's rows; nothing if a unit group must be added.
std::optional<size_t> chooseRows(const Domain &domain, size_t columnGroup, std::optional<size_t> contiguous) {
  bool reducesColumns = domain.isReduced(columnGroup);
  if (contiguous && !(reducesColumns && domain.isReduced(*contiguous)))
    return contiguous;
  for (size_t group = columnGroup; group-- > 0;) // a reduction across rows, with kept columns
    if (domain.isReduced(group) && !reducesColumns)
      return group;
  for (size_t group = columnGroup; group-- > 0;)
    if (!domain.isReduced(group))
      return group;
  return std::nullopt;
}

/// The number of rows, more than half of `most`, that leaves the busiest core the fewest; `most` where that
/// is about as good.
int64_t balancedRows(int64_t most, int64_t rows, int64_t outer, int64_t cores) {
  auto busiest = [&](int64_t count) {
    return int64_t(llvm::divideCeil(llvm::divideCeil(rows, count) * outer, cores)) * count;
  };
  int64_t best = most;
  for (int64_t count = most; count > most / 2 && busiest(most) > most; --count) // more than one tile a core
    if (busiest(count) * 100 < busiest(best) * 97)
      best = count;
  return best;
}

int64_t unitsOutside(const Domain &domain, const Tiling &tiling, const Target &target) {
  int64_t units = 1;
  for (size_t group = 0; group < domain.groupCount(); ++group)
    if (group != tiling.rowGroup && group != tiling.columnGroup && !domain.isReduced(group))
      units *= ShapedType::isDynamic(domain.extent(group)) ? target.vectorCores : domain.extent(group);
  return units;
}

/// Columns of a tile where rows are reduced: parts of whole blocks that divide the row, so that all cores
/// have some. A burst counts as a block more, and 1 / 0.7 of its bytes where it does not begin at a line of
/// GM.
int64_t sharedColumns(int64_t columns, int64_t bytes, int64_t outside, int64_t cores) {
  int64_t best = columns, least = std::numeric_limits<int64_t>::max();
  for (int64_t part = columns; part * bytes >= 128; --part) {
    if (columns % part != 0 || part * bytes % 32 != 0)
      continue;
    int64_t units = int64_t(llvm::divideCeil(columns / part * outside, cores));
    int64_t cost = units * (part * bytes * (part * bytes % 512 ? 10 : 7) / 7 + 32);
    if (cost * 20 < least * 19) // what is about as good has shorter bursts
      least = cost, best = part;
  }
  return best;
}

} // namespace

int64_t narrowestBytes(const Domain &domain) {
  int64_t narrowest = 4;
  for (Value value : domain.allValues())
    narrowest = std::min(narrowest, bytesOf(elementOf(value)));
  return narrowest;
}

FailureOr<Tiling> chooseTiling(KernelOp kernel, Domain &domain, const Target &target, int64_t limit,
                               int64_t narrowest) {
  if (domain.groupCount() == 0)
    domain.addUnitGroup();
  Tiling tiling;
  tiling.columnGroup = domain.groupCount() - 1;
  Views views = findViews(domain, tiling.columnGroup);
  std::optional<size_t> indexed = findIndexed(domain, tiling.columnGroup);
  if (indexed == tiling.columnGroup)
    return FailureOr<Tiling>(kernel.emitError("npu: a gather along the innermost axis is not lowered yet"));
  std::optional<size_t> rows = chooseRows(domain, tiling.columnGroup, indexed ? indexed : views.contiguous);
  if (!rows) {
    domain.addUnitGroup();
    ++tiling.columnGroup;
    rows = 0;
  }
  tiling.rowGroup = *rows;
  bool isPicked = llvm::all_of(domain.allValues(), [&](Value value) {
    std::optional<Access> access = accessOf(value);
    return !access || isPickedFromRows(domain, value, *access, tiling.columnGroup) ||
           llvm::all_of(domain.axesOf(value, tiling.columnGroup),
                        [&](int64_t axis) { return access->axes[axis].step > 0; });
  });
  if (!isPicked)
    return FailureOr<Tiling>(kernel.emitError("npu: this reversal of the innermost axis is not lowered yet"));
  int64_t cores = target.vectorCores;
  int64_t columns = domain.extent(tiling.columnGroup), rowExtent = domain.extent(tiling.rowGroup);
  bool isDynamic = ShapedType::isDynamic(columns), reducesColumns = domain.isReduced(tiling.columnGroup);
  int64_t block = 32 / narrowest, padded = isDynamic ? 0 : llvm::alignTo(columns, block);
  bool isRectangle = !indexed && views.contiguous == tiling.rowGroup && rowExtent != 1 &&
                     !isReversed(domain, tiling.rowGroup);
  int64_t mostColumns = reducesColumns ? std::min(limit, kReducedColumns) : limit;
  tiling.isLine =
      !isRectangle && (isDynamic || rowExtent == 1 || padded > mostColumns || (views.hasStrided) ||
                       isReversed(domain, tiling.rowGroup) ||
                       (!reducesColumns && !domain.isReduced(tiling.rowGroup) && padded > limit / 2));
  tiling.isColumnsWhole = !isDynamic && padded <= (isRectangle ? limit / 16 : mostColumns) &&
                          !(isRectangle && reducesColumns && padded > kReducedColumns);
  if (isRectangle && reducesColumns && !tiling.isColumnsWhole)
    isRectangle = false, tiling.isLine = true, tiling.isColumnsWhole = !isDynamic && padded <= mostColumns;
  if (tiling.isLine) {
    // Strided elements take a block each on their way.
    int64_t most = views.hasStrided ? std::min<int64_t>(mostColumns, limit / 16) : mostColumns;
    int64_t share = isDynamic || reducesColumns ? most : columns;
    if (!reducesColumns && !isDynamic)
      share = llvm::divideCeil(columns, std::max<int64_t>(1, cores / unitsOutside(domain, tiling, target)));
    tiling.columns = tiling.pitch =
        std::clamp<int64_t>(llvm::alignTo(share, 256), 256, std::max<int64_t>(most, 256));
    if (tiling.isColumnsWhole && padded <= tiling.columns) {
      tiling.columns = columns;
      tiling.pitch = padded;
    } else {
      tiling.isColumnsWhole = false;
    }
    return tiling;
  }
  if (tiling.isColumnsWhole && !isRectangle && domain.isReduced(tiling.rowGroup) && !reducesColumns) {
    int64_t shared = sharedColumns(columns, narrowest, unitsOutside(domain, tiling, target), cores);
    tiling.isColumnsWhole = shared == columns;
    columns = shared;
    padded = int64_t(llvm::alignTo(columns, block));
  }
  bool isPart = isRectangle && !tiling.isColumnsWhole;
  tiling.columns = isPart ? std::clamp<int64_t>(limit / 16 / 32 * 32, 32, kRectangleColumns) : columns;
  tiling.pitch = isPart ? tiling.columns : padded;
  tiling.rows = std::clamp<int64_t>(limit / tiling.pitch, 1, isRectangle ? kRectangleRows : kMaxRepeats);
  if (!ShapedType::isDynamic(rowExtent)) {
    tiling.rows = std::min(tiling.rows, rowExtent);
    if (!domain.isReduced(tiling.rowGroup)) {
      int64_t share = llvm::divideCeil(rowExtent * unitsOutside(domain, tiling, target), cores);
      tiling.rows = std::min(tiling.rows, std::max<int64_t>(8, llvm::alignTo(share, 8)));
      tiling.rows =
          balancedRows(tiling.rows, rowExtent, unitsOutside(domain, tiling, target), int64_t(cores));
    }
  }
  tiling.isLine = tiling.rows == 1;
  return tiling;
}

} // namespace kiln::npu
