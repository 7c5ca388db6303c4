// VectorCode.cpp: instructions of transfers to and from UB and of the vector unit. Tiles without gaps are one
// run of elements in counter mode; a broadcast operand runs down the rows of each 256-byte column of the
// tile, or along each row where there are fewer rows.
#include "backends/npu/CodeWriter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

Op opOf(ir::Unary kind) {
  switch (kind) {
  case ir::Unary::vabs:
    return Op::VAbs;
  case ir::Unary::vexp:
    return Op::VExp;
  case ir::Unary::vln:
    return Op::VLn;
  case ir::Unary::vsqrt:
    return Op::VSqrt;
  case ir::Unary::vrsqrt:
    return Op::VRsqrt;
  case ir::Unary::vrec:
    return Op::VRec;
  case ir::Unary::vrelu:
    return Op::VRelu;
  case ir::Unary::vnot:
    return Op::VNot;
  }
  llvm_unreachable("a unary op");
}

Op opOf(ir::Binary kind, bool takesNumber) {
  switch (kind) {
  case ir::Binary::vadd:
    return takesNumber ? Op::VAdds : Op::VAdd;
  case ir::Binary::vsub:
    return Op::VSub;
  case ir::Binary::vmul:
    return takesNumber ? Op::VMuls : Op::VMul;
  case ir::Binary::vdiv:
    return Op::VDiv;
  case ir::Binary::vmax:
    return takesNumber ? Op::VMaxs : Op::VMax;
  case ir::Binary::vmin:
    return takesNumber ? Op::VMins : Op::VMin;
  case ir::Binary::vand:
    return Op::VAnd;
  case ir::Binary::vor:
    return Op::VOr;
  case ir::Binary::vshl:
    return Op::VShl;
  case ir::Binary::vshr:
    return Op::VShr;
  }
  llvm_unreachable("a binary op");
}

Compare compareOf(ir::Compare kind) {
  switch (kind) {
  case ir::Compare::lt:
    return Compare::Lt;
  case ir::Compare::gt:
    return Compare::Gt;
  case ir::Compare::ge:
    return Compare::Ge;
  case ir::Compare::eq:
    return Compare::Eq;
  case ir::Compare::ne:
    return Compare::Ne;
  case ir::Compare::le:
    return Compare::Le;
  }
  llvm_unreachable("a comparison");
}

Round roundOf(ir::Round round) {
  switch (round) {
  case ir::Round::rint:
    return Round::Rint;
  case ir::Round::round:
    return Round::Round;
  case ir::Round::floor:
    return Round::Floor;
  case ir::Round::ceil:
    return Round::Ceil;
  case ir::Round::trunc:
    return Round::Trunc;
  }
  llvm_unreachable("a rounding");
}

/// What an element counts as in the field rpad, which counts elements of 4 bytes at most.
int64_t wordsOf(int64_t elementBytes) { return std::max<int64_t>(elementBytes / 4, 1); }

/// Rows and their bytes of a transfer; one row for rank 1.
struct Bursts {
  Scalar count, bytes;
  int64_t pads = 0;     // elements up to the local row's end
  Scalar localGap = {}; // blocks behind that
};

Bursts burstsOf(CodeWriter &writer, const Place &local, bool keeps = false) {
  Bursts bursts = {
      writer.number(1), writer.mul(local.extents.back(), writer.number(local.elementBytes)), 0, {}};
  if (local.extents.size() == 2)
    bursts.count = local.extents[0];
  Scalar columns = local.extents.back();
  if (columns.isReg) {
    if (local.extents.size() == 2 && !local.strides[0].isReg)
      bursts.localGap = writer.sub(writer.number(local.strides[0].value * local.elementBytes / 32),
                                   writer.ceilDiv(bursts.bytes, 32));
    return bursts;
  }
  int64_t perBlock = 32 / local.elementBytes, pitch = columns.value;
  int64_t most = 31 / wordsOf(local.elementBytes);
  if (local.extents.size() == 2 && !local.strides[0].isReg)
    pitch = std::max(pitch, local.strides[0].value);
  bursts.pads = keeps ? 0 : std::min<int64_t>(llvm::alignTo(pitch, perBlock) - columns.value, most);
  int64_t gap = (pitch - int64_t(llvm::alignTo(columns.value + bursts.pads, perBlock))) / perBlock;
  bursts.localGap = writer.number(std::max<int64_t>(gap, 0));
  return bursts;
}

