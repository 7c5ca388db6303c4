// SessionRun.cpp: one run: program for the shapes, inputs and outputs on the device, launch, wait.
#include "runtime/Session.h"

#include "runtime/DType.h"
#include "runtime/Error.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace kiln {

namespace {

/// Output memory of one run: the embedder's where it gave some and the device can write to it, else the
/// pool's.
class RunOutputs final : public OutputProvider {
public:
  RunOutputs(Run &run, Device &device, BufferPool &pool, std::span<KilnTensor *const> given, bool mayBorrow)
      : run(run), device(device), pool(pool), given(given), mayBorrow(mayBorrow) {}

  Result<KilnBinding> output(uint32_t port, uint64_t bytes) override {
    RunOutput &out = run.outputs()[port];
    KilnTensor *tensor = given.empty() ? nullptr : given[port];
    if (tensor && tensor->buffer)
      return placeInBuffer(out, *tensor, bytes);
    if (tensor && tensor->data_bytes < bytes)
      return invalidArgument("{} bytes were given; it needs {}", tensor->data_bytes, bytes);
    bool aligned =
        tensor && reinterpret_cast<uintptr_t>(tensor->data) % device.description().alignmentBytes == 0;
    if (aligned && mayBorrow && device.description().memoryIsHostMemory && bytes > 0) {
      out.host = tensor->data;
      return KilnBinding{reinterpret_cast<KilnDeviceAddress>(tensor->data), bytes};
    }
    KILN_ASSIGN_OR_RETURN(out.buffer, pool.take(device, bytes));
    out.isPooled = true;
    return out.buffer.binding();
  }

private:
  static Result<KilnBinding> placeInBuffer(RunOutput &out, const KilnTensor &tensor, uint64_t bytes) {
    const Buffer &buffer = tensor.buffer->buffer;
    uint64_t room = buffer.bytes() - tensor.buffer_offset;
    if (bytes > room)
      return invalidArgument("a buffer with {} bytes was given; it needs {}", room, bytes);
    KILN_ASSIGN_OR_RETURN(out.buffer, buffer.subrange(tensor.buffer_offset, bytes));
    return out.buffer.binding();
  }

  Run &run;
  Device &device;
  BufferPool &pool;
  std::span<KilnTensor *const> given;
  const bool mayBorrow;
};

} // namespace

Result<LoadedProgramRef>
Session::programFor(const ModelRef &model, std::span<const std::vector<int64_t>> inputDims, bool precompile) {
  if (latestCounted.load(std::memory_order_relaxed) != model.get()) {
    countImport(*model);
    latestCounted.store(model.get(), std::memory_order_relaxed);
  }
  return programs.find(model, inputDims, precompile);
}

// Where the device reads an input: the embedder's own memory if it may be borrowed until the run has ended,
// else a copy.
Result<KilnBinding> Session::placeInput(Run &run, const KilnTensor &tensor, bool mayBorrow) {
  uint64_t bytes = *denseBytes(tensor.dtype, dimsOf(tensor));
  uint64_t alignment = theDevice->description().alignmentBytes;
  bool hostMemory = theDevice->description().memoryIsHostMemory;
  if (tensor.buffer) {
    KILN_ASSIGN_OR_RETURN(Buffer part, tensor.buffer->buffer.subrange(tensor.buffer_offset, bytes));
    if (&part.device() != theDevice.get())
      return invalidArgument("buffer of device '{}'; the session's is '{}'", part.device().name(),
                             theDevice->name());
    if (part.address() % alignment == 0) {
      run.held.push_back(part);
      return part.binding();
    }
    KILN_ASSIGN_OR_RETURN(Buffer copy, pool.take(*theDevice, bytes));
    run.staging.push_back(copy);
    run.held.push_back(part);
    if (bytes > 0)
      KILN_RETURN_IF_ERROR(theQueue->copy(copy.address(), part.address(), bytes));
    return copy.binding();
  }
  bool dense = isDense(tensor);
  bool aligned = reinterpret_cast<uintptr_t>(tensor.data) % alignment == 0;
  if (dense && aligned && mayBorrow && hostMemory && bytes > 0)
    return KilnBinding{reinterpret_cast<KilnDeviceAddress>(tensor.data), bytes};
  KILN_ASSIGN_OR_RETURN(Buffer copy, pool.take(*theDevice, bytes));
  run.staging.push_back(copy);
  if (bytes == 0)
    return copy.binding();
  if (hostMemory) { // the pool gives back only what the queue has passed
    KILN_ASSIGN_OR_RETURN(void *to, theDevice->map(copy));
    dense ? (void)std::memcpy(to, tensor.data, bytes) : gatherDense(tensor, to);
    return copy.binding();
  }
  const void *from = tensor.data;
  if (!dense || !mayBorrow) {
    std::vector<uint8_t> &host = run.hostStaging.emplace_back(bytes);
    dense ? (void)std::memcpy(host.data(), tensor.data, bytes) : gatherDense(tensor, host.data());
    from = host.data();
  }
  KILN_RETURN_IF_ERROR(theQueue->write(copy.address(), from, bytes));
  return copy.binding();
}

