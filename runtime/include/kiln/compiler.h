// kiln/compiler.h: the C table between libkiln_runtime and libkiln_compiler (dialects, jit, importers).
//
// The runtime opens libkiln_compiler with dlopen at the first kernel that no cache has, or when a tool needs
// IR, and reaches it through this table only; jit/ reaches the runtime only through KilnCompilerHost. Rules
// for structs, strings, errors and threads: kiln/backend.h. Without struct_size, and so never to change:
// KilnBlob, KilnStageExtension, KilnModelPort, KilnWeight, KilnStageRecord, KilnPassEntry.
#ifndef KILN_COMPILER_H
#define KILN_COMPILER_H

#include "kiln/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bytes with their owner: hand `owner` to `release` once (null: nothing to release).
typedef struct KilnBlob {
  const void *data;
  size_t size;
  void (*release)(void *owner);
  void *owner;
} KilnBlob;

// A device type to compile for: the backend that owns it and its target description.
typedef struct KilnCompileTarget {
  size_t struct_size;
  KilnStr device_type; // "host"
  KilnStr backend;
  KilnTargetInfo info;
} KilnCompileTarget;

// One pass insertion that a manifest declares ("extends"), for jit to honour.
typedef struct KilnStageExtension {
  KilnStr backend, target, stage;
  uint32_t after; // 0: before the stage
} KilnStageExtension;

typedef struct KilnCompilerHost {
  size_t struct_size;
  void *self;
  const KilnHost *host; // status, log, options, runtime symbols

  // Opens the compiler-tier library of a backend (fingerprint checked before dlopen) and returns its query
  // function. NOT_FOUND no such backend; UNIMPLEMENTED it has no compiler tier; FAILED_PRECONDITION with the
  // whole chain.
  KilnStatus (*backend_compiler)(void *self, KilnStr backend, KilnBackendCompilerQueryFn *out_query);
  // Every backend with a compiler tier that may be loaded, in name order: for jit-opt and jit-info passes.
  KilnStatus (*backends)(void *self, void (*visit)(void *arg, KilnStr backend), void *arg);
  KilnStatus (*extensions)(void *self, KilnStr target,
                           void (*visit)(void *arg, const KilnStageExtension *extension), void *arg);
  // Fills a target from a device type and options with no device present.
  KilnStatus (*target)(void *self, KilnStr device_type, KilnStr options, KilnCompileTarget *out_target);
  // Registers a compiler-tier kernel loader ("orc") for a format of a backend.
  KilnStatus (*add_kernel_loader)(void *self, KilnStr backend, KilnStr format, KilnStr loader_name,
                                  const KilnKernelLoaderOps *ops, void *ops_self);
  // The backend whose manifest declares a device type (aliases do not count); NOT_FOUND if none does. Loads
  // nothing. Borrowed until the process ends.
  KilnStatus (*device_owner)(void *self, KilnStr device_type, KilnStr *out_backend);
  // Runs a part of a backend's load ("compiler init") and returns what fn does. What it throws becomes a
  // status, what it changes of the process (locale, umask, signal handlers ...) is put back with a warning.
  KilnStatus (*run_backend)(void *self, KilnStr backend, KilnStr part, KilnStatus (*fn)(void *arg),
                            void *arg);
  // OK if the note of a library's file (kiln/BackendNote.h) says that it is of the compiler tier and built
  // for this process; loads nothing. NOT_FOUND no file, or a library without a note; INVALID_ARGUMENT no
  // shared library; FAILED_PRECONDITION what it was built for and what this is.
  KilnStatus (*check_library)(void *self, KilnStr path);
} KilnCompilerHost;

typedef struct KilnImportedModel KilnImportedModel; // an IR module with its weights, made by the compiler

// A model to import: from a file, or bytes with a name.
typedef struct KilnImportArgs {
  size_t struct_size;
  KilnStr format;   // "onnx", "mlir"; "": by content, then by the name's ending
  KilnStr path;     // "" if data is given
  KilnStr name;     // for messages
  const void *data; // borrowed for the call
  size_t bytes;
  KilnStr function; // "": the only one, or "main"
  // Import for these shapes only: input_names[i] ("": the i-th input) has ranks[i] extents, all inputs'
  // extents in one array. Inputs that are not listed stay as the model declares them.
  const KilnStr *input_names;
  const int64_t *dims;
  const uint32_t *ranks;
  size_t input_count;
  KilnDType precision; // KILN_F16 or KILN_BF16: computes the model's f32 tensors in it; 0: as they are
  uint32_t reserved;
} KilnImportArgs;

