// ModelCache.h: what models declare, kept so that a model whose programs are cached need not be imported.
#ifndef KILN_RUNTIME_MODELCACHE_H
#define KILN_RUNTIME_MODELCACHE_H

#include "runtime/ModelPort.h"
#include "runtime/RequestKey.h"
#include "runtime/cache/CacheStack.h"

namespace kiln {

/// What a model's import depends on.
struct ModelRequest {
  std::string contentDigest; // of the file, and of the files that it names
  std::string format, function, ending;
  std::string compilerVersion;                                      // CompilerHandle::identity
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes; // that it is imported for
  KilnDType precision = KILN_DTYPE_INVALID;                         // that it is imported in
};
RequestKey modelRequestKey(const ModelRequest &request);

/// What an import gives besides the module. Plain data.
struct ModelDeclaration {
  std::string digest; // as the compiler gives it
  std::vector<ModelPort> inputs, outputs;
};

/// Ownership: borrows the stack. Threads: every member is safe from any thread.
class ModelCache {
public:
  explicit ModelCache(CacheStack &stack) : stack(stack) {}

  static EntryAddress addressOf(const RequestKey &key);
  /// Nothing if it is not known. `name`: for people.
  std::optional<ModelDeclaration> find(const RequestKey &key, const std::string &name);
  void insert(const RequestKey &key, const std::string &name, const ModelDeclaration &declaration);

private:
  CacheStack &stack;
};

} // namespace kiln
#endif // KILN_RUNTIME_MODELCACHE_H
