// features.c: what kiln.h offers beside a plain run, from C: own allocator and threads, DLPack in and out,
// imported memory, asynchronous runs, choice of
// devices, errors, poisoning and reset.
//
//   features MODEL FOLDER_OF_BACKEND_FAULTY
// MODEL has one f32 input and one output. Exits with 0 if everything holds, else names what does not.
#include <kiln/kiln.h>

#include <dlpack/dlpack.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_EXTENT 20000 // of dynamic extents: enough that kernels are worth several threads

#define EXPECT(condition)                                                                                    \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "features.c:%d: expected %s\n", __LINE__, #condition);                                 \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)
#define EXPECT_OK(call) expect_status(__LINE__, (call), KILN_OK, "")
// The status has the code and a message that holds `part`.
#define EXPECT_STATUS(call, code, part) expect_status(__LINE__, (call), (code), (part))

static KilnStr str(const char *text) {
  KilnStr result = {text, strlen(text)};
  return result;
}

static void expect_status(int line, KilnStatus status, KilnCode code, const char *part) {
  KilnStr message = status ? kiln_status_message(status) : str("");
  char text[4096];
  snprintf(text, sizeof(text), "%.*s", (int)message.size, message.data ? message.data : "");
  if (kiln_status_code(status) != code || !strstr(text, part)) {
    fprintf(stderr, "features.c:%d: %s: '%s'; expected %s with '%s'\n", line,
            kiln_code_name(kiln_status_code(status)), text, kiln_code_name(code), part);
    exit(1);
  }
  kiln_status_free(status);
}

// ---- The embedder's allocator and threads -----------------------------------------------------------------

struct Counts {
  size_t allocated, freed, parallel_calls;
};

static void *count_allocate(void *self, size_t bytes, size_t alignment) {
  ++((struct Counts *)self)->allocated;
  return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
static void count_deallocate(void *self, void *memory, size_t bytes, size_t alignment) {
  (void)bytes, (void)alignment;
  ++((struct Counts *)self)->freed;
  free(memory);
}
static void run_here(void *self, size_t count, KilnParallelFn fn, void *arg) {
  ++((struct Counts *)self)->parallel_calls;
  for (size_t i = 0; i < count; ++i)
    fn(arg, i);
}

static KilnSession *open_session(KilnInstance *instance, struct Counts *counts) {
  KilnSessionOptions options = {sizeof(options)};
  options.device = str("host");
  options.threads = 2;
  options.allocator.allocate = count_allocate;
  options.allocator.deallocate = count_deallocate;
  options.allocator.self = counts;
  options.parallel.run = run_here;
  options.parallel.self = counts;
  options.parallel.concurrency = 2;
  KilnSession *session = NULL;
  EXPECT_OK(kiln_session_open(instance, &options, &session));
  return session;
}

// ---- Tensors ----------------------------------------------------------------------------------------------

static KilnTensor input_of(KilnModel *model, float *values, uint64_t bytes) {
  KilnPortInfo port = {sizeof(port)};
  EXPECT(kiln_model_input_count(model) == 1);
  EXPECT_OK(kiln_model_input(model, 0, &port));
  EXPECT(port.dtype == KILN_F32);
  KilnTensor tensor = {sizeof(tensor)};
  tensor.name = port.name;
  tensor.dtype = port.dtype;
  tensor.rank = port.rank;
  for (uint32_t i = 0; i < port.rank; ++i)
    tensor.dims[i] = port.dims[i] < 0 ? OPEN_EXTENT : port.dims[i];
  tensor.data = values;
  tensor.data_bytes = bytes;
  return tensor;
}

static uint64_t bytes_of(const KilnTensor *tensor) {
  uint64_t bytes = sizeof(float);
  for (uint32_t i = 0; i < tensor->rank; ++i)
    bytes *= (uint64_t)tensor->dims[i];
  return bytes;
}

static void expect_output(KilnRun *run, const float *want, uint64_t bytes) {
  KilnTensor output = {sizeof(output)};
  EXPECT_OK(kiln_run_output(run, 0, &output));
  EXPECT(output.data_bytes == bytes);
  EXPECT(memcmp(output.data, want, bytes) == 0);
}

static void delete_managed(DLManagedTensor *managed) { ++*(int *)managed->manager_ctx; }

static void test_dlpack(KilnSession *session, KilnModel *model, KilnTensor input, const float *want,
                        uint64_t bytes) {
  int deletions = 0;
  DLManagedTensor managed = {0};
  managed.dl_tensor.data = input.data;
  managed.dl_tensor.device.device_type = kDLCPU;
  managed.dl_tensor.dtype.code = kDLFloat;
  managed.dl_tensor.dtype.bits = 32;
  managed.dl_tensor.dtype.lanes = 1;
  managed.dl_tensor.ndim = (int32_t)input.rank;
  managed.dl_tensor.shape = input.dims;
  managed.manager_ctx = &deletions;
  managed.deleter = delete_managed;
  KilnTensor taken = {sizeof(taken)};
  EXPECT_OK(kiln_tensor_from_dlpack(session, &managed, &taken));
  EXPECT(kiln_buffer_address(taken.buffer) == (KilnDeviceAddress)(uintptr_t)input.data);
  KilnRun *run = NULL;
  EXPECT_OK(kiln_session_run(session, model, &taken, 1, NULL, &run));
  expect_output(run, want, bytes);
  kiln_buffer_release(taken.buffer);

  KilnTensor output = {sizeof(output)};
  EXPECT_OK(kiln_run_output_buffer(run, 0, &output));
  void *exported = NULL;
  EXPECT_OK(kiln_tensor_to_dlpack(session, &output, &exported));
  kiln_buffer_release(output.buffer);
  kiln_run_release(run); // the exported tensor keeps its memory
  EXPECT(deletions == 1);
  DLManagedTensor *out = exported;
  EXPECT(memcmp((char *)out->dl_tensor.data + out->dl_tensor.byte_offset, want, bytes) == 0);
  out->deleter(out);

  managed.dl_tensor.dtype.lanes = 4;
  EXPECT_STATUS(kiln_tensor_from_dlpack(session, &managed, &taken), KILN_UNIMPLEMENTED, "lanes");
  EXPECT(deletions == 1); // what was refused stays the caller's
}

static void count_release(void *arg) { ++*(int *)arg; }

static void test_buffers(KilnSession *session, KilnModel *model, KilnTensor input, const float *want,
                         uint64_t bytes) {
  int releases = 0;
  KilnBuffer *imported = NULL, *part = NULL;
  EXPECT_OK(
      kiln_buffer_import_host(session, input.data, input.data_bytes, count_release, &releases, &imported));
  EXPECT_OK(kiln_buffer_subrange(imported, 0, input.data_bytes, &part));
  EXPECT_STATUS(kiln_buffer_subrange(imported, 4, input.data_bytes, &part), KILN_OUT_OF_RANGE, "");
  kiln_buffer_release(imported);
  input.buffer = part;
  input.data = NULL;
  KilnRun *run = NULL;
  EXPECT_OK(kiln_session_run(session, model, &input, 1, NULL, &run));
  expect_output(run, want, bytes);
  EXPECT(releases == 0);
  kiln_buffer_release(part);
  kiln_run_release(run);
  EXPECT(releases == 1);
}

static void test_asynchronous(KilnSession *session, KilnModel *model, KilnTensor input, const float *want,
                              uint64_t bytes) {
  KilnRunOptions options = {sizeof(options)};
  options.asynchronous = 1;
  KilnRun *runs[3];
  for (int i = 0; i < 3; ++i)
    EXPECT_OK(kiln_session_run(session, model, &input, 1, &options, &runs[i]));
  EXPECT_OK(kiln_session_synchronize(session, KILN_WAIT_FOREVER));
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(kiln_run_wait(runs[i], KILN_WAIT_FOREVER));
    expect_output(runs[i], want, bytes);
    kiln_run_release(runs[i]);
  }
}

