// main.cpp: jit-lsp-server: MLIR's language server with the dialects of kiln and of every backend, for
// editors.
#include "tools/mlir/Tooling.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  auto tooling = kiln::tools::Tooling::open("jit-lsp-server", registry);
  if (!tooling.ok()) {
    llvm::errs() << "jit-lsp-server: error: " << tooling.status().message() << '\n';
    return 3;
  }
  kiln::tools::UsageExit usage; // flags are parsed first, and nothing later calls exit()
  return failed(mlir::MlirLspServerMain(argc, argv, registry)) ? 1 : 0;
}
