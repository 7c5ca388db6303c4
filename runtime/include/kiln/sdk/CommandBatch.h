// kiln/sdk/CommandBatch.h: the commands that one queue has recorded and not yet run.
#ifndef KILN_SDK_COMMANDBATCH_H
#define KILN_SDK_COMMANDBATCH_H

#include "kiln/sdk/Event.h"
#include "kiln/sdk/Executor.h"

#include <algorithm>
#include <vector>

namespace kiln::sdk {

enum class CommandKind : uint8_t { Launch, Copy, Write, Read, Fill, Free, Call, Signal, Wait };

/// One recorded command. Variable parts lie in the batch's arena, by offset: the arena may move while it
/// grows.
struct Command {
  struct Launch {
    KilnKernel *kernel;
    size_t bindings, constants; // byte offsets into the arena
    uint32_t bindingCount, constantCount;
    KilnBinding workspace;
    uint32_t grid[3];
    const KilnLaunchSite *site;
    KilnLaunchProfile *profile;
  };
  struct Transfer { // Copy, Write, Read: device addresses or host pointers, as the kind says
    uint64_t to, from, bytes;
  };
  struct Fill {
    KilnDeviceAddress to;
    uint64_t pattern, bytes;
    uint32_t patternBytes;
  };
  struct Call {
    KilnHostFn fn;
    void *arg;
  };
  struct EventUse { // Signal, Wait
    size_t event;   // index into the batch's events
    uint64_t generation;
  };
  CommandKind kind;
  union {
    Launch launch;
    Transfer transfer;
    Fill fill;
    KilnDeviceAddress release;
    Call call;
    EventUse use;
  };
};

/// A run of commands with what they refer to. Cleared and reused: once its vectors have grown, recording
/// allocates nothing. Threads: none of its own; the queue guards it.
class CommandBatch {
public:
  void reserveOne() {
    if (commands.size() == commands.capacity())
      commands.reserve(2 * commands.capacity() + 16);
  }
  void append(const Command &command) { commands.push_back(command); }
  /// Copies bytes into the arena, 8-byte aligned, and returns their offset.
  size_t keep(const void *data, size_t bytes) {
    size_t offset = arena.size() * sizeof(uint64_t);
    arena.resize(arena.size() + (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
    if (bytes)
      std::memcpy(reinterpret_cast<char *>(arena.data()) + offset, data, bytes);
    return offset;
  }
  size_t keep(std::shared_ptr<EventState> event) {
    events.push_back(std::move(event));
    return events.size() - 1;
  }
  EventState &event(size_t index) { return *events[index]; }
  const std::shared_ptr<EventState> &eventRef(size_t index) { return events[index]; }
  LaunchCommand launchCommand(const Command::Launch &from) const {
    const char *base = reinterpret_cast<const char *>(arena.data());
    LaunchCommand out;
    out.kernel = from.kernel;
    out.bindings = {reinterpret_cast<const KilnBinding *>(base + from.bindings), from.bindingCount};
    out.constants = {reinterpret_cast<const int64_t *>(base + from.constants), from.constantCount};
    out.workspace = from.workspace;
    std::copy(from.grid, from.grid + 3, out.grid);
    out.site = from.site;
    out.profile = from.profile;
    return out;
  }

  bool exhausted() const { return cursor == commands.size(); }
  const Command &next() { return commands[cursor++]; }
  size_t size() const { return commands.size(); }
  void clear() {
    commands.clear();
    arena.clear();
    events.clear();
    cursor = 0;
  }

private:
  std::vector<Command> commands;
  std::vector<uint64_t> arena;
  std::vector<std::shared_ptr<EventState>> events;
  size_t cursor = 0;
};

} // namespace kiln::sdk
#endif // KILN_SDK_COMMANDBATCH_H
