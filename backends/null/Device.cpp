// Device.cpp: how many null devices there are, how much memory each has, and the loader of empty kernels.
#include "backends/null/Device.h"

#include <charconv>

namespace kiln::null {

Result<uint64_t> NullDeviceType::option(std::string_view key) const {
  KilnStr text = {};
  KILN_RETURN_IF_ERROR(
      Status::fromC(theHost, theHost.option(theHost.self, toStr("null"), toStr(key), &text)));
  uint64_t value = 0;
  std::from_chars(text.data, text.data + text.size, value); // the runtime has checked it against the manifest
  return value;
}

Result<uint32_t> NullDeviceType::enumerate() {
  KILN_ASSIGN_OR_RETURN(uint64_t count, option("devices"));
  return static_cast<uint32_t>(count);
}

Status NullDeviceType::checkOrdinal(uint32_t ordinal) {
  KILN_ASSIGN_OR_RETURN(uint32_t count, enumerate());
  if (ordinal < count)
    return {};
  return Status(Code::OutOfRange,
                "null device " + std::to_string(ordinal) + "; there are " + std::to_string(count));
}

Status NullDeviceType::describe(uint32_t ordinal, KilnDeviceInfo &info) {
  KILN_RETURN_IF_ERROR(checkOrdinal(ordinal));
  KILN_ASSIGN_OR_RETURN(uint64_t memoryMib, option("memory-mib"));
  info.name = toStr("computes nothing, on host memory");
  info.kind = KILN_DEVICE_SOFTWARE;
  info.compute_units = 1;
  info.memory_bytes = memoryMib << 20;
  info.alignment_bytes = NullDevice::kAlignmentBytes;
  info.memory_is_host_memory = 1;
  info.max_grid_dimensions = 3;
  info.computes_nothing = 1;
  return {};
}

Status NullDeviceType::target(std::string_view, KilnTargetInfo &target) {
  target.triple = toStr(""); // there is no code
  target.arch = toStr("null");
  target.storage_types = KILN_TYPES_ALL;
  target.arithmetic_types = KILN_TYPES_COMPUTED;
  return {};
}

Result<std::unique_ptr<sdk::Device>> NullDeviceType::open(const KilnDeviceOpenArgs &args) {
  KILN_RETURN_IF_ERROR(checkOrdinal(args.ordinal));
  KILN_ASSIGN_OR_RETURN(uint64_t memoryMib, option("memory-mib"));
  auto device = std::make_unique<NullDevice>(theHost, "null device", args, memoryMib << 20);
  return std::unique_ptr<sdk::Device>(std::move(device));
}

const KilnKernelLoaderOps &loaderOps() {
  static const KilnKernelLoaderOps ops = [] {
    KilnKernelLoaderOps table = {};
    table.struct_size = sizeof(table);
    table.load = [](void *self, KilnDevice *, const KilnKernelImage *image, KilnKernel **out) -> KilnStatus {
      const KilnHost &host = static_cast<NullDeviceType *>(self)->host();
      if (image->object_bytes != 0)
        return host.status_make(KILN_INVALID_ARGUMENT,
                                toStr("null kernel: it has code; expected metadata only"));
      *out = reinterpret_cast<KilnKernel *>(self); // all null kernels are one
      return nullptr;
    };
    table.unload = [](void *, KilnKernel *) {};
    return table;
  }();
  return ops;
}

} // namespace kiln::null
