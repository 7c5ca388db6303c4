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

/// Devices of one type that are used; a backend that counts more is taken for broken.
inline constexpr uint32_t kMaxDevicesOfType = 1024;
/// The functions of a device type that are called without a device: what they throw, a count beyond
/// kMaxDevicesOfType and strings without data become an error that
/// names the type. Threads: safe.
Result<uint32_t> countDevices(const DeviceType &type);
Result<KilnDeviceInfo> deviceInfo(const DeviceType &type, uint32_t ordinal);
Result<KilnTargetInfo> targetInfo(const DeviceType &type, std::string_view options);
/// Never null.
Result<KilnDevice *> openDevice(const DeviceType &type, const KilnDeviceOpenArgs &args);

/// A loader of one object format. Immutable; valid until the process ends.
struct KernelLoader {
  std::string backend, format, name;
  KilnKernelLoaderOps ops = {};
  void *self = nullptr;
};

} // namespace kiln
#endif // KILN_RUNTIME_DEVICETYPE_H
