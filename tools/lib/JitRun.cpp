// JitRun.cpp: the flow of jit-run: open a device, load a model, run it, check and measure.
#include "tools/lib/CheckFile.h"
#include "tools/lib/JitRunFlags.h"
#include "tools/lib/JitRunReport.h"
#include "tools/lib/Npy.h"
#include "tools/lib/RunInputs.h"
#include "tools/lib/ToolMain.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <ostream>

namespace kiln::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kMinBenchMs = 1000; // with --bench and no count
constexpr size_t kMinBenchRuns = 20;
constexpr size_t kWarmUpRuns = 3;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// One invocation: the objects that it opened, in the order in which they must be released.
struct Job {
  const ParsedFlags &flags;
  InstanceHandle instance;
  SessionHandle session;
  ModelHandle model;
  std::vector<HostTensor> inputs;
  std::vector<KilnTensor> views;

  Status openInstance() {
    KilnInstance *opened = nullptr;
    KILN_RETURN_IF_ERROR(take(kiln_instance_create(nullptr, &opened)));
    instance.reset(opened);
    return {};
  }
  Status openSession() {
    auto options = sized<KilnSessionOptions>();
    std::string device = flags.text("device"), deviceOptions = flags.text("device-options");
    std::string dumpDir = flags.text("dump-stages");
    options.device = toStr(device);
    options.device_options = toStr(deviceOptions);
    options.dump_dir = toStr(dumpDir);
    options.threads = static_cast<uint32_t>(flags.count("threads"));
    options.memory_limit_bytes = flags.count("memory-limit") << 20;
    KilnSession *opened = nullptr;
    KILN_RETURN_IF_ERROR(take(kiln_session_open(instance.get(), &options, &opened)));
    session.reset(opened);
    return {};
  }
  Status loadModel(const std::string &path) {
    auto options = sized<KilnModelOptions>();
    std::string function = flags.text("function");
    options.function = toStr(function);
    KilnModel *loaded = nullptr;
    KILN_RETURN_IF_ERROR(take(kiln_model_load_file(instance.get(), toStr(path), &options, &loaded)));
    model.reset(loaded);
    return {};
  }
  Result<RunHandle> run(bool profile) {
    auto options = sized<KilnRunOptions>();
    options.timeout_ns = static_cast<uint64_t>(flags.number("timeout") * 1e9);
    options.precompile = 1;
    options.profile = profile;
    KilnRun *result = nullptr;
    KILN_RETURN_IF_ERROR(
        take(kiln_session_run(session.get(), model.get(), views.data(), views.size(), &options, &result)));
    return RunHandle(result);
  }
};

Result<int> listDevices(Job &job, std::ostream &out) {
  struct Visit {
    std::ostream &out;
    std::vector<nlohmann::ordered_json> json;
    bool asJson;
  } visit{out, {}, job.flags.given("json")};
  KILN_RETURN_IF_ERROR(take(kiln_instance_devices(
      job.instance.get(),
      [](void *arg, const KilnDeviceEntry *entry) {
        auto &visit = *static_cast<Visit *>(arg);
        bool hardware = entry->kind == KILN_DEVICE_HARDWARE;
        if (visit.asJson)
          visit.json.push_back({{"name", toView(entry->name)},
                                {"backend", toView(entry->backend)},
                                {"kind", hardware ? "hardware" : "software"},
                                {"description", toView(entry->description)},
                                {"computes", !entry->computes_nothing},
                                {"memory_bytes", entry->memory_bytes}});
        else
          visit.out << fmt::format(
              "{:<10} {:<9} {:>8.1f} GiB  {}\n", toView(entry->name), hardware ? "hardware" : "software",
              static_cast<double>(entry->memory_bytes) / (1u << 30), toView(entry->description));
      },
      &visit)));
  if (visit.asJson)
    out << nlohmann::ordered_json{{"devices", visit.json}}.dump(2) << "\n";
  return kYes;
}

