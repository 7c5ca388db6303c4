// CheckFile.cpp: a case is a run: its inputs are made here, its results and kiln.check ops are judged here.
#include "tools/lib/CheckFile.h"

#include "tools/lib/CheckReference.h"
#include "tools/lib/Compare.h"
#include "tools/lib/RunCases.h"
#include "tools/lib/Shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <ostream>

namespace kiln::tools {
namespace {

namespace fs = std::filesystem;
using Outcome = CheckResult::Outcome;

/// Said of a case whose results are wrong; every other error is one of running it.
constexpr Code kWrong = Code::Aborted;

Status wrong(std::string message) { return {kWrong, std::move(message)}; }

Result<Comparison> compareCheck(KilnRun *run, const KilnCheck &check) {
  auto got = sized<KilnTensor>(), want = sized<KilnTensor>();
  KILN_RETURN_IF_ERROR(take(kiln_run_output(run, check.got, &got)));
  KILN_RETURN_IF_ERROR(take(kiln_run_output(run, check.want, &want)));
  Tolerance tolerance;
  if (!check.exact)
    tolerance.atol = check.atol, tolerance.rtol = check.rtol;
  return compare(copyTensor(got), copyTensor(want), tolerance);
}

Result<uint64_t> cyclesOf(KilnRun *run) {
  uint64_t cycles = 0;
  for (size_t i = 0, n = kiln_run_launch_count(run); i < n; ++i) {
    auto record = sized<KilnLaunchRecord>();
    KILN_RETURN_IF_ERROR(take(kiln_run_launch(run, i, &record)));
    cycles += record.cycles;
  }
  return cycles;
}

} // namespace

/// A loaded function with what its attribute says.
struct CheckRunner::Function {
  std::string path, name;
  ModelHandle model;
  KernelTest test;
};

CheckRunner::CheckRunner(KilnInstance *instance, KilnSession *session, CheckOptions options)
    : instance(instance), session(session), options(std::move(options)) {
  theReport.device = std::string(toView(kiln_session_device(session)));
  // A device that cannot be listed is not known to compute nothing.
  kiln_status_free(kiln_instance_devices(
      instance,
      [](void *arg, const KilnDeviceEntry *entry) {
        auto &self = *static_cast<CheckRunner *>(arg);
        if (toView(entry->name) == self.theReport.device)
          self.computesNothing = entry->computes_nothing != 0,
          self.simulatesTime = entry->simulated_time != 0;
      },
      this));
}

std::string CheckRunner::deviceType() const { return theReport.device.substr(0, theReport.device.find(':')); }

Result<std::vector<std::string>> CheckRunner::files(const std::string &path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return std::vector<std::string>{path};
  std::vector<std::string> found;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(path, error))
    if (entry.path().extension() == ".mlir")
      found.push_back(entry.path().string());
  if (found.empty())
    return Status(Code::NotFound, fmt::format("'{}': no .mlir file below; expected kernel tests", path));
  std::sort(found.begin(), found.end());
  return found;
}

Status CheckRunner::runFile(const std::string &path, std::ostream &out) {
  std::vector<std::string> functions;
  KILN_RETURN_IF_ERROR(take(kiln_model_functions(
      instance, toStr(path), nullptr,
      [](void *arg, KilnStr name) {
        static_cast<std::vector<std::string> *>(arg)->emplace_back(toView(name));
      },
      &functions)));
  if (functions.empty())
    return {Code::InvalidArgument,
            fmt::format("'{}': no function; expected functions that check something", path)};
  if (!options.function.empty()) {
    std::string variants = options.function + "["; // "add" means all of its element types
    std::erase_if(functions, [&](const std::string &name) {
      return name != options.function && !name.starts_with(variants);
    });
    if (functions.empty())
      return {Code::NotFound, fmt::format("'{}': no function '{}'", path, options.function)};
  }
  std::map<std::string, size_t> variants; // so far, by function
  for (const std::string &name : functions) {
    size_t variant = variants[name.substr(0, name.find('['))]++;
    if (fmt::format("{}:{}", path, name).find(options.filter) != std::string::npos)
      runFunction(path, name, variant, out);
  }
  return {};
}