Result<std::shared_ptr<Run>> Session::run(const ModelRef &model, std::span<const KilnTensor> inputs,
                                          std::span<KilnTensor> outputs, const RunOptions &options) {
  KILN_RETURN_IF_ERROR(theDevice->checkProcess()); // before the lock: a lost thread may hold it
  KILN_ASSIGN_OR_RETURN(auto tensors, matchInputs(model->inputs(), inputs, TensorNeeds::Data));
  std::vector<KilnTensor *> given;
  if (!outputs.empty()) {
    KILN_ASSIGN_OR_RETURN(given, matchOutputs(model->outputs(), outputs));
  }
  RunSettings settings;
  if (options.timeoutNs != 0) {
    auto now = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    if (__builtin_add_overflow(now, options.timeoutNs, &settings.deadlineNs))
      settings.deadlineNs = KILN_WAIT_FOREVER;
  }
  std::vector<std::vector<int64_t>> inputDims = dimsOf(tensors);
  KILN_ASSIGN_OR_RETURN(LoadedProgramRef program, programFor(model, inputDims, options.precompile));
  auto run = std::make_shared<Run>(shared_from_this(), std::move(program));
  if (options.profile)
    settings.profile = &run->theProfile;
  settings.wantsSpans = options.wantsSpans;
  Status status = queueRun(*run, tensors, inputDims, given, options, settings);
  if (status.ok() && options.asynchronous)
    return run;
  if (status.ok()) {
    uint64_t timeout = KILN_WAIT_FOREVER;
    if (options.timeoutNs != 0) {
      auto now = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
      timeout = now >= settings.deadlineNs ? 0 : settings.deadlineNs - now;
    }
    status = theQueue->synchronize(timeout);
  }
  if (status.code() == Code::DeadlineExceeded) // what is left of it by now is in the queue's error
    status = withContext(status, "timeout of {:g} ms", static_cast<double>(options.timeoutNs) * 1e-6);
  KILN_RETURN_IF_ERROR(finishQueued(run, status));
  return run;
}

