// Footprint.cpp: one function a class of instructions; neighbouring ranges are joined.
#include "backends/npu/Sim/Footprint.h"

#include "backends/npu/Sim/GmUpdate.h"

#include <algorithm>

namespace kiln::npu {

using devicekit::Fault;
using devicekit::FaultKind;
using devicekit::Range;
using Ranges = std::vector<Range>;

std::string_view memoryName(Memory memory) {
  constexpr std::string_view names[] = {"UB", "L1", "L0A", "L0B", "L0C", "BT", "FB", "rsvdcnt", "GM"};
  return names[static_cast<size_t>(memory)];
}

std::vector<Range> &Footprint::add(Memory memory, bool isWrite) {
  if (used == theParts.size())
    theParts.emplace_back();
  Part &part = theParts[used++];
  part.memory = memory;
  part.isWrite = isWrite;
  part.ranges.clear();
  return part.ranges;
}

void Footprint::push(Ranges &ranges, uint64_t begin, uint64_t bytes) {
  if (bytes == 0)
    return;
  if (!ranges.empty() && ranges.back().begin + ranges.back().bytes == begin)
    ranges.back().bytes += bytes;
  else
    ranges.push_back({begin, bytes});
}

namespace {

/// The parts of one instruction. Used once.
class Builder {
public:
  Builder(const Work &work, const Target &target, Footprint &to) : work(work), target(target), to(to) {}
  std::optional<Fault> fault;

