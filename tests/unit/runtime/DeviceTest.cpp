// DeviceTest.cpp: Device, Buffer, Queue, Event and LoadedKernel over a fake device.
#include "runtime/LoadedKernel.h"
#include "runtime/Queue.h"
#include "tests/unit/runtime/FakeDevice.h"
#include "tests/unit/runtime/ProgramMaker.h"
#include "tests/unit/runtime/StatusMatchers.h"

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::HasSubstr;

class DeviceTest : public ::testing::Test {
protected:
  void SetUp() override {
    fake.kernels["double"] = [](const KilnLaunch &launch) {
      auto *in = reinterpret_cast<float *>(launch.bindings[0].address);
      auto *out = reinterpret_cast<float *>(launch.bindings[1].address);
      for (uint64_t i = 0; i < launch.bindings[0].bytes / sizeof(float); ++i)
        out[i] = 2 * in[i];
    };
    ASSERT_OK_AND_ASSIGN(device, Device::open(fake.type(), {}));
    ASSERT_OK_AND_ASSIGN(queue, device->createQueue());
  }
  Result<LoadedKernelRef> load(const std::string &code) {
    KILN_ASSIGN_OR_RETURN(CompiledKernelRef compiled,
                          CompiledKernel::parse(copyBytes(pack(kernelObject(code, {"in", "out"}))), code));
    return device->load(fake.loader(), compiled);
  }
  Status launchOn(Queue &target, LoadedKernel &kernel, const Buffer &in, const Buffer &out) {
    KilnBinding bindings[] = {in.binding(), out.binding()};
    static const KilnLaunchSite site = {sizeof(KilnLaunchSite), toStr("d_1"), toStr("model: node 'd_1'"),
                                        nullptr, 0};
    KilnLaunch launch = {};
    launch.struct_size = sizeof(launch);
    launch.bindings = bindings;
    launch.binding_count = 2;
    launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
    launch.site = &site;
    return target.launch(kernel.handle(), launch);
  }

  FakeDevice fake;
  std::shared_ptr<Device> device;
  std::unique_ptr<Queue> queue;
};

TEST_F(DeviceTest, DescribesAndNamesItself) {
  EXPECT_EQ(device->name(), "fake:0");
  EXPECT_EQ(device->description().name, "fake device");
  EXPECT_TRUE(device->description().memoryIsHostMemory);
  ASSERT_OK_AND_ASSIGN(TargetDescription target, targetOf(fake.type(), ""));
  EXPECT_EQ(target.features, "+a,+b");
  EXPECT_THAT(targetOf(fake.type(), "bad"), StatusIs(Code::InvalidArgument, HasSubstr("target 'fake'")));
}

TEST_F(DeviceTest, UnknownOrdinalIsOutOfRange) {
  EXPECT_THAT(Device::open(fake.type(), {.ordinal = 7}), StatusIs(Code::OutOfRange, HasSubstr("'fake:7'")));
}

TEST_F(DeviceTest, OpenOptionsReachTheBackend) {
  ASSERT_OK(Device::open(fake.type(), {.ordinal = 1, .maxThreads = 3, .memoryLimitBytes = 77}));
  EXPECT_EQ(fake.lastOpen.ordinal, 1u);
  EXPECT_EQ(fake.lastOpen.max_threads, 3u);
  EXPECT_EQ(fake.lastOpen.memory_limit_bytes, 77u);
}

TEST_F(DeviceTest, BuffersAreFreedWithTheirLastReference) {
  Buffer part;
  {
    ASSERT_OK_AND_ASSIGN(Buffer whole, device->allocate(100));
    ASSERT_OK_AND_ASSIGN(part, whole.subrange(40, 20));
    EXPECT_EQ(part.address(), whole.address() + 40);
    EXPECT_EQ(part.useCount(), 2);
  }
  EXPECT_EQ(fake.bytesInUse, 100u);
  part = Buffer();
  EXPECT_EQ(fake.bytesInUse, 0u);
}

TEST_F(DeviceTest, SubrangesEndInside) {
  ASSERT_OK_AND_ASSIGN(Buffer whole, device->allocate(100));
  ASSERT_OK_AND_ASSIGN(Buffer part, whole.subrange(10, 50));
  EXPECT_OK(part.subrange(50, 0));
  EXPECT_THAT(part.subrange(40, 11), StatusIs(Code::OutOfRange, HasSubstr("[40, +11); it has 50")));
  EXPECT_THAT(part.subrange(UINT64_MAX, 1), StatusIs(Code::OutOfRange, HasSubstr("it has 50")));
}

