// JitRun.cpp: the flow of jit-run: open a device, load a model, run it, check and measure.
#include "tools/lib/CheckFile.h"
#include "tools/lib/JitRunCompile.h"
#include "tools/lib/JitRunFlags.h"
#include "tools/lib/JitRunJob.h"
#include "tools/lib/JitRunReport.h"
#include "tools/lib/Npy.h"
#include "tools/lib/Progress.h"
#include "tools/lib/Roofline.h"
#include "tools/lib/RunCases.h"
#include "tools/lib/TensorText.h"
#include "tools/lib/ToolMain.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <thread>

namespace kiln::tools {
namespace {

constexpr double kMinBenchMs = 1000; // with --bench and no count
constexpr size_t kMinBenchRuns = 20;
constexpr size_t kWarmUpRuns = 3;

/// The flags that say more than a value: parsed before anything is opened, so that a slip costs no time.
struct ParsedValues {
  ShapeFlags shapes;
  std::optional<TopKFlag> topk;
};

Result<int> listDevices(JitRunJob &job, std::ostream &out, std::ostream &err) {
  struct Visit {
    std::ostream &out;
    std::vector<nlohmann::ordered_json> json;
    bool asJson, any = false;
  } visit{out, {}, job.flags.given("json")};
  KILN_RETURN_IF_ERROR(take(kiln_instance_devices(
      job.instance.get(),
      [](void *arg, const KilnDeviceEntry *entry) {
        auto &visit = *static_cast<Visit *>(arg);
        visit.any = true;
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
  if (!visit.any)
    err << "jit-run: note: no device; jit-info paths shows where backends are looked for\n";
  return kYes;
}

Result<int> runChecks(JitRunJob &job, std::ostream &out, std::ostream &err) {
  const ParsedFlags &flags = job.flags;
  CheckOptions options;
  options.function = flags.text("function");
  options.filter = flags.text("filter");
  options.testCase = flags.text("case");
  options.seed = flags.count("seed");
  options.timeoutNs = static_cast<uint64_t>(flags.number("timeout") * 1e9);
  const char *full = std::getenv("KILN_TEST_FULL");
  options.full = full && std::string_view(full) == "1";
  options.sample = flags.given("sample");
  CheckRunner runner(job.instance.get(), job.session.get(), options);
  bool asJson = flags.given("json");
  for (const std::string &path : flags.all("check")) {
    KILN_ASSIGN_OR_RETURN(std::vector<std::string> files, CheckRunner::files(path));
    for (const std::string &file : files)
      KILN_RETURN_IF_ERROR(runner.runFile(file, asJson ? err : out));
  }
  const CheckReport &report = runner.report();
  if (report.results.empty())
    return Status(Code::NotFound,
                  fmt::format("--filter: no function whose FILE:FUNCTION has '{}'", options.filter));
  asJson ? printCheckJson(report, out) : printCheckSummary(report, out);
  if (flags.given("junit")) {
    std::ofstream file(flags.text("junit"));
    writeJUnit(report, file);
    if (!file.flush())
      return Status(Code::Unavailable, fmt::format("--junit: cannot write '{}'", flags.text("junit")));
  }
  bool refused = report.count(CheckResult::Outcome::Refused) > 0 && !flags.given("allow-refusals");
  return refused || report.count(CheckResult::Outcome::Failed) > 0 ? kNo : kYes;
}

Result<int> emit(JitRunJob &job, std::vector<HostTensor> &inputs, std::ostream &out) {
  std::vector<KilnTensor> views = viewTensors(inputs);
  std::string what = job.flags.text("emit");
  KILN_RETURN_IF_ERROR(take(kiln_session_emit(
      job.session.get(), job.model.get(), views.data(), views.size(), toStr(what),
      [](void *arg, const void *data, size_t bytes) {
        static_cast<std::ostream *>(arg)->write(static_cast<const char *>(data),
                                                static_cast<std::streamsize>(bytes));
      },
      &out)));
  return kYes;
}

Tolerance toleranceOf(const ParsedFlags &flags) {
  Tolerance tolerance{flags.number("atol"), flags.number("rtol"), std::nullopt};
  if (flags.given("rel-l2"))
    tolerance.relL2 = flags.number("rel-l2");
  return tolerance;
}

/// Compares outputs with what is expected by name, or by position where a tensor has none.
Status compareOutputs(const ParsedFlags &flags, std::vector<HostTensor> &expected, CaseReport &report) {
  for (size_t i = 0; i < expected.size(); ++i) {
    HostTensor &want = expected[i];
    auto got = want.name.empty()
                   ? report.outputs.begin() + static_cast<std::ptrdiff_t>(std::min(i, report.outputs.size()))
                   : std::find_if(report.outputs.begin(), report.outputs.end(),
                                  [&](const HostTensor &output) { return output.name == want.name; });
    if (got == report.outputs.end()) {
      std::string names;
      for (const HostTensor &output : report.outputs)
        names += fmt::format("{}'{}'", names.empty() ? "" : ", ", output.name);
      return {Code::InvalidArgument,
              fmt::format("expected output {}: not one of the model's: {}",
                          want.name.empty() ? fmt::to_string(i) : "'" + want.name + "'", names)};
    }
    want.name = got->name;
    report.comparisons.push_back(compare(*got, want, toleranceOf(flags)));
  }
  return {};
}

Status compareWithReference(JitRunJob &job, const std::vector<KilnTensor> &inputs, CaseReport &report) {
  std::string device(toView(kiln_session_device(job.reference.get())));
  KILN_ASSIGN_OR_RETURN(std::vector<HostTensor> wanted,
                        job.timed("run on " + device, [&]() -> Result<std::vector<HostTensor>> {
                          KILN_ASSIGN_OR_RETURN(RunHandle run, job.run(job.reference.get(), inputs, false));
                          return readOutputs(run.get());
                        }));
  for (size_t i = 0; i < wanted.size(); ++i) {
    Comparison comparison = compare(report.outputs[i], wanted[i], toleranceOf(job.flags));
    comparison.text += fmt::format(" (reference: {})", device);
    report.comparisons.push_back(std::move(comparison));
  }
  return {};
}

/// One case: compile, first run, comparisons.
Status runCase(JitRunJob &job, RunCase &one, const std::optional<TopKFlag> &topk, std::ostream *terminal,
               JitRunReport &report) {
  CaseReport &result = report.cases.emplace_back();
  result.label = one.label;
  std::vector<KilnTensor> inputs = viewTensors(one.inputs);
  KILN_RETURN_IF_ERROR(job.timed("compile", [&] {
    Progress progress(job.session.get(), terminal);
    return take(kiln_session_prepare(job.session.get(), job.model.get(), inputs.data(), inputs.size()));
  }));
  double compileMs = job.lastMilliseconds();
  report.compileMs += compileMs;
  KILN_ASSIGN_OR_RETURN(RunHandle run,
                        job.timed("first run", [&] { return job.run(job.session.get(), inputs, false); }));
  if (report.cases.size() == 1)
    report.firstMs = compileMs + job.lastMilliseconds();
  KILN_ASSIGN_OR_RETURN(result.outputs, readOutputs(run.get()));
  if (topk) {
    std::vector<std::string> labels;
    if (!topk->labelFile.empty()) {
      KILN_ASSIGN_OR_RETURN(labels, readLabels(topk->labelFile));
    }
    for (const HostTensor &output : result.outputs)
      result.top.push_back(topEntries(output, topk->count, labels));
  }
  KILN_RETURN_IF_ERROR(compareOutputs(job.flags, one.expected, result));
  return job.reference ? compareWithReference(job, inputs, result) : Status();
}

Status measure(JitRunJob &job, const std::vector<KilnTensor> &inputs, JitRunReport &report) {
  uint64_t wanted = job.flags.count("bench");
  for (size_t i = 0; i < kWarmUpRuns; ++i)
    KILN_RETURN_IF_ERROR(job.run(job.session.get(), inputs, false).status());
  std::vector<double> samples;
  auto milliseconds = [](uint64_t since) { return static_cast<double>(steadyNs() - since) * 1e-6; };
  for (uint64_t start = steadyNs();
       wanted ? samples.size() < wanted
              : samples.size() < kMinBenchRuns || milliseconds(start) < kMinBenchMs;) {
    uint64_t begin = steadyNs();
    KILN_ASSIGN_OR_RETURN(RunHandle run, job.run(job.session.get(), inputs, false));
    samples.push_back(milliseconds(begin));
  }
  report.benchRuns = samples.size();
  report.bench = summarise(std::move(samples));
  return {};
}

/// The least time that this machine could take for each launch. Only the host device computes on it.
void addRoofline(const JitRunJob &job, JitRunReport &report) {
  if (!report.device.starts_with("host"))
    return;
  auto threads = static_cast<uint32_t>(job.flags.count("threads"));
  Roofline roofline(threads ? threads : std::max(1u, std::thread::hardware_concurrency()));
  double peak = roofline.measurePeakGflops();
  for (LaunchTiming &launch : report.launches)
    if (launch.flops > 0 || launch.bytes > 0) { // rates are measured by power of two
      uint64_t bytes = std::bit_ceil(static_cast<uint64_t>(launch.bytes));
      double scale = bytes ? launch.bytes / static_cast<double>(bytes) : 0;
      launch.roofMs = std::max(roofline.boundUs(launch.flops, 0, peak),
                               roofline.boundUs(0, static_cast<double>(bytes), peak) * scale) *
                      1e-3;
    }
}

Status profile(JitRunJob &job, const std::vector<KilnTensor> &inputs, JitRunReport &report) {
  KILN_RETURN_IF_ERROR(job.run(job.session.get(), inputs, false).status()); // warm
  KILN_ASSIGN_OR_RETURN(RunHandle run,
                        job.timed("profiled run", [&] { return job.run(job.session.get(), inputs, true); }));
  for (size_t i = 0, n = kiln_run_launch_count(run.get()); i < n; ++i) {
    auto record = sized<KilnLaunchRecord>();
    KILN_RETURN_IF_ERROR(take(kiln_run_launch(run.get(), i, &record)));
    LaunchTiming launch;
    launch.name = toView(record.name);
    launch.codeTemplate = toView(record.code_template);
    launch.location = toView(record.location);
    launch.startNs = record.start_ns, launch.endNs = record.end_ns, launch.cycles = record.cycles;
    launch.milliseconds = static_cast<double>(record.end_ns - record.start_ns) * 1e-6;
    launch.flops = record.flops, launch.bytes = record.traffic_bytes;
    KILN_ASSIGN_OR_RETURN(launch.device, readDeviceProfile(run.get(), i));
    report.launches.push_back(std::move(launch));
  }
  addRoofline(job, report);
  return {};
}

Status writeTraceFile(const JitRunJob &job, const JitRunReport &report, const std::string &path) {
  std::vector<Span> spans = job.spans;
  for (const CompileStage &stage : job.stages)
    spans.push_back({stage.unit == "main" ? stage.stage : stage.stage + " " + stage.unit,
                     "compile",
                     stage.startNs,
                     stage.endNs,
                     {{"unit", stage.unit}}});
  for (const LaunchTiming &launch : report.launches)
    spans.push_back({launch.name,
                     "launches",
                     launch.startNs,
                     launch.endNs,
                     {{"template", launch.codeTemplate},
                      {"location", launch.location},
                      {"flops", fmt::format("{:.0f}", launch.flops)},
                      {"bytes", fmt::format("{:.0f}", launch.bytes)},
                      {"cycles", fmt::to_string(launch.cycles)}}});
  for (const LaunchTiming &launch : report.launches)
    for (Span &span : deviceSpans(launch.device, launch.startNs))
      spans.push_back(std::move(span));
  std::ofstream file(path);
  writeTrace(spans, file);
  if (!file.flush())
    return {Code::Unavailable, fmt::format("--trace: cannot write '{}'", path)};
  return {};
}

/// Everything that is measured on the first case once the results are there.
Status measureFirstCase(JitRunJob &job, RunCase &first, JitRunReport &report, std::ostream &err) {
  const ParsedFlags &flags = job.flags;
  std::vector<KilnTensor> inputs = viewTensors(first.inputs);
  std::vector<std::string> profiles = flags.all("profile");
  auto profiled = [&](std::string_view what) {
    return std::find(profiles.begin(), profiles.end(), what) != profiles.end();
  };
  if (flags.given("save-program")) {
    std::string file = flags.text("save-program");
    KILN_RETURN_IF_ERROR(take(
        kiln_program_save(job.session.get(), job.model.get(), inputs.data(), inputs.size(), toStr(file))));
  }
  if (flags.given("bench"))
    KILN_RETURN_IF_ERROR(measure(job, inputs, report));
  if (profiled("run") || flags.given("trace"))
    KILN_RETURN_IF_ERROR(profile(job, inputs, report));
  KILN_ASSIGN_OR_RETURN(job.stages, takeCompileStages(job.instance.get()));
  if (flags.given("trace"))
    KILN_RETURN_IF_ERROR(writeTraceFile(job, report, flags.text("trace")));
  if (!profiled("run"))
    report.launches.clear();
  if (profiled("compile"))
    report.stages = job.stages;
  for (std::string_view flag : {"dump-stages", "profile"})
    if (job.stages.empty() && (flag == "profile" ? profiled("compile") : flags.given(flag)))
      err << fmt::format(
          "jit-run: note: --{}: nothing was compiled: the program came from a file or the cache\n", flag);
  if (flags.given("cache-stats")) {
    report.cache = sized<KilnCompileStats>();
    KILN_RETURN_IF_ERROR(take(kiln_session_compile_stats(job.session.get(), &*report.cache)));
    std::ostringstream files;
    KILN_RETURN_IF_ERROR(printCacheCounters(job.instance.get(), /*asJson=*/true, files));
    report.cacheFiles = files.str();
  }
  if (flags.given("mem-stats")) {
    report.memory = sized<KilnMemoryStats>();
    KILN_RETURN_IF_ERROR(take(kiln_session_memory(job.session.get(), &*report.memory)));
  }
  return {};
}

Result<int> runModel(JitRunJob &job, const ParsedValues &values, std::ostream &out, std::ostream &err) {
  const ParsedFlags &flags = job.flags;
  std::ostream *terminal = Progress::terminal(err);
  JitRunReport report;
  report.model = flags.operands().front();
  report.device = job.deviceName();
  KILN_ASSIGN_OR_RETURN(ModelOperand operand, resolveModelOperand(report.model));
  KILN_RETURN_IF_ERROR(job.timed("import", [&] {
    Progress progress(job.session.get(), terminal);
    return job.loadModel(operand.file);
  }));
  report.importMs = job.lastMilliseconds();
  KILN_ASSIGN_OR_RETURN(std::vector<RunCase> cases,
                        collectCases(flags, values.shapes, operand, job.model.get(), err));
  if (flags.given("emit"))
    return emit(job, cases.front().inputs, out);
  if (flags.given("reference")) {
    KILN_ASSIGN_OR_RETURN(job.reference, job.openSession(flags.text("reference"), /*mustCompute=*/true));
  }
  for (RunCase &one : cases)
    KILN_RETURN_IF_ERROR(runCase(job, one, values.topk, terminal, report));
  if (flags.given("output"))
    KILN_RETURN_IF_ERROR(writeNpz(flags.text("output"), report.cases.front().outputs));
  KILN_RETURN_IF_ERROR(measureFirstCase(job, cases.front(), report, err));
  if (flags.given("json")) {
    printReportJson(report, out);
  } else {
    printReport(report, out);
    if (report.cache)
      KILN_RETURN_IF_ERROR(printCacheCounters(job.instance.get(), /*asJson=*/false, out));
  }
  return report.holds() ? kYes : kNo;
}

/// What the table alone cannot say of a command line.
Result<ParsedValues> parseValues(const ParsedFlags &flags) {
  ParsedValues values;
  KILN_ASSIGN_OR_RETURN(values.shapes, ShapeFlags::parse(flags.all("shape")));
  if (flags.given("topk")) {
    Result<TopKFlag> topk = parseTopK(flags.text("topk"));
    if (!topk.ok())
      return Status(topk.status().code(), "--topk: " + topk.status().message());
    values.topk = *topk;
  }
  std::vector<std::string> names;
  for (const std::string &input : flags.all("input")) {
    if (Status status = checkTensorText(input); !status.ok())
      return Status(status.code(), "--input: " + status.message());
    std::string name = input.substr(0, input.find('='));
    if (!name.empty() && std::find(names.begin(), names.end(), name) != names.end())
      return Status(Code::InvalidArgument, fmt::format("--input: '{}' is given twice; expected once", name));
    names.push_back(name);
  }
  if (flags.operands().empty() && !flags.given("list-devices") && !flags.given("check"))
    return Status(Code::InvalidArgument, "MODEL is missing; expected a model, --check or --list-devices");
  if (flags.given("precision") && flags.operands().empty())
    return Status(Code::InvalidArgument, "--precision: belongs to a MODEL, which is missing");
  for (std::string_view flag : {"filter", "case", "junit", "allow-refusals", "sample"})
    if (flags.given(flag) && !flags.given("check"))
      return Status(Code::InvalidArgument, fmt::format("--{}: belongs to --check, which is missing", flag));
  if (flags.given("case"))
    KILN_RETURN_IF_ERROR(parseTestCase(flags.text("case")).status());
  for (std::string_view flag : {"compile-only", "bundle"})
    for (std::string_view other :
         {"check", "list-devices", "emit", "bench", "profile", "expect", "reference", "output"})
      if (flags.given(flag) && flags.given(other))
        return Status(Code::InvalidArgument, fmt::format("--{}: nothing is run with --{}", other, flag));
  if (!flags.operands().empty() && (flags.given("check") || flags.given("list-devices")))
    return Status(Code::InvalidArgument,
                  fmt::format("'{}': a model besides --check or --list-devices; expected one of them",
                              flags.operands().front()));
  std::error_code error;
  bool isTestCase = !flags.operands().empty() &&
                    std::filesystem::is_directory(flags.operands().front() + "/test_data_set_0", error);
  for (std::string_view flag : {"input", "inputs", "shape", "expect", "output"})
    if (isTestCase && flags.given(flag))
      return Status(Code::InvalidArgument,
                    fmt::format("--{}: the test case '{}' has its own data; expected its model.onnx", flag,
                                flags.operands().front()));
  if (flags.given("output") && values.shapes.runCount() > 1)
    return Status(Code::InvalidArgument,
                  fmt::format("--output: {} runs; expected one", values.shapes.runCount()));
  return values;
}

Result<int> jitRunBody(const ParsedFlags &flags, std::ostream &out, std::ostream &err) {
  Result<ParsedValues> values = parseValues(flags);
  if (!values.ok())
    return usageError(kJitRunSpec, values.status().message(), err);
  JitRunJob job(flags);
  KILN_RETURN_IF_ERROR(job.openInstance());
  if (flags.given("list-devices"))
    return listDevices(job, out, err);
  if (flags.given("compile-only") || flags.given("bundle"))
    return compileAhead(job, values->shapes, out, err, Progress::terminal(err));
  KILN_ASSIGN_OR_RETURN(job.session, job.openSession(flags.text("device"), /*mustCompute=*/false));
  if (flags.given("check"))
    return runChecks(job, out, err);
  return runModel(job, *values, out, err);
}

} // namespace

int jitRun(int argc, const char *const *argv, std::ostream &out, std::ostream &err) {
  return runTool(kJitRunSpec, argc, argv, out, err, jitRunBody);
}

} // namespace kiln::tools
