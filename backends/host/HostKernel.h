// HostKernel.h: a loaded host kernel, as both loaders make it and the device calls it.
#ifndef KILN_BACKENDS_HOST_HOSTKERNEL_H
#define KILN_BACKENDS_HOST_HOSTKERNEL_H

#include "kiln/backend.h"

#include <string>

namespace kiln::host {

/// The C entry of format "host-elf". The grid has one dimension; a kernel is right for any split of it into
/// ranges.
using HostEntry = void (*)(void *const *bindings, const int64_t *constants, void *workspace,
                           int64_t tileBegin, int64_t tileEnd);

/// What a KilnKernel of the host points to; a loader derives its own with what keeps the code alive.
/// Threads: immutable; launched from any number of threads.
struct HostKernel {
  HostEntry entry = nullptr;
  uint32_t bindingCount = 0, constantCount = 0;
  std::string name;

  KilnKernel *handle() { return reinterpret_cast<KilnKernel *>(this); }
  static HostKernel &from(KilnKernel *handle) { return *reinterpret_cast<HostKernel *>(handle); }
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_HOSTKERNEL_H