TEST_F(DeviceTest, MemoryEndsWithTheReasonOfTheBackend) {
  fake.memoryLimitBytes = 1000;
  EXPECT_THAT(device->allocate(2000),
              StatusIs(Code::ResourceExhausted, "device 'fake:0': wants 2000 bytes; 1000 of 1000 free"));
  EXPECT_THAT(device->allocate(8, 48), StatusIs(Code::InvalidArgument, HasSubstr("alignment 48")));
}

TEST_F(DeviceTest, EmptyBuffersHaveAnAddress) {
  ASSERT_OK_AND_ASSIGN(Buffer empty, device->allocate(0));
  EXPECT_EQ(empty.bytes(), 0u);
  EXPECT_NE(empty.address(), 0u);
}

TEST_F(DeviceTest, ImportsKeepTheirOwnerUntilTheLastUser) {
  float values[4] = {1, 2, 3, 4};
  bool released = false;
  {
    ASSERT_OK_AND_ASSIGN(Buffer buffer, device->importHost(values, sizeof(values), [&] { released = true; }));
    ASSERT_OK_AND_ASSIGN(Buffer part, buffer.subrange(4, 8));
    buffer = Buffer();
    EXPECT_FALSE(released);
    EXPECT_EQ(fake.imports, 1u);
  }
  EXPECT_TRUE(released);
  EXPECT_EQ(fake.imports, 0u);
  EXPECT_THAT(device->importHost(nullptr, 4), StatusIs(Code::InvalidArgument, HasSubstr("import")));
  fake.isHostMemory = false;
  EXPECT_THAT(device->importHost(values, 4), StatusIs(Code::Unimplemented, HasSubstr("import")));
}

TEST_F(DeviceTest, AddressesResolveToTheirAllocation) {
  ASSERT_OK_AND_ASSIGN(Buffer a, device->allocate(128));
  ASSERT_OK_AND_ASSIGN(Buffer view, device->bufferAt(a.address() + 32, 96));
  EXPECT_EQ(view.useCount(), 2);
  EXPECT_THAT(device->bufferAt(a.address() + 32, 97), StatusIs(Code::NotFound, HasSubstr("97 bytes")));
  EXPECT_THAT(device->bufferAt(8, 1), StatusIs(Code::NotFound, HasSubstr("0x8")));
}

TEST_F(DeviceTest, MapsAndCountsMemory) {
  ASSERT_OK_AND_ASSIGN(Buffer a, device->allocate(128));
  ASSERT_OK_AND_ASSIGN(void *memory, device->map(a));
  EXPECT_EQ(reinterpret_cast<KilnDeviceAddress>(memory), a.address());
  ASSERT_OK_AND_ASSIGN(KilnMemoryStats stats, device->memoryStats());
  EXPECT_EQ(stats.bytes_in_use, 128u);
  fake.isHostMemory = false;
  EXPECT_THAT(device->map(a), StatusIs(Code::Unimplemented, HasSubstr("'fake:0'")));
}

TEST_F(DeviceTest, QueueRunsInOrderAndDefersUntilASynchronisation) {
  ASSERT_OK_AND_ASSIGN(LoadedKernelRef kernel, load("double"));
  ASSERT_OK_AND_ASSIGN(Buffer a, device->allocate(16));
  ASSERT_OK_AND_ASSIGN(Buffer b, device->allocate(16));
  float in[4] = {1, 2, 3, 4}, out[4] = {};
  ASSERT_OK(queue->write(a.address(), in, 16));
  ASSERT_OK(launchOn(*queue, *kernel, a, b));
  ASSERT_OK(queue->copy(a.address(), b.address(), 8));
  ASSERT_OK(queue->fill(a.address() + 8, 0x3f800000, 4, 8));
  ASSERT_OK(queue->read(out, a.address(), 16));
  EXPECT_EQ(out[0], 0) << "nothing has run";
  ASSERT_OK(queue->synchronize());
  EXPECT_THAT(out, ::testing::ElementsAre(2, 4, 1, 1));
}

