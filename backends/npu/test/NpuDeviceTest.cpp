// NpuDeviceTest.cpp: launches through the C tables that the backend registers: results, cycles, counters,
// faults, poison.
#include "backends/npu/NpuDevice.h"
#include "backends/npu/NpuLoader.h"
#include "backends/npu/test/Kernels.h"
#include "runtime/HostTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>

using namespace kiln;
using namespace kiln::npu;
using testing::HasSubstr;

namespace {

// The runtime's table with the manifest's defaults as options.
const KilnHost &deviceHost() {
  static const KilnHost table = [] {
    KilnHost copy = hostTable();
    copy.option = [](void *, KilnStr, KilnStr key, KilnStr *out) -> KilnStatus {
      static const std::map<std::string_view, std::string_view> values = {
          {"chip", "910b"},         {"mode", "checked"},  {"devices", "1"},
          {"memory-mib", "64"},     {"threads", "2"},     {"seed", "0"},
          {"watchdog", "10000000"}, {"ascendnpu-ir", ""}, {"assume", ""}};
      *out = toStr(values.at(toView(key)));
      return nullptr;
    };
    return copy;
  }();
  return table;
}

/// A device with one queue and one kernel.
class NpuDeviceTest : public testing::Test {
protected:
  static constexpr size_t kCount = 1000;

  void open(const std::string &options, KilnParallelFor parallel = {}) {
    KilnDeviceOpenArgs args = {};
    args.struct_size = sizeof(args);
    args.parallel = parallel;
    args.options = toStr(options);
    ASSERT_TRUE(ok(ops.device_open(static_cast<sdk::DeviceType *>(&type), &args, &device))) << message;
    ASSERT_TRUE(ok(ops.queue_create(device, &queue))) << message;
  }
  void load(const std::string &text, uint32_t bindings, uint32_t constants) {
    object = assemble(text).value();
    std::vector<uint8_t> file = writeObject(object);
    KilnKernelImage image = {};
    image.struct_size = sizeof(image);
    image.name = image.symbol = toStr(object.symbol);
    image.object = file.data();
    image.object_bytes = file.size();
    image.binding_count = bindings;
    image.constant_count = constants;
    ASSERT_TRUE(ok(NpuLoader::ops().load(&loader, device, &image, &kernel))) << message;
  }
  KilnBinding allocate(const std::vector<float> &values) {
    KilnBinding binding = {0, values.size() * 4};
    EXPECT_TRUE(ok(ops.memory_allocate(device, binding.bytes, 64, &binding.address))) << message;
    EXPECT_TRUE(ok(ops.queue_write(queue, binding.address, values.data(), binding.bytes)));
    EXPECT_TRUE(ok(ops.queue_synchronize(queue, KILN_WAIT_FOREVER)));
    bindings.push_back(binding);
    return binding;
  }
  bool launch(std::vector<int64_t> constants, uint32_t blocks) {
    KilnLaunch launch = {};
    launch.struct_size = sizeof(launch);
    launch.bindings = bindings.data();
    launch.binding_count = bindings.size();
    launch.constants = constants.data();
    launch.constant_count = constants.size();
    launch.grid[0] = blocks;
    launch.grid[1] = launch.grid[2] = 1;
    launch.site = &site;
    launch.profile = &profile;
    return ok(ops.queue_launch(queue, kernel, &launch)) &&
           ok(ops.queue_synchronize(queue, KILN_WAIT_FOREVER));
  }
  bool ok(KilnStatus status) {
    Status result = Status::fromC(deviceHost(), status);
    message = result.message();
    code = result.code();
    return result.ok();
  }
  void TearDown() override { close(); }
  void close() {
    for (const KilnBinding &binding : bindings)
      ops.memory_free(device, binding.address);
    if (kernel)
      NpuLoader::ops().unload(&loader, kernel);
    if (queue)
      ops.queue_destroy(queue);
    if (device)
      ops.device_close(device);
    bindings.clear();
    kernel = nullptr;
    queue = nullptr;
    device = nullptr;
  }

  const KilnDeviceOps &ops = sdk::deviceOps();
  NpuDeviceType type{deviceHost()};
  NpuLoader loader{deviceHost()};
  KilnDevice *device = nullptr;
  KilnQueue *queue = nullptr;
  KilnKernel *kernel = nullptr;
  NpuObject object;
  std::vector<KilnBinding> bindings;
  KilnLaunchSite site = {sizeof(KilnLaunchSite), toStr("add_0"), toStr("model: node 'add'"), nullptr, 0};
  KilnLaunchProfile profile = {sizeof(KilnLaunchProfile), 0, 0, 0, nullptr, nullptr, nullptr};
  std::string message;
  Code code = Code::Ok;
};

struct Seen {
  std::map<std::string, double> counters;
  std::set<std::string> units;
};

} // namespace

