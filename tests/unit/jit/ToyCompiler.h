// ToyCompiler.h: an opened compiler with a backend 'toy' that lives in the test, and helpers over its C
// table.
#ifndef KILN_TESTS_UNIT_JIT_TOYCOMPILER_H
#define KILN_TESTS_UNIT_JIT_TOYCOMPILER_H

#include "kiln/compiler.h"
#include "kiln/jit/CompilerRegistrar.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kiln::jit::testing {

/// The host's side as a test needs it. Backends are register functions by name; extensions as manifests
/// declare them.
struct FakeHost {
  FakeHost();
  KilnCompilerHost table = {};
  std::map<std::string, KilnBackendCompilerQueryFn> backends;
  void (*onOpen)() = nullptr; // called where a backend's library would be opened, but for toy's
  struct Extension {
    std::string backend, target, stage;
    bool after;
  };
  std::vector<Extension> extensions;
  std::string refusedLoader;
  std::vector<std::string> kernelLoaders;    // "backend/format/loader"
  std::map<std::string, std::string> owners; // of device types; others belong to the backend of their name
};

/// A backend's query function for a register function.
template <Status (*registerFn)(CompilerRegistrar &)>
KilnStatus queryAs(KilnBackendCompiler *out, const char *name) {
  out->abi_major = KILN_ABI_MAJOR;
  out->abi_minor = KILN_ABI_MINOR;
  out->name = toStr(name);
  out->version = toStr("1.0");
  out->init = [](void *, const KilnHost *host, void *registrar) -> KilnStatus {
    return registerFn(*static_cast<CompilerRegistrar *>(registrar)).toC(*host);
  };
  return nullptr;
}

/// Stages without passes, an object emitter that describes the kernel, an emitter "text".
Status registerToy(CompilerRegistrar &registrar);
KilnStatus queryToy(const KilnHost *, KilnBackendCompiler *out);

struct ModelDeleter {
  void (*release)(KilnImportedModel *);
  void operator()(KilnImportedModel *model) const { release(model); }
};
using ModelHandle = std::unique_ptr<KilnImportedModel, ModelDeleter>;

/// The compiler of one test process.
class ToyCompiler {
public:
  explicit ToyCompiler(FakeHost &host);
  const KilnCompiler &table() const { return compiler; }

  Result<ModelHandle> import(std::string_view text, std::string_view function = "",
                             std::string_view format = "mlir");
  /// Input shapes; none: as the model declares them.
  Result<std::string> build(KilnImportedModel *model, const std::vector<std::vector<int64_t>> &shapes,
                            std::string_view dumpDir = "");
  Result<std::string> compile(std::string_view ir, std::string_view key, std::string_view name);
  Result<std::string> emit(KilnImportedModel *model, const std::vector<std::vector<int64_t>> &shapes,
                           std::string_view what);

private:
  KilnCompiler compiler = {};
};

KilnCompileTarget toyTarget();

} // namespace kiln::jit::testing
#endif // KILN_TESTS_UNIT_JIT_TOYCOMPILER_H