/// Powers of two that surely divide an index.
unsigned evennessOf(Value index) {
  constexpr unsigned kMost = 16;
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return std::min<unsigned>(kMost, llvm::countr_zero(static_cast<uint64_t>(*constant)));
  if (auto product = index.getDefiningOp<arith::MulIOp>())
    return std::min(kMost, evennessOf(product.getLhs()) + evennessOf(product.getRhs()));
  if (auto sum = index.getDefiningOp<arith::AddIOp>())
    return std::min(evennessOf(sum.getLhs()), evennessOf(sum.getRhs()));
  return 0;
}

/// Where in its tensor a transfer without gaps begins, in elements, if that may be between lines of GM, at
/// whole blocks.
Value startBetweenLines(Value gm, int64_t elementBytes) {
  auto view = gm.getDefiningOp<memref::ReinterpretCastOp>();
  auto start = view ? dyn_cast<Value>(view.getMixedOffsets()[0]) : Value();
  if (!start || !isa<BlockArgument>(view.getSource()))
    return {};
  unsigned evenness = evennessOf(start) + llvm::Log2_64(elementBytes);
  return evenness >= 5 && evenness < 9 ? start : Value();
}

} // namespace

/// Writes a transfer of rows that follow each other in both memories as two: up to the next line of GM, and
/// the rest, which then moves at the full rate. Leaves it to the caller where that gains nothing.
bool CodeWriter::writeLines(Op op, Value gm, const Place &far, const Place &local) {
  constexpr int64_t kLine = 512, kLeast = 8 * kLine; // bytes
  int64_t rank = int64_t(local.extents.size());
  Scalar columns = local.extents.back();
  int64_t rowBytes = columns.isReg ? 0 : columns.value * local.elementBytes;
  auto follows = [&](const Place &place) {
    return rank == 1 || (!place.strides[0].isReg && place.strides[0].value == columns.value);
  };
  bool isLong = rank == 2 && local.extents[0].isReg
                    ? rowBytes > kLine
                    : rowBytes >= kLeast || (rank == 2 && rowBytes * local.extents[0].value >= kLeast);
  Value start = startBetweenLines(gm, local.elementBytes);
  if (!start || !isLong || rowBytes % 32 || !follows(far) || !follows(local))
    return false;
  Scalar bytes = rank == 1 ? number(rowBytes) : mul(local.extents[0], number(rowBytes));
  Scalar past = compute(Op::And, mul(scalar(start), number(local.elementBytes)), number(kLine - 1));
  Scalar head = sub(number(kLine), past);
  auto write = [&](Scalar offset, Scalar length) {
    Inst inst = make(op, bitsOf(local.elementBytes));
    Scalar in = add(far.address, offset), out = add(local.address, offset);
    setReg(inst, Field::d, op == Op::MovGmUb ? out : in);
    setReg(inst, Field::a, op == Op::MovGmUb ? in : out);
    set(inst, Field::n, number(1));
    set(inst, Field::len, length);
    emit(inst);
  };
  write(number(0), head);
  write(head, sub(bytes, head));
  return true;
}

/// Elements of up to four bytes from the end of so many bytes to the end of their last block.
Scalar CodeWriter::toBlockEnd(Scalar bytes, int64_t elementBytes) {
  Scalar rest = compute(Op::And, sub(number(0), bytes), number(31));
  return fold(Op::Div, rest, number(std::min<int64_t>(elementBytes, 4)));
}

