// NpuDevice.cpp: what the device tells of itself, and how launches reach the simulator.
#include "backends/npu/NpuDevice.h"

namespace kiln::npu {

NpuDevice::NpuDevice(const KilnHost &host, const KilnDeviceOpenArgs &args, const NpuOptions &options)
    : HostMemoryDevice(host, "npu device", args, options.memoryBytes), options(options) {}

Status NpuDevice::checkLaunch(KilnKernel *kernel, const KilnLaunch &) {
  if (!kernel)
    return Status(Code::InvalidArgument, "launch: no kernel");
  return {};
}

Status NpuDevice::launch(const sdk::LaunchCommand &) {
  return Status(Code::Unimplemented, "npu: this build has no kernel loader");
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
  return {};
}

Status NpuDeviceType::properties(std::string_view text, KilnPropertyFn fn, void *arg) {
  KILN_ASSIGN_OR_RETURN(NpuOptions options, NpuOptions::read(theHost, text));
  const Target &chip = Target::of(options.chip);
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
