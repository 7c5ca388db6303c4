// kiln/kiln.h: the C API of libkiln_runtime: load a model or a program, run it on a device, read the results.
//
// The only ABI promise to embedders. Unless a declaration says otherwise: structs start with struct_size and
// are zeroed before use, may grow at their end with a minor version and are understood by both sides as far
// as struct_size reaches; those without it (KilnStr, KilnAllocator, KilnParallelFor, KilnLaunchCounter,
// KilnLaunchSpan) and KilnTensor, which comes in arrays, never change; strings
// are pointer + length, borrowed for the call; out-parameters are untouched on error; an error is returned as
// a KilnStatus that the caller frees with kiln_status_free; objects are released with their _release
// function, once; functions are safe from any thread, those on one KilnRun from one thread at a time. A walk
// through: docs/howto/embed-the-runtime.md.
#ifndef KILN_KILN_H
#define KILN_KILN_H

#include "kiln/backend.h" // KilnStr, KilnCode, KilnStatus, KilnDType, KilnAllocator, KilnParallelFor

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_API __attribute__((visibility("default")))

typedef struct KilnInstance KilnInstance; // the runtime: backends found, options, caches
typedef struct KilnSession KilnSession;   // an opened device with a queue and its loaded programs
typedef struct KilnModel KilnModel;       // an imported model, or a program file
typedef struct KilnBuffer KilnBuffer;     // memory of one device

// ---- Status and values ----------------------------------------------------------------------------------

KILN_API KilnCode kiln_status_code(KilnStatus status);   // KILN_OK for null
KILN_API KilnStr kiln_status_message(KilnStatus status); // borrowed from the status
KILN_API const char *kiln_code_name(KilnCode code);      // "INVALID_ARGUMENT"; static
KILN_API void kiln_status_free(KilnStatus status);       // null is allowed

KILN_API const char *kiln_version(void);               // "0.1.0"; static
KILN_API uint32_t kiln_dtype_bits(KilnDType dtype);    // 0 for an unknown one
KILN_API const char *kiln_dtype_name(KilnDType dtype); // "f32"; static, "invalid" for an unknown one

// ---- Instance -------------------------------------------------------------------------------------------

typedef struct KilnInstanceOptions {
  size_t struct_size;
  const KilnStr *backend_dirs; // searched first for *.kiln.json
  size_t backend_dir_count;
  uint32_t autoload; // 0: KILN_BACKEND_AUTOLOAD decides (default on); 1: on; 2: off, API directories only
  uint32_t reserved;
  const KilnStr *package_dirs; // handed over by Python packages: each site-packages/kiln_backends; searched
  size_t package_dir_count;    // after KILN_BACKEND_PATH, and not at all where autoload is off
  const KilnStr *default_devices; // tried in order where a session names no device, before KILN_DEVICE
  size_t default_device_count;
} KilnInstanceOptions;

// Finds backends' manifests (level L0); loads none. options may be null.
KILN_API KilnStatus kiln_instance_create(const KilnInstanceOptions *options, KilnInstance **out_instance);
KILN_API void kiln_instance_release(KilnInstance *instance); // sessions and models first

// Loads a backend again whose load has failed; without this a failure stays, with its first reason. OK also
// if it is ready. NOT_FOUND no such backend, with the list; else why it failed this time.
KILN_API KilnStatus kiln_instance_retry_backend(KilnInstance *instance, KilnStr backend);

// Calls the shutdown of every backend that this process has loaded, the last loaded first, for programs that
// must leave devices in a known state; exit alone calls none. Afterwards no device can be opened.
// FAILED_PRECONDITION while devices are open.
KILN_API KilnStatus kiln_shutdown(void);

