// SharedPort.cpp: a direct-mapped cache of 512-byte lines; ports and memory as servers with a time when they
// are free.
#include "kiln/devicekit/SharedPort.h"

#include <algorithm>
#include <cmath>

namespace kiln::devicekit {

SharedPort::SharedPort(const Rates &rates)
    : rates(rates), tags(std::max<uint64_t>(rates.cacheBytes / kLine, 1)), portFree(2 * rates.groups) {}

bool SharedPort::touch(uint64_t line) {
  uint64_t &tag = tags[line % tags.size()];
  bool held = tag == line + 1;
  tag = line + 1;
  return held;
}

uint64_t SharedPort::finish(uint64_t start, const Transfer &transfer) {
  uint64_t total = transfer.bursts * transfer.burstBytes, missed = 0;
  for (uint64_t burst = 0; burst < transfer.bursts && transfer.burstBytes; ++burst) {
    uint64_t begin = transfer.address + burst * transfer.strideBytes, end = begin + transfer.burstBytes;
    for (uint64_t line = begin / kLine; line * kLine < end; ++line)
      if (!touch(line))
        missed += kLine; // a whole line is fetched
  }
  uint64_t held = total - std::min(total, missed);
  hits += held;
  misses += missed;
  double derate = transfer.derate;
  double rate = transfer.isWrite ? rates.portWrite : rates.portRead;
  bool isOwnChannel = transfer.isWrite && rates.hasChannels;
  double &port = portFree[transfer.group + (isOwnChannel ? rates.groups : 0)];
  port = std::max(port, static_cast<double>(start)) +
         (static_cast<double>(held) / rate + static_cast<double>(missed) / std::min(rate, rates.portMemory)) /
             derate;
  double end = port;
  if (missed) {
    memoryFree = std::max(memoryFree, static_cast<double>(start)) +
                 static_cast<double>(missed) / rates.memory / derate;
    end = std::max(end, memoryFree);
  }
  return static_cast<uint64_t>(std::ceil(end));
}

} // namespace kiln::devicekit
