// AttentionSoftmax.cpp: rows of scores in UB are [chunks][rows x 128 keys]. What reduces a row adds up chunks
// as a whole before 128 keys become one number; what spreads a row's number reads [rows x 128] again for
// every chunk. So all but a few instructions work on long lines. s - max is in f32; times scale, exp, and
// division by their sum in f16 where the weights are f16, which takes half the time: near the maximum, where
// weights count, the difference is small and keeps its digits. What meets scores in an instruction lies half
// a line of banks beside them, so that no two blocks of a repeat are read from, or read and written in, one
// bank.
#include "backends/npu/Transforms/AttentionLowering.h"
#include "backends/npu/Transforms/GlobalView.h"
#include "backends/npu/Transforms/TileBuilder.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/devicekit/MemoryPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln::npu {
namespace {

constexpr int64_t kSpreadRows = 8;            // rows that vbrcb spreads, and blocks' elements
constexpr int64_t kHalf = kAttentionTile / 2; // rows of a vector core
constexpr int64_t kBeside = 256;              // bytes from one bank to that of the other half of a repeat

class SoftmaxEmitter {
public:
  SoftmaxEmitter(OpBuilder &builder, Location loc, const AttentionPlan &plan)
      : builder(builder), loc(loc), math(builder, loc), plan(plan), line(plan.rows * kAttentionTile) {}
  void run(const AttentionBuffers &buffers);

private:
  Value allocate(ArrayRef<int64_t> extents, Type type) {
    return builder.create<memref::AllocOp>(loc, inUb(extents, type));
  }
  Value allocate(ArrayRef<int64_t> extents) { return allocate(extents, builder.getF32Type()); }
  Value number(double value) { return number(value, builder.getF32Type()); }
  Value number(double value, Type type) {
    return builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(type, value));
  }
  Value index(int64_t value) { return math.value(math.constant(value)); }
  /// `count` lines of a buffer of lines.
  Value lines(Value buffer, int64_t first, int64_t count);
  /// Room for `elements` from kBeside on, beside those of others; whole lines of banks, so that what follows
  /// is, too.
  Value allocateBeside(int64_t elements, Type type) {
    return allocate({2 * besideOf(type) + elements}, type);
  }
  int64_t besideOf(Type type) { return kBeside * 8 / type.getIntOrFloatBitWidth(); }
  /// The elements of a buffer from `first` on, in other extents.
  Value part(Value buffer, ArrayRef<int64_t> extents, int64_t first = 0);
  void binary(ir::Binary kind, Value a, Value b, Value d, std::optional<int64_t> broadcast = std::nullopt) {
    builder.create<ir::BinaryOp>(loc, kind, a, b, d,
                                 broadcast ? builder.getI64IntegerAttr(*broadcast) : IntegerAttr());
  }
  void allocateAll();
  /// One number of each row to `column`, which has as many as vbrcb reads, of `some` in between; and a line
  /// with that number in all of its row's place.
  void reduce(ir::Reduce kind, Value x, Value some);
  Value spread(Value numbers);
  void softmax(Value x, Value narrow);
  void makeWeights(Value unit, const AttentionBuffers &buffers);

  OpBuilder &builder;
  Location loc;
  IndexMath math;
  const AttentionPlan &plan;
  const int64_t line; // elements
  int64_t height = 1; // lines that are compared at a time
  Type element;       // of the weights
  Value block, half;
  /// Of all steps: no place of theirs is that of weights on their way out. `halves` and `narrowWide` are
  /// `partial` and `wide` in f16; null where that is not used.
  Value zeros, partial, halves, column, temp, blocks, wide, narrowWide, ones, inverse;
};

Value SoftmaxEmitter::lines(Value buffer, int64_t first, int64_t count) {
  if (first == 0 && cast<MemRefType>(buffer.getType()).getShape()[0] == count)
    return buffer;
  SmallVector<OpFoldResult> ones(2, builder.getIndexAttr(1));
  return builder.create<memref::SubViewOp>(
      loc, buffer, ArrayRef<OpFoldResult>{builder.getIndexAttr(first), builder.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(count), builder.getIndexAttr(line)}, ones);
}

Value SoftmaxEmitter::part(Value buffer, ArrayRef<int64_t> extents, int64_t first) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getShape() == extents)
    return buffer;
  SmallVector<int64_t> strides(extents.size(), 1);
  if (extents.size() == 2)
    strides[0] = extents[1];
  auto viewed =
      MemRefType::get(extents, type.getElementType(),
                      StridedLayoutAttr::get(builder.getContext(), first, strides), type.getMemorySpace());
  return builder.create<memref::ReinterpretCastOp>(loc, viewed, buffer, first, extents, strides);
}

void SoftmaxEmitter::reduce(ir::Reduce kind, Value x, Value some) {
  ir::Binary pair = kind == ir::Reduce::max ? ir::Binary::vmax : ir::Binary::vadd;
  Type type = cast<MemRefType>(x.getType()).getElementType();
  auto between = [&](int64_t from, int64_t count) {
    return part(some, {count, line}, besideOf(type) + from * line);
  };
  int64_t chunks = plan.chunks();
  if (chunks == height)
    binary(ir::Binary::vmul, lines(x, 0, height), number(1, type), between(0, height));
  else
    binary(pair, lines(x, 0, height), lines(x, height, height), between(0, height));
  for (int64_t chunk = 2 * height; chunk < chunks; chunk += height)
    binary(pair, between(0, height), lines(x, chunk, height), between(0, height));
  if (height == 2)
    binary(pair, between(0, 1), between(1, 1), between(0, 1));
  Value inF32 = part(partial, {plan.rows, kAttentionTile}, besideOf(builder.getF32Type()));
  if (some != partial)
    builder.create<ir::CastOp>(loc, ir::Round::rint, part(some, {plan.rows, kAttentionTile}, besideOf(type)),
                               inF32);
  builder.create<ir::ReduceOp>(loc, kind, inF32, part(column, {plan.rows}), temp);
}

