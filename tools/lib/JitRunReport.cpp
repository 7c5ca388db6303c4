// JitRunReport.cpp: tables and JSON; launches of one kernel and template are summed.
#include "tools/lib/JitRunReport.h"

#include "tools/lib/TensorText.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <ostream>

namespace kiln::tools {
namespace {

using Json = nlohmann::ordered_json;

/// Launches of the same name together, the slowest first.
struct ProfileRow {
  LaunchTiming total;
  size_t launches = 0;
};

std::vector<ProfileRow> profileRows(const std::vector<LaunchTiming> &launches) {
  std::map<std::string, ProfileRow> byName;
  for (const LaunchTiming &launch : launches) {
    ProfileRow &row = byName[launch.name];
    LaunchTiming sum = row.total;
    row.total = launch;
    row.total.milliseconds += sum.milliseconds, row.total.flops += sum.flops, row.total.bytes += sum.bytes;
    row.total.roofMs += sum.roofMs, row.total.cycles += sum.cycles;
    row.total.device.add(sum.device);
    ++row.launches;
  }
  std::vector<ProfileRow> rows;
  for (auto &[name, row] : byName)
    rows.push_back(std::move(row));
  std::sort(rows.begin(), rows.end(), [](const ProfileRow &a, const ProfileRow &b) {
    return a.total.milliseconds > b.total.milliseconds;
  });
  return rows;
}

double giga(double amount, double milliseconds) {
  return milliseconds > 0 ? amount / milliseconds * 1e-6 : 0;
}

void printProfile(const std::vector<LaunchTiming> &launches, std::ostream &out) {
  double total = 0;
  std::map<std::string, double> byTemplate;
  for (const LaunchTiming &launch : launches) {
    total += launch.milliseconds;
    byTemplate[launch.codeTemplate] += launch.milliseconds;
  }
  out << fmt::format("profile: {} launches, {:.3f} ms\n", launches.size(), total);
  bool counted =
      std::any_of(launches.begin(), launches.end(), [](const LaunchTiming &l) { return l.cycles > 0; });
  out << fmt::format("  {:>9} {:>6} {:>5} {:>8} {:>7} {:>6}{}  {:<20} {}\n", "ms", "share", "runs", "GFLOP/s",
                     "GB/s", "roof", counted ? "       cycles" : "", "template", "kernel");
  for (const ProfileRow &row : profileRows(launches)) {
    const LaunchTiming &sum = row.total;
    std::string roof = sum.roofMs > 0 && sum.milliseconds > 0
                           ? fmt::format("{:.0f}%", 100 * sum.roofMs / sum.milliseconds)
                           : "-";
    out << fmt::format("  {:9.3f} {:5.1f}% {:5} {:8.1f} {:7.1f} {:>6}{}  {:<20} {}\n", sum.milliseconds,
                       total > 0 ? 100 * sum.milliseconds / total : 0, row.launches,
                       giga(sum.flops, sum.milliseconds), giga(sum.bytes, sum.milliseconds), roof,
                       counted ? fmt::format(" {:12}", sum.cycles) : "", sum.codeTemplate, sum.name);
  }
  if (counted) {
    out << "simulated time: cycles of the modelled device, not of this machine; shares of its cores' "
           "cycles\n";
    for (const ProfileRow &row : profileRows(launches))
      printDeviceProfile(row.total.name, row.total.cycles, row.total.device, out);
  }
  DeviceProfile all;
  for (const ProfileRow &row : profileRows(launches)) {
    all.add(row.total.device);
    if (auto scalar = row.total.device.counters.find("elements.S");
        scalar != row.total.device.counters.end() && scalar->second > 0)
      out << fmt::format("  {} elements on the scalar unit: {}\n", scalar->second, row.total.name);
  }
  if (std::string shares = elementShares(all); !shares.empty())
    out << "  elements by unit: " << shares << "\n";
  out << "  by template:";
  for (const auto &[name, milliseconds] : byTemplate)
    out << fmt::format(" {} {:.1f}%", name.empty() ? "?" : name, total > 0 ? 100 * milliseconds / total : 0);
  out << "\n";
}

/// Outputs and checks in one list each; with several cases an entry says which.
void addCases(const JitRunReport &report, Json &json) {
  auto add = [&](const char *list, const CaseReport &one, Json entry) {
    if (!one.label.empty())
      entry["case"] = one.label;
    json[list].push_back(std::move(entry));
  };
  for (const CaseReport &one : report.cases) {
    for (const HostTensor &output : one.outputs)
      add("outputs", one,
          {{"name", output.name}, {"dtype", std::string(dtypeName(output.dtype))}, {"shape", output.dims}});
    for (const Comparison &comparison : one.comparisons)
      add("checks", one,
          {{"ok", comparison.equal},
           {"text", comparison.text},
           {"mismatches", comparison.mismatches},
           {"rel_l2", comparison.relL2}});
    for (size_t i = 0; i < one.top.size(); ++i)
      for (size_t row = 0; row < one.top[i].size(); ++row) {
        Json entries = Json::array();
        for (const TopEntry &entry : one.top[i][row])
          entries.push_back({{"index", entry.index}, {"value", entry.value}, {"label", entry.label}});
        add("topk", one, {{"output", one.outputs[i].name}, {"row", row}, {"entries", entries}});
      }
  }
}

} // namespace

bool JitRunReport::holds() const {
  return std::all_of(cases.begin(), cases.end(), [](const CaseReport &one) {
    return std::all_of(one.comparisons.begin(), one.comparisons.end(),
                       [](const Comparison &c) { return c.equal; });
  });
}

void printReport(const JitRunReport &report, std::ostream &out) {
  out << fmt::format("{} on {}\n", report.model, report.device);
  for (const CaseReport &one : report.cases) {
    if (!one.label.empty())
      out << fmt::format(" {}\n", one.label);
    for (const HostTensor &output : one.outputs)
      out << fmt::format("  {}: {}\n", output.name, describeTensor(output));
    for (size_t i = 0; i < one.top.size(); ++i)
      printTopEntries(one.outputs[i].name, one.top[i], out);
    for (const Comparison &comparison : one.comparisons)
      out << fmt::format("  {} {}\n", comparison.equal ? "ok  " : "FAIL", comparison.text);
  }
  out << fmt::format("time: import {:.1f} ms, compile {:.1f} ms, first result after {:.1f} ms\n",
                     report.importMs, report.compileMs, report.firstMs);
  if (report.bench)
    out << fmt::format("bench: median {:.4f} ms, p95 {:.4f} ms, min {:.4f} ms of {} runs\n",
                       report.bench->median, report.bench->p95, report.bench->minimum, report.benchRuns);
  if (!report.launches.empty())
    printProfile(report.launches, out);
  if (!report.stages.empty())
    printCompileProfile(report.stages, out);
  if (report.cache)
    out << fmt::format(
        "cache: {} programs built, {} kernels compiled ({:.1f} ms of compiling), {} hits in memory, {} on "
        "disk, {} misses\n",
        report.cache->programs_built, report.cache->kernels_compiled,
        static_cast<double>(report.cache->kernel_ns) * 1e-6, report.cache->memory_hits,
        report.cache->disk_hits, report.cache->misses);
  if (report.memory)
    out << fmt::format("memory: {:.2f} MiB in use, peak {:.2f} MiB, {} allocations\n",
                       static_cast<double>(report.memory->bytes_in_use) / (1 << 20),
                       static_cast<double>(report.memory->bytes_peak) / (1 << 20),
                       report.memory->allocations);
}

void printReportJson(const JitRunReport &report, std::ostream &out) {
  Json json = {{"model", report.model},          {"device", report.device},    {"import_ms", report.importMs},
               {"compile_ms", report.compileMs}, {"first_ms", report.firstMs}, {"ok", report.holds()}};
  if (report.bench) {
    json["median_ms"] = report.bench->median;
    json["p95_ms"] = report.bench->p95;
    json["min_ms"] = report.bench->minimum;
    json["runs"] = report.benchRuns;
  }
  addCases(report, json);
  for (const LaunchTiming &launch : report.launches)
    json["launches"].push_back({{"name", launch.name},
                                {"template", launch.codeTemplate},
                                {"location", launch.location},
                                {"ms", launch.milliseconds},
                                {"flops", launch.flops},
                                {"bytes", launch.bytes},
                                {"cycles", launch.cycles},
                                {"roof_ms", launch.roofMs}});
  for (const CompileStage &stage : report.stages)
    json["stages"].push_back({{"stage", stage.stage},
                              {"unit", stage.unit},
                              {"ms", static_cast<double>(stage.endNs - stage.startNs) * 1e-6}});
  if (report.cache)
    json["cache"] = {{"programs_built", report.cache->programs_built},
                     {"kernels_compiled", report.cache->kernels_compiled},
                     {"kernel_ms", static_cast<double>(report.cache->kernel_ns) * 1e-6},
                     {"memory_hits", report.cache->memory_hits},
                     {"disk_hits", report.cache->disk_hits},
                     {"misses", report.cache->misses},
                     {"files", Json::parse(report.cacheFiles)}};
  if (report.memory)
    json["memory"] = {{"bytes_in_use", report.memory->bytes_in_use},
                      {"bytes_peak", report.memory->bytes_peak},
                      {"allocations", report.memory->allocations}};
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

} // namespace kiln::tools
