// kiln/backend.h: the C ABI between libkiln_runtime and a backend library (runtime tier).
//
// Stands alone: a vendor may copy this one file. Unless a declaration says otherwise: structs start with
// struct_size, fields are only appended, and one counts if it ends inside struct_size; strings are pointer +
// length, borrowed for the call; out-parameters are untouched on error; functions are thread-safe, none
// throws. The C++ wrapper over this file is kiln/Registrar.h; docs/write-a-backend.md is the way in.
//
// Without struct_size, and so never to change: KilnStr, KilnParallelFor, KilnAllocator, KilnRuntimeSymbol,
// KilnDeviceProperty, KilnBinding, KilnLaunchCounter, KilnLaunchSpan, KilnPcEntry. They are passed by value,
// stand in arrays or inside other structs; what they lack is a struct of its own.
#ifndef KILN_BACKEND_H
#define KILN_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define KILN_EXPORT __declspec(dllexport)
#else
#define KILN_EXPORT __attribute__((visibility("default")))
#endif

// The version of this ABI. A backend states the one it was built for: in its manifest ("abi") and its ELF
// note, both written by add_kiln_backend, and in KilnBackend. It is loaded if its major is this one and its
// minor is not above this one; a higher minor of the same major only appends.
#define KILN_ABI_MAJOR 1u
#define KILN_ABI_MINOR 0u

// ---- Values ---------------------------------------------------------------------------------------------

// Bytes that somebody else owns, UTF-8 where they are text; not NUL-terminated. data may be null if size is
// 0.
typedef struct KilnStr {
  const char *data;
  size_t size;
} KilnStr;

// What the caller should do, after Abseil: retry the call (UNAVAILABLE), redo the whole (ABORTED), fix the
// state first (FAILED_PRECONDITION), fix the argument (INVALID_ARGUMENT, OUT_OF_RANGE, NOT_FOUND).
typedef uint32_t KilnCode;
enum {
  KILN_OK = 0,
  KILN_CANCELLED = 1,           // given up on request
  KILN_UNKNOWN = 2,             // an error of another system that fits no code
  KILN_INVALID_ARGUMENT = 3,    // wrong whatever the state
  KILN_DEADLINE_EXCEEDED = 4,   // a time-out passed
  KILN_NOT_FOUND = 5,           // no such device, file, kernel
  KILN_ALREADY_EXISTS = 6,      // a second registration of one name
  KILN_PERMISSION_DENIED = 7,   // not allowed, whoever retries
  KILN_RESOURCE_EXHAUSTED = 8,  // memory, disk, mappings
  KILN_FAILED_PRECONDITION = 9, // right in another state
  KILN_ABORTED = 10,            // lost a race; redo the whole
  KILN_OUT_OF_RANGE = 11,       // an index or address beyond the end
  KILN_UNIMPLEMENTED = 12,      // this device or build cannot do it
  KILN_INTERNAL = 13,           // our bug, or a fault on the device
  KILN_UNAVAILABLE = 14,        // absent or busy now
  KILN_DATA_LOSS = 15,          // bytes that do not match their checksum or format
  KILN_IN_PROGRESS = 17,        // re-entered while the same thread is inside
  KILN_FORKED = 18              // opened before a fork; open again in the child
};

// An error: code and message. Null is OK. Made by KilnHost::status_make; whoever receives one owns it and
// frees it with KilnHost::status_free.
typedef struct KilnStatusImpl *KilnStatus;

// Element types; the value is fixed for ever, it is stored in program files. i1 is one byte in memory, 0 or
// 1; i4 and u4 are packed two to a byte, the first element in the low half.
typedef uint32_t KilnDType;
enum {
  KILN_DTYPE_INVALID = 0,
  KILN_F16 = 1,
  KILN_BF16 = 2,
  KILN_F32 = 3,
  KILN_F64 = 4,
  KILN_I1 = 5,
  KILN_I8 = 6,
  KILN_I16 = 7,
  KILN_I32 = 8,
  KILN_I64 = 9,
  KILN_U8 = 10,
  KILN_U16 = 11,
  KILN_U32 = 12,
  KILN_U64 = 13,
  KILN_F8E4M3FN = 14, // storage and conversion only, as all that follow
  KILN_F8E5M2 = 15,
  KILN_I4 = 16,
  KILN_U4 = 17
};
// Sets of element types: bit KilnDType of a mask.
#define KILN_TYPE_BIT(dtype) (UINT64_C(1) << (dtype))
#define KILN_TYPES_COMPUTED (KILN_TYPE_BIT(KILN_F8E4M3FN) - KILN_TYPE_BIT(KILN_F16)) // f16 to u64
#define KILN_TYPES_ALL (2 * KILN_TYPE_BIT(KILN_U4) - KILN_TYPE_BIT(KILN_F16))