Value SoftmaxEmitter::spread(Value numbers) {
  int64_t beside = besideOf(builder.getF32Type());
  builder.create<ir::BroadcastOp>(loc, part(numbers, {kSpreadRows}), blocks);
  binary(ir::Binary::vadd, zeros, part(blocks, {plan.rows, kSpreadRows}),
         part(wide, {plan.rows, kAttentionTile}, beside), /*broadcast=*/1);
  return part(wide, {1, line}, beside);
}

void SoftmaxEmitter::softmax(Value x, Value narrow) {
  reduce(ir::Reduce::max, x, partial);
  binary(ir::Binary::vsub, x, spread(column), x, /*broadcast=*/0);
  bool isHalf = element.isF16();
  Value in = isHalf ? narrow : x;
  Type type = isHalf ? element : Type(builder.getF32Type());
  if (isHalf)
    builder.create<ir::CastOp>(loc, ir::Round::rint, x, narrow);
  if (plan.scale != 1)
    binary(ir::Binary::vmul, in, number(plan.scale, type), in);
  builder.create<ir::UnaryOp>(loc, ir::Unary::vexp, in, in);
  reduce(ir::Reduce::sum, in, isHalf ? halves : partial);
  binary(ir::Binary::vdiv, ones, column, inverse);
  Value factors = spread(inverse);
  if (isHalf) {
    Value rounded = part(narrowWide, {1, line}, besideOf(type));
    builder.create<ir::CastOp>(loc, ir::Round::rint, factors, rounded);
    factors = rounded;
  }
  binary(ir::Binary::vmul, in, factors, in, /*broadcast=*/0);
  if (!isHalf) // the vector unit computes no bf16
    builder.create<ir::CastOp>(loc, ir::Round::rint, x, narrow);
}

void SoftmaxEmitter::allocateAll() {
  Type single = builder.getF32Type();
  height = plan.chunks() % 2 == 0 ? 2 : 1;
  zeros = allocate({plan.rows, kAttentionTile});
  partial = allocateBeside(height * line, single), wide = allocateBeside(line, single);
  if (element.isF16())
    halves = allocateBeside(height * line, element), narrowWide = allocateBeside(line, element);
  column = allocate({2 * kSpreadRows}), ones = allocate({2 * kSpreadRows});
  inverse = allocate({2 * kSpreadRows}), blocks = allocate({kSpreadRows, kSpreadRows});
  temp = allocate({plan.rows, 64});
  for (auto [buffer, value] : {std::pair(zeros, 0.0), std::pair(column, 0.0), std::pair(ones, 1.0)})
    builder.create<ir::BroadcastOp>(loc, number(value), buffer);
}

void SoftmaxEmitter::makeWeights(Value unit, const AttentionBuffers &buffers) {
  OpFoldResult place =
      math.add(math.mul(block, math.constant(plan.kPlaces)), math.rem(unit, math.constant(plan.kPlaces)));
  OpFoldResult elements = math.mul(place, math.constant(plan.elementsOfPlace()));
  builder.create<ir::CrossWaitOp>(loc, ir::Pipe::MTE2, kScoresFull);
  auto rows = builder.create<scf::ForOp>(loc, index(0), index(kHalf), index(plan.rows));
  builder.setInsertionPointToStart(rows.getBody());
  // `wide` elements of this memory have the room of a score.
  auto window = [&](Value memory, int64_t wide) {
    OpFoldResult start = math.add(math.mul(elements, math.constant(wide)),
                                  math.mul(half, math.constant(kHalf * kAttentionTile * wide)));
    start = math.add(start, math.mul(rows.getInductionVar(), math.constant(kAttentionTile)));
    return windowOf(builder, loc, memory, start, {math.constant(plan.chunks()), math.constant(line)},
                    {math.constant(kAttentionTile * kAttentionTile * wide), math.constant(1)});
  };
  Value x = allocate({plan.chunks(), line}), narrow = allocate({plan.chunks(), line}, element);
  x.getDefiningOp()->setAttr(devicekit::kCopiesAttr, builder.getI64IntegerAttr(2)); // rather than of weights
  builder.create<ir::LoadOp>(loc, window(buffers.scores, 1), x, false);
  softmax(x, narrow);
  builder.create<ir::StoreOp>(loc, narrow, window(buffers.weights, 2));
  builder.setInsertionPointAfter(rows);
  builder.create<ir::CrossSetOp>(loc, ir::Pipe::MTE3, kWeightsFull);
}

void SoftmaxEmitter::run(const AttentionBuffers &buffers) {
  element = cast<MemRefType>(buffers.weights.getType()).getElementType();
  block = builder.create<ir::BlockIdxOp>(loc, builder.getIndexType());
  half = builder.create<ir::SubIdxOp>(loc, builder.getIndexType());
  allocateAll();
  OpFoldResult left = math.sub(math.constant(plan.units() + plan.blocks - 1), block);
  auto units = builder.create<scf::ForOp>(loc, index(0),
                                          math.value(math.div(left, math.constant(plan.blocks))), index(1));
  builder.setInsertionPointToStart(units.getBody());
  makeWeights(units.getInductionVar(), buffers);
}

} // namespace

void emitAttentionSoftmax(OpBuilder &builder, Location loc, const AttentionPlan &plan,
                          const AttentionBuffers &buffers) {
  SoftmaxEmitter(builder, loc, plan).run(buffers);
}

} // namespace kiln::npu
