// WindowLowering.cpp: pooling and depthwise convolution on vector cores. A unit is some planes of a batch and
// channels, or some rows of one. Its input lies in UB with its pads around it; for each column of the window
// one gather brings the columns that it meets together, row by row, the rows sorted by their place within a
// stride. Each row of the window is then a run of those rows, and a tap is one op on all of it. Sums are f32.
#include "backends/npu/Transforms/VectorLoops.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "backends/npu/Transforms/WindowTiling.h"
#include "kiln/devicekit/Pipes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace kiln::npu {
namespace {

/// f32 of a repeat.
constexpr int64_t kRepeat = 64;

class WindowLowering : WindowTiling {
public:
  WindowLowering(KernelOp kernel, const Target &target)
      : WindowTiling(kernel), target(target), builder(kernel.getContext()), math(builder, kernel.getLoc()) {}
  LogicalResult lower(int64_t limit, func::FuncOp &result);

private:
  Value alloc(ArrayRef<int64_t> extents, Type type);
  Value part(Value buffer, int64_t first, int64_t count);
  Value reshaped(Value buffer, int64_t rows, int64_t columns);
  Value argumentOf(Value value) { return function.getArgument(cast<BlockArgument>(value).getArgNumber()); }
  Value makeTable();
  Value zero(Type type, bool isLowest);
  std::pair<OpFoldResult, OpFoldResult> inputRowsOf(OpFoldResult &first, bool withPads);
  Value loadPlanes(Value argument, Value into, bool isInput);
  Value makeColumnMask();
  Value countsOf(Value table);
  Value columnOf(Value operand, OpFoldResult offset, int64_t count);
  Value combineTaps(Value input, Value table, Value weights);
  FailureOr<TileValue> operandOf(Value value);
  LogicalResult store(Value yielded);
  LogicalResult fillUnit(OpFoldResult unit, Value table);

