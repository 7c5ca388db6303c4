// kiln/sdk/Executor.h: what a device does when its queue gets to a command.
//
// Header-only, part of the SDK: a backend links nothing of Kiln's.
#ifndef KILN_SDK_EXECUTOR_H
#define KILN_SDK_EXECUTOR_H

#include "kiln/Status.h"

#include <cstring>
#include <span>

namespace kiln::sdk {

/// One launch as the queue kept it. The arrays belong to the queue and live for the call.
struct LaunchCommand {
  KilnKernel *kernel = nullptr;
  std::span<const KilnBinding> bindings;
  std::span<const int64_t> constants;
  KilnBinding workspace = {};
  uint32_t grid[3] = {1, 1, 1};
  const KilnLaunchSite *site = nullptr;
  /// Null, or where cycles may be counted; the queue itself fills start_ns and end_ns.
  KilnLaunchProfile *profile = nullptr;
};

/// Runs the commands of in-order queues. The memory commands default to host-addressable memory: an address
/// is a pointer. Ownership: belongs to the device, outlives its queues. Threads:   one queue calls from one
/// thread at a time, several queues of a device call concurrently.
class Executor {
public:
  virtual ~Executor() = default;
  /// Runs a kernel to its end. An error poisons the queue; the queue adds the launch's name and location to
  /// it.
  virtual Status launch(const LaunchCommand &command) = 0;
  /// The ranges may overlap.
  virtual Status copy(KilnDeviceAddress to, KilnDeviceAddress from, uint64_t bytes) {
    std::memmove(hostPointer(to), hostPointer(from), bytes);
    return {};
  }
  virtual Status write(KilnDeviceAddress to, const void *from, uint64_t bytes) {
    std::memcpy(hostPointer(to), from, bytes);
    return {};
  }
  virtual Status read(void *to, KilnDeviceAddress from, uint64_t bytes) {
    std::memcpy(to, hostPointer(from), bytes);
    return {};
  }
  /// patternBytes is 1, 2, 4 or 8 and divides bytes; the queue has checked that.
  virtual Status fill(KilnDeviceAddress to, uint64_t pattern, uint32_t patternBytes, uint64_t bytes) {
    fillHost(hostPointer(to), pattern, patternBytes, bytes);
    return {};
  }
  /// The point at which the memory of a queue-ordered free is no longer used. Also called in a poisoned
  /// queue.
  virtual void release(KilnDeviceAddress address) = 0;

protected:
  static void *hostPointer(KilnDeviceAddress address) { return reinterpret_cast<void *>(address); }
  /// Repeats the low patternBytes of pattern; doubles what is written, so that memcpy does the work.
  static void fillHost(void *to, uint64_t pattern, uint32_t patternBytes, uint64_t bytes) {
    char *out = static_cast<char *>(to);
    if (bytes == 0)
      return;
    if (patternBytes == 1) {
      std::memset(out, static_cast<int>(pattern & 0xff), bytes);
      return;
    }
    std::memcpy(out, &pattern, patternBytes); // little-endian, as all hosts of Kiln are
    for (uint64_t done = patternBytes; done < bytes;) {
      uint64_t step = done < bytes - done ? done : bytes - done;
      std::memcpy(out + done, out, step);
      done += step;
    }
  }
};

} // namespace kiln::sdk
#endif // KILN_SDK_EXECUTOR_H
