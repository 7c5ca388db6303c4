// CApiCache.cpp: kiln.h: what the caches did, compiling ahead, bundles.
#include "runtime/CApi.h"
#include "runtime/Precompile.h"
#include "runtime/TensorBinding.h"
#include "runtime/cache/Explain.h"

#include <set>

using namespace kiln;
using namespace kiln::capi;

struct KilnBundle {
  ModelRef model;
  std::unique_ptr<BundleWriter> writer;
};

KilnStatus kiln_instance_cache_stats(KilnInstance *instance, KilnCacheStats *outStats) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(instance, "instance"));
    CacheCounters &counters = instance->instance->cache().counters();
    auto hits = [&](LayerKind kind) { return counters.hits[static_cast<size_t>(kind)].load(); };
    auto misses = [&](MissReason reason) { return counters.misses[static_cast<size_t>(reason)].load(); };
    KilnCacheStats stats = {};
    stats.directory_hits = hits(LayerKind::Directory);
    stats.read_only_hits = hits(LayerKind::ReadOnly);
    stats.pack_hits = hits(LayerKind::Pack);
    stats.remote_hits = hits(LayerKind::Remote);
    stats.absent = misses(MissReason::Absent);
    stats.unreadable = misses(MissReason::Unreadable);
    stats.damaged = misses(MissReason::Damaged);
    stats.other_version = misses(MissReason::OtherVersion);
    stats.other_features = misses(MissReason::OtherFeatures);
    stats.bytes_read = counters.bytesRead;
    stats.bytes_written = counters.bytesWritten;
    stats.entries_written = counters.entriesWritten;
    stats.write_failures = counters.writeFailures;
    stats.quarantined = counters.quarantined;
    stats.evicted = counters.evicted;
    stats.lock_waits = counters.lockWaits;
    stats.lock_timeouts = counters.lockTimeouts;
    stats.waited_us = counters.waitedUs;
    stats.saved_us = counters.savedUs;
    return writeOut(outStats, stats, "out_stats");
  });
}

KilnStatus kiln_instance_cache_misses(KilnInstance *instance,
                                      void (*visit)(void *arg, const KilnCacheMiss *miss), void *arg) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(instance, "instance"));
    KILN_RETURN_IF_ERROR(required(reinterpret_cast<const void *>(visit), "visit"));
    CacheStack &cache = instance->instance->cache();
    std::vector<CacheStack::Miss> misses = cache.misses();
    std::set<EntryKey> missed; // what was made since does not count as near
    for (const CacheStack::Miss &miss : misses)
      missed.insert(miss.address.key);
    for (const CacheStack::Miss &miss : misses) {
      NearestEntry nearest = nearestEntry(cache, miss.address, miss.fields,
                                          [&](const EntryKey &key) { return missed.count(key) > 0; });
      std::string key = miss.address.key.hex(),
                  differing = fmt::format("{}", fmt::join(nearest.differing, ", "));
      KilnCacheMiss told = {sizeof(told),
                            toStr(entryKindName(miss.address.kind)),
                            toStr(miss.name),
                            toStr(key),
                            toStr(missReasonName(miss.reason)),
                            toStr(miss.detail),
                            toStr(nearest.path),
                            toStr(differing)};
      visit(arg, &told);
    }
    return {};
  });
}

KilnStatus kiln_model_compile(KilnInstance *instance, KilnModel *model, const KilnTensor *inputs,
                              size_t inputCount, const KilnCompileOptions *callerOptions) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(instance, "instance"));
    KILN_RETURN_IF_ERROR(required(model, "model"));
    if (inputCount > 0)
      KILN_RETURN_IF_ERROR(required(inputs, "inputs"));
    KilnCompileOptions given = readOptions(callerOptions);
    KILN_ASSIGN_OR_RETURN(auto tensors,
                          matchInputs(model->model->inputs(), {inputs, inputCount}, TensorNeeds::OpenShape));
    PrecompileOptions options;
    options.deviceType = text(given.device_type);
    options.deviceOptions = text(given.device_options);
    options.dumpDir = text(given.dump_dir);
    KILN_RETURN_IF_ERROR(checkDumpDir(options.dumpDir));
    if (given.progress)
      options.progress = [&given](size_t done, size_t total) {
        given.progress(given.progress_arg, done, total);
      };
    if (given.bundle) {
      if (given.bundle->model != model->model)
        return invalidArgument("bundle: made for another model");
      options.bundle = given.bundle->writer.get();
      KILN_RETURN_IF_ERROR(required(options.bundle, "bundle (it was finished)"));
    }
    return precompile(*instance->instance, model->model, dimsOf(tensors), options);
  });
}

KilnStatus kiln_bundle_create(KilnModel *model, KilnStr path, KilnBundle **outBundle) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(model, "model"));
    KILN_RETURN_IF_ERROR(required(outBundle, "out_bundle"));
    const Model &core = *model->model;
    KILN_ASSIGN_OR_RETURN(
        std::unique_ptr<BundleWriter> writer,
        BundleWriter::create(text(path), core.name(), {core.digest(), core.inputs(), core.outputs()}));
    *outBundle = new KilnBundle{model->model, std::move(writer)};
    return {};
  });
}

KilnStatus kiln_bundle_finish(KilnBundle *bundle) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(bundle, "bundle"));
    KILN_RETURN_IF_ERROR(required(bundle->writer.get(), "bundle (it was finished)"));
    Status status = bundle->writer->finish();
    bundle->writer.reset();
    return status;
  });
}

void kiln_bundle_release(KilnBundle *bundle) { delete bundle; }
