// DeviceType.cpp: calls into a backend's table, with what comes back checked once, here.
#include "runtime/DeviceType.h"

#include "runtime/Error.h"
#include "runtime/HostTable.h"

namespace kiln {

namespace {

template <typename Fn> Status call(const DeviceType &type, const char *function, Fn &&fn) {
  try {
    return fromC(fn());
  } catch (const std::exception &error) {
    return internalError("{} of type '{}' threw an exception: {}", function, type.name, error.what());
  } catch (...) {
    return internalError("{} of type '{}' threw an exception that is no std::exception", function, type.name);
  }
}

Status checkText(const DeviceType &type, const char *function, const char *field, KilnStr text) {
  if (text.size == 0 || text.data)
    return {};
  return internalError("{} of type '{}': its {} has {} bytes and no data", function, type.name, field,
                       text.size);
}

} // namespace

Result<uint32_t> countDevices(const DeviceType &type) {
  uint32_t count = 0;
  KILN_RETURN_IF_ERROR(call(type, "enumerate", [&] { return type.ops.enumerate(type.self, &count); }));
  if (count > kMaxDevicesOfType)
    return internalError("enumerate of type '{}': {} devices; expected at most {}", type.name, count,
                         kMaxDevicesOfType);
  return count;
}

Result<KilnDeviceInfo> deviceInfo(const DeviceType &type, uint32_t ordinal) {
  KilnDeviceInfo info = {};
  info.struct_size = sizeof(info);
  KILN_RETURN_IF_ERROR(call(type, "describe", [&] { return type.ops.describe(type.self, ordinal, &info); }));
  KILN_RETURN_IF_ERROR(checkText(type, "describe", "name", info.name));
  return info;
}

Result<KilnTargetInfo> targetInfo(const DeviceType &type, std::string_view options) {
  KilnTargetInfo info = {};
  info.struct_size = sizeof(info);
  Status status = call(type, "target", [&] { return type.ops.target(type.self, toStr(options), &info); });
  if (!status.ok())
    return withContext(status, "target '{}'", type.name);
  for (auto [field, value] : {std::pair{"triple", info.triple},
                              {"arch", info.arch},
                              {"features", info.features},
                              {"options", info.options}})
    KILN_RETURN_IF_ERROR(checkText(type, "target", field, value));
  return info;
}

Result<KilnDevice *> openDevice(const DeviceType &type, const KilnDeviceOpenArgs &args) {
  KilnDevice *device = nullptr;
  KILN_RETURN_IF_ERROR(
      call(type, "device_open", [&] { return type.ops.device_open(type.self, &args, &device); }));
  if (!device)
    return internalError("opening it gave no device and no error");
  return device;
}

} // namespace kiln
