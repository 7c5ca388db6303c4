// HivmProduct.cpp: mmadL1 of HIVM is a macro over MTE1 and the cube. It has no im2col on the way to L0A, so
// that a convolution's matrix is built in L1, and no bias beside a transposed operand, so that the bias comes
// by a product of zeros before.
#include "backends/npu/Hivm/HivmProduct.h"

#include "backends/npu/Hivm/HivmForm.h"
#include "backends/npu/Transforms/GlobalView.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln::npu {
namespace {

MemRefType typeOf(Value memref) { return cast<MemRefType>(memref.getType()); }

MemRefType inL1(ArrayRef<int64_t> extents, Type element) {
  auto space = ir::MemoryAttr::get(element.getContext(), ir::Memory::L1);
  return MemRefType::get(extents, element, MemRefLayoutAttrInterface(), space);
}

/// Fills of L1 have a body for halves, f32 and bytes alone: an i32 is the f32 of its bits.
void rewriteFill(ir::FillL1Op fill) {
  OpBuilder builder(fill);
  Location loc = fill.getLoc();
  MemRefType type = typeOf(fill.getDst());
  Type element = type.getElementType();
  if (element.isInteger(8) && fill.getValue().getType().isInteger(16)) { // two of them
    fill.getValueMutable().assign(
        builder.create<arith::TruncIOp>(loc, builder.getI8Type(), fill.getValue()).getResult());
  } else if (element.isInteger(32)) {
    Type f32 = builder.getF32Type();
    MemRefType plain = MemRefType::Builder(type).setElementType(f32);
    fill.getDstMutable().assign(
        builder.create<UnrealizedConversionCastOp>(loc, plain, fill.getDst()).getResult(0));
    fill.getValueMutable().assign(builder.create<arith::BitcastOp>(loc, f32, fill.getValue()).getResult());
  }
}

/// A buffer of L1 full of zeros.
Value zeros(OpBuilder &builder, Location loc, MemRefType type) {
  Value buffer = builder.create<memref::AllocOp>(loc, type);
  Type element = type.getElementType();
  Value zero = builder.create<arith::ConstantOp>(loc, builder.getZeroAttr(element));
  builder.create<ir::FillL1Op>(loc, zero, buffer);
  return buffer;
}

/// `dst` as the rows of it that an nd2nz with `row` and `pitch` writes.
void rewriteRows(ir::Nd2NzOp load) {
  if (!load.getRow() && !load.getPitch())
    return;
  OpBuilder builder(load);
  Location loc = load.getLoc();
  IndexMath math(builder, loc);
  MemRefType type = typeOf(load.getDst());
  int64_t c0 = type.getDimSize(3);
  OpFoldResult pitch =
      load.getPitch() ? OpFoldResult(load.getPitch()) : math.constant(type.getDimSize(1) * 16);
  OpFoldResult row = load.getRow() ? OpFoldResult(load.getRow()) : math.constant(0);
  OpFoldResult rows = extentOf(builder, loc, load.getSrc(), 0),
               columns = extentOf(builder, loc, load.getSrc(), 1);
  Value part = windowOf(
      builder, loc, load.getDst(), math.mul(row, math.constant(c0)),
      {math.ceilDiv(columns, c0), math.ceilDiv(rows, 16), math.constant(16), math.constant(c0)},
      {math.mul(pitch, math.constant(c0)), math.constant(16 * c0), math.constant(c0), math.constant(1)});
  load.getDstMutable().assign(part);
  load.getRowMutable().clear();
  load.getPitchMutable().clear();
}

/// One load3d of a convolution as bursts that build its part of the im2col matrix in L1: one for each row of
/// the output and each block of channels of each tap. Padding is what is left of the zeros before.
class Im2Col {
public:
  Im2Col(ir::Load3dOp op, Value matrix, OpFoldResult firstRow)
      : op(op), matrix(matrix), firstRow(firstRow), builder(op), loc(op.getLoc()), math(builder, loc) {}

