// kiln/devicekit/Fault.h: what can go wrong on a simulated device, and how it is told.
#ifndef KILN_DEVICEKIT_FAULT_H
#define KILN_DEVICEKIT_FAULT_H

#include "kiln/Status.h"

#include <cstdint>
#include <string>

namespace kiln::devicekit {

enum class FaultKind : uint8_t {
  OutOfBounds,   // an access beyond a memory, or beyond what the launch was given
  Misaligned,    // an address that the memory or unit does not take
  Uninitialised, // a read of bytes that nobody wrote
  Race,          // two accesses, one a write, that no flag or barrier orders
  Overlap,       // the same between writes of several cores to shared memory
  ReadOnly,      // a write to an input
  DoubleSet,     // a flag set again before its wait, or a counter beyond its most
  Unpaired,      // at the end of a program: a wait without a set, or a set without a wait
  EventRange,    // a flag that the device does not have
  Illegal,       // an operand value that the instruction does not take
  Deadlock,      // nothing can go on; the text holds the wait graph
  Watchdog,      // more instructions than a launch may execute
};
std::string_view faultName(FaultKind kind);

/// One fault. A plain value.
struct Fault {
  FaultKind kind = FaultKind::Illegal;
  std::string detail;      // what came; what was expected
  std::string core;        // "aic3"
  std::string instruction; // as the disassembler prints it; "" if none is to blame
  std::string pipe;
  uint32_t pc = 0;   // number of the instruction in its section
  int64_t op = -1;   // op number, for the launch's table of source locations; -1: unknown
  uint64_t time = 0; // device cycles
  std::string space; // memory, "" if none is concerned
  uint64_t address = 0;

  /// "race: aic3 pc 12 (MTE1) 'load2d_a.b16 x1, x2': L1 address 0x40: ..."; `location` goes in front if not
  /// empty.
  std::string text(std::string_view location) const;
};

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_FAULT_H