static void test_refusals(KilnInstance *instance, KilnSession *session, KilnModel *model, KilnTensor input) {
  KilnRun *run = NULL;
  KilnTensor wrong = input;
  wrong.dtype = KILN_I32;
  EXPECT_STATUS(kiln_session_run(session, model, &wrong, 1, NULL, &run), KILN_INVALID_ARGUMENT, "i32");
  wrong = input;
  wrong.rank += 1;
  wrong.dims[input.rank] = 1;
  EXPECT_STATUS(kiln_session_run(session, model, &wrong, 1, NULL, &run), KILN_INVALID_ARGUMENT, "rank");
  wrong = input;
  wrong.name = str("nobody");
  EXPECT_STATUS(kiln_session_run(session, model, &wrong, 1, NULL, &run), KILN_INVALID_ARGUMENT, "'nobody'");
  EXPECT(run == NULL);
  KilnSessionOptions options = {sizeof(options)};
  options.device = str("nowhere:3");
  KilnSession *other = NULL;
  EXPECT_STATUS(kiln_session_open(instance, &options, &other), KILN_NOT_FOUND, "'nowhere'");
  EXPECT(other == NULL);
  KilnModel *missing = NULL;
  EXPECT_STATUS(kiln_model_load_file(instance, str("/no/such/model.onnx"), NULL, &missing), KILN_NOT_FOUND,
                "/no/such/model.onnx");
}

