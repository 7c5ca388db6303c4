// Session.cpp: opening, waiting, saving; SessionRun.cpp has the run itself.
#include "runtime/Session.h"

#include "runtime/Error.h"

#include "kiln/schema/Program_generated.h"

namespace kiln {

Result<std::shared_ptr<Session>> Session::open(std::shared_ptr<Instance> instance, const Options &options) {
  KILN_ASSIGN_OR_RETURN(DeviceChoice choice, instance->backends().resolve(options.device));
  KILN_RETURN_IF_ERROR(instance->backends().checkOptions(choice.type->backend, options.open.options));
  Device::OpenOptions open = options.open;
  open.ordinal = choice.ordinal;
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<Device> device, Device::open(*choice.type, open));
  KILN_ASSIGN_OR_RETURN(std::unique_ptr<Queue> queue, device->createQueue());
  CompileSettings settings;
  KILN_ASSIGN_OR_RETURN(settings.target, targetOf(*choice.type, open.options));
  settings.backend = choice.type->backend;
  settings.dumpDir = options.dumpDir;
  settings.deviceOptions = open.options;
  return std::shared_ptr<Session>(
      new Session(std::move(instance), std::move(device), std::move(queue), std::move(settings)));
}

Session::Session(std::shared_ptr<Instance> instance, std::shared_ptr<Device> device,
                 std::unique_ptr<Queue> queue, CompileSettings settings)
    : theInstance(std::move(instance)), theDevice(std::move(device)), theQueue(std::move(queue)),
      store(*theInstance, theDevice, std::move(settings)), programs(*theInstance, store, *theQueue) {}

Session::~Session() {
  (void)theQueue->synchronize(); // its error was reported to those who waited
}

Status Session::synchronize(uint64_t timeoutNs) {
  KILN_RETURN_IF_ERROR(theDevice->checkProcess()); // before the lock: a lost thread may hold it
  Status status = theQueue->synchronize(timeoutNs);
  if (status.code() == Code::DeadlineExceeded)
    return withContext(status, "timeout of {:g} ms", static_cast<double>(timeoutNs) * 1e-6);
  std::vector<std::shared_ptr<Run>> ended; // destroyed without the lock
  std::scoped_lock lock(mutex);
  ended.swap(abandoned);
  for (const std::shared_ptr<Run> &run : ended)
    run->isFinished = true;
  return status;
}

Status Session::reset() {
  KILN_RETURN_IF_ERROR(theQueue->reset());
  return synchronize(KILN_WAIT_FOREVER);
}

KilnCompileStats Session::compileStats() {
  CompileCounters &counters = store.counters();
  KilnCompileStats stats = {};
  stats.struct_size = sizeof(stats);
  stats.import_ns = counters.importNs;
  stats.program_ns = counters.programNs;
  stats.kernel_ns = counters.kernelNs;
  stats.load_ns = counters.loadNs;
  stats.programs_built = counters.programsBuilt;
  stats.kernels_compiled = counters.kernelsCompiled;
  stats.memory_hits = counters.memoryHits;
  stats.disk_hits = counters.layerHits;
  stats.misses = counters.misses;
  stats.cache_bytes = theInstance->kernels().bytes();
  stats.kernels_wanted = counters.kernelsWanted;
  return stats;
}

void Session::countImport(const Model &model) {
  std::scoped_lock lock(mutex);
  if (importsCounted.insert(model.digest()).second)
    store.counters().importNs += model.importNs();
}

Status Session::prepare(const ModelRef &model, std::span<const KilnTensor> inputs) {
  KILN_RETURN_IF_ERROR(theDevice->checkProcess()); // before the lock: a lost thread may hold it
  KILN_ASSIGN_OR_RETURN(auto tensors, matchInputs(model->inputs(), inputs, TensorNeeds::Shape));
  return programFor(model, dimsOf(tensors), /*precompile=*/true).status();
}

Status Session::save(const ModelRef &model, std::span<const KilnTensor> inputs, const std::string &path) {
  KILN_RETURN_IF_ERROR(theDevice->checkProcess()); // before the lock: a lost thread may hold it
  KILN_ASSIGN_OR_RETURN(auto tensors, matchInputs(model->inputs(), inputs, TensorNeeds::Shape));
  KILN_ASSIGN_OR_RETURN(LoadedProgramRef program, programFor(model, dimsOf(tensors), /*precompile=*/true));
  schema::ProgramT contents;
  program->file->program().UnPackTo(&contents);
  for (uint32_t i = 0; i < contents.kernels.size(); ++i) {
    KILN_ASSIGN_OR_RETURN(CompiledKernelRef kernel, store.compile(*program->file, i));
    ByteSpan bytes = kernel->bytes().bytes;
    contents.kernels[i]->object.assign(bytes.begin(), bytes.end());
    contents.kernels[i]->ir.clear(); // the file runs where no compiler is
  }
  std::vector<OwnedBytes> held; // until the file is written
  return writeProgramFile(path, std::move(contents), [&](std::string_view digest) -> Result<ByteSpan> {
    const auto *constants = program->file->program().constants();
    for (uint32_t i = 0; i < constants->size(); ++i)
      if (constants->Get(i)->digest()->string_view() == digest)
        if (ByteSpan bytes = program->file->constantBytes(i);
            !bytes.empty() || constants->Get(i)->bytes() == 0)
          return bytes;
    KILN_ASSIGN_OR_RETURN(OwnedBytes bytes, model->weight(digest, program->dims));
    return held.emplace_back(std::move(bytes)).bytes;
  });
}

Result<OwnedBytes> Session::emit(const ModelRef &model, std::span<const KilnTensor> inputs,
                                 const std::string &what) {
  KILN_ASSIGN_OR_RETURN(auto tensors, matchInputs(model->inputs(), inputs, TensorNeeds::Shape));
  if (model->programFile() || model->bundle())
    return failedPrecondition("model '{}': a program file holds no IR to show; expected a model",
                              model->name());
  KILN_ASSIGN_OR_RETURN(const KilnCompiler *compiler, theInstance->compiler().get());
  std::vector<std::vector<int64_t>> dims = dimsOf(tensors);
  KILN_ASSIGN_OR_RETURN(KilnImportedModel * imported, model->importedFor(dims));
  ProgramShape shape(dims);
  KilnProgramArgs args = shape.args(store.settings());
  KilnBlob blob = {};
  KILN_RETURN_IF_ERROR(fromC(compiler->emit(compiler->self, imported, &args, toStr(what), &blob)));
  return takeBlob(blob);
}

Status Session::write(const Buffer &buffer, const void *data) {
  if (buffer.bytes() == 0)
    return {};
  KILN_RETURN_IF_ERROR(theQueue->write(buffer.address(), data, buffer.bytes()));
  return theQueue->synchronize();
}

Status Session::read(const Buffer &buffer, void *data) {
  if (buffer.bytes() == 0)
    return {};
  KILN_RETURN_IF_ERROR(theQueue->read(data, buffer.address(), buffer.bytes()));
  return theQueue->synchronize();
}

} // namespace kiln
