// NpuCost.cpp: about how many cycles each op takes, by the figures of the target; extents that are not known
// count as those of the buffer behind the view.
#include "backends/npu/IR/Npu.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu::ir {
namespace {

int64_t elementsOf(Value memref) {
  while (!cast<MemRefType>(memref.getType()).hasStaticShape()) {
    auto view = memref.getDefiningOp<ViewLikeOpInterface>();
    if (!view)
      return 1; // a dynamic argument: nothing is known
    memref = view.getViewSource();
  }
  return cast<MemRefType>(memref.getType()).getNumElements();
}

int64_t memrefBytes(Value memref) {
  return llvm::divideCeil(elementsOf(memref) * cast<MemRefType>(memref.getType()).getElementTypeBitWidth(),
                          8);
}

} // namespace

int64_t repeatCount(Value memref) { return llvm::divideCeil(memrefBytes(memref), 256); }

namespace {

int64_t vector(Operation *op, Value dst, uint64_t slope) {
  return targetOf(op).vectorHead + repeatCount(dst) * slope;
}

} // namespace

int64_t LoadOp::getCycles() {
  return targetOf(*this).gmLatency + memrefBytes(getDst()) / targetOf(*this).ddrRate;
}
int64_t StoreOp::getCycles() {
  return targetOf(*this).gmLatency + memrefBytes(getSrc()) / targetOf(*this).ddrRate;
}
int64_t GatherRowsOp::getCycles() {
  const Target &target = targetOf(*this);
  int64_t rows = std::max<int64_t>(1, elementsOf(getIndices()));
  return target.gmLatency + rows * int64_t(target.scalarGmCycles) + memrefBytes(getDst()) / target.ddrRate;
}
int64_t Nd2NzOp::getCycles() {
  return targetOf(*this).gmLatency + memrefBytes(getDst()) / targetOf(*this).ddrRate;
}

int64_t ScalarLoadOp::getCycles() {
  const Target &target = targetOf(*this);
  return isIn(getSrc().getType(), Memory::UB) ? target.scalarUbCycles : target.scalarGmCycles;
}
int64_t LoadL1Op::getCycles() {
  return targetOf(*this).gmLatency + memrefBytes(getDst()) / targetOf(*this).ddrRate;
}
int64_t FillL1Op::getCycles() {
  return targetOf(*this).mteSetup + memrefBytes(getDst()) / targetOf(*this).l1ToL0aRate;
}
int64_t LoadBiasOp::getCycles() {
  return targetOf(*this).mteSetup + memrefBytes(getDst()) / targetOf(*this).l1ToL0bRate;
}

int64_t UnaryOp::getCycles() {
  const Target &target = targetOf(*this);
  bool isSlow = false;
  switch (getKind()) {
  case Unary::vexp:
  case Unary::vln:
  case Unary::vsqrt:
  case Unary::vrsqrt:
  case Unary::vrec:
    isSlow = true;
    break;
  case Unary::vabs:
  case Unary::vrelu:
  case Unary::vnot:
    break;
  }
  return vector(*this, getDst(), isSlow ? target.vectorSlowSlope : target.vectorSlope);
}
int64_t BinaryOp::getCycles() {
  const Target &target = targetOf(*this);
  return vector(*this, getDst(), getKind() == Binary::vdiv ? target.vectorSlowSlope : target.vectorSlope);
}
int64_t CompareOp::getCycles() { return vector(*this, getLhs(), targetOf(*this).vectorSlope); }
int64_t SelectOp::getCycles() { return vector(*this, getDst(), targetOf(*this).vectorSlope); }
int64_t CastOp::getCycles() {
  Value wide = memrefBytes(getSrc()) > memrefBytes(getDst()) ? getSrc() : getDst();
  return vector(*this, wide, targetOf(*this).vectorSlope);
}
int64_t BroadcastOp::getCycles() { return vector(*this, getDst(), targetOf(*this).vectorSlope); }
int64_t ReduceOp::getCycles() {
  const Target &target = targetOf(*this);
  return vector(*this, getSrc(), target.vectorSlope) + vector(*this, getTemp(), target.vectorReduceSlope);
}
int64_t CopyOp::getCycles() {
  return targetOf(*this).mteSetup + memrefBytes(getDst()) / targetOf(*this).ubCopyRate;
}
int64_t RangeOp::getCycles() {
  const Target &target = targetOf(*this);
  return int64_t(target.vectorHead) * llvm::Log2_64_Ceil(std::max<int64_t>(elementsOf(getDst()), 8)) +
         repeatCount(getDst());
}
int64_t GatherOp::getCycles() { return vector(*this, getDst(), targetOf(*this).vectorGatherSlope); }
int64_t TransposeOp::getCycles() {
  const Target &target = targetOf(*this);
  return vector(*this, getTemp(), target.vectorReduceSlope) + memrefBytes(getDst()) / target.ubCopyRate;
}
int64_t Load2dOp::getCycles() {
  const Target &target = targetOf(*this);
  uint64_t rate = memoryOf(getDst().getType()) == Memory::L0A ? target.l1ToL0aRate : target.l1ToL0bRate;
  return target.mteSetup + memrefBytes(getDst()) / rate;
}
int64_t Load3dOp::getCycles() {
  return targetOf(*this).mteSetup + memrefBytes(getDst()) / targetOf(*this).l1ToL0aRate;
}
int64_t MmadOp::getCycles() {
  const Target &target = targetOf(*this);
  Type element = getLhs().getType().getElementType();
  uint64_t depth = element.isInteger(8) ? target.cubeDepthI8
                   : element.isF32()    ? target.cubeDepthF32
                                        : target.cubeDepthF16;
  int64_t products = elementsOf(getLhs()) / 16 * (elementsOf(getDst()) / 256);
  int64_t rowFractals = std::max<int64_t>(1, getLhs().getType().getShape()[0]);
  return target.cubeHead + products / rowFractals / std::max<uint64_t>(depth, 1);
}
int64_t SortOp::getCycles() {
  const Target &target = targetOf(*this);
  return target.vectorHead + elementsOf(getKeys()) / 32 * target.vectorSortSlope;
}
int64_t MergeOp::getCycles() {
  const Target &target = targetOf(*this);
  return target.vectorHead + elementsOf(getSrc()) / 32 * target.vectorSortSlope;
}
int64_t L0cToUbOp::getCycles() {
  const Target &target = targetOf(*this);
  return target.mteSetup + elementsOf(getDst()) * 4 / std::max<uint64_t>(target.l0cToUbRate, 1);
}
int64_t NzToNdOp::getCycles() { return vector(*this, getSrc(), targetOf(*this).vectorSlope); }
int64_t FixpipeOp::getCycles() {
  return targetOf(*this).fixHead + memrefBytes(getSrc()) / targetOf(*this).fixRate;
}

} // namespace kiln::npu::ir
