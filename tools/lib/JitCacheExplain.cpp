// JitCacheExplain.cpp: jit-cache explain: of an entry, why it was made; of a model, what a run would not
// find.
#include "runtime/CApi.h"
#include "runtime/TargetCompiler.h"
#include "runtime/cache/Explain.h"
#include "tools/lib/JitCache.h"
#include "tools/lib/JitRunCompile.h"
#include "tools/lib/RunCases.h"
#include "tools/lib/ToolMain.h"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

namespace kiln::tools {
namespace {

using Json = nlohmann::ordered_json;

/// What was looked for, for one device and set of shapes.
struct LookedUp {
  std::string device, shapes;
  std::string program; // "exact", "dynamic", "missing"
  size_t kernels = 0, kernelsThere = 0;
  std::string problem; // why no more can be said
  std::vector<CacheStack::Miss> missing;
};

Result<int> explainEntry(const CacheContext &context) {
  KILN_ASSIGN_OR_RETURN(KnownEntry known, entryByKey(context, context.operands[0]));
  if (!known.problem.empty())
    return dataLoss("entry {}: {}", known.path, known.problem);
  if (known.entry.info.fields.empty())
    return invalidArgument("entry {}: a {}; its key has no fields", known.path,
                           entryKindName(known.entry.kind));
  KILN_ASSIGN_OR_RETURN(std::vector<KnownEntry> entries, knownEntries(context));
  const KnownEntry *nearest = nullptr;
  std::vector<std::string> differing;
  for (const KnownEntry &other : entries) {
    if (other.path == known.path || !other.problem.empty() || other.entry.kind != known.entry.kind ||
        other.path.substr(0, other.path.find('/')) != known.path.substr(0, known.path.find('/')))
      continue;
    std::vector<std::string> tags = differingTags(known.entry.info.fields, other.entry.info.fields);
    if (!nearest || keyDistance(tags) < keyDistance(differing))
      nearest = &other, differing = std::move(tags);
  }
  if (context.wantsJson()) {
    Json json = {{"entry", cacheEntryJson(known)}, {"differs_in", differing}};
    json["nearest"] = nearest ? cacheEntryJson(*nearest) : Json();
    printCacheJson(json, context.out);
  } else if (!nearest) {
    context.out << fmt::format("{}: there is no other {} for its device\n", known.path,
                               entryKindName(known.entry.kind));
  } else {
    context.out << fmt::format("{} '{}' ({}) was made although there is '{}' ({}): their keys differ in {}\n",
                               entryKindName(known.entry.kind), known.entry.info.name,
                               shortKey(known.entry.key), nearest->entry.info.name,
                               shortKey(nearest->entry.key), fmt::join(differing, ", "));
  }
  return kYes;
}

std::string shapesText(const InputDims &dims) {
  std::string text;
  for (const std::vector<int64_t> &input : dims)
    text += (text.empty() ? "" : ", ") + shapeText(input);
  return text;
}

/// The extents of all inputs in run `run` of the --shape flags.
Result<InputDims> dimsOfRun(KilnModel &model, const ShapeFlags &shapes, size_t run) {
  InputDims dims;
  for (size_t i = 0; i < kiln_model_input_count(&model); ++i) {
    auto port = sized<KilnPortInfo>();
    KILN_RETURN_IF_ERROR(take(kiln_model_input(&model, i, &port)));
    KILN_ASSIGN_OR_RETURN(dims.emplace_back(), shapes.dims(port, run));
  }
  return dims;
}

/// Looks as a run would. What is not there is noted in the instance's stack; a program that is not there is
/// built, but not kept, to tell which kernels it needs.
LookedUp lookUp(Instance &instance, const Model &model, CompileSettings settings, InputDims dims) {
  LookedUp result;
  result.device = settings.target.deviceType;
  result.shapes = shapesText(dims);
  size_t before = instance.cache().misses().size();
  TargetCompiler compiler(instance, std::move(settings));
  InputDims found = dims;
  Result<ProgramFileRef> program = compiler.findProgram(model, found);
  bool isThere = program.ok() && *program;
  result.program = !isThere ? "missing" : found == dims ? "exact" : "dynamic";
  if (!isThere)
    program = compiler.program(model, dims);
  if (!program.ok()) {
    result.problem = program.status().message();
  } else {
    result.kernels = (*program)->verifiedProgram().embeddedKernels.size();
    for (uint32_t i = 0; i < result.kernels; ++i)
      result.kernelsThere += compiler.hasKernel(**program, i);
  }
  std::vector<CacheStack::Miss> all = instance.cache().misses();
  for (size_t i = before; i < all.size(); ++i)
    if (all[i].address.kind != EntryKind::Program || !isThere) // the exact one, where a dynamic one serves
      result.missing.push_back(std::move(all[i]));
  return result;
}

Result<CompileSettings> settingsFor(Instance &instance, const CompileDevice &device) {
  std::string type = device.type;
  if (type.empty()) {
    KILN_ASSIGN_OR_RETURN(DeviceChoice choice, instance.backends().resolve(""));
    type = choice.type->name;
  }
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<const DeviceType> found, instance.backends().deviceType(type));
  KILN_RETURN_IF_ERROR(instance.backends().checkOptions(found->backend, device.options));
  CompileSettings settings;
  KILN_ASSIGN_OR_RETURN(settings.target, targetOf(*found, device.options));
  settings.backend = found->backend;
  return settings;
}

Json missJson(CacheStack &stack, const CacheStack::Miss &miss) {
  NearestEntry nearest = nearestEntry(stack, miss.address, miss.fields);
  return {
      {"kind", entryKindName(miss.address.kind)}, {"name", miss.name},     {"key", miss.address.key.hex()},
      {"reason", missReasonName(miss.reason)},    {"detail", miss.detail}, {"nearest", nearest.path},
      {"differs_in", nearest.differing}};
}

void printMiss(CacheStack &stack, const CacheStack::Miss &miss, std::ostream &out) {
  out << fmt::format("missing: {} '{}' ({}): {}{}{}; {}\n", entryKindName(miss.address.kind), miss.name,
                     shortKey(miss.address.key), missReasonName(miss.reason), miss.detail.empty() ? "" : ": ",
                     miss.detail, explainMiss(stack, miss.address, miss.fields));
}

Result<int> explainModel(const CacheContext &context) {
  CacheSettings settings = context.settings;
  settings.mode = CacheMode::ReadOnly;
  settings.folder = context.folder.name();
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<Instance> instance, Instance::create({}, settings));
  KILN_ASSIGN_OR_RETURN(ModelOperand operand, resolveModelOperand(context.operands[0]));
  KILN_ASSIGN_OR_RETURN(ModelRef loaded, Model::load(instance, operand.file, {}, {}));
  KilnModel model{loaded};
  KILN_ASSIGN_OR_RETURN(ShapeFlags shapes, ShapeFlags::parse(context.flags.all("shape")));
  KILN_RETURN_IF_ERROR(shapes.checkNames(&model));
  std::vector<CompileDevice> devices(1);
  if (context.flags.given("device")) {
    KILN_ASSIGN_OR_RETURN(devices, parseCompileDevices(context.flags.text("device")));
  }
  std::vector<CacheStack::Miss> misses = instance->cache().misses(); // of the model itself
  std::vector<LookedUp> lookedUp;
  for (const CompileDevice &device : devices) {
    KILN_ASSIGN_OR_RETURN(CompileSettings target, settingsFor(*instance, device));
    for (size_t run = 0; run < shapes.runCount(); ++run) {
      KILN_ASSIGN_OR_RETURN(InputDims dims, dimsOfRun(model, shapes, run));
      lookedUp.push_back(lookUp(*instance, *loaded, target, std::move(dims)));
    }
  }
  for (const LookedUp &one : lookedUp)
    misses.insert(misses.end(), one.missing.begin(), one.missing.end());
  if (context.wantsJson()) {
    Json json = {{"model", context.operands[0]}, {"looked_up", Json::array()}, {"missing", Json::array()}};
    for (const LookedUp &one : lookedUp)
      json["looked_up"].push_back({{"device", one.device},
                                   {"shapes", one.shapes},
                                   {"program", one.program},
                                   {"kernels", one.kernels},
                                   {"kernels_there", one.kernelsThere},
                                   {"problem", one.problem}});
    for (const CacheStack::Miss &miss : misses)
      json["missing"].push_back(missJson(instance->cache(), miss));
    printCacheJson(json, context.out);
  } else {
    for (const LookedUp &one : lookedUp)
      context.out << fmt::format("{} for {} on {}: program {}, {}\n", loaded->name(), one.shapes, one.device,
                                 one.program == "missing" ? "missing" : "there (" + one.program + ")",
                                 one.problem.empty()
                                     ? fmt::format("{} of {} kernels there", one.kernelsThere, one.kernels)
                                     : "kernels not known: " + one.problem);
    for (const CacheStack::Miss &miss : misses)
      printMiss(instance->cache(), miss, context.out);
  }
  return misses.empty() ? kYes : kNo;
}

} // namespace

Result<int> cacheExplain(const CacheContext &context) {
  std::error_code error;
  return std::filesystem::exists(context.operands[0], error) ? explainModel(context) : explainEntry(context);
}

} // namespace kiln::tools
