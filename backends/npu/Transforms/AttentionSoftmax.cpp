// AttentionSoftmax.cpp: rows of scores in UB are [chunks][rows x 128 keys]. What reduces a row adds up chunks
// as a whole before 128 keys become one number; what spreads a row's number reads [rows x 128] again for
// every chunk. So all but a few instructions work on long lines. In f32: s - max, times scale, exp, divided
// by their sum. What meets scores in an instruction lies half a line of banks beside them, so that no two
// blocks of a repeat are read from, or read and written in, one bank.
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

constexpr int64_t kSpreadRows = 8; // rows that vbrcb spreads, and blocks' elements
constexpr int64_t kBeside = 64;    // elements of f32 from one bank to that of the other half of a repeat

class SoftmaxEmitter {
public:
  SoftmaxEmitter(OpBuilder &builder, Location loc, const AttentionPlan &plan)
      : builder(builder), loc(loc), math(builder, loc), plan(plan), line(plan.rows * kAttentionTile) {}
  void run(Value scores, Value weights);

private:
  Value allocate(ArrayRef<int64_t> extents, Type type) {
    return builder.create<memref::AllocOp>(loc, inUb(extents, type));
  }
  Value allocate(ArrayRef<int64_t> extents) { return allocate(extents, builder.getF32Type()); }
  Value number(double value) {
    return builder.create<arith::ConstantOp>(loc, builder.getF32FloatAttr(static_cast<float>(value)));
  }
  Value index(int64_t value) { return math.value(math.constant(value)); }
  /// `count` lines of a buffer of lines.
  Value lines(Value buffer, int64_t first, int64_t count);
  /// Room for `elements` from kBeside on, beside those of others; whole lines of banks, so that what follows
  /// is, too.
  Value allocateBeside(int64_t elements) { return allocate({2 * kBeside + elements}); }
  /// The elements of a buffer from `first` on, in other extents.
  Value part(Value buffer, ArrayRef<int64_t> extents, int64_t first = 0);
  void binary(ir::Binary kind, Value a, Value b, Value d, std::optional<int64_t> broadcast = std::nullopt) {
    builder.create<ir::BinaryOp>(loc, kind, a, b, d,
                                 broadcast ? builder.getI64IntegerAttr(*broadcast) : IntegerAttr());
  }
  void allocateAll();
  /// One number of each row to `column`, which has as many as vbrcb reads; and a line with that number in all
  /// of its row's place.
  void reduce(ir::Reduce kind, Value x);
  Value spread(Value numbers);
  void softmax(Value x);

