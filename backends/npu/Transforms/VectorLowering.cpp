// VectorLowering.cpp: one loop over units, a unit being a tile of rows (or a line of columns) at one place of
// the outer groups. The blocks of a launch take units in turn. Values that no loop index changes are loaded
// before the loop.
#include "backends/npu/Transforms/VectorLowering.h"

#include "backends/npu/Transforms/Domain.h"
#include "backends/npu/Transforms/GlobalView.h"
#include "backends/npu/Transforms/TileBuilder.h"
#include "kiln/devicekit/Pipes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// Rows that one instruction's repeats reach.
constexpr int64_t kMaxRepeats = 255;
/// Elements of a row that one chunk of 64 partial results of 64 f32 each covers.
constexpr int64_t kReducedColumns = 64 * 64;

Type signless(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return integer ? IntegerType::get(element.getContext(), integer.getWidth()) : element;
}

Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

class VectorLowering {
public:
  VectorLowering(KernelOp kernel, Domain domain, const Target &target)
      : kernel(kernel), domain(std::move(domain)), target(target), builder(kernel.getContext()) {}

  /// Lowers with tiles of at most `limit` elements.
  LogicalResult lower(int64_t limit, func::FuncOp &function);

private:
  using Kind = TileValue::Kind;
  LogicalResult choose(int64_t limit);
  LogicalResult checkTypes();
  OpFoldResult extent(size_t group);
  Value bufferOf(Value value);
  Kind kindOf(Value value);
  OpFoldResult offsetOf(Value value, ArrayRef<OpFoldResult> starts);
  std::pair<Value, MemRefType> window(Value value, Kind kind);
  FailureOr<TileValue> load(Value argument);
  FailureOr<TileValue> valueOf(Value value);
  LogicalResult compute(Operation *op);
  LogicalResult computeReduce(ReduceOp op);
  LogicalResult store(Value value);
  bool isInvariant(Value argument);
  void setUnit(Value unit);
  OpFoldResult unitCount();
  Value viewForTransfer(TileValue x);
  LogicalResult fillBody();

  KernelOp kernel;
  Domain domain;
  const Target &target;
  OpBuilder builder;
  func::FuncOp function;
  Location loc = kernel.getLoc();
  bool isLine = false;
  size_t rowGroup = 0, columnGroup = 0;
  int64_t tileRows = 1, tileColumns = 1, pitch = 1;
  SmallVector<OpFoldResult> starts; // of this unit, by group
  std::unique_ptr<TileBuilder> tiles;
  DenseMap<Value, TileValue> values;
};

// Lines take what has no reduction and no rows to share; else rows go whole into UB.
LogicalResult VectorLowering::choose(int64_t limit) {
  bool reduces = false;
  for (size_t group = 0; group < domain.groupCount(); ++group) {
    if (!domain.isReduced(group))
      continue;
    reduces = true;
    if (group + 1 != domain.groupCount())
      return kernel.emitError("npu: a reduction over axes that are not the innermost is not lowered yet");
  }
  while (domain.groupCount() < (reduces ? 2 : 1))
    domain.addUnitGroup();
  columnGroup = domain.groupCount() - 1;
  int64_t columns = domain.extent(columnGroup);
  int64_t narrowest = 4;
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType()))
        narrowest = std::min<int64_t>(narrowest, llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  });
  for (Type type : kernel.getArgumentTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      narrowest = std::min<int64_t>(narrowest, llvm::divideCeil(tensor.getElementTypeBitWidth(), 8));
  isLine = domain.groupCount() == 1 || ShapedType::isDynamic(columns) ||
           (!reduces && int64_t(llvm::alignTo(columns, 32)) > limit / 2);
  if (isLine && reduces)
    return kernel.emitError("npu: a reduction over a dynamic extent is not lowered yet");
  if (isLine) {
    int64_t share = llvm::divideCeil(ShapedType::isDynamic(columns) ? limit : columns, target.vectorCores);
    tileColumns = pitch = std::clamp<int64_t>(llvm::alignTo(share, 256), 256, std::max<int64_t>(limit, 256));
    return success();
  }
  rowGroup = columnGroup - 1;
  tileColumns = columns;
  pitch = llvm::alignTo(columns, 32 / narrowest);
  // A row is reduced by way of one chunk of partial results.
  if (pitch > limit || (reduces && columns > kReducedColumns))
    return kernel.emitError("npu: rows of ")
           << columns << " elements, which UB or a reduction does not hold, are not lowered yet";
  tileRows = std::clamp<int64_t>(limit / pitch, 1, kMaxRepeats);
  if (int64_t rows = domain.extent(rowGroup); !ShapedType::isDynamic(rows)) {
    int64_t outer = 1;
    for (size_t group = 0; group < rowGroup; ++group)
      outer *= ShapedType::isDynamic(domain.extent(group)) ? target.vectorCores : domain.extent(group);
    int64_t share = llvm::divideCeil(rows * outer, target.vectorCores);
    tileRows = std::min({tileRows, rows, std::max<int64_t>(8, llvm::alignTo(share, 8))});
  }
  return success();
}

