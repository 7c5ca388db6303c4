// ProgramStore.cpp: looks up, promotes to dynamic, builds through the compiler, loads.
#include "runtime/ProgramStore.h"

#include "runtime/Error.h"
#include "runtime/Log.h"
#include "runtime/RequestKey.h"

#include <algorithm>
#include <chrono>

namespace kiln {

namespace {

// An extent of 1 may mean broadcasting: it never becomes dynamic, and no dynamic program stands in for it.
constexpr int64_t kBroadcastExtent = 1;

} // namespace

bool LoadedProgram::accepts(std::span<const std::vector<int64_t>> inputDims) const {
  return std::equal(dims.begin(), dims.end(), inputDims.begin(), inputDims.end(),
                    [](const std::vector<int64_t> &mine, const std::vector<int64_t> &theirs) {
                      return std::equal(
                          mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                          [](int64_t a, int64_t b) { return a == b || (a == -1 && b != kBroadcastExtent); });
                    });
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

ProgramStore::ProgramStore(Instance &instance, DeviceStore &device, Queue &queue)
    : instance(instance), device(device), queue(queue) {
  device.setProgramDropper([this] { dropIdle(); });
}

Result<LoadedProgramRef>
ProgramStore::find(const ModelRef &model, std::span<const std::vector<int64_t>> inputDims, bool compileAll) {
  ModelPrograms *known;
  {
    std::scoped_lock lock(mutex);
    std::unique_ptr<ModelPrograms> &entry = models[model.get()];
    if (!entry)
      entry = std::make_unique<ModelPrograms>(model);
    known = entry.get();
  }
  LoadedProgramRef program = lookUp(*known, inputDims);
  if (!program) {
    std::scoped_lock making(known->making);
    program = lookUp(*known, inputDims); // another thread may have made it
    if (!program) {
      KILN_ASSIGN_OR_RETURN(program, make(*known, inputDims, compileAll));
    }
  }
  if (compileAll)
    KILN_RETURN_IF_ERROR(resolveAll(*program));
  return program;
}

LoadedProgramRef ProgramStore::lookUp(ModelPrograms &known, std::span<const std::vector<int64_t>> inputDims) {
  std::scoped_lock lock(mutex);
  for (const LoadedProgramRef &program : known.programs)
    if (known.model->programFile() || program->accepts(inputDims)) {
      program->lastUse = ++clock;
      return program;
    }
  return nullptr;
}

Result<LoadedProgramRef>
ProgramStore::make(ModelPrograms &known, std::span<const std::vector<int64_t>> inputDims, bool compileAll) {
  const ModelRef &model = known.model;
  std::vector<std::vector<int64_t>> dims(inputDims.begin(), inputDims.end());
  ProgramFileRef file = model->programFile();
  if (file) { // one program, whatever the shapes; it checks them itself
    dims.clear();
    for (const ModelPort &port : model->inputs())
      dims.push_back(port.dims);
  } else if (auto pattern = dynamicPattern(known, inputDims)) {
    Result<ProgramFileRef> built = build(model, *pattern);
    if (built.ok()) {
      file = *built;
      dims = *std::move(pattern);
    } else if (built.status().code() == Code::Unimplemented) {
      logInfo("session", "model '{}': no program for dynamic extents: {}", model->name(),
              built.status().message());
      known.dynamicRefused = true;
    } else {
      return built.status();
    }
  }
  if (!file) {
    KILN_ASSIGN_OR_RETURN(file, build(model, dims));
  }
  KILN_ASSIGN_OR_RETURN(LoadedProgramRef program, load(model, std::move(file), std::move(dims), compileAll));
  std::scoped_lock lock(mutex);
  program->lastUse = ++clock;
  known.programs.push_back(program);
  return program;
}

Status ProgramStore::resolveAll(LoadedProgram &program) {
  {
    std::scoped_lock lock(program.running);
    if (program.isResolved)
      return {};
  }
  KILN_RETURN_IF_ERROR(device.compileAll(*program.file));
  std::scoped_lock lock(program.running);
  KILN_RETURN_IF_ERROR(program.interpreter->program().resolveAll());
  program.isResolved = true;
  return {};
}

void ProgramStore::dropIdle() {
  std::vector<LoadedProgramRef> dropped; // destroyed without the lock
  std::scoped_lock lock(mutex);
  std::vector<uint64_t> idle; // when they were used
  auto isIdle = [](const LoadedProgramRef &program) { return program.use_count() == 1; };
  for (const auto &[model, known] : models)
    for (const LoadedProgramRef &program : known->programs)
      if (isIdle(program))
        idle.push_back(program->lastUse);
  if (idle.empty())
    return;
  auto median = idle.begin() + static_cast<ptrdiff_t>((idle.size() - 1) / 2);
  std::nth_element(idle.begin(), median, idle.end());
  for (const auto &[model, known] : models)
    for (auto it = known->programs.begin(); it != known->programs.end();)
      if (isIdle(*it) && (*it)->lastUse <= *median) {
        dropped.push_back(std::move(*it));
        it = known->programs.erase(it);
      } else {
        ++it;
      }
}

// The shapes with -1 at every extent that is declared dynamic and has had another value before; nothing if
// none had.
std::optional<std::vector<std::vector<int64_t>>>
ProgramStore::dynamicPattern(const ModelPrograms &known, std::span<const std::vector<int64_t>> dims) {
  std::scoped_lock lock(mutex);
  if (known.dynamicRefused || known.programs.empty())
    return std::nullopt;
  std::vector<std::vector<int64_t>> pattern(dims.begin(), dims.end());
  bool isDynamic = false;
  for (size_t i = 0; i < pattern.size(); ++i)
    for (size_t axis = 0; axis < pattern[i].size(); ++axis) {
      if (pattern[i][axis] == kBroadcastExtent)
        continue;
      bool differs =
          std::any_of(known.programs.begin(), known.programs.end(), [&](const LoadedProgramRef &program) {
            int64_t other = program->dims[i][axis];
            return other != pattern[i][axis] && other != kBroadcastExtent;
          });
      if (differs && known.model->inputs()[i].dims[axis] < 0) {
        pattern[i][axis] = -1;
        isDynamic = true;
      }
    }
  return isDynamic ? std::optional(std::move(pattern)) : std::nullopt;
}

Result<ProgramFileRef> ProgramStore::build(const ModelRef &model,
                                           const std::vector<std::vector<int64_t>> &inputDims) {
  if (model->programFile())
    return model->programFile();
  KILN_ASSIGN_OR_RETURN(const KilnCompiler *compiler, instance.compiler().get());
  // Ahead of the look-up: the weights of a program that others made are asked of this model.
  KILN_ASSIGN_OR_RETURN(KilnImportedModel * imported, model->importedFor(inputDims));
  ProgramRequest request;
  request.modelDigest = model->digest();
  request.function = model->function();
  request.compilerVersion = toView(compiler->version);
  request.target = device.settings().target;
  request.backendVersion = instance.backends().version(device.settings().backend);
  for (const BackendRegistry::Extension &extension :
       instance.backends().extensions(request.target.deviceType))
    request.backendVersion += "; " + instance.backends().version(extension.backend);
  request.inputDims = inputDims;
  return instance.programs().get(programRequestKey(request).hex, [&]() -> Result<ProgramFileRef> {
    auto start = std::chrono::steady_clock::now();
    ProgramShape shape(inputDims);
    KilnProgramArgs args = shape.args(device.settings());
    KilnBlob blob = {};
    KILN_RETURN_IF_ERROR(fromC(compiler->build_program(compiler->self, imported, &args, &blob)));
    Result<ProgramFileRef> file = ProgramFile::fromProgram(takeBlob(blob), model->name());
    device.counters().programNs += static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count());
    ++device.counters().programsBuilt;
    return file;
  });
}

Result<LoadedProgramRef> ProgramStore::load(const ModelRef &model, ProgramFileRef file,
                                            std::vector<std::vector<int64_t>> dims, bool compileAll) {
  if (compileAll)
    KILN_RETURN_IF_ERROR(device.compileAll(*file));
  ProgramSources sources;
  sources.kernel = [this, file](uint32_t kernel) { return device.load(*file, kernel); };
  sources.constant = [this, file, model](uint32_t index) {
    return device.constant(file, model, index, queue);
  };
  KILN_ASSIGN_OR_RETURN(std::unique_ptr<PreparedProgram> prepared,
                        PreparedProgram::create(file, queue.device().shared_from_this(), std::move(sources)));
  if (compileAll)
    KILN_RETURN_IF_ERROR(prepared->resolveAll());
  auto program = std::make_shared<LoadedProgram>();
  KILN_ASSIGN_OR_RETURN(program->interpreter, Interpreter::create(std::move(prepared), queue));
  program->model = model;
  program->file = std::move(file);
  program->dims = std::move(dims);
  program->isResolved = compileAll;
  return program;
}

} // namespace kiln