  /// The op that brings the pixels, which is of no use any more; null with a diagnostic if there is none.
  ir::Nd2NzOp run() {
    if (op.getFirst()) {
      op.emitError("npu: a convolution whose images share fractals has no form in HIVM");
      return {};
    }
    ir::Nd2NzOp pixels = pixelsOf(op.getSrc());
    if (!pixels) {
      op.emitError("npu: a convolution of pixels that no one nd2nz brings has no form in HIVM");
      return {};
    }
    OpFoldResult c0 = math.constant(typeOf(matrix).getDimSize(3)), zero = math.constant(0);
    OpFoldResult width = op.getWidth(), left = op.getPads()[2], right = op.getPads()[3];
    int64_t reach = (op.getKernel()[1] - 1) * op.getDilations()[1] + 1, stride = op.getStrides()[1];
    OpFoldResult room = math.sub(math.add(math.add(width, left), right), math.constant(reach));
    OpFoldResult perRow = math.add(math.div(room, math.constant(stride)), math.constant(1));
    OpFoldResult taps = math.constant(op.getKernel()[0] * op.getKernel()[1]);
    OpFoldResult first = math.div(op.getFrom(), c0);
    OpFoldResult blocks = math.div(math.add(op.getDepth(), math.sub(c0, math.constant(1))), c0);
    loop(blocks, [&](OpFoldResult index) {
      OpFoldResult block = math.add(first, index), tap = math.rem(block, taps);
      OpFoldResult channel = math.mul(math.div(block, taps), c0);
      OpFoldResult tapRow = math.div(tap, math.constant(op.getKernel()[1])),
                   tapColumn = math.rem(tap, math.constant(op.getKernel()[1]));
      // Columns of the output whose pixel lies within the row.
      OpFoldResult shift = math.sub(left, math.mul(tapColumn, math.constant(op.getDilations()[1])));
      OpFoldResult begin = math.ceilDiv(math.max(shift, zero), stride);
      OpFoldResult end = math.min(perRow, math.ceilDiv(math.max(math.add(width, shift), zero), stride));
      OpFoldResult rowsOfOutput =
          math.div(math.add(op.getRows(), math.sub(perRow, math.constant(1))), perRow);
      loop(rowsOfOutput, [&](OpFoldResult row) {
        OpFoldResult place = math.mul(row, perRow);
        OpFoldResult stop = math.min(end, math.sub(op.getRows(), place));
        OpFoldResult y = math.add(math.mul(row, math.constant(op.getStrides()[0])),
                                  math.mul(tapRow, math.constant(op.getDilations()[0])));
        y = math.sub(y, op.getPads()[0]);
        when({{zero, y, false}, {y, op.getHeight(), true}, {begin, stop, true}}, [&] {
          OpFoldResult x = math.sub(math.mul(begin, math.constant(stride)), shift);
          bring(pixels, y, x, channel, math.sub(stop, begin), stride, index, math.add(place, begin));
        });
      });
    });
    return pixels;
  }

private:
  struct Condition {
    OpFoldResult a, b;
    bool isLess; // else a <= b
  };

  static ir::Nd2NzOp pixelsOf(Value part) {
    ir::Nd2NzOp found;
    auto slice = part.getDefiningOp<memref::SubViewOp>();
    forEachAccess(bufferOf(part), [&](Operation *user) {
      auto load = dyn_cast<ir::Nd2NzOp>(user);
      auto other = load ? load.getDst().getDefiningOp<memref::SubViewOp>() : memref::SubViewOp();
      if (load && (!slice || (other && other.getMixedOffsets() == slice.getMixedOffsets())))
        found = load;
    });
    return found;
  }

  void loop(OpFoldResult count, llvm::function_ref<void(OpFoldResult)> body) {
    auto all = builder.create<scf::ForOp>(loc, math.value(math.constant(0)), math.value(count),
                                          math.value(math.constant(1)));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(all.getBody());
    body(OpFoldResult(all.getInductionVar()));
  }

