// OpLines.cpp: locations become line numbers that count a kernel's ops, with the scopes that LLVM wants for
// them.
#include "backends/host/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_OPLINESPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

/// The number that kiln-host-describe gave the op that `loc` comes from, counted from 1; 0 if it comes from
/// none.
unsigned opNumber(Location loc) {
  unsigned number = 0;
  loc->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file || file.getFilename() != "op")
      return WalkResult::advance();
    number = file.getLine();
    return WalkResult::interrupt();
  });
  return number;
}

LLVM::DISubprogramAttr makeScope(LLVM::LLVMFuncOp func, LLVM::DICompileUnitAttr unit, LLVM::DIFileAttr file) {
  MLIRContext *context = func.getContext();
  auto type = LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {});
  auto name = StringAttr::get(context, func.getName());
  return LLVM::DISubprogramAttr::get(
      context, DistinctAttr::create(UnitAttr::get(context)), unit, file, name, name, file,
      /*line=*/1, /*scopeLine=*/1, LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized,
      type);
}

struct OpLinesPass : impl::OpLinesPassBase<OpLinesPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    auto file = LLVM::DIFileAttr::get(context, "kernel", "");
    auto unit = LLVM::DICompileUnitAttr::get(DistinctAttr::create(UnitAttr::get(context)),
                                             llvm::dwarf::DW_LANG_C, file, StringAttr::get(context, "kiln"),
                                             /*isOptimized=*/true, LLVM::DIEmissionKind::LineTablesOnly);
    auto tag = StringAttr::get(context, "kernel");
    for (auto func : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (func.isExternal())
        continue;
      func.getBody().walk(
          [&](Operation *op) { op->setLoc(FileLineColLoc::get(tag, opNumber(op->getLoc()), 1)); });
      func->setLoc(FusedLocWith<LLVM::DISubprogramAttr>::get({FileLineColLoc::get(tag, 1, 1)},
                                                             makeScope(func, unit, file), context));
    }
  }
};

} // namespace
} // namespace kiln::host
