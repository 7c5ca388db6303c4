// ConvLowering.cpp: a unit is some rows of an image, a part of a row, or pixels of several images, for some
// channels of one group. The input's rows lie in L1 as NC1HWC0; load3d makes the im2col matrix of them on the
// way to L0A.
#include "backends/npu/Transforms/ConvLowering.h"

#include "backends/npu/Transforms/ConvLayout.h"
#include "backends/npu/Transforms/ConvTiling.h"
#include "backends/npu/Transforms/CubeProduct.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/devicekit/MemoryPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// What a tile reads along one axis: `size` elements of the input from `first` on, and padding around them.
struct Span {
  OpFoldResult first, size, low, high;
};

/// As openUnits, but each block takes units that follow each other, as many as others but for one.
Value openRuns(OpBuilder &builder, Location loc, func::FuncOp function, OpFoldResult units, uint64_t cores) {
  Value unit = openUnits(builder, loc, function, units, cores);
  auto loop = cast<scf::ForOp>(unit.getParentBlock()->getParentOp());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop);
  IndexMath math(builder, loc);
  OpFoldResult block = loop.getLowerBound(), blocks = loop.getStep();
  auto startOf = [&](OpFoldResult index) { return math.value(math.div(math.mul(index, units), blocks)); };
  loop.setLowerBound(startOf(block));
  loop.setUpperBound(startOf(math.add(block, math.constant(1))));
  loop.setStep(math.value(math.constant(1)));
  return unit;
}

int64_t known(OpFoldResult extent) { return getConstantIntValue(extent).value_or(-1); }

/// Pixels of one image in a tile of pixels of several.
struct Piece {
  OpFoldResult first, count; // of the image's output
  OpFoldResult place;        // in the tile
  Span rows;                 // of the input
};

class ConvEmitter : CubeBuilder {
public:
  ConvEmitter(OpBuilder &builder, Location loc, func::FuncOp function, ConvOp conv,
              const ConvOperands &operands, bool isRelu, const Target &target)
      : CubeBuilder(builder, loc, function, cast<RankedTensorType>(conv.getX().getType()).getElementType()),
        conv(conv), operands(operands), isRelu(isRelu), target(target) {}
  LogicalResult run();

private:
  Value argument(BlockArgument value) { return function.getArgument(value.getArgNumber()); }
  Span spanOf(OpFoldResult start, OpFoldResult count, int64_t axis, OpFoldResult extent);
  ConvShape shapeOf(OpFoldResult images);
  void fillUnit(Value unit, OpFoldResult unitsOfPart);
  void takeColumns(OpFoldResult part);
  bool isPacked() const;
  void takeRows(OpFoldResult part);
  void takeRun(OpFoldResult part);
  void allocateSums();
  void storeAll();
  void loadInput(OpFoldResult block);
  void loadImage(Value to, OpFoldResult index, OpFoldResult channel, OpFoldResult count);
  void stepChunk(OpFoldResult block);
  void loadBiases();
  Value loadFilters(OpFoldResult start, OpFoldResult size);
  void loadRows(Value left, OpFoldResult start, OpFoldResult size);
  void loadPieces(Value left, OpFoldResult start, OpFoldResult size);
  void loadWindow(Value from, Value to, const Span &window, OpFoldResult above, OpFoldResult count,
                  OpFoldResult first, OpFoldResult start, OpFoldResult size);
  void multiply(OpFoldResult start, OpFoldResult size, Value filters);

  ConvOp conv;
  const ConvOperands &operands;
  const bool isRelu;
  const Target &target;
  ConvShape shape;
  ConvTiles tiles;
  Value x, w, bias, y;
  OpFoldResult height, width, outHeight, outWidth, channels, outChannels; // of all groups
  OpFoldResult pixelPitch; // elements from pixel to pixel that are loaded
  // Of the unit
  OpFoldResult image, group, startN, sizeN, sizeM, startRow, startColumn;
  OpFoldResult startPixel; // of all images' output
  SmallVector<Piece> pieces;
  Span rows, columns;
  Value sums, biases;
  OpFoldResult filtersAge; // 0: they are to be loaded
  Value keptFilters;       // of a part, the steps' one behind the other; null: each step loads its own
  // Of the step of the input
  Value input;
  OpFoldResult chunk;
};

