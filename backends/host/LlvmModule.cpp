// LlvmModule.cpp: translation, the short LLVM pipeline (the code is vectorized already), code generation.
#include "backends/host/LlvmModule.h"

#include "backends/host/Target.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

using namespace mlir;

namespace kiln::host {
namespace {

void initializeX86() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}

/// A CPU name only chooses the scheduling model; what may be used is said by the features.
StringRef cpuName(const jit::Target &target) {
  return StringRef(target.arch).starts_with("x86-64") ? StringRef(target.arch) : StringRef("x86-64");
}

} // namespace

FailureOr<std::unique_ptr<LlvmModule>> LlvmModule::create(ModuleOp source, const jit::Target &target) {
  initializeX86();
  std::unique_ptr<LlvmModule> result(new LlvmModule(source.getLoc()));
  std::string error;
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget(target.triple, error);
  if (!llvmTarget || !llvm::Triple(target.triple).isX86())
    return emitError(result->loc) << "target '" << target.triple
                                  << "': " << (error.empty() ? "not x86" : error)
                                  << "; the host backend compiles for x86-64";
  llvm::TargetOptions options;
  options.UnsafeFPMath = false; // multiply-adds are formed where `contract` says so
  result->machine.reset(llvmTarget->createTargetMachine(
      target.triple, cpuName(target), target.featureString(), options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  result->module = translateModuleToLLVMIR(source, result->context, "kernel");
  if (!result->module)
    return emitError(result->loc) << "kernel has no LLVM form";
  result->module->setTargetTriple(target.triple);
  result->module->setDataLayout(result->machine->createDataLayout());
  result->module->setPICLevel(llvm::PICLevel::BigPIC);
  result->prepareFunctions(target);
  result->optimise();
  return result;
}

void LlvmModule::prepareFunctions(const jit::Target &target) {
  std::string width = std::to_string(HostTarget::from(target).vectorBits);
  for (llvm::Function &function : *module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("target-cpu", cpuName(target));
    function.addFnAttr("target-features", target.featureString());
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (function.hasInternalLinkage())
      function.addFnAttr(llvm::Attribute::NoInline); // its noalias arguments would be lost
  }
}

void LlvmModule::optimise() {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cgscc;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cgscc);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cgscc, modules);

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(
      llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function &function : *module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

LogicalResult LlvmModule::generate(llvm::CodeGenFileType type, SmallVectorImpl<char> &out) {
  llvm::raw_svector_ostream os(out);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr, type, /*DisableVerify=*/true))
    return emitError(loc) << "target machine cannot emit this kind of file";
  passes.run(*module);
  return success();
}

} // namespace kiln::host