void CodeWriter::writeLoad(ir::LoadOp op) {
  Place source = place(op.getSrc()), local = place(op.getDst());
  if (writeLines(Op::MovGmUb, op.getSrc(), source, local))
    return;
  Bursts bursts = burstsOf(*this, local, op.getKeep());
  Inst inst = make(Op::MovGmUb, bitsOf(local.elementBytes));
  setReg(inst, Field::d, local.address);
  setReg(inst, Field::a, source.address);
  set(inst, Field::n, bursts.count);
  set(inst, Field::len, bursts.bytes);
  if (source.extents.size() == 2)
    set(inst, Field::sgap, sub(mul(source.strides[0], number(local.elementBytes)), bursts.bytes));
  bool isColumn = local.extents.size() == 1 && !op.getKeep();
  if (isColumn && bursts.bytes.isReg) // arithmetic on columns takes eight rows at a time
    set(inst, Field::rpad, toBlockEnd(bursts.bytes, local.elementBytes));
  else
    inst[Field::rpad] = bursts.pads * wordsOf(local.elementBytes);
  if (local.extents.size() == 2)
    set(inst, Field::dgap, bursts.localGap);
  emit(inst);
}

void CodeWriter::writeStore(ir::StoreOp op) {
  Place local = place(op.getSrc()), target = place(op.getDst());
  if (writeLines(Op::MovUbGm, op.getDst(), target, local))
    return;
  Bursts bursts = burstsOf(*this, local);
  Inst inst = make(Op::MovUbGm, bitsOf(local.elementBytes));
  setReg(inst, Field::d, target.address);
  setReg(inst, Field::a, local.address);
  set(inst, Field::n, bursts.count);
  set(inst, Field::len, bursts.bytes);
  bool isOneRow = local.extents.size() == 1 || (!local.extents[0].isReg && local.extents[0].value == 1);
  if (!isOneRow) {
    set(inst, Field::sgap,
        sub(number(local.strides[0].value * local.elementBytes / 32), ceilDiv(bursts.bytes, 32)));
    set(inst, Field::dgap, sub(mul(target.strides[0], number(local.elementBytes)), bursts.bytes));
  }
  emit(inst);
}

void CodeWriter::writeBinary(ir::BinaryOp op) {
  Place a = place(op.getLhs()), d = place(op.getDst());
  bool takesNumber = !isa<MemRefType>(op.getRhs().getType());
  bool isShift = op.getKind() == ir::Binary::vshl || op.getKind() == ir::Binary::vshr;
  bool isBitwise = op.getKind() == ir::Binary::vand || op.getKind() == ir::Binary::vor;
  Inst inst = make(opOf(op.getKind(), takesNumber), isBitwise ? DType::B16 : typeOf(a.element));
  std::optional<uint64_t> axis = op.getBroadcast();
  if (!axis) {
    countElements(mul(elementsOf(d), number(isBitwise ? a.elementBytes / 2 : 1)));
    setReg(inst, Field::d, d.address);
    setReg(inst, Field::a, a.address);
    Scalar b = takesNumber ? scalar(op.getRhs()) : place(op.getRhs()).address;
    if (isShift)
      set(inst, Field::bi, b);
    else
      setReg(inst, Field::b, b);
    return emit(inst);
  }
  Place b = place(op.getRhs());
  // Blocks of equal elements that a row has for itself: one, or a repeat of them.
  int64_t across = *axis == 0 ? 8 : b.extents[1].value * b.elementBytes / 32;
  inst[Field::bblk] = across == 8 ? 1 : 0;
  if (d.extents[1].isReg) { // a part of one row
    inst[Field::brep] = *axis == 0 ? 8 : 0;
    countElements(d.extents[1]);
    setReg(inst, Field::d, d.address);
    setReg(inst, Field::a, a.address);
    setReg(inst, Field::b, b.address);
    return emit(inst);
  }
  int64_t columns = d.extents[1].value, perRepeat = 256 / d.elementBytes;
  int64_t pitch = columns * d.elementBytes / 32, chunks = llvm::divideCeil(columns, perRepeat);
  int64_t mostRows = cast<MemRefType>(op.getDst().getType()).getShape()[0];
  bool byRows = pitch > kMaxRepeats || (!ShapedType::isDynamic(mostRows) && mostRows < chunks);
  auto addresses = [&](Scalar tileOffset, Scalar otherOffset) {
    setReg(inst, Field::d, add(d.address, tileOffset));
    setReg(inst, Field::a, add(a.address, tileOffset));
    setReg(inst, Field::b, add(b.address, otherOffset));
    emit(inst);
  };
  if (byRows) {
    inst[Field::brep] = *axis == 0 ? 8 : 0;
    repeat(d.extents[0], [&](Scalar row) {
      countElements(number(columns));
      addresses(mul(row, number(columns * d.elementBytes)),
                *axis == 0 ? number(0) : mul(row, number(32 * across)));
    });
    return;
  }
  set(inst, Field::rep, d.extents[0]);
  inst[Field::drep] = inst[Field::arep] = pitch;
  inst[Field::brep] = *axis == 0 ? 0 : across;
  auto column = [&](Scalar chunk, int64_t lanes) {
    maskLanes(lanes, perRepeat);
    Scalar offset = mul(chunk, number(256));
    addresses(offset, *axis == 0 ? offset : number(0));
  };
  int64_t whole = columns / perRepeat;
  repeat(number(whole), [&](Scalar chunk) { column(chunk, perRepeat); });
  if (columns % perRepeat)
    column(number(whole), columns % perRepeat);
}

