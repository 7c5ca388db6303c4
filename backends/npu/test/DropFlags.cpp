// DropFlags.cpp: npu-drop-flags FILE...: kernels whose flags are placed (stage lower), each as assembly and
// then once more without each of its flags and barriers. Lines "== KERNEL" and "-- WITHOUT" begin the texts.
// npu-drop-flags --objects FOLDER FILE...: writes the objects of the kernels instead, KERNEL.o.
#include "backends/npu/EmitObject.h"
#include "backends/npu/IR/Npu.h"
#include "devicekit/PipeProgram.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <map>

using namespace mlir;
using namespace kiln;

namespace {

/// The ops of each flag and barrier of a module's kernel: of each kind of core, and between them.
std::vector<SmallVector<Operation *>> groupsOf(ModuleOp module) {
  std::vector<SmallVector<Operation *>> groups;
  std::map<int64_t, SmallVector<Operation *>> crossFlags;
  for (auto function : module.getOps<func::FuncOp>()) {
    const devicekit::MachineInterface *machine = devicekit::findMachine(function);
    FailureOr<devicekit::PipeProgram> program = failure();
    if (machine)
      program = devicekit::PipeProgram::create(function, *machine);
    if (succeeded(program))
      llvm::append_range(groups, devicekit::syncGroups(*program));
    function.walk([&](Operation *op) {
      if (isa<npu::ir::CrossSetOp, npu::ir::CrossWaitOp>(op))
        crossFlags[op->getAttrOfType<IntegerAttr>("flag").getInt()].push_back(op);
    });
  }
  for (auto &flag : crossFlags)
    groups.push_back(std::move(flag.second));
  return groups;
}

LogicalResult print(ModuleOp module, const Twine &head) {
  std::string text;
  llvm::raw_string_ostream os(text);
  jit::Target target;
  if (failed(npu::printAssembly(module, target, os)))
    return failure();
  llvm::outs() << head << "\n" << text;
  return success();
}

LogicalResult printVariants(MLIRContext &context, StringRef file) {
  OwningOpRef<ModuleOp> whole = parseSourceFile<ModuleOp>(file, &context);
  if (!whole || whole->getOps<func::FuncOp>().empty())
    return failure();
  if (failed(print(*whole, "== " + (*whole->getOps<func::FuncOp>().begin()).getName())))
    return failure();
  for (size_t number = 0, count = groupsOf(*whole).size(); number < count; ++number) {
    OwningOpRef<ModuleOp> part = whole->clone();
    SmallVector<Operation *> group = groupsOf(*part)[number];
    std::string name;
    llvm::raw_string_ostream(name) << *group.front();
    for (Operation *op : group)
      op->erase();
    if (failed(print(*part, "-- " + StringRef(name).split(" attributes").first)))
      return failure();
  }
  return success();
}

LogicalResult writeObjectOf(MLIRContext &context, StringRef file, StringRef folder) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(file, &context);
  jit::KernelObjectBuilder builder;
  if (!module || failed(npu::emitObject(*module, {}, builder)))
    return failure();
  std::error_code error;
  llvm::raw_fd_ostream out((folder + "/" + builder.symbol + ".o").str(), error);
  if (error)
    return emitError(module->getLoc(), "cannot write '") << folder << "': " << error.message();
  out.write(reinterpret_cast<const char *>(builder.object.data()), builder.object.size());
  return success();
}

} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  registry.insert<npu::ir::NpuDialect, affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect>();
  MLIRContext context(registry);
  bool wantsObjects = argc > 2 && StringRef(argv[1]) == "--objects";
  ArrayRef<const char *> files(argv + 1, argc - 1);
  for (const char *file : wantsObjects ? files.drop_front(2) : files)
    if (failed(wantsObjects ? writeObjectOf(context, file, argv[2]) : printVariants(context, file)))
      return 3;
  return argc > 1 ? 0 : 2;
}