Span ConvEmitter::spanOf(OpFoldResult start, OpFoldResult count, int64_t axis, OpFoldResult extent) {
  int64_t axes = int64_t(conv.getStrides().size());
  int64_t reach = axis == 0 ? shape.rowsFor(1) : shape.columnsFor(1);
  OpFoldResult stride = math.constant(axis == 0 ? shape.strideH : shape.strideW),
               low = math.constant(conv.getPads()[axis]);
  bool isPadded = conv.getPads()[axis] || conv.getPads()[axes + axis];
  OpFoldResult begin = math.sub(math.mul(start, stride), low); // may lie before the input
  OpFoldResult length = math.add(math.mul(math.sub(count, math.constant(1)), stride), math.constant(reach));
  if (!isPadded)
    return {begin, length, math.constant(0), math.constant(0)};
  Span span;
  OpFoldResult end = math.add(begin, length), zero = math.constant(0);
  span.first = math.min(math.max(begin, zero), extent);
  OpFoldResult last = math.max(math.min(end, extent), span.first);
  span.size = math.sub(last, span.first);
  span.low = math.sub(span.first, begin);
  span.high = math.sub(end, last);
  return span;
}

/// Some channels of an image, pixel by pixel.
void ConvEmitter::loadImage(Value to, OpFoldResult index, OpFoldResult channel, OpFoldResult count) {
  OpFoldResult pitch = math.mul(rows.size, columns.size);
  auto windowFrom = [&](OpFoldResult row, OpFoldResult pixels) {
    OpFoldResult pixel = math.add(math.mul(index, height), row);
    pixel = math.add(math.mul(pixel, width), columns.first);
    return windowOf(builder, loc, x, math.add(math.mul(pixel, pixelPitch), channel), {pixels, count},
                    {pixelPitch, math.constant(1)});
  };
  if (tiles.isBand || tiles.isRun || shape.rowsFor(1) == 1) {
    builder.create<ir::Nd2NzOp>(loc, windowFrom(rows.first, pitch), to, Value(), math.value(pitch));
    return;
  }
  Value zero = math.value(math.constant(0)), one = math.value(math.constant(1));
  auto loop = builder.create<scf::ForOp>(loc, zero, math.value(rows.size), one);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  OpFoldResult row = loop.getInductionVar();
  builder.create<ir::Nd2NzOp>(loc, windowFrom(math.add(rows.first, row), columns.size), to,
                              math.value(math.mul(row, columns.size)), math.value(pitch));
}

void ConvEmitter::loadInput(OpFoldResult block) {
  int64_t c0 = shape.c0();
  input = allocate({tiles.sources() * tiles.blocks, int64_t(llvm::divideCeil(tiles.pixels, 16)), 16, c0},
                   element, ir::Memory::L1);
  OpFoldResult channel = math.mul(block, math.constant(c0));
  OpFoldResult count = clip(math.constant(shape.channels), tiles.blocks * c0, channel);
  channel = math.add(channel, math.mul(group, math.constant(shape.channels)));
  for (int64_t i = 0; i < tiles.sources(); ++i) {
    if (tiles.isRun)
      rows = pieces[i].rows;
    loadImage(slice(input, 0, math.constant(i * tiles.blocks), tiles.blocks),
              math.add(image, math.constant(i)), channel, count);
  }
}

Value ConvEmitter::loadFilters(OpFoldResult start, OpFoldResult size) {
  OpFoldResult column = math.add(math.mul(group, math.constant(shape.outChannels)), startN);
  int64_t perBlock = shape.taps() * shape.c0(), depth = shape.blocks() * perBlock; // of a filter
  OpFoldResult from = math.add(math.mul(chunk, math.constant(perBlock)), start);
  SmallVector<int64_t> extents = tileExtents(/*depthIsRow=*/false, tiles.n, tiles.depthL1);
  Value tile;
  if (keptFilters) {
    OpFoldResult index = math.div(start, math.constant(tiles.depthL1));
    tile = slice(keptFilters, 0, math.mul(index, math.constant(extents[0])), extents[0]);
  } else {
    tile = allocate(extents, element, ir::Memory::L1);
    if (tiles.filterCopies != 2)
      tile.getDefiningOp()->setAttr(devicekit::kCopiesAttr, builder.getI64IntegerAttr(tiles.filterCopies));
  }
  auto load = [&] {
    if (shape.outChannels % 16 != 0)
      clear(tile);
    Value window = windowOf(builder, loc, w, math.add(math.mul(column, math.constant(depth)), from),
                            {sizeN, size}, {math.constant(depth), math.constant(1)});
    Value pitch = isPacked() ? math.value(sizeN) : Value(); // multiples of a fractal's columns
    builder.create<ir::Nd2NzOp>(loc, window, tile, Value(), pitch);
  };
  if (keptFilters)
    once(filtersAge, load);
  else
    load();
  return tile;
}

