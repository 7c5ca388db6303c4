// CApiInstance.cpp: kiln.h: status, values, instance, devices.
#include "runtime/BackendLibrary.h"
#include "runtime/CApi.h"
#include "runtime/DType.h"

using namespace kiln;
using namespace kiln::capi;

KilnCode kiln_status_code(KilnStatus status) { return hostTable().status_code(status); }
KilnStr kiln_status_message(KilnStatus status) { return hostTable().status_message(status); }
const char *kiln_code_name(KilnCode code) { return codeName(code); }
void kiln_status_free(KilnStatus status) { hostTable().status_free(status); }

const char *kiln_version(void) { return KILN_VERSION_STRING; }
uint32_t kiln_dtype_bits(KilnDType dtype) { return dtypeBits(dtype); }
const char *kiln_dtype_name(KilnDType dtype) { return dtypeName(dtype); }

KilnStatus kiln_instance_create(const KilnInstanceOptions *callerOptions, KilnInstance **outInstance) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(outInstance, "out_instance"));
    KilnInstanceOptions given = readOptions(callerOptions);
    BackendRegistry::Options options;
    for (size_t i = 0; i < given.backend_dir_count; ++i)
      options.directories.push_back(text(given.backend_dirs[i]));
    for (size_t i = 0; i < given.package_dir_count; ++i)
      options.packageDirectories.push_back(text(given.package_dirs[i]));
    for (size_t i = 0; i < given.default_device_count; ++i)
      options.defaultDevices.push_back(text(given.default_devices[i]));
    switch (given.autoload) {
    case 0:
      break;
    case 1:
      options.autoload = AutoloadMode::On;
      break;
    case 2:
      options.autoload = AutoloadMode::Off;
      break;
    default:
      return invalidArgument("autoload: {}; expected 0, 1 or 2", given.autoload);
    }
    KILN_ASSIGN_OR_RETURN(std::shared_ptr<Instance> instance, Instance::create(options));
    *outInstance = new KilnInstance{std::move(instance)};
    return {};
  });
}

void kiln_instance_release(KilnInstance *instance) { delete instance; }

KilnStatus kiln_instance_retry_backend(KilnInstance *instance, KilnStr backend) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(instance, "instance"));
    return instance->instance->backends().retry(toView(backend));
  });
}

KilnStatus kiln_shutdown(void) {
  return guarded([]() -> Status {
    Device::forbidOpening(true);
    if (uint64_t count = Device::openCount()) {
      Device::forbidOpening(false);
      return failedPrecondition("shutdown: {} device{} open; release all sessions first", count,
                                count == 1 ? " is" : "s are");
    }
    BackendLibrary::shutdownAll();
    return {};
  });
}

KilnStatus kiln_instance_devices(KilnInstance *instance,
                                 void (*visit)(void *arg, const KilnDeviceEntry *entry), void *arg) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(instance, "instance"));
    KILN_RETURN_IF_ERROR(required(reinterpret_cast<const void *>(visit), "visit"));
    Instance &core = *instance->instance;
    KILN_ASSIGN_OR_RETURN(std::vector<DeviceChoice> choices, core.backends().devices());
    for (const DeviceChoice &choice : choices) {
      KILN_ASSIGN_OR_RETURN(DeviceDescription description, describeDevice(*choice.type, choice.ordinal));
      KilnDeviceEntry entry = {};
      entry.struct_size = sizeof(entry);
      entry.name = core.intern(choice.name());
      entry.backend = core.intern(choice.type->backend);
      entry.description = core.intern(description.name);
      entry.kind = description.kind;
      entry.computes_nothing = description.computesNothing;
      entry.simulated_time = description.simulatedTime;
      entry.memory_bytes = description.memoryBytes;
      visit(arg, &entry);
    }
    return {};
  });
}

KilnStatus kiln_instance_target(KilnInstance *instance, KilnStr device_type, KilnStr device_options,
                                KilnTargetInfo *out_target) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(instance, "instance"));
    KILN_ASSIGN_OR_RETURN(std::shared_ptr<const DeviceType> type,
                          instance->instance->backends().deviceType(toView(device_type)));
    KILN_ASSIGN_OR_RETURN(KilnTargetInfo info, targetInfo(*type, toView(device_options)));
    return writeOut(out_target, info, "out_target");
  });
}

KilnStatus kiln_instance_compile_stages(KilnInstance *instance,
                                        void (*visit)(void *arg, const KilnCompileStage *stage), void *arg) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(instance, "instance"));
    KILN_RETURN_IF_ERROR(required(reinterpret_cast<const void *>(visit), "visit"));
    const KilnCompiler *compiler = instance->instance->compiler().ifOpen();
    if (!compiler || !compiler->visit_stages)
      return {};
    struct Visitor {
      void (*visit)(void *arg, const KilnCompileStage *stage);
      void *arg;
    } visitor{visit, arg};
    return fromC(compiler->visit_stages(
        compiler->self,
        [](void *self, const KilnStageRecord *record) {
          auto &to = *static_cast<Visitor *>(self);
          KilnCompileStage stage = {sizeof(stage), record->stage, record->unit, record->start_ns,
                                    record->end_ns};
          to.visit(to.arg, &stage);
        },
        &visitor));
  });
}