typedef uint32_t KilnLogLevel;
enum { KILN_LOG_ERROR = 0, KILN_LOG_WARN = 1, KILN_LOG_INFO = 2, KILN_LOG_DEBUG = 3 };

// An address in a device's 64-bit address space; 0 is never valid. Arithmetic inside one allocation is
// allowed: sub-ranges are addresses.
typedef uint64_t KilnDeviceAddress;

// A time limit in nanoseconds.
#define KILN_WAIT_FOREVER UINT64_MAX

// Opaque, made by the backend.
typedef struct KilnDevice KilnDevice; // an opened device
typedef struct KilnQueue KilnQueue;   // an in-order queue of one device
typedef struct KilnEvent KilnEvent;   // a point in a queue that others wait for
typedef struct KilnKernel KilnKernel; // a loaded kernel

// ---- What the host offers -------------------------------------------------------------------------------

// Runs fn(arg, i) for every i in [0, count), on any threads, in any order, perhaps one after another (so no
// call may wait for one that has not begun), and returns when all have ended. fn does not throw.
typedef void (*KilnParallelFn)(void *arg, size_t index);
typedef struct KilnParallelFor {
  void (*run)(void *self, size_t count, KilnParallelFn fn,
              void *arg); // null: the backend uses its own threads
  void *self;
  uint32_t concurrency; // threads that `run` uses at most, at least 1
  uint32_t reserved;    // 0
} KilnParallelFor;

// An embedder's allocator for memory that the host can address. alignment is a power of two.
typedef struct KilnAllocator {
  void *(*allocate)(void *self, size_t bytes, size_t alignment); // null on failure; null function: none
  void (*deallocate)(void *self, void *memory, size_t bytes, size_t alignment);
  void *self;
} KilnAllocator;

// One function of the runtime that kernels may call: memcpy, memset and the like.
typedef struct KilnRuntimeSymbol {
  KilnStr name;
  void *address;
} KilnRuntimeSymbol;

// The runtime's side of the ABI. Valid until the process ends.
typedef struct KilnHost {
  size_t struct_size;
  uint32_t abi_major, abi_minor; // of the runtime
  void *self;

  // Makes a status; null if there is no memory for one or code is KILN_OK. The message is copied.
  KilnStatus (*status_make)(KilnCode code, KilnStr message);
  KilnCode (*status_code)(KilnStatus status);   // KILN_OK for null
  KilnStr (*status_message)(KilnStatus status); // borrowed from the status
  KilnStatus (*status_clone)(KilnStatus status);
  void (*status_free)(KilnStatus status); // null is allowed

  // Writes one line to KILN_LOG's sink. component is the backend's name or NAME.PART.
  void (*log)(void *self, KilnLogLevel level, KilnStr component, KilnStr message);
  int (*log_enabled)(void *self, KilnLogLevel level, KilnStr component);

  // The value in force of an option that the backend's manifest declares: from KILN_<BACKEND>_<KEY>, else its
  // default. Borrowed until the process ends. NOT_FOUND if the manifest does not declare the key.
  KilnStatus (*option)(void *self, KilnStr backend, KilnStr key, KilnStr *out_value);

  // The versioned table of functions that kernel objects may refer to; borrowed until the process ends.
  const KilnRuntimeSymbol *(*runtime_symbols)(void *self, size_t *out_count, uint32_t *out_version);
} KilnHost;

// ---- Devices --------------------------------------------------------------------------------------------

typedef uint32_t KilnDeviceKind;
enum { KILN_DEVICE_HARDWARE = 0, KILN_DEVICE_SOFTWARE = 1 };

