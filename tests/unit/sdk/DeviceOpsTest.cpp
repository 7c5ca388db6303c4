// DeviceOpsTest.cpp: the C table that kiln/sdk/Device.h makes of a C++ device: forwarding, statuses, struct
// sizes.
#include "kiln/sdk/Device.h"
#include "runtime/HostTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace kiln::sdk {
namespace {

using testing::HasSubstr;

/// A device whose only kernel adds its first constant to every byte of its first binding.
class AddDevice final : public Device {
public:
  using Device::Device;
  Result<KilnDeviceAddress> allocate(uint64_t bytes, uint64_t) override {
    if (bytes > 1 << 20)
      return Status(Code::ResourceExhausted, "1 MiB is free");
    void *memory = std::calloc(1, bytes);
    ++stats.allocations;
    stats.bytes_in_use += sizes[memory] = bytes;
    return reinterpret_cast<KilnDeviceAddress>(memory);
  }
  void release(KilnDeviceAddress address) override {
    auto at = sizes.find(hostPointer(address));
    stats.bytes_in_use -= at->second;
    std::free(at->first);
    sizes.erase(at);
  }
  Result<void *> map(KilnDeviceAddress address, uint64_t) override { return hostPointer(address); }
  KilnMemoryStats memoryStats() override { return stats; }
  Status checkLaunch(KilnKernel *kernel, const KilnLaunch &) override {
    return kernel ? Status() : Status(Code::InvalidArgument, "launch: no kernel");
  }
  Status launch(const LaunchCommand &command) override {
    if (command.constants.empty())
      return Status(Code::OutOfRange, "no constant");
    auto *bytes = static_cast<char *>(hostPointer(command.bindings[0].address));
    for (uint64_t i = 0; i < command.bindings[0].bytes; ++i)
      bytes[i] += static_cast<char>(command.constants[0]);
    return {};
  }

private:
  KilnMemoryStats stats = {};
  std::map<void *, uint64_t> sizes;
};

class AddType final : public DeviceType {
public:
  const KilnHost &host() const override { return hostTable(); }
  Result<uint32_t> enumerate() override { return 2; }
  Status describe(uint32_t ordinal, KilnDeviceInfo &info) override {
    if (ordinal >= 2)
      return Status(Code::OutOfRange, "no such ordinal");
    info.name = toStr("adder");
    info.max_grid_dimensions = 3;
    return {};
  }
  Status target(std::string_view options, KilnTargetInfo &target) override {
    if (options == "throw")
      throw std::bad_alloc();
    target.arch = toStr("add");
    return {};
  }
  Result<std::unique_ptr<Device>> open(const KilnDeviceOpenArgs &args) override {
    if (args.ordinal >= 2)
      return Status(Code::OutOfRange, "no such ordinal");
    return std::unique_ptr<Device>(new AddDevice(hostTable()));
  }
};

class DeviceOpsTest : public testing::Test {
protected:
  DeviceOpsTest() {
    KilnDeviceOpenArgs args = {};
    args.struct_size = sizeof(args);
    EXPECT_TRUE(ok(ops.device_open(&type, &args, &device)));
    EXPECT_TRUE(ok(ops.queue_create(device, &queue)));
  }
  ~DeviceOpsTest() override {
    ops.queue_destroy(queue);
    ops.device_close(device);
  }
  static bool ok(KilnStatus status) { return fromC(status).ok(); }
  KilnStatus add(KilnDeviceAddress to, uint64_t bytes, size_t constants) {
    KilnBinding binding = {to, bytes};
    int64_t three = 3;
    KilnLaunch launch = {};
    launch.struct_size = sizeof(launch);
    launch.bindings = &binding;
    launch.binding_count = 1;
    launch.constants = &three;
    launch.constant_count = constants;
    return ops.queue_launch(queue, reinterpret_cast<KilnKernel *>(this), &launch);
  }

