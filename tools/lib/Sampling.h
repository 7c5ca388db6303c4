// Sampling.h: medians and percentiles of repeated timings.
#ifndef KILN_TOOLS_LIB_SAMPLING_H
#define KILN_TOOLS_LIB_SAMPLING_H

#include <algorithm>
#include <cmath>
#include <vector>

namespace kiln::tools {

struct SampleSummary {
  double minimum = 0, median = 0, p95 = 0;
};

/// Of at least one sample; percentiles by the nearest rank.
inline SampleSummary summarise(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  auto rank = [&](double share) {
    size_t at = static_cast<size_t>(std::ceil(share * static_cast<double>(samples.size())));
    return samples[std::max<size_t>(at, 1) - 1];
  };
  size_t half = samples.size() / 2;
  double median = samples.size() % 2 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
  return {samples.front(), median, rank(0.95)};
}

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_SAMPLING_H
