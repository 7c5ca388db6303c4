// CompilerEntry.cpp: the one entry of libkiln_compiler and the C functions of its table.
#include "jit/Compiler.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace kiln;
using namespace kiln::jit;

namespace {
// Constants inside programs are aligned to this, so their buffers are too.
constexpr size_t kBlobAlignmentBytes = 64;

/// An opened compiler with the host that its statuses go to.
struct Opened {
  KilnCompilerHost host;
  std::unique_ptr<Compiler> compiler;
};

Opened &opened(void *self) { return *static_cast<Opened *>(self); }

// Compilers live until the process ends: backends and models keep pointers into them.
Opened &keep(std::unique_ptr<Opened> one) {
  static std::mutex mutex;
  static auto *all = new std::vector<std::unique_ptr<Opened>>();
  std::lock_guard lock(mutex);
  return *all->emplace_back(std::move(one));
}

KilnStatus toBlob(const Opened &self, Result<std::string> result, KilnBlob *out) {
  if (!result.ok())
    return result.status().toC(*self.host.host);
  size_t size = (result->size() + kBlobAlignmentBytes - 1) / kBlobAlignmentBytes * kBlobAlignmentBytes;
  void *memory = std::aligned_alloc(kBlobAlignmentBytes, std::max(size, kBlobAlignmentBytes));
  if (!memory)
    return Status(Code::ResourceExhausted, "no memory for " + std::to_string(size) + " bytes")
        .toC(*self.host.host);
  std::memcpy(memory, result->data(), result->size());
  *out = {memory, result->size(), std::free, memory};
  return nullptr;
}

KilnStatus importModel(void *self, const KilnImportArgs *args, KilnImportedModel **out) {
  auto model = opened(self).compiler->importers().import(*args);
  if (!model.ok())
    return model.status().toC(*opened(self).host.host);
  (*model)->host = opened(self).host.host;
  *out = model->release();
  return nullptr;
}

void releaseModel(KilnImportedModel *model) { delete model; }

KilnStr modelDigest(KilnImportedModel *model) { return toStr(model->digest); }

size_t portCount(KilnImportedModel *model, uint32_t isOutput) {
  return isOutput ? model->outputs.size() : model->inputs.size();
}

KilnStatus modelPort(KilnImportedModel *model, uint32_t isOutput, size_t index, KilnModelPort *out) {
  const std::vector<ModelPort> &ports = isOutput ? model->outputs : model->inputs;
  if (index >= ports.size())
    return Status(Code::OutOfRange, std::string(isOutput ? "output " : "input ") + std::to_string(index) +
                                        "; the model has " + std::to_string(ports.size()))
        .toC(*model->host);
  const ModelPort &port = ports[index];
  *out = {};
  out->name = toStr(port.name);
  out->dtype = port.dtype;
  out->rank = port.dims.size();
  for (size_t i = 0; i < port.dims.size(); ++i) {
    out->dims[i] = port.dims[i];
    out->dim_names[i] = toStr(port.dimNames[i]);
  }
  return nullptr;
}

KilnStatus modelForShapesC(void *self, KilnImportedModel *model, const int64_t *dims, const uint32_t *ranks,
                           size_t inputCount, KilnImportedModel **out) {
  InputShapes shapes;
  for (size_t i = 0; i < inputCount; ++i) {
    shapes.emplace_back(dims, dims + ranks[i]);
    dims += ranks[i];
  }
  auto result = modelForShapes(*model, shapes);
  if (!result.ok())
    return result.status().toC(*opened(self).host.host);
  *out = *result;
  return nullptr;
}

KilnStatus modelWeight(KilnImportedModel *model, KilnStr digest, KilnWeight *out) {
  auto lock = lockModel(*model, model->shapesMutex);
  if (!lock.ok())
    return lock.status().toC(*model->host);
  auto it = model->weights.find(llvm::StringRef(digest.data, digest.size));
  if (it == model->weights.end())
    return Status(Code::NotFound,
                  "weight " + std::string(toView(digest)) + ": the model has none with this digest")
        .toC(*model->host);
  const WeightData &weight = it->second;
  *out = {toStr(it->first()), weight.bytes.data(), weight.bytes.size()};
  return nullptr;
}

KilnStatus buildProgramC(void *self, KilnImportedModel *model, const KilnProgramArgs *args, KilnBlob *out) {
  return toBlob(opened(self), opened(self).compiler->buildProgram(*model, *args), out);
}

KilnStatus compileKernelC(void *self, const KilnKernelArgs *args, KilnBlob *out) {
  return toBlob(opened(self), opened(self).compiler->compileKernel(*args), out);
}

KilnStatus emitC(void *self, KilnImportedModel *model, const KilnProgramArgs *args, KilnStr what,
                 KilnBlob *out) {
  return toBlob(opened(self),
                opened(self).compiler->emit(*model, *args, llvm::StringRef(what.data, what.size)), out);
}

KilnStatus visitFunctions(void *self, const KilnImportArgs *args, void (*visit)(void *, KilnStr), void *arg) {
  auto names = opened(self).compiler->importers().functions(*args);
  if (!names.ok())
    return names.status().toC(*opened(self).host.host);
  for (const std::string &name : *names)
    visit(arg, toStr(name));
  return nullptr;
}

KilnStatus visitPasses(void *self, void (*visit)(void *, const KilnPassEntry *), void *arg) {
  return opened(self)
      .compiler->visitPasses([&](const KilnPassEntry &entry) { visit(arg, &entry); })
      .toC(*opened(self).host.host);
}

KilnStatus visitStages(void *self, void (*visit)(void *, const KilnStageRecord *), void *arg) {
  for (const StageTime &time : opened(self).compiler->stageLog().take()) {
    KilnStageRecord record = {toStr(time.stage), toStr(time.unit), time.startNs, time.endNs};
    visit(arg, &record);
  }
  return nullptr;
}
} // namespace

Compiler &kiln::jit::compilerOf(const KilnCompiler &table) { return *opened(table.self).compiler; }

KilnStatus kiln_compiler_open_v1(const KilnCompilerHost *host, KilnCompiler *out) {
  auto compiler = Compiler::create(*host);
  if (!compiler.ok())
    return compiler.status().toC(*host->host);
  Opened &self = keep(std::make_unique<Opened>(Opened{*host, std::move(*compiler)}));
  KilnCompiler table = {};
  table.struct_size = std::min(out->struct_size, sizeof(table));
  table.self = &self;
  table.version = toStr(self.compiler->version());
  table.import_model = importModel;
  table.model_release = releaseModel;
  table.model_digest = modelDigest;
  table.model_port_count = portCount;
  table.model_port = modelPort;
  table.model_weight = modelWeight;
  table.build_program = buildProgramC;
  table.compile_kernel = compileKernelC;
  table.emit = emitC;
  table.visit_functions = visitFunctions;
  table.visit_passes = visitPasses;
  table.visit_stages = visitStages;
  table.model_for_shapes = modelForShapesC;
  std::memcpy(out, &table, table.struct_size); // a runtime of an older minor knows a shorter table
  return nullptr;
}
