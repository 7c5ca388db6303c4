// faulty.cpp: a backend whose device faults on a write that starts with 0xff: for tests of poisoning.
#include "tests/plugins/PluginDevice.h"

namespace {

class FaultyDevice final : public kiln::plugins::PluginDevice {
public:
  using PluginDevice::PluginDevice;
  kiln::Status write(KilnDeviceAddress to, const void *from, uint64_t bytes) override {
    if (bytes > 0 && *static_cast<const unsigned char *>(from) == 0xff)
      return {kiln::Code::Internal, "device 'faulty:0': a write that starts with 0xff"};
    return PluginDevice::write(to, from, bytes);
  }
};

class FaultyDeviceType final : public kiln::plugins::PluginDeviceType {
public:
  using PluginDeviceType::PluginDeviceType;
  kiln::Result<std::unique_ptr<kiln::sdk::Device>> open(const KilnDeviceOpenArgs &) override {
    return std::unique_ptr<kiln::sdk::Device>(std::make_unique<FaultyDevice>(host()));
  }
};

kiln::Status registerFaulty(kiln::Registrar &registrar) {
  registrar.addDeviceType("faulty", kiln::sdk::deviceOps(),
                          static_cast<kiln::sdk::DeviceType *>(new FaultyDeviceType(registrar.host())));
  return registrar.status();
}

} // namespace

KILN_BACKEND(faulty, "0.1.0", registerFaulty)
