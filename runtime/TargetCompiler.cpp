// TargetCompiler.cpp: keys are computed without a compiler; it is opened when something is missing.
#include "runtime/TargetCompiler.h"

#include "runtime/Error.h"
#include "runtime/ParallelFor.h"
#include "runtime/ProgramCode.h"
#include "runtime/SchemaText.h"
#include "runtime/cache/Explain.h"

#include "kiln/schema/Program_generated.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace kiln {

namespace {

uint64_t nsSince(std::chrono::steady_clock::time_point start) {
  return static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count());
}

bool isDynamic(const InputDims &dims) {
  return std::any_of(dims.begin(), dims.end(), [](const std::vector<int64_t> &input) {
    return std::find(input.begin(), input.end(), -1) != input.end();
  });
}

std::string describe(const InputDims &dims) {
  std::string text;
  for (const std::vector<int64_t> &input : dims)
    text += (text.empty() ? "" : ", ") + shapeText(input);
  return text;
}

// The compiler knows ops by their number in the kernel ("kernel:3:0" is the third), since one kernel serves
// many places; the program knows where the ops of this place stand in the model.
Status withOpLocations(const Status &status, const schema::Program &program, uint32_t kernel) {
  constexpr std::string_view before = "kernel:", after = ":0";
  const ProgramCode code = decodeProgram(program);
  auto launch = std::find_if(code.launches.begin(), code.launches.end(),
                             [&](const LaunchInstruction &one) { return one.kernel == kernel; });
  if (launch == code.launches.end())
    return status;
  std::string text;
  std::string_view rest = status.message();
  for (size_t at; (at = rest.find(before)) != std::string_view::npos;) {
    std::string_view number = rest.substr(at + before.size());
    size_t op = 0;
    auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), op);
    std::string_view behind = number.substr(end - number.data());
    bool isKnown = error == std::errc() && behind.starts_with(after) && op >= 1 &&
                   op <= launch->opLocations.size() && !launch->opLocations[op - 1].empty();
    text += rest.substr(0, at);
    text += isKnown ? launch->opLocations[op - 1] : std::string(before);
    rest = isKnown ? behind.substr(after.size()) : number;
  }
  return Status(status.code(), text + std::string(rest));
}

} // namespace

KilnCompileTarget CompileSettings::toC() const {
  KilnCompileTarget result = {};
  result.struct_size = sizeof(result);
  result.device_type = toStr(target.deviceType);
  result.backend = toStr(backend);
  result.info.struct_size = sizeof(result.info);
  result.info.triple = toStr(target.triple);
  result.info.arch = toStr(target.arch);
  result.info.features = toStr(target.features);
  result.info.options = toStr(target.options);
  result.info.storage_types = target.storageTypes;
  result.info.arithmetic_types = target.arithmeticTypes;
  return result;
}

ProgramShape::ProgramShape(std::span<const std::vector<int64_t>> inputDims) {
  for (const std::vector<int64_t> &input : inputDims) {
    dims.insert(dims.end(), input.begin(), input.end());
    ranks.push_back(static_cast<uint32_t>(input.size()));
  }
}

KilnProgramArgs ProgramShape::args(const CompileSettings &settings) const {
  KilnProgramArgs result = {};
  result.struct_size = sizeof(result);
  result.target = settings.toC();
  result.dims = dims.data();
  result.ranks = ranks.data();
  result.input_count = ranks.size();
  result.dump_dir = toStr(settings.dumpDir);
  return result;
}

const std::string &TargetCompiler::backendVersion() {
  std::call_once(versionOnce, [&] {
    version = instance.backends().version(theSettings.backend);
    for (const BackendRegistry::Extension &extension :
         instance.backends().extensions(theSettings.target.deviceType))
      version += "; " + instance.backends().version(extension.backend);
  });
  return version;
}

Result<TargetCompiler::Request> TargetCompiler::request(const Model &model, const InputDims &dims) {
  ProgramRequest program;
  program.modelDigest = model.digest();
  program.function = model.function();
  KILN_ASSIGN_OR_RETURN(program.compilerVersion, instance.compiler().identity());
  program.backendVersion = backendVersion();
  program.target = theSettings.target;
  Request result;
  result.anyShape = programRequestKey(program);
  program.inputDims = dims;
  result.exact = programRequestKey(program);
  result.address = ProgramCache::programAddress(result.exact, theSettings.target.deviceType);
  return result;
}

ProgramFileRef TargetCompiler::findExact(const Model &model, const Request &request) {
  if (std::optional<ProgramFileRef> known = instance.programs().find(request.exact.hex))
    return *known;
  ProgramFileRef found = ProgramCache(instance.cache()).find(request.address, model.name());
  if (!found) {
    instance.cache().describeMiss(request.address, model.name(), entryFields(request.exact));
    return nullptr;
  }
  Result<ProgramFileRef> kept = instance.programs().get(request.exact.hex, [&] { return Result(found); });
  return kept.ok() ? *kept : found;
}

Result<ProgramFileRef> TargetCompiler::findProgram(const Model &model, InputDims &dims) {
  if (model.bundle())
    return model.bundle()->program(theSettings.target, dims);
  KILN_ASSIGN_OR_RETURN(Request exact, request(model, dims));
  if (!theSettings.dumpDir.empty()) // somebody wants to see the stages
    return instance.programs().find(exact.exact.hex).value_or(nullptr);
  if (ProgramFileRef found = findExact(model, exact))
    return found;
  ProgramCache cache(instance.cache());
  for (const InputDims &pattern : cache.patterns(exact.anyShape, theSettings.target.deviceType)) {
    if (!patternAccepts(pattern, dims))
      continue;
    KILN_ASSIGN_OR_RETURN(Request dynamic, request(model, pattern));
    if (ProgramFileRef found = findExact(model, dynamic)) {
      dims = pattern;
      return found;
    }
  }
  return ProgramFileRef();
}

