// Model.h: a loaded model: a program file, or an IR module that the compiler imported.
#ifndef KILN_RUNTIME_MODEL_H
#define KILN_RUNTIME_MODEL_H

#include "kiln/kiln.h"
#include "kiln/reference.h"
#include "runtime/Instance.h"

#include <functional>

namespace kiln {

/// One input or output as the model declares it.
struct ModelPort {
  std::string name;
  KilnDType dtype = KILN_DTYPE_INVALID;
  std::vector<int64_t> dims;         // -1: dynamic
  std::vector<std::string> dimNames; // as many as dims
};

/// Ownership: shares the instance; owns the imported module or the program file. Threads: immutable.
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
  uint64_t importNs() const { return theImportNs; }
  /// Null if the model was imported.
  const ProgramFileRef &programFile() const { return theFile; }
  bool isImported() const { return theImported != nullptr; }
  /// The imported module to compile for these shapes, -1: dynamic; lives with the model. Imports once a set
  /// of shapes where the model cannot be imported without. Not for a program file.
  Result<KilnImportedModel *> importedFor(std::span<const std::vector<int64_t>> inputDims) const;
  /// The attribute kiln.test as JSON; "" if there is none. Opens libkiln_reference, as reference() does.
  Result<std::string_view> test() const;
  /// Evaluates an imported model op by op; `inputs` are matched and dense on the host.
  Status reference(std::span<const KilnTensor *const> inputs,
                   const std::function<void(const KilnReferenceResult &)> &visit) const;
  /// Bytes of a weight by digest; they live with the model. NotFound.
  Result<ByteSpan> weight(std::string_view digest) const;

private:
  explicit Model(std::shared_ptr<Instance> instance) : instance(std::move(instance)) {}
  Status loadProgram(const std::string &path, ByteSpan bytes);
  Status import(const std::string &path, ByteSpan bytes, const Options &options);
  Status readPorts(bool isOutput, std::vector<ModelPort> &ports);

  const std::shared_ptr<Instance> instance;
  std::string theName, theDigest, theFunction;
  std::vector<ModelPort> theInputs, theOutputs;
  uint64_t theImportNs = 0;
  ProgramFileRef theFile;
  const KilnCompiler *compiler = nullptr;
  KilnImportedModel *theImported = nullptr;
};

using ModelRef = std::shared_ptr<const Model>;

/// "2x?x4"; "scalar" for rank 0.
std::string shapeText(std::span<const int64_t> dims);

} // namespace kiln
#endif // KILN_RUNTIME_MODEL_H