// What a compiler must know to compile for a device; no device need be present. The strings belong to the
// backend and live until the process ends. `features` is part of every kernel's key: canonical, sorted, only
// what decides whether an object may run.
typedef struct KilnTargetInfo {
  size_t struct_size;
  KilnStr triple;   // "x86_64-unknown-linux-gnu"; "" if the target has no LLVM triple
  KilnStr arch;     // "x86-64-v4", "910b": names the machine model
  KilnStr features; // "+avx2,+fma,..." or "cube=24,vector=48"
  KilnStr options;  // "key=value;..." of declared options that change code
  // Masks of KILN_TYPE_BIT: which types kernels may hold, move and convert; and which of them they compute
  // in. A model with a type outside storage_types is refused by name before its first kernel is compiled; 0:
  // the target's lowerings decide.
  uint64_t storage_types, arithmetic_types;
} KilnTargetInfo;

// What there is to know of one device without opening it. Strings as in KilnTargetInfo.
typedef struct KilnDeviceInfo {
  size_t struct_size;
  KilnStr name; // for people: "AMD EPYC 9654, 2 threads"
  KilnDeviceKind kind;
  uint32_t compute_units;         // cores, threads
  uint64_t memory_bytes;          // that allocations can have
  uint64_t alignment_bytes;       // of every allocation at least; a power of two
  uint32_t memory_is_host_memory; // 1: addresses are host pointers and import costs nothing
  uint32_t simulated_time;        // 1: KilnLaunchProfile.cycles is deterministic simulated time
  uint32_t max_grid_dimensions;   // how many of KilnLaunch.grid count
  uint32_t computes_nothing;      // 1: accepts launches but runs none, to measure overhead
} KilnDeviceInfo;

// One fact about a device, for people: the figures of its machine model, each with its source. Borrowed for
// the call.
typedef struct KilnDeviceProperty {
  KilnStr name, value, unit;
  KilnStr source;      // who says so
  uint32_t is_assumed; // 1: nobody publishes it; a knob of the model
  uint32_t reserved;   // 0
} KilnDeviceProperty;
typedef void (*KilnPropertyFn)(void *arg, const KilnDeviceProperty *property);

// Takes text or bytes that a function produces; may be called several times. Borrowed for the call.
typedef void (*KilnOutputFn)(void *arg, KilnStr part);

// What device_open is asked for. Zero it, set struct_size, then the fields you need.
typedef struct KilnDeviceOpenArgs {
  size_t struct_size;
  uint32_t ordinal;            // below the enumerated count
  uint32_t max_threads;        // host threads that the device may use; 0: its own choice
  uint64_t memory_limit_bytes; // 0: the device's own limit
  KilnStr options;             // "key=value;..." from the option schema, over the environment's
  KilnAllocator allocator;     // for host-addressable memory; zeroed: the backend's own
  KilnParallelFor parallel;    // zeroed: the backend's own threads
} KilnDeviceOpenArgs;

typedef struct KilnMemoryStats {
  size_t struct_size;
  uint64_t bytes_in_use, bytes_peak, bytes_limit, allocations;
} KilnMemoryStats;

// ---- Launches -------------------------------------------------------------------------------------------

// One buffer argument.
typedef struct KilnBinding {
  KilnDeviceAddress address;
  uint64_t bytes;
} KilnBinding;

// Where a launch comes from, for error texts, traces and profiles. Owned by the program; outlives the launch.
typedef struct KilnLaunchSite {
  size_t struct_size;
  KilnStr name;     // "conv_12+relu", for people
  KilnStr location; // "model.onnx: node 'conv_12' (Conv)"
  const KilnStr
      *op_locations; // by op number, as the kernel's KilnPcEntry maps program counters to op numbers
  size_t op_location_count;
} KilnLaunchSite;

// One count of a launch: "busy.M", "cycles", 812; "gm.read", "bytes", 65536. Strings are borrowed for the
// call.
typedef struct KilnLaunchCounter {
  KilnStr name, unit;
  double value;
} KilnLaunchCounter;

// One stretch of work of one unit of the device, in device cycles since the launch began. Strings as above.
typedef struct KilnLaunchSpan {
  KilnStr unit;  // "aic3.MTE2"
  KilnStr name;  // "mov_gm_l1"
  KilnStr stall; // what it waited for before start_cycle: "flag", "port"; "" if nothing
  uint64_t start_cycle, end_cycle, stall_cycles;
  uint64_t pc; // the instruction's offset in its section
} KilnLaunchSpan;

