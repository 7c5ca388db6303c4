// CApiRun.cpp: kiln.h: running, results, profiles, saving, emitting.
#include "runtime/CApi.h"

#include "kiln/schema/Program_generated.h"

using namespace kiln;
using namespace kiln::capi;

namespace {

Status checkArguments(KilnSession *session, KilnModel *model, const KilnTensor *inputs, size_t inputCount) {
  KILN_RETURN_IF_ERROR(required(session, "session"));
  KILN_RETURN_IF_ERROR(required(model, "model"));
  return inputCount > 0 ? required(inputs, "inputs") : Status();
}

KilnStatus run(KilnSession *session, KilnModel *model, const KilnTensor *inputs, size_t inputCount,
               KilnTensor *outputs, size_t outputCount, const KilnRunOptions *callerOptions,
               KilnRun **outRun) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(checkArguments(session, model, inputs, inputCount));
    KILN_RETURN_IF_ERROR(required(outRun, "out_run"));
    KilnRunOptions given = readOptions(callerOptions);
    Session::RunOptions options;
    options.timeoutNs = given.timeout_ns;
    options.precompile = given.precompile != 0;
    options.profile = given.profile != 0;
    options.wantsSpans = given.profile == 2;
    options.asynchronous = given.asynchronous != 0;
    KILN_ASSIGN_OR_RETURN(
        std::shared_ptr<Run> result,
        session->session->run(model->model, {inputs, inputCount}, {outputs, outputCount}, options));
    *outRun = new KilnRun{std::move(result)};
    return {};
  });
}

// What both kinds of output share; data and buffer are the caller's to set.
Result<KilnTensor> describeOutput(Run &run, size_t index) {
  if (index >= run.outputs().size())
    return outOfRange("output {}; the run has {}", index, run.outputs().size());
  const ModelPort &port = run.model().outputs()[index];
  const RunOutput &output = run.outputs()[index];
  KilnTensor tensor = {};
  tensor.struct_size = sizeof(tensor);
  tensor.name = toStr(port.name);
  tensor.dtype = port.dtype;
  tensor.rank = static_cast<uint32_t>(output.dims.size());
  std::copy(output.dims.begin(), output.dims.end(), tensor.dims);
  tensor.data_bytes = output.bytes;
  return tensor;
}

const flatbuffers::Vector<flatbuffers::Offset<schema::Check>> *checksOf(const Run &run) {
  return run.program().file->program().checks();
}

} // namespace

KilnStatus kiln_session_run(KilnSession *session, KilnModel *model, const KilnTensor *inputs,
                            size_t inputCount, const KilnRunOptions *options, KilnRun **outRun) {
  return run(session, model, inputs, inputCount, nullptr, 0, options, outRun);
}

KilnStatus kiln_session_run_into(KilnSession *session, KilnModel *model, const KilnTensor *inputs,
                                 size_t inputCount, KilnTensor *outputs, size_t outputCount,
                                 const KilnRunOptions *options, KilnRun **outRun) {
  if (outputCount > 0 && !outputs)
    return toC(required(nullptr, "outputs"));
  return run(session, model, inputs, inputCount, outputs, outputCount, options, outRun);
}

KilnStatus kiln_session_prepare(KilnSession *session, KilnModel *model, const KilnTensor *inputs,
                                size_t inputCount) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(checkArguments(session, model, inputs, inputCount));
    return session->session->prepare(model->model, {inputs, inputCount});
  });
}

KilnStatus kiln_run_wait(KilnRun *run, uint64_t timeoutNs) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(run, "run"));
    return run->run->wait(timeoutNs);
  });
}

size_t kiln_run_output_count(KilnRun *run) { return run ? run->run->outputs().size() : 0; }

KilnStatus kiln_run_output(KilnRun *run, size_t index, KilnTensor *outTensor) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(run, "run"));
    KILN_ASSIGN_OR_RETURN(KilnTensor tensor, describeOutput(*run->run, index));
    KILN_ASSIGN_OR_RETURN(tensor.data, run->run->hostData(index));
    return writeOut(outTensor, tensor, "out_tensor");
  });
}

KilnStatus kiln_run_output_buffer(KilnRun *run, size_t index, KilnTensor *outTensor) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(run, "run"));
    KILN_ASSIGN_OR_RETURN(KilnTensor tensor, describeOutput(*run->run, index));
    RunOutput &output = run->run->outputs()[index];
    if (!output.buffer)
      return failedPrecondition(
          "output '{}': lies in the host memory that was given for it; it has no buffer",
          run->run->model().outputs()[index].name);
    KILN_RETURN_IF_ERROR(required(outTensor, "out_tensor"));
    auto buffer = std::make_unique<KilnBuffer>();
    KILN_ASSIGN_OR_RETURN(buffer->buffer, output.buffer.subrange(0, output.bytes));
    buffer->session = run->run->sessionRef();
    tensor.buffer = buffer.get();
    KILN_RETURN_IF_ERROR(writeOut(outTensor, tensor, "out_tensor"));
    buffer.release();
    return {};
  });
}