  OpBuilder &builder;
  Location loc;
  IndexMath math;
  const AttentionPlan &plan;
  const int64_t line; // elements
  int64_t height;     // lines that are added up at a time
  /// Of all steps: no place of theirs is that of weights on their way out.
  Value zeros, partial, column, temp, blocks, wide, ones, inverse;
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

void SoftmaxEmitter::reduce(ir::Reduce kind, Value x) {
  ir::Binary pair = kind == ir::Reduce::max ? ir::Binary::vmax : ir::Binary::vadd;
  auto some = [&](int64_t from, int64_t count) {
    return part(partial, {count, line}, kBeside + from * line);
  };
  int64_t chunks = plan.chunks();
  if (chunks == height)
    binary(ir::Binary::vmul, lines(x, 0, height), number(1), some(0, height));
  else
    binary(pair, lines(x, 0, height), lines(x, height, height), some(0, height));
  for (int64_t chunk = 2 * height; chunk < chunks; chunk += height)
    binary(pair, some(0, height), lines(x, chunk, height), some(0, height));
  for (int64_t half = height / 2; half >= 1; half /= 2)
    binary(pair, some(0, half), some(half, half), some(0, half));
  builder.create<ir::ReduceOp>(loc, kind, part(partial, {plan.rows, kAttentionTile}, kBeside),
                               part(column, {plan.rows}), temp);
}

Value SoftmaxEmitter::spread(Value numbers) {
  builder.create<ir::BroadcastOp>(loc, part(numbers, {kSpreadRows}), blocks);
  binary(ir::Binary::vadd, zeros, part(blocks, {plan.rows, kSpreadRows}),
         part(wide, {plan.rows, kAttentionTile}, kBeside), /*broadcast=*/1);
  return part(wide, {1, line}, kBeside);
}

void SoftmaxEmitter::softmax(Value x) {
  reduce(ir::Reduce::max, x);
  binary(ir::Binary::vsub, x, spread(column), x, /*broadcast=*/0);
  if (plan.scale != 1)
    binary(ir::Binary::vmul, x, number(plan.scale), x);
  builder.create<ir::UnaryOp>(loc, ir::Unary::vexp, x, x);
  reduce(ir::Reduce::sum, x);
  binary(ir::Binary::vdiv, ones, column, inverse);
  binary(ir::Binary::vmul, x, spread(inverse), x, /*broadcast=*/0);
}

void SoftmaxEmitter::allocateAll() {
  int64_t chunks = plan.chunks();
  height = chunks % 4 == 0 ? 4 : chunks % 2 == 0 ? 2 : 1;
  zeros = allocate({plan.rows, kAttentionTile});
  partial = allocateBeside(height * line), wide = allocateBeside(line);
  column = allocate({2 * kSpreadRows}), ones = allocate({2 * kSpreadRows});
  inverse = allocate({2 * kSpreadRows}), blocks = allocate({kSpreadRows, kSpreadRows});
  temp = allocate({plan.rows, 64});
  for (auto [buffer, value] : {std::pair(zeros, 0.0), std::pair(column, 0.0), std::pair(ones, 1.0)})
    builder.create<ir::BroadcastOp>(loc, number(value), buffer);
}

void SoftmaxEmitter::run(Value scores, Value weights) {
  Type element = cast<MemRefType>(weights.getType()).getElementType();
  Value block = builder.create<ir::BlockIdxOp>(loc, builder.getIndexType());
  Value half = builder.create<ir::SubIdxOp>(loc, builder.getIndexType());
  allocateAll();
  for (int64_t place = 0; place < plan.kPlaces; ++place) // free at first
    builder.create<ir::CrossSetOp>(loc, ir::Pipe::MTE2, kScoresFree);
  OpFoldResult left = math.sub(math.constant(plan.units() + plan.blocks - 1), block);
  auto units = builder.create<scf::ForOp>(loc, index(0),
                                          math.value(math.div(left, math.constant(plan.blocks))), index(1));
  builder.setInsertionPointToStart(units.getBody());
  Value unit = units.getInductionVar();
  OpFoldResult place =
      math.add(math.mul(block, math.constant(plan.kPlaces)), math.rem(unit, math.constant(plan.kPlaces)));
  OpFoldResult first = math.add(math.mul(place, math.constant(plan.elementsOfPlace())),
                                math.mul(half, math.constant(kAttentionTile / 2 * kAttentionTile)));
  builder.create<ir::CrossWaitOp>(loc, ir::Pipe::MTE2, kScoresFull);
  builder.create<ir::CrossWaitOp>(loc, ir::Pipe::MTE3, kWeightsFree);
  auto rows = builder.create<scf::ForOp>(loc, index(0), index(kAttentionTile / 2), index(plan.rows));
  builder.setInsertionPointToStart(rows.getBody());
  OpFoldResult start = math.add(first, math.mul(rows.getInductionVar(), math.constant(kAttentionTile)));
  auto window = [&](Value memory) {
    return windowOf(builder, loc, memory, start, {math.constant(plan.chunks()), math.constant(line)},
                    {math.constant(kAttentionTile * kAttentionTile), math.constant(1)});
  };
  Value x = allocate({plan.chunks(), line}), narrow = allocate({plan.chunks(), line}, element);
  x.getDefiningOp()->setAttr(devicekit::kCopiesAttr, builder.getI64IntegerAttr(2)); // rather than of weights
  builder.create<ir::LoadOp>(loc, window(scores), x, false);
  softmax(x);
  builder.create<ir::CastOp>(loc, ir::Round::rint, x, narrow);
  builder.create<ir::StoreOp>(loc, narrow, window(weights));
  builder.setInsertionPointAfter(rows);
  builder.create<ir::CrossSetOp>(loc, ir::Pipe::MTE2, kScoresFree);
  builder.create<ir::CrossSetOp>(loc, ir::Pipe::MTE3, kWeightsFull);
  builder.setInsertionPointAfter(units);
  for (int64_t place = 0; place < plan.kPlaces; ++place) // as many waits as sets
    builder.create<ir::CrossWaitOp>(loc, ir::Pipe::MTE3, kWeightsFree);
}

} // namespace

void emitAttentionSoftmax(OpBuilder &builder, Location loc, const AttentionPlan &plan, Value scores,
                          Value weights) {
  SoftmaxEmitter(builder, loc, plan).run(scores, weights);
}

} // namespace kiln::npu