  const Target &target;
  OpBuilder builder;
  IndexMath math;
  func::FuncOp function;
  Location loc = kernel.getLoc();
  OpFoldResult extentY, extentX, outY, outX;              // of planes
  OpFoldResult plane, row, rowsHere, column, columnsHere; // of this unit
  Value columnMask; // of an average whose windows hold pads: which columns of the unit's input count
  std::unique_ptr<TileBuilder> tiles;
  DenseMap<Value, TileValue> values;
};

Value WindowLowering::alloc(ArrayRef<int64_t> extents, Type type) {
  return builder.create<memref::AllocOp>(loc, inUb(extents, type));
}

/// A part of a buffer of one row.
Value WindowLowering::part(Value buffer, int64_t first, int64_t count) {
  auto number = [&](int64_t value) { return OpFoldResult(builder.getIndexAttr(value)); };
  return builder.create<memref::SubViewOp>(loc, buffer, ArrayRef<OpFoldResult>{number(0), number(first)},
                                           ArrayRef<OpFoldResult>{number(1), number(count)},
                                           ArrayRef<OpFoldResult>{number(1), number(1)});
}

/// The same buffer with other extents.
Value WindowLowering::reshaped(Value buffer, int64_t rows, int64_t columns) {
  if (cast<MemRefType>(buffer.getType()).getShape() == ArrayRef<int64_t>{rows, columns})
    return buffer;
  return windowOf(builder, loc, buffer, math.constant(0), {math.constant(rows), math.constant(columns)},
                  {math.constant(columns), math.constant(1)});
}

/// For each row, sorted by its place within a stride, and each column of the result: where in the input, in
/// bytes, the first column of its window is.
Value WindowLowering::makeTable() {
  Type i32 = builder.getI32Type();
  int64_t classSize = classRows * outPitch;
  Value table = alloc({1, y.stride * classSize}, i32);
  auto number = [&](int64_t value) -> Value {
    return builder.create<arith::ConstantOp>(loc, builder.getI32IntegerAttr(value));
  };
  auto apply = [&](ir::Binary kind, Value from, int64_t value, Value to) {
    builder.create<ir::BinaryOp>(loc, kind, from, number(value), to, IntegerAttr());
  };
  Value first = alloc({1, outPitch}, i32), scaled = alloc({1, outPitch}, i32);
  builder.create<ir::RangeOp>(loc, first);
  apply(ir::Binary::vmul, first, x.stride * 4, scaled);
  apply(ir::Binary::vadd, scaled, (left - x.low) * 4, part(table, 0, outPitch));
  for (int64_t done = 1; done < classRows; done *= 2) {
    int64_t next = std::min(done, classRows - done);
    apply(ir::Binary::vadd, part(table, 0, next * outPitch), done * y.stride * pitch * 4,
          part(table, done * outPitch, next * outPitch));
  }
  for (int64_t place = 1; place < y.stride; ++place)
    apply(ir::Binary::vadd, part(table, 0, classSize), place * pitch * 4,
          part(table, place * classSize, classSize));
  return table;
}

/// The neutral element of a memory type.
Value WindowLowering::zero(Type type, bool isLowest) {
  TypedAttr value;
  if (auto real = dyn_cast<FloatType>(type))
    value = builder.getFloatAttr(real, isLowest ? -std::numeric_limits<double>::infinity() : 0.0);
  else
    value =
        builder.getIntegerAttr(signless(type), isLowest && !type.isUnsignedInteger()
                                                   ? APInt::getSignedMinValue(type.getIntOrFloatBitWidth())
                                                   : APInt::getZero(type.getIntOrFloatBitWidth()));
  return builder.create<arith::ConstantOp>(loc, value);
}

/// The unit's rows of a plane of the input: those that are missing in front, then those that are there, from
/// `first` on. `withPads`: rows of pads are there.
std::pair<OpFoldResult, OpFoldResult> WindowLowering::inputRowsOf(OpFoldResult &first, bool withPads) {
  OpFoldResult top = math.sub(math.mul(row, math.constant(y.stride)), math.constant(y.low));
  OpFoldResult missing = math.max(math.sub(math.constant(withPads ? -y.low : 0), top), math.constant(0));
  int64_t most = (tileRows - 1) * y.stride + y.reach();
  first = math.add(top, missing);
  OpFoldResult last = math.add(extentY, math.constant(withPads ? y.high : 0));
  OpFoldResult end = math.min(math.constant(most), math.sub(last, top));
  return {missing, math.max(math.sub(end, missing), math.constant(0))};
}

/// The unit's part of planes of a tensor of the result's extents, or of the input with its pads around.
Value WindowLowering::loadPlanes(Value argument, Value into, bool isInput) {
  OpFoldResult height = isInput ? extentY : outY, width = isInput ? extentX : outX;
  OpFoldResult zero = math.constant(0), from = column, to = zero, columns = columnsHere;
  if (isInput) { // the tile's first column is `left` before the first window without pads
    OpFoldResult start = math.mul(column, math.constant(x.stride));
    to = math.max(math.sub(math.constant(left), start), zero);
    from = math.max(math.sub(start, math.constant(left)), zero);
    columns = math.min(math.sub(math.constant(pitch), to), math.max(math.sub(width, from), zero));
  }
  int64_t step = isInput ? planeRows * y.stride : planeRows;
  for (int64_t i = 0; i < tilePlanes; ++i) {
    OpFoldResult first = row, count = rowsHere, at = math.constant(i * step);
    if (isInput) {
      OpFoldResult missing;
      std::tie(missing, count) = inputRowsOf(first, /*withPads=*/false);
      at = math.add(at, missing);
    }
    OpFoldResult start = math.mul(math.add(plane, math.constant(i)), math.mul(height, width));
    start = math.add(start, math.add(math.mul(first, width), from));
    Value window = windowOf(builder, loc, argument, start, {count, columns}, {width, math.constant(1)});
    Value target = builder.create<memref::SubViewOp>(loc, into, ArrayRef<OpFoldResult>{at, to},
                                                     ArrayRef<OpFoldResult>{count, columns},
                                                     SmallVector<OpFoldResult>(2, builder.getIndexAttr(1)));
    builder.create<ir::LoadOp>(loc, window, target, /*keep=*/true);
  }
  return into;
}

/// For each element of the input's tile, rows one behind the other: 1 where its column counts.
Value WindowLowering::makeColumnMask() {
  auto apply = [&](ir::Binary kind, Value from, double value, Value to) {
    Value number = builder.create<arith::ConstantOp>(loc, builder.getF32FloatAttr(float(value)));
    builder.create<ir::BinaryOp>(loc, kind, from, number, to, IntegerAttr());
  };
  auto clamp = [&](Value x) {
    apply(ir::Binary::vmax, x, 0, x);
    apply(ir::Binary::vmin, x, 1, x);
  };
  Value index = alloc({1, pitch}, builder.getI32Type()), places = alloc({1, pitch}, sum);
  Value before = alloc({1, pitch}, sum), behind = alloc({1, pitch}, sum);
  Value mask = alloc({1, inputRows * pitch}, sum);
  builder.create<ir::RangeOp>(loc, index);
  builder.create<ir::CastOp>(loc, ir::Round::rint, index, places);
  auto add = [&](Value from, OpFoldResult number, Value to) {
    Value integer = builder.create<arith::IndexCastOp>(loc, builder.getI32Type(), math.value(number));
    Value real = builder.create<arith::SIToFPOp>(loc, builder.getF32Type(), integer);
    builder.create<ir::BinaryOp>(loc, ir::Binary::vadd, from, real, to, IntegerAttr());
  };
  OpFoldResult start = math.sub(math.mul(column, math.constant(x.stride)), math.constant(left));
  add(places, math.add(start, math.constant(1 + (countsPads ? x.low : 0))), before);
  clamp(before);
  apply(ir::Binary::vmul, places, -1, behind);
  add(behind, math.sub(math.add(extentX, math.constant(countsPads ? x.high : 0)), start), behind);
  clamp(behind);
  builder.create<ir::BinaryOp>(loc, ir::Binary::vmul, before, behind, part(mask, 0, pitch), IntegerAttr());
  for (int64_t done = 1; done < inputRows; done *= 2) {
    int64_t next = std::min(done, inputRows - done);
    apply(ir::Binary::vadd, part(mask, 0, next * pitch), 0, part(mask, done * pitch, next * pitch));
  }
  return mask;
}

/// How many elements of each window count.
Value WindowLowering::countsOf(Value table) {
  Value there = alloc({1, inputRows * pitch}, sum), ones = alloc({1, inputRows * pitch}, sum);
  builder.create<ir::BroadcastOp>(loc, zero(sum, false), there);
  Value one = builder.create<arith::ConstantOp>(loc, builder.getF32FloatAttr(1));
  OpFoldResult first;
  auto [missing, count] = inputRowsOf(first, countsPads);
  for (int64_t i = 0; i < tilePlanes; ++i) {
    OpFoldResult at =
        math.mul(math.add(math.constant(i * planeRows * y.stride), missing), math.constant(pitch));
    Value rows = builder.create<memref::SubViewOp>(
        loc, there, ArrayRef<OpFoldResult>{builder.getIndexAttr(0), at},
        ArrayRef<OpFoldResult>{builder.getIndexAttr(1), math.mul(count, math.constant(pitch))},
        SmallVector<OpFoldResult>(2, builder.getIndexAttr(1)));
    builder.create<ir::BroadcastOp>(loc, one, rows);
  }
  builder.create<ir::BinaryOp>(loc, ir::Binary::vmul, there, columnMask, ones, IntegerAttr());
  return combineTaps(reshaped(ones, inputRows, pitch), table, {});
}

/// `count` adjacent elements of an argument, or of a constant that is a splat, as f32, each spread to a
/// repeat: [count..][64].
Value WindowLowering::columnOf(Value operand, OpFoldResult offset, int64_t count) {
  Type f32 = builder.getF32Type();
  if (auto constant = operand.getDefiningOp<ConstantOp>()) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    double number =
        isa<FloatType>(splat.getElementType())   ? splat.getSplatValue<FloatAttr>().getValueAsDouble()
        : elementOf(operand).isUnsignedInteger() ? double(splat.getSplatValue<APInt>().getZExtValue())
                                                 : double(splat.getSplatValue<APInt>().getSExtValue());
    Value blocks = alloc({int64_t(llvm::alignTo(count, kColumnAlign)), kRepeat}, f32);
    builder.create<ir::BroadcastOp>(
        loc, builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(f32, number)), blocks);
    return blocks;
  }
  Value argument = argumentOf(operand);
  Type stored = cast<MemRefType>(argument.getType()).getElementType();
  int64_t size = llvm::alignTo(count, bytesOf(stored) == 1 ? 32 : kColumnAlign);
  Value raw = alloc({size}, stored);
  builder.create<ir::BroadcastOp>(loc, zero(stored, false), raw);
  Value target = raw;
  if (size != count)
    target = builder.create<memref::SubViewOp>(loc, raw, ArrayRef<OpFoldResult>{builder.getIndexAttr(0)},
                                               ArrayRef<OpFoldResult>{builder.getIndexAttr(count)},
                                               ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  builder.create<ir::LoadOp>(
      loc, windowOf(builder, loc, argument, offset, {math.constant(count)}, {math.constant(1)}), target);
  if (bytesOf(stored) == 1) {
    Value half = alloc({size}, builder.getF16Type());
    builder.create<ir::CastOp>(loc, ir::Round::rint, raw, half);
    raw = half;
  }
  if (!cast<MemRefType>(raw.getType()).getElementType().isF32()) {
    Value wide = alloc({size}, f32);
    builder.create<ir::CastOp>(loc, ir::Round::rint, raw, wide);
    raw = wide;
  }
  Value blocks = alloc({size, kRepeat}, f32);
  builder.create<ir::BroadcastOp>(loc, raw, blocks, alloc({size, 8}, f32));
  return blocks;
}

