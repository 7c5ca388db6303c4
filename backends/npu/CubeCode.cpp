// CubeCode.cpp: instructions of transfers to L1 and L0, of the cube and of the fixpipe.
#include "backends/npu/CodeWriter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {

void CodeWriter::writeLoad2d(ir::Load2dOp op) {
  Place source = place(op.getSrc()), d = place(op.getDst());
  ArrayRef<int64_t> from = op.getSrc().getType().getShape();
  int64_t c0 = from[3];
  Scalar rows = ceilDiv(scalar(op.getRows()), 16), depth = ceilDiv(scalar(op.getDepth()), c0);
  bool isLeft = ir::memoryOf(op.getDst().getType()) == ir::Memory::L0A;
  auto write = [&](Inst inst, Scalar to, Scalar fractal, Scalar count) {
    setReg(inst, Field::d, add(d.address, mul(to, number(512))));
    setReg(inst, Field::a, add(source.address, mul(fractal, number(512))));
    set(inst, Field::rep, count);
    emit(inst);
  };
  Inst inst = make(isLeft ? Op::Load2dA : Op::Load2dB, bitsOf(source.elementBytes));
  if (isLeft) { // [K1][M1] to [M1][K1]
    inst[Field::sstride] = from[1];
    return repeat(rows, [&](Scalar row) { write(inst, mul(row, depth), row, depth); });
  }
  if (!op.getTranspose()) // [K1][N1] as it is
    return repeat(depth,
                  [&](Scalar block) { write(inst, mul(block, rows), mul(block, number(from[1])), rows); });
  // [N1][K1] to [K1][N1], squares of 16 x 16: one fractal of 16-bit elements, two of 32-bit ones.
  int64_t fractals = 16 / c0;
  inst[Field::trans] = 1;
  inst[Field::sstride] = fractals * from[1];
  if (fractals == 2) {
    inst[Field::sfrac] = from[1];
    set(inst, Field::dfrac, rows);
  }
  Scalar squares = ceilDiv(scalar(op.getDepth()), 16);
  repeat(squares,
         [&](Scalar square) { write(inst, mul(mul(square, number(fractals)), rows), square, rows); });
}

LogicalResult CodeWriter::writeCubeOp(Operation *op) {
  if (auto load = dyn_cast<ir::Nd2NzOp>(op)) {
    Place source = place(load.getSrc()), d = place(load.getDst());
    Inst inst = make(Op::Nd2Nz, bitsOf(source.elementBytes));
    setReg(inst, Field::d, d.address);
    setReg(inst, Field::a, source.address);
    set(inst, Field::n, source.extents[0]);
    set(inst, Field::m, source.extents[1]);
    set(inst, Field::sstride, source.strides[0]);
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
    Inst inst = make(Op::SetL1, bitsOf(d.elementBytes));
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
    set(inst, Field::sstride, mul(ceilDiv(d.extents[0], 16), number(16)));
    set(inst, Field::dstride, d.strides[0]);
    switch (fix.getQuant()) {
    case ir::Quant::NO_QUANT:
      break;
    case ir::Quant::F322F16:
      inst[Field::quant] = static_cast<int32_t>(Quant::F32F16);
      break;
    case ir::Quant::F322BF16:
      inst[Field::quant] = static_cast<int32_t>(Quant::F32BF16);
      break;
    }
    inst[Field::relu] = fix.getRelu();
    inst[Field::nd] = 1;
    return emit(inst), success();
  }
  return op->emitError("npu: '") << op->getName() << "' has no code";
}

} // namespace kiln::npu
