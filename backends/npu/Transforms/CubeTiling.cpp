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

constexpr double kClearlyLess = 0.95;    // of what is expected, for what the simpler model does not choose
constexpr double kUnhidden = 0.1;        // of its time each unit works while others wait for it
constexpr double kLoadsAhead = 5.5;      // of L0, for which the queues have room: as far loads are ahead
constexpr int64_t kMostCopiesB = 4;      // of its short steps, all of one step of A: those wait behind them
constexpr int64_t kMostParts = 24;       // of the columns, one a unit
constexpr int64_t kLeastDepthKept = 512; // less is loaded again in the time that the flags of it take
constexpr int64_t kMostChunks =
    16; // of the rows of A that stay in L1: each has places of its own in flags' proof

/// Makes the tiles those of units of several tiles; false if L1 does not hold a unit's rows of A, too.
bool keepRows(const Target &target, const CubeShape &shape, CubeTiles &tiles, int64_t columns) {
  if (shape.m < 0 || shape.n < 0 || shape.k < kLeastDepthKept)
    return false;
  int64_t fixed = 4 * tiles.n * 2, square = std::max<int64_t>(16, 32 / shape.inBytes);
  for (; tiles.depthL1 >= tiles.depthL0; tiles.depthL1 /= 2) {
    int64_t chunks = llvm::divideCeil(shape.k, tiles.depthL1);
    // Rows of B are as long in any step; a short first one lets the cube begin early.
    tiles.depthB = shape.maySplitB ? tiles.depthL0 : tiles.depthL1;
    tiles.copiesB = std::clamp<int64_t>(tiles.depthL1 / tiles.depthB, 2, kMostCopiesB);
    int64_t rows = chunks * tiles.depthL1 * int64_t(llvm::alignTo(tiles.m, square)) * shape.inBytes,
            others = tiles.copiesB * tiles.depthB * int64_t(llvm::alignTo(tiles.n, square)) * shape.inBytes;
    if (chunks <= kMostChunks && tiles.depthL1 % tiles.depthL0 == 0 &&
        uint64_t(rows + others + fixed) <= target.l1Bytes) {
      tiles.unitColumns = columns;
      return true;
    }
  }
  return false;
}

/// Of units of one tile each.
double cyclesOfTiles(const Target &target, const CubeShape &shape, const CubeTiles &tiles) {
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

} // namespace

