// JitInfoDoctor.cpp: jit-info doctor: each backend in a child process of its own, so that a crash is a line
// of a table.
#include "tools/lib/JitInfo.h"
#include "tools/lib/TextTable.h"
#include "tools/lib/ToolMain.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace kiln::tools {
namespace {

using Json = nlohmann::ordered_json;

/// What is known of one backend after its trial.
struct Examination {
  BackendReport report;
  Json trial;        // what the child said; null if it was not started or did not get to its end
  std::string state; // READY, CRASHED, HANGS, or the registry's
  std::vector<std::string> problems; // root causes
  double wallMs = 0, peakMiB = 0;
  bool isBroken = false;
};

bool mayBeTried(const BackendReport &report) {
  return report.manifest && report.state != BackendState::Disabled &&
         report.state != BackendState::Shadowed && report.state != BackendState::Failed;
}

// The line of JSON that a child which got to its end wrote before its last line.
Json readReport(const std::string &output) {
  std::vector<std::string> lines = splitList(output, "\n");
  if (lines.size() < 2 || lines.back() != kPreflightEnd)
    return nullptr;
  Json json = Json::parse(lines[lines.size() - 2], nullptr, /*allow_exceptions=*/false);
  return json.is_object() ? json : Json(nullptr);
}

// What the child's compiler warned about this backend on stderr: "backend 'foo' is left out: WHY"; "" if
// nothing.
std::string whyLeftOut(const std::string &errors, const std::string &backend) {
  size_t start = errors.find(fmt::format("backend '{}' is left out: ", backend));
  return start == std::string::npos ? "" : errors.substr(start, errors.find('\n', start) - start);
}

void addReported(Examination &result, const std::string &errors) {
  Json &trial = result.trial;
  result.state = trial["state"];
  if (std::string reason = trial["reason"]; !reason.empty())
    result.problems.push_back(reason);
  for (const Json &device : trial["devices"])
    if (device.contains("problem"))
      result.problems.push_back(fmt::format("device type '{}': {}", device["type"].get<std::string>(),
                                            device["problem"].get<std::string>()));
  if (trial.contains("compiler")) {
    Json &compiler = trial["compiler"];
    if (std::string why = whyLeftOut(errors, result.report.name); !why.empty())
      compiler.update(Json{{"state", "FAILED"}, {"reason", why}});
    if (compiler["state"] != "READY") {
      result.problems.push_back(compiler["reason"]);
      result.isBroken = true;
    }
  }
  result.isBroken |= result.state != "READY";
}

Examination examine(const InfoContext &context, const PreflightSettings &settings,
                    const BackendReport &report) {
  Examination result;
  result.report = report;
  result.state = stateName(report.state);
  if (!mayBeTried(report)) {
    if (!report.reason.empty())
      result.problems.push_back(report.reason);
    result.isBroken = report.state == BackendState::Failed;
    return result;
  }
  Result<ChildOutcome> outcome =
      tryInChild(settings, report.manifestPath, "report", context.flags.all("backend-dir"));
  if (!outcome.ok()) {
    result.problems.push_back(outcome.status().message());
    result.isBroken = true;
    return result;
  }
  result.wallMs = static_cast<double>(outcome->wallNs) / 1e6;
  result.peakMiB = static_cast<double>(outcome->peakBytes) / (1 << 20);
  result.trial = readReport(outcome->output);
  if (result.trial.is_object()) {
    addReported(result, outcome->errors);
  } else {
    result.state = outcome->end == ChildOutcome::End::TimedOut ? "HANGS" : "CRASHES";
    result.problems.push_back("the child process that tried it " + describeTrial(*outcome));
    result.isBroken = true;
  }
  for (const std::string &difference : fingerprintProblems(*report.manifest))
    result.problems.push_back(difference);
  if (report.state == BackendState::Absent && !result.isBroken)
    result.state = stateName(report.state);
  if (report.state == BackendState::Absent)
    result.problems.push_back(report.reason);
  return result;
}

std::string timeOf(const Json &trial, const char *key) {
  return trial.is_object() && trial.contains(key) ? fmt::format("{:.2f}", trial[key].get<double>()) : "-";
}

void print(const InfoContext &context, const std::vector<Examination> &results) {
  printPlaces(context);
  for (const std::string &filter : filtersInForce())
    context.out << filter << "\n";
  context.out << "\n";
  TextTable table({"BACKEND", "STATE", "CHECK ms", "DLOPEN ms", "QUERY ms", "INIT ms", "OPEN ms",
                   "COMPILER ms", "PROCESS ms", "PEAK MiB"});
  for (const Examination &result : results) {
    const Json &trial = result.trial;
    bool hasDevice = trial.is_object() && !trial["devices"].empty();
    table.add({result.report.name, result.state, timeOf(trial, "check_ms"), timeOf(trial, "dlopen_ms"),
               timeOf(trial, "query_ms"), timeOf(trial, "init_ms"),
               hasDevice ? timeOf(trial["devices"][0], "open_ms") : "-",
               trial.is_object() && trial.contains("compiler") ? timeOf(trial["compiler"], "open_ms") : "-",
               result.wallMs > 0 ? fmt::format("{:.1f}", result.wallMs) : "-",
               result.peakMiB > 0 ? fmt::format("{:.0f}", result.peakMiB) : "-"});
  }
  table.print(context.out);
  for (const Examination &result : results)
    if (result.trial.is_object() && result.trial.contains("tools"))
      for (const Json &tool : result.trial["tools"])
        context.out << fmt::format("{}: {}: {} ({})\n", result.report.name, tool["name"].get<std::string>(),
                                   tool["value"].get<std::string>(), tool["source"].get<std::string>());
  for (const Examination &result : results)
    for (const std::string &problem : result.problems)
      context.out << fmt::format("{}: {}\n", result.report.name, problem);
}

Json toJson(const Examination &result) {
  return {{"name", result.report.name},  {"manifest", result.report.manifestPath},
          {"state", result.state},       {"problems", result.problems},
          {"process_ms", result.wallMs}, {"peak_mib", result.peakMiB},
          {"broken", result.isBroken},   {"trial", result.trial}};
}

} // namespace

