// JitBenchDispatch.cpp: the suite dispatch: what a launch costs besides the kernel: queue, C API,
// interpreter, device.
#include "kiln/InOrderQueue.h"
#include "tools/lib/BenchSampling.h"
#include "tools/lib/KilnApi.h"
#include "tools/lib/RunCases.h"

#include <fmt/format.h>

#include <ostream>

namespace kiln::tools {
namespace {

constexpr const char *kDispatchSuite = "dispatch";
constexpr int kBatch = 200;      // launches recorded at a time, below the queue's own flush
constexpr int kChainLength = 64; // kernels of a chain that cannot be fused

/// Runs nothing.
class IdleExecutor final : public sdk::Executor {
public:
  Status launch(const sdk::LaunchCommand &) override { return {}; }
  void release(KilnDeviceAddress) override {}
};

KilnLaunch typicalLaunch(const KilnBinding *bindings, const int64_t *constants) {
  KilnLaunch launch = {};
  launch.struct_size = sizeof(launch);
  launch.bindings = bindings;
  launch.binding_count = 4;
  launch.constants = constants;
  launch.constant_count = 2;
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  return launch;
}

Status runQueueCases(const BenchContext &context, BenchReport &report, sdk::InOrderQueue &queue,
                     sdk::InOrderQueue &other) {
  const KilnBinding bindings[4] = {};
  const int64_t constants[2] = {};
  const KilnLaunch launch = typicalLaunch(bindings, constants);
  auto event = std::make_shared<sdk::EventState>();

  KILN_RETURN_IF_ERROR(
      sampleInto(context, report, kDispatchSuite, "queue: record a launch", [&]() -> Result<double> {
        BenchClock::time_point start = BenchClock::now();
        for (int i = 0; i < kBatch; ++i)
          KILN_RETURN_IF_ERROR(queue.launch(nullptr, launch));
        double us = microsecondsSince(start);
        KILN_RETURN_IF_ERROR(queue.synchronize());
        return us / kBatch;
      }));
  KILN_RETURN_IF_ERROR(
      sampleInto(context, report, kDispatchSuite, "queue: record and run a launch", [&]() -> Result<double> {
        BenchClock::time_point start = BenchClock::now();
        for (int i = 0; i < kBatch; ++i)
          KILN_RETURN_IF_ERROR(queue.launch(nullptr, launch));
        KILN_RETURN_IF_ERROR(queue.synchronize());
        return microsecondsSince(start) / kBatch;
      }));
  KILN_RETURN_IF_ERROR(
      sampleInto(context, report, kDispatchSuite, "queue: launch, synchronize", [&]() -> Result<double> {
        BenchClock::time_point start = BenchClock::now();
        for (int i = 0; i < kBatch; ++i) {
          KILN_RETURN_IF_ERROR(queue.launch(nullptr, launch));
          KILN_RETURN_IF_ERROR(queue.synchronize());
        }
        return microsecondsSince(start) / kBatch;
      }));
  KILN_RETURN_IF_ERROR(
      sampleInto(context, report, kDispatchSuite, "queue: launch, flush, wait", [&]() -> Result<double> {
        BenchClock::time_point start = BenchClock::now();
        KILN_RETURN_IF_ERROR(queue.launch(nullptr, launch));
        KILN_RETURN_IF_ERROR(queue.signal(event));
        KILN_RETURN_IF_ERROR(queue.flush());
        KILN_RETURN_IF_ERROR(event->wait(60'000'000'000));
        return microsecondsSince(start);
      }));
  return sampleInto(context, report, kDispatchSuite, "queue: event between two queues",
                    [&]() -> Result<double> {
                      BenchClock::time_point start = BenchClock::now();
                      for (int i = 0; i < kBatch; ++i) {
                        KILN_RETURN_IF_ERROR(queue.signal(event));
                        KILN_RETURN_IF_ERROR(other.wait(event));
                        KILN_RETURN_IF_ERROR(other.synchronize());
                      }
                      return microsecondsSince(start) / kBatch;
                    });
}

/// A program of `length` launches of one small kernel, each using the one before.
std::string chainText(int length) {
  std::string text = "func.func @main(%v0: tensor<16xf32>) -> tensor<16xf32> {\n";
  for (int i = 0; i < length; ++i)
    text += fmt::format("  %r{0} = kiln.relu %v{0} : tensor<16xf32>\n"
                        "  %v{1} = kiln.optimization_barrier %r{0} : tensor<16xf32>\n",
                        i, i + 1);
  return text + fmt::format("  return %v{} : tensor<16xf32>\n}}\n", length);
}

/// A chain on a device, ready to run.
struct Chain {
  ModelHandle model;
  HostTensor input;
  std::vector<KilnTensor> views;
  size_t launches = 0;

  Status prepare(KilnInstance *instance, KilnSession *session, int length) {
    std::string text = chainText(length);
    auto options = sized<KilnModelOptions>();
    options.format = toStr("mlir");
    options.name = toStr("chain");
    KilnModel *loaded = nullptr;
    KILN_RETURN_IF_ERROR(take(kiln_model_load_memory(instance, text.data(), text.size(), &options, &loaded)));
    model.reset(loaded);
    KILN_ASSIGN_OR_RETURN(input, makeTensor("", KILN_F32, {16}));
    std::vector<HostTensor> inputs(1, input);
    views = viewTensors(inputs);
    views[0].name = toStr("");
    views[0].data = input.bytes.data();
    KILN_RETURN_IF_ERROR(take(kiln_session_prepare(session, model.get(), views.data(), 1)));
    KILN_ASSIGN_OR_RETURN(double us, run(session, /*profile=*/true));
    (void)us;
    return {};
  }
  Result<double> run(KilnSession *session, bool profile = false) {
    auto options = sized<KilnRunOptions>();
    options.profile = profile;
    BenchClock::time_point start = BenchClock::now();
    KilnRun *done = nullptr;
    KILN_RETURN_IF_ERROR(take(kiln_session_run(session, model.get(), views.data(), 1, &options, &done)));
    RunHandle owned(done);
    double us = microsecondsSince(start);
    if (profile)
      launches = kiln_run_launch_count(done);
    return us;
  }
};

Status runDeviceCases(const BenchContext &context, BenchReport &report, KilnInstance *instance,
                      const std::string &device) {
  auto options = sized<KilnSessionOptions>();
  options.device = toStr(device);
  options.threads = report.threads;
  KilnSession *opened = nullptr;
  KILN_RETURN_IF_ERROR(take(kiln_session_open(instance, &options, &opened)));
  SessionHandle session(opened);
  Chain one, many;
  KILN_RETURN_IF_ERROR(one.prepare(instance, opened, 1));
  KILN_RETURN_IF_ERROR(many.prepare(instance, opened, kChainLength));
  if (many.launches <= one.launches)
    return Status(Code::Internal, fmt::format("chains of 1 and {} kernels have {} and {} launches",
                                              kChainLength, one.launches, many.launches));
  KILN_RETURN_IF_ERROR(sampleInto(context, report, kDispatchSuite, device + ": run of one launch",
                                  [&] { return one.run(opened); }));
  return sampleInto(context, report, kDispatchSuite, device + ": a launch more", [&]() -> Result<double> {
    KILN_ASSIGN_OR_RETURN(double few, one.run(opened));
    KILN_ASSIGN_OR_RETURN(double all, many.run(opened));
    return (all - few) / static_cast<double>(many.launches - one.launches);
  });
}

} // namespace

Status runDispatchSuite(const BenchContext &context, BenchReport &report) {
  IdleExecutor executor;
  auto queue = sdk::InOrderQueue::create(executor), other = sdk::InOrderQueue::create(executor);
  Status status = runQueueCases(context, report, *queue, *other);
  other->close();
  queue->close();
  KILN_RETURN_IF_ERROR(status);

  KilnInstance *opened = nullptr;
  KILN_RETURN_IF_ERROR(take(kiln_instance_create(nullptr, &opened)));
  InstanceHandle instance(opened);
  for (std::string device : {"null", "host"}) {
    if (!context.wants(device + ": run of one launch") && !context.wants(device + ": a launch more"))
      continue;
    Status devices = runDeviceCases(context, report, instance.get(), device);
    if (devices.ok())
      continue;
    BenchResult result;
    result.suite = kDispatchSuite;
    result.name = device;
    result.problem = devices.message();
    report.results.push_back(std::move(result));
  }
  return {};
}

} // namespace kiln::tools