void CheckRunner::add(CheckResult result, std::ostream &out) {
  printCheckResult(result, theReport.device, out);
  theReport.results.push_back(std::move(result));
}

std::vector<TestCase> CheckRunner::chosenCases(const KernelTest &test, size_t variant) const {
  std::vector<TestCase> chosen;
  for (const TestCase &testCase : test.cases)
    if (!testCase.full || options.full || !options.testCase.empty())
      chosen.push_back(testCase);
  if (options.sample && !options.full && variant > 0 && !chosen.empty())
    chosen = {chosen[variant % chosen.size()]};
  return chosen;
}

void CheckRunner::runFunction(const std::string &path, const std::string &name, size_t variant,
                              std::ostream &out) {
  ++theReport.functions;
  Function function{path, name, {}, {}};
  auto prepare = [&]() -> Status {
    auto modelOptions = sized<KilnModelOptions>();
    modelOptions.function = toStr(name);
    KilnModel *model = nullptr;
    KILN_RETURN_IF_ERROR(take(kiln_model_load_file(instance, toStr(path), &modelOptions, &model)));
    function.model.reset(model);
    KilnStr json = {};
    KILN_RETURN_IF_ERROR(take(kiln_model_test(model, &json)));
    KILN_ASSIGN_OR_RETURN(function.test, KernelTest::parse(std::string(toView(json))));
    if (!options.testCase.empty()) {
      KILN_ASSIGN_OR_RETURN(TestCase given, parseTestCase(options.testCase));
      function.test.cases = {given};
    }
    if (function.test.cycles.contains(deviceType()) && !simulatesTime)
      return {
          Code::InvalidArgument,
          fmt::format("kiln.test: cycles of '{}': '{}' has no deterministic clock; expected a device that "
                      "simulates its time",
                      deviceType(), theReport.device)};
    return {};
  };
  if (Status status = prepare(); !status.ok())
    return add({Outcome::Failed, path, name, "", status.message(), "", 0, 0, false}, out);
  for (const TestCase &testCase : chosenCases(function.test, variant)) {
    auto start = std::chrono::steady_clock::now();
    CheckResult result = runCase(function, testCase);
    if (result.isMismatch)
      findSmallest(function, testCase, result);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    add(std::move(result), out);
  }
}

CheckResult CheckRunner::runCase(const Function &function, const TestCase &testCase) {
  CheckResult result{Outcome::Passed, function.path, function.name, testCase.text(), "", "", 0, 0, false};
  bool compiled = false;
  auto attempt = [&]() -> Status {
    std::vector<HostTensor> tensors;
    for (size_t i = 0, n = kiln_model_input_count(function.model.get()); i < n; ++i) {
      auto port = sized<KilnPortInfo>();
      KILN_RETURN_IF_ERROR(take(kiln_model_input(function.model.get(), i, &port)));
      std::vector<int64_t> dims(port.dims, port.dims + port.rank);
      TestInput input;
      if (i < function.test.inputs.size()) {
        input = function.test.inputs[i];
        KILN_ASSIGN_OR_RETURN(dims, extentsOf(input, testCase));
      } else if (std::find(dims.begin(), dims.end(), -1) != dims.end()) {
        return {
            Code::InvalidArgument,
            fmt::format("input '{}': an extent is '?' and no test gives it; expected kiln.test with extents",
                        toView(port.name))};
      }
      KILN_ASSIGN_OR_RETURN(HostTensor tensor,
                            makeTensor(std::string(toView(port.name)), port.dtype, std::move(dims)));
      fillTestData(tensor, input.data, testCase.specials, options.seed + testCase.seed);
      tensors.push_back(std::move(tensor));
    }
    std::vector<KilnTensor> inputs = viewTensors(tensors);
    KILN_RETURN_IF_ERROR(
        take(kiln_session_prepare(session, function.model.get(), inputs.data(), inputs.size())));
    compiled = true;
    auto runOptions = sized<KilnRunOptions>();
    runOptions.timeout_ns = options.timeoutNs;
    runOptions.precompile = 1;
    runOptions.profile = !function.test.cycles.empty();
    KilnRun *run = nullptr;
    KILN_RETURN_IF_ERROR(take(
        kiln_session_run(session, function.model.get(), inputs.data(), inputs.size(), &runOptions, &run)));
    RunHandle runHandle(run);
    return judge(function, testCase, run, inputs, result);
  };
  Status status = attempt();
  if (!function.test.error.empty()) {
    ++result.checks;
    bool isExpected = !status.ok() && status.code() != kWrong &&
                      status.message().find(function.test.error) != std::string::npos;
    if (!status.ok())
      kiln_status_free(kiln_session_reset(session)); // a fault that was expected
    if (isExpected || (computesNothing && status.ok()))
      return result.outcome = isExpected ? Outcome::Passed : Outcome::Unjudged, result;
    result.outcome = Outcome::Failed;
    result.message = status.ok() ? fmt::format("no error; expected one with '{}'", function.test.error)
                                 : fmt::format("error '{}'; expected one with '{}'", status.message(),
                                               function.test.error);
    return result;
  }
  if (status.ok()) {
    result.outcome = computesNothing ? Outcome::Unjudged : Outcome::Passed;
    return result;
  }
  result.outcome = !compiled && status.code() == Code::Unimplemented ? Outcome::Refused : Outcome::Failed;
  result.message = status.message();
  result.isMismatch = status.code() == kWrong;
  if (compiled && status.code() != kWrong)
    kiln_status_free(kiln_session_reset(session)); // the next case gets a queue that works
  return result;
}

