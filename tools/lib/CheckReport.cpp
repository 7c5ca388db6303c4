// CheckReport.cpp: text, JSON by nlohmann, XML by hand.
#include "tools/lib/CheckReport.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <ostream>

namespace kiln::tools {
namespace {

using Json = nlohmann::ordered_json;
using Outcome = CheckResult::Outcome;

std::string_view outcomeName(Outcome outcome) {
  switch (outcome) {
  case Outcome::Passed:
    return "passed";
  case Outcome::Failed:
    return "failed";
  case Outcome::Refused:
    return "refused";
  case Outcome::Unjudged:
    return "unjudged";
  }
  return "";
}

std::string caseName(const CheckResult &result) {
  return result.testCase.empty() ? result.function : fmt::format("{} ({})", result.function, result.testCase);
}

std::string xml(std::string_view text) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '&':
      result += "&amp;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  return result;
}

} // namespace

size_t CheckReport::count(Outcome outcome) const {
  return static_cast<size_t>(std::count_if(
      results.begin(), results.end(), [&](const CheckResult &result) { return result.outcome == outcome; }));
}

size_t CheckReport::checks() const {
  size_t sum = 0;
  for (const CheckResult &result : results)
    sum += result.checks;
  return sum;
}

void printCheckResult(const CheckResult &result, const std::string &device, std::ostream &out) {
  if (result.outcome != Outcome::Failed && result.outcome != Outcome::Refused)
    return;
  out << fmt::format("{} {}: {}: {}\n", result.outcome == Outcome::Failed ? "FAIL" : "REFUSED", result.file,
                     caseName(result), result.message);
  if (!result.smallest.empty())
    out << fmt::format("  smallest: {}\n", result.smallest);
  if (result.outcome == Outcome::Failed)
    out << fmt::format("  again: jit-run --check {} --function '{}'{} --device {}\n", result.file,
                       result.function,
                       result.testCase.empty() ? "" : fmt::format(" --case '{}'", result.testCase), device);
}

void printCheckSummary(const CheckReport &report, std::ostream &out) {
  out << fmt::format("{} functions, {} cases, {} checks on {}: {} passed, {} failed", report.functions,
                     report.results.size(), report.checks(), report.device, report.count(Outcome::Passed),
                     report.count(Outcome::Failed));
  if (size_t refused = report.count(Outcome::Refused))
    out << fmt::format(", {} refused", refused);
  if (size_t unjudged = report.count(Outcome::Unjudged))
    out << fmt::format(", {} ran on a device that computes nothing", unjudged);
  out << "\n";
}

void printCheckJson(const CheckReport &report, std::ostream &out) {
  Json json = {{"device", report.device},
               {"functions", report.functions},
               {"checks", report.checks()},
               {"passed", report.count(Outcome::Passed)},
               {"failed", report.count(Outcome::Failed)},
               {"refused", report.count(Outcome::Refused)},
               {"unjudged", report.count(Outcome::Unjudged)},
               {"cases", Json::array()}};
  for (const CheckResult &result : report.results) {
    Json entry = {{"file", result.file},     {"function", result.function},
                  {"case", result.testCase}, {"outcome", outcomeName(result.outcome)},
                  {"checks", result.checks}, {"seconds", result.seconds}};
    if (!result.message.empty())
      entry["message"] = result.message;
    if (!result.smallest.empty())
      entry["smallest"] = result.smallest;
    json["cases"].push_back(std::move(entry));
  }
  out << json.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
}

void writeJUnit(const CheckReport &report, std::ostream &out) {
  std::map<std::string, std::vector<const CheckResult *>> byFile;
  for (const CheckResult &result : report.results)
    byFile[result.file].push_back(&result);
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto &[file, results] : byFile) {
    auto number = [&](auto outcomes) { return std::count_if(results.begin(), results.end(), outcomes); };
    double seconds = 0;
    for (const CheckResult *result : results)
      seconds += result->seconds;
    out << fmt::format(
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3f}\">\n",
        xml(file), results.size(), number([](const CheckResult *r) { return r->outcome == Outcome::Failed; }),
        number([](const CheckResult *r) {
          return r->outcome == Outcome::Refused || r->outcome == Outcome::Unjudged;
        }),
        seconds);
    for (const CheckResult *result : results) {
      out << fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", xml(report.device),
                         xml(caseName(*result)), result->seconds);
      if (result->outcome == Outcome::Passed) {
        out << "/>\n";
        continue;
      }
      std::string_view element = result->outcome == Outcome::Failed ? "failure" : "skipped";
      out << fmt::format("><{} message=\"{}\"/></testcase>\n", element, xml(result->message));
    }
    out << "</testsuite>\n";
  }
  out << "</testsuites>\n";
}

} // namespace kiln::tools
