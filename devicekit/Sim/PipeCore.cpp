// PipeCore.cpp: the next event is the earliest of: work in flight that ends, a queue's head that may begin,
// the scalar unit's next instruction. Ends go before beginnings at the same time.
#include "kiln/devicekit/PipeCore.h"

#include "kiln/devicekit/CrossFlags.h"

#include <utility>

namespace kiln::devicekit {

PipeCore::PipeCore(std::string name, uint32_t number, const PipeCoreOptions &options, PipeModel &model,
                   CrossFlags *cross, uint64_t startTime)
    : theName(std::move(name)), theNumber(number), options(options), model(model), cross(cross),
      pipes(options.pipes), flags(size_t(options.pipes) * options.pipes * options.flags), current(startTime),
      latest(startTime), scalarTime(startTime), randomness(options.seed * 1000003 + number) {}

void PipeCore::raise(Fault fault, uint32_t atPc, uint32_t pipe) {
  if (theFault)
    return;
  fault.core = theName;
  fault.pc = atPc;
  fault.pipe = pipe < options.pipeNames.size() ? options.pipeNames[pipe] : "";
  fault.time = current;
  if (fault.instruction.empty())
    fault.instruction = model.printInstruction(atPc);
  fault.op = model.opAt(atPc);
  theFault = std::move(fault);
  theState = State::Faulted;
}

void PipeCore::raise(FaultKind kind, std::string detail, uint32_t atPc, uint32_t pipe) {
  Fault fault;
  fault.kind = kind;
  fault.detail = std::move(detail);
  raise(std::move(fault), atPc, pipe);
}

uint64_t PipeCore::draw(uint64_t cycles) {
  if (options.seed == 0)
    return cycles;
  uint64_t most = cycles * 4 + 8, least = cycles / 4;
  return std::max<uint64_t>(1, least + randomness() % (most - least + 1));
}

bool PipeCore::checkFlag(uint32_t id, uint32_t atPc, uint32_t pipe) {
  if (id < options.flags)
    return true;
  raise(FaultKind::EventRange,
        "event " + std::to_string(id) + "; a pipe pair has " + std::to_string(options.flags), atPc, pipe);
  return false;
}

bool PipeCore::checkCrossFlag(uint32_t id, uint32_t pipe) {
  if (id < cross->flagCount())
    return true;
  raise(FaultKind::EventRange,
        "cross-core flag " + std::to_string(id) + "; there are " + std::to_string(cross->flagCount()), pc,
        pipe);
  return false;
}

// ---- What the scalar unit does

void PipeCore::issue(uint32_t pipe, Job job) {
  job.issued = scalarTime;
  job.knows = pipes[0].clock;
  pipes[pipe].queue.push_back(std::move(job));
  ++jobs;
  if (pipes[pipe].queue.size() >= options.issueDepth) {
    scalarWait = ScalarWait::Queue;
    scalarPipe = pipe;
  }
}

void PipeCore::setFlag(uint32_t from, uint32_t to, uint32_t id) {
  if (!checkFlag(id, pc, from))
    return;
  Job job;
  job.kind = JobKind::SetFlag;
  job.otherPipe = static_cast<uint8_t>(to);
  job.id = id;
  job.pc = pc;
  if (from != 0)
    return issue(from, std::move(job));
  job.end = scalarTime;
  job.knows = pipes[0].clock;
  performSet(0, job);
}

void PipeCore::waitFlag(uint32_t from, uint32_t to, uint32_t id) {
  if (!checkFlag(id, pc, to))
    return;
  Job job;
  job.kind = JobKind::WaitFlag;
  job.otherPipe = static_cast<uint8_t>(from);
  job.id = id;
  job.pc = pc;
  if (to != 0)
    return issue(to, std::move(job));
  scalarJob = std::move(job);
  scalarWait = ScalarWait::Flag;
}

void PipeCore::barrier(uint32_t pipe) {
  if (pipe == 0)
    return; // the scalar unit is in order
  Job job;
  job.kind = JobKind::Barrier;
  job.pc = pc;
  issue(pipe, std::move(job));
}

void PipeCore::crossSet(uint32_t pipe, uint32_t mode, uint32_t id) {
  if (!checkCrossFlag(id, pipe))
    return;
  Job job;
  job.kind = JobKind::CrossSet;
  job.mode = static_cast<uint8_t>(mode);
  job.id = id;
  job.pc = pc;
  if (pipe != 0)
    return issue(pipe, std::move(job));
  job.end = scalarTime;
  job.knows = pipes[0].clock;
  performSet(0, job);
}

void PipeCore::crossWait(uint32_t pipe, uint32_t id) {
  if (!checkCrossFlag(id, pipe))
    return;
  Job job;
  job.kind = JobKind::CrossWait;
  job.id = id;
  job.pc = pc;
  if (pipe != 0)
    return issue(pipe, std::move(job));
  scalarJob = std::move(job);
  scalarWait = ScalarWait::Cross;
}

Accessor PipeCore::scalarAccess() {
  Pipe &scalar = pipes[0];
  scalar.clock.own[0] = scalar.number; // what it did before has ended
  return {theNumber, 0, ++scalar.number, scalar.clock};
}

// ---- Events

bool PipeCore::allIdle() const {
  for (size_t i = 1; i < pipes.size(); ++i)
    if (!pipes[i].queue.empty() || !pipes[i].inFlight.empty())
      return false;
  return true;
}

// When the scalar unit can go on; nothing if it cannot now.
std::optional<uint64_t> PipeCore::scalarReady() {
  switch (scalarWait) {
  case ScalarWait::None:
    return halted ? std::nullopt : std::optional(scalarTime);
  case ScalarWait::Flag: {
    const Flag &event = flag(scalarJob.otherPipe, 0, scalarJob.id);
    return event.isSet ? std::optional(std::max(scalarTime, event.time + options.flagCycles)) : std::nullopt;
  }
  case ScalarWait::Cross: {
    std::optional<uint64_t> time = cross->peek(theNumber, scalarJob.id);
    return time ? std::optional(std::max(scalarTime, *time)) : std::nullopt;
  }
  case ScalarWait::Queue:
    return pipes[scalarPipe].queue.size() < options.issueDepth
               ? std::optional(std::max(scalarTime, pipes[scalarPipe].lastBegin))
               : std::nullopt;
  case ScalarWait::All: {
    if (!allIdle())
      return std::nullopt;
    uint64_t time = scalarTime;
    for (const Pipe &pipe : pipes)
      time = std::max(time, pipe.lastEnd + options.barrierCycles);
    return time;
  }
  }
  return std::nullopt;
}

// When the head of a queue may begin.
std::optional<uint64_t> PipeCore::headReady(uint32_t number) {
  Pipe &pipe = pipes[number];
  if (pipe.queue.empty())
    return std::nullopt;
  const Job &head = pipe.queue.front();
  uint64_t time = std::max(head.issued, pipe.notBefore);
  switch (head.kind) {
  case JobKind::Work:
    return std::max(time, pipe.free);
  case JobKind::SetFlag:
  case JobKind::CrossSet:
    return time;
  case JobKind::WaitFlag: {
    const Flag &event = flag(head.otherPipe, number, head.id);
    return event.isSet ? std::optional(std::max(time, event.time + options.flagCycles)) : std::nullopt;
  }
  case JobKind::Barrier:
    return pipe.inFlight.empty() ? std::optional(std::max(time, pipe.lastEnd + options.barrierCycles))
                                 : std::nullopt;
  case JobKind::CrossWait: {
    std::optional<uint64_t> set = cross->peek(theNumber, head.id);
    return set ? std::optional(std::max(time, *set)) : std::nullopt;
  }
  }
  return std::nullopt;
}

void PipeCore::performSet(uint32_t from, const Job &job) {
  if (job.kind == JobKind::CrossSet) {
    VectorClock knows = job.knows;
    if (auto text = cross->set(theNumber, job.mode, job.id, job.end, knows.exported(theNumber)))
      raise(FaultKind::DoubleSet, *text, job.pc, from);
    return;
  }
  Flag &event = flag(from, job.otherPipe, job.id);
  Flag now = {true, job.end, job.pc, job.knows, {}};
  if (event.isSet && options.countsFlags) {
    event.later.push_back(std::move(now));
    return;
  }
  if (event.isSet)
    return raise(FaultKind::DoubleSet,
                 "event " + std::to_string(job.id) + " is set since pc " + std::to_string(event.pc) +
                     ", nobody has waited for it",
                 job.pc, from);
  event = std::move(now);
}

/// Clears a flag that is set; what its wait learns.
VectorClock PipeCore::takeFlag(Flag &event) {
  Flag taken = std::move(event);
  event = {};
  if (!taken.later.empty()) {
    event = std::move(taken.later.front());
    taken.later.erase(taken.later.begin());
    event.later = std::move(taken.later);
  }
  return std::move(taken.clock);
}

void PipeCore::runScalar() {
  Pipe &scalar = pipes[0];
  switch (scalarWait) {
  case ScalarWait::None: {
    uint64_t before = scalarTime;
    ++executed;
    scalar.clock.own[0] = scalar.number;
    model.step(*this);
    scalar.stats.busy += scalarTime - before;
    ++scalar.stats.instructions;
    return;
  }
  case ScalarWait::Flag:
    scalar.clock.join(takeFlag(flag(scalarJob.otherPipe, 0, scalarJob.id)));
    break;
  case ScalarWait::Cross:
    scalar.clock.joinOthers(cross->take(theNumber, scalarJob.id).knows);
    break;
  case ScalarWait::Queue:
    break;
  case ScalarWait::All:
    for (size_t i = 0; i < pipes.size(); ++i) {
      pipes[i].clock.own[i] = pipes[i].number;
      scalar.clock.join(pipes[i].clock);
    }
    break;
  }
  (scalarWait == ScalarWait::Queue ? scalar.stats.waitIssue : scalar.stats.waitFlag) += current - scalarTime;
  scalarTime = std::max(scalarTime, current);
  scalarWait = ScalarWait::None;
}

void PipeCore::beginHead(uint32_t number) {
  Pipe &pipe = pipes[number];
  Job job = std::move(pipe.queue.front());
  pipe.queue.pop_front();
  uint64_t couldBegin = std::max({job.issued, pipe.free, pipe.notBefore});
  auto waitedSince = [&](uint64_t since) {
    pipe.stats.waitFlag += current - std::min(current, since);
    pipe.waited += current - std::min(current, since);
  };
  pipe.clock.join(job.knows);
  job.start = pipe.lastBegin = current;
  switch (job.kind) {
  case JobKind::Work: {
    if (options.inOrderPipes >> number & 1)
      pipe.clock.own[number] = pipe.number;
    Accessor by{theNumber, number, ++pipe.number, pipe.clock};
    Duration duration = model.begin(*this, job, by);
    if (theFault)
      return;
    uint64_t occupancy = draw(duration.occupancy), latency = std::max(occupancy, draw(duration.latency));
    job.end = std::max(current + latency, pipe.lastEnd); // a pipe ends what it began in order
    pipe.free = options.inOrderPipes >> number & 1 ? job.end : current + occupancy;
    pipe.lastEnd = job.end;
    pipe.stats.busy += std::min(occupancy, job.end - current);
    ++pipe.stats.instructions;
    if (options.hasChecks && job.memory)
      job.memory->poison(job.poisoned, job.pending);
    if (options.wantsSpans)
      theSpans.push_back({number, job.pc, current, job.end, std::exchange(pipe.waited, 0)});
    break;
  }
  case JobKind::SetFlag:
  case JobKind::CrossSet: // acts when what was begun before has ended, holds nothing up
    job.end = std::max(current, pipe.lastEnd);
    job.knows = pipe.clock;
    job.knows.own[number] = pipe.number;
    break;
  case JobKind::WaitFlag:
    pipe.clock.join(takeFlag(flag(job.otherPipe, number, job.id)));
    waitedSince(couldBegin);
    pipe.notBefore = current;
    --jobs;
    return;
  case JobKind::CrossWait:
    pipe.clock.joinOthers(cross->take(theNumber, job.id).knows);
    waitedSince(couldBegin);
    pipe.notBefore = current;
    --jobs;
    return;
  case JobKind::Barrier:
    pipe.clock.own[number] = pipe.number;
    pipe.notBefore = current;
    --jobs;
    return;
  }
  pipe.inFlight.push_back(std::move(job));
}

void PipeCore::endFront(uint32_t number) {
  Pipe &pipe = pipes[number];
  Job job = std::move(pipe.inFlight.front());
  pipe.inFlight.pop_front();
  --jobs;
  if (job.kind != JobKind::Work)
    return performSet(number, job);
  if (options.hasChecks && job.memory)
    job.memory->restore(job.poisoned, job.pending);
  model.commit(*this, job);
}

PipeCore::State PipeCore::run(uint64_t until) {
  untilTime = until;
  while (theState != State::Faulted) {
    enum { End, Begin, Scalar, Nothing } event = Nothing;
    uint64_t best = UINT64_MAX;
    uint32_t pipe = 0;
    for (uint32_t i = 1; i < pipes.size(); ++i)
      if (!pipes[i].inFlight.empty() && pipes[i].inFlight.front().end < best) {
        best = pipes[i].inFlight.front().end;
        event = End;
        pipe = i;
      }
    for (uint32_t i = 1; i < pipes.size(); ++i)
      if (std::optional<uint64_t> ready = headReady(i); ready && *ready < best) {
        best = *ready;
        event = Begin;
        pipe = i;
      }
    if (std::optional<uint64_t> ready = scalarReady(); ready && *ready < best) {
      best = *ready;
      event = Scalar;
    }
    if (event == Nothing) {
      if (halted && allIdle())
        finish();
      else
        theState = State::Blocked;
      return theState;
    }
    theState = State::Running;
    theNextTime = best;
    if (best > until)
      return theState;
    current = best;
    latest = std::max(latest, best);
    if (event == End)
      endFront(pipe);
    else if (event == Begin)
      beginHead(pipe);
    else
      runScalar();
  }
  return theState;
}

// ---- The end

void PipeCore::finish() {
  for (uint32_t from = 0; from < options.pipes; ++from)
    for (uint32_t to = 0; to < options.pipes; ++to)
      for (uint32_t id = 0; id < options.flags; ++id)
        if (flag(from, to, id).isSet && options.hasChecks)
          return raise(FaultKind::Unpaired,
                       "event " + std::to_string(id) + " for pipe " + std::string(options.pipeNames[to]) +
                           " was set; the program ended without a wait for it",
                       flag(from, to, id).pc, from);
  theState = State::Done;
}

std::string PipeCore::waits() const {
  std::string text;
  auto add = [&](uint32_t pipe, const Job &job) {
    text += "\n  " + theName + " " + std::string(options.pipeNames[pipe]) + " at pc " +
            std::to_string(job.pc) + " waits for ";
    if (job.kind == JobKind::WaitFlag)
      text += "event " + std::to_string(job.id) + " of pipe " + std::string(options.pipeNames[job.otherPipe]);
    else
      text += "cross-core flag " + std::to_string(job.id);
  };
  if (scalarWait == ScalarWait::Flag || scalarWait == ScalarWait::Cross)
    add(0, scalarJob);
  else if (scalarWait == ScalarWait::Queue || scalarWait == ScalarWait::All)
    text += "\n  " + theName + " S at pc " + std::to_string(pc) + " waits for " +
            (scalarWait == ScalarWait::All
                 ? "all pipes"
                 : "room in the queue of " + std::string(options.pipeNames[scalarPipe]));
  for (uint32_t i = 1; i < pipes.size(); ++i)
    if (!pipes[i].queue.empty() && (pipes[i].queue.front().kind == JobKind::WaitFlag ||
                                    pipes[i].queue.front().kind == JobKind::CrossWait))
      add(i, pipes[i].queue.front());
  return text;
}

} // namespace kiln::devicekit
