// MlirImporter.cpp: parses .mlir and turns its large constants into weights.
#include "jit/MlirImporter.h"

#include "jit/Diagnostics.h"
#include "jit/Elements.h"
#include "jit/IrNesting.h"
#include "jit/KernelTestAttr.h"
#include "kiln/IR/Kiln.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
std::string nameOf(const ImportRequest &request) {
  return request.name.empty() ? request.path : request.name;
}

Result<OwningOpRef<ModuleOp>> parse(MLIRContext &context, const ImportRequest &request) {
  DiagnosticCollector diagnostics(context);
  llvm::SourceMgr sources;
  StringRef text(request.bytes.data(), request.bytes.size());
  KILN_RETURN_IF_ERROR(checkIrNesting(text, nameOf(request)));
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, nameOf(request)), SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return diagnostics.toStatus(Code::InvalidArgument, nameOf(request));
  return module;
}

std::vector<func::FuncOp> functionsOf(ModuleOp module) {
  std::vector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      functions.push_back(function);
  return functions;
}

std::string namesOf(llvm::ArrayRef<func::FuncOp> functions) {
  return llvm::join(
      llvm::map_range(functions, [](func::FuncOp f) { return ("'" + f.getName() + "'").str(); }), ", ");
}

Result<func::FuncOp> choose(const ImportRequest &request, llvm::ArrayRef<func::FuncOp> functions) {
  std::string file = nameOf(request) + ": ";
  if (functions.empty())
    return invalidArgument(file + "no function; expected a func.func of kiln ops");
  StringRef wanted = variantFunction(request.function);
  if (wanted.empty() && functions.size() == 1)
    return functions.front();
  if (wanted.empty())
    wanted = "main";
  for (func::FuncOp function : functions)
    if (function.getName() == wanted)
      return function;
  if (request.function.empty())
    return invalidArgument(file + "several functions and none is 'main'; choose one of " +
                           namesOf(functions));
  return makeError(Code::NotFound, file + "no function '" + wanted + "'; it has " + namesOf(functions));
}

// Large constants become weights: they are kept beside programs, by content, and never enter kernels.
Status extractWeights(ImportedModule &imported) {
  std::vector<ConstantOp> constants;
  imported.module->walk([&](ConstantOp op) {
    auto type = cast<RankedTensorType>(op.getType());
    if (!op->getParentOfType<KernelOp>() && !op.getValue().isSplat() &&
        byteSize(type) > static_cast<int64_t>(kInlineWeightBytes))
      constants.push_back(op);
  });
  for (ConstantOp op : constants) {
    KILN_ASSIGN_OR_RETURN(std::string bytes, constantBytes(op.getValue()));
    auto owner = std::make_shared<const std::string>(std::move(bytes));
    std::string digest = sha256Hex(*owner);
    OpBuilder builder(op);
    auto weight =
        builder.create<WeightOp>(op.getLoc(), op.getType(), builder.getStringAttr(digest), StringAttr());
    op.replaceAllUsesWith(weight.getResult());
    op.erase();
    imported.weights.emplace_back(digest,
                                  WeightData{llvm::ArrayRef<char>(owner->data(), owner->size()), owner});
  }
  return {};
}
} // namespace

Result<ImportedModule> kiln::jit::importMlir(MLIRContext &context, const ImportRequest &request) {
  ImportedModule imported;
  KILN_ASSIGN_OR_RETURN(imported.module, parse(context, request));
  std::vector<func::FuncOp> functions = functionsOf(*imported.module);
  KILN_ASSIGN_OR_RETURN(func::FuncOp chosen, choose(request, functions));
  for (auto function : llvm::make_early_inc_range(imported.module->getOps<func::FuncOp>()))
    if (function != chosen)
      function.erase();
  KILN_RETURN_IF_ERROR(refuseRecordings(chosen));
  KILN_ASSIGN_OR_RETURN(std::string test, applyTestAttr(chosen, request.function));
  (*imported.module)->setAttr(kTestAttr, StringAttr::get(&context, test)); // for libkiln_reference
  chosen.setName("main");
  KILN_RETURN_IF_ERROR(extractWeights(imported));
  return imported;
}

Result<std::vector<std::string>> kiln::jit::mlirFunctions(MLIRContext &context,
                                                          const ImportRequest &request) {
  KILN_ASSIGN_OR_RETURN(OwningOpRef<ModuleOp> module, parse(context, request));
  std::vector<std::string> names;
  for (func::FuncOp function : functionsOf(*module))
    llvm::append_range(names, testVariants(function));
  return names;
}

bool kiln::jit::recogniseMlir(llvm::ArrayRef<char> bytes) {
  StringRef text(bytes.data(), std::min<size_t>(bytes.size(), 1 << 16));
  return isBytecode(llvm::MemoryBufferRef(text, "")) ||
         ((text.contains("func.func") || text.contains("kiln.kernel")) && !text.contains('\0'));
}
