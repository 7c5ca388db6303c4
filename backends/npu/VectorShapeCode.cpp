// VectorShapeCode.cpp: instructions of the vector unit that fill, move and transpose, and scalar loads.
// Transposes go by squares of 16 rows and a block of columns into a temporary, whose parts are then copied to
// where they belong.
#include "backends/npu/CodeWriter.h"

using namespace mlir;

namespace kiln::npu {
namespace {

constexpr int64_t kRows = 16; // of what vnchwconv transposes

} // namespace

Scalar CodeWriter::elementsOf(const Place &place) {
  Scalar count = number(1);
  for (Scalar extent : place.extents)
    count = mul(count, extent);
  return count;
}

void CodeWriter::writeScalarLoad(ir::ScalarLoadOp op) {
  Place source = place(op.getSrc());
  Inst inst = make(Op::Load, source.element.isBF16() ? DType::U16 : typeOf(source.element));
  inst[Field::space] =
      static_cast<int32_t>(ir::isIn(op.getSrc().getType(), ir::Memory::UB) ? Space::Ub : Space::Gm);
  setReg(inst, Field::a, source.address);
  uint32_t reg = allocate();
  inst[Field::d] = reg;
  emit(inst);
  scalars[op.getResult()] = {true, reg};
  if (!source.element.isBF16())
    return;
  Inst shift = Inst::make(Op::Shl); // the bits of the same f32
  shift[Field::d] = shift[Field::a] = reg;
  shift[Field::bi] = 16;
  emit(shift);
}

LogicalResult CodeWriter::writeFill(ir::BroadcastOp op) {
  Place d = place(op.getDst());
  bool isColumn = isa<MemRefType>(op.getSrc().getType());
  if (isColumn) {
    Inst inst = make(Op::VBrcb, bitsOf(d.elementBytes));
    setReg(inst, Field::d, d.address);
    setReg(inst, Field::a, place(op.getSrc()).address);
    set(inst, Field::rep, ceilDiv(d.extents[0], 8));
    if (!op.getTemp())
      return emit(inst), success();
    Place temp = place(op.getTemp()); // each element of a block to a block of its own: a repeat of equal ones
    setReg(inst, Field::d, temp.address);
    emit(inst);
    barrier(Pipe::V);
    Inst again = make(Op::VBrcb, bitsOf(d.elementBytes));
    setReg(again, Field::d, d.address);
    setReg(again, Field::a, temp.address);
    set(again, Field::rep, d.extents[0]);
    return emit(again), success();
  }
  Scalar value = scalar(op.getSrc()), count = elementsOf(d);
  if (d.elementBytes == 1) { // two at a time
    if (value.isReg)
      return op.emitOpError("fills bytes with a number that is not constant; this has no code");
    value = number((value.value & 0xff) * 0x101);
    count = ceilDiv(count, 2);
  }
  Inst inst = make(Op::VDup, bitsOf(std::max<int64_t>(d.elementBytes, 2)));
  setReg(inst, Field::d, d.address);
  countElements(count);
  setReg(inst, Field::a, value);
  return emit(inst), success();
}

void CodeWriter::writeTranspose(ir::TransposeOp op) {
  Place source = place(op.getSrc()), d = place(op.getDst()), temp = place(op.getTemp());
  int64_t rows = source.extents[0].value, columns = source.extents[1].value, bytes = source.elementBytes;
  int64_t block = 32 / bytes, square = kRows * bytes, width = d.extents.back().value;
  repeat(number(rows / kRows), [&](Scalar i) {
    Inst inst = make(Op::VNchwConv, bitsOf(bytes));
    setReg(inst, Field::d, add(temp.address, mul(i, number(columns * square))));
    setReg(inst, Field::a, add(source.address, mul(i, number(columns * square))));
    set(inst, Field::rep, number(columns / block));
    set(inst, Field::arow, number(columns / block));
    set(inst, Field::arep, number(1));
    set(inst, Field::drep, number(kRows)); // a block becomes 16 of them
    emit(inst);
  });
  barrier(Pipe::V);
  auto copy = [&](Scalar i, int64_t length) {
    Inst inst = Inst::make(Op::VCopy);
    setReg(inst, Field::d, add(d.address, mul(i, number(square))));
    setReg(inst, Field::a, add(temp.address, mul(i, number(columns * square))));
    set(inst, Field::n, d.extents.size() == 2 ? d.extents[0] : number(1));
    set(inst, Field::len, number(length));
    set(inst, Field::sgap, number((square - length) / 32));
    set(inst, Field::dgap, number((width * bytes - length) / 32));
    emit(inst);
  };
  int64_t whole = width / kRows;
  repeat(number(whole), [&](Scalar i) { copy(i, square); });
  if (width % kRows)
    copy(number(whole), width % kRows * bytes);
}

void CodeWriter::writeGather(ir::GatherRowsOp op) {
  Place source = place(op.getSrc()), places = place(op.getIndices()), d = place(op.getDst());
  Scalar length = mul(d.extents[1], number(d.elementBytes));
  int64_t pitch = d.strides[0].isReg ? 0 : d.strides[0].value * d.elementBytes;
  bool isWide = places.elementBytes == 8;
  repeat(d.extents[0], [&](Scalar row) {
    Inst read = make(Op::Load, isWide ? DType::I64 : DType::I32);
    read[Field::space] = static_cast<int32_t>(Space::Gm);
    setReg(read, Field::a,
           add(places.address, mul(mul(row, places.strides[0]), number(places.elementBytes))));
    uint32_t reg = temporary();
    read[Field::d] = reg;
    emit(read);
    Scalar index = {true, reg}, extent = source.extents[0];
    Scalar isNegative = fold(Op::Sar, index, number(63)); // all ones, or 0
    index = add(index, fold(Op::And, isNegative, inReg(extent)));
    index = fold(Op::Min, fold(Op::Max, index, number(0)), sub(extent, number(1)));
    Inst inst = make(Op::MovGmUb, bitsOf(d.elementBytes));
    setReg(inst, Field::d, add(d.address, mul(row, number(pitch))));
    setReg(inst, Field::a,
           add(source.address, mul(mul(index, source.strides[0]), number(source.elementBytes))));
    set(inst, Field::len, length);
    if (!length.isReg && pitch)
      inst[Field::rpad] =
          std::min<int64_t>((pitch - length.value) / std::min<int64_t>(d.elementBytes, 4), 31);
    emit(inst);
  });
}

/// Each of the first eight lanes by itself, then twice as many, and again.
void CodeWriter::writeRange(ir::RangeOp op) {
  Place d = place(op.getDst());
  int64_t count = d.extents[1].value;
  for (int64_t lane = 0; lane < 8; ++lane) {
    special(Special::MaskMode, number(0));
    special(Special::Mask0, number(int64_t(1) << lane));
    Inst inst = make(Op::VDup, DType::B32);
    setReg(inst, Field::d, d.address);
    setReg(inst, Field::a, number(lane));
    emit(inst);
    freeTemporaries();
  }
  forgetMasks();
  for (int64_t done = 8; done < count; done *= 2) {
    barrier(Pipe::V);
    countElements(number(std::min(done, count - done)));
    Inst inst = make(Op::VAdds, DType::I32);
    setReg(inst, Field::d, add(d.address, number(done * 4)));
    setReg(inst, Field::a, d.address);
    setReg(inst, Field::b, number(done));
    emit(inst);
    freeTemporaries();
  }
}

void CodeWriter::writeSort(ir::SortOp op) {
  constexpr int64_t kMost = 255; // runs of an instruction
  Place keys = place(op.getKeys()), indices = place(op.getIndices()), d = place(op.getDst());
  int64_t runs = op.getKeys().getType().getShape()[1] / 32;
  for (int64_t first = 0; first < runs; first += kMost) {
    Inst inst = make(Op::VBitSort, DType::F32);
    setReg(inst, Field::d, add(d.address, number(first * 256)));
    setReg(inst, Field::a, add(keys.address, number(first * 128)));
    setReg(inst, Field::b, add(indices.address, number(first * 128)));
    set(inst, Field::rep, number(std::min(kMost, runs - first)));
    emit(inst);
  }
}

void CodeWriter::writeMerge(ir::MergeOp op) {
  constexpr int64_t kPair = 8;
  Place source = place(op.getSrc()), d = place(op.getDst());
  ArrayRef<int64_t> lengths = op.getLengths();
  for (size_t i = 0; i < lengths.size(); i += 4) {
    uint64_t starts = 0, counts = 0, each = 0;
    for (size_t j = 0; j < 4 && i + j < lengths.size(); ++j) {
      starts |= uint64_t((i + j) * op.getDistance()) << (16 * j);
      counts |= uint64_t(lengths[i + j]) << (16 * j);
      each |= uint64_t(1) << (16 * j);
    }
    // Addresses of lists over 8, 16 bits each.
    Scalar from = add(mul(ceilDiv(source.address, kPair), number(int64_t(each))), number(int64_t(starts)));
    Inst inst = make(Op::VMrgSort, DType::F32);
    setReg(inst, Field::d, add(d.address, number(int64_t(i) * int64_t(op.getDistance()) * kPair)));
    setReg(inst, Field::a, from);
    setReg(inst, Field::b, number(int64_t(counts)));
    emit(inst);
  }
}

LogicalResult CodeWriter::writeShapeOp(Operation *op) {
  if (auto sort = dyn_cast<ir::SortOp>(op))
    return writeSort(sort), success();
  if (auto merge = dyn_cast<ir::MergeOp>(op))
    return writeMerge(merge), success();
  if (auto range = dyn_cast<ir::RangeOp>(op))
    return writeRange(range), success();
  if (auto elements = dyn_cast<ir::GatherOp>(op)) {
    Place source = place(elements.getSrc()), places = place(elements.getOffsets()),
          d = place(elements.getDst());
    Inst inst = make(Op::VGather, bitsOf(d.elementBytes));
    countElements(elementsOf(d));
    setReg(inst, Field::d, d.address);
    setReg(inst, Field::a, places.address);
    setReg(inst, Field::b, source.address);
    return emit(inst), success();
  }
  if (auto gather = dyn_cast<ir::GatherRowsOp>(op))
    return writeGather(gather), success();
  if (auto load = dyn_cast<ir::ScalarLoadOp>(op))
    return writeScalarLoad(load), success();
  if (auto fill = dyn_cast<ir::BroadcastOp>(op))
    return writeFill(fill);
  if (auto transpose = dyn_cast<ir::TransposeOp>(op))
    return writeTranspose(transpose), success();
  auto copyOp = cast<ir::CopyOp>(op);
  Place source = place(copyOp.getSrc()), d = place(copyOp.getDst());
  Inst inst = Inst::make(Op::VCopy);
  setReg(inst, Field::d, d.address);
  setReg(inst, Field::a, source.address);
  set(inst, Field::n, number(1));
  set(inst, Field::len, mul(elementsOf(d), number(d.elementBytes)));
  return emit(inst), success();
}

} // namespace kiln::npu
