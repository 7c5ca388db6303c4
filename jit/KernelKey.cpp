// KernelKey.cpp: the fields of a kernel's key and their order (docs/stages.md).
#include "jit/KernelKey.h"

#include "jit/Elements.h"
#include "kiln/IR/Kiln.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
constexpr const char *kSchema = "kiln-kernel-key 1";
constexpr const char *kCanonicalSymbol = "kernel";

// A tag and a length before each field: no two different lists of fields give the same bytes.
void append(std::string &bytes, StringRef tag, StringRef value) {
  bytes += (tag + ":" + Twine(value.size()) + ":" + value + "\n").str();
}
} // namespace

std::string kiln::jit::canonicalKernelText(ModuleOp kernelModule) {
  OwningOpRef<ModuleOp> copy = kernelModule.clone();
  for (auto kernel : copy->getOps<KernelOp>())
    kernel.setName(kCanonicalSymbol);
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Every flag that decides the text is set here: defaults may come from command-line options.
  OpPrintingFlags flags;
  flags.enableDebugInfo(false).elideLargeElementsAttrs(INT64_MAX).printGenericOpForm(true).useLocalScope();
  copy->print(stream, flags);
  return text;
}

std::string kiln::jit::kernelKey(StringRef canonicalText, const TargetKey &target) {
  std::string bytes;
  append(bytes, "schema", kSchema);
  append(bytes, "ir", sha256Hex(canonicalText));
  append(bytes, "pipeline", target.pipeline);
  append(bytes, "triple", target.triple);
  append(bytes, "arch", target.arch);
  append(bytes, "features", target.features);
  append(bytes, "options", target.options);
  append(bytes, "backend", target.backend);
  append(bytes, "producers", target.producers);
  append(bytes, "build-ids", target.buildIds);
  append(bytes, "abi", std::to_string(KILN_ABI_MAJOR) + "." + std::to_string(KILN_ABI_MINOR));
  append(bytes, "runtime-symbols", std::to_string(target.runtimeSymbolsVersion));
  return sha256Hex(bytes);
}
