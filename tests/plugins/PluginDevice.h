// PluginDevice.h: the least device type that the test backends register: one device on malloc, launches do
// nothing.
#ifndef KILN_TESTS_PLUGINS_PLUGINDEVICE_H
#define KILN_TESTS_PLUGINS_PLUGINDEVICE_H

#include "kiln/Registrar.h"
#include "kiln/sdk/Device.h"

#include <cstdlib>

namespace kiln::plugins {

/// Not for use beyond tests: no limit, no checks.
class PluginDevice : public sdk::Device {
public:
  using Device::Device;
  Result<KilnDeviceAddress> allocate(uint64_t bytes, uint64_t) override {
    return reinterpret_cast<KilnDeviceAddress>(std::malloc(bytes));
  }
  void release(KilnDeviceAddress address) override { std::free(hostPointer(address)); }
  KilnMemoryStats memoryStats() override { return {}; }
  Status launch(const sdk::LaunchCommand &) override { return {}; }
};

class PluginDeviceType : public sdk::DeviceType {
public:
  explicit PluginDeviceType(const KilnHost &host, uint32_t count = 1) : theHost(host), count(count) {}
  const KilnHost &host() const override { return theHost; }
  Result<uint32_t> enumerate() override { return count; }
  Status describe(uint32_t, KilnDeviceInfo &info) override {
    info.name = toStr("a device of a test");
    info.alignment_bytes = 16;
    return {};
  }
  Status target(std::string_view, KilnTargetInfo &target) override {
    target.arch = toStr("test");
    return {};
  }
  Result<std::unique_ptr<sdk::Device>> open(const KilnDeviceOpenArgs &) override {
    return std::unique_ptr<sdk::Device>(std::make_unique<PluginDevice>(theHost));
  }
  Status properties(std::string_view, KilnPropertyFn fn, void *arg) override {
    KilnDeviceProperty property = {toStr("lanes"),          toStr("8"), toStr("elements"),
                                   toStr("its data sheet"), 1,          0};
    fn(arg, &property);
    return {};
  }

private:
  const KilnHost &theHost;
  const uint32_t count;
};

/// Registers `type` with one device. The type lives as long as the process.
inline void addPluginDevice(Registrar &registrar, std::string_view type, uint32_t count = 1) {
  registrar.addDeviceType(type, sdk::deviceOps(),
                          static_cast<sdk::DeviceType *>(new PluginDeviceType(registrar.host(), count)));
}

} // namespace kiln::plugins
#endif // KILN_TESTS_PLUGINS_PLUGINDEVICE_H
