// JitBenchReport.cpp: results as a table, as JSON, and two JSON files side by side.
#include "tools/lib/JitBench.h"
#include "tools/lib/TextTable.h"

#include "kiln/kiln.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <ostream>

namespace kiln::tools {
namespace {

using Json = nlohmann::ordered_json;

/// Three significant digits: 0.0123, 4.56, 789.
std::string digits(double value) {
  return value < 0.001 ? "0" : fmt::format("{:.{}f}", value, value < 1 ? 4 : value < 100 ? 2 : 0);
}

double rate(double amount, double us) { return us > 0 ? amount / us * 1e-3 : 0; } // 10^9 a second

Result<std::map<std::string, double>> readMedians(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return Status(Code::NotFound,
                  fmt::format("'{}' cannot be read; expected a file of jit-bench --json", path));
  Json json = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("cases") || !json["cases"].is_array())
    return Status(Code::InvalidArgument,
                  fmt::format("'{}' has no cases; expected the output of jit-bench --json", path));
  std::map<std::string, double> medians;
  for (const Json &entry : json["cases"]) {
    auto text = [&](const char *key) {
      return entry.is_object() && entry.contains(key) && entry[key].is_string()
                 ? entry[key].get<std::string>()
                 : std::string();
    };
    if (entry.is_object() && entry.contains("median_us") && entry["median_us"].is_number())
      medians[text("suite") + ": " + text("name")] = entry["median_us"].get<double>();
  }
  return medians;
}

} // namespace

void printBench(const BenchReport &report, std::ostream &out) {
  if (report.peakGflops > 0)
    out << fmt::format("{} on {} threads; roof {:.0f} GFLOP/s, {:.1f} GB/s from memory\n", report.device,
                       report.threads, report.peakGflops, report.memoryGbs);
  TextTable table({"CASE", "MEDIAN us", "P95 us", "GFLOP/s", "GB/s", "OF BOUND", "COMPILE ms", "TEMPLATE"});
  for (const BenchResult &result : report.results) {
    if (!result.samples)
      continue;
    double us = result.us.median;
    table.add({result.name, digits(us), digits(result.us.p95),
               result.flops ? digits(rate(result.flops, us)) : "-",
               result.bytes ? digits(rate(result.bytes, us)) : "-",
               result.boundUs > 0
                   ? fmt::format("{:.0f} %{}", 100 * result.boundUs / us, result.isStable ? "" : " ?")
                   : "-",
               result.compileMs > 0 ? digits(result.compileMs) : "-",
               result.templates.empty() ? "-" : result.templates});
  }
  if (!table.empty())
    table.print(out);
  for (const BenchResult &result : report.results)
    if (result.threadScaling > 0)
      out << fmt::format("{}: two do the work of {:.2f}\n", result.name, result.threadScaling);
  for (const BenchResult &result : report.results)
    if (result.problem)
      out << fmt::format("{}: {}\n", result.name, *result.problem);
  for (const BenchResult &result : report.results)
    if (!result.isStable) {
      out << "?: the machine's peak moved by more than 5 % meanwhile; measure again when it is idle\n";
      break;
    }
}

void printBenchJson(const BenchReport &report, std::ostream &out) {
  Json cases = Json::array();
  for (const BenchResult &result : report.results) {
    Json entry = {{"suite", result.suite}, {"name", result.name}};
    if (result.samples) {
      entry.update(Json{{"median_us", result.us.median},
                        {"p95_us", result.us.p95},
                        {"min_us", result.us.minimum},
                        {"samples", result.samples},
                        {"stable", result.isStable}});
      if (result.threadScaling > 0)
        entry["thread_scaling"] = result.threadScaling;
      if (result.boundUs > 0)
        entry.update(Json{{"flops", result.flops},
                          {"bytes", result.bytes},
                          {"gflops", rate(result.flops, result.us.median)},
                          {"gbs", rate(result.bytes, result.us.median)},
                          {"bound_us", result.boundUs},
                          {"compile_ms", result.compileMs},
                          {"launches", result.launches},
                          {"templates", result.templates}});
    }
    if (result.problem)
      entry["problem"] = *result.problem;
    cases.push_back(std::move(entry));
  }
  Json json = {
      {"tool", "jit-bench"},       {"version", kiln_version()},        {"device", report.device},
      {"threads", report.threads}, {"peak_gflops", report.peakGflops}, {"memory_gbs", report.memoryGbs},
      {"cases", std::move(cases)}};
  out << json.dump(2) << "\n";
}

Result<bool> compareBench(const std::string &oldPath, const std::string &newPath, double threshold,
                          std::ostream &out) {
  KILN_ASSIGN_OR_RETURN(auto before, readMedians(oldPath));
  KILN_ASSIGN_OR_RETURN(auto after, readMedians(newPath));
  TextTable table({"CASE", "OLD us", "NEW us", "NEW/OLD", ""});
  bool holds = true;
  for (const auto &[name, us] : after) {
    auto old = before.find(name);
    if (old == before.end() || old->second <= 0)
      continue;
    double ratio = us / old->second;
    bool slower = ratio > 1 + threshold, faster = ratio < 1 / (1 + threshold);
    holds &= !slower;
    table.add({name, digits(old->second), digits(us), fmt::format("{:.2f}", ratio),
               slower   ? "slower"
               : faster ? "faster"
                        : ""});
  }
  if (table.empty())
    return Status(Code::InvalidArgument,
                  fmt::format("'{}' and '{}' have no case in common", oldPath, newPath));
  table.print(out);
  return holds;
}

} // namespace kiln::tools
