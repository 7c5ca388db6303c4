// JitBenchKernels.cpp: the suite kernels: each case runs through the C API; what counts is the time of its
// launches.
#include "tools/lib/BenchSampling.h"
#include "tools/lib/JitBench.h"
#include "tools/lib/KilnApi.h"
#include "tools/lib/RunCases.h"
#include "tools/lib/TensorText.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ostream>
#include <set>

namespace kiln::tools {
namespace {

using BufferHandle = std::unique_ptr<KilnBuffer, Releaser<kiln_buffer_release>>;
constexpr size_t kKernelWarmUpRuns = 3;
constexpr int64_t kCheckedElements = 64;

/// One case on one session. Inputs lie in imported memory, so that a run copies nothing.
class CaseRun {
public:
  CaseRun(KilnInstance *instance, KilnSession *session, const KernelCase &kernel)
      : instance(instance), session(session), kernel(kernel) {}

  Status prepare(BenchResult &result) {
    auto options = sized<KilnModelOptions>();
    options.format = toStr("mlir");
    options.name = toStr(kernel.name);
    KilnModel *loaded = nullptr;
    KILN_RETURN_IF_ERROR(
        take(kiln_model_load_memory(instance, kernel.text.data(), kernel.text.size(), &options, &loaded)));
    model.reset(loaded);
    for (size_t i = 0; i < kernel.arguments.size(); ++i) {
      KILN_ASSIGN_OR_RETURN(HostTensor tensor,
                            makeTensor(fmt::format("a{}", i), KILN_F32, kernel.arguments[i]));
      fillRandom(tensor, i + 1);
      arguments.push_back(std::move(tensor));
    }
    for (HostTensor &tensor : arguments) {
      KilnBuffer *buffer = nullptr;
      KILN_RETURN_IF_ERROR(take(kiln_buffer_import_host(session, tensor.bytes.data(), tensor.bytes.size(),
                                                        nullptr, nullptr, &buffer)));
      buffers.emplace_back(buffer);
    }
    views = viewTensors(arguments);
    for (size_t i = 0; i < views.size(); ++i) {
      views[i].name = toStr(""); // by position
      views[i].data = nullptr;
      views[i].data_bytes = 0;
      views[i].buffer = buffers[i].get();
    }
    BenchClock::time_point start = BenchClock::now();
    KILN_RETURN_IF_ERROR(take(kiln_session_prepare(session, model.get(), views.data(), views.size())));
    result.compileMs = std::chrono::duration<double, std::milli>(BenchClock::now() - start).count();
    return {};
  }

  /// Compares elements all over the result with the definition. "" if they agree.
  Result<std::string> check() {
    KILN_ASSIGN_OR_RETURN(RunHandle done, run(false));
    auto tensor = sized<KilnTensor>();
    KILN_RETURN_IF_ERROR(take(kiln_run_output(done.get(), 0, &tensor)));
    HostTensor got = copyTensor(tensor);
    int64_t elements = got.elementCount();
    for (int64_t i = 0; i < std::min(elements, kCheckedElements); ++i) {
      int64_t index =
          elements <= kCheckedElements ? i : (i * 7919 + i * (elements / kCheckedElements)) % elements;
      double want = kernel.reference(arguments, index), have = got.element(index);
      if (!(std::abs(have - want) <= kernel.tolerance * std::max(1.0, std::abs(want))))
        return fmt::format("element {}: got {}, want {}", index, have, want);
    }
    return std::string();
  }

  /// Microseconds that the launches of one run took.
  Result<double> time(BenchResult &result) {
    KILN_ASSIGN_OR_RETURN(RunHandle done, run(true));
    double us = 0;
    std::set<std::string> templates;
    result.launches = kiln_run_launch_count(done.get());
    for (size_t i = 0; i < result.launches; ++i) {
      auto record = sized<KilnLaunchRecord>();
      KILN_RETURN_IF_ERROR(take(kiln_run_launch(done.get(), i, &record)));
      us += static_cast<double>(record.end_ns - record.start_ns) * 1e-3;
      templates.insert(std::string(toView(record.code_template)));
    }
    result.templates = fmt::format("{}", fmt::join(templates, ","));
    return us;
  }

private:
  Result<RunHandle> run(bool profile) {
    auto options = sized<KilnRunOptions>();
    options.profile = profile;
    KilnRun *done = nullptr;
    KILN_RETURN_IF_ERROR(
        take(kiln_session_run(session, model.get(), views.data(), views.size(), &options, &done)));
    return RunHandle(done);
  }

  KilnInstance *instance;
  KilnSession *session;
  const KernelCase &kernel;
  std::vector<HostTensor> arguments;
  std::vector<BufferHandle> buffers;
  ModelHandle model;
  std::vector<KilnTensor> views;
};

Status measure(const BenchContext &context, CaseRun &run, BenchResult &result) {
  KILN_RETURN_IF_ERROR(run.prepare(result));
  KILN_ASSIGN_OR_RETURN(std::string wrong, run.check());
  if (!wrong.empty())
    result.problem = "wrong result: " + wrong;
  for (size_t i = 0; i < kKernelWarmUpRuns; ++i)
    KILN_RETURN_IF_ERROR(run.time(result).status());
  std::vector<double> samples;
  for (BenchClock::time_point start = BenchClock::now();
       samples.size() < context.samples ||
       std::chrono::duration<double>(BenchClock::now() - start).count() < context.minSeconds;) {
    KILN_ASSIGN_OR_RETURN(double us, run.time(result));
    samples.push_back(us);
  }
  result.samples = samples.size();
  result.us = summarise(std::move(samples));
  return {};
}

} // namespace

Status runKernelSuite(const BenchContext &context, BenchReport &report) {
  KilnInstance *opened = nullptr;
  KILN_RETURN_IF_ERROR(take(kiln_instance_create(nullptr, &opened)));
  InstanceHandle instance(opened);
  auto options = sized<KilnSessionOptions>();
  std::string device = context.flags.text("device");
  options.device = toStr(device);
  options.threads = report.threads;
  KilnSession *session = nullptr;
  KILN_RETURN_IF_ERROR(take(kiln_session_open(instance.get(), &options, &session)));
  SessionHandle sessionHandle(session);
  report.device = std::string(toView(kiln_session_device(session)));

  Roofline roofline(report.threads);
  report.memoryGbs = roofline.readGigabytesPerSecond(uint64_t(256) << 20);
  double before = roofline.measurePeakGflops();
  for (const KernelCase &kernel : kernelCases()) {
    if (!context.wants(kernel.name))
      continue;
    context.progress << "jit-bench: " << kernel.name << std::endl;
    BenchResult result;
    result.suite = "kernels";
    result.name = kernel.name;
    result.flops = kernel.flops;
    result.bytes = kernel.bytes;
    CaseRun run(instance.get(), session, kernel);
    if (Status status = measure(context, run, result); !status.ok())
      result.problem = status.message();
    // The roof is taken beside every case: the clock and the neighbours change while a suite runs.
    double after = roofline.measurePeakGflops(), peak = std::max(before, after);
    result.isStable = std::abs(after - before) <= kPeakDrift * peak;
    result.boundUs = roofline.boundUs(kernel.flops, kernel.bytes, peak);
    report.peakGflops = std::max(report.peakGflops, peak);
    before = after;
    report.results.push_back(std::move(result));
  }
  return {};
}

} // namespace kiln::tools