/// Rows of the im2col matrix in L0A. Those of several images lie close together: an image's may begin within
/// a fractal, of which its transfer fills the rows before with those of pixels above the image, until that of
/// the image before writes its own there. So the last image goes first.
void ConvEmitter::loadRows(Value left, OpFoldResult start, OpFoldResult size) {
  if (tiles.isRun)
    return loadPieces(left, start, size);
  int64_t pixels = tiles.m(shape);
  for (int64_t i = tiles.images; i-- > 0;) {
    int64_t begin = tiles.images > 1 ? i * pixels : 0, before = begin % 16;
    int64_t above = llvm::divideCeil(before, std::max<int64_t>(shape.outWidth, 1)), first = 0;
    Value to = left;
    OpFoldResult count = sizeM, top = rows.low;
    if (tiles.images > 1) {
      to = slice(left, 0, math.constant(begin / 16), llvm::divideCeil(before + pixels, 16));
      count = math.constant(before + pixels);
      top = math.add(top, math.constant(above * shape.strideH));
      first = above * shape.outWidth - before;
    }
    loadWindow(slice(input, 0, math.constant(i * tiles.blocks), tiles.blocks), to, rows, top, count,
               math.constant(first), start, size);
  }
}

void ConvEmitter::loadWindow(Value from, Value to, const Span &window, OpFoldResult above, OpFoldResult count,
                             OpFoldResult first, OpFoldResult start, OpFoldResult size) {
  const int64_t kernel[] = {shape.kernelH, shape.kernelW};
  Value pads[] = {math.value(above), math.value(window.high), math.value(columns.low),
                  math.value(columns.high)};
  builder.create<ir::Load3dOp>(
      loc, from, to, math.value(window.size), math.value(columns.size), pads, math.value(count),
      getConstantIntValue(first) == 0 ? Value() : math.value(first), math.value(start), math.value(size),
      kernel, ArrayRef<int64_t>{shape.strideH, shape.strideW},
      ArrayRef<int64_t>{shape.dilationH, shape.dilationW});
}

/// The same of pixels that begin and end anywhere in an image: from the second on with rows above the image
/// for what an image's first pixels may have before them in a fractal. What is not there has no rows.
void ConvEmitter::loadPieces(Value left, OpFoldResult start, OpFoldResult size) {
  int64_t width = shape.outWidth, above = int64_t(llvm::divideCeil(15, width));
  for (int64_t i = tiles.pieces; i-- > 0;) {
    const Piece &piece = pieces[i];
    Value to = left;
    OpFoldResult top = piece.rows.low, count = piece.count,
                 first = math.rem(piece.first, math.constant(width));
    if (i > 0) {
      OpFoldResult before = math.rem(piece.place, math.constant(16)),
                   isThere = math.min(count, math.constant(1));
      auto type = cast<MemRefType>(left.getType());
      to = slice(left, 0, math.div(piece.place, math.constant(16)), type.getDimSize(0) - 1);
      top = math.add(top, math.constant(above * shape.strideH));
      first = math.mul(math.sub(math.constant(above * width), before), isThere);
      count = math.mul(math.add(before, count), isThere);
    }
    loadWindow(slice(input, 0, math.constant(i * tiles.blocks), tiles.blocks), to, piece.rows, top, count,
               first, start, size);
  }
}

void ConvEmitter::multiply(OpFoldResult start, OpFoldResult size, Value filters) {
  OpFoldResult row = math.add(math.mul(chunk, math.constant(shape.taps() * shape.c0())), start);
  Value m = math.value(tiles.images > 1 ? math.constant(tiles.images * tiles.m(shape)) : sizeM),
        n = math.value(sizeN), k = math.value(size);
  Value left = allocateL0(ir::Memory::L0A, tiles.fractalRows(shape), tiles.depthL1),
        right = allocateL0(ir::Memory::L0B, llvm::alignTo(tiles.n, squareOf(element)), tiles.depthL1);
  loadRows(left, start, size);
  builder.create<ir::Load2dOp>(loc, filters, right, n, k, Value(), /*transpose=*/false, isPacked());
  builder.create<ir::MmadOp>(loc, left, right, sums, m, n, k, isZero(row), biases,
                             tiles.depthL0 < tiles.depthL1 ? builder.getI64IntegerAttr(tiles.depthL0)
                                                           : IntegerAttr());
}

