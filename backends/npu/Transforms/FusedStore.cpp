// FusedStore.cpp: sums on their way out of a core with both units: blocks of L0C to UB, there into rows, then
// to global memory, in parts of 64 rows and lines of 512 bytes.
#include "backends/npu/Transforms/CubeBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace kiln::npu {
namespace {

constexpr int64_t kPartRows = 64, kPartBytes = 512;

} // namespace

void CubeBuilder::storeByUb(const CubeOutput &output, Value sums, OpFoldResult offset, OpFoldResult rows,
                            OpFoldResult columns, ir::Quant quant) {
  auto type = cast<MemRefType>(sums.getType());
  int64_t bytes = output.element.getIntOrFloatBitWidth() / 8;
  int64_t height = std::min(kPartRows, type.getShape()[1] * 16),
          width = std::min(kPartBytes / bytes, type.getShape()[0] * 16);
  int64_t block = 32 / bytes, pitch = width / block % 2 ? width : width + block; // in different banks
  // The product packed its rows, unless these are a part of them.
  OpFoldResult apart = sums.getDefiningOp<memref::SubViewOp>()
                           ? math.constant(getStridesAndOffset(type).first[0] / 16)
                           : math.mul(math.ceilDiv(rows, 16), math.constant(16));
  forSteps(columns, width, [&](OpFoldResult column) {
    OpFoldResult countColumns = clip(columns, width, column);
    forSteps(rows, height, [&](OpFoldResult row) {
      OpFoldResult countRows = clip(rows, height, row);
      Value blocks = allocate({width / 16, height, 16}, output.element, ir::Memory::UB),
            lines = allocate({height, pitch}, output.element, ir::Memory::UB);
      if (isRagged(columns, 16)) { // the end of the last blocks is moved, too
        Value zero = builder.create<arith::ConstantOp>(loc, builder.getZeroAttr(output.element));
        Value flat = windowOf(builder, loc, blocks, math.constant(0),
                              {math.constant(1), math.constant(width * height)},
                              {math.constant(width * height), math.constant(1)});
        builder.create<ir::BroadcastOp>(loc, zero, flat);
      }
      Value m = math.value(countRows), n = math.value(countColumns);
      builder.create<ir::L0cToUbOp>(loc, sums, blocks, m, n, math.value(row), math.value(column),
                                    math.value(apart), quant, output.isRelu);
      builder.create<ir::NzToNdOp>(loc, blocks, lines, m, n);
      SmallVector<OpFoldResult> zeros(2, math.constant(0)), ones(2, math.constant(1));
      Value part = builder.create<memref::SubViewOp>(loc, lines, zeros,
                                                     ArrayRef<OpFoldResult>{countRows, countColumns}, ones);
      OpFoldResult to = math.add(offset, math.add(math.mul(row, output.stride), column));
      Value window = windowOf(builder, loc, output.memref, to, {countRows, countColumns},
                              {output.stride, math.constant(1)});
      builder.create<ir::StoreOp>(loc, part, window);
    });
  });
}

} // namespace kiln::npu
