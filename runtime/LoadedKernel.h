// LoadedKernel.h: a kernel that one device can launch.
#ifndef KILN_RUNTIME_LOADEDKERNEL_H
#define KILN_RUNTIME_LOADEDKERNEL_H

#include "runtime/Device.h"

namespace kiln {

/// Ownership: keeps device and object alive, unloads on destruction; no launch of it may be in flight then.
/// Threads: immutable.
class LoadedKernel {
public:
  LoadedKernel(std::shared_ptr<Device> device, const KernelLoader &loader, CompiledKernelRef compiled,
               KilnKernel *handle)
      : theDevice(std::move(device)), loader(loader), theCompiled(std::move(compiled)), theHandle(handle) {}
  ~LoadedKernel() {
    if (!theDevice->isDefunct())
      loader.ops.unload(loader.self, theHandle);
  }
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  Device &device() const { return *theDevice; }
  const KernelMetadata &metadata() const { return theCompiled->metadata(); }
  const CompiledKernelRef &compiled() const { return theCompiled; }
  KilnKernel *handle() const { return theHandle; }

private:
  const std::shared_ptr<Device> theDevice;
  const KernelLoader loader;
  const CompiledKernelRef theCompiled;
  KilnKernel *const theHandle;
};

using LoadedKernelRef = std::shared_ptr<LoadedKernel>;

} // namespace kiln
#endif // KILN_RUNTIME_LOADEDKERNEL_H
