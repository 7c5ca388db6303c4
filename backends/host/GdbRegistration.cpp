// GdbRegistration.cpp: gdb's "JIT Compilation Interface".
#include "GdbRegistration.h"

#include "ElfRewrite.h"

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

} // namespace kiln::host
