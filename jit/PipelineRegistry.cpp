// PipelineRegistry.cpp: checks and publishes backends' registrations. Pipelines are assembled anew at each
// commit, so that readers share immutable ones.
#include "jit/PipelineRegistry.h"

#include "jit/Diagnostics.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"

#include <mutex>
#include <set>

using namespace kiln;
using namespace kiln::jit;

namespace {
constexpr Stage kRequiredStages[] = {Stage::Tensor, Stage::Tile, Stage::Buffer, Stage::Lower, Stage::Emit};

// MLIR's pass registry is one map for the process, without a lock, and ends the process if an argument means
// two passes.
struct KnownPasses {
  std::mutex mutex;
  std::map<std::string, mlir::TypeID> byArgument;
};
KnownPasses &knownPasses() {
  static KnownPasses passes;
  return passes;
}

mlir::TypeID typeIdOf(const mlir::PassInfo &info) {
  mlir::OpPassManager pm; // of any op
  auto ignore = [](const llvm::Twine &) { return mlir::failure(); };
  return mlir::succeeded(info.addToPipeline(pm, "", ignore)) && pm.size() == 1 ? pm.begin()->getTypeID()
                                                                               : mlir::TypeID();
}

mlir::TypeID dialectId(const mlir::DialectRegistry &dialects, llvm::StringRef name) {
  mlir::MLIRContext context(dialects, mlir::MLIRContext::Threading::DISABLED);
  mlir::Dialect *dialect = context.getOrLoadDialect(name);
  return dialect ? dialect->getTypeID() : mlir::TypeID();
}
} // namespace

Result<RegisteredPass> kiln::jit::registerPassOnce(llvm::StringRef backend, const PassFactory &factory) {
  std::unique_ptr<mlir::Pass> pass = factory();
  if (!pass)
    return invalidArgument("pass: its factory gave none");
  std::string argument = pass->getArgument().str(), description = pass->getDescription().str();
  if (argument.empty())
    return invalidArgument("pass '" + pass->getName() +
                           "': no argument; expected one, as in 'kiln-fold-transpose'");
  KnownPasses &known = knownPasses();
  std::lock_guard lock(known.mutex);
  auto [it, isNew] = known.byArgument.try_emplace(argument, pass->getTypeID());
  const mlir::PassInfo *info = mlir::PassInfo::lookup(argument);
  if (it->second != pass->getTypeID() || (isNew && info && typeIdOf(*info) != pass->getTypeID()))
    return makeError(Code::AlreadyExists, "pass '" + argument + "': another pass has this argument");
  if (!info) {
    // registerPass makes a pass to see its argument: it gets this one, so that no factory runs under the
    // lock.
    auto first = std::make_shared<std::unique_ptr<mlir::Pass>>(std::move(pass));
    mlir::registerPass([first, factory] { return *first ? std::move(*first) : factory(); });
    return RegisteredPass{backend.str(), argument, description};
  }
  return RegisteredPass{backend.str(), argument, description};
}

PipelineRegistry::PipelineRegistry(mlir::DialectRegistry dialects) : dialects(std::move(dialects)) {}

Status PipelineRegistry::check(const BackendRegistrations &registrations) const {
  if (versions.count(registrations.backend))
    return makeError(Code::AlreadyExists, "backend '" + registrations.backend + "': registered already");
  for (const auto &[name, pipeline] : registrations.targets) {
    std::string target = "backend '" + registrations.backend + "': target '" + name + "': ";
    if (auto it = own.find(name); it != own.end())
      return makeError(Code::AlreadyExists,
                       target + "backend '" + it->second.backend + "' has registered it");
    for (Stage stage : kRequiredStages)
      if (!pipeline.stages[static_cast<size_t>(stage)])
        return failedPrecondition(target + "nothing for stage '" + stageName(stage) +
                                  "'; expected passes for tensor, tile, buffer, lower and emit");
    if (!pipeline.objectEmitter)
      return failedPrecondition(target + "no object emitter; expected setObjectEmitter");
  }
  return checkDialects(registrations);
}

