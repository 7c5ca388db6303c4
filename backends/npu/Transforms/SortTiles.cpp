// SortTiles.cpp: runs of 32 by vbitsort, then four runs become one until one is left. Keys are f32.
#include "backends/npu/Transforms/SortTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>

using namespace mlir;

namespace kiln::npu {

void SortTiles::useColumns(OpFoldResult columns, int64_t pitch) {
  TileShape shape;
  shape.isLine = true;
  shape.pitch = pitch;
  shape.rows = math.constant(1), shape.columns = columns;
  tiles = std::make_unique<TileBuilder>(builder, loc, shape);
}

TileValue SortTiles::scaled(T value, int64_t factor, int64_t offset) {
  auto number = [&](int64_t x) { return tiles->number(double(x), builder.getI32Type()); };
  return tiles->binary(ir::Binary::vadd, tiles->binary(ir::Binary::vmul, value, number(factor)),
                       number(offset));
}

TileValue SortTiles::pick(T from, T places) {
  Type type = cast<MemRefType>(from.value.getType()).getElementType();
  T result = tiles->allocateAs(T::Kind::Full, type);
  result.element = from.element;
  T offsets = scaled(places, bytesOf(type), 0);
  builder.create<ir::GatherOp>(loc, from.value, tiles->view(offsets, false), tiles->view(result, false));
  return result;
}

TileValue SortTiles::keysOf(T numbers, T places) {
  T keys = tiles->allocateAs(T::Kind::Full, builder.getF32Type());
  double least = -std::numeric_limits<double>::infinity();
  builder.create<ir::BroadcastOp>(loc, tiles->number(least, keys.element).value, keys.value);
  T picked = pick(numbers, places);
  builder.create<ir::BinaryOp>(loc, ir::Binary::vmul, tiles->view(picked, false),
                               tiles->number(1, keys.element).value, tiles->view(keys, false), IntegerAttr());
  return keys;
}

TileValue SortTiles::pairsOf(T keys, T indices, int64_t needed) {
  int64_t pitch = cast<MemRefType>(keys.value.getType()).getShape()[1];
  auto make = [&]() -> Value {
    return builder.create<memref::AllocOp>(loc, inUb({1, 2 * pitch}, builder.getI32Type()));
  };
  Value from = make();
  builder.create<ir::SortOp>(loc, keys.value, indices.value, from);
  SmallVector<int64_t> lengths(pitch / kRun, kRun);
  for (int64_t distance = kRun; lengths.size() > 1; distance *= 4) {
    SmallVector<int64_t> merged;
    for (auto [i, length] : llvm::enumerate(lengths)) {
      length = std::min(length, needed);
      if (i % 4 == 0)
        merged.push_back(0);
      merged.back() += length;
    }
    Value to = make();
    builder.create<ir::MergeOp>(loc, from, to, lengths, distance);
    lengths = std::move(merged);
    from = to;
  }
  return {T::Kind::Full, from, builder.getI32Type()};
}

TileValue SortTiles::indicesOf(T pairs, T order) {
  Type i32 = builder.getI32Type();
  T result = tiles->allocateAs(T::Kind::Full, i32);
  builder.create<ir::BroadcastOp>(loc, tiles->number(0, i32).value, result.value);
  T picked = pick(pairs, scaled(order, 2, 1));
  builder.create<ir::BinaryOp>(loc, ir::Binary::vadd, tiles->view(picked, false), tiles->number(0, i32).value,
                               tiles->view(result, false), IntegerAttr());
  return result;
}

std::pair<TileValue, TileValue> SortTiles::halvesOf(T words) {
  Type i32 = builder.getI32Type();
  T half = tiles->materialize(tiles->number(0xffff, i32), T::Kind::Full);
  T low = tiles->binary(ir::Binary::vand, words, half),
    high = tiles->binary(ir::Binary::vshr, words, tiles->number(16, i32));
  return {real(low), real(high)};
}

} // namespace kiln::npu