LogicalResult VectorLowering::checkTypes() {
  auto check = [&](Value value) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor || value.getDefiningOp<ConstantOp>())
      return success();
    Type type = tensor.getElementType();
    bool isKnown = type.isF16() || type.isBF16() || type.isF32() || type.isInteger(1) ||
                   type.isSignlessInteger(32) || (type.isInteger(8));
    if (isKnown && (!type.isBF16() || target.hasBf16))
      return success();
    return emitError(value.getLoc(), "npu: elements of type ") << type << " are not lowered yet";
  };
  for (Value argument : kernel.getBody().getArguments())
    if (failed(check(argument)))
      return failure();
  for (Operation &op : kernel.getBody().front())
    for (Value result : op.getResults())
      if (failed(check(result)))
        return failure();
  return success();
}

Value VectorLowering::bufferOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return function.getArgument(argument.getArgNumber());
  auto yielded = kernel.getBody().front().getTerminator()->getOperands();
  size_t number = std::distance(yielded.begin(), llvm::find(yielded, value));
  return function.getArgument(kernel.getArgumentTypes().size() + number);
}

OpFoldResult VectorLowering::extent(size_t group) {
  if (!ShapedType::isDynamic(domain.extent(group)))
    return builder.getIndexAttr(domain.extent(group));
  IndexMath math(builder, loc);
  OpFoldResult product = math.constant(1);
  for (int64_t axis : domain.axesOf(domain.exampleOf(group), group))
    product = math.mul(product, extentOf(builder, loc, bufferOf(domain.exampleOf(group)), axis));
  return product;
}

TileValue::Kind VectorLowering::kindOf(Value value) {
  bool hasColumns = domain.has(value, columnGroup);
  if (isLine)
    return hasColumns ? Kind::Full : Kind::Scalar;
  bool hasRows = domain.has(value, rowGroup);
  return hasRows ? (hasColumns ? Kind::Full : Kind::Column) : hasColumns ? Kind::Row : Kind::Scalar;
}

OpFoldResult VectorLowering::offsetOf(Value value, ArrayRef<OpFoldResult> starts) {
  IndexMath math(builder, loc);
  OpFoldResult offset = math.constant(0);
  for (size_t group = 0; group < domain.groupCount(); ++group)
    if (SmallVector<int64_t> axes = domain.axesOf(value, group); !axes.empty())
      offset =
          math.add(offset, math.mul(starts[group], strideOf(builder, loc, bufferOf(value), axes.back())));
  return offset;
}

/// The part of a binding that belongs to this unit.
std::pair<Value, MemRefType> VectorLowering::window(Value value, Kind kind) {
  IndexMath math(builder, loc);
  const TileShape &shape = tiles->tile();
  OpFoldResult one = math.constant(1);
  SmallVector<OpFoldResult> sizes, strides;
  switch (kind) {
  case Kind::Scalar:
    sizes = {one}, strides = {one};
    break;
  case Kind::Row:
    sizes = {one, shape.columns}, strides = {shape.columns, one};
    break;
  case Kind::Column:
    sizes = {shape.rows}, strides = {one};
    break;
  case Kind::Full:
    sizes = {shape.columns}, strides = {one};
    if (!isLine) {
      sizes = {shape.rows, shape.columns};
      strides = {strideOf(builder, loc, bufferOf(value), domain.axesOf(value, rowGroup).back()), one};
    }
    break;
  }
  Value view = windowOf(builder, loc, bufferOf(value), offsetOf(value, starts), sizes, strides);
  return {view, cast<MemRefType>(view.getType())};
}

