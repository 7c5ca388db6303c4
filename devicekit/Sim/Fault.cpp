// Fault.cpp: faults as text.
#include "kiln/devicekit/Fault.h"

#include <cstdio>

namespace kiln::devicekit {

std::string_view faultName(FaultKind kind) {
  constexpr std::string_view names[] = {
      "out of bounds", "misaligned",    "uninitialised read", "race",          "overlap",  "read only",
      "double set",    "unpaired flag", "event range",        "illegal value", "deadlock", "watchdog"};
  return names[static_cast<size_t>(kind)];
}

std::string Fault::text(std::string_view location) const {
  std::string result = location.empty() ? "" : std::string(location) + ": ";
  result += std::string(faultName(kind)) + ": " + core;
  if (!instruction.empty())
    result += " pc " + std::to_string(pc) + " (" + pipe + ") '" + instruction + "'";
  if (!space.empty()) {
    char hex[24];
    std::snprintf(hex, sizeof(hex), "0x%llx", static_cast<unsigned long long>(address));
    result += ": " + space + " address " + hex;
  }
  return result + ": " + detail;
}

} // namespace kiln::devicekit