Result<ProgramFileRef> TargetCompiler::program(const Model &model, const InputDims &dims) {
  KILN_ASSIGN_OR_RETURN(Request wanted, request(model, dims));
  return instance.programs().get(wanted.exact.hex, [&]() -> Result<ProgramFileRef> {
    ProgramCache cache(instance.cache());
    if (!theSettings.dumpDir.empty())
      return make(model, dims, wanted);
    if (ProgramFileRef found = cache.find(wanted.address, model.name()))
      return found;
    if (instance.cache().isRequired())
      return failedPrecondition("model '{}': no cache has its program for {}, and KILN_CACHE=require; {}",
                                model.name(), describe(dims),
                                explainMiss(instance.cache(), wanted.address, entryFields(wanted.exact)));
    CacheStack::Turn turn = instance.cache().takeTurn(wanted.address);
    if (turn.again)
      if (ProgramFileRef found = cache.find(wanted.address, model.name()))
        return found;
    KILN_ASSIGN_OR_RETURN(ProgramFileRef made, make(model, dims, wanted));
    if (isDynamic(dims))
      cache.addPattern(wanted.anyShape, theSettings.target.deviceType, dims);
    return made;
  });
}

Result<ProgramFileRef> TargetCompiler::make(const Model &model, const InputDims &dims,
                                            const Request &request) {
  KILN_ASSIGN_OR_RETURN(const KilnCompiler *compiler, instance.compiler().get());
  KILN_ASSIGN_OR_RETURN(KilnImportedModel * imported, model.importedFor(dims));
  auto start = std::chrono::steady_clock::now();
  ProgramShape shape(dims);
  KilnProgramArgs args = shape.args(theSettings);
  KilnBlob blob = {};
  KILN_RETURN_IF_ERROR(fromC(compiler->build_program(compiler->self, imported, &args, &blob)));
  KILN_ASSIGN_OR_RETURN(ProgramFileRef file, ProgramFile::fromProgram(takeBlob(blob), model.name()));
  uint64_t ns = nsSince(start);
  theCounters.programNs += ns;
  ++theCounters.programsBuilt;
  std::vector<OwnedBytes> held;
  return ProgramCache(instance.cache())
      .insert(request.address, request.exact, std::move(file), model.name(), (ns + model.importNs()) / 1000,
              [&](std::string_view digest) -> Result<ByteSpan> {
                KILN_ASSIGN_OR_RETURN(OwnedBytes bytes, model.weight(digest, dims));
                return held.emplace_back(std::move(bytes)).bytes;
              });
}

KernelRequest TargetCompiler::kernelRequest(const ProgramFile &file, uint32_t index) const {
  const schema::KernelRef &ref = *file.program().kernels()->Get(index);
  KernelRequest request(ref.key()->str());
  request.name = view(ref.name());
  request.deviceType = theSettings.target.deviceType;
  request.features = theSettings.target.features;
  request.fields = view(ref.key_fields());
  request.isCompiledAnyway = !theSettings.dumpDir.empty();
  return request;
}

bool TargetCompiler::hasKernel(const ProgramFile &file, uint32_t index) {
  if (file.verifiedProgram().embeddedKernels[index])
    return true;
  auto notNow = [] { return Result<CompiledKernelRef>(notFound("a kernel that nobody wants compiled")); };
  return instance.kernels().get(kernelRequest(file, index), notNow, theCounters).ok();
}

Result<CompiledKernelRef> TargetCompiler::kernel(const ProgramFile &file, uint32_t index) {
  if (const CompiledKernelRef &embedded = file.verifiedProgram().embeddedKernels[index])
    return embedded;
  Result<CompiledKernelRef> compiled = instance.kernels().get(
      kernelRequest(file, index), [&] { return compileNow(file, index); }, theCounters);
  if (compiled.ok())
    return compiled;
  return withOpLocations(compiled.status(), file.program(),
                         index); // behind the cache: it serves all programs
}

Result<CompiledKernelRef> TargetCompiler::compileNow(const ProgramFile &file, uint32_t index) {
  const schema::KernelRef &ref = *file.program().kernels()->Get(index);
  if (!ref.ir())
    return failedPrecondition("kernel '{}': no cache has it, and the program holds no IR to compile it from",
                              view(ref.name()));
  KILN_ASSIGN_OR_RETURN(const KilnCompiler *compiler, instance.compiler().get());
  KilnKernelArgs args = {};
  args.struct_size = sizeof(args);
  args.target = theSettings.toC();
  args.key = toStr(view(ref.key()));
  args.name = toStr(view(ref.name()));
  args.ir = ref.ir()->data();
  args.ir_bytes = ref.ir()->size();
  args.dump_dir = toStr(theSettings.dumpDir);
  KilnBlob blob = {};
  KILN_RETURN_IF_ERROR(withContext(fromC(compiler->compile_kernel(compiler->self, &args, &blob)),
                                   "kernel '{}'", view(ref.name())));
  return CompiledKernel::parse(takeBlob(blob), fmt::format("kernel '{}'", view(ref.name())));
}

Result<std::vector<CompiledKernelRef>> TargetCompiler::kernels(const ProgramFile &file,
                                                               std::span<const uint32_t> indices) {
  theCounters.kernelsWanted += indices.size();
  std::vector<CompiledKernelRef> results(indices.size());
  KILN_RETURN_IF_ERROR(parallelFor(indices.size(), 0, [&](size_t i) -> Status {
    KILN_ASSIGN_OR_RETURN(results[i], kernel(file, indices[i]));
    return {};
  }));
  return results;
}

} // namespace kiln
