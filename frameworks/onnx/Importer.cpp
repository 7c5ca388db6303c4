// Importer.cpp: the entry of libkiln_onnx.so.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/GraphImporter.h"
#include "frameworks/onnx/MappedFile.h"
#include "frameworks/onnx/ModelReader.h"
#include "frameworks/onnx/ShapeNeeds.h"

namespace kiln::onnx {
namespace {

Result<jit::ImportedModule> importModel(mlir::MLIRContext &context, const jit::ImportRequest &request) {
  jit::ImportRequest named = request;
  if (named.name.empty())
    named.name = named.path.empty() ? "model" : named.path;
  if (!named.bytes.data() && !named.path.empty()) {
    KILN_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, MappedFile::open(named.path));
    named.bytes = file->bytes();
    named.owner = file;
  }
  if (!named.function.empty() && named.function != "main")
    return Status(Code::NotFound, llvm::formatv("{0}: no function '{1}'; an ONNX model has 'main'",
                                                named.name, named.function));
  Result<std::shared_ptr<const Model>> model = readModel(named.bytes, named.owner);
  if (!model.ok())
    return at(named.name, model.status());
  GraphImporter importer(context, named, *model);
  Result<jit::ImportedModule> module = importer.import();
  if (!module.ok())
    module = importForShapesLater(context, named, *model, importer, module.status());
  if (!module.ok())
    return at(named.name, module.status());
  return module;
}

constexpr const char *kEndings[] = {".onnx", nullptr};
constexpr jit::ImporterInfo kInfo{sizeof(jit::ImporterInfo), "onnx", kEndings, looksLikeModel, importModel};

} // namespace
} // namespace kiln::onnx

extern "C" KILN_EXPORT const kiln::jit::ImporterInfo *kiln_importer_query_v1() { return &kiln::onnx::kInfo; }
