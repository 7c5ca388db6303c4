// Npu.h: the npu dialect and its ops.
#ifndef KILN_BACKENDS_NPU_IR_NPU_H
#define KILN_BACKENDS_NPU_IR_NPU_H

#include "backends/npu/Target.h"
#include "kiln/devicekit/PipeOps.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "backends/npu/IR/NpuEnums.h.inc"

namespace kiln::npu::ir {

using devicekit::PipeAccess;
using devicekit::PipeOpInterface;
using devicekit::PlacedBufferInterface;
using devicekit::SyncOpInterface;

/// Names the chip of a module or function: "910b" (also where it is absent) or "910a".
inline constexpr llvm::StringLiteral kChipAttr = "npu.chip";

/// The figures of the chip that the ops around `at` are for.
const Target &targetOf(mlir::Operation *at);

/// The figures of the chip that a pass's option names; null, and an error at `at`, if there is no such chip.
const Target *findTarget(llvm::StringRef chip, mlir::Operation *at);

/// The memory of a memref; nothing if its memory space is not `#npu.memory`.
std::optional<Memory> memoryOf(mlir::Type memref);
inline bool isIn(mlir::Type memref, Memory memory) { return memoryOf(memref) == memory; }

/// Appends the op's memref operands, those of `written` as writes.
void addAccesses(mlir::Operation *op, llvm::ArrayRef<mlir::Value> written,
                 llvm::SmallVectorImpl<PipeAccess> &accesses);

/// Elements in 32 bytes: C0 of the fractal layouts.
inline int64_t blockElements(mlir::Type element) { return 32 * 8 / element.getIntOrFloatBitWidth(); }

/// Repeats, of 256 bytes each, of a buffer or view; of the largest where extents are not known.
int64_t repeatCount(mlir::Value memref);

/// What MachineInterface says of vector ops on UB: see mayWriteOver, bankConflicts and placesFrom there.
bool worksInPlace(mlir::Operation *op, mlir::Value source, mlir::Value result);
int64_t bankCycles(mlir::Operation *op, devicekit::MachineInterface::AddressOf addressOf);
llvm::SmallVector<int64_t> bankPlaces(mlir::Operation *at, int64_t from);

} // namespace kiln::npu::ir

#include "backends/npu/IR/NpuDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "backends/npu/IR/NpuAttrs.h.inc"
#define GET_OP_CLASSES
#include "backends/npu/IR/NpuOps.h.inc"

#endif // KILN_BACKENDS_NPU_IR_NPU_H
