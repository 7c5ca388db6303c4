// JitRunReport.h: what jit-run measured and found, as text for people or JSON for programs.
#ifndef KILN_TOOLS_LIB_JITRUNREPORT_H
#define KILN_TOOLS_LIB_JITRUNREPORT_H

#include "tools/lib/Compare.h"
#include "tools/lib/KilnApi.h"
#include "tools/lib/Sampling.h"

#include <iosfwd>
#include <optional>

namespace kiln::tools {

/// One launch of a profiled run.
struct LaunchTiming {
  std::string name, codeTemplate, location;
  double milliseconds = 0, flops = 0, bytes = 0;
};

/// Everything that a run yields besides the outputs' values. Milliseconds throughout.
struct JitRunReport {
  std::string model, device;
  double importMs = 0;  // reading the model
  double compileMs = 0; // program and kernels, before the first launch
  double firstMs = 0;   // from the imported model to the first result
  std::optional<SampleSummary> bench;
  size_t benchRuns = 0;
  std::vector<HostTensor> outputs;
  std::vector<Comparison> comparisons;
  std::vector<LaunchTiming> launches;
  std::optional<KilnCompileStats> cache;
  std::optional<KilnMemoryStats> memory;

  bool holds() const; // every comparison
};

void printReport(const JitRunReport &report, std::ostream &out);
void printReportJson(const JitRunReport &report, std::ostream &out);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_JITRUNREPORT_H
