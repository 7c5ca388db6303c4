// Dialect.cpp: registers the ops and what the shared passes over pipes ask of the machine.
#include "Compiler/Foo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

#include "FooDialect.cpp.inc"
#define GET_OP_CLASSES
#include "FooOps.cpp.inc"

namespace {

using namespace mlir;

/// One pipe that executes everything in order: no flags, and no memory but the host's.
class FooMachine final : public kiln::devicekit::MachineInterface {
public:
  using MachineInterface::MachineInterface;
  unsigned pipeCount() const override { return 1; }
  StringRef pipeName(unsigned) const override { return "S"; }
  unsigned scalarPipe() const override { return 0; }
  bool completesInOrder(unsigned) const override { return true; }
  unsigned eventCount(Operation *, unsigned, unsigned) const override { return 0; }
  std::optional<kiln::devicekit::LocalMemory> localMemory(Operation *, Attribute) const override {
    return std::nullopt;
  }
  Value place(OpBuilder &, Location, MemRefType, ArrayRef<int64_t>, Value) const override {
    llvm_unreachable("no local memory");
  }
  void setFlag(OpBuilder &, Location, unsigned, unsigned, int64_t, Value) const override {
    llvm_unreachable("no flags");
  }
  void waitFlag(OpBuilder &, Location, unsigned, unsigned, int64_t, Value) const override {
    llvm_unreachable("no flags");
  }
  void barrier(OpBuilder &, Location, unsigned) const override { llvm_unreachable("one pipe, in order"); }
};

} // namespace

void foo::FooDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "FooOps.cpp.inc"
      >();
  addInterfaces<FooMachine>();
}
