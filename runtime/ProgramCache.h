// ProgramCache.h: programs, their dynamic variants and their weights as cache entries.
#ifndef KILN_RUNTIME_PROGRAMCACHE_H
#define KILN_RUNTIME_PROGRAMCACHE_H

#include "runtime/PackedWeights.h"
#include "runtime/RequestKey.h"
#include "runtime/cache/CacheStack.h"

#include <mutex>

namespace kiln {

/// Extents of each input; -1: any but 1.
using InputDims = std::vector<std::vector<int64_t>>;
/// An extent of 1 may mean broadcasting: it never becomes dynamic, and no dynamic program stands in for it.
constexpr int64_t kBroadcastExtent = 1;
/// Whether a program for `pattern` takes inputs of `dims`. An extent of 1 may mean broadcasting: no dynamic
/// extent stands for it.
bool patternAccepts(const InputDims &pattern, std::span<const std::vector<int64_t>> dims);

namespace schema {
struct ShapePattern;
}
/// Nothing if the extents are not as many as the ranks say.
std::optional<InputDims> decodePattern(const schema::ShapePattern &pattern);

/// Ownership: borrows the stack. Threads: every member is safe from any thread.
class ProgramCache {
public:
  explicit ProgramCache(CacheStack &stack) : stack(stack) {}

  static EntryAddress programAddress(const RequestKey &key, const std::string &deviceType);
  /// Null if no layer has it, or what it has is no program.
  ProgramFileRef find(const EntryAddress &address, const std::string &name);
  /// The program as it is kept: its small weights inside, the others, also those that the compiler made,
  /// written as entries of their own. Returns `program` itself if the mode does not write.
  Result<ProgramFileRef> insert(const EntryAddress &address, const RequestKey &key, ProgramFileRef program,
                                const std::string &name, uint64_t buildUs, const ConstantLookup &weights);

  /// The bytes of a weight; empty owner and bytes if no layer has it.
  OwnedBytes findWeight(std::string_view digest);
  void insertWeight(const std::string &digest, ByteSpan bytes, const std::string &name);

  /// Dynamic variants of a model's program; `key`: of the request without its inputs.
  std::vector<InputDims> patterns(const RequestKey &key, const std::string &deviceType);
  void addPattern(const RequestKey &key, const std::string &deviceType, const InputDims &pattern);

  /// What the prologue of a program made, all of it or nothing.
  std::vector<PackedBytes> findPacked(const ProgramFile &program);
  void insertPacked(const ProgramFile &program, const std::vector<PackedBytes> &buffers);

private:
  CacheStack &stack;
};

} // namespace kiln
#endif // KILN_RUNTIME_PROGRAMCACHE_H
