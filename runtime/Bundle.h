// Bundle.h: a model's programs with kernels and weights in one file, for one or several devices: runs where
// no compiler is.
#ifndef KILN_RUNTIME_BUNDLE_H
#define KILN_RUNTIME_BUNDLE_H

#include "runtime/KernelMetadata.h"
#include "runtime/ModelCache.h"
#include "runtime/ProgramCache.h"
#include "runtime/cache/PackFile.h"

namespace kiln {

namespace schema {
struct Bundle;
}

/// An opened bundle: a pack with an entry that lists what is in it.
/// Ownership: maps the file; what it gives keeps the mapping alive. Threads: immutable.
class Bundle {
public:
  /// Errors: PackFile::open; DataLoss: a pack without a bundle's list, or one that contradicts itself.
  static Result<std::shared_ptr<const Bundle>> open(const std::string &path);

  const ModelDeclaration &model() const { return theModel; }
  /// The program for these extents on this target: of those that fit the one that was compiled for the most
  /// features, exact extents before dynamic ones. `dims` becomes what it is for. FailedPrecondition lists
  /// what there is; else errors of its entry.
  Result<ProgramFileRef> program(const TargetDescription &target, InputDims &dims) const;
  /// NotFound.
  Result<OwnedBytes> weight(std::string_view digest) const;
  /// What the prologue of one of its programs made; nothing where it could not be run when the bundle was
  /// written, and then it runs at each start.
  std::vector<PackedBytes> packed(const ProgramFile &program) const;

private:
  struct Variant {
    std::string deviceType, features, key;
    uint32_t rank = 0;
    InputDims pattern;
  };
  Bundle() = default;
  Status decode(const schema::Bundle &contents, const std::string &path);
  std::string theName;
  ModelDeclaration theModel;
  std::vector<Variant> variants;
  std::shared_ptr<const PackFile> pack;
};
using BundleRef = std::shared_ptr<const Bundle>;

/// Collects programs, writes the file at the end. Used by one thread.
class BundleWriter {
public:
  static Result<std::unique_ptr<BundleWriter>> create(const std::string &path, const std::string &name,
                                                      const ModelDeclaration &model);
  ~BundleWriter();
  /// What a bundle takes of one program. Borrowed for the call.
  struct Item {
    const TargetDescription &target;
    const ProgramFile &program;
    const InputDims &pattern;
    std::span<const CompiledKernelRef> kernels; // all of the program, by index
    const ConstantLookup &weights;
    const std::vector<PackedBytes> &packed; // what its prologue made; empty: it was not run
  };
  /// Weights that only the prologue reads are left out where it has been run. Fails as `weights` does, or
  /// with an I/O error's reason.
  Status add(const Item &item);
  Status finish();

private:
  Status addWeight(const std::string &digest, ByteSpan bytes, const std::string &name);
  Status addEntry(EntryKind kind, const EntryKey &key, const EntryInfo &info, ByteSpan payload,
                  EntryLayout layout);
  struct State;
  explicit BundleWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace kiln
#endif // KILN_RUNTIME_BUNDLE_H
