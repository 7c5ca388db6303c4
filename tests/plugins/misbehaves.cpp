// misbehaves.cpp: does one thing that a backend must not do, the one that KILN_TEST_FAULT names, while it is
// opened, when it is asked for its devices, or at the end of the process.
#include "tests/plugins/PluginDevice.h"

#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <locale>
#include <stdexcept>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace {

bool fault(std::string_view name) {
  const char *asked = std::getenv("KILN_TEST_FAULT");
  return asked && name == asked;
}

__attribute__((constructor)) void misbehave() {
  if (fault("umask"))
    umask(0);
  if (fault("locale"))
    setlocale(LC_ALL, "C.UTF-8");
  if (fault("c++ locale"))
    std::locale::global(std::locale("C.UTF-8"));
  if (fault("working directory"))
    (void)!chdir("/");
  if (fault("signal handler"))
    signal(SIGINT, SIG_IGN);
  if (fault("signal mask")) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
  }
#if defined(__x86_64__)
  if (fault("fast math"))
    _mm_setcsr(_mm_getcsr() | 0x8040); // what crtfastmath.o does: denormals are zero
#endif
  if (fault("closes files"))
    for (int fd = STDERR_FILENO + 1; fd < 1024; ++fd)
      close(fd);
  if (fault("closes stdout"))
    close(STDOUT_FILENO);
  if (fault("prints"))
    std::puts("Vendor Runtime 7.1 (c) Vendor"), std::fflush(stdout);
  if (fault("forks") && fork() == 0)
    return; // the copy runs on
  if (fault("detached thread"))
    std::thread([] {
      for (;;)
        std::this_thread::sleep_for(std::chrono::seconds(1));
    }).detach();
  if (fault("throws in a constructor"))
    throw std::runtime_error("no licence");
}

/// Destroyed as the process ends.
struct AtExit {
  ~AtExit() {
    if (fault("terminates at exit"))
      std::terminate();
    while (fault("hangs at exit"))
      std::this_thread::sleep_for(std::chrono::seconds(1));
    if (fault("changes the exit code"))
      _exit(42);
  }
} atExit;

KilnStatus enumerate(void *, uint32_t *out) {
  if (fault("throws in enumerate"))
    throw std::runtime_error("no driver");
  *out = fault("four billion devices") ? UINT32_MAX : 1;
  return nullptr;
}

KilnStatus describe(void *, uint32_t, KilnDeviceInfo *out) {
  if (fault("throws in describe"))
    throw 7;
  out->name = fault("text without bytes") ? KilnStr{nullptr, 12} : kiln::toStr("a device of a test");
  out->alignment_bytes = 16;
  return nullptr;
}

kiln::Status registerMisbehaving(kiln::Registrar &registrar) {
  static KilnDeviceOps ops = kiln::sdk::deviceOps();
  ops.enumerate = enumerate;
  ops.describe = describe;
  registrar.addDeviceType(
      "misbehaves", ops,
      static_cast<kiln::sdk::DeviceType *>(new kiln::plugins::PluginDeviceType(registrar.host())));
  if (fault("registers a device twice"))
    registrar.addDeviceType("misbehaves", ops, nullptr);
  return {}; // hides the registrar's error
}

} // namespace

KILN_BACKEND(misbehaves, "0.1.0", registerMisbehaving)
