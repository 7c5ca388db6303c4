// KernelKey.h: the key of a compiled kernel: everything that decides its bytes.
#ifndef KILN_JIT_KERNELKEY_H
#define KILN_JIT_KERNELKEY_H

#include "jit/BuildIds.h"
#include "kiln/jit/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace kiln::jit {

/// What all kernels of one target share; computed once for a target.
struct TargetKey {
  std::string schema = "kiln-kernel-key 1"; // fields and their order
  uint32_t abiMajor = KILN_ABI_MAJOR, abiMinor = KILN_ABI_MINOR;
  std::string pipeline; // text of the stages tensor to emit
  std::string triple, arch, features, options;
  std::string backend;
  std::string producers; // versions and build ids of the compiler tiers at work: PipelineRegistry::producers
  std::string buildIds;  // of libkiln_compiler, libMLIR, libLLVM
  uint32_t runtimeSymbolsVersion = 0;
};

/// A kernel module as canonical text: no locations, the kernel's symbol renamed. The same in every process.
std::string canonicalKernelText(mlir::ModuleOp kernelModule);

struct KernelKey {
  std::string hex;    // SHA-256 over the tagged, length-prefixed fields, lower case
  std::string fields; // as KernelRef.key_fields of Program.fbs
};
KernelKey kernelKey(llvm::StringRef canonicalText, const TargetKey &target);

} // namespace kiln::jit
#endif // KILN_JIT_KERNELKEY_H
