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
    double milliseconds = row.total.milliseconds + launch.milliseconds;
    double flops = row.total.flops + launch.flops, bytes = row.total.bytes + launch.bytes;
    row.total = launch;
    row.total.milliseconds = milliseconds, row.total.flops = flops, row.total.bytes = bytes;
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
  out << fmt::format("  {:>9} {:>6} {:>5} {:>8} {:>7}  {:<20} {}\n", "ms", "share", "runs", "GFLOP/s", "GB/s",
                     "template", "kernel");
  for (const ProfileRow &row : profileRows(launches))
    out << fmt::format("  {:9.3f} {:5.1f}% {:5} {:8.1f} {:7.1f}  {:<20} {}\n", row.total.milliseconds,
                       total > 0 ? 100 * row.total.milliseconds / total : 0, row.launches,
                       giga(row.total.flops, row.total.milliseconds),
                       giga(row.total.bytes, row.total.milliseconds), row.total.codeTemplate, row.total.name);
  out << "  by template:";
  for (const auto &[name, milliseconds] : byTemplate)
    out << fmt::format(" {} {:.1f}%", name.empty() ? "?" : name, total > 0 ? 100 * milliseconds / total : 0);
  out << "\n";
}

} // namespace

bool JitRunReport::holds() const {
  return std::all_of(comparisons.begin(), comparisons.end(), [](const Comparison &c) { return c.equal; });
}

void printReport(const JitRunReport &report, std::ostream &out) {
  out << fmt::format("{} on {}\n", report.model, report.device);
  for (const HostTensor &output : report.outputs)
    out << fmt::format("  {}: {}\n", output.name, describeTensor(output));
  for (const Comparison &comparison : report.comparisons)
    out << fmt::format("  {} {}\n", comparison.equal ? "ok  " : "FAIL", comparison.text);
  out << fmt::format("time: import {:.1f} ms, compile {:.1f} ms, first result after {:.1f} ms\n",
                     report.importMs, report.compileMs, report.firstMs);
  if (report.bench)
    out << fmt::format("bench: median {:.4f} ms, p95 {:.4f} ms, min {:.4f} ms of {} runs\n",
                       report.bench->median, report.bench->p95, report.bench->minimum, report.benchRuns);
  if (!report.launches.empty())
    printProfile(report.launches, out);
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
  for (const HostTensor &output : report.outputs)
    json["outputs"].push_back(
        {{"name", output.name}, {"dtype", std::string(dtypeName(output.dtype))}, {"shape", output.dims}});
  for (const Comparison &comparison : report.comparisons)
    json["checks"].push_back({{"ok", comparison.equal},
                              {"text", comparison.text},
                              {"mismatches", comparison.mismatches},
                              {"rel_l2", comparison.relL2}});
  for (const LaunchTiming &launch : report.launches)
    json["launches"].push_back({{"name", launch.name},
                                {"template", launch.codeTemplate},
                                {"location", launch.location},
                                {"ms", launch.milliseconds},
                                {"flops", launch.flops},
                                {"bytes", launch.bytes}});
  if (report.cache)
    json["cache"] = {{"programs_built", report.cache->programs_built},
                     {"kernels_compiled", report.cache->kernels_compiled},
                     {"kernel_ms", static_cast<double>(report.cache->kernel_ns) * 1e-6},
                     {"memory_hits", report.cache->memory_hits},
                     {"disk_hits", report.cache->disk_hits},
                     {"misses", report.cache->misses}};
  if (report.memory)
    json["memory"] = {{"bytes_in_use", report.memory->bytes_in_use},
                      {"bytes_peak", report.memory->bytes_peak},
                      {"allocations", report.memory->allocations}};
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

} // namespace kiln::tools