double expectedCycles(const Target &target, const CubeShape &shape, const CubeTiles &tiles) {
  double m = known(shape.m), n = known(shape.n), k = known(shape.k), in = double(shape.inBytes),
         out = double(shape.outBytes);
  double rows = std::min<double>(tiles.m, m), width = std::min<double>(tiles.columns(), n);
  double l2 = double(target.l2ReadRate), burst = double(target.gmBurstCycles), head = double(target.cubeHead),
         latency = double(target.gmLatency);
  double steps = std::ceil(k / double(tiles.depthL0)), stepsL1 = std::ceil(k / double(tiles.depthL1));
  double depthB = double(tiles.unitColumns ? tiles.depthB : tiles.depthL1), stepsB = std::ceil(k / depthB);
  auto derateOf = [&](double bytes) {
    bool isAligned = int64_t(std::min<double>(tiles.n, n) * bytes) % kLineBytes == 0 &&
                     int64_t(width * bytes) % kLineBytes == 0;
    return isAligned ? 1 : double(target.gmUnalignedPercent) / 100;
  };
  double readA = std::max(rows * k * in / l2, rows * stepsL1 * burst);
  bool hasTwoSums = uint64_t(2 * tiles.m * tiles.n * 4) <= target.l0cBytes;
  // What cores load at one time that no other has loaded: rows of A of as many tiles as run beside each
  // other.
  double unitsN = std::ceil(n / double(tiles.columns())), cores = double(target.cubeCores);
  double beside = std::min(std::ceil(cores / unitsN), std::ceil(m / double(tiles.m)) * double(shape.batches));
  double units =
      std::ceil(m / double(tiles.m)) * std::ceil(n / double(tiles.columns())) * double(shape.batches);
  // One tile of so many columns, with its rows of A or without.
  auto tileCycles = [&](double columns, bool loadsRows) {
    double cube =
        double(tiles.m / 16) * std::ceil(columns / 16) * std::ceil(k / double(shape.depth)) + steps * head;
    double toL0 =
        k * in * (double(tiles.m) / double(target.l1ToL0aRate) + columns / double(target.l1ToL0bRate)) +
        steps * double(target.mteSetup);
    double readB = shape.columnsAreRows ? std::max(columns * k * in / l2, columns * stepsL1 * burst)
                                        : std::max(columns * k * in / l2 / derateOf(in), k * burst);
    double step = readB / stepsB + (loadsRows ? readA / stepsL1 : 0);
    double read = readB + (loadsRows ? readA : 0);
    double write = std::max({rows * columns * out / double(target.l2WriteRate) / derateOf(out), rows * burst,
                             rows * columns * 4 / double(target.fixRate)});
    double late = step + latency - kLoadsAhead * cube / steps; // of a step of L1
    double memory =
        (rows * columns * out + (loadsRows ? beside / cores * rows * k * in : 0)) / double(target.ddrRate);
    double busy = std::max({cube + stepsL1 * std::max(late, 0.0), toL0, read, write, memory});
    busy += kUnhidden * (cube + read + write);
    if (hasTwoSums)
      return busy;
    // Those of the next tile wait for the store of these, which cores that the cube keeps in step do at one
    // time. What is left of a line is another core's then, or this one's next tile's.
    double bytes = columns * out,
           stored = tiles.unitColumns ? double(llvm::alignTo(int64_t(bytes), kLineBytes)) : bytes;
    double drain = cube > memory ? std::max(write, rows * stored / double(target.ddrRate)) : write;
    return std::max(cube + drain + double(target.fixHead) + latency, busy);
  };
  double whole = std::floor(width / double(tiles.n)), rest = width - whole * double(tiles.n);
  double unit = tileCycles(std::min<double>(tiles.n, width), true);
  if (whole > 1)
    unit += (whole - 1) * tileCycles(double(tiles.n), false);
  if (whole > 0 && rest > 0)
    unit += tileCycles(rest, false);
  double first =
      (rows * std::min(double(tiles.depthL1), k) + std::min<double>(tiles.n, width) * std::min(depthB, k)) *
          in / l2 +
      latency;
  double last =
      rows * (rest > 0 ? rest : std::min<double>(tiles.n, width)) * out / double(target.l2WriteRate);
  return first + std::ceil(units / cores) * unit + last;
}

CubeTiles chooseTiles(const Target &target, const CubeShape &shape, bool mayKeepRows) {
  CubeTiles best, other;
  chooseDepths(target, shape, best);
  double least = -1, leastOther = -1;
  auto consider = [](const CubeTiles &tiles, double cycles, CubeTiles &best, double &least) {
    if (least < 0 || cycles < least * 0.999) {
      least = cycles;
      best = tiles;
    }
  };
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
      consider(tiles, cyclesOfTiles(target, shape, tiles), best, least);
      consider(tiles, expectedCycles(target, shape, tiles), other, leastOther);
      // Units of several tiles: all columns in some equal parts.
      for (int64_t parts = 1; mayKeepRows && parts * n < known(shape.n) && parts <= kMostParts; ++parts) {
        CubeTiles kept = tiles;
        int64_t columns = llvm::alignTo(llvm::divideCeil(known(shape.n), parts), 16);
        if (columns > n && keepRows(target, shape, kept, columns))
          consider(kept, expectedCycles(target, shape, kept), other, leastOther);
      }
    }
  return leastOther < kClearlyLess * expectedCycles(target, shape, best) ? other : best;
}

} // namespace kiln::npu
