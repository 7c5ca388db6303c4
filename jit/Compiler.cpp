// Compiler.cpp: finds the target's pipeline and hands over to ProgramBuilder and KernelCompiler.
#include "jit/Compiler.h"

#include "jit/Diagnostics.h"
#include "jit/KernelCompiler.h"
#include "jit/Passes.h"
#include "jit/ProgramWriter.h"
#include "kiln/IR/Kiln.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
DialectRegistry baseDialects() {
  DialectRegistry registry;
  registry.insert<KilnDialect, func::FuncDialect, arith::ArithDialect, tensor::TensorDialect, scf::SCFDialect,
                  cf::ControlFlowDialect>();
  return registry;
}

InputShapes shapesOf(const KilnProgramArgs &args) {
  InputShapes shapes;
  const int64_t *dims = args.dims;
  for (size_t i = 0; i < args.input_count; ++i) {
    shapes.emplace_back(dims, dims + args.ranks[i]);
    dims += args.ranks[i];
  }
  return shapes;
}

/// Names of passes in a pipeline's text: words that a '(' does not follow.
std::vector<std::string> passNames(StringRef text) {
  std::vector<std::string> names;
  std::string word;
  int braces = 0; // options stand in braces
  for (char c : text) {
    if (c == '{')
      ++braces;
    if (braces == 0 && (isalnum(c) || c == '-' || c == '_' || c == '.')) {
      word += c;
      continue;
    }
    if (c == '}')
      --braces;
    if (!word.empty() && c != '(')
      names.push_back(word);
    word.clear();
  }
  return names;
}

/// The objects of several kernels as one `ar` archive.
Result<std::string> archive(const std::vector<std::pair<std::string, std::string>> &objects) {
  std::vector<llvm::NewArchiveMember> members;
  for (const auto &[name, bytes] : objects)
    members.emplace_back(llvm::MemoryBufferRef(bytes, name));
  auto buffer =
      llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NoSymtab, llvm::object::Archive::K_GNU,
                                 /*Deterministic=*/true, /*Thin=*/false);
  if (!buffer)
    return internalError("archive of kernel objects: " + llvm::toString(buffer.takeError()));
  return (*buffer)->getBuffer().str();
}
} // namespace

Compiler::Compiler(const KilnCompilerHost &host)
    : host(host), theRegistry(baseDialects()), theBackends(this->host, theRegistry),
      theImporters(this->host, theRegistry) {}

Result<std::unique_ptr<Compiler>> Compiler::create(const KilnCompilerHost &host) {
  BuildIds ids = loadedBuildIds();
  KILN_RETURN_IF_ERROR(verifyBuildIds(ids));
  std::unique_ptr<Compiler> compiler(new Compiler(host));
  compiler->theVersion = ids.text();
  size_t count = 0;
  host.host->runtime_symbols(host.host->self, &count, &compiler->runtimeSymbolsVersion);
  for (const PassFactory &factory : ownPasses()) {
    KILN_ASSIGN_OR_RETURN(RegisteredPass pass, registerPassOnce("", factory));
    compiler->own.push_back(std::move(pass));
  }
  return compiler;
}

TargetKey Compiler::targetKey(const TargetPipeline &pipeline, const Target &target) {
  TargetKey key;
  key.pipeline = pipelineText(pipeline, target, Stage::Tensor, Stage::Emit);
  key.triple = target.triple;
  key.arch = target.arch;
  key.features = target.featureString();
  key.options = target.optionString();
  key.backend = pipeline.backend;
  key.producers = theRegistry.producers(target.deviceType);
  key.buildIds = theVersion;
  key.runtimeSymbolsVersion = runtimeSymbolsVersion;
  return key;
}

Result<std::string> Compiler::buildProgram(Model &model, const KilnProgramArgs &args) {
  Target target = Target::fromC(args.target);
  KILN_ASSIGN_OR_RETURN(auto pipeline, theBackends.pipeline(target));
  KILN_ASSIGN_OR_RETURN(auto lock, lockModel(model, model.mutex));
  return jit::buildProgram(model, shapesOf(args), *pipeline, target, targetKey(*pipeline, target),
                           {&log, "main", std::string(toView(args.dump_dir))});
}

Result<std::string> Compiler::compileKernel(const KilnKernelArgs &args) {
  Target target = Target::fromC(args.target);
  KILN_ASSIGN_OR_RETURN(auto pipeline, theBackends.pipeline(target));
  KernelJob job{std::string(toView(args.key)),
                std::string(toView(args.name)),
                StringRef(static_cast<const char *>(args.ir), args.ir_bytes),
                {&log, std::string(toView(args.name)), std::string(toView(args.dump_dir))}};
  return jit::compileKernel(theRegistry, *pipeline, target, job);
}

