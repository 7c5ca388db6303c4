// RegisterCompiler.cpp: everything that the npu's compiler tier registers.
#include "backends/npu/IR/Npu.h"

#include "kiln/devicekit/Pipes.h"
#include "kiln/jit/CompilerRegistrar.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace kiln;
using namespace kiln::npu;

namespace {

Status registerNpuCompiler(jit::CompilerRegistrar &registrar) {
  registrar.addDialect<ir::NpuDialect, mlir::scf::SCFDialect, mlir::memref::MemRefDialect>();
  devicekit::registerPipePasses(registrar);
  return registrar.status();
}

} // namespace

KILN_BACKEND_COMPILER(npu, "0.1.0", registerNpuCompiler)