void CodeWriter::writeReduce(ir::ReduceOp op) {
  Place source = place(op.getSrc()), d = place(op.getDst()), temp = place(op.getTemp());
  DType type = typeOf(source.element);
  int64_t columns = source.extents[1].value, perRepeat = 256 / source.elementBytes;
  int64_t pitch = source.strides[0].value * source.elementBytes / 32,
          chunks = llvm::divideCeil(columns, perRepeat);
  Op whole = op.getKind() == ir::Reduce::sum   ? Op::VCAdd
             : op.getKind() == ir::Reduce::max ? Op::VCMax
                                               : Op::VCMin;
  Op pair = op.getKind() == ir::Reduce::sum   ? Op::VAdd
            : op.getKind() == ir::Reduce::max ? Op::VMax
                                              : Op::VMin;
  auto reduce = [&](Scalar to, Scalar from, Scalar repeats, int64_t stride) {
    Inst inst = make(whole, type);
    setReg(inst, Field::d, to);
    setReg(inst, Field::a, from);
    set(inst, Field::rep, repeats);
    inst[Field::arep] = stride;
    inst[Field::drep] = 1;
    inst[Field::order] = op.getKind() == ir::Reduce::sum ? 0 : 2;
    emit(inst);
  };
  if (chunks == 1 && pitch <= kMaxRepeats) {
    maskLanes(columns, perRepeat);
    return reduce(d.address, source.address, source.extents[0], pitch);
  }
  if (pitch > kMaxRepeats) { // row by row: chunks to one element each, then those
    repeat(source.extents[0], [&](Scalar row) {
      Scalar from = add(source.address, mul(row, number(pitch * 32)));
      Scalar partial = add(temp.address, mul(row, number(256)));
      countElements(number(columns));
      reduce(partial, from, number(1), 8);
      barrier(Pipe::V);
      countElements(number(chunks));
      reduce(add(d.address, mul(row, number(source.elementBytes))), partial, number(1), 8);
    });
    return;
  }
  Inst copy = Inst::make(Op::VCopy);
  setReg(copy, Field::d, temp.address);
  setReg(copy, Field::a, source.address);
  set(copy, Field::n, source.extents[0]);
  copy[Field::len] = 256;
  copy[Field::sgap] = pitch - 8;
  emit(copy);
  auto combine = [&](Scalar chunk, int64_t lanes) {
    barrier(Pipe::V);
    maskLanes(lanes, perRepeat);
    Inst inst = make(pair, type);
    setReg(inst, Field::d, temp.address);
    setReg(inst, Field::a, temp.address);
    setReg(inst, Field::b, add(source.address, mul(chunk, number(256))));
    set(inst, Field::rep, source.extents[0]);
    inst[Field::brep] = pitch;
    emit(inst);
  };
  int64_t full = columns / perRepeat;
  repeat(number(full - 1), [&](Scalar chunk) { combine(add(chunk, number(1)), perRepeat); });
  if (columns % perRepeat)
    combine(number(full), columns % perRepeat);
  barrier(Pipe::V);
  maskLanes(perRepeat, perRepeat);
  reduce(d.address, temp.address, source.extents[0], 8);
}

