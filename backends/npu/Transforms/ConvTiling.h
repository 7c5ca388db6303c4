// ConvTiling.h: how a convolution on channels-last tensors is cut into tiles.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_CONVTILING_H
#define KILN_BACKENDS_NPU_TRANSFORMS_CONVTILING_H

#include "backends/npu/Target.h"

namespace kiln::npu {

/// One convolution; extents below 0 are not known. Channels are those of a group.
struct ConvShape {
  int64_t images = 1, groups = 1, width = -1, outHeight = -1, outWidth = -1, channels = 1, outChannels = 1;
  int64_t kernelH = 1, kernelW = 1, strideH = 1, strideW = 1, dilationH = 1, dilationW = 1;
  int64_t inBytes = 2, outBytes = 2, depth = 16;
  int64_t grain = 16;         // parts of the output's channels are multiples of it
  bool mayJoinImages = false; // their count and all extents are known
  bool mayRunOn = false;      // tiles from row to row, and from image to image
  bool mayKeepFilters = false;

  int64_t c0() const { return 32 / inBytes; }
  int64_t blocks() const { return (channels + c0() - 1) / c0(); } // C1
  int64_t taps() const { return kernelH * kernelW; }
  /// Rows (columns) of the input that `count` of the output need.
  int64_t rowsFor(int64_t count) const { return (count - 1) * strideH + (kernelH - 1) * dilationH + 1; }
  int64_t columnsFor(int64_t count) const { return (count - 1) * strideW + (kernelW - 1) * dilationW + 1; }
};

/// A tile of the output is `rows` whole rows, all rows of `images`, `columns` of one row, or that many pixels
/// that follow each other in all rows of all images, by one of `parts` of the channels. Parts are as equal as
/// grains allow; all tiles of one follow each other.
struct ConvTiles {
  bool isBand = false; // whole rows
  bool isRun = false;  // pixels of all rows and images
  int64_t pieces = 1;  // then: images that a tile has pixels of, at most
  int64_t rows = 1, columns = 0, parts = 1;
  int64_t n = 16;                     // channels of a part, at most
  bool keepsFilters = false;          // of a part in L1, from tile to tile
  int64_t images = 1;                 // more than 1: a divisor of all; their rows lie close together
  int64_t blocks = 1;                 // of C0 channels that a step of the input has in L1
  int64_t depthL1 = 16, depthL0 = 16; // of the filters' steps
  int64_t filterCopies = 2;           // of such a step in L1, unless all stay there
  int64_t pixels = 0;                 // of the input's tile of an image in L1, at most
  int64_t m(const ConvShape &shape) const { return isBand ? rows * shape.outWidth : columns; } // of an image
  /// Whether units go through the parts of a tile before the next tile; else through the tiles of a part.
  bool partsFirst() const { return parts > 1 && !keepsFilters; }
  /// Then: whether the same core would always get the same of parts that differ, were they not turned.
  bool turnsParts(const ConvShape &shape, const Target &target) const {
    int64_t grains = (shape.outChannels + shape.grain - 1) / shape.grain;
    return partsFirst() && grains % parts != 0 && int64_t(target.cubeCores) % parts == 0;
  }
  /// Parts' first grains.
  static int64_t firstGrain(int64_t part, int64_t grains, int64_t parts) { return part * grains / parts; }
  /// What of different images a tile's rows in L0A are made of.
  int64_t sources() const { return images * pieces; }
  /// Rows in L0 and L0C.
  int64_t fractalRows(const ConvShape &shape) const { return (images * m(shape) + 15) / 16 * 16; }
};

/// The tiles that the cost model finds fastest; false if L1 does not hold even the smallest.
bool chooseConvTiles(const Target &target, const ConvShape &shape, ConvTiles &tiles);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_CONVTILING_H
