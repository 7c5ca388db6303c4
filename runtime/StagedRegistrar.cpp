// StagedRegistrar.cpp: copies tables by struct_size and checks that each required function is there.
#include "runtime/StagedRegistrar.h"

#include "runtime/Error.h"

#include <cstring>

namespace kiln {

namespace {

struct RequiredFunction {
  const char *name;
  size_t offset;
};

// clang-format off
#define KILN_FN(field) {#field, offsetof(KilnDeviceOps, field)}
constexpr RequiredFunction kDeviceFunctions[] = {
    KILN_FN(enumerate), KILN_FN(describe), KILN_FN(target), KILN_FN(device_open), KILN_FN(device_close),
    KILN_FN(memory_allocate), KILN_FN(memory_free), KILN_FN(memory_import), KILN_FN(memory_unimport),
    KILN_FN(memory_map), KILN_FN(memory_stats), KILN_FN(queue_create), KILN_FN(queue_destroy), KILN_FN(queue_launch),
    KILN_FN(queue_copy), KILN_FN(queue_write), KILN_FN(queue_read), KILN_FN(queue_fill), KILN_FN(queue_allocate),
    KILN_FN(queue_free), KILN_FN(queue_call), KILN_FN(queue_signal), KILN_FN(queue_wait), KILN_FN(queue_flush),
    KILN_FN(queue_synchronize), KILN_FN(queue_status), KILN_FN(queue_reset), KILN_FN(event_create),
    KILN_FN(event_destroy), KILN_FN(event_query), KILN_FN(event_wait)};
#undef KILN_FN
constexpr RequiredFunction kLoaderFunctions[] = {{"load", offsetof(KilnKernelLoaderOps, load)},
                                                 {"unload", offsetof(KilnKernelLoaderOps, unload)}};
// clang-format on

template <typename Table, size_t N>
Result<Table> readTable(const Table *table, const RequiredFunction (&required)[N]) {
  if (!table)
    return invalidArgument("no table of functions");
  Table copy = {};
  size_t size = std::min(table->struct_size, sizeof(Table));
  if (size < sizeof(size_t))
    return invalidArgument("struct_size {}; expected {}", table->struct_size, sizeof(Table));
  memcpy(&copy, table, size);
  copy.struct_size = sizeof(Table);
  for (const RequiredFunction &function : required) {
    // A field counts if it ends inside struct_size.
    bool inside = function.offset + sizeof(void *) <= size;
    void *address = nullptr;
    memcpy(&address, reinterpret_cast<const char *>(&copy) + function.offset, sizeof address);
    if (!inside || !address)
      return invalidArgument("function '{}' is missing{}", function.name,
                             inside ? ""
                                    : fmt::format(" (struct_size {}; expected {})", size, sizeof(Table)));
  }
  return copy;
}

// C functions that are called from a backend must not let an exception through.
template <typename Fn> KilnStatus guardedCall(Fn &&fn) {
  try {
    return toC(fn());
  } catch (const std::exception &error) {
    return toC(resourceExhausted("registration: {}", error.what()));
  }
}

} // namespace

Result<KilnDeviceOps> readDeviceOps(const KilnDeviceOps *ops) { return readTable(ops, kDeviceFunctions); }
Result<KilnKernelLoaderOps> readKernelLoaderOps(const KilnKernelLoaderOps *ops) {
  return readTable(ops, kLoaderFunctions);
}

StagedRegistrar::StagedRegistrar(const Manifest &manifest) : manifest(manifest) {
  theTable.struct_size = sizeof(KilnRegistrar);
  theTable.self = this;
  theTable.add_device_type = [](void *self, KilnStr type, const KilnDeviceOps *ops, void *opsSelf) {
    return guardedCall(
        [&] { return static_cast<StagedRegistrar *>(self)->addDeviceType(toView(type), ops, opsSelf); });
  };
  theTable.add_kernel_loader = [](void *self, KilnStr format, KilnStr name, const KilnKernelLoaderOps *ops,
                                  void *opsSelf) {
    return guardedCall([&] {
      return static_cast<StagedRegistrar *>(self)->addKernelLoader(toView(format), toView(name), ops,
                                                                   opsSelf);
    });
  };
}

Status StagedRegistrar::addDeviceType(std::string_view type, const KilnDeviceOps *ops, void *self) {
  Status status = [&]() -> Status {
    const ManifestDevice *declared = manifest.findDevice(type);
    if (!declared)
      return invalidArgument("the manifest's \"devices\" does not declare it");
    for (const auto &other : staged.deviceTypes)
      if (other->name == type)
        return alreadyExists("registered twice");
    KILN_ASSIGN_OR_RETURN(KilnDeviceOps table, readDeviceOps(ops));
    staged.deviceTypes.push_back(
        std::make_shared<const DeviceType>(DeviceType{std::string(type), manifest.name, declared->aliases,
                                                      declared->kind, declared->priority, table, self}));
    return {};
  }();
  if (first.ok())
    first = withContext(status, "device type '{}'", type);
  return status;
}

Status StagedRegistrar::addKernelLoader(std::string_view format, std::string_view name,
                                        const KilnKernelLoaderOps *ops, void *self) {
  Status status = [&]() -> Status {
    if (format.empty() || name.empty())
      return invalidArgument("format and name must not be empty");
    for (const auto &other : staged.kernelLoaders)
      if (other->format == format && other->name == name)
        return alreadyExists("registered twice");
    KILN_ASSIGN_OR_RETURN(KilnKernelLoaderOps table, readKernelLoaderOps(ops));
    staged.kernelLoaders.push_back(std::make_shared<const KernelLoader>(
        KernelLoader{manifest.name, std::string(format), std::string(name), table, self}));
    return {};
  }();
  if (first.ok())
    first = withContext(status, "kernel loader '{}' of format '{}'", name, format);
  return status;
}

Result<std::shared_ptr<const Registrations>> StagedRegistrar::finish() {
  KILN_RETURN_IF_ERROR(first);
  for (const ManifestDevice &declared : manifest.devices) {
    bool isThere = false;
    for (const auto &type : staged.deviceTypes)
      isThere |= type->name == declared.type;
    if (!isThere)
      return failedPrecondition("device type '{}': declared in the manifest, not registered", declared.type);
  }
  return std::make_shared<const Registrations>(std::move(staged));
}

} // namespace kiln