TEST_F(NpuDeviceTest, LaunchComputesAndCountsSimulatedCycles) {
  open("mode=timing");
  load(addKernel("f32", 256), 3, 1);
  std::vector<float> a(kCount), sum(kCount);
  for (size_t i = 0; i < kCount; ++i)
    a[i] = static_cast<float>(i);
  allocate(a);
  allocate(a);
  KilnBinding out = allocate(sum);
  Seen seen;
  profile.arg = &seen;
  profile.on_counter = [](void *to, const KilnLaunchCounter *counter) {
    static_cast<Seen *>(to)->counters[std::string(toView(counter->name))] = counter->value;
  };
  profile.on_span = [](void *to, const KilnLaunchSpan *span) {
    static_cast<Seen *>(to)->units.insert(std::string(toView(span->unit)));
  };
  ASSERT_TRUE(launch({kCount}, 2)) << message;
  ASSERT_TRUE(ok(ops.queue_read(queue, sum.data(), out.address, out.bytes)));
  ASSERT_TRUE(ok(ops.queue_synchronize(queue, KILN_WAIT_FOREVER)));
  for (size_t i = 0; i < kCount; ++i)
    ASSERT_EQ(sum[i], 2 * a[i]);
  uint64_t cycles = profile.cycles;
  EXPECT_GT(cycles, Target::of(ChipClass::Ascend910B).launchCycles);
  EXPECT_EQ(seen.counters["gm.read"], 2.0 * kCount * 4);
  EXPECT_EQ(seen.counters["gm.written"], 1.0 * kCount * 4);
  EXPECT_EQ(seen.counters["instructions.aiv.V"], 4) << "four tiles";
  EXPECT_TRUE(seen.units.count("aiv1.MTE2"));
  ASSERT_TRUE(launch({kCount}, 2)) << message;
  EXPECT_EQ(profile.cycles, cycles) << "simulated time repeats exactly";
}

TEST_F(NpuDeviceTest, CheckedModeCountsTheSameCyclesForAProfile) {
  std::map<std::string, uint64_t> cycles;
  for (const char *options : {"mode=timing", "mode=checked", "mode=checked;seed=3", "mode=fast"}) {
    open(options);
    load(addKernel("f32", 256), 3, 1);
    for (int i = 0; i < 3; ++i)
      allocate(std::vector<float>(kCount));
    profile.cycles = 0;
    ASSERT_TRUE(launch({kCount}, 2)) << message;
    cycles[options] = profile.cycles;
    close();
  }
  EXPECT_EQ(cycles["mode=checked"], cycles["mode=timing"]);
  EXPECT_GT(cycles["mode=timing"], 0u);
  EXPECT_EQ(cycles["mode=checked;seed=3"], 0u) << "durations are drawn, not modelled";
  EXPECT_EQ(cycles["mode=fast"], 0u);
}

TEST_F(NpuDeviceTest, CoresRunOnTheEmbeddersThreads) {
  static std::atomic<size_t> calls; // of cores
  calls = 0;
  auto run = [](void *, size_t count, KilnParallelFn fn, void *arg) {
    for (size_t i = 0; i < count; ++i, ++calls)
      fn(arg, i);
  };
  open("mode=fast", {run, nullptr, 2, 0});
  load(addKernel("f32", 256), 3, 1);
  std::vector<float> a(kCount, 1.5f), sum(kCount);
  allocate(a);
  allocate(a);
  KilnBinding out = allocate(sum);
  ASSERT_TRUE(launch({kCount}, 2)) << message;
  ASSERT_TRUE(ok(ops.queue_read(queue, sum.data(), out.address, out.bytes)));
  ASSERT_TRUE(ok(ops.queue_synchronize(queue, KILN_WAIT_FOREVER)));
  EXPECT_EQ(sum, std::vector<float>(kCount, 3.0f));
  EXPECT_EQ(calls, 2u);
}

TEST_F(NpuDeviceTest, FaultsNameTheSourceAndPoisonTheQueue) {
  open("mode=checked");
  load(".chip 910b\n.kind aiv\n.kernel broken\n.binding inout f32 align=32 4000\n.constants 1\n.section "
       "aiv\n.op 1\n"
       "  movi x1, 0\n  vadd.f32 x1, x1, x1\n  halt\n",
       1, 1);
  allocate(std::vector<float>(kCount));
  KilnStr locations[] = {toStr("model.onnx: node 'a'"), toStr("model.onnx: node 'b'")};
  site.op_locations = locations;
  site.op_location_count = 2;
  EXPECT_FALSE(launch({1}, 1));
  EXPECT_EQ(code, Code::Internal);
  EXPECT_THAT(
      message,
      HasSubstr(
          "model.onnx: node 'b': uninitialised read: aiv0 pc 1 (V) 'vadd.f32 x1, x1, x1': UB address 0x0"));
  EXPECT_FALSE(launch({1}, 1)) << "the queue is poisoned";
  EXPECT_TRUE(ok(ops.queue_reset(queue)));
  EXPECT_TRUE(ok(ops.queue_synchronize(queue, KILN_WAIT_FOREVER)));
}

TEST_F(NpuDeviceTest, WrongLaunchesAreRefusedWhereTheyAreMade) {
  open("mode=fast");
  load(addKernel("f32", 256), 3, 1);
  allocate(std::vector<float>(kCount));
  EXPECT_FALSE(launch({kCount}, 1));
  EXPECT_EQ(code, Code::InvalidArgument);
  EXPECT_THAT(message, HasSubstr("kernel 'add': 1 bindings and 1 constants; expected 3 and 1"));
  allocate(std::vector<float>(kCount));
  allocate(std::vector<float>(kCount));
  EXPECT_FALSE(launch({2 * kCount}, 1));
  EXPECT_THAT(message, HasSubstr("binding 0: 4000 bytes; expected at least 8000"));
  EXPECT_TRUE(launch({kCount}, 0)) << "no block, nothing to do";
  EXPECT_TRUE(launch({kCount}, 1)) << message;
}

TEST_F(NpuDeviceTest, KernelsOfAnotherChipAreRefused) {
  open("chip=910a");
  load(".chip 910b\n.kind aiv\n.kernel k\n.constants 0\n.section aiv\n  halt\n", 0, 0);
  EXPECT_FALSE(launch({}, 1));
  EXPECT_EQ(code, Code::FailedPrecondition);
  EXPECT_THAT(message, HasSubstr("kernel 'k' is for the 910b; this device is a 910a"));
}
