// NpuDialect.cpp: registration of the dialect, and what the shared passes ask of the machine.
#include "backends/npu/IR/Npu.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "backends/npu/IR/NpuDialect.cpp.inc"
#include "backends/npu/IR/NpuEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "backends/npu/IR/NpuAttrs.cpp.inc"

namespace kiln::npu::ir {
namespace {

constexpr unsigned kPipes = 7;

Pipe pipeAt(unsigned pipe) { return pipe == devicekit::kAllPipes ? Pipe::ALL : Pipe(pipe); }

class NpuMachine final : public devicekit::MachineInterface {
public:
  explicit NpuMachine(Dialect *dialect) : MachineInterface(dialect) {}
  unsigned pipeCount() const override { return kPipes; }
  StringRef pipeName(unsigned pipe) const override { return stringifyPipe(pipeAt(pipe)); }
  unsigned scalarPipe() const override { return unsigned(Pipe::S); }
  // Transfers and the vector unit start an instruction while the last ones are in flight; the cube
  // accumulates in order.
  bool completesInOrder(unsigned pipe) const override {
    return Pipe(pipe) == Pipe::S || Pipe(pipe) == Pipe::M;
  }
  unsigned eventCount(Operation *at, unsigned, unsigned) const override { return targetOf(at).eventsPerPair; }

  std::optional<devicekit::LocalMemory> localMemory(Operation *at, Attribute space) const override {
    auto memory = dyn_cast_or_null<MemoryAttr>(space);
    if (!memory)
      return std::nullopt;
    const Target &target = targetOf(at);
    auto make = [&](uint64_t bytes, uint64_t alignment) {
      return devicekit::LocalMemory{stringifyMemory(memory.getValue()), int64_t(bytes), int64_t(alignment)};
    };
    switch (memory.getValue()) {
    case Memory::GM:
      return std::nullopt;
    case Memory::L1:
      return make(target.l1Bytes, target.blockBytes);
    case Memory::L0A:
      return make(target.l0aBytes, target.fractalBytes);
    case Memory::L0B:
      return make(target.l0bBytes, target.fractalBytes);
    case Memory::L0C:
      return make(target.l0cBytes, target.fractalBytes);
    case Memory::UB:
      return make(target.ubBytes, target.blockBytes);
    case Memory::BT:
      return make(target.btBytes, target.tableAlignBytes);
    case Memory::FB:
      return make(target.fbBytes, target.tableAlignBytes);
    }
    llvm_unreachable("a memory");
  }

  bool mayWriteOver(Operation *op, Value source, Value result) const override {
    return worksInPlace(op, source, result);
  }
  int64_t bankConflicts(Operation *op, AddressOf addressOf) const override {
    return bankCycles(op, addressOf);
  }
  SmallVector<int64_t> placesFrom(Operation *at, const devicekit::LocalMemory &memory,
                                  int64_t from) const override {
    return memory.name == stringifyMemory(Memory::UB) ? bankPlaces(at, from) : SmallVector<int64_t>{from};
  }

  Value place(OpBuilder &builder, Location loc, MemRefType type, ArrayRef<int64_t> addresses,
              Value slot) const override {
    return builder.create<BufferOp>(loc, type, addresses, slot);
  }
  void setFlag(OpBuilder &builder, Location loc, unsigned source, unsigned target, int64_t event,
               Value slot) const override {
    builder.create<SetFlagOp>(loc, pipeAt(source), pipeAt(target), event, slot);
  }
  void waitFlag(OpBuilder &builder, Location loc, unsigned source, unsigned target, int64_t event,
                Value slot) const override {
    builder.create<WaitFlagOp>(loc, pipeAt(source), pipeAt(target), event, slot);
  }
  void barrier(OpBuilder &builder, Location loc, unsigned pipe) const override {
    builder.create<PipeBarrierOp>(loc, pipeAt(pipe));
  }
};

} // namespace

void NpuDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "backends/npu/IR/NpuAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "backends/npu/IR/NpuOps.cpp.inc"
      >();
  addInterfaces<NpuMachine>();
}

const Target &targetOf(Operation *at) {
  for (; at; at = at->getParentOp())
    if (auto chip = at->getAttrOfType<StringAttr>(kChipAttr))
      if (Result<ChipClass> known = parseChip({chip.data(), chip.size()}); known.ok())
        return Target::of(known.value());
  return Target::of(ChipClass::Ascend910B);
}

const Target *findTarget(StringRef chip, Operation *at) {
  Result<ChipClass> known = parseChip({chip.data(), chip.size()});
  if (known.ok())
    return &Target::of(known.value());
  at->emitError("npu: ") << std::string(known.status().message());
  return nullptr;
}

std::optional<Memory> memoryOf(Type memref) {
  auto type = dyn_cast<MemRefType>(memref);
  auto memory = type ? dyn_cast_or_null<MemoryAttr>(type.getMemorySpace()) : MemoryAttr();
  return memory ? std::optional(memory.getValue()) : std::nullopt;
}

void addAccesses(Operation *op, ArrayRef<Value> written, SmallVectorImpl<PipeAccess> &accesses) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) && !llvm::is_contained(written, operand.get()))
      accesses.push_back({operand.get(), false});
  for (Value value : written)
    accesses.push_back({value, true});
}

} // namespace kiln::npu::ir