// One device that sessions can be opened on. Strings live until the instance is released.
typedef struct KilnDeviceEntry {
  size_t struct_size;
  KilnStr name;    // "host:0"
  KilnStr backend; // "host"
  KilnStr description;
  KilnDeviceKind kind;
  uint32_t computes_nothing; // 1: accepts launches but runs none, to measure overhead
  uint64_t memory_bytes;
  uint32_t simulated_time; // 1: KilnLaunchRecord.cycles is deterministic
  uint32_t reserved;       // 0
} KilnDeviceEntry;
// Calls visit for each device of each backend that can be loaded (level L2).
KILN_API KilnStatus kiln_instance_devices(KilnInstance *instance,
                                          void (*visit)(void *arg, const KilnDeviceEntry *entry), void *arg);

// What a compiler is told of a device type: triple, features, and the element types that it holds and
// computes in (KilnTargetInfo.storage_types, arithmetic_types), for frontends that choose types ahead. No
// device need be present; device_options: "key=value;...". Strings live until the process ends. NOT_FOUND no
// such device type.
KILN_API KilnStatus kiln_instance_target(KilnInstance *instance, KilnStr device_type, KilnStr device_options,
                                         KilnTargetInfo *out_target);

// ---- Session --------------------------------------------------------------------------------------------

typedef struct KilnSessionOptions {
  size_t struct_size;
  KilnStr device;   // "host", "npu:1", an alias; "" or "auto": the default device
  uint32_t threads; // host threads for computing; 0: the device's choice
  uint32_t reserved;
  uint64_t memory_limit_bytes; // 0: the device's
  KilnStr device_options;      // "key=value;..." as the backend's manifest declares
  KilnAllocator allocator;     // zeroed: the device's own
  KilnParallelFor parallel;    // zeroed: the device's own threads. A device whose cores take turns (npu in
                               // timing and estimate modes) computes on the queue's thread
  KilnStr dump_dir;            // "": none; the IR after every stage is written there
} KilnSessionOptions;

// Opens a device. NOT_FOUND an unknown name, with every backend's state and reason in the message;
// UNAVAILABLE.
KILN_API KilnStatus kiln_session_open(KilnInstance *instance, const KilnSessionOptions *options,
                                      KilnSession **out_session);
KILN_API void kiln_session_release(KilnSession *session);   // waits for its queue
KILN_API KilnStr kiln_session_device(KilnSession *session); // "host:0"; borrowed
// Waits for all runs. DEADLINE_EXCEEDED after timeout_ns, KILN_WAIT_FOREVER never; a poisoned queue's error.
KILN_API KilnStatus kiln_session_synchronize(KilnSession *session, uint64_t timeout_ns);
// Heals a queue that a fault has poisoned: until then every run and wait of the session returns the fault,
// with the kernel's name and source location. What was queued is dropped; other sessions never noticed.
KILN_API KilnStatus kiln_session_reset(KilnSession *session);
// What the session's device has allocated.
KILN_API KilnStatus kiln_session_memory(KilnSession *session, KilnMemoryStats *out_stats);

// ---- Buffers and tensors --------------------------------------------------------------------------------

// Buffers are references: released once each, the memory goes with the last, which may outlive the session's
// other uses of it. write and read are queued behind the session's runs and waited for; they return the
// queue's error. RESOURCE_EXHAUSTED says what is free.
KILN_API KilnStatus kiln_buffer_allocate(KilnSession *session, uint64_t bytes, KilnBuffer **out_buffer);
// Wraps host memory without a copy where the device can; UNIMPLEMENTED elsewhere. `release` (may be null) is
// called when the last user is gone.
KILN_API KilnStatus kiln_buffer_import_host(KilnSession *session, void *data, uint64_t bytes,
                                            void (*release)(void *arg), void *arg, KilnBuffer **out_buffer);
// A new reference to a part of a buffer. OUT_OF_RANGE beyond its end.
KILN_API KilnStatus kiln_buffer_subrange(KilnBuffer *buffer, uint64_t offset, uint64_t bytes,
                                         KilnBuffer **out_buffer);
