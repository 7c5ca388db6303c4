// CubeProduct.cpp: a unit is one tile of the result of one batch, or several with the same rows, which then
// stay in L1. A tile's sums stay in L0C over all of the depth, which comes in steps of L1 and, within one, in
// steps of L0A and L0B.
#include "backends/npu/Transforms/CubeProduct.h"

#include "backends/npu/Transforms/CubeTiling.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/devicekit/MemoryPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

class ProductEmitter : CubeBuilder {
public:
  ProductEmitter(OpBuilder &builder, Location loc, func::FuncOp function, const CubeProduct &product,
                 const Target &target)
      : CubeBuilder(builder, loc, function, product.element), of(product), target(target) {}
  void run();

private:
  CubeShape shape() const;
  void fillUnit(Value unit);
  void computeTile();
  void stepL1(OpFoldResult startK);
  void multiply(Value tileA, Value from, Value tileB, OpFoldResult startK, OpFoldResult sizeK, int64_t tile);
  bool isWhole(const CubeOperand &operand, OpFoldResult extent, int64_t tile) const;
  OpFoldResult batchOffset(const CubeOperand &operand);

  const CubeProduct &of;
  const Target &target;
  CubeTiles tiles;
  bool mayBeEmpty = false; // no depth at all: one step on zeros
  bool needsDepth = false; // squares of f32 are two fractals of the depth: both operands have them whole then
  // Of the unit
  OpFoldResult startM, startN, sizeM, sizeN, batch;
  OpFoldResult columnInUnit; // of the tile
  Value sums, bias;
  Value keptRows; // the steps' tiles of A one behind the other; null: each step loads its own
};

CubeShape ProductEmitter::shape() const {
  auto known = [](OpFoldResult x) { return getConstantIntValue(x).value_or(-1); };
  CubeShape shape = {known(of.m), known(of.n), known(of.k)};
  for (OpFoldResult extent : of.batches)
    shape.batches *= std::max<int64_t>(1, known(extent));
  shape.inBytes = element.getIntOrFloatBitWidth() / 8;
  shape.outBytes = of.c.element.getIntOrFloatBitWidth() / 8;
  shape.depth = cubeDepth(target, element);
  shape.columnsAreRows = !of.b.depthIsRow;
  shape.maySplitB = of.b.depthIsRow && !of.a.depthIsRow;
  return shape;
}

/// Where an operand's matrix of the unit's batch begins.
OpFoldResult ProductEmitter::batchOffset(const CubeOperand &operand) {
  OpFoldResult offset = math.constant(0), rest = batch;
  for (int64_t axis = int64_t(of.batches.size()) - 1; axis >= 0; --axis) {
    if (llvm::all_of(ArrayRef(operand.steps).take_front(axis + 1),
                     [](OpFoldResult step) { return getConstantIntValue(step) == 0; }))
      break;
    OpFoldResult index = axis == 0 ? rest : math.rem(rest, of.batches[axis]);
    offset = math.add(offset, math.mul(index, operand.steps[axis]));
    if (axis)
      rest = math.div(rest, of.batches[axis]);
  }
  return offset;
}

/// Whether tiles of an operand always end with whole fractals, in all steps: tiles are multiples of 16.
bool ProductEmitter::isWhole(const CubeOperand &operand, OpFoldResult extent, int64_t tile) const {
  int64_t edge = squareOf(element);
  if (mayBeEmpty || (needsDepth && isRagged(of.k, 16)))
    return false;
  if (!operand.depthIsRow) // of A rows are read one by one
    return &operand == &of.a || !isRagged(extent, 16);
  return !isRagged(extent, edge) && tile % edge == 0 && !isRagged(of.k, edge) && tiles.depthL1 % edge == 0;
}

/// Adds a step's product to the sums, its tile of A being what lies from `from` on, its depth `tile` at most.
void ProductEmitter::multiply(Value tileA, Value from, Value tileB, OpFoldResult startK, OpFoldResult sizeK,
                              int64_t tile) {
  int64_t edge = squareOf(element);
  OpFoldResult depth = mayBeEmpty ? math.max(sizeK, math.constant(1)) : sizeK;
  if (needsDepth)
    depth = math.mul(math.ceilDiv(depth, 16), math.constant(16));
  int64_t rows = llvm::alignTo(tiles.m, of.a.depthIsRow ? edge : 16);
  Value m = math.value(sizeM), k = math.value(depth), n = math.value(columnsInL0(sizeN, of.b.depthIsRow));
  Value left = allocateL0(ir::Memory::L0A, rows, tile),
        right = allocateL0(ir::Memory::L0B, llvm::alignTo(tiles.n, of.b.depthIsRow ? edge : 16), tile);
  builder.create<ir::Load2dOp>(loc, tileA, left, m, k, from, of.a.depthIsRow);
  builder.create<ir::Load2dOp>(loc, tileB, right, n, k, Value(), of.b.depthIsRow);
  builder.create<ir::MmadOp>(loc, left, right, sums, m, n, k, isZero(startK), bias,
                             tiles.depthL0 < tile ? builder.getI64IntegerAttr(tiles.depthL0) : IntegerAttr());
}

