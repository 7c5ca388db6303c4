// CubeCode.cpp: instructions of transfers to L1 and L0, of the cube and of the fixpipe.
#include "backends/npu/CodeWriter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// Fields of special registers fmatrix and conv, as the manual page gives them.
constexpr int64_t field(int64_t value, int64_t bit) { return int64_t(uint64_t(value) << bit); }
constexpr int64_t kOneElement =
    field(1, 0) | field(1, 6) | field(1, 12) | field(1, 20) | field(1, 28) | field(1, 36);

Quant quantOf(ir::Quant quant) {
  switch (quant) {
  case ir::Quant::NO_QUANT:
    return Quant::None;
  case ir::Quant::F322F16:
    return Quant::F32F16;
  case ir::Quant::F322BF16:
    return Quant::F32BF16;
  }
  llvm_unreachable("a quantisation");
}

} // namespace

void CodeWriter::writeLoad2d(ir::Load2dOp op) {
  Place source = place(op.getSrc()), d = place(op.getDst());
  ArrayRef<int64_t> from = op.getSrc().getType().getShape();
  int64_t c0 = from[3], square = std::max<int64_t>(16, c0);
  bool isLeft = ir::memoryOf(op.getDst().getType()) == ir::Memory::L0A;
  Scalar rows = isLeft ? number(0) : ceilDiv(scalar(op.getRows()), 16);
  Scalar depth = isLeft || !op.getTranspose() ? ceilDiv(scalar(op.getDepth()), c0) : number(0);
  Scalar start = op.getFrom() ? scalar(op.getFrom()) : number(0);
  auto write = [&](Inst inst, Scalar to, Scalar fractal, Scalar count) {
    setReg(inst, Field::d, add(d.address, mul(to, number(512))));
    setReg(inst, Field::a, add(source.address, mul(fractal, number(512))));
    set(inst, Field::rep, count);
    emit(inst);
  };
  Inst inst = make(isLeft ? Op::Load2dA : Op::Load2dB, bitsOf(source.elementBytes));
  if (!op.getTranspose()) {
    if (isLeft) // one instruction does it: the im2col matrix of a window of one element
      return writeWindow({source.address, d.address, number(1), number(from[1] * 16), scalar(op.getRows()),
                          start, mul(depth, number(c0))},
                         from[0] * c0, source.elementBytes, number(0), kOneElement);
    bool isPacked = op.getPacked() || (!rows.isReg && rows.value == from[1]);
    Scalar first = mul(ceilDiv(start, c0), isPacked ? rows : number(from[1]));
    if (isPacked) // the depth's fractals lie one behind the other
      return write(inst, number(0), first, mul(depth, rows));
    return repeat(depth, [&](Scalar block) { // [K1][N1] as it is
      write(inst, mul(block, rows), add(first, mul(block, number(from[1]))), rows);
    });
  }
  // Squares: one fractal of 16-bit elements, two of others; `across` of them side by side, `along` the depth.
  int64_t wide = square / c0, tall = square / 16; // fractals of L1 in a square
  Scalar across = ceilDiv(scalar(op.getRows()), square), along = ceilDiv(scalar(op.getDepth()), square);
  Scalar first = ceilDiv(start, 16), deep = number(square / c0), broad = number(square / 16);
  inst[Field::trans] = 1;
  bool isFewer = !across.isReg && (along.isReg ? across.value <= 8 : across.value < along.value);
  if (!isLeft && square == 16 && wide == 1 && isFewer) { // along the depth at once
    inst[Field::sstride] = 1;
    set(inst, Field::dstride, rows);
    return repeat(
        across, [&](Scalar column) { write(inst, column, add(first, mul(column, number(from[1]))), along); });
  }
  inst[Field::sstride] = wide * from[1];
  inst[Field::sfrac] = wide == 2 ? from[1] : 1;
  // In L0A a step across is `broad` rows of `depth` fractals, in L0B `broad` fractals.
  set(inst, Field::dstride, isLeft ? mul(broad, depth) : broad);
  if (wide == 2) // the square's second fractal is next along the depth
    set(inst, Field::dfrac, isLeft ? number(1) : rows);
  else if (tall == 2) // or next across it
    set(inst, Field::dfrac, isLeft ? depth : number(1));
  repeat(along, [&](Scalar block) {
    Scalar to = isLeft ? mul(block, deep) : mul(mul(block, deep), rows);
    write(inst, to, add(first, mul(block, number(tall))), across);
  });
}

