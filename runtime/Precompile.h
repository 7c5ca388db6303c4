// Precompile.h: compiles a model for a target before anybody runs it; the device need not be there.
#ifndef KILN_RUNTIME_PRECOMPILE_H
#define KILN_RUNTIME_PRECOMPILE_H

#include "runtime/Bundle.h"
#include "runtime/TargetCompiler.h"

namespace kiln {

struct PrecompileOptions {
  std::string deviceType, deviceOptions; // "host", "cpu=x86-64-v3"
  std::string dumpDir;                   // of the IR after each stage; "": none
  /// Kernels that are there, of all; called from several threads, one at a time. May be null.
  std::function<void(size_t done, size_t total)> progress;
  /// Also takes what was made, with the weights as the prologue packs them where the target's device can be
  /// opened. May be null.
  BundleWriter *bundle = nullptr;
};

/// The program for exactly these extents, and the one whose declared-dynamic extents stay open, where the
/// compiler can make that; with their kernels. Where `dims` has extents of -1 (any but 1), that one only.
/// All go to the instance's caches. NotFound: no such device type; else as the compiler.
Status precompile(Instance &instance, const ModelRef &model, const InputDims &dims,
                  const PrecompileOptions &options);

} // namespace kiln
#endif // KILN_RUNTIME_PRECOMPILE_H
