// ConvTiling.cpp: candidates are bands of whole rows, parts of a row and runs of pixels through all rows;
// each with the model of one unit as in CubeTiling.cpp.
#include "backends/npu/Transforms/ConvTiling.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

namespace kiln::npu {
namespace {

constexpr int64_t kUnknownRows = 64;   // what a height that is not known counts as
constexpr int64_t kMostRows = 256;     // of a tile of the result
constexpr int64_t kMostPixels = 65535; // rows of one nd2nz
constexpr int64_t kMostColumnsOfTile = 256;
constexpr int64_t kMemoryLine = 512; // of memory
constexpr int64_t kMostUneven = 8;   // parts up to which some more of the same width are tried
constexpr int64_t kMostUnits = 4096; // that are dealt to cores one by one

constexpr int64_t kMostPairs = 16; // of steps of L0, tried in one of L1
constexpr int64_t kMostImages = 3; // of images in a tile of pixels

constexpr int64_t kMostSlices = 16; // of filters that stay in L1: each has places of its own in flags' proof
constexpr double kUneven = 0.02;    // of its time each unit works while others wait for it
constexpr double kPerRun = 150;     // from the last product of an uneven run to the first of the next
constexpr double kPerUnit = 20;     // from the last product of a unit to the first of the next
constexpr double kStepIssue = 110;  // cycles of the scalar unit that a step of L0 takes
constexpr double kPieceIssue = 50;  // and a further piece of it
constexpr double kIssuedAhead = 28; // transfers and flags of MTE1 for which its queue has room

int64_t divideUp(int64_t a, int64_t b) { return int64_t(llvm::divideCeil(a, b)); }

/// Steps of depth, and copies of the input in L1, of which a step has `mostBlocks` blocks; false if nothing
/// fits.
bool fitSteps(const Target &target, const ConvShape &shape, ConvTiles &tiles, int64_t mostBlocks) {
  int64_t c0 = shape.c0(), m = tiles.fractalRows(shape);
  if (tiles.pixels > kMostPixels || uint64_t(m * llvm::alignTo(tiles.n, 32) * 4) > target.l0cBytes)
    return false;
  int64_t square = std::max<int64_t>(16, c0), columns = llvm::alignTo(tiles.n, square);
  int64_t whole = shape.blocks() * shape.taps() * c0;
  int64_t most = std::min<int64_t>(target.l0aBytes / 2 / (m * shape.inBytes),
                                   target.l0bBytes / 2 / (columns * shape.inBytes));
  if (most < square)
    return false;
  int64_t perBlock = llvm::alignTo(tiles.pixels, 16) * 32 * tiles.sources();
  auto fitInput = [&](int64_t filters) {
    int64_t left = int64_t(target.l1Bytes) - filters - 4096; // biases
    for (int64_t copies : {2, 1}) {
      tiles.blocks = std::min({left / (copies * perBlock), shape.blocks(), mostBlocks});
      if (tiles.blocks > 0)
        break;
    }
    if (tiles.blocks > 0) // as many in each chunk
      tiles.blocks = divideUp(shape.blocks(), divideUp(shape.blocks(), tiles.blocks));
    return tiles.blocks > 0;
  };
  tiles.depthL0 = std::min<int64_t>(int64_t(1) << llvm::Log2_64(most), llvm::alignTo(whole, square));
  tiles.depthL0 = tiles.depthL0 / square * square;
  if (tiles.keepsFilters) {
    tiles.depthL1 = tiles.depthL0;
    while (divideUp(whole, tiles.depthL1) > kMostSlices || tiles.depthL1 * shape.inBytes < 512)
      tiles.depthL1 *= 2;
    tiles.depthL1 = std::min<int64_t>(tiles.depthL1, llvm::alignTo(whole, tiles.depthL0));
    int64_t filters = divideUp(whole, tiles.depthL1) * tiles.depthL1 * columns * shape.inBytes;
    tiles.blocks = shape.blocks();
    return filters + 4096 + 2 * shape.blocks() * perBlock <= int64_t(target.l1Bytes) && tiles.images == 1;
  }
  tiles.blocks = 0;
  for (int64_t depth = std::max<int64_t>(tiles.depthL0, 512 / shape.inBytes);
       tiles.blocks <= 0 && depth >= tiles.depthL0; depth /= 2) {
    tiles.depthL1 = std::max<int64_t>(depth / tiles.depthL0, 1) * tiles.depthL0;
    fitInput(2 * columns * tiles.depthL1 * shape.inBytes);
  }
  if (tiles.blocks <= 0)
    return false;
  if (tiles.sources() > 1) // all steps are whole
    while (shape.blocks() % tiles.blocks)
      --tiles.blocks;
  int64_t stepDepth = llvm::alignTo(tiles.blocks * shape.taps() * c0, square);
  tiles.depthL1 = std::min<int64_t>(tiles.depthL1, llvm::alignTo(stepDepth, tiles.depthL0));
  if (tiles.sources() == 1)
    return true;
  // In L0A an image's rows follow another's by the depth of a step, so that all steps are whole.
  int64_t depth = tiles.blocks * shape.taps() * c0;
  if (depth % square)
    return false;
  if (depth % tiles.depthL1 || tiles.depthL1 % tiles.depthL0) {
    tiles.depthL0 = most / square * square;
    while (depth % tiles.depthL0)
      tiles.depthL0 -= square;
    tiles.depthL1 = tiles.depthL0 * (depth % (2 * tiles.depthL0) ? 1 : 2);
  }
  return 2 * columns * tiles.depthL1 * shape.inBytes + 4096 + tiles.blocks * perBlock <=
         int64_t(target.l1Bytes);
}

/// Steps of L0 in a run of the innermost loop. Copies begin again with each run: after an odd number the next
/// run's first load waits for the last product.
int64_t stepsOfRun(const ConvShape &shape, const ConvTiles &tiles) {
  if (tiles.depthL0 < tiles.depthL1)
    return divideUp(tiles.depthL1, tiles.depthL0);
  int64_t steps = divideUp(tiles.blocks * shape.taps() * shape.c0(), tiles.depthL1);
  return steps > 1 ? steps : divideUp(shape.blocks(), tiles.blocks);
}

/// Whether each step of the depth is as deep as another.
bool hasWholeSteps(const ConvShape &shape, const ConvTiles &tiles) {
  int64_t depth = tiles.blocks * shape.taps() * shape.c0();
  return shape.blocks() % tiles.blocks == 0 && depth % tiles.depthL1 == 0 &&
         tiles.depthL1 % tiles.depthL0 == 0;
}

/// Whether besides runs of them are of an even number.
bool isEven(const ConvShape &shape, const ConvTiles &tiles) {
  return hasWholeSteps(shape, tiles) && stepsOfRun(shape, tiles) % 2 == 0;
}

/// Makes pairs of steps, all alike, of steps that fit, `least` pairs or more in a step of L1; false if they
/// do not.
bool pairSteps(const Target &target, const ConvShape &shape, ConvTiles &tiles, int64_t least) {
  int64_t square = std::max<int64_t>(16, shape.c0()), depth = tiles.blocks * shape.taps() * shape.c0();
  int64_t columns = llvm::alignTo(tiles.n, square);
  int64_t most = std::min<int64_t>(target.l0aBytes / 2 / (tiles.fractalRows(shape) * shape.inBytes),
                                   target.l0bBytes / 2 / (columns * shape.inBytes));
  int64_t perBlock = llvm::alignTo(tiles.pixels, 16) * 32 * tiles.sources();
  for (int64_t step = most / square * square; step >= square; step -= square) {
    if (depth % (2 * step))
      continue;
    for (int64_t pairs = least; 2 * step * pairs <= depth; ++pairs) {
      if (depth % (2 * step * pairs))
        continue;
      tiles.depthL0 = step;
      tiles.depthL1 = 2 * step * pairs;
      int64_t steps = depth / tiles.depthL1, filters = (tiles.keepsFilters ? steps : 2) * tiles.depthL1;
      bool isShort = steps > 1 && (tiles.depthL1 * shape.inBytes < kMemoryLine ||
                                   (tiles.keepsFilters && steps > kMostSlices));
      if (!isShort)
        return isEven(shape, tiles) &&
               filters * columns * shape.inBytes + 4096 + 2 * tiles.blocks * perBlock <=
                   int64_t(target.l1Bytes);
    }
  }
  return false;
}

bool chooseSteps(const Target &target, const ConvShape &shape, ConvTiles &tiles, int64_t mostBlocks,
                 int64_t pairs) {
  if (!fitSteps(target, shape, tiles, mostBlocks) || (pairs && !pairSteps(target, shape, tiles, pairs)))
    return false;
  if (tiles.pieces > 1 && !hasWholeSteps(shape, tiles))
    return false;
  // Copies begin again with each chunk: of an odd number of steps, two would meet in the last one's.
  int64_t columns = llvm::alignTo(tiles.n, std::max<int64_t>(16, shape.c0()));
  int64_t steps = divideUp(tiles.blocks * shape.taps() * shape.c0(), tiles.depthL1);
  int64_t input = 2 * tiles.sources() * tiles.blocks * llvm::alignTo(tiles.pixels, 16) * 32;
  bool fits = 3 * columns * tiles.depthL1 * shape.inBytes + 4096 + input <= int64_t(target.l1Bytes);
  if (!tiles.keepsFilters && steps % 2 && steps % 3 != 1 && fits)
    tiles.filterCopies = 3;
  return true;
}

/// Pixels of the input that so many of the output of each image need.
double inputPixels(const ConvShape &shape, const ConvTiles &tiles, double pixels) {
  if (!tiles.isRun)
    return double(tiles.pixels * tiles.images) * pixels / double(tiles.m(shape));
  double images = std::min(double(tiles.pieces), 1 + pixels / double(shape.outHeight * shape.outWidth)),
         rows = pixels / double(shape.outWidth) + images;
  return (rows * double(shape.strideH) + images * double(shape.rowsFor(1) - shape.strideH)) *
         double(shape.width);
}

/// Those of them that no tile beside needs, too.
double freshPixels(const ConvShape &shape, const ConvTiles &tiles, double pixels) {
  return std::min(inputPixels(shape, tiles, pixels),
                  pixels * double(tiles.images * shape.strideH * shape.strideW));
}

/// What memory, which has whole lines, needs for the pixels of a step of the input of all units at one time.
double fetchCycles(const Target &target, const ConvShape &shape, const ConvTiles &tiles, double pixels) {
  auto cores = int64_t(target.cubeCores);
  auto line = double(std::min<int64_t>(llvm::alignTo(tiles.blocks * 32, kMemoryLine),
                                       llvm::alignTo(shape.channels * shape.groups * shape.inBytes, 32)));
  int64_t all = shape.images * (shape.outHeight < 0 ? kUnknownRows : shape.outHeight) *
                (shape.outWidth < 0 ? kMostRows : shape.outWidth);
  auto beside = double(std::min(tiles.parts > 1 ? divideUp(cores, tiles.parts) : cores,
                                divideUp(std::max<int64_t>(all, 1), tiles.images * tiles.m(shape))));
  return beside * freshPixels(shape, tiles, pixels) * line / double(target.ddrRate * target.cubeCores);
}

/// One unit of `pixels` of each image and `columns` channels.
double unitCycles(const Target &target, const ConvShape &shape, const ConvTiles &tiles, double pixels,
                  double columns) {
  double joined = pixels * double(tiles.images), m = std::ceil(joined / 16), n = std::ceil(columns / 16);
  double k = double(shape.blocks() * shape.taps() * shape.c0()), depth = double(tiles.depthL0);
  double steps = std::ceil(k / depth), l2 = double(target.l2ReadRate), burst = double(target.gmBurstCycles);
  double step = m * n * std::ceil(std::min(depth, k) / double(shape.depth)) + double(target.cubeHead);
  double cube = m * n * std::ceil(k / double(shape.depth)) + steps * double(target.cubeHead);
  double toL0 =
      k * shape.inBytes * (m * 16 / double(target.l1ToL0aRate) + n * 16 / double(target.l1ToL0bRate)) +
      steps * double(tiles.sources() + 1) * double(target.mteSetup);
  double chunks = std::ceil(double(shape.blocks()) / double(tiles.blocks));
  double inPixels = inputPixels(shape, tiles, pixels);
  double input = std::max(inPixels * double(shape.channels * shape.inBytes) / l2, inPixels * chunks * burst);
  if (tiles.blocks < shape.blocks() && tiles.blocks * 32 % kMemoryLine) // every other step begins off a line
    input /= (1 + double(target.gmUnalignedPercent) / 100) / 2;
  double filters = std::max(k * columns * shape.inBytes / l2, columns * k / double(tiles.depthL1) * burst);
  if (tiles.depthL1 * shape.inBytes % kMemoryLine && double(tiles.depthL1) < k)
    filters /= double(target.gmUnalignedPercent) / 100;
  double perStep = tiles.keepsFilters ? 0 : filters * double(tiles.depthL1) / k;
  double write = std::max(joined * columns * shape.outBytes / double(target.l2WriteRate), joined * burst);
  double read = input + (tiles.keepsFilters ? 0 : filters);
  // Parts read the same input, and tiles beside each other some rows of it.
  double memory =
      (freshPixels(shape, tiles, pixels) * double(shape.channels * shape.inBytes) / double(tiles.parts) +
       joined * columns * shape.outBytes) /
      double(target.ddrRate);
  double issue = kStepIssue + double(tiles.pieces - 1) * kPieceIssue;
  double unit = std::max({cube, toL0, write, read, memory, steps * issue}) + kUneven * (cube + read + write);
  if (uint64_t(2 * tiles.fractalRows(shape) * tiles.n * 4) > target.l0cBytes) { // all cores store at one time
    double bytes = columns * shape.outBytes,
           lines = tiles.partsFirst() ? bytes : double(llvm::alignTo(int64_t(bytes), kMemoryLine));
    write = std::max(write, joined * lines / double(target.ddrRate));
    unit = std::max(cube + write + double(target.fixHead + target.gmLatency), unit);
  }
  // Loads run ahead as far as the queue of MTE1 has room, and as there are copies of filters: of those that
  // stay, flags have two.
  double ahead = kIssuedAhead / double(4 + tiles.sources()),
         copies = double((tiles.keepsFilters ? 2 : tiles.filterCopies) * tiles.depthL1) / depth + 1;
  auto late = [&](double loaded) {
    double needed = loaded + perStep + double(target.gmLatency) + toL0 / steps;
    return std::max({needed - ahead * step, needed + perStep - copies * step, 0.0});
  };
  // Memory brings lines whole with the first step of the input.
  unit += late(std::max(input / chunks, fetchCycles(target, shape, tiles, pixels)));
  return unit + (chunks - 1) * late(input / chunks) + (isEven(shape, tiles) ? kPerUnit : kPerRun);
}

double cyclesOf(const Target &target, const ConvShape &shape, const ConvTiles &tiles) {
  int64_t height = shape.outHeight < 0 ? kUnknownRows : shape.outHeight,
          width = shape.outWidth < 0 ? kMostRows : std::max<int64_t>(shape.outWidth, 1);
  int64_t bands = divideUp(height, tiles.rows), perRow = tiles.isBand ? 1 : divideUp(width, tiles.columns);
  int64_t rowUnits = shape.images / tiles.images * shape.groups * bands * perRow,
          grains = divideUp(shape.outChannels, shape.grain);
  if (tiles.isRun) {
    width *= height * shape.images;
    perRow = divideUp(width, tiles.columns);
    rowUnits = shape.groups * perRow;
  }
  double whole = double(tiles.m(shape)),
         last = double(tiles.isBand ? (height - (bands - 1) * tiles.rows) * width
                                    : width - (perRow - 1) * tiles.columns);
  double few = double(grains / tiles.parts * shape.grain), many = double(tiles.n);
  double unit[2][2] = {
      {unitCycles(target, shape, tiles, whole, many), unitCycles(target, shape, tiles, last, many)},
      {unitCycles(target, shape, tiles, whole, few), unitCycles(target, shape, tiles, last, few)}};
  // The busiest core counts.
  auto cores = int64_t(target.cubeCores);
  int64_t units = rowUnits * tiles.parts, period = tiles.isBand ? bands : perRow;
  double most = double(divideUp(units, cores)) * unit[0][0];
  if (units <= kMostUnits) {
    llvm::SmallVector<double> sums(cores, 0);
    for (int64_t index = 0; index < units; ++index) {
      int64_t part = index / rowUnits, tile = index % rowUnits, core = index % cores;
      if (tiles.partsFirst()) {
        tile = index / tiles.parts;
        part = (index + (tiles.turnsParts(shape, target) ? index / cores : 0)) % tiles.parts;
      } else if (tiles.parts > 1) {
        core = ((index + 1) * cores - 1) / units;
      }
      int64_t wide = ConvTiles::firstGrain(part + 1, grains, tiles.parts) -
                     ConvTiles::firstGrain(part, grains, tiles.parts);
      sums[core] += unit[wide * shape.grain < tiles.n][tile % period == period - 1];
    }
    most = *std::max_element(sums.begin(), sums.end());
  }
  double k = double(shape.blocks() * shape.taps() * shape.c0()), l2 = double(target.l2ReadRate);
  if (tiles.keepsFilters) { // a core loads them with its first unit, or twice
    double filters = k * many * shape.inBytes / l2 - unit[0][0];
    most += (tiles.parts > 1 && cores % tiles.parts != 0 ? 2 : 1) * std::max(filters, 0.0);
  }
  // What the first units need before they begin: by each core's port, and from memory, which has whole lines.
  double pixels = inputPixels(shape, tiles, whole),
         filters = double(std::min<int64_t>(tiles.depthL1, int64_t(k)) * tiles.n * shape.inBytes);
  double start =
      std::max((pixels * double(tiles.blocks * 32) + filters) / l2,
               fetchCycles(target, shape, tiles, whole) + double(std::min(tiles.parts, cores)) * filters /
                                                              double(target.ddrRate * target.cubeCores));
  double columns = many * shape.outBytes, bytes = whole * double(tiles.images) * columns;
  double write =
      std::max(bytes / double(target.l2WriteRate), bytes / double(target.ddrRate)); // all at one time
  if (tiles.parts > 1 && int64_t(columns) % kMemoryLine)
    write /= double(target.gmUnalignedPercent) / 100;
  return start + most + write;
}

} // namespace

bool chooseConvTiles(const Target &target, const ConvShape &shape, ConvTiles &tiles) {
  double least = -1;
  auto considerPairs = [&](ConvTiles candidate, int64_t mostBlocks, int64_t pairs) {
    if (!chooseSteps(target, shape, candidate, mostBlocks, pairs))
      return;
    double cycles = cyclesOf(target, shape, candidate);
    if (least < 0 || cycles < least * 0.999) {
      least = cycles;
      tiles = candidate;
    }
  };
  auto considerSteps = [&](const ConvTiles &candidate, int64_t mostBlocks) {
    considerPairs(candidate, mostBlocks, 0);
    for (int64_t pairs = 1; pairs <= (candidate.keepsFilters ? kMostPairs : 1); pairs *= 2)
      considerPairs(candidate, mostBlocks, pairs);
  };
  auto considerOne = [&](const ConvTiles &candidate) {
    considerSteps(candidate, shape.blocks());
    // Less of the input at a time lets the first unit begin earlier.
    if (!candidate.keepsFilters && !target.fusedCores)
      for (int64_t blocks = kMemoryLine / 64; blocks < shape.blocks(); blocks *= 2)
        considerSteps(candidate, blocks);
  };
  auto consider = [&](ConvTiles candidate) {
    considerOne(candidate);
    candidate.keepsFilters = shape.mayKeepFilters && candidate.images == 1;
    if (candidate.keepsFilters)
      considerOne(candidate);
  };
  int64_t grains = divideUp(shape.outChannels, shape.grain);
  for (int64_t parts = divideUp(grains * shape.grain, kMostColumnsOfTile), before = 0; parts <= grains;
       ++parts) {
    ConvTiles candidate;
    candidate.parts = parts;
    candidate.n = divideUp(grains, parts) * shape.grain;
    if (candidate.n == before && parts > kMostUneven)
      continue; // no narrower, and no better spread
    before = candidate.n;
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
    int64_t perImage = shape.outHeight * shape.outWidth;
    candidate.isRun = true;
    for (candidate.columns = 32; shape.mayRunOn && perImage > 0 && candidate.columns <= kMostRows;
         candidate.columns += 16) {
      bool staysInImage = shape.images == 1 || perImage % candidate.columns == 0;
      candidate.pieces = staysInImage ? 1 : std::min(shape.images, (candidate.columns - 2) / perImage + 2);
      int64_t rows = std::min((candidate.columns - 2) / shape.outWidth + 2, shape.outHeight);
      candidate.pixels = shape.rowsFor(rows) * shape.width;
      if (candidate.pieces <= kMostImages)
        consider(candidate);
    }
    candidate.isRun = false;
    candidate.pieces = 1;
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
