// CoreRunner.cpp: cores are tasks. Untimed, threads take any that can run; timed, one thread gives each a
// slice of simulated time in turn, so that what they share is asked for in order and cycle counts repeat
// exactly.
#include "kiln/devicekit/CrossFlags.h"

#include <thread>

namespace kiln::devicekit {
namespace {

constexpr uint64_t kThreadSlice = 1 << 16; // cycles between looks at the watchdog

} // namespace

void CoreRunner::startGroup(uint32_t slot) {
  uint32_t group = nextGroup++;
  slots[slot].group = group;
  slots[slot].live = options.groupSize;
  for (uint32_t i = 0; i < options.groupSize; ++i) {
    uint32_t core = group * options.groupSize + i;
    cores[core] = make(core, slot, slots[slot].time);
    slotOf[core] = slot;
    isBlocked[core] = wasPoked[core] = false;
    runnable.push_back(core);
  }
}

bool CoreRunner::overWatchdog(PipeCore &core) {
  if (core.instructions() + instructions <= options.watchdogInstructions)
    return false;
  core.raise(FaultKind::Watchdog,
             "the launch has executed more than " + std::to_string(options.watchdogInstructions) +
                 " instructions",
             core.pc, 0);
  return true;
}

// Called with the lock held after a core ran. It stays resident while it can go on.
void CoreRunner::settle(uint32_t number) {
  PipeCore &core = *cores[number];
  if (core.state() == PipeCore::State::Faulted) {
    if (!worst || number < worst->first)
      worst = {number, *core.fault()};
    stop = true;
    return;
  }
  if (core.state() == PipeCore::State::Blocked) {
    if (std::exchange(wasPoked[number], false))
      runnable.push_back(number);
    else
      isBlocked[number] = true;
    return;
  }
  if (core.state() == PipeCore::State::Running) {
    runnable.push_back(number);
    return;
  }
  Slot &slot = slots[slotOf[number]];
  instructions += core.instructions();
  cycles = std::max(cycles, core.time());
  slot.time = std::max(slot.time, core.time());
  ended(core);
  uint32_t index = slotOf[number];
  cores.erase(number);
  slotOf.erase(number);
  isBlocked.erase(number);
  wasPoked.erase(number);
  if (--slot.live == 0 && nextGroup < options.groups)
    startGroup(index);
}

void CoreRunner::deadlock() {
  if (cores.empty())
    return;
  std::string graph;
  std::vector<uint32_t> numbers;
  for (const auto &[number, core] : cores)
    numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  for (uint32_t number : numbers)
    graph += cores[number]->waits();
  PipeCore &first = *cores[numbers.front()];
  // A wait that nobody is left to answer, as opposed to several that wait for each other.
  bool isLonely = numbers.size() == 1 && std::count(graph.begin(), graph.end(), '\n') == 1;
  first.raise(isLonely ? FaultKind::Unpaired : FaultKind::Deadlock,
              (isLonely ? "a wait that no set answers:" : "nothing can go on; who waits for what:") + graph,
              first.pc, 0);
  worst = {numbers.front(), *first.fault()};
  stop = true;
}

void CoreRunner::runTimed() {
  for (uint64_t until = options.sliceCycles; !stop && !cores.empty(); until += options.sliceCycles) {
    std::vector<uint32_t> turn;
    for (const auto &[number, core] : cores)
      turn.push_back(number);
    std::sort(turn.begin(), turn.end());
    bool moves = false;
    uint64_t before = instructions;
    for (uint32_t number : turn) {
      PipeCore &core = *cores[number];
      PipeCore::State state = core.run(until);
      if (state != PipeCore::State::Faulted)
        overWatchdog(core);
      moves |= core.state() != PipeCore::State::Blocked;
      settle(number);
      if (stop)
        return;
    }
    moves |= instructions != before;
    runnable.clear();
    if (!moves) { // flags set in this turn may still help a core that ran before
      bool anyMoves = false;
      for (uint32_t number : turn)
        if (auto found = cores.find(number); found != cores.end())
          anyMoves |= found->second->run(until) != PipeCore::State::Blocked;
      if (!anyMoves)
        return deadlock();
    }
  }
}

void CoreRunner::worker() {
  std::unique_lock lock(mutex);
  while (true) {
    wake.wait(lock, [&] { return stop || cores.empty() || !runnable.empty() || running == 0; });
    if (stop || cores.empty())
      break;
    if (runnable.empty()) { // nobody runs, nobody can
      deadlock();
      break;
    }
    uint32_t number = runnable.front();
    runnable.pop_front();
    PipeCore &core = *cores[number];
    ++running;
    lock.unlock();
    // A wait for another core may end far ahead of this core's own time.
    PipeCore::State state = core.run(std::max(core.time(), core.nextTime()) + kThreadSlice);
    lock.lock();
    --running;
    if (state != PipeCore::State::Faulted)
      overWatchdog(core);
    settle(number);
    wake.notify_all();
  }
  wake.notify_all();
}

void CoreRunner::runThreads() {
  if (options.parallel.run) {
    auto help = [](void *runner, size_t) { static_cast<CoreRunner *>(runner)->worker(); };
    return options.parallel.run(options.parallel.self, std::max(options.parallel.concurrency, 1u), help,
                                this);
  }
  std::vector<std::thread> threads;
  for (uint32_t i = 1; i < options.threads; ++i)
    threads.emplace_back([this] { worker(); });
  worker();
  for (std::thread &thread : threads)
    thread.join();
}

CoreRunner::Outcome CoreRunner::run(CrossFlags &flags) {
  flags.onCount = [this](uint32_t core) {
    if (options.isTimed)
      return;
    std::lock_guard lock(mutex);
    auto blocked = isBlocked.find(core);
    if (blocked == isBlocked.end())
      return;
    if (std::exchange(blocked->second, false))
      runnable.push_back(core);
    else
      wasPoked[core] = true;
    wake.notify_all();
  };
  slots.resize(std::min(options.slots, options.groups));
  for (uint32_t slot = 0; slot < slots.size(); ++slot)
    startGroup(slot);
  options.isTimed ? runTimed() : runThreads();
  Outcome outcome;
  outcome.cycles = cycles;
  outcome.instructions = instructions;
  if (worst)
    outcome.fault = worst->second;
  return outcome;
}

} // namespace kiln::devicekit
