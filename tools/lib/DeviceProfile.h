// DeviceProfile.h: what a device counted during launches: units' work and stalls, the bounds of its memories.
#ifndef KILN_TOOLS_LIB_DEVICEPROFILE_H
#define KILN_TOOLS_LIB_DEVICEPROFILE_H

#include "tools/lib/Timeline.h"

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace kiln::tools {

/// One launch as the device tells of it. Counters by name: busy.UNIT, wait-CAUSE.UNIT and instructions.UNIT,
/// summed over the cores of a kind, of which cores.KIND worked; bound.MEMORY, the least cycles that its
/// traffic takes.
struct DeviceProfile {
  struct Span {
    std::string unit, name, stall;
    uint64_t startCycle = 0, endCycle = 0, stallCycles = 0;
  };
  std::map<std::string, double> counters;
  std::vector<Span> spans;

  void add(const DeviceProfile &other);
};

/// What the device told of launch `index` of a run.
Result<DeviceProfile> readDeviceProfile(KilnRun *run, size_t index);

/// A kernel's tables: per cent of the cores' cycles by unit, and of the launch's by memory. Nothing, where
/// the device counted no work.
void printDeviceProfile(const std::string &kernel, uint64_t cycles, const DeviceProfile &profile,
                        std::ostream &out);

/// "V 99.2%, S 0.8%": the share of elements that each unit computed, of the counters elements.UNIT; empty,
/// where the device counted none.
std::string elementShares(const DeviceProfile &profile);

/// The device's spans for a trace that begins at `startNs`, a nanosecond a cycle; what a unit waited for is a
/// span of its own.
std::vector<Span> deviceSpans(const DeviceProfile &profile, uint64_t startNs);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_DEVICEPROFILE_H
