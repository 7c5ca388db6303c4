// NpuLoader.h: the loader of format "npu-elf": objects to kernels that the device runs, and to text.
#ifndef KILN_BACKENDS_NPU_NPULOADER_H
#define KILN_BACKENDS_NPU_NPULOADER_H

#include "backends/npu/NpuObject.h"

namespace kiln::npu {

/// What a KilnKernel of the npu points to. Immutable; launched from any number of threads.
struct NpuKernel {
  NpuObject object;
  std::string name; // for people

  KilnKernel *handle() { return reinterpret_cast<KilnKernel *>(this); }
  static const NpuKernel &from(KilnKernel *handle) { return *reinterpret_cast<NpuKernel *>(handle); }
};

/// Reads and checks objects; keeps nothing of the file. Threads: every member from any thread.
class NpuLoader {
public:
  explicit NpuLoader(const KilnHost &host) : host(host) {}
  /// InvalidArgument: malformed or illegal; the symbol or the counts of bindings and constants are not the
  /// image's.
  Result<NpuKernel *> load(const KilnKernelImage &image) const;
  static const KilnKernelLoaderOps &ops();

private:
  const KilnHost &host;
};

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_NPULOADER_H
