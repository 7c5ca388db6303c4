// Precompile.cpp: what was asked for and the dynamic variant, each with all its kernels.
#include "runtime/Precompile.h"

#include "runtime/Error.h"
#include "runtime/Log.h"
#include "runtime/ParallelFor.h"
#include "runtime/ProgramStore.h"

#include "kiln/schema/Program_generated.h"

#include <algorithm>
#include <mutex>

namespace kiln {

namespace {

// The extents with every one open that the model declares dynamic; 1 may mean broadcasting and stays.
InputDims openPattern(const Model &model, InputDims dims) {
  for (size_t i = 0; i < dims.size(); ++i)
    for (size_t axis = 0; axis < dims[i].size(); ++axis)
      if (model.inputs()[i].dims[axis] < 0 && dims[i][axis] != 1)
        dims[i][axis] = -1;
  return dims;
}

bool isOpen(const InputDims &dims) {
  return std::ranges::any_of(
      dims, [](const auto &extents) { return std::ranges::find(extents, -1) != extents.end(); });
}

/// Runs prologues where the target's device is there, so that whoever runs the bundle need not.
class Packer {
public:
  Packer(Instance &instance, const DeviceType &type, const CompileSettings &settings,
         const std::string &deviceOptions) {
    Result<std::shared_ptr<Device>> opened = Device::open(type, {.options = deviceOptions});
    Result<std::unique_ptr<Queue>> made =
        opened.ok() ? (*opened)->createQueue() : Result<std::unique_ptr<Queue>>(opened.status());
    if (!made.ok()) {
      logInfo("cache", "bundle: weights for '{}' are packed at each start: {}", type.name,
              made.status().message());
      return;
    }
    queue = *std::move(made);
    store = std::make_unique<DeviceStore>(instance, *opened, settings);
    programs = std::make_unique<ProgramStore>(instance, *store, *queue);
  }

  /// Nothing where the device is absent, or lacks what the kernels need.
  std::vector<PackedBytes> pack(const ModelRef &model, const ProgramFile &program, const InputDims &dims) {
    if (!programs || !prologueLaunches(program))
      return {};
    Result<LoadedProgramRef> loaded = programs->find(model, dims, /*compileAll=*/false);
    Result<std::vector<PackedBytes>> packed = loaded.ok() ? (*loaded)->interpreter->packedBytes()
                                                          : Result<std::vector<PackedBytes>>(loaded.status());
    if (packed.ok())
      return *std::move(packed);
    logInfo("cache", "bundle: weights of '{}' are packed at each start: {}", model->name(),
            packed.status().message());
    return {};
  }

private:
  std::unique_ptr<Queue> queue;
  std::unique_ptr<DeviceStore> store;
  std::unique_ptr<ProgramStore> programs;
};

Status compileKernels(TargetCompiler &compiler, const ModelRef &model, const ProgramFile &program,
                      const InputDims &pattern, const PrecompileOptions &options, Packer *packer) {
  size_t count = program.verifiedProgram().embeddedKernels.size(), done = 0;
  std::vector<CompiledKernelRef> kernels(count);
  std::mutex mutex;
  KILN_RETURN_IF_ERROR(parallelFor(count, 0, [&](size_t i) -> Status {
    KILN_ASSIGN_OR_RETURN(kernels[i], compiler.kernel(program, static_cast<uint32_t>(i)));
    std::scoped_lock lock(mutex);
    ++done;
    if (options.progress)
      options.progress(done, count);
    return {};
  }));
  if (!options.bundle)
    return {};
  std::vector<OwnedBytes> held;
  ConstantLookup weights = [&](std::string_view digest) -> Result<ByteSpan> {
    KILN_ASSIGN_OR_RETURN(OwnedBytes bytes, model->weight(digest, pattern));
    return held.emplace_back(std::move(bytes)).bytes;
  };
  std::vector<PackedBytes> packed = packer->pack(model, program, pattern);
  return options.bundle->add({compiler.settings().target, program, pattern, kernels, weights, packed});
}

} // namespace

Status precompile(Instance &instance, const ModelRef &shared, const InputDims &dims,
                  const PrecompileOptions &options) {
  const Model &model = *shared;
  if (model.programFile() || model.bundle())
    return invalidArgument("model '{}': compiled already; expected a model", model.name());
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<const DeviceType> type,
                        instance.backends().deviceType(options.deviceType));
  KILN_RETURN_IF_ERROR(instance.backends().checkOptions(type->backend, options.deviceOptions));
  CompileSettings settings;
  KILN_ASSIGN_OR_RETURN(settings.target, targetOf(*type, options.deviceOptions));
  settings.backend = type->backend;
  settings.deviceOptions = options.deviceOptions;
  settings.dumpDir = options.dumpDir;
  std::optional<Packer> packer;
  if (options.bundle)
    packer.emplace(instance, *type, settings, options.deviceOptions);
  TargetCompiler compiler(instance, std::move(settings));
  KILN_ASSIGN_OR_RETURN(ProgramFileRef asked, compiler.program(model, dims));
  KILN_RETURN_IF_ERROR(compileKernels(compiler, shared, *asked, dims, options, packer ? &*packer : nullptr));
  InputDims pattern = openPattern(model, dims);
  if (pattern == dims || isOpen(dims))
    return {};
  Result<ProgramFileRef> dynamic = compiler.program(model, pattern);
  if (!dynamic.ok() && dynamic.status().code() == Code::Unimplemented) {
    logInfo("session", "model '{}': no program for dynamic extents: {}", model.name(),
            dynamic.status().message());
    return {};
  }
  KILN_RETURN_IF_ERROR(dynamic.status());
  Status status = compileKernels(compiler, shared, **dynamic, pattern, options, packer ? &*packer : nullptr);
  if (status.code() != Code::Unimplemented)
    return status;
  logInfo("session", "model '{}': no kernels for dynamic extents: {}", model.name(), status.message());
  return {};
}

} // namespace kiln