  void when(ArrayRef<Condition> conditions, llvm::function_ref<void()> body) {
    Value all;
    for (const Condition &condition : conditions) {
      Value one = builder.create<arith::CmpIOp>(
          loc, condition.isLess ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sle,
          math.value(condition.a), math.value(condition.b));
      all = all ? builder.create<arith::AndIOp>(loc, all, one).getResult() : one;
    }
    auto branch = builder.create<scf::IfOp>(loc, all, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    body();
  }

  /// `count` pixels of input row `y` from `x` on, of one block of channels, as rows of the matrix.
  void bring(ir::Nd2NzOp pixels, OpFoldResult y, OpFoldResult x, OpFoldResult channel, OpFoldResult count,
             int64_t stride, OpFoldResult block, OpFoldResult row) {
    auto window = pixels.getSrc().getDefiningOp<memref::ReinterpretCastOp>();
    bool isByRow = pixels->getParentOp() != bufferOf(op.getSrc()).getDefiningOp()->getParentOp();
    OpFoldResult begin = window.getMixedOffsets().front(), pitch = window.getMixedStrides().front();
    OpFoldResult line = math.constant(0);
    if (isByRow) { // where that row begins is computed in the loop over rows
      auto rows = cast<scf::ForOp>(pixels->getParentOp());
      IRMapping mapping;
      mapping.map(rows.getInductionVar(), math.value(y));
      for (Operation &inner : rows.getBody()->without_terminator())
        if (&inner != pixels)
          builder.clone(inner, mapping);
      auto copy = cast<memref::ReinterpretCastOp>(mapping.lookup(window.getResult()).getDefiningOp());
      begin = copy.getMixedOffsets().front();
      pitch = copy.getMixedStrides().front();
    } else {
      line = math.mul(y, op.getWidth());
    }
    int64_t c0 = typeOf(matrix).getDimSize(3), rowsOfMatrix = typeOf(matrix).getDimSize(1) * 16;
    OpFoldResult all = window.getMixedSizes()[1];
    OpFoldResult channels = math.min(math.constant(c0), math.sub(all, channel));
    OpFoldResult from = math.add(math.add(begin, math.mul(math.add(line, x), pitch)), channel);
    Value source = windowOf(builder, loc, window.getSource(), from, {count, channels},
                            {math.mul(pitch, math.constant(stride)), math.constant(1)});
    OpFoldResult place = math.add(math.mul(block, math.constant(rowsOfMatrix)), math.add(firstRow, row));
    Value target = windowOf(
        builder, loc, matrix, math.mul(place, math.constant(c0)),
        {math.constant(1), math.ceilDiv(count, 16), math.constant(16), math.constant(c0)},
        {math.constant(rowsOfMatrix * c0), math.constant(16 * c0), math.constant(c0), math.constant(1)});
    builder.create<ir::Nd2NzOp>(loc, source, target, Value(), Value());
  }

  ir::Load3dOp op;
  Value matrix;
  OpFoldResult firstRow;
  OpBuilder builder;
  Location loc;
  IndexMath math;
};

class ProductRewriter {
public:
  explicit ProductRewriter(func::FuncOp function) : function(function) {}

  LogicalResult run() {
    SmallVector<ir::MmadOp> products;
    function.walk([&](ir::MmadOp product) { products.push_back(product); });
    for (ir::MmadOp product : products)
      if (failed(rewrite(product)))
        return failure();
    for (Operation *op : unused)
      op->erase();
    SmallVector<Operation *> others;
    function.walk([&](Operation *op) { others.push_back(op); });
    for (Operation *op : others)
      if (auto rows = dyn_cast<ir::Nd2NzOp>(op))
        rewriteRows(rows);
      else if (auto fill = dyn_cast<ir::FillL1Op>(op))
        rewriteFill(fill);
    return success();
  }

private:
  /// What a load of rows takes of the depth that L1 holds.
  static Value partOf(ir::Load2dOp load) {
    OpBuilder builder(load);
    IndexMath math(builder, load.getLoc());
    MemRefType type = typeOf(load.getSrc());
    SmallVector<OpFoldResult> offsets(4, builder.getIndexAttr(0)), ones(4, builder.getIndexAttr(1)), sizes;
    for (int64_t extent : type.getShape())
      sizes.push_back(builder.getIndexAttr(extent));
    offsets[0] = math.div(load.getFrom(), math.constant(type.getDimSize(3)));
    sizes[0] = builder.getIndexAttr(typeOf(load.getDst()).getDimSize(1));
    return builder.create<memref::SubViewOp>(load.getLoc(), load.getSrc(), offsets, sizes, ones);
  }