LogicalResult CodeWriter::writeCast(ir::CastOp op) {
  Place source = place(op.getSrc()), d = place(op.getDst());
  DType from = typeOf(source.element), to = typeOf(d.element);
  Round round = roundOf(op.getRound());
  if (!isConversion(from, to, round)) {
    round = Round::None; // exact
    if (!isConversion(from, to, round))
      return op.emitError("npu: a conversion from ")
             << source.element << " to " << d.element << " is not lowered yet";
  }
  Inst inst = make(Op::VConv, from);
  inst[Field::type2] = static_cast<int32_t>(to);
  inst[Field::round] = static_cast<int32_t>(round);
  setReg(inst, Field::d, d.address);
  setReg(inst, Field::a, source.address);
  int64_t wide = std::max(source.elementBytes, d.elementBytes);
  inst[Field::drep] = 8 * d.elementBytes / wide;
  inst[Field::arep] = 8 * source.elementBytes / wide;
  countElements(elementsOf(d));
  emit(inst);
  return success();
}

LogicalResult CodeWriter::writeVectorOp(Operation *op) {
  if (auto load = dyn_cast<ir::LoadOp>(op))
    return writeLoad(load), success();
  if (auto store = dyn_cast<ir::StoreOp>(op))
    return writeStore(store), success();
  if (isa<ir::ScalarLoadOp, ir::BroadcastOp, ir::CopyOp, ir::TransposeOp, ir::GatherRowsOp, ir::RangeOp,
          ir::GatherOp, ir::SortOp, ir::MergeOp>(op))
    return writeShapeOp(op);
  if (auto out = dyn_cast<ir::L0cToUbOp>(op))
    return writeL0cToUb(out), success();
  if (auto rows = dyn_cast<ir::NzToNdOp>(op))
    return writeNzToNd(rows), success();
  if (auto binary = dyn_cast<ir::BinaryOp>(op))
    return writeBinary(binary), success();
  if (auto reduce = dyn_cast<ir::ReduceOp>(op))
    return writeReduce(reduce), success();
  if (auto cast = dyn_cast<ir::CastOp>(op))
    return writeCast(cast);
  if (auto unary = dyn_cast<ir::UnaryOp>(op)) {
    Place source = place(unary.getSrc()), d = place(unary.getDst());
    Inst inst = make(opOf(unary.getKind()), typeOf(d.element));
    countElements(elementsOf(d));
    setReg(inst, Field::d, d.address);
    setReg(inst, Field::a, source.address);
    return emit(inst), success();
  }
  if (auto compare = dyn_cast<ir::CompareOp>(op)) {
    Place a = place(compare.getLhs()), d = place(compare.getDst());
    bool takesNumber = !isa<MemRefType>(compare.getRhs().getType());
    Inst inst = make(takesNumber ? Op::VCmps : Op::VCmp, typeOf(a.element));
    inst[Field::compare] = static_cast<int32_t>(compareOf(compare.getKind()));
    Scalar count = elementsOf(a);
    if (count.isReg || count.value % 8 != 0) { // the last byte keeps bits of what was there: write it first
      Inst clear = make(Op::VDup, bitsOf(2));
      countElements(ceilDiv(count, 16));
      setReg(clear, Field::d, d.address);
      setReg(clear, Field::a, number(0));
      emit(clear);
      barrier(Pipe::V);
    }
    countElements(count);
    setReg(inst, Field::d, d.address);
    setReg(inst, Field::a, a.address);
    setReg(inst, Field::b, takesNumber ? scalar(compare.getRhs()) : place(compare.getRhs()).address);
    return emit(inst), success();
  }
  if (auto select = dyn_cast<ir::SelectOp>(op)) {
    Place d = place(select.getDst());
    Inst inst = make(Op::VSel, bitsOf(d.elementBytes));
    countElements(elementsOf(d));
    setReg(inst, Field::d, d.address);
    setReg(inst, Field::a, place(select.getLhs()).address);
    setReg(inst, Field::b, place(select.getRhs()).address);
    setReg(inst, Field::c, place(select.getMask()).address);
    return emit(inst), success();
  }
  return op->emitError("npu: '") << op->getName() << "' has no code";
}

} // namespace kiln::npu