/// All taps of the window, added up or compared.
Value WindowLowering::combineTaps(Value input, Value table, Value weights) {
  int64_t size = outRows * outPitch, classSize = classRows * outPitch;
  Value result = alloc({1, size}, sum), product = weights ? alloc({1, size}, sum) : Value();
  auto pair = isa<MaxPoolOp>(root) ? ir::Binary::vmax : ir::Binary::vadd;
  Value flat = reshaped(input, 1, inputRows * pitch);
  for (int64_t j = 0; j < x.window; ++j) {
    Value columns = alloc({1, y.stride * classSize}, sum);
    int64_t from = j * x.dilation;
    Value source = from ? part(flat, from, inputRows * pitch - from) : flat;
    builder.create<ir::GatherOp>(loc, source, table, columns);
    for (int64_t i = 0; i < y.window; ++i) {
      int64_t place = i * y.dilation % y.stride, start = i * y.dilation / y.stride;
      Value tap = part(columns, place * classSize + start * outPitch, size);
      bool isFirst = i == 0 && j == 0;
      if (weights) {
        SmallVector<OpFoldResult> offsets = {builder.getIndexAttr(i * x.window + j), builder.getIndexAttr(0)};
        Value weight = builder.create<memref::SubViewOp>(
            loc, weights, offsets,
            ArrayRef<OpFoldResult>{builder.getIndexAttr(1), builder.getIndexAttr(kRepeat)},
            SmallVector<OpFoldResult>(2, builder.getIndexAttr(1)));
        Value to = isFirst ? result : product;
        builder.create<ir::BinaryOp>(loc, ir::Binary::vmul, tap, weight, to, builder.getI64IntegerAttr(1));
        tap = to;
        if (isFirst)
          continue;
      }
      if (!weights && isFirst) { // copied: a maximum, or a product by 1, is exact
        Value one =
            builder.create<arith::ConstantOp>(loc, sum.isF32() ? TypedAttr(builder.getF32FloatAttr(1))
                                                               : TypedAttr(builder.getI32IntegerAttr(1)));
        builder.create<ir::BinaryOp>(loc, ir::Binary::vmul, tap, one, result, IntegerAttr());
        continue;
      }
      builder.create<ir::BinaryOp>(loc, pair, result, tap, result, IntegerAttr());
    }
  }
  return result;
}