  void elementwise(uint32_t sources, bool readsDestination) {
    uint32_t bytes = dtypeBytes(work.type());
    Lanes lanes = Lanes::of(work, bytes);
    addLanes(firstSource(work, bytes), lanes, false, Field::a);
    if (sources > 1)
      addLanes(secondSource(work, bytes), lanes, false, Field::b);
    if (readsDestination)
      addLanes(destination(work, bytes), lanes, false, Field::d);
    addLanes(destination(work, bytes), lanes, true, Field::d);
  }
  // Bits at an address, one a lane.
  void bits(Field field, const Lanes &lanes, bool isWrite) {
    aligned(Memory::Ub, field, target.blockBytes);
    for (bool reads : {true, false}) { // a partial byte is read, too
      if (!reads && !isWrite)
        return;
      Ranges &ranges = to.add(Memory::Ub, !reads);
      if (reads && isWrite && lanes.isFull)
        continue;
      for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat)
        for (uint32_t lane = 0; lane < lanes.perRepeat; lane += 8) {
          uint32_t active = 0;
          for (uint32_t i = lane; i < lane + 8; ++i)
            active += lanes.active(repeat, i);
          bool wanted = reads && isWrite ? active && active < 8 : active != 0;
          if (wanted)
            Footprint::push(ranges, work[field] + (uint64_t(repeat) * lanes.perRepeat + lane) / 8, 1);
        }
    }
  }
  void compare(bool isScalar) {
    uint32_t bytes = dtypeBytes(work.type());
    Lanes lanes = Lanes::of(work, bytes);
    addLanes(firstSource(work, bytes), lanes, false, Field::a);
    if (!isScalar)
      addLanes(secondSource(work, bytes), lanes, false, Field::b);
    lanes.isFull |= lanes.counts && lanes.count % 8 == 0;
    bits(Field::d, lanes, true);
  }
  void convert() {
    uint32_t from = dtypeBytes(work.type()), into = dtypeBytes(static_cast<DType>(work[Field::type2]));
    Lanes lanes = Lanes::of(work, std::max(from, into));
    addLanes(firstSource(work, from), lanes, false, Field::a);
    addLanes(destination(work, into), lanes, true, Field::d);
  }
  void reduce() {
    uint32_t bytes = dtypeBytes(work.type());
    Lanes lanes = Lanes::of(work, bytes);
    addLanes(firstSource(work, bytes), lanes, false, Field::a);
    aligned(Memory::Ub, Field::d, bytes);
    uint64_t results = 1;
    if (work.inst->info->format == Format::VectorGroup)
      results = work.op() == Op::VCPAdd ? lanes.perRepeat / 2 : 8;
    else if (work.op() != Op::VCAdd && work[Field::order] != 2)
      results = 2;
    Ranges &ranges = to.add(Memory::Ub, true);
    for (uint64_t repeat = 0; repeat < lanes.repeats; ++repeat)
      Footprint::push(ranges, work[Field::d] + repeat * work[Field::drep] * results * bytes, results * bytes);
  }
  void plain(Memory memory, Field field, uint64_t bytes, bool isWrite, uint64_t alignment) {
    aligned(memory, field, alignment);
    Footprint::push(to.add(memory, isWrite), work[field], bytes);
  }
  void fill() {
    uint32_t bytes = dtypeBytes(work.type());
    addLanes(destination(work, bytes), Lanes::of(work, bytes), true, Field::d);
  }
  void broadcastBlocks() {
    uint32_t bytes = dtypeBytes(work.type());
    plain(Memory::Ub, Field::a, work[Field::rep] * 8 * bytes, false, target.blockBytes);
    aligned(Memory::Ub, Field::d, target.blockBytes);
    Ranges &ranges = to.add(Memory::Ub, true);
    LaneLayout d = destination(work, bytes);
    for (uint32_t repeat = 0; repeat < work[Field::rep]; ++repeat)
      for (uint32_t block = 0; block < 8; ++block)
        Footprint::push(ranges, d.at(repeat, block * (32 / bytes)), 32);
  }
  void rows() {
    uint32_t bytes = dtypeBytes(work.type());
    uint64_t row = bytes == 1 ? 16 : 32, high = bytes == 1 ? 16 : 0;
    for (bool isWrite : {false, true}) {
      aligned(Memory::Ub, isWrite ? Field::d : Field::a, target.blockBytes);
      Ranges &ranges = to.add(Memory::Ub, isWrite);
      uint64_t base =
          isWrite ? work[Field::d] + work[Field::dhigh] * high : work[Field::a] + work[Field::ahigh] * high;
      for (uint64_t repeat = 0; repeat < work[Field::rep]; ++repeat)
        for (uint64_t i = 0; i < 16; ++i)
          Footprint::push(ranges,
                          base + repeat * work[isWrite ? Field::drep : Field::arep] * 32 +
                              i * work[isWrite ? Field::drow : Field::arow] * 32,
                          row);
    }
  }
  void gather(const std::function<std::optional<uint32_t>(uint64_t)> &readUb) {
    bool isBlocks = work.op() == Op::VGatherB;
    uint32_t bytes = dtypeBytes(work.type()), step = isBlocks ? 32 : bytes;
    Lanes lanes = Lanes::of(work, bytes);
    if (isBlocks) {
      lanes = {};
      lanes.perRepeat = 8;
      lanes.repeats = static_cast<uint32_t>(work[Field::rep]);
      lanes.mask[0] = 0xff;
      lanes.isFull = true;
    }
    aligned(Memory::Ub, Field::a, target.blockBytes);
    aligned(Memory::Ub, Field::b, step);
    aligned(Memory::Ub, Field::d, target.blockBytes);
    Ranges &offsets = to.add(Memory::Ub, false);
    Ranges elements, results;
    for (uint32_t repeat = 0; repeat < lanes.repeats && !fault; ++repeat)
      for (uint32_t lane = 0; lane < lanes.perRepeat; ++lane) {
        if (!lanes.active(repeat, lane))
          continue;
        uint64_t at = work[Field::a] + (uint64_t(repeat) * lanes.perRepeat + lane) * 4;
        Footprint::push(offsets, at, 4);
        std::optional<uint32_t> offset = readUb(at);
        if (!offset) // the bounds check of the offsets tells
          continue;
        if (*offset % step)
          return raise(FaultKind::Misaligned, Memory::Ub, *offset,
                       "an offset; expected a multiple of " + std::to_string(step));
        Footprint::push(elements, work[Field::b] + *offset, step);
        Footprint::push(results, work[Field::d] + repeat * work[Field::drep] * 32 + lane * step, step);
      }
    to.add(Memory::Ub, false) = std::move(elements);
    to.add(Memory::Ub, true) = std::move(results);
  }
  void pack() {
    uint32_t bytes = dtypeBytes(work.type());
    Lanes lanes = Lanes::of(work, bytes);
    addLanes({work[Field::a], bytes, 32, 256}, lanes, false, Field::a);
    bits(Field::b, lanes, false);
    uint64_t count = 0;
    for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat)
      for (uint32_t lane = 0; lane < lanes.perRepeat; ++lane)
        count += lanes.active(repeat, lane);
    plain(Memory::Ub, Field::d, count * bytes, true, target.blockBytes);
    Footprint::push(to.add(Memory::Status, true), 0, 8);
  }
  void merge() {
    uint64_t total = 0;
    Ranges &sources = to.add(Memory::Ub, false);
    for (int i = 0; i < 4; ++i) {
      uint64_t length = work[Field::b] >> (16 * i) & 0xffff;
      Footprint::push(sources, (work[Field::a] >> (16 * i) & 0xffff) * 8, length * 8);
      total += length;
    }
    plain(Memory::Ub, Field::d, total * 8, true, target.blockBytes);
  }
  void copy(Memory from, Memory into) {
    CopyShape shape = CopyShape::of(work);
    aligned(from, Field::a, alignmentOf(from));
    aligned(into, Field::d, alignmentOf(into));
    if (from != Memory::Gm && into != Memory::Gm && shape.bytes % 32)
      return raise(FaultKind::Misaligned, into, work[Field::d],
                   "bursts of " + std::to_string(shape.bytes) + " bytes; expected whole blocks of 32");
    Ranges &sources = to.add(from, false);
    for (uint64_t i = 0; i < shape.bursts; ++i)
      Footprint::push(sources, work[Field::a] + i * shape.sourceStep, shape.bytes);
    Ranges &destinations = to.add(into, true);
    for (uint64_t i = 0; i < shape.bursts; ++i)
      Footprint::push(destinations, work[Field::d] + i * shape.destinationStep,
                      shape.before + shape.bytes + shape.after);
  }
  void ndToNz() {
    uint64_t bytes = dtypeBytes(work.type()), columns = work[Field::m], blocks = ceilDiv(columns * bytes, 32);
    aligned(Memory::Gm, Field::a, bytes);
    aligned(Memory::L1, Field::d, target.blockBytes);
    if (work[Field::dstride] < work[Field::n] && blocks > 1)
      return raise(FaultKind::Illegal, Memory::L1, work[Field::d],
                   "dstride " + std::to_string(work[Field::dstride]) + "; expected at least the rows, " +
                       std::to_string(work[Field::n]));
    Ranges &sources = to.add(Memory::Gm, false);
    for (uint64_t row = 0; row < work[Field::n]; ++row)
      Footprint::push(sources, work[Field::a] + row * work[Field::sstride] * bytes, columns * bytes);
    Ranges &destinations = to.add(Memory::L1, true);
    for (uint64_t block = 0; block < blocks; ++block)
      Footprint::push(destinations, work[Field::d] + block * work[Field::dstride] * 32, work[Field::n] * 32);
  }
  void load2d(Memory into) {
    bool isPair = work[Field::trans] && dtypeBytes(work.type()) != 2;
    aligned(Memory::L1, Field::a, target.blockBytes);
    aligned(into, Field::d, target.fractalBytes);
    for (bool isWrite : {false, true}) {
      Ranges &ranges = to.add(isWrite ? into : Memory::L1, isWrite);
      uint64_t base = work[isWrite ? Field::d : Field::a],
               stride = work[isWrite ? Field::dstride : Field::sstride];
      for (uint64_t i = 0; i < work[Field::rep]; ++i)
        for (uint64_t half = 0; half <= isPair; ++half)
          Footprint::push(
              ranges, base + (i * stride + half * work[isWrite ? Field::dfrac : Field::sfrac]) * 512, 512);
    }
  }
  void load3d() {
    Im2col im = Im2col::of(work);
    uint64_t rows = work[Field::m], rowsThere = im.outWidth * im.outHeight;
    uint64_t depth = ceilDiv(im.channels, im.c0) * im.filterW * im.filterH * im.c0;
    aligned(Memory::L1, Field::a, target.blockBytes);
    aligned(Memory::L0a, Field::d, target.fractalBytes);
    if (work[Field::mpos] + rows > rowsThere || work[Field::kext] % im.c0 || work[Field::kpos] % im.c0 ||
        work[Field::kpos] + work[Field::kext] > depth)
      return raise(FaultKind::Illegal, Memory::L0a, work[Field::d],
                   "rows " + std::to_string(work[Field::mpos]) + " to " +
                       std::to_string(work[Field::mpos] + rows) + ", columns " +
                       std::to_string(work[Field::kpos]) + " to " +
                       std::to_string(work[Field::kpos] + work[Field::kext]) + "; the im2col matrix is " +
                       std::to_string(rowsThere) + " x " + std::to_string(depth) + " in blocks of " +
                       std::to_string(im.c0));
    if (!fits(Memory::L0a, Field::d, roundUp(rows, 16) * work[Field::kext] / im.c0 * 32, target.l0aBytes))
      return;
    uint64_t blocks = work[Field::kext] / im.c0;
    Ranges &sources = to.add(Memory::L1, false);
    for (uint64_t row = 0; row < rows; ++row)
      for (uint64_t block = 0; block < blocks; ++block)
        if (int64_t from = im.offset(work[Field::mpos] + row, work[Field::kpos] + block * im.c0); from >= 0)
          Footprint::push(sources, work[Field::a] + static_cast<uint64_t>(from), 32);
    fractals(to.add(Memory::L0a, true), work[Field::d], rows, blocks);
  }
  void mmad() {
    uint64_t k0 = 32 / dtypeBytes(work.type()), m = work[Field::m], n = work[Field::n], k = work[Field::k];
    aligned(Memory::L0a, Field::a, target.fractalBytes);
    aligned(Memory::L0b, Field::b, target.fractalBytes);
    aligned(Memory::L0c, Field::d, target.fractalBytes);
    if (m == 0 || n == 0 || k == 0 ||
        !fits(Memory::L0a, Field::a, roundUp(m, 16) * ceilDiv(k, k0) * 32, target.l0aBytes) ||
        !fits(Memory::L0b, Field::b, roundUp(n, 16) * ceilDiv(k, k0) * 32, target.l0bBytes))
      return;
    depthFractals(to.add(Memory::L0a, false), work[Field::a], m, k, k0, true);
    depthFractals(to.add(Memory::L0b, false), work[Field::b], n, k, k0, false);
    for (bool isWrite : {false, true}) {
      if (!isWrite && work[Field::init])
        continue;
      Ranges &ranges = to.add(Memory::L0c, isWrite);
      for (uint64_t column = 0; column < n; column += 16)
        accumulators(ranges, work[Field::d] + column / 16 * ceilDiv(m, 16) * 1024, m,
                     std::min<uint64_t>(16, n - column));
    }
    if (work[Field::init] && work[Field::bias])
      plain(Memory::Bt, Field::c, n * 4, false, target.tableAlignBytes);
  }
  void fix(Memory into) {
    auto quant = static_cast<Quant>(work[Field::quant]);
    uint64_t bytes = dtypeBytes(quantResult(quant, false)), m = work[Field::m], n = work[Field::n];
    aligned(Memory::L0c, Field::a, 64);
    if (into == Memory::Gm)
      aligned(into, Field::d, bytes);
    else
      aligned(into, Field::d, target.blockBytes);
    if (!fits(Memory::L0c, Field::a, roundUp(n, 16) * m * 4, target.l0cBytes))
      return;
    Ranges &sources = to.add(Memory::L0c, false);
    for (uint64_t column = 0; column < n; column += 16)
      accumulators(sources, work[Field::a] + column / 16 * work[Field::sstride] * 64, m,
                   std::min<uint64_t>(16, n - column));
    uint64_t fb = work[Special::Fb];
    if (quant == Quant::VS32F16 || quant == Quant::VS32I8 || quant == Quant::VF32I8)
      Footprint::push(to.add(Memory::Fb, false), fb & 0xffff, n * 8);
    if (static_cast<Relu>(work[Field::relu]) == Relu::Prelu)
      Footprint::push(to.add(Memory::Fb, false), fb >> 16 & 0xffff, n * 4);
    Ranges &destinations = to.add(into, true);
    if (into == Memory::Gm) {
      forEachPiece(work,
                   [&](uint64_t address, uint64_t count) { Footprint::push(destinations, address, count); });
      return;
    }
    uint64_t width = fixBlockWidth(static_cast<uint32_t>(bytes));
    for (uint64_t column = 0; column < n; column += width)
      for (uint64_t row = 0; row < m; ++row)
        Footprint::push(destinations,
                        work[Field::d] + column / width * work[Field::dstride] * 32 + row * width * bytes,
                        std::min(width, n - column) * bytes);
  }

private:
  uint64_t alignmentOf(Memory memory) const {
    return memory == Memory::Gm                           ? 1
           : memory == Memory::Bt || memory == Memory::Fb ? target.tableAlignBytes
                                                          : target.blockBytes;
  }
  void raise(FaultKind kind, Memory memory, uint64_t address, std::string detail) {
    if (fault)
      return;
    fault.emplace();
    fault->kind = kind;
    fault->space = memoryName(memory);
    fault->address = address;
    fault->detail = std::move(detail);
  }
  // Whether an operand can be in a memory of `capacity` at all; the loops below stay short then.
  bool fits(Memory memory, Field field, uint64_t bytes, uint64_t capacity) {
    if (bytes > capacity)
      raise(FaultKind::OutOfBounds, memory, work[field],
            std::to_string(bytes) + " bytes; it has " + std::to_string(capacity));
    return bytes <= capacity;
  }
  void aligned(Memory memory, Field field, uint64_t alignment) {
    if (work[field] % alignment)
      raise(FaultKind::Misaligned, memory, work[field],
            "operand '" + std::string(fieldInfo(field).name) + "'; expected a multiple of " +
                std::to_string(alignment));
  }
  void addLanes(const LaneLayout &layout, const Lanes &lanes, bool isWrite, Field field) {
    aligned(Memory::Ub, field, target.blockBytes);
    Ranges &ranges = to.add(Memory::Ub, isWrite);
    uint32_t perBlock = std::min(32 / layout.elementBytes, lanes.perRepeat);
    if (lanes.isFull && layout.isContiguous(lanes))
      return Footprint::push(ranges, layout.address,
                             uint64_t(lanes.perRepeat) * lanes.repeats * layout.elementBytes);
    for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat)
      if (lanes.isFullRepeat(repeat))
        for (uint32_t lane = 0; lane < lanes.perRepeat; lane += perBlock)
          Footprint::push(ranges, layout.at(repeat, lane), perBlock * layout.elementBytes);
      else
        for (uint32_t lane = 0; lane < lanes.perRepeat; ++lane)
          if (lanes.active(repeat, lane))
            Footprint::push(ranges, layout.at(repeat, lane), layout.elementBytes);
  }
  // `rows` rows of blocks of 32 bytes in fractals of 16 rows, `blocks` fractals side by side.
  void fractals(Ranges &ranges, uint64_t base, uint64_t rows, uint64_t blocks) {
    for (uint64_t row = 0; row < rows; row += 16)
      for (uint64_t block = 0; block < blocks; ++block)
        Footprint::push(ranges, base + (row / 16 * blocks + block) * 512,
                        std::min<uint64_t>(16, rows - row) * 32);
  }
  // Operands of mmad: rows of A or columns of B by depth. A lies row of fractals by row, B depth by depth.
  void depthFractals(Ranges &ranges, uint64_t base, uint64_t rows, uint64_t depth, uint64_t k0, bool isA) {
    uint64_t rowFractals = ceilDiv(rows, 16), depthFractals = ceilDiv(depth, k0),
             outer = isA ? rowFractals : depthFractals;
    for (uint64_t i = 0; i < outer; ++i)
      for (uint64_t j = 0; j < (isA ? depthFractals : rowFractals); ++j) {
        uint64_t row = isA ? i : j, block = isA ? j : i;
        uint64_t at = base + (i * (isA ? depthFractals : rowFractals) + j) * 512;
        uint64_t rowsHere = std::min<uint64_t>(16, rows - row * 16),
                 bytes = std::min(k0, depth - block * k0) * (32 / k0);
        if (bytes == 32)
          Footprint::push(ranges, at, rowsHere * 32);
        else
          for (uint64_t r = 0; r < rowsHere; ++r)
            Footprint::push(ranges, at + r * 32, bytes);
      }
  }
  static void accumulators(Ranges &ranges, uint64_t at, uint64_t rows, uint64_t columns) {
    if (columns == 16)
      return Footprint::push(ranges, at, rows * 64);
    for (uint64_t row = 0; row < rows; ++row)
      Footprint::push(ranges, at + row * 64, columns * 4);
  }

  const Work &work;
  const Target &target;
  Footprint &to;
};

} // namespace

