// CApiModel.cpp: kiln.h: models and their ports.
#include "runtime/CApi.h"
#include "runtime/DType.h"
#include "runtime/TensorBinding.h"

using namespace kiln;
using namespace kiln::capi;

namespace {

Result<Model::Options> modelOptions(const KilnModelOptions *callerOptions) {
  KilnModelOptions given = readOptions(callerOptions);
  Model::Options options{text(given.format), text(given.function), text(given.name), {}, given.precision};
  if (given.precision != KILN_DTYPE_INVALID && given.precision != KILN_F16 && given.precision != KILN_BF16)
    return invalidArgument("options.precision: element type {}; expected f16 or bf16",
                           dtypeName(given.precision));
  if (given.input_count > 0)
    KILN_RETURN_IF_ERROR(required(given.inputs, "options.inputs"));
  for (const KilnTensor &tensor : std::span(given.inputs, given.input_count)) {
    KILN_RETURN_IF_ERROR(checkHeader(tensor, "input", options.shapes.size()));
    if (tensor.rank > KILN_MAX_RANK)
      return invalidArgument("input {}: rank {}; at most {}", options.shapes.size(), tensor.rank,
                             KILN_MAX_RANK);
    options.shapes.emplace_back(text(tensor.name),
                                std::vector<int64_t>(tensor.dims, tensor.dims + tensor.rank));
  }
  return options;
}

KilnStatus load(KilnInstance *instance, const std::string &path, ByteSpan bytes,
                const KilnModelOptions *options, KilnModel **outModel) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(instance, "instance"));
    KILN_RETURN_IF_ERROR(required(outModel, "out_model"));
    KILN_ASSIGN_OR_RETURN(Model::Options known, modelOptions(options));
    KILN_ASSIGN_OR_RETURN(ModelRef model, Model::load(instance->instance, path, bytes, known));
    *outModel = new KilnModel{std::move(model)};
    return {};
  });
}

KilnStatus describePort(const std::vector<ModelPort> &ports, const char *kind, size_t index,
                        KilnPortInfo *outInfo) {
  return guarded([&]() -> Status {
    if (index >= ports.size())
      return outOfRange("{} {}; the model has {}", kind, index, ports.size());
    const ModelPort &port = ports[index];
    KilnPortInfo info = {};
    info.name = toStr(port.name);
    info.dtype = port.dtype;
    info.rank = static_cast<uint32_t>(port.dims.size());
    std::copy(port.dims.begin(), port.dims.end(), info.dims);
    for (size_t i = 0; i < port.dimNames.size(); ++i)
      info.dim_names[i] = toStr(port.dimNames[i]);
    return writeOut(outInfo, info, "out_info");
  });
}

} // namespace

KilnStatus kiln_model_load_file(KilnInstance *instance, KilnStr path, const KilnModelOptions *options,
                                KilnModel **outModel) {
  if (path.size == 0)
    return toC(invalidArgument("argument 'path': empty; expected a file's name"));
  return load(instance, text(path), {}, options, outModel);
}

KilnStatus kiln_model_load_memory(KilnInstance *instance, const void *data, size_t bytes,
                                  const KilnModelOptions *options, KilnModel **outModel) {
  if (!data || bytes == 0)
    return toC(invalidArgument("argument 'data': {} bytes; expected a model", bytes));
  return load(instance, "", {static_cast<const uint8_t *>(data), bytes}, options, outModel);
}

void kiln_model_release(KilnModel *model) { delete model; }

KilnStatus kiln_model_functions(KilnInstance *instance, KilnStr path, const KilnModelOptions *options,
                                void (*visit)(void *arg, KilnStr function), void *arg) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(instance, "instance"));
    KILN_RETURN_IF_ERROR(required(reinterpret_cast<const void *>(visit), "visit"));
    KILN_ASSIGN_OR_RETURN(Model::Options known, modelOptions(options));
    return Model::visitFunctions(*instance->instance, text(path), known,
                                 [&](std::string_view function) { visit(arg, toStr(function)); });
  });
}

size_t kiln_model_input_count(KilnModel *model) { return model ? model->model->inputs().size() : 0; }
size_t kiln_model_output_count(KilnModel *model) { return model ? model->model->outputs().size() : 0; }

KilnStatus kiln_model_input(KilnModel *model, size_t index, KilnPortInfo *outInfo) {
  if (KilnStatus status = toC(required(model, "model")))
    return status;
  return describePort(model->model->inputs(), "input", index, outInfo);
}

KilnStatus kiln_model_output(KilnModel *model, size_t index, KilnPortInfo *outInfo) {
  if (KilnStatus status = toC(required(model, "model")))
    return status;
  return describePort(model->model->outputs(), "output", index, outInfo);
}

KilnStatus kiln_model_test(KilnModel *model, KilnStr *outJson) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(model, "model"));
    KILN_RETURN_IF_ERROR(required(outJson, "out_json"));
    KILN_ASSIGN_OR_RETURN(std::string_view test, model->model->test());
    *outJson = toStr(test);
    return {};
  });
}

KilnStatus kiln_model_reference(KilnModel *model, const KilnTensor *inputs, size_t inputCount,
                                void (*visit)(void *arg, const KilnReference *output), void *arg) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(model, "model"));
    KILN_RETURN_IF_ERROR(required(reinterpret_cast<const void *>(visit), "visit"));
    if (inputCount > 0)
      KILN_RETURN_IF_ERROR(required(inputs, "inputs"));
    KILN_ASSIGN_OR_RETURN(auto tensors,
                          matchInputs(model->model->inputs(), {inputs, inputCount}, TensorNeeds::Data));
    for (const KilnTensor *tensor : tensors)
      if (!isDense(*tensor))
        return invalidArgument("input '{}': strided; the reference reads dense tensors", text(tensor->name));
    return model->model->reference(tensors, [&](const KilnReferenceResult &result) {
      KilnReference output = {};
      output.struct_size = sizeof(output);
      output.dtype = result.dtype;
      output.rank = std::min<uint32_t>(result.rank, KILN_MAX_RANK);
      std::copy_n(result.dims, output.rank, output.dims);
      output.values = result.values;
      output.integers = result.integers;
      output.errors = result.errors;
      output.count = result.count;
      visit(arg, &output);
    });
  });
}