static Result<const LaunchProfile *> launchOf(KilnRun *run, size_t index) {
  KILN_RETURN_IF_ERROR(required(run, "run"));
  KILN_RETURN_IF_ERROR(run->run->wait(KILN_WAIT_FOREVER));
  if (index >= run->run->profile().size())
    return outOfRange("launch {}; the run has {} records", index, run->run->profile().size());
  return &run->run->profile()[index];
}

size_t kiln_run_launch_count(KilnRun *run) { return run ? run->run->profile().size() : 0; }

KilnStatus kiln_run_launch(KilnRun *run, size_t index, KilnLaunchRecord *outRecord) {
  return guarded([&]() -> Status {
    KILN_ASSIGN_OR_RETURN(const LaunchProfile *found, launchOf(run, index));
    const LaunchProfile &profile = *found;
    const KernelMetadata &metadata = profile.launch->handle->metadata();
    KilnLaunchRecord record = {};
    record.name = toStr(profile.launch->name);
    record.kernel_key = toStr(metadata.key);
    record.code_template = toStr(metadata.codeTemplate);
    record.location = toStr(profile.launch->location);
    record.start_ns = profile.times.start_ns;
    record.end_ns = profile.times.end_ns;
    record.cycles = profile.times.cycles;
    record.flops = profile.flops;
    record.traffic_bytes = profile.trafficBytes;
    return writeOut(outRecord, record, "out_record");
  });
}

KilnStatus kiln_run_launch_details(KilnRun *run, size_t index,
                                   void (*onCounter)(void *arg, const KilnLaunchCounter *counter),
                                   void (*onSpan)(void *arg, const KilnLaunchSpan *span), void *arg) {
  return guarded([&]() -> Status {
    KILN_ASSIGN_OR_RETURN(const LaunchProfile *found, launchOf(run, index));
    const LaunchProfile &profile = *found;
    if (onCounter)
      for (const LaunchProfile::Counter &counter : profile.counters) {
        KilnLaunchCounter out = {toStr(counter.name), toStr(counter.unit), counter.value};
        onCounter(arg, &out);
      }
    if (onSpan)
      for (const LaunchProfile::Span &span : profile.spans) {
        KilnLaunchSpan out = {toStr(span.unit), toStr(span.name), toStr(span.stall),
                              span.startCycle,  span.endCycle,    span.stallCycles,
                              span.pc};
        onSpan(arg, &out);
      }
    return {};
  });
}

size_t kiln_run_check_count(KilnRun *run) {
  return run && checksOf(*run->run) ? checksOf(*run->run)->size() : 0;
}

KilnStatus kiln_run_check(KilnRun *run, size_t index, KilnCheck *outCheck) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(run, "run"));
    if (index >= kiln_run_check_count(run))
      return outOfRange("check {}; the run has {}", index, kiln_run_check_count(run));
    const schema::Check &check = *checksOf(*run->run)->Get(static_cast<uint32_t>(index));
    KilnCheck result = {};
    result.exact = check.kind() == schema::CheckKind::Equal;
    result.got = check.got();
    result.want = check.want();
    result.atol = check.atol();
    result.rtol = check.rtol();
    if (check.location())
      result.location = {check.location()->c_str(), check.location()->size()};
    return writeOut(outCheck, result, "out_check");
  });
}

void kiln_run_release(KilnRun *run) { delete run; }

KilnStatus kiln_program_save(KilnSession *session, KilnModel *model, const KilnTensor *inputs,
                             size_t inputCount, KilnStr path) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(checkArguments(session, model, inputs, inputCount));
    if (path.size == 0)
      return invalidArgument("argument 'path': empty; expected a file's name");
    return session->session->save(model->model, {inputs, inputCount}, text(path));
  });
}

KilnStatus kiln_session_emit(KilnSession *session, KilnModel *model, const KilnTensor *inputs,
                             size_t inputCount, KilnStr what,
                             void (*sink)(void *arg, const void *data, size_t bytes), void *arg) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(checkArguments(session, model, inputs, inputCount));
    KILN_RETURN_IF_ERROR(required(reinterpret_cast<const void *>(sink), "sink"));
    KILN_ASSIGN_OR_RETURN(OwnedBytes bytes,
                          session->session->emit(model->model, {inputs, inputCount}, text(what)));
    sink(arg, bytes.bytes.data(), bytes.bytes.size());
    return {};
  });
}
