// SortTiles.h: rows of a tile in order: keys with indices, sorted by runs, which are merged.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_SORTTILES_H
#define KILN_BACKENDS_NPU_TRANSFORMS_SORTTILES_H

#include "backends/npu/Transforms/AxisLowering.h"

namespace kiln::npu {

/// Elements of one vbitsort.
inline constexpr int64_t kRun = 32;

/// What lowerings of sort and top_k have in common. Used once, by one thread.
class SortTiles : protected AxisLowering {
public:
  SortTiles(KernelOp kernel, mlir::Operation *op, int64_t axis, bool isDescending, mlir::OpFoldResult wanted,
            const Target &target)
      : AxisLowering(kernel, op, axis, target), isDescending(isDescending), wanted(wanted) {}

protected:
  using T = TileValue;
  /// Tiles of one row from here on, in buffers of `pitch` elements.
  void useColumns(mlir::OpFoldResult columns, int64_t pitch);
  /// value * factor + offset, of i32.
  T scaled(T value, int64_t factor, int64_t offset);
  /// The elements of `from` at those places.
  T pick(T from, T places);
  /// Keys of whole runs: numbers at those places, then what comes behind all of them.
  T keysOf(T numbers, T places);
  /// Pairs of a key and an index, the greatest key first; of lists only as many as are needed.
  T pairsOf(T keys, T indices, int64_t needed);
  /// The indices of pairs, zeros behind the tile's columns; `order` is 0, 1, 2 ..
  T indicesOf(T pairs, T order);
  T real(T x) { return tiles->cast(x, builder.getF32Type(), ir::Round::rint); }
  /// The low and the high half of words, each as f32.
  std::pair<T, T> halvesOf(T words);

  bool isDescending;
  mlir::OpFoldResult wanted; // elements of a row of the results
};

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_SORTTILES_H