void CodeWriter::writeLoad3d(ir::Load3dOp op) {
  ArrayRef<int64_t> from = op.getSrc().getType().getShape();
  Place source = place(op.getSrc());
  auto at = [&](Value value, int64_t bit) { return mul(scalar(value), number(int64_t(1) << bit)); };
  Scalar pads = add(at(op.getPads()[2], 32), at(op.getPads()[3], 40)); // left, right
  pads = add(add(pads, at(op.getPads()[0], 48)), at(op.getPads()[1], 56));
  writeWindow({source.address, place(op.getDst()).address, scalar(op.getHeight()), scalar(op.getWidth()),
               scalar(op.getRows()), scalar(op.getFrom()), scalar(op.getDepth()),
               op.getFirst() ? scalar(op.getFirst()) : number(0)},
              from[0] * from[3], source.elementBytes, pads,
              field(op.getStrides()[1], 0) | field(op.getStrides()[0], 6) | field(op.getKernel()[1], 12) |
                  field(op.getKernel()[0], 20) | field(op.getDilations()[1], 28) |
                  field(op.getDilations()[0], 36));
}

void CodeWriter::writeWindow(const Window &window, int64_t channels, int64_t elementBytes, Scalar pads,
                             int64_t filter) {
  Scalar tensor = add(window.height, mul(window.width, number(1 << 16)));
  special(Special::FMatrix, add(tensor, pads));
  special(Special::Conv, number(filter | field(channels, 44)));
  Inst inst = make(Op::Load3dA, bitsOf(elementBytes));
  setReg(inst, Field::d, window.to);
  setReg(inst, Field::a, window.from);
  set(inst, Field::m, window.rows);
  set(inst, Field::kext, window.depth);
  set(inst, Field::mpos, window.firstRow);
  set(inst, Field::kpos, window.start);
  emit(inst);
}

void CodeWriter::writeL0cToUb(ir::L0cToUbOp op) {
  Place source = place(op.getSrc()), d = place(op.getDst());
  Scalar pitch = scalar(op.getPitch());
  Scalar first = add(mul(ceilDiv(scalar(op.getColumn()), 16), pitch), scalar(op.getRow()));
  Inst inst = Inst::make(Op::MovL0cUb);
  setReg(inst, Field::d, d.address);
  setReg(inst, Field::a, add(source.address, mul(first, number(16 * 4))));
  set(inst, Field::m, scalar(op.getRows()));
  set(inst, Field::n, scalar(op.getColumns()));
  set(inst, Field::sstride, pitch);
  inst[Field::dstride] = op.getDst().getType().getShape()[1] * 16 * d.elementBytes / 32;
  inst[Field::quant] = static_cast<int32_t>(quantOf(op.getQuant()));
  inst[Field::relu] = op.getRelu();
  emit(inst);
}

/// A column of blocks at a time: each of its blocks to a row of its own.
void CodeWriter::writeNzToNd(ir::NzToNdOp op) {
  Place source = place(op.getSrc()), d = place(op.getDst());
  int64_t wide = 16 * d.elementBytes / 32, column = op.getSrc().getType().getShape()[1] * wide * 32;
  int64_t pitch = op.getDst().getType().getShape()[1] * d.elementBytes / 32;
  Inst inst = make(Op::VOr, bitsOf(2)); // with itself
  inst[Field::ablk] = inst[Field::bblk] = wide;
  inst[Field::arep] = inst[Field::brep] = 8 * wide;
  inst[Field::dblk] = pitch;
  inst[Field::drep] = 8 * pitch;
  countElements(mul(scalar(op.getRows()), number(16)));
  repeat(ceilDiv(scalar(op.getColumns()), 16), [&](Scalar block) {
    for (int64_t part = 0; part < wide; ++part) {
      Scalar from = add(add(source.address, mul(block, number(column))), number(32 * part));
      setReg(inst, Field::d, add(add(d.address, mul(block, number(32 * wide))), number(32 * part)));
      setReg(inst, Field::a, from);
      setReg(inst, Field::b, from);
      emit(inst);
    }
  });
}