TEST_F(DeviceTest, AFaultPoisonsTheQueueAndItsEventsOnly) {
  ASSERT_OK_AND_ASSIGN(LoadedKernelRef kernel, load("fault"));
  ASSERT_OK_AND_ASSIGN(Buffer a, device->allocate(16));
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Queue> other, device->createQueue());
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Event> event, device->createEvent());
  ASSERT_OK(launchOn(*queue, *kernel, a, a));
  ASSERT_OK(queue->fill(a.address(), 0, 4, 16));
  ASSERT_OK(queue->signal(*event));
  auto fault = StatusIs(Code::Internal, HasSubstr("'d_1' (model: node 'd_1')"));
  EXPECT_THAT(queue->synchronize(), fault);
  EXPECT_THAT(queue->synchronize(), fault);
  EXPECT_THAT(queue->fill(a.address(), 0, 4, 16), fault);
  EXPECT_THAT(queue->status(), fault);
  EXPECT_THAT(event->wait(), fault);
  EXPECT_OK(other->fill(a.address(), 0, 4, 16));
  EXPECT_OK(other->synchronize());
  ASSERT_OK(queue->reset());
  EXPECT_OK(queue->synchronize());
}

TEST_F(DeviceTest, EventsOrderQueues) {
  ASSERT_OK_AND_ASSIGN(Buffer a, device->allocate(4));
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Queue> other, device->createQueue());
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Event> event, device->createEvent());
  uint32_t out = 0;
  ASSERT_OK(queue->fill(a.address(), 7, 4, 4));
  ASSERT_OK(queue->signal(*event));
  ASSERT_OK_AND_ASSIGN(bool done, event->query());
  EXPECT_FALSE(done);
  ASSERT_OK(other->wait(*event));
  ASSERT_OK(other->read(&out, a.address(), 4));
  ASSERT_OK(other->synchronize());
  EXPECT_EQ(out, 7u);
  ASSERT_OK_AND_ASSIGN(done, event->query());
  EXPECT_TRUE(done);
}

TEST_F(DeviceTest, WaitsTimeOut) {
  fake.neverEnds = true;
  EXPECT_THAT(queue->synchronize(5), StatusIs(Code::DeadlineExceeded, HasSubstr("5 ns")));
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Event> event, device->createEvent());
  EXPECT_THAT(event->wait(5), StatusIs(Code::DeadlineExceeded, HasSubstr("5 ns")));
}

TEST_F(DeviceTest, QueueOrderedMemoryAndCallbacks) {
  ASSERT_OK_AND_ASSIGN(KilnDeviceAddress address, queue->allocate(64));
  ASSERT_OK(queue->fill(address, 1, 1, 64));
  ASSERT_OK(queue->free(address));
  int calls = 0;
  ASSERT_OK(queue->call([](void *arg) { ++*static_cast<int *>(arg); }, &calls));
  EXPECT_EQ(calls, 0);
  ASSERT_OK(queue->synchronize());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(fake.bytesInUse, 0u);
}

TEST_F(DeviceTest, KernelsUnloadAndKeepTheirDeviceOpen) {
  ASSERT_OK_AND_ASSIGN(LoadedKernelRef kernel, load("double"));
  EXPECT_EQ(kernel->metadata().name, "double");
  queue.reset();
  device.reset();
  EXPECT_EQ(fake.devicesOpen, 1u);
  kernel.reset();
  EXPECT_EQ(fake.devicesOpen, 0u);
  EXPECT_EQ(fake.unloads, 1u);
}

TEST_F(DeviceTest, LoadingNamesKernelDeviceAndLoader) {
  EXPECT_THAT(load("nonsense"),
              StatusIs(Code::InvalidArgument, HasSubstr("kernel 'nonsense' on 'fake:0' (loader 'strict')")));
  ASSERT_OK_AND_ASSIGN(CompiledKernelRef compiled,
                       CompiledKernel::parse(copyBytes(pack(kernelObject("double", {"in", "out"}))), "k"));
  KernelLoader other = fake.loader();
  other.format = "other";
  EXPECT_THAT(device->load(other, compiled), StatusIs(Code::InvalidArgument, HasSubstr("takes 'other'")));
}

} // namespace
} // namespace kiln