void ProductEmitter::stepL1(OpFoldResult startK) {
  OpFoldResult sizeK = clip(of.k, tiles.depthL1, startK);
  auto offsetOf = [&](const CubeOperand &operand, OpFoldResult position, OpFoldResult start) {
    OpFoldResult row = operand.depthIsRow ? start : position, column = operand.depthIsRow ? position : start;
    return math.add(batchOffset(operand), math.add(math.mul(row, operand.stride), column));
  };
  auto loadB = [&](OpFoldResult start, OpFoldResult size, int64_t depth) {
    return loadTile(of.b, offsetOf(of.b, startN, start), sizeN, size, tiles.n, depth,
                    isWhole(of.b, of.n, tiles.n));
  };
  if (!keptRows) {
    Value tileA = loadTile(of.a, offsetOf(of.a, startM, startK), sizeM, sizeK, tiles.m, tiles.depthL1,
                           isWhole(of.a, of.m, tiles.m));
    return multiply(tileA, Value(), loadB(startK, sizeK, tiles.depthL1), startK, sizeK, tiles.depthL1);
  }
  int64_t extent = tileExtents(of.a.depthIsRow, tiles.m, tiles.depthL1)[0];
  OpFoldResult first = math.mul(math.div(startK, math.constant(tiles.depthL1)), math.constant(extent));
  Value tileA = slice(keptRows, 0, first, extent);
  auto fillRows = [&] { fillTile(tileA, of.a, offsetOf(of.a, startM, startK), sizeM, sizeK); };
  if (tiles.depthB == tiles.depthL1) {
    Value tileB = loadB(startK, sizeK, tiles.depthL1);
    once(columnInUnit, fillRows);
    return multiply(tileA, Value(), tileB, startK, sizeK, tiles.depthL1);
  }
  once(columnInUnit, fillRows);
  forSteps(sizeK, tiles.depthB, [&](OpFoldResult from) {
    OpFoldResult size = clip(sizeK, tiles.depthB, from), start = math.add(startK, from);
    Value before = getConstantIntValue(from) == 0 ? Value() : math.value(from);
    Value tileB = loadB(start, size, tiles.depthB);
    tileB.getDefiningOp()->setAttr(devicekit::kCopiesAttr, builder.getI64IntegerAttr(tiles.copiesB));
    multiply(tileA, before, tileB, start, size, tiles.depthB);
  });
}

void ProductEmitter::computeTile() {
  bool isBytes = element.isInteger(8);
  bias = of.c.bias ? loadBias(of.c.bias, startN, sizeN, llvm::alignTo(tiles.n, isBytes ? 32 : 16),
                              !isRagged(of.n, isBytes ? 32 : 16))
                   : Value();
  int64_t columns = llvm::alignTo(tiles.n, of.b.depthIsRow && isBytes ? 32 : 16);
  sums = allocate({columns / 16, tiles.m / 16, 16, 16}, sumType(element), ir::Memory::L0C);
  OpFoldResult end = mayBeEmpty ? math.max(of.k, math.constant(1)) : of.k;
  forSteps(end, tiles.depthL1, [&](OpFoldResult startK) { stepL1(startK); });
  OpFoldResult offset = math.mul(batch, math.mul(of.m, of.c.stride));
  offset = math.add(math.add(offset, math.mul(startM, of.c.stride)), startN);
  storeSums(of.c, sums, offset, sizeM, sizeN);
}

void ProductEmitter::fillUnit(Value unit) {
  int64_t width = tiles.columns();
  OpFoldResult tilesM = math.ceilDiv(of.m, tiles.m), unitsN = math.ceilDiv(of.n, width);
  OpFoldResult rest = unit;
  OpFoldResult first = math.mul(math.rem(rest, unitsN), math.constant(width));
  rest = math.div(rest, unitsN);
  startM = math.mul(math.rem(rest, tilesM), math.constant(tiles.m));
  batch = of.batches.empty() ? math.constant(0) : math.div(rest, tilesM);
  sizeM = clip(of.m, tiles.m, startM);
  OpFoldResult columns = clip(of.n, width, first);
  if (tiles.unitColumns) {
    SmallVector<int64_t> extents = tileExtents(of.a.depthIsRow, tiles.m, tiles.depthL1);
    extents[0] *= llvm::divideCeil(*getConstantIntValue(of.k), tiles.depthL1);
    keptRows = allocate(extents, element, ir::Memory::L1);
    keptRows.getDefiningOp()->setAttr(devicekit::kCopiesAttr, builder.getI64IntegerAttr(1));
  }
  forSteps(columns, tiles.n, [&](OpFoldResult start) {
    columnInUnit = start;
    startN = math.add(first, start);
    sizeN = clip(columns, tiles.n, start);
    computeTile();
  });
}

void ProductEmitter::run() {
  std::optional<int64_t> depth = getConstantIntValue(of.k);
  mayBeEmpty = !depth || *depth == 0;
  needsDepth = of.a.depthIsRow && ir::blockElements(element) < 16;
  tiles = chooseTiles(target, shape(),
                      /*mayKeepRows=*/!target.fusedCores && isWhole(of.a, of.m, squareOf(element)));
  OpFoldResult units = math.mul(math.ceilDiv(of.m, tiles.m), math.ceilDiv(of.n, tiles.columns()));
  for (OpFoldResult extent : of.batches)
    units = math.mul(units, extent);
  fillUnit(openUnits(builder, loc, function, units, target.cubeCores));
}

} // namespace

void emitProduct(OpBuilder &builder, Location loc, func::FuncOp function, const CubeProduct &product,
                 const Target &target) {
  ProductEmitter(builder, loc, function, product, target).run();
}

} // namespace kiln::npu
