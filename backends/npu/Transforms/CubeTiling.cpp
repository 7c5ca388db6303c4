// CubeTiling.cpp: the model of one unit (a tile of the result): its cube time against the time that its port
// to L2 needs for operands and result, then waves of units over the cores. What a single L0C buffer leaves
// unhidden counts.
#include "backends/npu/Transforms/CubeTiling.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

namespace kiln::npu {
namespace {

constexpr int64_t kUnknownExtent = 2048; // what an extent that is not known counts as
constexpr int64_t kLineBytes = 512;      // GM transfers that begin at multiples are fast

int64_t known(int64_t extent) { return extent < 0 ? kUnknownExtent : std::max<int64_t>(extent, 1); }

/// Depths of the steps for these rows and columns; false if not even one fractal fits.
bool chooseDepths(const Target &target, const CubeShape &shape, CubeTiles &tiles) {
  int64_t least = std::max<int64_t>(16, 32 / shape.inBytes);
  int64_t whole = llvm::alignTo(known(shape.k), least);
  int64_t most = std::min<int64_t>(target.l0aBytes / 2 / (tiles.m * shape.inBytes),
                                   target.l0bBytes / 2 / (tiles.n * shape.inBytes));
  if (most < least)
    return false;
  tiles.depthL0 = std::min<int64_t>(int64_t(1) << llvm::Log2_64(most), llvm::PowerOf2Ceil(whole));
  // Rows of whole lines; the bias takes a little of L1.
  int64_t bytes = target.l1Bytes - 4 * tiles.n * 2;
  int64_t fits = bytes / (2 * (tiles.m + tiles.n) * shape.inBytes);
  int64_t wanted = std::max<int64_t>(tiles.depthL0, kLineBytes / shape.inBytes);
  tiles.depthL1 = std::min(wanted, fits) / tiles.depthL0 * tiles.depthL0;
  if (tiles.depthL1 == 0)
    return false;
  if (shape.m < 0 || shape.n < 0 || shape.k < 0) // one loop less: what is not known takes registers
    tiles.depthL1 = tiles.depthL0;
  if (whole <= tiles.depthL1) { // one step of L1
    tiles.depthL0 = std::min(tiles.depthL0, whole);
    tiles.depthL1 = whole;
  }
  return true;
}

} // namespace

double expectedCycles(const Target &target, const CubeShape &shape, const CubeTiles &tiles) {
  double m = known(shape.m), n = known(shape.n), k = known(shape.k);
  double rows = std::min<double>(tiles.m, m), columns = std::min<double>(tiles.n, n);
  double steps = std::ceil(k / double(tiles.depthL0));
  double cube = double(tiles.m / 16) * double(tiles.n / 16) * std::ceil(k / double(shape.depth)) +
                steps * double(target.cubeHead);
  double toL0 =
      k * shape.inBytes *
          (double(tiles.m) / double(target.l1ToL0aRate) + double(tiles.n) / double(target.l1ToL0bRate)) +
      steps * double(target.mteSetup);
  double derate = int64_t(columns) * shape.inBytes % kLineBytes ? double(target.gmUnalignedPercent) / 100 : 1;
  double perRow = std::min<double>(double(tiles.depthL1), k) * shape.inBytes;
  double readA = std::max(rows * k * shape.inBytes / double(target.l2ReadRate),
                          rows * std::ceil(k * shape.inBytes / perRow) * double(target.gmBurstCycles));
  double readB = std::max(columns * k * shape.inBytes / double(target.l2ReadRate) / derate,
                          std::min(k, columns) * double(target.gmBurstCycles));
  double outDerate =
      int64_t(columns) * shape.outBytes % kLineBytes ? double(target.gmUnalignedPercent) / 100 : 1;
  double write = std::max({rows * columns * shape.outBytes / double(target.l2WriteRate) / outDerate,
                           rows * double(target.gmBurstCycles), rows * columns * 4 / double(target.fixRate)});
  bool hasTwoSums = uint64_t(2 * tiles.m * tiles.n * 4) <= target.l0cBytes;
  double unit = std::max({cube, toL0, readA + readB + write});
  if (!hasTwoSums) // the next unit's sums wait for the store of these
    unit = std::max(cube + write + double(target.fixHead + target.gmLatency), unit);
  double units = std::ceil(m / double(tiles.m)) * std::ceil(n / double(tiles.n)) * double(shape.batches);
  double waves = std::ceil(units / double(target.cubeCores));
  double first = (readA + readB) * std::min(1.0, double(tiles.depthL1) / k) + double(target.gmLatency);
  return first + waves * unit + write;
}

CubeTiles chooseTiles(const Target &target, const CubeShape &shape) {
  CubeTiles best;
  chooseDepths(target, shape, best);
  double least = -1;
  auto upTo = [](int64_t extent) { return std::min<int64_t>(256, llvm::alignTo(known(extent), 16)); };
  for (int64_t m = upTo(shape.m); m >= 16; m -= 16)
    for (int64_t n = upTo(shape.n); n >= 16; n -= 16) {
      CubeTiles tiles;
      tiles.m = m;
      tiles.n = n;
      // Transposed bytes come in squares of 32.
      if (uint64_t(llvm::alignTo(m, 32) * llvm::alignTo(n, 32) * 4) > target.l0cBytes ||
          uint64_t(llvm::alignTo(n, 32) * 4) > target.btBytes || !chooseDepths(target, shape, tiles))
        continue;
      double cycles = expectedCycles(target, shape, tiles);
      if (least < 0 || cycles < least * 0.999) {
        least = cycles;
        best = tiles;
      }
    }
  return best;
}

} // namespace kiln::npu
