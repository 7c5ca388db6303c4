// Probe.h: whether a device that a manifest declares can be present, told without loading its backend (level
// L1).
#ifndef KILN_RUNTIME_PROBE_H
#define KILN_RUNTIME_PROBE_H

#include "runtime/Environment.h"
#include "runtime/Manifest.h"

namespace kiln {

/// Empty if one of the device's conditions holds (or it has none), else what was missed:
/// "no PCI device 19e5:d802, no file /dev/davinci*". `pciRoot` is /sys/bus/pci/devices but in tests.
std::string whyAbsent(const ManifestDevice &device, const Environment &environment,
                      const std::string &pciRoot);
inline constexpr const char *kPciRoot = "/sys/bus/pci/devices";

} // namespace kiln
#endif // KILN_RUNTIME_PROBE_H
