// KernelCompiler.cpp: a context a job, from the shared dialect registry, without threads inside.
#include "jit/KernelCompiler.h"

#include "jit/KernelObjectWriter.h"
#include "kiln/IR/Kiln.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
constexpr size_t kSymbolKeyDigits = 16; // of the key, in a kernel's symbol: unique in any process

/// A kernel's module in a context of its own.
struct LoadedKernel {
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
};

Result<LoadedKernel> loadKernel(const PipelineRegistry &registry, const KernelJob &job) {
  LoadedKernel kernel;
  kernel.context = registry.createContext();
  DiagnosticCollector diagnostics(*kernel.context);
  ParserConfig config(kernel.context.get(),
                      /*verifyAfterParse=*/false); // our own bytecode, verified after stage tensor
  kernel.module = parseSourceString<ModuleOp>(job.ir, config);
  if (!kernel.module)
    return diagnostics.toStatus(Code::DataLoss, "kernel '" + job.name + "': its IR");
  auto kernels = kernel.module->getOps<KernelOp>();
  if (!llvm::hasSingleElement(kernels))
    return invalidArgument("kernel '" + job.name + "': its IR has " +
                           Twine(std::distance(kernels.begin(), kernels.end())) + " kernels; expected one");
  KernelOp op = *kernels.begin();
  // Named after its ops and its key, not after a model: one object serves all.
  op.setName((op.getName() + "_" + StringRef(job.key).take_front(kSymbolKeyDigits)).str());
  return kernel;
}

Status runStages(const LoadedKernel &kernel, const TargetPipeline &pipeline, const Target &target, Stage last,
                 const StageTrace &trace) {
  for (size_t i = static_cast<size_t>(Stage::Tensor); i <= static_cast<size_t>(last); ++i)
    KILN_RETURN_IF_ERROR(runStage(*kernel.module, pipeline, target, static_cast<Stage>(i), trace));
  return {};
}

Result<KernelObjectBuilder> buildObject(const LoadedKernel &kernel, const TargetPipeline &pipeline,
                                        const Target &target, const KernelJob &job) {
  KILN_RETURN_IF_ERROR(runStages(kernel, pipeline, target, Stage::Emit, job.trace));
  KernelObjectBuilder object;
  DiagnosticCollector diagnostics(*kernel.context);
  uint64_t startNs = steadyNowNs();
  if (failed(pipeline.objectEmitter(*kernel.module, target, object)))
    return diagnostics.toStatus(Code::Unimplemented,
                                "'" + job.trace.unit + "', object for '" + target.deviceType + "'");
  if (job.trace.log)
    job.trace.log->add({"object", job.trace.unit, startNs, steadyNowNs()});
  if (object.format.empty() || object.symbol.empty())
    return internalError("'" + job.trace.unit + "': the object emitter of '" + target.deviceType +
                         "' gave no format or no symbol");
  return object;
}
} // namespace

Result<std::string> kiln::jit::compileKernel(const PipelineRegistry &registry, const TargetPipeline &pipeline,
                                             const Target &target, const KernelJob &job) {
  uint64_t startNs = steadyNowNs();
  KILN_ASSIGN_OR_RETURN(LoadedKernel kernel, loadKernel(registry, job));
  KILN_ASSIGN_OR_RETURN(KernelObjectBuilder object, buildObject(kernel, pipeline, target, job));
  return writeKernelObject(object, target, job.key, job.name, (steadyNowNs() - startNs) / 1000);
}

Result<std::string> kiln::jit::emitKernelStage(const PipelineRegistry &registry,
                                               const TargetPipeline &pipeline, const Target &target,
                                               const KernelJob &job, Stage last) {
  KILN_ASSIGN_OR_RETURN(LoadedKernel kernel, loadKernel(registry, job));
  KILN_RETURN_IF_ERROR(runStages(kernel, pipeline, target, last, job.trace));
  std::string text;
  llvm::raw_string_ostream(text) << *kernel.module << '\n';
  return text;
}

Result<std::string> kiln::jit::emitKernelWith(const PipelineRegistry &registry,
                                              const TargetPipeline &pipeline, const Target &target,
                                              const KernelJob &job, const Emitter &emitter) {
  KILN_ASSIGN_OR_RETURN(LoadedKernel kernel, loadKernel(registry, job));
  KILN_RETURN_IF_ERROR(runStages(kernel, pipeline, target, emitter.after, job.trace));
  std::string text;
  llvm::raw_string_ostream stream(text);
  DiagnosticCollector diagnostics(*kernel.context);
  if (failed(emitter.emit(*kernel.module, target, stream)))
    return diagnostics.toStatus(Code::Unimplemented,
                                "'" + job.trace.unit + "', emitter '" + emitter.name + "'");
  return text;
}

Result<std::string> kiln::jit::emitKernelObject(const PipelineRegistry &registry,
                                                const TargetPipeline &pipeline, const Target &target,
                                                const KernelJob &job) {
  KILN_ASSIGN_OR_RETURN(LoadedKernel kernel, loadKernel(registry, job));
  KILN_ASSIGN_OR_RETURN(KernelObjectBuilder object, buildObject(kernel, pipeline, target, job));
  return std::string(object.object.begin(), object.object.end());
}
