// CheckTrace.cpp: npu-check-trace FILE: the trace of a core's program run on the software device's pipes,
// with its flags and its race detection; then again without each flag or barrier in turn. A line an event:
//   work PIPE r|w MEMORY BEGIN END ...    set FROM TO ID    wait FROM TO ID    barrier PIPE|ALL SITE
// Flags count. Says "clean" or the fault; "strict FAULT" if flags must be waited for before they are set
// again; of each flag (all sets and waits of a pair and number) and barrier (a SITE) "needed GROUP" or
// "redundant GROUP".
#include "backends/npu/Sim/Simulator.h"
#include "kiln/devicekit/PipeCore.h"

#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

using namespace kiln::devicekit;
using kiln::npu::kPipeCount;
using kiln::npu::kPipeNames;

namespace {

constexpr uint32_t kFlags = 16; // eight of the program's and as many inside of library functions
constexpr uint32_t kAll = ~0u;

struct Access {
  std::string memory;
  Range range;
};

struct Event {
  enum class Kind { Work, Set, Wait, Barrier } kind = Kind::Work;
  uint32_t pipe = 0, other = 0, id = 0;
  std::vector<Access> reads, writes;
  std::string group, line; // group: of flags and barriers
};

[[noreturn]] void fail(const std::string &message) {
  std::cerr << "npu-check-trace: error: " << message << "\n";
  std::exit(3);
}

uint32_t pipeOf(const std::string &name) {
  for (uint32_t i = 0; i < kPipeCount; ++i)
    if (kPipeNames[i] == name)
      return i;
  if (name == "ALL")
    return kAll;
  fail("no pipe '" + name + "'");
}

std::vector<Event> readTrace(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    fail("'" + path + "' cannot be read");
  std::vector<Event> events;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind, pipe, other;
    words >> kind >> pipe;
    Event event;
    event.line = line;
    event.pipe = pipeOf(pipe);
    if (kind == "work") {
      std::string how;
      Access access;
      uint64_t end = 0;
      while (words >> how >> access.memory >> access.range.begin >> end) {
        access.range.bytes = end - access.range.begin;
        (how == "r" ? event.reads : event.writes).push_back(access);
      }
    } else if (kind == "barrier") {
      words >> other;
      event.kind = Event::Kind::Barrier;
      event.group = "barrier " + pipe + " at " + other;
    } else if (kind == "set" || kind == "wait") {
      words >> other >> event.id;
      event.kind = kind == "set" ? Event::Kind::Set : Event::Kind::Wait;
      event.other = pipeOf(other);
      if (event.id < kFlags / 2) // those inside of library functions stay
        event.group = "flag " + pipe + " to " + other + " " + std::to_string(event.id);
    } else {
      fail("no event '" + line + "'");
    }
    if (!words.eof() || event.id >= kFlags) // what is left was not understood
      fail("malformed '" + line + "'");
    events.push_back(std::move(event));
  }
  return events;
}

/// Issues the events in order; work does nothing but touch its bytes.
class TraceModel final : public PipeModel {
public:
  TraceModel(const std::vector<Event> &events, const std::string &without)
      : events(events), without(without) {
    for (auto [name, bytes] :
         {std::pair("ub", 192 << 10), std::pair("cbuf", 512 << 10), std::pair("cc", 128 << 10)})
      memories.emplace(name, LocalMemory(name, static_cast<uint64_t>(bytes), /*hasShadow=*/true));
  }

  void step(PipeCore &core) override {
    core.spend(1);
    if (!isReady) { // what was there before is of no concern here
      for (auto &[name, memory] : memories) {
        Range all = {0, memory.size()};
        (void)memory.write({&all, 1}, core.scalarAccess());
      }
      isReady = true;
      return;
    }
    if (core.pc == events.size())
      return core.halt();
    const Event &event = events[core.pc];
    if (event.group.empty() || event.group != without)
      perform(core, event);
    ++core.pc;
  }

  Duration begin(PipeCore &core, Job &job, const Accessor &by) override {
    const Event &event = events[job.work];
    uint64_t bytes = touch(core, event, by);
    return {1 + bytes / 256, 20 + bytes / 128};
  }
  void commit(PipeCore &, Job &) override {}
  std::string printInstruction(uint32_t pc) const override {
    return pc < events.size() ? events[pc].line.substr(0, 100) : "";
  }
  int64_t opAt(uint32_t) const override { return -1; }

private:
  void perform(PipeCore &core, const Event &event) {
    switch (event.kind) {
    case Event::Kind::Work:
      if (event.pipe == 0) {
        touch(core, event, core.scalarAccess());
      } else {
        Job job;
        job.pc = job.work = core.pc;
        core.issue(event.pipe, std::move(job));
      }
      return;
    case Event::Kind::Set:
      return core.setFlag(event.pipe, event.other, event.id);
    case Event::Kind::Wait:
      return core.waitFlag(event.pipe, event.other, event.id);
    case Event::Kind::Barrier:
      return event.pipe == kAll ? core.barrierAll() : core.barrier(event.pipe);
    }
  }

  uint64_t touch(PipeCore &core, const Event &event, const Accessor &by) {
    uint64_t bytes = 0;
    for (bool isWrite : {false, true})
      for (const Access &access : isWrite ? event.writes : event.reads) {
        auto memory = memories.find(access.memory);
        if (memory == memories.end())
          fail("no memory '" + access.memory + "'");
        bytes += access.range.bytes;
        std::optional<Fault> fault = isWrite ? memory->second.write({&access.range, 1}, by)
                                             : memory->second.read({&access.range, 1}, by);
        if (fault)
          core.raise(*fault, static_cast<uint32_t>(&event - events.data()), event.pipe);
      }
    return bytes;
  }

  const std::vector<Event> &events;
  const std::string without;
  std::map<std::string, LocalMemory> memories;
  bool isReady = false;
};

/// "" if the run ends well; each of three draws of durations is tried.
std::string faultOf(const std::vector<Event> &events, const std::string &without, bool countsFlags) {
  for (uint64_t seed : {0, 1, 2}) {
    TraceModel model(events, without);
    PipeCoreOptions options;
    options.pipes = kPipeCount;
    options.flags = kFlags;
    options.countsFlags = countsFlags;
    options.inOrderPipes = kiln::npu::kInOrder;
    options.pipeNames = kPipeNames;
    options.seed = seed;
    PipeCore core("core", 0, options, model, nullptr, 0);
    PipeCore::State state = core.run(UINT64_MAX);
    if (core.fault())
      return core.fault()->text("");
    if (state != PipeCore::State::Done)
      return "deadlock:" + core.waits();
  }
  return "";
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    fail("expected FILE");
  std::vector<Event> events = readTrace(argv[1]);
  std::string fault = faultOf(events, "", /*countsFlags=*/true), strict = faultOf(events, "", false);
  std::cout << (fault.empty() ? "clean" : fault) << "\n";
  if (!fault.empty())
    return 1;
  if (!strict.empty())
    std::cout << "strict " << strict << "\n";
  std::set<std::string> groups;
  for (const Event &event : events)
    if (!event.group.empty())
      groups.insert(event.group);
  for (const std::string &group : groups)
    std::cout << (faultOf(events, group, /*countsFlags=*/true).empty() ? "redundant " : "needed ") << group
              << "\n";
  return 0;
}
