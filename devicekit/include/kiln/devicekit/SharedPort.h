// kiln/devicekit/SharedPort.h: the time that transfers take where cores share a cache and a memory.
#ifndef KILN_DEVICEKIT_SHAREDPORT_H
#define KILN_DEVICEKIT_SHAREDPORT_H

#include <cstdint>
#include <vector>

namespace kiln::devicekit {

/// A last-level cache in front of a memory, both shared by all cores, and a port for each group of cores.
/// Each is a server that works off bytes at its rate, first come first served; a port has one for reads and
/// one for writes, or one for both. Used by one thread, which asks in (nearly) rising time.
class SharedPort {
public:
  struct Rates {                // bytes a cycle
    double portRead, portWrite; // of one group, when the cache holds the bytes
    double memory;              // of the whole memory, shared by the groups
    double portMemory;          // of one group, when it does not
    uint64_t cacheBytes;
    uint32_t groups;
    bool hasChannels; // reads and writes of a port do not wait for each other
  };
  explicit SharedPort(const Rates &rates);

  struct Transfer {
    uint32_t group;
    uint64_t address, bursts, burstBytes, strideBytes;
    bool isWrite;
    double derate; // 1, or less where the access pattern wastes bandwidth
  };
  /// When a transfer that may start at `start` has moved its last byte; latency is the caller's.
  uint64_t finish(uint64_t start, const Transfer &transfer);

  uint64_t hitBytes() const { return hits; }
  uint64_t missBytes() const { return misses; }

private:
  static constexpr uint64_t kLine = 512;
  bool touch(uint64_t line); // whether the cache held it

  const Rates rates;
  std::vector<uint64_t> tags;   // by line modulo their count; line + 1
  std::vector<double> portFree; // reads of each group, writes of each group
  double memoryFree = 0;
  uint64_t hits = 0, misses = 0;
};

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_SHAREDPORT_H