  /// The left operand's matrix in L1; null with a diagnostic if it has no form.
  Value leftOf(ir::MmadOp product, bool &isTransposed) {
    isTransposed = false;
    if (auto load = writerOf<ir::Load2dOp>(product.getLhs())) {
      isTransposed = load.getTranspose();
      return load.getFrom() ? partOf(load) : load.getSrc();
    }
    SmallVector<ir::Load3dOp> windows;
    forEachAccess(bufferOf(product.getLhs()), [&](Operation *user) {
      if (auto window = dyn_cast<ir::Load3dOp>(user))
        windows.push_back(window);
    });
    if (windows.empty()) {
      product.emitError("npu: a product of L0 buffers that no one load fills has no form in HIVM");
      return {};
    }
    MemRefType type = typeOf(bufferOf(product.getLhs()));
    llvm::sort(windows, [](auto a, auto b) { return a->isBeforeInBlock(b); });
    OpBuilder builder(windows.front());
    Value matrix =
        zeros(builder, product.getLoc(),
              inL1({type.getDimSize(1), type.getDimSize(0), type.getDimSize(2), type.getDimSize(3)},
                   type.getElementType()));
    for (ir::Load3dOp window : windows) {
      OpFoldResult row = builder.getIndexAttr(0);
      if (auto part = window.getDst().getDefiningOp<memref::SubViewOp>())
        row = builder.getIndexAttr(16 * getConstantIntValue(part.getMixedOffsets().front()).value_or(0));
      ir::Nd2NzOp pixels = Im2Col(window, matrix, row).run();
      if (!pixels)
        return {};
      unused.insert(window);
      bool isByRow = pixels->getParentOp() != bufferOf(window.getSrc()).getDefiningOp()->getParentOp();
      unused.insert(isByRow ? pixels->getParentOp() : pixels);
    }
    return matrix;
  }

  LogicalResult rewrite(ir::MmadOp product) {
    auto right = writerOf<ir::Load2dOp>(product.getRhs());
    if (!right)
      return product.emitError("npu: a product of L0 buffers that no one load fills has no form in HIVM");
    if (right.getPacked())
      return right.emitError("npu: filters that lie packed in L1 have no form in HIVM");
    bool isLeftTransposed = false, isRightTransposed = !right.getTranspose(); // as columns of B lie in memory
    Value left = leftOf(product, isLeftTransposed);
    if (!left)
      return failure();
    product.getLhsMutable().assign(left);
    product.getRhsMutable().assign(right.getSrc());
    OpBuilder builder(product);
    if (isLeftTransposed)
      product->setAttr(kLeftTransposedAttr, builder.getUnitAttr());
    if (isRightTransposed)
      product->setAttr(kRightTransposedAttr, builder.getUnitAttr());
    if (!product.getBias())
      return success();
    auto bias = writerOf<ir::LoadBiasOp>(product.getBias());
    if (!bias)
      return product.emitError("npu: a bias that no one load_bias brings has no form in HIVM");
    product.getBiasMutable().assign(bias.getSrc());
    if (isLeftTransposed || isRightTransposed)
      bringBias(product);
    return success();
  }

  /// With a bias mmadL1 forgets that an operand is transposed: sums begin with a product of zeros.
  static void bringBias(ir::MmadOp product) {
    OpBuilder builder(product);
    Location loc = product.getLoc();
    std::optional<int64_t> isFirst = getConstantIntValue(product.getInit());
    if (isFirst == 0) {
      product.getBiasMutable().clear();
      return;
    }
    Value no = builder.create<arith::ConstantOp>(loc, builder.getBoolAttr(false));
    if (!isFirst) {
      auto branch = builder.create<scf::IfOp>(loc, product.getInit(), /*withElseRegion=*/false);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    Type element = typeOf(product.getLhs()).getElementType();
    MemRefType sums = typeOf(bufferOf(product.getDst()));
    int64_t c0 = ir::blockElements(element), depth = std::max<int64_t>(16, c0);
    Value left = zeros(builder, loc, inL1({depth / c0, sums.getDimSize(1), 16, c0}, element));
    Value right =
        zeros(builder, loc,
              inL1({int64_t(llvm::divideCeil(sums.getDimSize(0) * 16, c0)), depth / 16, 16, c0}, element));
    Value yes = builder.create<arith::ConstantOp>(loc, builder.getBoolAttr(true));
    builder.create<ir::MmadOp>(loc, left, right, product.getDst(), product.getM(), product.getN(),
                               builder.create<arith::ConstantIndexOp>(loc, depth), yes, product.getBias(),
                               IntegerAttr());
    product.getBiasMutable().clear();
    product.getInitMutable().assign(no);
  }

  func::FuncOp function;
  llvm::SetVector<Operation *> unused;
};

} // namespace

LogicalResult rewriteProducts(func::FuncOp function) { return ProductRewriter(function).run(); }

} // namespace kiln::npu
