// FakeDevice.h: a device type in host memory for tests: deferred queues, kernels that are C++ functions,
// faults.
#ifndef KILN_TESTS_UNIT_RUNTIME_FAKEDEVICE_H
#define KILN_TESTS_UNIT_RUNTIME_FAKEDEVICE_H

#include "runtime/DeviceType.h"

#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace kiln::testing {

/// What tests see and set of all fake devices of one type.
/// Ownership: a test owns it and outlives the devices. Threads: the queues of one FakeDevice share one mutex.
class FakeDevice {
public:
  using KernelFn = std::function<void(const KilnLaunch &)>;
  FakeDevice();

  const DeviceType &type() const { return theType; }
  const KernelLoader &loader() const { return theLoader; }
  /// Kernels by the text of their object; "fault" faults on its own.
  std::map<std::string, KernelFn> kernels;

  // Behaviour, set before use.
  bool isHostMemory = true;
  bool deferred = true;   // queued work runs at flush and waits only
  bool neverEnds = false; // waits report DEADLINE_EXCEEDED
  uint64_t memoryLimitBytes = 1ull << 30;
  uint32_t ordinals = 2;

  // What happened.
  uint64_t bytesInUse = 0, bytesPeak = 0, allocations = 0, imports = 0, launches = 0, loads = 0, unloads = 0,
           devicesOpen = 0, copiedBytes = 0;
  KilnDeviceOpenArgs lastOpen = {};
  std::string lastIr; // of the kernel loaded last: bytecode#digest
  std::mutex mutex;

private:
  DeviceType theType;
  KernelLoader theLoader;
};

} // namespace kiln::testing
#endif // KILN_TESTS_UNIT_RUNTIME_FAKEDEVICE_H
