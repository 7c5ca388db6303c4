// Simulator.cpp: blocks to cores, bindings to regions of GM, statistics of cores to a report.
#include "backends/npu/Sim/Simulator.h"

#include "backends/npu/ErrorText.h"
#include "backends/npu/Sim/NpuCore.h"
#include "kiln/devicekit/CrossFlags.h"

#include <map>
#include <unordered_map>

namespace kiln::npu {
namespace {

using devicekit::CoreRunner;
using devicekit::CrossFlags;
using devicekit::PipeCore;
using devicekit::SharedMemory;
using devicekit::SharedPort;

constexpr uint64_t kMostBlocks = 1 << 20;

/// One launch. Used once.
class LaunchRun {
public:
  LaunchRun(const NpuObject &object, const Target &target, const SimLaunch &launch, const SimOptions &options)
      : object(object), target(target), options(options), gm(regions(object, launch), options.hasChecks),
        port(rates(target)), context{target,
                                     object,
                                     gm,
                                     options.isTimed ? &port : nullptr,
                                     decodeScalar(object.aic, target),
                                     decodeScalar(object.aiv, target),
                                     arguments(launch),
                                     launch.blocks,
                                     options.hasChecks,
                                     options.isTimed,
                                     options.movesData},
        cross({static_cast<uint32_t>(target.crossFlags), static_cast<uint32_t>(target.crossFlagMost),
               target.crossFlagCycles},
              [this](uint32_t core, uint32_t mode) { return route(core, mode); }) {
    bool isMix = object.kind == KernelKind::Mix;
    vectorsPerGroup = isMix ? static_cast<uint32_t>(target.vectorCores / target.cubeCores) : 0;
    groupSize = 1 + vectorsPerGroup;
    slots = static_cast<uint32_t>(object.kind == KernelKind::Aiv ? target.vectorCores : target.cubeCores);
    coresPerPort = object.kind == KernelKind::Aiv && !target.fusedCores
                       ? static_cast<uint32_t>(target.vectorCores / target.cubeCores)
                       : 1;
    core.pipes = kPipeCount;
    core.flags = static_cast<uint32_t>(target.eventsPerPair);
    core.issueDepth = static_cast<uint32_t>(target.issueDepth);
    core.flagCycles = target.flagCycles;
    core.barrierCycles = target.barrierCycles;
    core.inOrderPipes = kInOrder;
    core.pipeNames = kPipeNames;
    core.hasChecks = options.hasChecks;
    core.seed = options.seed;
    core.wantsSpans = options.wantsSpans;
  }

  SimReport run() {
    CoreRunner::Options runner;
    runner.threads = options.threads;
    runner.parallel = options.parallel;
    runner.isTimed = options.isTimed;
    runner.groups = static_cast<uint32_t>(context.blocks);
    runner.groupSize = groupSize;
    runner.slots = slots;
    runner.watchdogInstructions = options.watchdogInstructions;
    CoreRunner cores(
        runner, [this](uint32_t number, uint32_t slot, uint64_t start) { return make(number, slot, start); },
        [this](PipeCore &ended) { collect(ended); });
    CoreRunner::Outcome outcome = cores.run(cross);
    report.fault = std::move(outcome.fault);
    if (auto left = cross.leftOver(); left && !report.fault && options.hasChecks) {
      report.fault.emplace();
      report.fault->kind = devicekit::FaultKind::Unpaired;
      report.fault->core = nameOf(left->first);
      report.fault->detail = "cross-core flag " + std::to_string(left->second) +
                             " was set; the core ended without a wait for it";
    }
    report.instructions = outcome.instructions;
    if (options.isTimed) {
      report.cycles = outcome.cycles;
      report.l2Hits = port.hitBytes();
      report.l2Misses = port.missBytes();
    }
    for (auto &[unit, stats] : totals)
      report.pipes.push_back({unit, stats});
    uint64_t resident = std::min<uint64_t>(context.blocks, slots);
    report.cubeCores = object.kind == KernelKind::Aiv ? 0 : resident;
    report.vectorCores = object.kind == KernelKind::Aic ? 0 : resident * std::max(vectorsPerGroup, 1u);
    return std::move(report);
  }

private:
  static std::vector<SharedMemory::Region> regions(const NpuObject &object, const SimLaunch &launch) {
    std::vector<SharedMemory::Region> result;
    for (size_t i = 0; i < launch.bindings.size(); ++i)
      result.push_back({launch.bindings[i].address, launch.bindings[i].bytes,
                        object.bindings[i].kind != ObjectBinding::Kind::In,
                        object.bindings[i].kind != ObjectBinding::Kind::Out, "binding " + std::to_string(i)});
    result.push_back({launch.workspace.address, launch.workspace.bytes, true, false, "workspace"});
    return result;
  }
  static std::vector<uint64_t> arguments(const SimLaunch &launch) {
    std::vector<uint64_t> slots;
    for (const KilnBinding &binding : launch.bindings)
      slots.push_back(binding.address);
    for (int64_t constant : launch.constants)
      slots.push_back(static_cast<uint64_t>(constant));
    slots.push_back(launch.workspace.address);
    return slots;
  }
  static SharedPort::Rates rates(const Target &target) {
    return {static_cast<double>(target.l2ReadRate),
            static_cast<double>(target.l2WriteRate),
            static_cast<double>(target.ddrRate * target.cubeCores),
            static_cast<double>(target.l2ReadRate),
            target.l2Bytes,
            static_cast<uint32_t>(target.cubeCores),
            target.l2Channels > 1};
  }

