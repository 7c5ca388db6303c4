// DeviceType.h: what backends register: device types and kernel loaders.
#ifndef KILN_RUNTIME_DEVICETYPE_H
#define KILN_RUNTIME_DEVICETYPE_H

#include "kiln/Status.h"

#include <string>
#include <vector>

namespace kiln {

/// A device type that a backend registered. Immutable; valid until the process ends.
struct DeviceType {
  std::string name, backend;
  std::vector<std::string> aliases;
  KilnDeviceKind kind = KILN_DEVICE_HARDWARE;
  int64_t priority = 0;
  KilnDeviceOps ops = {}; // every required function is there
  void *self = nullptr;
};

/// A loader of one object format. Immutable; valid until the process ends.
struct KernelLoader {
  std::string backend, format, name;
  KilnKernelLoaderOps ops = {};
  void *self = nullptr;
};

} // namespace kiln
#endif // KILN_RUNTIME_DEVICETYPE_H
