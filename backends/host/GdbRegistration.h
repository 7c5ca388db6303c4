// GdbRegistration.h: tells gdb where kernels lie and what they are called.
#ifndef KILN_BACKENDS_HOST_GDBREGISTRATION_H
#define KILN_BACKENDS_HOST_GDBREGISTRATION_H

#include "ElfObject.h"

#include <memory>
#include <string>

namespace kiln::host {

/// A kernel as gdb sees it.
struct LoadedCode {
  std::string_view name;             // for people
  std::string_view symbol;           // in the object
  std::span<const std::byte> object; // the file
  const ElfObject *parsed;
  const std::vector<const std::byte *> *addresses; // by section of `parsed`
};

/// A registration with gdb's JIT interface; ends when destroyed. Keeps a copy of the object, in which
/// sections carry their addresses and the entry symbol is called by the kernel's name. Threads: made and
/// destroyed from any thread.
class GdbRegistration {
public:
  static std::unique_ptr<GdbRegistration> create(const LoadedCode &code);
  ~GdbRegistration();

private:
  GdbRegistration() = default;
  struct Entry; // gdb's jit_code_entry
  std::vector<std::byte> file;
  std::unique_ptr<Entry> entry;
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_GDBREGISTRATION_H
