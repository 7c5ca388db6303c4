// ImportService.h: finds the importer of a model and makes a Model of what it gives.
#ifndef KILN_JIT_IMPORTSERVICE_H
#define KILN_JIT_IMPORTSERVICE_H

#include "jit/Model.h"
#include "jit/PipelineRegistry.h"
#include "kiln/compiler.h"

#include <map>
#include <mutex>

namespace kiln::jit {

/// Built-in importer for "mlir"; every other format is a library libkiln_<format>.so beside
/// libkiln_compiler.so (`folder`: beside another), opened at first need if its note fits. Ownership: borrows
/// host and registry; libraries stay open. Threads: safe from any thread.
class ImportService {
public:
  ImportService(const KilnCompilerHost &host, const PipelineRegistry &registry, std::string folder = {});

  /// Errors: Importer.h; NotFound no file or no importer of that format; FailedPrecondition an importer that
  /// does not fit this process; InvalidArgument an unknown format,
  /// or a function that uses what programs do not have.
  Result<std::unique_ptr<KilnImportedModel>> import(const KilnImportArgs &args);
  /// The functions that import could take, in file order.
  Result<std::vector<std::string>> functions(const KilnImportArgs &args);

private:
  Result<std::unique_ptr<KilnImportedModel>> import(ImportRequest request, const ImporterInfo &importer,
                                                    KilnDType precision);
  Result<const ImporterInfo *> importer(llvm::StringRef format);
  Result<const ImporterInfo *> open(llvm::StringRef format, const std::string &path);
  Result<const ImporterInfo *> find(const KilnImportArgs &args, const ImportRequest &request);
  Result<const ImporterInfo *> recognise(const ImportRequest &request);

  const KilnCompilerHost &host;
  const PipelineRegistry &registry;
  const std::string folder;
  std::mutex mutex;                                                           // guards importers
  std::map<std::string, Result<const ImporterInfo *>, std::less<>> importers; // also those that do not fit
};

} // namespace kiln::jit
#endif // KILN_JIT_IMPORTSERVICE_H
