// CApiSession.cpp: kiln.h: sessions: opening, waiting, memory, costs.
#include "runtime/CApi.h"

#include <filesystem>
#include <unistd.h>

using namespace kiln;
using namespace kiln::capi;

Status kiln::capi::checkDumpDir(const std::string &folder) {
  std::error_code error;
  if (!folder.empty())
    std::filesystem::create_directories(folder, error);
  if (!error && !folder.empty() && access(folder.c_str(), W_OK | X_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error)
    return permissionDenied("dump_dir '{}': cannot be written: {}", folder, error.message());
  return {};
}

KilnStatus kiln_session_open(KilnInstance *instance, const KilnSessionOptions *callerOptions,
                             KilnSession **outSession) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(instance, "instance"));
    KILN_RETURN_IF_ERROR(required(outSession, "out_session"));
    KilnSessionOptions given = readOptions(callerOptions);
    Session::Options options;
    options.device = text(given.device);
    options.open.maxThreads = given.threads;
    options.open.memoryLimitBytes = given.memory_limit_bytes;
    options.open.options = text(given.device_options);
    options.open.allocator = given.allocator;
    options.open.parallel = given.parallel;
    options.dumpDir = text(given.dump_dir);
    KILN_RETURN_IF_ERROR(checkDumpDir(options.dumpDir));
    if (given.parallel.run && given.parallel.concurrency == 0)
      return invalidArgument("parallel: concurrency 0; expected at least 1");
    if ((given.allocator.allocate == nullptr) != (given.allocator.deallocate == nullptr))
      return invalidArgument("allocator: one of allocate and deallocate is null; expected both or none");
    KILN_ASSIGN_OR_RETURN(std::shared_ptr<Session> session, Session::open(instance->instance, options));
    *outSession = new KilnSession{std::move(session)};
    return {};
  });
}

void kiln_session_release(KilnSession *session) {
  if (!session)
    return;
  // Runs that timed out hold the session: let them go.
  kiln_status_free(guarded([&] { return session->session->synchronize(KILN_WAIT_FOREVER); }));
  delete session;
}

KilnStr kiln_session_device(KilnSession *session) {
  return session ? toStr(session->session->deviceName()) : KilnStr{};
}

KilnStatus kiln_session_synchronize(KilnSession *session, uint64_t timeoutNs) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(session, "session"));
    return session->session->synchronize(timeoutNs);
  });
}

KilnStatus kiln_session_reset(KilnSession *session) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(session, "session"));
    return session->session->reset();
  });
}

KilnStatus kiln_session_memory(KilnSession *session, KilnMemoryStats *outStats) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(session, "session"));
    KILN_ASSIGN_OR_RETURN(KilnMemoryStats stats, session->session->device().memoryStats());
    return writeOut(outStats, stats, "out_stats");
  });
}

KilnStatus kiln_session_compile_stats(KilnSession *session, KilnCompileStats *outStats) {
  return guarded([&]() -> Status {
    KILN_RETURN_IF_ERROR(required(session, "session"));
    return writeOut(outStats, session->session->compileStats(), "out_stats");
  });
}
