// ProgramStore.cpp: looks up, promotes to dynamic, builds through the compiler, loads.
#include "runtime/ProgramStore.h"

#include "runtime/Error.h"
#include "runtime/Log.h"

#include <algorithm>

namespace kiln {

ProgramStore::ProgramStore(Instance &instance, DeviceStore &device, Queue &queue)
    : instance(instance), device(device), queue(queue) {
  device.setProgramDropper([this] { dropIdle(); });
}

Result<LoadedProgramRef>
ProgramStore::find(const ModelRef &model, std::span<const std::vector<int64_t>> inputDims, bool compileAll) {
  ModelPrograms *known;
  LoadedProgramRef program;
  {
    std::scoped_lock lock(mutex);
    std::unique_ptr<ModelPrograms> &entry = models[model.get()];
    if (!entry)
      entry = std::make_unique<ModelPrograms>(model);
    known = entry.get();
    program = lookUpLocked(*known, inputDims);
  }
  if (!program) [[unlikely]] {
    std::scoped_lock making(known->making);
    {
      std::scoped_lock lock(mutex);
      program = lookUpLocked(*known, inputDims); // another thread may have made it
    }
    if (!program) {
      KILN_ASSIGN_OR_RETURN(program, make(*known, inputDims, compileAll));
    }
  }
  if (compileAll)
    KILN_RETURN_IF_ERROR(resolveAll(*program));
  return program;
}

LoadedProgramRef ProgramStore::lookUpLocked(ModelPrograms &known,
                                            std::span<const std::vector<int64_t>> inputDims) {
  if (known.latest && std::ranges::equal(known.latestDims, inputDims)) [[likely]] {
    known.latest->lastUse = ++clock;
    return known.latest;
  }
  for (const LoadedProgramRef &program : known.programs)
    if (known.model->programFile() || patternAccepts(program->dims, inputDims)) {
      program->lastUse = ++clock;
      known.latest = program;
      known.latestDims.assign(inputDims.begin(), inputDims.end());
      return program;
    }
  return nullptr;
}

Result<LoadedProgramRef>
ProgramStore::make(ModelPrograms &known, std::span<const std::vector<int64_t>> inputDims, bool compileAll) {
  const ModelRef &model = known.model;
  InputDims dims(inputDims.begin(), inputDims.end());
  ProgramFileRef file = model->programFile();
  if (file) { // one program, whatever the shapes; it checks them itself
    dims.clear();
    for (const ModelPort &port : model->inputs())
      dims.push_back(port.dims);
  } else {
    KILN_ASSIGN_OR_RETURN(file, findOrBuild(known, dims));
  }
  KILN_ASSIGN_OR_RETURN(LoadedProgramRef program, load(model, std::move(file), std::move(dims), compileAll));
  std::scoped_lock lock(mutex);
  program->lastUse = ++clock;
  known.programs.push_back(program);
  return program;
}

// What the cache has comes before what is to be compiled: then a history of shapes in another order needs the
// compiler no more than the first did.
Result<ProgramFileRef> ProgramStore::findOrBuild(ModelPrograms &known, InputDims &dims) {
  KILN_ASSIGN_OR_RETURN(ProgramFileRef file, device.compiler().findProgram(*known.model, dims));
  std::optional<InputDims> pattern = file ? std::nullopt : dynamicPattern(known, dims);
  if (!pattern || instance.cache().isRequired())
    return file ? Result(file) : device.compiler().program(*known.model, dims);
  Result<ProgramFileRef> built = device.compiler().program(*known.model, *pattern);
  if (built.ok()) {
    dims = *std::move(pattern);
    return built;
  }
  if (built.status().code() != Code::Unimplemented)
    return built;
  logInfo("session", "model '{}': no program for dynamic extents: {}", known.model->name(),
          built.status().message());
  known.dynamicRefused = true;
  return device.compiler().program(*known.model, dims);
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
  for (const auto &[model, known] : models)
    known->latest.reset();    // a hint, no use
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
std::optional<InputDims> ProgramStore::dynamicPattern(const ModelPrograms &known, const InputDims &dims) {
  std::scoped_lock lock(mutex);
  if (known.dynamicRefused || known.programs.empty())
    return std::nullopt;
  InputDims pattern = dims;
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

Result<LoadedProgramRef> ProgramStore::load(const ModelRef &model, ProgramFileRef file, InputDims dims,
                                            bool compileAll) {
  if (compileAll)
    KILN_RETURN_IF_ERROR(device.compileAll(*file));
  ProgramCache cache(instance.cache());
  ProgramSources sources;
  sources.kernel = [this, file](uint32_t kernel) { return device.load(*file, kernel); };
  sources.constant = [this, file, model, dims](uint32_t index) {
    return device.constant(file, model, dims, index, queue);
  };
  for (PackedBytes &packed : model->bundle() ? model->bundle()->packed(*file) : cache.findPacked(*file)) {
    Result<Buffer> placed = device.place(std::move(packed.bytes), queue);
    if (!placed.ok())
      return withContext(placed.status(), "model '{}': packed weight {}", model->name(), packed.buffer);
    sources.packed[packed.buffer] = *std::move(placed);
  }
  if (!sources.packed.empty())
    logDebug("session", "model '{}': its weights are packed already", model->name());
  bool isPacked = !sources.packed.empty();
  Result<std::unique_ptr<PreparedProgram>> created =
      PreparedProgram::create(file, queue.device().shared_from_this(), std::move(sources));
  if (!created.ok())
    return withContext(created.status(), "model '{}'", model->name());
  std::unique_ptr<PreparedProgram> prepared = *std::move(created);
  if (compileAll)
    KILN_RETURN_IF_ERROR(prepared->resolveAll());
  auto program = std::make_shared<LoadedProgram>();
  KILN_ASSIGN_OR_RETURN(program->interpreter, Interpreter::create(std::move(prepared), queue));
  if (!isPacked && instance.cache().writes() && !model->programFile() && !model->bundle()) {
    KILN_ASSIGN_OR_RETURN(std::vector<PackedBytes> packed, program->interpreter->packedBytes());
    if (!packed.empty())
      cache.insertPacked(*file, packed);
  }
  program->model = model;
  program->file = std::move(file);
  program->dims = std::move(dims);
  program->isResolved = compileAll;
  return program;
}

} // namespace kiln