Result<std::string> Compiler::emit(Model &model, const KilnProgramArgs &args, StringRef what) {
  Target target = Target::fromC(args.target);
  KILN_ASSIGN_OR_RETURN(auto pipeline, theBackends.pipeline(target));
  std::optional<Stage> stage = parseStage(what);
  bool isEmitter =
      what == "object" || llvm::any_of(pipeline->emitters, [&](const Emitter &e) { return e.name == what; });
  if (!stage && !isEmitter) {
    std::string known = "graph, form, tensor, tile, buffer, lower, emit, object";
    for (const Emitter &emitter : pipeline->emitters)
      known += ", " + emitter.name;
    return invalidArgument("'" + what + "' is no stage or emitter of '" + target.deviceType +
                           "'; expected one of " + known);
  }
  KILN_ASSIGN_OR_RETURN(auto lock, lockModel(model, model.mutex));
  bool graphOnly = stage && *stage == Stage::Graph;
  KILN_ASSIGN_OR_RETURN(OwningOpRef<ModuleOp> module,
                        buildModule(model, shapesOf(args), *pipeline, target,
                                    graphOnly ? Stage::Graph : Stage::Form,
                                    {&log, "main", std::string(toView(args.dump_dir))}));
  if (!stage || *stage > Stage::Form)
    return emitKernels(*module, *pipeline, target, args, what);
  std::string text;
  llvm::raw_string_ostream(text) << *module << '\n';
  return text;
}

Result<std::string> Compiler::emitKernels(ModuleOp module, const TargetPipeline &pipeline,
                                          const Target &target, const KilnProgramArgs &args, StringRef what) {
  std::optional<Stage> stage = parseStage(what);
  auto emitter = llvm::find_if(pipeline.emitters, [&](const Emitter &e) { return e.name == what; });
  TargetKey key = targetKey(pipeline, target);
  std::vector<std::pair<std::string, std::string>> objects;
  std::string text;
  for (auto kernel : module.getOps<KernelOp>()) {
    OwningOpRef<ModuleOp> alone = kernelModule(kernel);
    std::string ir;
    llvm::raw_string_ostream stream(ir);
    (void)writeBytecodeToFile(*alone, stream, BytecodeWriterConfig("kiln"));
    std::string name = kernel.getName().str();
    KernelJob job{kernelKey(canonicalKernelText(*alone), key).hex,
                  name,
                  ir,
                  {&log, name, std::string(toView(args.dump_dir))}};
    if (what == "object") {
      KILN_ASSIGN_OR_RETURN(std::string object, emitKernelObject(theRegistry, pipeline, target, job));
      objects.emplace_back(name + ".o", std::move(object));
      continue;
    }
    auto part = stage ? emitKernelStage(theRegistry, pipeline, target, job, *stage)
                      : emitKernelWith(theRegistry, pipeline, target, job, *emitter);
    if (!part.ok())
      return part.status();
    text += *part;
  }
  if (what != "object")
    return text;
  return objects.size() == 1 ? Result<std::string>(objects.front().second) : archive(objects);
}

Status Compiler::visitPasses(llvm::function_ref<void(const KilnPassEntry &)> visit) {
  auto failed = [&](StringRef backend, const Status &status) {
    host.host->log(host.host->self, KILN_LOG_WARN, toStr("compiler"),
                   toStr("backend '" + backend.str() + "' is left out: " + status.message()));
  };
  KILN_RETURN_IF_ERROR(theBackends.loadAll(failed));
  auto report = [&](StringRef backend, StringRef target, StringRef stage, StringRef pass, StringRef summary) {
    visit({toStr(backend), toStr(target), toStr(stage), toStr(pass), toStr(summary)});
  };
  auto summaryOf = [](StringRef pass) {
    const PassInfo *info = PassInfo::lookup(pass);
    return info ? info->getPassDescription() : StringRef();
  };
  std::set<std::string> staged; // shown with their stage
  for (const std::string &name : theRegistry.targets()) {
    auto pipeline = theRegistry.find(name);
    KilnCompileTarget described = {};
    described.struct_size = sizeof(described);
    Status status = Status::fromC(*host.host, host.target(host.self, toStr(name), KilnStr{}, &described));
    if (!status.ok()) {
      failed(pipeline->backend, status);
      continue;
    }
    Target target = Target::fromC(described);
    for (size_t i = 0; i < kStageCount; ++i) {
      Stage stage = static_cast<Stage>(i);
      for (const std::string &pass :
           passNames(pipelineText(*pipeline, target, stage, stage).substr(stageName(stage).size()))) {
        report(pipeline->stages[i] ? pipeline->backend : std::string(), name, stageName(stage), pass,
               summaryOf(pass));
        staged.insert(pass);
      }
    }
  }
  for (const std::vector<RegisteredPass> &list : {own, theRegistry.passes()})
    for (const RegisteredPass &pass : list)
      if (!staged.count(pass.argument))
        report(pass.backend, "", "", pass.argument, pass.summary);
  return {};
}