FailureOr<TileValue> WindowLowering::operandOf(Value value) {
  if (auto known = values.find(value); known != values.end())
    return known->second;
  if (auto constant = value.getDefiningOp<ConstantOp>())
    return constantTile(*tiles, constant);
  auto type = cast<RankedTensorType>(value.getType());
  Type element = signless(type.getElementType());
  Value argument = isa<BlockArgument>(value) ? argumentOf(value) : Value();
  Type stored = argument ? cast<MemRefType>(argument.getType()).getElementType() : Type();
  bool isSame = argument && type.getShape() == shapeOf(root->getResult(0));
  if (isSame) {
    Value raw = alloc({outRows, outPitch}, stored); // rows and columns that no plane has are zeros
    builder.create<ir::BroadcastOp>(loc, zero(stored, false), raw);
    TileValue tile = {TileValue::Kind::Full,
                      reshaped(loadPlanes(argument, raw, /*isInput=*/false), 1, outRows * outPitch), element};
    if (TileBuilder::held(element) != stored) {
      TileValue wide = tiles->allocate(TileValue::Kind::Full, element);
      builder.create<ir::CastOp>(loc, ir::Round::rint, tile.value, wide.value);
      tile = wide;
    }
    values[value] = tile;
    return tile;
  }
  bool isOne = argument && type.hasStaticShape() && type.getNumElements() == 1;
  bool isChannel =
      argument && type.hasStaticShape() && type.getNumElements() == channels &&
      type.getRank() >= int64_t(shapeOf(root->getResult(0)).size()) - 1 &&
      type.getShape()[type.getRank() - int64_t(shapeOf(root->getResult(0)).size()) + 1] == channels;
  if ((!isOne && !isChannel) || !(stored.isF32() || stored.isF16() || stored.isBF16()))
    return FailureOr<TileValue>(emitError(value.getLoc(), "npu: ")
                                << type << " behind " << root->getName() << " is not lowered yet");
  OpFoldResult at = isOne ? math.constant(0) : math.rem(plane, math.constant(channels));
  Value window = windowOf(builder, loc, argument, at, {math.constant(1)}, {math.constant(1)});
  Type number = stored.isBF16() ? Type(builder.getF32Type()) : stored;
  TileValue result = {TileValue::Kind::Scalar, builder.create<ir::ScalarLoadOp>(loc, number, window),
                      element};
  values[value] = result;
  return result;
}