// A new reference to the `bytes` at an address that lies in a buffer or an import of the session's device,
// for embedders that pass device pointers around. NOT_FOUND no living buffer holds them.
KILN_API KilnStatus kiln_buffer_at(KilnSession *session, KilnDeviceAddress address, uint64_t bytes,
                                   KilnBuffer **out_buffer);
KILN_API KilnStatus kiln_buffer_write(KilnBuffer *buffer, uint64_t offset, const void *data, uint64_t bytes);
KILN_API KilnStatus kiln_buffer_read(KilnBuffer *buffer, uint64_t offset, void *data, uint64_t bytes);
KILN_API KilnDeviceAddress kiln_buffer_address(KilnBuffer *buffer);
KILN_API uint64_t kiln_buffer_bytes(KilnBuffer *buffer);
KILN_API void kiln_buffer_release(KilnBuffer *buffer);

#define KILN_MAX_RANK 16

// A tensor: where it lies and what it is. Exactly one of `data` (host memory) and `buffer` (device memory) is
// set.
typedef struct KilnTensor {
  size_t struct_size;
  KilnStr name; // port name; "" goes by position
  KilnDType dtype;
  uint32_t rank; // at most KILN_MAX_RANK
  int64_t dims[KILN_MAX_RANK];
  int64_t strides[KILN_MAX_RANK]; // in elements; all 0: row-major and dense
  void *data;                     // host memory; for inputs not written to
  uint64_t data_bytes;
  KilnBuffer *buffer;
  uint64_t buffer_offset;
} KilnTensor;

// DLPack: `managed` is a DLManagedTensor*. Import takes ownership on success and keeps the tensor alive as
// long as *out_tensor's buffer lives; export hands out a tensor whose deleter releases its reference.
// INVALID_ARGUMENT what is no tensor, or lies outside its memory. UNIMPLEMENTED no copy-free way: a device
// that imports no host memory, a tensor of another device, an element type that only one side knows (fp8, i4,
// u4), export of a tensor that is not dense. An imported tensor keeps its strides; a run takes dense ones
// only.
KILN_API KilnStatus kiln_tensor_from_dlpack(KilnSession *session, void *managed, KilnTensor *out_tensor);
KILN_API KilnStatus kiln_tensor_to_dlpack(KilnSession *session, const KilnTensor *tensor, void **out_managed);

// ---- Models and programs --------------------------------------------------------------------------------

typedef struct KilnModelOptions {
  size_t struct_size;
  KilnStr format;           // "onnx", "mlir", "program"; "": by the file's content, then its name
  KilnStr function;         // of a .mlir file with several; "": the only one, or "main"
  KilnStr name;             // shown in messages; "": the file's name
  const KilnTensor *inputs; // inputs (data may be null) whose shapes the model is imported for, by name or
  size_t input_count;       // position; none: for every shape that it declares
  KilnDType precision;      // KILN_F16 or KILN_BF16: computes the model's f32 tensors in it; 0: as they are.
  uint32_t reserved;        // Inputs and outputs stay f32, integers and quantised parts keep their types
} KilnModelOptions;

// Loads a model. Program files and bundles open no compiler, nor does a model that the cache knows; others
// open libkiln_compiler.
// Some models can be imported for known input shapes only, since an extent decides the rank of a tensor or
// which branch is there at all. Without `inputs` in the options, such a model loads with the outputs that it
// declares, and is imported again for each set of shapes that it is run or prepared with.
// INVALID_ARGUMENT a malformed file, with a location; shapes that contradict it. UNIMPLEMENTED lists every
// unsupported operator.
KILN_API KilnStatus kiln_model_load_file(KilnInstance *instance, KilnStr path,
                                         const KilnModelOptions *options, KilnModel **out_model);
// The bytes are borrowed for the call.
KILN_API KilnStatus kiln_model_load_memory(KilnInstance *instance, const void *data, size_t bytes,
                                           const KilnModelOptions *options, KilnModel **out_model);
