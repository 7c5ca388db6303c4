// ImportService.h: finds the importer of a model and makes a Model of what it gives.
#ifndef KILN_JIT_IMPORTSERVICE_H
#define KILN_JIT_IMPORTSERVICE_H

#include "jit/Model.h"
#include "jit/PipelineRegistry.h"

#include <map>
#include <mutex>

namespace kiln::jit {

/// Built-in importer for "mlir"; every other format is a library libkiln_<format>.so beside
/// libkiln_compiler.so, opened at first need. Ownership: borrows the registry; libraries stay open. Threads:
/// safe from any thread.
class ImportService {
public:
  explicit ImportService(const PipelineRegistry &registry) : registry(registry) {}

  /// Errors: Importer.h; NotFound no file or no importer of that format; InvalidArgument an unknown format,
  /// or a function that uses what programs do not have.
  Result<std::unique_ptr<KilnImportedModel>> import(const KilnImportArgs &args);
  /// The functions that import could take, in file order.
  Result<std::vector<std::string>> functions(const KilnImportArgs &args);

private:
  Result<std::unique_ptr<KilnImportedModel>> import(ImportRequest request, const ImporterInfo &importer,
                                                    KilnDType precision);
  Result<const ImporterInfo *> importer(llvm::StringRef format);
  Result<const ImporterInfo *> find(const KilnImportArgs &args, const ImportRequest &request);
  Result<const ImporterInfo *> recognise(const ImportRequest &request);

  const PipelineRegistry &registry;
  std::mutex mutex;
  std::map<std::string, const ImporterInfo *, std::less<>> importers;
};

} // namespace kiln::jit
#endif // KILN_JIT_IMPORTSERVICE_H