void ConvEmitter::stepChunk(OpFoldResult block) {
  chunk = block;
  OpFoldResult blocks = clip(math.constant(shape.blocks()), tiles.blocks, block);
  loadInput(block);
  OpFoldResult depth = math.mul(blocks, math.constant(shape.taps() * shape.c0()));
  forSteps(depth, tiles.depthL1, [&](OpFoldResult start) {
    OpFoldResult size = clip(depth, tiles.depthL1, start);
    multiply(start, size, loadFilters(start, size));
  });
}

/// Output channels of a part.
void ConvEmitter::takeColumns(OpFoldResult part) {
  int64_t grains = llvm::divideCeil(shape.outChannels, shape.grain);
  auto startOf = [&](OpFoldResult index) {
    OpFoldResult first = grains % tiles.parts == 0
                             ? math.mul(index, math.constant(grains / tiles.parts))
                             : math.div(math.mul(index, math.constant(grains)), math.constant(tiles.parts));
    return math.mul(first, math.constant(shape.grain));
  };
  startN = startOf(part);
  if (grains % tiles.parts == 0)
    sizeN = clip(math.constant(shape.outChannels), tiles.n, startN);
  else
    sizeN = math.sub(math.min(startOf(math.add(part, math.constant(1))), math.constant(shape.outChannels)),
                     startN);
}

/// Whether filters lie in L1 as closely as a part has them: parts of two sizes, all of whole fractals.
bool ConvEmitter::isPacked() const {
  int64_t grains = llvm::divideCeil(shape.outChannels, shape.grain);
  return grains % tiles.parts != 0 && shape.outChannels % 16 == 0;
}

void ConvEmitter::loadBiases() {
  OpFoldResult column = math.add(math.mul(group, math.constant(shape.outChannels)), startN);
  bool isWhole = shape.outChannels % (element.isInteger(8) ? 32 : 16) == 0;
  biases = bias ? loadBias(bias, column, sizeN, llvm::alignTo(tiles.n, squareOf(element)), isWhole) : Value();
}

/// The unit's rows and columns of the output, from its number among those of the same output channels.
void ConvEmitter::takeRows(OpFoldResult part) {
  OpFoldResult rest = part;
  auto next = [&](OpFoldResult count) {
    OpFoldResult index = math.rem(rest, count);
    rest = math.div(rest, count);
    return index;
  };
  OpFoldResult countColumns = outWidth;
  startColumn = math.constant(0);
  if (!tiles.isBand) {
    startColumn = math.mul(next(math.ceilDiv(outWidth, tiles.columns)), math.constant(tiles.columns));
    countColumns = clip(outWidth, tiles.columns, startColumn);
  }
  startRow = math.mul(next(math.ceilDiv(outHeight, tiles.rows)), math.constant(tiles.rows));
  OpFoldResult countRows = tiles.isBand ? clip(outHeight, tiles.rows, startRow) : math.constant(1);
  group = next(math.constant(shape.groups));
  image = math.mul(rest, math.constant(tiles.images));
  rows = spanOf(startRow, countRows, 0, height);
  columns = spanOf(startColumn, countColumns, 1, width);
  if (tiles.isBand) // all of a row
    columns = {math.constant(0), width, math.constant(conv.getPads()[1]), math.constant(conv.getPads()[3])};
  sizeM = tiles.isBand ? math.mul(countRows, outWidth) : countColumns;
}

/// The unit's pixels where they follow each other through all images.
void ConvEmitter::takeRun(OpFoldResult part) {
  int64_t perImage = shape.outHeight * shape.outWidth, all = shape.images * perImage;
  OpFoldResult count = math.constant(llvm::divideCeil(all, tiles.columns)), size = math.constant(perImage);
  startPixel = math.mul(math.rem(part, count), math.constant(tiles.columns));
  group = shape.groups > 1 ? math.div(part, count) : math.constant(0);
  sizeM = clip(math.constant(all), tiles.columns, startPixel);
  image = shape.images > 1 ? math.div(startPixel, size) : math.constant(0);
  OpFoldResult zero = math.constant(0), begin = shape.images > 1 ? math.rem(startPixel, size) : startPixel;
  columns = {zero, width, math.constant(conv.getPads()[1]), math.constant(conv.getPads()[3])};
  pieces.clear();
  for (int64_t i = 0; i < tiles.pieces; ++i) {
    Piece piece;
    piece.first = i ? zero : begin;
    piece.place = i ? math.sub(math.constant(i * perImage), begin) : zero;
    piece.count = i                  ? math.min(math.max(math.sub(sizeM, piece.place), zero), size)
                  : tiles.pieces > 1 ? math.min(sizeM, math.sub(size, begin))
                                     : sizeM;
    OpFoldResult row = math.div(piece.first, outWidth),
                 end = math.ceilDiv(math.add(piece.first, piece.count), shape.outWidth);
    piece.rows = spanOf(row, math.sub(end, row), 0, height);
    if (i)
      piece.rows.size = math.mul(piece.rows.size, math.min(piece.count, math.constant(1)));
    pieces.push_back(piece);
  }
}

