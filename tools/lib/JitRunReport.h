// JitRunReport.h: what jit-run measured and found, as text for people or JSON for programs.
#ifndef KILN_TOOLS_LIB_JITRUNREPORT_H
#define KILN_TOOLS_LIB_JITRUNREPORT_H

#include "tools/lib/Compare.h"
#include "tools/lib/DeviceProfile.h"
#include "tools/lib/KilnApi.h"
#include "tools/lib/Sampling.h"
#include "tools/lib/Timeline.h"
#include "tools/lib/TopK.h"

#include <iosfwd>
#include <optional>

namespace kiln::tools {

/// One launch of a profiled run.
struct LaunchTiming {
  std::string name, codeTemplate, location;
  uint64_t startNs = 0, endNs = 0, cycles = 0; // steady clock; cycles: of the device, 0 if it counts none
  double milliseconds = 0, flops = 0, bytes = 0;
  double roofMs = 0;    // the least time that this machine could take; 0 if unknown
  DeviceProfile device; // what the device counted
};

/// One case of inputs: what came out, and how that compares.
struct CaseReport {
  std::string label; // "" if there is one case
  std::vector<HostTensor> outputs;
  std::vector<Comparison> comparisons;
  std::vector<std::vector<std::vector<TopEntry>>> top; // with --topk: by output and row
};

/// Everything that a run yields besides the outputs' values. Milliseconds throughout.
struct JitRunReport {
  std::string model, device;
  double importMs = 0;  // reading the model
  double compileMs = 0; // program and kernels, before the first launch
  double firstMs = 0;   // from the imported model to the first result
  std::optional<SampleSummary> bench;
  size_t benchRuns = 0;
  std::vector<CaseReport> cases;
  std::vector<LaunchTiming> launches; // --profile
  std::vector<CompileStage> stages;   // --profile=compile
  std::optional<KilnCompileStats> cache;
  std::string cacheFiles; // JSON, of kiln_instance_cache_stats; with `cache`
  std::optional<KilnMemoryStats> memory;

  bool holds() const; // every comparison
};

void printReport(const JitRunReport &report, std::ostream &out);
void printReportJson(const JitRunReport &report, std::ostream &out);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_JITRUNREPORT_H