// A fault poisons its session's queue, and only that, until it is reset.
// The embedder's own default device, a backend loaded again, and what a compiler knows of a device type.
static void test_choices(void) {
  KilnStr order[] = {str("nosuch"), str("null")};
  KilnInstanceOptions options = {sizeof(options)};
  options.default_devices = order;
  options.default_device_count = 2;
  KilnInstance *instance = NULL;
  EXPECT_OK(kiln_instance_create(&options, &instance));
  KilnSessionOptions by_default = {sizeof(by_default)};
  KilnSession *session = NULL;
  EXPECT_OK(kiln_session_open(instance, &by_default, &session));
  KilnStr device = kiln_session_device(session);
  EXPECT(device.size == 6 && memcmp(device.data, "null:0", 6) == 0);
  kiln_session_release(session);

  EXPECT_OK(kiln_instance_retry_backend(instance, str("null")));
  EXPECT_STATUS(kiln_instance_retry_backend(instance, str("nosuch")), KILN_NOT_FOUND, "nosuch");
  KilnTargetInfo target = {sizeof(target)};
  EXPECT_OK(kiln_instance_target(instance, str("host"), str("cpu=x86-64-v3"), &target));
  EXPECT(target.arch.size > 0 && (target.arithmetic_types & KILN_TYPE_BIT(KILN_F64)) != 0);
  EXPECT_STATUS(kiln_instance_target(NULL, str("host"), str(""), &target), KILN_INVALID_ARGUMENT, "instance");
  kiln_instance_release(instance);
}

static void test_poison(const char *folder) {
  KilnStr dir = str(folder);
  KilnInstanceOptions options = {sizeof(options)};
  options.backend_dirs = &dir;
  options.backend_dir_count = 1;
  KilnInstance *instance = NULL;
  EXPECT_OK(kiln_instance_create(&options, &instance));
  KilnSessionOptions session_options = {sizeof(session_options)};
  session_options.device = str("faulty");
  KilnSession *session = NULL, *other = NULL;
  EXPECT_OK(kiln_session_open(instance, &session_options, &session));
  EXPECT_OK(kiln_session_open(instance, &session_options, &other));
  KilnBuffer *buffer = NULL, *untouched = NULL;
  EXPECT_OK(kiln_buffer_allocate(session, 4, &buffer));
  EXPECT_OK(kiln_buffer_allocate(other, 4, &untouched));
  unsigned char good[4] = {1, 2, 3, 4}, bad[4] = {0xff, 0, 0, 0}, back[4] = {0};
  EXPECT_OK(kiln_buffer_write(buffer, 0, good, 4));
  EXPECT_STATUS(kiln_buffer_write(buffer, 0, bad, 4), KILN_INTERNAL, "starts with 0xff");
  EXPECT_STATUS(kiln_buffer_read(buffer, 0, back, 4), KILN_INTERNAL, "starts with 0xff");
  EXPECT_STATUS(kiln_session_synchronize(session, KILN_WAIT_FOREVER), KILN_INTERNAL, "starts with 0xff");
  EXPECT_OK(kiln_buffer_write(untouched, 0, good, 4));
  EXPECT_OK(kiln_session_reset(session));
  EXPECT_OK(kiln_buffer_read(buffer, 0, back, 4));
  EXPECT(memcmp(back, good, 4) == 0);
  kiln_buffer_release(buffer);
  kiln_buffer_release(untouched);
  kiln_session_release(session);
  kiln_session_release(other);
  kiln_instance_release(instance);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: features MODEL FOLDER_OF_BACKEND_FAULTY\n");
    return 2;
  }
  KilnInstance *instance = NULL;
  EXPECT_OK(kiln_instance_create(NULL, &instance));
  struct Counts counts = {0};
  KilnSession *session = open_session(instance, &counts);
  KilnModel *model = NULL;
  EXPECT_OK(kiln_model_load_file(instance, str(argv[1]), NULL, &model));

  KilnTensor input = input_of(model, NULL, 0);
  input.data_bytes = bytes_of(&input);
  float *values = aligned_alloc(64, (input.data_bytes + 63) / 64 * 64);
  for (uint64_t i = 0; i < input.data_bytes / sizeof(float); ++i)
    values[i] = (float)(i % 7) - 3.0f;
  input.data = values;
  KilnRun *first = NULL;
  EXPECT_OK(kiln_session_run(session, model, &input, 1, NULL, &first));
  KilnTensor output = {sizeof(output)};
  EXPECT_OK(kiln_run_output(first, 0, &output));
  EXPECT(counts.allocated > 0);
  EXPECT(counts.parallel_calls > 0);

  test_dlpack(session, model, input, output.data, output.data_bytes);
  test_buffers(session, model, input, output.data, output.data_bytes);
  test_asynchronous(session, model, input, output.data, output.data_bytes);
  test_refusals(instance, session, model, input);
  EXPECT_OK(kiln_session_reset(session)); // nothing to heal is no error
  KilnMemoryStats memory = {sizeof(memory)};
  EXPECT_OK(kiln_session_memory(session, &memory));
  EXPECT(memory.bytes_in_use > 0 && memory.bytes_peak >= memory.bytes_in_use);

  kiln_run_release(first);
  kiln_model_release(model);
  kiln_session_release(session);
  kiln_instance_release(instance);
  free(values);
  EXPECT(counts.allocated == counts.freed);
  test_choices();
  test_poison(argv[2]);
  printf("%zu allocations through the embedder's allocator, %zu calls of its parallel_for\n",
         counts.allocated, counts.parallel_calls);
  return 0;
}
