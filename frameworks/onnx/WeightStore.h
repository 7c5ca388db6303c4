// WeightStore.h: the weights of a module, by the hash of their bytes.
#ifndef KILN_ONNX_WEIGHTSTORE_H
#define KILN_ONNX_WEIGHTSTORE_H

#include "kiln/jit/Importer.h"

#include "llvm/ADT/StringSet.h"

namespace kiln::onnx {

/// Collects what ImportedModule::weights wants: each content once. For one thread.
class WeightStore {
public:
  /// The SHA-256 of `bytes` in lower-case hex; keeps `owner` if the content is new.
  std::string add(llvm::ArrayRef<char> bytes, std::shared_ptr<const void> owner);
  std::vector<std::pair<std::string, jit::WeightData>> take() { return std::move(weights); }

private:
  llvm::StringSet<> digests;
  std::vector<std::pair<std::string, jit::WeightData>> weights;
};

} // namespace kiln::onnx
#endif // KILN_ONNX_WEIGHTSTORE_H