Result<int> runChecks(Job &job, std::ostream &out) {
  CheckCounts counts;
  for (const std::string &path : job.flags.all("check"))
    KILN_RETURN_IF_ERROR(
        runCheckFile(job.instance.get(), job.session.get(), path, job.flags.text("function"), out, counts));
  out << fmt::format("{} functions, {} checks, {} failed on {}\n", counts.functions, counts.checks,
                     counts.failures, toView(kiln_session_device(job.session.get())));
  return counts.failures ? kNo : kYes;
}

Result<int> emit(Job &job, std::ostream &out) {
  std::string what = job.flags.text("emit");
  KILN_RETURN_IF_ERROR(take(kiln_session_emit(
      job.session.get(), job.model.get(), job.views.data(), job.views.size(), toStr(what),
      [](void *arg, const void *data, size_t bytes) {
        static_cast<std::ostream *>(arg)->write(static_cast<const char *>(data),
                                                static_cast<std::streamsize>(bytes));
      },
      &out)));
  return kYes;
}

Result<std::vector<HostTensor>> readOutputs(KilnRun *run) {
  std::vector<HostTensor> outputs;
  for (size_t i = 0, n = kiln_run_output_count(run); i < n; ++i) {
    auto tensor = sized<KilnTensor>();
    KILN_RETURN_IF_ERROR(take(kiln_run_output(run, i, &tensor)));
    outputs.push_back(copyTensor(tensor));
  }
  return outputs;
}

Status compareOutputs(const ParsedFlags &flags, JitRunReport &report) {
  KILN_ASSIGN_OR_RETURN(std::vector<HostTensor> expected, readNpz(flags.text("expect")));
  Tolerance tolerance{flags.number("atol"), flags.number("rtol"), std::nullopt};
  if (flags.given("rel-l2"))
    tolerance.relL2 = flags.number("rel-l2");
  if (expected.empty())
    return {Code::InvalidArgument,
            fmt::format("{}: no arrays; expected outputs by name", flags.text("expect"))};
  for (const HostTensor &want : expected) {
    auto got = std::find_if(report.outputs.begin(), report.outputs.end(),
                            [&](const HostTensor &output) { return output.name == want.name; });
    if (got == report.outputs.end()) {
      std::string names;
      for (const HostTensor &output : report.outputs)
        names += fmt::format("{}'{}'", names.empty() ? "" : ", ", output.name);
      return {Code::InvalidArgument, fmt::format("{}: output '{}' is not one of the model's: {}",
                                                 flags.text("expect"), want.name, names)};
    }
    report.comparisons.push_back(compare(*got, want, tolerance));
  }
  return {};
}

Status measure(Job &job, JitRunReport &report) {
  uint64_t wanted = job.flags.count("bench");
  for (size_t i = 0; i < kWarmUpRuns; ++i)
    KILN_RETURN_IF_ERROR(job.run(false).status());
  std::vector<double> samples;
  for (Clock::time_point start = Clock::now();
       wanted ? samples.size() < wanted
              : samples.size() < kMinBenchRuns || millisecondsSince(start) < kMinBenchMs;) {
    Clock::time_point begin = Clock::now();
    KILN_ASSIGN_OR_RETURN(RunHandle run, job.run(false));
    samples.push_back(millisecondsSince(begin));
  }
  report.benchRuns = samples.size();
  report.bench = summarise(std::move(samples));
  return {};
}

Status profile(Job &job, JitRunReport &report) {
  KILN_RETURN_IF_ERROR(job.run(false).status()); // warm
  KILN_ASSIGN_OR_RETURN(RunHandle run, job.run(true));
  for (size_t i = 0, n = kiln_run_launch_count(run.get()); i < n; ++i) {
    auto record = sized<KilnLaunchRecord>();
    KILN_RETURN_IF_ERROR(take(kiln_run_launch(run.get(), i, &record)));
    report.launches.push_back({std::string(toView(record.name)), std::string(toView(record.code_template)),
                               std::string(toView(record.location)),
                               static_cast<double>(record.end_ns - record.start_ns) * 1e-6, record.flops,
                               record.traffic_bytes});
  }
  return {};
}

