// CodeListeners.cpp: gdb's "JIT Compilation Interface" and the map file of perf's jit-interface.txt.
#include "CodeListeners.h"

#include "ElfRewrite.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>

// gdb looks these names up in every library; it sets a breakpoint in the function and reads the list at each
// stop.
extern "C" {
struct jit_code_entry {
  jit_code_entry *next_entry, *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
};
struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag; // 0 nothing, 1 registered, 2 about to be unregistered
  jit_code_entry *relevant_entry, *first_entry;
};
__attribute__((noinline, used)) void __jit_debug_register_code() { __asm__ volatile("" ::: "memory"); }
__attribute__((used)) jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
}

namespace kiln::host {
namespace {

std::mutex &descriptorMutex() {
  static auto *mutex = new std::mutex(); // kernels may be unloaded while statics are destroyed
  return *mutex;
}

void announce(uint32_t action, jit_code_entry &entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_register_code();
}

} // namespace

struct GdbRegistration::Entry : jit_code_entry {};

std::unique_ptr<GdbRegistration> GdbRegistration::create(const LoadedCode &code) {
  std::unique_ptr<GdbRegistration> registration(new GdbRegistration());
  registration->file = rewriteElf(code.object, *code.parsed,
                                  {code.symbol, std::string(code.name), false, false, code.addresses});
  registration->entry = std::make_unique<Entry>();
  Entry &entry = *registration->entry;
  entry.symfile_addr = reinterpret_cast<const char *>(registration->file.data());
  entry.symfile_size = registration->file.size();
  std::lock_guard lock(descriptorMutex());
  entry.prev_entry = nullptr;
  entry.next_entry = __jit_debug_descriptor.first_entry;
  if (entry.next_entry)
    entry.next_entry->prev_entry = &entry;
  __jit_debug_descriptor.first_entry = &entry;
  announce(1, entry);
  return registration;
}

GdbRegistration::~GdbRegistration() {
  std::lock_guard lock(descriptorMutex());
  if (entry->prev_entry)
    entry->prev_entry->next_entry = entry->next_entry;
  else
    __jit_debug_descriptor.first_entry = entry->next_entry;
  if (entry->next_entry)
    entry->next_entry->prev_entry = entry->prev_entry;
  announce(2, *entry);
}

void writePerfMap(const LoadedCode &code) {
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  // /tmp is everybody's: never follow a link, never write to a file of somebody else.
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return;
  struct stat status = {};
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid()) {
    char range[64];
    std::snprintf(range, sizeof(range), "%llx %zx ", reinterpret_cast<unsigned long long>(code.entry),
                  code.entryBytes);
    std::string line = range;
    for (char c : code.name)
      line += c == '\n' ? '?' : c;
    line += '\n';
    ssize_t written = write(file, line.data(), line.size()); // one write: lines of threads do not mix
    (void)written;
  }
  close(file);
}

} // namespace kiln::host