LogicalResult WindowLowering::store(Value yielded) {
  auto all = kernel.getBody().front().getTerminator()->getOperands();
  size_t number = std::distance(all.begin(), llvm::find(all, yielded));
  Value out = function.getArgument(kernel.getArgumentTypes().size() + number);
  Type stored = cast<MemRefType>(out.getType()).getElementType();
  TileValue result = tiles->materialize(tiles->unmask(values.lookup(yielded)), TileValue::Kind::Full);
  if (cast<MemRefType>(result.value.getType()).getElementType() != stored) {
    Value narrow = alloc({1, outRows * outPitch}, stored);
    builder.create<ir::CastOp>(loc, ir::Round::rint, tiles->view(result, true), narrow);
    result.value = narrow;
  }
  Value rows = reshaped(result.value, outRows, outPitch);
  for (int64_t i = 0; i < tilePlanes; ++i) {
    OpFoldResult to = math.add(math.mul(math.add(plane, math.constant(i)), math.mul(outY, outX)),
                               math.add(math.mul(row, outX), column));
    Value window = windowOf(builder, loc, out, to, {rowsHere, columnsHere}, {outX, math.constant(1)});
    Value from = builder.create<memref::SubViewOp>(
        loc, rows, ArrayRef<OpFoldResult>{builder.getIndexAttr(i * planeRows), builder.getIndexAttr(0)},
        ArrayRef<OpFoldResult>{rowsHere, columnsHere}, SmallVector<OpFoldResult>(2, builder.getIndexAttr(1)));
    builder.create<ir::StoreOp>(loc, from, window);
  }
  return success();
}

