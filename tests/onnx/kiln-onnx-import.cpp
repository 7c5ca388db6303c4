// kiln-onnx-import.cpp: kiln-onnx-import MODEL.onnx prints the imported module; --ops prints the table of
// operators;
// --locations adds the nodes' places, --counts prints how often each op occurs instead.
#include "frameworks/onnx/OpTable.h"
#include "kiln/IR/Kiln.h"
#include "kiln/jit/Importer.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <map>

extern "C" const kiln::jit::ImporterInfo *kiln_importer_query_v1();

int main(int argc, char **argv) {
  llvm::ArrayRef<char *> arguments(argv + 1, static_cast<size_t>(argc - 1));
  auto has = [&](llvm::StringRef flag) { return llvm::is_contained(arguments, flag); };
  if (has("--ops")) {
    llvm::outs() << kiln::onnx::opTableMarkdown();
    return 0;
  }
  if (arguments.empty()) {
    llvm::errs() << "usage: kiln-onnx-import MODEL.onnx [--locations|--counts] | --ops\n";
    return 2;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<kiln::KilnDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
                      mlir::tensor::TensorDialect, mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect>();
  kiln::jit::ImportRequest request;
  request.path = arguments.front();
  request.name = llvm::StringRef(request.path).rsplit('/').second.empty()
                     ? request.path
                     : llvm::StringRef(request.path).rsplit('/').second.str();
  kiln::Result<kiln::jit::ImportedModule> imported = kiln_importer_query_v1()->import(context, request);
  if (!imported.ok()) {
    llvm::errs() << "error: " << imported.status().message() << "\n";
    return 3;
  }
  if (has("--counts")) {
    std::map<std::string, int> counts;
    imported->module->walk([&](mlir::Operation *op) { ++counts[op->getName().getStringRef().str()]; });
    for (const auto &[name, count] : counts)
      llvm::outs() << name << " " << count << "\n";
    llvm::outs() << "weights " << imported->weights.size() << "\n";
    return 0;
  }
  mlir::OpPrintingFlags flags;
  if (has("--locations"))
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  imported->module->print(llvm::outs(), flags);
  return 0;
}