void ConvEmitter::allocateSums() {
  sums = allocate(
      {int64_t(llvm::alignTo(tiles.n, squareOf(element)) / 16), tiles.fractalRows(shape) / 16, 16, 16},
      sumType(element), ir::Memory::L0C);
}

void ConvEmitter::storeAll() {
  OpFoldResult column = math.add(math.mul(group, math.constant(shape.outChannels)), startN);
  CubeOutput output = {y, outChannels, cast<MemRefType>(y.getType()).getElementType(), Value(), isRelu};
  OpFoldResult pixel = startPixel;
  if (!tiles.isRun) {
    pixel = math.add(math.mul(image, outHeight), startRow);
    pixel = math.add(math.mul(pixel, outWidth), startColumn);
  }
  storeSums(output, sums, math.add(math.mul(pixel, outChannels), column),
            tiles.images > 1 ? math.constant(tiles.images * tiles.m(shape)) : sizeM, sizeN);
}

void ConvEmitter::fillUnit(Value unit, OpFoldResult unitsOfPart) {
  OpFoldResult part = math.constant(0), tile = unit, parts = math.constant(tiles.parts);
  if (tiles.partsFirst()) { // the cores beside each other read the same pixels
    part = math.rem(unit, parts);
    tile = math.div(unit, parts);
    if (tiles.turnsParts(shape, target)) // what is wider falls to another core next time
      part = math.rem(math.add(part, math.div(unit, math.constant(int64_t(target.cubeCores)))), parts);
  } else if (tiles.parts > 1) {
    part = math.div(unit, unitsOfPart);
    tile = math.rem(unit, unitsOfPart);
  }
  takeColumns(part);
  if (tiles.isRun)
    takeRun(tile);
  else
    takeRows(tile);
  if (keptFilters) { // 0: the core's first unit, or the first of another part
    auto loop = cast<scf::ForOp>(unit.getParentBlock()->getParentOp());
    filtersAge = math.min(math.sub(unit, loop.getLowerBound()), math.constant(1));
    if (tiles.parts > 1) {
      OpFoldResult before = math.max(math.sub(unit, loop.getStep()), math.constant(0));
      OpFoldResult isOther = math.min(math.sub(part, math.div(before, unitsOfPart)), math.constant(1));
      filtersAge = math.mul(filtersAge, math.sub(math.constant(1), isOther));
    }
  }
  loadBiases();
  allocateSums();
  forSteps(math.constant(shape.blocks()), tiles.blocks, [&](OpFoldResult block) { stepChunk(block); });
  storeAll();
}

ConvShape ConvEmitter::shapeOf(OpFoldResult images) {
  auto filter = cast<RankedTensorType>(conv.getW().getType()).getShape();
  ConvShape shape;
  shape.groups = conv.getGroups();
  shape.images = std::max<int64_t>(1, known(images));
  shape.width = known(width), shape.outHeight = known(outHeight), shape.outWidth = known(outWidth);
  shape.channels = filter[1], shape.outChannels = filter[0] / shape.groups;
  shape.kernelH = filter[2], shape.kernelW = filter[3];
  shape.strideH = conv.getStrides()[0], shape.strideW = conv.getStrides()[1];
  shape.dilationH = conv.getDilations()[0], shape.dilationW = conv.getDilations()[1];
  shape.inBytes = element.getIntOrFloatBitWidth() / 8;
  shape.outBytes = cast<MemRefType>(y.getType()).getElementTypeBitWidth() / 8;
  shape.depth = cubeDepth(target, element);
  // Rows above an image come by the pads' fields: 15 steps at most.
  bool hasFewPads =
      shape.strideH <= 8 && llvm::all_of(conv.getPads(), [](int64_t pad) { return pad <= 100; });
  shape.mayJoinImages = hasFewPads && known(images) > 0 && shape.outHeight > 0 && shape.outWidth > 0 &&
                        shape.width > 0 && known(height) > 0;
  shape.mayRunOn = shape.mayJoinImages;
  return shape;
}

