// Roofline.h: what this machine can do at best, measured in the process that measures kernels.
#ifndef KILN_TOOLS_LIB_ROOFLINE_H
#define KILN_TOOLS_LIB_ROOFLINE_H

#include <cstdint>
#include <map>

namespace kiln::tools {

/// Upper bounds of one number of threads. Not thread-safe; measures when asked, a few milliseconds each time.
class Roofline {
public:
  explicit Roofline(uint32_t threads) : threads(threads) {}
  /// f32 multiply-adds from registers, in 10^9 operations a second (an FMA is two). Measured anew at each
  /// call, so that a change of clock or a busy neighbour shows.
  double measurePeakGflops() const;
  /// Reading a buffer of that size again and again, in 10^9 bytes a second. Kept by size.
  double readGigabytesPerSecond(uint64_t bytes);
  /// The least time for the work, in microseconds: whichever takes longer.
  double boundUs(double flops, double bytes, double peakGflops);

private:
  const uint32_t threads;
  std::map<uint64_t, double> readRates; // by bytes
};

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_ROOFLINE_H