KILN_API void kiln_model_release(KilnModel *model);

// Calls visit with the name of each function of a file that kiln_model_load_file can load, in file order.
KILN_API KilnStatus kiln_model_functions(KilnInstance *instance, KilnStr path,
                                         const KilnModelOptions *options,
                                         void (*visit)(void *arg, KilnStr function), void *arg);

// One input or output as the model declares it. dims: -1 for a dynamic extent. Strings live with the model.
typedef struct KilnPortInfo {
  size_t struct_size;
  KilnStr name;
  KilnDType dtype;
  uint32_t rank;
  int64_t dims[KILN_MAX_RANK];
  KilnStr dim_names[KILN_MAX_RANK];
} KilnPortInfo;
KILN_API size_t kiln_model_input_count(KilnModel *model);
KILN_API size_t kiln_model_output_count(KilnModel *model);
KILN_API KilnStatus kiln_model_input(KilnModel *model, size_t index, KilnPortInfo *out_info); // OUT_OF_RANGE
KILN_API KilnStatus kiln_model_output(KilnModel *model, size_t index, KilnPortInfo *out_info);

// ---- Running --------------------------------------------------------------------------------------------

typedef struct KilnRun KilnRun; // the results of one run

typedef struct KilnLaunchRecord { // one launch of a profiled run; strings live with the KilnRun
  size_t struct_size;
  KilnStr name, kernel_key, code_template, location;
  uint64_t start_ns, end_ns, cycles;
  double flops, traffic_bytes; // 0 if the kernel does not say
} KilnLaunchRecord;

typedef struct KilnRunOptions {
  size_t struct_size;
  uint64_t timeout_ns;   // 0: none
  uint32_t precompile;   // 1: compile all kernels in parallel before the first launch
  uint32_t profile;      // 1: keep a KilnLaunchRecord of every launch; 2: and its spans
  uint32_t asynchronous; // 1: return when queued; wait with kiln_run_wait
  uint32_t reserved;
} KilnRunOptions;

// Runs a model: binds inputs by name (or position), builds or finds the program for their shapes, launches.
// INVALID_ARGUMENT names the input, what was expected and what came. Inputs on the host are copied before
// return.
KILN_API KilnStatus kiln_session_run(KilnSession *session, KilnModel *model, const KilnTensor *inputs,
                                     size_t input_count, const KilnRunOptions *options, KilnRun **out_run);
// The same with memory for outputs: each KilnTensor names an output and has data or a buffer of the right
// size; its rank and dims are filled in. After DEADLINE_EXCEEDED, and while an asynchronous run goes on, the
// device may still write there: the memory must stay until kiln_run_wait or kiln_session_synchronize has
// returned something else.
KILN_API KilnStatus kiln_session_run_into(KilnSession *session, KilnModel *model, const KilnTensor *inputs,
                                          size_t input_count, KilnTensor *outputs, size_t output_count,
                                          const KilnRunOptions *options, KilnRun **out_run);
// Makes everything ready for these input shapes (data may be null): program, kernels, weights.
KILN_API KilnStatus kiln_session_prepare(KilnSession *session, KilnModel *model, const KilnTensor *inputs,
                                         size_t input_count);
