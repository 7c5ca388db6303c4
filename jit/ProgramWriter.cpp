// ProgramWriter.cpp: layout, then instructions.
#include "jit/ProgramWriter.h"

#include "jit/ProgramEmitter.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

Result<std::string> kiln::jit::writeProgram(ModuleOp module, const ProgramRequest &request) {
  KILN_ASSIGN_OR_RETURN(ProgramLayout layout,
                        ProgramLayout::analyse(module.lookupSymbol<func::FuncOp>("main")));
  return ProgramEmitter(module, request, std::move(layout)).write();
}