// Filled by the device when the launch has ended, if the caller asked for it.
typedef struct KilnLaunchProfile {
  size_t struct_size;
  uint64_t start_ns, end_ns; // steady clock
  uint64_t cycles;           // device cycles, 0 if not counted
  // Each may be null. Called before the launch has ended, on the thread that runs the queue; must not throw.
  void (*on_counter)(void *arg, const KilnLaunchCounter *counter);
  void (*on_span)(void *arg, const KilnLaunchSpan *span);
  void *arg;
} KilnLaunchProfile;

// One launch of a kernel, the same for every device. Arrays are copied by queue_launch.
typedef struct KilnLaunch {
  size_t struct_size;
  const KilnBinding *bindings; // as many, and of the kinds, that the kernel's metadata says
  size_t binding_count;
  const int64_t *constants; // dynamic extents, strides, scalars, as the metadata says
  size_t constant_count;
  KilnBinding workspace;      // scratch memory of the size the metadata asks for; zeroed if none
  uint32_t grid[3];           // evaluated from the metadata
  uint32_t reserved;          // 0
  const KilnLaunchSite *site; // may be null
  KilnLaunchProfile *profile; // may be null; must live until the launch has ended
} KilnLaunch;

// From this offset of the object's code on, up to the next entry's, instructions belong to one op of the
// kernel.
typedef struct KilnPcEntry {
  uint32_t pc, op;
} KilnPcEntry;

// A compiled kernel as the loader sees it: one entry of a program or cache, already checked against its
// checksum.
typedef struct KilnKernelImage {
  size_t struct_size;
  KilnStr format;     // "host-elf", "npu-elf": names the loader
  KilnStr symbol;     // entry point inside the object
  KilnStr name;       // for debuggers and profilers
  const void *object; // the device's own object file; borrowed for the call
  size_t object_bytes;
  uint32_t binding_count, constant_count;
  KilnStr key; // the kernel key, 64 hex digits: names the code in every process, for backends that
               // cache what they make of several launches; "" if the object has none
  const KilnPcEntry *pc_table; // sorted by pc; what the emitter gave, may be empty
  size_t pc_count;
  // The kernel before stage tensor: MLIR bytecode of a module with one kiln.kernel, and its SHA-256 in hex.
  // For backends that make one object of several launches; borrowed for the call. "" if the program carries
  // none, as in bundles.
  KilnStr ir, ir_digest;
} KilnKernelImage;

typedef void (*KilnHostFn)(void *arg);