// Places inputs, launches, reads outputs back; nothing of it waits for the device unless the program does.
Status Session::queueRun(Run &run, std::span<const KilnTensor *const> inputs,
                         std::span<const std::vector<int64_t>> inputDims, std::span<KilnTensor *const> given,
                         const RunOptions &options, RunSettings settings) {
  // What is not waited for to the end must not use the caller's memory; what an embedder gives for outputs it
  // keeps.
  bool mayBorrowInputs = !options.asynchronous && options.timeoutNs == 0;
  bool mayBorrowOutputs = options.timeoutNs == 0;
  std::vector<RunInput> runInputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Result<KilnBinding> placed = placeInput(run, *inputs[i], mayBorrowInputs);
    if (!placed.ok())
      return withContext(placed.status(), "input '{}'", run.model().inputs()[i].name);
    runInputs.push_back({*placed, inputDims[i]});
  }
  {
    std::scoped_lock lock(run.theProgram->running);
    RunOutputs provider(run, *theDevice, pool, given, mayBorrowOutputs);
    KILN_RETURN_IF_ERROR(run.theProgram->interpreter->run(runInputs, provider, settings));
    for (uint32_t i = 0; i < run.theOutputs.size(); ++i) {
      std::span<const int64_t> dims = run.theProgram->interpreter->outputDims(i);
      run.theOutputs[i].dims.assign(dims.begin(), dims.end());
    }
  }
  KILN_RETURN_IF_ERROR(describeOutputs(run, given));
  if (!options.asynchronous)
    return {};
  KILN_ASSIGN_OR_RETURN(run.done, theDevice->createEvent());
  KILN_RETURN_IF_ERROR(theQueue->signal(*run.done));
  return theQueue->flush();
}

// Fills the given tensors in, and queues the copies to those in host memory.
Status Session::describeOutputs(Run &run, std::span<KilnTensor *const> given) {
  for (uint32_t i = 0; i < run.theOutputs.size(); ++i) {
    RunOutput &out = run.theOutputs[i];
    KilnDType dtype = run.model().outputs()[i].dtype;
    out.bytes = *denseBytes(dtype, out.dims);
    KilnTensor *tensor = given.empty() ? nullptr : given[i];
    if (!tensor)
      continue;
    tensor->dtype = dtype;
    tensor->rank = static_cast<uint32_t>(out.dims.size());
    std::copy(out.dims.begin(), out.dims.end(), tensor->dims);
    std::fill(std::begin(tensor->strides), std::end(tensor->strides), 0);
    if (tensor->data && !out.host && out.bytes > 0) {
      KILN_RETURN_IF_ERROR(theQueue->read(tensor->data, out.buffer.address(), out.bytes));
      out.host = tensor->data;
    }
  }
  return {};
}

// After an error, part of the run may still be queued and use the caller's memory or the run's.
Status Session::finishQueued(std::shared_ptr<Run> run, const Status &status) {
  if (status.ok()) {
    run->isFinished = true;
    return status;
  }
  if (status.code() == Code::DeadlineExceeded) {
    std::scoped_lock lock(mutex);
    abandoned.push_back(std::move(run));
    return withContext(status, "run of '{}'", abandoned.back()->model().name());
  }
  (void)theQueue->synchronize(); // a poisoned queue says again what `status` says
  run->isFinished = true;
  return status;
}

Run::~Run() {
  if (session->device().isDefunct())
    return;
  if (!isFinished)
    (void)session->theQueue->synchronize();
  for (RunOutput &out : theOutputs)
    if (out.isPooled)
      session->pool.give(std::move(out.buffer));
  for (Buffer &buffer : staging)
    session->pool.give(std::move(buffer));
}

Status Run::wait(uint64_t timeoutNs) {
  if (isFinished)
    return {};
  KILN_RETURN_IF_ERROR(done->wait(timeoutNs));
  isFinished = true;
  return {};
}

Result<void *> Run::hostData(size_t index) {
  RunOutput &out = theOutputs[index];
  KILN_RETURN_IF_ERROR(wait(KILN_WAIT_FOREVER));
  if (out.host || out.bytes == 0)
    return out.host;
  if (session->device().description().memoryIsHostMemory) {
    KILN_ASSIGN_OR_RETURN(out.host, session->device().map(out.buffer));
    return out.host;
  }
  out.copy.resize(out.bytes);
  KILN_ASSIGN_OR_RETURN(Buffer part, out.buffer.subrange(0, out.bytes));
  KILN_RETURN_IF_ERROR(session->read(part, out.copy.data()));
  out.host = out.copy.data();
  return out.host;
}

} // namespace kiln
