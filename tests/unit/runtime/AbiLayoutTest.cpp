// AbiLayoutTest.cpp: sizes and offsets of every struct that crosses a C ABI. A line changes only with the
// ABI's version: fields are appended, and a size grows with the minor.
#include "kiln/compiler.h"
#include "kiln/kiln.h"
#include "kiln/reference.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace {

#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes), "size of " #type)
#define AT(type, field, offset)                                                                              \
  static_assert(offsetof(type, field) == (offset), "offset of " #type "." #field)

// clang-format off

// ---- kiln/backend.h

SIZE(KilnStr, 16); AT(KilnStr, data, 0); AT(KilnStr, size, 8);

SIZE(KilnParallelFor, 24); AT(KilnParallelFor, run, 0); AT(KilnParallelFor, self, 8);
  AT(KilnParallelFor, concurrency, 16); AT(KilnParallelFor, reserved, 20);

SIZE(KilnAllocator, 24); AT(KilnAllocator, allocate, 0); AT(KilnAllocator, deallocate, 8);
  AT(KilnAllocator, self, 16);

SIZE(KilnRuntimeSymbol, 24); AT(KilnRuntimeSymbol, name, 0); AT(KilnRuntimeSymbol, address, 16);

SIZE(KilnHost, 96); AT(KilnHost, struct_size, 0); AT(KilnHost, abi_major, 8); AT(KilnHost, abi_minor, 12);
  AT(KilnHost, self, 16); AT(KilnHost, status_make, 24); AT(KilnHost, status_code, 32);
  AT(KilnHost, status_message, 40); AT(KilnHost, status_clone, 48); AT(KilnHost, status_free, 56);
  AT(KilnHost, log, 64); AT(KilnHost, log_enabled, 72); AT(KilnHost, option, 80);
  AT(KilnHost, runtime_symbols, 88);

SIZE(KilnTargetInfo, 88); AT(KilnTargetInfo, storage_types, 72); AT(KilnTargetInfo, arithmetic_types, 80); AT(KilnTargetInfo, struct_size, 0); AT(KilnTargetInfo, triple, 8);
  AT(KilnTargetInfo, arch, 24); AT(KilnTargetInfo, features, 40); AT(KilnTargetInfo, options, 56);

SIZE(KilnDeviceInfo, 64); AT(KilnDeviceInfo, struct_size, 0); AT(KilnDeviceInfo, name, 8);
  AT(KilnDeviceInfo, kind, 24); AT(KilnDeviceInfo, compute_units, 28); AT(KilnDeviceInfo, memory_bytes, 32);
  AT(KilnDeviceInfo, alignment_bytes, 40); AT(KilnDeviceInfo, memory_is_host_memory, 48);
  AT(KilnDeviceInfo, simulated_time, 52); AT(KilnDeviceInfo, max_grid_dimensions, 56);
  AT(KilnDeviceInfo, computes_nothing, 60);

SIZE(KilnDeviceOpenArgs, 88); AT(KilnDeviceOpenArgs, struct_size, 0); AT(KilnDeviceOpenArgs, ordinal, 8);
  AT(KilnDeviceOpenArgs, max_threads, 12); AT(KilnDeviceOpenArgs, memory_limit_bytes, 16);
  AT(KilnDeviceOpenArgs, options, 24); AT(KilnDeviceOpenArgs, allocator, 40);
  AT(KilnDeviceOpenArgs, parallel, 64);

SIZE(KilnMemoryStats, 40); AT(KilnMemoryStats, struct_size, 0); AT(KilnMemoryStats, bytes_in_use, 8);
  AT(KilnMemoryStats, bytes_peak, 16); AT(KilnMemoryStats, bytes_limit, 24);
  AT(KilnMemoryStats, allocations, 32);

SIZE(KilnBinding, 16); AT(KilnBinding, address, 0); AT(KilnBinding, bytes, 8);

SIZE(KilnLaunchSite, 56); AT(KilnLaunchSite, struct_size, 0); AT(KilnLaunchSite, name, 8);
  AT(KilnLaunchSite, location, 24); AT(KilnLaunchSite, op_locations, 40);
  AT(KilnLaunchSite, op_location_count, 48);

SIZE(KilnLaunchCounter, 40); AT(KilnLaunchCounter, name, 0); AT(KilnLaunchCounter, unit, 16);
  AT(KilnLaunchCounter, value, 32);

SIZE(KilnLaunchSpan, 80); AT(KilnLaunchSpan, unit, 0); AT(KilnLaunchSpan, name, 16);
  AT(KilnLaunchSpan, stall, 32); AT(KilnLaunchSpan, start_cycle, 48); AT(KilnLaunchSpan, end_cycle, 56);
  AT(KilnLaunchSpan, stall_cycles, 64); AT(KilnLaunchSpan, pc, 72);

SIZE(KilnDeviceProperty, 72); AT(KilnDeviceProperty, name, 0); AT(KilnDeviceProperty, value, 16);
  AT(KilnDeviceProperty, unit, 32); AT(KilnDeviceProperty, source, 48); AT(KilnDeviceProperty, is_assumed, 64);
  AT(KilnDeviceProperty, reserved, 68);

SIZE(KilnLaunchProfile, 56); AT(KilnLaunchProfile, struct_size, 0); AT(KilnLaunchProfile, start_ns, 8);
  AT(KilnLaunchProfile, end_ns, 16); AT(KilnLaunchProfile, cycles, 24);
  AT(KilnLaunchProfile, on_counter, 32); AT(KilnLaunchProfile, on_span, 40); AT(KilnLaunchProfile, arg, 48);

SIZE(KilnLaunch, 88); AT(KilnLaunch, struct_size, 0); AT(KilnLaunch, bindings, 8);
  AT(KilnLaunch, binding_count, 16); AT(KilnLaunch, constants, 24); AT(KilnLaunch, constant_count, 32);
  AT(KilnLaunch, workspace, 40); AT(KilnLaunch, grid, 56); AT(KilnLaunch, reserved, 68);
  AT(KilnLaunch, site, 72); AT(KilnLaunch, profile, 80);

SIZE(KilnPcEntry, 8); AT(KilnPcEntry, pc, 0); AT(KilnPcEntry, op, 4);
SIZE(KilnKernelImage, 144); AT(KilnKernelImage, ir, 112); AT(KilnKernelImage, ir_digest, 128); AT(KilnKernelImage, key, 80); AT(KilnKernelImage, pc_table, 96); AT(KilnKernelImage, pc_count, 104);
 AT(KilnKernelImage, struct_size, 0); AT(KilnKernelImage, format, 8);
  AT(KilnKernelImage, symbol, 24); AT(KilnKernelImage, name, 40); AT(KilnKernelImage, object, 56);
  AT(KilnKernelImage, object_bytes, 64); AT(KilnKernelImage, binding_count, 72);
  AT(KilnKernelImage, constant_count, 76);

SIZE(KilnDeviceOps, 264); AT(KilnDeviceOps, struct_size, 0); AT(KilnDeviceOps, enumerate, 8);
  AT(KilnDeviceOps, describe, 16); AT(KilnDeviceOps, target, 24); AT(KilnDeviceOps, device_open, 32);
  AT(KilnDeviceOps, device_close, 40); AT(KilnDeviceOps, memory_allocate, 48);
  AT(KilnDeviceOps, memory_free, 56); AT(KilnDeviceOps, memory_import, 64);
  AT(KilnDeviceOps, memory_unimport, 72); AT(KilnDeviceOps, memory_map, 80);
  AT(KilnDeviceOps, memory_stats, 88); AT(KilnDeviceOps, queue_create, 96);
  AT(KilnDeviceOps, queue_destroy, 104); AT(KilnDeviceOps, queue_launch, 112);
  AT(KilnDeviceOps, queue_copy, 120); AT(KilnDeviceOps, queue_write, 128);
  AT(KilnDeviceOps, queue_read, 136); AT(KilnDeviceOps, queue_fill, 144);
  AT(KilnDeviceOps, queue_allocate, 152); AT(KilnDeviceOps, queue_free, 160);
  AT(KilnDeviceOps, queue_call, 168); AT(KilnDeviceOps, queue_signal, 176);
  AT(KilnDeviceOps, queue_wait, 184); AT(KilnDeviceOps, queue_flush, 192);
  AT(KilnDeviceOps, queue_synchronize, 200); AT(KilnDeviceOps, queue_status, 208);
  AT(KilnDeviceOps, queue_reset, 216); AT(KilnDeviceOps, event_create, 224);
  AT(KilnDeviceOps, event_destroy, 232); AT(KilnDeviceOps, event_query, 240);
  AT(KilnDeviceOps, event_wait, 248); AT(KilnDeviceOps, properties, 256);

SIZE(KilnKernelLoaderOps, 40); AT(KilnKernelLoaderOps, struct_size, 0); AT(KilnKernelLoaderOps, load, 8);
  AT(KilnKernelLoaderOps, unload, 16); AT(KilnKernelLoaderOps, disassemble, 24);
  AT(KilnKernelLoaderOps, assemble, 32);

SIZE(KilnRegistrar, 32); AT(KilnRegistrar, struct_size, 0); AT(KilnRegistrar, self, 8);
  AT(KilnRegistrar, add_device_type, 16); AT(KilnRegistrar, add_kernel_loader, 24);

SIZE(KilnBackend, 72); AT(KilnBackend, struct_size, 0); AT(KilnBackend, abi_major, 8);
  AT(KilnBackend, abi_minor, 12); AT(KilnBackend, name, 16); AT(KilnBackend, version, 32);
  AT(KilnBackend, self, 48); AT(KilnBackend, init, 56); AT(KilnBackend, shutdown, 64);

SIZE(KilnBackendCompiler, 64); AT(KilnBackendCompiler, struct_size, 0);
  AT(KilnBackendCompiler, abi_major, 8); AT(KilnBackendCompiler, abi_minor, 12);
  AT(KilnBackendCompiler, name, 16); AT(KilnBackendCompiler, version, 32);
  AT(KilnBackendCompiler, self, 48); AT(KilnBackendCompiler, init, 56);

// ---- kiln/compiler.h

SIZE(KilnBlob, 32); AT(KilnBlob, data, 0); AT(KilnBlob, size, 8); AT(KilnBlob, release, 16);
  AT(KilnBlob, owner, 24);

SIZE(KilnCompileTarget, 128); AT(KilnCompileTarget, struct_size, 0); AT(KilnCompileTarget, device_type, 8);
  AT(KilnCompileTarget, backend, 24); AT(KilnCompileTarget, info, 40);

SIZE(KilnStageExtension, 56); AT(KilnStageExtension, backend, 0); AT(KilnStageExtension, target, 16);
  AT(KilnStageExtension, stage, 32); AT(KilnStageExtension, after, 48);

SIZE(KilnCompilerHost, 88); AT(KilnCompilerHost, struct_size, 0); AT(KilnCompilerHost, self, 8);
  AT(KilnCompilerHost, host, 16); AT(KilnCompilerHost, backend_compiler, 24);
  AT(KilnCompilerHost, backends, 32); AT(KilnCompilerHost, extensions, 40);
  AT(KilnCompilerHost, target, 48); AT(KilnCompilerHost, add_kernel_loader, 56);
  AT(KilnCompilerHost, device_owner, 64); AT(KilnCompilerHost, run_backend, 72);
  AT(KilnCompilerHost, check_library, 80);

SIZE(KilnImportArgs, 128); AT(KilnImportArgs, struct_size, 0); AT(KilnImportArgs, format, 8);
  AT(KilnImportArgs, path, 24); AT(KilnImportArgs, name, 40); AT(KilnImportArgs, data, 56);
  AT(KilnImportArgs, bytes, 64); AT(KilnImportArgs, function, 72); AT(KilnImportArgs, input_names, 88);
  AT(KilnImportArgs, dims, 96); AT(KilnImportArgs, ranks, 104); AT(KilnImportArgs, input_count, 112);
  AT(KilnImportArgs, precision, 120); AT(KilnImportArgs, reserved, 124);

SIZE(KilnModelPort, 408); AT(KilnModelPort, name, 0); AT(KilnModelPort, dtype, 16);
  AT(KilnModelPort, rank, 20); AT(KilnModelPort, dims, 24); AT(KilnModelPort, dim_names, 152);

SIZE(KilnProgramArgs, 176); AT(KilnProgramArgs, struct_size, 0); AT(KilnProgramArgs, target, 8);
  AT(KilnProgramArgs, dims, 136); AT(KilnProgramArgs, ranks, 144); AT(KilnProgramArgs, input_count, 152);
  AT(KilnProgramArgs, dump_dir, 160);

SIZE(KilnWeight, 32); AT(KilnWeight, digest, 0); AT(KilnWeight, data, 16); AT(KilnWeight, bytes, 24);

SIZE(KilnKernelArgs, 200); AT(KilnKernelArgs, struct_size, 0); AT(KilnKernelArgs, target, 8);
  AT(KilnKernelArgs, key, 136); AT(KilnKernelArgs, name, 152); AT(KilnKernelArgs, ir, 168);
  AT(KilnKernelArgs, ir_bytes, 176); AT(KilnKernelArgs, dump_dir, 184);

SIZE(KilnStageRecord, 48); AT(KilnStageRecord, stage, 0); AT(KilnStageRecord, unit, 16);
  AT(KilnStageRecord, start_ns, 32); AT(KilnStageRecord, end_ns, 40);

SIZE(KilnPassEntry, 80); AT(KilnPassEntry, backend, 0); AT(KilnPassEntry, target, 16);
  AT(KilnPassEntry, stage, 32); AT(KilnPassEntry, pass, 48); AT(KilnPassEntry, summary, 64);

SIZE(KilnCompiler, 136); AT(KilnCompiler, struct_size, 0); AT(KilnCompiler, self, 8);
  AT(KilnCompiler, version, 16); AT(KilnCompiler, import_model, 32); AT(KilnCompiler, model_release, 40);
  AT(KilnCompiler, model_digest, 48); AT(KilnCompiler, model_port_count, 56);
  AT(KilnCompiler, model_port, 64); AT(KilnCompiler, model_weight, 72); AT(KilnCompiler, build_program, 80);
  AT(KilnCompiler, compile_kernel, 88); AT(KilnCompiler, emit, 96); AT(KilnCompiler, visit_functions, 104);
  AT(KilnCompiler, visit_passes, 112); AT(KilnCompiler, visit_stages, 120);
  AT(KilnCompiler, model_for_shapes, 128);

// ---- kiln/kiln.h

SIZE(KilnCacheStats, 160); AT(KilnCacheStats, struct_size, 0); AT(KilnCacheStats, directory_hits, 8);
  AT(KilnCacheStats, read_only_hits, 16); AT(KilnCacheStats, pack_hits, 24); AT(KilnCacheStats, remote_hits, 32);
  AT(KilnCacheStats, absent, 40); AT(KilnCacheStats, unreadable, 48); AT(KilnCacheStats, damaged, 56);
  AT(KilnCacheStats, other_version, 64); AT(KilnCacheStats, other_features, 72);
  AT(KilnCacheStats, bytes_read, 80); AT(KilnCacheStats, bytes_written, 88);
  AT(KilnCacheStats, entries_written, 96); AT(KilnCacheStats, write_failures, 104);
  AT(KilnCacheStats, quarantined, 112); AT(KilnCacheStats, evicted, 120); AT(KilnCacheStats, lock_waits, 128);
  AT(KilnCacheStats, lock_timeouts, 136); AT(KilnCacheStats, waited_us, 144); AT(KilnCacheStats, saved_us, 152);
SIZE(KilnCacheMiss, 120); AT(KilnCacheMiss, struct_size, 0); AT(KilnCacheMiss, kind, 8);
  AT(KilnCacheMiss, name, 24); AT(KilnCacheMiss, key, 40); AT(KilnCacheMiss, reason, 56);
  AT(KilnCacheMiss, detail, 72); AT(KilnCacheMiss, nearest, 88); AT(KilnCacheMiss, differing, 104);

SIZE(KilnCompileOptions, 80); AT(KilnCompileOptions, struct_size, 0); AT(KilnCompileOptions, device_type, 8);
  AT(KilnCompileOptions, device_options, 24); AT(KilnCompileOptions, bundle, 40);
  AT(KilnCompileOptions, progress, 48); AT(KilnCompileOptions, progress_arg, 56); AT(KilnCompileOptions, dump_dir, 64);

SIZE(KilnInstanceOptions, 64); AT(KilnInstanceOptions, default_devices, 48); AT(KilnInstanceOptions, default_device_count, 56); AT(KilnInstanceOptions, struct_size, 0);
  AT(KilnInstanceOptions, backend_dirs, 8); AT(KilnInstanceOptions, backend_dir_count, 16);
  AT(KilnInstanceOptions, autoload, 24); AT(KilnInstanceOptions, reserved, 28);
  AT(KilnInstanceOptions, package_dirs, 32); AT(KilnInstanceOptions, package_dir_count, 40);

SIZE(KilnDeviceEntry, 80); AT(KilnDeviceEntry, struct_size, 0); AT(KilnDeviceEntry, name, 8);
  AT(KilnDeviceEntry, backend, 24); AT(KilnDeviceEntry, description, 40); AT(KilnDeviceEntry, kind, 56);
  AT(KilnDeviceEntry, computes_nothing, 60); AT(KilnDeviceEntry, memory_bytes, 64);
  AT(KilnDeviceEntry, simulated_time, 72); AT(KilnDeviceEntry, reserved, 76);

SIZE(KilnSessionOptions, 120); AT(KilnSessionOptions, struct_size, 0); AT(KilnSessionOptions, device, 8);
  AT(KilnSessionOptions, threads, 24); AT(KilnSessionOptions, reserved, 28);
  AT(KilnSessionOptions, memory_limit_bytes, 32); AT(KilnSessionOptions, device_options, 40);
  AT(KilnSessionOptions, allocator, 56); AT(KilnSessionOptions, parallel, 80);
  AT(KilnSessionOptions, dump_dir, 104);

SIZE(KilnTensor, 320); AT(KilnTensor, struct_size, 0); AT(KilnTensor, name, 8); AT(KilnTensor, dtype, 24);
  AT(KilnTensor, rank, 28); AT(KilnTensor, dims, 32); AT(KilnTensor, strides, 160);
  AT(KilnTensor, data, 288); AT(KilnTensor, data_bytes, 296); AT(KilnTensor, buffer, 304);
  AT(KilnTensor, buffer_offset, 312);

SIZE(KilnModelOptions, 80); AT(KilnModelOptions, struct_size, 0); AT(KilnModelOptions, format, 8);
  AT(KilnModelOptions, function, 24); AT(KilnModelOptions, name, 40); AT(KilnModelOptions, inputs, 56);
  AT(KilnModelOptions, input_count, 64); AT(KilnModelOptions, precision, 72); AT(KilnModelOptions, reserved, 76);

SIZE(KilnPortInfo, 416); AT(KilnPortInfo, struct_size, 0); AT(KilnPortInfo, name, 8);
  AT(KilnPortInfo, dtype, 24); AT(KilnPortInfo, rank, 28); AT(KilnPortInfo, dims, 32);
  AT(KilnPortInfo, dim_names, 160);

SIZE(KilnLaunchRecord, 112); AT(KilnLaunchRecord, struct_size, 0); AT(KilnLaunchRecord, name, 8);
  AT(KilnLaunchRecord, kernel_key, 24); AT(KilnLaunchRecord, code_template, 40);
  AT(KilnLaunchRecord, location, 56); AT(KilnLaunchRecord, start_ns, 72); AT(KilnLaunchRecord, end_ns, 80);
  AT(KilnLaunchRecord, cycles, 88); AT(KilnLaunchRecord, flops, 96);
  AT(KilnLaunchRecord, traffic_bytes, 104);

SIZE(KilnRunOptions, 32); AT(KilnRunOptions, struct_size, 0); AT(KilnRunOptions, timeout_ns, 8);
  AT(KilnRunOptions, precompile, 16); AT(KilnRunOptions, profile, 20); AT(KilnRunOptions, asynchronous, 24);
  AT(KilnRunOptions, reserved, 28);

SIZE(KilnCheck, 64); AT(KilnCheck, struct_size, 0); AT(KilnCheck, exact, 8); AT(KilnCheck, reserved, 12);
  AT(KilnCheck, got, 16); AT(KilnCheck, want, 24); AT(KilnCheck, atol, 32); AT(KilnCheck, rtol, 40);
  AT(KilnCheck, location, 48);

SIZE(KilnCompileStats, 96); AT(KilnCompileStats, struct_size, 0); AT(KilnCompileStats, import_ns, 8);
  AT(KilnCompileStats, program_ns, 16); AT(KilnCompileStats, kernel_ns, 24);
  AT(KilnCompileStats, load_ns, 32); AT(KilnCompileStats, programs_built, 40);
  AT(KilnCompileStats, kernels_compiled, 48); AT(KilnCompileStats, memory_hits, 56);
  AT(KilnCompileStats, disk_hits, 64); AT(KilnCompileStats, misses, 72);
  AT(KilnCompileStats, cache_bytes, 80); AT(KilnCompileStats, kernels_wanted, 88);

SIZE(KilnCompileStage, 56); AT(KilnCompileStage, struct_size, 0); AT(KilnCompileStage, stage, 8);
  AT(KilnCompileStage, unit, 24); AT(KilnCompileStage, start_ns, 40); AT(KilnCompileStage, end_ns, 48);

SIZE(KilnReference, 176); AT(KilnReference, struct_size, 0); AT(KilnReference, dtype, 8);
  AT(KilnReference, rank, 12); AT(KilnReference, dims, 16); AT(KilnReference, values, 144);
  AT(KilnReference, integers, 152); AT(KilnReference, errors, 160); AT(KilnReference, count, 168);

// ---- kiln/reference.h

SIZE(KilnReferenceArgs, 40); AT(KilnReferenceArgs, struct_size, 0); AT(KilnReferenceArgs, dims, 8);
  AT(KilnReferenceArgs, ranks, 16); AT(KilnReferenceArgs, data, 24); AT(KilnReferenceArgs, input_count, 32);

SIZE(KilnReferenceResult, 48); AT(KilnReferenceResult, dtype, 0); AT(KilnReferenceResult, rank, 4);
  AT(KilnReferenceResult, dims, 8); AT(KilnReferenceResult, values, 16); AT(KilnReferenceResult, integers, 24);
  AT(KilnReferenceResult, errors, 32); AT(KilnReferenceResult, count, 40);

SIZE(KilnReferenceTable, 24); AT(KilnReferenceTable, struct_size, 0); AT(KilnReferenceTable, model_test, 8);
  AT(KilnReferenceTable, evaluate, 16);
// clang-format on

// A caller of another minor is told apart by struct_size, so every struct that may grow starts with it.
#define STARTS_WITH_SIZE(type)                                                                               \
  static_assert(offsetof(type, struct_size) == 0 && sizeof(type::struct_size) == 8)
STARTS_WITH_SIZE(KilnHost);
STARTS_WITH_SIZE(KilnTargetInfo);
STARTS_WITH_SIZE(KilnDeviceInfo);
STARTS_WITH_SIZE(KilnDeviceOpenArgs);
STARTS_WITH_SIZE(KilnMemoryStats);
STARTS_WITH_SIZE(KilnLaunchSite);
STARTS_WITH_SIZE(KilnLaunchProfile);
STARTS_WITH_SIZE(KilnLaunch);
STARTS_WITH_SIZE(KilnKernelImage);
STARTS_WITH_SIZE(KilnDeviceOps);
STARTS_WITH_SIZE(KilnKernelLoaderOps);
STARTS_WITH_SIZE(KilnRegistrar);
STARTS_WITH_SIZE(KilnBackend);
STARTS_WITH_SIZE(KilnBackendCompiler);
STARTS_WITH_SIZE(KilnCompileTarget);
STARTS_WITH_SIZE(KilnCompilerHost);
STARTS_WITH_SIZE(KilnImportArgs);
STARTS_WITH_SIZE(KilnProgramArgs);
STARTS_WITH_SIZE(KilnKernelArgs);
STARTS_WITH_SIZE(KilnCompiler);
STARTS_WITH_SIZE(KilnInstanceOptions);
STARTS_WITH_SIZE(KilnDeviceEntry);
STARTS_WITH_SIZE(KilnSessionOptions);
STARTS_WITH_SIZE(KilnTensor);
STARTS_WITH_SIZE(KilnModelOptions);
STARTS_WITH_SIZE(KilnPortInfo);
STARTS_WITH_SIZE(KilnLaunchRecord);
STARTS_WITH_SIZE(KilnRunOptions);
STARTS_WITH_SIZE(KilnCheck);
STARTS_WITH_SIZE(KilnCompileStats);
STARTS_WITH_SIZE(KilnCompileStage);
STARTS_WITH_SIZE(KilnReference);
STARTS_WITH_SIZE(KilnReferenceArgs);
STARTS_WITH_SIZE(KilnReferenceTable);

TEST(AbiLayoutTest, VersionsAndCodesAreFixed) {
  EXPECT_EQ(KILN_ABI_MAJOR, 1u);
  EXPECT_EQ(KILN_ABI_MINOR, 0u);
  EXPECT_EQ(KILN_FORKED, 18) << "codes are stored by no one, but compared across builds";
  EXPECT_EQ(KILN_U4, 17) << "element types are stored in program files";
  EXPECT_EQ(KILN_MAX_RANK, KILN_COMPILER_MAX_RANK);
}

} // namespace
