// Timeline.cpp: the trace's rows ("threads") are filled greedily: a span goes to the first row that is free.
#include "tools/lib/Timeline.h"

#include "tools/lib/TextTable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <ostream>
#include <span>

namespace kiln::tools {
namespace {

using Json = nlohmann::ordered_json;
constexpr size_t kMostKernels = 20; // of a compile profile
constexpr int kRowsPerCategory = 1000;

double milliseconds(const CompileStage &stage) {
  return static_cast<double>(stage.endNs - stage.startNs) * 1e-6;
}

/// Names with summed milliseconds and how often they occurred, the longest first.
struct Sum {
  std::string name;
  double milliseconds = 0;
  size_t count = 0;
};
template <typename Key> std::vector<Sum> sums(const std::vector<CompileStage> &stages, Key key) {
  std::map<std::string, Sum> byName;
  for (const CompileStage &stage : stages) {
    Sum &sum = byName[key(stage)];
    sum.name = key(stage), sum.milliseconds += milliseconds(stage), ++sum.count;
  }
  std::vector<Sum> result;
  for (auto &[name, sum] : byName)
    result.push_back(std::move(sum));
  std::sort(result.begin(), result.end(), [](const Sum &a, const Sum &b) {
    return a.milliseconds != b.milliseconds ? a.milliseconds > b.milliseconds : a.name < b.name;
  });
  return result;
}

} // namespace

uint64_t steadyNs() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

Result<std::vector<CompileStage>> takeCompileStages(KilnInstance *instance) {
  std::vector<CompileStage> stages;
  KILN_RETURN_IF_ERROR(take(kiln_instance_compile_stages(
      instance,
      [](void *arg, const KilnCompileStage *stage) {
        static_cast<std::vector<CompileStage> *>(arg)->push_back({std::string(toView(stage->stage)),
                                                                  std::string(toView(stage->unit)),
                                                                  stage->start_ns, stage->end_ns});
      },
      &stages)));
  return stages;
}

void printCompileProfile(const std::vector<CompileStage> &stages, std::ostream &out) {
  double total = 0;
  for (const CompileStage &stage : stages)
    total += milliseconds(stage);
  out << fmt::format("compile profile: {:.1f} ms, summed over threads\n", total);
  auto percent = [&](double part) { return fmt::format("{:.1f}%", total > 0 ? 100 * part / total : 0); };
  TextTable byStage({"  ms", "share", "runs", "stage"});
  for (const Sum &sum : sums(stages, [](const CompileStage &stage) { return stage.stage; }))
    byStage.add({fmt::format("  {:.2f}", sum.milliseconds), percent(sum.milliseconds),
                 fmt::to_string(sum.count), sum.name});
  byStage.print(out);
  TextTable byUnit({"  ms", "share", "kernel"});
  std::vector<Sum> units = sums(stages, [](const CompileStage &stage) { return stage.unit; });
  for (const Sum &sum : std::span(units).first(std::min(units.size(), kMostKernels)))
    byUnit.add({fmt::format("  {:.2f}", sum.milliseconds), percent(sum.milliseconds),
                sum.name == "main" ? "(the whole model)" : sum.name});
  byUnit.print(out);
  if (units.size() > kMostKernels)
    out << fmt::format("  and {} kernels more\n", units.size() - kMostKernels);
}

void writeTrace(const std::vector<Span> &spans, std::ostream &out) {
  std::vector<const Span *> sorted;
  for (const Span &span : spans)
    sorted.push_back(&span);
  std::sort(sorted.begin(), sorted.end(), [](const Span *a, const Span *b) {
    return a->startNs != b->startNs ? a->startNs < b->startNs : a < b;
  });
  uint64_t origin = sorted.empty() ? 0 : sorted.front()->startNs;
  auto microseconds = [](uint64_t ns) { return static_cast<double>(ns) * 1e-3; };
  Json events = Json::array();
  std::map<std::string, std::vector<uint64_t>> rowEnds; // when each row of a category is free again
  std::vector<std::string> categories;                  // in order of first use
  for (const Span *span : sorted) {
    if (!rowEnds.contains(span->category))
      categories.push_back(span->category);
    std::vector<uint64_t> &ends = rowEnds[span->category];
    auto row = std::find_if(ends.begin(), ends.end(), [&](uint64_t end) { return end <= span->startNs; });
    if (row == ends.end())
      row = ends.insert(ends.end(), 0);
    *row = span->endNs;
    auto category = std::find(categories.begin(), categories.end(), span->category) - categories.begin();
    Json arguments = Json::object();
    for (const auto &[name, value] : span->arguments)
      arguments[name] = value;
    events.push_back({{"name", span->name},
                      {"cat", span->category},
                      {"ph", "X"},
                      {"ts", microseconds(span->startNs - origin)},
                      {"dur", microseconds(span->endNs - span->startNs)},
                      {"pid", 1},
                      {"tid", category * kRowsPerCategory + (row - ends.begin())},
                      {"args", arguments}});
  }
  for (size_t i = 0; i < categories.size(); ++i)
    for (size_t row = 0; row < rowEnds[categories[i]].size(); ++row)
      events.push_back(
          {{"name", "thread_name"},
           {"ph", "M"},
           {"pid", 1},
           {"tid", i * kRowsPerCategory + row},
           {"args", {{"name", row ? fmt::format("{} {}", categories[i], row + 1) : categories[i]}}}});
  out << Json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump(1, ' ', false,
                                                                       Json::error_handler_t::replace)
      << "\n";
}

} // namespace kiln::tools
