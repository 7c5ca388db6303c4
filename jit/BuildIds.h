// BuildIds.h: the ELF build ids of the libraries that this process compiles with.
#ifndef KILN_JIT_BUILDIDS_H
#define KILN_JIT_BUILDIDS_H

#include "kiln/Status.h"

#include <string>

namespace kiln::jit {

struct BuildIds {
  std::string compiler, mlir, llvm; // lower-case hex; "" where a library carries none
  /// "kiln 0.1.0; compiler ...; mlir ...; llvm ...": part of every key.
  std::string text() const;
};

/// The build ids of the libraries loaded in this process.
BuildIds loadedBuildIds();
/// The library that holds `code` and the libkiln_* libraries it is linked with, each with its build id:
/// "libkiln_a.so 1f..; libkiln_b.so 2e..".
std::string libraryBuildIds(const void *code);
/// FailedPrecondition if libMLIR or libLLVM are not those that this library was built with: their C++ ABI has
/// no other version check.
Status verifyBuildIds(const BuildIds &loaded);

} // namespace kiln::jit
#endif // KILN_JIT_BUILDIDS_H
