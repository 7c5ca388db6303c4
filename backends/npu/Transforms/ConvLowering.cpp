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
  void fillUnit(Value unit);
  void loadInput(OpFoldResult block);
  void stepChunk(OpFoldResult block);
  Value loadTaps(OpFoldResult start, OpFoldResult size, OpFoldResult column);
  void stepL1(OpFoldResult start, OpFoldResult chunkDepth);

  ConvOp conv;
  const ConvOperands &operands;
  const bool isRelu;
  const Target &target;
  ConvShape shape;
  ConvTiles tiles;
  Value x, w, bias, y;
  OpFoldResult height, width, outHeight, outWidth, channels, outChannels; // of all groups
  // Of the unit
  OpFoldResult image, group, startN, sizeN, sizeM;
  Span rows, columns;
  Value sums, biases;
  // Of the step of the input
  Value input;
  OpFoldResult chunk;
};

Span ConvEmitter::spanOf(OpFoldResult start, OpFoldResult count, int64_t axis, OpFoldResult extent) {
  int64_t axes = int64_t(conv.getStrides().size());
  int64_t reach = axis == 0 ? shape.rowsFor(1) : shape.columnsFor(1);
  OpFoldResult stride = math.constant(conv.getStrides()[axis]), low = math.constant(conv.getPads()[axis]);
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

/// The channels of some blocks in L1, pixel by pixel.
void ConvEmitter::loadInput(OpFoldResult block) {
  int64_t c0 = shape.c0();
  input =
      allocate({tiles.blocks, int64_t(llvm::divideCeil(tiles.pixels, 16)), 16, c0}, element, ir::Memory::L1);
  OpFoldResult channel = math.mul(block, math.constant(c0));
  OpFoldResult count = clip(math.constant(shape.channels), tiles.blocks * c0, channel);
  channel = math.add(channel, math.mul(group, math.constant(shape.channels)));
  OpFoldResult pitch = math.mul(rows.size, columns.size);
  auto offsetOf = [&](OpFoldResult row) {
    OpFoldResult pixel = math.add(math.mul(image, height), row);
    pixel = math.add(math.mul(pixel, width), columns.first);
    return math.add(math.mul(pixel, channels), channel);
  };
  if (tiles.isBand || shape.rowsFor(1) == 1) {
    Value window =
        windowOf(builder, loc, x, offsetOf(rows.first), {pitch, count}, {channels, math.constant(1)});
    builder.create<ir::Nd2NzOp>(loc, window, input, Value(), math.value(pitch));
    return;
  }
  Value zero = math.value(math.constant(0)), one = math.value(math.constant(1));
  auto loop = builder.create<scf::ForOp>(loc, zero, math.value(rows.size), one);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  OpFoldResult row = loop.getInductionVar();
  Value window = windowOf(builder, loc, x, offsetOf(math.add(rows.first, row)), {columns.size, count},
                          {channels, math.constant(1)});
  builder.create<ir::Nd2NzOp>(loc, window, input, math.value(math.mul(row, columns.size)), math.value(pitch));
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

void ConvEmitter::stepL1(OpFoldResult start, OpFoldResult chunkDepth) {
  OpFoldResult size = clip(chunkDepth, tiles.depthL1, start);
  OpFoldResult row = math.add(math.mul(chunk, math.constant(shape.taps() * shape.c0())), start);
  OpFoldResult column = math.add(math.mul(group, math.constant(shape.outChannels)), startN);
  int64_t square = squareOf(element), perBlock = shape.taps() * shape.c0();
  Value filters;
  if (operands.layout == FilterLayout::Taps) {
    filters = loadTaps(start, size, column);
  } else {
    bool isWhole = shape.outChannels % square == 0 && tiles.n % square == 0 &&
                   shape.blocks() * perBlock % square == 0 && tiles.blocks * perBlock % square == 0 &&
                   tiles.depthL1 % square == 0;
    filters =
        loadTile({w, /*depthIsRow=*/true, outChannels, {}}, math.add(math.mul(row, outChannels), column),
                 sizeN, size, tiles.n, tiles.depthL1, isWhole);
  }
  Value m = math.value(sizeM), n = math.value(columnsInL0(sizeN, /*isTransposed=*/true)),
        k = math.value(size);
  Value left = allocateL0(ir::Memory::L0A, llvm::alignTo(tiles.m(shape), 16), tiles.depthL1),
        right = allocateL0(ir::Memory::L0B, llvm::alignTo(tiles.n, square), tiles.depthL1);
  Value pads[] = {math.value(rows.low), math.value(rows.high), math.value(columns.low),
                  math.value(columns.high)};
  builder.create<ir::Load3dOp>(loc, input, left, math.value(rows.size), math.value(columns.size), pads, m,
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
  forSteps(depth, tiles.depthL1, [&](OpFoldResult start) { stepL1(start, depth); });
}

void ConvEmitter::fillUnit(Value unit) {
  OpFoldResult rest = unit;
  auto next = [&](OpFoldResult count) {
    OpFoldResult index = math.rem(rest, count);
    rest = math.div(rest, count);
    return index;
  };
  startN = math.mul(next(math.ceilDiv(math.constant(shape.outChannels), tiles.n)), math.constant(tiles.n));
  sizeN = clip(math.constant(shape.outChannels), tiles.n, startN);
  OpFoldResult startColumn = math.constant(0), countColumns = outWidth;
  if (!tiles.isBand) {
    startColumn = math.mul(next(math.ceilDiv(outWidth, tiles.columns)), math.constant(tiles.columns));
    countColumns = clip(outWidth, tiles.columns, startColumn);
  }
  OpFoldResult startRow = math.mul(next(math.ceilDiv(outHeight, tiles.rows)), math.constant(tiles.rows));
  OpFoldResult countRows = tiles.isBand ? clip(outHeight, tiles.rows, startRow) : math.constant(1);
  group = next(math.constant(shape.groups));
  image = rest;
  rows = spanOf(startRow, countRows, 0, height);
  columns = spanOf(startColumn, countColumns, 1, width);
  if (tiles.isBand) // all of a row
    columns = {math.constant(0), width, math.constant(conv.getPads()[1]), math.constant(conv.getPads()[3])};
  sizeM = tiles.isBand ? math.mul(countRows, outWidth) : countColumns;
  OpFoldResult column = math.add(math.mul(group, math.constant(shape.outChannels)), startN);
  bool isWhole = shape.outChannels % (element.isInteger(8) ? 32 : 16) == 0;
  biases = bias ? loadBias(bias, column, sizeN, llvm::alignTo(tiles.n, squareOf(element)), isWhole) : Value();
  sums = allocate({int64_t(llvm::alignTo(tiles.n, squareOf(element)) / 16),
                   int64_t(llvm::divideCeil(tiles.m(shape), 16)), 16, 16},
                  sumType(element), ir::Memory::L0C);
  forSteps(math.constant(shape.blocks()), tiles.blocks, [&](OpFoldResult block) { stepChunk(block); });
  OpFoldResult pixel = math.add(math.mul(image, outHeight), startRow);
  pixel = math.add(math.mul(pixel, outWidth), startColumn);
  CubeOutput output = {y, outChannels, cast<MemRefType>(y.getType()).getElementType(), Value(), isRelu};
  storeSums(output, sums, math.add(math.mul(pixel, outChannels), column), sizeM, sizeN);
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
  auto known = [](OpFoldResult extent) { return getConstantIntValue(extent).value_or(-1); };
  auto filter = cast<RankedTensorType>(conv.getW().getType()).getShape();
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
  channels = math.constant(shape.channels * shape.groups);
  outChannels = math.constant(shape.outChannels * shape.groups);
  if (!chooseConvTiles(target, shape, tiles))
    return conv.emitError("npu: kiln.conv whose window does not fit into L1 is not lowered yet");
  OpFoldResult units =
      math.mul(images, math.mul(math.constant(shape.groups), math.ceilDiv(outHeight, tiles.rows)));
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
