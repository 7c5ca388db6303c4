// Work.cpp: lanes, layouts and shapes from operands.
#include "backends/npu/Sim/Work.h"

#include <algorithm>

namespace kiln::npu {

Lanes Lanes::of(const Work &work, uint32_t elementBytes) {
  Lanes lanes;
  lanes.perRepeat = 256 / elementBytes;
  lanes.counts = work[Special::MaskMode] != 0;
  if (lanes.counts) {
    lanes.count = work[Special::Mask0];
    lanes.repeats = static_cast<uint32_t>(ceilDiv(lanes.count, lanes.perRepeat));
    lanes.isFull = lanes.count % lanes.perRepeat == 0;
    return lanes;
  }
  lanes.repeats = static_cast<uint32_t>(work[Field::rep]);
  lanes.mask[0] = work[Special::Mask0];
  lanes.mask[1] = work[Special::Mask1];
  uint64_t low = lanes.perRepeat >= 64 ? ~uint64_t(0) : (uint64_t(1) << lanes.perRepeat) - 1;
  lanes.mask[0] &= low;
  if (lanes.perRepeat <= 64)
    lanes.mask[1] = 0;
  lanes.isFull = lanes.mask[0] == low && (lanes.perRepeat <= 64 || lanes.mask[1] == ~uint64_t(0));
  return lanes;
}

LaneLayout destination(const Work &work, uint32_t bytes) {
  return {work[Field::d], bytes, work[Field::dblk] * 32, work[Field::drep] * 32};
}
LaneLayout firstSource(const Work &work, uint32_t bytes) {
  return {work[Field::a], bytes, work[Field::ablk] * 32, work[Field::arep] * 32};
}
LaneLayout secondSource(const Work &work, uint32_t bytes) {
  return {work[Field::b], bytes, work[Field::bblk] * 32, work[Field::brep] * 32};
}

CopyShape CopyShape::of(const Work &work) {
  CopyShape shape = {};
  shape.bursts = work[Field::n];
  shape.bytes = work[Field::len];
  uint64_t local = roundUp(shape.bytes, 32);
  switch (work.op()) {
  case Op::MovGmUb:
  case Op::MovGmL1:
    shape.before = work[Field::lpad] * dtypeBytes(work.type());
    shape.after = work[Field::rpad] * dtypeBytes(work.type());
    shape.sourceStep = shape.bytes + work[Field::sgap];
    shape.destinationStep = roundUp(shape.before + shape.bytes + shape.after, 32) + work[Field::dgap] * 32;
    return shape;
  case Op::MovUbGm:
    shape.sourceStep = local + work[Field::sgap] * 32;
    shape.destinationStep = shape.bytes + work[Field::dgap];
    return shape;
  default:
    shape.sourceStep = local + work[Field::sgap] * 32;
    shape.destinationStep = local + work[Field::dgap] * 32;
    return shape;
  }
}

Im2col Im2col::of(const Work &work) {
  uint64_t tensor = work[Special::FMatrix], filter = work[Special::Conv];
  auto bits = [](uint64_t from, uint32_t at, uint32_t count) {
    return static_cast<uint32_t>(from >> at & ((uint64_t(1) << count) - 1));
  };
  Im2col im = {};
  im.height = bits(tensor, 0, 16);
  im.width = bits(tensor, 16, 16);
  im.padLeft = bits(tensor, 32, 8);
  im.padRight = bits(tensor, 40, 8);
  im.padTop = bits(tensor, 48, 8);
  im.padBottom = bits(tensor, 56, 8);
  im.strideW = bits(filter, 0, 6);
  im.strideH = bits(filter, 6, 6);
  im.filterW = bits(filter, 12, 8);
  im.filterH = bits(filter, 20, 8);
  im.dilationW = bits(filter, 28, 8);
  im.dilationH = bits(filter, 36, 8);
  im.channels = bits(filter, 44, 16);
  im.c0 = 32 / dtypeBytes(work.type());
  auto extent = [](int64_t size, int64_t stride, int64_t filterSize, int64_t dilation) -> uint64_t {
    int64_t left = size - (filterSize - 1) * dilation - 1;
    return stride == 0 || left < 0 ? 0 : static_cast<uint64_t>(left / stride + 1);
  };
  im.outWidth = extent(int64_t(im.width) + im.padLeft + im.padRight, im.strideW, im.filterW, im.dilationW);
  im.outHeight = extent(int64_t(im.height) + im.padTop + im.padBottom, im.strideH, im.filterH, im.dilationH);
  return im;
}

int64_t Im2col::offset(uint64_t row, uint64_t column) const {
  uint64_t lane = column % c0, tap = column / c0;
  uint64_t kw = tap % filterW, kh = tap / filterW % filterH, c1 = tap / filterW / filterH;
  int64_t y = static_cast<int64_t>(row / outWidth * strideH + kh * dilationH) - padTop;
  int64_t x = static_cast<int64_t>(row % outWidth * strideW + kw * dilationW) - padLeft;
  if (y < 0 || x < 0 || y >= height || x >= width)
    return -1;
  uint64_t pixel = (c1 * height + static_cast<uint64_t>(y)) * width + static_cast<uint64_t>(x);
  return static_cast<int64_t>(pixel * 32 + lane * (32 / c0));
}

} // namespace kiln::npu