LogicalResult ConvEmitter::run() {
  x = argument(operands.x);
  w = argument(operands.w);
  bias = operands.bias ? biasIn(builder, loc, function, operands.bias) : Value();
  y = function.getArguments().back();
  OpFoldResult images = extentOf(builder, loc, x, 0);
  height = extentOf(builder, loc, x, 1), width = extentOf(builder, loc, x, 2);
  channels = extentOf(builder, loc, x, 3);
  outHeight = extentOf(builder, loc, y, 1), outWidth = extentOf(builder, loc, y, 2);
  outChannels = extentOf(builder, loc, y, 3);
  shape = shapeOf(images);
  channels = math.constant(shape.channels * shape.groups);
  outChannels = math.constant(shape.outChannels * shape.groups);
  pixelPitch = channels;
  bool isPadded = llvm::any_of(conv.getPads(), [](int64_t pad) { return pad != 0; });
  if (shape.taps() == 1 && shape.strideW > 1 && !isPadded && shape.mayJoinImages &&
      shape.width == shape.outWidth * shape.strideW &&
      known(height) == shape.outHeight * shape.strideH) { // what is between columns is not loaded
    pixelPitch = math.mul(channels, math.constant(shape.strideW));
    height = math.mul(height, images), outHeight = math.mul(outHeight, images);
    width = outWidth, images = math.constant(1);
    shape.outHeight *= shape.images; // images lie one below the other
    shape.width = shape.outWidth;
    shape.images = shape.strideW = 1;
    shape.mayJoinImages = false;
  }
  // On fused cores the loops by which sums leave would make flags' proof too long.
  shape.mayKeepFilters = !target.fusedCores && shape.groups == 1 && shape.outChannels % 16 == 0;
  if (!chooseConvTiles(target, shape, tiles))
    return conv.emitError("npu: kiln.conv whose window does not fit into L1 is not lowered yet");
  OpFoldResult units = math.mul(math.div(images, math.constant(tiles.images)),
                                math.mul(math.constant(shape.groups), math.ceilDiv(outHeight, tiles.rows)));
  if (tiles.isRun)
    units = math.constant(shape.groups *
                          llvm::divideCeil(shape.images * shape.outHeight * shape.outWidth, tiles.columns));
  else if (!tiles.isBand)
    units = math.mul(units, math.ceilDiv(outWidth, tiles.columns));
  if (tiles.keepsFilters) {
    SmallVector<int64_t> extents = tileExtents(/*depthIsRow=*/false, tiles.n, tiles.depthL1);
    extents[0] *= llvm::divideCeil(shape.blocks() * shape.taps() * shape.c0(), tiles.depthL1);
    keptFilters = allocate(extents, element, ir::Memory::L1);
  }
  OpFoldResult all = math.mul(units, math.constant(tiles.parts));
  bool areRuns = tiles.keepsFilters && tiles.parts > 1; // whose filters are mostly the same
  fillUnit(areRuns ? openRuns(builder, loc, function, all, target.cubeCores)
                   : openUnits(builder, loc, function, all, target.cubeCores),
           units);
  return success();
}

} // namespace

LogicalResult lowerConvKernel(KernelOp kernel, ConvOp conv, const CubeEpilogue &epilogue,
                              const Target &target) {
  std::optional<ConvOperands> operands = matchLayout(conv, epilogue);
  Type element = cast<RankedTensorType>(conv.getX().getType()).getElementType();
  if (!operands || !isCubeType(target, element) ||
      element != cast<RankedTensorType>(conv.getW().getType()).getElementType())
    return conv.emitError("npu: kiln.conv of ")
           << conv.getX().getType() << " by " << conv.getW().getType() << " is not lowered yet on the "
           << std::string(target.name());
  OpBuilder builder(kernel.getContext());
  func::FuncOp function = makeFunction(kernel, "aic", "conv");
  builder.setInsertionPoint(function.getBody().front().getTerminator());
  if (operands->layout == FilterLayout::Frames) {
    emitFrames(builder, kernel.getLoc(), function, conv, *operands, epilogue.isRelu, target);
    return success();
  }
  return ConvEmitter(builder, kernel.getLoc(), function, conv, *operands, epilogue.isRelu, target).run();
}

} // namespace kiln::npu
