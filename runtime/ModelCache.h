// ModelCache.h: what models declare, kept so that a model whose programs are cached need not be imported.
#ifndef KILN_RUNTIME_MODELCACHE_H
#define KILN_RUNTIME_MODELCACHE_H

#include "runtime/ModelPort.h"
#include "runtime/RequestKey.h"
#include "runtime/cache/CacheStack.h"

namespace kiln {

/// What a model's import depends on.
struct ModelRequest {
  std::string contentDigest; // of the file alone
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

  /// What a model's file holds.
  struct Content {
    std::string digest; // SHA-256
    /// It may refer to files beside it, as ONNX's external data: the digest does not tell whether those
    /// changed.
    bool mayHaveFiles = false;
  };
  /// Remembered by the file's identity, so that an unchanged file is not read again. NotFound; Unknown with
  /// the system's reason.
  Result<Content> content(const std::string &path);

  /// Nothing if it is not known.
  std::optional<ModelDeclaration> find(const RequestKey &key);
  void insert(const RequestKey &key, const std::string &name, const ModelDeclaration &declaration);

private:
  CacheStack &stack;
};

} // namespace kiln
#endif // KILN_RUNTIME_MODELCACHE_H
