// ConvLowering.cpp: a unit is some rows of one image's output, or a part of one row, for some channels of one
// group. The input's rows lie in L1 as NC1HWC0; load3d makes the im2col matrix of them on the way to L0A.
#include "backends/npu/Transforms/ConvLowering.h"

#include "backends/npu/Transforms/ConvLayout.h"
#include "backends/npu/Transforms/ConvTiling.h"
#include "backends/npu/Transforms/CubeProduct.h"
#include "backends/npu/Transforms/VectorLowering.h"

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

int64_t known(OpFoldResult extent) { return getConstantIntValue(extent).value_or(-1); }

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
  /// A part of a buffer, whose fractals lie as in the whole.
  Value slice(Value buffer, int64_t axis, OpFoldResult first, int64_t count);
  ConvShape shapeOf(OpFoldResult images);
  void fillUnit(Value unit);
  void takeColumns(OpFoldResult index);
  void takeRows(OpFoldResult part);
  void allocateSums();
  void storeAll();
  void loadInput(OpFoldResult block);
  void loadImage(Value to, OpFoldResult index, OpFoldResult channel, OpFoldResult count);
  void stepChunk(OpFoldResult block);
  Value loadTaps(OpFoldResult start, OpFoldResult size, OpFoldResult column);
  void loadBiases();
  Value loadFilters(OpFoldResult start, OpFoldResult size);
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
  Span rows, columns;
  Value sums, biases;
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