Result<int> runModel(Job &job, const std::string &path, double importMs, std::ostream &out) {
  JitRunReport report;
  report.model = path;
  report.device = std::string(toView(kiln_session_device(job.session.get())));
  report.importMs = importMs;
  Clock::time_point start = Clock::now();
  KILN_RETURN_IF_ERROR(
      take(kiln_session_prepare(job.session.get(), job.model.get(), job.views.data(), job.views.size())));
  report.compileMs = millisecondsSince(start);
  {
    KILN_ASSIGN_OR_RETURN(RunHandle run, job.run(false));
    report.firstMs = millisecondsSince(start);
    KILN_ASSIGN_OR_RETURN(report.outputs, readOutputs(run.get()));
  }
  const ParsedFlags &flags = job.flags;
  if (flags.given("expect"))
    KILN_RETURN_IF_ERROR(compareOutputs(flags, report));
  if (flags.given("output"))
    KILN_RETURN_IF_ERROR(writeNpz(flags.text("output"), report.outputs));
  if (flags.given("save-program")) {
    std::string file = flags.text("save-program");
    KILN_RETURN_IF_ERROR(take(kiln_program_save(job.session.get(), job.model.get(), job.views.data(),
                                                job.views.size(), toStr(file))));
  }
  if (flags.given("bench"))
    KILN_RETURN_IF_ERROR(measure(job, report));
  if (flags.given("profile"))
    KILN_RETURN_IF_ERROR(profile(job, report));
  if (flags.given("cache-stats")) {
    report.cache = sized<KilnCompileStats>();
    KILN_RETURN_IF_ERROR(take(kiln_session_compile_stats(job.session.get(), &*report.cache)));
  }
  if (flags.given("mem-stats")) {
    report.memory = sized<KilnMemoryStats>();
    KILN_RETURN_IF_ERROR(take(kiln_session_memory(job.session.get(), &*report.memory)));
  }
  if (flags.given("json"))
    printReportJson(report, out);
  else
    printReport(report, out);
  return report.holds() ? kYes : kNo;
}

Result<int> jitRunBody(const ParsedFlags &flags, std::ostream &out, std::ostream &err) {
  Job job{flags, {}, {}, {}, {}, {}};
  if (flags.text("profile") != "run" && !flags.text("profile").empty())
    return Status(Code::InvalidArgument,
                  fmt::format("--profile: '{}' is not known; expected run", flags.text("profile")));
  if (flags.operands().empty() && !flags.given("list-devices") && !flags.given("check")) {
    err << "jit-run: error: MODEL is missing; expected a model, --check or --list-devices\n";
    return kUsage;
  }
  KILN_RETURN_IF_ERROR(job.openInstance());
  if (flags.given("list-devices"))
    return listDevices(job, out);
  KILN_RETURN_IF_ERROR(job.openSession());
  if (flags.given("check"))
    return runChecks(job, out);
  const std::string &path = flags.operands().front();
  Clock::time_point start = Clock::now();
  KILN_RETURN_IF_ERROR(job.loadModel(path));
  double importMs = millisecondsSince(start);
  KILN_ASSIGN_OR_RETURN(job.inputs, collectInputs(flags, job.model.get(), err));
  job.views = viewTensors(job.inputs);
  if (flags.given("emit"))
    return emit(job, out);
  return runModel(job, path, importMs, out);
}

} // namespace

int jitRun(int argc, const char *const *argv, std::ostream &out, std::ostream &err) {
  return runTool(kJitRunSpec, argc, argv, out, err, jitRunBody);
}

} // namespace kiln::tools