// MLIR ends the process where one name means two dialects. A clash with Kiln's own is met by the preflight;
// two backends that are sound each for itself meet here first.
Status PipelineRegistry::checkDialects(const BackendRegistrations &registrations) const {
  for (llvm::StringRef name : registrations.dialects.getDialectNames()) {
    auto owner = dialectOwners.find(std::string_view(name));
    if (owner != dialectOwners.end() && dialectId(registrations.dialects, name) != dialectId(dialects, name))
      return makeError(Code::AlreadyExists, "backend '" + registrations.backend + "': dialect '" + name +
                                                "': backend '" + owner->second +
                                                "' has another of this name");
  }
  return {};
}

Status PipelineRegistry::validate(const BackendRegistrations &registrations) const {
  std::shared_lock lock(mutex);
  return check(registrations);
}

Status PipelineRegistry::commit(BackendRegistrations registrations) {
  KILN_RETURN_IF_ERROR(validate(registrations)); // before any pass is known to the process
  std::vector<RegisteredPass> passes;
  for (const PassFactory &factory : registrations.passes) {
    auto pass = registerPassOnce(registrations.backend, factory);
    if (!pass.ok())
      return makeError(pass.status().code(),
                       "backend '" + registrations.backend + "': " + pass.status().message());
    passes.push_back(std::move(*pass));
  }
  std::unique_lock lock(mutex);
  KILN_RETURN_IF_ERROR(check(registrations));
  versions[registrations.backend] = registrations.version + " (" + registrations.buildIds + ")";
  for (llvm::StringRef name : registrations.dialects.getDialectNames())
    if (!dialects.getDialectAllocator(name))
      dialectOwners[name.str()] = registrations.backend;
  registrations.dialects.appendTo(dialects);
  llvm::append_range(allPasses, passes);
  std::vector<std::string> changed;
  for (auto &[name, pipeline] : registrations.targets) {
    pipeline.backend = registrations.backend;
    own[name] = std::move(pipeline);
    changed.push_back(name);
  }
  for (StageInsertion &insertion : registrations.insertions) {
    changed.push_back(insertion.target);
    // By backend, not by the order of loading: the pipeline's text is part of every kernel's key.
    auto byBackend = [](const StageInsertion &a, const StageInsertion &b) { return a.backend < b.backend; };
    insertions.insert(std::upper_bound(insertions.begin(), insertions.end(), insertion, byBackend),
                      insertion);
  }
  for (const std::string &target : changed)
    assemble(target);
  return {};
}

void PipelineRegistry::assemble(llvm::StringRef target) {
  auto it = own.find(std::string_view(target));
  if (it == own.end())
    return; // extends a target whose backend comes later
  TargetPipeline pipeline = it->second;
  for (const StageInsertion &insertion : insertions)
    if (insertion.target == target)
      (insertion.after ? pipeline.after : pipeline.before)[static_cast<size_t>(insertion.stage)].push_back(
          insertion.builder);
  assembled[target.str()] = std::make_shared<const TargetPipeline>(std::move(pipeline));
}

std::shared_ptr<const TargetPipeline> PipelineRegistry::find(llvm::StringRef target) const {
  std::shared_lock lock(mutex);
  auto it = assembled.find(std::string_view(target));
  return it == assembled.end() ? nullptr : it->second;
}

std::vector<std::string> PipelineRegistry::targets() const {
  std::shared_lock lock(mutex);
  std::vector<std::string> names;
  for (const auto &[name, pipeline] : own)
    names.push_back(name);
  return names;
}

std::vector<RegisteredPass> PipelineRegistry::passes() const {
  std::shared_lock lock(mutex);
  return allPasses;
}

std::string PipelineRegistry::producers(llvm::StringRef target) const {
  std::shared_lock lock(mutex);
  auto it = own.find(std::string_view(target));
  if (it == own.end())
    return {};
  std::set<std::string> backends;
  for (const StageInsertion &insertion : insertions)
    if (insertion.target == target)
      backends.insert(insertion.backend);
  std::string text = it->second.backend + " " + versions.at(it->second.backend);
  for (const std::string &backend : backends)
    text += "; " + backend + " " + versions.at(backend);
  return text;
}

std::unique_ptr<mlir::MLIRContext> PipelineRegistry::createContext() const {
  std::shared_lock lock(mutex);
  return std::make_unique<mlir::MLIRContext>(dialects, mlir::MLIRContext::Threading::DISABLED);
}

void PipelineRegistry::appendDialects(mlir::DialectRegistry &registry) const {
  std::shared_lock lock(mutex);
  dialects.appendTo(registry);
}
