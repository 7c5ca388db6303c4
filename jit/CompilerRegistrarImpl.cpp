// CompilerRegistrarImpl.cpp: checks each registration and keeps the first error.
#include "jit/CompilerRegistrarImpl.h"

#include "jit/Diagnostics.h"

using namespace kiln;
using namespace kiln::jit;

CompilerRegistrarImpl::CompilerRegistrarImpl(const KilnHost &host, llvm::StringRef backend,
                                             llvm::StringRef version)
    : theHost(host) {
  staged.backend = backend.str();
  staged.version = version.str();
}

void CompilerRegistrarImpl::fail(Code code, const llvm::Twine &message) {
  if (first.ok())
    first = makeError(code, message);
}

// A library that was built with a later list of stages could name one that this Kiln has not.
bool CompilerRegistrarImpl::checkStage(llvm::StringRef target, Stage stage) {
  if (static_cast<size_t>(stage) < kStageCount)
    return true;
  fail(Code::OutOfRange, "target '" + target + "': stage " + llvm::Twine(static_cast<size_t>(stage)) +
                             "; expected a number below " + llvm::Twine(kStageCount));
  return false;
}

void CompilerRegistrarImpl::addStage(llvm::StringRef target, Stage stage, StageBuilder builder) {
  if (!checkStage(target, stage))
    return;
  std::string what = ("stage '" + stageName(stage) + "' of target '" + target + "': ").str();
  if (!builder)
    return fail(Code::InvalidArgument, what + "no builder; expected a function that adds passes");
  StageBuilder &slot = staged.targets[target.str()].stages[static_cast<size_t>(stage)];
  if (slot)
    return fail(Code::AlreadyExists, what + "added twice; expected one builder a stage");
  slot = std::move(builder);
}

void CompilerRegistrarImpl::extendStage(llvm::StringRef target, Stage stage, bool after,
                                        StageBuilder builder) {
  if (!checkStage(target, stage))
    return;
  if (!builder)
    return fail(Code::InvalidArgument, "extension of stage '" + stageName(stage) + "' of target '" + target +
                                           "': no builder; expected a function that adds passes");
  staged.insertions.push_back({staged.backend, target.str(), stage, after, std::move(builder)});
}

void CompilerRegistrarImpl::setObjectEmitter(llvm::StringRef target, ObjectEmitter emitter) {
  ObjectEmitter &slot = staged.targets[target.str()].objectEmitter;
  if (slot)
    return fail(Code::AlreadyExists, "object emitter of target '" + target + "': set twice");
  slot = std::move(emitter);
}

void CompilerRegistrarImpl::addEmitter(llvm::StringRef target, Emitter emitter) {
  std::string what = "emitter '" + emitter.name + "' of target '" + target.str() + "': ";
  if (!emitter.emit)
    return fail(Code::InvalidArgument, what + "no function; expected one that prints");
  std::vector<Emitter> &emitters = staged.targets[target.str()].emitters;
  if (parseStage(emitter.name) || emitter.name == "object")
    return fail(Code::InvalidArgument,
                what + "a stage or Kiln's own emitter has this name; expected another");
  if (llvm::any_of(emitters, [&](const Emitter &known) { return known.name == emitter.name; }))
    return fail(Code::AlreadyExists, what + "added twice");
  emitters.push_back(std::move(emitter));
}

void CompilerRegistrarImpl::addPass(PassFactory factory) {
  if (!factory)
    return fail(Code::InvalidArgument, "pass: no factory; expected a function that makes the pass");
  staged.passes.push_back(std::move(factory));
}

void CompilerRegistrarImpl::addKernelLoader(llvm::StringRef format, llvm::StringRef loader,
                                            const KilnKernelLoaderOps &ops, void *self) {
  std::string what = ("kernel loader '" + loader + "' of format '" + format + "': ").str();
  if (llvm::any_of(loaders, [&](const LoaderRegistration &known) {
        return known.format == format && known.loader == loader;
      }))
    return fail(Code::AlreadyExists, what + "added twice");
  loaders.push_back({format.str(), loader.str(), &ops, self});
}