LogicalResult WindowLowering::fillUnit(OpFoldResult unit, Value table) {
  OpFoldResult rowTiles = math.ceilDiv(outY, tileRows);
  column = math.constant(0), columnsHere = outX;
  if (tileColumns) {
    OpFoldResult parts = math.ceilDiv(outX, tileColumns);
    column = math.mul(math.rem(unit, parts), math.constant(tileColumns));
    columnsHere = math.min(math.constant(tileColumns), math.sub(outX, column));
    unit = math.div(unit, parts);
  }
  bool isWhole = getConstantIntValue(rowTiles) == 1;
  plane = math.mul(isWhole ? unit : math.div(unit, rowTiles), math.constant(tilePlanes));
  row = isWhole ? math.constant(0) : math.mul(math.rem(unit, rowTiles), math.constant(tileRows));
  rowsHere = y.isKnown() && y.out % tileRows == 0 ? math.constant(tileRows)
                                                  : math.min(math.constant(tileRows), math.sub(outY, row));
  if (countsDiffer && !columnMask)
    columnMask = makeColumnMask();
  TileShape shape;
  shape.isLine = true;
  shape.pitch = outRows * outPitch;
  shape.rows = math.constant(1);
  shape.columns = math.constant(shape.pitch);
  tiles = std::make_unique<TileBuilder>(builder, loc, shape);

  Value argument = argumentOf(root->getOperand(0));
  Type stored = cast<MemRefType>(argument.getType()).getElementType();
  Value input = alloc({inputRows, pitch}, stored);
  builder.create<ir::BroadcastOp>(loc, zero(stored, isa<MaxPoolOp>(root)), input);
  loadPlanes(argument, input, /*isInput=*/true);
  auto convert = [&](Type type) {
    Value wide = alloc({inputRows, pitch}, type);
    builder.create<ir::CastOp>(loc, ir::Round::rint, input, wide);
    input = wide;
  };
  if (stored.isInteger(8))
    convert(builder.getF16Type());
  if (cast<MemRefType>(input.getType()).getElementType() != sum)
    convert(sum);
  Value weights, bias;
  if (auto conv = dyn_cast<ConvOp>(root)) {
    OpFoldResult channel = math.rem(plane, math.constant(channels));
    int64_t taps = y.window * x.window;
    weights = columnOf(conv.getW(), math.mul(channel, math.constant(taps)), taps);
    if (conv.getBias() && !elementOf(conv.getBias()).isInteger(32))
      bias = columnOf(conv.getBias(), channel, 1);
  }
  Value result = combineTaps(input, table, weights);
  if (bias) {
    Value one = builder.create<memref::SubViewOp>(
        loc, bias, SmallVector<OpFoldResult>(2, builder.getIndexAttr(0)),
        ArrayRef<OpFoldResult>{builder.getIndexAttr(1), builder.getIndexAttr(kRepeat)},
        SmallVector<OpFoldResult>(2, builder.getIndexAttr(1)));
    builder.create<ir::BinaryOp>(loc, ir::Binary::vadd, result, one, result, builder.getI64IntegerAttr(1));
  }
  TileValue tile = {TileValue::Kind::Full, result, sum};
  if (isa<AvgPoolOp>(root) && countsDiffer)
    tile = tiles->binary(ir::Binary::vdiv, tile, {TileValue::Kind::Full, countsOf(table), sum});
  else if (isa<AvgPoolOp>(root))
    tile = tiles->binary(ir::Binary::vmul, tile, tiles->number(1.0 / double(y.window * x.window), sum));
  values[root->getResult(0)] = tiles->cast(tile, signless(elementOf(root->getResult(0))), ir::Round::rint);
  for (Operation *op = root->getNextNode(); op && !isa<YieldOp>(op); op = op->getNextNode()) {
    if (isa<ConstantOp>(op))
      continue;
    tiles->setLoc(op->getLoc());
    SmallVector<TileValue> operands;
    for (Value operand : op->getOperands()) {
      FailureOr<TileValue> value = operandOf(operand);
      if (failed(value))
        return failure();
      operands.push_back(*value);
    }
    FailureOr<TileValue> applied = applyElementwise(*tiles, op, operands);
    if (failed(applied))
      return failure();
    values[op->getResult(0)] = *applied;
  }
  for (Value yielded : kernel.getBody().front().getTerminator()->getOperands())
    if (failed(store(yielded)))
      return failure();
  return success();
}

