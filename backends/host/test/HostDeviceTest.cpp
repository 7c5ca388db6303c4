// HostDeviceTest.cpp: the device through its C table, as the runtime uses it.
#include "HostDevice.h"
#include "HostKernel.h"
#include "runtime/HostTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace kiln::host {
namespace {

using testing::HasSubstr;

void addKernel(void *const *bindings, const int64_t *constants, void *, int64_t begin, int64_t end) {
  const float *in = static_cast<const float *>(bindings[0]);
  float *out = static_cast<float *>(bindings[1]);
  for (int64_t i = begin * 16; i < end * 16; ++i)
    out[i] = in[i] + static_cast<float>(constants[0]);
}

/// Options as the registry would give them.
class Options final : public OptionSource {
public:
  std::map<std::string, std::string, std::less<>> values;
  Result<std::string_view> option(std::string_view, std::string_view key) const override {
    auto at = values.find(key);
    if (at == values.end())
      return Status(Code::NotFound, "no such option");
    return std::string_view(at->second);
  }
};

class HostDeviceTest : public testing::Test {
protected:
  HostDeviceTest() {
    kernel.entry = addKernel;
    kernel.bindingCount = 2;
    kernel.constantCount = 1;
    kernel.name = "add";
  }
  Result<KilnDevice *> open(KilnDeviceOpenArgs args = {}) {
    args.struct_size = sizeof(args);
    KilnDevice *device = nullptr;
    KILN_RETURN_IF_ERROR(fromC(ops.device_open(&type, &args, &device)));
    return device;
  }
  Options options;
  KilnHost host = makeHostTable(options);
  HostDeviceType hostType{host};
  sdk::DeviceType &type = hostType;
  const KilnDeviceOps &ops = sdk::deviceOps();
  HostKernel kernel;
};

TEST_F(HostDeviceTest, RunsAKernelOnManyTiles) {
  for (uint32_t threads : {1u, 2u, 4u}) {
    KilnDeviceOpenArgs args = {};
    args.max_threads = threads;
    Result<KilnDevice *> device = open(args);
    ASSERT_TRUE(device.ok()) << device.status().message();
    KilnQueue *queue = nullptr;
    KilnDeviceAddress out = 0;
    ASSERT_EQ(ops.queue_create(*device, &queue), nullptr);
    ASSERT_EQ(ops.memory_allocate(*device, 1600 * sizeof(float), 0, &out), nullptr);
    std::vector<float> in(1600, 1.5f), result(1600);
    KilnDeviceAddress imported = 0;
    ASSERT_EQ(ops.memory_import(*device, in.data(), 6400, &imported), nullptr);
    EXPECT_EQ(imported, reinterpret_cast<uint64_t>(in.data())) << "import costs nothing";
    KilnBinding bindings[] = {{imported, 6400}, {out, 6400}};
    int64_t constant = 2;
    KilnLaunchProfile profile = {};
    KilnLaunch launch = {};
    launch.struct_size = sizeof(launch);
    launch.bindings = bindings;
    launch.binding_count = 2;
    launch.constants = &constant;
    launch.constant_count = 1;
    launch.grid[0] = 100;
    launch.grid[1] = launch.grid[2] = 1;
    launch.profile = &profile;
    ASSERT_EQ(ops.queue_launch(queue, kernel.handle(), &launch), nullptr);
    ASSERT_EQ(ops.queue_read(queue, result.data(), out, 6400), nullptr);
    ASSERT_EQ(ops.queue_synchronize(queue, KILN_WAIT_FOREVER), nullptr);
    EXPECT_THAT(result, testing::Each(3.5f)) << threads << " threads";
    EXPECT_GT(profile.end_ns, profile.start_ns);
    ops.memory_unimport(*device, imported);
    ops.memory_free(*device, out);
    ops.queue_destroy(queue);
    ops.device_close(*device);
  }
}

TEST_F(HostDeviceTest, RefusesWrongLaunchesByName) {
  Result<KilnDevice *> device = open();
  ASSERT_TRUE(device.ok());
  KilnQueue *queue = nullptr;
  ASSERT_EQ(ops.queue_create(*device, &queue), nullptr);
  KilnBinding bindings[] = {{64, 64}, {0, 64}};
  int64_t constant = 0;
  KilnLaunch launch = {};
  launch.struct_size = sizeof(launch);
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  auto refusal = [&] {
    Status status = fromC(ops.queue_launch(queue, kernel.handle(), &launch));
    EXPECT_EQ(status.code(), Code::InvalidArgument);
    return status.message();
  };
  EXPECT_EQ(refusal(), "kernel 'add': 0 bindings; expected 2");
  launch.bindings = bindings;
  launch.binding_count = 2;
  EXPECT_EQ(refusal(), "kernel 'add': 0 constants; expected 1");
  launch.constants = &constant;
  launch.constant_count = 1;
  EXPECT_EQ(refusal(), "kernel 'add': binding 1 has address 0");
  launch.grid[1] = 2;
  EXPECT_EQ(refusal(), "kernel 'add': a grid of 1x2x1; expected one dimension");
  EXPECT_EQ(fromC(ops.queue_launch(queue, nullptr, &launch)).message(), "launch: no kernel");
  EXPECT_EQ(ops.queue_status(queue), nullptr) << "refused launches poison nothing";
  ops.queue_destroy(queue);
  ops.device_close(*device);
}

TEST_F(HostDeviceTest, DescribesOneDevice) {
  uint32_t count = 0;
  ASSERT_EQ(ops.enumerate(&type, &count), nullptr);
  EXPECT_EQ(count, 1u);
  KilnDeviceInfo info = {};
  info.struct_size = sizeof(info);
  ASSERT_EQ(ops.describe(&type, 0, &info), nullptr);
  EXPECT_GT(info.name.size, 0u);
  EXPECT_EQ(info.kind, KilnDeviceKind(KILN_DEVICE_HARDWARE));
  EXPECT_EQ(info.memory_is_host_memory, 1u);
  EXPECT_EQ(info.alignment_bytes, 64u);
  Status status = fromC(ops.describe(&type, 1, &info));
  EXPECT_EQ(status.code(), Code::OutOfRange);
  EXPECT_EQ(status.message(), "unknown device 'host:1'; 'host' has 1 device (0)");
  KilnDeviceOpenArgs args = {};
  args.ordinal = 5;
  EXPECT_EQ(open(args).status().code(), Code::OutOfRange);
}

TEST_F(HostDeviceTest, TheTargetFollowsTheCpuOption) {
  KilnTargetInfo target = {};
  target.struct_size = sizeof(target);
  ASSERT_EQ(ops.target(&type, toStr("cpu=x86-64-v3"), &target), nullptr);
  EXPECT_EQ(toView(target.arch), "x86-64-v3");
  EXPECT_THAT(std::string(toView(target.features)), HasSubstr("+avx2"));
  std::string fromText(toView(target.features));
  options.values["cpu"] = "x86-64-v3";
  ASSERT_EQ(ops.target(&type, toStr(""), &target), nullptr);
  EXPECT_EQ(toView(target.features), fromText) << "environment and text mean the same";
  options.values["cpu"] = "z80";
  EXPECT_EQ(fromC(ops.target(&type, toStr(""), &target)).code(), Code::InvalidArgument);
  EXPECT_EQ(ops.target(&type, toStr("cpu=native"), &target), nullptr) << "the text is over the environment";
}

TEST_F(HostDeviceTest, RefusesWrongOptions) {
  auto refusal = [&](std::string_view text) {
    KilnDeviceOpenArgs args = {};
    args.options = toStr(text);
    Status status = open(args).status();
    EXPECT_EQ(status.code(), Code::InvalidArgument) << text;
    return status.message();
  };
  EXPECT_THAT(refusal("threads=many"), HasSubstr("option 'threads': 'many'; expected a number"));
  EXPECT_THAT(refusal("threads=5000"), HasSubstr("0 to 4096"));
  EXPECT_THAT(refusal("speed=9"), HasSubstr("host has no option 'speed'"));
  EXPECT_THAT(refusal("threads"), HasSubstr("expected KEY=VALUE"));
  EXPECT_THAT(refusal("debug=lldb"), HasSubstr("expected gdb or perf"));
}

TEST_F(HostDeviceTest, HonoursTheMemoryLimit) {
  KilnDeviceOpenArgs args = {};
  args.memory_limit_bytes = 1000;
  Result<KilnDevice *> device = open(args);
  ASSERT_TRUE(device.ok());
  KilnDeviceAddress address = 0;
  Status status = fromC(ops.memory_allocate(*device, 1001, 0, &address));
  EXPECT_EQ(status.code(), Code::ResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("1000 B of 1000 B free"));
  EXPECT_EQ(fromC(ops.memory_import(*device, nullptr, 8, &address)).code(), Code::InvalidArgument);
  void *mapped = nullptr;
  EXPECT_EQ(fromC(ops.memory_map(*device, 0, 8, &mapped)).code(), Code::InvalidArgument);
  ops.device_close(*device);
}

TEST_F(HostDeviceTest, ManyBindingsReachTheKernel) {
  HostKernel sum;
  sum.entry = [](void *const *bindings, const int64_t *, void *workspace, int64_t, int64_t) {
    for (int i = 0; i < 100; ++i)
      *static_cast<int *>(workspace) += *static_cast<int *>(bindings[i]);
  };
  sum.bindingCount = 100;
  Result<KilnDevice *> device = open();
  ASSERT_TRUE(device.ok());
  KilnQueue *queue = nullptr;
  ASSERT_EQ(ops.queue_create(*device, &queue), nullptr);
  int one = 1, total = 0;
  std::vector<KilnBinding> bindings(100, {reinterpret_cast<uint64_t>(&one), sizeof(one)});
  KilnLaunch launch = {};
  launch.struct_size = sizeof(launch);
  launch.bindings = bindings.data();
  launch.binding_count = bindings.size();
  launch.workspace = {reinterpret_cast<uint64_t>(&total), sizeof(total)};
  launch.grid[0] = 1;
  ASSERT_EQ(ops.queue_launch(queue, sum.handle(), &launch), nullptr);
  ASSERT_EQ(ops.queue_synchronize(queue, KILN_WAIT_FOREVER), nullptr);
  EXPECT_EQ(total, 100);
  ops.queue_destroy(queue);
  ops.device_close(*device);
}

} // namespace
} // namespace kiln::host
