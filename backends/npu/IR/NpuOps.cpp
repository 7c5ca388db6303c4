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

} // namespace kiln::npu::ir
