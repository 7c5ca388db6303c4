// kiln/jit/Target.h: the device that a compilation is for, as passes and emitters see it.
#ifndef KILN_JIT_TARGET_H
#define KILN_JIT_TARGET_H

#include "kiln/compiler.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <vector>

namespace kiln::jit {

/// An owned copy of KilnCompileTarget with its option string parsed. Immutable after construction; safe to
/// share between threads.
struct Target {
  std::string deviceType; // "host"
  std::string backend;
  std::string triple, arch;
  std::vector<std::string> features; // "+avx2", as the device gave them, sorted
  std::map<std::string, std::string, std::less<>> options;
  uint64_t storageTypes = 0; // KilnTargetInfo.storage_types

  static Target fromC(const KilnCompileTarget &target);
  bool hasFeature(llvm::StringRef feature) const; // "avx2", without the sign
  /// The option's value, or `fallback`.
  llvm::StringRef option(llvm::StringRef key, llvm::StringRef fallback = "") const;
  std::string featureString() const; // joined by commas
  std::string optionString() const;  // "key=value;..."
};

} // namespace kiln::jit
#endif // KILN_JIT_TARGET_H
