// BenchSampling.h: what suites of jit-bench measure operations with.
#ifndef KILN_TOOLS_LIB_BENCHSAMPLING_H
#define KILN_TOOLS_LIB_BENCHSAMPLING_H

#include "tools/lib/JitBench.h"

#include <chrono>

namespace kiln::tools {

using BenchClock = std::chrono::steady_clock;

inline double microsecondsSince(BenchClock::time_point start) {
  return std::chrono::duration<double, std::micro>(BenchClock::now() - start).count();
}

/// Takes samples of fn(), which returns the microseconds of one operation, and adds them as a case of
/// `suite`, unless --filter leaves it out. At most `limit` samples where fn uses something up.
template <typename Fn>
Status sampleInto(const BenchContext &context, BenchReport &report, std::string suite, std::string name,
                  Fn fn, size_t limit = SIZE_MAX) {
  constexpr size_t warmUpRuns = 3;
  if (!context.wants(name))
    return {};
  BenchResult result;
  result.suite = std::move(suite);
  result.name = std::move(name);
  std::vector<double> samples;
  for (size_t i = 0; i < warmUpRuns; ++i)
    KILN_RETURN_IF_ERROR(Result<double>(fn()).status());
  for (BenchClock::time_point start = BenchClock::now();
       samples.size() < limit &&
       (samples.size() < context.samples || microsecondsSince(start) < context.minSeconds * 1e6);) {
    KILN_ASSIGN_OR_RETURN(double us, Result<double>(fn()));
    samples.push_back(us);
  }
  result.samples = samples.size();
  result.us = summarise(std::move(samples));
  report.results.push_back(std::move(result));
  return {};
}

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_BENCHSAMPLING_H
