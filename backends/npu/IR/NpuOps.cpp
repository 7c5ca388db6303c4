// NpuOps.cpp: the generated code of the ops, assembly of addresses, and how flags tell of themselves.
#include "backends/npu/IR/Npu.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

static ParseResult parseAddresses(OpAsmParser &parser, DenseI64ArrayAttr &addresses) {
  SmallVector<int64_t> values;
  if (parser.parseCommaSeparatedList([&] { return parser.parseInteger(values.emplace_back()); }))
    return failure();
  addresses = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

static void printAddresses(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr addresses) {
  llvm::interleaveComma(addresses.asArrayRef(), printer);
}

#define GET_OP_CLASSES
#include "backends/npu/IR/NpuOps.cpp.inc"

namespace kiln::npu::ir {

Value BufferOp::getBufferSlot() { return getSlot(); }

devicekit::SyncKind SetFlagOp::getSyncKind() { return kKind; }
unsigned SetFlagOp::getSourcePipe() { return unsigned(getSource()); }
unsigned SetFlagOp::getTargetPipe() { return unsigned(getTarget()); }
int64_t SetFlagOp::getEventId() { return getEvent(); }
Value SetFlagOp::getEventSlot() { return getSlot(); }

devicekit::SyncKind WaitFlagOp::getSyncKind() { return kKind; }
unsigned WaitFlagOp::getSourcePipe() { return unsigned(getSource()); }
unsigned WaitFlagOp::getTargetPipe() { return unsigned(getTarget()); }
int64_t WaitFlagOp::getEventId() { return getEvent(); }
Value WaitFlagOp::getEventSlot() { return getSlot(); }

devicekit::SyncKind PipeBarrierOp::getSyncKind() { return devicekit::SyncKind::Barrier; }
unsigned PipeBarrierOp::getSourcePipe() {
  return getPipe() == Pipe::ALL ? devicekit::kAllPipes : unsigned(getPipe());
}
unsigned PipeBarrierOp::getTargetPipe() { return getSourcePipe(); }
int64_t PipeBarrierOp::getEventId() { return 0; }
Value PipeBarrierOp::getEventSlot() { return {}; }

/// Whether a buffer is [1][N] of 32 bits, whole runs of 32 elements without gaps.
static bool isRunOfWords(MemRefType type, bool isFloat) {
  Type element = type.getElementType();
  return type.getRank() == 2 && type.hasStaticShape() && type.getShape()[0] == 1 &&
         type.getShape()[1] % 32 == 0 && (isFloat ? element.isF32() : element.isSignlessInteger(32)) &&
         type.getLayout().isIdentity();
}

LogicalResult SortOp::verify() {
  MemRefType keys = getKeys().getType(), indices = getIndices().getType(), dst = getDst().getType();
  if (!isRunOfWords(keys, true) || !isRunOfWords(indices, false) || !isRunOfWords(dst, false) ||
      indices.getShape()[1] != keys.getShape()[1] || dst.getShape()[1] != 2 * keys.getShape()[1]) // C1
    return emitOpError("from ")
           << keys << " and " << indices << " to " << dst
           << "; expected [1][N] of f32 and of i32, N a multiple of 32, to [1][2 N] of i32";
  return success();
}

LogicalResult MergeOp::verify() {
  MemRefType src = getSrc().getType(), dst = getDst().getType();
  int64_t distance = getDistance(), pairs = src.getNumElements() / 2;
  bool fits = isRunOfWords(src, false) && isRunOfWords(dst, false) && src == dst && distance > 0;
  ArrayRef<int64_t> lengths = getLengths();
  for (size_t i = 0; fits && i < lengths.size(); ++i)
    fits = lengths[i] >= 0 && lengths[i] <= distance && int64_t(i) * distance + lengths[i] <= pairs;
  if (!fits) // C1
    return emitOpError("from ") << src << " to " << dst << "; expected [1][2 N] of i32 that hold "
                                << lengths.size() << " lists at a distance of " << distance << " pairs";
  return success();
}

} // namespace kiln::npu::ir
