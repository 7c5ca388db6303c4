// ConvTiling.cpp: candidates are bands of whole rows and, where these are too long, parts of a row; each with
// the model of one unit as in CubeTiling.cpp.
#include "backends/npu/Transforms/ConvTiling.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

namespace kiln::npu {
namespace {

constexpr int64_t kUnknownRows = 64;   // what a height that is not known counts as
constexpr int64_t kMostRows = 256;     // of a tile of the result
constexpr int64_t kMostPixels = 65535; // rows of one nd2nz

/// Steps of depth, and copies of the input in L1; false if nothing fits.
bool chooseSteps(const Target &target, const ConvShape &shape, ConvTiles &tiles) {
  int64_t c0 = shape.c0(), m = tiles.fractalRows(shape);
  if (tiles.pixels > kMostPixels || uint64_t(m * llvm::alignTo(tiles.n, 32) * 4) > target.l0cBytes)
    return false;
  int64_t square = std::max<int64_t>(16, c0);
  int64_t whole = shape.blocks() * shape.taps() * c0;
  int64_t most = std::min<int64_t>(target.l0aBytes / 2 / (m * shape.inBytes),
                                   target.l0bBytes / 2 / (llvm::alignTo(tiles.n, square) * shape.inBytes));
  if (most < square)
    return false;
  int64_t perBlock = llvm::alignTo(tiles.pixels, 16) * 32 * tiles.images;
  auto fitInput = [&](int64_t filters) {
    int64_t left = int64_t(target.l1Bytes) - filters - 4096; // biases
    for (int64_t copies : {2, 1}) {
      tiles.blocks = std::min(left / (copies * perBlock), shape.blocks());
      if (tiles.blocks > 0)
        break;
    }
    return tiles.blocks > 0;
  };
  tiles.depthL0 = std::min<int64_t>(int64_t(1) << llvm::Log2_64(most), llvm::alignTo(whole, square));
  tiles.depthL0 = tiles.depthL0 / square * square;
  tiles.blocks = 0;
  for (int64_t depth = std::max<int64_t>(tiles.depthL0, 512 / shape.inBytes);
       tiles.blocks <= 0 && depth >= tiles.depthL0; depth /= 2) {
    tiles.depthL1 = std::max<int64_t>(depth / tiles.depthL0, 1) * tiles.depthL0;
    fitInput(2 * llvm::alignTo(tiles.n, square) * tiles.depthL1 * shape.inBytes);
  }
  if (tiles.blocks <= 0)
    return false;
  int64_t stepDepth = llvm::alignTo(tiles.blocks * shape.taps() * c0, square);
  tiles.depthL1 = std::min<int64_t>(tiles.depthL1, llvm::alignTo(stepDepth, tiles.depthL0));
  if (tiles.images == 1)
    return true;
  // In L0A an image's rows follow another's by the depth of a step, so that all steps are whole.
  int64_t depth = tiles.blocks * shape.taps() * c0, blocks = tiles.blocks;
  if (shape.blocks() % blocks || depth % square)
    return false;
  if (depth % tiles.depthL1 || tiles.depthL1 % tiles.depthL0) {
    tiles.depthL0 = most / square * square;
    while (depth % tiles.depthL0)
      tiles.depthL0 -= square;
    tiles.depthL1 = tiles.depthL0 * (depth % (2 * tiles.depthL0) ? 1 : 2);
  }
  return fitInput(2 * llvm::alignTo(tiles.n, square) * tiles.depthL1 * shape.inBytes) &&
         tiles.blocks == blocks;
}

double cyclesOf(const Target &target, const ConvShape &shape, const ConvTiles &tiles) {
  double pixels = double(tiles.m(shape) * tiles.images), m = double(tiles.fractalRows(shape) / 16),
         n = std::ceil(double(tiles.n) / 16);
  double k = double(shape.blocks() * shape.taps() * shape.c0()), steps = std::ceil(k / double(tiles.depthL0));
  double cube = m * n * std::ceil(k / double(shape.depth)) + steps * double(target.cubeHead);
  double toL0 =
      k * shape.inBytes * (m * 16 / double(target.l1ToL0aRate) + n * 16 / double(target.l1ToL0bRate)) +
      steps * double(target.mteSetup);
  double l2 = double(target.l2ReadRate);
  double chunks = std::ceil(double(shape.blocks()) / double(tiles.blocks));
  double inPixels = double(tiles.pixels * tiles.images);
  double input = std::max(inPixels * double(shape.channels * shape.inBytes) / l2,
                          inPixels * chunks * double(target.gmBurstCycles));
  double filters = std::max(k * double(tiles.n * shape.inBytes) / l2, k * double(target.gmBurstCycles));
  double write = std::max(pixels * double(tiles.n * shape.outBytes) / double(target.l2WriteRate),
                          pixels * double(target.gmBurstCycles));
  double unit = std::max({cube, toL0, input + filters + write});
  if (uint64_t(2 * m * n * 1024) > target.l0cBytes)
    unit = std::max(cube + write + double(target.fixHead + target.gmLatency), unit);
  double rows = shape.outHeight < 0 ? kUnknownRows : double(shape.outHeight);
  double perRow =
      tiles.isBand ? 1 : std::ceil((shape.outWidth < 0 ? 256.0 : double(shape.outWidth)) / pixels);
  double units = double(shape.images / tiles.images * shape.groups) * std::ceil(rows / double(tiles.rows)) *
                 perRow * std::ceil(double(shape.outChannels) / double(tiles.n));
  return (input + filters) / chunks + std::ceil(units / double(target.cubeCores)) * unit + write;
}

} // namespace

bool chooseConvTiles(const Target &target, const ConvShape &shape, ConvTiles &tiles) {
  double least = -1;
  auto consider = [&](ConvTiles candidate) {
    if (!chooseSteps(target, shape, candidate))
      return;
    double cycles = cyclesOf(target, shape, candidate);
    if (least < 0 || cycles < least * 0.999) {
      least = cycles;
      tiles = candidate;
    }
  };
  int64_t mostN = std::min<int64_t>(256, llvm::alignTo(shape.outChannels, 16));
  for (int64_t n = mostN; n >= 16; n -= n > 128 ? 32 : 16) {
    ConvTiles candidate;
    candidate.n = n;
    if (shape.outWidth > 0 && shape.width > 0 && shape.outWidth <= kMostRows) {
      candidate.isBand = true;
      int64_t height = shape.outHeight < 0 ? kMostRows : shape.outHeight;
      for (int64_t rows = std::min(height, kMostRows / shape.outWidth); rows >= 1; --rows) {
        candidate.rows = rows;
        candidate.pixels = shape.rowsFor(rows) * shape.width;
        consider(candidate);
        for (candidate.images = 2;
             shape.mayJoinImages && rows == shape.outHeight && candidate.fractalRows(shape) <= 2 * kMostRows;
             ++candidate.images)
          if (shape.images % candidate.images == 0)
            consider(candidate);
        candidate.images = 1;
      }
    }
    candidate.isBand = false;
    candidate.rows = 1;
    int64_t width = shape.outWidth < 0 ? kMostRows : std::max<int64_t>(shape.outWidth, 1);
    for (int64_t columns = std::min<int64_t>(kMostRows, llvm::alignTo(width, 16)); columns >= 16;
         columns -= 16) {
      candidate.columns = columns;
      candidate.pixels = shape.rowsFor(1) * shape.columnsFor(columns);
      consider(candidate);
    }
  }
  return least >= 0;
}

} // namespace kiln::npu
