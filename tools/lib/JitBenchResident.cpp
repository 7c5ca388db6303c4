// JitBenchResident.cpp: the suite cache: what is in memory already: kernels by key, programs by shapes,
// launches by their inline handle, from one thread and from two.
#include "runtime/CApi.h"
#include "runtime/ProgramStore.h"
#include "tools/lib/BenchSampling.h"

#include <fmt/format.h>

#include <ctime>
#include <thread>

namespace kiln::tools {
namespace {

constexpr const char *kResidentSuite = "cache";
constexpr int kRepeats = 1000;           // of an operation in one sample
constexpr int kResidentChainLength = 64; // launches that cannot be fused
constexpr int64_t kElements = 16;

/// A chain of launches on the device that computes nothing, with a queue of its own.
class ResidentChain {
public:
  static Result<std::unique_ptr<ResidentChain>> open(const std::shared_ptr<Instance> &instance,
                                                     const ModelRef &model) {
    auto chain = std::make_unique<ResidentChain>();
    KILN_ASSIGN_OR_RETURN(std::shared_ptr<const DeviceType> type, instance->backends().deviceType("null"));
    KILN_ASSIGN_OR_RETURN(chain->device, Device::open(*type, {}));
    KILN_ASSIGN_OR_RETURN(chain->queue, chain->device->createQueue());
    CompileSettings settings;
    KILN_ASSIGN_OR_RETURN(settings.target, targetOf(*type, ""));
    settings.backend = type->backend;
    chain->model = model;
    chain->store = std::make_unique<DeviceStore>(*instance, chain->device, std::move(settings));
    chain->programs = std::make_unique<ProgramStore>(*instance, *chain->store, *chain->queue);
    KILN_ASSIGN_OR_RETURN(chain->program, chain->find(/*compileAll=*/true));
    KILN_ASSIGN_OR_RETURN(chain->input, chain->device->allocate(kElements * sizeof(float)));
    KILN_ASSIGN_OR_RETURN(chain->provider.buffer, chain->device->allocate(kElements * sizeof(float)));
    KILN_RETURN_IF_ERROR(chain->run());
    return chain;
  }

  Result<LoadedProgramRef> find(bool compileAll) { return programs->find(model, dims, compileAll); }
  size_t launches() const { return program->interpreter->program().code().launches.size(); }

  /// All launches through the interpreter.
  Status run() {
    RunInput input{this->input.binding(), dims[0]};
    KILN_RETURN_IF_ERROR(program->interpreter->run({&input, 1}, provider, {}));
    return queue->synchronize();
  }
  /// The same launches as the run before made them, handed to the queue one by one.
  Status launchDirectly() {
    for (const LaunchRepeat &one : program->interpreter->program().code().repeats.launches)
      KILN_RETURN_IF_ERROR(queue->launch(one.kernel, one.args));
    KILN_RETURN_IF_ERROR(queue->flush()); // as a run ends
    return queue->synchronize();
  }

private:
  struct Provider final : OutputProvider {
    Buffer buffer;
    Result<KilnBinding> output(uint32_t, uint64_t) override { return buffer.binding(); }
  };
  std::shared_ptr<Device> device;
  std::unique_ptr<Queue> queue;
  std::unique_ptr<DeviceStore> store;
  std::unique_ptr<ProgramStore> programs;
  ModelRef model;
  LoadedProgramRef program;
  InputDims dims = {{kElements}};
  Buffer input;
  Provider provider;
};

std::string residentChainText() {
  std::string text = "func.func @main(%v0: tensor<16xf32>) -> tensor<16xf32> {\n";
  for (int i = 0; i < kResidentChainLength; ++i)
    text += fmt::format("  %r{0} = kiln.relu %v{0} : tensor<16xf32>\n"
                        "  %v{1} = kiln.optimization_barrier %r{0} : tensor<16xf32>\n",
                        i, i + 1);
  return text + fmt::format("  return %v{} : tensor<16xf32>\n}}\n", kResidentChainLength);
}

double threadMicroseconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

/// Processor time that `fn` costs one of `threads` that all call it `kRepeats` times, a call, in
/// microseconds. Processor time, since a busy machine gives a thread less than a whole core, which is
/// nobody's contention.
template <typename Fn> Result<double> perCall(size_t threads, Fn fn) {
  std::atomic<size_t> ready{0};
  std::vector<double> times(threads);
  std::vector<Status> statuses(threads);
  auto body = [&](size_t thread) {
    Status status; // a thread's own: writing to statuses at each call would share their cache line
    auto callAll = [&] {
      for (int i = 0; i < kRepeats && status.ok(); ++i)
        status = fn(thread, i);
    };
    ++ready;
    while (ready.load() < threads) {
    }
    callAll(); // what a new thread reads, or one that has waited, is in no cache yet
    double start = threadMicroseconds();
    callAll();
    times[thread] = (threadMicroseconds() - start) / kRepeats;
    statuses[thread] = std::move(status);
  };
  std::vector<std::thread> others;
  for (size_t thread = 1; thread < threads; ++thread)
    others.emplace_back(body, thread);
  body(0);
  for (std::thread &other : others)
    other.join();
  double sum = 0;
  for (size_t thread = 0; thread < threads; ++thread) {
    KILN_RETURN_IF_ERROR(statuses[thread]);
    sum += times[thread];
  }
  return sum / static_cast<double>(threads);
}

/// One thread, then two, alternating; the ratio says how many threads' work two of them do.
template <typename Fn>
Status sampleThreads(const BenchContext &context, BenchReport &report, const std::string &what, double unit,
                     Fn fn) {
  const std::string name = what + ", each of two threads";
  if (!context.wants(name))
    return {};
  std::vector<double> ratios;
  KILN_RETURN_IF_ERROR(sampleInto(context, report, kResidentSuite, name, [&]() -> Result<double> {
    KILN_ASSIGN_OR_RETURN(double one, perCall(1, fn));
    KILN_ASSIGN_OR_RETURN(double both, perCall(2, fn));
    ratios.push_back(2 * one / both);
    return both / unit;
  }));
  report.results.back().threadScaling = summarise(std::move(ratios)).median;
  return {};
}

/// The keys and cached kernels that look-ups ask for.
struct ResidentKernels {
  static constexpr size_t kCount = 256;
  std::vector<KernelRequest> requests;
  KernelCache cache;
  struct alignas(128) Counters : CompileCounters {}; // a thread's own cache lines
  Counters counters[2];