Status CheckRunner::judge(const Function &function, const TestCase &, KilnRun *run,
                          const std::vector<KilnTensor> &inputs, CheckResult &result) {
  const KernelTest &test = function.test;
  size_t checks = kiln_run_check_count(run);
  if (checks == 0 && test.resultCount == 0 && test.error.empty())
    return wrong("checks nothing; expected a result, which the reference judges, or a kiln.check op");
  if (computesNothing)
    return {};
  if (auto expected = test.cycles.find(deviceType()); expected != test.cycles.end()) {
    KILN_ASSIGN_OR_RETURN(uint64_t cycles, cyclesOf(run));
    ++result.checks;
    if (cycles == 0)
      return wrong(
          fmt::format("the device counted no cycles; expected {}: see its options", expected->second));
    if (cycles != expected->second)
      return wrong(fmt::format("takes {} cycles; expected {}", cycles, expected->second));
  }
  for (size_t i = 0; i < checks; ++i) {
    auto check = sized<KilnCheck>();
    KILN_RETURN_IF_ERROR(take(kiln_run_check(run, i, &check)));
    KILN_ASSIGN_OR_RETURN(Comparison comparison, compareCheck(run, check));
    ++result.checks;
    if (!comparison.equal)
      return wrong(fmt::format("{}: {}", toView(check.location), comparison.text));
  }
  if (test.resultCount == 0)
    return {};
  KILN_ASSIGN_OR_RETURN(std::vector<ReferenceTensor> wanted, referenceResults(function.model.get(), inputs));
  for (size_t i = 0; i < std::min(test.resultCount, wanted.size()); ++i) {
    auto got = sized<KilnTensor>();
    KILN_RETURN_IF_ERROR(take(kiln_run_output(run, i, &got)));
    ++result.checks;
    std::string difference =
        differenceFrom(wanted[i], copyTensor(got), test.atol.value_or(0), test.rtol.value_or(0));
    if (!difference.empty())
      return wrong(difference);
  }
  return {};
}

void CheckRunner::findSmallest(const Function &function, const TestCase &failing, CheckResult &result) {
  if (failing.variables.empty())
    return;
  std::string message;
  TestCase tried = failing;
  Variables smallest = shrink(failing.variables, [&](const Variables &variables) {
    tried.variables = variables;
    CheckResult again = runCase(function, tried);
    if (again.isMismatch)
      message = again.message;
    return again.isMismatch;
  });
  if (smallest == failing.variables)
    return;
  tried.variables = smallest;
  result.smallest = fmt::format("{}: {}", tried.text(), message);
}

} // namespace kiln::tools
