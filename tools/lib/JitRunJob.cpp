// JitRunJob.cpp: flags to the C API's options.
#include "tools/lib/JitRunJob.h"

#include "tools/lib/RunCases.h"

#include <fmt/format.h>

namespace kiln::tools {

Status JitRunJob::openInstance() {
  KilnInstance *opened = nullptr;
  KILN_RETURN_IF_ERROR(take(kiln_instance_create(nullptr, &opened)));
  instance.reset(opened);
  return {};
}

Result<SessionHandle> JitRunJob::openSession(const std::string &device, bool mustCompute) {
  auto options = sized<KilnSessionOptions>();
  // Options are the device's own: those of --device mean nothing to the reference.
  std::string deviceOptions = mustCompute ? "" : flags.text("device-options");
  std::string dumpDir = mustCompute ? "" : flags.text("dump-stages");
  options.device = toStr(device);
  options.device_options = toStr(deviceOptions);
  options.dump_dir = toStr(dumpDir);
  options.threads = static_cast<uint32_t>(flags.count("threads"));
  options.memory_limit_bytes = flags.count("memory-limit") << 20;
  KilnSession *opened = nullptr;
  KILN_RETURN_IF_ERROR(take(kiln_session_open(instance.get(), &options, &opened)));
  SessionHandle handle(opened);
  if (!mustCompute)
    return handle;
  struct Search {
    std::string_view name;
    bool computesNothing = false;
  } search{toView(kiln_session_device(opened))};
  KILN_RETURN_IF_ERROR(take(kiln_instance_devices(
      instance.get(),
      [](void *arg, const KilnDeviceEntry *entry) {
        auto &search = *static_cast<Search *>(arg);
        if (toView(entry->name) == search.name)
          search.computesNothing = entry->computes_nothing != 0;
      },
      &search)));
  if (search.computesNothing)
    return Status(
        Code::InvalidArgument,
        fmt::format("--reference: device '{}' computes nothing; expected one that does", search.name));
  return handle;
}

Status JitRunJob::loadModel(const std::string &path) {
  auto options = sized<KilnModelOptions>();
  std::string function = flags.text("function");
  options.function = toStr(function);
  if (flags.given("precision"))
    options.precision = flags.text("precision") == "f16" ? KILN_F16 : KILN_BF16;
  KilnModel *loaded = nullptr;
  KILN_RETURN_IF_ERROR(take(kiln_model_load_file(instance.get(), toStr(path), &options, &loaded)));
  model.reset(loaded);
  return {};
}

Result<RunHandle> JitRunJob::run(KilnSession *on, const std::vector<KilnTensor> &inputs, bool profile) {
  auto options = sized<KilnRunOptions>();
  options.timeout_ns = static_cast<uint64_t>(flags.number("timeout") * 1e9);
  options.precompile = 1;
  options.profile = !profile ? 0 : flags.given("trace") ? 2 : 1;
  KilnRun *result = nullptr;
  KILN_RETURN_IF_ERROR(
      take(kiln_session_run(on, model.get(), inputs.data(), inputs.size(), &options, &result)));
  return RunHandle(result);
}

Result<std::vector<HostTensor>> readOutputs(KilnRun *run) {
  std::vector<HostTensor> outputs;
  for (size_t i = 0, n = kiln_run_output_count(run); i < n; ++i) {
    auto tensor = sized<KilnTensor>();
    KILN_RETURN_IF_ERROR(take(kiln_run_output(run, i, &tensor)));
    outputs.push_back(copyTensor(tensor));
  }
  return outputs;
}

} // namespace kiln::tools