LogicalResult WindowLowering::lower(int64_t limit, func::FuncOp &made) {
  loc = root->getLoc();
  if (failed(describe(target)))
    return failure();
  if (!choose(limit, target.vectorCores))
    return root->emitError("npu: ") << root->getName() << " of rows of " << x.extent
                                    << " elements is not lowered yet";
  if (auto conv = dyn_cast<ConvOp>(root); conv && conv.getBias() && elementOf(conv.getBias()).isInteger(32))
    return root->emitError("npu: a depthwise convolution with a bias of i32 is not lowered yet");
  function = made = makeFunction(kernel, "aiv", isConv ? "depthwise" : "pool");
  builder.setInsertionPoint(function.getBody().front().getTerminator());
  Value in = argumentOf(root->getOperand(0)), out = function.getArguments().back();
  int64_t rank = cast<MemRefType>(in.getType()).getRank();
  auto extent = [&](Value of, int64_t axis) {
    return axis < 2 ? math.constant(1) : extentOf(builder, loc, of, axis);
  };
  extentX = extent(in, rank - 1), outX = extent(out, rank - 1);
  extentY = extent(in, rank - 2), outY = extent(out, rank - 2);
  OpFoldResult all = math.mul(extentOf(builder, loc, in, 0), extentOf(builder, loc, in, 1));
  OpFoldResult units = math.mul(math.ceilDiv(all, tilePlanes), math.ceilDiv(outY, tileRows));
  if (tileColumns)
    units = math.mul(units, math.ceilDiv(outX, tileColumns));
  Value table = makeTable();
  column = math.constant(0);
  if (countsDiffer && !tileColumns && x.isKnown()) // the same for all units
    columnMask = makeColumnMask();
  Value unit = openUnits(builder, loc, function, units, target.vectorCores);
  return fillUnit(OpFoldResult(unit), table);
}

} // namespace

LogicalResult lowerWindowKernel(KernelOp kernel, const Target &target) {
  for (Operation &op : kernel.getBody().front())
    if (isa<MaxPoolOp, AvgPoolOp, ConvOp>(op))
      for (auto [number, operand] : llvm::enumerate(op.getOperands())) {
        auto constant = operand.getDefiningOp<ConstantOp>();
        bool isSplat = number > 0 && constant && isa<SplatElementsAttr>(constant.getValue());
        if (!isa<BlockArgument>(operand) && !isSplat)
          return op.emitError("npu: windows of constants are not lowered yet");
      }
  for (int64_t limit = 8192;; limit /= 2) {
    func::FuncOp function;
    LogicalResult lowered = WindowLowering(kernel, target).lower(limit, function);
    bool isLast = limit <= 512;
    if (succeeded(lowered) &&
        (devicekit::fitsMemory(function, 2) || (isLast && devicekit::fitsMemory(function, 1))))
      return success();
    if (function)
      function.erase();
    if (failed(lowered))
      return failure();
    if (isLast)
      return kernel.emitError("npu: the kernel's tiles do not fit into UB; this is not lowered yet");
  }
}

} // namespace kiln::npu