// The functions of a device type. All are required unless marked optional (null allowed).
//
// Queues are in order. A backend may defer what is queued until flush, synchronise, event_wait, or its own
// choice. The first fault poisons the queue: what was queued behind it does not run, events that it would
// have signalled carry the same status, every later call on the queue returns it until queue_reset; other
// queues go on. Two kinds of commands take effect all the same, so that nothing leaks: frees, also those that
// return the poison, and host calls that were queued before the fault. An argument that a call can judge at
// once (a pattern, an overflowing range) is INVALID_ARGUMENT of that call and poisons nothing; zero bytes are
// legal everywhere.
//
// Events can be signalled again and again: a wait means the last signal queued before it, or, where there is
// none yet, the next. They may be destroyed while queued commands use them.
typedef struct KilnDeviceOps {
  size_t struct_size;

  // How many devices of this type are present. Opens none. Errors: none expected; an error is logged, counts
  // as 0.
  KilnStatus (*enumerate)(void *self, uint32_t *out_count);
  // OUT_OF_RANGE no such ordinal.
  KilnStatus (*describe)(void *self, uint32_t ordinal, KilnDeviceInfo *out_info);
  // What to compile for; `options` over the environment's, "key=value;...". Works with no device present.
  // INVALID_ARGUMENT an option's value has no target.
  KilnStatus (*target)(void *self, KilnStr options, KilnTargetInfo *out_target);

  // Opens a device and starts its threads (level L3). Blocks until the device answers.
  // Ownership: *out_device is the caller's; hand it to device_close exactly once.
  // Threads:   safe, also for one ordinal from several threads: each gets its own handle.
  // Errors:    OUT_OF_RANGE no such ordinal; UNAVAILABLE absent or busy; FORKED opened before a fork;
  //            RESOURCE_EXHAUSTED the limit cannot be had; INVALID_ARGUMENT unknown option key.
  KilnStatus (*device_open)(void *self, const KilnDeviceOpenArgs *args, KilnDevice **out_device);
  // Waits for all queues. Queues, buffers and kernels of the device must be gone.
  void (*device_close)(KilnDevice *device);

  // bytes > 0; alignment a power of two or 0 for the device's own. RESOURCE_EXHAUSTED says what is free.
  KilnStatus (*memory_allocate)(KilnDevice *device, uint64_t bytes, uint64_t alignment,
                                KilnDeviceAddress *out_address);
  void (*memory_free)(KilnDevice *device, KilnDeviceAddress address); // no queue uses it any more
  // Makes host memory usable by the device without a copy; it must live until memory_unimport.
  // UNIMPLEMENTED if the device cannot.
  KilnStatus (*memory_import)(KilnDevice *device, void *host, uint64_t bytes, KilnDeviceAddress *out_address);
  void (*memory_unimport)(KilnDevice *device, KilnDeviceAddress address);
  // A host pointer to device memory, valid until it is freed; UNIMPLEMENTED if the host cannot address it.
  KilnStatus (*memory_map)(KilnDevice *device, KilnDeviceAddress address, uint64_t bytes, void **out_host);
  KilnStatus (*memory_stats)(KilnDevice *device, KilnMemoryStats *out_stats);

  KilnStatus (*queue_create)(KilnDevice *device, KilnQueue **out_queue);
  void (*queue_destroy)(KilnQueue *queue); // waits for it
  KilnStatus (*queue_launch)(KilnQueue *queue, KilnKernel *kernel, const KilnLaunch *launch);
  KilnStatus (*queue_copy)(KilnQueue *queue, KilnDeviceAddress to, KilnDeviceAddress from, uint64_t bytes);
  // Host memory must live until the queue has passed this point.
  KilnStatus (*queue_write)(KilnQueue *queue, KilnDeviceAddress to, const void *from, uint64_t bytes);
  KilnStatus (*queue_read)(KilnQueue *queue, void *to, KilnDeviceAddress from, uint64_t bytes);
  // Repeats a pattern of 1, 2, 4 or 8 bytes; bytes is a multiple of pattern_bytes.
  KilnStatus (*queue_fill)(KilnQueue *queue, KilnDeviceAddress to, uint64_t pattern, uint32_t pattern_bytes,
                           uint64_t bytes);
  // Queue-ordered allocation: the address may be used by what is queued after this call, until queue_free.
  KilnStatus (*queue_allocate)(KilnQueue *queue, uint64_t bytes, uint64_t alignment,
                               KilnDeviceAddress *out_address);
  // On a poisoned queue the memory is released, too, and the poison returned.
  KilnStatus (*queue_free)(KilnQueue *queue, KilnDeviceAddress address);
  // Calls fn(arg) on a thread of the backend when the queue gets there, also if a fault came before it in the
  // meantime. Not called if this returns an error, as it does on a queue that is poisoned already.
  KilnStatus (*queue_call)(KilnQueue *queue, KilnHostFn fn, void *arg);
  KilnStatus (*queue_signal)(KilnQueue *queue, KilnEvent *event);
  KilnStatus (*queue_wait)(KilnQueue *queue, KilnEvent *event); // on the device; the host goes on
  KilnStatus (*queue_flush)(KilnQueue *queue);                  // starts what was deferred; does not wait
  // Waits for all that was queued. DEADLINE_EXCEEDED after timeout_ns; the work goes on.
  KilnStatus (*queue_synchronize)(KilnQueue *queue, uint64_t timeout_ns);
  KilnStatus (*queue_status)(KilnQueue *queue); // a clone of the poison, or null; never waits
  KilnStatus (*queue_reset)(KilnQueue *queue);  // drops what is queued, heals the poison

  KilnStatus (*event_create)(KilnDevice *device, KilnEvent **out_event);
  void (*event_destroy)(KilnEvent *event);
  // *out_done: 1 if signalled. Returns the poison that the signalling queue carried.
  KilnStatus (*event_query)(KilnEvent *event, uint32_t *out_done);
  KilnStatus (*event_wait)(KilnEvent *event,
                           uint64_t timeout_ns); // on the host; flushes the signalling queue

  // Optional. Calls fn once a property of the machine model that `options` choose ("key=value;..." over the
  // environment's). Opens no device. INVALID_ARGUMENT an option's value has no target.
  KilnStatus (*properties)(void *self, KilnStr options, KilnPropertyFn fn, void *arg);
} KilnDeviceOps;

