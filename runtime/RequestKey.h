// RequestKey.h: keys over tagged, length-prefixed fields: what a request asks for decides its key, nothing
// else.
#ifndef KILN_RUNTIME_REQUESTKEY_H
#define KILN_RUNTIME_REQUESTKEY_H

#include "runtime/KernelMetadata.h"
#include "runtime/Sha256.h"

#include <string>
#include <utility>
#include <vector>

namespace kiln {

/// A key with the digest of each field, so that two keys can be compared field by field. Plain data.
struct RequestKey {
  std::string hex;                                         // SHA-256, lower case
  std::vector<std::pair<std::string, std::string>> fields; // (tag, SHA-256 of the value)
};
/// The fields as entries keep them: enough digits to compare, not to look up.
std::vector<std::pair<std::string, std::string>> entryFields(const RequestKey &key);
/// Tags of the fields in which two keys differ, in order.
std::vector<std::string> differingFields(const RequestKey &lhs, const RequestKey &rhs);

/// Collects fields in the order of the calls; order counts. Not thread-safe.
class KeyBuilder {
public:
  explicit KeyBuilder(std::string_view kind) { add("kind", kind); }
  void add(std::string_view tag, std::string_view value);
  void add(std::string_view tag, int64_t value);
  /// Ends the key. Call once.
  RequestKey finish();

private:
  Sha256 digest;
  RequestKey key;
};

/// What a program is built from.
struct ProgramRequest {
  std::string modelDigest; // of the model's content with its weights' digests
  std::string function;
  std::string compilerVersion; // build ids of libkiln_compiler, libMLIR, libLLVM
  std::string backendVersion;
  TargetDescription target;
  std::vector<std::vector<int64_t>> inputDims; // -1: dynamic
};
RequestKey programRequestKey(const ProgramRequest &request);

} // namespace kiln
#endif // KILN_RUNTIME_REQUESTKEY_H