FailureOr<TileValue> VectorLowering::load(Value argument) {
  Kind kind = kindOf(argument);
  Type element = signless(elementOf(argument));
  auto [source, type] = window(argument, kind);
  if (kind == Kind::Scalar) {
    if (TileBuilder::held(element) != element || type.getElementType() != element) {
      return emitError(argument.getLoc(), "npu: a single element of type ")
             << elementOf(argument) << " is not lowered yet";
    }
    return TileValue{kind, builder.create<ir::ScalarLoadOp>(loc, element, source), element};
  }
  // The column of a tile starts at a block; its elements are adjacent only where no column group follows.
  if (kind == Kind::Column && getConstantIntValue(strideOf(builder, loc, bufferOf(argument),
                                                           domain.axesOf(argument, rowGroup).back())) != 1)
    return emitError(argument.getLoc(), "npu: a column of strided elements is not lowered yet");
  // What the buffer holds in memory; then what arithmetic wants.
  TileValue raw = tiles->allocate(kind, element);
  Type stored = type.getElementType();
  auto rawType = cast<MemRefType>(raw.value.getType());
  if (rawType.getElementType() != stored) {
    Value alloc = builder.create<memref::AllocOp>(
        loc,
        MemRefType::get(rawType.getShape(), stored, MemRefLayoutAttrInterface(), rawType.getMemorySpace()));
    TileValue bytes = {kind, alloc, element};
    builder.create<ir::LoadOp>(loc, source, viewForTransfer(bytes));
    builder.create<ir::CastOp>(loc, ir::Round::rint, tiles->view(bytes, true), tiles->view(raw, true));
    return raw;
  }
  builder.create<ir::LoadOp>(loc, source, viewForTransfer(raw));
  return raw;
}

/// The buffer's part that a transfer fills or reads: without pads.
Value VectorLowering::viewForTransfer(TileValue x) {
  auto type = cast<MemRefType>(x.value.getType());
  if (x.kind != Kind::Column)
    return tiles->view(x, false);
  OpFoldResult rows = tiles->tile().rows;
  if (getConstantIntValue(rows) == type.getShape()[0])
    return x.value;
  return builder.create<memref::SubViewOp>(loc, x.value, ArrayRef<OpFoldResult>{builder.getIndexAttr(0)},
                                           rows, ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}

FailureOr<TileValue> VectorLowering::valueOf(Value value) {
  if (auto known = values.find(value); known != values.end())
    return known->second;
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      return FailureOr<TileValue>(
          constant.emitError("npu: a constant that is not a splat is not lowered yet"));
    Type element = signless(elementOf(value));
    if (auto real = dyn_cast<FloatAttr>(splat.getSplatValue<Attribute>()))
      return tiles->number(real.getValueAsDouble(), element);
    APInt integer = cast<IntegerAttr>(splat.getSplatValue<Attribute>()).getValue();
    return tiles->number(elementOf(value).isUnsignedInteger() || element.isInteger(1)
                             ? double(integer.getZExtValue())
                             : double(integer.getSExtValue()),
                         element);
  }
  FailureOr<TileValue> loaded = load(value);
  if (succeeded(loaded))
    values[value] = *loaded;
  return loaded;
}

LogicalResult VectorLowering::computeReduce(ReduceOp op) {
  FailureOr<TileValue> input = valueOf(op.getX());
  if (failed(input))
    return failure();
  bool isWide = domain.has(op.getX(), columnGroup) && !domain.has(op.getResult(), columnGroup);
  FailureOr<TileValue> reduced = tiles->reduce(op, *input, isWide ? domain.extent(columnGroup) : 1, isWide);
  if (failed(reduced))
    return failure();
  values[op.getResult()] = *reduced;
  return success();
}

