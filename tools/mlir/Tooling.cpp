// Tooling.cpp: opens the runtime's registry and the compiler behind it; registers all of MLIR's passes and
// the dialects that kernels pass through. All of MLIR's dialects would take a quarter of a minute to compile.
#include "tools/mlir/Tooling.h"

#include "jit/Diagnostics.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/AllExtensions.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/InitAllPasses.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::jit;
using namespace kiln::tools;

namespace {
/// While it lives, what is printed to the standard output goes to the standard error: a backend that prints
/// while it is loaded must not get into IR or into the protocol of the language server.
class OutputAside {
public:
  OutputAside() : kept(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
    if (kept >= 0)
      dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  OutputAside(const OutputAside &) = delete;
  OutputAside &operator=(const OutputAside &) = delete;
  ~OutputAside() {
    fflush(stdout);
    if (kept >= 0) {
      dup2(kept, STDOUT_FILENO);
      close(kept);
    }
  }

private:
  const int kept;
};

bool isParsingFlags = false;
} // namespace

UsageExit::UsageExit() {
  isParsingFlags = true;
  on_exit(
      [](int code, void *) {
        if (isParsingFlags && code == 1)
          _Exit(2);
      },
      nullptr);
}

UsageExit::~UsageExit() { isParsingFlags = false; }

Result<Tooling> Tooling::open(llvm::StringRef tool, mlir::DialectRegistry &registry) {
  registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::bufferization::BufferizationDialect, mlir::cf::ControlFlowDialect,
                  mlir::func::FuncDialect, mlir::index::IndexDialect, mlir::linalg::LinalgDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect, mlir::vector::VectorDialect>();
  mlir::func::registerAllExtensions(registry);
  mlir::registerAllPasses();
  registerKilnPasses();
  Tooling tooling;
  OutputAside aside;
  KILN_ASSIGN_OR_RETURN(tooling.instance, Instance::create({}));
  KILN_ASSIGN_OR_RETURN(const KilnCompiler *table, tooling.instance->compiler().get());
  tooling.theCompiler = &compilerOf(*table);
  auto leftOut = [&](llvm::StringRef backend, const Status &status) {
    llvm::errs() << tool << ": warning: backend '" << backend << "' is left out: " << status.message()
                 << '\n';
  };
  KILN_RETURN_IF_ERROR(tooling.compiler().backends().loadAll(leftOut));
  tooling.compiler().registry().appendDialects(registry);
  return tooling;
}

Status Tooling::addStage(mlir::OpPassManager &pm, llvm::StringRef spelled,
                         llvm::StringRef defaultDevice) const {
  auto [device, stageText] =
      spelled.contains(':') ? spelled.split(':') : std::make_pair(defaultDevice, spelled);
  std::optional<Stage> stage = parseStage(stageText);
  if (!stage)
    return makeError(Code::InvalidArgument,
                     "unknown stage '" + stageText +
                         "'; expected graph, form, tensor, tile, buffer, lower or emit");
  if (device.empty())
    return makeError(Code::InvalidArgument, "stage '" + stageText + "': no device; expected DEVICE:" +
                                                stageText + " or --kiln-target=DEVICE");
  KILN_ASSIGN_OR_RETURN(auto type, instance->backends().deviceType(std::string_view(device)));
  KilnCompileTarget described = {};
  described.struct_size = sizeof(described);
  described.device_type = toStr(type->name);
  described.backend = toStr(type->backend);
  KILN_ASSIGN_OR_RETURN(described.info, targetInfo(*type, {}));
  Target target = Target::fromC(described);
  KILN_ASSIGN_OR_RETURN(auto pipeline, compiler().backends().pipeline(target));
  addStagePasses(pm, *pipeline, target, *stage);
  return {};
}
