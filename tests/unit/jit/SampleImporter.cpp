// SampleImporter.cpp: an importer of files that begin with "sample", sound or not as its file's name says.
#include "kiln/IR/Kiln.h"
#include "kiln/jit/Importer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace kiln;
using namespace kiln::jit;

namespace {
const char *const kSampleEndings[] = {".smp", nullptr};
const char kModule[] = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                       "  %y = kiln.neg %x : tensor<2xf32>\n  return %y : tensor<2xf32>\n}\n";

bool startsWithSample(llvm::ArrayRef<char> bytes) {
  return llvm::StringRef(bytes.data(), bytes.size()).starts_with("sample");
}

Result<ImportedModule> importSample(mlir::MLIRContext &context, const ImportRequest &) {
  ImportedModule imported;
  imported.module = mlir::parseSourceString<mlir::ModuleOp>(kModule, &context);
  return imported;
}

ImporterInfo sampleInfo = {sizeof(ImporterInfo), "sample", kSampleEndings, startsWithSample, importSample};
} // namespace

extern "C" KILN_EXPORT const ImporterInfo *kiln_importer_query_v1() {
  Dl_info library;
  if (!dladdr(reinterpret_cast<void *>(&kiln_importer_query_v1), &library))
    return nullptr;
  llvm::StringRef name = llvm::sys::path::stem(library.dli_fname);
  name.consume_front("libkiln_");
  if (name == "nothing")
    return nullptr;
  if (name == "older")
    sampleInfo.structSize = offsetof(ImporterInfo, import);
  if (name != "misnamed")
    sampleInfo.format = strdup(name.str().c_str()); // as long as the library stays
  if (name == "useless")
    sampleInfo.import = nullptr;
  if (name == "endless")
    sampleInfo.endings = nullptr;
  if (name == "ending")
    sampleInfo.recognise = nullptr;
  return &sampleInfo;
}