LogicalResult VectorLowering::compute(Operation *op) {
  tiles->setLoc(op->getLoc());
  loc = op->getLoc();
  if (isa<ConstantOp>(op) || !isa<RankedTensorType>(op->getResult(0).getType()))
    return success(); // read where it is used; arithmetic on extents
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return computeReduce(reduce);
  SmallVector<TileValue> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    FailureOr<TileValue> value = valueOf(operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  if (isa<ReshapeOp, BroadcastOp>(op)) {
    values[op->getResult(0)] = operands[0];
    return success();
  }
  // The op's computation of one element, applied to tiles.
  Block scratch;
  SmallVector<Value> scalars;
  for (Value operand : op->getOperands())
    scalars.push_back(scratch.addArgument(signless(elementOf(operand)), loc));
  OpBuilder scalarBuilder(builder.getContext());
  scalarBuilder.setInsertionPointToEnd(&scratch);
  Value result = cast<ElementwiseOpInterface>(op).buildScalar(scalarBuilder, loc, scalars);
  DenseMap<Value, TileValue> known;
  for (auto [scalar, operand] : llvm::zip(scalars, operands))
    known[scalar] = operand;
  bool isLowered = true;
  for (Operation &inner : scratch) {
    SmallVector<TileValue> inputs;
    for (Value operand : inner.getOperands())
      inputs.push_back(known.lookup(operand));
    FailureOr<TileValue> output = tiles->apply(&inner, inputs);
    if (failed(output)) {
      isLowered = false;
      break;
    }
    output->element = inner.getResult(0).getType();
    known[inner.getResult(0)] = *output;
  }
  values[op->getResult(0)] = known.lookup(result);
  scratch.clear(); // uses before definitions
  return isLowered ? success() : failure();
}

LogicalResult VectorLowering::store(Value value) {
  FailureOr<TileValue> known = valueOf(value);
  if (failed(known))
    return failure();
  Kind kind = kindOf(value);
  if (kind == Kind::Scalar)
    return emitError(value.getLoc(), "npu: a result of one element in a kernel of rows is not lowered yet");
  if (kind == Kind::Column && getConstantIntValue(strideOf(builder, loc, bufferOf(value),
                                                           domain.axesOf(value, rowGroup).back())) != 1)
    return emitError(value.getLoc(), "npu: a column of strided elements is not lowered yet");
  TileValue x = tiles->unmask(*known);
  x = tiles->materialize(x, kind);
  auto [target, type] = window(value, kind);
  Type stored = type.getElementType();
  auto held = cast<MemRefType>(x.value.getType());
  if (held.getElementType() != stored) {
    Value alloc = builder.create<memref::AllocOp>(
        loc, MemRefType::get(held.getShape(), stored, MemRefLayoutAttrInterface(), held.getMemorySpace()));
    TileValue narrow = {kind, alloc, x.element};
    builder.create<ir::CastOp>(loc, ir::Round::rint, tiles->view(x, true), tiles->view(narrow, true));
    x = narrow;
  }
  builder.create<ir::StoreOp>(loc, viewForTransfer(x), target);
  return success();
}

OpFoldResult VectorLowering::unitCount() {
  IndexMath math(builder, loc);
  OpFoldResult units =
      isLine ? math.ceilDiv(extent(columnGroup), tileColumns) : math.ceilDiv(extent(rowGroup), tileRows);
  for (size_t group = 0; group < (isLine ? columnGroup : rowGroup); ++group)
    units = math.mul(units, extent(group));
  return units;
}

/// The starts of a unit's groups and its tile's extents, from its number.
void VectorLowering::setUnit(Value unit) {
  IndexMath math(builder, loc);
  size_t tiled = isLine ? columnGroup : rowGroup;
  int64_t tile = isLine ? tileColumns : tileRows;
  starts.assign(domain.groupCount(), math.constant(0));
  OpFoldResult count = math.ceilDiv(extent(tiled), tile), rest = unit;
  OpFoldResult number = tiled == 0 ? rest : math.rem(rest, count);
  starts[tiled] = math.mul(number, math.constant(tile));
  rest = math.div(rest, count);
  for (size_t group = tiled; group-- > 0;) {
    starts[group] = group == 0 ? rest : math.rem(rest, extent(group));
    rest = math.div(rest, extent(group));
  }
  TileShape shape;
  shape.isLine = isLine;
  shape.maxRows = tileRows;
  shape.maxColumns = tileColumns;
  shape.pitch = pitch;
  shape.rows = math.constant(tileRows);
  shape.columns = math.constant(tileColumns);
  OpFoldResult here = math.constant(tile);
  if (ShapedType::isDynamic(domain.extent(tiled)) || domain.extent(tiled) % tile != 0)
    here = math.min(here, math.sub(extent(tiled), starts[tiled]));
  if (isLine) {
    shape.columns = here;
  } else {
    shape.rows = here;
    if (!getConstantIntValue(here))
      shape.paddedRows = math.value(math.mul(math.ceilDiv(here, 8), math.constant(8)));
  }
  tiles = std::make_unique<TileBuilder>(builder, loc, shape);
}

bool VectorLowering::isInvariant(Value argument) {
  if (kindOf(argument) == Kind::Full || kindOf(argument) == Kind::Column)
    return false;
  for (size_t group = 0; group < (isLine ? columnGroup : rowGroup); ++group)
    if (domain.extent(group) != 1 && domain.has(argument, group))
      return false;
  return true;
}

LogicalResult VectorLowering::fillBody() {
  Block &body = kernel.getBody().front();
  builder.setInsertionPoint(function.getBody().front().getTerminator());
  Value zero = builder.create<arith::ConstantIndexOp>(loc, 0);
  setUnit(zero);
  for (Value argument : body.getArguments())
    if (isa<RankedTensorType>(argument.getType()) && !argument.use_empty() && isInvariant(argument)) {
      FailureOr<TileValue> loaded = load(argument);
      if (failed(loaded))
        return failure();
      values[argument] = *loaded;
    }
  IndexMath math(builder, loc);
  Value units = math.value(unitCount());
  Value first = builder.create<ir::BlockIdxOp>(loc, builder.getIndexType());
  Value step = builder.create<ir::BlockNumOp>(loc, builder.getIndexType());
  auto loop = builder.create<scf::ForOp>(loc, first, units, step);
  builder.setInsertionPointToStart(loop.getBody());
  setUnit(loop.getInductionVar());
  for (Operation &op : body.without_terminator())
    if (failed(compute(&op)))
      return failure();
  for (Value yielded : body.getTerminator()->getOperands())
    if (failed(store(yielded)))
      return failure();
  return success();
}

LogicalResult VectorLowering::lower(int64_t limit, func::FuncOp &result) {
  if (failed(checkTypes()) || failed(choose(limit)))
    return failure();
  function = result = makeFunction(kernel, "aiv",
                                   domain.isReduced(columnGroup) ? "reduction"
                                   : isLine                      ? "elementwise"
                                                                 : "rows");
  if (failed(fillBody()))
    return failure();
  OpBuilder at(function);
  std::optional<int64_t> units = 1;
  for (size_t group = 0; group < domain.groupCount(); ++group) {
    if (ShapedType::isDynamic(domain.extent(group))) {
      units = std::nullopt;
      break;
    }
    if (group == (isLine ? columnGroup : rowGroup))
      *units *= llvm::divideCeil(domain.extent(group), isLine ? tileColumns : tileRows);
    else if (isLine || group != columnGroup)
      *units *= domain.extent(group);
  }
  int64_t cores = target.vectorCores;
  function->setAttr(kBlocksAttr,
                    at.getI64IntegerAttr(std::max<int64_t>(1, std::min(cores, units.value_or(cores)))));
  return success();
}

} // namespace

LogicalResult lowerVectorKernel(KernelOp kernel, const Target &target) {
  FailureOr<Domain> domain = Domain::create(kernel);
  if (failed(domain))
    return failure();
  // Tiles get smaller until all buffers fit, copies of those in transit included.
  for (int64_t limit = 16384;; limit /= 2) {
    func::FuncOp function;
    if (failed(VectorLowering(kernel, *domain, target).lower(limit, function)))
      return failure();
    if (devicekit::fitsMemory(function, 2))
      return success();
    if (limit <= 512)
      return devicekit::fitsMemory(function, 1)
                 ? success()
                 : kernel.emitError("npu: the kernel's tiles do not fit into UB; this is not lowered yet");
    function.erase();
  }
}

} // namespace kiln::npu