// Waits for an asynchronous run; returns at once for another. DEADLINE_EXCEEDED after timeout_ns, the run
// goes on; the queue's error.
KILN_API KilnStatus kiln_run_wait(KilnRun *run, uint64_t timeout_ns);
KILN_API size_t kiln_run_output_count(KilnRun *run);
// dtype, dims, and the data in host memory (copied there at the first call), borrowed until the run is
// released.
KILN_API KilnStatus kiln_run_output(KilnRun *run, size_t index, KilnTensor *out_tensor);
// The same on the device, no copy; the buffer is a new reference that the caller releases.
KILN_API KilnStatus kiln_run_output_buffer(KilnRun *run, size_t index, KilnTensor *out_tensor);
KILN_API size_t kiln_run_launch_count(KilnRun *run);
KILN_API KilnStatus kiln_run_launch(KilnRun *run, size_t index, KilnLaunchRecord *out_record);
// What the device counted during a launch, and, of a run with profile = 2, what its units did when; each
// visitor may be null. Nothing, where the device does not tell.
KILN_API KilnStatus kiln_run_launch_details(KilnRun *run, size_t index,
                                            void (*on_counter)(void *arg, const KilnLaunchCounter *counter),
                                            void (*on_span)(void *arg, const KilnLaunchSpan *span),
                                            void *arg);
KILN_API void kiln_run_release(KilnRun *run);

// What a kiln.check op of the model asks for: outputs `got` and `want` of the run are to be compared.
typedef struct KilnCheck {
  size_t struct_size;
  uint32_t exact; // 1: equal; 0: |got - want| <= atol + rtol * |want|. NaN equals NaN either way
  uint32_t reserved;
  size_t got, want; // output indices
  double atol, rtol;
  KilnStr location; // lives with the KilnRun
} KilnCheck;
KILN_API size_t kiln_run_check_count(KilnRun *run);
KILN_API KilnStatus kiln_run_check(KilnRun *run, size_t index, KilnCheck *out_check);

// ---- Testing kernels ------------------------------------------------------------------------------------

// The `kiln.test` attribute of the model's function as JSON, with "results", how many it had before checks;
// "" for models of other formats. Lives with the model. docs/howto/write-a-kernel-test.md
KILN_API KilnStatus kiln_model_test(KilnModel *model, KilnStr *out_json);

// One output as the definitions of the ops give it. `errors`: how far an implementation may be off; null:
// nowhere.
typedef struct KilnReference {
  size_t struct_size;
  KilnDType dtype;
  uint32_t rank;
  int64_t dims[KILN_MAX_RANK];
  const double *values;    // of float types, else null
  const int64_t *integers; // of other types, else null; u64: the same bits
  const double *errors;
  size_t count;
} KilnReference;
// Evaluates the model op by op, in double, slowly and without a device; visits each output in order. Inputs
// are dense and in host memory. UNIMPLEMENTED names an op without a reference; FAILED_PRECONDITION: a program
// file.
KILN_API KilnStatus kiln_model_reference(KilnModel *model, const KilnTensor *inputs, size_t input_count,
                                         void (*visit)(void *arg, const KilnReference *output), void *arg);

// What compiling cost this session so far, and what the caches did.
typedef struct KilnCompileStats {
  size_t struct_size;
  uint64_t import_ns, program_ns, kernel_ns, load_ns; // kernel_ns: summed over threads
  uint64_t programs_built, kernels_compiled, memory_hits, disk_hits, misses, cache_bytes;
  uint64_t
      kernels_wanted; // asked for ahead of a run, cached ones included; those to come show in progress lines
} KilnCompileStats;
KILN_API KilnStatus kiln_session_compile_stats(KilnSession *session, KilnCompileStats *out_stats);

// One stage of the compiler, on a kernel or on the whole model ("main"). Strings are borrowed for the visit.
typedef struct KilnCompileStage {
  size_t struct_size;
  KilnStr stage, unit;
  uint64_t start_ns, end_ns; // steady clock
} KilnCompileStage;
// Calls visit for each stage that ran in this process since the last call; for none if no compiler is open.
KILN_API KilnStatus kiln_instance_compile_stages(KilnInstance *instance,
                                                 void (*visit)(void *arg, const KilnCompileStage *stage),
                                                 void *arg);

