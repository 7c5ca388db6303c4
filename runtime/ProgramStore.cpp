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

Result<LoadedProgramRef>
ProgramStore::find(const ModelRef &model, std::span<const std::vector<int64_t>> inputDims, bool compileAll) {
  ModelPrograms &known = models[model.get()];
  for (const LoadedProgramRef &program : known.programs)
    if (model->programFile() || program->accepts(inputDims)) {
      if (compileAll && !program->isResolved) {
        KILN_RETURN_IF_ERROR(device.compileAll(*program->file));
        KILN_RETURN_IF_ERROR(program->interpreter->program().resolveAll());
        program->isResolved = true;
      }
      return program;
    }
  std::vector<std::vector<int64_t>> dims(inputDims.begin(), inputDims.end());
  if (model->programFile()) { // one program, whatever the shapes; it checks them itself
    std::vector<std::vector<int64_t>> pattern;
    for (const ModelPort &port : model->inputs())
      pattern.push_back(port.dims);
    KILN_ASSIGN_OR_RETURN(LoadedProgramRef program,
                          load(model, model->programFile(), std::move(pattern), compileAll));
    known.programs.push_back(program);
    return program;
  }
  ProgramFileRef file;
  if (auto pattern = dynamicPattern(known, *model, inputDims)) {
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
  known.programs.push_back(program);
  return program;
}

// The shapes with -1 at every extent that is declared dynamic and has had another value before; nothing if
// none had.
std::optional<std::vector<std::vector<int64_t>>>
ProgramStore::dynamicPattern(const ModelPrograms &known, const Model &model,
                             std::span<const std::vector<int64_t>> dims) const {
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
      if (differs && model.inputs()[i].dims[axis] < 0) {
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
  ProgramRequest request;
  request.modelDigest = model->digest();
  request.function = model->function();
  request.compilerVersion = toView(compiler->version);
  request.backendVersion = instance.backends().version(device.settings().backend);
  request.target = device.settings().target;
  request.inputDims = inputDims;
  return instance.programs().get(programRequestKey(request).hex, [&]() -> Result<ProgramFileRef> {
    auto start = std::chrono::steady_clock::now();
    ProgramShape shape(inputDims);
    KilnProgramArgs args = shape.args(device.settings());
    KilnBlob blob = {};
    KILN_RETURN_IF_ERROR(fromC(compiler->build_program(compiler->self, model->imported(), &args, &blob)));
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