// Makes kernels of one object format callable. Several loaders may serve one format (strict, orc): the option
// "loader" of the backend names the one to use; without it, or with "auto", the last registered serves.
typedef struct KilnKernelLoaderOps {
  size_t struct_size;
  // INVALID_ARGUMENT a malformed object, says what was found where; FAILED_PRECONDITION it needs features
  // that the device lacks; RESOURCE_EXHAUSTED no memory or mappings.
  KilnStatus (*load)(void *self, KilnDevice *device, const KilnKernelImage *image, KilnKernel **out_kernel);
  void (*unload)(void *self, KilnKernel *kernel); // no launch of it is in flight

  // Optional: the format's text form, for jit-objdump. assemble(disassemble(object)) is the object, byte for
  // byte. INVALID_ARGUMENT a malformed object, or text with an error: the message begins with its line.
  KilnStatus (*disassemble)(void *self, KilnStr object, KilnOutputFn fn, void *arg);
  KilnStatus (*assemble)(void *self, KilnStr text, KilnOutputFn fn, void *arg);
} KilnKernelLoaderOps;

// ---- Registration ---------------------------------------------------------------------------------------

// What init registers with. Registrations are staged; one commit publishes them all after init succeeded, any
// failure discards them. Names are copied; tables and self must live until the process ends.
typedef struct KilnRegistrar {
  size_t struct_size;
  void *self;
  // `type` must stand in the manifest's "devices". ALREADY_EXISTS, INVALID_ARGUMENT with the reason.
  KilnStatus (*add_device_type)(void *self, KilnStr type, const KilnDeviceOps *ops, void *ops_self);
  KilnStatus (*add_kernel_loader)(void *self, KilnStr format, KilnStr loader_name,
                                  const KilnKernelLoaderOps *ops, void *ops_self);
} KilnRegistrar;

// Filled by kiln_backend_query_v1.
typedef struct KilnBackend {
  size_t struct_size;            // set by the runtime to what it knows; the backend fills no more than that
  uint32_t abi_major, abi_minor; // that the backend was built for
  KilnStr name, version;         // must equal the manifest's
  void *self;
  // Registers everything; opens no device, starts no thread (level L2). Called once, no lock held.
  KilnStatus (*init)(void *self, const KilnHost *host, const KilnRegistrar *registrar);
  // Optional. Called by the explicit shutdown only, in reverse order of init, after all devices were closed.
  void (*shutdown)(void *self);
} KilnBackend;

// The only symbol that a runtime-tier library exports. Pure: fills *out_backend, does nothing else.
typedef KilnStatus (*KilnBackendQueryFn)(const KilnHost *host, KilnBackend *out_backend);
#define KILN_BACKEND_QUERY_SYMBOL "kiln_backend_query_v1"
KILN_EXPORT KilnStatus kiln_backend_query_v1(const KilnHost *host, KilnBackend *out_backend);

// The only symbol that a compiler-tier library exports. `registrar` is a kiln::jit::CompilerRegistrar
// (kiln/jit/CompilerRegistrar.h): the fingerprint, checked before dlopen, makes C++ safe across this call.
typedef struct KilnBackendCompiler {
  size_t struct_size;
  uint32_t abi_major, abi_minor;
  KilnStr name, version;
  void *self;
  // Registers dialects, passes into named stages, emitters and loaders. No MLIR context is made here.
  KilnStatus (*init)(void *self, const KilnHost *host, void *registrar);
} KilnBackendCompiler;
typedef KilnStatus (*KilnBackendCompilerQueryFn)(const KilnHost *host, KilnBackendCompiler *out_backend);
#define KILN_BACKEND_COMPILER_QUERY_SYMBOL "kiln_backend_compiler_query_v1"
KILN_EXPORT KilnStatus kiln_backend_compiler_query_v1(const KilnHost *host, KilnBackendCompiler *out_backend);

#ifdef __cplusplus
} // extern "C"
#endif
#endif // KILN_BACKEND_H