// What the caches below memory did for this instance so far.
typedef struct KilnCacheStats {
  size_t struct_size;
  uint64_t directory_hits, read_only_hits, pack_hits, remote_hits;     // entries found, by layer
  uint64_t absent, unreadable, damaged, other_version, other_features; // entries not found, by why
  uint64_t bytes_read, bytes_written, entries_written, write_failures;
  uint64_t quarantined, evicted;
  uint64_t lock_waits, lock_timeouts, waited_us; // for other processes that made the same
  uint64_t saved_us;                             // that the entries found had cost to make
} KilnCacheStats;
KILN_API KilnStatus kiln_instance_cache_stats(KilnInstance *instance, KilnCacheStats *out_stats);

// A model, program or kernel that the caches below memory did not have. Strings are borrowed for the visit.
typedef struct KilnCacheMiss {
  size_t struct_size;
  KilnStr kind, name, key;    // "kernel"; "" for a name that is not known; 64 hex digits
  KilnStr reason, detail;     // "absent", "damaged" ...; of what was found there, "" if nothing was
  KilnStr nearest, differing; // path of the entry whose key comes nearest; fields in which it differs, "a, b"
} KilnCacheMiss;
// Calls visit for each, in order, at most 256. Reads the beginning of every entry of their kinds.
KILN_API KilnStatus kiln_instance_cache_misses(KilnInstance *instance,
                                               void (*visit)(void *arg, const KilnCacheMiss *miss),
                                               void *arg);

typedef struct KilnBundle KilnBundle; // a bundle in the making

typedef struct KilnCompileOptions {
  size_t struct_size;
  KilnStr device_type;    // "host"; no device of the type need be present
  KilnStr device_options; // "key=value;..." as the backend's manifest declares
  KilnBundle *bundle;     // takes what is compiled; may be null
  void (*progress)(void *arg, size_t done,
                   size_t total); // kernels; from several threads, one at a time; may be null
  void *progress_arg;
  KilnStr dump_dir; // "": none; the IR after every stage is written there, of what a cache holds, too
} KilnCompileOptions;
// Compiles a model for a device type and these input shapes (data may be null) into the caches, and, where
// the compiler can, the variant that leaves the extents open which the model declares dynamic. Of these an
// extent may be given as -1, any but 1: then this one variant is compiled. Opens no device, but for a bundle
// that of the target where it is there: the weights are packed ahead. NOT_FOUND no such device type;
// UNIMPLEMENTED lists what the target has no lowering for.
KILN_API KilnStatus kiln_model_compile(KilnInstance *instance, KilnModel *model, const KilnTensor *inputs,
                                       size_t input_count, const KilnCompileOptions *options);

// A file with a model's programs, kernels and weights for one or several devices, to run in a process that
// has no compiler: kiln_model_load_file of the file. Filled by kiln_model_compile; there is no file before
// kiln_bundle_finish, after which nothing can be added. For one thread at a time.
KILN_API KilnStatus kiln_bundle_create(KilnModel *model, KilnStr path, KilnBundle **out_bundle);
KILN_API KilnStatus kiln_bundle_finish(KilnBundle *bundle);
KILN_API void kiln_bundle_release(KilnBundle *bundle); // null is allowed

// Writes the program for these input shapes with its kernel objects and weights, to run in a process that has
// no compiler: kiln_model_load_file of the file. Compiles what is missing. data of the inputs may be null.
KILN_API KilnStatus kiln_program_save(KilnSession *session, KilnModel *model, const KilnTensor *inputs,
                                      size_t input_count, KilnStr path);

// The text or bytes of a model after a stage ("tensor") or from an emitter of the device ("asm"), for these
// input shapes. Handed to `sink` in one call. INVALID_ARGUMENT lists the stages and emitters that there are.
KILN_API KilnStatus kiln_session_emit(KilnSession *session, KilnModel *model, const KilnTensor *inputs,
                                      size_t input_count, KilnStr what,
                                      void (*sink)(void *arg, const void *data, size_t bytes), void *arg);

#ifdef __cplusplus
} // extern "C"
#endif
#endif // KILN_KILN_H
