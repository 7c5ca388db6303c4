// KernelStore.h: compiled kernels below memory: overrides, cache entries, else compiled; dumped where wanted.
#ifndef KILN_RUNTIME_KERNELSTORE_H
#define KILN_RUNTIME_KERNELSTORE_H

#include "runtime/KernelMetadata.h"
#include "runtime/cache/CacheStack.h"

#include <functional>

namespace kiln {

/// A kernel that is wanted.
struct KernelRequest {
  KernelRequest(std::string key) : key(std::move(key)) {} // NOLINT: tests ask by the key alone
  KernelRequest(const char *key) : key(key) {}            // NOLINT
  std::string key, name;
  std::string deviceType, features; // of the device
  std::string fields;               // digests of the key's fields, as KernelRef.key_fields
  bool isCompiledAnyway = false;    // what files have is not looked at: somebody wants to see the stages
};

/// Compiles a kernel; called at most once at a time for a key.
using KernelCompileFn = std::function<Result<CompiledKernelRef>()>;

/// "tag digest" lines as pairs.
std::vector<std::pair<std::string, std::string>> parseKeyFields(std::string_view text);

/// Ownership: shares the stack. Threads: every member is safe from any thread.
class KernelStore {
public:
  explicit KernelStore(std::shared_ptr<CacheStack> stack) : stack(std::move(stack)) {}

  /// Fails as `compile` does; FailedPrecondition if there is no entry and the mode requires one, with the
  /// nearest entry and the fields of the key in which it differs. `wasFound`: nothing was compiled.
  Result<CompiledKernelRef> get(const KernelRequest &request, const KernelCompileFn &compile, bool &wasFound);

private:
  CompiledKernelRef findOverride(const KernelRequest &request);
  CompiledKernelRef find(const KernelRequest &request, const EntryAddress &address);
  void insert(const KernelRequest &request, const EntryAddress &address, const CompiledKernel &kernel);
  void dump(const KernelRequest &request, const CompiledKernel &kernel);
  const std::shared_ptr<CacheStack> stack; // may be null: nothing below memory
};

} // namespace kiln
#endif // KILN_RUNTIME_KERNELSTORE_H