LogicalResult CodeWriter::writeCubeOp(Operation *op) {
  if (auto load = dyn_cast<ir::Nd2NzOp>(op)) {
    Place source = place(load.getSrc()), d = place(load.getDst());
    Inst inst = make(Op::Nd2Nz, bitsOf(source.elementBytes));
    Scalar row = load.getRow() ? scalar(load.getRow()) : number(0);
    setReg(inst, Field::d, add(d.address, mul(row, number(32))));
    setReg(inst, Field::a, source.address);
    set(inst, Field::n, source.extents[0]);
    set(inst, Field::m, source.extents[1]);
    set(inst, Field::sstride, source.strides[0]);
    if (load.getPitch())
      set(inst, Field::dstride, scalar(load.getPitch()));
    else
      inst[Field::dstride] = load.getDst().getType().getShape()[1] * 16;
    return emit(inst), success();
  }
  if (auto load = dyn_cast<ir::LoadL1Op>(op)) {
    Place source = place(load.getSrc()), d = place(load.getDst());
    Inst inst = make(Op::MovGmL1, bitsOf(source.elementBytes));
    setReg(inst, Field::d, d.address);
    setReg(inst, Field::a, source.address);
    set(inst, Field::len, mul(source.extents[0], number(source.elementBytes)));
    return emit(inst), success();
  }
  if (auto fill = dyn_cast<ir::FillL1Op>(op)) {
    Place d = place(fill.getDst());
    Inst inst = make(Op::SetL1, bitsOf(std::max<int64_t>(d.elementBytes, 2)));
    setReg(inst, Field::d, d.address);
    setReg(inst, Field::b, scalar(fill.getValue()));
    set(inst, Field::len, number(*devicekit::staticBytes(fill.getDst().getType())));
    return emit(inst), success();
  }
  if (auto load = dyn_cast<ir::LoadBiasOp>(op)) {
    Place source = place(load.getSrc()), d = place(load.getDst());
    Inst inst = Inst::make(Op::MovL1Bt);
    setReg(inst, Field::d, d.address);
    setReg(inst, Field::a, source.address);
    set(inst, Field::len, mul(ceilDiv(mul(source.extents[0], number(source.elementBytes)), 64), number(64)));
    return emit(inst), success();
  }
  if (auto load = dyn_cast<ir::Load2dOp>(op))
    return writeLoad2d(load), success();
  if (auto load = dyn_cast<ir::Load3dOp>(op))
    return writeLoad3d(load), success();
  if (auto mmad = dyn_cast<ir::MmadOp>(op)) {
    Place a = place(mmad.getLhs());
    Inst inst = make(Op::MmadOp, typeOf(a.element));
    setReg(inst, Field::d, place(mmad.getDst()).address);
    setReg(inst, Field::a, a.address);
    setReg(inst, Field::b, place(mmad.getRhs()).address);
    set(inst, Field::m, scalar(mmad.getM()));
    set(inst, Field::k, scalar(mmad.getK()));
    set(inst, Field::n, scalar(mmad.getN()));
    set(inst, Field::init, scalar(mmad.getInit()));
    if (mmad.getBias()) {
      inst[Field::bias] = 1;
      setReg(inst, Field::c, place(mmad.getBias()).address);
    }
    return emit(inst), success();
  }
  if (auto fix = dyn_cast<ir::FixpipeOp>(op)) {
    Place source = place(fix.getSrc()), d = place(fix.getDst());
    Inst inst = Inst::make(Op::FixGm);
    setReg(inst, Field::d, d.address);
    setReg(inst, Field::a, source.address);
    set(inst, Field::m, d.extents[0]);
    set(inst, Field::n, d.extents[1]);
    // The product packed its rows, unless this is a part of them.
    set(inst, Field::sstride,
        fix.getSrc().getDefiningOp<memref::SubViewOp>()
            ? number(getStridesAndOffset(fix.getSrc().getType()).first[0] / 16)
            : mul(ceilDiv(d.extents[0], 16), number(16)));
    set(inst, Field::dstride, d.strides[0]);
    inst[Field::quant] = static_cast<int32_t>(quantOf(fix.getQuant()));
    inst[Field::relu] = fix.getRelu();
    inst[Field::nd] = 1;
    return emit(inst), success();
  }
  return op->emitError("npu: '") << op->getName() << "' has no code";
}

} // namespace kiln::npu
