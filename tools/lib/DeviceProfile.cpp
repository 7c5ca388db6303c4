// DeviceProfile.cpp: counters are named by the device; their first word says what they are.
#include "tools/lib/DeviceProfile.h"

#include "tools/lib/TextTable.h"

#include <fmt/format.h>

#include <ostream>
#include <set>

namespace kiln::tools {
namespace {

/// "aic.M" of "busy.aic.M"; "" if the name begins with another word.
std::string unitOf(const std::string &name, const std::string &word) {
  return name.starts_with(word + ".") ? name.substr(word.size() + 1) : "";
}

double valueOf(const DeviceProfile &profile, const std::string &name) {
  auto found = profile.counters.find(name);
  return found == profile.counters.end() ? 0 : found->second;
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f}%", 100 * part / whole) : "-";
}

} // namespace

void DeviceProfile::add(const DeviceProfile &other) {
  for (const auto &[name, value] : other.counters)
    if (name.starts_with("cores."))
      counters[name] = std::max(counters[name], value);
    else
      counters[name] += value;
}

Result<DeviceProfile> readDeviceProfile(KilnRun *run, size_t index) {
  DeviceProfile profile;
  KILN_RETURN_IF_ERROR(take(kiln_run_launch_details(
      run, index,
      [](void *to, const KilnLaunchCounter *counter) {
        static_cast<DeviceProfile *>(to)->counters[std::string(toView(counter->name))] += counter->value;
      },
      [](void *to, const KilnLaunchSpan *span) {
        static_cast<DeviceProfile *>(to)->spans.push_back(
            {std::string(toView(span->unit)), std::string(toView(span->name)),
             std::string(toView(span->stall)), span->start_cycle, span->end_cycle, span->stall_cycles});
      },
      &profile)));
  return profile;
}

void printDeviceProfile(const std::string &kernel, uint64_t cycles, const DeviceProfile &profile,
                        std::ostream &out) {
  std::set<std::string> units, causes;
  for (const auto &[name, value] : profile.counters) {
    if (std::string unit = unitOf(name, "busy"); !unit.empty())
      units.insert(unit);
    if (name.starts_with("wait-"))
      causes.insert(name.substr(0, name.find('.')));
  }
  if (units.empty() || cycles == 0)
    return;
  out << fmt::format("  {}: {} cycles\n", kernel, cycles);
  std::vector<std::string> header = {"    unit", "busy"};
  for (const std::string &cause : causes)
    header.push_back(cause);
  header.push_back("instructions");
  TextTable table(header);
  for (const std::string &unit : units) {
    double cores = std::max(1.0, valueOf(profile, "cores." + unit.substr(0, unit.find('.'))));
    double whole = static_cast<double>(cycles) * cores;
    std::vector<std::string> row = {"    " + unit, percent(valueOf(profile, "busy." + unit), whole)};
    for (const std::string &cause : causes)
      row.push_back(percent(valueOf(profile, cause + "." + unit), whole));
    row.push_back(fmt::format("{:.0f}", valueOf(profile, "instructions." + unit)));
    table.add(row);
  }
  table.print(out);
  std::string bounds;
  for (const auto &[name, value] : profile.counters)
    if (std::string memory = unitOf(name, "bound"); !memory.empty())
      bounds += fmt::format("{} {} {}", bounds.empty() ? "" : ",", memory, percent(value, double(cycles)));
  if (!bounds.empty())
    out << "    of what each memory could do in that time:" << bounds << "\n";
}

std::string elementShares(const DeviceProfile &profile) {
  double total = 0;
  for (const auto &[name, value] : profile.counters)
    total += unitOf(name, "elements").empty() ? 0 : value;
  std::string text;
  for (const auto &[name, value] : profile.counters)
    if (std::string unit = unitOf(name, "elements"); total > 0 && value > 0 && !unit.empty())
      text += fmt::format("{}{} {:.2f}%", text.empty() ? "" : ", ", unit, 100 * value / total);
  return text;
}

std::vector<Span> deviceSpans(const DeviceProfile &profile, uint64_t startNs) {
  std::vector<Span> spans;
  for (const DeviceProfile::Span &span : profile.spans) {
    std::string row = "simulated " + span.unit;
    if (span.stallCycles)
      spans.push_back({"wait for " + span.stall,
                       row,
                       startNs + span.startCycle - std::min(span.startCycle, span.stallCycles),
                       startNs + span.startCycle,
                       {{"cycles", fmt::to_string(span.stallCycles)}}});
    spans.push_back({span.name,
                     row,
                     startNs + span.startCycle,
                     startNs + span.endCycle,
                     {{"cycles", fmt::to_string(span.endCycle - span.startCycle)}}});
  }
  return spans;
}

} // namespace kiln::tools
