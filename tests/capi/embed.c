// embed.c: a C program that embeds libkiln_runtime: loads a model, runs it, saves it as a program and runs
// that.
//
//   embed MODEL DEVICE PROGRAM_TO_WRITE
// Prints the outputs and exits with 0 if both runs agree. The parts between [anchors] stand in
// docs/howto/embed-the-runtime.md.
#include <kiln/kiln.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PORTS 8
#define DEFAULT_EXTENT 1 // for extents that the model leaves open

// [check]
static void check(KilnStatus status, const char *what) {
  if (!status)
    return;
  KilnStr message = kiln_status_message(status);
  fprintf(stderr, "embed: error: %s: %s: %.*s\n", what, kiln_code_name(kiln_status_code(status)),
          (int)message.size, message.data);
  kiln_status_free(status);
  exit(3);
}
// [/check]

static KilnStr str(const char *text) {
  KilnStr result = {text, strlen(text)};
  return result;
}

static size_t element_count(const KilnTensor *tensor) {
  size_t count = 1;
  for (uint32_t i = 0; i < tensor->rank; ++i)
    count *= (size_t)tensor->dims[i];
  return count;
}

// [inputs]
// Fills one tensor for each input of the model: f32 inputs with a ramp, others with zeros.
static size_t make_inputs(KilnModel *model, KilnTensor *tensors) {
  size_t count = kiln_model_input_count(model);
  if (count > MAX_PORTS)
    exit(2);
  for (size_t i = 0; i < count; ++i) {
    KilnPortInfo port = {sizeof(port)};
    check(kiln_model_input(model, i, &port), "input");
    KilnTensor tensor = {sizeof(tensor)};
    tensor.name = port.name;
    tensor.dtype = port.dtype;
    tensor.rank = port.rank;
    for (uint32_t d = 0; d < port.rank; ++d)
      tensor.dims[d] = port.dims[d] < 0 ? DEFAULT_EXTENT : port.dims[d];
    size_t elements = element_count(&tensor);
    tensor.data_bytes = (elements * kiln_dtype_bits(port.dtype) + 7) / 8;
    tensor.data = calloc(1, tensor.data_bytes + 1);
    for (size_t e = 0; port.dtype == KILN_F32 && e < elements; ++e)
      ((float *)tensor.data)[e] = (float)(e % 17) / 17.0f;
    tensors[i] = tensor;
  }
  return count;
}
// [/inputs]

static KilnRun *run_model(KilnSession *session, KilnModel *model, const KilnTensor *inputs, size_t count) {
  // [run]
  KilnRunOptions options = {sizeof(options)};
  options.precompile = 1; // compile all kernels side by side before the first launch
  KilnRun *run = NULL;
  check(kiln_session_run(session, model, inputs, count, &options, &run), "run");
  for (size_t i = 0; i < kiln_run_output_count(run); ++i) {
    KilnTensor output = {sizeof(output)};
    check(kiln_run_output(run, i, &output), "output"); // data is borrowed until kiln_run_release
    printf("%.*s: %s, %zu elements", (int)output.name.size, output.name.data, kiln_dtype_name(output.dtype),
           element_count(&output));
    if (output.dtype == KILN_F32 && output.data_bytes > 0)
      printf(", the first is %g", ((float *)output.data)[0]);
    printf("\n");
  }
  // [/run]
  return run;
}

static int same_outputs(KilnRun *left, KilnRun *right) {
  if (kiln_run_output_count(left) != kiln_run_output_count(right))
    return 0;
  for (size_t i = 0; i < kiln_run_output_count(left); ++i) {
    KilnTensor a = {sizeof(a)}, b = {sizeof(b)};
    check(kiln_run_output(left, i, &a), "output");
    check(kiln_run_output(right, i, &b), "output");
    if (a.data_bytes != b.data_bytes || memcmp(a.data, b.data, a.data_bytes) != 0)
      return 0;
  }
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: embed MODEL DEVICE PROGRAM_TO_WRITE\n");
    return 2;
  }
  // [open]
  KilnInstance *instance = NULL;
  check(kiln_instance_create(NULL, &instance), "instance");
  KilnSessionOptions session_options = {sizeof(session_options)};
  session_options.device = str(argv[2]); // "host", "npu:1"; "" is the default device
  KilnSession *session = NULL;
  check(kiln_session_open(instance, &session_options, &session), "session");
  KilnModel *model = NULL;
  check(kiln_model_load_file(instance, str(argv[1]), NULL, &model), "model");
  // [/open]

  KilnTensor inputs[MAX_PORTS];
  size_t count = make_inputs(model, inputs);
  KilnRun *run = run_model(session, model, inputs, count);

  // [save]
  check(kiln_program_save(session, model, inputs, count, str(argv[3])), "save");
  KilnModel *program = NULL; // needs no compiler, here or in another process
  check(kiln_model_load_file(instance, str(argv[3]), NULL, &program), "program");
  // [/save]
  KilnRun *again = run_model(session, program, inputs, count);
  int same = same_outputs(run, again);

  // [release]
  kiln_run_release(run);
  kiln_run_release(again);
  kiln_model_release(program);
  kiln_model_release(model);
  kiln_session_release(session);
  kiln_instance_release(instance);
  // [/release]
  for (size_t i = 0; i < count; ++i)
    free(inputs[i].data);
  printf("the saved program %s\n", same ? "gives the same outputs" : "gives OTHER outputs");
  return same ? 0 : 1;
}
