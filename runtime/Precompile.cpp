// Precompile.cpp: exact and dynamic variant, each with all its kernels.
#include "runtime/Precompile.h"

#include "runtime/Device.h"
#include "runtime/Error.h"
#include "runtime/Log.h"
#include "runtime/ParallelFor.h"

#include "kiln/schema/Program_generated.h"

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

Status compileKernels(TargetCompiler &compiler, const Model &model, const ProgramFile &program,
                      const InputDims &pattern, const PrecompileOptions &options) {
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
  return options.bundle->add(compiler.settings().target, program, pattern, kernels,
                             [&](std::string_view digest) -> Result<ByteSpan> {
                               KILN_ASSIGN_OR_RETURN(OwnedBytes bytes, model.weight(digest, pattern));
                               return held.emplace_back(std::move(bytes)).bytes;
                             });
}

} // namespace

Status precompile(Instance &instance, const Model &model, const InputDims &dims,
                  const PrecompileOptions &options) {
  if (model.programFile() || model.bundle())
    return invalidArgument("model '{}': compiled already; expected a model", model.name());
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<const DeviceType> type,
                        instance.backends().deviceType(options.deviceType));
  KILN_RETURN_IF_ERROR(instance.backends().checkOptions(type->backend, options.deviceOptions));
  CompileSettings settings;
  KILN_ASSIGN_OR_RETURN(settings.target, targetOf(*type, options.deviceOptions));
  settings.backend = type->backend;
  TargetCompiler compiler(instance, std::move(settings));
  KILN_ASSIGN_OR_RETURN(ProgramFileRef exact, compiler.program(model, dims));
  KILN_RETURN_IF_ERROR(compileKernels(compiler, model, *exact, dims, options));
  InputDims pattern = openPattern(model, dims);
  if (pattern == dims)
    return {};
  Result<ProgramFileRef> dynamic = compiler.program(model, pattern);
  if (!dynamic.ok() && dynamic.status().code() == Code::Unimplemented) {
    logInfo("session", "model '{}': no program for dynamic extents: {}", model.name(),
            dynamic.status().message());
    return {};
  }
  KILN_RETURN_IF_ERROR(dynamic.status());
  Status status = compileKernels(compiler, model, **dynamic, pattern, options);
  if (status.code() != Code::Unimplemented)
    return status;
  logInfo("session", "model '{}': no kernels for dynamic extents: {}", model.name(), status.message());
  return {};
}

} // namespace kiln
