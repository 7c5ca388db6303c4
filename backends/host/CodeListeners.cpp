// CodeListeners.cpp: gdb's "JIT Compilation Interface" and the map file of perf's jit-interface.txt.
#include "CodeListeners.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
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

/// Changes headers of a file that ElfObject::parse has accepted.
template <typename T, typename Fn> void update(std::vector<std::byte> &file, uint64_t offset, Fn change) {
  if (offset > file.size() || file.size() - offset < sizeof(T))
    return;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  change(value);
  std::memcpy(file.data() + offset, &value, sizeof(T));
}

} // namespace

struct GdbRegistration::Entry : jit_code_entry {};

std::vector<std::byte> debugCopy(const LoadedCode &code) {
  std::vector<std::byte> file(code.object.begin(), code.object.end());
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof(header));
  auto headerOf = [&](size_t section) { return header.e_shoff + section * sizeof(Elf64_Shdr); };
  for (size_t i = 0; i < code.parsed->sections().size(); ++i)
    update<Elf64_Shdr>(file, headerOf(code.parsed->sections()[i].index), [&](Elf64_Shdr &section) {
      section.sh_addr = reinterpret_cast<uint64_t>((*code.addresses)[i]);
    });

  // A longer copy of the string table at the end of the file holds the kernel's name.
  Elf64_Shdr symbols = {}, strings = {};
  size_t stringSection = 0;
  for (size_t i = 1; i < header.e_shnum && !stringSection; ++i) {
    std::memcpy(&symbols, file.data() + headerOf(i), sizeof(symbols));
    if (symbols.sh_type == SHT_SYMTAB)
      stringSection = symbols.sh_link;
  }
  std::memcpy(&strings, file.data() + headerOf(stringSection), sizeof(strings));
  std::vector<std::byte> table(file.begin() + static_cast<ptrdiff_t>(strings.sh_offset),
                               file.begin() + static_cast<ptrdiff_t>(strings.sh_offset + strings.sh_size));
  uint64_t newTable = file.size();
  auto newName = static_cast<uint32_t>(table.size());
  for (char c : code.name)
    table.push_back(static_cast<std::byte>(c ? c : '?'));
  table.push_back(std::byte(0));
  for (uint64_t at = symbols.sh_offset; at < symbols.sh_offset + symbols.sh_size; at += sizeof(Elf64_Sym))
    update<Elf64_Sym>(file, at, [&](Elf64_Sym &symbol) {
      const char *name = reinterpret_cast<const char *>(table.data()) + symbol.st_name;
      if (symbol.st_name < newName && code.symbol == name)
        symbol.st_name = newName;
    });
  file.insert(file.end(), table.begin(), table.end());
  update<Elf64_Shdr>(file, headerOf(stringSection), [&](Elf64_Shdr &section) {
    section.sh_offset = newTable;
    section.sh_size = table.size();
  });
  return file;
}

std::unique_ptr<GdbRegistration> GdbRegistration::create(const LoadedCode &code) {
  std::unique_ptr<GdbRegistration> registration(new GdbRegistration());
  registration->file = debugCopy(code);
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
