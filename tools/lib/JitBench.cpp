// JitBench.cpp: the flow of jit-bench: which suite, then the report.
#include "tools/lib/JitBench.h"

#include "tools/lib/ToolMain.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace kiln::tools {

BenchFolder::BenchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "kiln-bench-XXXXXX").string();
  path = mkdtemp(pattern.data()) ? pattern : "";
}
BenchFolder::~BenchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

namespace {

using Suite = Status (*)(const BenchContext &context, BenchReport &report);

/// Null if there is no suite of this name.
Suite findSuite(std::string_view name) {
  constexpr std::pair<std::string_view, Suite> suites[] = {{"autoload", runAutoloadSuite},
                                                           {"cache", runCacheSuite},
                                                           {"dispatch", runDispatchSuite},
                                                           {"kernels", runKernelSuite}};
  for (const auto &[known, suite] : suites)
    if (known == name)
      return suite;
  return nullptr;
}

/// What is wrong with the words of the command line; "" if nothing is.
std::string benchUsageProblem(const std::vector<std::string> &words) {
  if (words[0] == "compare")
    return words.size() == 3 ? ""
                             : fmt::format("compare: {} files; expected OLD.json NEW.json", words.size() - 1);
  if (!findSuite(words[0]))
    return fmt::format("unknown suite '{}'; expected {}", words[0], kJitBenchSpec.operandHelp);
  return words.size() == 1 ? "" : fmt::format("unexpected '{}'; a run is of one suite", words[1]);
}

Result<int> jitBenchBody(const ParsedFlags &flags, std::ostream &out, std::ostream &err) {
  const std::vector<std::string> &words = flags.operands();
  if (std::string problem = benchUsageProblem(words); !problem.empty()) {
    err << "jit-bench: error: " << problem << "\n";
    return kUsage;
  }
  if (words[0] == "compare") {
    KILN_ASSIGN_OR_RETURN(bool holds, compareBench(words[1], words[2], flags.number("threshold"), out));
    return holds ? kYes : kNo;
  }
  BenchContext context = {flags, err, flags.number("min-time"), std::max<size_t>(flags.count("samples"), 1)};
  BenchReport report;
  report.threads = static_cast<uint32_t>(std::clamp<uint64_t>(flags.count("threads"), 1, 1024));
  KILN_RETURN_IF_ERROR(findSuite(words[0])(context, report));
  if (report.results.empty())
    return Status(Code::NotFound,
                  fmt::format("no case of suite '{}' has '{}' in its name", words[0], flags.text("filter")));
  if (flags.given("json"))
    printBenchJson(report, out);
  else
    printBench(report, out);
  bool good = std::none_of(report.results.begin(), report.results.end(),
                           [](const BenchResult &result) { return result.problem.has_value(); });
  return good ? kYes : kNo;
}

} // namespace

bool BenchContext::wants(std::string_view name) const {
  return name.find(flags.text("filter")) != std::string_view::npos;
}

int jitBench(int argc, const char *const *argv, std::ostream &out, std::ostream &err) {
  return runTool(kJitBenchSpec, argc, argv, out, err, jitBenchBody);
}

} // namespace kiln::tools