Value ConvEmitter::slice(Value buffer, int64_t axis, OpFoldResult first, int64_t count) {
  auto type = cast<MemRefType>(buffer.getType());
  if (count == type.getDimSize(axis))
    return buffer;
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      ones(type.getRank(), builder.getIndexAttr(1)), sizes;
  for (int64_t extent : type.getShape())
    sizes.push_back(builder.getIndexAttr(extent));
  offsets[axis] = first;
  sizes[axis] = builder.getIndexAttr(count);
  return builder.create<memref::SubViewOp>(loc, buffer, offsets, sizes, ones);
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
  if (tiles.isBand || shape.rowsFor(1) == 1) {
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
  input = allocate({tiles.images * tiles.blocks, int64_t(llvm::divideCeil(tiles.pixels, 16)), 16, c0},
                   element, ir::Memory::L1);
  OpFoldResult channel = math.mul(block, math.constant(c0));
  OpFoldResult count = clip(math.constant(shape.channels), tiles.blocks * c0, channel);
  channel = math.add(channel, math.mul(group, math.constant(shape.channels)));
  for (int64_t i = 0; i < tiles.images; ++i)
    loadImage(slice(input, 0, math.constant(i * tiles.blocks), tiles.blocks),
              math.add(image, math.constant(i)), channel, count);
}

/// The filters' rows of one step, block of channels by block, zeros where a block has fewer channels.
Value ConvEmitter::loadTaps(OpFoldResult start, OpFoldResult size, OpFoldResult column) {
  int64_t c0 = shape.c0(), square = squareOf(element), taps = shape.taps();
  int64_t rowsInL1 = llvm::alignTo(tiles.depthL1, square);
  Value tile = allocate({int64_t(llvm::alignTo(tiles.n, square) / c0), rowsInL1 / 16, 16, c0}, element,
                        ir::Memory::L1);
  clear(tile);
  Value pitch = math.value(math.constant(rowsInL1));
  OpFoldResult first = math.add(math.mul(chunk, math.constant(taps)), math.div(start, math.constant(c0)));
  forSteps(math.ceilDiv(size, c0), 1, [&](OpFoldResult index) {
    OpFoldResult block = math.add(first, index), tap = math.rem(block, math.constant(taps));
    OpFoldResult channel = shape.blocks() == 1
                               ? math.constant(0)
                               : math.mul(math.div(block, math.constant(taps)), math.constant(c0));
    OpFoldResult row = math.add(math.mul(tap, math.constant(shape.channels)), channel);
    OpFoldResult rows = clip(math.constant(shape.channels), c0, channel);
    Value window = windowOf(builder, loc, w, math.add(math.mul(row, outChannels), column), {rows, sizeN},
                            {outChannels, math.constant(1)});
    builder.create<ir::Nd2NzOp>(loc, window, tile, math.value(math.mul(index, math.constant(c0))), pitch);
  });
  return tile;
}

Value ConvEmitter::loadFilters(OpFoldResult start, OpFoldResult size) {
  OpFoldResult column = math.add(math.mul(group, math.constant(shape.outChannels)), startN);
  if (operands.layout == FilterLayout::Taps)
    return loadTaps(start, size, column);
  int64_t square = squareOf(element), perBlock = shape.taps() * shape.c0();
  OpFoldResult row = math.add(math.mul(chunk, math.constant(perBlock)), start);
  bool isWhole = shape.outChannels % square == 0 && tiles.n % square == 0 &&
                 shape.blocks() * perBlock % square == 0 && tiles.blocks * perBlock % square == 0 &&
                 tiles.depthL1 % square == 0;
  return loadTile({w, /*depthIsRow=*/true, outChannels, {}}, math.add(math.mul(row, outChannels), column),
                  sizeN, size, tiles.n, tiles.depthL1, isWhole);
}

void ConvEmitter::multiply(OpFoldResult start, OpFoldResult size, Value filters) {
  OpFoldResult row = math.add(math.mul(chunk, math.constant(shape.taps() * shape.c0())), start);
  int64_t square = squareOf(element), rowsOfL0 = tiles.fractalRows(shape),
          rowsOfOne = rowsOfL0 / tiles.images;
  OpFoldResult sizeOfOne = sizeM, low = rows.high;
  if (tiles.images > 1) { // whole fractals of each, of rows below the image
    sizeOfOne = math.constant(rowsOfOne);
    int64_t more = llvm::divideCeil(rowsOfOne - tiles.m(shape), shape.outWidth);
    low = math.add(low, math.constant(more * shape.strideH));
  }
  Value m = math.value(tiles.images > 1 ? math.constant(rowsOfL0) : sizeM),
        n = math.value(columnsInL0(sizeN, /*isTransposed=*/true)), k = math.value(size);
  Value left = allocateL0(ir::Memory::L0A, rowsOfL0, tiles.depthL1),
        right = allocateL0(ir::Memory::L0B, llvm::alignTo(tiles.n, square), tiles.depthL1);
  Value pads[] = {math.value(rows.low), math.value(low), math.value(columns.low), math.value(columns.high)};
  for (int64_t i = 0; i < tiles.images; ++i)
    builder.create<ir::Load3dOp>(loc, slice(input, 0, math.constant(i * tiles.blocks), tiles.blocks),
                                 slice(left, 0, math.constant(i * rowsOfOne / 16), rowsOfOne / 16),
                                 math.value(rows.size), math.value(columns.size), pads, math.value(sizeOfOne),
                                 math.value(start), k, ArrayRef<int64_t>{shape.kernelH, shape.kernelW},
                                 ArrayRef<int64_t>{shape.strideH, shape.strideW},
                                 ArrayRef<int64_t>{shape.dilationH, shape.dilationW});
  builder.create<ir::Load2dOp>(loc, filters, right, n, k, Value(), /*transpose=*/true);
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

/// Output channels of the tile at `index`.
void ConvEmitter::takeColumns(OpFoldResult index) {
  startN = math.mul(index, math.constant(tiles.n));
  sizeN = clip(math.constant(shape.outChannels), tiles.n, startN);
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

void ConvEmitter::allocateSums() {
  sums = allocate(
      {int64_t(llvm::alignTo(tiles.n, squareOf(element)) / 16), tiles.fractalRows(shape) / 16, 16, 16},
      sumType(element), ir::Memory::L0C);
}

void ConvEmitter::storeAll() {
  OpFoldResult column = math.add(math.mul(group, math.constant(shape.outChannels)), startN);
  CubeOutput output = {y, outChannels, cast<MemRefType>(y.getType()).getElementType(), Value(), isRelu};
  int64_t fractals = tiles.fractalRows(shape) / 16 / tiles.images;
  for (int64_t i = 0; i < tiles.images; ++i) {
    OpFoldResult pixel = math.add(math.mul(math.add(image, math.constant(i)), outHeight), startRow);
    pixel = math.add(math.mul(pixel, outWidth), startColumn);
    storeSums(output, slice(sums, 1, math.constant(i * fractals), fractals),
              math.add(math.mul(pixel, outChannels), column), sizeM, sizeN);
  }
}

void ConvEmitter::fillUnit(Value unit) {
  OpFoldResult tilesN = math.ceilDiv(math.constant(shape.outChannels), tiles.n);
  takeColumns(math.rem(unit, tilesN));
  takeRows(math.div(unit, tilesN));
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
  // Rows below the image come by the pads' fields: 15 steps at most.
  bool hasFewPads =
      shape.strideH <= 8 && llvm::all_of(conv.getPads(), [](int64_t pad) { return pad <= 100; });
  shape.mayJoinImages = hasFewPads && known(images) > 0 && shape.outHeight > 0 && shape.outWidth > 0 &&
                        shape.width > 0 && known(height) > 0;
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
  if (!chooseConvTiles(target, shape, tiles))
    return conv.emitError("npu: kiln.conv whose window does not fit into L1 is not lowered yet");
  OpFoldResult units = math.mul(math.div(images, math.constant(tiles.images)),
                                math.mul(math.constant(shape.groups), math.ceilDiv(outHeight, tiles.rows)));
  if (!tiles.isBand)
    units = math.mul(units, math.ceilDiv(outWidth, tiles.columns));
  units = math.mul(units, math.ceilDiv(math.constant(shape.outChannels), tiles.n));
  fillUnit(openUnits(units, target.cubeCores));
  return success();
}

} // namespace

namespace {

/// One row of frames: a product whose left rows overlap where the stride is less than the window.
void emitFrames(OpBuilder &builder, Location loc, func::FuncOp function, ConvOp conv,
                const ConvOperands &operands, bool isRelu, const Target &target) {
  IndexMath math(builder, loc);
  auto filter = cast<RankedTensorType>(conv.getW().getType()).getShape();
  auto argument = [&](BlockArgument value) { return function.getArgument(value.getArgNumber()); };
  Value x = argument(operands.x), y = function.getArguments().back();
  OpFoldResult channels = math.constant(filter[1]);
  CubeProduct product;
  product.element = cast<MemRefType>(x.getType()).getElementType();
  product.m = extentOf(builder, loc, y, 2);
  product.n = math.constant(filter[0]);
  product.k = math.constant(filter[1] * filter[3]);
  product.batches = {extentOf(builder, loc, x, 0)};
  product.a = {x,
               false,
               math.mul(channels, math.constant(conv.getStrides()[1])),
               {math.mul(channels, extentOf(builder, loc, x, 2))}};
  product.b = {argument(operands.w), false, product.k, {math.constant(0)}};
  if (getConstantIntValue(product.batches[0]) == 1)
    product.batches.clear();
  product.c = {y, product.n, cast<MemRefType>(y.getType()).getElementType(),
               operands.bias ? biasIn(builder, loc, function, operands.bias) : Value(), isRelu};
  emitProduct(builder, loc, function, product, target);
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