CompilerTrial tryCompilerTier(const InfoContext &context, const BackendReport &report) {
  if (!report.manifest || report.manifest->compiler.empty())
    return {"none", ""};
  Examination result = examine(context, SearchEnvironment::process().preflight, report);
  if (!result.trial.is_object())
    return {result.state == "CRASHES" || result.state == "HANGS" ? result.state : "not tried",
            result.problems.empty() ? "" : result.problems.front()};
  if (!result.trial.contains("compiler"))
    return {"not tried", ""};
  const Json &compiler = result.trial["compiler"];
  return {compiler["state"], compiler["reason"]};
}

Result<int> infoDoctor(const InfoContext &context) {
  const PreflightSettings settings = SearchEnvironment::process().preflight;
  std::vector<Examination> results;
  for (const BackendReport &report : context.registry.backends())
    results.push_back(examine(context, settings, report));
  bool isBroken =
      std::any_of(results.begin(), results.end(), [](const Examination &e) { return e.isBroken; });
  std::vector<std::string> missing; // required, and not among the ready
  for (const std::string &name : splitList(Environment::process().get("KILN_BACKENDS_REQUIRE"), ","))
    if (std::none_of(results.begin(), results.end(), [&](const Examination &e) {
          return e.report.name == name && e.state == stateName(BackendState::Ready);
        }))
      missing.push_back(name);
  if (context.wantsJson()) {
    Json json = {{"places", placesJson(context.registry)},
                 {"filters", filtersInForce()},
                 {"backends", Json::array()},
                 {"required_missing", missing}};
    for (const Examination &result : results)
      json["backends"].push_back(toJson(result));
    printJson(json, context.out);
  } else {
    print(context, results);
    for (const std::string &name : missing)
      context.out << fmt::format("{}: required (KILN_BACKENDS_REQUIRE), not usable\n", name);
    context.out << (isBroken ? "something is broken\n" : "all is well\n");
  }
  return isBroken || !missing.empty() ? kNo : kYes;
}

} // namespace kiln::tools
