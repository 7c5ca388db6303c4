// Model.h: a loaded model: a program file, or an IR module that the compiler imported.
#ifndef KILN_RUNTIME_MODEL_H
#define KILN_RUNTIME_MODEL_H

#include "kiln/kiln.h"
#include "kiln/reference.h"
#include "runtime/Bundle.h"
#include "runtime/Instance.h"
#include "runtime/ModelContent.h"

#include <functional>

namespace kiln {

/// A model whose declaration the cache has is imported only when something asks for its module.
/// Ownership: shares the instance; owns the imported module or the program file. Threads: every member is
/// safe from any thread; the first that asks for the module imports it, others wait.
class Model {
public:
  struct Options {
    std::string format, function, name;
    std::vector<std::pair<std::string, std::vector<int64_t>>> shapes; // by name or, if that is "", position
    KilnDType precision = KILN_DTYPE_INVALID;                         // of f32 tensors; none: f32
  };
  /// `path` with empty `bytes`, or `bytes` (borrowed for the call) with a name in the options.
  static Result<std::shared_ptr<const Model>>
  load(std::shared_ptr<Instance> instance, const std::string &path, ByteSpan bytes, const Options &options);
  /// The functions of a file, in file order; a program file has one.
  static Status visitFunctions(Instance &instance, const std::string &path, const Options &options,
                               const std::function<void(std::string_view)> &visit);
  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  const std::string &name() const { return theName; }
  const std::string &digest() const { return theDigest; }
  const std::string &function() const { return theFunction; }
  const std::vector<ModelPort> &inputs() const { return theInputs; }
  const std::vector<ModelPort> &outputs() const { return theOutputs; }
  uint64_t importNs() const { return theImportNs.load(std::memory_order_relaxed); }
  /// Null if the model is not one.
  const ProgramFileRef &programFile() const { return theFile; }
  const BundleRef &bundle() const { return theBundle; }
  /// The imported module to compile for these shapes, -1: dynamic; lives with the model. Imports now what was
  /// not: the model, and once a set of shapes where it cannot be imported without. Not for a program file or
  /// bundle. FailedPrecondition: the file is not what it was when the model was loaded.
  Result<KilnImportedModel *> importedFor(std::span<const std::vector<int64_t>> inputDims) const;
  /// The attribute kiln.test as JSON; "" if there is none. Opens libkiln_reference, as reference() does.
  Result<std::string_view> test() const;
  /// Evaluates an imported model op by op; `inputs` are matched and dense on the host.
  Status reference(std::span<const KilnTensor *const> inputs,
                   const std::function<void(const KilnReferenceResult &)> &visit) const;
  /// Bytes of a weight by digest: of the file or of the cache, else of the module for these shapes; those
  /// live with the model and have no owner. NotFound.
  Result<OwnedBytes> weight(std::string_view digest, std::span<const std::vector<int64_t>> inputDims) const;

private:
  explicit Model(std::shared_ptr<Instance> instance) : instance(std::move(instance)) {}
  Status loadProgram(const std::string &path, ByteSpan bytes);
  Status loadBundle(const std::string &path);
  Result<KilnImportedModel *> imported() const;
  Status loadModel();
  Status readContent();
  Result<RequestKey> cacheKey() const;
  Status importNow() const; // under `importing`
  Result<ModelDeclaration> declaration() const;
  Result<std::vector<ModelPort>> readPorts(bool isOutput) const;

  const std::shared_ptr<Instance> instance;
  std::string theName, theDigest, theFunction;
  std::vector<ModelPort> theInputs, theOutputs;
  ProgramFileRef theFile;
  BundleRef theBundle;
  // Where it is imported from.
  std::string importedDigest; // as the compiler gives it
  ModelContent content;
  std::string path;
  OwnedBytes bytes; // if there is no path; borrowed during load(), a copy where it is imported later
  Options options;
  mutable std::mutex importing; // guards what follows
  mutable std::atomic<uint64_t> theImportNs{0};
  mutable const KilnCompiler *compiler = nullptr;
  mutable KilnImportedModel *theImported = nullptr;
};

using ModelRef = std::shared_ptr<const Model>;

/// "2x?x4"; "scalar" for rank 0.
std::string shapeText(std::span<const int64_t> dims);

} // namespace kiln
#endif // KILN_RUNTIME_MODEL_H