  AddType type;
  const KilnDeviceOps &ops = deviceOps();
  KilnDevice *device = nullptr;
  KilnQueue *queue = nullptr;
};

TEST_F(DeviceOpsTest, FillsEveryFunction) {
  const void *const *functions = reinterpret_cast<const void *const *>(&ops);
  EXPECT_EQ(ops.struct_size, sizeof(ops));
  for (size_t i = 1; i < sizeof(ops) / sizeof(void *); ++i)
    EXPECT_NE(functions[i], nullptr) << "function " << i;
}

TEST_F(DeviceOpsTest, RunsAProgramOfCommands) {
  KilnDeviceAddress a = 0, b = 0;
  KilnEvent *event = nullptr;
  char out[8] = {};
  uint32_t done = 0;
  ASSERT_TRUE(ok(ops.memory_allocate(device, 8, 0, &a)));
  ASSERT_TRUE(ok(ops.queue_allocate(queue, 8, 0, &b)));
  ASSERT_TRUE(ok(ops.event_create(device, &event)));
  ASSERT_TRUE(ok(ops.queue_fill(queue, a, 0x0201, 2, 8)));
  ASSERT_TRUE(ok(ops.queue_write(queue, a, "\x10", 1)));
  ASSERT_TRUE(ok(add(a, 8, 1)));
  ASSERT_TRUE(ok(ops.queue_copy(queue, b, a, 8)));
  ASSERT_TRUE(ok(ops.queue_read(queue, out, b, 8)));
  ASSERT_TRUE(ok(ops.queue_free(queue, b)));
  ASSERT_TRUE(ok(ops.queue_signal(queue, event)));
  ASSERT_TRUE(ok(ops.event_query(event, &done)));
  EXPECT_EQ(done, 0u);
  ASSERT_TRUE(ok(ops.queue_flush(queue)));
  ASSERT_TRUE(ok(ops.event_wait(event, KILN_WAIT_FOREVER)));
  ASSERT_TRUE(ok(ops.queue_synchronize(queue, KILN_WAIT_FOREVER)));
  EXPECT_EQ(std::string(out, 4), "\x13\x05\x04\x05");
  void *mapped = nullptr;
  ASSERT_TRUE(ok(ops.memory_map(device, a, 8, &mapped)));
  EXPECT_EQ(static_cast<char *>(mapped)[1], 5);
  KilnMemoryStats stats = {};
  stats.struct_size = sizeof(stats);
  ASSERT_TRUE(ok(ops.memory_stats(device, &stats)));
  EXPECT_EQ(stats.bytes_in_use, 8u);
  EXPECT_EQ(stats.allocations, 2u);
  ops.memory_free(device, a);
  ops.event_destroy(event);
}

TEST_F(DeviceOpsTest, StatusesCrossWithCodeAndText) {
  KilnDeviceAddress address = 77;
  Status status = fromC(ops.memory_allocate(device, 1 << 21, 0, &address));
  EXPECT_EQ(status.code(), Code::ResourceExhausted);
  EXPECT_EQ(address, 77u) << "out-parameters are untouched on error";
  status = fromC(ops.memory_import(device, &address, 8, &address));
  EXPECT_EQ(status.code(), Code::Unimplemented);
  KilnDeviceInfo info = {};
  info.struct_size = sizeof(info);
  EXPECT_EQ(fromC(ops.describe(&type, 2, &info)).code(), Code::OutOfRange);
  KilnLaunch launch = {};
  launch.struct_size = sizeof(launch);
  status = fromC(ops.queue_launch(queue, nullptr, &launch));
  EXPECT_THAT(status.message(), HasSubstr("no kernel"));
  EXPECT_TRUE(ok(ops.queue_status(queue))) << "a refused launch does not poison";
}

TEST_F(DeviceOpsTest, ThrownBadAllocBecomesAStatus) {
  KilnTargetInfo target = {};
  target.struct_size = sizeof(target);
  EXPECT_EQ(fromC(ops.target(&type, toStr("throw"), &target)).code(), Code::ResourceExhausted);
}

TEST_F(DeviceOpsTest, FaultsPoisonAndResetHeals) {
  KilnDeviceAddress a = 0;
  ASSERT_TRUE(ok(ops.queue_allocate(queue, 8, 0, &a)));
  ASSERT_TRUE(ok(add(a, 8, 0)));
  EXPECT_EQ(fromC(ops.queue_synchronize(queue, KILN_WAIT_FOREVER)).code(), Code::OutOfRange);
  EXPECT_EQ(fromC(ops.queue_allocate(queue, 8, 0, &a)).code(), Code::OutOfRange);
  EXPECT_EQ(fromC(ops.queue_status(queue)).code(), Code::OutOfRange);
  ASSERT_TRUE(ok(ops.queue_reset(queue)));
  EXPECT_TRUE(ok(ops.queue_status(queue)));
  ASSERT_TRUE(ok(ops.queue_free(queue, a)));
}

TEST_F(DeviceOpsTest, WritesNoMoreThanTheCallerKnows) {
  struct {
    KilnDeviceInfo info;
    char guard[8];
  } out = {};
  std::memset(&out, 0x5a, sizeof(out));
  out.info.struct_size = offsetof(KilnDeviceInfo, compute_units); // an older caller's struct
  ASSERT_TRUE(ok(ops.describe(&type, 0, &out.info)));
  EXPECT_EQ(toView(out.info.name), "adder");
  EXPECT_EQ(out.info.max_grid_dimensions, 0x5a5a5a5au);
  EXPECT_EQ(out.info.struct_size, offsetof(KilnDeviceInfo, compute_units));
}

} // namespace
} // namespace kiln::sdk
