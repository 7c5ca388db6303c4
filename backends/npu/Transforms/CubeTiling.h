// CubeTiling.h: how a product is cut into tiles of L0C, L1 and L0, by a cost model on the target description.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_CUBETILING_H
#define KILN_BACKENDS_NPU_TRANSFORMS_CUBETILING_H

#include "backends/npu/Target.h"

namespace kiln::npu {

/// The extents of a product; an extent below 0 is not known.
struct CubeShape {
  int64_t m = 0, n = 0, k = 0, batches = 1;
  int64_t inBytes = 2, outBytes = 2; // of an element of the operands, of the result
  int64_t depth = 16;                // that the cube takes a cycle
  bool columnsAreRows = false;       // of B in memory: its depth runs along them
  bool maySplitB = false;            // its steps in L1 may be shorter than those of A
};

/// Tiles, in elements. Rows and columns are multiples of 16; depths of whole fractals and of 16.
struct CubeTiles {
  int64_t m = 16, n = 16;             // of the accumulators in L0C
  int64_t depthL1 = 16, depthL0 = 16; // of one step of L1 and, dividing it, of L0A and L0B
  /// Not 0: columns of a unit. It has their tiles one after the other and keeps its rows of A in L1.
  int64_t unitColumns = 0;
  int64_t depthB = 0;  // then, of one step of B in L1; divides depthL1
  int64_t copiesB = 2; // and how many of these L1 holds
  int64_t columns() const { return unitColumns ? unitColumns : n; }
};

/// The tiles that the cost model finds fastest. All fit with two copies of every buffer of L1 and L0; L0C
/// holds one copy, or two. `mayKeepRows`: units may have several tiles.
CubeTiles chooseTiles(const Target &target, const CubeShape &shape, bool mayKeepRows);
/// What the model expects of tiles, in cycles from the first load to the last store.
double expectedCycles(const Target &target, const CubeShape &shape, const CubeTiles &tiles);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_CUBETILING_H