#define KILN_COMPILER_MAX_RANK 16
typedef struct KilnModelPort { // as the model declares it; strings live with the model
  KilnStr name;
  KilnDType dtype;
  uint32_t rank;
  int64_t dims[KILN_COMPILER_MAX_RANK]; // -1: dynamic
  KilnStr dim_names[KILN_COMPILER_MAX_RANK];
} KilnModelPort;

// Shapes to build a program for: input i has ranks[i] extents, all inputs' extents in one array; -1 stays
// dynamic.
typedef struct KilnProgramArgs {
  size_t struct_size;
  KilnCompileTarget target;
  const int64_t *dims;
  const uint32_t *ranks;
  size_t input_count;
  KilnStr dump_dir; // "": none; stage dumps go there
} KilnProgramArgs;

// Bytes of a weight that a program names by digest; borrowed from the model.
typedef struct KilnWeight {
  KilnStr digest;
  const void *data;
  uint64_t bytes;
} KilnWeight;

typedef struct KilnKernelArgs {
  size_t struct_size;
  KilnCompileTarget target;
  KilnStr key, name;
  const void *ir; // MLIR bytecode, as KernelRef.ir
  size_t ir_bytes;
  KilnStr dump_dir;
} KilnKernelArgs;

// One stage's run, for --profile=compile and --dump-stages.
typedef struct KilnStageRecord {
  KilnStr stage, unit; // unit: kernel or function name
  uint64_t start_ns, end_ns;
} KilnStageRecord;

typedef struct KilnPassEntry {
  KilnStr backend; // "" for Kiln's own
  KilnStr target, stage, pass, summary;
} KilnPassEntry;

typedef struct KilnCompiler {
  size_t struct_size;
  void *self;
  KilnStr version; // build ids of libkiln_compiler, libMLIR and libLLVM; part of request keys

  KilnStatus (*import_model)(void *self, const KilnImportArgs *args, KilnImportedModel **out_model);
  void (*model_release)(KilnImportedModel *model);
  KilnStr (*model_digest)(KilnImportedModel *model); // SHA-256 of the model's content, hex
  size_t (*model_port_count)(KilnImportedModel *model, uint32_t is_output);
  KilnStatus (*model_port)(KilnImportedModel *model, uint32_t is_output, size_t index,
                           KilnModelPort *out_port);
  KilnStatus (*model_weight)(KilnImportedModel *model, KilnStr digest, KilnWeight *out_weight);

  // Stages graph and form: a verified Program flatbuffer (Program.fbs). Kernels come with IR, without
  // objects. UNIMPLEMENTED names each op that the target has no lowering for.
  KilnStatus (*build_program)(void *self, KilnImportedModel *model, const KilnProgramArgs *args,
                              KilnBlob *out);
  // Stages tensor to emit: a KernelObject flatbuffer (Kernel.fbs). Safe from many threads at once.
  KilnStatus (*compile_kernel)(void *self, const KilnKernelArgs *args, KilnBlob *out);
  // The text or bytes after a stage, or of a named emitter, for a whole model: jit-run --emit.
  KilnStatus (*emit)(void *self, KilnImportedModel *model, const KilnProgramArgs *args, KilnStr what,
                     KilnBlob *out);

  // The functions that import_model could take from this file, in file order.
  KilnStatus (*visit_functions)(void *self, const KilnImportArgs *args,
                                void (*visit)(void *arg, KilnStr function), void *arg);
  KilnStatus (*visit_passes)(void *self, void (*visit)(void *arg, const KilnPassEntry *entry), void *arg);
  // Stage timings since the last call, at most once each.
  KilnStatus (*visit_stages)(void *self, void (*visit)(void *arg, const KilnStageRecord *record), void *arg);

  // The model to build programs of these shapes from (dims, ranks: as in KilnProgramArgs). Most models take
  // any shape: *out_model is `model`. One that its importer can take for known shapes only is imported again,
  // once a set of shapes; `model` owns the result, and model_weight of `model` finds its weights too.
  // UNIMPLEMENTED lists what is not supported even then, or says why an extent of -1 cannot stay open.
  KilnStatus (*model_for_shapes)(void *self, KilnImportedModel *model, const int64_t *dims,
                                 const uint32_t *ranks, size_t input_count, KilnImportedModel **out_model);
} KilnCompiler;

// The one entry of libkiln_compiler. Verifies the build ids of libMLIR and libLLVM that it was built with.
typedef KilnStatus (*KilnCompilerOpenFn)(const KilnCompilerHost *host, KilnCompiler *out_compiler);
#define KILN_COMPILER_OPEN_SYMBOL "kiln_compiler_open_v1"
KILN_EXPORT KilnStatus kiln_compiler_open_v1(const KilnCompilerHost *host, KilnCompiler *out_compiler);

#ifdef __cplusplus
} // extern "C"
#endif
#endif // KILN_COMPILER_H
