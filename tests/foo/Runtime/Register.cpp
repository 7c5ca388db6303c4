// Register.cpp: the runtime tier of foo: its device type and its kernel loader.
#include "Runtime/Device.h"

#include "kiln/Registrar.h"

#include <charconv>
#include <dlfcn.h>

namespace {

using namespace kiln;

/// One device. Immutable; lives until the process ends.
class FooType final : public sdk::DeviceType {
public:
  explicit FooType(const KilnHost &host) : theHost(host) {}
  const KilnHost &host() const override { return theHost; }
  Result<uint32_t> enumerate() override { return __builtin_cpu_supports("avx2") ? 1u : 0u; }

  Status describe(uint32_t ordinal, KilnDeviceInfo &info) override {
    KILN_RETURN_IF_ERROR(checkOrdinal(ordinal));
    KILN_ASSIGN_OR_RETURN(uint64_t mib, number("memory-mib"));
    info.name = toStr("foo, a process beside this one");
    info.kind = KILN_DEVICE_SOFTWARE;
    info.compute_units = 1;
    info.memory_bytes = mib << 20;
    info.alignment_bytes = foo::Device::kAlignmentBytes;
    info.max_grid_dimensions = 1;
    return {};
  }
  Status target(std::string_view, KilnTargetInfo &target) override {
    target.triple = toStr("x86_64-unknown-linux-gnu");
    target.arch = toStr("x86-64-v3");
    return {};
  }
  Result<std::unique_ptr<sdk::Device>> open(const KilnDeviceOpenArgs &args) override {
    KILN_RETURN_IF_ERROR(checkOrdinal(args.ordinal));
    KILN_ASSIGN_OR_RETURN(uint64_t mib, number("memory-mib"));
    KILN_ASSIGN_OR_RETURN(uint64_t timeoutMs, number("timeout-ms"));
    KILN_ASSIGN_OR_RETURN(std::string program, option("server"));
    uint64_t bytes = mib << 20;
    if (args.memory_limit_bytes)
      bytes = std::min(bytes, args.memory_limit_bytes);
    KILN_ASSIGN_OR_RETURN(std::shared_ptr<foo::Server> server,
                          foo::Server::start("device 'foo:0'",
                                             program.empty() ? besideThisLibrary() : program, bytes,
                                             timeoutMs));
    return std::unique_ptr<sdk::Device>(std::make_unique<foo::Device>(theHost, std::move(server), bytes));
  }

private:
  static Status checkOrdinal(uint32_t ordinal) {
    return ordinal == 0 ? Status() : Status(Code::OutOfRange, "foo has one device, number 0");
  }
  static std::string besideThisLibrary() {
    static const int here = 0;
    Dl_info info = {};
    dladdr(&here, &info);
    std::string path = info.dli_fname ? info.dli_fname : "";
    return path.substr(0, path.rfind('/') + 1) + "foo-server";
  }
  Result<std::string> option(const char *key) const {
    KilnStr text = {};
    KILN_RETURN_IF_ERROR(
        Status::fromC(theHost, theHost.option(theHost.self, toStr("foo"), toStr(key), &text)));
    return std::string(toView(text));
  }
  // The runtime has checked the text against the manifest.
  Result<uint64_t> number(const char *key) const {
    KILN_ASSIGN_OR_RETURN(std::string text, option(key));
    uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  const KilnHost &theHost;
};

KilnStatus loadKernel(void *self, KilnDevice *device, const KilnKernelImage *image, KilnKernel **out) {
  auto kernel = static_cast<foo::Device &>(sdk::Device::from(device)).load(*image);
  if (!kernel.ok())
    return kernel.status().toC(static_cast<FooType *>(self)->host());
  *out = kernel->release()->handle();
  return nullptr;
}
void unloadKernel(void *, KilnKernel *kernel) { delete foo::Kernel::from(kernel); }

// A server can die while nothing runs: synchronize looks for it.
KilnStatus synchronize(KilnQueue *queue, uint64_t timeoutNs) {
  auto &device = static_cast<foo::Device &>(sdk::detail::QueueHandle::from(queue).device);
  KilnStatus status = sdk::deviceOps().queue_synchronize(queue, timeoutNs);
  return status ? status : device.checkAlive().toC(device.host());
}

KilnDeviceOps deviceOps() {
  KilnDeviceOps ops = sdk::deviceOps();
  ops.queue_synchronize = synchronize;
  return ops;
}

Status registerFoo(Registrar &registrar) {
  static const KilnDeviceOps ops = deviceOps();
  static auto *const type = new FooType(registrar.host());
  static const KilnKernelLoaderOps loader = {sizeof(KilnKernelLoaderOps), loadKernel, unloadKernel, nullptr,
                                             nullptr};
  registrar.addDeviceType("foo", ops, static_cast<sdk::DeviceType *>(type));
  registrar.addKernelLoader("foo-flat", "flat", loader, type);
  return registrar.status();
}

} // namespace

KILN_BACKEND(foo, "0.1.0", registerFoo)
