// kiln/jit/Importer.h: what a model importer (libkiln_onnx ...) is to the compiler.
//
// An importer is a shared library libkiln_<format>.so beside libkiln_compiler.so that exports one symbol,
// `extern "C" const ImporterInfo *kiln_importer_query_v1()`. As a backend's compiler tier it shares C++ with
// Kiln and must be built for this Kiln, LLVM and C++ library: its ELF note says for which (CMake:
// kiln_library_note) and is read before it is loaded. One that does not fit, or whose ImporterInfo is
// incomplete, is refused: FailedPrecondition.
#ifndef KILN_JIT_IMPORTER_H
#define KILN_JIT_IMPORTER_H

#include "kiln/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>
#include <vector>

namespace kiln::jit {

/// A weight's bytes and what keeps them alive: a mapped file or a string.
struct WeightData {
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
};

/// The extents of one input, all known. An empty name goes by position.
struct InputShape {
  std::string name;
  std::vector<int64_t> dims;
};

/// The model to import. `bytes` outlives the call and, as `owner`, everything that refers to it.
struct ImportRequest {
  std::string path; // "" if it came as bytes
  std::string name; // for messages and locations
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
  std::string function;
  std::vector<InputShape> shapes; // import for these; inputs that are not listed: as declared
};

/// The module that a model became: one func.func @main (kiln ops on tensors; see docs/reference/ops.md) whose
/// arguments and results carry {kiln.name = "..."} and {kiln.dim_names = ["N", ""]} attributes. Dynamic
/// extents are `?`; shape computations are index arithmetic on tensor.dim; what a run must fulfil is a
/// cf.assert. Weights above kInlineWeightBytes
/// are `kiln.weight @sha256 : tensor<...>` ops whose digest keys `weights`; smaller ones are kiln.constant.
/// If the model can be imported for known input shapes only, `needsShapes` says why, and @main is a
/// declaration with the types that the model declares: import again with `shapes` of every input.
struct ImportedModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::pair<std::string, WeightData>> weights; // by SHA-256 of the bytes, lower-case hex
  std::string needsShapes = {};
};
inline constexpr size_t kInlineWeightBytes = 512;

/// Imports into `context`, whose kiln, func, arith, tensor, scf and cf dialects are loaded.
/// InvalidArgument: malformed, with the place; shapes that contradict what the model declares.
/// Unimplemented: one message that lists every unsupported operator.
using ImportFn = Result<ImportedModule> (*)(mlir::MLIRContext &context, const ImportRequest &request);

/// What an importer is. Static: neither freed nor changed. Threads: its functions are called from any, also
/// at once.
struct ImporterInfo {
  size_t structSize;                             // sizeof(ImporterInfo)
  const char *format;                            // "onnx", as the library's name has it
  const char *const *endings;                    // {".onnx", nullptr}
  bool (*recognise)(llvm::ArrayRef<char> bytes); // by content; null: a model is known by its name's ending
  ImportFn import;
};

using ImporterQueryFn = const ImporterInfo *(*)();
#define KILN_IMPORTER_QUERY_SYMBOL "kiln_importer_query_v1"

} // namespace kiln::jit
#endif // KILN_JIT_IMPORTER_H