  Status fill(const CompiledKernelRef &kernel) {
    for (size_t i = 0; i < kCount; ++i) {
      requests.emplace_back(Sha256::of(fmt::format("resident {}", i)));
      auto copy = [&] { return CompiledKernel::parse(copyBytes(kernel->bytes().bytes), "resident"); };
      KILN_RETURN_IF_ERROR(cache.get(requests.back(), copy, counters[0]).status());
    }
    return {};
  }
  Status find(size_t thread, int i) {
    // Threads ask for kernels of their own, as threads that run models of their own do.
    size_t index = (2 * static_cast<size_t>(i) + thread) % kCount;
    auto absent = [] {
      return Result<CompiledKernelRef>(Status(Code::Internal, "a kernel was not resident"));
    };
    return cache.get(requests[index], absent, counters[thread]).status();
  }
};

} // namespace

Status runResidentCases(const BenchContext &context, BenchReport &report, const CacheSettings &settings,
                        const CompiledKernelRef &kernel) {
  ResidentKernels kernels;
  KILN_RETURN_IF_ERROR(kernels.fill(kernel));
  auto findKernel = [&](size_t thread, int i) { return kernels.find(thread, i); };
  const std::string byKey = "resident: a kernel by its key";
  KILN_RETURN_IF_ERROR(
      sampleInto(context, report, kResidentSuite, byKey, [&] { return perCall(1, findKernel); }));
  KILN_RETURN_IF_ERROR(sampleThreads(context, report, byKey, 1, findKernel));
  if (!context.wants("resident: a program by its shapes") && !context.wants("inline: a launch") &&
      !context.wants("inline: a launch, each of two threads"))
    return {};

  KILN_ASSIGN_OR_RETURN(std::shared_ptr<Instance> instance, Instance::create({}, settings));
  std::string text = residentChainText();
  Model::Options options;
  options.format = "mlir";
  options.name = "chain";
  KILN_ASSIGN_OR_RETURN(
      ModelRef model,
      Model::load(instance, "", {reinterpret_cast<const uint8_t *>(text.data()), text.size()}, options));
  std::unique_ptr<ResidentChain> chains[2];
  for (std::unique_ptr<ResidentChain> &chain : chains) {
    KILN_ASSIGN_OR_RETURN(chain, ResidentChain::open(instance, model));
  }
  auto findProgram = [&](size_t thread, int) { return chains[thread]->find(/*compileAll=*/false).status(); };
  KILN_RETURN_IF_ERROR(sampleInto(context, report, kResidentSuite, "resident: a program by its shapes",
                                  [&] { return perCall(1, findProgram); }));
  auto runChain = [&](size_t thread, int) { return chains[thread]->run(); };
  auto launchDirectly = [&](size_t thread, int) { return chains[thread]->launchDirectly(); };
  auto perLaunch = static_cast<double>(chains[0]->launches());
  KILN_RETURN_IF_ERROR(sampleInto(context, report, kResidentSuite,
                                  "inline: a launch, beyond the queue's call", [&]() -> Result<double> {
                                    KILN_ASSIGN_OR_RETURN(double all, perCall(1, runChain));
                                    KILN_ASSIGN_OR_RETURN(double direct, perCall(1, launchDirectly));
                                    return (all - direct) / perLaunch;
                                  }));
  return sampleThreads(context, report, "inline: a launch with its queue's call", perLaunch, runChain);
}

} // namespace kiln::tools