std::optional<Fault> footprintOf(const Work &work, const Target &target, Footprint &footprint,
                                 const std::function<std::optional<uint32_t>(uint64_t)> &readUb) {
  footprint.clear();
  Builder build(work, target, footprint);
  switch (work.inst->info->format) {
  case Format::VectorBinary:
    build.elementwise(2, work.op() == Op::VMla);
    break;
  case Format::VectorUnary:
  case Format::VectorShift:
    build.elementwise(1, false);
    break;
  case Format::VectorScalar:
    build.elementwise(1, work.op() == Op::VAxpy);
    break;
  case Format::VectorCompare:
  case Format::VectorCompareScalar:
    build.compare(work.op() == Op::VCmps);
    break;
  case Format::VectorSelect:
    build.elementwise(2, false);
    build.bits(Field::c, Lanes::of(work, dtypeBytes(work.type())), false);
    break;
  case Format::VectorConvert:
    build.convert();
    break;
  case Format::VectorFill:
    if (work.op() == Op::VBrcb)
      build.broadcastBlocks();
    else
      build.fill();
    break;
  case Format::VectorReduce:
  case Format::VectorGroup:
    build.reduce();
    break;
  case Format::VectorSquare:
    build.plain(Memory::Ub, Field::a, 512, false, target.blockBytes);
    build.plain(Memory::Ub, Field::d, 512, true, target.blockBytes);
    break;
  case Format::VectorRows:
    build.rows();
    break;
  case Format::VectorGather:
    if (work.op() == Op::VReduceV2)
      build.pack();
    else
      build.gather(readUb);
    break;
  case Format::VectorSort:
    build.plain(Memory::Ub, Field::a, work[Field::rep] * 32 * dtypeBytes(work.type()), false,
                target.blockBytes);
    build.plain(Memory::Ub, Field::b, work[Field::rep] * 128, false, target.blockBytes);
    build.plain(Memory::Ub, Field::d, work[Field::rep] * 256, true, target.blockBytes);
    break;
  case Format::VectorMerge:
    build.merge();
    break;
  case Format::Copy:
    build.copy(work.op() == Op::VCopy || work.op() == Op::MovUbL1 ? Memory::Ub : Memory::L1,
               work.op() == Op::VCopy || work.op() == Op::MovL1Ub ? Memory::Ub
               : work.op() == Op::MovL1Bt                         ? Memory::Bt
               : work.op() == Op::MovL1Fb                         ? Memory::Fb
                                                                  : Memory::L1);
    break;
  case Format::CopyPad:
    build.copy(Memory::Gm, work.op() == Op::MovGmUb ? Memory::Ub : Memory::L1);
    break;
  case Format::CopyAtomic:
    build.copy(Memory::Ub, Memory::Gm);
    break;
  case Format::NdToNz:
    build.ndToNz();
    break;
  case Format::Fill:
    build.plain(Memory::L1, Field::d, roundUp(work[Field::len], dtypeBytes(work.type())), true,
                target.blockBytes);
    break;
  case Format::Load2d:
    build.load2d(work.op() == Op::Load2dA ? Memory::L0a : Memory::L0b);
    break;
  case Format::Load3d:
    build.load3d();
    break;
  case Format::Mmad:
    build.mmad();
    break;
  case Format::Fix:
    build.fix(work.op() == Op::FixGm ? Memory::Gm : work.op() == Op::FixL1 ? Memory::L1 : Memory::Ub);
    break;
  default:
    break; // scalar formats issue no work
  }
  return build.fault;
}

} // namespace kiln::npu
