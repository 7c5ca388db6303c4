// JitBench.h: the parts of jit-bench: cases, their results, suites, reports.
#ifndef KILN_TOOLS_LIB_JITBENCH_H
#define KILN_TOOLS_LIB_JITBENCH_H

#include "runtime/KernelMetadata.h"
#include "runtime/cache/CacheSettings.h"
#include "tools/lib/Flags.h"
#include "tools/lib/HostTensor.h"
#include "tools/lib/Roofline.h"
#include "tools/lib/Sampling.h"

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>

namespace kiln::tools {

extern const ToolSpec kJitBenchSpec;

/// One kernel to measure: a module, its arguments, what it costs at least, what it computes.
struct KernelCase {
  std::string name;                                     // "matmul 196x256x2304"
  std::string text;                                     // .mlir with one function
  std::vector<std::vector<int64_t>> arguments, results; // f32
  double flops = 0, bytes = 0;
  /// Element `index` of result 0 by the definition, in double.
  std::function<double(const std::vector<HostTensor> &arguments, int64_t index)> reference;
  double tolerance = 0; // |got - want| <= tolerance * max(1, |want|)
};

/// What was measured of one case. Times in microseconds.
struct BenchResult {
  std::string suite, name;
  SampleSummary us;
  size_t samples = 0, launches = 0;
  double flops = 0, bytes = 0, boundUs = 0, compileMs = 0;
  std::string templates;              // of the launches, without repetition
  double threadScaling = 0;           // how many threads' work two of them do; 0: not asked
  bool isStable = true;               // the machine's peak moved by less than kPeakDrift meanwhile
  std::optional<std::string> problem; // why there is no time, or a wrong result
};

constexpr double kPeakDrift = 0.05; // beyond it a run says more of the machine than of the kernel

struct BenchReport {
  std::string device;
  uint32_t threads = 0;
  double peakGflops = 0, memoryGbs = 0; // 0: the suite has no use for them
  std::vector<BenchResult> results;
};

/// What a suite gets.
struct BenchContext {
  const ParsedFlags &flags;
  std::ostream &progress;
  double minSeconds;
  size_t samples;
  bool wants(std::string_view name) const; // --filter
};

/// A folder in the temporary one that is removed at the end.
struct BenchFolder {
  BenchFolder();
  ~BenchFolder();
  std::filesystem::path path;
};

/// The shapes of well-known models. For tests and for the suite.
std::vector<KernelCase> kernelCases();
Status runKernelSuite(const BenchContext &context, BenchReport &report);
Status runAutoloadSuite(const BenchContext &context, BenchReport &report);
Status runCacheSuite(const BenchContext &context, BenchReport &report);
/// The part of the suite cache that needs no files: what is in memory is found, launched. `kernel`: any.
Status runResidentCases(const BenchContext &context, BenchReport &report, const CacheSettings &settings,
                        const CompiledKernelRef &kernel);
Status runDispatchSuite(const BenchContext &context, BenchReport &report);

void printBench(const BenchReport &report, std::ostream &out);
void printBenchJson(const BenchReport &report, std::ostream &out);
/// Compares two files of printBenchJson by suite and name. Returns whether no case is slower than
/// `threshold`, 0.1 for 10 %. InvalidArgument: no such file, not of jit-bench, nothing in common.
Result<bool> compareBench(const std::string &oldPath, const std::string &newPath, double threshold,
                          std::ostream &out);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_JITBENCH_H
