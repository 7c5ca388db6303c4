// NpuDevice.cpp: what the device tells of itself, and how launches reach the simulator.
#include "backends/npu/NpuDevice.h"

#include "backends/npu/NpuLoader.h"
#include "backends/npu/Sim/Simulator.h"
#include "backends/npu/VendorCompiler.h"

#include <algorithm>
#include <thread>

namespace kiln::npu {
namespace {

SimLaunch simLaunch(std::span<const KilnBinding> bindings, std::span<const int64_t> constants,
                    KilnBinding workspace, uint32_t blocks) {
  return {{bindings.begin(), bindings.end()}, {constants.begin(), constants.end()}, workspace, blocks};
}

void fillProfile(const SimReport &report, const Target &chip, KilnLaunchProfile &profile) {
  profile.cycles = report.cycles;
  if (profile.struct_size < sizeof(profile))
    return; // an older caller's
  auto count = [&](const std::string &name, std::string_view unit, uint64_t value) {
    if (!profile.on_counter)
      return;
    KilnLaunchCounter counter = {toStr(name), toStr(unit), static_cast<double>(value)};
    profile.on_counter(profile.arg, &counter);
  };
  count("instructions", "instructions", report.instructions);
  for (Pipe pipe : {Pipe::S, Pipe::V, Pipe::M})
    count("elements." + std::string(pipeName(pipe)), "elements", report.elements[static_cast<size_t>(pipe)]);
  count("gm.read", "bytes", report.gmRead);
  count("gm.written", "bytes", report.gmWritten);
  if (report.cycles == 0)
    return; // not timed
  count("l2.hit", "bytes", report.l2Hits);
  count("l2.miss", "bytes", report.l2Misses);
  count("cores.aic", "cores", report.cubeCores);
  count("cores.aiv", "cores", report.vectorCores);
  // The least time for the traffic of the launch, were nothing else in its way.
  count("bound.gm", "cycles", report.l2Misses / (chip.ddrRate * chip.cubeCores));
  count("bound.l2", "cycles",
        (report.gmRead / chip.l2ReadRate + report.gmWritten / chip.l2WriteRate) / chip.cubeCores);
  for (const PipeTotal &pipe : report.pipes) {
    count("busy." + pipe.unit, "cycles", pipe.stats.busy);
    count("wait-flag." + pipe.unit, "cycles", pipe.stats.waitFlag);
    count("wait-issue." + pipe.unit, "cycles", pipe.stats.waitIssue);
    count("instructions." + pipe.unit, "instructions", pipe.stats.instructions);
  }
  for (const SimSpan &span : report.spans) {
    if (!profile.on_span)
      break;
    KilnLaunchSpan out = {toStr(span.unit), toStr(span.name), toStr(span.waited ? "flag" : ""),
                          span.start,       span.end,         span.waited,
                          span.pc};
    profile.on_span(profile.arg, &out);
  }
}

} // namespace

NpuDevice::NpuDevice(const KilnHost &host, const KilnDeviceOpenArgs &args, const NpuOptions &options)
    : HostMemoryDevice(host, "npu device", args, options.memoryBytes), options(options),
      target(options.target()), parallel(args.parallel) {}

Status NpuDevice::checkLaunch(KilnKernel *handle, const KilnLaunch &launch) {
  if (!handle)
    return Status(Code::InvalidArgument, "launch: no kernel");
  const NpuKernel &kernel = NpuKernel::from(handle);
  auto wrong = [&](const std::string &text) {
    return Status(Code::InvalidArgument, "kernel '" + kernel.name + "': " + text);
  };
  if (kernel.object.chip != options.chip)
    return Status(Code::FailedPrecondition, "kernel '" + kernel.name + "' is for the " +
                                                std::string(Target::of(kernel.object.chip).name()) +
                                                "; this device is a " +
                                                std::string(Target::of(options.chip).name()));
  if (launch.grid[1] > 1 || launch.grid[2] > 1)
    return wrong("a grid of several dimensions; expected a count of blocks");
  Status status = npu::checkLaunch(kernel.object, simLaunch({launch.bindings, launch.binding_count},
                                                            {launch.constants, launch.constant_count},
                                                            launch.workspace, launch.grid[0]));
  return status.ok() ? status : wrong(status.message());
}

Status NpuDevice::launch(const sdk::LaunchCommand &command) {
  const NpuKernel &kernel = NpuKernel::from(command.kernel);
  SimOptions sim;
  sim.hasChecks = options.mode == Mode::Checked;
  // A profile asks for cycles, which checked mode counts on request; with a seed, durations mean nothing.
  sim.isTimed = options.mode == Mode::Timing || options.mode == Mode::Estimate ||
                (options.mode == Mode::Checked && command.profile && options.seed == 0);
  sim.movesData = options.mode != Mode::Estimate;
  sim.wantsSpans = sim.isTimed && command.profile && command.profile->on_span;
  sim.seed = options.mode == Mode::Checked ? options.seed : 0;
  sim.threads = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  sim.parallel = parallel;
  sim.watchdogInstructions = options.watchdogInstructions;
  SimReport report =
      simulate(kernel.object, target,
               simLaunch(command.bindings, command.constants, command.workspace, command.grid[0]), sim);
  if (command.profile)
    fillProfile(report, Target::of(options.chip), *command.profile);
  if (!report.fault)
    return {};
  std::string location;
  if (command.site && report.fault->op >= 0 &&
      static_cast<size_t>(report.fault->op) < command.site->op_location_count)
    location = toView(command.site->op_locations[report.fault->op]);
  return Status(Code::Internal, "kernel '" + kernel.name + "': " + report.fault->text(location));
}

Result<uint32_t> NpuDeviceType::enumerate() {
  KILN_ASSIGN_OR_RETURN(NpuOptions options, NpuOptions::read(theHost, {}));
  return options.devices;
}

Status NpuDeviceType::describe(uint32_t ordinal, KilnDeviceInfo &info) {
  KILN_ASSIGN_OR_RETURN(NpuOptions options, NpuOptions::read(theHost, {}));
  if (ordinal >= options.devices)
    return Status(Code::OutOfRange,
                  "npu device " + std::to_string(ordinal) + "; there are " + std::to_string(options.devices));
  const Target &target = Target::of(options.chip);
  bool is910B = options.chip == ChipClass::Ascend910B;
  info.name = toStr(is910B ? "simulated Ascend 910B class, 24 cube and 48 vector cores"
                           : "simulated Ascend 910A class, 32 cores");
  info.kind = KILN_DEVICE_SOFTWARE;
  info.compute_units = static_cast<uint32_t>(target.cubeCores);
  info.memory_bytes = options.memoryBytes;
  info.alignment_bytes = NpuDevice::kAlignmentBytes;
  info.memory_is_host_memory = 1;
  info.simulated_time = 1;
  info.max_grid_dimensions = 1;
  return {};
}

Status NpuDeviceType::target(std::string_view text, KilnTargetInfo &target) {
  KILN_ASSIGN_OR_RETURN(NpuOptions options, NpuOptions::read(theHost, text));
  const Target &chip = Target::of(options.chip);
  target.triple = toStr(""); // no LLVM target
  target.arch = toStr(chip.name());
  target.features = toStr(chip.features());
  target.options = toStr("");
  target.storage_types = KILN_TYPES_ALL & ~KILN_TYPE_BIT(KILN_F64);
  target.arithmetic_types = KILN_TYPES_COMPUTED & ~KILN_TYPE_BIT(KILN_F64);
  return {};
}

Status NpuDeviceType::properties(std::string_view text, KilnPropertyFn fn, void *arg) {
  KILN_ASSIGN_OR_RETURN(NpuOptions options, NpuOptions::read(theHost, text));
  const Target chip = options.target();
  for (const Figure &figure : figures()) {
    std::string value = std::to_string(chip.*figure.field);
    KilnDeviceProperty property = {};
    property.name = toStr(figure.name);
    property.value = toStr(value);
    property.unit = toStr(figure.unit);
    property.source = toStr(figure.source);
    property.is_assumed = figure.isAssumed;
    fn(arg, &property);
  }
  Result<VendorCompiler> vendor = VendorCompiler::find(options.ascendnpuIr);
  KilnDeviceProperty tool = {};
  tool.name = toStr("tool.ascendnpu-ir");
  tool.value = toStr(vendor.ok() ? std::string_view(vendor->path()) : "absent");
  tool.source = toStr(vendor.ok() ? std::string_view("AscendNPU-IR 1.2.0, judges --emit=hivm in tests")
                                  : std::string_view(vendor.status().message()));
  fn(arg, &tool);
  return {};
}

Result<std::unique_ptr<sdk::Device>> NpuDeviceType::open(const KilnDeviceOpenArgs &args) {
  KilnDeviceInfo info = {};
  KILN_RETURN_IF_ERROR(describe(args.ordinal, info));
  KILN_ASSIGN_OR_RETURN(NpuOptions options, NpuOptions::read(theHost, toView(args.options)));
  if (args.max_threads)
    options.threads = args.max_threads;
  return std::unique_ptr<sdk::Device>(std::make_unique<NpuDevice>(theHost, args, options));
}

} // namespace kiln::npu