  bool isCube(uint32_t number) const { return object.kind != KernelKind::Aiv && number % groupSize == 0; }
  std::string nameOf(uint32_t number) const {
    std::string block = std::to_string(number / groupSize);
    if (isCube(number))
      return "aic" + block;
    return "aiv" + block + (vectorsPerGroup ? "." + std::to_string(number % groupSize - 1) : "");
  }

  // Who sets together and who is told.
  CrossFlags::Route route(uint32_t number, uint32_t mode) const {
    CrossFlags::Route route;
    uint32_t first = number / groupSize * groupSize;
    auto vectors = [&](std::vector<uint32_t> &to) {
      for (uint32_t i = 0; i < vectorsPerGroup; ++i)
        to.push_back(first + 1 + i);
    };
    if (mode == 0) {
      for (uint32_t other = 0; other < context.blocks * groupSize; ++other)
        if (isCube(other) == isCube(number))
          route.senders.push_back(other);
      route.receivers = route.senders;
    } else if (mode == 1 && !isCube(number)) {
      vectors(route.senders);
      route.receivers = route.senders;
    } else if (mode == 2 && isCube(number)) {
      route.senders = {number};
      vectors(route.receivers);
    } else if (mode == 2 && vectorsPerGroup) {
      vectors(route.senders);
      route.receivers = {first};
    }
    return route;
  }

  std::unique_ptr<PipeCore> make(uint32_t number, uint32_t slot, uint64_t start) {
    uint32_t inGroup = number % groupSize;
    auto model =
        std::make_unique<NpuCore>(context, isCube(number), number / groupSize, inGroup ? inGroup - 1 : 0,
                                  std::max(vectorsPerGroup, 1u), slot / coresPerPort);
    uint64_t begin = start ? start : options.isTimed ? target.launchCycles : 0;
    auto result = std::make_unique<PipeCore>(nameOf(number), number, core, *model, &cross, begin);
    models[number] = std::move(model);
    return result;
  }

  void collect(PipeCore &ended) {
    NpuCore &model = *models[ended.number()];
    report.gmRead += model.traffic().read;
    report.gmWritten += model.traffic().written;
    for (Pipe pipe : {Pipe::S, Pipe::V, Pipe::M})
      report.elements[static_cast<size_t>(pipe)] += model.elements()[static_cast<size_t>(pipe)];
    std::string kind = isCube(ended.number()) ? "aic." : "aiv.";
    for (uint32_t pipe = 0; pipe < kPipeCount; ++pipe) {
      const devicekit::PipeStats &stats = ended.stats(pipe);
      if (stats.instructions == 0)
        continue;
      devicekit::PipeStats &total = totals[kind + std::string(kPipeNames[pipe])];
      total.instructions += stats.instructions;
      total.busy += stats.busy;
      total.waitFlag += stats.waitFlag;
      total.waitIssue += stats.waitIssue;
    }
    const CodeSection &section = isCube(ended.number()) ? object.aic : object.aiv;
    for (const devicekit::Span &span : ended.spans())
      report.spans.push_back({ended.name() + "." + std::string(kPipeNames[span.pipe]),
                              std::string(section.code[span.pc].info->mnemonic), span.start, span.end,
                              span.waited, span.pc * kWordBytes});
    models.erase(ended.number());
  }

  const NpuObject &object;
  const Target &target;
  const SimOptions options;
  SharedMemory gm;
  SharedPort port;
  LaunchContext context;
  CrossFlags cross;
  devicekit::PipeCoreOptions core;
  uint32_t vectorsPerGroup = 0, groupSize = 1, slots = 1, coresPerPort = 1;
  std::unordered_map<uint32_t, std::unique_ptr<NpuCore>> models; // of resident cores
  std::map<std::string, devicekit::PipeStats> totals;
  SimReport report;
};

} // namespace

Status checkLaunch(const NpuObject &object, const SimLaunch &launch) {
  if (launch.bindings.size() != object.bindings.size() || launch.constants.size() != object.constantCount)
    return wrong(std::to_string(launch.bindings.size()) + " bindings and " +
                 std::to_string(launch.constants.size()) + " constants; expected " +
                 std::to_string(object.bindings.size()) + " and " + std::to_string(object.constantCount));
  for (size_t i = 0; i < launch.bindings.size(); ++i) {
    const ObjectBinding &expected = object.bindings[i];
    const KilnBinding &binding = launch.bindings[i];
    std::string name = "binding " + std::to_string(i);
    KILN_ASSIGN_OR_RETURN(int64_t bytes, evaluate(expected.bytes, launch.constants));
    if (bytes > 0 && binding.bytes < static_cast<uint64_t>(bytes))
      return wrong(name + ": " + std::to_string(binding.bytes) + " bytes; expected at least " +
                   std::to_string(bytes));
    if (binding.bytes && (binding.address == 0 || binding.address % expected.alignmentBytes))
      return wrong(name + ": address " + std::to_string(binding.address) + "; expected a multiple of " +
                   std::to_string(expected.alignmentBytes));
  }
  KILN_ASSIGN_OR_RETURN(int64_t workspace, evaluate(object.workspaceBytes, launch.constants));
  if (workspace > 0 && launch.workspace.bytes < static_cast<uint64_t>(workspace))
    return wrong("workspace: " + std::to_string(launch.workspace.bytes) + " bytes; expected at least " +
                 std::to_string(workspace));
  if (launch.blocks > kMostBlocks)
    return wrong(std::to_string(launch.blocks) + " blocks; expected at most " + std::to_string(kMostBlocks));
  return {};
}

SimReport simulate(const NpuObject &object, const Target &target, const SimLaunch &launch,
                   const SimOptions &options) {
  if (launch.blocks == 0)
    return {};
  return LaunchRun(object, target, launch, options).run();
}

} // namespace kiln::npu
