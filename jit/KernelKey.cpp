// KernelKey.cpp: the fields of a kernel's key and their order (docs/stages.md).
#include "jit/KernelKey.h"

#include "jit/Elements.h"
#include "kiln/IR/Kiln.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
constexpr const char *kCanonicalSymbol = "kernel";

constexpr size_t kFieldDigits = 16; // kept of a field's digest: enough to compare, not to look up

// A tag and a length before each field: no two different lists of fields give the same bytes.
class KeyWriter {
public:
  void add(StringRef tag, StringRef value) {
    bytes += (tag + ":" + Twine(value.size()) + ":" + value + "\n").str();
    fields += (tag + " " + StringRef(sha256Hex(value)).take_front(kFieldDigits) + "\n").str();
  }
  KernelKey finish() { return {sha256Hex(bytes), std::move(fields)}; }

private:
  std::string bytes, fields;
};
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

KernelKey kiln::jit::kernelKey(StringRef canonicalText, const TargetKey &target) {
  KeyWriter key;
  key.add("schema", target.schema);
  key.add("ir", sha256Hex(canonicalText));
  key.add("pipeline", target.pipeline);
  key.add("triple", target.triple);
  key.add("arch", target.arch);
  key.add("features", target.features);
  key.add("options", target.options);
  key.add("backend", target.backend);
  key.add("producers", target.producers);
  key.add("build-ids", target.buildIds);
  key.add("abi", std::to_string(target.abiMajor) + "." + std::to_string(target.abiMinor));
  key.add("runtime-symbols", std::to_string(target.runtimeSymbolsVersion));
  return key.finish();
}
